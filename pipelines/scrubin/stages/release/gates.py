"""Refusals before anything is released: what failed, what is unseen, what would silently be missing."""

from __future__ import annotations

import hashlib
import json
import math
import shlex
from collections import Counter
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from scrubin.base.errors import ReleaseError
from scrubin.base.faults import count_text
from scrubin.base.layout import PRIVATE, REVIEW_PATH
from scrubin.base.tables.io import records
from scrubin.stages.release.release_params import NoReview, ReleaseParams, ReviewedSample
from scrubin.stages.review import FIRST, Line, spelt_alike
from scrubin.stages.review.events import HIDES_NOTHING, has_ended, warnings_of


def require_valid(path: Path) -> None:
    """Refuse a release whose tables did not pass.

    Raises
    ------
    ReleaseError
        When ``validation.json`` is missing, cannot be read or its verdict is not ``passed``.
    """
    if _validated(path, "verdict") != "passed":
        raise ReleaseError(f"{path}: the tables did not pass validation; fix what it lists and run 'dvc repro' again")


def _validated(path: Path, name: str) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))[name]
    except (OSError, ValueError, KeyError, TypeError) as error:
        msg = f"{path}: it does not say whether the tables passed ({type(error).__name__}: {error}); run 'dvc repro validate'"
        raise ReleaseError(msg) from error


