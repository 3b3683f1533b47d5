"""Predictions whose files are those of the ground truth: scored against themselves, labels are perfect and tell nothing."""

from __future__ import annotations

from pathlib import Path

from scrubin.core import files, strangers
from scrubin.core.ranges import count_text
from scrubin.labels.formats.ground_truth import inside_release

NOTHING = 2
"""A file of fewer bytes is the same for many videos, such as a list without boxes."""


def note(truth: Path, predictions: Path) -> str | None:
    """Return the sentence on predictions all of whose files have the content of files of the ground truth; None otherwise.

    Parameters
    ----------
    truth, predictions
        Files or folders that exist.
    """
    theirs = {path: path.stat().st_size for path in _files(predictions)}
    by_size: dict[int, list[Path]] = {}
    for path in _files(truth):
        by_size.setdefault(path.stat().st_size, []).append(path)
    # Sizes first: most predictions need not be read a second time.
    if not any(size > NOTHING for size in theirs.values()) or not all(size in by_size for size in theirs.values()):
        return None
    hashes: dict[int, set[str]] = {}
    for path, size in theirs.items():
        if size not in hashes:
            hashes[size] = {files.sha256_of(one) for one in by_size[size]}
        if files.sha256_of(path) not in hashes[size]:
            return None
    of = count_text(len(theirs), "file")
    name = strangers.real(predictions).name
    return f"{name}: the labels are scored against themselves: {of}, all with the SHA-256 of files of the ground truth"


def _files(path: Path) -> list[Path]:
    inside = inside_release(path)
    return [inside] if inside.is_file() else sorted(one for one in inside.rglob("*") if one.is_file())
