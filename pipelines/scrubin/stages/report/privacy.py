"""Privacy: what was hidden, what nearly was, what nobody has seen or decided."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from scrubin.base.errors import VideoError
from scrubin.base.tables.io import records
from scrubin.stages.release import gates
from scrubin.stages.release.certificate import attention
from scrubin.stages.release.gates import command_at
from scrubin.stages.release.release_params import REQUIRED
from scrubin.stages.report import FileKey, Numbers, ReportedStudy
from scrubin.stages.review.outcome import ACCEPTED, CURATOR, UNREVIEWED, without
from scrubin.stages.review.status import frames_on_screen, lies_within

WITHIN = "within"
"""The decision about a rectangle that nobody is asked for, because it lies in pictures that are hidden as a whole."""
COUNTS = ("required_s", "unseen_s", "lenses", "undecided", "disputed", "lost")


def privacy(study: ReportedStudy) -> dict[str, Any]:
    """Return what a person must know before the release about who has looked at what could identify somebody.

    ``warnings`` are sentences, empty when everything was seen, decided and agreed. ``unseen`` are
    the recordings that too few people saw, whatever ``release.review`` asks for, and ``disputed``
    the proposals that people disagree about, each with the command that opens the page there.
    ``replaced`` are the files whose decisions are lost. ``said`` is a sentence about those who looked, ``looked`` are those about
    how; ``lines`` of the ledger were counted.
    """
    review = study.review
    everything = dataclasses.replace(study.release, review=REQUIRED)
    unseen = gates.missing_reviews(review, everything)
    return {
        "required": study.release.review == REQUIRED,
        "warnings": [*gates.review_warnings(review, study.release), *review["warnings"]],
        "unseen": [{"recording": one.recording, "says": one.says, "command": one.command} for one in unseen],
        "disputed": _disputed(study),
        "replaced": [row for row in coverage(study) if row["lost"]],
        "said": _said(study, complete=not unseen),
        "looked": attention.sentences(attention.measured(review)),
        "lines": review["lines"],
        "command": gates.REVIEW_COMMAND,
        "reviewers": review["reviewers"],
        "totals": _totals(study),
        "coverage": coverage(study),
        "people": review["people"],
        "worked_s": review["worked_s"],
        "agreement": review["agreement"],
        "acknowledged": review["acknowledged"],
    }


def coverage(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return per video file the seconds and lenses that enough people saw, of those that must be; the incomplete ones first."""
    rows = [
        {
            "recording": file["recording"],
            "camera": file["camera"],
            **{name: file[name] for name in COUNTS},
            "folded_s": file.get("folded_s", 0),
            "seen_s": file["required_s"] - file["unseen_s"] - file.get("folded_s", 0),
            "lenses_seen": file["lenses"] - len(file["unseen_lenses"]),
            "people": len(one["seen_by"]),
        }
        for one in study.review["recordings"]
        if one["excluded"] is None
        for file in one["files"]
    ]
    return sorted(rows, key=lambda row: (row["seen_s"] == row["required_s"] and row["lenses_seen"] == row["lenses"], row["recording"]))


def _disputed(study: ReportedStudy) -> list[dict[str, Any]]:
    files = [file for one in study.review["recordings"] if one["excluded"] is None for file in one["files"]]
    places = [(file["recording"], file["camera"], at_s) for file in files for at_s in file["disputed_at_s"]]
    return [{"recording": name, "camera": camera, "time_s": at_s, "command": gates.command_at(name, at_s)} for name, camera, at_s in places]


def _totals(study: ReportedStudy) -> dict[str, int]:
    rows, kept = coverage(study), [one for one in study.review["recordings"] if one["excluded"] is None]
    people = {person for one in kept for person in one["seen_by"]}
    names = ("seen_s", "required_s", "unseen_s", "folded_s", "lenses_seen", "lenses", "undecided", "disputed", "lost")
    return {"recordings": len(kept), "people": len(people), **{name: sum(row[name] for row in rows) for name in names}}


def _said(study: ReportedStudy, *, complete: bool) -> str:
    totals, reviewers = _totals(study), study.review["reviewers"]
    if not totals["recordings"]:
        return "There is no recording to look at."
    if not complete:
        looked = "Nobody has looked at anything yet." if not totals["people"] else f"So far {_people(totals['people'])} looked."
        unseen_s = totals["unseen_s"]
        if unseen_s:
            looked += (
                f" {unseen_s:,} of {totals['required_s']:,} s were seen by too few or by nobody: what programs missed there would be shown."
            )
        return f"{looked} Each recording must be seen by {_people(reviewers)}." if study.release.review == REQUIRED else looked
    if study.review["synthetic"]:
        return "Everything was seen, but not by a person: this study is synthetic, and a program stands in for those who look."
    of_each = f"one of every second at least{_folded(totals)}"
    return (
        f"Stills of all {totals['recordings']} recordings were looked at: {of_each}, and frame by frame both ends of "
        f"everything that people were asked to hide, each by {_people(reviewers)} or more; {_people(totals['people'])} looked in all. "
        "The pictures between were looked at by programs only."
    )


