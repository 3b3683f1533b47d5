"""Data sets of the field: what is read of each, on which of its files that was tried, its official splits, what scores its labels."""

from __future__ import annotations

from collections.abc import Mapping

from reference.markdown import table
from scrubin.labels import formats as every_format
from scrubin.labels import tried
from scrubin.labels.registry import Content, contents_of, format_of
from scrubin.public_splits.catalogue import available

__all__ = ["every_format", "text"]

DATASETS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "AIxSuture": (("aixsuture",), ()),
    "AutoLaparo": (("autolaparo", "autolaparo-masks"), ("autolaparo",)),
    "AVOS": (("avos",), ()),
    "Cataract-101": (("cataract101",), ()),
    "Cataract-1K": (("cataract1k",), ()),
    "Cholec80": (("cholec80",), ("cholec80",)),
    "Cholec80-CVS": (("cholec80cvs",), ("cholec80-cvs",)),
    "CholecInstanceSeg": (("labelme", "coco"), ("cholecinstanceseg",)),
    "CholecSeg8k": (("cholecseg8k",), ("cholecseg8k",)),
    "CholecT45": (("cholect45",), ("cholect45",)),
    "CholecT50": (("cholect50",), ("cholect50",)),
    "CholecTrack20": (("cholectrack20", "cholectrack20-txt"), ("cholectrack20",)),
    "CholecTriplet2022, submissions": (("cholectriplet2022",), ()),
    "CVS Challenge": (("cvschallenge", "cvschallenge-outputs"), ()),
    "Dresden Surgical Anatomy (DSAD)": (("dsad",), ()),
    "EgoSurgery": (("egosurgery", "coco"), ()),
    "Endoscapes": (("endoscapes", "endoscapescvs"), ("endoscapes",)),
    "EndoVis 2015, joints": (("endovis-pose",), ()),
    "EndoVis 2017": (("endovis2017",), ()),
    "EndoVis 2018, scenes": (("masks-png",), ()),
    "GraSP": (("grasp",), ("grasp",)),
    "HeiChole": (("heichole", "heichole-instruments", "heichole-skill"), ()),
    "JIGSAWS": (("jigsaws",), ("jigsaws",)),
    "LASANA": (("lasana",), ()),
    "M2CAI 2016": (("m2cai",), ("m2cai16-tool", "m2cai16-workflow")),
    "MISAW and PETRAW": (("petraw",), ()),
    "MultiBypass140": (("multibypass140",), ()),
    "MultiBypassT40": (("multibypasst40",), ()),
    "PitVis": (("pitvis",), ()),
    "ProstaTD": (("yolo4", "labelme"), ("prostatd",)),
    "PSI-AVA": (("grasp",), ("psi-ava",)),
    "SAR-RARP50": (("sarrarp50", "sarrarp50-masks"), ("sar-rarp50",)),
    "Surch": (("surch",), ()),
    "SurgPose": (("yolo-pose",), ()),
}
"""By name: the formats of its files, and the first part of the names of its splits."""
OF_ANOTHER = {("EgoSurgery", "coco"), ("EndoVis 2018, scenes", "masks-png"), ("GraSP", "grasp"), ("ProstaTD", "labelme")}
"""Where a format was tried on files of another data set only."""
WITH_POINTS = ("endovis-pose", "yolo-pose")
WITH_TRACKS = ("cholectrack20", "cholectrack20-txt")
SCORED: Mapping[Content, str] = {
    "instances": "recognition",
    "boxes": "detection",
    "masks": "detection of kind masks or pixels",
    "phases": "phases",
    "marks": "criteria",
    "ratings": "skill",
    "errors": "errors",
}


def text() -> str:
    """Return a row for each data set."""
    header = ("data set", "read as", "files of its authors", "official splits", "`scrubin score`")
    return table(header, (_row(name, *of) for name, of in DATASETS.items()))


def _row(name: str, formats: tuple[str, ...], splits: tuple[str, ...]) -> tuple[str, str, str, str, str]:
    reads = ", ".join(f"[`{form}`](#{form})" for form in formats)
    files = "; ".join(dict.fromkeys(tried.NONE if (name, form) in OF_ANOTHER else tried.sentence(form) for form in formats))
    known = ", ".join(f"`{split}`" for split in available() if split.split("/")[0] in splits)
    held = {content for form in formats for content in contents_of(format_of(form))}
    scored = [metric for content, metric in SCORED.items() if content in held]
    scored += ["tracks"] if set(formats) & set(WITH_TRACKS) else []
    scored += ["points"] if set(formats) & set(WITH_POINTS) else []
    return name, reads, files, known or "none that we know", ", ".join(scored)
