"""Where our ground truth lies in a release, and in it the files of a metric: in the whole, one vocabulary, or one subset of a split."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from scrubin.errors import MetricsError
from scrubin.vocabulary import vocabulary
from scrubin.vocabulary.vocabulary import Vocabulary

PARTS = {
    "recognition": ("recognition", "recognition.parquet"),
    "detection": ("detection", "coco.json"),
    "phases": ("phases",),
    "skill": ("skill",),
    "errors": ("errors",),
}
"""By metric, the folder or file that it takes, the first that is there."""
DEFAULT = "cholect50"
"""The vocabulary of files of triplets that nothing names."""
RELEASED = "groundtruth"
"""The folder of a release that is the ground truth, which has a manifest."""
MANIFEST = "manifest.json"
SUBSET = "files.json"
"""What a subset of a split has: the list of its recordings."""


def inside_release(path: Path) -> Path:
    """Return the ground truth of a released dataset; any other path as it is."""
    return path / RELEASED if (path / RELEASED / MANIFEST).is_file() else path


def part_of(path: Path, metric: str, words: str | None) -> Path:
    """Return the folder or file of a metric inside a ground truth of ours; any other path as it is.

    Parameters
    ----------
    path
        A file or folder.
    metric
        One of `PARTS`.
    words
        Name of the vocabulary, where there are several.

    Raises
    ------
    MetricsError
        When there are several vocabularies and none is named, or a subset does not have the metric's files.
    """
    if not path.is_dir():
        return path
    if (own := _first(path, PARTS[metric])) is not None:
        return own
    inside = {folder.name: found for folder in sorted(path.iterdir()) if (found := _first(folder, PARTS[metric])) is not None}
    if words is not None:
        inside = {name: found for name, found in inside.items() if name == words}
    if len(inside) > 1:
        msg = f"{path}: there are several vocabularies ({', '.join(inside)}); name one by --vocabulary"
        raise MetricsError(msg)
    if not inside and (path / SUBSET).is_file():
        msg = (
            f"{path}: a subset has no {metric} of its own; name the whole ground truth, and the subset by --videos SPLIT.csv --subset NAME"
        )
        raise MetricsError(msg)
    return next(iter(inside.values()), path)


def vocabulary_of(path: Path) -> str | None:
    """Return the vocabulary that a part of a ground truth is named after: its own folder, or one above it."""
    return next((part for part in (path.name, path.parent.name, path.parent.parent.name) if part in vocabulary.known()), None)


def triplet_words(path: Path, name: str | None) -> Vocabulary:
    """Return the vocabulary of triplets that is named, else that which a part is named after, else CholecT50's."""
    return vocabulary.load(name or vocabulary_of(path) or DEFAULT)


def _first(folder: Path, names: Sequence[str]) -> Path | None:
    return next((folder / name for name in names if (folder / name).exists()), None) if folder.is_dir() else None
