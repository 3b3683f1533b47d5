"""What the audit asks people: faces or private words in released pictures about which nobody decided; what people answered.

The stage release writes the questions, the page of ``scrubin review`` shows them, and an answer is a line of the ledger. Who says
that something must be hidden draws a span; who says that it may be seen rejects the question, and the next audit lets exactly that pass.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from scrubin.audit.expected.plan import FACE_KIND, TEXT_KIND
from scrubin.audit.expected.withdrawal_memory import Memory
from scrubin.base.errors import ReviewError
from scrubin.base.files import json_text, write_text
from scrubin.base.layout import PRIVATE
from scrubin.base.pixels import Box
from scrubin.stages.review import Line
from scrubin.stages.review.events import ADD, ASKED, REJECT, withdrawn_lines

QUESTIONS_PATH = PRIVATE / "audit_questions.json"

_KEY = re.compile(rf"{ASKED}({FACE_KIND}|{TEXT_KIND}):(\d+)-(\d+):(\d+),(\d+),(\d+),(\d+)(?::(.*))?", re.DOTALL)


@dataclass(frozen=True, order=True)
class Sight:
    """A face or a private word, in a rectangle during some frames of a source file.

    Parameters
    ----------
    kind
        face or text.
    first, last
        Frames of the source, both included.
    box_xywh
        In px of the source as displayed.
    word
        Which private word it is; "" for a face. With `LIKE` before it what was read is only like it.
    """

    kind: str
    first: int
    last: int
    box_xywh: Box
    word: str = ""

    @property
    def key(self) -> str:
        """A name for the ledger and the page, which holds all of it."""
        word = f":{self.word}" if self.kind == TEXT_KIND else ""
        return f"{ASKED}{self.kind}:{self.first}-{self.last}:{','.join(map(str, self.box_xywh))}{word}"

    @classmethod
    def of_key(cls, key: str) -> Sight:
        """Return what a key names.

        Raises
        ------
        ReviewError
            When it is no such key.
        """
        match = _KEY.fullmatch(key)
        if match is None:
            raise ReviewError(f"'{key}' is no question of the audit; use the edition that wrote it")
        kind, first, last, x, y, w, h, word = match.groups()
        return cls(kind, int(first), int(last), (int(x), int(y), int(w), int(h)), word or "")


@dataclass(frozen=True)
class Question:
    """What the audit wants to know of people.

    Parameters
    ----------
    recording, camera, sha256
        The source file, and the hash of its bytes.
    sight
        What was seen there.
    id, released_first, released_last
        The released recording, and the frames of its video in which it was seen first and last.
    first_s, last_s
        Times of these frames, in source seconds from the first frame.
    confidence
        0 to 1, the highest.
    read
        The text as it was read there; None for a face.
    """

    recording: str
    camera: str
    sha256: str
    sight: Sight
    id: str
    released_first: int
    released_last: int
    first_s: float
    last_s: float
    confidence: float
    read: str | None = None


@dataclass(frozen=True, order=True)
class Answer:
    """People saw something in a source file, and nobody need be hidden there."""

    recording: str
    camera: str
    sha256: str
    sight: Sight


def write(questions: Iterable[Question], folder: Path = Path()) -> None:
    """Write the questions of an audit, sorted; none are an empty list."""
    write_text(folder / QUESTIONS_PATH, json_text([asdict(one) for one in sorted(set(questions), key=_order)]))


def load(folder: Path = Path()) -> list[Question]:
    """Return the questions of the last audit; none where there was no audit.

    Raises
    ------
    ReviewError
        When the file cannot be read.
    """
    path = folder / QUESTIONS_PATH
    if not path.is_file():
        return []
    try:
        return [_question(one) for one in json.loads(path.read_text(encoding="utf-8"))]
    except (OSError, ValueError, KeyError, TypeError) as error:
        msg = f"{path}: it does not say what the audit asks ({type(error).__name__}); run: .venv/bin/dvc repro release"
        raise ReviewError(msg) from error


def forget(withdrawn: Memory, folder: Path = Path()) -> bool:
    """Take the questions about those who withdrew out of the file; return whether there were any."""
    questions = load(folder)
    left = [one for one in questions if not _is_theirs(one, withdrawn)]
    if len(left) < len(questions):
        write(left, folder)
    return len(left) < len(questions)


def renamed(questions: Iterable[Question], old: str, new: str) -> str:
    """Return the text of the file when a recording has another name."""
    named = [replace(one, recording=new) if one.recording == old else one for one in questions]
    return json_text([asdict(one) for one in sorted(named, key=_order)])


def let_through(lines: Sequence[Line], reviewers: int) -> list[Answer]:
    """Return what people saw when the audit asked, and said that it may be seen; sorted.

    With one reviewer the latest answer counts. With more, so many people must say so, and nobody the contrary.
    """
    gone = withdrawn_lines(lines)
    said: dict[tuple[str, str, str, str], dict[str, str]] = {}
    for line in lines:
        if line.event == "decided" and line.number not in gone and line.facts["proposal"].startswith(ASKED):
            facts = line.facts
            about = facts["recording"], facts["camera"], facts["sha256"], facts["proposal"]
            said.setdefault(about, {})["" if reviewers == 1 else line.by] = facts["spans"][0]["what"]
    rejected = (about for about, answers in said.items() if is_rejected(answers, reviewers))
    return sorted(Answer(recording, camera, sha256, Sight.of_key(key)) for recording, camera, sha256, key in rejected)


def is_rejected(answers: Mapping[str, str], reviewers: int) -> bool:
    """Whether people's latest answers to one question let it pass."""
    return ADD not in answers.values() and sum(one == REJECT for one in answers.values()) >= reviewers


def _question(value: Mapping[str, Any]) -> Question:
    sight = {**value["sight"], "box_xywh": tuple(value["sight"]["box_xywh"])}
    return Question(**{**value, "sight": Sight(**sight)})


def _is_theirs(one: Question, withdrawn: Memory) -> bool:
    words = withdrawn.in_text(f"{one.sight.word} {one.read or ''}")
    return one.recording in withdrawn or one.id in withdrawn or withdrawn.has("sha256", one.sha256) or bool(words)


def _order(one: Question) -> tuple[Any, ...]:
    return one.recording, one.camera, one.sight, one.read or ""
