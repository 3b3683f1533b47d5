"""Every command as somebody asks it, on files so small that each takes a moment."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import base_install
import exported_release
import loadable_release
import version_pairs
from challenge_cases import document, labels, scores, write, write_labels
from label_examples import EXAMPLES
from scrubin.labels.registry import format_of

VIDEO = "release/videos/Cholecystectomy/mono/abelo.mkv"
PHASES = "score phases --ground-truth truth --predictions found --bootstrap 30"
RECOGNITION = "score recognition --ground-truth gt --predictions one --bootstrap 30"
RANK = "rank one two --ground-truth gt --json --resamples 40"
PICTURES = ("autolaparo-masks", "cholecseg8k", "dsad", "endovis2017", "masks-png", "sarrarp50-masks")
"""Formats whose labels are pictures, which the base install cannot open."""


def _conversion(name: str) -> str:
    return f"convert formats/{name} --from {name} --to csv --out o/{name} --json" + " --fps 25" * format_of(name).by_hand.asks_fps


PROMISED = [
    *(f"{PHASES} --out o/phases.json", f"{PHASES} --json", "score compare o/phases.json o/phases.json", "score differences --json"),
    *(f"{RECOGNITION} --out o/recognition.csv", f"{RECOGNITION} --semantics compat --json"),
    "score detection --ground-truth gt --predictions one --json",
    "score points --ground-truth formats/coco --predictions formats/coco --json",
    *(f"{RANK} --variants", f"{RANK} --test clips --clips 60 --clip-frames 10", "rank --from-scores many.csv --json"),
    *("submission check one --ground-truth gt --json", "ground-truth-check release/groundtruth"),
    *("diff old new --json", "verify old --json - --state o/state", "validate gt --json", "validate release --json"),
    *("export exp o/hf --to huggingface", "export exp o/wds --to webdataset"),
    *("splits show cholec80/40-40", "splits check release/splits/balanced.csv"),
    *("splits leaks --train cholec80/40-40:train --test cholect50/rdv:test --json", "completion fish : splits l"),
    *(_conversion(name) for name in EXAMPLES if name not in ("yolo", "yolo4", "yolo-pose", *PICTURES)),
    *(f"convert gt --to {name} --image-size 854x480 --out o/to-{name} --json" for name in ("coco", "yolo")),
]
"""What the base install does as the full one."""
OPTIONS = {
    f"{PHASES} --html o/page.html": "evaluate",
    f"{RANK} --out o/rank": "evaluate",
    "diff old new --html o/page.html": "evaluate",
    "convert yolo --from yolo --to csv --out o/csv": "evaluate",
    "convert formats/yolo-pose --from yolo-pose --to coco --image-size 854x480 --out o/pose": "evaluate",
    "submission training training_data.yaml --test cholect50/rdv:test": "evaluate",
    "verify project": "evaluate",
    "export exp o/lerobot --to lerobot": "load",
    **{f"convert formats/{name} --from {name} --to coco --out o/{name}": "load" for name in PICTURES},
    f"submission causality {VIDEO} --fps 1 -- true {{input}} {{output}}": "load",
}
"""What an option or a file needs, of commands that need no extra."""
NEEDED = [
    *("new-study raw --from release", "preflight", "check-params params.yaml", f"probe {VIDEO}", "dicom show one.dcm"),
    *(f"screen {VIDEO}", "review", "label", f"render {VIDEO} o/out.mkv", f"frames {VIDEO} o/frames", f"frames-check {VIDEO} exp"),
    *("scores exp --out o/scores", "deid make o/deid --recordings 1 --length-s 8 --height 180 --seed 1"),
    *("splits make many.csv --group video --out o/s.csv", "splits extend many.csv many.csv --group video --out o/s.csv"),
    *("remove one", "rename one two", "withdraw --recording one", "stereo check rig.json left.mkv right.mkv"),
    *("store", "tag 1.0.0", "push s3://bucket/1.0.0", "audit exp"),
    "challenge bundle release --for evalai --task recognition --split balanced --subset train --out o/bundle",
]
"""Commands that need an extra whatever they are asked."""


def build(home: Path) -> Path:
    """Write whatever they are asked about, and return the folder."""
    truth = {f"VID0{number}": labels(number, 40) for number in range(1, 5)}
    write_labels(home / "gt", truth)
    (home / "training_data.yaml").write_text("version: 1\n")
    for at, team in enumerate(("one", "two")):
        write(home / team, {name: document(scores(at, of, 1 + at)) for name, of in truth.items()})
    rng = np.random.default_rng(4)
    for video in truth:
        phases = np.repeat(np.arange(7), 4)
        wrong = np.where(rng.random(len(phases)) < 0.2, rng.integers(0, 7, len(phases)), phases)
        for side, of_side in (("truth", phases), ("found", wrong)):
            (home / side).mkdir(exist_ok=True)
            rows = "".join(f"{frame},{phase}\n" for frame, phase in enumerate(of_side.tolist()))
            (home / side / f"{video}.csv").write_text(f"frame,phase_id\n{rows}")
    # More videos than the exact test is for.
    values = [f"{team},v{video:03d},{rng.random() + shift:.6f}\n" for team, shift in (("a", 0), ("b", 0.1)) for video in range(80)]
    (home / "many.csv").write_text(f"team,video,value\n{''.join(values)}")
    for name, files in EXAMPLES.items():
        for path, data in files.items():
            target = home / "formats" / name / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
    (home / "yolo").mkdir()
    (home / "yolo/data.yaml").write_text("names: [grasper, hook]\n")
    (home / "yolo/a_000001.txt").write_text("0 0.5 0.5 0.2 0.2\n")
    (home / "project").mkdir()
    (home / "project/dvc.yaml").write_text("stages: {}\n")
    (home / "params.yaml").write_bytes((base_install.ROOT / "params.yaml").read_bytes())
    version_pairs.build(home / "old")
    version_pairs.build(home / "new", version="1.0.1")
    exported_release.write(home / "exp", exported_release.rows())
    loadable_release.build(home / "release")
    return home
