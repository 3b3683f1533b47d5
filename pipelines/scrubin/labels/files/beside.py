"""What lies beside labels and is known to be none: prose, settings, metrics, a log, the declaration of training data.

In doubt a file holds labels: without it, the others would be scored as if they were all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection as Names
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
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
_OF_READER = ("names", "kpt_shape", "kpt_names")
"""What the readers take from YAML to name classes and points, beside it ``nc``, by which they only count these."""
_SPEAKS_OF_CLASSES = re.compile(r".*(?:class|categor|label|instrument|tool|object|names).*", re.IGNORECASE)
"""As ``thing_classes``, ``id2label`` and ``instruments``; in other words of settings, such as ``class_weights``, numbers are no names."""
_NOTES = re.compile(
    r"readme|liesmich|lisezmoi|leeme|leggimi|licen[cs]e|lizenz|copying|notice|citation|changelog|authors|contact|team|method|description"
    r"|notes|requirements|version|(?:.+_)?config|(?:cmd_)?args|hyp|opt|params|parameters|settings|metrics|log|train_log|trainer_state"
    r"|package|environment|wandb-(?:summary|metadata)|timing|runtime"
)
"""How notes, settings and logs beside labels are called, in small letters: nobody calls labels so."""
_LOGS = re.compile("results|metrics|log|train_log")
"""Tables of them."""
_COUNTS_RUNS = frozenset(("epoch", "iter", "iteration"))
_MEASURES = frozenset(("loss",))
_OF_LABELS = re.compile("(?:frame|video|image|img|clip|phase|pred|prediction|label|annotation)s?")
_OF_ROWS = frozenset(("x", "y", "bbox", "start", "end", "imageid", "categoryid", "counts", "rle"))
"""Words, and whole names of columns, that labels have: no log has one, nor settings as a key."""
_VIDEO = re.compile(
    r"[\W_]*(?:(?:video|vid|clip|film|case|fall|op|operation|surgery|procedure|patient|subject|recording|sequence|session|trial"
    r"|number|no|nr|id)s?[\W_]*)*",
    re.IGNORECASE,
)
"""Words before the number of a video, and what stands around them, as in ``Video no. - 3`` and ``video_id #3``."""
_ZEROS = re.compile(r"(?<![^\W_])(?<![0-9]\.)0+(?=[0-9])")
"""Before a whole number."""
_DATE_OR_TIME = re.compile(
    r"^[\W_]*(?:(?:[0-9]{4}([./-])[0-9]{1,2}\1[0-9]{1,2}|[0-9]{1,2}([./-])[0-9]{1,2}\2[0-9]{4}|[0-9]{1,2}(?::[0-9]{2}){1,2})(?![0-9])T?)+"
)
"""Its numbers name no video."""
_BETWEEN_CELLS = re.compile(r"[,;|\s]+")
_ITEM = re.compile(r"^(?:[-*]|[0-9]{1,3}[.)])\s+(?=\S)")
_NUMBER_OR_TIME = re.compile(
    r"[-+]?(?:[0-9]++\.?[0-9]*+|\.[0-9]+)(?:e[-+]?[0-9]+)?|nan|inf|[0-9]+(?::[0-9]+)+(?:[.,][0-9]+)?", re.IGNORECASE
)
_NUMBERS = re.compile(r"\W*[0-9]|.*[0-9]\.[A-Za-z]+$")
_NUMBERED = re.compile(rf"{_NUMBERS.pattern}|[^\W\d_]*_?[0-9]+(?:_.*)?$")
"""As ``12s``, ``#12`` and ``frame_000001.png``; beginning a line, also ``frame12``."""


def is_settings(file: Path) -> bool:
    """Return whether a file is the declaration of training data, or YAML of settings in which nothing can be a list of classes."""
    if file.name == DECLARATION:
        return True
    if file.suffix.lower() not in NAMES_CLASSES or file.name.lower() in DATA_SET:
        return False
    try:
        every = _yaml_of(file) if file.stat().st_size <= MOST_BYTES else []
        return bool(every) and all(one and (isinstance(one, Mapping) or _assigns(one)) and not _may_name_classes(one) for one in every)
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


def _assigns(value: Any) -> bool:
    """Return whether a list sets something in each entry, as ``lr=0.1``: these are no names, unless it numbers several, on either side."""
    if not isinstance(value, list) or not all(isinstance(one, str) and "=" in one for one in value):
        return False
    sides = zip(*([side.strip() for side in one.split("=", 1)] for one in value), strict=True)
    return len(value) == 1 or not any(map(_is_count, sides))


def _may_name_classes(settings: Any) -> bool:
    """Return whether a reader would take something, names stand by their numbers, or what may be a list below a word for classes."""
    if not isinstance(settings, Mapping):
        return _lists_classes(settings)
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
        return not _assigns(value) and not all(isinstance(one, str) and _is_number(one) for one in value)
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
    """Return whether a text or JSON that no format knows is called like notes, settings or a log, holds nothing but that, and no video."""
    if not (_LOGS if file.suffix.lower() == ".csv" else _NOTES).fullmatch(file.stem.casefold()):
        return False
    try:
        return file.stat().st_size <= MOST_BYTES and _is_read_as_none(file, videos)
    except (OSError, RecursionError):  # said when somebody reads it
        return False


