"""Rules about names, ids, triplets, the course of phases: a label says what its vocabulary says."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd

from scrubin.base.vocabulary.vocabulary import KINDS, Vocabulary
from scrubin.stages.validate.registry import rule
from scrubin.stages.validate.rules.videos import labelled_frames
from scrubin.stages.validate.study_tables import NotApplicableError, Study, by_distinct, looked_up, sizes

PARTS = ["instrument_id", "verb_id", "target_id"]


@rule(
    "error",
    "a triplet is its instrument, verb and target, and three parts that the vocabulary combines are a triplet",
    triplets=("vocabulary", "triplet_id", *PARTS),
)
def triplet_in_vocabulary(study: Study, table: str) -> pd.Series[bool]:
    """Find rows whose triplet is not made of their parts, or whose parts make a triplet that they do not name."""
    known = _triplets(study.vocabularies)

    def wrong(rows: pd.DataFrame) -> pd.Series[bool]:
        rows = rows.astype(dict.fromkeys(["triplet_id", *PARTS], "float64"))
        return _differ(looked_up(rows, known, ["vocabulary", *PARTS])["triplet_id"], rows["triplet_id"])

    broken = by_distinct(study.columns(table, "vocabulary", "triplet_id", *PARTS), wrong)
    if not study.as_written:
        return broken
    at = pd.MultiIndex.from_frame(study.columns(table, "id", "frame"))
    return broken & ~at.isin(sorted(study.as_written))


@rule(
    "error",
    "names and ids agree by the vocabulary, which is a known one",
    triplets=("vocabulary", "instrument", "verb", "target", "triplet", "instrument_id", "verb_id", "target_id", "triplet_id"),
    phases=("vocabulary", "phase", "phase_id"),
)
def name_of_id(study: Study, table: str) -> pd.Series[bool]:
    """Find rows where a name is not the name of the id beside it, or the vocabulary is unknown."""
    kinds = ("phase",) if table == "phases" else ("instrument", "verb", "target", "triplet")
    rows = study.columns(table, "vocabulary", *kinds, *(f"{kind}_id" for kind in kinds))
    names = _names(study.vocabularies)
    broken = ~rows["vocabulary"].isin(list(study.vocabularies))
    for kind in kinds:
        known = names.loc[names["kind"] == kind, ["vocabulary", "id", "name"]]
        broken |= by_distinct(rows[["vocabulary", f"{kind}_id", kind]], partial(_misnamed, known))
    return broken


def _misnamed(known: pd.DataFrame, rows: pd.DataFrame) -> pd.Series[bool]:
    named = rows.set_axis(["vocabulary", "id", "name"], axis=1).astype({"id": "float64"})
    expected = looked_up(named, known, ["vocabulary", "id"])["name"]
    # An id that the vocabulary does not have must not pass as "no name for no id".
    return _differ(expected, named["name"]) | (named["id"].notna() & expected.isna())


def _differ(expected: pd.Series, actual: pd.Series) -> pd.Series[bool]:
    # Missing on both sides is agreement.
    return ~((expected == actual).fillna(value=False).astype(bool) | (expected.isna() & actual.isna()))


def _triplets(vocabularies: Mapping[str, Vocabulary]) -> pd.DataFrame:
    rows = [
        (name, triplet, *parts) for name, vocabulary in sorted(vocabularies.items()) for triplet, parts in enumerate(vocabulary.triplets)
    ]
    table = pd.DataFrame(rows, columns=["vocabulary", "triplet_id", *PARTS])
    return table.astype({"vocabulary": "str", **dict.fromkeys(["triplet_id", *PARTS], "float64")})


def _names(vocabularies: Mapping[str, Vocabulary]) -> pd.DataFrame:
    rows: list[tuple[str, str, int, str]] = []
    for name, vocabulary in sorted(vocabularies.items()):
        rows += [(kind, name, i, word) for kind in KINDS for i, word in enumerate(vocabulary.names(kind))]
        rows += [("triplet", name, i, vocabulary.triplet_name(i)) for i in range(len(vocabulary.triplets))]
    table = pd.DataFrame(rows, columns=["kind", "vocabulary", "id", "name"])
    return table.astype({"kind": "str", "vocabulary": "str", "id": "float64", "name": "str"})


TOLERANCE_S = 1e-6


@rule("error", "every frame has one phase", phases=("phase",))
def one_phase_per_frame(study: Study, table: str) -> pd.Series[bool]:
    """Find frames with two different phases."""
    return sizes(study.columns(table, "id", "frame", "phase"), ["id", "frame"], "phase") > 1


def _course(study: Study, table: str) -> pd.DataFrame:
    """Return the phases in order, with ``follows``: whether a row is the labelled frame right after the one before.

    Labels may stand at every n-th frame: the smallest distance within a recording counts as "right after". What
    lies in a larger gap, nobody knows.
    """
    rows = study.columns(table, "id", "frame", "phase", "vocabulary").sort_values(["id", "frame"], kind="stable")
    before = rows.shift(1)
    distance = (rows["frame"] - before["frame"]).where(rows["id"] == before["id"])
    # Two phases of one frame are another rule's.
    step = distance.where(distance > 0).groupby(rows["id"]).transform("min")
    return rows.assign(follows=(distance > 0) & (distance == step), previous_phase=before["phase"])


def _previous(study: Study, table: str) -> pd.DataFrame:
    return _course(study, table)[["previous_phase"]].reindex(study.tables[table].rows.index)


@rule("warning", "a phase follows the one before as the workflow of its vocabulary allows", _previous, phases=("phase",))
def phase_transition(study: Study, table: str) -> pd.Series[bool]:
    """Find the first frame of each phase that may not follow the phase before; in unlabelled gaps anything may have happened."""
    course = _course(study, table)
    allowed = [(name, of, to) for name, pairs in study.expected.transitions.items() for of, to in pairs]
    unknown = sorted(set(course["vocabulary"].dropna().unique()) - set(study.expected.transitions))
    if unknown:
        names = ", ".join(f"'{name}'" for name in unknown)
        raise NotApplicableError(f"no workflow of the vocabulary {names} is known; declare validate.transitions in params.yaml")
    changes = course[course["follows"] & (course["phase"] != course["previous_phase"])]
    pairs = changes[["vocabulary", "previous_phase", "phase"]]
    known = pd.DataFrame(allowed, columns=pairs.columns, dtype="str").assign(allowed=True)
    forbidden = looked_up(pairs, known, list(pairs.columns))["allowed"].isna()
    return forbidden.reindex(study.tables[table].rows.index, fill_value=False)


@rule("warning", "no phase between two others lasts less than flicker_s seconds", phases=("phase",))
def phase_flicker(study: Study, table: str) -> pd.Series[bool]:
    """Find the frames of runs that last less than ``flicker_s``, with another phase right before and right after them.

    A run lasts from its first frame to the first frame of the next phase. At the start or end of a recording,
    and beside a gap, nobody knows how long a phase really was.
    """
    course = _course(study, table)
    course = course.assign(time_s=_times(study, course))
    run = (~course["follows"] | (course["phase"] != course["previous_phase"])).cumsum()
    first = course.groupby(run).first()
    following = first.shift(-1)
    between = first["follows"] & following["follows"].fillna(value=False).astype(bool)
    lasts_s = following["time_s"] - first["time_s"]
    flickers = between & (lasts_s < study.expected.flicker_s - TOLERANCE_S)
    return run.map(flickers).reindex(study.tables[table].rows.index).astype(bool)


def _times(study: Study, rows: pd.DataFrame) -> pd.Series[float]:
    """Return the time in seconds of labelled frames; missing where a frame is unknown."""
    if "frames" in study.tables:
        return looked_up(rows, labelled_frames(study, "time_s"), ["id", "frame"])["time_s"]
    codes, ids = pd.factorize(rows["id"])
    unknown = sorted(set(ids) - set(study.period_s))
    if unknown:
        raise NotApplicableError(f"neither a table 'frames' nor a label file says when the frames of '{unknown[0]}' are")
    # The last place stands for a missing id.
    period_s = np.array([*(float(study.period_s[name]) for name in ids), np.nan])
    return pd.Series(rows["frame"].to_numpy() * period_s[codes], index=rows.index)
