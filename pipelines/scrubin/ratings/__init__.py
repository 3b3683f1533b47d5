"""Rater sheets to scores: normalised per rater, failed = -2.5, aggregated over raters."""
