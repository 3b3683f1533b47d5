"""What every stage costs as a study grows, and what is done again after a small change.

    python benchmarks/scale_table.py FOLDER                     # stage by stage for 20 and 100 recordings
    python benchmarks/scale_table.py FOLDER --counts 100 400 1270
    python benchmarks/scale_table.py FOLDER --counts 100 --changes
    python benchmarks/scale_table.py FOLDER --counts 20 40 --films CLIPS   # a folder of 40 MKV files of real content

For each count the folder gets a clone of what is committed in this checkout, with its environment, and a study of
``benchmarks/scale_study.py`` in data/raw. With ``--changes``, the run is followed by changes one after the other, each with `make repro`:
nothing, one more recording, one changed redaction, one renamed file, one participant withdrawn. What is in the folder already is run again.
With ``--commands``, commands and pages are measured on each finished study (``benchmarks/scale_commands.py``).

- CPU seconds, memory and bytes read are those of ``benchmarks/process_cost.py``, of the stage and all that it started: DVC, the flow,
  its Prefect server, ffmpeg. Most that is read is Python's own modules. So per byte of video counts what a larger study reads beyond
  what the smallest of the run reads, divided by the bytes of raw video beyond those of the smallest. Tables count, too.
- "Per further recording" is what a stage takes beyond what it took for the count before, divided by the recordings beyond those. The
  exponent is that of a power law through these two counts, of what is beyond the fixed part: the CPU seconds of the smallest count, less
  its recordings at the first of these. About 1 is linear; it leans a little towards 1. The first step has none, because it says what is
  fixed, nor has a larger count that takes less than 5 s more than that.
- Copies are the bytes of files (distinct inodes) that equal a released video, divided by those of the released videos; videos within
  zips count as well. "All" is everything below data, reports, .dvc/cache and .cache/store but the raw study, divided by the same.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import math
import re
import shutil
import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import scale_commands
import yaml
from process_cost import MB, Cost, measure
from scale_study import Recording, participants_of, recordings, write_film, write_sheets, write_study

ROOT = Path(__file__).resolve().parents[1]
RAW = Path("data/raw")
DEMO_STAGE = "demo"
LEAST_S = 5.0
HELD = ("data", "reports", ".dvc/cache", ".cache/store")


def prepare(folder: Path, count: int, films: Sequence[Path] = ()) -> None:
    """Make a checkout with a study of its own, whose release nobody has to review."""
    subprocess.run(["git", "clone", "--local", "--quiet", ROOT, folder], check=True)
    (folder / ".venv").symlink_to((ROOT / ".venv").resolve())
    path = folder / "params.yaml"
    text = (
        path.read_text(encoding="utf-8")
        .replace("raw: data/demo", f"raw: {RAW}")
        .replace("name: scrub-in-demo", "name: scale-study")
        .replace("A synthetic surgical-video study", "A large study")
    )
    text = text.replace("cameras: [left, right]", "cameras: [mono]")
    text = re.sub(r"\n  review: required.*", "\n  review: {kind: none, reason: a drawn study to measure costs}", text)
    path.write_text(text, encoding="utf-8")
    (folder / "dvc.lock").unlink(missing_ok=True)
    write_study(folder / RAW, count, films)


def stages(folder: Path) -> list[str]:
    """Return the stages in the order in which they stand, which is that of work."""
    return list(yaml.safe_load((folder / "dvc.yaml").read_text(encoding="utf-8"))["stages"])


def run_stages(folder: Path) -> Iterator[tuple[str, Cost]]:
    """Run every stage by itself; stop at one that fails, with what it printed."""
    for stage in stages(folder):
        cost = measure(folder, str(folder / ".venv/bin/dvc"), "repro", "--single-item", stage)
        if cost.code:
            sys.exit(f"{folder}: stage {stage} ended with {cost.code}\n{cost.output}")
        yield stage, cost


def files(folder: Path) -> Iterator[Path]:
    """Yield the files below a folder, one per inode."""
    seen = set()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.stat().st_ino not in seen:
            seen.add(path.stat().st_ino)
            yield path


def sha256(path: Path) -> str:
    """Return the hash of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def disk(folder: Path) -> str:
    """Return how often the released videos lie on disk, and everything on disk in their size."""
    sizes = {sha256(path): path.stat().st_size for path in files(folder / "data/release/videos")}
    released, known = sum(sizes.values()), set(sizes.values())
    inodes: dict[int, tuple[str, Path]] = {}
    for name in HELD:
        for path in files(folder / name):
            if not path.is_relative_to(folder / RAW):
                inodes.setdefault(path.stat().st_ino, (name, path))
    bytes_of: Counter[str] = Counter()
    for name, path in inodes.values():
        size = path.stat().st_size
        if size in known and sha256(path) in sizes:
            bytes_of[name] += size
        elif path.suffix == ".zip" or zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                bytes_of[f"zips in {name}"] += sum(
                    one.compress_size for one in archive.infolist() if one.filename.endswith((".mkv", ".mp4"))
                )
    everything = sum(path.stat().st_size for _, path in inodes.values())
    parts = ", ".join(f"{name} {size / released:.2f}" for name, size in sorted(bytes_of.items()) if size)
    copies = sum(bytes_of.values()) / released
    return f"copies of released video bytes: {copies:.2f} ({parts}); all on disk but raw: {everything / released:.2f}"


