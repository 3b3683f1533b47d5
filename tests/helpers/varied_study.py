"""A small study with much that few studies have: cameras with a rig, two views in one picture, masks, points, tracks and marks."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np

import clips
import small_study
from scrubin.labels.masks import rle
from scrubin.media.rigs import written_rig
from scrubin.stages.stereo import drawing

SIZE = (96, 64)
SEED = 8
DRAWN, RIG, DAY = "drawn_01", "Tower of Mansfield", "2024-03-18"
DRAWN_SIZE, DRAWN_COUNT, DRAWN_FPS = (321, 181), 70, 20
"""A column and a row more than video can have."""
BOTH_VIEWS = "peg_03"
OUTLINED, HIDDEN, BOXES = "peg_02", (16, 8, 24, 16), ((8, 4, 40, 24), (60, 30, 20, 20))
"""A recording with masks of two instruments, and what is hidden of all of it: left, top, width and height."""
WHOLLY, PARTLY, SHOWN = "operation_01", "operation_02", "operation_03"
COVERED_SIZE, COVERED_S, RECTANGLE = (48, 32), 8, (9, 8, 40, 17)
"""Labelled pictures of half the video's size, wholly an instrument, and what is hidden of one of these recordings."""
IN_PARTS, CUT_AT = SHOWN, "100,200"


def project(folder: Path) -> Path:
    """Make the checkout, with nothing of it made yet."""
    raw = small_study.project(folder) / "data/raw"
    _draw_stereo(raw)
    _join_views(raw / "videos")
    video = raw / f"videos/{IN_PARTS}.mp4"
    options = ("-c:v", "libx264", "-crf", "12", "-g", "50", "-bf", "0", "-video_track_timescale", "12800")
    clips.ffmpeg("-i", video, *options, video.with_suffix(".mov"))
    video.unlink()
    for name, labels in (("coco", _outlines()), ("masks", _covers())):
        (raw / "annotations" / name).mkdir()
        (raw / "annotations" / name / "all.json").write_text(json.dumps(labels))
    params = folder / "params.yaml"
    source = "{format: coco, folder: annotations/masks, vocabulary: cholect50, label_map: null, fps: null}"
    params.write_text(params.read_text().replace("    - {format: cholect50,", f"    - {source}\n    - {{format: cholect50,", 1))
    (raw / "annotations/cvschallenge/operation_00").mkdir(parents=True)
    marks = [f"{25 * second},{int(second > 3)},{int(second > 5)},1" for second in range(0, 12, 2)]
    text = "\n".join(["frame_id,c1_rater1,c1_rater2,c1_rater3", *marks, ""])
    (raw / "annotations/cvschallenge/operation_00/frame.csv").write_text(text)
    with (raw / "redactions.csv").open("a", encoding="utf-8") as file:
        file.write(f"{DRAWN},,out_of_body,2.9,3.2,,,,,add\n{OUTLINED},,text,,,{','.join(map(str, HIDDEN))},add\n")
        file.write(f"{PARTLY},,text,0,12,{','.join(map(str, RECTANGLE))},add\n")
    _list(raw / "recordings.csv")
    return folder


def cut_into_parts(folder: Path) -> None:
    """Let one recording be three files with the same pictures."""
    video = folder / f"data/raw/videos/{IN_PARTS}.mov"
    cut = ("-c", "copy", "-f", "segment", "-segment_frames", CUT_AT, "-reset_timestamps", "1")
    clips.ffmpeg("-i", video, *cut, video.with_name(f"{IN_PARTS}_%d.mov"))
    video.unlink()
    path = folder / "data/raw/recordings.csv"
    rows = _rows(path)
    (own,) = [row for row in rows if row["recording"] == IN_PARTS]
    rows.remove(own)
    _write(path, rows + [own | {"path": f"videos/{IN_PARTS}_{n}.mov", "part": str(n + 1)} for n in range(3)])


def mask(box: tuple[int, ...]) -> np.ndarray:
    """Return the picture in which a box is an instrument."""
    x, y, w, h = box
    pixels = np.zeros(SIZE[::-1], bool)
    pixels[y : y + h, x : x + w] = True
    return pixels


def rig() -> tuple[np.random.Generator, drawing.Rig]:
    """Return the cameras of the drawn recording, and the lot that draws what they see."""
    rng = np.random.default_rng(SEED)
    return rng, drawing.rig(rng, DRAWN_SIZE)


