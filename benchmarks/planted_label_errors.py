"""Plant errors in label files and count how many of them are among the first suspects, against chance and a simple rule.

    python benchmarks/planted_label_errors.py FOLDER [--recordings A,B ...] [--plant A,B] [--share 0.05] [--seeds 0 1 2] [--json FILE]

FOLDER has label files in any format of `scrubin convert`, of several recordings. Nothing is written there: labels are read, errors are
planted in memory by a seed, and the ranking, which knows nothing of them, is asked. ``--plant`` names the recordings in which errors are
planted and counted; all are read, so that each is compared with all others. Kinds, a third of the share each, of phases and of classes:

- ``phase swapped``: one position has another phase, ``phase missing``: none;
- ``phase shifted``: an edge between two phases lies up to five labelled positions too early or too late (one error);
- ``class swapped``: an instance is another class that the recording has in the same phase, as people confuse them;
- ``class missing``: it is gone;
- ``class shifted``: a run of a class, of two positions at least, begins or ends up to three positions wrong (one error).

An error is found when a suspect of the layer covers one of its positions and names what was planted or what was there before. Chance:
places drawn from all labels, each naming what is labelled there and any other label of the recording that it may be instead. The simple
rule: labels that are rarest in their phase come first.
"""

import argparse
import json
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator

from scrubin.labels.files import reader
from scrubin.labels.files.reader import Options
from scrubin.labels.model import IntArray, Labels, instance_rows, phase_rows
from scrubin.labels.registry import format_of
from scrubin.labels.rows import ID_OF, detected_classes, phase_vector, triplet_names
from scrubin.labels.suspects import ranking, rules
from scrubin.labels.suspects.suspect import Suspect, ranked

KINDS = tuple(f"{layer} {kind}" for layer in ("phase", "class") for kind in ("swapped", "shifted", "missing"))
PHASE_REACH, CLASS_REACH = 5, 3
CUTS = (100, 500)


@dataclass(frozen=True)
class Planted:
    """One error: positions [first, end) of a recording and layer, the label that stands there now, and what was there."""

    kind: str
    recording: str
    layer: str
    positions: frozenset[int]
    now: str
    before: str

    def is_found_by(self, suspect: Suspect) -> bool:
        """Return whether a suspect covers a position of it and names what stands or stood there."""
        names = {name for name in (self.now, self.before) if name}
        here = suspect.recording == self.recording and suspect.layer == self.layer
        return here and bool({suspect.label, suspect.probable} & names) and any(suspect.first <= at < suspect.end for at in self.positions)


def planted(labels: Labels, share: float, rng: Generator) -> tuple[Labels, list[Planted]]:
    """Return labels with errors in a share of their phases and of their instances, a third of each kind, and the errors."""
    errors = []
    if labels.instances is not None and len(labels.instances.rows):
        labels, some = plant_classes(labels, share, rng)
        errors += some
    if labels.phases is not None and len(labels.phases.rows):
        labels, some = plant_phases(labels, share, rng)
        errors += some
    return labels, errors


def plant_phases(labels: Labels, share: float, rng: Generator) -> tuple[Labels, list[Planted]]:
    positions, ids = phase_vector(labels.phases)
    if len(positions) > 5000:  # of every source frame: only those of whole seconds
        positions, ids = positions[::25], ids[::25]
    names, now, errors = labels.vocabulary.phases, ids.copy(), []
    budget = max(round(share * len(ids) / 3), 1)
    edges = (np.flatnonzero(np.diff(ids)) + 1).tolist()
    rng.shuffle(edges)
    free = np.ones(len(ids), bool)
    left = budget
    for edge in edges:
        by = min(int(rng.integers(1, PHASE_REACH + 1)), left)
        at = slice(edge, min(edge + by, len(ids))) if rng.random() < 0.5 else slice(max(edge - by, 0), edge)
        other = ids[edge - 1] if at.start == edge else ids[edge]
        if left <= 0 or not free[at].all() or len(set(ids[at])) > 1:
            continue
        now[at], free[at] = other, False
        left -= at.stop - at.start
        errors.append(
            Planted("phase shifted", labels.recording, "phases", frozenset(positions[at].tolist()), names[other], names[ids[at.start]])
        )
    drawn = rng.permutation(np.flatnonzero(free))
    for at in drawn[:budget]:
        other = int(rng.choice([one for one in np.unique(ids) if one != ids[at]]))
        now[at] = other
        errors.append(Planted("phase swapped", labels.recording, "phases", frozenset([int(positions[at])]), names[other], names[ids[at]]))
    kept = np.ones(len(ids), bool)
    for at in drawn[budget : 2 * budget]:
        kept[at] = False
        errors.append(Planted("phase missing", labels.recording, "phases", frozenset([int(positions[at])]), "", names[ids[at]]))
    layer = replace(labels.phases, positions=positions[kept], rows=phase_rows(positions[kept].tolist(), now[kept].tolist()))
    return replace(labels, phases=layer), errors


