"""LASANA's annotation files: read, recomputed from the rater files, written."""
