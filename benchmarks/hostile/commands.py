"""Everything that is read of strangers: the file, and the command that reads it."""

from __future__ import annotations

import importlib.util
import re
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

CANARY = "CANARYOUTSIDE7f3e"
CANARY_BGR = (13, 200, 77)
"""What the picture and the video outside show."""


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
import importlib, sys
def errors():
    for place in ("base", "core"):
        try:
            return importlib.import_module(f"scrubin.{place}.errors").ScrubinError
        except ModuleNotFoundError:
            pass
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
except errors() as error:
    sys.exit(f"{type(error).__name__}: {error}")
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
