"""Futures: what a video becomes from one frame on. Frames before it stay as they are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from scrubin.causality.clips import Clip, file_name, picture_of, resized, write

Kind = Literal["cut", "replaced", "noise", "reversed"]
KINDS: tuple[Kind, ...] = get_args(Kind)
DOES: dict[Kind, str] = {
    "cut": "the video ends before the point",
    "replaced": "another video goes on from the point",
    "noise": "noise from the point on",
    "reversed": "the rest runs backwards from the point",
}
KEEPS_LENGTH: tuple[Kind, ...] = ("replaced", "noise", "reversed")
NOISE_PICTURES = 8


@dataclass(frozen=True)
class Future:
    """A video whose future is changed.

    Parameters
    ----------
    clip
        Its place in the list of clips.
    kind
        How; None: not at all.
    point
        First frame that is another one, or is not there.
    seed
        Of what is random in it.
    """

    clip: int
    kind: Kind | None = None
    point: int = 0
    seed: int = 0

    @property
    def unchanged(self) -> Future:
        """The video as it is."""
        return replace(self, kind=None, point=0, seed=0)


def possible(clips: list[Clip]) -> tuple[Kind, ...]:
    """Return the kinds of changes that can be made: only where there is another video can one be replaced."""
    return tuple(kind for kind in KINDS if kind != "replaced" or len(clips) > 1)


def last_point(clip: Clip, kind: Kind) -> int:
    """Return the last frame from which a change of this kind changes anything."""
    return clip.count - (2 if kind == "reversed" else 1)


def frames_of(future: Future, clips: list[Clip], folder: Path) -> list[Path]:
    """Return the files of a video's frames with that future.

    Parameters
    ----------
    future
        Which video, what becomes of it.
    clips
        All.
    folder
        Takes pictures that have to be made.
    """
    clip = clips[future.clip]
    own = [clip.path(frame) for frame in range(clip.count)]
    before, after = own[: future.point], own[future.point :]
    rng = np.random.default_rng([future.seed, future.clip, future.point])
    match future.kind:
        case None:
            return own
        case "cut":
            return before
        case "reversed":
            return before + after[::-1]
        case "noise":
            pictures = _noise(clip, folder / f"noise{future.clip}", future.clip)
            return before + [pictures[number] for number in rng.integers(0, NOISE_PICTURES, len(after))]
        case "replaced":
            other = int(rng.choice([number for number in range(len(clips)) if number != future.clip]))
            start = int(rng.integers(0, clips[other].count))
            numbers = [(start + frame) % clips[other].count for frame in range(len(after))]
            return before + [_fitted(clips[other], number, clip, folder / f"size{future.clip}-{other}") for number in numbers]


def first_change(future: Future, clips: list[Clip], frames: list[Path]) -> int:
    """Return the first frame whose picture is another one; the number of frames when none is.

    Around the middle of what is reversed, and where nothing moves, a frame can be the same as before.
    """
    clip = clips[future.clip]
    if future.kind != "reversed":
        return future.point
    turned = [clip.digests[int(path.stem)] for path in frames]
    return next((frame for frame in range(future.point, clip.count) if turned[frame] != clip.digests[frame]), clip.count)


def _noise(clip: Clip, folder: Path, seed: int) -> list[Path]:
    paths = [folder / file_name(number) for number in range(NOISE_PICTURES)]
    if not folder.exists():
        folder.mkdir(parents=True)
        rng = np.random.default_rng([seed, NOISE_PICTURES])
        for number, path in enumerate(paths):
            # Dark and bright ones: what normalises by the darkest or the brightest frame must notice.
            low, high = (0, 32 * (number + 1)) if number % 2 else (255 - 32 * number, 256)
            write(path, rng.integers(low, high, (clip.height, clip.width, 3), np.uint8))
    return paths


def _fitted(other: Clip, frame: int, clip: Clip, folder: Path) -> Path:
    """Return a frame of another video, in the size of this one."""
    if (other.height, other.width) == (clip.height, clip.width):
        return other.path(frame)
    path = folder / file_name(frame)
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        write(path, resized(picture_of(other.path(frame)), clip.height, clip.width))
    return path
