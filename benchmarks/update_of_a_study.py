"""Count what is made again when the synthetic study is updated from one commit to another, and hold it to its bytes.

    .venv/bin/python benchmarks/update_of_a_study.py --folder FOLDER --before e84d36d [--after HEAD] [--made]
    .venv/bin/python benchmarks/update_of_a_study.py --entries 1270

The folder gets a clone of this checkout; ``--made`` says that it has one already, in which the study was made. Both runs use
the packages of this environment. What a stage used that the store had before is adopted from an edition that came to the
same (see `scrubin.base.store.store`); a result with a newer manifest was made again. The outputs are held to those
that the commit itself names in ``dvc.lock``. ``--entries`` measures what adopting costs in a store of so many results.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import yaml

from scrubin.base.store import store, uses
from scrubin.base.store.code_of import EARLIER_CODES, LIBRARY

ROOT = Path(__file__).resolve().parents[1]
PIPELINES = Path("pipelines")
SPARSE_BYTES = 4 << 20


def git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True).stdout


def switch(folder: Path, ref: str) -> None:
    """Check out a commit as somebody does who has a study of their own: its dvc.lock stays."""
    lock = folder / "dvc.lock"
    kept = lock.read_bytes() if lock.is_file() else None
    git(folder, "fetch", "--quiet", str(ROOT), git(ROOT, "rev-parse", ref).strip())
    git(folder, "checkout", "--quiet", "--force", "FETCH_HEAD")
    if kept is not None:
        lock.write_bytes(kept)


def run(folder: Path) -> float:
    """Run the pipeline and return how long it took."""
    began = time.monotonic()
    env = {**os.environ, "PYTHONPATH": str(folder / PIPELINES)}
    command = [".venv/bin/python", PIPELINES / "flows/repro.py"]
    with (folder / ".cache/update.log").open("w") as log:
        subprocess.run(command, cwd=folder, env=env, check=True, stdout=log, stderr=log)
    return time.monotonic() - began


def used(folder: Path, since_ns: int) -> Iterator[tuple[str, str, bool]]:
    """Yield stage, kind and whether it was made again, of each result that the last run of a stage used."""
    root = folder / store.STORE_PATH
    for stage in sorted(path.name for path in (root / uses.FOLDER).glob("*")):
        lines = {line for notes in (root / uses.FOLDER / stage).glob("*/*") for line in notes.read_text().splitlines()}
        for key in sorted(line for line in lines if not line.startswith(uses.COPY)):
            entry = store.lookup(key, root)
            if entry is not None:
                yield stage, kind(entry), (entry.folder / store.MANIFEST).stat().st_mtime_ns >= since_ns


def kind(entry: store.Entry) -> str:
    if "video.mkv" in entry.files:
        return "videos"
    if isinstance(entry.value, str):
        return "hashes of files"
    if isinstance(entry.value, dict):
        return {"value": "screen notes", "pts": "probes", "groups": "structures"}.get(
            next((name for name in ("value", "pts", "groups") if name in entry.value), ""), "others"
        )
    return "frames of videos" if entry.value else "others"


def differing(folder: Path) -> list[str]:
    """Return the outputs whose hash is another than the commit's own dvc.lock says."""
    theirs = yaml.safe_load(git(folder, "show", "HEAD:dvc.lock"))["stages"]
    ours = yaml.safe_load((folder / "dvc.lock").read_text(encoding="utf-8"))["stages"]
    hashes = [{out["path"]: out["md5"] for stage in one.values() for out in stage.get("outs", [])} for one in (theirs, ours)]
    return sorted(path for path in hashes[0] if hashes[0][path] != hashes[1].get(path))


def update(folder: Path, before: str, after: str, *, made: bool) -> None:
    if not made:
        git(ROOT, "clone", "--quiet", str(ROOT), str(folder))
        (folder / ".venv").symlink_to(sys.prefix)
        (folder / ".cache").mkdir()
        switch(folder, before)
        (folder / "dvc.lock").unlink()
        print(f"{before}: made in {run(folder):.0f} s")
    switch(folder, after)
    since_ns = time.time_ns()
    print(f"{before} -> {after}: made in {run(folder):.0f} s")
    counted = Counter(used(folder, since_ns))
    print(f"{'stage':<14}{'kind':<18}{'adopted':>9}{'made again':>12}")
    for stage, of in sorted({(stage, of) for stage, of, _ in counted}):
        print(f"{stage:<14}{of:<18}{counted[stage, of, False]:>9}{counted[stage, of, True]:>12}")
    changed = differing(folder)
    print("outputs that differ from dvc.lock of the commit:", ", ".join(changed) or "none")


def adopt(count: int) -> None:
    """Measure adoption in a store of so many results, which hold nothing."""
    name, known = next((name, kind) for name, kind in store.read(LIBRARY / EARLIER_CODES).items() if kind.accepted and name == "render")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        keys = [store.key_of(name, known.code, {"number": number}) for number in range(count)]
        for key in keys:
            store.make(key.earlier[0], _sparse, root)
        for what in ("adopted", "found again"):
            began = time.monotonic()
            found = sum(store.lookup(key, root) is not None for key in keys)
            print(f"{found} of {count} results {what} in {time.monotonic() - began:.2f} s")
        files = [path for path in root.rglob("*") if path.is_file()]
        print(f"{len(files)} names, {len({path.stat().st_ino for path in files})} files")


def _sparse(folder: Path) -> None:
    with (folder / "video.mkv").open("wb") as file:
        file.truncate(SPARSE_BYTES)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--before", default="e84d36d")
    parser.add_argument("--after", default="HEAD")
    parser.add_argument("--made", action="store_true")
    parser.add_argument("--entries", type=int, default=0)
    chosen = parser.parse_args()
    if chosen.entries:
        adopt(chosen.entries)
    if chosen.folder:
        update(chosen.folder.resolve(), chosen.before, chosen.after, made=chosen.made)


if __name__ == "__main__":
    main()
