"""What lies beside labels and surely holds none: notes, settings, logs, the declaration of training data.

In doubt a file may hold labels: without it, the others would be scored as if they were all.
"""

from __future__ import annotations

import re
from collections.abc import Collection as Names
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any

from scrubin.base import csv_text, machine, strangers
from scrubin.base.errors import ScrubinError
from scrubin.labels.choices import DECLARATION
from scrubin.labels.registry import NAMES_CLASSES, document

DATA_SET = ("data.yaml", "data.yml")
MOST_BYTES = 1 << 20
"""Of notes and settings."""
_SAYS_CLASSES = re.compile(r"(?:.*_)?names|class(?:es)?|categor(?:y|ies)|labels?", re.IGNORECASE)
_SPEAKS_OF_CLASSES = re.compile(r".*(?:class|categor|label|instrument|tool|object|names).*", re.IGNORECASE)
"""As ``thing_classes``, ``id2label`` and ``instruments``; in other words of settings, such as ``class_weights``, numbers are no names."""
_CHOICE = "classes"
_OF_LABELS = re.compile(
    r"(?:image|categor|annotation|result|prediction|frame|label|detection|instance|object|shape|track|triplet|phase|step|video|recording"
    r"|class|instrument|mask|box|bbox|polygon|segment|segmentation|key_?point|point|score|mark|criterion|criteria|c[1-9])"
    r"(?:y|s|es|ies)?(?:_?(?:id|name)s?)?",
    re.IGNORECASE,
)
_OF_LOGS = re.compile(r"(?:step|score)s?", re.IGNORECASE)
"""Those of them that a row of a log has, too."""
_OF_ROWS = re.compile(r"counts|rles?|(?:img|file)s?(?:_?(?:id|name|path)s?)?", re.IGNORECASE)
"""What further an object in a list has that is a label."""
_OF_RESULTS = frozenset(("image_id", "category_id", "rle"))
_NO_ROWS = re.compile(r".*(?:anchor|confusion).*", re.IGNORECASE)
"""So settings and metrics call lists of rows of numbers that are no labels."""
FEWEST_VALUES = 4
"""Of a row of labels without names: a box has so many."""
_COMMENT = ("#", "%", "//")
_BETWEEN_CELLS = re.compile(r"[,;\t]")


def is_settings(file: Path) -> bool:
    """Return whether a file is the declaration of training data, or YAML of settings in which nothing can be a list of classes."""
    if file.name == DECLARATION:
        return True
    if file.suffix.lower() not in NAMES_CLASSES or file.name.lower() in DATA_SET:
        return False
    try:
        every = _yaml_of(file) if file.stat().st_size <= MOST_BYTES else []
        return bool(every) and all(isinstance(one, Mapping) and one and not _may_name_classes(one) for one in every)
    except (ScrubinError, OSError, ValueError, RecursionError):  # said when somebody reads it
        return False


def _yaml_of(file: Path) -> list[Any]:
    """Return what the documents of a YAML file say, as text: of tags, numbers and letters of other encodings nothing is made."""
    machine.require_package("yaml", f"reading {file}")
    import yaml

    text = strangers.read_bytes(file).decode("utf-8-sig", errors="replace")
    try:
        strangers.refuse_yaml_bomb(text, file)
        return list(yaml.load_all(text, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader)))
    except yaml.YAMLError as error:
        raise ValueError(file) from error


def _may_name_classes(settings: Mapping[str, Any]) -> bool:
    """Return whether names stand by their numbers, or below a word for classes."""
    by_number = len(settings) > 1 and _is_count(settings.values())
    return by_number or any(map(str.isdecimal, settings)) or "kpt_shape" in settings or _says_classes(settings)


def _says_classes(value: Any) -> bool:
    if isinstance(value, list):
        return any(map(_says_classes, value))
    if not isinstance(value, Mapping):
        return False
    return any(_are_names_of_classes(key, one) or _says_classes(one) for key, one in value.items())


def _are_names_of_classes(key: str, value: Any) -> bool:
    """Return whether a value can be names, also such as are numbers: only of classes there may be a choice by number."""
    if _SPEAKS_OF_CLASSES.fullmatch(key) is None:
        return False
    if isinstance(value, str):
        return len(re.split(r"[,;\s]+", value.strip())) > 1
    if isinstance(value, list):
        is_sure = _SAYS_CLASSES.fullmatch(key) is not None and key.casefold() != _CHOICE
        return is_sure or not all(isinstance(one, str) and _is_number(one) for one in value)
    return _SAYS_CLASSES.fullmatch(key) is not None or all(str(one).isdecimal() for one in value.values()) or any(map(str.isdecimal, value))


