"""Small contests of masks, tracks and criteria: labels as files, perfect submissions, submissions with planted mistakes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from scrubin.labels.masks import rle

VIDEOS = ("ab01", "cd02", "ef03", "gh04")
FRAMES = 5
WIDTH, HEIGHT = 64, 48
CLASSES = ("grasper", "hook")
TASKS = ("masks", "pixels", "points", "tracks", "criteria")
Files = Mapping[str, bytes]


def dumps(value: Any) -> bytes:
    return json.dumps(value).encode()


def _pixels(video: int, frame: int, class_: int) -> np.ndarray:
    pixels = np.zeros((HEIGHT, WIDTH), bool)
    left, top = 2 + 3 * frame + video + 30 * class_, 4 + 2 * video + frame
    pixels[top : top + 14, left : left + 12 + class_] = True
    return pixels


def segmentation(pixels: np.ndarray) -> dict[str, Any]:
    return {"size": list(pixels.shape), "counts": rle.text_of_runs(rle.runs_of_picture(pixels))}


def coco_truth() -> dict[str, Any]:
    """One COCO file: every frame of every video has both classes but the last, in which nothing is."""
    images, annotations = [], []
    for number, video in enumerate(VIDEOS):
        for frame in range(FRAMES):
            image = {"id": 100 + len(images), "file_name": f"{video}_{frame:06d}.png", "width": WIDTH, "height": HEIGHT}
            images.append({**image, "recording": video, "frame": frame})
            for class_ in range(len(CLASSES)) if frame < FRAMES - 1 else ():
                pixels = _pixels(number, frame, class_)
                box = [*rle.box_xywh_px(rle.runs_of_picture(pixels), HEIGHT)]
                whole = {"id": len(annotations) + 1, "image_id": image["id"], "category_id": class_ + 1, "iscrowd": 0}
                annotations.append({**whole, "bbox": box, "area": int(pixels.sum()), "segmentation": segmentation(pixels)})
    categories = [{"id": at + 1, "name": name} for at, name in enumerate(CLASSES)]
    return {"images": images, "annotations": annotations, "categories": categories}


def results(truth: Mapping[str, Any], ids: Mapping[Any, int] | None = None) -> list[dict[str, Any]]:
    """Return the annotations as results; images by the ids of another file, where it is named by recording and frame."""
    of = {one["id"]: (ids[one["recording"], one["frame"]] if ids else one["id"]) for one in truth["images"]}
    kept = [one for one in truth["annotations"] if of[one["image_id"]]]
    return [
        {"image_id": of[one["image_id"]], **{key: one[key] for key in ("category_id", "segmentation")}, "score": 0.9 - at % 7 / 20}
        for at, one in enumerate(kept)
    ]


def masks() -> tuple[Files, Files]:
    truth = coco_truth()
    return {"labels.json": dumps(truth)}, {"results.json": dumps(results(truth))}


def worse_masks(files: Files) -> Files:
    """Some masks are shifted, one is of another class, one is missing."""
    found = json.loads(files["results.json"])
    for at, one in enumerate(found):
        if at % 3 == 0:
            pixels = rle.picture(rle.runs_of_text(one["segmentation"]["counts"], HEIGHT, WIDTH), HEIGHT, WIDTH)
            one["segmentation"] = segmentation(np.roll(pixels, 1 + at % 4, axis=1))
    found[1]["category_id"] = 3 - found[1]["category_id"]
    return {"results.json": dumps(found[:-1])}


def points() -> tuple[Files, Files]:
    """The masks of the COCO file have two points each."""
    truth = coco_truth()
    for one in truth["annotations"]:
        x, y, width, height = one["bbox"]
        one |= {"keypoints": [x + 1, y + 2, 2, x + width - 2, y + height - 3, 1], "num_keypoints": 2}
    truth["categories"] = [{**one, "keypoints": ["tip", "hinge"]} for one in truth["categories"]]
    found = [
        {**{key: one[key] for key in ("image_id", "category_id", "keypoints")}, "score": 0.9 - at % 7 / 20}
        for at, one in enumerate(truth["annotations"])
    ]
    return {"labels.json": dumps(truth)}, {"results.json": dumps(found)}


def worse_points(files: Files) -> Files:
    """Some tips are moved, one instance is missing."""
    found = json.loads(files["results.json"])
    for at, one in enumerate(found):
        if at % 3 == 0:
            one["keypoints"][0] += 2 + at % 4
    return {"results.json": dumps(found[:-1])}


def tracks() -> tuple[Files, Files]:
    truth: dict[str, bytes] = {}
    for number, video in enumerate(VIDEOS):
        rows = [
            f"{frame + 1},{class_ + 1},{2 + 3 * frame + number + 30 * class_}.5,{4 + frame},12,14.25,1,{class_},1"
            for frame in range(FRAMES)
            for class_ in range(len(CLASSES))
        ]
        info = f"[Sequence]\nname={video}\nseqLength={FRAMES}\nimWidth={WIDTH}\nimHeight={HEIGHT}\nclasses={','.join(CLASSES)}\n"
        truth |= {f"{video}.txt": "".join(f"{row}\n" for row in rows).encode(), f"{video}/seqinfo.ini": info.encode()}
    return truth, {name: data.replace(b",1,0,1\n", b",0.9,0,1\n") for name, data in truth.items()}


def worse_tracks(files: Files) -> Files:
    """In every other video an id changes, in one a box is missing."""
    found = dict(files)
    for video in VIDEOS[::2]:
        rows = [line.split(",") for line in found[f"{video}.txt"].decode().splitlines()]
        changed = [[frame, "7" if frame in "45" and id_ == "1" else id_, *box] for frame, id_, *box in rows]
        found[f"{video}.txt"] = "".join(f"{','.join(row)}\n" for row in changed).encode()
    lines = found[f"{VIDEOS[1]}.txt"].decode().splitlines()
    return {**found, f"{VIDEOS[1]}.txt": "".join(f"{line}\n" for line in lines[:-1]).encode()}


def criteria() -> tuple[Files, Files]:
    """Three annotators of three criteria at 30 fps; predicted is what the first one says, or the mean of all."""
    header = ",".join(["frame_id", *(f"c{criterion}_rater{rater}" for criterion in (1, 2, 3) for rater in (1, 2, 3))])
    truth, rows = {}, ["video,frame,C1,C2,C3"]
    for number, video in enumerate(VIDEOS):
        lines = [header]
        for at in range(6):
            said = np.array(
                [[(at + number + criterion + (rater == 2 and at % 3 == 0)) % 2 for rater in range(3)] for criterion in range(3)]
            )
            lines.append(",".join([str(150 * at), *map(str, said.ravel())]))
            rows.append(",".join([video, str(150 * at), *(f"{value:.3f}" for value in said.mean(axis=1))]))
        truth[f"{video}/frame.csv"] = "".join(f"{line}\n" for line in lines).encode()
    return truth, {"found.csv": "".join(f"{row}\n" for row in rows).encode()}


def worse_criteria(files: Files) -> Files:
    """In the second half of the rows one criterion is turned round."""
    head, *rows = files["found.csv"].decode().splitlines()
    turned = []
    for at, row in enumerate(rows):
        video, frame, first, *others = row.split(",")
        turned.append(",".join([video, frame, f"{1 - float(first):.3f}" if at > len(rows) // 2 else first, *others]))
    return {"found.csv": "".join(f"{row}\n" for row in (head, *turned)).encode()}


CASES: Mapping[str, Callable[[], tuple[Files, Files]]] = {
    "masks": masks,
    "pixels": masks,
    "points": points,
    "tracks": tracks,
    "criteria": criteria,
}
WORSE: Mapping[str, Callable[[Files], Files]] = {
    "masks": worse_masks,
    "pixels": worse_masks,
    "points": worse_points,
    "tracks": worse_tracks,
    "criteria": worse_criteria,
}
SCORE: Mapping[str, tuple[str, ...]] = {
    "masks": ("detection", "--variant", "kind=masks"),
    "pixels": ("detection", "--variant", "kind=pixels"),
    "points": ("points",),
    "tracks": ("tracks",),
    "criteria": ("criteria",),
}
"""What `scrubin score` is told of each task."""


def put(folder: Path, files: Files) -> Path:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def contest(folder: Path, task: str) -> Path:
    """Write ``truth``, and the submissions ``perfect`` and ``worse``."""
    truth, perfect = CASES[task]()
    put(folder / "truth", truth)
    put(folder / "perfect", perfect)
    put(folder / "worse", WORSE[task](perfect))
    return folder
