"""Folders of annotations as LASANA publishes them: read, scored again, written."""
