"""What stands where an adjudicator has settled, and whose answer that is: to be shown beside what everybody says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scrubin.curate.label.events import Instant, Span
from scrubin.curate.label.several.disputes import Dispute, Outcome, merged, within
from scrubin.labels import keyframes
from scrubin.labels.keyframes import Track


@dataclass(frozen=True)
class Answer:
    """What stands in the frames of a dispute.

    Parameters
    ----------
    people
        Those who said the same there, by number, sorted; none where the answer is the adjudicator's own.
    """

    spans: tuple[Span, ...]
    tracks: tuple[Track, ...]
    instants: tuple[Instant, ...]
    people: tuple[int, ...]


def of_settled(outcome: Outcome, dispute: Dispute) -> Answer:
    """Return what stands in the frames of a dispute that is settled."""
    first, end = dispute.first, dispute.end
    spans = tuple(within(outcome.spans, first, end))
    tracks = tuple(inside for track in outcome.tracks if (inside := keyframes.cut(track, first, end)) is not None)
    instants = tuple(one for one in outcome.instants if first <= one.frame < end)
    stands = merged(spans), _places(tracks), sorted(instants)
    people = tuple(
        person
        for person in sorted({*dispute.said, *dispute.tracks, *dispute.instants})
        if stands
        == (merged(dispute.said.get(person, ())), _places(dispute.tracks.get(person, ())), sorted(dispute.instants.get(person, ())))
    )
    return Answer(spans, tracks, instants, people)


def _places(tracks: Sequence[Track]) -> list[tuple[int, str, tuple[float, ...], bool]]:
    """Return where tracks are, frame by frame: the same also where they are put together otherwise."""
    found = []
    for track in tracks:
        places = keyframes.expanded(track)
        for frame, place, is_hidden in zip(places.frames.tolist(), places.places.tolist(), places.is_hidden.tolist(), strict=True):
            found.append((frame, track.label, keyframes.rounded(place), is_hidden))
    return sorted(found)
