"""Which of YOLO's layouts the rows of a file have: boxes, four ids with a box, corners or points; and what YAML beside them says.

A row of points is ``class cx cy w h``, then three numbers per point, perhaps a confidence and the id of a track. One of corners is the
class, then two numbers per corner, perhaps a confidence. Many rows could be both. ``kpt_shape`` in YAML tells, also the rows of the other
files: points are as many in every row, behind a box inside the image. YAML that names classes without it says corners, as programs need
it for poses, but for rows that are a box with points in it: predictions may lie beside YAML that was written for names alone. Where
nothing tells, rows are taken for both, so that nobody guesses.
"""

from __future__ import annotations

from collections.abc import Collection as Names
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import numpy as np

from scrubin.base import machine, strangers
from scrubin.base.faults import Faults
from scrubin.base.text import csv_text
from scrubin.labels import registry
from scrubin.labels.parse import documents
from scrubin.labels.parse.fields import Where
from scrubin.labels.registry import NAMES_CLASSES

Kind = Literal["corners", "points"]
NEITHER, CORNERS, POINTS = frozenset[Kind](), frozenset[Kind](("corners",)), frozenset[Kind](("points",))
DATA_YAML = "data.yaml"
SHAPE = "kpt_shape"
ABOVE = 3
"""So many folders above that of a file may hold its ``data.yaml``: ``labels/train/<recording>/<frame>.txt``."""
OF_BOX = 5
"""Values of a row in front of the points: the class and the box."""
OF_POINT = 3
FEWEST_WITH_CORNERS = 7
"""Values of a row of segmentation: a class and three corners."""
FEWEST_WITH_POINTS = OF_BOX + OF_POINT
"""Values of a row of a pose: a class, a box, and one point."""
QUADRANGLE = 9
"""Values of a class and four corners, as short outlines mostly are."""
TRACKED = OF_BOX + 2
"""Values of a box that a tracker wrote: behind it stand the confidence and the id of the track."""
LOOKED_AT = 200
"""So many other files are asked where one could be both."""
OUTSIDE = 0.02
"""A box of points, and a corner, leave the image by no more."""
MOST_POINTS = 150
"""More than any pose has."""
FEWEST_TRACED, NEXT, SHARE_TRACED = 8, 0.1, 0.8
"""An outline has so many corners, and so many of them are so near to the next one, as a share of the image."""
DEEPEST = 3
"""What data.yaml says of points are names in a list by class."""
YAML_BYTES = 1 << 20
Row = Sequence[str]


def first_rows(path: Path) -> list[list[str]]:
    """Return the cells of the rows at the beginning of a file, without one that may be cut off."""
    lines = registry.head(path).splitlines()
    whole = lines[:-1] if path.stat().st_size > registry.HEAD_BYTES else lines
    return [line.split() for line in whole or lines if line.strip()]


def is_whole(cell: str) -> bool:
    """Return whether a cell is a whole number from 1 as ids of tracks are written; trackers write corners on an edge as 1, too."""
    return bool(documents.frame_number(cell))


def are_tracked(rows: Iterable[Row]) -> bool:
    """Return whether every row is a box with the id of its track."""
    return all(len(row) == TRACKED and is_whole(row[-1]) for row in rows)


def may_end_in_track(row: Row) -> bool:
    """Return whether what would be the last corner of a row may be a confidence with the id of a track: it is written as one."""
    return len(row) % 2 == 1 and is_whole(row[-1]) and all(csv_text.NUMBER.fullmatch(cell) for cell in row) and _inside([row[:-1]])


