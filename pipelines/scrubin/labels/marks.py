"""Marks by frame and name: the mean over those who judged, and what each of them said."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from scrubin.base.vocabulary.vocabulary import facts
from scrubin.labels.model import FloatArray, Labels, Layer

VIEW_OF_SAFETY: tuple[str, ...] = tuple(facts("endoscapes")["criteria"])
"""The criteria of the critical view of safety, as Endoscapes names them."""


STATED = "marks"
"""Key of `Labels.about` under which a format says the marks that its file has a place for, also where nobody judged them."""


def stated_names(labels: Labels) -> tuple[str, ...]:
    """Return the names of marks that the file has a place for; none where it says only what was judged."""
    return tuple(labels.about.get(STATED, ()))


def names_of(layer: Layer) -> list[str]:
    """Return the names of marks, sorted."""
    return sorted(map(str, layer.rows["mark"].unique()))


def means(layer: Layer, names: Sequence[str]) -> FloatArray:
    """Return the mean over those who judged, shape (positions, names); NaN where nobody did."""
    return mean_of_raters(by_rater(layer, names, raters_of(layer)))


def raters_of(layer: Layer) -> list[str]:
    """Return the annotators, sorted; "" stands for a value of nobody by name."""
    return sorted(map(str, layer.rows["rater"].unique()))


def by_rater(layer: Layer, names: Sequence[str], raters: Sequence[str]) -> FloatArray:
    """Return what each annotator said, shape (positions, names, raters); NaN where nothing."""
    said = np.full((len(layer.positions), len(names), len(raters)), np.nan)
    rows = layer.rows[layer.rows["mark"].isin(list(names)) & layer.rows["rater"].isin(list(raters))]
    at = np.searchsorted(layer.positions, rows["position"].to_numpy(np.int64))
    columns = (pd.Index(list(wanted)).get_indexer(pd.Index(rows[of])) for of, wanted in (("mark", names), ("rater", raters)))
    said[(at, *columns)] = rows["value"].to_numpy(np.float64)
    return said


def mean_of_raters(said: FloatArray) -> FloatArray:
    """Return the mean over the last axis of what is defined; NaN where nothing is."""
    count = np.count_nonzero(~np.isnan(said), axis=-1)
    total = np.nansum(said, axis=-1)
    means: FloatArray = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
    return means
