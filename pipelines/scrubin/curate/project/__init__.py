"""A version as a tag in git: what must hold before, the tag, and what is then to be pushed."""
