"""Scores of predictions against ground truth: files of any format to the arrays of ``scrubin.metrics``, and results to files."""
