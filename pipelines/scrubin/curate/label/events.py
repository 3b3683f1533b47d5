"""What happens at the label page, as the ledger keeps it; a line that says anything else is refused whole.

Positions are frames of the source, counted from 0, and spans are half open, so that another trim or redaction moves nothing. Names stand
for themselves: ids of a vocabulary may change, names with the name of their vocabulary may not.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scrubin.base.errors import ReviewError
from scrubin.base.layout import PRIVATE
from scrubin.curate.label.params import LAYERS, TRACKS, TRIPLETS
from scrubin.labels import keyframes
from scrubin.labels.keyframes import KeyFrame, Track
from scrubin.stages.review import Line

LEDGER_PATH = PRIVATE / "label/ledger.jsonl"
LONGEST_KEY = 80
KEY = re.compile(rf"[A-Za-z0-9:_-]{{1,{LONGEST_KEY}}}")
MOST_CHANGES = 4000
"""At once; as many key frames a proposed track may have."""
MOST_TRIPLETS = 50
LATEST_FRAME = 10**9
MOST_POINTS = 10**6
SHEET = "sheet"
"""Key of the one rating that a person gives a recording."""


Triplet = tuple[str, str, str]


@dataclass(frozen=True)
class About:
    """Which pictures an event is about: a camera of a recording, as its source was."""

    recording: str
    camera: str
    source_sha256: str


@dataclass(frozen=True)
class Span:
    """Frames ``[first, end)`` with a label: the name of a phase, a step or a quality; of an action, the instrument.

    Parameters
    ----------
    verb, target
        Of an action; "" where only the instrument is labelled.
    """

    first: int
    end: int
    label: str
    verb: str = ""
    target: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """What it says: of an action with all its parts."""
        return (self.label, self.verb, self.target) if self.verb or self.target else (self.label,)


@dataclass(frozen=True)
class Sheet:
    """What a person says of a whole recording.

    Parameters
    ----------
    scores
        Points by aspect; empty of a failed one.
    errors
        Whether each error of the task occurred.
    remark
        Free text; it stays private.
    """

    scores: Mapping[str, float]
    failed: bool
    errors: Mapping[str, bool]
    remark: str = ""


@dataclass(frozen=True, order=True)
class Instant:
    """All that a person sees in one frame: a set of triplets, sorted; an empty one says that nothing is in view.

    Parameters
    ----------
    triplets
        Instrument, verb and target of each; verb and target are "" where only the instrument is labelled.
    """

    frame: int
    triplets: tuple[Triplet, ...]


Answer = Span | Track | Instant
"""What an adjudicator says, by what the layer has."""
Value = Span | Sheet | KeyFrame | Instant | None


@dataclass(frozen=True)
class Change:
    """One item of a layer as it is from now on; None: it is no more.

    Parameters
    ----------
    proposal
        What a program had proposed there; "" where nothing was.
    changed
        Whether the value is another one than was proposed there.
    """

    layer: str
    key: str
    value: Value
    proposal: str = ""
    changed: bool = False


@dataclass(frozen=True)
class Labelled:
    """Several changes at once: all of them, or none.

    Parameters
    ----------
    vocabulary
        Whose names they are.
    undoes
        Number of the line that they take back; 0: none.
    """

    about: About
    vocabulary: str
    changes: tuple[Change, ...]
    undoes: int = 0


@dataclass(frozen=True)
class Done:
    """Somebody says that their labels of a recording are complete, or that they are not."""

    recording: str
    done: bool


@dataclass(frozen=True)
class Worked:
    """So many seconds somebody worked on a recording."""

    recording: str
    seconds: int


@dataclass(frozen=True)
class Assigned:
    """Who labels what, from now on: numbers of annotators by recording."""

    recordings: Mapping[str, tuple[int, ...]]


@dataclass(frozen=True)
class Settled:
    """What an adjudicator says of the frames ``[first, end)`` of a layer, of which people differ; no span, no track: nothing is there.

    Frames of ``triplets`` that have no instant are not labelled.
    """

    about: About
    vocabulary: str
    layer: str
    first: int
    end: int
    spans: tuple[Span, ...]
    tracks: tuple[Track, ...] = ()
    instants: tuple[Instant, ...] = ()


@dataclass(frozen=True)
class Refused:
    """Somebody does not take what a program proposes, or takes that back.

    Parameters
    ----------
    proposals
        Keys of proposals, or of parts of them.
    undoes
        Number of the line that it takes back; 0: none.
    """

    about: About
    proposals: tuple[str, ...]
    refused: bool
    undoes: int = 0


@dataclass(frozen=True)
class Rewritten:
    """The chain was written anew, because somebody withdrew or a recording was renamed: so many lines are gone, so many changed.

    Parameters
    ----------
    lines, head
        How many the old chain had, and the hash of its last one.
    """

    why: str
    gone: int
    changed: int
    lines: int
    head: str


Event = Labelled | Done | Worked | Assigned | Settled | Refused | Rewritten
NAMES: Mapping[str, type[Any]] = {
    "labelled": Labelled,
    "done": Done,
    "worked": Worked,
    "assigned": Assigned,
    "settled": Settled,
    "refused": Refused,
    "rewritten": Rewritten,
}
TAKES: Mapping[type[Any], str] = {
    Span: "spans of frames",
    Sheet: "scores",
    KeyFrame: "key frames of tracks",
    Instant: "sets of triplets of frames",
}
OF_TYPE = {kind: name for name, kind in NAMES.items()}


def facts(event: Event) -> tuple[str, dict[str, Any]]:
    """Return the name of an event and what a line of the ledger says of it."""
    return OF_TYPE[type(event)], _plain(event)


def read(line: Line) -> Event:
    """Return the event of a line.

    Raises
    ------
    ReviewError
        When it is none that this version knows.
    """
    try:
        return _read(line.event, line.facts)
    except (KeyError, TypeError, ValueError) as error:
        msg = f"line {line.number} of the labels is none that this version knows; it was written by a later one, or by hand"
        raise ReviewError(msg) from error


def checked(change: Change, frame_count: int) -> Change:
    """Return a change whose frames are those of its source.

    Raises
    ------
    ReviewError
        Names what cannot be.
    """
    is_item = KEY.fullmatch(change.key) and (change.layer != "ratings" or change.key == SHEET)
    if change.layer not in LAYERS or not is_item:
        raise ReviewError(f"'{change.layer}' with the key '{change.key[:80]}' is no item of a label page")
    value = change.value
    if isinstance(value, Span) and not 0 <= value.first < value.end <= frame_count:
        msg = f"frames {value.first} to {value.end} are none of the {frame_count} of this recording; give the end after the start"
        raise ReviewError(msg)
    if isinstance(value, KeyFrame | Instant):
        key = str(value.frame) if isinstance(value, Instant) else key_of(name_in(change.key), value.frame)
        if not 0 <= value.frame < frame_count or change.key != key:
            msg = f"frame {value.frame} is none of the {frame_count} of this recording, or not the one that its key '{change.key}' says"
            raise ReviewError(msg)
    kind = type_of(change.layer)
    if value is not None and not isinstance(value, kind):
        raise ReviewError(f"{change.layer}: it takes {TAKES[kind]}")
    return change


def type_of(layer: str) -> type[Any]:
    """Return what values of a layer are."""
    if layer in TRACKS:
        return KeyFrame
    return {"ratings": Sheet, TRIPLETS: Instant}.get(layer, Span)


def key_of(track: str, frame: int) -> str:
    """Return the key of what a track is in a frame: one key frame of a track per frame, whoever writes it."""
    return f"{track}:{frame}"


def name_in(key: str) -> str:
    """Return the track of a key; "" for a key that is none of a track.

    >>> name_in("a1b2:25"), name_in("a1b2")
    ('a1b2', '')
    """
    name, _, frame = key.rpartition(":")
    return name if name and frame.isdecimal() and frame.isascii() else ""


def frame_in(key: str) -> int:
    """Return the frame of a key of a track.

    Raises
    ------
    ReviewError
        When it is none.
    """
    if not name_in(key) or len(key) > LONGEST_KEY:
        raise ReviewError(f"'{key[:LONGEST_KEY]}' is no key of a track; it is the name of the track, a colon, and the frame")
    return int(key.rpartition(":")[2])


def instant_in(key: str) -> int:
    """Return the frame of a key of the layer ``triplets``.

    Raises
    ------
    ReviewError
        When it is none.
    """
    if not key.isdecimal() or not key.isascii() or len(key) > LONGEST_KEY or str(int(key)) != key:
        raise ReviewError(f"'{key[:LONGEST_KEY]}' is no key of {TRIPLETS}; it is the number of the frame")
    return int(key)


def value_of(layer: str, values: Mapping[str, Any]) -> Span | Sheet | KeyFrame | Instant:
    """Return a value of plain values, as its layer takes it; ValueError, KeyError or TypeError for anything else."""
    if layer in TRACKS:
        return keyframe_of(layer, values)
    if layer == TRIPLETS:
        return instant_of(values)
    return sheet_of(values) if layer == "ratings" else span_of(values)


def keyframe_of(layer: str, values: Mapping[str, Any]) -> KeyFrame:
    """Return a key frame of plain values; ValueError, KeyError or TypeError for anything else, as a box that is not in the picture."""
    place = values["place"]
    sides = keyframes.SIDES[layer] if values.get("state", keyframes.SEEN) != keyframes.OUTSIDE else 0
    if not isinstance(place, list | tuple) or len(place) != sides or not all(type(one) in (int, float) for one in place):
        raise ValueError(values)
    if not all(-1 <= one <= 2 for one in place) or (layer == "boxes" and place and not _meets_picture(place)):
        raise ValueError(values)
    if layer == "points" and not all(0 <= one <= 1 for one in place):
        raise ValueError(values)
    key = KeyFrame(**{**values, "place": keyframes.rounded(place)})
    is_state = key.state in ((keyframes.SEEN, keyframes.OUTSIDE) if layer == "boxes" else keyframes.STATES)
    if type(key.frame) is not int or not 0 <= key.frame <= LATEST_FRAME or type(key.computed) is not bool or not is_state:
        raise ValueError(values)
    if not key.label or not isinstance(key.label, str):
        raise ValueError(values)
    return key


def track_of(layer: str, values: Mapping[str, Any]) -> Track:
    """Return a track of plain values; ValueError, KeyError or TypeError for anything else."""
    keys = tuple(keyframe_of(layer, one) for one in values["keys"])
    frames = [key.frame for key in keys]
    name = values["name"]
    if not keys or sorted(set(frames)) != frames or len({key.label for key in keys}) > 1 or keys[0].state == keyframes.OUTSIDE:
        raise ValueError(values)
    if not isinstance(name, str) or not KEY.fullmatch(name) or set(values) != {"keys", "name"}:
        raise ValueError(values)
    return Track(keys, name)


def span_of(values: Mapping[str, Any]) -> Span:
    """Return a span of plain values; ValueError, KeyError or TypeError for anything else."""
    span = Span(**values)
    if not all(type(one) is int and 0 <= one <= LATEST_FRAME for one in (span.first, span.end)) or span.end <= span.first:
        raise ValueError(values)
    if not span.label or not all(isinstance(one, str) for one in (span.label, span.verb, span.target)):
        raise ValueError(values)
    return span


def instant_of(values: Mapping[str, Any]) -> Instant:
    """Return the set of a frame of plain values; ValueError, KeyError or TypeError for anything else, as one triplet twice."""
    frame, stated = values["frame"], values["triplets"]
    if type(frame) is not int or not 0 <= frame <= LATEST_FRAME or set(values) != {"frame", "triplets"}:
        raise ValueError(values)
    if not isinstance(stated, list | tuple) or len(stated) > MOST_TRIPLETS:
        raise ValueError(values)
    triplets = []
    for one in stated:
        if not isinstance(one, list | tuple) or not all(isinstance(part, str) for part in one):
            raise ValueError(values)
        label, verb, target = one
        if not label or bool(verb) != bool(target):
            raise ValueError(values)
        triplets.append((label, verb, target))
    if len(set(triplets)) < len(triplets):
        raise ValueError(values)
    return Instant(frame, tuple(sorted(triplets)))


def sheet_of(values: Mapping[str, Any]) -> Sheet:
    """Return a rating of plain values; ValueError, KeyError or TypeError for anything else."""
    sheet = Sheet(**values)
    numbers = all(type(one) in (int, float) and abs(one) <= MOST_POINTS for one in sheet.scores.values())
    flags = all(type(one) is bool for one in (sheet.failed, *sheet.errors.values()))
    if not numbers or not flags or not isinstance(sheet.remark, str):
        raise ValueError(values)
    return Sheet({name: float(one) for name, one in sheet.scores.items()}, sheet.failed, dict(sheet.errors), sheet.remark)


def _read(name: str, values: Mapping[str, Any]) -> Event:
    if name == "labelled":
        changes = tuple(_change(one) for one in values["changes"])
        return Labelled(About(**values["about"]), str(values["vocabulary"]), changes, int(values["undoes"]))
    if name == "settled":
        spans = tuple(map(span_of, values["spans"]))
        tracks = tuple(track_of(values["layer"], one) for one in values.get("tracks", ()))  # lines of earlier versions have none
        instants = tuple(map(instant_of, values.get("instants", ())))
        own = {key: values[key] for key in ("vocabulary", "layer", "first", "end")}
        return Settled(About(**values["about"]), spans=spans, tracks=tracks, instants=instants, **own)
    if name == "refused":
        proposals = values["proposals"] if "proposals" in values else [values["proposal"]]  # lines of earlier versions name one
        return Refused(About(**values["about"]), tuple(map(str, proposals)), bool(values["refused"]), int(values.get("undoes", 0)))
    if name == "assigned":
        return Assigned({str(recording): tuple(map(int, people)) for recording, people in values["recordings"].items()})
    event: Event = NAMES[name](**values)
    return event


def _change(values: Mapping[str, Any]) -> Change:
    value = values["value"]
    if value is not None:
        value = value_of(values["layer"], value)
    changed = values.get("changed", False) is True  # lines of earlier versions do not say it
    return Change(str(values["layer"]), str(values["key"]), value, str(values["proposal"]), changed)


def _meets_picture(box: Sequence[float]) -> bool:
    """Whether a box has an area, and a part of it lies in the picture; also after rounding."""
    x, y, w, h = keyframes.rounded(box)
    return w > 0 and h > 0 and x < 1 and y < 1 and x + w > 0 and y + h > 0


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return {one.name: _plain(getattr(value, one.name)) for one in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, tuple | list) else value
