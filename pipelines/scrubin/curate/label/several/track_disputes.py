"""Where people differ in boxes or points, and what stands when nobody has to settle it.

Where enough people have a box of the same label that fits, the mean of their boxes stands: a track with the key frames of all of them.
Where fewer have one, the frame is disputed, whether the other has none, another label, or a box somewhere else; so it is where one says
that a point is hidden and the other that it is seen. Frames that follow each other are one dispute.
A mean is nobody's word: its key frames say that they are computed, unless all said something in this frame.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scrubin.curate.label.events import Settled
from scrubin.curate.label.several import matching, still_said
from scrubin.curate.label.several.disputes import Answered, Dispute, Outcome, runs
from scrubin.curate.label.several.matching import Said
from scrubin.labels.keyframes import HIDDEN, OUTSIDE, SEEN, UNITS, KeyFrame, Track, at_frame, cut, rounded, runs_of

Member = tuple[int, str]
SETTLED = 0
"""Stands for a person where an adjudicator's answer has a track that nobody has."""


@dataclass(frozen=True)
class _Part:
    """Frames ``[first, end)`` of a track that stands, and whose tracks it is of."""

    first: int
    end: int
    members: frozenset[Member]
    keys: tuple[KeyFrame, ...]


def of_layer(
    layer: str, said: Mapping[int, Sequence[Track]], frame_count: int, answered: Sequence[Answered] = (), *, majority: bool
) -> Outcome:
    """Return what stands of a layer of tracks.

    Parameters
    ----------
    said
        Tracks by annotator, of all who were to label it.
    frame_count
        Of the source.
    answered
        What adjudicators said of this layer, in that order; of two that were asked what people say now, the later one counts.
    majority
        Whether more than half are enough; otherwise all must agree.
    """
    needed = len(said) // 2 + 1 if majority else len(said)
    every = matching.said_by(said)
    is_open = np.zeros(frame_count, np.bool_)
    agreed: list[tuple[int, int, tuple[Said, ...]]] = []
    last: dict[tuple[Said, ...], int] = {}
    for stretch in matching.stretches(every, matching.pairs_of(layer, every)):
        for group in matching.groups(stretch):
            if len(group) >= needed:
                is_told = _state_is_told(group, stretch.first, stretch.end, needed)
                is_open[stretch.first : stretch.end] |= ~is_told
                for first, end in ((stretch.first + one, stretch.first + other) for one, other in runs(is_told)):
                    at = last.get(group)
                    if at is not None and agreed[at][1] == first:
                        agreed[at] = (agreed[at][0], end, group)
                    else:
                        last[group] = len(agreed)
                        agreed.append((first, end, group))
            elif not majority or len(said) - len(group) < needed:
                is_open[stretch.first : stretch.end] = True
    by_answer = np.full(frame_count, -1, np.int64)
    for number, one in enumerate(answered):
        first, end = one.seen.first, one.seen.end
        is_seen = still_said.of_tracks(one.seen.tracks, _within(said, first, end), first, end, is_open[first:end])
        by_answer[first:end][is_seen] = number
    still_open, settled = (
        tuple(Dispute(layer, first, end, {}, _within(said, first, end)) for first, end in runs(flags))
        for flags in (is_open & (by_answer < 0), by_answer >= 0)
    )
    parts = [
        _mean(group, first + run_first, first + run_end)
        for first, end, group in agreed
        for run_first, run_end in runs(by_answer[first:end] < 0)
    ]
    for number, one in enumerate(answered):
        parts += _parts(one.settled.tracks, by_answer == number, said)
    return Outcome((), still_open, settled, tuple(_joined(parts)))


def answered(settled: Settled, said: Mapping[int, Sequence[Track]]) -> Answered:
    """Return an answer with the dispute that it settles, of what people say at that time, by annotator."""
    return Answered(settled, Dispute(settled.layer, settled.first, settled.end, {}, _within(said, settled.first, settled.end)))


