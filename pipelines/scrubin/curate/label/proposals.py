"""What a program proposes as labels: predictions of the released videos in any format that is read, as spans of frames.

A recording is named by its released id, as programs see it; frames and seconds count from the first released frame. Only what the page
labels is proposed: phases, steps, and actions, also as runs of frames. Nothing is a label before somebody takes it.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from scrubin.base.errors import ReviewError
from scrubin.base.faults import hint
from scrubin.base.vocabulary.vocabulary import PARTS, Naming
from scrubin.curate.label.events import Span
from scrubin.curate.label.params import LabelParams, ProposalsParams
from scrubin.labels import instance_spans
from scrubin.labels.files import reader
from scrubin.labels.files.reader import Options
from scrubin.labels.model import Clock, Labels, Layer
from scrubin.labels.policy import enforce
from scrubin.labels.registry import format_of

LAYER_OF: Mapping[str, str] = {"phase": "phases", "step": "steps"}
SAME_S = 1e-6
"""Times of labels and of frames may be written with other roundings."""
Times = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Proposal:
    """A span that a program proposes, in frames of the released video.

    Parameters
    ----------
    key
        Says from which files it comes, and which of their spans it is.
    """

    key: str
    layer: str
    span: Span


def load(
    folder: Path, asked: ProposalsParams, p: LabelParams, ids: Sequence[str], times_s: Callable[[str], Times]
) -> dict[str, list[Proposal]]:
    """Return what is proposed for each recording, by released id.

    Parameters
    ----------
    ids
        Of the recordings that are labelled.
    times_s
        Returns the time of every released frame of one and the end of the last.

    Raises
    ------
    ReviewError, AnnotationError
        When the files cannot be read, or are of a recording that there is not.
    """
    form = None if asked.format is None else format_of(asked.format)
    reading = reader.read_path(folder / asked.path, form, Options(classes=p.classes))
    enforce("score", reading.faults)
    digest = hashlib.sha256()
    for path in sorted(reading.paths):
        digest.update(path.read_bytes())
    found: dict[str, list[Proposal]] = {}
    for labels in reading.collection.recordings:
        if labels.recording not in ids:
            fix = hint(labels.recording, ids) if len(ids) < 100 else "name it by its released id"
            msg = f"{asked.path}: '{labels.recording}' is no recording that is labelled; {fix}"
            raise ReviewError(msg)
        spans = sorted(_spans(labels, p, times_s(labels.recording)), key=lambda one: (one[1].first, one[0], one[1].end, one[1].names))
        found[labels.recording] = [Proposal(f"{digest.hexdigest()[:12]}:{at}", *one) for at, one in enumerate(spans)]
    return found


def _spans(labels: Labels, p: LabelParams, times_s: Times) -> Iterator[tuple[str, Span]]:
    if labels.phases is not None and "phases" in p.layers:
        for start, end, id_ in _runs(labels.phases):
            yield from _placed("phases", labels.clock, (start, end), _named(labels, p, {"phase": id_}), times_s)
    for kind, start, end, id_ in () if labels.segments is None else labels.segments.itertuples(index=False):
        layer = LAYER_OF.get(kind, "")
        if layer in p.layers and not (layer == "phases" and labels.phases is not None):
            yield from _placed(layer, labels.segments_clock or labels.clock, (start, end), _named(labels, p, {kind: id_}), times_s)
    if "actions" not in p.layers:
        return
    actions = labels.spans if labels.spans is not None else None if labels.instances is None else instance_spans.of_layer(labels.instances)
    for row in [] if actions is None else actions.to_dict("records"):
        ids = {part: int(row[f"{part}_id"]) for part in PARTS if row[f"{part}_id"] == row[f"{part}_id"]}
        if "instrument" in ids:
            yield from _placed("actions", labels.clock, (int(row["start"]), int(row["end"])), _named(labels, p, ids), times_s)


def _runs(layer: Layer) -> Iterator[tuple[int, int, int]]:
    """Yield first position, end and phase of each run of labelled positions that follow each other."""
    positions, ids = layer.rows["position"].tolist(), layer.rows["phase_id"].tolist()
    step = int(np.diff(positions).min()) if len(positions) > 1 else 1
    breaks = [0, *(at for at in range(1, len(ids)) if ids[at] != ids[at - 1] or positions[at] - positions[at - 1] != step), len(ids)]
    for first, end in itertools.pairwise(breaks):
        yield positions[first], positions[end - 1] + step, int(ids[first])


def _named(labels: Labels, p: LabelParams, ids: Mapping[Naming, int]) -> list[str]:
    """Return names as the vocabulary of the page spells them."""
    names = {naming: labels.vocabulary.names(naming)[id_] for naming, id_ in ids.items()}
    return [p.classes.names(naming)[p.classes.id_of(naming, name)] for naming, name in names.items()]


def _placed(layer: str, clock: Clock, edges: tuple[int, int], names: Sequence[str], times_s: Times) -> Iterator[tuple[str, Span]]:
    count = len(times_s) - 1
    if clock.period_s is None:
        first, end = edges
    else:
        first, end = (int(np.searchsorted(times_s[:-1], float(edge * clock.period_s) - SAME_S)) for edge in edges)
    first, end = max(first, 0), min(end, count)
    if first < end:
        yield layer, Span(first, end, *names)