def raw_bytes(folder: Path) -> int:
    """Return the size of the raw videos."""
    return sum(path.stat().st_size for path in (folder / RAW / "videos").rglob("*.mkv"))


def table(counts: list[int], measured: dict[int, dict[str, Cost]], video: dict[int, int]) -> None:
    """Print stage x count; bytes read per byte of video beyond the smallest count."""
    few = counts[0]
    print(f"\n{'':14}" + "".join(f"{f'{count} recordings':>38}" for count in counts))
    print(f"{'stage':14}" + f"{'CPU s':>9}{'MB all':>8}{'MB one':>8}{'read/byte':>13}" * len(counts))
    for stage in measured[few]:
        print(f"{stage:14}" + "".join(_cells(count, few, [stage], measured, video) for count in counts))
    for name, left_out in (("all", ()), ("without demo", (DEMO_STAGE,))):
        added = [stage for stage in measured[few] if stage not in left_out]
        print(f"{name:14}" + "".join(_cells(count, few, added, measured, video) for count in counts))


def _cells(count: int, few: int, added: list[str], measured: dict[int, dict[str, Cost]], video: dict[int, int]) -> str:
    """Return the cells of a count for stages added up: their CPU seconds, largest memory, and bytes read."""
    costs = [measured[count][stage] for stage in added]
    read = sum(cost.read for cost in costs)
    least = sum(measured[few][stage].read for stage in added)
    beyond = f"{(read - least) / (video[count] - video[few]):.1f}" if count > few else f"({read / MB:.0f} MB)"
    peak, largest = max(cost.peak for cost in costs) / MB, max(cost.largest for cost in costs) / MB
    return f"{sum(cost.cpu_s for cost in costs):>9.1f}{peak:>8.0f}{largest:>8.0f}{beyond:>13}"


def growth(counts: list[int], measured: dict[int, dict[str, Cost]]) -> None:
    """Print CPU seconds per further recording from each count to the next, and how the sum grows."""
    steps = list(itertools.pairwise(counts))
    print("\nCPU s per further recording, exponent" + "".join(f"{f'{few} to {many}':>20}" for few, many in steps))
    stages = list(measured[counts[0]])
    for name, added in [*((stage, [stage]) for stage in stages), ("without demo", [stage for stage in stages if stage != DEMO_STAGE])]:
        total = {count: sum(measured[count][stage].cpu_s for stage in added) for count in counts}
        slopes = [(total[many] - total[few]) / (many - few) for few, many in steps]
        fixed = max(total[counts[0]] - counts[0] * slopes[0], 0.0)
        cells = []
        for place, ((few, many), slope) in enumerate(zip(steps, slopes, strict=True)):
            less, more = total[few] - fixed, total[many] - fixed
            says = place > 0 and more > LEAST_S and less > 0
            exponent = f"{math.log(more / less) / math.log(many / few):.2f}" if says else "-"
            cells.append(f"{slope:>12.3f}{exponent:>8}")
        print(f"{name:14}{f'fixed {fixed:.1f} s':>23}" + "".join(cells), flush=True)


def one_more(folder: Path, every: list[Recording]) -> None:
    """Add a recording of somebody who is known."""
    added = Recording(len(every), participants_of(len(every)))
    write_film(folder / RAW / added.path, added)
    every.append(added)
    write_sheets(folder / RAW, every)


def changed_redaction(folder: Path, every: list[Recording]) -> None:
    """Let a hidden span end later."""
    path = folder / RAW / "redactions.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("1.000,1.500", "1.000,2.000", 1), encoding="utf-8")


