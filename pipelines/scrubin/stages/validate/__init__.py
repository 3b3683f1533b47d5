"""Every public table held to its declaration, then to the others, before anything is released."""
