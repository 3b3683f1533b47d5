"""What a command prints: JSON for machines, or lines for people."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import Any

from scrubin.base.files import json_text


def print_json(document: Any, *, sort_keys: bool = False, allow_nan: bool = True, ascii_only: bool = False) -> None:
    """Print a document; its keys stay in their order, or are sorted as in the files that are compared by bytes, in which NaN is refused."""
    text = json_text(document) if sort_keys else json.dumps(document, indent=2, ensure_ascii=ascii_only, allow_nan=allow_nan) + "\n"
    sys.stdout.write(text)


def print_lines(lines: Iterable[str]) -> None:
    """Print all lines, or none where one cannot be made."""
    sys.stdout.write("".join(f"{line}\n" for line in lines))
