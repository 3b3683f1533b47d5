"""The kinds of splits, one module each, behind one registry."""
