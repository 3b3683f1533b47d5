"""Skill and errors from rater sheets: normalised per rater, aggregated, with agreement."""
