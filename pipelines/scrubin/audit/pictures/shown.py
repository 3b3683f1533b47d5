"""What all pictures of a release show: what follows from a private word, a face or other text in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import cv2
import numpy as np

from scrubin.audit.containers import archives
from scrubin.audit.expected import Fault, Text, media_types
from scrubin.audit.expected.plan import FACE_KIND, LIKE, Answered, Rejected, VideoPlan
from scrubin.audit.expected.private_strings import Needle, Private
from scrubin.audit.expected.search import Search
from scrubin.audit.pictures.eyes import NETWORKS
from scrubin.audit.pictures.looks import EVERY_FRAME_RULE, RULE, Counts, Looked, Picture, Sampling, Sighting, is_power, look_at
from scrubin.audit.pictures.signs import Scenes
from scrubin.audit.pictures.stills import decoded
from scrubin.base.faults import count_text
from scrubin.base.pixels import shared_px
from scrubin.media.networks import weights
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


EVERY = 10
"""Beside the first ones of each scene, every so manieth picture of a folder or archive is looked at."""
SMALL_PX = (64, 36)


class PictureFiles:
    """Looks at pictures, folder by folder, each folder as if it were a video.

    Parameters
    ----------
    sampling
        As of ``looks.Looks``.
    """

    def __init__(self, sampling: Sampling) -> None:
        self._sampling = sampling
        self._folders: dict[str, tuple[Scenes, list[int]]] = {}

    def looked(self, path: Path, name: str) -> Looked:
        """Return what is seen in a picture, or in the pictures of an archive; nothing in any other file.

        A picture that cannot be decoded is not looked at: its reader says that it is damaged.
        """
        sightings: list[Sighting] = []
        count = 0
        for member, data in _pictures(path, name) if self._sampling != "none" else ():
            picture = decoded(data)
            if picture is not None and self._is_worth_it(str(PurePosixPath(member).parent), picture):
                sightings += look_at(picture, member)
                count += 1
        return Looked(tuple(sightings), Counts(faces_looked_for=count, read=count))

    def _is_worth_it(self, folder: str, picture: Picture) -> bool:
        scenes, seen = self._folders.setdefault(folder, (Scenes(), [0]))
        luma, red, blue = cv2.split(cv2.cvtColor(cv2.resize(picture, SMALL_PX), cv2.COLOR_BGR2YCrCb).astype(np.uint8, copy=False))
        count = scenes.count(luma.astype(np.uint8), blue.astype(np.uint8), red.astype(np.uint8))
        seen[0] += 1
        return self._sampling == "every" or is_power(count, 2) or seen[0] % EVERY == 0


def _pictures(path: Path, name: str) -> Iterator[tuple[str, bytes]]:
    if path.suffix.lower() in media_types.IMAGE_SUFFIXES:
        yield name, path.read_bytes()
    elif path.suffix.lower() == ".tar":
        with path.open("rb") as file:
            try:
                members = [*archives.members(file)]
            except ValueError:  # the reader of archives says what is wrong with it
                return
            for member in members:
                if PurePosixPath(member.name).suffix.lower() in media_types.IMAGE_SUFFIXES:
                    yield f"{name}/{member.name}", archives.read_member(file, member)


RULES = {"sampled": RULE, "every": EVERY_FRAME_RULE, "none": "no picture"}


class Pictures:
    """Looks at the pictures of one release and judges what they show.

    Parameters
    ----------
    private
        What must not be shown.
    sampling
        Which pictures are looked at: ``sampled``, ``every`` or ``none``.

    Raises
    ------
    StageError
        When a network that looks is missing or holds other bytes: nothing seen would look like nothing there.
    """

    def __init__(self, private: Private, sampling: Sampling = "sampled") -> None:
        self.sampling: Sampling = sampling
        for name in NETWORKS if sampling != "none" else ():
            weights.weights(name)
        self._files = PictureFiles(sampling)
        self.judge = Judge(private)

    def of_file(self, path: Path, name: str) -> list[tuple[str, Fault]]:
        """Return what a picture, or an archive of pictures, shows and may not, with the file or member that shows it."""
        return self.judge.faults(name, self._files.looked(path, name))

    def of_video(self, name: str, looked: Looked, plan: VideoPlan | None) -> list[tuple[str, Fault]]:
        """Return what a video shows and may not, with the file or extracted frame that shows it."""
        return self.judge.faults(name, looked, plan.rejected, plan.answered) if plan else self.judge.faults(name, looked)

    def as_json(self) -> dict[str, Any]:
        """Return what was looked at, by which rule, and the text that is no finding, as JSON values."""
        return {"sampling": self.sampling, "rule": RULES[self.sampling], **self.judge.as_json()}

    def counts(self) -> dict[str, Any]:
        """Return the same without the texts, of which only the number."""
        return {**self.as_json(), "text_read": len(self.judge.texts())}

    def _private(self) -> str:
        """Return how many private texts people let through; "" for none, as nearly always."""
        count = self.judge.texts_let_through
        return f"{count_text(count, 'text')} like a private word let through by people, " if count else ""

    def sentence(self) -> str:
        """Return in one line what was looked at."""
        if self.sampling == "none":
            return "no picture was looked at for text or faces"
        counts = self.judge.counts
        parts = count_text(counts.parts_read, "part")
        return (
            f"{count_text(counts.faces_looked_for, 'picture')} looked at for faces, {counts.read:,} of them read, and {parts} of others; "
            f"{count_text(self.judge.faces, 'face')} seen ({self.judge.faces_let_through:,} let through by people), {self._private()}"
            f"{count_text(len(self.judge.texts()), 'text')} that {'is' if len(self.judge.texts()) == 1 else 'are'} no finding"
        )
