"""The few classes of CholecT50 that occur in the synthetic procedures."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("triplets.csv")

CHOLECT50_PHASES = (
    "preparation",
    "carlot-triangle-dissection",
    "clipping-and-cutting",
    "gallbladder-dissection",
    "gallbladder-packaging",
    "cleaning-and-coagulation",
    "gallbladder-extraction",
)
CHOLEC80_PHASES = (
    "Preparation",
    "CalotTriangleDissection",
    "ClippingCutting",
    "GallbladderDissection",
    "GallbladderPackaging",
    "CleaningCoagulation",
    "GallbladderRetraction",
)
CHOLEC80_TOOLS = ("Grasper", "Bipolar", "Hook", "Scissors", "Clipper", "Irrigator", "SpecimenBag")
PACKAGING = 4
"""Phase in which the specimen bag is in view."""


@dataclass(frozen=True)
class Triplet:
    """An instrument that does something to something: ids and names as in CholecT50."""

    triplet: int
    instrument: int
    verb: int
    target: int
    instrument_name: str
    verb_name: str
    target_name: str

    @property
    def name(self) -> str:
        """Return instrument, verb and target, joined by commas."""
        return f"{self.instrument_name},{self.verb_name},{self.target_name}"


@cache
def triplets() -> dict[int, Triplet]:
    """Return the triplets of the demo by their id in CholecT50."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    classes = [
        Triplet(
            int(row["triplet"]),
            int(row["instrument"]),
            int(row["verb"]),
            int(row["target"]),
            row["instrument_name"],
            row["verb_name"],
            row["target_name"],
        )
        for row in rows
    ]
    return {one.triplet: one for one in classes}
