"""Spans and tracks as people label them: phases, and boxes and points at key frames."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

from hypothesis import strategies as st

from scrubin.curate.label.events import Change, Span, key_of
from scrubin.labels.keyframes import OUTSIDE, KeyFrame, Track, expanded, rounded

FRAMES = 24
LABELS = ("grasper", "hook")
PHASES = ("preparation", "clipping", "packaging")


def at(frame: int, *place: float, label: str = "grasper", **more: Any) -> KeyFrame:
    """Return a key frame; without a place the track is outside of the picture."""
    return KeyFrame(frame, label, rounded(place), **(more if place else {"state": OUTSIDE, **more}))


def track(*keys: KeyFrame, name: str = "a") -> Track:
    """Return a track."""
    return Track(keys, name)


def put_key(key: KeyFrame, name: str = "a", layer: str = "boxes") -> Change:
    """Return the change that says a key frame."""
    return Change(layer, key_of(name, key.frame), key)


def keyed(*rows: Any, layer: str = "boxes") -> dict[str, Any]:
    """Return what a file of 500 frames says of key frames: track, frame, label and place."""
    place = "box" if layer == "boxes" else "at"
    listed = [{"track": number, "frame": frame, "label": label, place: list(sides)} for number, frame, label, *sides in rows]
    listed = [{**one, "point": "tip"} if layer == "points" else one for one in listed]
    return {"frames": 500, "interpolation": "linear", layer: listed}


places_of = functools.lru_cache(maxsize=4096)(expanded)
"""The places of a track in all of its frames: who counts frame by frame asks for them again and again."""


def labels_at(said: Iterable[Span], frame: int) -> frozenset[str]:
    """Return what is said of a frame."""
    return frozenset(span.label for span in said if span.first <= frame < span.end)


def frames_of(found: Iterable[Any]) -> set[int]:
    """Return the frames of disputes, each of which is in one."""
    frames = [frame for one in found for frame in range(one.first, one.end)]
    assert len(frames) == len(set(frames))
    return set(frames)


@st.composite
def phases(draw: st.DrawFn, frames: int = FRAMES, most: int = 6) -> list[Span]:
    """Spans of one person, one label at a time, with gaps."""
    edges = sorted(draw(st.sets(st.integers(0, frames), max_size=most)))
    labels = [draw(st.sampled_from((None, *PHASES))) for _ in edges]
    return [Span(first, end, label) for first, end, label in zip(edges, edges[1:], labels, strict=False) if label]


shares = st.integers(0, 80).map(lambda share: share / 100)


@st.composite
def boxes(draw: st.DrawFn) -> tuple[float, ...]:
    """A box in the picture, of few places, so that many of them fit."""
    x, y = draw(st.sampled_from((0.1, 0.2, 0.3, 0.7))), draw(st.sampled_from((0.1, 0.15, 0.6)))
    return x, y, draw(st.sampled_from((0.2, 0.25, 0.3))), draw(st.sampled_from((0.2, 0.3)))


@st.composite
def tracks(draw: st.DrawFn, most: int = 3) -> list[Track]:
    """The tracks of one person."""
    found = []
    for name in "abc"[: draw(st.integers(0, most))]:
        label = draw(st.sampled_from(LABELS))
        frames = sorted(draw(st.sets(st.integers(0, FRAMES - 1), min_size=1, max_size=4)))
        keys = [at(frame, *draw(boxes()), label=label) for frame in frames]
        is_outside = [place > 0 and draw(st.integers(0, 4)) == 0 for place in range(len(keys))]
        keys = [at(key.frame, label=label) if gone else key for key, gone in zip(keys, is_outside, strict=True)]
        found.append(track(*keys, name=name))
    return found
