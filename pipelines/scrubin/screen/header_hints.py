"""What the header of a DICOM recording says of its own picture: hidden until somebody has looked, like all that is proposed.

A "YES" covers the whole recording, since no header says where. A "NO" is not believed: the detectors look all the same.
DICOM PS3.3, C.7.6.1 (BurnedInAnnotation, RecognizableVisualFeatures).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from scrubin.screen.proposals import Numbers, Proposal
from scrubin.video.opening import is_dicom

SOURCE = "header"
KINDS = {"BurnedInAnnotation": "text", "RecognizableVisualFeatures": "out_of_body"}


def proposals(paths: Sequence[Path], boundaries_s: Numbers) -> list[Proposal]:
    """Return what the headers of a recording's files say must be looked at; nothing for files without one.

    Parameters
    ----------
    paths
        All files of the recording: what one of them says covers all.
    boundaries_s
        Presentation time of every frame in source seconds, then the end of the last; shape (n + 1,).
    """
    with_header = [path for path in paths if is_dicom(path)]
    if not with_header:
        return []
    from scrubin.dicom import recording

    stated = {name for path in with_header for name, value in recording.stream_of(path).header.hints if value == "YES"}
    whole = (float(boundaries_s[0]), float(boundaries_s[-1]))
    frames = (0, len(boundaries_s) - 2)
    return [
        Proposal(kind, whole, 1.0, SOURCE, core=frames if kind == "out_of_body" else None) for name, kind in KINDS.items() if name in stated
    ]