def plant_classes(labels: Labels, share: float, rng: Generator) -> tuple[Labels, list[Planted]]:
    classes_of = detected_classes(labels)
    column, vocabulary = ID_OF[classes_of], labels.vocabulary
    names = triplet_names(vocabulary) if classes_of == "ivt" else vocabulary.instruments
    layer = "triplets" if classes_of == "ivt" else "instruments"
    positions = labels.instances.positions
    rank_of = {int(position): rank for rank, position in enumerate(positions)}
    there = {(rank_of[int(row.position)], int(getattr(row, column))) for row in labels.instances.rows.dropna(subset=column).itertuples()}
    used = sorted({id_ for _, id_ in there})
    budget, now, errors = max(round(share * len(there) / 3), 1), set(there), []
    touched: set[tuple[int, int]] = set()
    runs = []
    for id_ in used:
        ranks = sorted(rank for rank, one in there if one == id_)
        first = ranks[0]
        for one, other in zip(ranks, [*ranks[1:], -9], strict=True):
            if other != one + 1:
                runs += [(id_, first, one + 1)] if one > first else []
                first = other
    left = budget
    for id_, first, end in [runs[at] for at in rng.permutation(len(runs))]:
        by = min(int(rng.integers(1, CLASS_REACH + 1)), left)
        grows, at_end = rng.random() < 0.5, rng.random() < 0.5
        if grows:
            ranks = range(end, min(end + by, len(positions))) if at_end else range(max(first - by, 0), first)
        else:
            ranks = range(max(end - by, first + 1), end) if at_end else range(first, min(first + by, end - 1))
        cells = {(rank, id_) for rank in ranks}
        if left <= 0 or not cells or cells & touched or (grows and cells & there):
            continue
        now = now | cells if grows else now - cells
        touched |= cells
        left -= len(cells)
        before, after = ("", names[id_]) if grows else (names[id_], "")
        errors.append(Planted("class shifted", labels.recording, layer, frozenset(int(positions[rank]) for rank in ranks), after, before))
    free = [cell for cell in sorted(there) if cell not in touched]
    drawn = [free[at] for at in rng.permutation(len(free))]
    phase_of_rank = phases_of_ranks(labels, positions)
    for rank, id_ in drawn[:budget]:
        beside = {one for other, one in there if phase_of_rank[other] == phase_of_rank[rank]}
        choices = [[one for one in some if one != id_ and (rank, one) not in now] for some in (sorted(beside), used)]
        other = int(rng.choice(choices[0] or choices[1]))
        now = (now - {(rank, id_)}) | {(rank, other)}
        errors.append(Planted("class swapped", labels.recording, layer, frozenset([int(positions[rank])]), names[other], names[id_]))
    for rank, id_ in drawn[budget : 2 * budget]:
        now = now - {(rank, id_)}
        errors.append(Planted("class missing", labels.recording, layer, frozenset([int(positions[rank])]), "", names[id_]))
    parts = dict(enumerate(vocabulary.triplets))
    rows = []
    for rank, id_ in sorted(now):
        ids = dict(zip(("instrument_id", "verb_id", "target_id"), parts[id_], strict=True)) if classes_of == "ivt" else {}
        rows.append({"position": int(positions[rank]), column: id_, **ids})
    return replace(labels, instances=replace(labels.instances, rows=instance_rows(rows))), errors


def phases_of_ranks(labels: Labels, positions: IntArray) -> list[int | None]:
    """Return the phase of each position as it is in the files, None where there is none."""
    if labels.phases is None:
        return [None] * len(positions)
    found = dict(zip(*(one.tolist() for one in phase_vector(labels.phases)), strict=True))
    return [found.get(position) for position in positions.tolist()]


def every_label(recordings: Sequence[Labels]) -> list[Any]:
    """Return each labelled phase and class as a place that may be named, with the number that the labels have of it by phase."""
    found = []
    for labels in recordings:
        phase_at = {}
        if labels.phases is not None:
            positions, ids = phase_vector(labels.phases)
            phase_at = dict(zip(positions.tolist(), ids.tolist(), strict=True))
            found += [(labels.recording, "phases", at, labels.vocabulary.phases[id_], None) for at, id_ in phase_at.items()]
        if labels.instances is not None:
            classes_of = detected_classes(labels)
            names = triplet_names(labels.vocabulary) if classes_of == "ivt" else labels.vocabulary.instruments
            layer = "triplets" if classes_of == "ivt" else "instruments"
            for row in labels.instances.rows.dropna(subset=ID_OF[classes_of]).itertuples():
                found.append(
                    (labels.recording, layer, int(row.position), names[int(getattr(row, ID_OF[classes_of]))], phase_at.get(row.position))
                )
    return found


