"""What looks wrong in labels as a whole though every value is possible: frames from 1, two corners instead of a size, copied files.

Files of which the parts of one recording would be several ones are an error.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from scrubin.base.faults import Fault, error, warning
from scrubin.labels.model import BOX, SOURCE_FRAMES, Labels
from scrubin.labels.parse import fields
from scrubin.labels.rates import first_of

FEWEST_FRAMES = 10
FEWEST_BOXES = 20
SMALLEST_STEP = 5
EDGE = 0.05
NAMED = 5
FROM_ONE = "frames-from-one"
"""The rule that frames run from 1; where two sides are compared, what counts is whether they run alike."""
_COPY = re.compile(r"(?P<of>.+?)(?: \([0-9]{1,3}\)|[ _-]+(?:copy|kopie|copie|copia)(?:[ _]?\(?[0-9]{1,3}\)?)?)", re.IGNORECASE)
"""What systems make of the name of a file that is copied into its folder."""


def of(recordings: Sequence[Labels], first: int) -> tuple[Fault, ...]:
    """Return a warning per suspicion, and an error for parts of one recording.

    Parameters
    ----------
    first
        The number of the first frame, as a user says.
    """
    # A format that says which frame is the first may well have no label there.
    unsaid = [labels for labels in recordings if first == 0 and first_of(labels) is None]
    steps = {labels.recording: step for labels in unsaid if (step := _step_from_one(labels))}
    known = {labels.recording for labels in recordings}
    suspected = (
        (
            list(steps),
            FROM_ONE,
            f"every frame is 1, or 1 and a multiple of {min(steps.values(), default=0)}, as where pictures of a video are numbered from 1",
            "if frame 1 is the first one of the video, give --first-frame 1",
        ),
        (
            [labels.recording for labels in unsaid if _runs_from_one(labels)],
            FROM_ONE,
            "the frames run from 1 without a gap",
            "if the first frame is meant, give --first-frame 1",
        ),
        (
            [labels.recording for labels in recordings if _all_as_corners(labels)],
            "box-form",
            "every box is wider and higher than its corner is far from the edge",
            "if these are two corners, give the width and height",
        ),
        (
            sorted(name for name in known if (match := _COPY.fullmatch(name)) is not None and match["of"] in known),
            "recording-copied",
            "called like a copy of another recording beside it",
            "remove it, or rename it",
        ),
        (
            [labels.recording for labels in recordings if fields.names_no_recording(labels.recording)],
            "recording-unnamed",
            "names of pictures say so of a frame and name no recording: all that are called so are taken for one recording",
            fields.NAME_FOLDER,
        ),
    )
    return (*(warning(_names(names), *said) for names, *said in suspected if names), *_parts(recordings))


def _parts(recordings: Sequence[Labels]) -> Iterator[Fault]:
    """Yield which recordings are of one task of CVAT, and which of one video."""
    by_origin = defaultdict[tuple[str, str], list[str]](list)
    for labels in recordings:
        for key, value in labels.about.get("cvat", {}).items():
            by_origin[key, value] += [labels.recording] if value else []
    parts = {tuple(names) for (key, _), names in by_origin.items() if key == "task"}
    for (key, value), names in by_origin.items():
        if len(names) > 1 and key == "task":
            what = "they are parts or copies of one task of CVAT, and would be several recordings"
            yield error(_names(names), "recording-in-parts", what, "export the task as a whole, and keep one file of it")
        elif len(names) > 1 and tuple(names) not in parts:
            what = f"they are several recordings, and all say that their video is {value}"
            yield warning(_names(names), "recording-in-parts", what, "if it is one video, export its labels as one file")


def _names(recordings: Sequence[str]) -> str:
    more = len(recordings) - NAMED
    return ", ".join(recordings[:NAMED]) + (f" and {more} more" if more > 0 else "")


def _runs_from_one(labels: Labels) -> bool:
    for layer in (labels.instances, labels.phases):
        if layer is not None and len(layer.positions) >= FEWEST_FRAMES:
            return bool(layer.positions[0] == 1 and layer.positions[-1] == len(layer.positions))
    return False


def _step_from_one(labels: Labels) -> int:
    """Return by how many frames of the source those that are labelled are apart, where they would be multiples of it less 1; else 0."""
    for layer in (labels.instances, labels.phases):
        if labels.clock == SOURCE_FRAMES and layer is not None and len(layer.positions) >= FEWEST_FRAMES:
            step = int(np.gcd.reduce(np.diff(layer.positions)))
            return step if step >= SMALLEST_STEP and (layer.positions[0] - 1) % step == 0 else 0
    return 0


def _all_as_corners(labels: Labels) -> bool:
    if labels.instances is None:
        return False
    x, y, w, h = (labels.instances.rows[side].dropna().to_numpy(np.float64) for side in BOX)
    if len(x) < FEWEST_BOXES:
        return False
    inside = np.median(x) > EDGE and np.median(y) > EDGE  # boxes that begin at the edge are wider than nothing
    return bool(inside and np.all((w > x) & (h > y)))
