"""Files that came, went or have other bytes, but for tables: media, what repeats the tables, calibrations, documents."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import pyarrow as pa

from scrubin.base import file_lists, strangers, unpacking
from scrubin.base.errors import ReleaseError
from scrubin.data.diff import Difference, Step, difference_of_data, errata, tables
from scrubin.data.diff.snapshot import DOCUMENT, Recordings, Released
from scrubin.data.diff.tables import EXAMPLES

UNSEEN = "unseen contents of "
"""How it is said of files that one copy lacks, and other hashes; such a change counts as the largest that it can be."""
FOLDER = "calibration/"
# As Scrub-in writes them: so that no reader of YAML is needed to compare two releases.
_RECORDINGS = re.compile(r"^recordings:\n((?:   - .*\n)*)", re.MULTILINE)
_ID = re.compile(r'   - "(.*)"\n')


def is_one(name: str) -> bool:
    """Whether a file of a release is a calibration.

    >>> is_one("calibration/rig_1.yaml"), is_one("calibration/notes.txt")
    (True, False)
    """
    return name.startswith(FOLDER) and name.endswith(".yaml")


def differences_of_calibrations(old: Released, new: Released, recordings: Recordings) -> Iterator[Difference]:
    """Yield whose calibration came, went or has other numbers.

    Raises
    ------
    ReleaseError
        When a calibration cannot be read.
    """
    listed = [(of, name) for of in (old, new) for name in of.sha256 if is_one(name)]
    if any(of.lacks(name) for of, name in listed):
        for of, name in listed:
            if not of.lacks(name):
                of.path(name)  # what is there is as it is listed
        gone, come = (Counter(sha256 for name, sha256 in of.sha256.items() if is_one(name)) for of in (old, new))
        if most := max((gone - come).total(), (come - gone).total()):
            yield difference_of_data("calibrations", f"{UNSEEN}{FOLDER}", "changed", most, "files")
        return
    before, after = ({recordings.renamed.get(id_, id_): said for id_, said in _by_recording(old).items()}, _by_recording(new))
    alone = recordings.added | recordings.removed
    changes = {
        "added": after.keys() - before.keys(),
        "removed": before.keys() - after.keys(),
        "changed": {id_ for id_ in before.keys() & after.keys() if before[id_] != after[id_]},
    }
    for change, ids in changes.items():
        if those := sorted(ids - alone):
            examples = tuple({"id": id_} for id_ in those[:EXAMPLES])
            yield difference_of_data("calibrations", FOLDER, change, len(those), "recordings", recordings=Counter(those), examples=examples)


def _by_recording(released: Released) -> dict[str, str]:
    """Return what the calibration of each recording says, by id, but for the other recordings that have it."""
    said: dict[str, str] = {}
    for name in sorted(released.sha256):
        if is_one(name):
            try:
                text = strangers.read_text(released.path(name))
            except (OSError, ValueError) as error:
                raise ReleaseError(f"{name}: it cannot be read ({error}); run 'scrubin verify {released.folder}'") from error
            listed = _RECORDINGS.search(text)
            said |= dict.fromkeys(_ID.findall(listed[1]) if listed else [name], _RECORDINGS.sub("", text))
    return said


# What is in one of these is known by one of these columns.
FORM, CHANGED = "form of ", ("contents of ", "changed")
KEYS = ("scheme", "fold", "id", "camera", "frame", "instance", "mark", "rater", "aspect", "error")
WORD = re.compile(r"[A-Za-z0-9]+")
ERRORS = (OSError, ValueError, LookupError, TypeError, csv.Error, zipfile.BadZipFile, pa.ArrowException)


def unseen(kind: str, name: str, old: Released, new: Released, step: Step) -> list[Difference] | None:
    """Return how a file differs that one copy lacks, by its hash alone; None: it is here and can be read."""
    if not old.lacks(name) and not new.lacks(name):
        return None
    return [] if old.sha256.get(name) == new.sha256.get(name) else [Difference(kind, f"{UNSEEN}{name}", "changed", step, 1, "files")]


def change_of_content(old: Path, new: Path, recordings: Recordings) -> tuple[str, str] | None:
    """Return whether contents of a file ``changed``, also where rows are gone, or were only ``added``, or its form changed.

    None: the same. The form is in which order the columns are, and what is between the cells of a sheet.

    Parameters
    ----------
    old, new
        The file in both releases.
    recordings
        Which the releases have: renamed ones count as the same, and those that only one release has do not count.

    Raises
    ------
    ReleaseError
        When a file cannot be read.
    """
    alone = recordings.added | recordings.removed
    before, after = _of_others(_read(old, recordings.renamed), alone), _of_others(_read(new, {}), alone)
    shared = [one for one in before.column_names if one in after.column_names]
    if len(shared) < len(before.column_names) or any(not tables.same_type(before[one].type, after[one].type) for one in shared):
        return CHANGED
    key = [one for one in KEYS if one in shared] or shared
    pairing = tables.pair(before, after, key)
    differs = tables.differing(before, after, pairing, [one for one in shared if one not in key])
    if len(pairing.removed) or any(one.any() for one in differs.values()):
        return CHANGED
    # A key that no row of the old file had twice tells rows apart, and a second row of it contradicts the first; whole rows are none.
    if key != shared and not len(tables.again(before, key)) and len(np.intersect1d(pairing.added, tables.again(after, key))):
        return CHANGED
    if len(pairing.added) or len(after.column_names) > len(shared):
        return "contents of ", "added"
    same_form = before.column_names == after.column_names and _delimiter(before) == _delimiter(after)
    return None if same_form else (FORM, "changed")


def _delimiter(sheet: pa.Table) -> bytes | None:
    return (sheet.schema.metadata or {}).get(b"delimiter")


def _of_others(table: pa.Table, ids: frozenset[str]) -> pa.Table:
    """Return the rows of a file that are not of these recordings."""
    if not ids or not {"id", "line"} & set(table.column_names):
        return table
    if "id" in table.column_names:
        return tables.of_others(table, ids)[0]
    return table.filter(pa.array([not ids & set(WORD.findall(line)) for line in table["line"].to_pylist()], pa.bool_()))


def _read(path: Path, renamed: Mapping[str, str]) -> pa.Table:
    try:
        if path.suffix in TEXTS:
            return tables.plain(TEXTS[path.suffix](_renamed(strangers.read_text(path), renamed)))
        if path.suffix == ".npz":
            return tables.plain(_arrays(path))
        return Recordings(frozenset(), frozenset(), renamed, frozenset()).brought_over(tables.plain(unpacking.parquet(path, path)))
    except ERRORS as error:
        msg = f"{path}: it cannot be read ({type(error).__name__}: {error}); 'scrubin verify' says what is wrong with the copy"
        raise ReleaseError(msg) from error


def _renamed(text: str, renamed: Mapping[str, str]) -> str:
    """Return a text with the new ids of recordings, where one stands as a whole word."""
    if not renamed:
        return text
    return WORD.sub(lambda word: renamed.get(word[0], word[0]), text)


def _sheet(text: str) -> pa.Table:
    header = text.partition("\n")[0]
    delimiter = ";" if header.count(";") > header.count(",") else ","
    lines = csv.reader(io.StringIO(text), delimiter=delimiter)
    names, body = next(lines, []), []
    if twice := [name for at, name in enumerate(names) if name in names[:at]]:
        raise ValueError(f"line 1: two columns are called {twice[0]!r}")
    for line in filter(None, lines):
        if len(line) != len(names):
            raise ValueError(f"line {lines.line_num}: expected {len(names)} cells as in line 1, but got {len(line)}")
        body.append(line)
    columns = {name: pa.array([line[at] for line in body], pa.string()) for at, name in enumerate(names)}
    return pa.table(columns, metadata={"delimiter": delimiter})


def _arrays(path: Path) -> pa.Table:
    """Return arrays by frame, each row of one as its bytes; an array that does not go by frame is a column that is named by its content."""
    stored = unpacking.arrays(strangers.read_bytes(path), path, packed=True)
    arrays = {name: np.ascontiguousarray(array) for name, array in stored.items() if name != "stamp"}
    frames = arrays.pop("frame", np.zeros(1, dtype=np.int64))
    columns: dict[str, Any] = {"frame": pa.array(frames)}
    for name, array in sorted(arrays.items()):
        if array.ndim and len(array) == len(frames) and array.nbytes and not name.endswith("_ids"):
            row = pa.binary(array.nbytes // len(array))
            cells = pa.FixedSizeBinaryArray.from_buffers(row, len(array), [None, pa.py_buffer(array.tobytes())])
            columns[f"{name} {array.dtype} {array.shape[1:]}"] = cells
        else:
            content = hashlib.sha256(array.tobytes()).hexdigest()
            columns[f"{name} {array.dtype} {array.shape} {content}"] = pa.nulls(len(frames))
    return pa.table(columns)


def _document(text: str) -> pa.Table:
    document = strangers.json_value(text)
    if not isinstance(document, dict):
        return _lines([json.dumps(document, sort_keys=True)])
    if {"images", "annotations", "categories"} <= document.keys():
        return _lines(_coco(document))
    document.pop("stamp", None)
    frames = document.pop("frame", None)
    if not isinstance(frames, list):
        return _lines(json.dumps([name, value], sort_keys=True) for name, value in [*document.items(), ("frame", frames)])
    columns = {"frame": frames}
    for name, value in sorted(document.items()):
        columns[name] = value if isinstance(value, list) and len(value) == len(frames) else [value] * len(frames)
    # Without a frame, too, these are texts.
    return pa.table({name: pa.array([json.dumps(cell, sort_keys=True) for cell in cells], pa.string()) for name, cells in columns.items()})


def _coco(document: Mapping[str, Any]) -> Iterable[str]:
    """Yield images, boxes and classes of a COCO file; ids of images and boxes only number them."""
    names = {image["id"]: image["file_name"] for image in document["images"]}
    for image in document["images"]:
        yield json.dumps(["image", {**image, "id": None}], sort_keys=True)
    for box in document["annotations"]:
        yield json.dumps([names[box["image_id"]], {**box, "id": None, "image_id": None}], sort_keys=True)
    for category in document["categories"]:
        yield json.dumps(["category", category], sort_keys=True)


def _lines(lines: Iterable[str]) -> pa.Table:
    return pa.table({"line": pa.array(list(lines), pa.string())})


TEXTS: Mapping[str, Callable[[str], pa.Table]] = {
    ".csv": _sheet,
    ".json": _document,
    ".txt": lambda text: _lines(text.splitlines()),
    ".ini": lambda text: _lines(["\n".join(text.splitlines())]),  # a line belongs to the section above it
}
FORMS = frozenset({*TEXTS, ".npz", ".parquet"})
"""Files with one of these suffixes are compared by what is in them; others by their bytes."""

KIND_OF_FOLDER = {"videos": "videos", "frames": "frames", "groundtruth": "groundtruth", "splits": "splits", "Annotation": "scores"}
REPEATING = ("groundtruth", "splits", "Annotation")
"""Folders that repeat tables in other forms: a new row is an addition, although the file has other bytes."""
LISTS = ("files.json", "manifest.json", "README.md")
"""Of these folders: they say what is in them."""
DOCUMENTS = ("archives", "metadata")
"""Folders that follow from the rest."""


def differences_of_files(old: Released, new: Released, recordings: Recordings, videos_changed: Collection[str]) -> Iterator[Difference]:
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
        elif old.lacks(before[name] or name) or new.lacks(name):
            changes[kind, f"{UNSEEN}{group}", "changed"].append(name)
        elif found := change_of_content(old.path(before[name] or name), new.path(name), recordings):
            changes[kind, f"{found[0]}{group}", found[1]].append(name)
    for (kind, group, change), names in sorted(changes.items()):
        yield _difference(kind, group, change, names, recordings)


def of_recordings(released: Released, ids: Collection[str], recordings: Recordings) -> Counter[str]:
    """Return how many files a release has of each of some recordings."""
    return Counter(id_ for name in released.sha256 if (id_ := recordings.of_path(name)) in ids and id_ is not None)


def _counts(name: str, recordings: Recordings) -> bool:
    """Whether a file is compared here: not a table, not a list of lists, and of no recording that only one release has."""
    if (
        name in (DOCUMENT, file_lists.CHECKSUMS, errata.RELEASED)
        or is_one(name)
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
    return path.parts[0] in REPEATING and path.suffix in FORMS


def _difference(kind: str, group: str, change: str, names: list[str], recordings: Recordings) -> Difference:
    whose: Mapping[str, int] = Counter(id_ for name in names if (id_ := recordings.of_path(name)) is not None)
    examples = tuple({"file": name} for name in names[:EXAMPLES])
    if group in ("archives", "documents") or group.startswith(FORM):
        return Difference(kind, group, change, Step.PATCH, len(names), "files", examples=examples)
    return difference_of_data(kind, group, change, len(names), "files", recordings=whose, examples=examples)