def chance(recordings: Sequence[Labels], rng: Generator) -> list[Suspect]:
    """Return all labels as suspects in a drawn order, each probably any other label of its layer and recording."""
    every = every_label(recordings)
    others = {key: sorted({one[3] for one in every if one[:2] == key}) for key in {one[:2] for one in every}}
    drawn = (every[at] for at in rng.permutation(len(every)))
    return [Suspect(*one[:3], one[2] + 1, one[3], str(rng.choice(others[one[:2]])), 0.5, ("chance",), "") for one in drawn]


def rare(recordings: Sequence[Labels]) -> list[Suspect]:
    """Return all labels as suspects, those first that are rarest in their phase: the simple rule."""
    every = every_label(recordings)
    counts = Counter((layer, label, phase) for _, layer, _, label, phase in every)
    scored = [
        Suspect(name, layer, at, at + 1, label, "", 1 / (1 + counts[layer, label, phase]), (f"rare {at}",), "")
        for name, layer, at, label, phase in every
    ]
    return ranked(scored)


def found_by(suspects: Sequence[Suspect], errors: Sequence[Planted]) -> Counter[str]:
    """Return how many errors of each kind the suspects find."""
    return Counter(error.kind for error in errors if any(error.is_found_by(one) for one in suspects))


def hits(suspects: Sequence[Suspect], errors: Sequence[Planted]) -> int:
    """Return how many suspects find an error."""
    return sum(any(error.is_found_by(one) for error in errors) for one in suspects)


def trial(recordings: Sequence[Labels], plant: Collection[str], share: float, seed: int, fps: Fraction | None) -> dict[str, Any]:
    """Return counts of one seed: planted, and found by way and cut."""
    rng = np.random.default_rng(seed)
    made, errors = [], []
    for labels in sorted(recordings, key=lambda one: one.recording):
        one, some = planted(labels, share, rng) if labels.recording in plant else (labels, [])
        errors += some
        made.append(one)
    ways = {
        "suspects": list(ranking.rank(made, fps).suspects),
        "rules alone": ranked(one for labels in made for one in rules.suspects(labels, fps)),
        "rare in its phase": rare(made),
        "chance": chance(made, rng),
    }
    # Errors are planted in some recordings: only these are looked through.
    asked = {way: [one for one in found if one.recording in plant] for way, found in ways.items()}
    labels_there = len([one for one in every_label(made) if one[0] in plant])
    return {
        "labels": labels_there,
        "planted": Counter(error.kind for error in errors),
        "found": {way: {cut: found_by(one[:cut], errors) for cut in CUTS} for way, one in asked.items()},
        "hits": {way: {cut: hits(one[:cut], errors) for cut in CUTS} for way, one in asked.items()},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--from", dest="form", help="format of the files (default: by the files)")
    parser.add_argument("--recordings", help="only these are read, separated by commas (default: all)")
    parser.add_argument("--plant", help="errors are planted in these, separated by commas (default: in all)")
    parser.add_argument("--share", type=float, default=0.05)
    parser.add_argument("--seeds", type=int, nargs="+", default=list(range(5)))
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    reading = reader.read_path(args.folder, format_of(args.form) if args.form else None, Options())
    names = None if args.recordings is None else set(args.recordings.split(","))
    recordings = [one for one in reading.collection.recordings if names is None or one.recording in names]
    plant = {one.recording for one in recordings} if args.plant is None else set(args.plant.split(","))
    trials = [trial(recordings, plant, args.share, seed, reading.form.by_hand.fps) for seed in args.seeds]
    print(f"{len(recordings)} recordings, errors in {len(plant)}, {trials[0]['labels']} labels there, {len(trials)} seeds; means of a seed")
    print(f"{'':18}{'':5}" + "".join(f"{kind:>16}" for kind in KINDS) + f"{'all':>10}{'of the places':>16}")
    mean = {kind: np.mean([one["planted"][kind] for one in trials]) for kind in KINDS}
    print(f"{'planted':23}" + "".join(f"{mean[kind]:16.1f}" for kind in KINDS) + f"{sum(mean.values()):10.1f}")
    for way in trials[0]["found"]:
        for cut in CUTS:
            found = {kind: np.mean([one["found"][way][cut][kind] for one in trials]) for kind in KINDS}
            places = np.mean([one["hits"][way][cut] for one in trials])
            print(f"{way:18}{cut:5}" + "".join(f"{found[kind]:16.1f}" for kind in KINDS) + f"{sum(found.values()):10.1f}{places:16.1f}")
    if args.json:
        args.json.write_text(json.dumps(trials, indent=1, default=dict) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
