"""What a program proposes as labels: predictions of the released videos in any format that is read, on the frames of the page.

A recording is named by its released id, as programs see it; frames and seconds count from the first released frame. Only what the page
labels is proposed: phases, steps and actions as spans, boxes and points as tracks, triplets as sets of sampled frames. Nothing is a label
before somebody takes it.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from scrubin.base.errors import ReviewError
from scrubin.base.faults import hint
from scrubin.base.params import PARAMS_PATH
from scrubin.curate.label.events import Answer, Span
from scrubin.curate.label.params import SECTION, TRACKS, TRIPLETS, LabelParams, ProposalsParams
from scrubin.curate.label.proposed import instants, spans, tracks
from scrubin.curate.label.proposed.clock import Times
from scrubin.labels.files import reader
from scrubin.labels.files.reader import Options, Reading
from scrubin.labels.keyframes import Track
from scrubin.labels.model import Labels
from scrubin.labels.policy import enforce
from scrubin.labels.rates import fits, is_by_frame, is_of_others, stated_otherwise, stated_unasked
from scrubin.labels.registry import format_of


@dataclass(frozen=True)
class Proposal:
    """What a program proposes, in frames of the released video.

    Parameters
    ----------
    key
        Says from which files it comes and how these were read, and which of their proposals it is.
    said
        A span, a track, or the set of a frame, by its layer.
    """

    key: str
    layer: str
    said: Answer


def load(
    folder: Path,
    asked: ProposalsParams,
    p: LabelParams,
    ids: Sequence[str],
    times_s: Callable[[str], Times | None],
    sampled: Callable[[str], Sequence[int]],
) -> dict[str, list[Proposal]]:
    """Return what is proposed for each recording, by released id.

    Parameters
    ----------
    ids
        Of the recordings that are labelled.
    times_s
        Returns the time of every released frame of one and the end of the last; None: nobody knows it, and nothing is proposed.
    sampled
        Returns the released frames of one whose triplets are labelled.

    Raises
    ------
    ReviewError, AnnotationError
        When the files cannot be read, or are of a recording that there is not.
    """
    form = None if asked.format is None else format_of(asked.format)
    reading = reader.read_path(folder / asked.path, form, Options(classes=p.classes, predicted=True))
    enforce("score", reading.faults)
    recordings = _at_rate(reading, asked)
    made = _made(reading, asked, p)
    found: dict[str, list[Proposal]] = {}
    for labels in recordings:
        id_ = labels.recording
        if id_ not in ids:
            fix = hint(id_, ids) if len(ids) < 100 else "name it by its released id"
            raise ReviewError(f"{asked.path}: '{id_}' is no recording that is labelled; {fix}")
        known_s = times_s(id_)
        every = [] if known_s is None else sorted(_of_labels(labels, p, known_s, sampled(id_)), key=_place)
        found[id_] = [_numbered(f"{made}:{at}", f"{made}-{at}", *one) for at, one in enumerate(every)]
    return found


def _made(reading: Reading, asked: ProposalsParams, p: LabelParams) -> str:
    """Return what names these proposals: others are made of the same files where they are read in another way, or for other labels."""
    read_as = (reading.form.name, asked.fps, p.vocabulary, p.every_s, sorted(p.layers))
    digest = hashlib.sha256(repr(read_as).encode())
    for path in sorted(reading.paths):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _at_rate(reading: Reading, asked: ProposalsParams) -> tuple[Labels, ...]:
    """Return what was read, at the rate that is said where no file states how it counts."""
    recordings, clock = reading.collection.recordings, asked.clock
    of_rate, rate_is = f"{PARAMS_PATH.name}: '{SECTION}.proposals.fps'", reading.form.by_hand.rate_is
    if clock is None and rate_is and any(map(is_by_frame, recordings)):
        raise ReviewError(f"{of_rate}: no file of {reading.form.name} states the rate of its frames; say it. {rate_is}")
    if clock is None:
        for stated in filter(None, (stated_unasked(labels, reading.form.by_hand.fps) for labels in recordings)):
            raise ReviewError(f"{of_rate}: {stated}; say it")
        return recordings
    fps = None if clock.period_s is None else 1 / clock.period_s
    for labels in recordings:
        if (stated := stated_otherwise(labels, fps)) and not is_of_others(labels, recordings, fps):
            raise ReviewError(f"{of_rate}: {stated}; {'say one that fits' if is_by_frame(labels) else 'leave it out'}")
    takes = [is_by_frame(labels) or fits(labels, fps) for labels in recordings]
    if not reading.form.by_hand.fps_unstated or not any(takes):
        raise ReviewError(f"{of_rate}: files of {reading.form.name} tell how they count; leave it out")
    return tuple(dataclasses.replace(labels, clock=clock) if of else labels for labels, of in zip(recordings, takes, strict=True))


def _of_labels(labels: Labels, p: LabelParams, times_s: Times, sampled: Sequence[int]) -> Iterator[tuple[str, Answer]]:
    yield from spans.of_labels(labels, p, times_s)
    for layer in TRACKS:
        if layer in p.layers:
            for track in tracks.of_labels(layer, labels, p, times_s):
                yield layer, track
    if TRIPLETS in p.layers:
        for instant in instants.of_labels(labels, p, times_s, sampled):
            yield TRIPLETS, instant


def _place(one: tuple[str, Answer]) -> tuple[int, str, tuple[object, ...]]:
    layer, said = one
    if isinstance(said, Span):
        return said.first, layer, (said.end, said.names)
    return (said.keys[0].frame, layer, said.keys) if isinstance(said, Track) else (said.frame, layer, said.triplets)


def _numbered(key: str, name: str, layer: str, said: Answer) -> Proposal:
    return Proposal(key, layer, dataclasses.replace(said, name=name) if isinstance(said, Track) else said)
