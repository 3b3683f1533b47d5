"""JSON: every key, text and number, also of JSON inside a text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from scrubin.release.audit.findings import Contents, Fault, Text
from scrubin.release.audit.order import id_in, names_fault
from scrubin.release.audit.strings import numbers
from scrubin.release.audit.strings.private_columns import Public, of_a_day

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
    texts += [text for day in (False, True) for text in numbers.text_of("numbers", collected.numbers[day], day=day)]
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
        msg = f"the key {next(key for key in keys if keys.count(key) > 1)!r} stands twice; write it once"
        raise ValueError(msg)
    return mapping


def _values(value: Any) -> Iterator[tuple[str, Any, bool]]:
    """Yield place and value of everything that says something, and whether it stands under the name of a day."""
    stack = [("$", value, False)]
    while stack:
        place, item, day = stack.pop()
        if isinstance(item, dict):
            stack += [(f"{place}.{key}", child, of_a_day(key)) for key, child in item.items() if _says(child, of_a_day(key))]
        elif isinstance(item, list):
            # One place for all items: a million boxes have the same fault a million times.
            stack += [(f"{place}[]", child, day) for child in item if _says(child, day)]
        elif isinstance(item, str) and item.lstrip()[:1] in ("{", "["):
            stack += _inside(place, item, day)
        yield place, item, day


def _inside(place: str, text: str, day: bool) -> list[tuple[str, Any, bool]]:
    try:
        return [(f"{place} as JSON", _parsed(text), day)]
    except json.JSONDecodeError:
        return []  # a text in brackets, which is searched as such


def _says(value: Any, day: bool) -> bool:
    if isinstance(value, (dict, list, str)):
        return True
    low = numbers.SMALLEST_OF_A_DAY if day else numbers.SMALLEST
    return isinstance(value, (int, float)) and low <= abs(value) < numbers.LARGEST


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
