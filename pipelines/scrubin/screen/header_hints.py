"""What the header of a DICOM recording says of its own picture: hidden until somebody has looked, like all that is proposed.

A "YES" covers the whole recording, since no header says where. A "NO" is not believed: the detectors look all the same.
DICOM PS3.3, C.7.6.1 (BurnedInAnnotation, RecognizableVisualFeatures).
"""

from __future__ import annotations

from pathlib import Path

from scrubin.screen.proposals import Numbers, Proposal
from scrubin.video.opening import is_dicom

SOURCE = "header"
KINDS = {"BurnedInAnnotation": "text", "RecognizableVisualFeatures": "out_of_body"}


def proposals(path: Path, boundaries_s: Numbers) -> list[Proposal]:
    """Return what the header of a file says must be looked at; nothing for a file without one.

    Parameters
    ----------
    boundaries_s
        Presentation time of every frame in source seconds, then the end of the last; shape (n + 1,).
    """
    if not is_dicom(path):
        return []
    from scrubin.dicom import recording

    stated, whole = dict(recording.stream_of(path).header.hints), (float(boundaries_s[0]), float(boundaries_s[-1]))
    frames = (0, len(boundaries_s) - 2)
    return [
        Proposal(kind, whole, 1.0, SOURCE, core=frames if kind == "out_of_body" else None)
        for name, kind in KINDS.items()
        if stated.get(name) == "YES"
    ]
