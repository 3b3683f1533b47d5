"""The data dictionary: every table and column, from its declaration."""

from __future__ import annotations

from collections.abc import Mapping

from scrubin.tables.declare import Column, Table
from scrubin.tables.splits import COLUMNS, DELIMITERS

TYPES = {"str": "text", "int64": "whole number", "float64": "number", "bool": "true or false"}


CALIBRATION = """\
## Calibrations of stereo rigs

`calibration/rig_<n>.yaml` is OpenCV's YAML (`cv2.FileStorage` reads it, and every YAML reader that knows the tag `!!opencv-matrix`). 1 is
the left camera, 2 the right one. It is for the videos as they lie here; frames that were made smaller need it made smaller with them, which
`Release(...).rig(id)` and `Release(...).stereo(..., rectified=0.0)` of Scrub-in do.

| key | unit | meaning |
| --- | --- | --- |
| `image_width`, `image_height` | px | size of the pictures; the centre of the first pixel is (0, 0) |
| `unit` | | of `T`: mm, cm or m |
| `convention` | | `X_right = R X_left + t`: a point of the left camera, as the right one has it |
| `distortion_model` | | radial-tangential (4 or 5 numbers), rational (8), thin-prism (12) or tilted (14), in OpenCV's order |
| `date` | | the year of the calibration; missing where nobody wanted to say it |
| `recordings` | | ids of the recordings that were made with this rig |
| `K1`, `K2` | px | camera matrices, 3 x 3 |
| `D1`, `D2` | | distortion of the lenses |
| `R`, `T` | , `unit` | rotation and translation from the left to the right camera |
"""


def text(tables: Mapping[str, Table], *, calibrated: bool = False) -> str:
    """Return the data dictionary as Markdown; ``calibrated``: there are calibrations of stereo rigs."""
    head = (
        "# Data dictionary\n\n"
        "Tables are parquet files in `tables/`. Missing values are null: undefined, never zero. Rows are sorted by the key.\n"
    )
    return "\n".join([head, *(_section(table) for table in tables.values()), _split_files(), *([CALIBRATION] if calibrated else [])])


def _split_files() -> str:
    rows = "\n".join(f"| `splits/{kind}` | `{DELIMITERS[kind]}` | {', '.join(of)} |" for kind, of in COLUMNS.items())
    head = "The table `splits` once more, as CSV. In the files of a task, as LASANA has them, the subset is called split."
    return f"## Files of splits\n\n{head}\n\n| file | between columns | columns |\n| --- | --- | --- |\n{rows}\n"


def _section(table: Table) -> str:
    rows = "\n".join(_row(column) for column in table.columns)
    key = ", ".join(f"`{name}`" for name in table.key)
    return (
        f"## {table.name}\n\n{table.description[0].upper()}{table.description[1:]}. Key: {key}.\n\n"
        f"| column | type | unit | meaning | missing means | allowed |\n| --- | --- | --- | --- | --- | --- |\n{rows}\n"
    )


def _row(column: Column) -> str:
    cells = (f"`{column.name}`", TYPES[column.dtype], column.unit, column.description, column.null or "never missing", _allowed(column))
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _allowed(column: Column) -> str:
    if column.values:
        return ", ".join(column.values)
    if column.between is None:
        return ""
    low, high = column.between
    if high is None:
        return f"at least {low:g}" if low is not None else ""
    return f"at most {high:g}" if low is None else f"{low:g} to {high:g}"
