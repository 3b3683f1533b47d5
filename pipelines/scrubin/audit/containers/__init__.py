"""Readers of file formats that know every byte of a file, or refuse it."""
