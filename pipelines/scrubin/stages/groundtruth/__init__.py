"""What a ground truth was made of: a stamp per file, ``manifest.json``, ``README.md``."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from scrubin.base.files import sha256_of, write_json
from scrubin.base.ground_truth import DEFINITIONS, FRAME_CONTRACT, FRAMES_PER_SECOND, README
from scrubin.base.vocabulary.vocabulary import Vocabulary


@dataclass(frozen=True)
class GroundtruthParams:
    """The section ``groundtruth``."""


MANIFEST = "manifest.json"
README_NAME = "README.md"
LIST = "files.json"
"""What the folder of a subset holds, and what its recordings have elsewhere."""
SIDECAR = ".stamp.json"
"""Ending of the file beside a folder whose files have no room for a stamp."""
FRAMES = "frames"
"""The folder of YOLO labels, one file per frame: they are stamped together, per recording."""
LABELS = frozenset({"annotations", "frames", "triplets"})
INPUTS: Mapping[str, frozenset[str]] = {
    "recognition": LABELS,
    "detection": LABELS,
    "coco": LABELS,
    "yolo": LABELS,
    "phases": frozenset({"annotations", "frames", "phases"}),
    "skill": frozenset({"skill", "splits"}),
    "errors": frozenset({"errors", "splits"}),
    "masks": LABELS | {"hidden", "masks"},
    "points": LABELS | {"masks", "points"},
    "tracks": LABELS | {"tracks"},
    "marks": frozenset({"annotations", "frames", "marks"}),
    "subset": frozenset({"annotations", "errors", "frames", "phases", "skill", "splits", "triplets"}),
}
"""What each kind of file is made of: tables, as ``annotations`` the labels before they were tables, as ``hidden`` what is black.

The table ``labelled`` is not named, because files that were stamped before it was there stay as they are:
``verification`` holds its frames to the counts of the manifest.
"""
BEYOND = frozenset({"hidden", "marks", "masks", "points", "tracks"})
"""What only files of these kinds are made of: stamps of the others name none of it."""
RELEASED = (INPUTS["subset"] | BEYOND | {"labelled"}) - {"annotations", "hidden"}
"""The tables of a release that a ground truth is held to."""


@dataclass(frozen=True, order=True)
class Subset:
    """One subset of one fold of one scheme."""

    scheme: str
    fold: int
    subset: str

    @property
    def folder(self) -> str:
        """Where its files lie below the ground truth."""
        return f"splits/{self.scheme}/{self.fold}/{self.subset}"


@dataclass(frozen=True)
class Stamps:
    """Makes stamps.

    Parameters
    ----------
    inputs
        SHA-256 of every input, by name.
    """

    inputs: Mapping[str, str]

    @classmethod
    def of_files(cls, paths: Mapping[str, Path], labels_sha256: Path) -> Stamps:
        """Return the stamps of a run.

        Parameters
        ----------
        paths
            The tables that stamps name, and perhaps others.
        labels_sha256
            A text file with the digest of the labels, as the stage annotations writes it.
        """
        tables = (INPUTS["subset"] | BEYOND) & paths.keys()
        return cls({"annotations": labels_sha256.read_text(encoding="ascii").strip()} | {name: sha256_of(paths[name]) for name in tables})

    def of(self, content: str, vocabulary: Vocabulary | None, subset: Subset | None = None) -> dict[str, Any]:
        """Return the stamp of a file.

        Parameters
        ----------
        content
            What the file holds, a key of `INPUTS`.
        vocabulary
            Vocabulary of its ids; None where it has none.
        subset
            The subset that it was taken for; None for all recordings, or one.
        """
        names = INPUTS[content] | ({"splits"} if subset else set())
        stamp = {
            "kind": content,
            "definition": DEFINITIONS[content],
            "frame_contract": FRAME_CONTRACT,
            "inputs": {name: self.inputs[name] for name in sorted(names)},
            "vocabulary": None
            if vocabulary is None
            else {"name": vocabulary.name, "version": vocabulary.version, "sha256": vocabulary.sha256},
        }
        return stamp if subset is None else {**stamp, "split": {"scheme": subset.scheme, "fold": subset.fold, "subset": subset.subset}}


def readme() -> str:
    """Return the text of ``README.md``."""
    return README.format(contract=FRAME_CONTRACT)


def manifest(
    folder: Path, inputs: Mapping[str, str], vocabularies: Iterable[Vocabulary], recordings: Mapping[str, Mapping[str, Any]], fps: Fraction
) -> dict[str, Any]:
    """Return the stamp of a finished folder.

    Parameters
    ----------
    folder
        The ground truth; all files in it are named by their SHA-256.
    inputs
        SHA-256 of what it was made from, by name.
    recordings
        Counts per released id.
    fps
        Extracted frames per second.
    """
    single, folders = contents(folder)
    return {
        "frame_contract": FRAME_CONTRACT,
        FRAMES_PER_SECOND: str(fps),
        "definitions": DEFINITIONS,
        "inputs": dict(inputs),
        "vocabularies": {
            vocabulary.name: {"version": vocabulary.version, "sha256": vocabulary.sha256, "source": vocabulary.source}
            for vocabulary in vocabularies
        },
        "recordings": recordings,
        "files": {name: sha256_of(path) for name, path in single.items()},
        "folders": {name: digest(paths) for name, paths in folders.items()},
    }


def contents(folder: Path) -> tuple[dict[str, Path], dict[str, list[Path]]]:
    """Return all files of a folder but its manifest, by relative name: single ones, and those of one recording's frames by their folder."""
    single: dict[str, Path] = {}
    together: dict[str, list[Path]] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if not path.is_file() or name.as_posix() == MANIFEST:
            continue
        if FRAMES in name.parts[:-1]:
            together.setdefault(name.parent.as_posix(), []).append(path)
        else:
            single[name.as_posix()] = path
    return single, together


def digest(paths: Iterable[Path]) -> dict[str, Any]:
    """Return number and SHA-256 of the files of one folder together.

    It is what ``sha256sum *.txt | sha256sum`` says in that folder (sorted by bytes, ``LC_ALL=C``).
    """
    ordered = sorted(paths)
    lines = "".join(f"{sha256_of(path)}  {path.name}\n" for path in ordered)
    return {"count": len(ordered), "sha256": hashlib.sha256(lines.encode()).hexdigest()}


def write_sidecar(folder: Path, stamp: Mapping[str, Any]) -> None:
    """Write the stamp of the files of a folder beside it, with their hashes: they have no room for it themselves."""
    single, together = contents(folder)
    hashes = {name: sha256_of(path) for name, path in single.items()}
    sidecar = {"stamp": stamp, "files": hashes, "folders": {name: digest(paths) for name, paths in together.items()}}
    write_json(folder.with_name(f"{folder.name}{SIDECAR}"), sidecar)


def compact(value: Any) -> str:
    """Return JSON on one line: indented, every coordinate would have a line of its own."""
    return json.dumps(value, sort_keys=True, allow_nan=False, ensure_ascii=False, separators=(",", ":")) + "\n"
