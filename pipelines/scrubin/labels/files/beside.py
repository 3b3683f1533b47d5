"""What lies beside labels and is known to be none: prose, settings, metrics, a log, the declaration of training data.

In doubt a file holds labels: without it, the others would be scored as if they were all.

From a text that is called like notes is taken out what is plainly neither a row nor the name of a video: headings, dates, times,
versions, settings of runs, lines of their logs. The rest may hold labels where a line names a video or has two numbers together, many
lines end with one, or some begin so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection as Names
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path, PurePath
from typing import Any

from scrubin.base import machine, strangers
from scrubin.base.errors import ScrubinError
from scrubin.base.text import csv_text
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
_OF_LOGS = _COUNTS_RUNS | _MEASURES | {"debug", "info", "warning", "error"}
_OF_RUNS = re.compile(
    r"acc(?:uracy)?|alpha|batch|beta|crop|decay|depth|dice|dim|dropout|epochs?|eps|folds?|fps|gamma|gpus?|heads|hidden|iter(?:ation)?s?|jaccard|layers"
    r"|loss|lrf?|momentum|nms|optimizer|pages|patience|precision|rate|recall|seed|size|stride|test|threads|train|val|version|volume|warmup"
    r"|weight|window|workers|year"
)
"""The last word of what is set or measured: instruments and phases are not called so."""
_OF_LABELS = re.compile("(?:frame|video|image|img|clip|phase|pred|prediction|label|annotation)s?")
_OF_ROWS = frozenset(("x", "y", "bbox", "start", "end", "imageid", "categoryid", "counts", "rle"))
"""Words, and whole names of columns, that labels have: no log has one, nor settings as a key."""
_VIDEO = re.compile(
    r"(?:[\W_]*+(?:video|vid|clip|film|case|fall|op|operation|surgery|procedure|patient|subject|recording|sequence|session|trial"
    r"|number|no|nr|id)s?(?![^\W\d_]))++[\W_]*+",
    re.IGNORECASE,
)
"""Words before the number of a video, and what stands around them, as in ``Video no. - 3`` and ``video_id #3``."""
_DATE = r"(?<![0-9])(?:19|20)[0-9]{2}([._/-])[0-9]{1,2}\1[0-9]{1,2}(?![0-9])"
_TIME = r"[0-9]{1,2}(?::[0-9]{2}){1,2}(?:[.,][0-9]++)?Z?(?=[])]?(?:\s|$))"
_DAY = re.compile(rf"{_DATE}(?:T(?=[0-9]))?")
_NO_VIDEO = re.compile(
    rf"{_DATE}(?:(?:T|\s+){_TIME})?|^\W*[0-9]{{1,2}}([./-])[0-9]{{1,2}}\2[0-9]{{4}}(?![0-9])|(?<![^\s\[(]){_TIME}"
    r"|(?<![^\W_])v[0-9]++(?:\.[0-9]++)*|(?<![0-9.])[0-9]++(?:\.[0-9]++)++(?=[^\w\s,;|]*+(?:[\s,;|]|$))|https?://\S++$"
)
"""Dates, times in cells of their own, versions, numbers with a point, a link; behind a word for videos only a date is none."""
_BETWEEN_CELLS = re.compile(r"[,;|\s]+")
_HEADING = re.compile(r"#{1,6} +(?=\S)")
_PADDED = re.compile(r"\W*(0[0-9]+)(?=[\s,;|:=)\]_-]*+(?:[^\W\d]|$))")
"""A number with zeros before it, which begins a line and is no part of a date or time."""
_ITEM = re.compile(r"^(?:[-*+\u2022]|[0-9]{1,3}[.)])\s+(?=\S)")
_NUMBER_OR_TIME = re.compile(
    r"[-+]?(?:[0-9]++\.?[0-9]*+|\.[0-9]+)(?:e[-+]?[0-9]+)?|nan|inf|[0-9]+(?::[0-9]+)+(?:[.,][0-9]+)?", re.IGNORECASE
)
_NUMBERS = re.compile(r"\W*[0-9]|.*[0-9]\.[A-Za-z]+$")
_NUMBERED = re.compile(rf"{_NUMBERS.pattern}|[^\W\d_]*_?[0-9]+(?:_.*)?$")
"""As ``12s``, ``#12`` and ``frame_000001.png``; beginning a line, also ``frame12``."""
_VALUE = re.compile("(?<![=<>!~:])[:=](?=[-+.0-9])")
_OF_FRAME = re.compile(r"(?:frame|image|img)[\W_]*[0-9]|t\s*=\s*[0-9]", re.IGNORECASE)
_PROSE_BELOW_HEADINGS = 0.4
"""Of the lines must be none, or nothing is a heading."""
_ROWS_IN_PROSE = 0.1
"""Of its lines may begin with a number, as where they are wrapped, and at most ``MOST_VALUES``."""


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
    numbers = frozenset(filter(str.isdecimal, videos))
    plain, named = frozenset(one.lstrip("0") for one in numbers), frozenset(videos) - numbers
    if value is not None:
        is_none = (isinstance(value, Mapping) and bool(value) and _are_settings(value)) or _are_logged(value)
        return is_none and not _names_one(json.dumps(value, ensure_ascii=False), named) and not _numbers_one(value, plain)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines or _names_one("\n".join(lines), named):  # no line, too, where it is no text
        return False
    if suffix == ".csv":
        return _is_log([[cell.strip() for cell in lines[0].split(",")]])
    if any((padded := _PADDED.match(line)) and padded[1] in numbers for line in lines):  # nothing but a video is written so
        return False
    if any(_begins_with_video(_ITEM.sub("", _HEADING.sub("", line)), plain, behind_word=True) for line in lines):
        return False
    if suffix == ".json" or lines[0].startswith("{"):
        return _is_log_of_json(lines)
    prose = [line for line in lines if not _HEADING.match(line)]
    lines = prose if len(prose) >= _PROSE_BELOW_HEADINGS * len(lines) else lines
    logged = [[line] for line in lines if not _OF_LOGS.isdisjoint(_words(line))]
    is_log = _LOGS.fullmatch(stem) is not None and _is_log(logged)
    rest = [line for line in lines if not is_log or _OF_LOGS.isdisjoint(_words(line))]
    rest = [_DAY.sub("", line).strip() for line in rest] if stem == "changelog" else rest
    return suffix == ".txt" and not _may_be_rows(rest, len(lines), numbers, plain)


