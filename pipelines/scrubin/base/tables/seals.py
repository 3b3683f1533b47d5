"""Seals of private files: something in each that nobody outside can know, so that nobody who has its hash can guess what is in it.

``dvc.lock`` holds the MD5 of every output of a stage, the certificate the SHA-256 of some, and both may be public. A small table or
document can be guessed, written as its stage writes it, and compared. A seal is the same in every run, and readers pass over it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from scrubin.base import strangers
from scrubin.base.files import write_json, write_text

RANDOM = "random"
"""What a seal is called in a file, as the column of ``withdrawn.csv`` that is there for the same reason."""
ROWS = "rows"
"""What the document of a list calls the list."""
DOMAIN = "scrub-in: seal of private files"


@dataclass(frozen=True)
class Seal:
    """Seals the files of a study.

    Parameters
    ----------
    secret
        64 hex digits; see `of_files` and `of_draws`.
    """

    secret: str

    def of(self, name: str) -> str:
        """Return the seal of a file: who learns that of one knows none of another.

        Parameters
        ----------
        name
            Of the file, without its folder.
        """
        return _digest(["file", self.secret, name])


def of_files(recordings: pd.DataFrame) -> Seal:
    """Return the seal that follows from the bytes of all raw files; it changes when one of them does.

    Parameters
    ----------
    recordings
        The table of this name. Where not even one file could be read there is nothing to seal with.
    """
    return Seal(_digest(["files", *sorted(set(recordings["sha256"].dropna()))]))


def of_draws(linkage: pd.DataFrame) -> Seal:
    """Return the seal that follows from the study's key: another file of the same recordings does not change it.

    Parameters
    ----------
    linkage
        The table of this name.
    """
    return Seal(_digest(["draws", *(f"{draw}" for draw in sorted(linkage["draw"]))]))


def write_sealed(path: Path, value: Mapping[str, Any] | Sequence[Any], seal: Seal) -> None:
    """Write a private JSON file with its seal, whole or not at all; that of a list is a document with the list as ``rows``.

    Raises
    ------
    ValueError
        For a document that has a ``random`` of its own.
    """
    document = value if isinstance(value, Mapping) else {ROWS: value}
    if RANDOM in document:
        raise ValueError(f"a document that is to be sealed has a '{RANDOM}' of its own")
    write_json(path, {**document, RANDOM: seal.of(path.name)})


def read_rows(path: Path) -> list[Any]:
    """Return the list in a private JSON file; one that an earlier edition wrote is the list alone.

    Raises
    ------
    OSError, ValueError, KeyError, TypeError
        When it cannot be read as such.
    """
    said = json.loads(strangers.read_bytes(path))
    return list(said if isinstance(said, list) else said[ROWS])


def write_page(path: Path, text: str, seal: Seal) -> None:
    """Write a private page with its seal below it, whole or not at all."""
    write_text(path, f"{text.rstrip()}\n<!-- {RANDOM}: {seal.of(path.name)} -->\n")


def _digest(parts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join([DOMAIN, *parts]).encode()).hexdigest()
