"""Whether a ground truth is whole, unchanged, of the tables that somebody has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from scrubin.base import strangers, unpacking
from scrubin.base.errors import AnnotationError, TableError
from scrubin.base.files import sha256_of
from scrubin.base.tables import io
from scrubin.base.tables.public import FRAMES, LABELLED, PHASES, TRIPLETS
from scrubin.base.vocabulary import vocabulary
from scrubin.labels import truth
from scrubin.labels.truth import Layer
from scrubin.stages.groundtruth import INPUTS, LIST, MANIFEST, README_NAME, SIDECAR, contents, digest

FRAME_COUNTS = ("recognition_frames", "phase_frames")
AGAIN = "run 'dvc repro groundtruth', or download it again"


def check(folder: Path, tables: Mapping[str, Path]) -> list[str]:
    """Return what is wrong with a ground truth, one sentence each; none is good.

    Every file is hashed again and held to the manifest, every stamp is held to the manifest, and its
    tables and vocabularies to those that are here.

    Parameters
    ----------
    folder
        The ground truth.
    tables
        Parquet files by the name of the table, as many as there are.

    Raises
    ------
    TableError
        When there is no manifest, or it is none.
    """
    manifest = _manifest(folder / MANIFEST)
    single, together = contents(folder)
    hashes = {name: sha256_of(path) for name, path in single.items()}
    folders = {name: digest(paths) for name, paths in together.items()}
    return [
        *_changes(hashes, manifest["files"], "file"),
        *_changes(folders, manifest["folders"], "folder"),
        *of_tables(manifest["inputs"], tables, MANIFEST),
        *_labelled_frames(manifest, tables),
        *_vocabularies(manifest["vocabularies"]),
        *_stamps(folder, single, manifest),
        *_lists(single, {**hashes, **folders}, manifest),
    ]


def stamp_of(path: Path) -> Mapping[str, Any]:
    """Return the stamp of a file: in it (npz, parquet, JSON), or in what lists the files of its folder.

    Raises
    ------
    TableError
        When it cannot be read, or there is none.
    """
    stamp = _read(path)
    for parent in path.parents if stamp is None else ():
        lists = [file for file in (parent / LIST, parent.parent / f"{parent.name}{SIDECAR}") if file.is_file()]
        if lists:
            stamp = _read(lists[0])
            break
        if (parent / MANIFEST).is_file():
            break
    if not isinstance(stamp, dict):
        raise TableError(f"{path}: has no stamp, and there is none beside its folder; {AGAIN}")
    return stamp


def _read(path: Path) -> Any:
    """Return the stamp that a file holds itself, None when it has none."""
    try:
        if path.suffix == ".npz":
            arrays = unpacking.arrays(strangers.read_bytes(path), path, packed=True)
            return strangers.json_value(str(arrays["stamp"]), path) if "stamp" in arrays else None
        if path.suffix == ".parquet":
            text = (unpacking.parquet_schema(path).metadata or {}).get(b"stamp")
            return None if text is None else strangers.json_value(text, path)
        if path.suffix == ".json":
            document = strangers.read_json(path)
            return document.get("stamp") or document.get("info", {}).get("stamp") if isinstance(document, dict) else None
    except (OSError, ValueError, AttributeError) as error:
        raise TableError(f"{path}: cannot be read ({type(error).__name__}); {AGAIN}") from error
    return None


def of_tables(inputs: Mapping[str, str], tables: Mapping[str, Path], place: str) -> Iterator[str]:
    """Yield each table that is not the one that was used; ``inputs`` are the hashes of a stamp."""
    for name, expected in sorted(inputs.items()):
        if name not in tables:
            continue
        if not tables[name].is_file():
            yield f"{tables[name]}: is missing, but {place} was made of the table '{name}'; put it there"
        elif sha256_of(tables[name]) != expected:
            yield f"{place}: was made of another table '{name}' than {tables[name]}; {AGAIN}"


def _labelled_frames(manifest: Mapping[str, Any], tables: Mapping[str, Path]) -> Iterator[str]:
    """Yield recordings of which more or fewer frames are labelled than the manifest counts: stamps do not name that table."""
    if not all(name in tables and tables[name].is_file() for name in ("labelled", "frames")):
        return
    if sha256_of(tables["frames"]) != manifest["inputs"].get("frames"):
        return  # which is a fault of its own
    counted = manifest["recordings"]
    try:
        labelled, frames = (io.read(table, tables[table.name]) for table in (LABELLED, FRAMES))
        there = truth.with_files(truth.of_tables(labelled, io.frame_of(TRIPLETS, []), io.frame_of(PHASES, [])), frames)
    except (TableError, AnnotationError) as error:
        yield str(error)
        return
    frames_of = {one.id: {"recognition_frames": _count(one.instances), "phase_frames": _count(one.phases)} for one in there}
    for id_ in sorted(frames_of.keys() | counted.keys()):
        for name, frame_count in frames_of.get(id_, dict.fromkeys(FRAME_COUNTS)).items():
            expected = facts.get(name) if isinstance(facts := counted.get(id_), Mapping) else None
            if frame_count != expected:
                yield f"{MANIFEST}: {id_} has {expected or 'no'} {name}, but {frame_count or 'none'} by the table 'labelled'; {AGAIN}"


def _count(layer: Layer | None) -> int | None:
    return None if layer is None else len(layer.frames)


def _manifest(path: Path) -> Mapping[str, Any]:
    keys = {"frame_contract", "definitions", "inputs", "vocabularies", "recordings", "files", "folders"}
    try:
        document = strangers.read_json(path)
    except (OSError, ValueError) as error:
        msg = f"{path}: cannot be read as JSON ({type(error).__name__}); name the folder of a ground truth, or {AGAIN}"
        raise TableError(msg) from error
    whole = (
        isinstance(document, dict) and keys <= document.keys() and all(isinstance(document[key], dict) for key in keys - {"frame_contract"})
    )
    if not whole or not all(isinstance(facts, dict) for facts in document["vocabularies"].values()):
        raise TableError(f"{path}: is not the manifest of a ground truth, which has {', '.join(sorted(keys))}; {AGAIN}")
    return dict(document)


def _changes(here: Mapping[str, Any], expected: Mapping[str, Any], what: str) -> Iterator[str]:
    for name in sorted(here.keys() | expected.keys()):
        if name not in here:
            yield f"{name}: the {what} is missing; {AGAIN}"
        elif name not in expected:
            yield f"{name}: {MANIFEST} does not name this {what}; take it out"
        elif here[name] != expected[name]:
            yield f"{name}: the {what} has changed since {MANIFEST} was written; {AGAIN}"


def _vocabularies(stated: Mapping[str, Any]) -> Iterator[str]:
    for name, facts in sorted(stated.items()):
        try:
            loaded = vocabulary.load(name)
        except AnnotationError as error:
            yield f"{MANIFEST}: {error}"
            continue
        if (loaded.version, loaded.sha256) != (facts.get("version"), facts.get("sha256")):
            yield f"{MANIFEST}: its vocabulary '{name}' {facts.get('version')} is not the one that is here, {loaded.version}; {AGAIN}"


def _stamps(folder: Path, single: Mapping[str, Path], manifest: Mapping[str, Any]) -> Iterator[str]:
    """Yield stamps that do not say what the manifest says, and files that have none."""
    for name, path in single.items():
        if name == README_NAME:
            continue
        try:
            wrong = _differences(stamp_of(path), manifest)
        except TableError as error:
            yield str(error).replace(f"{folder}/", "")
            continue
        if wrong:
            yield f"{name}: its stamp does not say the same as {MANIFEST} of {', '.join(wrong)}; {AGAIN}"


def _differences(stamp: Mapping[str, Any], manifest: Mapping[str, Any]) -> list[str]:
    content, named = str(stamp.get("kind")), stamp.get("vocabulary")
    tables = INPUTS.get(content, frozenset()) | ({"splits"} if "split" in stamp else frozenset())
    facts = manifest["vocabularies"].get(named.get("name"), {}) if isinstance(named, dict) else {}
    same = {
        "kind": content in INPUTS,
        "tables": stamp.get("inputs") == {name: manifest["inputs"].get(name) for name in tables},
        "vocabulary": named is None or all(facts.get(key) == named.get(key) for key in ("version", "sha256")),
        "frame contract": stamp.get("frame_contract") == manifest["frame_contract"],
        "definition": stamp.get("definition") == manifest["definitions"].get(content),
    }
    return [what for what, agrees in same.items() if not agrees]


def _lists(single: Mapping[str, Path], here: Mapping[str, Any], manifest: Mapping[str, Any]) -> Iterator[str]:
    """Yield lists of files that state another hash than the files have; a list that has changed itself is told already."""
    for name, path in single.items():
        is_sidecar = name.endswith(SIDECAR)
        if not (is_sidecar or path.name == LIST) or here[name] != manifest["files"].get(name):
            continue
        below = f"{name.removesuffix(SIDECAR)}/" if is_sidecar else name.removesuffix(LIST)
        document = strangers.read_json(path)
        if not isinstance(document, dict):  # then it has no stamp either, which is told
            continue
        stated = {f"{below}{key}": value for section in ("files", "folders") for key, value in document.get(section, {}).items()}
        for of_one in document.get("recordings", {}).values():
            stated |= {**of_one["files"], **of_one["folders"]}
        wrong = sorted(key for key, value in stated.items() if here.get(key) != value)
        if wrong:
            yield f"{name}: states other hashes than {len(wrong)} files have, {wrong[0]} first; {AGAIN}"
