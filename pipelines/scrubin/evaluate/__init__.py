"""Predictions against labels: scores, checked submissions, rankings, challenges."""
