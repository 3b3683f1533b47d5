"""Versions of a release: what differs between two, which number that asks for, what is known to be wrong in one."""
