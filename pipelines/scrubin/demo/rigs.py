"""The stereo rigs of the training course: one per site, as the scenes are drawn, in OpenCV's YAML.

Both cameras are parallel and have no distortion: what lies d px further left in the right picture is focal length times
baseline / d away.
"""

from __future__ import annotations

from collections.abc import Iterable

from scrubin.demo.cohort import HEIGHT, WIDTH
from scrubin.demo.names import SITES
from scrubin.demo.plan import Recording

FOCAL_PX, BASELINE_MM = (300.0, 307.0, 292.0), (4.0, 4.3, 3.8)
"""By site."""
DATES = ("2023-02-27", "2023-02-28", "2023-03-01")
TEXT = """\
%YAML:1.0
---
image_width: {width}
image_height: {height}
unit: mm
convention: "X_right = R X_left + t"
date: "{date}"
K1: !!opencv-matrix
   rows: 3
   cols: 3
   dt: d
   data: [ {matrix} ]
D1: !!opencv-matrix
   rows: 1
   cols: 5
   dt: d
   data: [ 0., 0., 0., 0., 0. ]
K2: !!opencv-matrix
   rows: 3
   cols: 3
   dt: d
   data: [ {matrix} ]
D2: !!opencv-matrix
   rows: 1
   cols: 5
   dt: d
   data: [ 0., 0., 0., 0., 0. ]
R: !!opencv-matrix
   rows: 3
   cols: 3
   dt: d
   data: [ 1., 0., 0., 0., 1., 0., 0., 0., 1. ]
T: !!opencv-matrix
   rows: 3
   cols: 1
   dt: d
   data: [ {baseline}, 0., 0. ]
"""


def name_of(recording: Recording) -> str:
    """Return with which rig it was recorded; "" for the experts, whose rig nobody noted, and for one camera."""
    return f"{recording.site} Turm 2" if recording.trial and "right" in recording.paths else ""


def calibrations(recordings: Iterable[Recording]) -> dict[str, str]:
    """Return the calibration of each rig that is named, by its name."""
    sites = {name: SITES.index(one.site) for one in recordings if (name := name_of(one))}
    return {name: _text(number) for name, number in sorted(sites.items())}


def _text(number: int) -> str:
    focal = FOCAL_PX[number]
    matrix = f"{focal}, 0., {(WIDTH - 1) / 2}, 0., {focal}, {(HEIGHT - 1) / 2}, 0., 0., 1."
    return TEXT.format(width=WIDTH, height=HEIGHT, date=DATES[number], matrix=matrix, baseline=-BASELINE_MM[number])
