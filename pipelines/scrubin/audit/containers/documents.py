"""Text files: CSV, JSON, Markdown, every key, text, number of them."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from scrubin.audit.containers.run_lengths import covers
from scrubin.audit.expected import Contents, Fault, Text, spelling
from scrubin.audit.expected.private_columns import Public, id_in, names_fault, of_a_day, private_tables, text_fault
from scrubin.audit.expected.private_columns import fault as order_fault

DELIMITERS = ",;\t|"
SHOWN = 3
_NO_NUMBER = re.compile(r"[^\d\s.,;eE+-]")


def read_text(data: bytes, ids: frozenset[str]) -> Contents:
    """Return the faults and the text of a document.

    Raises
    ------
    ValueError
        When it is not UTF-8.
    """
    text = data.decode("utf-8")
    message = text_fault(text, ids)
    return Contents([Fault("order", "text", message)] if message else [], [Text("text", text, structured=_is_of_numbers(text))])


def _is_of_numbers(text: str) -> bool:
    """Whether a text is a table of bare numbers, as labels of YOLO are."""
    return _NO_NUMBER.search(text) is None and all(len(line.split()) > 1 for line in text.splitlines() if line.strip())


def read_csv(data: bytes, public: Public) -> Contents:
    """Return the faults and texts of a CSV file with a header, in any usual dialect.

    Raises
    ------
    ValueError
        When it is not UTF-8, or cannot be split into rows.
    """
    text = data.decode("utf-8").removeprefix("\ufeff")
    rows = _rows(text)
    header, body = rows[0], rows[1:]
    faults = [*_columns(header, public), *_widths(rows)]
    texts = [Text("text", text, structured=True)]
    if not any(fault.rule == "unreadable" for fault in faults):
        table = pd.DataFrame(body, columns=[str(number) for number in range(len(header))], dtype=object)
        table = table.rename(columns={str(header.index("id")): "id"} if "id" in header else {})
        message = order_fault(table, public.ids)
        faults += [Fault("order", "rows", message)] if message else []
        cells = {name: [row[number] for row in body] for number, name in enumerate(header) if of_a_day(name)}
        texts += [Text(f"column {name}", "\n".join(sorted(set(values)))) for name, values in cells.items()]
    return Contents(faults, texts)


def _rows(text: str) -> list[list[str]]:
    """Return header and rows, split at the delimiter that makes all rows alike, the widest when several do."""
    every = [_split(text, delimiter) for delimiter in DELIMITERS if delimiter in text] or [_split(text, DELIMITERS[0])]
    used = [rows for rows in every if any(len(row) > 1 for row in rows)]
    alike = [rows for rows in used if len({len(row) for row in rows}) == 1]
    return max(alike or used or every, key=lambda rows: len(rows[0]))


def _split(text: str, delimiter: str) -> list[list[str]]:
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)) or [[]]
    except csv.Error as error:
        raise ValueError(f"it is no CSV: {error}") from error


def _columns(header: list[str], public: Public) -> Iterator[Fault]:
    for name in sorted(set(header)):
        if public.is_private(name):
            yield Fault("private-column", f"column {name}", "this column is private; leave it out")
    for table in private_tables("", header):
        yield Fault("private-table", "header", f"this is the private table '{table}'; take the file out")


def _widths(rows: list[list[str]]) -> Iterator[Fault]:
    """Refuse what no header explains: rows of another width, empty lines, comments above the header."""
    odd = [number for number, row in enumerate(rows, start=1) if len(row) != len(rows[0])]
    if odd:
        named = ", ".join(map(str, odd[:SHOWN]))
        yield Fault("unreadable", f"row {named}", f"expected {len(rows[0])} cells as in the first row; write header and rows only")
    if rows[0] and rows[0][0].lstrip().startswith("#"):
        yield Fault("unreadable", "row 1", "expected the names of columns, but got a comment; write header and rows only")


ID_KEYS = ("id", "video", "video_id", "name", "recording_id", "file_name")


@dataclass
class _Collected:
    public: Public
    faults: dict[Fault, None] = field(default_factory=dict)
    texts: dict[bool, dict[str, None]] = field(default_factory=lambda: {True: {}, False: {}})
    numbers: dict[bool, set[float]] = field(default_factory=lambda: {True: set(), False: set()})


def read_json(data: bytes, public: Public) -> Contents:
    """Return the faults and texts of a JSON file.

    Raises
    ------
    ValueError
        When it is no JSON, or has a key twice, of which readers show only one.
    """
    collected = _Collected(public)
    for place, value, day in _values(_parsed(data.decode("utf-8"))):
        if isinstance(value, str):
            collected.texts[day][value] = None
        elif isinstance(value, dict):
            _mapping(collected, place, value)
        elif isinstance(value, list):
            message = names_fault([name for item in value if (name := _id_of(item, public.ids))], public.ids)
            if message:
                collected.faults[Fault("order", place, message)] = None
        else:
            collected.numbers[day].add(value)
    texts = [Text("values and keys", "\n".join(collected.texts[False]), structured=True), Text("days", "\n".join(collected.texts[True]))]
    texts += [text for day in (False, True) for text in spelling.text_of("numbers", collected.numbers[day], day=day)]
    return Contents(list(collected.faults), texts)


def _mapping(collected: _Collected, place: str, value: dict[str, Any]) -> None:
    collected.texts[False].update(dict.fromkeys(value))
    for key in value:
        if not collected.public.may_be(key, value[key]):
            collected.faults[Fault("private-column", f"{place}.{key}", "this key is private; leave it out")] = None
    message = names_fault(list(value), collected.public.ids)
    if message:
        collected.faults[Fault("order", place, message)] = None


def _parsed(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_unique)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(key for key in keys if keys.count(key) > 1)!r} stands twice; write it once")
    return mapping


def _values(value: Any) -> Iterator[tuple[str, Any, bool]]:
    """Yield place and value of everything that says something, and whether it stands under the name of a day."""
    stack = [("$", value, False)]
    while stack:
        place, item, day = stack.pop()
        if isinstance(item, dict):
            if _is_mask(item):
                item = {"size": item["size"], **{key: child for key, child in item.items() if key != "counts"}}
            stack += [(f"{place}.{key}", child, of_a_day(key)) for key, child in item.items() if _says(child, of_a_day(key))]
        elif isinstance(item, list):
            # One place for all items: a million boxes have the same fault a million times.
            stack += [(f"{place}[]", child, day) for child in item if _says(child, day)]
        elif isinstance(item, str) and item.lstrip()[:1] in ("{", "["):
            stack += _inside(place, item, day)
        yield place, item, day


def _is_mask(item: dict[str, Any]) -> bool:
    """Whether an object is a mask as COCO has it; what else stands in it is searched as ever."""
    size = item.get("size")
    return isinstance(size, list) and len(size) == len(("height", "width")) and covers(item.get("counts"), size[1], size[0])


def _inside(place: str, text: str, day: bool) -> list[tuple[str, Any, bool]]:
    try:
        return [(f"{place} as JSON", _parsed(text), day)]
    except json.JSONDecodeError:
        return []  # a text in brackets, which is searched as such


def _says(value: Any, day: bool) -> bool:
    if isinstance(value, (dict, list, str)):
        return True
    low = spelling.SMALLEST_OF_A_DAY if day else spelling.SMALLEST
    return isinstance(value, (int, float)) and low <= abs(value) < spelling.LARGEST


def _id_of(item: Any, ids: frozenset[str]) -> str:
    """Return the released id that an item of a list is about, "" when it is about none."""
    if isinstance(item, str):
        return item if item in ids else ""
    if isinstance(item, list):
        return next((name for part in item if (name := id_in(part, ids))), "")
    if isinstance(item, dict):
        names = [*(item.get(key) for key in ID_KEYS), *item.values()]
        return next((name for part in names if (name := id_in(part, ids))), "")
    return ""
