"""What a person says at the page, as the ledger keeps it: in frames of the source, with names as the vocabulary spells them.

It is the way back of `scrubin.curate.label.shown`. What cannot be is refused here, before a line is written; so is what cannot stand beside
what they said already: two labels at once where there is one at a time, a track of two instruments, one proposed span as two labels.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scrubin.base.errors import ReviewError
from scrubin.base.vocabulary.vocabulary import PARTS as OF_TRIPLET
from scrubin.base.vocabulary.vocabulary import Naming
from scrubin.curate.label import events
from scrubin.curate.label.events import Change, Instant, Sheet, Span, Value
from scrubin.curate.label.params import EXCLUSIVE, NAMING, TRACKS, TRIPLETS, LabelParams
from scrubin.curate.label.pictures import Pictures
from scrubin.curate.label.standing import OfPerson
from scrubin.labels.keyframes import KeyFrame, Track
from scrubin.ratings import ScoresParams


@dataclass(frozen=True)
class FromPage:
    """How what is said of one recording is taken.

    Parameters
    ----------
    pictures, task
        Its pictures, and what was done.
    p, scores
        What is labelled; how ratings are made, where they are.
    """

    pictures: Pictures
    task: str
    p: LabelParams
    scores: ScoresParams | None

    def change(self, change: Change) -> Change:
        """Return a change of the page as one of the source.

        Raises
        ------
        ReviewError
            When it cannot be: a layer, a name, a frame, a score.
        """
        if change.layer not in self.p.layers:
            raise ReviewError(f"'{change.layer}' is not labelled here")
        value: Value = change.value
        if isinstance(value, Span):
            value = self.span(change.layer, value)
        elif isinstance(value, Sheet):
            self._refuse_sheet(value)
        if change.layer in TRACKS:
            frame = self.pictures.first + events.frame_in(change.key)
            change = dataclasses.replace(change, key=events.key_of(events.name_in(change.key), frame))
            value = self._keyframe(value) if isinstance(value, KeyFrame) else value
        if change.layer == TRIPLETS:
            change = dataclasses.replace(change, key=str(self.pictures.first + events.instant_in(change.key)))
        if isinstance(value, Instant):
            value = self.instant(change.layer, value)
        return events.checked(dataclasses.replace(change, value=value), self.pictures.frame_count)

    def span(self, layer: str, span: Span) -> Span:
        """Return a span of the page in frames of the source, with names as the vocabulary spells them; raises `ReviewError`."""
        pictures = self.pictures
        shifted = dataclasses.replace(span, first=span.first + pictures.first, end=span.end + pictures.first)
        if not pictures.first <= shifted.first < shifted.end <= pictures.end:
            raise ReviewError(f"a span must lie in the {pictures.end - pictures.first} frames of the video, and end after it starts")
        if events.type_of(layer) is not Span:
            raise ReviewError(_takes(layer))
        return named(layer, shifted, self.p)

    def track(self, layer: str, track: Track) -> Track:
        """Return a track of the page in frames of the source; raises `ReviewError`."""
        if layer not in TRACKS:
            raise ReviewError(_takes(layer))
        keys = (dataclasses.replace(self._keyframe(key), computed=key.computed) for key in track.keys)
        return Track(tuple(keys), track.name)

    def instant(self, layer: str, instant: Instant) -> Instant:
        """Return the set of a frame of the page, by the frame of the source; raises `ReviewError`."""
        frame = instant.frame + self.pictures.first
        if layer != TRIPLETS:
            raise ReviewError(_takes(layer))
        if frame not in self.pictures.sampled:
            msg = f"frame {instant.frame} is none of those that are labelled, which are {self.p.every_s:g} s apart; go to one of them"
            raise ReviewError(msg)
        spans = [named(layer, Span(frame, frame + 1, *names), self.p) for names in instant.triplets]
        triplets = {(span.label, span.verb, span.target) for span in spans}
        if len(triplets) < len(instant.triplets):
            raise ReviewError("one triplet is there twice in a frame; say it once")
        return Instant(frame, tuple(sorted(triplets)))

    def _keyframe(self, key: KeyFrame) -> KeyFrame:
        """Return a key frame of the page in frames of the source; what somebody says is not computed."""
        pictures, classes = self.pictures, self.p.classes
        if not 0 <= key.frame < pictures.end - pictures.first:
            raise ReviewError(f"a key frame must lie in the {pictures.end - pictures.first} frames of the video")
        label = classes.instruments[classes.id_of("instrument", key.label)]
        return dataclasses.replace(key, frame=key.frame + pictures.first, label=label, computed=False)

    def _refuse_sheet(self, sheet: Sheet) -> None:
        scores = self.scores
        if scores is None:
            raise ReviewError("nothing is rated here")
        unknown = [name for name in sheet.scores if name not in scores.aspects]
        unknown += [name for name in sheet.errors if name not in scores.errors.get(self.task, ())]
        off = [name for name, value in sheet.scores.items() if not _is_point(value, scores)]
        if unknown or off:
            raise ReviewError(f"'{[*unknown, *off][0]}' is no aspect or error of this task, or its score is no point of the scale")
        if sheet.failed and sheet.scores:
            raise ReviewError("a failed recording has no scores; take them out, or say that it is not failed")


def resting(changes: Sequence[Change], before: Mapping[tuple[str, str], Any], stands: Mapping[str, Mapping[str, Any]]) -> list[Change]:
    """Return changes of the page as they are upon what stands: of a sheet only what the page changes of it is said.

    Parameters
    ----------
    before
        By layer and key, the value on which a change rests: as `scrubin.curate.label.shown` has it, or as a change has it.
        What has none is said whatever stands.
    stands
        What the page would be shown now.

    Raises
    ------
    ReviewError
        When another page of the same person changed the same meanwhile.
    """
    rested = []
    for one in changes:
        at, now = (one.layer, one.key), stands.get(one.layer, {}).get(one.key)
        # Two pages may say the same.
        if at not in before or _plain(one.value) == _plain(now) or _plain(before[at]) == _plain(now):
            rested.append(one)
        elif isinstance(one.value, Sheet):
            rested.append(dataclasses.replace(one, value=_upon(one.value, before[at], events.sheet_of(now) if now else None)))
        else:
            raise _changed_elsewhere(one.layer)
    return rested


def named(layer: str, span: Span, p: LabelParams) -> Span:
    """Return a span with the names as the vocabulary spells them.

    Raises
    ------
    ReviewError, AnnotationError
        For a name that nobody knows, with the nearest known one.
    """
    classes = p.classes
    if layer == "quality":
        if span.label not in p.quality:
            raise ReviewError(f"'{span.label}' is none of {', '.join(p.quality)}")
        return span
    namings: tuple[Naming, ...] = (NAMING[layer],) if layer in NAMING else OF_TRIPLET
    spelled = []
    for naming, name in zip(namings, (span.label, span.verb, span.target), strict=False):
        if name or naming not in ("verb", "target"):
            spelled.append(classes.names(naming)[classes.id_of(naming, name)])
    return Span(span.first, span.end, *spelled)


def refuse_overlaps(mine: OfPerson, changes: Sequence[Change]) -> None:
    """Raise `ReviewError` where a layer that has one label at a time would have two."""
    for layer in EXCLUSIVE:
        if any(one.layer == layer for one in changes):
            refuse_meeting(layer, [value for value in _items_after(mine, layer, changes).values() if isinstance(value, Span)])


def refuse_two_labels(mine: OfPerson, changes: Sequence[Change]) -> None:
    """Raise `ReviewError` where a track would be of two instruments."""
    for layer in TRACKS:
        touched = {events.name_in(one.key) for one in changes if one.layer == layer}
        label_of: dict[str, str] = {}
        for key, value in _items_after(mine, layer, changes).items() if touched else ():
            name = events.name_in(key)
            if name in touched and isinstance(value, KeyFrame) and label_of.setdefault(name, value.label) != value.label:
                msg = f"{layer}: a track is of one instrument, not of '{label_of[name]}' and '{value.label}'; change all of it at once"
                raise ReviewError(msg)


def refuse_taken_twice(mine: OfPerson, changes: Sequence[Change]) -> None:
    """Raise `ReviewError` where a proposed span would be taken as a second label."""
    proposals = {at: key for at, key in mine.proposals.items() if at[1] in mine.items.get(at[0], {})}
    for one in changes:
        if one.value is None:
            proposals.pop((one.layer, one.key), None)
    for one in changes:
        if not isinstance(one.value, Span) or not one.proposal:
            continue
        if any(key == one.proposal and at != (one.layer, one.key) for at, key in proposals.items()):
            raise ReviewError(f"{one.layer}: '{one.value.label}' is taken already; change the label that it became")
        proposals[one.layer, one.key] = one.proposal


def refuse_meeting(layer: str, spans: Sequence[Span]) -> None:
    """Raise `ReviewError` where two spans are at the same time."""
    ordered = sorted(spans, key=lambda span: (span.first, span.end))
    for one, other in itertools.pairwise(ordered):
        if other.first < one.end:
            raise ReviewError(f"{layer}: '{one.label}' and '{other.label}' are at the same time; end one before the other")


def _upon(said: Sheet, before: Sheet | None, stands: Sheet | None) -> Sheet:
    """Return what stands with what is said otherwise than before."""
    new, old, now = _fields(said), _fields(before), _fields(stands)
    for at in new.keys() | old.keys():
        if new.get(at) == old.get(at):
            continue
        if now.get(at) not in (new.get(at), old.get(at)):
            raise _changed_elsewhere((at[1] or at[0]).replace("_", " "))
        now[at] = new.get(at)
    scores, errors = (
        {name: value for (of, name), value in now.items() if of == kind and value is not None} for kind in ("scores", "errors")
    )
    return Sheet(scores, now["failed", ""], errors, now["remark", ""])


def _fields(sheet: Sheet | None) -> dict[tuple[str, str], Any]:
    """Return what a sheet says, each score and error by itself."""
    one = sheet or Sheet({}, False, {})
    scores = {("scores", name): value for name, value in one.scores.items()}
    return {**scores, **{("errors", name): on for name, on in one.errors.items()}, ("failed", ""): one.failed, ("remark", ""): one.remark}


def _plain(value: Any) -> Any:
    """Return a value as the page is shown it."""
    return json.loads(json.dumps(dataclasses.asdict(value) if isinstance(value, Span | Sheet | KeyFrame | Instant) else value))


def _changed_elsewhere(what: str) -> ReviewError:
    said = "another page of yours changed this after what you see here, so nothing was labelled"
    return ReviewError(f"{what}: {said}; this page shows now what stands: look, and say it again where it is still right")


def _takes(layer: str) -> str:
    return f"{layer}: it takes {events.TAKES[events.type_of(layer)]}"


def _is_point(value: float, scores: ScoresParams) -> bool:
    steps = round((value - scores.lowest) / scores.step)
    return 0 <= steps < scores.points and abs(scores.lowest + steps * scores.step - value) < 1e-6


def _items_after(mine: OfPerson, layer: str, changes: Sequence[Change]) -> dict[str, Value]:
    """Return the items of a layer as they stand after changes."""
    items = dict(mine.items.get(layer, {}))
    for one in changes:
        if one.layer == layer:
            items.pop(one.key, None)
            if one.value is not None:
                items[one.key] = one.value
    return items