def _is_read_as_none(file: Path, videos: Names[str]) -> bool:
    stem, suffix, value = file.stem.casefold(), file.suffix.lower(), document(file)
    text, _ = csv_text.text_of(file.name, strangers.read_bytes(file))
    if value is not None:
        is_none = isinstance(value, Mapping) and bool(value) and _are_settings(value)
        return (is_none or _are_logged(value)) and not _names_one(json.dumps(value, ensure_ascii=False), videos)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    numbers = frozenset(filter(str.isdecimal, videos))
    if not lines or _names_one("\n".join(lines), frozenset(videos) - numbers):  # no line, too, where it is no text
        return False
    if suffix == ".csv":
        return _is_log([[cell.strip() for cell in lines[0].split(",")]])
    # A number names a video where it begins a line, also behind a word for one; elsewhere anything is counted.
    plain = numbers | frozenset(_ZEROS.sub("", one) for one in numbers)
    texts = [_ITEM.sub("", line) for line in lines]
    marks = [line.removesuffix(text) for line, text in zip(lines, texts, strict=True)]
    if any(_names_one(one, numbers) for one in marks) or any(_names_one(_beginning(one), plain) for one in texts):
        return False
    if suffix == ".json" or lines[0].startswith("{"):
        return _is_log_of_json(lines)
    rows = [[text] for text in texts if _may_be_row(text)]
    words = [text for text in texts if text.isalnum()]
    may_be_rows = len(set(words)) < len(words) or 2 * sum(map(_ends_with_number, texts)) > len(texts) or bool(rows)
    return suffix == ".txt" and (not may_be_rows or (_LOGS.fullmatch(stem) is not None and bool(rows) and _is_log(rows)))


def _are_settings(value: Any) -> bool:
    """Return whether in JSON nothing can be rows: no list of lists or objects but a log, no key that numbers, nothing that repeats."""
    if isinstance(value, Mapping):
        alike = len(value) - len({re.sub("[0-9]+", "0", key) for key in value})
        is_keyed = alike > 1 or any(_NUMBERS.match(key) or _is_of_labels(key) for key in value)
        return not is_keyed and all(map(_are_settings, value.values()))
    if not isinstance(value, list):
        return not (isinstance(value, str) and any(_has_several(_cells(line)) and _may_be_row(line) for line in value.splitlines()))
    if all(isinstance(one, str) for one in value):
        return len(set(value)) == len(value) and all(map(_are_settings, value))
    return _are_logged(value) or (len(value) <= MOST_VALUES and all(isinstance(one, (int, float)) for one in value))


def _is_log_of_json(lines: Iterable[str]) -> bool:
    try:
        return _are_logged([strangers.json_value(line) for line in lines])
    except ValueError:
        return False


def _are_logged(rows: Any) -> bool:
    """Return whether JSON values are the flat rows of a log."""
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        return False
    return not any(isinstance(one, (list, Mapping)) for row in rows for one in row.values()) and _is_log(rows)


def _is_log(rows: Sequence[Iterable[str]]) -> bool:
    """Return whether columns of every row have a word that counts runs, or measures, together both, and none has one of labels."""
    words = [frozenset(re.findall(r"[^\W\d_]+", " ".join(row).casefold())) for row in rows]
    every = frozenset[str]().union(*words)
    of_log = all(not one.isdisjoint(_COUNTS_RUNS | _MEASURES) for one in words)
    is_of_rows = any(_is_of_labels(column) for row in rows for column in row) or any(map(_OF_LABELS.fullmatch, every))
    return of_log and not is_of_rows and not every.isdisjoint(_COUNTS_RUNS) and not every.isdisjoint(_MEASURES)


def _is_of_labels(column: str) -> bool:
    letters = re.sub(r"[\W\d_]+", "", column.casefold())
    return letters in _OF_ROWS or _OF_LABELS.fullmatch(letters) is not None


def _may_be_row(line: str) -> bool:
    """Return whether a line begins with a cell that numbers something, or has two numbers beside each other."""
    cells = _cells(line)
    numbers = [_is_number(cell) for cell in cells]
    is_numbered = _has_several(cells) and _NUMBERED.match(cells[0]) is not None
    return numbers[0] or is_numbered or any(one and other for one, other in pairwise(numbers))


def _cells(line: str) -> list[str]:
    """Return the cells of a line, the last one empty where it ends with a comma, as settings do."""
    first, *others = _BETWEEN_CELLS.split(line.strip().strip("|").strip())
    return [first, *others] if first or not others else others


def _has_several(cells: Iterable[str]) -> bool:
    return len([*filter(None, cells)]) > 1


def _ends_with_number(line: str) -> bool:
    """Return whether the last cell is a number; that of settings, in which a comma follows it, is none."""
    is_set = re.fullmatch(r"[^\d,;|]*[:=]\s*[^\s,;|:=]+[,;]", line) is not None
    return not is_set and _is_number(_cells(line.rstrip(",;| \t"))[-1])


def _beginning(line: str) -> str:
    """Return the first cell of a line, behind words for videos also the next one, without date and time and with numbers without zeros."""
    cells = _cells(line)
    said = " ".join(cells[: next((at for at, one in enumerate(cells) if not _VIDEO.fullmatch(one)), 0) + 1])
    return _ZEROS.sub("", _DATE_OR_TIME.sub("", said))


def _is_number(cell: str) -> bool:
    return _NUMBER_OR_TIME.fullmatch(cell.strip("\"'[]()")) is not None
