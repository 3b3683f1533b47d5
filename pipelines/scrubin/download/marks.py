"""By what a release is known, and what systems and programs leave in folders without asking."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

from scrubin.core import checksum_list

SUMS = checksum_list.NAME
FILES = "metadata/files.csv"
CROISSANT = "croissant.json"
README = "README.md"
BIBTEX = "metadata/citation.bib"
DATACITE = "metadata/datacite.json"
FACTS = "metadata/facts.json"
WITHDRAWN = "metadata/withdrawn.json"
VIDEOS = "tables/videos.parquet"
FRAMES = "tables/frames.parquet"
SPLITS = "tables/splits.parquet"
PROJECT = ("dvc.lock", "dvc.yaml", "params.yaml")
RELEASE = (CROISSANT, FILES, VIDEOS, FRAMES, "data_dictionary.md", "certificate.json", "groundtruth", "splits", "videos", "frames")
MAY_BE_EMPTY = frozenset({"Annotation", "archives", "calibration", "frames", "groundtruth", "metadata", "splits", "tables", "videos"})
DEPTH = 3
"""So many folders deeper a release is looked for, to say where it is."""

_LITTER_FOLDERS = frozenset(
    {"__MACOSX", "@eaDir", "$RECYCLE.BIN", "System Volume Information", "lost+found", ".git", ".dvc", ".cache", ".ipynb_checkpoints"}
    | {".Spotlight-V100", ".Trashes", ".fseventsd", ".TemporaryItems", ".DocumentRevisions-V100"}
)
_LITTER = re.compile(
    r"\.DS_Store|\._.*|Thumbs\.db(:encryptable)?|ehthumbs(_vista)?\.db|desktop\.ini|\.directory|\.nfs[0-9a-f]+|\.localized|Icon\r"
    r"|\.~lock\..*#|\..*\.sw[op]|\.git(ignore|attributes|keep)|\.dvcignore|\.fuse_hidden.*|\.Trash-\d+",
    re.IGNORECASE,
)
_UNFINISHED = re.compile(
    r"(?P<name>.+?)\.(?:part|partial|crdownload|download|opdownload|aria2|filepart|tmp|temp|incomplete|unfinished|!ut|!qb|bc!|st)",
    re.IGNORECASE,
)
_HIDDEN_PART = re.compile(r"\.(?:part-)?(?P<name>.+?\.[A-Za-z0-9]{2,7})(?:\.[A-Za-z0-9]{6})?")


def is_release(folder: Path) -> bool:
    """Whether a folder is a release: it has the list of checksums, or is no project and has what only releases have."""
    if (folder / SUMS).exists():
        return True
    return not any((folder / name).exists() for name in PROJECT) and any((folder / name).exists() for name in RELEASE)


def inside(folder: Path) -> list[Path]:
    """Return the releases below a folder, so that a message can name them."""
    there = [path.parent for depth in range(1, DEPTH + 1) for path in sorted(folder.glob("*/" * depth + SUMS))]
    return [path for path in there if ".dvc" not in path.parts]


def is_litter(name: str) -> bool:
    """Whether a file or folder is what a system or program leaves behind by itself.

    >>> is_litter("videos/.DS_Store"), is_litter("__MACOSX/videos/a.mkv"), is_litter("videos/a.mkv")
    (True, True, False)
    """
    parts = name.split("/")  # a path as an object costs more than all else, for many files
    return not _LITTER_FOLDERS.isdisjoint(parts) or _LITTER.fullmatch(parts[-1]) is not None


def unfinished(name: str) -> str | None:
    """Return the name of the file that an unfinished download wants to be; None when it is none by its name.

    >>> unfinished("videos/a.mkv.crdownload"), unfinished("videos/.a.mkv.Xy12ab"), unfinished("videos/a.mkv")
    ('videos/a.mkv', 'videos/a.mkv', None)
    """
    path = PurePosixPath(name)
    for pattern in (_UNFINISHED, _HIDDEN_PART):
        if match := pattern.fullmatch(path.name):
            return (path.parent / match["name"]).as_posix()
    return None
