"""HeiChole skill: ``<video>_Skill.csv``, one line of five whole numbers from 1 to 5; read only.

They are depth perception, bimanual dexterity, efficiency, tissue handling, and how difficult the case was, in this order. There is a file
for a whole video, ``Hei-Chole1_Skill.csv``, and for two parts that are videos of their own, ``Hei-Chole1_Calot_Skill.csv`` and
``Hei-Chole1_Dissection_Skill.csv``: each is a recording, called like the file. The difficulty is no skill, so that no sum is made of them.
Source: loaders of three public repositories.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

import pandas as pd

from scrubin.base.faults import Faults
from scrubin.labels import registry
from scrubin.labels.formats.workflow.heichole import BESIDE
from scrubin.labels.model import Collection, LabelFiles, Scores, rating_rows
from scrubin.labels.parse import documents
from scrubin.labels.parse.fields import Where
from scrubin.labels.registry import ByHand, dataset_format

NAME = "heichole-skill"
TASK = "Cholecystectomy"
ASPECTS = ("depth_perception", "bimanual_dexterity", "efficiency", "tissue_handling", "case_difficulty")
MOST_POINTS = 5
RATER = "0"
END = re.compile(r"(?i:(?:_annotation)?_skill)")
NUMBERS = re.compile(r"[\s0-9]+(?:,[\s0-9]+)+")


def _has_points(path: Path) -> bool:
    lines = registry.head(path).splitlines()
    return not lines or NUMBERS.fullmatch(lines[0]) is not None


@dataset_format(
    NAME,
    pattern=r"[^/]+(?i:_skill)\.csv",
    expected="<video>_Skill.csv, <video>_Calot_Skill.csv, <video>_Dissection_Skill.csv",
    title="HeiChole skill: points of five aspects for each video or part of it; read only",
    by_hand=ByHand(names_vocabulary=True, evidence=_has_points, holds=("ratings",), beside=BESIDE),
)
def read(source: LabelFiles) -> Collection:
    """Return the points of each file without an error; all faults are in ``Collection.faults``."""
    faults = Faults()
    ratings: list[tuple[str, str, str, str, float | None, bool]] = []
    file_of: dict[str, str] = {}
    for file, data in sorted(source.files.items()):
        where, name = Where(faults, file), END.sub("", PurePosixPath(file).stem)
        if file_of.setdefault(name, file) != file:
            where.error("file-repeated", f"the video {name} is also in {file_of[name]}", "keep one of them")
            continue
        points = _points(where, data)
        ratings += [(name, TASK, RATER, aspect, float(one), False) for aspect, one in zip(ASPECTS, points, strict=False)]
    facts = pd.DataFrame({"id": list(dict.fromkeys(row[0] for row in ratings)), "task": TASK}).astype("str")
    return Collection(scores=Scores(rating_rows(ratings), facts) if ratings else None, faults=faults.all())


def _points(where: Where, data: bytes) -> list[int]:
    """Return the five numbers of a file; none after noting what is wrong."""
    text = documents.opened(documents.text, where.file, data, where.faults)
    if text is None:
        return []
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) != 1:
        where.error("row-count", f"has {len(lines)} lines", "give one, with the points of the five aspects")
        return []
    cells = [documents.frame_number(cell.strip()) for cell in lines[0].split(",")]
    points = [one for one in cells if one is not None and 1 <= one <= MOST_POINTS]
    if len(cells) != len(ASPECTS) or len(points) < len(cells):
        what = f"{documents.shown(lines[0].strip()[:60])} is no {len(ASPECTS)} whole numbers in 1..{MOST_POINTS}"
        where.at("line 1").error("row-length", what, f"give {', '.join(ASPECTS)}, separated by commas")
        return []
    return points
