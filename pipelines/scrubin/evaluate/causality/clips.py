"""The videos that programs are tried on: read once, numbered from 0, with a few last bits changed, or with another future."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from scrubin.base import pixels, strangers
from scrubin.base.errors import FileError, MetricsError
from scrubin.base.faults import count_text, error
from scrubin.base.files import FIXED_TIME_S

Picture = npt.NDArray[np.uint8]
PICTURES = (".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff")
VIDEOS = (".mp4", ".mkv", ".avi", ".mov", ".m4v", ".mpg", ".mpeg", ".webm", ".ts", ".wmv")
NUMBER = re.compile(r"(\d+)$")
FEWEST_FRAMES = 3
DISGUISED = 64
"""One of so many values of a picture has its last bit changed."""
FAST_PNG = 1


@dataclass(frozen=True)
class Clip:
    """A video as frames that lie in a folder of ours.

    Parameters
    ----------
    name
        As the user knows it: its path below what was named.
    folder
        ``000000.png`` and so on.
    digests
        Per frame, of the picture before its last bits were changed: equal pictures have equal ones.
    height, width
        In pixels.
    fps
        Frames per second, None where nobody says it.
    """

    name: str
    folder: Path
    digests: tuple[str, ...]
    height: int
    width: int
    fps: Fraction | None

    @property
    def count(self) -> int:
        """Number of frames."""
        return len(self.digests)

    def path(self, frame: int) -> Path:
        """Return the file of a frame."""
        return self.folder / file_name(frame)


def file_name(frame: int) -> str:
    """Return the name of a frame's file.

    >>> file_name(12)
    '000012.png'
    """
    return f"{frame:06d}.png"


def listed(path: Path) -> dict[str, Path]:
    """Return the videos at a path by name: it is a video, a folder of frames, or a folder of either at any depth.

    Raises
    ------
    MetricsError
        When there is none.
    """
    if path.is_file() and path.suffix.lower() in VIDEOS:
        return {path.stem: path}
    if not path.exists():
        raise MetricsError(
            [error(str(path), "videos", "there is no such file or folder", "name a folder of frames, a video, or a folder of these")]
        )
    if path.is_dir() and _pictures(path):
        return {strangers.real(path).name: path}
    inside = sorted(path.rglob("*")) if path.is_dir() else []
    named = {one.relative_to(path).as_posix(): one for one in inside if one.is_dir() and _pictures(one)}
    named |= {one.relative_to(path).with_suffix("").as_posix(): one for one in inside if one.is_file() and one.suffix.lower() in VIDEOS}
    if not named:
        what = f"there are no frames ({', '.join(PICTURES[:3])}) and no videos ({', '.join(VIDEOS[:3])} ...)"
        raise MetricsError([error(str(path), "videos", what, "name a folder of frames, a video, or a folder of these")])
    return dict(sorted(named.items()))


def targets(path: Path) -> list[Path]:
    """Return where a video really lies: itself, and the folder of the files that its frames are links to."""
    linked = [strangers.real(one).parent for one in _pictures(path) if one.is_symlink()] if path.is_dir() else []
    return [strangers.real(path), *([Path(os.path.commonpath(linked))] if linked else [])]


def read(name: str, path: Path, folder: Path, *, most: int | None, fps: Fraction | None, rng: np.random.Generator) -> Clip:
    """Copy the frames of a video to a folder of ours, as PNG.

    Parameters
    ----------
    name, path
        The video.
    folder
        Is made.
    most
        Only so many frames, from the first; None: all.
    fps
        Frames per second as the user says it; None: as the video says it.
    rng
        Chooses which last bits change.

    Raises
    ------
    MetricsError
        When a picture cannot be read, or the video is too short.
    """
    folder.mkdir(parents=True)
    digests: list[str] = []
    shape: tuple[int, ...] = ()
    for picture in _pictures_of(name, path, most):
        shape = shape or picture.shape
        if picture.shape != shape:
            what = f"frame {len(digests)} has {picture.shape[1]} x {picture.shape[0]} pixels, the first one {shape[1]} x {shape[0]}"
            raise MetricsError([error(name, "videos", what, "give frames of one size")])
        digests.append(hashlib.sha256(picture.tobytes()).hexdigest())
        write(folder / file_name(len(digests) - 1), disguised(picture, rng))
    if len(digests) < FEWEST_FRAMES:
        what = f"it has {count_text(len(digests), 'frame')}: too few to change the future of one of them"
        raise MetricsError([error(name, "videos", what, f"take videos of {FEWEST_FRAMES} frames or more")])
    return Clip(name, folder, tuple(digests), shape[0], shape[1], fps or _fps_of(path))


def disguised(picture: Picture, rng: np.random.Generator) -> Picture:
    """Return a picture with a few last bits changed: to the eye and to a network the same, to a list of known bytes unknown."""
    changed = picture.copy()
    flat = changed.reshape(-1)
    flat[rng.integers(0, flat.size, max(1, flat.size // DISGUISED))] ^= 1
    return changed


def write(path: Path, picture: Picture) -> None:
    """Write a picture as PNG, with a time that says nothing."""
    cv2 = _cv2()
    path.write_bytes(cv2.imencode(".png", picture, [cv2.IMWRITE_PNG_COMPRESSION, FAST_PNG])[1].tobytes())
    os.utime(path, (FIXED_TIME_S, FIXED_TIME_S))


def picture_of(path: Path) -> Picture:
    """Return a picture: blue, green, red, shape (height, width, 3).

    Raises
    ------
    MetricsError
        When it cannot be read.
    """
    _cv2()
    try:
        picture = pixels.read_picture(path)
    except FileError as refused:
        raise MetricsError(refused.faults) from refused
    if picture is None:
        raise MetricsError([error(path.name, "videos", "it cannot be read as a picture", "export it again")])
    return np.asarray(picture, np.uint8)


def resized(picture: Picture, height: int, width: int) -> Picture:
    """Return a picture of another size."""
    return picture if picture.shape[:2] == (height, width) else np.asarray(_cv2().resize(picture, (width, height)), np.uint8)


def encoded(frames: Sequence[Path], target: Path, fps: Fraction | None) -> None:
    """Write frames as a video without loss (FFV1 in Matroska), so that equal frames are decoded as equal ones."""
    import av

    with av.open(f"file:{target}", "w", format="matroska") as container:
        stream = container.add_stream("ffv1", rate=fps or Fraction(25))
        stream.pix_fmt = "bgr0"
        for number, path in enumerate(frames):
            picture = picture_of(path)
            if not number:
                stream.height, stream.width = picture.shape[:2]
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="bgr24")))
        container.mux(stream.encode())


def _pictures(folder: Path) -> list[Path]:
    """Return the pictures of a folder in order: by number where they have one."""
    there = [one for one in folder.iterdir() if one.suffix.lower() in PICTURES and one.is_file()]

    def place(path: Path) -> tuple[str, int, str]:
        number = NUMBER.search(path.stem)
        return (path.stem[: number.start()], int(number[1]), path.name) if number else (path.stem, -1, path.name)

    return sorted(there, key=place)


def _pictures_of(name: str, path: Path, most: int | None) -> Iterator[Picture]:
    if path.is_dir():
        for one in _pictures(path)[:most]:
            yield picture_of(one)
        return
    from scrubin.media.decode import decoded
    from scrubin.media.upright import upright

    for number, frame in enumerate(decoded(path, name)):
        if most is not None and number >= most:
            return
        yield upright(frame)


def _fps_of(path: Path) -> Fraction | None:
    if path.is_dir():
        return None
    from scrubin.media.opening import open_video
    from scrubin.media.probe import picture_stream

    with open_video(path) as container:
        rate = picture_stream(container, path.name).average_rate
    return Fraction(rate) if rate else None


def _cv2() -> Any:
    import cv2

    return cv2


FutureKind = Literal["cut", "replaced", "noise", "reversed"]
KINDS: tuple[FutureKind, ...] = get_args(FutureKind)
DOES: dict[FutureKind, str] = {
    "cut": "the video ends before the point",
    "replaced": "another video goes on from the point",
    "noise": "noise from the point on",
    "reversed": "the rest runs backwards from the point",
}
KEEPS_LENGTH: tuple[FutureKind, ...] = ("replaced", "noise", "reversed")
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
    kind: FutureKind | None = None
    point: int = 0
    seed: int = 0

    @property
    def unchanged(self) -> Future:
        """The video as it is."""
        return replace(self, kind=None, point=0, seed=0)


def possible(clips: list[Clip]) -> tuple[FutureKind, ...]:
    """Return the kinds of changes that can be made: only where there is another video can one be replaced."""
    return tuple(kind for kind in KINDS if kind != "replaced" or len(clips) > 1)


def last_point(clip: Clip, kind: FutureKind) -> int:
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