def joined_quarantine(tables: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Return the quarantine tables of all stages as one, sorted by recording, camera and stage."""
    filled = [table for table in tables if len(table)]
    every = (
        pd.concat(filled, ignore_index=True) if filled else pd.DataFrame(columns=["recording", "camera", "stage", "path", "reason", "mend"])
    )
    return every.sort_values(["recording", "camera", "stage"], kind="stable", ignore_index=True)


def quarantine_lines(quarantine: pd.DataFrame) -> list[str]:
    """Return one line per quarantined file: which recording, which file, why and the fix."""
    # A file name may hold line breaks.
    return [" ".join(f"'{row['recording']}': {row['path']}: {row['reason']}; {row['mend']}".splitlines()) for row in records(quarantine)]


def refuse_quarantined(quarantine: pd.DataFrame, on_quarantine: str, acknowledged: Collection[str] = ()) -> None:
    """Refuse a release of an incomplete study where the curator wants none.

    Raises
    ------
    ReleaseError
        Lists every quarantined file that nobody acknowledged, when ``on_quarantine`` is ``stop``.
    """
    waiting = quarantine[~quarantine["recording"].isin(set(acknowledged))]
    if on_quarantine == "stop" and len(waiting):
        listed = "\n  ".join(quarantine_lines(waiting))
        raise ReleaseError(f"{len(waiting)} files are quarantined and release.on_quarantine is 'stop':\n  {listed}")


def quarantine_counts(quarantine: pd.DataFrame) -> dict[str, int]:
    """Return the number of quarantined files by stage; names and reasons are the curator's own."""
    return dict(sorted(Counter(map(str, quarantine["stage"])).items()))


REVIEW_COMMAND = ".venv/bin/scrubin review"
GO_ON = "run `make repro` again"
SHOWN_MISSING = 50
NOBODY = "Nobody was required to look at the recordings before this release. The reason: {why}"
SAMPLE = "Only a sample of {count} of the {all} recordings had to be seen by {people} before this release. The reason: {why}"
SYNTHETIC = "No person is in this synthetic study: a program stands in for those who look at every recording before a release."
EVERYTHING = (
    "Before this release stills of every second of each of the {all} recordings were shown to {people}, and frame by frame both ends of "
    "everything that they were asked to hide. That whoever was shown them noticed everything in them is not proven."
)
FOLDED = (
    "Before this release stills of each of the {all} recordings were shown to {people}: one of every second, or one for some seconds whose "
    "pictures are all like it, and frame by frame both ends of everything that they were asked to hide. That whoever was shown them "
    "noticed everything in them is not proven."
)

FOLDED_SAMPLE = "Of these, seconds whose pictures are all like one that was shown were folded: nobody had to look at them."


@dataclass(frozen=True)
class Missing:
    """What nobody has seen of one recording: a sentence, and the second at which to begin."""

    recording: str
    says: str
    at_s: float

    @property
    def command(self) -> str:
        """The command that opens the page there."""
        return command_at(self.recording, self.at_s)


def command_at(recording: str, at_s: float) -> str:
    """Return the command that opens the page at a source time; rounded up, so that a frame's own time opens that frame.

    >>> command_at("Rec 1", 0.0333667)
    ".venv/bin/scrubin review --at 'Rec 1:0.034'"
    """
    time = f"{math.ceil(at_s * 1000 - 1e-6) / 1000:.3f}".rstrip("0").rstrip(".")
    return f"{REVIEW_COMMAND} --at {shlex.quote(f'{recording}:{time}')}"


def load_review(folder: Path = Path()) -> dict[str, Any]:
    """Return what the stage review says.

    Raises
    ------
    ReleaseError
        When it has not run.
    """
    path = folder / REVIEW_PATH
    try:
        value: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        msg = f"{path}: it does not say who has seen what ({type(error).__name__}: {error}); run 'dvc repro review'"
        raise ReleaseError(msg) from error
    return value


def required_reviews(review: Mapping[str, Any], params: ReleaseParams) -> set[str]:
    """Return the recordings of which somebody must have seen everything.

    A sample is drawn by hashes of the videos, so that nobody chooses it.
    """
    kept = {one["recording"]: one for one in review["recordings"] if one["excluded"] is None}
    if isinstance(params.review, NoReview):
        return set()
    if isinstance(params.review, ReviewedSample):
        drawn = sorted(kept, key=lambda name: hashlib.sha256("".join(kept[name]["sha256"]).encode()).hexdigest())
        return set(drawn[: params.review.recordings])
    return set(kept)


def missing_reviews(review: Mapping[str, Any], params: ReleaseParams) -> list[Missing]:
    """Return what is missing of each recording that must have been seen."""
    wanted = required_reviews(review, params)
    done = []
    for one in review["recordings"]:
        says, at_s = [], []
        for file in one["files"] if one["recording"] in wanted else ():
            if file["unseen"]:
                says.append(f"{file['camera']}: {sum(last - first + 1 for first, last in file['unseen'])} s unseen")
                at_s.append(file["unseen"][0][0])
            if file["unseen_lenses"]:
                says.append(f"{file['camera']}: {count_text(len(file['unseen_lenses']), 'proposal')} whose ends nobody saw frame by frame")
                at_s.append(int(file["unseen_lenses"][0]))
            if file["unseen_stops"]:
                says.append(f"{file['camera']}: {count_text(len(file['unseen_stops']), 'still')} that nobody looked at in full size")
                at_s.append(float(file["unseen_stops"][0]))
            if says and file["unlooked"]:
                says.append(f"{file['camera']}: {count_text(file['unlooked'], 'line')} of an earlier edition no longer counted")
            if says and file["lost"]:
                says.append(f"{file['camera']}: the file was replaced, {file['lost']} earlier entries count no longer")
        if says:
            done.append(Missing(one["recording"], "; ".join(says), min(at_s)))
    return done


@dataclass(frozen=True)
class Acknowledgeable:
    """What there is to acknowledge now: an acknowledgement of what is gone can end without stopping anything.

    Parameters
    ----------
    quarantined
        Recordings in quarantine.
    warned
        Rules of the validation that warned, as they are acknowledged.
    recordings
        By released id.
    """

    quarantined: Collection[str] = ()
    warned: Collection[str] = ()
    recordings: Mapping[str, str] = field(default_factory=dict)

    def name(self, subject: str, key: str) -> str:
        """Return what the curator calls it; "" when it is gone."""
        if subject == "near-duplicate":
            names = [self.recordings.get(one) for one in key.split(",")]
            return f"the near-duplicates {' and '.join(map(repr, names))}" if all(names) else ""
        there, noun = (self.quarantined, "quarantined recording") if subject == "quarantine" else (self.warned, "warning")
        return f"the {noun} '{key}'" if key in there else ""


def acknowledgeable(quarantine: pd.DataFrame, verdict: Path, released: Mapping[str, str]) -> Acknowledgeable:
    """Return what there is to acknowledge: what is quarantined, what the validation warns of, and the released ids by recording.

    Raises
    ------
    ReleaseError
        When ``validation.json`` cannot be read.
    """
    warned = warnings_of(_validated(verdict, "outcomes"))
    return Acknowledgeable(set(quarantine["recording"]), {one["key"] for one in warned}, {id_: name for name, id_ in released.items()})


def require_reviewed(review: Mapping[str, Any], params: ReleaseParams, lines: Sequence[Line], today: str, there: Acknowledgeable) -> None:
    """Refuse a release of which something is unseen.

    Parameters
    ----------
    review
        What the stage review says.
    params
        With ``review``.
    lines
        Of the ledger now. What was seen or sampled since changes nothing of what is hidden; what was decided does.
    today
        Date (UTC); an acknowledgement that ended before counts no longer.
    there
        What can be acknowledged.

    Raises
    ------
    ReleaseError
        Names every recording, what is missing and the command that opens it.
    """
    known = lines[: review["lines"]]
    if (known[-1].sha256 if known else FIRST) != review["head"] or any(
        line.event not in HIDES_NOTHING for line in lines[review["lines"] :]
    ):
        msg = "people decided while the pipeline ran; run it again, so that the release follows the latest decisions: make repro"
        raise ReleaseError(msg)
    problems = [f"{review['sheet_fault']}"] if review["sheet_fault"] else []
    if review["reviewers"] > 1:
        alike = [f"{one!a} and {other!a}" for one, other in spelt_alike(lines)]
        problems += [f"{names} may be one person, who counts as two; one of them looks again under a name of their own" for names in alike]
    problems += _ended(review, today, there)
    unseen = [f"'{one.recording}': {one.says}; open: {one.command}" for one in missing_reviews(review, params)]
    if not unseen and not problems:
        return
    wanted, have = count_text(len(required_reviews(review, params)), "recording"), "has" if len(unseen) == 1 else "have"
    count = f"{len(unseen)} of {wanted} {have} not been seen by {people_needed(review)}"
    more = f"\n  and {len(unseen) - SHOWN_MISSING} more, all of them in reports/index.html" if len(unseen) > SHOWN_MISSING else ""
    listed = "\n  ".join([*problems, *([f"{count}; open: {REVIEW_COMMAND}"] if unseen else []), *unseen[:SHOWN_MISSING]])
    later = f"\n  people looked on since this run began, so it may be less by now: {GO_ON}" if len(lines) > review["lines"] else ""
    raise ReleaseError(f"nothing is released before somebody has seen it (release.review):\n  {listed}{more}{later}")


def _ended(review: Mapping[str, Any], today: str, there: Acknowledgeable) -> list[str]:
    """Return a sentence for each acknowledgement that has ended, of what is still there."""
    expired = [one for one in review["acknowledged"] if has_ended(one["until"], max(today, review["latest"][:10]))]
    named = [(there.name(one["subject"], one["key"]), one["until"]) for one in expired]
    return [f"the acknowledgement of {name} ended on {until}; decide again, with Q: {REVIEW_COMMAND}" for name, until in named if name]


def acknowledged(review: Mapping[str, Any], subject: str) -> set[str]:
    """Return the keys that somebody acknowledged."""
    return {one["key"] for one in review["acknowledged"] if one["subject"] == subject}


def people_needed(review: Mapping[str, Any]) -> str:
    """Return how many people must see each recording."""
    return "a person" if review["reviewers"] == 1 else f"{review['reviewers']} people"


def of_released(review: Mapping[str, Any], released: Container[str]) -> dict[str, Any]:
    """Return what a review says of the recordings that are released: others were seen as well, and set aside later."""
    return {**review, "recordings": [one for one in review["recordings"] if one["recording"] in released]}


def review_sentence(review: Mapping[str, Any], params: ReleaseParams, released: Container[str] | None = None) -> str:
    """Return in plain words who looked before the release, for its documents: it names nobody.

    Parameters
    ----------
    review, params
        As in `require_reviewed`.
    released
        The recordings that are released; None: all that nobody excluded.
    """
    kept = {one["recording"] for one in review["recordings"] if one["excluded"] is None}
    kept = kept if released is None else {name for name in kept if name in released}
    if isinstance(params.review, NoReview):
        return NOBODY.format(why=params.review.reason)
    is_folded = any(file.get("folded_s") for one in review["recordings"] if one["recording"] in kept for file in one["files"])
    if isinstance(params.review, ReviewedSample):
        said = SAMPLE.format(
            count=len(required_reviews(review, params) & kept), all=len(kept), people=people_needed(review), why=params.review.reason
        )
        return f"{said} {FOLDED_SAMPLE}" if is_folded else said
    shown = FOLDED if is_folded else EVERYTHING
    return SYNTHETIC if review["synthetic"] else shown.format(people=people_needed(review), all=len(kept))


def fixed_review_texts() -> list[str]:
    """Return what these sentences say in every release, for the audit."""
    return [
        *(text.format(count="", all="", people="", why="") for text in (NOBODY, SAMPLE, SYNTHETIC, EVERYTHING, FOLDED)),
        FOLDED_SAMPLE,
        "a person people",
    ]


def review_warnings(review: Mapping[str, Any], params: ReleaseParams) -> Sequence[str]:
    """Return what the log must say about a release that not everybody has seen."""
    return [] if params.review == "required" else [review_sentence(review, params)]


LAST_RELEASE_PATH = PRIVATE / "released.json"
SHOWN_LOST = 20


def kept_for_next(params: ReleaseParams, linkage: pd.DataFrame, videos: pd.DataFrame) -> dict[str, Any]:
    """Return what is kept of a release for the next one, as a JSON value: its name, version, and recordings with their ids."""
    there = linkage[linkage["id"].isin(set(videos["id"]))].sort_values("recording")
    ids = dict(zip(there["recording"], there["id"], strict=True))
    return {"name": params.name, "version": params.version, "recordings": ids}


def last_tombstones(last: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the tombstones that the last release carried."""
    return list(last.get("withdrawn", ()))


def last_release(name: str | None, path: Path = LAST_RELEASE_PATH) -> dict[str, Any]:
    """Return what was kept of the last release of a name, or of whatever name; without recordings where there was none.

    Raises
    ------
    ReleaseError
        When the file cannot be read: then nobody knows what is missing.
    """
    none = {"name": name or "", "version": "", "recordings": {}}
    if not path.is_file():
        return none
    try:
        kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return kept if name in (None, kept["name"]) and dict(kept["recordings"]) and str(kept["version"]) else none
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        msg = f"{path}: it does not say what the last release held ({type(error).__name__}); restore it, or remove it to begin anew"
        raise ReleaseError(msg) from error


def lost_recordings(last: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, str]:
    """Return the recordings of the last release that are missing now, with their ids, sorted."""
    return {name: last["recordings"][name] for name in sorted(last["recordings"].keys() - now["recordings"].keys())}


def reasons_lost(recordings: pd.DataFrame, quarantine: pd.DataFrame, excluded: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return by recording why it is not released."""
    why = {row["recording"]: row["reason"] for row in records(recordings) if row["status"] != "kept" and row["reason"]}
    why |= {row["recording"]: f"{row['path']}: {row['reason']}; {row['mend']}" for row in records(quarantine)}
    return why | {one["recording"]: "a reviewer excluded it" for one in excluded}


def refuse_shrinking(last: Mapping[str, Any], missing: Mapping[str, str], why: Mapping[str, str], *, may_shrink: bool) -> None:
    """Refuse a release that lacks recordings of the last one.

    Raises
    ------
    ReleaseError
        Names them, with the reasons.
    """
    if may_shrink or not missing:
        return
    lines = [f"'{name}' ({id_}): {why.get(name, 'recordings.csv does not list it any more')}" for name, id_ in missing.items()]
    more = [f"and {len(lines) - SHOWN_LOST} more"] if len(lines) > SHOWN_LOST else []
    listed = "\n  ".join(" ".join(line.splitlines()) for line in [*lines[:SHOWN_LOST], *more])
    msg = (
        f"version {last['version']} had {count_text(len(missing), 'recording')} that this release lacks:\n  {listed}\n"
        "put them right; or, if they may go, set release.may_shrink to true and run again"
    )
    raise ReleaseError(msg)


def moved_lines(last: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return a line for each split in which somebody changed sides since the last release.

    Parameters
    ----------
    last, now
        What is kept of the last release and of this one, with ``splits`` as `scrubin.stages.withdrawals.notice.placed` returns them. An
        earlier edition kept none.
    """
    lines = []
    before, after = (one.get("splits", {}).get("places", {}) for one in (last, now))
    for split in sorted(before.keys() & after.keys()):
        # A fold more or less, as of a site that came or went, moves nobody in the others.
        folds = {row[0] for row in before[split]} & {row[0] for row in after[split]}
        old, new = (_places(row for row in of[split] if row[0] in folds) for of in (before, after))
        both = old.keys() & new.keys()
        if moved := sum(old[id_] != new[id_] for id_ in both):
            lines.append(
                f"split '{split}': {moved} of the {len(both)} recordings that version {last['version']} had as well moved from one subset "
                f"to another, as from train to test or back; 'extends' of a scheme of kind balanced keeps everybody where they are"
            )
    return lines


def _places(rows: Iterable[tuple[int, str, str]]) -> dict[str, set[tuple[int, str]]]:
    places: dict[str, set[tuple[int, str]]] = {}
    for fold, subset, id_ in rows:
        places.setdefault(id_, set()).add((fold, subset))
    return places


def shrinking_warning(missing: Mapping[str, str], *, may_shrink: bool) -> str | None:
    """Return what to say of a release that may shrink; None when it may not."""
    if not may_shrink:
        return None
    count = count_text(len(missing), "recording")
    gone = f"gone from the last release: {count}, {', '.join(map(repr, missing))}" if missing else "nothing is gone"
    return f"release.may_shrink is true: {gone}; set it to false again, or the next loss stops nobody"
