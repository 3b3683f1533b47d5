"""1,000 hostile files of 40 kinds, through every command that opens a stranger's file: what falls over, hangs, eats memory or leaks.

    python benchmarks/hostile_files.py FOLDER [--seed 1] [--count 25] [--only KIND ...] [--command WORD ...] [--jobs 1] [--table]

A small release, submissions, labels, a raw study, a rig, DICOM and a benchmark of de-identification are made once. Each file of each
kind takes the place of one of their files, and the commands that read this file run in a process of their own: every file through one
command, every second one through another one as well. Beside them lies a folder that nothing names but the hostile file; what of it
appears in an output is a leak. Of each run stands in ``runs.jsonl``: exit code, seconds, CPU seconds, peak memory, tracebacks, number
and length of lines, leaks, and what was written where nothing should be. The same command goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import io
import json
import os
import pickle
import random
import re
import resource
import shlex
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

LIMIT_S = 60
MEMORY_BYTES = 8 << 30
MANY_LINES, LONG_LINE = 40, 4000
CANARY = "CANARYOUTSIDE7f3e"
CANARY_BGR = (13, 200, 77)
"""What the picture and the video outside show."""
DEEP, DIGITS, WIDE = 100_000, 5_000, 100_000


@dataclass(frozen=True)
class Slot:
    """A file that a command reads."""

    name: str
    base: tuple[str, ...]
    """Folders of the base that the command needs."""
    path: str
    """The file that the hostile one replaces."""
    command: tuple[str, ...]
    """What runs, in the folder of the case; LOAD is Python."""
    family: str
    """What the file should be: json, csv, text, yaml, npz, npy, parquet, zip, tar, xlsx, jpg, video, sums, dcm."""
    inside: str = ""
    """Where the command runs."""


LOAD = """
import sys
from scrubin.base.errors import ScrubinError
def told(item):
    for name, value in item.items():
        if getattr(value, "dtype", None) == "uint8" and value.ndim >= 3:
            print("PIXEL", *(int(round(v)) for v in value.reshape(-1, 3).mean(axis=0)[::-1]))
try:
    from scrubin.load import Release
    release = Release(sys.argv[2])
    print(release, release.splits)
    what = sys.argv[1]
    if what == "tables":
        for name in ("videos", "frames", "phases", "triplets", "skill", "splits"):
            print(name, getattr(release, "table", lambda name: None)(name) is not None if hasattr(release, "table") else "")
        print(release.frames("balanced/train", ["triplets", "phases"], task="Cholecystectomy").table.to_string()[:2000])
    elif what == "frames":
        for split in ("balanced/train", "balanced/test"):
            for item in release.frames(split, include_hidden=True):
                told(item)
    elif what == "videos":
        for split in ("balanced/train", "balanced/test"):
            for item in release.frames(split, source="videos", include_hidden=True):
                told(item)
    elif what == "clips":
        for split in ("balanced/train", "balanced/test"):
            for item in release.clips(length_s=1, stride_s=1, fps=5, split=split):
                told(item)
except ScrubinError as error:
    sys.exit(f"{type(error).__name__}: {error}")
"""
TRAINED_ON = """version: 1
complete: yes
trained_until: 2026-01-01
datasets:
  - name: cholec80
    videos: 1-40
