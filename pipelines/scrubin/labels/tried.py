"""On which files of their authors the label formats were tried.

A reader that has only met files which we made is as right as what is written of the format. So it is said of each format which files of
others it has read, when that was last counted, in November 2026. None of these files is part of this project.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Tried:
    """The files of others that a format was tried on.

    Parameters
    ----------
    files
        How many; each was read, or refused for a fault that it has.
    source
        Where they are from: a repository with its commit.
    note
        What was found in them, or what none of them has.
    """

    files: int
    source: str
    note: str = ""

    @property
    def sentence(self) -> str:
        """What a table of formats says."""
        said = f"tried on {self.files} file{'' if self.files == 1 else 's'} of the authors ({self.source})"
        return f"{said}; {self.note}" if self.note else said


NONE = "none found so far"
OURS = "our own"
PLAIN = "nobody's own: plain files"
TRIED: Mapping[str, Tried | str] = {
    "aixsuture": NONE,
    "autolaparo": NONE,
    "autolaparo-masks": "none could be had: the layout as people with the data describe it",
    "avos": Tried(
        1,
        "an edition of 2021, egoodman92/semi-supervised-surgery 42f7af7",
        "refused for its 7 rows that start before 0; 330 videos without them; the published edition could not be had",
    ),
    "boris": Tried(
        5,
        "tests of BORIS, olivierfriard/BORIS 73bdf077",
        "none is of surgery: each is refused, as it has no phase, step or instrument, no video, or no observation",
    ),
    "box-lists": PLAIN,
    "cataract101": Tried(3, "as in matinmoqadas/Cataract-101 334af2d and 3a38c61", "101 videos; annotations.csv written back is the same"),
    "cataract1k": NONE,
    "cholec80": NONE,
    "cholec80cvs": Tried(
        1,
        "as in Horopter/ROB590 5aa5e79",
        "80 videos; of 83,400 seconds none differs from the program of its authors; 3 of 572 rows say nothing",
    ),
    "cholecseg8k": NONE,
    "cholect45": NONE,
    "cholect50": Tried(2, "validation labels of the challenge"),
    "cholectrack20": NONE,
    "cholectriplet2022": NONE,
    "cholectrack20-txt": NONE,
    "coco": Tried(
        3,
        "CholecInstanceSeg, labdeeman7/cholec_instance_seg c1953a0; a part of COCO 2017, enginbozaba/tiny_coco 44ee1df",
        "their 447 masks have the pixels that pycocotools draws",
    ),
    "coco-results": PLAIN,
    "cvat-images": Tried(
        23,
        "exports in abdu1z1z/BallVisionSCAI bac54dd, alyssacaples/XML_Parser bcab1fc and three more",
        "2,737 shapes come back, 0 px apart; boxes of 7 outlines then are those of their pixels; lines, which 20 files have, are counted",
    ),
    "cvat-video": Tried(
        2,
        "exports in 1Mao-H14/basic-athletic-movement-annotation-project 4e3958d, Obedalfred8381/traffic-video-tracking 5107fe6",
        "4,501 boxes and skeletons in 2,655 frames; each comes back the same, 0 px apart",
    ),
    "cvschallenge": Tried(
        1,
        "as in Sakin101/Challenge 851a885",
        "700 more, and 700 of whole videos, are cut from two tables of mojoe12/cvs b72e1c8; all cells are read as they stand",
    ),
    "cvschallenge-outputs": NONE,
    "dsad": "none could be had: the layout as loaders of four repositories have it",
    "egosurgery": Tried(23, "as in takuya3h/m2 45eae0a", "17,233 labelled pictures; all come back the same"),
    "elan": Tried(
        3,
        "the example of ELAN and another one, cidles/poio-api 0f66dff",
        "84 gestures with a type of that name; one has no tier of ours, and is refused with all of its tiers",
    ),
    "endoscapes": NONE,
    "endoscapescvs": "none found so far; the 11,090 judged frames of 201 videos that mojoe12/cvs 02a0984 has from it are read",
    "endovis-pose": Tried(
        10,
        "surgical-vision/EndoVisPoseAnnotation 78f5d08",
        "1,850 labelled frames, as their authors count; 202 points of no tool, and 4 that stand twice, are not read",
    ),
    "endovis2017": "none could be had: the layout as loaders of three repositories have it",
    "grasp": Tried(2, "PSI-AVA, BCV-Uniandes/TAPIR 4925da4", "no file of GraSP could be had"),
    "ground-truth": OURS,
    "heichole": NONE,
    "heichole-instruments": "none could be had: the layout as loaders and lists of four repositories have it",
    "heichole-skill": "none could be had: the layout as loaders of three repositories have it",
    "jigsaws": Tried(3, "as in CodeRahman/JIGSAWS-DATA 1429bb9", "ratings; no transcription could be had"),
    "label-studio": NONE,
    "labelme": Tried(13, "CholecInstanceSeg, labdeeman7/cholec_instance_seg c1953a0", "one of an earlier commit lacks the image's size"),
    "lasana": NONE,
    "m2cai": Tried(324, "predictions, Cadene/torchnet-m2caiworkflow 79bb112"),
    "mark-tables": PLAIN,
    "masks-png": Tried(10, "samples of CholecInstanceSeg, labdeeman7/cholec_instance_seg c1953a0", "the legend was written for them"),
    "matrices": PLAIN,
    "mot": Tried(4, "as in motmetrics 1.4.0", "pedestrians of MOTChallenge; no file of surgical tools could be had"),
    "multibypass140": Tried(140, "CAMMA-public/MultiBypass140 d3ace46"),
    "multibypasst40": NONE,
    "petraw": NONE,
    "phase-spans": PLAIN,
    "phase-tables": PLAIN,
    "pitvis": NONE,
    "sarrarp50": NONE,
    "sarrarp50-masks": NONE,
    "scrubin-labels": OURS,
    "spans": OURS,
    "surch": Tried(1, "CheddarChoi/surch-dataset 40234bd", "refused for its line 2051, which ends before it starts; 296 videos without it"),
    "tables": OURS,
    "via3": Tried(
        48,
        "echocardiography, vital-ultrasound/ai-echocardiography-for-low-resource-countries baedbe2",
        "refused: its attributes are views of the heart; 3 have a value that is no option",
    ),
    "vidat": Tried(1, "the example of Vidat, anucvml/vidat 61b6ecb", "it has boxes and no action, and is refused for that"),
    "yolo": NONE,
    "yolo4": NONE,
    "yolo-pose": Tried(21021, "SurgPose, zijianwu1231/YOLO4SurgPose 16003dd", "each of their 42,042 instruments has seven points"),
    "yolo-seg": NONE,
}
"""By name of the format that is read."""


def sentence(name: str) -> str:
    """Return what a table of formats says of one: which files of its authors it was tried on."""
    tried = TRIED[name]
    return tried if isinstance(tried, str) else tried.sentence