def _may_be_rows(lines: Iterable[str], of: int, numbers: frozenset[str], plain: Names[str]) -> bool:
    words, rows, ends = list[str](), 0, 0
    for line in lines:
        text = _ITEM.sub("", line)
        if _is_set(text):
            continue
        if _has_numbers_together(text):
            return True
        words += [text] if text.isalnum() else []
        ends += _ends_with_number(text)
        mark = line.removesuffix(text)
        rows += _begins_row(text) or _begins_with_video(text, plain) or not numbers.isdisjoint(re.findall("[0-9]+", mark))
    return len(set(words)) < len(words) or 2 * ends > of or rows > min(_ROWS_IN_PROSE * of, MOST_VALUES)


def _are_settings(value: Any) -> bool:
    """Return whether in JSON nothing can be rows: no list of lists or objects but a log, no key that numbers, nothing that repeats."""
    if isinstance(value, Mapping):
        alike = len(value) - len({re.sub("[0-9]+", "0", key) for key in value})
        is_keyed = alike > 1 or any(_NUMBERS.match(key) or _is_of_labels(key) for key in value)
        return not is_keyed and all(map(_are_settings, value.values()))
    if not isinstance(value, list):
        lines = [line for line in value.splitlines() if _has_several(_cells(line))] if isinstance(value, str) else []
        return not any(_begins_row(line) or _has_numbers_together(line) for line in lines)
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
    words = [frozenset(_words(" ".join(row))) for row in rows]
    every = frozenset[str]().union(*words)
    of_log = all(not one.isdisjoint(_OF_LOGS) for one in words)
    is_of_rows = any(_is_of_labels(column) for row in rows for column in row) or any(map(_OF_LABELS.fullmatch, every))
    return of_log and not is_of_rows and not every.isdisjoint(_COUNTS_RUNS) and not every.isdisjoint(_MEASURES)


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", text.casefold())


