"""A ``dvc.lock`` that a killed run left unfinished: DVC writes it in place, and refuses to begin with such a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

ASIDE = Path(".cache/dvc.lock.torn")
HASH_DIGITS = 32


def set_aside(path: Path, aside: Path = ASIDE) -> bool:
    """Move an unfinished lock file away and return whether there was one.

    DVC then finds finished stages by what they read, in its cache of runs; what is not there runs again.
    """
    if not path.is_file() or is_whole(path):
        return False
    aside.parent.mkdir(parents=True, exist_ok=True)
    path.replace(aside)
    return True


def is_whole(path: Path) -> bool:
    """Whether a lock file ends where DVC ends one. A file that somebody has merged by hand is whole when DVC can read it."""
    try:
        text = path.read_text(encoding="utf-8")
        lock = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except UnicodeDecodeError:
        return False
    except yaml.YAMLError:
        # A conflict that git has left is for people to solve: nothing of it may go.
        return "\n<<<<<<< " in f"\n{text}"
    return text.endswith("\n") and _is_read_by_dvc(lock) and all(map(_has_its_hashes, lock.get("stages", {}).values()))


def _is_read_by_dvc(lock: Any) -> bool:
    from dvc.schema import COMPILED_LOCKFILE_SCHEMA
    from voluptuous import Invalid

    try:
        COMPILED_LOCKFILE_SCHEMA(lock)
    except Invalid:
        return False
    return True


def _has_its_hashes(stage: dict[str, Any]) -> bool:
    """DVC itself takes an entry without a hash, and one whose hash is cut."""
    entries = [*stage.get("deps", []), *stage.get("outs", [])]
    return all(len(str(entry.get("md5", ""))) >= HASH_DIGITS for entry in entries)
