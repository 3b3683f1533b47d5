"""What a ground truth was made of and what it means: ``manifest.json`` and ``README.md``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from scrubin.core.files import sha256_of
from scrubin.vocabulary.ground_truth import DEFINITIONS, FRAME_CONTRACT, README
from scrubin.vocabulary.vocabulary import Vocabulary


def readme() -> str:
    """Return the text of ``README.md``."""
    return README.format(contract=FRAME_CONTRACT)


def manifest(
    folder: Path, inputs: Mapping[str, Path], vocabularies: Iterable[Vocabulary], recordings: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """Return the stamp of a finished folder.

    Parameters
    ----------
    folder
        The ground truth; all files in it are named by their SHA-256.
    inputs
        The tables it was made from, by name.
    recordings
        Counts per released id.
    """
    return {
        "frame_contract": FRAME_CONTRACT,
        "definitions": DEFINITIONS,
        "inputs": {name: sha256_of(path) for name, path in inputs.items()},
        "vocabularies": {words.name: {"version": words.version, "sha256": words.sha256, "source": words.source} for words in vocabularies},
        "recordings": recordings,
        "files": {path.relative_to(folder).as_posix(): sha256_of(path) for path in sorted(folder.rglob("*")) if path.is_file()},
    }