def _state_is_told(group: Sequence[Said], first: int, end: int, needed: int) -> npt.NDArray[np.bool_]:
    """Return in which frames enough people say of what they all have that it is hidden, or that it is seen, shape (end - first,)."""
    frames = np.arange(first, end)
    hidden = np.zeros(len(frames), np.int64)
    for one in group:
        hidden += one.places.is_hidden[np.searchsorted(one.places.frames, frames)]
    return (hidden >= needed) | (len(group) - hidden >= needed)


def _mean(group: Sequence[Said], first: int, end: int) -> _Part:
    """Return the mean of tracks that fit, with the key frames of all; a key frame that all have is said."""
    spoken = [{key.frame: key for key in one.track.keys if first <= key.frame < end} for one in group]
    keys = []
    for frame in sorted({first, end - 1}.union(*spoken)):
        here = [of.get(frame) or at_frame(one.track, one.places, frame) for of, one in zip(spoken, group, strict=True)]
        # Whole millionths, so that the order of people changes nothing.
        sums = np.sum([[round(side * UNITS) for side in key.place] for key in here], axis=0)
        place = rounded((sums / (len(here) * UNITS)).tolist())
        is_hidden = 2 * sum(key.state == HIDDEN for key in here) > len(here)
        keys.append(KeyFrame(frame, here[0].label, place, HIDDEN if is_hidden else SEEN, computed=any(key.computed for key in here)))
    return _Part(first, end, frozenset(one.member for one in group), tuple(keys))


def _parts(tracks: Iterable[Track], is_here: npt.NDArray[np.bool_], said: Mapping[int, Sequence[Track]]) -> list[_Part]:
    """Return the parts of an adjudicator's answer; where it is somebody's track, that goes on."""
    parts = []
    for track in tracks:
        members = {(person, one.name) for person, of in said.items() for one in of if (one.name, one.label) == (track.name, track.label)}
        for first, end in runs(is_here):
            inside = cut(track, first, end)
            for run_first, run_end in [] if inside is None else runs_of(matching.Said(SETTLED, inside).places.frames):
                part = cut(track, run_first, run_end)
                if part is not None:
                    parts.append(_Part(run_first, run_end, frozenset(members or {(SETTLED, track.name)}), part.keys))
    return parts


def _joined(parts: Sequence[_Part]) -> list[Track]:
    """Return the parts as tracks: one goes on with what is of the same label and of somebody's same track, the most of them first."""
    tracks: list[list[_Part]] = []
    ordered = sorted(parts, key=lambda part: (part.first, part.keys, part.end))
    for _, group in itertools.groupby(ordered, key=lambda part: part.first):
        starting = list(group)
        fitting = [
            (-len(part.members & track[-1].members), -track[-1].end, at, number)
            for at, part in enumerate(starting)
            for number, track in enumerate(tracks)
            if track[-1].end <= part.first and part.members & track[-1].members and track[-1].keys[0].label == part.keys[0].label
        ]
        placed: dict[int, int] = {}
        for _, _, at, number in sorted(fitting):
            if at not in placed and number not in placed.values():
                placed[at] = number
        for at, part in enumerate(starting):
            if at in placed:
                tracks[placed[at]].append(part)
            else:
                tracks.append([part])
    return [Track(tuple(_keys(track)), str(number)) for number, track in enumerate(tracks, start=1)]


def _keys(parts: Sequence[_Part]) -> list[KeyFrame]:
    """Return the key frames of parts in order, with one that says outside where there is a gap."""
    keys = list(parts[0].keys)
    for one, other in itertools.pairwise(parts):
        if one.end < other.first:
            keys.append(KeyFrame(one.end, keys[-1].label, (), OUTSIDE))
        keys += other.keys
    return keys


def _within(said: Mapping[int, Sequence[Track]], first: int, end: int) -> dict[int, tuple[Track, ...]]:
    """Return what each person says of frames, cut to them."""
    meeting = {
        person: [one for one in tracks if one.keys[0].frame < end and first <= one.keys[-1].frame] for person, tracks in said.items()
    }
    inside = {person: [cut(track, first, end) for track in tracks] for person, tracks in meeting.items()}
    return {person: tuple(track for track in tracks if track is not None) for person, tracks in inside.items()}
