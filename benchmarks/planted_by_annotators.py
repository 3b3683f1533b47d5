"""Plant errors as annotators make them in CholecT50 files, ask the command line for suspects, and count how many it finds.

    python benchmarks/planted_by_annotators.py FOLDER VID73 VID74 VID75 [--seeds 1 2 3] [--share 0.05] [--seen 0.5]

It shares no code with `planted_label_errors.py`, was written before its writer had read the ranking, and reads what `scrubin validate
--suspects --json` prints of files. Errors are planted in every recording that is read, until they touch a share of all rows; a row is the
phase of a frame or one triplet in it. An error is one mistake of a person and mostly several rows:

- an edge between two phases 2 to 15 s late (or, of ten, in three, early); 5 to 30 s of a phase named as one beside it; a short segment
  named as the next one;
- a run of a triplet, or a part of it, with another verb, target or instrument that makes a triplet; half of the time one that these
  operations have (``--seen`` says how often);
- a run that begins 2 to 15 s too late or ends too early; one that goes on too long, in the place of what its instrument does then; one to
  ten frames of a run forgotten.

An error is found where a suspect of its layer overlaps it and names the label that is wrong there, or the one that would be right. Chance
has as many places of the same layer and length, put anywhere, each naming a label that is there, or for a missing one a class by its
frequency; means of 60 draws. `overlaps` counts without names.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

KINDS = {
    "phase edge": 2,
    "phase run as neighbour": 1,
    "phase segment as next": 0.3,
    "triplet verb": 3,
    "triplet target": 3,
    "triplet instrument": 2,
    "triplet late start": 2,
    "triplet late end": 2,
    "triplet forgotten": 3,
}
"""What is planted, with how often it is tried against the others."""
TRIPLETS, CUTS, DRAWS = 94, (100, 500), 60
INSTRUMENT, VERB, TARGET, PHASE = 1, 7, 8, 14
"""Columns of a row of CholecT50; the first one is the triplet."""
Triplet = tuple[str, str, str]


@dataclass(frozen=True)
class Mistake:
    """One mistake: the frames, what is wrong there now, and what would be right."""

    kind: str
    recording: str
    layer: str
    frames: list[int]
    wrong: frozenset[str]
    right: frozenset[str]

    def is_overlapped_by(self, one: dict[str, Any]) -> bool:
        """Return whether a suspect of its layer is about one of its frames."""
        same = one["recording"] == self.recording and one["layer"] == self.layer
        return same and any(one["first"] <= frame <= one["last"] for frame in self.frames)

    def is_found_by(self, one: dict[str, Any]) -> bool:
        """Return whether such a suspect also names what is wrong there, or what would be right."""
        return self.is_overlapped_by(one) and (one["label"] in self.wrong or one["probable"] in self.right)


@dataclass
class Study:
    """Files of CholecT50, with the mistakes that are planted in them."""

    documents: dict[str, Any]
    chance: random.Random
    seen: float
    mistakes: list[Mistake] = field(default_factory=list)
    touched: set[tuple[Any, ...]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.recordings = list(self.documents)
        categories = self.documents[self.recordings[0]]["categories"]
        self.parts = {int(key): tuple(name.split(",")) for key, name in categories["triplet"].items()}
        self.ids = {name: key for key, name in self.parts.items()}
        self.part_ids = {part: {name: int(key) for key, name in categories[part].items()} for part in ("instrument", "verb", "target")}
        self.phases = {int(key): name for key, name in categories["phase"].items()}
        self.rows = {
            name: {int(frame): [list(row) for row in rows] for frame, rows in document["annotations"].items()}
            for name, document in self.documents.items()
        }
        self.frames = {name: sorted(rows) for name, rows in self.rows.items()}
        self.known = {one for name in self.recordings for frame in self.frames[name] for one in self.triplets(name, frame)}
        self.count = sum(1 + len(self.triplets(name, frame)) for name in self.recordings for frame in self.frames[name])

    def triplets(self, name: str, frame: int) -> list[Any]:
        """Return the triplets of a frame as they are now."""
        return [self.parts[row[0]] for row in self.rows[name][frame] if row[0] >= 0]

    def phase(self, name: str, frame: int) -> int:
        """Return the phase of a frame as it is now."""
        return int(self.rows[name][frame][0][PHASE])

    def runs(self, name: str) -> list[tuple[Triplet, list[int]]]:
        """Return runs of one triplet in labelled frames that are at most 5 s apart."""
        current: dict[Triplet, list[int]] = {}
        found: list[tuple[Triplet, list[int]]] = []
        before = None
        for frame in self.frames[name]:
            here = self.triplets(name, frame)
            if before is not None and frame - before > 5:
                found += current.items()
                current = {}
            for one in [one for one in current if one not in here]:
                found.append((one, current.pop(one)))
            for one in here:
                if current.setdefault(one, [])[-1:] != [frame]:
                    current[one].append(frame)
            before = frame
        return [*found, *current.items()]

    def segments(self, name: str) -> list[tuple[int, list[int]]]:
        """Return the phases in their order, each with its frames."""
        found: list[tuple[int, list[int]]] = []
        for frame in self.frames[name]:
            if not found or found[-1][0] != self.phase(name, frame):
                found.append((self.phase(name, frame), []))
            found[-1][1].append(frame)
        return found

    def plant(self, share: float) -> int:
        """Plant mistakes until they touch a share of all rows; return how many rows they touch."""
        rows = 0
        for _ in range(5000):
            if rows >= round(share * self.count):
                break
            kind = self.chance.choices(list(KINDS), list(KINDS.values()))[0]
            name, delay_s = self.chance.choice(self.recordings), self.chance.uniform(2, 15)
            made = self.of_phases(kind, name, delay_s) if kind.startswith("phase") else self.of_triplets(kind, name, delay_s)
            if made is not None:
                self.mistakes.append(made)
                rows += len(made.frames)
        return rows

    def of_phases(self, kind: str, name: str, delay_s: float) -> Mistake | None:
        """Plant one mistake in the phases of a recording; None where it does not fit."""
        segments, chance = self.segments(name), self.chance
        if kind == "phase edge":
            at = chance.randrange(len(segments) - 1)
            (before, earlier), (after, later) = segments[at], segments[at + 1]
            if chance.random() < 0.7:
                hit, new = [one for one in later[:-1] if one < later[0] + delay_s], before
            else:
                hit, new = [one for one in earlier[1:] if one > earlier[-1] - delay_s], after
        elif kind == "phase run as neighbour":
            at = chance.randrange(len(segments))
            new = chance.choice([segments[beside][0] for beside in (at - 1, at + 1) if 0 <= beside < len(segments)])
            first, length_s = chance.choice(segments[at][1]), chance.uniform(5, 30)
            hit = [one for one in segments[at][1] if first <= one < first + length_s]
            if len(hit) == len(segments[at][1]):
                return None
        else:
            at = chance.randrange(len(segments) - 1)
            hit, new = segments[at][1], segments[at + 1][0]
            if len(hit) > 12 or any(one.kind == kind for one in self.mistakes):
                return None
        right = frozenset(self.phases[self.phase(name, frame)] for frame in hit)
        cells = {(name, "phases", frame) for frame in hit}
        if not hit or len(hit) > 30 or cells & self.touched or self.phases[new] in right:
            return None
        for frame in hit:
            for row in self.rows[name][frame]:
                row[PHASE] = new
        self.touched |= cells
        return Mistake(kind, name, "phases", hit, frozenset([self.phases[new]]), right)

    def of_triplets(self, kind: str, name: str, delay_s: float) -> Mistake | None:
        """Plant one mistake in the triplets of a recording; None where it does not fit."""
        was, run = self.chance.choice(self.runs(name))
        wrong: frozenset[Triplet] = frozenset()
        right = frozenset([was])
        if kind.split()[1] in self.part_ids:
            new = self.confused_with(was, kind.split()[1], run, name)
            hit = self.part_of(run, len(run) if self.chance.random() < 0.5 else self.chance.randint(1, len(run)))[:15]
            if new is None or not self.is_free(name, hit):
                return None
            wrong = frozenset([new])
            for frame in hit:
                for row in self.rows[name][frame]:
                    if row[0] == self.ids[was]:
                        row[0] = self.ids[new]
                        row[INSTRUMENT], row[VERB], row[TARGET] = (
                            self.part_ids[of][one] for of, one in zip(self.part_ids, new, strict=True)
                        )
        elif kind == "triplet late end" and self.chance.random() >= 0.3:
            hit = [one for one in self.frames[name] if run[-1] < one <= run[-1] + delay_s and was not in self.triplets(name, one)][:10]
            if not self.is_free(name, hit):
                return None
            row = next(row for row in self.rows[name][run[-1]] if row[0] == self.ids[was])
            replaced = {one for frame in hit for one in self.triplets(name, frame) if one[0] == was[0]}
            for frame in hit:
                phase = self.phase(name, frame)
                kept = [one for one in self.rows[name][frame] if one[0] >= 0 and self.parts[one[0]][0] != was[0]]
                self.rows[name][frame] = [*kept, [*row[:PHASE], phase]]
            wrong, right = frozenset([was]), frozenset(replaced)
        else:
            if kind == "triplet forgotten":
                hit = self.part_of(run, self.chance.randint(1, min(10, len(run))))
            elif kind == "triplet late start":
                hit = [one for one in run[:-1] if one < run[0] + delay_s]
            else:
                kind, hit = "triplet early end", [one for one in run[1:] if one > run[-1] - delay_s]
            if len(hit) > 15 or not self.is_free(name, hit):
                return None
            for frame in hit:
                phase = self.phase(name, frame)
                kept = [row for row in self.rows[name][frame] if row[0] != self.ids[was]]
                self.rows[name][frame] = kept or [[*([-1] * PHASE), phase]]
        self.touched |= {(name, frame) for frame in hit}
        return Mistake(kind, name, "triplets", hit, frozenset(map(",".join, wrong)), frozenset(map(",".join, right)))

    def confused_with(self, was: Triplet, part: str, run: Sequence[int], name: str) -> Triplet | None:
        """Return a triplet that differs in one part and is nowhere in the run."""
        differs = list(self.part_ids).index(part)
        there = {one for frame in run for one in self.triplets(name, frame)}
        legal = [one for key, one in self.parts.items() if key < TRIPLETS and one not in there]
        choices: list[Any] = sorted(one for one in legal if one != was and all(one[at] == was[at] for at in range(3) if at != differs))
        known = [one for one in choices if one in self.known]
        if not choices or (self.seen == 1 and not known):
            return None
        chosen: Triplet = self.chance.choice(known) if known and self.chance.random() < self.seen else self.chance.choice(choices)
        return chosen

    def part_of(self, run: list[int], length: int) -> list[int]:
        """Return neighbours of a run."""
        first = self.chance.randint(0, len(run) - length)
        return run[first : first + length]

    def is_free(self, name: str, hit: Sequence[int]) -> bool:
        """Return whether there are frames, and none has a mistake already."""
        return bool(hit) and not any((name, frame) in self.touched for frame in hit)

    def write(self, folder: Path) -> None:
        """Write the files with their mistakes."""
        for name, document in self.documents.items():
            annotations = {str(frame): self.rows[name][frame] for frame in self.frames[name]}
            (folder / f"{name}.json").write_text(json.dumps({**document, "annotations": annotations}), encoding="utf-8")

    def by_chance(self, listed: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return as many places of the same layer and length anywhere, each naming what may be there."""
        every = [(name, at) for name in self.recordings for at in range(len(self.frames[name]))]
        counts = Counter(",".join(one) for name in self.recordings for frame in self.frames[name] for one in self.triplets(name, frame))
        drawn = []
        for one in listed:
            length = sum(one["first"] <= frame <= one["last"] for frame in self.frames[one["recording"]])
            name, at = self.chance.choice(every)
            first, last = self.frames[name][at], self.frames[name][min(at + length, len(self.frames[name])) - 1]
            label, probable = "-", "-"
            if one["layer"] == "phases":
                label = self.phases[self.phase(name, first)]
            elif one["label"] == "":
                probable = self.chance.choices(list(counts), list(counts.values()))[0]
            elif here := self.triplets(name, first):
                label = ",".join(self.chance.choice(here))
            drawn.append({"recording": name, "layer": one["layer"], "first": first, "last": last, "label": label, "probable": probable})
        return drawn