def _draw_stereo(raw: Path) -> None:
    """Draw a recording that begins late and is black for a while."""
    rng, cameras = rig()
    scene = drawing.Scene.by_lot(rng, cameras)
    for side in ("left", "right"):
        view = drawing.view(cameras, side, 1)
        shown = [drawing.noisy(drawing.picture(view, scene.sheets(n / DRAWN_FPS)), 2.0, rng)[..., ::-1] for n in range(DRAWN_COUNT)]
        clips.film(raw / f"videos/{DRAWN}_{side}.mkv", shown, DRAWN_FPS, "yuv444p", crf="14")
    text = written_rig.text(cameras).replace("convention", f'date: "{DAY}"\nconvention')
    (raw / "calibration" / f"{RIG}.yaml").write_text(text, encoding="utf-8")


def _join_views(videos: Path) -> None:
    left, right = (videos / f"{BOTH_VIEWS}_{camera}.mkv" for camera in ("left", "right"))
    scaled = f"[0:v]scale={SIZE[0]}:{SIZE[1]}[l];[1:v]scale={SIZE[0]}:{SIZE[1]}[r];[l][r]hstack"
    clips.ffmpeg("-i", left, "-i", right, "-filter_complex", scaled, "-c:v", "libx264", "-crf", "8", videos / f"{BOTH_VIEWS}.mkv")
    left.unlink()
    right.unlink()


def _coco(images: list[dict[str, object]], annotations: list[dict[str, object]], categories: list[dict[str, object]]) -> dict[str, object]:
    return {"images": images, "annotations": annotations, "categories": categories}


def _outlines() -> dict[str, object]:
    images = [
        {"id": second + 1, "file_name": f"{OUTLINED}/{20 * second:06d}.jpg", "width": SIZE[0], "height": SIZE[1]} for second in range(2)
    ]
    annotations: list[dict[str, object]] = [
        {
            **{"id": 2 * second + at + 1, "image_id": second + 1, "category_id": at + 1, "bbox": list(box), "iscrowd": 0},
            "area": box[2] * box[3],
            "segmentation": {"size": [*SIZE[::-1]], "counts": rle.runs_of_picture(mask(box)).tolist()},
            "keypoints": [box[0] + box[2] / 2, box[1] + box[3] / 2, 2, box[0], box[1], 1],
            "num_keypoints": 2,
            "track_id": at + 5,
        }
        for second in range(2)
        for at, box in enumerate(BOXES)
    ]
    names = enumerate(("grasper", "hook"))
    return _coco(images, annotations, [{"id": at + 1, "name": name, "keypoints": ["middle", "corner"]} for at, name in names])


def _covers() -> dict[str, object]:
    """Say that the whole picture is the instrument, whose tip is in the rectangle and whose hinge is not."""
    width, height = COVERED_SIZE
    names = [f"{name}_{second:06d}.png" for name in (WHOLLY, PARTLY, SHOWN) for second in range(COVERED_S)]
    images = [{"id": at, "file_name": name, "width": width, "height": height} for at, name in enumerate(names)]
    own = {"category_id": 1, "bbox": [0, 0, width, height], "iscrowd": 0, "keypoints": [10, 6, 2, 40, 6, 1], "num_keypoints": 2}
    picture = {"size": [height, width], "counts": [0, width * height]}
    annotations = [{"id": at, "image_id": at, "segmentation": picture, **own} for at in range(len(names))]
    category = {"id": 1, "name": small_study.CHOLECT50.triplet_name(17), "keypoints": ["tip", "hinge"], "skeleton": []}
    return _coco(images, annotations, [category])


def _list(path: Path) -> None:
    rows = _rows(path)
    for row in rows:
        if row["recording"] == BOTH_VIEWS:
            x = SIZE[0] * (row["camera"] == "right")
            row |= {"camera": f"{row['camera']}=crop({x} 0 {SIZE[0]} {SIZE[1]})", "path": f"videos/{BOTH_VIEWS}.mkv"}
        if row["recording"] == IN_PARTS:
            row["path"] = f"videos/{IN_PARTS}.mov"
    own = {"recording": DRAWN, "participant": "P77", "task": "PegTransfer", "start_s": "0.3", "rig": RIG}
    _write(path, rows + [own | {"camera": side, "path": f"videos/{DRAWN}_{side}.mkv"} for side in ("left", "right")])


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _write(path: Path, rows: list[dict[str, str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, (*small_study.COLUMNS, "part", "rig"), restval="")
        writer.writeheader()
        writer.writerows(rows)
