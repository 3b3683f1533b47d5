"""What follows from what was seen: private words, faces are findings, all other text is listed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

from scrubin.audit.findings import Fault, Text
from scrubin.audit.pictures.looks import Counts, Looked, Sighting
from scrubin.audit.plan import FACE_KIND, LIKE, Answered, Rejected
from scrubin.audit.private_strings import Needle, Private
from scrubin.audit.search import Search
from scrubin.base.pixels import shared_px
from scrubin.media.networks.misreadings import WordFinder

NOT_READ = ("sha256",)
TEXT_RULE, FACE_RULE = "picture-text", "picture-face"
FACE = "it shows a face; hide it in 'scrubin review', or answer there that nobody can be recognised, and run 'make repro' again"


@dataclass(frozen=True)
class TextRead:
    """A text that is no finding: how often it was read, and where first."""

    text: str
    count: int
    first: str

    def __str__(self) -> str:
        """Return one line for people."""
        return f"'{self.text}' ({self.first}{f', and {self.count - 1} more times' if self.count > 1 else ''})"


@dataclass(frozen=True)
class Unanswered:
    """A sighting that stops the release: in which file, and which private word it is, "" for a face."""

    file: str
    sighting: Sighting
    word: str = ""


class Judge:
    """Judges what was seen in all pictures of a release.

    Parameters
    ----------
    private
        What must not be shown.
    """

    def __init__(self, private: Private) -> None:
        # Words are searched as in any text, and as a reader may have misread them.
        self._search = Search(private, 0)
        self._by_text = {needle.text: needle for needle in reversed(private.needles) if _is_readable(needle)}
        self._finder = WordFinder(self._by_text)
        self._texts: dict[str, tuple[int, str]] = {}
        self.counts = Counts()
        self.faces = self.faces_let_through = self.texts_let_through = 0
        self.unanswered: list[Unanswered] = []
        self.looked: dict[str, Looked] = {}

    def faults(
        self, name: str, looked: Looked, rejected: Sequence[Rejected] = (), answered: Sequence[Answered] = ()
    ) -> list[tuple[str, Fault]]:
        """Return what may not be shown, each with the file or extracted frame that shows it.

        Parameters
        ----------
        name
            Of the file that was looked at, relative to the release.
        looked
            What was seen in it.
        rejected
            What people saw and did not want hidden.
        answered
            What the audit asked about before, and people said that it may be seen.
        """
        self.counts += looked.counts
        self.looked[name] = looked
        faults = []
        for one in looked.sightings:
            around = [span for span in rejected if _covers(span, one)]
            words = {span.word for span in answered if _is_about(span, one)}
            of_one = self._of_face(name, one, around, words) if one.text is None else self._of_text(name, one, one.text, around, words)
            faults += [(one.still or name, fault) for fault in of_one]
        return faults

    def texts(self) -> list[TextRead]:
        """Return every text that was read and is no finding, the most frequent first."""
        ordered = sorted(self._texts.items(), key=lambda item: (-item[1][0], item[0]))
        return [TextRead(text, count, first) for text, (count, first) in ordered]

    def as_json(self) -> dict[str, Any]:
        """Return what was looked at, and the texts that were read, as JSON values."""
        return {
            **vars(self.counts),
            "faces": self.faces,
            "faces_let_through": self.faces_let_through,
            "texts_let_through": self.texts_let_through,
            "text_read": [vars(one) for one in self.texts()],
        }

    def _of_face(self, name: str, face: Sighting, rejected: Iterable[Rejected], answered: AbstractSet[str]) -> list[Fault]:
        self.faces += 1
        if answered or any(span.about_people for span in rejected):
            self.faces_let_through += 1
            return []
        self.unanswered.append(Unanswered(name, face))
        return [Fault(FACE_RULE, f"{_place(face)} (confidence {face.confidence:.2f})", FACE)]

    def _of_text(self, name: str, line: Sighting, text: str, rejected: Iterable[Rejected], answered: AbstractSet[str]) -> list[Fault]:
        exact = self._search.in_text(Text("", text))
        misread: set[Needle] = set()
        # As it stands it is private whatever anybody decided elsewhere; what is only like it is judged by those who saw it.
        if not any(span.about_text for span in rejected):
            misread = {self._by_text[word] for word in self._finder.hits(self._without_public(text))}
        words = {needle: needle.text if needle in exact else f"{LIKE}{needle.text}" for needle in _one_each(exact, misread)}
        # Who saw the word itself in this place has also seen what is like it.
        left = [needle for needle in words if not {words[needle], needle.text} & answered]
        if words:
            self.texts_let_through += not left
        else:
            count, first = self._texts.get(text, (0, f"{line.still or name}, {_place(line)}"))
            self._texts[text] = (count + 1, first)
        self.unanswered += [Unanswered(name, line, words[needle]) for needle in left]
        return [Fault(TEXT_RULE, f"{_place(line)}, read as {text!r}", needle.shown) for needle in left]

    def _without_public(self, text: str) -> str:
        """Return a text without the words that are public by themselves."""
        return " ".join(word for word in text.split() if not self._search.is_public(word))


def _is_readable(needle: Needle) -> bool:
    return needle.rule in ("anywhere", "digits", "token") and needle.discloses not in NOT_READ


def _one_each(exact: set[Needle], misread: set[Needle]) -> list[Needle]:
    """Return one needle for everything that a line tells: the longest that stands there, else the longest that is like it."""
    best: dict[str, Needle] = {}
    for needle in [*sorted(misread, key=_length), *sorted(exact, key=_length)]:
        best[needle.discloses] = needle
    return sorted(best.values())


def _length(needle: Needle) -> tuple[int, str]:
    return len(needle.text), needle.text


def _covers(span: Rejected, one: Sighting) -> bool:
    around = span.box_xywh is None or shared_px(span.box_xywh, one.box_xywh) > 0
    return span.start_s <= one.time_s < span.end_s and around


def _is_about(span: Answered, one: Sighting) -> bool:
    """Whether a sighting is what people were asked about: the same kind, in one of the same frames, and in the same place."""
    same_kind = (span.kind == FACE_KIND) == (one.text is None)
    return same_kind and span.first <= one.frame <= span.last and shared_px(span.box_xywh, one.box_xywh) > 0


def _place(one: Sighting) -> str:
    x, y, w, h = one.box_xywh
    return f"{'' if one.still else f'frame {one.frame} '}at {x},{y},{w},{h}".strip()
