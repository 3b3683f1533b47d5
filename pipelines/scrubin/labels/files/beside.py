"""What lies beside predictions that somebody handed in and surely holds no labels: notes, settings, the declaration of training data.

In doubt a file may hold labels: without it, the others would be scored as if they were all.
"""

from __future__ import annotations

import re
from collections.abc import Collection as Names
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any

from scrubin.base import csv_text, strangers
from scrubin.base.errors import ScrubinError
from scrubin.labels.choices import DECLARATION
from scrubin.labels.registry import NAMES_CLASSES, document

DATA_SET = ("data.yaml", "data.yml")
MOST_BYTES = 1 << 20
"""Of notes and settings."""
MOST_VALUES = 8
"""Of a list of settings; one with more may have a value per frame."""
_SAYS_CLASSES = re.compile(r"names|class_?names?|class(?:es)?|categor(?:y|ies)|labels?|nc|kpt_.*", re.IGNORECASE)
_OF_LABELS = re.compile(
    r"(?:image|categor|annotation|result|prediction|frame|label|detection|instance|object|shape|track|triplet|phase|step|video|recording"
    r"|class|instrument|mask|box|bbox|polygon|segment|segmentation|key_?point|point|score|mark|criterion|criteria|c[1-9]|[0-9]+)"
    r"(?:y|s|es|ies)?(?:_?(?:id|name)s?)?",
    re.IGNORECASE,
)
_BETWEEN_CELLS = re.compile(r"[,;\t]")


def is_settings(file: Path) -> bool:
    """Return whether a file is the declaration of training data, or YAML of settings in which nothing can be a list of classes."""
    if file.name == DECLARATION:
        return True
    if file.suffix.lower() not in NAMES_CLASSES or file.name.lower() in DATA_SET:
        return False
    try:
        value = strangers.read_yaml(file)
    except (ScrubinError, OSError, ValueError):  # said when somebody reads it
        return False
    return isinstance(value, Mapping) and bool(value) and not _may_name_classes(value)


def _may_name_classes(value: Any) -> bool:
    if isinstance(value, list):
        return any(isinstance(one, str) or _may_name_classes(one) for one in value)
    if not isinstance(value, Mapping):
        return False
    counts = sorted(one for one in value.values() if isinstance(one, int) and not isinstance(one, bool))
    if counts and len(counts) == len(value) and counts in (list(range(len(counts))), list(range(1, len(counts) + 1))):
        return True  # names by their numbers
    return any(_says_classes(str(key).strip(), one) or _may_name_classes(one) for key, one in value.items())


def _says_classes(key: str, value: Any) -> bool:
    # A training of ultralytics notes that it had no choice of classes.
    return key.isdigit() or (_SAYS_CLASSES.fullmatch(key) is not None and (key != "classes" or value is not None))


def is_of_video(file: PurePath, folder: Path, videos: Names[str]) -> bool:
    """Return whether a file below a folder is named like a video, also in its folders, or lies beside what describes a sequence."""
    inside = folder / file
    if any((place / "seqinfo.ini").exists() for place in (inside.parent, inside.with_suffix(""))):
        return True
    return _names_one(file.with_suffix("").as_posix(), videos)


def _names_one(text: str, videos: Names[str]) -> bool:
    folded = text.casefold()
    return any(
        (video := one.casefold()) in folded and re.search(rf"(?<![^\W_]){re.escape(video)}(?![^\W_])", folded) is not None for one in videos
    )


def holds_no_labels(file: Path, videos: Names[str]) -> bool:
    """Return whether a text or JSON is notes or settings that name none of the videos, and nothing in it can be a label."""
    try:
        if file.stat().st_size > MOST_BYTES:
            return False
        if file.suffix.lower() == ".json":
            return _is_settings_json(document(file), videos)
        text, faults = csv_text.text_of(file.name, strangers.read_bytes(file))
    except OSError:  # said when somebody reads it
        return False
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if faults or not lines or any(_may_be_row(line) or _names_one(line, videos) for line in lines):
        return False
    # Names of columns without a row below are a table in which nothing was found.
    return len(lines) > 1 or _BETWEEN_CELLS.search(lines[0]) is None


def _may_be_row(line: str) -> bool:
    """Return whether numbers stand in a line as in a table, whatever separates them, or a number before the rest."""
    for cells in (_BETWEEN_CELLS.split(line), line.split()):
        numbers = sum(map(_is_number, cells))
        if numbers and (_is_number(cells[0]) or 2 * numbers >= len(cells)):
            return True
    return False


def _is_number(cell: str) -> bool:
    try:
        float(cell.strip().strip("\"'[]()"))
    except ValueError:
        return False
    return True


def _is_settings_json(value: Any, videos: Names[str], *, inside: bool = False) -> bool:
    """Return whether a JSON value is names with values, or with names with values, none of which is a word of labels or a video."""
    if not isinstance(value, Mapping) or not value:
        return False
    if any(_OF_LABELS.fullmatch(key) or _names_one(key, videos) for key in value):
        return False
    return all(
        (not inside and _is_settings_json(one, videos, inside=True)) if isinstance(one, Mapping) and one else _is_plain(one)
        for one in value.values()
    )


def _is_plain(value: Any) -> bool:
    values = value if isinstance(value, list) else [value]
    return len(values) <= MOST_VALUES and not any(isinstance(one, (list, Mapping)) for one in values)