def _is_count(values: Names[Any]) -> bool:
    """Return whether values are the numbers from 0 or 1 on, in any order."""
    numbers = sorted(int(text) for one in values if re.fullmatch("[0-9]{1,9}", text := str(one)))
    return bool(numbers) and len(numbers) == len(values) and numbers in (list(range(len(numbers))), list(range(1, len(numbers) + 1)))


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
    """Return whether a text or JSON is notes, settings or a log that names none of the videos, and nothing in it can be a label."""
    try:
        if file.stat().st_size > MOST_BYTES:
            return False
        value = document(file)
        if value is not None:
            return value != {} and not _may_be_labels(value, videos)
        text, _ = csv_text.text_of(file.name, strangers.read_bytes(file))
    except OSError:  # said when somebody reads it
        return False
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:  # nor where it is no text
        return False
    if file.suffix.lower() == ".json" or all(line.startswith("{") for line in lines):
        return _is_log(lines, videos)
    said = [line for line in lines if not line.startswith(_COMMENT)]
    return not any(_names_one(line, videos) for line in lines) and not (said and _may_be_table(said))


def _is_log(lines: Sequence[str], videos: Names[str]) -> bool:
    """Return whether lines are a JSON object each, and none is a row of labels."""
    try:
        rows = [strangers.json_value(line) for line in lines]
    except ValueError:
        return False
    return all(isinstance(row, Mapping) for row in rows) and not _may_be_labels(rows, videos)


def _may_be_labels(value: Any, videos: Names[str]) -> bool:
    """Return whether something in a JSON value has a word of labels, a number or a video for its name, or is rows of a table.

    Below such a word stands more than one value, but in a row of several. Lists of names say what there is.
    """
    if isinstance(value, list):
        return _are_rows(value) or any(_may_be_row_of_labels(one) or _may_be_labels(one, videos) for one in value)
    if not isinstance(value, Mapping) or _are_names(value):
        return False
    kept = {key: one for key, one in value.items() if _NO_ROWS.fullmatch(key) is None or not isinstance(one, list)}
    if not _OF_RESULTS.isdisjoint(value) or isinstance(value.get("counts"), str):
        return True
    if _are_rows([row for one in kept.values() if isinstance(one, list) for row in one]):
        return True
    for key, one in kept.items():
        of_labels = _OF_LABELS.fullmatch(key) is not None and isinstance(one, (list, Mapping)) and bool(one) and not _are_names(one)
        if of_labels or key.isdigit() or _names_one(key, videos) or _may_be_labels(one, videos):
            return True
    return False


def _are_rows(values: Sequence[Any]) -> bool:
    """Return whether some values are lists of the same length, as of a table without names of columns."""
    lengths = [len(one) for one in values if isinstance(one, list)]
    return any(length >= FEWEST_VALUES and lengths.count(length) > 1 for length in set(lengths))


def _may_be_row_of_labels(value: Any) -> bool:
    return isinstance(value, Mapping) and any(_is_of_labels(key) or _OF_ROWS.fullmatch(key) is not None for key in value)


def _is_of_labels(word: str) -> bool:
    return _OF_LABELS.fullmatch(word) is not None and _OF_LOGS.fullmatch(word) is None


def _are_names(value: Any) -> bool:
    """Return whether a JSON value is a list of different names, or such names by their numbers."""
    if isinstance(value, Mapping):
        return _is_count(value.values()) or (_is_count(value) and _are_names(list(value.values())))
    return isinstance(value, list) and all(isinstance(one, str) for one in value) and len(set(value)) == len(value)


def _may_be_table(lines: Sequence[str]) -> bool:
    """Return whether lines are a table of labels: the first one names columns of labels, or else every other one is a row."""
    rows = sum(map(_may_be_row, lines))
    header = [cell.strip(" \"'") for cell in _BETWEEN_CELLS.split(lines[0])]
    if len(header) > 1 and not any(map(_is_number, header)):
        # Names of columns without a row below are a table in which nothing was found.
        return any(map(_is_of_labels, header)) and (rows > 0 or len(lines) == 1)
    return 2 * rows >= len(lines)


def _may_be_row(line: str) -> bool:
    """Return whether a line is mostly numbers, whatever separates them, or has one before the rest; an item of a list ends with a point."""
    for cells in (_BETWEEN_CELLS.split(line), line.split()):
        if 2 * sum(map(_is_number, cells)) > len(cells) or (_is_number(cells[0]) and not cells[0].endswith(".")):
            return True
    return False


def _is_number(cell: str) -> bool:
    try:
        float(cell.strip().strip("\"'[]()"))
    except ValueError:
        return False
    return True