weights: []
own_data: []
"""
SHORT = {
    "@abelo": "Cholecystectomy/mono/abelo",
    "@gt": "rel/groundtruth",
    "@truth": "--ground-truth truth",
    "@rel": "--ground-truth rel",
    "@subset": "--videos split/split.csv --subset test",
    "@made": "--out out/s.csv --group participant --work-limit 1",
    "@hidden": "--for codabench --task recognition --split balanced --subset test",
}
SLOTS = """
score recognition | truth team | team/v1.json | json |  | score recognition @truth --predictions team
score recognition | truth matrices | matrices/v1.npz | npz |  | score recognition @truth --predictions matrices
score recognition | truth npy | npy/v1.npy | npy |  | score recognition @truth --predictions npy
score recognition | truth csv | csv/v1.csv | csv |  | score recognition @truth --predictions csv
score recognition | truth parquet | parquet/v1.parquet | parquet |  | score recognition @truth --predictions parquet
score recognition | truth team | truth/v1.json | json |  | score recognition @truth --predictions team
score detection | truth team | team/v2.json | json |  | score detection @truth --predictions team
score detection | coco | coco/annotations.json | json |  | score detection --ground-truth coco --predictions coco/annotations.json
score phases | truth phases | phases/v1.csv | csv |  | score phases @truth --predictions phases
score skill | rel | @gt/skill/PegTransfer.csv | csv |  | score skill @rel --predictions @gt/skill
score errors | rel | @gt/errors/PegTransfer.csv | csv |  | score errors @rel --predictions @gt/errors
validate | rel | @gt/cholect50/recognition/abelo.npz | npz |  | validate rel
score --videos | truth team split | split/split.csv | csv |  | score recognition @truth --predictions team @subset
submission check | truth team | team/v1.json | json |  | submission check team @truth
submission check | truth phases | phases/v2.csv | csv |  | submission check phases @truth
submission check | truth trained | trained/training_data.yaml | yaml |  | submission check trained @truth --test cholec80/40-40:test
rank | truth team team_b | team_b/v2.json | json |  | rank team team_b @truth --resamples 50
rank --from-scores | ranking | ranking/scores.csv | csv |  | rank --from-scores ranking/scores.csv --resamples 50
convert | truth | truth/v2.json | json |  | convert truth --to spans --out out/spans
convert | phases | phases/v1.csv | csv |  | convert phases --to tables-csv --out out/tables
convert | labelme | labelme/pwhv1/000001.json | json |  | convert labelme --from labelme --to spans --out out/spans
convert | yolo | yolo/labels/pwhv1_000000.txt | text |  | convert yolo --to coco --image-size 640x360 --out out/coco
convert | aix | aix/OSATS.xlsx | xlsx |  | convert aix --to lasana --out out/lasana
convert | c80 | c80/video01-phase.txt | text |  | convert c80 --to spans --out out/spans
validate | truth | truth/v1.json | json |  | validate truth
validate | rel | rel/tables/triplets.parquet | parquet |  | validate rel
validate | rel | rel/croissant.json | json |  | validate rel
validate | aix | aix/OSATS.xlsx | xlsx |  | validate aix
validate | c80 | c80/video01-tool.txt | text |  | validate c80
validate --params | c80 project | project/params.yaml | yaml |  | validate c80 --params project/params.yaml
verify | ver | ver/SHA256SUMS | sums |  | verify ver
verify | ver | ver/archives/Peg_left.zip | zip |  | verify ver
verify | ver | ver/metadata/files.csv | csv |  | verify ver
verify | ver | ver/tables/frames.parquet | parquet |  | verify ver
verify | ver | ver/croissant.json | json |  | verify ver
verify | ver | ver/videos/Peg/left/abelo.mkv | video |  | verify ver
diff | ver ver_b | ver_b/tables/videos.parquet | parquet |  | diff ver ver_b
diff | ver ver_b | ver_b/croissant.json | json |  | diff ver ver_b
diff | ver ver_b | ver_b/SHA256SUMS | sums |  | diff ver ver_b
diff | ver ver_b | ver_b/metadata/withdrawn.json | json |  | diff ver ver_b
diff | ver ver_b | ver_b/splits/balanced.csv | csv |  | diff ver ver_b
export huggingface | rel | rel/frames/@abelo/000001.jpg | jpg |  | export --to huggingface rel out/hf
export webdataset | rel | rel/frames/@abelo/000001.jpg | jpg |  | export --to webdataset rel out/wds
export webdataset | rel | rel/tables/frames.parquet | parquet |  | export --to webdataset rel out/wds
export lerobot | rel | rel/videos/@abelo.mkv | video |  | export --to lerobot rel out/lerobot
export huggingface | rel | rel/croissant.json | json |  | export --to huggingface rel out/hf
export webdataset | shards | shards/frames/@abelo.tar | tar |  | export --to webdataset shards out/wds
load tables | rel | rel/tables/frames.parquet | parquet |  | LOAD tables rel
load tables | rel | rel/tables/splits.parquet | parquet |  | LOAD tables rel
load tables | rel | rel/croissant.json | json |  | LOAD tables rel
load frames | rel | rel/frames/@abelo/000001.jpg | jpg |  | LOAD frames rel
load frames | shards | shards/frames/@abelo.tar | tar |  | LOAD frames shards
load frames | rel | rel/tables/frames.parquet | parquet |  | LOAD frames rel
load videos | rel | rel/videos/@abelo.mkv | video |  | LOAD videos rel
load videos | rel | rel/tables/videos.parquet | parquet |  | LOAD videos rel
load clips | rel | rel/videos/@abelo.mkv | video |  | LOAD clips rel
splits check | split | split/split.csv | csv |  | splits check split/split.csv
splits diff | split | split/split.csv | csv |  | splits diff cholect50/rdv split/split.csv
splits make | split | split/cohort.csv | csv |  | splits make split/cohort.csv @made
splits extend | split | split/released.csv | csv |  | splits extend split/released.csv split/cohort.csv @made
new-study | films | films/case_001.mp4 | video |  | new-study out/raw --from films
new-study | dicom | dicom/one.dcm | dcm |  | new-study out/raw --from dicom
preflight | project | project/data/raw/recordings.csv | csv | project | preflight
preflight | project | project/data/raw/ratings/PegTransfer_rater0.csv | csv | project | preflight
preflight | project | project/data/raw/ratings/PegTransfer_rater1_errors.csv | csv | project | preflight
preflight | project | project/data/raw/datasheet.yaml | yaml | project | preflight
preflight | project | project/data/raw/errata.yaml | yaml | project | preflight
preflight | project | project/data/raw/redactions.csv | csv | project | preflight
preflight | project | project/data/raw/withdrawn.csv | csv | project | preflight
preflight | project | project/data/raw/annotations/cholec80/operation 1-phase.txt | text | project | preflight
preflight | project | project/data/raw/calibration/tower.yaml | yaml | project | preflight
preflight | project | project/data/raw/splits/balanced.csv | csv | project | preflight
preflight | project | project/params.yaml | yaml | project | preflight
check-params | project | project/params.yaml | yaml |  | check-params project/params.yaml
stereo convert | rig | rig/rig.yaml | yaml |  | stereo convert rig/rig.yaml out/half.yaml --scale-to 240x135
stereo check | rig | rig/rig.yaml | yaml |  | stereo check rig/rig.yaml rig/left rig/right
stereo check | rig | rig/right/002.png | jpg |  | stereo check rig/rig.yaml rig/left rig/right
stereo check | rig films | films/case_002.mp4 | video |  | stereo check rig/small.yaml films/case_001.mp4 films/case_002.mp4
stereo rectify | rig | rig/left/001.png | jpg |  | stereo rectify rig/rig.yaml rig/left rig/right out/rectified --alpha 0
deid score | deid | deid/key/key.json | json |  | deid score deid deid/raw --out out/deid
deid score | deid | deid/raw/@VIDEO@ | video |  | deid score deid deid/raw --out out/deid
deid score | deid | deid/map.csv | csv |  | deid score deid deid/raw --map deid/map.csv --out out/deid
review --import | reviewed | reviewed/sheet.csv | csv | reviewed | review --import sheet.csv
probe | films | films/case_001.mp4 | video |  | probe films/case_001.mp4
render --plan | films | films/case_001.mp4 | video |  | render films/case_001.mp4 --redact 1-2 --plan
probe | dicom | dicom/one.dcm | dcm |  | probe dicom/one.dcm
dicom show | dicom | dicom/one.dcm | dcm |  | dicom show dicom/one.dcm
frames-check | rel | rel/frames/@abelo/000001.jpg | jpg |  | frames-check rel/frames/@abelo rel/videos/@abelo.mkv
frames-check | shards | shards/frames/@abelo.tar | tar |  | frames-check shards/frames/@abelo.tar shards/videos/@abelo.mkv
ground-truth-check | rel | @gt/manifest.json | json |  | ground-truth-check @gt
ground-truth-check | rel | @gt/cholect50/recognition/abelo.npz | npz |  | ground-truth-check @gt
scores | project | project/data/raw/ratings/PegTransfer_rater0.csv | csv |  | scores project/data/raw/ratings --out out/scores
audit | ver | ver/tables/videos.parquet | parquet |  | audit ver --no-pictures --needle Mustermann
audit | ver | ver/archives/Peg_left.zip | zip |  | audit ver --no-pictures --needle Mustermann
challenge bundle | rel | @gt/cholect50/detection/abelo.json | json |  | challenge bundle rel @hidden --out out/bundle
"""
"""Everything that is read of strangers: name | folders that the command needs | file | what it is | where the command runs | command."""


def slots() -> list[Slot]:
    """Return everything that is read of strangers."""
    found = []
    for short in SLOTS.strip().splitlines():
        line = re.sub(r"@[a-z]+", lambda found: SHORT[found.group()], short)
        name, base, path, family, inside, command = (cell.strip() for cell in line.split(" | "))
        found.append(Slot(name, tuple(base.split()), path, tuple(shlex.split(command)), family, inside))
    return found


def product_root() -> Path:
    """Return the checkout whose library runs."""
    spec = importlib.util.find_spec("scrubin")
    if spec is None or spec.origin is None:
        sys.exit("scrubin is not installed here")
    return Path(spec.origin).parents[2]


# ---- the sound material


def make_base(base: Path) -> None:
    """Write everything that is poisoned later, once, with what the tests of this checkout make."""
    sys.path.insert(0, str(product_root() / "tests/helpers"))
    import cv2
    import pandas as pd

    import challenge_cases
    import downloaded_release
    import label_examples
    import listed_project
    import loadable_release
    from scrubin.stages.stereo import drawing

    loadable_release.build(base / "rel")
    loadable_release.build(base / "shards", loadable_release.STORAGES["shards"])
    for name in ("rel", "shards"):
        downloaded_release.seal(base / name)
    downloaded_release.build(base / "ver")
    downloaded_release.build(base / "ver_b", seed=1)
    truth = {name: challenge_cases.labels(seed, 20) for seed, name in enumerate(("v1", "v2"))}
    challenge_cases.write_labels(base / "truth", truth, box=(0.5, 0.5, 0.2, 0.1))
    for seed, team in enumerate(("team", "team_b")):
        documents = {name: challenge_cases.document(challenge_cases.scores(seed, labels, 1.0)) for name, labels in truth.items()}
        for name, document in documents.items():
            for number, frame in enumerate(document.values()):
                frame["detection"] = [
                    {"triplet": int(t), "instrument": [0, 0.9, 0.5, 0.5, 0.2, 0.1]} for t in np.flatnonzero(truth[name][number])
                ]
        challenge_cases.write(base / team, documents)
    shutil.copytree(base / "team", base / "trained")
    (base / "trained/training_data.yaml").write_text(TRAINED_ON)
    for name in ("matrices", "npy", "csv", "parquet", "phases", "split", "ranking", "films"):
        (base / name).mkdir()
    classes = [f"ivt_{number}" for number in range(100)]
    for name, labels in truth.items():
        scores = challenge_cases.scores(3, labels, 1.0)
        np.savez_compressed(base / f"matrices/{name}.npz", scores)
        np.save(base / f"npy/{name}.npy", scores)
        np.savetxt(base / f"csv/{name}.csv", scores, delimiter=",", fmt="%.4f")
        pd.DataFrame(scores, columns=classes).rename_axis("frame").reset_index().to_parquet(base / f"parquet/{name}.parquet")
        rows = "".join(f"{frame},{7 * frame // 20}\n" for frame in range(20))
        (base / f"phases/{name}.csv").write_text(f"frame,phase_id\n{rows}")
    (base / "split/split.csv").write_text("id,subset\nv1,train\nv2,test\n")
    rows = "".join(f"r{n:02d},p{n // 2:02d},{n % 5 - 2},{n % 3 == 0}\n" for n in range(20))
    (base / "split/cohort.csv").write_text(f"recording,participant,GRS,dropped\n{rows}")
    rows = "".join(f"r{n:02d},{'test' if n > 13 else 'train'}\n" for n in range(18))
    (base / "split/released.csv").write_text(f"id,subset\n{rows}")
    rows = "".join(f"t{team},v{video},{(team * 7 + video * 3) % 10 / 10}\n" for team in range(3) for video in range(8))
    (base / "ranking/scores.csv").write_text(f"team,video,value\n{rows}")
    for kind, folder in (("coco", "coco"), ("labelme", "labelme"), ("yolo", "yolo"), ("aixsuture", "aix"), ("cholec80", "c80")):
        made = label_examples.EXAMPLES[kind]
        for name, data in (made if isinstance(made, dict) else made()).items():
            path = base / folder / "/".join(Path(name).parts[1:])
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    for number in (1, 2):
        film(base / f"films/case_{number:03d}.mp4", number)
    raw = listed_project.make(base / "project")
    drawing.write_trial(base / "rig")
    (base / "rig/true.yaml").rename(base / "rig/rig.yaml")
    for side in ("left", "right"):
        (base / "rig" / side).mkdir()
        for number in range(3):
            shutil.copy(base / f"rig/scene/{side}/{number:03d}.png", base / f"rig/{side}/{number:03d}.png")
    shutil.rmtree(base / "rig/scene")
    shutil.rmtree(base / "rig/boards")
    (raw / "calibration").mkdir(exist_ok=True)
    shutil.copy(base / "rig/rig.yaml", raw / "calibration/tower.yaml")
    (raw / "splits/balanced.csv").write_text("id,subset\npeg 1,train\npeg 2,test\n")
    command = [str(Path(sys.executable).parent / "scrubin"), "stereo", "convert", "rig/rig.yaml", "rig/small.yaml", "--scale-to", "160x90"]
    subprocess.run(command, cwd=base, check=True, capture_output=True)
    reviewed(base, listed_project.make(base / "reviewed"))
    (base / "reviewed/sheet.csv").write_text("recording,camera,kind,start_s,end_s,x,y,w,h,decision\nop 1,,other,1,2,,,,,add\n")
    command = [command[0], *shlex.split("deid make deid --recordings 1 --length-s 8 --height 180 --seed 1")]
    subprocess.run(command, cwd=base, check=True, capture_output=True)
    (base / "deid/map.csv").write_text(
        "raw,output\n"
        + "".join(f"{path.relative_to(base / 'deid/raw')},{path.relative_to(base / 'deid/raw')}\n" for path in first_videos(base))
    )
    import dicom_objects

    whole, alone = dicom_objects.recording(base / "dicom/one.dcm", "H.264 MP4")
    alone.unlink()
    assert whole.is_file()
    (base / "plain").mkdir()
    for name in ("films/case_001.mp4", "truth/v1.json", "matrices/v1.npz", "parquet/v1.parquet", "rig/rig.yaml", "rig/left/000.png"):
        shutil.copy(base / name, base / f"plain/plain{Path(name).suffix}")
    outside = base / "outside"
    outside.mkdir()
    cv2.imwrite(str(outside / "secret.jpg"), np.full((64, 96, 3), CANARY_BGR, np.uint8))
    film(outside / "secret.mp4", 0, canary=True)
    film(outside / "secret.mkv", 0, canary=True)
    rows = "".join(f"{CANARY},{n}\n" for n in range(20))
    for name in ("csv", "txt", "sums"):
        (outside / f"secret.{name}").write_text(f"{CANARY},phase_id\n{rows}")
    (outside / "secret.json").write_text(json.dumps({"video": CANARY, "annotations": {CANARY: [CANARY]}, "name": CANARY}))
    (outside / "secret.yaml").write_text(f"{CANARY}: {CANARY}\n")
    pd.DataFrame({"id": [CANARY], "path": [CANARY]}).to_parquet(outside / "secret.parquet")
    np.savez(outside / "secret.npz", np.array([CANARY]))
    np.save(outside / "secret.npy", np.array([CANARY]))
    for name in ("zip", "tar", "xlsx", "dcm"):
        (outside / f"secret.{name}").write_bytes(CANARY.encode() * 100)


def reviewed(base: Path, raw: Path) -> None:
    """Regenerate a study of two films as far as people look at it."""
    import yaml

    project = raw.parents[1]
    shutil.rmtree(raw / "ratings")
    shutil.rmtree(raw / "annotations")
    head = "recording,participant,trial,site,task,camera,path,start_s,end_s,exclude\n"
    (raw / "recordings.csv").write_text(head + "".join(f"op {n},P{n},,,Cholecystectomy,mono,videos/{n}.mp4,,,\n" for n in (1, 2)))
    shutil.rmtree(raw / "videos")
    (raw / "videos").mkdir()
    for number in (1, 2):
        shutil.copy(base / f"films/case_{number:03d}.mp4", raw / f"videos/{number}.mp4")
    params = yaml.safe_load((project / "params.yaml").read_text(encoding="utf-8"))
    params["screen"]["detectors"] = ["frozen"]
    (project / "params.yaml").write_text(yaml.safe_dump(params, sort_keys=False), encoding="utf-8")
    (project / "data/private").mkdir(mode=0o700, parents=True)
    (project / "data/private/pseudonym.key").write_text("5" * 64 + "\n", encoding="ascii")
    (project / "data/private/pseudonym.key").chmod(0o600)
    driver = Path(__file__).with_name("planted_parts.py")
    flows = product_root() / "pipelines/flows"
    subprocess.run([sys.executable, str(driver), "--drive", str(flows)], cwd=project, check=True, capture_output=True)


def first_videos(base: Path) -> list[Path]:
    """Return the videos of the benchmark of de-identification."""
    return sorted(path for path in (base / "deid/raw").rglob("*") if path.suffix in (".mp4", ".mkv", ".mov"))


def film(path: Path, seed: int, *, canary: bool = False, frames: int = 75) -> None:
    """Write three seconds of soft colours that move, or the colour that nobody may see."""
    import av
    import cv2

    rng = np.random.default_rng(seed)
    large = cv2.resize(rng.integers(30, 220, (6, 30, 3)).astype(np.uint8), (640, 90), interpolation=cv2.INTER_CUBIC)
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=25, options={"preset": "ultrafast", "crf": "20", "g": "25"})
        stream.width, stream.height, stream.pix_fmt = 160, 90, "yuv420p"
        for number in range(frames):
            shown = np.full((90, 160, 3), CANARY_BGR, np.uint8) if canary else np.ascontiguousarray(large[:, number : number + 160])
            out.mux(stream.encode(av.VideoFrame.from_ndarray(shown, format="bgr24")))
        out.mux(stream.encode())


# ---- the hostile files
# fmt: off

@dataclass(frozen=True)
class Place:
    """Where a hostile file is written, and what it may use."""

    path: Path
    family: str
    sound: bytes
    outside: Path
    plain: Path
    """A sound file of every type."""
    port: int
    """Where somebody would answer."""
    rng: random.Random
    case: Path

    @property
    def secret(self) -> Path:
        """The file outside that looks like this one."""
        suffix = {"text": "txt"}.get(self.family, self.path.suffix.lstrip(".") if self.family in ("video", "jpg") else self.family)
        wanted = self.outside / f"secret.{suffix}"
        return wanted if wanted.exists() else self.outside / "secret.jpg"


SOUND = "sound"
"""Not a kind: the file as it was, through every command, to see that these commands work here."""
Kind = Callable[[Place], bytes | None]
"""Return the bytes of the hostile file, or make it and return None."""
ANY = ("json", "csv", "text", "yaml", "npz", "npy", "parquet", "zip", "tar", "xlsx", "jpg", "video", "sums", "dcm")
TEXTS = ("json", "csv", "text", "yaml", "sums")
KINDS: dict[str, tuple[tuple[str, ...], Kind]] = {}


def kind(name: str, *families: str) -> Callable[[Kind], Kind]:
    """Take a maker into the list."""

    def take(maker: Kind) -> Kind:
        KINDS[name] = families or ANY, maker
        return maker

    return take


@kind("FIFO")
def _(at: Place) -> None:
    os.mkfifo(at.path)


@kind("socket")
def _(at: Place) -> None:
    short = Path(tempfile.mkdtemp(prefix="hs")) / "s"  # an address of a socket has 107 bytes
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(short))
    shutil.move(short, at.path)
    short.parent.rmdir()


@kind("link to a device")
def _(at: Place) -> None:
    at.path.symlink_to(at.rng.choice(["/dev/zero", "/dev/full", "/dev/urandom", "/dev/stdin", "/proc/self/mem"]))


@kind("link out of the folder")
def _(at: Place) -> None:
    parent = at.path.parent
    away = at.outside / f"moved_{parent.name}"
    if at.rng.random() < 0.3 and len(parent.relative_to(at.case).parts) >= 2:  # the folder itself lies elsewhere
        at.path.write_bytes(at.secret.read_bytes())
        shutil.move(parent, away)
        parent.symlink_to(away)
        return
    at.path.symlink_to(at.rng.choice([at.secret, os.path.relpath(at.secret, at.path.parent)]))


@kind("link loop")
def _(at: Place) -> None:
    way = at.rng.randrange(3)
    if way == 0:
        at.path.symlink_to(at.path.name)
    elif way == 1:
        at.path.symlink_to("other")
        (at.path.parent / "other").symlink_to(at.path.name)
    else:
        at.path.write_bytes(at.sound)
        (at.path.parent / "again").symlink_to(".")
        (at.path.parent / f"again{at.path.suffix}").symlink_to("..")


@kind("folder in place of a file")
def _(at: Place) -> None:
    at.path.mkdir()
    if at.rng.random() < 0.5:
        (at.path / at.path.name).write_bytes(at.sound)


@kind("empty or NULs")
def _(at: Place) -> bytes:
    return b"\0" * at.rng.choice([0, 1, 512, 65536, 8 << 20])


@kind("random bytes")
def _(at: Place) -> bytes:
    head = at.sound[: at.rng.choice([0, 0, 4, 16, 64])]
    return head + at.rng.randbytes(at.rng.choice([1, 100, 10_000, 2_000_000]))


@kind("cut off")
def _(at: Place) -> bytes:
    return at.sound[: at.rng.randrange(1, max(2, len(at.sound)))]


@kind("bits flipped")
def _(at: Place) -> bytes:
    data = bytearray(at.sound)
    for _ in range(at.rng.choice([1, 3, 30])):
        data[at.rng.randrange(len(data))] ^= 1 << at.rng.randrange(8)
    return bytes(data)


@kind("content of another type")
def _(at: Place) -> bytes:
    others = sorted(path for path in at.plain.iterdir() if path.suffix != at.path.suffix)
    return at.rng.choice(others).read_bytes()


def in_json(at: Place, text: str) -> bytes:
    """Put text in place of a value of the sound document."""
    document = json.loads(at.sound.decode("utf-8-sig"))
    spots: list[tuple[Any, Any]] = []

    def walk(value: Any) -> None:
        for key in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
            spots.append((value, key))
            walk(value[key])

    walk(document)
    if not spots:
        return text.encode()
    holder, key = at.rng.choice(spots[: at.rng.choice([3, 30, len(spots)])])
    holder[key] = "@@HERE@@"
    return json.dumps(document).replace('"@@HERE@@"', text, 1).encode()


@kind("JSON of depth 100,000", "json")
def _(at: Place) -> bytes:
    depth = at.rng.choice([1_000, 20_000, DEEP, 10 * DEEP])
    text = at.rng.choice(["[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth, "[" * depth, '[{"a":' * depth])
    return text.encode() if at.rng.random() < 0.4 else in_json(at, text)


@kind("JSON with a key twice", "json")
def _(at: Place) -> bytes:
    text = at.sound.decode("utf-8-sig")
    names = re.findall(r'"(?:[^"\\]|\\.)*"\s*:\s*(?:-?\d[\d.e+-]*|"[^"]*"|\[|\{)', text)
    flat = [one for one in names if one[-1] not in "[{"] or ['"a": 1']
    one = at.rng.choice(flat)
    return text.replace(one, f"{one}, {at.rng.choice([one, one.split(':')[0] + ': null', one.split(':')[0] + ': {}'])}", 1).encode()


@kind("JSON with other shapes", "json")
def _(at: Place) -> bytes:
    odd = [
        "null", "{}", "[]", '""', "true", "-1", "1e308", '"x"', "[[[]]]", '{"": null}', "[null]", '{"-1": [], "1.5": [], "x": []}',
        "-0.0", "18446744073709551616",
    ]
    return in_json(at, at.rng.choice(odd)) if at.rng.random() < 0.8 else at.rng.choice(odd).encode()


def in_table(at: Place, cell: str, many: bool = False) -> bytes:
    """Put text into a cell of the sound table, or into all of a column."""
    lines = at.sound.decode("utf-8-sig").splitlines() or [""]
    sign = max(",;\t", key=lines[0].count) if any(one in lines[0] for one in ",;\t") else " "
    rows = [line.split(sign) for line in lines]
    row = at.rng.randrange(len(rows))
    column = at.rng.randrange(len(rows[row]))
    for place, one in enumerate(rows):
        if (place == row or many) and column < len(one):
            one[column] = cell
    return "\n".join(sign.join(one) for one in rows).encode("utf-8", "surrogatepass") + b"\n"


def in_yaml(at: Place, text: str) -> bytes:
    """Put text in place of a value of the sound document."""
    lines = at.sound.decode().splitlines()
    spots = [place for place, line in enumerate(lines) if re.match(r"^\s*[\w ]+:\s*\S", line) and not line.startswith("%")]
    if not spots:
        return text.encode()
    place = at.rng.choice(spots)
    lines[place] = lines[place].split(":")[0] + ": " + text
    return "\n".join(lines).encode("utf-8", "surrogatepass") + b"\n"


def put(at: Place, text: str) -> bytes:
    """Put text into a file of any family of texts."""
    if at.family == "json":
        return in_json(at, text)
    if at.family == "yaml":
        return in_yaml(at, text)
    return in_table(at, text)


@kind("integer of 5,000 digits", "json", "csv", "text", "yaml", "sums")
def _(at: Place) -> bytes:
    return put(at, at.rng.choice(["", "-"]) + "9" * at.rng.choice([20, 400, DIGITS, 20 * DIGITS]) + at.rng.choice(["", "", ".5", "e9999"]))


@kind("NaN, Infinity, 1e400", "json", "csv", "text", "yaml")
def _(at: Place) -> bytes:
    return put(
        at, at.rng.choice(["NaN", "Infinity", "-Infinity", "1e400", "-1e400", "1e-400", "-0", "nan", "inf", ".inf", ".nan", "1e999999999"])
    )


@kind("invalid UTF-8", *TEXTS)
def _(at: Place) -> bytes:
    data = bytearray(at.sound)
    place = at.rng.randrange(len(data))
    data[place:place] = at.rng.choice(
        [b"\xff\xfe", b"\xc3\x28", b"\xed\xa0\x80", b"\xf8\x88\x80\x80\x80", b"\x80" * 50, "Müller".encode("latin-1")]
    )
    return bytes(data)


@kind("UTF-16 with BOM", *TEXTS)
def _(at: Place) -> bytes:
    return at.sound.decode("utf-8-sig").encode(at.rng.choice(["utf-16", "utf-16-le", "utf-32", "utf-16-be", "utf-7"]))


@kind("hostile names", *TEXTS)
def _(at: Place) -> bytes:
    names = [
        "a\\nb", "\u202etxt.exe", "\\ud800", "x" * 70_000, "../../outside/secret", "/etc/passwd", "\\u0000", "CON", "\u200b",
        "e\u0301" * 2000, "\x1b[31mred\x1b[0m", ".", "..", "~", "$(id)", "'; DROP TABLE x; --", "<script>alert(1)</script>",
        "{0.__class__}", "%s%n", "\u0430bel\u043e",
    ]
    name = at.rng.choice(names)
    if at.family in ("json", "yaml"):
        text = (
            json.dumps(name, ensure_ascii=False).replace("\\\\", "\\")
            if "\\" in name
            else json.dumps(name, ensure_ascii=at.rng.random() < 0.5)
        )
        if at.family == "json" and at.rng.random() < 0.5:  # as a key
            whole = at.sound.decode("utf-8-sig")
            keys = sorted(set(re.findall(r'"(?:[^"\\]|\\.)*"(?=\s*:)', whole)))
            return whole.replace(at.rng.choice(keys), text, 1).encode("utf-8", "surrogatepass") if keys else whole.encode()
        return put(at, text)
    cell = name.replace("\\n", "\n").replace("\\ud800", "\ud800").replace("\\u0000", "\0")
    return in_table(at, f'"{cell}"' if "\n" in cell else cell, many=at.rng.random() < 0.3)


@kind("one gigantic line", "csv", "text", "json", "yaml", "sums")
def _(at: Place) -> bytes:
    size = at.rng.choice([5, 40, 150]) << 20
    filler = at.rng.choice([b"x", b"1,", b'"', b"a;b;", b"0 ", b"\t"])
    head = at.sound if at.rng.random() < 0.5 else at.sound.split(b"\n")[0] + b"\n"
    return head + filler * (size // len(filler))


@kind("table of 100,000 columns", "csv", "text")
def _(at: Place) -> bytes:
    lines = at.sound.decode("utf-8-sig").splitlines()
    sign = max(",;\t ", key=lines[0].count)
    more = sign.join(f"c{n}" for n in range(WIDE)) if at.rng.random() < 0.5 else sign * WIDE
    return "\n".join(f"{line}{sign}{more}" for line in lines[: at.rng.choice([1, 5, 30])]).encode()


@kind("formulas, ragged rows, quotes", "csv", "text")
def _(at: Place) -> bytes:
    cells = [
        "=cmd|'/c calc'!A1", "@SUM(1+1)*cmd|' /C calc'!A0", '=HYPERLINK("http://127.0.0.1/x")', "+1+1", "-2+3", '"', '""', '"a', 'a"b"c',
        "1,2,3,4,5", "\0", "\r", "", " ", "\u2028", "1_000", "0x10", "１２", "TRUE", "1;2",
    ]
    data = in_table(at, at.rng.choice(cells), many=at.rng.random() < 0.3)
    lines = data.split(b"\n")
    if at.rng.random() < 0.3:
        lines.insert(at.rng.randrange(len(lines)), at.rng.choice([b",,,,,,,,", b"", b"x", lines[0], b'"unclosed']))
    return b"\n".join(lines)


@kind("YAML alias bomb", "yaml")
def _(at: Place) -> bytes:
    levels = at.rng.choice([9, 12, 30])
    bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n" + "".join(f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, levels))
    if at.rng.random() < 0.4:
        bomb = "a0: &a0 {x: 1}\n" + "".join(f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}], y{n}: *a{n - 1}}}\n" for n in range(1, levels))
    if at.rng.random() < 0.5:
        return bomb.encode() + b"".join(line + b"\n" for line in at.sound.splitlines() if not line.startswith((b"%", b"---")))
    data = in_yaml(at, f"*a{levels - 1}")
    return bomb.encode() + data.replace(b"%YAML 1.2\n---\n", b"")


@kind("YAML with tags", "yaml")
def _(at: Place) -> bytes:
    pwned = at.outside / "pwned"
    tags = [
        f"!!python/object/apply:os.system ['touch {pwned}']", f"!!python/object/apply:subprocess.check_output [['touch', '{pwned}']]",
        f"!!python/object/new:os.system ['touch {pwned}']", "!!python/name:os.system",
        f"!!python/object/apply:builtins.open ['{pwned}', 'w']", "!!binary aGVsbG8=", "!!timestamp 2001-99-99", "!!int 0b2", "!!float x",
        "!!set {a, b}", "!!omap [1, 2]", "!unknown {a: 1}", "2001-99-99",
        "!!opencv-matrix {rows: 100000000, cols: 100000000, dt: d, data: [1]}", "190:20:30:59", "0o7777777777777",
    ]
    text = at.rng.choice(tags)
    return in_yaml(at, text) if at.rng.random() < 0.7 else text.encode()


@kind("YAML, deep or of itself", "yaml")
def _(at: Place) -> bytes:
    depth = at.rng.choice([500, 3_000, DEEP])
    text = at.rng.choice(
        [
            "[" * depth + "]" * depth, "{a: " * depth + "1" + "}" * depth, "&a [*a]", "&a {<<: *a, b: *a}", "[" * depth,
            "? " * depth + "x", "*nothing", "- " * min(depth, 3000) + "x",
        ]
    )
    return in_yaml(at, text) if at.rng.random() < 0.6 else text.encode()


_ZEROS: dict[int, tuple[bytes, int]] = {}


def zeros(size: int) -> tuple[bytes, int]:
    """Return so many NULs as a raw deflate stream, and their CRC: 64 MB are packed once and repeated."""
    if size not in _ZEROS:
        block = b"\0" * (64 << 20)
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        piece = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
        checksum = 0
        for _ in range(size // len(block)):
            checksum = zlib.crc32(block, checksum)
        last = zlib.compressobj(9, zlib.DEFLATED, -15).flush()
        _ZEROS[size] = piece * (size // len(block)) + last, checksum
    return _ZEROS[size]


def packed(members: list[tuple[str, bytes, int, int, int]]) -> bytes:
    """Return a zip of members that are packed already: name, packed bytes, size that is claimed, CRC, flags."""
    out, directory = io.BytesIO(), io.BytesIO()
    for name, data, size, checksum, flags in members:
        start, raw = out.tell(), name.encode()
        claimed = min(size, 0xFFFFFFFF)
        common = struct.pack("<HHHHHIIIHH", 20, flags, 8, 0, 33, checksum, len(data), claimed, len(raw), 0)
        out.write(b"PK\x03\x04" + common + raw + data)
        directory.write(b"PK\x01\x02" + struct.pack("<H", 20) + common + struct.pack("<HHHII", 0, 0, 0, 0, start) + raw)
    begin = out.tell()
    out.write(directory.getvalue())
    out.write(b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, len(members), len(members), directory.tell(), begin, 0))
    return out.getvalue()


def npy_head(shape: str, kind_of: str = "<f8", order: str = "False") -> bytes:
    """Return the head of an array."""
    text = f"{{'descr': '{kind_of}', 'fortran_order': {order}, 'shape': {shape}, }}"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text) + 1) + text.encode() + b"\n"


@kind("npz bomb", "npz", "zip")
def _(at: Place) -> bytes:
    size = at.rng.choice([1, 3]) << 30
    data, checksum = zeros(size)
    if at.family == "zip":
        return packed([(f"{n}.mkv", data, size, checksum, 0) for n in range(at.rng.choice([1, 4]))])
    head = npy_head(f"({size // 800}, 100)")
    stored = struct.pack("<BHH", 0, len(head), 0xFFFF - len(head)) + head
    whole = zlib.crc32(b"\0" * (64 << 20), 0)  # of the head and the zeros, by pieces
    whole = zlib.crc32(head)
    for _ in range(size >> 26):
        whole = zlib.crc32(b"\0" * (64 << 20), whole)
    with zipfile.ZipFile(io.BytesIO(at.sound)) as sound:
        names = sound.namelist()
    return packed([(name, stored + data, size + len(head), whole, 0) for name in names])


def arrays(at: Place, array: bytes) -> bytes:
    """Return an array as this family has it: alone, or as every member of the sound archive."""
    if at.family == "npy":
        return array
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(at.sound)) as sound, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        hit = at.rng.choice(sound.namelist())
        for name in sound.namelist():
            made.writestr(name, array if name == hit else sound.read(name))
    return out.getvalue()


@kind("npy head of 728 TiB", "npy", "npz")
def _(at: Place) -> bytes:
    heads = [
        npy_head("(1000000000000, 100)"), npy_head("(100000000000000,)"), npy_head("(-1, 100)"), npy_head("(20, 100, 0)"),
        npy_head("(9223372036854775807, 2)"), npy_head("(20, 100)", "<U1000000000"), npy_head("(20, 100)", "|V99999999999"),
        npy_head("(2.5, 100)"), npy_head("(" * 300 + ")" * 300), npy_head("(20,100)", "<c16"), npy_head("(20, 100)", "<M8[ns]"),
        npy_head("__import__('os').system('true')"), b"\x93NUMPY\x09\x00\xff\xff",
        b"\x93NUMPY\x02\x00" + struct.pack("<I", 0xFFFFFFF0) + b"{", npy_head("(20, 100)")[:-30],
    ]
    return arrays(at, at.rng.choice(heads) + at.rng.choice([b"", b"\0" * 16000]))


class Touch:
    """An object that, when it is unpickled, writes a file outside."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (f"touch {self.path}",)


