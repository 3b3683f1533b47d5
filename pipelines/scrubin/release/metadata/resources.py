"""The files of a release as Croissant names them: single ones with their hash, and sets of files of a kind."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from scrubin.tables.declare import Table

PARQUET, VIDEO = "application/x-parquet", "video/x-matroska"
FRAMES, ARCHIVED = "frame-files", "archived-videos"
FILE_SETS = (
    ("video-files", "videos/*/*/*.mkv", VIDEO, "released videos, by task and camera"),
    (FRAMES, "frames/*/*/*/*.jpg", "image/jpeg", "extracted frames, by task, camera and id"),
    (FRAMES, "frames/*/*/*/*.png", "image/png", "extracted frames, by task, camera and id"),
    (FRAMES, "frames/*/*/*.tar", "application/x-tar", "extracted frames, one tar per video in the order of webdataset"),
    ("calibration-files", "calibration/*.yaml", "application/yaml", "calibrations of stereo rigs, OpenCV's YAML, each with its recordings"),
    ("split-files", "splits/*.csv", "text/csv", "splits: one file per scheme, and one per task as in LASANA"),
    ("annotation-files", "Annotation/*.csv", "text/csv", "skill and errors in the layout of LASANA"),
    (
        "recognition-files",
        "groundtruth/*/recognition/*.npz",
        "application/octet-stream",
        "triplet and component matrices, by vocabulary and id",
    ),
    ("detection-files", "groundtruth/*/detection/*.json", "application/json", "boxes for ivtmetrics and ivtdmetrics, by vocabulary and id"),
    ("coco-files", "groundtruth/*/coco.json", "application/json", "boxes as COCO, by vocabulary"),
    ("matrix-files", "groundtruth/*/recognition.parquet", PARQUET, "triplet and component matrices of all recordings, by vocabulary"),
    ("phase-files", "groundtruth/*/phases/*.csv", "text/csv", "phase sequences, by vocabulary and id"),
    ("yolo-files", "groundtruth/*/yolo/frames/*/*/*/*.txt", "text/plain", "boxes as YOLO, one class id per row, by task, camera and id"),
    ("yolo4-files", "groundtruth/*/yolo4/frames/*/*/*/*.txt", "text/plain", "boxes as YOLO, four ids per row, by task, camera and id"),
    ("skill-files", "groundtruth/skill/*.csv", "text/csv", "skill with the splits, by task"),
    ("error-files", "groundtruth/errors/*.csv", "text/csv", "errors with the splits, by task"),
    ("subset-files", "groundtruth/splits/*/*/*/files.json", "application/json", "files of one subset, by scheme, fold and subset"),
    ("subset-coco-files", "groundtruth/splits/*/*/*/*/coco.json", "application/json", "boxes of one subset as COCO"),
    ("subset-matrix-files", "groundtruth/splits/*/*/*/*/recognition.parquet", PARQUET, "matrices of one subset"),
)
ARCHIVED_SAYS = "released videos once more, inside the archives, by task and camera"
ZIP_SAYS = "videos of one task and camera, or annotations"


def file_objects(tables: Mapping[str, Table], sha256: Mapping[str, str], sizes: Mapping[str, int]) -> list[dict[str, Any]]:
    """Return the tables and archives as files with hash and size."""
    files = [(f"tables/{name}.parquet", f"{name}.parquet", PARQUET, table.description) for name, table in tables.items()]
    files += [(name, name.split("/")[1], "application/zip", ZIP_SAYS) for name in zips(sha256)]
    return [
        {
            "@type": "cr:FileObject",
            "@id": identifier,
            "name": identifier,
            "description": description,
            "contentUrl": path,
            "contentSize": f"{sizes[path]} B",
            "encodingFormat": encoding,
            "sha256": sha256[path],
        }
        for path, identifier, encoding, description in files
    ]


def file_sets(sha256: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the sets of which at least one file is there; videos also as the archives hold them."""
    sets = [_file_set(*one) for one in FILE_SETS if _occurs(one[1], sha256)]
    packed = video_zips(sha256)
    if packed:
        inside = _file_set(ARCHIVED, "*/*/*.mkv", VIDEO, ARCHIVED_SAYS)
        sets.append(inside | {"containedIn": [{"@id": name.split("/")[1]} for name in packed]})
    return sets


def frame_encoding(sha256: Mapping[str, str]) -> str | None:
    """Return the format of the extracted frames when they are loose pictures, None when they lie in tars or there are none."""
    loose = (encoding for name, pattern, encoding, _ in FILE_SETS if name == FRAMES and _occurs(pattern, sha256))
    return next((encoding for encoding in loose if encoding.startswith("image/")), None)


def zips(names: Iterable[str]) -> list[str]:
    """Return the archives among the names of files, sorted."""
    return sorted(name for name in names if name.startswith("archives/"))


def video_zips(names: Iterable[str]) -> list[str]:
    """Return the archives of videos; the one of annotations is none."""
    return [name for name in zips(names) if name != "archives/Annotation.zip"]


def _file_set(identifier: str, pattern: str, encoding: str, description: str) -> dict[str, Any]:
    return {
        "@type": "cr:FileSet",
        "@id": identifier,
        "name": identifier,
        "description": description,
        "encodingFormat": encoding,
        "includes": pattern,
    }


def _occurs(pattern: str, names: Iterable[str]) -> bool:
    """Whether a file of that pattern is there; ``*`` is part of one name."""
    wanted = re.compile("[^/]*".join(map(re.escape, pattern.split("*"))))
    return any(wanted.fullmatch(name) for name in names)
