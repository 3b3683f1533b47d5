"""Vocabularies of the data sets: instruments, verbs, targets, triplets and phases, as data files."""
