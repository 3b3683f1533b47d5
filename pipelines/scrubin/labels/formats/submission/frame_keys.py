"""Frames of a submitted JSON object: their numbers from its keys."""

from __future__ import annotations

import re
from typing import Any

from scrubin.core.faults import Faults
from scrubin.labels.formats.submission.documents import RepeatedKeys, shown

PLAIN = re.compile(r"0|[1-9][0-9]{0,14}")
PADDED = re.compile(r"0[0-9]{1,14}")
# What else is surely one frame: spaces around, a decimal point, content before, an image's suffix.
GUESSED = re.compile(r"\s*(?:[A-Za-z_/ .-]*[A-Za-z_/ .])?\+?0*([0-9]{1,15})(?:\.0*|\.[A-Za-z]{3,4})?\s*", re.ASCII)
NEGATIVE = re.compile(r"-[1-9][0-9]{0,14}")
LAYOUT = 'write an object of frames: {"0": {"recognition": [...], "detection": [...]}, "1": ...}'
SHOWN = 20
LONGEST = 64


def frames_of(file: str, video: str, document: Any, faults: Faults) -> dict[int, Any]:
    """Return the values of a document by frame number.

    Parameters
    ----------
    file
        What messages call it.
    video
        Whose frames: a document of several videos is searched for it.
    document
        JSON value.
    faults
        Takes what is wrong with document and keys.
    """
    if not isinstance(document, dict):
        what = f"a list of {len(document)} item{'s' if len(document) > 1 else ''}" if isinstance(document, list) else shown(document)
        faults.error(file, "file-layout", f"holds {what} instead of an object of frames", LAYOUT)
        return {}
    if not document:
        faults.error(file, "file-layout", "has no frames", "predict every frame of the video")
        return {}
    inner = _too_deep(video, document)
    if inner is not None:
        faults.error(file, "file-layout", f"the frames stand one level too deep, under {shown(inner)}", "move them up to the top")
        document = document[inner]
    return _by_number(file, document, faults)


def _by_number(file: str, document: dict[str, Any], faults: Faults) -> dict[int, Any]:
    frames: dict[int, Any] = {}
    unknown = []
    for key, value in document.items():
        frame = _frame(file, key, faults)
        if frame is None:
            unknown.append(key)
        elif frame in frames:
            what = "the frame stands under two keys"
            faults.error(file, "key-repeated", what, "keep one of them", frames=[frame], example=f"the second is {shown(key)}")
        else:
            frames[frame] = value
    below = [int(key) for key in unknown if NEGATIVE.fullmatch(key)]
    if below:
        fix = f"count frames from 0; if all are shifted, add {-min(below)} to every frame number"
        faults.error(file, "key-negative", f"frame numbers below 0, down to {min(below)}", fix, count=len(below))
        unknown = [key for key in unknown if not NEGATIVE.fullmatch(key)]
    if unknown:
        names = ", ".join(shown(key) for key in unknown[:SHOWN]) + (f" and {len(unknown) - SHOWN} more" if len(unknown) > SHOWN else "")
        faults.error(file, "key-unknown", f"no frame number: {names}", "keys are frame numbers such as 0 and 12", count=len(unknown))
    for key in document.repeated if isinstance(document, RepeatedKeys) else ():
        frame = number(key)
        faults.error(
            file,
            "key-repeated",
            "the key stands in the file more than once, and all but the last would be lost",
            "keep one of them",
            frames=[] if frame is None else [frame],
        )
    return frames


def number(key: str) -> int | None:
    """Return the frame that a key means, in whatever spelling.

    >>> [number(key) for key in ("12", "00012", " 12", "12.0", "frame_000012", "000012.png", "-1", "1e3", "12.5")]
    [12, 12, 12, 12, 12, 12, None, None, None]
    """
    # Nobody numbers frames by longer keys, and the pattern takes long for them.
    match = GUESSED.fullmatch(key) if len(key) <= LONGEST else None
    return int(match[1]) if match else None


def _frame(file: str, key: str, faults: Faults) -> int | None:
    if PLAIN.fullmatch(key):
        return int(key)
    if PADDED.fullmatch(key):
        faults.deviation(file, "key-padded", "the key is padded with zeros", "write 12, not 00012", frames=[int(key)])
        return int(key)
    frame = number(key)
    if frame is not None:
        what, fix = "the key is no plain whole number", "write 12, without spaces, letters or a decimal point"
        faults.error(file, "key-malformed", what, fix, frames=[frame], example=f"such as {shown(key)}")
    return frame


def _too_deep(video: str, document: dict[str, Any]) -> str | None:
    """Return the key below which the frames are, when they are not at the top."""
    if any(PLAIN.fullmatch(key) or PADDED.fullmatch(key) for key in document):
        return None
    inside = [key for key, value in document.items() if isinstance(value, dict) and any(number(one) is not None for one in value)]
    return video if video in inside else next(iter(inside), None)
