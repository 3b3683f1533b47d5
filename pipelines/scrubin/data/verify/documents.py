"""What the documents of a release say it is: name with version, hashes in its description for machines, recordings per task."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scrubin.base import strangers
from scrubin.base.faults import Fault, error
from scrubin.data import verify

_README = re.compile(r"^Version (\d+\.\d+\.\d+)\b", re.MULTILINE)
_BIBTEX = re.compile(r"version\s*=\s*[{\"]+(\d+\.\d+\.\d+)[}\"]")
_ROW = re.compile(r"^\| ([^|]+?) \| (\d+) \| (\d+) \| [\d.]+ \|$", re.MULTILINE)
_SIZE = re.compile(r"(\d+) B")


@dataclass
class Documents:
    """What was read of them.

    Parameters
    ----------
    versions
        The version that each of them states, by file.
    name
        Of the data set; "" when no document says it.
    sha256, sizes
        Of some files, as ``croissant.json`` describes them.
    columns
        Names of columns by table, as ``croissant.json`` describes them.
    counts
        Recordings and videos by task, as the README says.
    rows
        Number of rows by table, as ``metadata/facts.json`` says.
    left_out
        Recordings that were not released, by reason, as ``metadata/facts.json`` says.
    faults
        Documents that cannot be read as what they are.
    """

    versions: dict[str, str] = field(default_factory=dict)
    name: str = ""
    sha256: dict[str, str] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    columns: dict[str, list[str]] = field(default_factory=dict)
    counts: dict[str, tuple[int, int]] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)
    left_out: dict[str, int] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)


def read(folder: Path) -> Documents:
    """Return what the documents of a release say; one that is missing says nothing."""
    documents = Documents()
    text = _text(folder / verify.README)
    if match := _README.search(text):
        documents.versions[verify.README] = match[1]
    documents.counts = {task: (int(recordings), int(videos)) for task, recordings, videos in _ROW.findall(text)}
    if match := _BIBTEX.search(_text(folder / verify.BIBTEX)):
        documents.versions[verify.BIBTEX] = match[1]
    described = json_of(folder, verify.DATACITE, documents.faults)
    described = described.get("data", {}).get("attributes", described) if isinstance(described.get("data", {}), dict) else described
    if isinstance(described.get("version"), str):
        documents.versions[verify.DATACITE] = described["version"]
    _croissant(json_of(folder, verify.CROISSANT, documents.faults), documents)
    facts = json_of(folder, verify.FACTS, documents.faults)
    documents.rows, documents.left_out = _numbers(facts.get("rows")), _numbers(facts.get("left_out"))
    return documents


def version(documents: Documents, trusted: Mapping[str, bool]) -> tuple[str, list[str]]:
    """Return the version that a copy has by most of its documents, and the documents that state another one.

    Parameters
    ----------
    documents
        What they say.
    trusted
        Of those whose bytes were read: whether they are the released ones.
    """
    votes = Counter(documents.versions.values())
    for name, stated in documents.versions.items():
        votes[stated] += 10 * trusted.get(name, False)
    if not votes:
        return "", []
    own = min(votes, key=lambda one: (-votes[one], one))
    return own, sorted(name for name, stated in documents.versions.items() if stated != own)


def of_another_version(documents: Documents, trusted: Mapping[str, bool]) -> Iterator[tuple[str, tuple[str, str, str]]]:
    """Yield each document that states another version than most, with rule, what and fix."""
    own, others = version(documents, trusted)
    for name in others:
        says = [one for one, stated in sorted(documents.versions.items()) if stated == own]
        what = f"it is of version {documents.versions[name]}, but this copy is {own} ({', '.join(says)}): versions are mixed"
        yield name, ("version", what, f"get this file of version {own}")


def json_of(folder: Path, name: str, faults: list[Fault]) -> dict[str, Any]:
    """Return a JSON file that holds an object; what cannot be read is empty, and a fault."""
    path = folder / name
    if not path.is_file():
        return {}
    try:
        value = strangers.read_json(path)
    except (OSError, ValueError):
        faults.append(error(name, "damaged", "it is no whole JSON", "get that file again"))
        return {}
    if isinstance(value, dict):
        return value
    faults.append(error(name, "damaged", "it is no JSON object", "get that file again"))
    return {}


def _croissant(described: Mapping[str, Any], documents: Documents) -> None:
    if isinstance(described.get("version"), str):
        documents.versions[verify.CROISSANT] = described["version"]
    documents.name = str(described.get("name", ""))
    for item in _dicts(described.get("distribution")):
        name, sha256, size = item.get("contentUrl"), item.get("sha256"), _SIZE.fullmatch(str(item.get("contentSize")))
        if isinstance(name, str) and isinstance(sha256, str) and "://" not in name:
            documents.sha256[name] = sha256
            if size:
                documents.sizes[name] = int(size[1])
    for records in _dicts(described.get("recordSet")):
        columns: dict[str, list[str]] = {}
        for one in _dicts(records.get("field")):
            source = one.get("source")
            if isinstance(source, dict) and isinstance(source.get("extract"), dict) and "column" in source["extract"]:
                of = source.get("fileObject")
                columns.setdefault(str(of.get("@id")) if isinstance(of, dict) else "", []).append(str(source["extract"]["column"]))
        for file, names in columns.items():
            if file.endswith(".parquet") and len(columns) == 1:
                documents.columns.setdefault(f"tables/{file}", names)


def _numbers(value: Any) -> dict[str, int]:
    return {str(key): number for key, number in value.items() if isinstance(number, int)} if isinstance(value, dict) else {}


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _text(path: Path) -> str:
    try:
        return strangers.read_bytes(path).decode("utf-8", errors="replace").replace("\r\n", "\n")
    except OSError:
        return ""
