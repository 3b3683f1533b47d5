"""Lists of files: what of a folder is nobody's work, and files with their SHA-256 in ``SHA256SUMS`` and ``metadata/files.csv``."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from scrubin.base.errors import ReleaseError

_LITTER_FOLDERS = frozenset(
    {"__MACOSX", "@eaDir", "$RECYCLE.BIN", "System Volume Information", "lost+found", ".git", ".dvc", ".cache", ".ipynb_checkpoints"}
    | {".Spotlight-V100", ".Trashes", ".fseventsd", ".TemporaryItems", ".DocumentRevisions-V100"}
)
_LITTER = re.compile(
    r"\.DS_Store|\._.*|Thumbs\.db(:encryptable)?|ehthumbs(_vista)?\.db|desktop\.ini|\.directory|\.nfs[0-9a-f]+|\.localized|Icon\r"
    r"|\.~lock\..*#|\..*\.sw[op]|\.git(ignore|attributes|keep)|\.dvcignore|\.fuse_hidden.*|\.Trash-\d+|~\$.*",
    re.IGNORECASE,
)


def is_litter(name: str) -> bool:
    """Whether a file or folder is what a system or program leaves behind by itself.

    >>> is_litter("videos/.DS_Store"), is_litter("__MACOSX/videos/a.mkv"), is_litter("videos/a.mkv")
    (True, True, False)
    """
    parts = name.split("/")  # a path as an object costs more than all else, for many files
    return not _LITTER_FOLDERS.isdisjoint(parts) or _LITTER.fullmatch(parts[-1]) is not None


def is_of_system(name: str) -> bool:
    """Whether a file or folder is hidden or litter: a system's, an editor's or a file manager's own, and nobody's work.

    >>> [is_of_system(name) for name in (".a.json.swp", "Thumbs.db", "~$scores.xlsx", "scores.xlsx")]
    [True, True, True, False]
    """
    return name.rpartition("/")[2].startswith(".") or is_litter(name)


CHECKSUMS = "SHA256SUMS"
_CHECKSUM_LINE = re.compile(r"\\?([0-9a-fA-F]{64}) [ *](\S.*)")
"""GNU marks names that it had to escape by a backslash, and files read as binary by a star."""


def read_checksum(line: str) -> tuple[str, str] | None:
    """Return name and SHA-256 of a line without its end; None when it is none.

    >>> read_checksum("0" * 64 + " *a/b.csv")[0]
    'a/b.csv'
    """
    match = _CHECKSUM_LINE.fullmatch(line)
    return None if match is None else (match[2], match[1].lower())


def read_checksums(text: str) -> tuple[dict[str, str], list[int]]:
    """Return the SHA-256 by name, in the order of the list, and the numbers of the lines (from 1) that cannot be read."""
    sha256, odd = {}, []
    # Not splitlines(): a name may hold what other programs take for the end of a line.
    for number, line in enumerate(text.removesuffix("\n").split("\n") if text else [], start=1):
        entry = read_checksum(line.removesuffix("\r"))
        if entry is None:
            odd.append(number)
        else:
            sha256[entry[0]] = entry[1]
    return sha256, odd


def checksums_text(sha256: Mapping[str, str]) -> str:
    r"""Return a list that ``sha256sum --check`` reads, sorted by name.

    Raises
    ------
    ReleaseError
        For a name with a line break or a backslash, which it would have to escape.

    >>> checksums_text({"a/b.csv": "0" * 64})[60:]
    '0000  a/b.csv\n'
    """
    odd = sorted(name for name in sha256 if any(letter in name for letter in "\\\n\r"))
    if odd:
        raise ReleaseError(f"{odd[0]!r}: a file name may not hold a line break or a backslash; rename it")
    return "".join(f"{sha256[name]}  {name}\n" for name in sorted(sha256))


SAY_OF_OTHERS = ("README.md", ".stamp.json")
"""How files end that say what lies beside them: they are no data, and come with any part of a folder."""


def missing(listed: Collection[str], there: Collection[str], ids: Collection[str]) -> list[str]:
    """Return which listed files of recordings are gone of folders in which those of other recordings are there.

    Whoever takes a part on purpose takes whole folders, or single files: beside each other these serve different tasks.

    Parameters
    ----------
    listed, there
        Names that the list has, and those of them that are there.
    ids
        Of recordings: by them files are called, or folders, of which that of all counts.

    >>> missing(["phases/a.csv", "phases/b.csv", "coco.json", "masks.json"], ["phases/a.csv", "coco.json"], ["a", "b"])
    ['phases/b.csv']
    >>> missing(["tracks/a/gt.txt", "tracks/b/gt.txt"], ["tracks/a/gt.txt"], ["a", "b"])
    ['tracks/b/gt.txt']
    """
    folders = {name: folder for name in sorted(listed) if not name.endswith(SAY_OF_OTHERS) and (folder := _folder(name, ids)) is not None}
    begun = {folder for name, folder in folders.items() if name in there}
    return [name for name, folder in folders.items() if name not in there and folder in begun]


def _folder(name: str, ids: Collection[str]) -> str | None:
    """Return the folder of all recordings that a file of one is in; None for a file of none."""
    parts = name.split("/")  # a path as an object costs more than all else, for many files
    own = next((at for at, part in enumerate(parts) if part.partition(".")[0] in ids), None)
    return None if own is None else "/".join(parts[:own])


CROISSANT = "croissant.json"

FILE_LIST = "metadata/files.csv"
FILE_LIST_HEADER = "path,bytes,sha256"
NOT_IN_FILE_LIST = (FILE_LIST, CROISSANT, CHECKSUMS)
"""Files that are written when the others are; none of them is in the list."""


def file_list_text(sha256: Mapping[str, str], sizes: Mapping[str, int]) -> str:
    r"""Return the list, sorted by name.

    >>> file_list_text({"b.csv": "1" * 4, "a, b.csv": "0" * 4}, {"b.csv": 7, "a, b.csv": 0})
    'path,bytes,sha256\n"a, b.csv",0,0000\nb.csv,7,1111\n'
    """
    rows = (f"{_quoted(name)},{sizes[name]},{sha256[name]}" for name in sorted(sha256) if name not in NOT_IN_FILE_LIST)
    return "".join(f"{line}\n" for line in (FILE_LIST_HEADER, *rows))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"' if any(letter in name for letter in ',"') else name
