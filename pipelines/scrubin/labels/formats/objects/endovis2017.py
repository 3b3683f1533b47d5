"""EndoVis 2017: a picture for each instrument of a frame, ``<sequence>/ground_truth/<instrument>_labels/frame000.png``, or one of types.

Sequences are ``instrument_dataset_1`` and so on, at 2 frames per second. The training data have a folder for each instrument, named by
side and type, such as ``Left_Prograsp_Forceps_labels``: what is not 0 in its picture is one instance, whatever part of it (10, 20, 30 ...
are shaft, wrist, clasper; that is not kept, and said), so that left and right ones stay two. The labels of the test data,
``<sequence>/TypeSegmentation/frame225.png``, have the type as grey value, 1 to 7: a type of a frame is one instance. Pictures are 1920 x
1080 px; what belongs to ``TypeSegmentation`` alone is read there, as the pictures of parts and of all instruments beside it say no type.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults
from scrubin.labels.model import LabelFiles, Labels
from scrubin.labels.parse import mask_pictures
from scrubin.labels.parse.mask_pictures import NO_CLASS, Legend
from scrubin.labels.registry import label_format

NAME = "endovis2017"
TYPES = (
    "Bipolar Forceps",
    "Prograsp Forceps",
    "Large Needle Driver",
    "Vessel Sealer",
    "Grasping Retractor",
    "Monopolar Curved Scissors",
    "Other",
)
"""In the order of their values from 1 (``instrument_type_mapping.json`` of the data; Allan et al. 2019, arXiv 1902.06426)."""
OF_FOLDER = {"bipolar": 0, "prograsp": 1, "needle": 2, "vessel": 3, "retractor": 4, "scissors": 5, "other": 6}
"""The type by a word of the folder's name; Maryland and curved bipolar forceps are one type."""
TYPE_VALUES = mask_pictures.of_values({0: NO_CLASS, **{id_ + 1: id_ for id_ in range(len(TYPES))}})
FILE = re.compile(r".*/(?:ground_truth/(?P<instrument>[^/]+)|TypeSegmentation)/frame(?P<frame>[0-9]{3,6})\.png")


@label_format(
    NAME,
    pattern=r"(?P<recording>instrument_dataset_[0-9]+)/(?:ground_truth/[^/]+|TypeSegmentation)/frame[0-9]{3,6}\.png",
    expected="<sequence>/ground_truth/<instrument>_labels/frame000.png, or <sequence>/TypeSegmentation/frame000.png",
    title="EndoVis 2017: a picture for each instrument of a frame, or one whose grey values are 7 types; read only",
    by_hand=mask_pictures.by_hand(TYPES, 2, "repeats"),
)
def read(source: LabelFiles) -> Labels:
    """Return the instruments of each frame; raises `AnnotationError` with every fault of all pictures."""
    frames: dict[str, int] = {}
    legends: dict[str, Legend] = {}
    faults = Faults()
    for file in source.files:
        match = FILE.fullmatch(f"/{file}")
        assert match is not None
        frames[file] = int(match["frame"])
        if match["instrument"] is None:
            legends[file] = TYPE_VALUES
            continue
        ids = {id_ for word, id_ in OF_FOLDER.items() if word in match["instrument"].casefold()}
        if len(ids) == 1:
            # Parts have values of their own; the instrument is all of them.
            legends[file] = mask_pictures.of_values({0: NO_CLASS, **dict.fromkeys(range(1, 256), ids.pop())}, "which part is which")
        elif not faults.all() or PurePosixPath(file).parent.as_posix() not in {fault.file for fault in faults.all()}:
            what = f"the folder '{match['instrument']}' is called after no type of instrument"
            faults.error(PurePosixPath(file).parent.as_posix(), "class-unknown", what, "call it as the data set does, such as Other_labels")
    AnnotationError.raise_any(faults)
    return mask_pictures.labels_of(source, NAME, legends, frames)
