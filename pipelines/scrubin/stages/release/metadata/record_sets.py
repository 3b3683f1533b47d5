"""The record sets of ``croissant.json`` with the files they come from: tables, pictures, videos, subsets, the names that labels take."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from scrubin.base.tables import Column, Table
from scrubin.base.vocabulary import vocabulary
from scrubin.base.vocabulary.vocabulary import PARTS, Vocabulary

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
    ("mask-files", "groundtruth/*/masks.json", "application/json", "masks of instruments as COCO, by vocabulary"),
    ("point-files", "groundtruth/*/points.json", "application/json", "key points of instruments as COCO, by vocabulary"),
    ("track-files", "groundtruth/*/tracks/*/*/gt/gt.txt", "text/plain", "tracks as MOTChallenge, by vocabulary, kind and id"),
    (
        "track-size-files",
        "groundtruth/*/tracks/*/*/seqinfo.ini",
        "text/plain",
        "size and classes of the tracks, by vocabulary, kind and id",
    ),
    ("mark-files", "groundtruth/marks/*.csv", "text/csv", "marks of annotators, by id"),
    ("phase-files", "groundtruth/*/phases/*.csv", "text/csv", "phase sequences, by vocabulary and id"),
    ("yolo-files", "groundtruth/*/yolo/frames/*/*/*/*.txt", "text/plain", "boxes as YOLO, one class id per row, by task, camera and id"),
    ("yolo4-files", "groundtruth/*/yolo4/frames/*/*/*/*.txt", "text/plain", "boxes as YOLO, four ids per row, by task, camera and id"),
    ("skill-files", "groundtruth/skill/*.csv", "text/csv", "skill with the splits, by task"),
    ("error-files", "groundtruth/errors/*.csv", "text/csv", "errors with the splits, by task"),
    ("subset-files", "groundtruth/splits/*/*/*/files.json", "application/json", "files of one subset, by scheme, fold and subset"),
    ("subset-coco-files", "groundtruth/splits/*/*/*/*/coco.json", "application/json", "boxes of one subset as COCO"),
    ("subset-mask-files", "groundtruth/splits/*/*/*/*/masks.json", "application/json", "masks of one subset as COCO"),
    ("subset-point-files", "groundtruth/splits/*/*/*/*/points.json", "application/json", "key points of one subset as COCO"),
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


DATA_TYPES = {"str": "sc:Text", "int64": "sc:Integer", "float64": "sc:Float", "bool": "sc:Boolean"}
LABELS = {
    "errors": ("occurred",),
    "marks": ("value",),
    "masks": ("counts",),
    "phases": ("phase", "phase_id"),
    "points": ("x", "y", "visibility"),
    "spans": ("instrument", "verb", "target"),
    "tracks": ("track",),
    "triplets": ("instrument", "verb", "target", "triplet", "instrument_id", "verb_id", "target_id", "triplet_id"),
}
"""Columns that somebody labelled, by table; of ``skill`` all scores."""
SUBSETS = "subsets"
SPLIT_URLS = {
    "train": "cr:TrainingSplit",
    "training": "cr:TrainingSplit",
    "val": "cr:ValidationSplit",
    "valid": "cr:ValidationSplit",
    "validation": "cr:ValidationSplit",
    "test": "cr:TestSplit",
    "testing": "cr:TestSplit",
}
"""What the names of subsets mean to programs."""
NAMED = (*PARTS, "triplet", "phase")
"""Columns whose values are names of a vocabulary."""
SUBSETS_SAY = "the subsets of all splits, and what they are for"
NAMES_SAY = "the {column}s of the vocabulary {vocabulary}, by id"
IMAGES, VIDEOS = "frame_images", "video_contents"
IMAGES_SAY = "the picture of every extracted frame that has a file; id, camera and frame are the key of the table frames"
VIDEOS_SAY = "every released video, out of the archives; id and camera are the key of the table videos"
SAYS = {
    "path": "file, relative to the release folder",
    "member": "file inside its archive; behind videos/ it is the path in the table videos",
    "task": "task",
    "camera": "left or right of a stereo pair, or mono",
    "id": "released pseudo-English id of the recording",
    "frame": "number of the extracted frame, from 0",
    "image": "the picture",
    "video": "the video",
    "name": "name",
    "number": "id in the vocabulary, from 0",
    "url": "what the subset is for; missing where its name says nothing to programs",
}


def all_of(declared: Mapping[str, Table], tables: Mapping[str, pd.DataFrame], sha256: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return every record set of a release.

    Parameters
    ----------
    declared, tables
        Declarations and contents of the public tables, by name.
    sha256
        Hashes of the released files, by name.
    """
    used = _used(tables)
    loaded = {name: vocabulary.load(name) for name in sorted({name for names in used.values() for name in names})}
    subsets = [] if "splits" not in tables else sorted(map(str, tables["splits"]["subset"].unique()))
    named = {(name, column) for (_, column), names in used.items() for name in names if _of_column(loaded[name], column)}
    sets = [_table(table, _references(table, used, named, subsets)) for table in declared.values()]
    if frame_encoding(sha256):
        sets.append(_pictures())
    if video_zips(sha256):
        sets.append(_videos())
    if subsets:
        sets.append(_subsets(subsets))
    return sets + [_names(loaded[name], column) for name, column in sorted(named)]


def _used(tables: Mapping[str, pd.DataFrame]) -> dict[tuple[str, str], set[str]]:
    """Return the vocabularies that each column of names takes its values from, by table and column."""
    used = {}
    for table in ("phases", "spans", "triplets"):
        for column in NAMED:
            if table in tables and column in tables[table] and len(tables[table]):
                used[table, column] = set(map(str, tables[table]["vocabulary"].unique()))
    return used


