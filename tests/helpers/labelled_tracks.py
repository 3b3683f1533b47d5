"""Tracks as people label them: boxes and points at key frames."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from scrubin.curate.label.events import Change, key_of
from scrubin.labels.keyframes import OUTSIDE, KeyFrame, Track, rounded

FRAMES = 24
LABELS = ("grasper", "hook")


def at(frame: int, *place: float, label: str = "grasper", **more: Any) -> KeyFrame:
    """Return a key frame; without a place the track is outside of the picture."""
    return KeyFrame(frame, label, rounded(place), **(more if place else {"state": OUTSIDE, **more}))


def track(*keys: KeyFrame, name: str = "a") -> Track:
    """Return a track."""
    return Track(keys, name)


def put_key(key: KeyFrame, name: str = "a", layer: str = "boxes") -> Change:
    """Return the change that says a key frame."""
    return Change(layer, key_of(name, key.frame), key)


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
