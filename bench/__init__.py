"""How fast a post room answers, as a share of a handler that does nothing."""
