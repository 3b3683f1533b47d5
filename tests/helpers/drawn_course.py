"""Labels of operations that are drawn: phases in their order, in each the same few triplets in long runs. Nothing in them is wrong."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from scrubin.base.vocabulary import vocabulary
from scrubin.labels.model import Clock, Labels, Layer, instance_rows, phase_rows

T50 = vocabulary.load("cholect50")
ORDER = (0, 1, 2, 3, 4, 5, 6)
USUAL = {phase: [T50.triplet_of(name) for name in names] for phase, names in {
    0: ["grasper,grasp,gallbladder"],
    1: ["grasper,retract,gallbladder", "hook,dissect,gallbladder"],
    2: ["clipper,clip,cystic_duct", "scissors,cut,cystic_duct"],
    3: ["hook,dissect,cystic_plate", "grasper,retract,gallbladder"],
    4: ["grasper,pack,gallbladder"],
    5: ["irrigator,aspirate,fluid", "bipolar,coagulate,liver"],
    6: ["grasper,grasp,specimen_bag"],
}.items()}  # fmt: skip
"""Triplets by phase."""


def labels(name: str, phases: dict[int, int], triplets: dict[int, set[int]]) -> Labels:
    """Return labels of phases and triplets by second."""
    positions = np.array(sorted(set(phases) | set(triplets)), np.int64)
    ids = [dict(zip(("instrument_id", "verb_id", "target_id"), parts, strict=True)) for parts in T50.triplets]
    rows = [{"position": at, "triplet_id": one, **ids[one]} for at, ones in sorted(triplets.items()) for one in sorted(ones)]
    return Labels(
        name,
        "drawn",
        T50,
        Clock(Fraction(1)),
        phases=Layer(f"{name}.json", np.array(sorted(phases), np.int64), phase_rows(sorted(phases), [phases[at] for at in sorted(phases)])),
        instances=Layer(f"{name}.json", positions, instance_rows(rows)),
    )


def operation(name: str, seed: int) -> tuple[dict[int, int], dict[int, set[int]]]:
    """Return the phase and the triplets of each second of an operation."""
    rng = np.random.default_rng([seed, *name.encode()])
    phases: dict[int, int] = {}
    triplets: dict[int, set[int]] = {}
    for phase in ORDER:
        for one in USUAL[phase]:
            for _ in range(int(rng.integers(12, 30))):
                second = len(phases)
                phases[second], triplets[second] = phase, {one}
    return phases, triplets


def study(seed: int, count: int = 5) -> list[Labels]:
    """Return the labels of several operations."""
    return [labels(name, *operation(name, seed)) for name in (f"VID{number:02d}" for number in range(1, count + 1))]


def with_phase(one: Labels, second: int, phase: int) -> Labels:
    """Return labels with another phase in a second."""
    assert one.phases is not None
    rows = one.phases.rows.copy()
    rows.loc[rows["position"] == second, "phase_id"] = phase
    return replace(one, phases=replace(one.phases, rows=rows))


def with_triplets(one: Labels, second: int, triplets: set[int]) -> Labels:
    """Return labels with other triplets in a second."""
    assert one.instances is not None
    kept = one.instances.rows[one.instances.rows["position"] != second]
    ids = [dict(zip(("instrument_id", "verb_id", "target_id"), T50.triplets[one], strict=True)) for one in sorted(triplets)]
    added = [{"position": second, "triplet_id": id_, **of} for id_, of in zip(sorted(triplets), ids, strict=True)]
    rows = instance_rows([*kept.to_dict("records"), *added]).sort_values("position", kind="stable", ignore_index=True)
    return replace(one, instances=replace(one.instances, rows=rows))
