"""postroom: a post office for AI agents and the person who runs them."""
