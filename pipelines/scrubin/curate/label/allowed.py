"""What cannot stand beside what a person said already: two labels at once where there is one at a time, a track of two instruments.

Nor is one proposed span two labels.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from scrubin.base.errors import ReviewError
from scrubin.curate.label import events
from scrubin.curate.label.events import Change, Span, Value
from scrubin.curate.label.params import EXCLUSIVE, TRACKS
from scrubin.curate.label.standing import OfPerson
from scrubin.labels.keyframes import KeyFrame


def refuse_overlaps(mine: OfPerson, changes: Sequence[Change]) -> None:
    """Raise `ReviewError` where a layer that has one label at a time would have two."""
    for layer in EXCLUSIVE:
        if any(one.layer == layer for one in changes):
            refuse_meeting(layer, [value for value in _after(mine, layer, changes).values() if isinstance(value, Span)])


def refuse_two_labels(mine: OfPerson, changes: Sequence[Change]) -> None:
    """Raise `ReviewError` where a track would be of two instruments."""
    for layer in TRACKS:
        touched = {events.name_in(one.key) for one in changes if one.layer == layer}
        label_of: dict[str, str] = {}
        for key, value in _after(mine, layer, changes).items() if touched else ():
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


def _after(mine: OfPerson, layer: str, changes: Sequence[Change]) -> dict[str, Value]:
    """Return the items of a layer as they stand after changes."""
    items = dict(mine.items.get(layer, {}))
    for one in changes:
        if one.layer == layer:
            items.pop(one.key, None)
            if one.value is not None:
                items[one.key] = one.value
    return items


def refuse_meeting(layer: str, spans: Sequence[Span]) -> None:
    """Raise `ReviewError` where two spans are at the same time."""
    ordered = sorted(spans, key=lambda span: (span.first, span.end))
    for one, other in itertools.pairwise(ordered):
        if other.first < one.end:
            raise ReviewError(f"{layer}: '{one.label}' and '{other.label}' are at the same time; end one before the other")
