"""`postroom doctor`: each check makes findings of facts; `facts` alone looks at the machine."""