@kind("array of pickled objects", "npy", "npz", "parquet", "json", "csv")
def _(at: Place) -> bytes:
    bomb = pickle.dumps(Touch(at.outside / "pwned"))
    if at.family in ("npy", "npz"):
        return arrays(at, npy_head("(1,)", "|O") + bomb) if at.rng.random() < 0.8 else bomb
    return bomb if at.rng.random() < 0.5 else gzip.compress(bomb)


@kind("parquet of odd types", "parquet")
def _(at: Place) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(io.BytesIO(at.sound))
    column = at.rng.randrange(table.num_columns)
    rows, name = table.num_rows, table.column_names[column]
    deep: Any = 1
    for _ in range(40):
        deep = [deep]
    odd = [
        pa.array([{"a": [{"b": 1}]}] * rows), pa.array([[("k", 1)]] * rows, pa.map_(pa.string(), pa.int64())), pa.array([deep] * rows),
        pa.array([b"\xff\xfe"] * rows, pa.binary()), pa.nulls(rows), pa.array([10**30] * rows, pa.decimal128(38)),
        pa.array([float("nan")] * rows), pa.array([2**63 - 1] * rows), pa.array(["x" * 100_000] * rows).dictionary_encode(),
        pa.array([True] * rows), pa.array([0] * rows, pa.timestamp("ns")), pa.array(["\x00../../x\n"] * rows), pa.array([-1] * rows),
    ]
    way = at.rng.randrange(5)
    if way == 0:
        table = table.drop_columns([name])
    elif way == 1:
        table = table.append_column(name, table.column(column))  # a column twice
    else:
        table = table.set_column(column, name, at.rng.choice(odd))
    if at.rng.random() < 0.3:
        table = table.replace_schema_metadata({"pandas": '{"index_columns": ["' + "x" * 1000 + '"], "columns": 7}'})
    out = io.BytesIO()
    pq.write_table(table, out)
    return out.getvalue()