def renamed_file(folder: Path, every: list[Recording]) -> None:
    """Give a file another name."""
    path, old = folder / RAW / "recordings.csv", every[5].path
    new = old.replace(".mkv", "-renamed.mkv")
    (folder / RAW / old).rename(folder / RAW / new)
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


def withdrawn_participant(folder: Path, every: list[Recording]) -> None:
    """Take everything of a participant away, and allow it; what changed before stays as it is."""
    params = folder / "params.yaml"
    params.write_text(params.read_text(encoding="utf-8").replace("may_shrink: false", "may_shrink: true"), encoding="utf-8")
    gone = [one for one in every if one.participant == every[-1].participant]
    for one in gone:
        # Also one that was renamed before.
        for path in (folder / RAW / "videos").rglob(f"{one.name}*"):
            path.unlink()
    names = {one.name for one in gone}
    for path in [*(folder / RAW).glob("*.csv"), *(folder / RAW / "ratings").glob("*.csv")]:
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        path.write_text("".join(line for line in lines if line.split(",")[0] not in names), encoding="utf-8")


def entries(folder: Path) -> set[str]:
    """Return the names of what is stored."""
    return {path.parent.name for path in (folder / ".cache/store").glob("*/*/manifest.json")}


def repro(folder: Path, name: str) -> None:
    """Run `make repro` and print what was done."""
    before = entries(folder)
    cost = measure(folder, ".venv/bin/python", "pipelines/flows/repro.py")
    ran = re.findall(r"Running stage '(\w+)'", cost.output)
    new = len(entries(folder) - before)
    status = f"; ended with {cost.code}: {cost.output.strip().splitlines()[-1]}" if cost.code else ""
    print(f"{name:24}{cost.cpu_s:>8.1f}{cost.wall_s:>8.1f}{cost.read / MB:>9.0f}{new:>8}  {' '.join(ran) or 'nothing'}{status}", flush=True)


def changes(folder: Path, count: int) -> None:
    """Print the table of small changes, each on top of the one before."""
    every = recordings(count)
    print(f"\n{count} recordings, `make repro`")
    print(f"{'change':24}{'CPU s':>8}{'wall s':>8}{'MB read':>9}{'stored':>8}  stages that ran")
    repro(folder, "after single stages")
    status = measure(folder, str(folder / ".venv/bin/dvc"), "status")
    said = status.output.strip().splitlines()[-1]
    print(f"{'(dvc status)':24}{status.cpu_s:>8.1f}{status.wall_s:>8.1f}{status.read / MB:>9.0f}{'':8}  {said}", flush=True)
    steps: dict[str, Callable[[Path, list[Recording]], None]] = {
        "no change": lambda folder, every: None,
        "one more recording": one_more,
        "one changed redaction": changed_redaction,
        "one renamed file": renamed_file,
        "withdrawn participant": withdrawn_participant,
    }
    for name, change in steps.items():
        change(folder, every)
        repro(folder, name)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--counts", type=int, nargs="+", default=[20, 100], metavar="N")
    parser.add_argument("--changes", action="store_true", help="also what small changes cost, with the largest count")
    parser.add_argument("--commands", action="store_true", help="also what commands and pages cost, with each count")
    parser.add_argument("--films", type=Path, help="a folder of MKV files that are the recordings, in the order of their names")
    args = parser.parse_args()
    counts = sorted(args.counts)
    films = sorted(args.films.glob("*.mkv")) if args.films else []
    measured: dict[int, dict[str, Cost]] = {}
    video: dict[int, int] = {}
    for count in counts:
        folder = args.folder.resolve() / str(count)
        shutil.rmtree(folder, ignore_errors=True)
        prepare(folder, count, films[:count])
        measured[count], video[count] = dict(run_stages(folder)), raw_bytes(folder)
        # It finds nothing to do, and what lies in the store and in DVC's cache goes from the store.
        measure(folder, ".venv/bin/python", "pipelines/flows/repro.py")
        print(f"{count} recordings, {video[count] / MB:.1f} MB of raw video; {disk(folder)}", flush=True)
        table(list(measured), measured, video)
        if args.commands:
            scale_commands.of(folder)
    if len(counts) > 1:
        growth(counts, measured)
    if args.changes:
        changes(folder, counts[-1])


if __name__ == "__main__":
    main()
