"""Labels scored against themselves: files of the predictions with the very bytes of files of the ground truth."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from scrubin.core.files import sha256_of
from scrubin.core.ranges import count_text


def notes(truth: Path, predictions: Sequence[Path]) -> list[str]:
    """Return a note for each path of predictions that has files of the ground truth.

    Parameters
    ----------
    truth, predictions
        Files or folders. Only files of the same size are read.
    """
    by_size: dict[int, list[Path]] = {}
    for path in _files(truth):
        by_size.setdefault(path.stat().st_size, []).append(path)
    hashes: dict[Path, str] = {}

    def sha256(path: Path) -> str:
        if path not in hashes:
            hashes[path] = sha256_of(path)
        return hashes[path]

    found = []
    for path in predictions:
        every = _files(path)
        same = [one for one in every if any(sha256(one) == sha256(other) for other in by_size.get(one.stat().st_size, ()))]
        if same:
            what = f"{len(same)} of {count_text(len(every), 'file')} of the predictions have the same SHA-256 as the ground truth"
            found.append(f"{path}: {what} (first: {same[0].name}); labels scored against themselves are perfect")
    return found


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    return sorted(one for one in path.rglob("*") if one.is_file() and one.stat().st_size)
