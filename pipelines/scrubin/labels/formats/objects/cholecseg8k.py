"""CholecSeg8k: ``<video>_<first frame>/frame_<frame>_endo_watershed_mask.png``, a picture per frame whose grey values are 13 classes.

Frames are those of Cholec80's videos, 25 per second; a video has clips of 80 frames in folders of their own. Read are the
``watershed`` masks, whose values say the class, 50, 11, 21 ... (red, green and blue alike); the colour masks beside them are for looking
at. White and black pixels, at the border and in gaps, have no class. A class of a frame is one instance, with its mask and the box around.
"""

from __future__ import annotations

import re

from scrubin.labels.model import LabelFiles, Labels
from scrubin.labels.parse import mask_pictures
from scrubin.labels.parse.mask_pictures import NO_CLASS
from scrubin.labels.registry import label_format

NAME = "cholecseg8k"
CLASSES = {
    "Black Background": 50,
    "Abdominal Wall": 11,
    "Liver": 21,
    "Gastrointestinal Tract": 13,
    "Fat": 12,
    "Grasper": 31,
    "Connective Tissue": 23,
    "Blood": 24,
    "Cystic Duct": 25,
    "L-hook Electrocautery": 32,
    "Gallbladder": 22,
    "Hepatic Vein": 33,
    "Liver Ligament": 5,
}
"""Grey value by class, in the order of its ids 0 to 12 (Hong et al. 2020, arXiv 2012.12453)."""
LEGEND = mask_pictures.of_values({**{value: id_ for id_, value in enumerate(CLASSES.values())}, 0: NO_CLASS, 255: NO_CLASS})
FRAME = re.compile(r".*/frame_([0-9]+)_endo_watershed_mask\.png")


@label_format(
    NAME,
    pattern=r"(?P<recording>[^/]+?)_[0-9]+/frame_[0-9]{1,12}_endo_watershed_mask\.png",
    expected="<video>_<first frame>/frame_<frame>_endo_watershed_mask.png",
    title="CholecSeg8k: a picture per frame whose grey values are 13 classes; read only",
    by_hand=mask_pictures.by_hand(CLASSES, 25),
)
def read(source: LabelFiles) -> Labels:
    """Return the classes of each picture as instances; raises `AnnotationError` with every fault of all pictures."""
    frames = {file: int(match[1]) for file in source.files if (match := FRAME.fullmatch(file))}
    return mask_pictures.labels_of(source, NAME, LEGEND, frames)
