"""Private texts: what must not stand in a release, in which spellings it could, and how it is searched."""