def _is_of_labels(column: str) -> bool:
    letters = re.sub(r"[\W\d_]+", "", column.casefold())
    return letters in _OF_ROWS or _OF_LABELS.fullmatch(letters) is not None


def _begins_row(line: str) -> bool:
    """Return whether a line begins with a cell that numbers something."""
    cells = _cells(line)
    return _is_number(cells[0]) or (_has_several(cells) and (_NUMBERED.match(cells[0]) or _OF_FRAME.match(line)) is not None)


def _has_numbers_together(line: str) -> bool:
    return any(one and other for one, other in pairwise(map(_is_number, _cells(line))))


def _cells(line: str) -> list[str]:
    """Return the cells of a line, the last one empty where it ends with a comma, as settings do."""
    first, *others = _BETWEEN_CELLS.split(line.strip().strip("|").strip())
    return [first, *others] if first or not others else others


def _has_several(cells: Iterable[str]) -> bool:
    return len([*filter(None, cells)]) > 1


def _is_set(line: str) -> bool:
    """Return whether a line sets one thing of a run, as in ``lr: 0.1,``."""
    key, *value = re.split("[:=]", line.rstrip(",;| \t"), maxsplit=1)
    return bool(value) and _is_of_run(key) and not _has_several(_cells(value[0]))


def _ends_with_number(line: str) -> bool:
    """Return whether the last cell is a number, as in ``hook: 1`` and ``hook:1``, and not in ``--gpu 0``."""
    *_, before, last = "", *_cells(line.rstrip(",;| \t"))
    return not before.startswith("--") and _is_number(last if before else _VALUE.split(last)[-1])


def _is_of_run(key: str) -> bool:
    """Return whether what is set is of a run, as ``lr0``, ``stage1.lr`` and ``Batch size``, but not ``val_012`` and ``train.png``."""
    return any(map(_OF_RUNS.fullmatch, _words(key)[-1:])) and not re.search(r"[0-9]{2}|(?<![^\W\d_])[0-9]", key)


def _numbers_one(value: Any, plain: Names[str]) -> bool:
    """Return whether in JSON a key or text begins with the number of a video, or one is set to a word for videos."""
    if isinstance(value, Mapping):
        set_to = [(key, one) for key, every in value.items() for one in (every if isinstance(every, list) else [every])]
        said = (f"{key} {'' if isinstance(one, Mapping) else one}" for key, one in set_to)
        return any(_begins_with_video(one, plain) for one in said) or any(_numbers_one(one, plain) for _, one in set_to)
    if isinstance(value, list):
        return any(_numbers_one(one, plain) for one in value)
    return isinstance(value, str) and any(_begins_with_video(line, plain) for line in value.splitlines())


def _begins_with_video(line: str, plain: Names[str], *, behind_word: bool = False) -> bool:
    """Return whether a line begins with a video's number (here without zeros), also behind a word for videos, or only behind one."""
    undated = _DAY.sub("", line)
    if word := _VIDEO.match(undated):
        first = _cells(undated[word.end() :])[0]
    else:
        first = "" if behind_word else _cells(re.sub(r"^[\W_]+", "", _NO_VIDEO.sub(" ", line)))[0]
        key, *value = re.split("[:=]", first, maxsplit=1)
        first = key if value and _is_of_run(key) else first
    return any(one.lstrip("0") in plain for one in re.findall(r"(?<![^\W_])\d+(?![^\W_])", first))


def _is_number(cell: str) -> bool:
    return _NUMBER_OR_TIME.fullmatch(cell.strip("\"'[]()")) is not None
