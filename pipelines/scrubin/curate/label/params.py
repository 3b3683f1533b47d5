"""The section ``label`` of ``params.yaml``: what is labelled, by how many people. No stage depends on it."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Literal, get_args

from scrubin.base import params
from scrubin.base.errors import ParamsError
from scrubin.base.faults import hint
from scrubin.base.params import ranged
from scrubin.base.vocabulary import vocabulary
from scrubin.base.vocabulary.vocabulary import Naming, Vocabulary
from scrubin.labels.model import SOURCE_FRAMES, Clock
from scrubin.stages.annotations.params import RATE

SECTION = "label"
VIDEO = "video"
"""Stands for the frames of the released video."""
ALL = "all"
SpanLayer = Literal["phases", "steps", "actions", "quality"]
TrackLayer = Literal["boxes", "points"]
LayerName = Literal["phases", "steps", "actions", "triplets", "quality", "boxes", "points", "ratings"]
LAYERS: tuple[LayerName, ...] = get_args(LayerName)
EXCLUSIVE: tuple[SpanLayer, ...] = ("phases", "steps")
"""Layers of which a frame has at most one span."""
TRACKS: tuple[TrackLayer, ...] = get_args(TrackLayer)
"""Layers of instruments through time, said at key frames."""
TRIPLETS = "triplets"
"""The layer of sampled frames, each with its set of triplets."""
_NO_PLACE = "nobody would have said which triplet is of which {}, and frames between the sampled ones would have {} without any"
BESIDE_NO_TRIPLETS: dict[str, str] = {
    "actions": "both say what is done, of sampled frames or of all, and where they differ nothing says which counts",
    "boxes": _NO_PLACE.format("box", "boxes"),
    "points": _NO_PLACE.format("point", "points"),
}
"""Layers that cannot stand beside triplets, and why."""
LONGEST_STEP_S = 3600.0
NAMING: dict[str, Naming] = {"phases": "phase", "steps": "step"}


@dataclass(frozen=True)
class ProposalsParams:
    """Predictions of the released videos, which are shown as proposals.

    Parameters
    ----------
    path
        A file or folder, relative to the project.
    format
        Of its files; None: as they look.
    fps
        Frames per second by which files number frames that do not state it, such as ``25`` or ``30000/1001``; ``video``: those of the
        released video. None: as the format is used to.
    """

    path: str
    format: str | None
    fps: str | None = field(default=None, metadata={"added_later": True})

    def __post_init__(self) -> None:
        if self.fps not in (None, VIDEO) and not RATE.fullmatch(str(self.fps)):
            what = f'"{self.fps}" is no rate; write it as "25", "30000/1001" or "{VIDEO}"'
            raise ParamsError(f"params.yaml: '{SECTION}.proposals.fps': {what}")

    @property
    def clock(self) -> Clock | None:
        """What the numbers of frames count; None: what the reader says."""
        if self.fps is None:
            return None
        return SOURCE_FRAMES if self.fps == VIDEO else Clock(1 / Fraction(self.fps))


@dataclass(frozen=True)
class LabelParams:
    """What is labelled on the page of `scrubin label`.

    Parameters
    ----------
    layers
        Which of `LAYERS`.
    vocabulary
        Whose phases, steps, instruments, verbs and targets; any that has what the layers need.
    tasks
        Recordings of which tasks; none: of all.
    annotators
        So many people label each recording, or ``all``.
    overlap
        Share of the recordings that so many label; the others are labelled by one.
    order
        ``mixed``: everybody in an own order; ``listed``: as the released ids are sorted.
    seed
        Of the assignment and the orders.
    settle
        ``third``: where people differ, an adjudicator settles it; ``majority``: what more than half say needs nobody.
    edge_s
        Edges of spans that are so far apart are the same edge, in their middle.
    score_points
        Scores that are more points apart are a disagreement.
    shortest_s
        Shorter phases and steps are warned of.
    quality
        What can be wrong with the picture, as names.
    proposals
        What a program proposes; None: nothing.
    anchors
        By aspect of ``scores.aspects`` and point of the scale, what it means; shown beside the point.
    every_s
        Of the layer ``triplets``: so many seconds of the source are between two labelled frames; 0: every frame is labelled. None
        where that is no layer.
    """

    vocabulary: str
    tasks: tuple[str, ...]
    annotators: str
    quality: tuple[str, ...]
    anchors: dict[str, dict[str, str]]
    proposals: ProposalsParams | None
    layers: tuple[str, ...] = ranged(choices=LAYERS)
    overlap: float = ranged(low=0.0, high=1.0)
    order: str = ranged(choices=("mixed", "listed"))
    seed: int = ranged(low=0)
    settle: str = ranged(choices=("third", "majority"))
    edge_s: float = ranged(low=0.0, high=60.0)
    score_points: float = ranged(low=0.0)
    shortest_s: float = ranged(low=0.0)
    every_s: float | None = field(default=None, metadata={"added_later": True, "low": 0.0, "high": LONGEST_STEP_S})

    def __post_init__(self) -> None:
        if self.vocabulary not in vocabulary.known():
            raise _wrong(vocabulary=f"'{self.vocabulary}' is no vocabulary; {hint(self.vocabulary, _own_names())}")
        if self.annotators != ALL and not (self.annotators.isdecimal() and int(self.annotators) > 0):
            raise _wrong(annotators=f"must be {ALL}, or a whole number above 0 in quotes, but is {self.annotators!r}")
        if not self.layers:
            raise _wrong(layers=f"names none; choose of {', '.join(LAYERS)}")
        for name in self.layers:
            if name in NAMING and not self.classes.names(NAMING[name]):
                raise _wrong(layers=f"'{name}': the vocabulary '{self.vocabulary}' has no {name}")
            if name in ("actions", TRIPLETS) and not self.classes.triplets:
                having = ", ".join(one for one in _own_names() if vocabulary.load(one).triplets)
                raise _wrong(layers=f"'{name}': the vocabulary '{self.vocabulary}' has no triplets; choose one of {having}")
            if name in TRACKS and not self.classes.instruments:
                raise _wrong(layers=f"'{name}': the vocabulary '{self.vocabulary}' has no instruments")
        if "quality" in self.layers and not self.quality:
            raise _wrong(quality="names nothing, but is a layer")
        if TRIPLETS in self.layers:
            beside = [name for name in BESIDE_NO_TRIPLETS if name in self.layers]
            if beside:
                raise _wrong(
                    layers=f"'{TRIPLETS}' cannot stand beside '{beside[0]}': {BESIDE_NO_TRIPLETS[beside[0]]}; choose one of the two"
                )
            if self.every_s is None:
                raise _wrong(every_s=f"is missing, but '{TRIPLETS}' is a layer; give the seconds between two labelled frames, or 0 for all")

    @property
    def classes(self) -> Vocabulary:
        """The vocabulary."""
        return vocabulary.load(self.vocabulary)

    def count(self, people: int) -> int:
        """Return how many of so many people label a recording that several label."""
        return people if self.annotators == ALL else min(people, int(self.annotators))


def load(path: Path = params.PARAMS_PATH) -> LabelParams:
    """Return the section.

    Raises
    ------
    ParamsError
        When it is not there, or faulty.
    """
    if SECTION not in params.read(path):
        raise ParamsError(f"{path}: there is no section '{SECTION}', which says what is labelled; docs/label.md has one to copy")
    return params.load(SECTION, LabelParams, path)


def _own_names() -> list[str]:
    """Return the names of vocabularies to choose of, each once: labels are written with that of the lists, not with an alias."""
    return [name for name in vocabulary.known() if name not in vocabulary.SAME_LISTS]


def _wrong(**said: str) -> ParamsError:
    """Return the error of the parameter that is named, with what is wrong with it."""
    ((key, what),) = said.items()
    return ParamsError(f"params.yaml: '{SECTION}.{key}' {what}")
