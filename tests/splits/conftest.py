"""Small cohorts."""

from cohort_fixtures import make_cohort, reordered

__all__ = ["make_cohort", "reordered"]