def kinds(path: Path) -> frozenset[Kind]:
    """Return whether the rows of a file are corners or points, or could be both; none for any others."""
    rows = [] if registry.only_names_classes(path) else first_rows(path)
    if not rows or not all(_may_be(row) for row in rows):
        return NEITHER
    stated = _shapes(path)
    shapes = stated - {0}
    if any(has_shape(row, numbers) for row in rows for numbers in shapes):
        return POINTS
    # Four ids are whole numbers, corners and boxes hardly ever.
    if are_tracked(rows) or not any(float(cell) % 1 for row in rows for cell in row[1:4]):
        return NEITHER
    if shapes:
        return POINTS
    of_points = {_points(row) for row in rows}
    seen = {float(cell) for row in rows for cell in _visibilities(row)}
    fits = len(of_points) == 1 and of_points != {0} and all(0 <= one <= 1 or one == 2 for one in seen)
    if fits and seen <= {0, 1, 2} and (2 in seen or (1 in seen and min(map(len, rows)) >= FEWEST_WITH_POINTS + 2 * OF_POINT)):
        # A corner can be 0 or 1, too, but not each third number of several.
        return POINTS
    if not (fits and _have_boxes(rows)) or (stated and not all(map(_holds_points, rows))):
        # Ids behind corners are refused where they are read.
        return CORNERS if _inside(rows, OUTSIDE) or (stated and all(map(may_end_in_track, rows))) else NEITHER
    rows += [row for row in registry.of_all(_some_rows) if _may_be(row)]
    return CORNERS if stated and not all(map(_holds_points, rows)) else _told_by(rows)


def _told_by(rows: Sequence[Row]) -> frozenset[Kind]:
    """Return what rows of several files are of which the first ones could be both."""
    if len({_points(row) for row in rows}) > 1 or not _have_boxes(rows) or all(map(_traces, rows)):
        return CORNERS
    return CORNERS | POINTS if _inside(rows, OUTSIDE) else POINTS


def _may_be(row: Row) -> bool:
    return len(row) >= FEWEST_WITH_CORNERS and all(map(csv_text.NUMBER.fullmatch, row))


def _points(row: Row) -> int:
    """Return how many points a row would have; 0 where it cannot have any."""
    count, left = divmod(len(row) - OF_BOX, OF_POINT)
    return count if count <= MOST_POINTS and (left < 2 or is_whole(row[-1])) else 0


def _visibilities(row: Row) -> Row:
    return row[OF_BOX + 2 : OF_BOX + _points(row) * OF_POINT : OF_POINT]


def has_shape(row: Row, numbers: int) -> bool:
    """Return whether a row has points of so many numbers, perhaps with a confidence and the id of a track."""
    further = len(row) - OF_BOX - numbers
    return further in (0, 1) or (further == 2 and is_whole(row[-1]))


def _inside(rows: Iterable[Row], but_for: float = 0.0) -> bool:
    return all(-but_for <= float(cell) <= 1 + but_for for row in rows for cell in row[1:])


def _have_boxes(rows: Iterable[Row]) -> bool:
    """Return whether what would be the boxes of points lie inside the image."""
    places = ([float(cell) for cell in row[1:OF_BOX]] for row in rows)
    return all(
        side > 0 and centre - side / 2 >= -OUTSIDE and centre + side / 2 <= 1 + OUTSIDE
        for x, y, w, h in places
        for centre, side in ((x, w), (y, h))
    )


def _holds_points(row: Row) -> bool:
    """Return whether what would be the box of points holds them, as hardly any outline has it; no quadrangle counts as one point."""
    if len(row) % 2 == 1 and row[1:3] == row[-2:]:  # an outline that is closed
        return False
    x, y, w, h = (float(cell) for cell in row[1:OF_BOX])
    cells = [float(cell) for cell in row[OF_BOX : OF_BOX + _points(row) * OF_POINT]]
    places = [
        (px, py) for px, py, seen in zip(*(cells[at::OF_POINT] for at in range(OF_POINT)), strict=True) if (px, py, seen) != (0, 0, 0)
    ]
    inside = all(abs(px - x) <= w / 2 + OUTSIDE and abs(py - y) <= h / 2 + OUTSIDE for px, py in places)
    return bool(cells) and len(row) != QUADRANGLE and inside


def _traces(row: Row) -> bool:
    """Return whether so many corners lie so close to the next one that they trace an outline: visibilities would lie between places."""
    corners = np.array(row[1 : len(row) - (len(row) + 1) % 2], np.float64).reshape(-1, 2)
    near = np.abs(np.diff(corners, axis=0)).max(axis=1) < NEXT
    return len(corners) >= FEWEST_TRACED and bool(near.mean() > SHARE_TRACED)


def _some_rows(files: Names[Path]) -> list[list[str]]:
    """Return the first rows of the first texts that are looked at and called like frames."""
    texts = (file for file in files if file.suffix.lower() == ".txt" and file.stem[-1:].isdigit())
    rows: list[list[str]] = []
    for file in islice(texts, LOOKED_AT):
        try:
            rows += first_rows(file)
        except OSError:  # said when somebody reads it
            continue
    return rows


