"""What a command prints: JSON for machines, or lines for people."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import Any, TypeVar

T = TypeVar("T")


def print_json(document: Any, *, sort_keys: bool = False, allow_nan: bool = True, ascii_only: bool = False) -> None:
    """Print a document as `json_of` has it."""
    sys.stdout.write(json_of(document, sort_keys=sort_keys, allow_nan=allow_nan, ascii_only=ascii_only))


def json_of(document: Any, *, sort_keys: bool = False, allow_nan: bool = True, ascii_only: bool = False) -> str:
    """Return a document as text; its keys stay in their order, or are sorted as in the files that are compared by bytes, without NaN."""
    return json.dumps(document, indent=2, sort_keys=sort_keys, ensure_ascii=ascii_only, allow_nan=allow_nan and not sort_keys) + "\n"


def print_lines(lines: Iterable[str]) -> None:
    """Print all lines, or none where one cannot be made."""
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def shown(items: Iterable[T], what: str, unit: str = "it", total: int | None = None) -> Iterable[T]:
    """Return the items with a bar on the terminal that tells how far their reader is; the base install, which lacks tqdm, shows none."""
    if not sys.stderr.isatty():
        return items
    try:
        from tqdm import tqdm
    except ImportError:
        return items
    return tqdm(items, desc=what, unit=unit, total=total)
