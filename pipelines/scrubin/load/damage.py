"""What is said of a release that is not as it was published."""

from __future__ import annotations

from pathlib import Path

from scrubin.core.errors import ReleaseError


def damaged(folder: Path, says: str) -> ReleaseError:
    """Return the error of a release of which something is missing or was changed.

    Parameters
    ----------
    folder
        The release folder.
    says
        File and fault, without a full stop.
    """
    return ReleaseError(f"{folder}: {says}, so something was changed or is not whole; run 'scrubin verify {folder}'")
