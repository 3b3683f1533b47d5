"""Pictures of classes with a legend: ``<recording>/<frame>.png`` or ``<recording>_<frame>.png``, and ``legend.json`` or ``labels.json``.

The legend is that of EndoVis 2018: a list of ``name``, ``color`` (red, green, blue) and, where pictures of one channel have it as their
grey value, ``classid``. A ``name`` of null is no class, such as a border; the pixels of the name
``ignore``, usually of the grey value 255, are not counted for or against anybody. Pictures may lie in a folder ``labels``, ``masks`` or
``segmentation`` of their recording, and be called ``frame000.png``. A class of a frame is one instance, with its mask and the box around.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults
from scrubin.base.vocabulary import own_categories
from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.labels import registry
from scrubin.labels.model import LabelFiles, Labels
from scrubin.labels.parse import documents, fields, mask_pictures
from scrubin.labels.parse.fields import Where
from scrubin.labels.parse.mask_pictures import NO_CLASS, NOT_COUNTED, Legend
from scrubin.labels.registry import ByHand, label_format

NAME = "masks-png"
IGNORE = "ignore"
"""Names in a legend what is not counted."""
LEGENDS = ("legend.json", "labels.json")
PICTURES = r"labels|masks|segmentation|images|img_dir|frames|left_frames|right_frames|rgb|frame|image|img|mask"
"""Names of folders or beginnings of names that are those of no recording."""
PATTERN = (
    rf"(?:(?:legend|labels)\.json|(?P<recording>(?!(?:{PICTURES})[/_])[^/]+?)(?:/(?:labels|masks|segmentation))?[/_]"
    r"(?:frame_?)?(?P<frame>[0-9]{1,12})\.png)"
)
MASK_FILE = re.compile(rf"(?:.*/)?{PATTERN}")
LEVELS_ABOVE = 4
"""So many folders above a picture its legend may lie."""


def _has_legend(path: Path) -> bool:
    if path.name not in LEGENDS:
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
            id_ = NO_CLASS if name is None else NOT_COUNTED if name.strip().casefold() == IGNORE else len(names)
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
    title="pictures whose colours are classes, with a legend, as EndoVis 2018 has them; read only",
    by_hand=ByHand(
        vocabulary_of=vocabulary_of,
        names_vocabulary=True,
        fps_unstated=True,
        evidence=_has_legend,
        holds=("instances", "boxes", "masks", "ignored", "empty frames"),
        precedence=2,
    ),
)
def read(source: LabelFiles) -> Labels:
    """Return the classes of each picture as instances; raises `AnnotationError` with every fault of legend and pictures."""
    _, _, legend = _legend(source.files)
    found = ((file, MASK_FILE.fullmatch(file)) for file in source.files)
    frames = {file: int(match["frame"]) for file, match in found if match is not None and match["frame"] is not None}
    return mask_pictures.labels_of(source, NAME, legend, frames)
