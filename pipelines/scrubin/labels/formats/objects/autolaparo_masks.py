"""AutoLaparo segmentation: ``masks/<clip><frame>.png``, six pictures of each of 300 clips, whose grey values are nine classes.

A name has the clip, 001 to 300, and the frame, one of 001, 025, 050, 075, 100 and 125 of its 25 per second; a clip is one recording. The
value is 20 for the first class, 40 for the second, and so on to 180, red, green and blue alike; 0 is none of them. A class of a frame is
one instance, with its mask and the box around: a manipulator and its shaft are two. The phases of the whole videos are the format
``autolaparo``.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from scrubin.labels.model import LabelFiles, Labels
from scrubin.labels.parse import mask_pictures
from scrubin.labels.parse.mask_pictures import NO_CLASS
from scrubin.labels.registry import label_format

NAME = "autolaparo-masks"
CLASSES = (
    "Grasping forceps manipulator",
    "Grasping forceps shaft",
    "LigaSure manipulator",
    "LigaSure shaft",
    "Dissecting and grasping forceps manipulator",
    "Dissecting and grasping forceps shaft",
    "Electric hook manipulator",
    "Electric hook shaft",
    "Uterus",
)
"""In the order of their values (Wang et al. 2022, arXiv 2208.02049; the values as the README of its third task lists them)."""
STEP = 20
LEGEND = mask_pictures.of_values({0: NO_CLASS, **{STEP * (id_ + 1): id_ for id_ in range(len(CLASSES))}})


@label_format(
    NAME,
    pattern=r"masks/(?P<recording>[0-9]{3})(?:001|025|050|075|100|125)\.png",
    expected="masks/<clip><frame>.png, both in three digits, the frame 001, 025, 050, 075, 100 or 125",
    title="AutoLaparo segmentation: six pictures of each clip whose grey values are 9 classes; read only",
    by_hand=mask_pictures.by_hand(CLASSES, 25, precedence=2),
)
def read(source: LabelFiles) -> Labels:
    """Return the classes of each picture as instances; raises `AnnotationError` with every fault of all pictures."""
    frames = {file: int(PurePosixPath(file).stem[3:]) for file in source.files}
    return mask_pictures.labels_of(source, NAME, LEGEND, frames)
