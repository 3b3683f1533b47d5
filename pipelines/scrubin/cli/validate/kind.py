"""Which kind of files lies at a path: our own tables, or labels of which format."""

from __future__ import annotations

from pathlib import Path

from scrubin.labels.detect import format_of_path

OWN = "tables"


def format_of(path: Path) -> str:
    """Return the name of the format: our own tables by their names, others by what they look like."""
    return format_of_path(path, None).name
