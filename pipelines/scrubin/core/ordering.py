"""The order in which people expect names with numbers."""

from __future__ import annotations

import re


def natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return a key that sorts ``2`` before ``10`` and ``psiv7`` before ``psiv14``."""
    parts = [part for part in re.split(r"([0-9]+)", text) if part]
    return tuple((0, len(part.lstrip("0")), part.lstrip("0")) if part[0] in "0123456789" else (1, 0, part) for part in parts)
