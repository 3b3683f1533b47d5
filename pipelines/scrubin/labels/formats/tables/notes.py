"""``labels.json``: what our tables do not say of a recording.

The rate of its labels and the size of the images; and the names of vocabularies that no data file has.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from scrubin.core.errors import AnnotationError
from scrubin.core.faults import Fault, Faults
from scrubin.labels.model import Labels
from scrubin.labels.parse import documents, fields
from scrubin.labels.parse.where import Where
from scrubin.vocabulary import own_categories, vocabulary
from scrubin.vocabulary.vocabulary import NAMINGS, Vocabulary

NOTES = "labels.json"
HIGHEST_FPS = 1000
IN_TABLE = ("labelled", "detail")
"""What the table ``labelled`` says."""
AGAIN = "write the tables again"


@dataclass(frozen=True)
class Note:
    """What is said of one recording.

    Parameters
    ----------
    fps
        Labels per second.
    vocabulary
        Its name; None where only the rows say it.
    image_size
        Width and height in px; None where they are not known or differ.
    """

    fps: Fraction = Fraction(1)
    vocabulary: str | None = None
    image_size: tuple[int, int] | None = None


@dataclass(frozen=True)
class Notes:
    """The whole file."""

    recordings: Mapping[str, Note] = field(default_factory=dict)
    vocabularies: Mapping[str, Vocabulary] = field(default_factory=dict)


def read(file: str, data: bytes) -> Notes:
    """Return what ``labels.json`` says.

    Raises
    ------
    AnnotationError
        Names recording, key and value of every fault.
    """
    document = documents.json_object(file, data)
    recordings, lists = document.get("recordings"), document.get("vocabularies", {})
    if not isinstance(recordings, Mapping) or not isinstance(lists, Mapping):
        what = "expected objects 'recordings' and 'vocabularies'"
        raise AnnotationError([Fault(file, "value-type", what, AGAIN)])
    faults = Faults()
    notes = {str(id_): _note(Where(faults, file, f"recording '{id_}'"), raw) for id_, raw in recordings.items()}
    vocabularies: dict[str, Vocabulary] = {}
    for name, raw in lists.items():
        try:
            vocabularies[name] = own_categories.of_categories(file, _lists(file, name, raw))
        except AnnotationError as error:
            faults.extend(error.faults)
    AnnotationError.raise_any(faults)
    return Notes(notes, vocabularies)


def _note(where: Where, raw: Any) -> Note:
    if not isinstance(raw, Mapping):
        where.error("value-type", f"expected an object, but got {documents.shown(raw)}", AGAIN)
        return Note()

    def refuse(key: str, expected: str) -> None:
        where.error("value-type", f"'{key}' is {documents.shown(raw[key])}, expected {expected}", AGAIN)

    fps, size = rate(raw.get("fps", "1")), raw.get("image_size")
    if fps is None:
        refuse("fps", f'a rate above 0 and up to {HIGHEST_FPS}, such as "1" or "30000/1001"')
    if not isinstance(raw.get("vocabulary", ""), str):
        refuse("vocabulary", "a name")
    for key in IN_TABLE:
        if key in raw:
            where.error("key-moved", f"'{key}' stands in the table labelled", AGAIN)
    if size is not None and not (_are_whole(size, 2) and min(size) > 0):
        refuse("image_size", "width and height in px")
        size = None
    return Note(fps or Fraction(1), raw.get("vocabulary"), None if size is None else (size[0], size[1]))


def _are_whole(value: Any, count: int) -> bool:
    return isinstance(value, list) and len(value) == count and all(fields.is_whole(one) and abs(one) < fields.LARGEST for one in value)


def rate(value: Any) -> Fraction | None:
    """Return a rate per second above 0, None for anything else."""
    if isinstance(value, bool) or not isinstance(value, (str, int)) or len(str(value)) > documents.LONGEST_INTEGER:
        return None
    try:
        per_second = Fraction(value)
    except (ValueError, ZeroDivisionError):
        return None
    return per_second if 0 < per_second <= HIGHEST_FPS else None


def _lists(file: str, name: str, raw: Any) -> dict[str, list[str]]:
    by_kind = {}
    for kind, names in raw.items() if isinstance(raw, Mapping) else [("", None)]:
        if kind not in (*NAMINGS, "triplet") or not isinstance(names, list) or not all(isinstance(one, str) for one in names):
            place = f"vocabulary '{name}'"
            raise AnnotationError([Fault(file, "vocabulary-form", "expected lists of names by kind", AGAIN, place=place)])
        by_kind[str(kind)] = list(names)
    return by_kind


def written(recordings: tuple[Labels, ...]) -> dict[str, Any]:
    """Return what ``labels.json`` says of recordings."""
    notes: dict[str, Any] = {}
    vocabularies: dict[str, Any] = {}
    for labels in recordings:
        fps = Fraction(1) if labels.clock.period_s is None else 1 / labels.clock.period_s
        note: dict[str, Any] = {"fps": str(fps), "vocabulary": labels.vocabulary.name}
        size = _one_size(labels)
        notes[labels.recording] = note if size is None else {**note, "image_size": size}
        if labels.vocabulary.name not in vocabulary.known():
            vocabularies[labels.vocabulary.name] = own_categories.as_categories(labels.vocabulary)
    return {"recordings": notes, "vocabularies": vocabularies}


def _one_size(labels: Labels) -> list[int] | None:
    frames = labels.frames
    if frames is None or not {"width", "height"} <= set(frames.columns) or not len(frames):
        return None
    sizes = frames[["width", "height"]].drop_duplicates()
    return [int(side) for side in sizes.iloc[0]] if len(sizes) == 1 and sizes.notna().all(axis=None) else None
