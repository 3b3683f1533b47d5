"""Rater sheets to scores: normalised per rater, aggregated over raters."""