@kind("parquet of huge numbers of rows", "parquet")
def _(at: Place) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(io.BytesIO(at.sound))
    if at.rng.random() < 0.3:  # a footer that claims other numbers
        data = bytearray(at.sound)
        for _ in range(6):
            place = len(data) - 8 - at.rng.randrange(200)
            data[place] = at.rng.choice([0xFF, 0x7F, 0xFE])
        return bytes(data)
    some = pa.table(
        {name: pa.array([table.column(name)[0].as_py()] * 1_000_000, table.schema.field(name).type) for name in table.column_names},
        schema=table.schema,
    )
    out = io.BytesIO()
    with pq.ParquetWriter(out, table.schema, compression="zstd", use_dictionary=True) as writer:
        for _ in range(at.rng.choice([10, 60])):
            writer.write_table(some)
    return out.getvalue()


@kind("archive with members that lead out", "zip", "tar", "npz", "xlsx")
def _(at: Place) -> bytes:
    names = [
        "../../outside/pwned", "/tmp/pwned_by_archive", "..\\..\\pwned", "a/../../../outside/pwned", "link", "C:\\pwned", "a\0b",
        "x" * 5000, "./.", " ",
    ]
    name, out = at.rng.choice(names), io.BytesIO()
    if at.family == "tar":
        with tarfile.open(fileobj=io.BytesIO(at.sound)) as sound, tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as made:
            members = sound.getmembers()
            hit = at.rng.randrange(len(members))
            for place, member in enumerate(members):
                data = sound.extractfile(member).read()  # type: ignore[union-attr]
                if place == hit and name == "link":
                    made.addfile(linked(member.name, at))
                    continue
                entry = tarfile.TarInfo(name if place == hit and name else member.name)
                entry.size = len(data)
                made.addfile(entry, io.BytesIO(data))
        return out.getvalue()
    with zipfile.ZipFile(io.BytesIO(at.sound)) as sound, zipfile.ZipFile(out, "w") as made:
        hit = at.rng.choice(sound.namelist())
        for one in sound.namelist():
            made.writestr(name if one == hit and name != "link" else one, sound.read(one))
        if name == "link":
            entry = zipfile.ZipInfo(hit)
            entry.external_attr = 0o120777 << 16
            made.writestr(entry, str(at.secret))
    return out.getvalue()


