"""Metadata in MLCommons Croissant 1.0, so that loaders find tables, columns and files.

Source: Croissant format specification 1.0, https://docs.mlcommons.org/croissant/docs/croissant-spec-1.0.html.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from scrubin.release.params import ReleaseParams
from scrubin.tables.declare import Column, Table

CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
NAME = "croissant.json"
DATA_TYPES = {"str": "sc:Text", "int64": "sc:Integer", "float64": "sc:Float", "bool": "sc:Boolean"}
CONTENT = "Videos, extracted frames, skill scores, errors, annotations, splits and metric-ready ground truth."
PARQUET = "application/x-parquet"
FILE_SETS = (
    ("video-files", "videos/*/*/*.mkv", "video/x-matroska", "released videos, by task and camera"),
    ("frame-files", "frames/*/*/*/*.jpg", "image/jpeg", "extracted frames, by task, camera and id"),
    ("frame-files", "frames/*/*/*/*.png", "image/png", "extracted frames, by task, camera and id"),
    ("frame-files", "frames/*/*/*.tar", "application/x-tar", "extracted frames, one tar per video in the order of webdataset"),
    ("split-files", "splits/*.csv", "text/csv", "splits, one file per scheme"),
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


def metadata(
    params: ReleaseParams, tables: Mapping[str, Table], sha256: Mapping[str, str], sizes: Mapping[str, int], reviewed: str
) -> dict[str, Any]:
    """Return the metadata as a JSON value; it holds no date, only the version of the release.

    Parameters
    ----------
    params
        Name, title, version and licence.
    tables
        Public tables by name, each in ``tables/<name>.parquet``.
    sha256, sizes
        Hash and bytes of every released file, by relative name.
    reviewed
        Who looked before the release, in plain words.
    """
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": params.name,
        "alternateName": params.title,
        "description": f"{params.title}. {CONTENT} {reviewed}",
        "license": f"https://spdx.org/licenses/{params.license}.html",
        "version": params.version,
        "citeAs": citation(params),
        "isLiveDataset": False,
        "distribution": [*_file_objects(tables, sha256, sizes), *_file_sets(sha256)],
        "recordSet": [_record_set(table) for table in tables.values()],
    }


def citation(params: ReleaseParams) -> str:
    """Return a BibTeX entry for the release."""
    return f"@misc{{{params.name}, title = {{{params.title}}}, version = {{{params.version}}}}}"


def _file_objects(tables: Mapping[str, Table], sha256: Mapping[str, str], sizes: Mapping[str, int]) -> list[dict[str, Any]]:
    files = [(f"tables/{name}.parquet", f"{name}.parquet", PARQUET, table.description) for name, table in tables.items()]
    zips = sorted(name for name in sha256 if name.startswith("archives/"))
    files += [(name, name.split("/")[1], "application/zip", "videos of one task and camera, or annotations") for name in zips]
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


def _file_sets(sha256: Mapping[str, str]) -> list[dict[str, Any]]:
    return [
        {
            "@type": "cr:FileSet",
            "@id": identifier,
            "name": identifier,
            "description": description,
            "encodingFormat": encoding,
            "includes": pattern,
        }
        for identifier, pattern, encoding, description in FILE_SETS
        if _occurs(pattern, sha256)
    ]


def _occurs(pattern: str, names: Iterable[str]) -> bool:
    """Whether a file of that pattern is there; ``*`` is part of one name."""
    wanted = re.compile("[^/]*".join(map(re.escape, pattern.split("*"))))
    return any(wanted.fullmatch(name) for name in names)


def _record_set(table: Table) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": table.name,
        "name": table.name,
        "description": table.description,
        "key": [{"@id": f"{table.name}/{name}"} for name in table.key],
        "field": [_field(table, column) for column in table.columns],
    }


def _field(table: Table, column: Column) -> dict[str, Any]:
    unit = f" [{column.unit}]" if column.unit else ""
    return {
        "@type": "cr:Field",
        "@id": f"{table.name}/{column.name}",
        "name": column.name,
        "description": f"{column.description}{unit}" + (f"; missing: {column.null}" if column.null else ""),
        "dataType": DATA_TYPES[column.dtype],
        "source": {"fileObject": {"@id": f"{table.name}.parquet"}, "extract": {"column": column.name}},
    }
