"""The release before: a number that does not fit what changed since is refused; what changed is written into the new one."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from scrubin.base import file_lists, strangers
from scrubin.base.errors import ReleaseError
from scrubin.data.diff import withdrawn_notes
from scrubin.data.diff.comparison import Comparison, of_releases, sentence, unseen
from scrubin.data.diff.snapshot import Released

NAME = "metadata/changes.json"
WRITTEN_LATER = (NAME, file_lists.FILE_LIST)
"""Files that hold what changed: both come after it, and are never those of the release before, because the version is another."""
SHOWN = 12
FIXED = (
    "previous version step verdict changes moved added removed changed renamed none patch minor major since higher than needed "
    "unseen contents form frame_contract frames_per_second vocabularies source of vocabulary definitions manifest.json "
    f"{withdrawn_notes.LOST} {withdrawn_notes.BACK}"
)
"""Words of every such file, whatever changed, beside names of kinds, tables and columns."""


def changes(previous: str, new: Released) -> dict[str, Any]:
    """Return what changed since the release before, as a JSON value.

    Parameters
    ----------
    previous
        The folder that ``release.previous`` names.
    new
        The new release, complete but for its lists.

    Raises
    ------
    ReleaseError
        When the folder is no such release, or the new number does not fit what changed.
    """
    folder = Path(previous)
    if strangers.real(folder) == strangers.real(new.folder):
        msg = f"params.yaml: 'release.previous' names {folder}, which is made anew; copy the release before to another folder and name that"
        raise ReleaseError(msg)
    complete = replace(new, sha256={**new.sha256, **dict.fromkeys(WRITTEN_LATER, "")})
    try:
        before = Released.open(folder)
        withdrawn_notes.read(before)  # also of a copy that lacks the file: whoever withdrew must not be forgotten
        comparison = of_releases(before, complete)
    except ReleaseError as error:
        raise ReleaseError(f"params.yaml: 'release.previous': {error}") from error
    refuse(comparison)
    return public(comparison)


def refuse(comparison: Comparison) -> None:
    """Refuse a number that is too low.

    Raises
    ------
    ReleaseError
        Names what changed, and the lowest number that fits.
    """
    verdict = comparison.verdict
    if verdict.fits:
        return
    if verdict.fits is None:
        raise ReleaseError(f"params.yaml: 'release.previous': {verdict.sentence}; name a release with such a number, or null")
    reasons = [sentence(one) for one in comparison.differences if one.step is comparison.step]
    more = [f"and {len(reasons) - SHOWN} more"] if len(reasons) > SHOWN else []
    listed = "".join(f"\n  {line}" for line in [*reasons[:SHOWN], *more, *unseen(comparison)])
    raise ReleaseError(f"params.yaml: 'release.version': {verdict.sentence}; set it to {verdict.lowest} or higher{listed}")


def public(comparison: Comparison) -> dict[str, Any]:
    """Return what a release may say of the one before: counts, and of recordings only those that it has itself.

    Who is gone is counted and never named: it may be somebody who withdrew.
    """
    there = set(comparison.new.table("videos")["id"].to_pylist())
    entries = [one.document() for one in comparison.differences]
    for entry in entries:
        entry["recordings"] = {id_: count for id_, count in entry["recordings"].items() if id_ in there}
        examples = entry.pop("examples")
        moved = [one for one in examples if one["id"] in there] if entry["change"] == "moved" else []
        # By id, not fold by fold: the order of ids could be that of the recordings, and the audit refuses it.
        entry["moved"] = sorted(moved, key=lambda one: (one["id"], json.dumps(one, sort_keys=True)))
    return {
        "previous": comparison.old.version,
        "version": comparison.new.version,
        "step": comparison.step.word,
        "verdict": comparison.verdict.sentence,
        "changes": entries,
    }


def note(folder: Path) -> str:
    """Return what a finished release says of the one before, in a sentence."""
    document = json.loads((folder / NAME).read_text(encoding="utf-8"))
    return f"since {document['previous']}: {len(document['changes'])} differences; {document['verdict']}"