def _folded(totals: Mapping[str, int]) -> str:
    return f" but for {totals['folded_s']:,} s that were folded, for which a still like them stood" if totals["folded_s"] else ""


def _people(count: int) -> str:
    return "1 person" if count == 1 else f"{count} people"


def redactions(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return per kind and source: proposals, what became of them, and the hidden and rejected seconds.

    Seconds are of video files that were to be rendered: a span of a stereo pair counts for both
    cameras, overlapping spans of a kind and source count once. ``rectangle_s`` are those in which
    only a part of the picture is hidden, ``undecided`` counts what is hidden because nobody has
    decided about it, but for what nobody is asked for (`WITHIN`). A proposal counts once, and as
    ``hidden`` and ``shown`` when its parts were decided differently; under ``curator`` stands what people hide by themselves.
    """
    rows = []
    for (kind, source), group in _as_asked(study.redactions).groupby(["kind", "source"]):
        whole = group["x"].isna()
        accepted = group["accepted"]
        rows.append(
            {
                "kind": str(kind),
                "source": str(source),
                "files": len(group[["recording", "camera"]].drop_duplicates()),
                **_counted(group, str(source)),
                "hidden_s": covered_s(group[accepted & whole]),
                "rectangle_s": covered_s(group[accepted & ~whole]),
                "rejected_s": covered_s(group[~accepted]),
            }
        )
    return rows


def _counted(group: pd.DataFrame, source: str) -> dict[str, int]:
    """Return how many proposals of a kind and source there are, and what became of them; parts that meet are of one proposal."""
    proposals = [({row["accepted"] for row in parts}, {row["decision"] for row in parts}) for parts in _by_proposal(records(group))]
    return {
        "proposed": 0 if source == CURATOR else len(proposals),
        "hidden": sum(True in accepted for accepted, _ in proposals),
        "undecided": sum(UNREVIEWED in decisions for _, decisions in proposals),
        "shown": sum(False in accepted for accepted, _ in proposals),
    }


def _by_proposal(rows: Iterable[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Return rows by proposal: parts that meet are of one."""
    proposals: list[list[dict[str, Any]]] = []
    for row in sorted(rows, key=lambda row: (*map(str, (*_what(row), row["source"])), row["start_s"])):
        last = proposals[-1][-1] if proposals else None
        if last and (_what(last), last["source"], last["end_s"]) == (_what(row), row["source"], row["start_s"]):
            proposals[-1].append(row)
        else:
            proposals.append([row])
    return proposals


def _as_asked(redactions: pd.DataFrame) -> pd.DataFrame:
    """Return the table ``redactions`` without repeats, and with the decision `WITHIN` where the page of the review asks nothing."""
    table = without_repeated(redactions).reset_index(drop=True)
    rows = [{**row, "place": place} for place, row in enumerate(records(table))]
    whole: dict[FileKey, list[tuple[tuple[float, float], str]]] = {}
    for row in rows:
        if row["x"] is None and row["source"] != CURATOR:
            whole.setdefault((row["recording"], row["camera"]), []).append(((row["start_s"], row["end_s"]), row["decision"]))
    within: list[int] = []
    for parts in _by_proposal(row for row in rows if row["x"] is not None and row["source"] != CURATOR):
        interval_s, is_open = (parts[0]["start_s"], parts[-1]["end_s"]), {row["decision"] for row in parts} == {UNREVIEWED}
        if is_open and lies_within(interval_s, whole.get((parts[0]["recording"], parts[0]["camera"]), ())):
            within += [row["place"] for row in parts]
    table.loc[within, "decision"] = WITHIN
    return table


def without_repeated(redactions: pd.DataFrame) -> pd.DataFrame:
    """Return the table ``redactions`` without the curator's rows that only say once more that a proposal was accepted."""
    accepted: dict[tuple[Any, ...], list[tuple[float, float]]] = {}
    rows = records(redactions[["recording", "camera", "kind", "x", "y", "w", "h", "start_s", "end_s", "source", "decision"]])
    for row in rows:
        if row["source"] != CURATOR and row["decision"] == ACCEPTED:
            accepted.setdefault(_what(row), []).append((row["start_s"], row["end_s"]))
    repeats = [row["source"] == CURATOR and not without((row["start_s"], row["end_s"]), accepted.get(_what(row), ())) for row in rows]
    return redactions[~np.array(repeats, dtype=np.bool_)]


def _what(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in ("recording", "camera", "kind", "x", "y", "w", "h"))


def spans(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return every span and rectangle of the source in the vocabulary of ``redactions.csv``, to copy from when deciding.

    ``pictures`` are its first, middle and last frame, by number and source time; none when the raw
    file cannot be read. ``command`` opens the page there. What was read is not among it: that
    stays in the private table.
    """
    ordered = _as_asked(study.redactions).sort_values(["recording", "start_s", "end_s", "camera"], kind="stable")
    columns = ["recording", "camera", "kind", "start_s", "end_s", "x", "y", "w", "h", "score", "faces", "source", "decision", "accepted"]
    rows = records(ordered[columns])
    by_file: dict[FileKey, list[dict[str, Any]]] = {}
    for row in rows:
        by_file.setdefault((row["recording"], row["camera"]), []).append(row)
    for key, of_file in by_file.items():
        try:
            times_s = study.sources.times_s(key)
        except VideoError:
            times_s = None
        for row in of_file:
            row["pictures"] = [] if times_s is None else _pictures(row, times_s)
            row["command"] = command_at(row["recording"], row["start_s"])
    return rows


def _pictures(row: Mapping[str, Any], times_s: Numbers) -> list[dict[str, Any]]:
    first, last = frames_on_screen((row["start_s"], row["end_s"]), times_s)
    return [{"frame": number, "time_s": float(times_s[number])} for number in sorted({first, (first + last) // 2, last})]


def covered_s(spans: pd.DataFrame) -> float:
    """Return the seconds that spans cover, summed over video files."""
    # fsum: from Python 3.12 on, sum() adds floats in another way, which would give other bytes.
    return math.fsum(_union(zip(group["start_s"], group["end_s"], strict=True)) for _, group in spans.groupby(["recording", "camera"]))


def _union(spans: Iterable[tuple[float, float]]) -> float:
    total, reached = 0.0, float("-inf")
    for start, end in sorted(spans):
        total += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return total


LEAST_SURE = 12
Spans = Sequence[tuple[float, float]]


def least_sure(spans: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the spans with the lowest scores, at most one per recording and detector.

    Parameters
    ----------
    spans
        What `hidden.spans` returns.
    """
    scored = [row for row in spans if row["score"] is not None and row["source"] != "pair"]
    ranked = sorted(scored, key=lambda row: (row["score"], row["recording"], row["camera"], row["start_s"], row["kind"]))
    lowest = {(row["recording"], row["source"]): dict(row) for row in reversed(ranked)}
    return sorted(lowest.values(), key=lambda row: (row["score"], row["recording"], row["source"]))[:LEAST_SURE]


def unlike(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return of each recording the frame least like the others that nobody proposed to hide; the most unlike first.

    ``distance`` is that of the detector ``appearance``, 0 to 1, in hundredths. Frames outside the
    kept interval and black ones are passed over, and so are recordings of which nothing is left,
    or that no detector compared with themselves.
    """
    rows: dict[str, dict[str, Any]] = {}
    kept, whole = _spans_by_file(study.recordings), _spans_by_file(study.redactions[study.redactions["x"].isna()])
    for one in study.review["recordings"]:
        for file in one["files"] if one["excluded"] is None else ():
            key = file["recording"], file["camera"]
            row = _unlike(study, key, kept.get(key, ()), whole.get(key, ()))
            if row is not None and row["distance"] > rows.get(row["recording"], {"distance": -1.0})["distance"]:
                rows[row["recording"]] = row
    return sorted(rows.values(), key=lambda row: (-row["distance"], row["recording"]))


def _spans_by_file(table: pd.DataFrame) -> dict[FileKey, list[tuple[float, float]]]:
    spans: dict[FileKey, list[tuple[float, float]]] = {}
    columns = ("recording", "camera", "start_s", "end_s")
    for name, camera, start_s, end_s in zip(*(table[column].tolist() for column in columns), strict=True):
        spans.setdefault((name, camera), []).append((start_s, end_s))
    return spans


def _unlike(study: ReportedStudy, key: FileKey, kept: Spans, hidden: Spans) -> dict[str, Any] | None:
    try:
        times_s, far = study.sources.times_s(key), study.sources.distance(key)
    except VideoError:
        return None  # quarantined since, or the file is away
    if far is None:
        return None
    # In hundredths: the last digits differ between processors.
    rounded = np.round(np.where(_unproposed(kept[0], hidden, times_s), far, 0.0), 2)
    if not rounded.any():
        return None
    number = int(np.argmax(rounded))
    time_s = float(times_s[number])
    place = {"recording": key[0], "camera": key[1], "frame": number, "time_s": time_s}
    return {**place, "distance": float(rounded[number]), "command": command_at(key[0], time_s)}


def _unproposed(kept: tuple[float, float], hidden: Spans, times_s: Numbers) -> npt.NDArray[np.bool_]:
    """Return which frames of a file are kept and in no span, shape (n,)."""
    free = (times_s[1:] > kept[0]) & (times_s[:-1] < kept[1])
    for span in hidden:
        first, last = frames_on_screen(span, times_s)
        free[first : last + 1] = False
    return np.asarray(free, dtype=np.bool_)
