"""SAR-RARP50 segmentation: ``<video>/segmentation/<frame>.png``, a picture per second whose grey values are 9 parts of instruments.

Frames are those of a video of 60 per second, nine digits; one in a second is labelled. The value is the class, 1 to 9, and 0 is none
of them (red, green and blue alike, where there are three). A class of a frame is one instance, with its mask and the box around.
The actions of the same videos are the format ``sarrarp50``.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from scrubin.labels.model import LabelFiles, Labels
from scrubin.labels.parse import mask_pictures
from scrubin.labels.parse.mask_pictures import NO_CLASS
from scrubin.labels.registry import label_format

NAME = "sarrarp50-masks"
CLASSES = (
    "Tool clasper",
    "Tool wrist",
    "Tool shaft",
    "Suturing needle",
    "Thread",
    "Suction tool",
    "Needle holder",
    "Clamps",
    "Catheter",
)
"""In the order of their values from 1 (Psychogyios et al. 2023, arXiv 2401.00496)."""
LEGEND = mask_pictures.of_values({0: NO_CLASS, **{id_ + 1: id_ for id_ in range(len(CLASSES))}})


@label_format(
    NAME,
    pattern=r"(?P<recording>video_[0-9_]+)/segmentation/[0-9]{9}\.png",
    expected="<video>/segmentation/<frame>.png, the video as video_1, the frame in nine digits",
    title="SAR-RARP50 segmentation: a picture per second whose grey values are 9 classes; read only",
    by_hand=mask_pictures.by_hand(CLASSES, 60, precedence=2),
)
def read(source: LabelFiles) -> Labels:
    """Return the classes of each picture as instances; raises `AnnotationError` with every fault of all pictures."""
    frames = {file: int(PurePosixPath(file).stem) for file in source.files}
    return mask_pictures.labels_of(source, NAME, LEGEND, frames)
