"""What users of a release are warned of when they open it: its known errors, a data set without items."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from scrubin.base import strangers
from scrubin.base.errors import ReleaseError

HINTS = {
    "hidden": "{n} have hidden frames: include_hidden=True keeps them",
    "unpaired": "{n} frames have no other camera: stereo pairs need a task with two",
    "apart": "{n} pairs are of two instants, half a frame or more apart: the clocks of both cameras differ",
    "uncalibrated": "{n} pairs are of recordings without calibration: rectified=None keeps them",
    "dropped": "{n} were dropped and have no file: source='videos' with include_dropped=True has their pictures",
    "unlabelled": "{n} have no such label: missing='mask' keeps them",
    "short": "{n} videos are shorter than a clip: ask for shorter ones",
}
"""What can be done, by the reason for which items are left out."""


class EmptyDatasetWarning(UserWarning):
    """Nothing fits what was asked for."""


def warn_if_empty(count: int, what: str, left_out: Mapping[str, int]) -> None:
    """Warn that nothing is left, and say why as far as it is known.

    Parameters
    ----------
    count
        How many items there are; with any, nothing is said.
    what
        Of which kind, of which subset, such as ``clips of 'balanced/test'``.
    left_out
        How much is left out, by reason, as `HINTS` names them.
    """
    if count:
        return
    reasons = [HINTS[reason].format(n=n) for reason, n in left_out.items() if n]
    why = "; ".join(reasons) or "the subset, task or camera has no extracted frames"
    warnings.warn(f"there are no {what}: {why}", EmptyDatasetWarning, stacklevel=3)


NAME = "metadata/errata.yaml"
SHOWN = 5


class ErrataWarning(UserWarning):
    """The release has a known error."""


def of_release(folder: Path, version: str) -> tuple[Mapping[str, Any], ...]:
    """Return the known errors that this version has; none where the release has no list.

    The file is JSON, which is YAML as well, so that no further package is needed.

    Raises
    ------
    ReleaseError
        When the file is no such list.
    """
    path = folder / NAME
    if not path.is_file():
        return ()
    try:
        listed = strangers.read_json(path, inside=folder)
    except (OSError, ValueError) as error:
        raise ReleaseError(f"{path}: it is no JSON ({error}); run 'scrubin verify {folder}'") from error
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise ReleaseError(f"{path}: it is no list of errors; run 'scrubin verify {folder}'")
    return tuple(one for one in listed if _concerns(one, version))


def warn(errata: Iterable[Mapping[str, Any]], release: str) -> None:
    """Warn of each error, once."""
    for one in errata:
        ids = [str(id_) for id_ in one.get("recordings") or ()]
        more = f" and {len(ids) - SHOWN} more" if len(ids) > SHOWN else ""
        where = f"recordings {', '.join(ids[:SHOWN])}{more}" if ids else "all recordings"
        if one.get("frames"):
            where += f", frames {one['frames']}"
        advice = f" {one['advice']}" if one.get("advice") else ""
        text = f"{release} has a known {one.get('severity', 'error')}, '{one.get('id', '?')}', in {where}: {one.get('what', '')}{advice}"
        # Beside the caller of Release(...), whom it concerns.
        warnings.warn(ErrataWarning(text), stacklevel=4)


def _concerns(one: Mapping[str, Any], version: str) -> bool:
    since, fixed_in = one.get("since"), one.get("fixed_in")
    begun = not since or _parts(str(since)) <= _parts(version)
    return begun and not (fixed_in and _parts(str(fixed_in)) <= _parts(version))


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version.partition("-")[0]))