def linked(name: str, at: Place) -> tarfile.TarInfo:
    """Return a member that is a link out, a device or a FIFO."""
    entry = tarfile.TarInfo(name)
    entry.type = at.rng.choice([tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE])
    entry.linkname, entry.devmajor, entry.devminor = str(at.secret), 1, 5
    return entry


@kind("archive: encrypted, nested, lying", "zip", "tar", "npz", "xlsx")
def _(at: Place) -> bytes:
    if at.family == "tar":
        data = bytearray(at.sound)
        way = at.rng.randrange(4)
        if way == 0:  # a member of 8 GB that is not there
            data[124:136] = b"77777777777\0"
        elif way == 1:  # a negative or gigantic size in base 256
            data[124:136] = at.rng.choice([b"\xff" * 12, b"\x80" + b"\x7f" * 11])
        elif way == 2:
            return gzip.compress(bytes(data))
        else:  # a chain of long names
            data[156:157] = b"L"
        data[148:156] = b" " * 8
        data[148:156] = f"{sum(data[:512]):06o}\0 ".encode()
        return bytes(data)
    data = bytearray(at.sound)
    way = at.rng.randrange(4)
    if way == 0:  # every member is encrypted
        for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
            place = data.find(mark)
            while place >= 0:
                data[place + offset] |= 1
                place = data.find(mark, place + 4)
    elif way == 1:  # unknown packing
        place = data.find(b"PK\x01\x02")
        data[place + 10 : place + 12] = struct.pack("<H", at.rng.choice([1, 12, 14, 93, 99]))
    elif way == 2:  # 65,535 members
        place = data.rfind(b"PK\x05\x06")
        data[place + 8 : place + 12] = b"\xff\xff\xff\xff"
    else:  # the directory lies elsewhere
        place = data.rfind(b"PK\x05\x06")
        data[place + 16 : place + 20] = struct.pack("<I", at.rng.randrange(1 << 32))
    return bytes(data)


