"""The sound material: a release, submissions, labels, studies, a rig and films, with what the tests of a checkout make."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

from hostile.commands import CANARY, CANARY_BGR, product_root

EXAMPLES = "examples"
"""The folder with a folder of files for each format of labels."""
TRAINED_ON = """version: 1
complete: yes
trained_until: 2026-01-01
datasets:
  - name: cholec80
    videos: 1-40
weights: []
own_data: []
"""


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


def make_examples(base: Path) -> None:
    """Write the example of every format of labels, each into a folder of its own."""
    sys.path.insert(0, str(product_root() / "tests/helpers"))
    import label_examples

    for kind, made in label_examples.EXAMPLES.items():
        for name, data in (made if isinstance(made, dict) else made()).items():
            path = base / EXAMPLES / kind / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)


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
    driver = Path(__file__).parents[1] / "planted_parts.py"
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
