"""Taking notice of who withdrew: the list, the study and the last run become what is remembered."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from scrubin.core.errors import ManifestError, PrivacyError
from scrubin.withdrawal import earlier, kept, memory, naming, sheet
from scrubin.withdrawal.memory import Memory
from scrubin.withdrawal.sheet import Row


def take(raw: Path, folder: Path = Path(), more: Sequence[Row] = ()) -> Memory:
    """Return what is to be remembered from now on.

    Parameters
    ----------
    raw
        Folder of the raw study.
    folder
        The project, in which the last run may have left what it knew.
    more
        Rows that are about to be added to the list.

    Raises
    ------
    ManifestError
        When a row of ``withdrawn.csv`` names nobody, or somebody who withdrew is listed again.
    PrivacyError
        When what was remembered cannot be read.
    """
    before, rows = memory.load(folder), (*sheet.read(raw / sheet.NAME), *more)
    if not rows and not before:
        return before
    study = naming.listed(raw)
    last = earlier.load(folder)
    participant_of = {**last.participants, **{name: one.participant for name, one in study.items()}}
    said = naming.named(rows, participant_of, before)
    ManifestError.raise_any(naming.come_back(study, said, before))
    now = before.with_participants(said.participants)
    for name, reason in sorted(said.reasons.items()):
        facts = last.facts(name)
        paths = facts["path"] | frozenset(study[name].paths if name in study else ())
        words = {name, *facts["id"], *({participant_of[name]} & said.participants)}
        now = now.with_recording(name, reason, {**facts, "path": paths}, words)
    return kept.with_splits(now, before, folder)


def is_news(now: Memory, before: Memory) -> bool:
    """Return whether somebody withdrew of whom nothing was remembered yet."""
    return bool(now.participants - before.participants or now.recordings.keys() - before.recordings.keys())


def waits(raw: Path, folder: Path = Path()) -> bool:
    """Return whether a row of the list is about somebody whom no run has left out yet; also when nobody can tell who is meant."""
    try:
        return is_news(take(raw, folder), memory.load(folder))
    except (ManifestError, PrivacyError):
        return True
