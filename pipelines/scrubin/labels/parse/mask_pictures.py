"""Pictures whose pixels are classes, by colour or by grey value, to instances: one per class of a frame, with its mask.

A grey value v is the colour v, v, v. A colour that no legend has is an error: it is a pixel of some class, and nobody knows of which.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import PurePosixPath
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from scrubin.base import machine, pixels
from scrubin.base.errors import AnnotationError, FileError
from scrubin.base.faults import Faults
from scrubin.labels import registry
from scrubin.labels.masks import rle
from scrubin.labels.masks.rle import IntArray
from scrubin.labels.model import IGNORED, MASK, SOURCE_FRAMES, LabelFiles, Labels, Layer, detailed_rows
from scrubin.labels.parse import masks
from scrubin.labels.parse.fields import Where
from scrubin.labels.registry import ByHand, Content

Colour = tuple[int, int, int]
NO_CLASS = -1
NOT_COUNTED = -2
USUALLY_NOT_COUNTED = 255
NAMED = 3
"""So many colours without a class are named."""


@dataclass(frozen=True)
class Legend:
    """What pixels mean.

    Parameters
    ----------
    of_colours
        Id of the class by red, green, blue; `NO_CLASS` for what is of none, such as a border, `NOT_COUNTED` for what nobody is to be
        judged by.
    of_values
        The same by grey value, for pictures of one channel; None where grey is a colour as any other.
    file
        Where it stands; "" for that of a data set.
    parts
        What values of one class tell apart, such as parts of an instrument, which is not kept and is said; "" for nothing.
    """

    of_colours: Mapping[Colour, int]
    of_values: Mapping[int, int] | None = None
    file: str = ""
    parts: str = ""


def of_values(ids: Mapping[int, int], parts: str = "") -> Legend:
    """Return the legend of grey values, which some programs write three times, as red, green and blue."""
    return Legend({(value, value, value): id_ for value, id_ in ids.items()}, parts=parts)


def by_hand(classes: Iterable[str], fps: int, *more: Content, precedence: Literal[1, 2] = 1) -> ByHand:
    """Return how pictures of a data set are read by hand that has the same classes everywhere.

    Parameters
    ----------
    classes
        In the order of their ids.
    fps
        Of the source, by whose frames the pictures are numbered.
    more
        What pictures hold beside instances with boxes and masks.
    precedence
        As of `ByHand`.
    """
    return ByHand(
        vocabulary_of=registry.fixed_classes(tuple(classes)),
        names_vocabulary=True,
        fps=Fraction(fps),
        evidence=registry.named,
        holds=("instances", "boxes", "masks", "empty frames", *more),
        precedence=precedence,
    )


@dataclass
class _Reading:
    """What was read of a recording so far."""

    faults: Faults = field(default_factory=Faults)
    sizes: dict[int, tuple[int, int]] = field(default_factory=dict)
    files: dict[int, str] = field(default_factory=dict)
    rows: list[dict[str, Any]] = field(default_factory=list)
    ignored: dict[int, str] = field(default_factory=dict)


def labels_of(source: LabelFiles, name: str, legend: Legend | Mapping[str, Legend], frames: Mapping[str, int]) -> Labels:
    """Return the classes of a recording's pictures as instances.

    Parameters
    ----------
    name
        Of the format.
    legend
        What pixels mean; by file where a frame may have several pictures, each with its own.
    frames
        The number of the frame by name of the file.

    Raises
    ------
    AnnotationError
        With every fault of all pictures.
    MissingPackageError
        Where nothing can decode pictures.
    """
    machine.require_package("cv2", min(frames))
    reading = _Reading()
    # In order of frames: the first key of what was read is always the smallest.
    for file, frame in sorted(frames.items(), key=lambda one: (one[1], one[0])):
        where = Where(reading.faults, file)
        if frame in reading.files and isinstance(legend, Legend):
            where.error("frame-repeated", f"frame {frame} is also in {reading.files[frame]}", "keep one of them")
            continue
        first = reading.files.setdefault(next(iter(reading.files), frame), file)
        reading.files.setdefault(frame, file)
        picture = _picture(where, source.files[file])
        if picture is None:
            continue
        size = (picture.shape[1], picture.shape[0])
        reading.sizes.setdefault(frame, size)
        expected = reading.sizes[next(iter(reading.sizes))]
        if size != expected:
            what = f"it has {size[0]}x{size[1]} pixels, {first} has {expected[0]}x{expected[1]}"
            where.error("image-size", what, "write the masks of a recording in the size of its frames")
        classes = _classes(where, picture, legend if isinstance(legend, Legend) else legend[file])
        if NOT_COUNTED in classes:
            reading.ignored[frame] = text_of(classes.pop(NOT_COUNTED))
        reading.rows += [{"position": frame, **_instance(id_, runs, size)} for id_, runs in classes.items()]
    AnnotationError.raise_any(reading.faults)
    positions = np.array(sorted(reading.files), np.int64)
    sized = [(frame, *reading.sizes[frame]) for frame in positions.tolist()]
    folder = PurePosixPath(min(frames)).parent.as_posix()
    return Labels(
        source.recording,
        name,
        source.vocabulary,
        SOURCE_FRAMES,
        instances=Layer(folder, positions, detailed_rows(reading.rows, {MASK: "str"})),
        detail="instrument",
        picture_files=reading.files,
        faults=reading.faults.all(),
        frames=with_ignored(pd.DataFrame(sized, columns=["position", "width", "height"]), reading.ignored),
    )


def with_ignored(frames: pd.DataFrame, ignored: Mapping[int, str]) -> pd.DataFrame:
    """Return what is said of frames with the pixels that are not counted, by position; unchanged where all count."""
    if not ignored:
        return frames
    return frames.assign(**{IGNORED: pd.array([ignored.get(position) for position in frames["position"].tolist()], dtype="str")})


def text_of(runs: IntArray) -> str:
    """Return compressed counts; a mask up to the last pixel ends with a run of nothing, which is not written."""
    return rle.text_of_runs(runs if runs[-1] else runs[:-1])


def _picture(where: Where, data: bytes) -> npt.NDArray[np.uint8] | None:
    """Return a picture as it is stored, (height, width) or (height, width, 3); None after noting why it cannot be used."""
    try:
        picture = pixels.stored_png(data, where.file)
    except FileError as error:
        where.error("file-unreadable", error.strerror, "write it again, as PNG of 8 bits per channel")
        return None
    if picture.ndim == 2:
        return picture
    if picture.shape[2] == 4 and (picture[..., 3] != 255).any():
        where.error("mask-form", "it has transparent pixels", "write it without transparency")
        return None
    return picture[..., :3]


def _instance(id_: int, runs: IntArray, size: tuple[int, int]) -> dict[str, Any]:
    return {"instrument_id": id_, **dict(zip("xywh", masks.share_box(runs, size), strict=True)), "score": 1.0, MASK: text_of(runs)}


def _classes(where: Where, picture: npt.NDArray[np.uint8], legend: Legend) -> dict[int, IntArray]:
    """Return the pixels of each class of a picture, by id, as run lengths; notes colours that no legend has."""
    height, width = picture.shape[:2]
    by_value = _runs_by_value(picture)
    unknown: list[tuple[int, int, Colour]] = []
    spans: dict[int, list[IntArray]] = {}
    for value, (starts, ends) in by_value.items():
        colour = (value >> 16, value >> 8 & 255, value & 255)
        is_listed = picture.ndim == 2 and legend.of_values is not None
        id_ = (legend.of_values or {}).get(colour[0]) if is_listed else legend.of_colours.get(colour)
        if id_ is None:
            unknown.append((int((ends - starts).sum()), int(starts[0]), colour))
        elif id_ != NO_CLASS:
            spans.setdefault(id_, []).append(np.stack([starts, ends], axis=1))
    _note_unknown(where, unknown, height, legend, grey=picture.ndim == 2)
    classes = {}
    if legend.parts and any(len(of_colours) > 1 for of_colours in spans.values()):
        where.warning("not-kept", f"not kept: {legend.parts}", "the mask is all of them")
    for id_, of_colours in sorted(spans.items()):
        parts = [np.diff(np.concatenate([[0], of_one.ravel(), [height * width]])) for of_one in of_colours]
        classes[id_] = parts[0] if len(parts) == 1 else rle.union(parts, height * width)
    return classes


def _runs_by_value(picture: npt.NDArray[np.uint8]) -> dict[int, tuple[IntArray, IntArray]]:
    """Return where runs of each colour start and end, half open, pixels column by column; colours as 0xRRGGBB."""
    packed = np.zeros((*picture.shape[:2], 4), np.uint8)
    packed[..., :3] = picture[..., ::-1] if picture.ndim == 3 else picture[..., None]
    values = packed.view("<u4")[..., 0].ravel(order="F")
    starts = np.concatenate([[0], np.flatnonzero(values[1:] != values[:-1]) + 1])
    ends = np.concatenate([starts[1:], [len(values)]])
    of_runs = values[starts]
    return {value: (starts[of_runs == value], ends[of_runs == value]) for value in np.unique(of_runs).tolist()}


def _note_unknown(where: Where, unknown: list[tuple[int, int, Colour]], height: int, legend: Legend, *, grey: bool) -> None:
    if not unknown:
        return
    most = sorted(unknown, key=lambda one: (-one[0], one[1]))
    said = [
        f"{'grey value ' + str(colour[0]) if grey else 'colour ' + ','.join(map(str, colour))}, {count} pixels, the first at "
        f"x {start // height}, y {start % height}"
        for count, start, colour in most[:NAMED]
    ]
    more = f"; and {len(most) - NAMED} more" if len(most) > NAMED else ""
    colours = "1 colour is" if len(most) == 1 else f"{len(most)} colours are"
    what = f"{colours} {f'not in {legend.file}' if legend.file else 'in no legend'}: {'; '.join(said)}{more}"
    fix = "correct the pixels, or add the colour to the legend; many colours come of smoothed edges: write the picture without"
    if legend.file and any(set(colour) == {USUALLY_NOT_COUNTED} for _, _, colour in unknown):
        fix = f"{fix}; where {USUALLY_NOT_COUNTED} is not to be counted, name it 'ignore' there"
    where.error("colour-unknown", what, fix)
