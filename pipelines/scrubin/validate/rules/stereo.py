"""Rules about stereo pairs: whether both cameras fit each other and the calibration that the release gives them."""

from __future__ import annotations

import pandas as pd

from scrubin.validate.registry import rule
from scrubin.validate.study import Study


@rule("error", "both cameras of a recording fit their calibration: size, rows, order, time", stereo=("rig", "error"))
def stereo_fits(study: Study, table: str) -> pd.Series[bool]:
    """Find the pairs that are not to be used as they are."""
    return study.columns(table, "error")["error"].notna()


@rule("warning", "nothing about a stereo pair looks odd", stereo=("rig", "warning"))
def stereo_odd(study: Study, table: str) -> pd.Series[bool]:
    """Find the pairs that somebody should look at."""
    return study.columns(table, "warning")["warning"].notna()


@rule("note", "there is enough to see in a stereo pair to check it", stereo=("rig", "undecided"))
def stereo_undecided(study: Study, table: str) -> pd.Series[bool]:
    """Find the pairs of which nothing could be said."""
    return study.columns(table, "undecided")["undecided"].notna()
