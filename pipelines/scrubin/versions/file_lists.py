"""Files that came, went or have other bytes, but for tables: media, what repeats the tables, and documents."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from pathlib import PurePosixPath

from scrubin.core import checksum_list
from scrubin.versions import calibrations, errata, file_contents
from scrubin.versions.difference import Difference, Step, of_data
from scrubin.versions.released import DOCUMENT, Released
from scrubin.versions.renaming import Recordings
from scrubin.versions.table_contents import EXAMPLES

KIND_OF_FOLDER = {"videos": "videos", "frames": "frames", "groundtruth": "groundtruth", "splits": "splits", "Annotation": "scores"}
REPEATING = ("groundtruth", "splits", "Annotation")
"""Folders that repeat tables in other forms: a new row is an addition, although the file has other bytes."""
LISTS = ("files.json", "manifest.json", "README.md")
"""Of these folders: they say what is in them."""
DOCUMENTS = ("archives", "metadata")
"""Folders that follow from the rest."""


def differences(old: Released, new: Released, recordings: Recordings, videos_changed: Collection[str]) -> Iterator[Difference]:
    """Yield what differs in the lists of files.

    Parameters
    ----------
    old, new
        Both releases.
    recordings
        Which they have; files of those that only one has are counted with them.
    videos_changed
        Paths of videos of which the tables already say that their bytes differ.
    """
    before = {recordings.path(name): name for name in old.sha256} if recordings.renamed else dict.fromkeys(old.sha256)
    stated = {name: old.sha256[original] for name, original in before.items() if original} or old.sha256
    differ = {name for name, _ in stated.items() ^ new.sha256.items()}
    changes: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for name in sorted(name for name in differ if _counts(name, recordings)):
        kind, group = _group(name)
        if name not in before or name not in new.sha256:
            changes[kind, group, "added" if name not in before else "removed"].append(name)
        elif not _repeats(name):
            if name not in videos_changed:
                changes[kind, group, "changed"].append(name)
        elif change := file_contents.change(old.path(before[name] or name), new.path(name), recordings):
            changes[kind, f"contents of {group}", change].append(name)
    for (kind, group, change), names in sorted(changes.items()):
        yield _difference(kind, group, change, names, recordings)


def of_recordings(released: Released, ids: Collection[str], recordings: Recordings) -> Counter[str]:
    """Return how many files a release has of each of some recordings."""
    return Counter(id_ for name in released.sha256 if (id_ := recordings.of_path(name)) in ids and id_ is not None)


def _counts(name: str, recordings: Recordings) -> bool:
    """Whether a file is compared here: not a table, not a list of lists, and of no recording that only one release has."""
    if (
        name in (DOCUMENT, checksum_list.NAME, errata.RELEASED)
        or calibrations.is_one(name)
        or (name.startswith("tables/") and name.endswith(".parquet"))
    ):
        return False
    path = PurePosixPath(name)
    if path.parts[0] in REPEATING and (path.name in LISTS or path.name.endswith(".stamp.json")):
        return False
    whose = recordings.of_path(name)
    return whose not in recordings.added and whose not in recordings.removed


def _group(name: str) -> tuple[str, str]:
    """Return the kind of a file, and what it belongs to."""
    path = PurePosixPath(name)
    top = path.parts[0]
    if _is_document(path):
        return "files", "archives" if top == "archives" else "documents"
    kind = KIND_OF_FOLDER.get(top, "files")
    if top == "groundtruth":
        return kind, "/".join(path.parts[: 3 if len(path.parts) > 3 else 2])
    return kind, f"{top}/" if len(path.parts) > 1 else name


def _is_document(path: PurePosixPath) -> bool:
    if path.parts[0] in DOCUMENTS:
        return True
    return len(path.parts) == 1 and (path.suffix in (".md", ".cff", ".bib") or path.name in ("certificate.json", "LICENSE"))


def _repeats(name: str) -> bool:
    """Whether a file repeats tables in a form that can be read."""
    path = PurePosixPath(name)
    return path.parts[0] in REPEATING and path.suffix in file_contents.FORMS


def _difference(kind: str, group: str, change: str, names: list[str], recordings: Recordings) -> Difference:
    whose: Mapping[str, int] = Counter(id_ for name in names if (id_ := recordings.of_path(name)) is not None)
    examples = tuple({"file": name} for name in names[:EXAMPLES])
    if kind == "files" and group in ("archives", "documents"):
        return Difference(kind, group, change, Step.PATCH, len(names), "files", examples=examples)
    return of_data(kind, group, change, len(names), "files", recordings=whose, examples=examples)
