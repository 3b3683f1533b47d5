"""Ground truth that is no longer the one that was released: its manifest names other bytes."""

from __future__ import annotations

from pathlib import Path

from scrubin.core import files, strangers
from scrubin.core.ranges import count_text
from scrubin.labels.formats.ground_truth import MANIFEST, inside_release


def note(truth: Path) -> str | None:
    """Return the sentence on files that have changed since their manifest was written; None where none has, or there is no manifest.

    Parameters
    ----------
    truth
        A release, its ground truth, or a part of that.
    """
    inside = inside_release(truth).absolute()
    root = next((folder for folder in (inside, *inside.parents) if (folder / MANIFEST).is_file()), None)
    if root is None:
        return None
    try:
        document = strangers.read_json(root / MANIFEST)
    except (OSError, ValueError):
        return None
    if not isinstance(document, dict) or not {"frame_contract", "files"} <= document.keys():
        return None  # another program's file of this name
    named = document["files"]
    there = {name: root / name for name in named if (root / name).is_relative_to(inside) and (root / name).is_file()}
    changed = sorted(name for name, path in there.items() if files.sha256_of(path) != named[name])
    if not changed:
        return None
    what = f"{count_text(len(changed), 'file')} of the ground truth changed since the release, such as {changed[0]}"
    return f"{what}: the numbers are not those of others; run: scrubin ground-truth-check {truth}"