def _shapes(path: Path) -> frozenset[int]:
    """Return of how many numbers YAML says the points of a row are, 0 for none: among the files that are looked at, or above this one."""
    stated = registry.of_all(_stated_shapes)
    return stated or _stated_shapes([folder / DATA_YAML for folder in path.parents[: ABOVE + 1]])


def _stated_shapes(files: Names[Path]) -> frozenset[int]:
    stated = (_stated_shape(file) for file in files if file.suffix.lower() in NAMES_CLASSES)
    return frozenset(numbers for numbers in stated if numbers is not None)


def _stated_shape(file: Path) -> int | None:
    """Return of how many numbers a file says points are; None where it says nothing, and 1 where it says so in a way that is none."""
    try:
        text = strangers.read_bytes(file).decode("utf-8-sig", errors="replace") if 0 < file.stat().st_size <= YAML_BYTES else ""
    except OSError:  # there is none, or it is said when somebody reads it
        return None
    return _stated_numbers(str(file), text)


def _stated_numbers(file: str, text: str) -> int | None:
    root = (pairs_of_text(Where(Faults(), file), text) if SHAPE in text or "names" in text else None) or {}
    stated = shape_of(root.get(SHAPE))
    if stated is None:
        return 0 if root.get("names") is not None else None
    return stated[0] * stated[1] or 1


def state_corners(files: Mapping[str, bytes]) -> bool:
    """Return whether YAML among files names classes, and none says how many points an instance has."""
    texts = ((file, data.decode("utf-8-sig", errors="replace")) for file, data in files.items() if file.endswith(NAMES_CLASSES))
    return {_stated_numbers(file, text) for file, text in texts} - {None} == {0}


def shape_of(node: Any) -> tuple[int, int] | None:
    """Return how many points a node says there are, and of how many numbers each; zeros for what says neither, None for no node."""
    if node is None:
        return None
    stated = plain(node)
    numbers = [documents.frame_number(str(one)) for one in stated] if isinstance(stated, list) else []
    count, width = numbers if len(numbers) == 2 else (None, None)
    return (count, width) if count is not None and width in (OF_POINT - 1, OF_POINT) and width is not None else (0, 0)


def pairs_of_text(where: Where, text: str) -> dict[str, Any] | None:
    """Return what a YAML file says by key, as nodes: see `plain`; None after noting why it cannot be read."""
    # Only this one of all files of labels is YAML.
    machine.require_package("yaml", where.file)
    import yaml

    try:
        # Nodes only: no dates or numbers are made of names, and a key that stands twice is seen.
        root = _pairs(yaml.compose(text, Loader=yaml.BaseLoader))
        for key in ("names", "nc", SHAPE, "kpt_names"):
            plain(root.get(key))
        return root
    except (yaml.YAMLError, RecursionError):
        where.error("yaml-syntax", "not YAML", "export it again")
    except KeyError as error:
        where.error("key-repeated", f"the key {error} stands twice", "keep one of them")
    return None


def plain(node: Any, depth: int = DEEPEST) -> Any:
    """Return a node of YAML as text, list or dict of text; None for no node, or one that lies deeper, as in a list that holds itself.

    Raises
    ------
    KeyError
        For a key that stands twice.
    """
    if node is None or not depth:
        return None
    if node.id == "scalar":
        return str(node.value)
    if node.id == "sequence":
        return [plain(one, depth - 1) for one in node.value]
    return {key: plain(one, depth - 1) for key, one in _pairs(node).items()}


def _pairs(node: Any) -> dict[str, Any]:
    value_of: dict[str, Any] = {}
    for key, value in node.value if node is not None and node.id == "mapping" else []:
        if str(key.value) in value_of:
            raise KeyError(str(key.value))
        value_of[str(key.value)] = value
    return value_of


def shape_file(files: Mapping[str, bytes]) -> str | None:
    """Return the first YAML among files that says how many points an instance has; None where none does."""
    for file in sorted(files):
        text = files[file].decode("utf-8-sig", errors="replace") if file.endswith(NAMES_CLASSES) else ""
        if SHAPE in text and (pairs_of_text(Where(Faults(), file), text) or {}).get(SHAPE) is not None:
            return file
    return None
