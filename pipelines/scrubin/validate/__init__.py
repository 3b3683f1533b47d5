"""Every public table held to its declaration and to the others, before anything is released."""
