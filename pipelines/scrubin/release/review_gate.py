"""Nothing leaves unseen: what the review says is missing, held against ``release.review``."""

from __future__ import annotations

import hashlib
import json
import math
import shlex
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scrubin.core.errors import ReleaseError
from scrubin.core.ranges import count_text
from scrubin.release.params import NoReview, ReleaseParams, ReviewedSample
from scrubin.review.events import HIDES_NOTHING
from scrubin.review.ledger import FIRST, Line

COMMAND = ".venv/bin/scrubin review"
GO_ON = "run `make repro` again"
SHOWN = 50
REVIEW_PATH = Path("data/interim/review.json")
NOBODY = "Nobody was required to look at the recordings before this release. The reason: {why}"
SAMPLE = "Only a sample of {count} of the {all} recordings had to be seen by {people} before this release. The reason: {why}"
SYNTHETIC = "No person is in this synthetic study: a program stands in for those who look at every recording before a release."
EVERYTHING = (
    "Before this release stills of every second of each of the {all} recordings were shown to {people}, and frame by frame both ends of "
    "everything that was proposed to be hidden. That whoever was shown them noticed everything in them is not proven."
)


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
    return f"{COMMAND} --at {shlex.quote(f'{recording}:{time}')}"


def load(folder: Path = Path()) -> dict[str, Any]:
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


def required(review: Mapping[str, Any], params: ReleaseParams) -> set[str]:
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


def missing(review: Mapping[str, Any], params: ReleaseParams) -> list[Missing]:
    """Return what is missing of each recording that must have been seen."""
    wanted = required(review, params)
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


def require_reviewed(review: Mapping[str, Any], params: ReleaseParams, lines: Sequence[Line], today: str) -> None:
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
    expired = [one for one in review["acknowledged"] if one["until"] is not None and one["until"] < max(today, review["latest"][:10])]
    problems += [f"the acknowledgement of {one['subject']} '{one['key']}' ended on {one['until']}; decide again" for one in expired]
    unseen = [f"'{one.recording}': {one.says}; open: {one.command}" for one in missing(review, params)]
    if not unseen and not problems:
        return
    wanted, have = count_text(len(required(review, params)), "recording"), "has" if len(unseen) == 1 else "have"
    count = f"{len(unseen)} of {wanted} {have} not been seen by {people(review)}"
    more = f"\n  and {len(unseen) - SHOWN} more, all of them in reports/index.html" if len(unseen) > SHOWN else ""
    listed = "\n  ".join([*problems, *([f"{count}; open: {COMMAND}"] if unseen else []), *unseen[:SHOWN]])
    later = f"\n  people looked on since this run began, so it may be less by now: {GO_ON}" if len(lines) > review["lines"] else ""
    msg = f"nothing is released before somebody has seen it (release.review):\n  {listed}{more}{later}"
    raise ReleaseError(msg)


def acknowledged(review: Mapping[str, Any], subject: str) -> set[str]:
    """Return the keys that somebody acknowledged."""
    return {one["key"] for one in review["acknowledged"] if one["subject"] == subject}


def people(review: Mapping[str, Any]) -> str:
    """Return how many people must see each recording."""
    return "a person" if review["reviewers"] == 1 else f"{review['reviewers']} people"


def of_released(review: Mapping[str, Any], released: Container[str]) -> dict[str, Any]:
    """Return what a review says of the recordings that are released: others were seen as well, and set aside later."""
    return {**review, "recordings": [one for one in review["recordings"] if one["recording"] in released]}


def sentence(review: Mapping[str, Any], params: ReleaseParams, released: Container[str] | None = None) -> str:
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
    if isinstance(params.review, ReviewedSample):
        return SAMPLE.format(count=len(required(review, params) & kept), all=len(kept), people=people(review), why=params.review.reason)
    return SYNTHETIC if review["synthetic"] else EVERYTHING.format(people=people(review), all=len(kept))


def fixed_texts() -> list[str]:
    """Return what these sentences say in every release, for the audit."""
    return [*(text.format(count="", all="", people="", why="") for text in (NOBODY, SAMPLE, SYNTHETIC, EVERYTHING)), "a person people"]


def warnings(review: Mapping[str, Any], params: ReleaseParams) -> Sequence[str]:
    """Return what the log must say about a release that not everybody has seen."""
    return [] if params.review == "required" else [sentence(review, params)]
