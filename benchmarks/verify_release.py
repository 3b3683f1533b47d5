"""`scrubin verify` beside `sha256sum --check` on many small files, and on damaged copies: each is found, and its fault named.

    .venv/bin/python benchmarks/verify_release.py [--files 100000] [--rounds 3]

A release of so many frames of 3 to 20 kB is verified in turn by `sha256sum --check --quiet`, `scrubin verify` and
`scrubin verify --quick`. Every damage of ``tests/helpers/downloaded_release.py`` is done to a copy of a small release; it counts as found
when one finding holds its file and what happened, and as exact when there is no second finding.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import timing

from scrubin.base import file_lists
from scrubin.base.files import write_text
from scrubin.data.verify.verification import verify
from scrubin.stages.release import added_files

sys.path.insert(0, str(Path(__file__).parents[1] / "tests/helpers"))
import downloaded_release

PER_VIDEO = 500


def many_frames(folder: Path, number: int) -> None:
    """Write a release of so many frames and nothing else but its table and lists."""
    rng = np.random.default_rng(0)
    pool = rng.bytes(1 << 20)
    rows: list[dict[str, object]] = []
    for count in range(number):
        id_, frame = f"id{count // PER_VIDEO:05d}", count % PER_VIDEO
        name = f"frames/Peg/mono/{id_}/{frame:06d}.jpg"
        start, size = int(rng.integers(1 << 19)), int(rng.integers(3000, 20_000))
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"\xff\xd8\xff" + pool[start : start + size] + b"\xff\xd9")
        row = {"id": id_, "camera": "mono", "frame": frame, "path": name, "redacted": False, "dropped": False, "dropped_why": None}
        rows.append(row)
    (folder / "tables").mkdir()
    pq.write_table(pa.Table.from_pylist(rows), folder / "tables/frames.parquet")
    sha256 = added_files.hashes(folder)
    write_text(folder / file_lists.FILE_LIST, file_lists.file_list_text(sha256, added_files.sizes_of_files(folder, sha256)))
    write_text(folder / file_lists.CHECKSUMS, file_lists.checksums_text(added_files.hashes(folder)))


def times(folder: Path, state: Path, rounds: int) -> None:
    scrubin = [sys.executable, "-m", "scrubin", "verify", str(folder), "--state", str(state)]
    commands = {
        "sha256sum --check --quiet": ["sh", "-c", f"cd {folder} && exec sha256sum --check --quiet {file_lists.CHECKSUMS}"],
        "scrubin verify": scrubin,
        "scrubin verify --quick": [*scrubin, "--quick"],
    }
    for name, timed in timing.alternating(commands, rounds).items():
        print(f"{name:<28}{timed.middle_s:8.2f} s  (fastest {min(timed.seconds):.2f}){timed.peak_mb:8.0f} MB")


def damages(folder: Path) -> bool:
    release = downloaded_release.build(folder / "release")
    older = downloaded_release.build(folder / "older", params=downloaded_release.older(), seed=1)
    found = exact = quick_found = quick_possible = 0
    for name, damage in downloaded_release.DAMAGES.items():
        copy = downloaded_release.copy_of(release, folder / "copy")
        damage.does(downloaded_release.Copy(copy, older))
        said, quickly = ([fault.line() for fault in verify(copy, quick=quick).errors] for quick in (False, True))
        hit = any(all(text in line for text in damage.named) for line in said)
        found, exact = found + hit, exact + (hit and len(said) == 1)
        quick_possible, quick_found = quick_possible + damage.quick, quick_found + (damage.quick and bool(quickly))
        if not hit:
            print(f"NOT FOUND {name}: {said}")
        shutil.rmtree(copy)
    number = len(downloaded_release.DAMAGES)
    print(f"damaged copies: {found} of {number} found and named, {exact} with one finding")
    print(f"with --quick: {quick_found} of {quick_possible} that it can see")
    return found == number


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        sound = damages(Path(name))
        release = Path(name) / "many"
        many_frames(release, args.files)
        times(release, Path(name) / "state.jsonl", args.rounds)
    sys.exit(0 if sound else 1)


if __name__ == "__main__":
    main()