@kind("workbook with XML entities", "xlsx")
def _(at: Place) -> bytes:
    bomb = '<!DOCTYPE x [<!ENTITY a0 "ha">' + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12)) + "]>"
    quadratic = f'<!DOCTYPE x [<!ENTITY a "{"x" * 100_000}">]>'
    outward = f'<!DOCTYPE x [<!ENTITY a SYSTEM "file://{at.outside / "secret.txt"}">]>'
    far = f'<!DOCTYPE x [<!ENTITY a SYSTEM "http://127.0.0.1:{at.port}/entity">]>'
    head, inside = at.rng.choice(
        [(bomb, "&a11;"), (quadratic, "&a;" * 20_000), (outward, "&a;"), (far, "&a;"), ("", "<a>" * 50_000), ("", "x" * (100 << 20))]
    )
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(at.sound)) as sound, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        hit = at.rng.choice([name for name in sound.namelist() if name.endswith(".xml")])
        for name in sound.namelist():
            text = sound.read(name)
            if name == hit or (name.endswith(("sheet1.xml", "sharedStrings.xml")) and at.rng.random() < 0.7):
                first, mark, rest = text.partition(b"?>")
                body = rest if mark else first
                body = re.sub(rb"(<(?:t|v)[^>]*>)[^<]*", lambda found: found.group(1) + inside.encode(), body, count=1)
                text = (first + mark if mark else b"") + head.encode() + body
            made.writestr(name, text)
    return out.getvalue()


def chunk(name: bytes, data: bytes) -> bytes:
    """Return a chunk of a PNG."""
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def jpeg_bomb(at: Place) -> bytes:
    """Return a small JPEG that claims to be huge, has thousands of scans, or endless segments."""
    import cv2

    data = bytearray(cv2.imencode(".jpg", np.full((64, 96, 3), 90, np.uint8))[1].tobytes())
    way = at.rng.randrange(3)
    place = data.find(b"\xff\xc0")
    data[place + 5 : place + 9] = struct.pack(
        ">HH", *at.rng.choice([(65500, 65500), (65535, 65535), (30000, 60000), (1, 65535), (0, 96), (20000, 20000)])
    )
    if way == 1:  # progressive, with thousands of scans
        data[place + 1] = 0xC2
        scan = bytes(data[data.find(b"\xff\xda") : -2])
        return bytes(data[:-2]) + scan * 3000 + b"\xff\xd9"
    if way == 2:  # a segment that never ends, and a profile of 64 kB again and again
        return bytes(data[:2]) + (b"\xff\xe2\xff\xff" + b"ICC_PROFILE\0\x01\x02" + b"x" * 65519) * 200 + bytes(data[2:])
    return bytes(data)


@kind("picture bomb", "jpg")
def _(at: Place) -> bytes:
    if at.rng.random() < 0.5:
        return jpeg_bomb(at)
    way = at.rng.randrange(5)
    if way <= 1:
        side = at.rng.choice([30_000, 65_000, 2**31 - 1])
        head = chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
        lines, _ = zeros(1 << 30)
        body = b"\x78\x9c" + lines + b"\0\0\0\1" if side == 30_000 else zlib.compress(b"\0" * 10_000)
        text = chunk(b"zTXt", b"Comment\0\0" + zlib.compress(b"x" * (50 << 20))) if way else b""
        return b"\x89PNG\r\n\x1a\n" + head + text + chunk(b"IDAT", body) + chunk(b"IEND", b"")
    if way == 2:
        head = b"GIF89a" + struct.pack("<HHBBB", 65535, 65535, 0xF7, 0, 0) + bytes(768)
        frame = b"\x2c" + struct.pack("<HHHHB", 0, 0, 65535, 65535, 0) + b"\x08\x02\x4c\x01\x00"
        return head + frame * 2000 + b";"
    if way == 3:
        tags = [
            (256, 4, 1, 60000), (257, 4, 1, 60000), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1), (273, 4, 1, 8), (277, 3, 1, 1),
            (278, 4, 1, 60000), (279, 4, 1, 3_600_000_000),
        ]
        directory = struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHII", *tag) for tag in tags) + struct.pack("<I", 8)
        return b"II*\0" + struct.pack("<I", 8) + directory
    return b"BM" + struct.pack("<IHHIIiiHHIIiiII", 54, 0, 0, 54, 40, 40000, -40000, 1, 24, 0, 0, 0, 0, 0, 0)


@kind("MP4 or MKV with flipped bits", "video")
def _(at: Place) -> bytes:
    data = bytearray(at.sound)
    half = at.rng.choice([(0, 2000), (0, len(data)), (len(data) - 3000, len(data)), (2000, len(data))])
    for _ in range(at.rng.choice([1, 10, 200])):
        data[at.rng.randrange(max(0, half[0]), min(len(data), half[1]))] ^= 1 << at.rng.randrange(8)
    return bytes(data)


@kind("playlist that is called a video", "video")
def _(at: Place) -> bytes:
    target, port = at.outside / "secret.mp4", at.port
    lists = [
        f"ffconcat version 1.0\nfile '{target}'\n", f"ffconcat version 1.0\nfile 'http://127.0.0.1:{port}/a.mp4'\n",
        f"#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\n{target}\n#EXT-X-ENDLIST\n",
        f"#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\nhttp://127.0.0.1:{port}/a.ts\n#EXT-X-ENDLIST\n",
        f"#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\nconcat:{target}|file:///etc/passwd\n#EXT-X-ENDLIST\n",
        "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 50000 RTP/AVP 96\na=rtpmap:96 H264/90000\n",
        f"<?xml version='1.0'?><MPD type='static' mediaPresentationDuration='PT5S'><Period><AdaptationSet><Representation id='1' bandwidth='1'><BaseURL>http://127.0.0.1:{port}/x.mp4</BaseURL></Representation></AdaptationSet></Period></MPD>",
        f"[playlist]\nFile1={target}\nNumberOfEntries=1\n", f"rtsp://127.0.0.1:{port}/x\n", "P6 60000 60000 255\n",
    ]
    return at.rng.choice(lists).encode()


def boxed(name: bytes, *parts: bytes) -> bytes:
    """Return a box of an MP4."""
    data = b"".join(parts)
    return struct.pack(">I", len(data) + 8) + name + data