def _of_column(names: Vocabulary, column: str) -> list[str]:
    """Return the names that a column can take, by id."""
    if column == "triplet":
        return [names.triplet_name(number) for number in range(len(names.triplets))]
    return list(names.names(column))  # type: ignore[arg-type]


def _references(
    table: Table, used: Mapping[tuple[str, str], set[str]], named: set[tuple[str, str]], subsets: Iterable[str]
) -> dict[str, str]:
    """Return by column the field whose values it takes; with several vocabularies in one column there is no such field."""
    found = {}
    for column in NAMED:
        names = used.get((table.name, column), set())
        if len(names) == 1 and (next(iter(names)), column) in named:
            found[column] = f"{next(iter(names))}_{column}s/name"
    if table.name == "splits" and subsets:
        found["subset"] = f"{SUBSETS}/name"
    return found


def _table(table: Table, references: Mapping[str, str]) -> dict[str, Any]:
    fields = []
    for column in table.columns:
        field = _column(table, column)
        if column.name in references:
            # The specification also has {"@id": ...} alone, on which its reference reader (1.1.1) breaks.
            field["references"] = {"field": {"@id": references[column.name]}}
        fields.append(field)
    return _record_set(table.name, table.description, table.key, fields)


def _column(table: Table, column: Column) -> dict[str, Any]:
    unit = f" [{column.unit}]" if column.unit else ""
    types = DATA_TYPES[column.dtype]
    scores = table.name == "skill" and column.dtype == "float64"
    return _field(
        f"{table.name}/{column.name}",
        f"{column.description}{unit}" + (f"; missing: {column.null}" if column.null else ""),
        [types, "cr:Label"] if scores or column.name in LABELS.get(table.name, ()) else types,
        {"fileObject": {"@id": f"{table.name}.parquet"}, "extract": {"column": column.name}},
    )


def _pictures() -> dict[str, Any]:
    """Return the pictures: each key is read from its path, so that a reader can take one file after the other."""
    place = r"frames/{}\.[a-z]+"
    parts = {"task": 0, "camera": 1, "id": 2, "frame": 3}
    fields = [_of_file(IMAGES, "path", "sc:Text", "fullpath", FRAMES)]
    fields += [
        _of_file(IMAGES, name, "sc:Integer" if name == "frame" else "sc:Text", "fullpath", FRAMES, place.format(_one_of(4, part)))
        for name, part in parts.items()
    ]
    fields.append(_of_file(IMAGES, "image", "sc:ImageObject", "content", FRAMES))
    return _record_set(IMAGES, IMAGES_SAY, ("id", "camera", "frame"), fields)


def _videos() -> dict[str, Any]:
    parts = {"task": 0, "camera": 1, "id": 2}
    fields = [_of_file(VIDEOS, "member", "sc:Text", "fullpath", ARCHIVED)]
    fields += [_of_file(VIDEOS, name, "sc:Text", "fullpath", ARCHIVED, rf"{_one_of(3, part)}\.[a-z0-9]+") for name, part in parts.items()]
    fields.append(_of_file(VIDEOS, "video", "sc:VideoObject", "content", ARCHIVED))
    return _record_set(VIDEOS, VIDEOS_SAY, ("id", "camera"), fields)


def _one_of(count: int, part: int) -> str:
    """Return a pattern for so many names in a path, which captures one of them.

    >>> _one_of(3, 1)
    '[^/]+/([^/]+)/[^/.]+'
    """
    names = ["[^/]+"] * (count - 1) + ["[^/.]+"]
    return "/".join(f"({name})" if at == part else name for at, name in enumerate(names))


def _subsets(names: list[str]) -> dict[str, Any]:
    fields = [
        _field(f"{SUBSETS}/name", SAYS["name"], "sc:Text"),
        _field(f"{SUBSETS}/url", SAYS["url"], ["sc:URL", "cr:Split"]),
    ]
    data = [{f"{SUBSETS}/name": name, f"{SUBSETS}/url": SPLIT_URLS.get(name.lower())} for name in names]
    return _record_set(SUBSETS, SUBSETS_SAY, ("name",), fields) | {"dataType": "cr:Split", "data": data}


def _names(names: Vocabulary, column: str) -> dict[str, Any]:
    identifier = f"{names.name}_{column}s"
    fields = [_field(f"{identifier}/id", SAYS["number"], "sc:Integer"), _field(f"{identifier}/name", SAYS["name"], "sc:Text")]
    data = [{f"{identifier}/id": number, f"{identifier}/name": name} for number, name in enumerate(_of_column(names, column))]
    described = NAMES_SAY.format(column=column, vocabulary=names.name)
    return _record_set(identifier, described, ("name",), fields) | {"dataType": "sc:Enumeration", "data": data}


def _of_file(record_set: str, name: str, data_type: str, what: str, files: str, regex: str = "") -> dict[str, Any]:
    source: dict[str, Any] = {"fileSet": {"@id": files}, "extract": {"fileProperty": what}}
    if regex:
        source["transform"] = {"regex": regex}
    return _field(f"{record_set}/{name}", SAYS[name], data_type, source)


def _record_set(name: str, description: str, key: Iterable[str], fields: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": description,
        "key": [{"@id": f"{name}/{column}"} for column in key],
        "field": fields,
    }


def _field(identifier: str, description: str, data_type: str | list[str], source: Mapping[str, Any] | None = None) -> dict[str, Any]:
    field: dict[str, Any] = {
        "@type": "cr:Field",
        "@id": identifier,
        "name": identifier.rpartition("/")[2],
        "description": description,
        "dataType": data_type,
    }
    return field | ({"source": dict(source)} if source else {})
