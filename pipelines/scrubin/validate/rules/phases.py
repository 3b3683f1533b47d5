"""Rules about the course of phases: how long they last, and what follows what."""

from __future__ import annotations

import numpy as np
import pandas as pd

from scrubin.validate.registry import rule
from scrubin.validate.row_joins import looked_up, sizes
from scrubin.validate.rules.references import labelled_frames
from scrubin.validate.study import NotApplicableError, Study

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
        msg = f"no workflow of the vocabulary {names} is known; declare validate.transitions in params.yaml"
        raise NotApplicableError(msg)
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
        msg = f"neither a table 'frames' nor a label file says when the frames of '{unknown[0]}' are"
        raise NotApplicableError(msg)
    # The last place stands for a missing id.
    period_s = np.array([*(float(study.period_s[name]) for name in ids), np.nan])
    return pd.Series(rows["frame"].to_numpy() * period_s[codes], index=rows.index)
