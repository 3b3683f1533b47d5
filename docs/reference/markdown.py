"""Tables and headings as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

CODE = re.compile(r"(`+[^`]+`+)")


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; cells are Markdown, a bar in them is escaped."""
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(prose(cell).replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


def prose(text: str) -> str:
    """Return text in which ``<name>`` stays what it is: outside of code Markdown would take it for HTML."""
    return "".join(part if part.startswith("`") else part.replace("<", "&lt;") for part in CODE.split(text))


def code(text: str) -> str:
    """Return text as code, or nothing for none."""
    return f"`{text}`" if text else ""


def sentence(text: str) -> str:
    """Return text with a capital letter and a full stop, or nothing for none."""
    return f"{text[0].upper()}{text[1:]}{'' if text.endswith('.') else '.'}" if text else ""
