"""Pictures of classes with a legend: ``<recording>/<frame>.png`` or ``<recording>_<frame>.png``, and ``legend.json`` or ``labels.json``.

The legend is that of EndoVis 2018: a list of ``name``, ``color`` (red, green, blue) and, where pictures of one channel have it as their
grey value, ``classid``. A ``name`` of null is no class, such as a border; the pixels of the name
``ignore``, usually of the grey value 255, are not counted for or against anybody. Pictures may lie in a folder ``labels``, ``masks`` or
``segmentation`` of their recording, and be called ``frame000.png``. A class of a frame is one instance, with its mask and the box around.

Written are pictures with a palette: a program that looks at the values sees the ``classid``, one that looks at colours sees those of PASCAL
VOC. A pixel has one class: of instances that overlap the last one keeps it, and what the others lose is counted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults, error
from scrubin.base.vocabulary import own_categories
from scrubin.base.vocabulary.vocabulary import Vocabulary, fold
from scrubin.labels import registry
from scrubin.labels.masks import png, rle
from scrubin.labels.model import IGNORED, MASK, Collection, LabelFiles, Labels, by_position
from scrubin.labels.parse import columns, documents, fields, mask_pictures, masks
from scrubin.labels.parse.fields import Where
from scrubin.labels.parse.mask_pictures import NO_CLASS, NOT_COUNTED, Legend
from scrubin.labels.registry import ByHand, Output, label_format, writes

NAME = "masks-png"
IGNORE, IGNORED_VALUE = "ignore", 255
"""What names in a legend what is not counted, and the value with which it is written."""
LEAST = 1e-5
"""Shares of an image that differ by less are the same."""
LEGENDS = ("legend.json", "labels.json")
PICTURES = "|".join(fields.OF_NO_RECORDING)
"""Names of folders or beginnings of names that are those of no recording."""
PATTERN = (
    rf"(?:(?:legend|labels)\.json|(?P<recording>(?!(?:{PICTURES})[/_])[^/]+?)(?:/(?:labels|masks|segmentation))?[/_]"
    r"(?:frame_?)?(?P<frame>[0-9]{1,12})\.png)"
)
MASK_FILE = re.compile(rf"(?:.*/)?{PATTERN}")
LEVELS_ABOVE = 4
"""So many folders above a picture its legend may lie."""


def _has_legend(path: Path) -> bool:
    if registry.known_name(path) not in LEGENDS:
        return any(_has_legend(folder / name) for folder in path.parents[:LEVELS_ABOVE] for name in LEGENDS if (folder / name).is_file())
    document = registry.document(path)
    return isinstance(document, list) and bool(document) and isinstance(document[0], Mapping) and {"name", "color"} <= document[0].keys()


def vocabulary_of(files: Mapping[str, bytes]) -> Vocabulary:
    """Return the names of the legend as a vocabulary; they stand where others have instruments.

    Raises
    ------
    AnnotationError
        When there is no legend, or with everything that is wrong with it.
    """
    file, names, _ = _legend(files)
    return own_categories.of_categories(file, {"instrument": names})


def _legend(files: Mapping[str, bytes]) -> tuple[str, list[str], Legend]:
    """Return the file of the legend, the names of its classes by id, and what colours mean; errors as of `vocabulary_of`."""
    faults = Faults()
    found = [file for file in sorted(files) if PurePosixPath(file).name in LEGENDS]
    if len(found) != 1:
        what = f"there are {len(found)} legends, {' and '.join(found)}" if found else "no legend.json says what the colours mean"
        faults.error(found[1] if found else min(files), "legend", what, "put one beside the folders of the recordings")
        AnnotationError.raise_any(faults)
    file, where = found[0], Where(faults, found[0])
    entries = _entries(where, files[file])
    names: list[str] = []
    colours: dict[mask_pictures.Colour, int] = {}
    values: dict[int, int] = {}
    for number, entry in enumerate(entries):
        at, name, value = where.at(f"entry {number}"), entry.get("name"), entry.get("classid")
        colour = _colour(entry.get("color"))
        if name is not None and (not isinstance(name, str) or not name.strip()):
            at.error("legend", f"'name' is {documents.shown(name)}", "name the class, or write null for none")
        elif colour is None or colour in colours:
            what = f"'color' {documents.shown(entry.get('color'))} {'is no colour' if colour is None else 'stands twice'}"
            at.error("legend", what, "give each class its own red, green and blue, 0 to 255")
        elif value is not None and (not fields.is_whole(value) or not 0 <= value <= 255 or value in values):
            at.error("legend", f"'classid' is {documents.shown(value)}", "give each class its own grey value, 0 to 255")
        else:
            id_ = NO_CLASS if name is None else NOT_COUNTED if fold(name) == fold(IGNORE) else len(names)
            colours[colour] = id_
            values |= {} if value is None else {value: id_}
            names += [name.strip()] if name is not None and id_ >= 0 else []
    AnnotationError.raise_any(faults)
    return file, names, Legend(colours, values if len(values) == len(colours) else None, file)


def _entries(where: Where, data: bytes) -> list[Mapping[str, Any]]:
    document = documents.json_value(where.file, data)
    if isinstance(document, list) and document and all(isinstance(entry, Mapping) for entry in document):
        return document
    where.error("legend", "it is no list of classes with name and color", 'write [{"name": "liver", "color": [255, 0, 0]}, ...]')
    return []


def _colour(value: Any) -> mask_pictures.Colour | None:
    is_colour = isinstance(value, list) and len(value) == 3 and all(fields.is_whole(one) and 0 <= one <= 255 for one in value)
    return (value[0], value[1], value[2]) if is_colour else None


@label_format(
    NAME,
    pattern=PATTERN,
    expected="<recording>/<frame>.png or <recording>_<frame>.png, and legend.json with name and color of the classes",
    title="pictures whose colours are classes, with a legend, as EndoVis 2018 has them",
    by_hand=ByHand(
        vocabulary_of=vocabulary_of,
        names_vocabulary=True,
        fps_unstated=True,
        evidence=_has_legend,
        precedence=2,
    ),
)
def read(source: LabelFiles) -> Labels:
    """Return the classes of each picture as instances; raises `AnnotationError` with every fault of legend and pictures."""
    _, _, legend = _legend(source.files)
    found = ((file, MASK_FILE.fullmatch(file)) for file in source.files)
    frames = {file: int(match["frame"]) for file, match in found if match is not None and match["frame"] is not None}
    return mask_pictures.labels_of(source, NAME, legend, frames)


@writes(NAME, holds=("instances", "boxes", "masks", "ignored", "empty frames"), pixels=True, needs=("instrument_id",), only_masks=True)
def write(collection: Collection, out: Output) -> None:
    """Write ``<recording>/<position>.png`` per labelled frame and ``legend.json``; raises `AnnotationError` for too many classes."""
    labelled = [labels for labels in collection.recordings if labels.instances is not None]
    names = columns.one_vocabulary(labelled).instruments
    if len(names) >= IGNORED_VALUE:
        what = f"{len(names)} classes, and a picture has {IGNORED_VALUE - 1} values for classes"
        raise AnnotationError([error("", "classes-form", what, "merge classes, or write COCO")])
    if fold(IGNORE) in map(fold, names):
        what = f"a class is called '{IGNORE}', which a legend says of what is not counted"
        raise AnnotationError([error("", "classes-form", what, "rename the class")])
    palette = colours_of_voc()
    values = [(None, 0), *((name, id_ + 1) for id_, name in enumerate(names)), (IGNORE, IGNORED_VALUE)]
    legend = [{"name": name, "color": palette[value].tolist(), "classid": value} for name, value in values]
    out.files[LEGENDS[0]] = (json.dumps(legend, indent=1, ensure_ascii=False) + "\n").encode()
    for labels in labelled:
        of_frames = {} if labels.frames is None else labels.frames.set_index("position").to_dict("index")
        for position, rows in by_position(labels.instances).items():
            name = f"{labels.recording}/{position:06d}.png"
            match = MASK_FILE.fullmatch(name)
            if match is None or match["recording"] != labels.recording:
                what = f"'{labels.recording}' is what folders of pictures or legends are called"
                raise AnnotationError([error(labels.recording, "file-name", what, "rename the recording")])
            out.files[name] = png.written(_picture(rows, of_frames[position], out), palette)


def _picture(rows: Sequence[Mapping[str, Any]], of_frame: Mapping[Any, Any], out: Output) -> npt.NDArray[np.uint8]:
    """Return the value of each pixel of a frame, (height, width); counts what a picture of classes cannot say."""
    width, height = int(of_frame["width"]), int(of_frame["height"])
    picture = np.zeros((height, width), np.uint8)
    ignored = of_frame.get(IGNORED)
    of_rows = [(row["instrument_id"] + 1, rle.runs_of_text(row[MASK], height, width)) for row in rows]
    # The box of what becomes one instance is that around all of it.
    for row, (_, runs) in zip(rows, of_rows, strict=True):
        around = dict(zip("xywh", masks.share_box(runs, (width, height)), strict=True))
        is_box = all(abs(row[side] - own) <= LEAST for side, own in around.items())
        out.lose("boxes that are not those around the mask", int(not is_box))
    joined = len(rows) - len({value for value, _ in of_rows})
    out.lose("instances that are one with another of their class in the picture", joined, rows_of="instance")
    of_rows += [] if pd.isna(ignored) else [(IGNORED_VALUE, rle.runs_of_text(str(ignored), height, width))]
    taken = 0
    for value, runs in of_rows:
        pixels = rle.picture(runs, height, width)
        below = picture[pixels]
        taken += int(((below != 0) & (below != value)).sum())
        picture[pixels] = value
    out.lose("pixels of an instance below another one", taken)
    return picture


def colours_of_voc() -> npt.NDArray[np.uint8]:
    """Return the colours by which PASCAL VOC shows classes, (256, 3): bits of the value, three by three, from the highest of each.

    >>> colours_of_voc()[[0, 1, 2, 8, 255]].tolist()
    [[0, 0, 0], [128, 0, 0], [0, 128, 0], [64, 0, 0], [224, 224, 192]]
    """
    values = np.arange(IGNORED_VALUE + 1)
    colours = np.zeros((len(values), 3), np.int64)
    for place in range(8):
        colours |= (((values[:, None] >> 3 * place) >> np.arange(3)) & 1) << (7 - place)
    return colours.astype(np.uint8)