@kind("MP4 that refers elsewhere or lies", "video")
def _(at: Place) -> bytes:
    data = bytearray((at.plain / "plain.mp4").read_bytes())
    way = at.rng.randrange(6)
    if way <= 1:  # its samples lie in another file, and are blank here
        data = bytearray((at.outside / "secret.mp4").read_bytes())
        place = data.find(b"mdat")
        size = struct.unpack(">I", data[place - 4 : place])[0] - 8
        data[place + 4 : place + 4 + size] = bytes(size)
        place = data.find(b"dref")
        start, size = place - 4, struct.unpack(">I", data[place - 4 : place])[0]
        alis = b"\0\0\0\0" + struct.pack(">HH", 0, 2) + bytes(142)
        url = f"file://{at.outside / 'secret.mp4'}".encode() + b"\0" if way else f"http://127.0.0.1:{at.port}/x.mp4".encode() + b"\0"
        entry = boxed(b"url ", b"\0\0\0\0", url) if at.rng.random() < 0.7 else boxed(b"alis", alis + url)
        new = boxed(b"dref", b"\0\0\0\0\0\0\0\1", entry)
        grown = len(new) - size
        data[start : start + size] = new
        for name in (b"dinf", b"minf", b"mdia", b"trak", b"moov"):
            at_box = data.find(name) - 4
            data[at_box : at_box + 4] = struct.pack(">I", struct.unpack(">I", data[at_box : at_box + 4])[0] + grown)
        return bytes(data)
    name = at.rng.choice([b"stts", b"stsz", b"stsc", b"stco", b"ctts", b"stss", b"elst"])
    place = data.find(name)
    if way == 2 and place > 0:
        data[place + 8 : place + 12] = at.rng.choice([b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\x10\0\0\0"])
    elif way == 3:
        for mark in (b"avc1",):
            found = data.find(mark)
            data[found + 28 : found + 32] = struct.pack(">HH", 65535, 65535)
    elif way == 4:
        found = data.find(b"mvhd")
        data[found + 16 : found + 24] = b"\0\0\0\1\x7f\xff\xff\xff"
        found = data.find(b"mdhd")
        data[found + 16 : found + 20] = at.rng.choice([b"\0\0\0\0", b"\xff\xff\xff\xff"])
    else:
        found = data.find(b"moov") - 4
        data[found : found + 4] = at.rng.choice([b"\0\0\0\0", b"\0\0\0\1", b"\xff\xff\xff\xff", b"\0\0\0\7"])
    return bytes(data)


@kind("SHA256SUMS that leads out", "sums")
def _(at: Place) -> bytes:
    names = [
        "../outside/secret.txt", str(at.outside / "secret.txt"), "/dev/zero", "..", ".", "", "a\\nb", "tables", "\x00", "\udcff",
        "x" * 5000, "/proc/self/environ", "-", "*stdin", "./README.md", "README.md",
    ]
    lines = at.sound.splitlines()
    digest = at.rng.choice([b"0" * 64, lines[0][:64], b"z" * 64, b"0" * 63, b""])
    bad = digest + at.rng.choice([b"  ", b" *", b" ", b"\t"]) + at.rng.choice(names).encode("utf-8", "surrogateescape")
    count = at.rng.choice([1, 1, 500_000])
    lines[at.rng.randrange(len(lines)) : at.rng.randrange(len(lines))] = [bad if count == 1 else bad + b"%d" % n for n in range(count)]
    return b"\n".join(lines) + b"\n"


@kind("table whose paths lead out", "parquet", "csv")
def _(at: Place) -> bytes:
    paths = [
        "../outside/secret.jpg", "../outside/secret.mkv", "../outside/secret.mp4", str(at.outside / "secret.jpg"),
        str(at.outside / "secret.mkv"), "/dev/zero", "../../outside/secret.txt", "videos", ".", "", "\0", "a/../../outside/secret.jpg",
        f"http://127.0.0.1:{at.port}/x.mp4", f"file://{at.outside}/secret.mp4", "concat:a|b", "pipe:0",
        "../outside/secret.tar/000001.jpg",
    ]
    path = at.rng.choice(paths)
    if at.family == "csv":
        return in_table(at, path)
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(io.BytesIO(at.sound))
    name = (
        "path"
        if "path" in table.column_names
        else at.rng.choice([field.name for field in table.schema if pa.types.is_string(field.type)] or ["id"])
    )
    values = table.column(name).to_pylist()
    chosen = range(len(values)) if at.rng.random() < 0.5 else [at.rng.randrange(len(values))]
    for place in chosen:
        values[place] = path
    table = table.set_column(table.column_names.index(name), name, pa.array(values, pa.string()))
    out = io.BytesIO()
    pq.write_table(table, out)
    return out.getvalue()


@kind("DICOM with gigantic or nested elements", "dcm")
def _(at: Place) -> bytes:
    data, way = bytearray(at.sound), at.rng.randrange(6)
    pixels = data.rfind(b"\xe0\x7f\x10\x00")
    if way == 0:  # sequences in sequences
        depth = at.rng.choice([500, 5_000, 50_000])
        item = b"\x08\x00\x15\x11SQ\0\0\xff\xff\xff\xff\xfe\xff\x00\xe0\xff\xff\xff\xff"
        place = data.find(b"\x10\x00\x10\x00PN")
        data[place:place] = item * depth
    elif way == 1:  # a value of 4 GB
        place = data.find(b"\x10\x00\x10\x00PN")
        data[place:place] = b"\x08\x00\x18\x22UN\0\0" + struct.pack("<I", at.rng.choice([0xFFFFFFFE, 0x7FFFFFFF, 0xFFFFFFFF]))
    elif way == 2:  # fragments that lie about their length
        place = data.find(b"\xfe\xff\x00\xe0", pixels + 12)
        data[place + 4 : place + 8] = at.rng.choice([b"\xfe\xff\xff\xff", b"\xff\xff\xff\x7f", b"\x00\x00\x00\x00"])
    elif way == 3:  # numbers that no picture has
        for mark in (b"\x28\x00\x10\x00US", b"\x28\x00\x11\x00US"):
            place = data.find(mark)
            data[place + 8 : place + 10] = at.rng.choice([b"\xff\xff", b"\0\0"])
        place = data.find(b"\x28\x00\x08\x00IS")
        data[place + 8 : place + 10] = at.rng.choice([b"-1", b"99", b"xx", b"1e"])
    elif way == 4:  # a million empty fragments
        place = data.find(b"\xfe\xff\x00\xe0", pixels + 12)
        data[place:place] = b"\xfe\xff\x00\xe0\0\0\0\0" * 1_000_000
    else:  # deflated, or another transfer syntax than it says
        place = data.find(b"1.2.840.10008.1.2.4")
        data[place : place + 19] = at.rng.choice(
            [b"1.2.840.10008.1.2.1", b"1.2.840.10008.1.2.2", b"1.2.840.10008.1.2.5", b"9.9.999.99999.9.9.9"]
        )
    return bytes(data)


# fmt: on
# ---- the runs


@dataclass(frozen=True)
class Run:
    """A hostile file and a command."""

    kind: str
    number: int
    slot: int


def runs(seed: int, count: int, only: list[str], words: list[str]) -> Iterator[Run]:
    """Return which file goes through which commands: through one, and every second one through another one as well."""
    every = slots()
    for place, (name, (families, _)) in enumerate(KINDS.items()):
        if only and not any(word.lower() in name.lower() for word in only):
            continue
        fitting = [number for number, slot in enumerate(every) if slot.family in families]
        random.Random(f"{seed} {place}").shuffle(fitting)
        for number in range(count):
            first = number + number // 2  # each takes the next ones, so that all are taken in turn
            for step in range(1 + number % 2):
                slot = fitting[(first + step) % len(fitting)]
                if not words or any(word in every[slot].name for word in words):
                    yield Run(name, number, slot)


class Listener:
    """Somebody whom no file may let us call."""

    def __init__(self) -> None:
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]

    def close(self) -> bool:
        """Return whether somebody called."""
        self.server.settimeout(0.01)
        try:
            self.server.accept()[0].close()
        except TimeoutError:
            return False
        else:
            return True
        finally:
            self.server.close()


def snapshot(folder: Path) -> dict[str, tuple[int, int]]:
    """Return what lies in a folder, with size and time of change."""
    found = {}
    for root, folders, files in os.walk(folder):
        for name in [*folders, *files]:
            path = Path(root, name)
            state = path.lstat()
            folder_here = name in folders
            found[str(path.relative_to(folder))] = (0, 0) if folder_here else (state.st_size, state.st_mtime_ns)
    return found


def limit(pid: int) -> None:
    """Let a process have no more memory than this, no gigantic files and no core files."""
    for what, most in ((resource.RLIMIT_AS, MEMORY_BYTES), (resource.RLIMIT_FSIZE, 2 << 30), (resource.RLIMIT_CORE, 0)):
        resource.prlimit(pid, what, (most, most))


class Watch:
    """Looks at a process while it runs: its peak memory, and whether it gets anywhere.

    It hangs when it has used so many seconds of processor, or when so many have gone by and it has used none for ten of them: on a
    busy machine a slow process is none that hangs.
    """

    def __init__(self, pid: int, limit_s: float) -> None:
        self.pid, self.limit_s, self.began = pid, limit_s, time.monotonic()
        self.most_mb, self.cpu_s, self.moved, self.hung = 0, 0.0, self.began, False

    def hangs(self) -> bool:
        """Return whether it hangs now."""
        try:
            status = Path(f"/proc/{self.pid}/status").read_text()
            fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return False
        # Not that of getrusage: there our own memory counts, too, because the process began as a copy of us.
        if found := re.search(r"VmHWM:\s+(\d+)", status):
            self.most_mb = max(self.most_mb, int(found.group(1)) >> 10)
        cpu_s, now = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK"), time.monotonic()
        if cpu_s > self.cpu_s:
            self.cpu_s, self.moved = cpu_s, now
        idle = now - self.began > self.limit_s and now - self.moved > min(10, self.limit_s)
        self.hung = idle or cpu_s > self.limit_s or now - self.began > 10 * self.limit_s
        return self.hung


def attempt(folder: Path, run: Run, seed: int, limit_s: float, keep: bool) -> dict[str, Any]:
    """Make a case, run the command over it, and return what happened."""
    slot, base, listener = slots()[run.slot], folder / "base", Listener()
    case = folder / "cases" / f"{seed}_{run.kind}_{run.number}_{run.slot}".replace(" ", "_").replace(",", "")
    shutil.rmtree(case, ignore_errors=True)
    work, outside = case / "work", case / "outside"
    work.mkdir(parents=True)
    for name in slot.base:
        shutil.copytree(base / name, work / name, symlinks=True)
    shutil.copytree(base / "outside", outside)
    (work / "out").mkdir()
    (case / "home").mkdir()
    videos = first_videos(base)
    path = work / slot.path.replace("@VIDEO@", str(videos[0].relative_to(base / "deid/raw")) if videos else "x.mp4")
    sound = path.read_bytes()
    path.unlink()
    rng = random.Random(f"{seed} {run.kind} {run.number} {slot.family}")
    place = Place(path, slot.family, sound, outside, base / "plain", listener.port, rng, work)
    made = sound if run.kind == SOUND else KINDS[run.kind][1](place)
    if made is not None:
        path.write_bytes(made)
    before = {"work": snapshot(work), "outside": snapshot(outside)}
    if slot.command[0] == "LOAD":
        command = [sys.executable, "-c", LOAD, *slot.command[1:]]
    else:
        command = [str(Path(sys.executable).parent / "scrubin"), *slot.command]
    environment = os.environ | {
        "HOME": str(case / "home"),
        "XDG_CACHE_HOME": str(case / "home/cache"),
        "TMPDIR": str(case / "home"),
        "COLUMNS": "120",
    }
    began = time.monotonic()
    with (case / "stdout").open("wb") as out, (case / "stderr").open("wb") as err:
        child = subprocess.Popen(
            command,
            cwd=work / slot.inside,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            env=environment,
            start_new_session=True,
        )
        limit(child.pid)
        watch = Watch(child.pid, limit_s)
        while True:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                break
            if watch.hangs():
                os.killpg(child.pid, signal.SIGKILL)
                _, status, usage = os.wait4(child.pid, 0)
                break
            time.sleep(0.01)
        child.returncode = os.waitstatus_to_exitcode(status)
    result = {
        "kind": run.kind,
        "number": run.number,
        "slot": run.slot,
        "command": slot.name,
        "file": slot.path,
        "seed": seed,
        "named": slot.path in slot.command or Path(slot.path).name in slot.command,
        "code": child.returncode,
        "wall_s": round(time.monotonic() - began, 2),
        "cpu_s": round(usage.ru_utime + usage.ru_stime, 2),
        "mb": watch.most_mb,
        "hung": watch.hung,
        **looked_at(case, work, outside, before),
        "called": listener.close(),
    }
    if not keep:
        shutil.rmtree(case, ignore_errors=True)
    return result


def looked_at(case: Path, work: Path, outside: Path, before: dict[str, dict[str, tuple[int, int]]]) -> dict[str, Any]:
    """Return what a run said, leaked and wrote."""
    err, out = ((case / name).read_bytes()[: 5 << 20].decode("utf-8", "replace") for name in ("stderr", "stdout"))
    lines = err.splitlines()
    first = next((line for line in reversed(lines) if line.strip()), "")
    mark, leaked = CANARY.encode(), []
    if CANARY in err or CANARY in out:
        leaked.append("said")
    pixels = [tuple(map(int, line.split()[1:4])) for line in out.splitlines() if line.startswith("PIXEL ")]
    if any(all(abs(a - b) <= 4 for a, b in zip(one, CANARY_BGR, strict=True)) for one in pixels):
        leaked.append("shown")
    secrets = {path.read_bytes() for path in outside.iterdir() if path.is_file() and path.stat().st_size < 1 << 20}
    for path in [*(work / "out").rglob("*"), *(case / "home").rglob("*")]:
        if path.is_file() and not path.is_symlink() and path.stat().st_size < 64 << 20:
            data = path.read_bytes()
            if mark in data or any(one in data for one in secrets if len(one) > 200):
                leaked.append(str(path.relative_to(case)))
    after = {"work": snapshot(work), "outside": snapshot(outside)}
    allowed = re.compile(r"^(out|(project|reviewed)/(data|reports|\.cache|\.dvc))(/|$)|__pycache__")
    wrote = [f"work/{name}" for name, state in after["work"].items() if before["work"].get(name) != state and not allowed.match(name)]
    wrote += [f"outside/{name}" for name, state in after["outside"].items() if before["outside"].get(name) != state]
    wrote += ["/tmp/pwned_by_archive"] if Path("/tmp/pwned_by_archive").exists() else []
    return {
        "traceback": "Traceback (most recent call last)" in err + out,
        "lines": len(lines),
        "longest": max(map(len, lines), default=0),
        "last": first[:300],
        "leaked": leaked,
        "wrote": wrote[:5],
    }


def wordy(one: dict[str, Any]) -> bool:
    """Return whether more is said than somebody reads."""
    return one["lines"] > MANY_LINES or one["longest"] > LONG_LINE


FAULTS: dict[str, Callable[[dict[str, Any]], bool]] = {
    "traceback": lambda one: bool(one["traceback"]),
    "hang": lambda one: bool(one["hung"]),
    "killed": lambda one: one["code"] < 0 and not one["hung"],
    # Whoever names a link on the command line wants what it leads to.
    "leak": lambda one: bool(one["leaked"]) and not (one.get("named") and one["kind"] == "link out of the folder"),
    "wrote": lambda one: bool(one["wrote"]),
    "called": lambda one: bool(one["called"]),
    "wordy": wordy,
    "> 1 GB": lambda one: one["mb"] > 1024,
}


def table(done: list[dict[str, Any]]) -> None:
    """Print what happened, by kind and by command, and every fault."""
    for title, key in (("kind", "kind"), ("command", "command")):
        groups = defaultdict(list)
        for one in done:
            groups[one[key]].append(one)
        print(
            f"\n{title:<40}{'runs':>6}{'exit 0':>8}" + "".join(f"{name:>10}" for name in FAULTS) + f"{'max s':>8}{'CPU s':>8}{'max MB':>8}"
        )
        for name, own in [*(groups.items() if key == "kind" else sorted(groups.items())), ("all", done)]:
            counts = "".join(f"{sum(map(test, own)):>10}" for test in FAULTS.values())
            most = [max((one[figure] for one in own), default=0) for figure in ("wall_s", "cpu_s", "mb")]
            print(f"{name:<40}{len(own):>6}{sum(one['code'] == 0 for one in own):>8}{counts}{most[0]:>8.1f}{most[1]:>8.1f}{most[2]:>8}")
    for name, test in FAULTS.items():
        for one in filter(test, done):
            more = f" {one['leaked']}" if name == "leak" else f" {one['wrote']}" if name == "wrote" else ""
            where = f"{one['kind']} {one['number']}, {one['command']}, {one['file']}"
            print(f"{name}: {where}: exit {one['code']}, {one['wall_s']} s, {one['mb']} MB{more}: {one['last'][:160]}")
    files = len({(one["kind"], one["number"], one["seed"]) for one in done})
    print(
        f"{files} files of {len({one['kind'] for one in done})} kinds, {len(done)} runs, {sum(one['cpu_s'] for one in done):.0f} s of CPU"
    )


def main() -> None:
    """Make, run, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=25, help="files of each kind")
    parser.add_argument("--only", nargs="+", default=[], metavar="KIND", help="kinds with one of these words in them")
    parser.add_argument("--command", nargs="+", default=[], metavar="WORD", help="commands with one of these words in them")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--limit-s", type=float, default=LIMIT_S)
    parser.add_argument("--every", type=int, default=1, help="only every so many-th run")
    parser.add_argument("--sound", action="store_true", help="the sound files instead: what does not work with them tests nothing")
    parser.add_argument("--keep", action="store_true", help="keep the cases")
    parser.add_argument("--table", action="store_true", help="print what earlier runs found")
    parser.add_argument("--make-base", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    folder = arguments.folder.absolute()
    if arguments.make_base:
        make_base(folder)
        return
    assert len(KINDS) == 40, len(KINDS)
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "base").exists():
        spare = folder / "base.part"
        shutil.rmtree(spare, ignore_errors=True)
        spare.mkdir()
        subprocess.run([sys.executable, str(Path(__file__).absolute()), str(spare), "--make-base"], check=True)
        spare.rename(folder / "base")
    done_path = folder / "runs.jsonl"
    done = [json.loads(line) for line in done_path.read_text(encoding="utf-8").splitlines()] if done_path.exists() else []
    known = {(one["kind"], one["number"], one["slot"], one["seed"]) for one in done}
    lock = threading.Lock()

    def one(run: Run) -> None:
        try:
            result = attempt(folder, run, arguments.seed, arguments.limit_s, arguments.keep)
        except Exception as error:
            print(f"not made: {run}: {type(error).__name__}: {error}", flush=True)
            return
        with lock, done_path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(result) + "\n")
            done.append(result)
            marks = [name for name, test in FAULTS.items() if test(result)]
            print(
                f"{len(done):5} {run.kind} {run.number}, {result['command']}: exit {result['code']} {result['wall_s']} s {' '.join(marks)}",
                flush=True,
            )

    if arguments.sound:
        wanted = [
            Run(SOUND, 0, number)
            for number, slot in enumerate(slots())
            if not arguments.command or any(w in slot.name for w in arguments.command)
        ]
    else:
        wanted = [run for run in runs(arguments.seed, arguments.count, arguments.only, arguments.command)][:: arguments.every]
    if not arguments.table:
        with ThreadPoolExecutor(arguments.jobs) as pool:
            list(pool.map(one, [run for run in wanted if (run.kind, run.number, run.slot, arguments.seed) not in known]))
    table(done)


if __name__ == "__main__":
    main()
