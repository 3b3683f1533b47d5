"""Hold ELAN files against pympi: what it writes is read by us, what we write is read by it, and nothing differs.

Needs ``pympi-ling``, beside this environment: ``REFERENCES=/path/to/its/site-packages``. Last run in November 2026 with 1.71.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

CASES = 100
THEIR_SIDE = """
import json, sys
sys.path.append(sys.argv[1])
folder, what = sys.argv[2], sys.argv[3]
import pympi
if what == "write":
    for number, tiers in enumerate(json.load(open(folder + "/cases.json"))):
        eaf = pympi.Elan.Eaf()
        eaf.remove_tier("default")
        for name, spans in tiers.items():
            eaf.add_tier(name)
            for start, end, label in spans:
                eaf.add_annotation(name, start, end, label)
        eaf.to_file(f"{folder}/case{number:03d}.eaf")
else:
    found = []
    for number in range(int(what)):
        eaf = pympi.Elan.Eaf(f"{folder}/case{number:03d}.eaf")
        found.append({name: [list(one[:3]) for one in eaf.get_annotation_data_for_tier(name)] for name in eaf.get_tier_names()})
    print(json.dumps(found))
"""


def cases(seed: int) -> list[dict[str, list[tuple[int, int, str]]]]:
    """Return tiers with spans that touch or leave gaps, in milliseconds."""
    from scrubin.base.vocabulary.vocabulary import load

    draw, words, made = random.Random(seed), load("cholect50"), []
    for _ in range(CASES):
        tiers = {}
        for name, labels in (("phase", words.phases), ("instrument grasper", ("grasper",)), ("instrument hook", ("hook",))):
            at, spans = draw.randrange(5000), []
            for _ in range(draw.randrange(1, 9)):
                end = at + draw.randrange(1, 600_000)
                spans.append((at, end, draw.choice(labels)))
                at = end + draw.choice([0, 0, draw.randrange(1, 9000)])
            tiers[name] = spans
        made.append(tiers)
    return made


def theirs(folder: Path, what: str) -> str:
    """Run the other side in a process of its own."""
    command = [sys.executable, "-c", THEIR_SIDE, os.environ["REFERENCES"], str(folder), what]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main() -> None:
    """Print how many spans were compared in each direction, and how many differ."""
    from scrubin.labels.files.reader import Options, read
    from scrubin.labels.formats.programs.elan import write
    from scrubin.labels.rates import NS
    from scrubin.labels.registry import Output, format_of

    made = cases(3)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "cases.json").write_text(json.dumps(made))
        theirs(folder, "write")
        files = {path.name: path.read_bytes() for path in sorted(folder.glob("*.eaf"))}
        collection = read(files, format_of("elan"), Options())
        differing, spans = 0, 0
        for labels, tiers in zip(collection.recordings, made, strict=True):
            ms = [int(Fraction(at, NS) * 1000) for at in labels.segments["start"]] if labels.segments is not None else []
            differing += ms != [start for start, _, _ in tiers["phase"]]
            ends = sorted(int(Fraction(at, NS) * 1000) for at in labels.spans["end"]) if labels.spans is not None else []
            differing += ends != sorted(end for name, of in tiers.items() if name != "phase" for _, end, _ in of)
            spans += sum(map(len, tiers.values()))
        print(f"pympi -> ours: {len(made)} files, {spans} spans, {differing} files differ")
        out = Output()
        write(collection, out)
        for file, data in out.files.items():
            (folder / file).write_bytes(data)
        found = json.loads(theirs(folder, str(len(made))))
        again = sum({key: [list(one) for one in of] for key, of in tiers.items()} != got for tiers, got in zip(made, found, strict=True))
        print(f"ours -> pympi: {len(made)} files, {again} differ")


if __name__ == "__main__":
    main()
