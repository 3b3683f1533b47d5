"""Agreement between raters, remembered: commands that read the same sheets again need not compute it again."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pandas as pd

from scrubin.ratings import ScoresParams, agreement

Measure = Callable[[pd.DataFrame, ScoresParams], dict[str, Any]]


def remembering(measure: Measure) -> Measure:
    """Return a measure that says of the same table and parameters what it said before."""
    remembered: dict[bytes, bytes] = {}

    def measured(table: pd.DataFrame, p: ScoresParams) -> dict[str, Any]:
        question = pickle.dumps((table, p))
        if question not in remembered:
            remembered[question] = pickle.dumps(measure(table, p))
        return pickle.loads(remembered[question])

    return measured


of_scores, of_points = remembering(agreement.of_scores), remembering(agreement.of_points)
