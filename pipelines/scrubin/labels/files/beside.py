"""What lies beside labels and is known to be none: prose, settings, metrics, a log, the declaration of training data.

In doubt a file holds labels: without it, the others would be scored as if they were all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection as Names
from collections.abc import Iterable, Mapping, Sequence
from math import inf
from pathlib import Path, PurePath
from typing import Any

from scrubin.base import csv_text, machine, strangers
from scrubin.base.errors import ScrubinError
from scrubin.labels.choices import DECLARATION
from scrubin.labels.registry import NAMES_CLASSES, document

DATA_SET = ("data.yaml", "data.yml")
MOST_BYTES = 1 << 20
"""Of notes and settings."""
MOST_VALUES = 8
"""Of a list of numbers in settings."""
FEWEST_WORDS = 3
"""Of a line of prose: one or two may be a class."""
_OF_READER = ("names", "kpt_shape", "kpt_names")
"""What the readers take from YAML to name classes and points, beside it ``nc``, by which they only count these."""
_SPEAKS_OF_CLASSES = re.compile(r".*(?:class|categor|label|instrument|tool|object|names).*", re.IGNORECASE)
"""As ``thing_classes``, ``id2label`` and ``instruments``; in other words of settings, such as ``class_weights``, numbers are no names."""
_STANDS_FOR_ROW = re.compile(r"[0-9].*|.*\.(?:png|jpe?g|bmp|tiff?|webp|mp4)|image_id|category_id|counts|rle", re.IGNORECASE)
"""A key of JSON that numbers or names what is labelled, or is of a result of COCO."""
_COUNTS_RUNS = frozenset(("epoch", "iter", "iteration"))
_MEASURES = frozenset(("loss", "lr", "acc", "accuracy"))
"""A log has words of both; a step can be one of an operation."""
_COMMENT = ("#", "%", "//")
_BETWEEN_CELLS = re.compile(r"[,;\t]")
_ITEM = re.compile(r"^(?:[-*]|[0-9]{1,3}[.)])\s+(?=\S)")
_NUMBER_OR_TIME = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[-+]?[0-9]+)?|nan|inf|[0-9]+(?::[0-9]+)+(?:[.,][0-9]+)?", re.IGNORECASE)
_NUMBERED = re.compile(r"\D*[0-9]+(?:\.[A-Za-z]+)?")
"""As ``frame_000001.png``."""


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
    """Return whether a reader would take something, names stand by their numbers, or what may be a list below a word for classes."""
    by_number = any(map(str.isdecimal, settings)) or (len(settings) > 1 and _is_count(settings.values()))
    return by_number or any(key in settings for key in _OF_READER) or _lists_classes(settings)


def _lists_classes(value: Any) -> bool:
    if isinstance(value, list):
        return any(map(_lists_classes, value))
    return isinstance(value, Mapping) and any(
        _lists_classes(one) or (_SPEAKS_OF_CLASSES.fullmatch(key) is not None and _may_be_list(one)) for key, one in value.items()
    )


def _may_be_list(value: Any) -> bool:
    """Return whether a value can be names: of numbers alone it is a choice, or weights."""
    if isinstance(value, list):
        return not all(isinstance(one, str) and _is_number(one) for one in value)
    return isinstance(value, Mapping) or re.search(r"[,;\n]", str(value).strip()) is not None


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
    """Return whether a text or JSON that no format claims is prose, settings, metrics or a log, and names none of the videos."""
    try:
        if file.stat().st_size > MOST_BYTES:
            return False
        value = document(file)
        text, _ = csv_text.text_of(file.name, strangers.read_bytes(file))
    except OSError:  # said when somebody reads it
        return False
    if value is not None:
        is_none = bool(value) and _alone(value) >= 0 if isinstance(value, Mapping) else isinstance(value, list) and _are_logged(value)
        return is_none and not _names_one(json.dumps(value, ensure_ascii=False), videos)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines or _names_one("\n".join(lines), videos):  # no line, too, where it is no text
        return False
    if file.suffix.lower() == ".json" or lines[0].startswith("{"):
        return _is_log_of_json(lines)
    return _is_prose_or_log([line for line in lines if not line.startswith(_COMMENT)])


def _alone(value: Any) -> float:
    """Return how many more values of JSON stand alone than numbers in lists, curves aside; minus infinity where something may be rows.

    Settings and metrics say more than the sizes and weights that they list, and list few.
    """
    if isinstance(value, Mapping):
        if _is_count(value) and _are_names(list(value.values())):
            return len(value)  # names by their numbers
        alike = len(value) - len({re.sub("[0-9]+", "0", key) for key in value})
        if alike > 1 or any(map(_STANDS_FOR_ROW.fullmatch, value)):
            return -inf
        return sum(_alone(one) for key, one in value.items() if not _is_curve(key, one))
    if not isinstance(value, list):
        return 1
    if _are_names(value):
        return 0
    if any(isinstance(one, (list, Mapping)) for one in value):
        return 0 if _are_logged(value) else -inf
    return -len(value) if len(value) <= MOST_VALUES and not any(isinstance(one, str) for one in value) else -inf


def _are_names(values: Sequence[Any]) -> bool:
    return all(isinstance(one, str) for one in values) and len(set(values)) == len(values)


def _is_curve(key: str, value: Any) -> bool:
    return isinstance(value, list) and not _MEASURES.isdisjoint(_words(key)) and all(isinstance(one, (int, float)) for one in value)


def _is_log_of_json(lines: Iterable[str]) -> bool:
    try:
        return _are_logged([strangers.json_value(line) for line in lines])
    except ValueError:
        return False


def _are_logged(rows: Sequence[Any]) -> bool:
    """Return whether JSON values are the flat rows of a log."""
    is_flat = all(isinstance(row, Mapping) and not any(isinstance(one, (list, Mapping)) for one in row.values()) for row in rows)
    return is_flat and _is_log(" ".join(row) for row in rows)


def _is_log(rows: Iterable[str]) -> bool:
    """Return whether every row has a word of a log, and all together one that counts and one that measures."""
    words = [_words(row) for row in rows]
    every = frozenset[str]().union(*words)
    of_log = all(not one.isdisjoint(_COUNTS_RUNS | _MEASURES) for one in words)
    return of_log and not every.isdisjoint(_COUNTS_RUNS) and not every.isdisjoint(_MEASURES)


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W\d_]+", text.casefold()))


def _is_prose_or_log(lines: Sequence[str]) -> bool:
    """Return whether no line can be a row of labels, nor stands twice, or all that can are of a log; a heading may be short."""
    header = _BETWEEN_CELLS.split(lines[0]) if lines else []
    if len(header) > 1 and not any(map(_is_number, header)) and _is_log(lines[:1]):
        return True
    texts = [_ITEM.sub("", line) for line in lines]
    short = [line for line, text in zip(lines, texts, strict=True) if text == line and len(text.split()) < FEWEST_WORDS]
    numbered = [line for line, text in zip(lines, texts, strict=True) if _is_numbered(text)]
    if _is_log([*short, *numbered]):
        return True
    is_titled = len(lines) > 1 and short == lines[:1]
    return not numbered and (is_titled or not short) and len(set(texts)) == len(texts)


def _is_numbered(text: str) -> bool:
    """Return whether a number is a cell of a line, its first or last word, or there are several."""
    words = text.split()
    ends = (words[0], words[-1], *_BETWEEN_CELLS.split(text))
    return any(map(_is_number, ends)) or sum(map(_is_number, words)) > 1 or _NUMBERED.fullmatch(words[0]) is not None


def _is_number(cell: str) -> bool:
    return _NUMBER_OR_TIME.fullmatch(cell.strip().strip("\"'[]()")) is not None
