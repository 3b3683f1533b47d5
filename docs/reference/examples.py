"""What a file of each format looks like: the small example files of the tests, cut short."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from label_examples import EXAMPLES

FEW = 2
"""So many entries of a long list or mapping are shown."""
LONG = 5
LINES = 30
WIDTH = 110


def text(name: str) -> str:
    """Return the example files of a format as code blocks; nothing for a format without one."""
    return "".join(_block(file, data) for file, data in EXAMPLES.get(name, {}).items())


def _block(file: str, data: bytes) -> str:
    try:
        content = data.decode("utf-8")
    except UnicodeDecodeError:
        return f"`{file}` is no text file.\n"
    language = "json" if file.endswith(".json") else "text"
    lines = _document(json.loads(content)) if language == "json" else content
    cut = lines.splitlines()[:LINES]
    more = ["..."] if len(cut) < len(lines.splitlines()) else []
    # JSON that is cut short is none any more.
    return f"`{file}`:\n\n```{language if not more and '...' not in lines else 'text'}\n" + "\n".join([*cut, *more]) + "\n```\n\n"


def _document(value: Any) -> str:
    """Return JSON, long lists and mappings cut short."""
    return _written(_shortened(value), "").replace('"...": "..."', "...").replace('"..."', "...")


def _written(value: Any, indent: str) -> str:
    """Return JSON in which whatever is short stands on one line."""
    line = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(line) <= WIDTH or not value or not isinstance(value, (list, dict)):
        return line
    inner = indent + "  "
    if isinstance(value, list):
        return "[\n" + ",\n".join(f"{inner}{_written(one, inner)}" for one in value) + f"\n{indent}]"
    entries = (f"{inner}{json.dumps(key)}: {_written(of, inner)}" for key, of in value.items())
    return "{\n" + ",\n".join(entries) + f"\n{indent}}}"


def _shortened(value: Any) -> Any:
    if isinstance(value, Mapping):
        entries = list(value.items())
        shown = entries if len(entries) <= LONG or not _are_numbers(value) else entries[:FEW]
        return {key: _shortened(of) for key, of in shown} | ({"...": "..."} if len(shown) < len(entries) else {})
    if isinstance(value, list):
        plain = all(isinstance(one, (int, float)) for one in value)
        few = value if len(value) <= (4 * LONG if plain else FEW) else value[: LONG if plain else FEW]
        return [*map(_shortened, few), *(["..."] if len(few) < len(value) else [])]
    return value


def _are_numbers(value: Mapping[str, Any]) -> bool:
    return all(key.isdigit() for key in value)
