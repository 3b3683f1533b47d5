"""The ratings of single raters beside the scores that are scored against: those of a release, or of annotation files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from scrubin.core.errors import AnnotationError
from scrubin.evaluation import side
from scrubin.evaluation.sheets import TaskSheet
from scrubin.evaluation.side import Source
from scrubin.labels import reader
from scrubin.lasana.defaults import LASANA
from scrubin.metrics.inputs import FloatArray
from scrubin.ratings import normalisation

TABLES, RATINGS = "tables", "ratings.parquet"


@dataclass(frozen=True, eq=False)
class RaterScores:
    """Scores of one aspect: (recordings, raters), NaN where undefined, and the names of the raters."""

    scores: FloatArray
    raters: Sequence[str]


def ratings_of(source: Source) -> pd.DataFrame:
    """Return the ratings as given, the columns of the table ``ratings``.

    Raises
    ------
    MetricsError
        Where there are none.
    """
    folder = next((one for one in (source.path / TABLES, source.path.parent.parent / TABLES) if (one / RATINGS).is_file()), source.path)
    fix = "name a release that has tables/ratings.parquet, or annotation files with the sheets of raters"
    try:
        scores = reader.read_path(folder, "tables" if folder != source.path else source.format, reader.Options()).collection.scores
    except AnnotationError as error:
        raise side.refusal(source, "no-ratings", "what raters reach needs their ratings, and there are none", fix) from error
    if scores is None or not len(scores.ratings):
        raise side.refusal(source, "no-ratings", "what raters reach needs their ratings, and there are none", fix)
    return scores.ratings


def matrix(ratings: pd.DataFrame, truth: TaskSheet, aspect: str) -> RaterScores:
    """Return the normalised scores of all raters of one aspect of a task, a row per recording of the truth."""
    of_task = normalisation.normalise(ratings[ratings["task"] == truth.task], LASANA.failed_grs)
    own = of_task[of_task["aspect"] == aspect]
    wide = own.pivot_table(index="id", columns="rater", values="score", aggfunc="first").reindex(truth.rows.index)
    return RaterScores(wide.to_numpy(np.float64), tuple(map(str, wide.columns)))


def notes(ratings: pd.DataFrame) -> list[str]:
    """Return how the scores of raters were made comparable, and whose were not."""
    how = f"scores of raters are z-scores per rater, failed recordings {LASANA.failed_grs:g}, as the aggregated scores of a release are"
    return [how, *(fault.line() for fault in normalisation.without_scale(ratings))]