def suspects_of(folder: Path) -> list[dict[str, Any]]:
    """Return what the command line lists."""
    command = [sys.executable, "-m", "scrubin", "validate", str(folder), "--suspects", "100000", "--json"]
    listed: list[dict[str, Any]] = json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)["suspects"][
        "listed"
    ]
    return listed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("recordings", nargs="+")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--share", type=float, default=0.05)
    parser.add_argument("--seen", type=float, default=0.5)
    args = parser.parse_args()
    kinds: Counter[tuple[str, object]] = Counter()
    sums: Counter[str] = Counter()
    for seed in args.seeds:
        documents = {name: json.loads((args.folder / f"{name}.json").read_text("utf-8")) for name in args.recordings}
        study = Study(documents, random.Random(seed), args.seen)
        rows = study.plant(args.share)
        with tempfile.TemporaryDirectory() as folder:
            study.write(Path(folder))
            listed = suspects_of(Path(folder))
        sums.update({"planted": len(study.mistakes), "rows touched": rows, "rows": study.count, "listed": len(listed)})
        kinds.update((one.kind, "planted") for one in study.mistakes)
        for cut in CUTS:
            found = [one for one in study.mistakes if any(map(one.is_found_by, listed[:cut]))]
            kinds.update((one.kind, cut) for one in found)
            sums[f"found by {cut}"] += len(found)
            sums[f"overlapped by {cut}"] += sum(any(map(one.is_overlapped_by, listed[:cut])) for one in study.mistakes)
            for _ in range(DRAWS):
                drawn = study.by_chance(listed[:cut])
                sums[f"chance of {cut}, in {DRAWS}ths"] += sum(any(map(one.is_found_by, drawn)) for one in study.mistakes)
    count = len(args.seeds)
    print(f"means of {count} seeds")
    for what, number in sums.items():
        named = what.removesuffix(f", in {DRAWS}ths")
        print(f"{named:20}{number / count / (1 if named == what else DRAWS):10.1f}")
    for kind in sorted({kind for kind, _ in kinds}):
        print(f"{kind:26}" + "".join(f"{kinds[kind, column] / count:8.1f}" for column in ("planted", *CUTS)))


if __name__ == "__main__":
    main()
