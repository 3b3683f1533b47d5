"""Upkeep of a project on its disk: what is sound, what is used, what there is room for. No stage depends on it."""
