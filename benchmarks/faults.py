"""Faults put into a small study on purpose: full and read-only disks, files that go away or change, flipped bytes, Ctrl-C, clocks.

    .venv/bin/python benchmarks/faults.py FOLDER                        # all of them, one to two hours on two cores; as root
    .venv/bin/python benchmarks/faults.py FOLDER --only full-disk flips

The folder gets a clone of what is committed, with 20 recordings of ``benchmarks/scale_study.py``, and one undisturbed run of it; a folder
that has them already is used as it is. Each trial works in a copy, so that nothing else is touched. A trial passes when

- the run with the fault ends with the right exit code and says what is wrong where, without a traceback,
- it sets no recording aside that is good,
- and the next run, after the fault is removed, ends with the outputs of the undisturbed run in ``dvc.lock``.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import process_cost
import scale_table
from kill_and_resume import living, stage_of

sys.path.insert(0, str(scale_table.ROOT / "pipelines/flows"))
from fault_bench import (
    CACHE,
    EARLY,
    FAILED,
    FULL,
    GROWN,
    INTERRUPTED,
    RAW,
    READ_ONLY,
    RELEASE,
    STORE,
    Bench,
    Trial,
    complaints,
    finish,
    last,
    mounted,
    prepare,
    remove,
    repro,
    set_aside,
    start,
    used_kb,
)

from server import prefect_server

FAULTS: dict[str, Callable[[Bench], Iterator[Trial]]] = {}


def fault(name: str) -> Callable[[Callable[[Bench], Iterator[Trial]]], Callable[[Bench], Iterator[Trial]]]:
    """Declare the trials of one fault."""

    def declare(trials: Callable[[Bench], Iterator[Trial]]) -> Callable[[Bench], Iterator[Trial]]:
        FAULTS[name] = trials
        return trials

    return declare


@fault("full-disk")
def full_disk(bench: Bench) -> Iterator[Trial]:
    """Put a place on a file system of its own that is too small; then it grows."""
    for stage, place, shares in (
        ("render", STORE, (0.0, 0.08, 0.2)),
        ("screen", STORE, (0.0, 0.15)),
        ("frames", STORE, (0.02,)),
        ("ingest", STORE, (0.0, 0.01)),
        ("render", RELEASE, (0.1, 0.5)),
        ("frames", RELEASE, (0.3, 0.5)),
        ("render", "data/tables", (0.0,)),
        ("screen", "data/interim", (0.0,)),
        ("release", RELEASE, (0.6, 0.9)),
    ):
        for share in shares:
            folder = bench.copy("full")
            saved = bench.copies / "saved"
            (folder / place).rename(saved)
            if place == STORE:
                needed, kept = used_kb(saved), []
            else:
                kept = [one for one in saved.iterdir() if place != RELEASE or stage == "release"]
                needed = used_kb(saved)
            size = f"size={max(16, int(needed * share))}k"
            if place == "data/interim" or place == "data/tables":
                size = f"size={needed}k"
            with mounted("-t", "tmpfs", "-o", size, "tmpfs", at=folder / place):
                for one in kept:
                    if stage != "release" or one.name in ("videos", "frames", "calibration", "splits", "groundtruth"):
                        subprocess.run(["cp", "-a", one, folder / place], check=False, capture_output=True)
                if place.startswith("data/") and place != RELEASE:
                    fill(folder / place)
                run = finish(bench.stage(folder, stage), folder)
                wrong = complaints(folder, run, FULL, 1) if run.code else []
                remove(folder / place / "filler")
                subprocess.run(["mount", "-o", f"remount,size={GROWN}", folder / place], check=True)
                for one in kept:
                    subprocess.run(["cp", "-an", one, folder / place], check=True)
                yield f"{place} at {share:.0%} in {stage}, which ended with {run.code}", wrong + bench.stage_afterwards(folder, stage)
            remove(saved)


def fill(folder: Path) -> None:
    """Take all room that a file system has left."""
    with contextlib.suppress(OSError), (folder / "filler").open("wb", buffering=0) as file:
        while True:
            file.write(b"\0" * 4096)


@fault("full-cache")
def full_cache(bench: Bench) -> Iterator[Trial]:
    """DVC's cache has no room."""
    for share in (0.02, 0.5):
        folder = bench.copy("full", warm=True)
        size = f"size={int(used_kb(bench.base / CACHE) * share)}k"
        with mounted("-t", "tmpfs", "-o", size, "tmpfs", at=folder / CACHE):
            wrong = complaints(folder, repro(folder, EARLY), FULL)
            subprocess.run(["mount", "-o", f"remount,size={GROWN}", folder / CACHE], check=True)
            yield f"{CACHE} at {share:.0%}", wrong + bench.afterwards(folder, EARLY)


@fault("full-temporary")
def full_temporary(bench: Bench) -> Iterator[Trial]:
    """Leave no room in the temporary folder: a stage that needs none of it is as good as any other."""
    for stage in ("render", "screen", "frames", "release"):
        folder, temporary = bench.copy("full"), bench.copies / "tmp"
        remove(folder / STORE)
        with mounted("-t", "tmpfs", "-o", "size=64k", "tmpfs", at=temporary):
            fill(temporary)
            run = finish(bench.stage(folder, stage, TMPDIR=str(temporary)), folder)
        wrong = [] if run.code == 0 else complaints(folder, run, FULL, 1)
        yield f"in {stage}, which ended with {run.code}", wrong + bench.stage_afterwards(folder, stage)


@fault("full-project")
def full_project(bench: Bench) -> Iterator[Trial]:
    """Put the whole project on one disk that is too small: what DVC and Prefect note of their own has no room either."""
    for share in (0.3, 0.6, 0.8, 0.9, 0.95):
        cold = bench.copy("whole", cold=True)
        folder = bench.copies / "full"
        remove(folder)
        with mounted("-t", "tmpfs", "-o", f"size={GROWN},nr_inodes=0", "tmpfs", at=folder):
            # What an undisturbed run takes here, and what is there before one.
            subprocess.run(["cp", "-a", f"{bench.base}/.", folder], check=True)
            after = shutil.disk_usage(folder).used
            for one in folder.iterdir():
                remove(one)
            subprocess.run(["cp", "-a", f"{cold}/.", folder], check=True)
            before = shutil.disk_usage(folder).used
            subprocess.run(["mount", "-o", f"remount,size={int(before + (after - before) * share)}", folder], check=True)
            run = repro(folder)
            wrong = complaints(folder, run, FULL)
            subprocess.run(["mount", "-o", f"remount,size={GROWN}", folder], check=True)
            room = f"{(after - before) / 1e6:.1f} MB are needed"
            yield f"at {share:.0%} ({room}), which ended with {run.code}", wrong + bench.afterwards(folder)


@contextlib.contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Let nobody write below a folder."""
    with mounted("--bind", folder, at=folder):
        subprocess.run(["mount", "-o", "remount,ro,bind", folder], check=True)
        yield


@fault("read-only")
def read_only_folders(bench: Bench) -> Iterator[Trial]:
    """Somebody mounted a folder so that nobody can write."""
    for stage, place, cold in (
        ("render", RAW, True),
        ("render", STORE, True),
        ("screen", STORE, False),
        ("ingest", "data", False),
        ("render", "data/interim", False),
        ("frames", RELEASE, False),
        ("release", RELEASE, False),
        ("splits", "data/tables", False),
    ):
        folder = bench.copy("ro")
        if cold:
            remove(folder / STORE)
            (folder / STORE).mkdir()
        with read_only(folder / place):
            run = finish(bench.stage(folder, stage), folder)
        wrong = complaints(folder, run, "" if place == RAW else READ_ONLY, int(place != RAW))
        yield f"{place} in {stage}", wrong + bench.stage_afterwards(folder, stage)


@fault("read-only-repro")
def read_only_repro(bench: Bench) -> Iterator[Trial]:
    """Do the same with DVC, which removes and writes there as well."""
    folder = bench.copy("ro")
    with read_only(folder / "data"):
        run = repro(folder)
    yield "data, with nothing to do", complaints(folder, run, "", 0) + bench.afterwards(folder)
    for place in ("data", CACHE):
        folder = bench.copy("ro", warm=True)
        (folder / place).mkdir(exist_ok=True)
        with read_only(folder / place):
            wrong = complaints(folder, repro(folder, EARLY), READ_ONLY)
        yield place, wrong + bench.afterwards(folder, EARLY)


def wait_for(folder: Path, stage: str, process: subprocess.Popen[str]) -> bool:
    """Wait until a stage runs; False when the run ends before."""
    while process.poll() is None:
        if stage_of(folder) == f"{stage}.py":
            return True
        time.sleep(0.02)
    return False


GONE = r"cannot be read|was ingested, and now|is another file|changed while it was read"


@fault("raw-away")
def raw_away(bench: Bench) -> Iterator[Trial]:
    """Raw files go away while a stage reads, by moving them or by unmounting, and come back when it has failed."""
    for stage in ("screen", "render", "ingest"):
        for how in ("moved", "unmounted", "one file, for a moment"):
            folder = bench.copy("away")
            remove(folder / STORE)
            videos, aside = folder / RAW / "videos", folder / "aside"
            with contextlib.ExitStack() as stack:
                if how == "unmounted":
                    videos.rename(aside)
                    stack.enter_context(mounted("--bind", aside, at=videos))
                process = bench.stage(folder, stage)
                wait_for_results(folder, bench.rng.randrange(1, 15), process)
                if how == "moved":
                    videos.rename(aside)
                elif how == "unmounted":
                    stack.close()
                else:
                    flicker(bench.rng.choice(sorted(videos.rglob("*.mkv"))), aside, process)
                run = finish(process, folder)
            if aside.is_dir():
                if videos.is_dir():
                    videos.rmdir()
                aside.rename(videos)
            # What is missing when ingest looks is set aside, because nobody can know that it comes back.
            wrong = [] if run.code == 0 else complaints(folder, run, GONE, 1)
            if stage != "ingest" and set_aside(folder):
                wrong.append("set aside")
            yield f"{how} in {stage}, which ended with {run.code}", wrong + bench.stage_afterwards(folder, stage)


def wait_for_results(folder: Path, count: int, process: subprocess.Popen[str]) -> None:
    """Wait until a stage has put some results into the empty store."""
    while process.poll() is None and len(list((folder / STORE).glob("[0-9a-f][0-9a-f]/*"))) < count:
        time.sleep(0.005)


def flicker(path: Path, aside: Path, process: subprocess.Popen[str]) -> None:
    """Move a file away and back for as long as a process runs."""
    while process.poll() is None:
        path.rename(aside)
        time.sleep(0.02)
        aside.rename(path)
        time.sleep(0.05)


@fault("raw-unreadable")
def raw_unreadable(bench: Bench) -> Iterator[Trial]:
    """Let a disk give read errors (EIO): the raw videos lie on an image whose end is cut off."""
    for stage in ("ingest", "screen", "render"):
        for results in (0, 5):
            folder = bench.copy("eio")
            remove(folder / STORE)
            videos, image = folder / RAW / "videos", bench.copies / "image.ext4"
            remove(image)
            subprocess.run(["truncate", "-s", "48M", image], check=True)
            subprocess.run(["mkfs.ext4", "-q", "-F", "-O", "^has_journal", "-d", videos, image], check=True)
            whole = image.read_bytes()
            shutil.rmtree(videos)
            with mounted("-o", "loop,ro", image, at=videos):
                films = sorted(videos.rglob("*.mkv"))
                process = bench.stage(folder, stage)
                wait_for_results(folder, results, process)
                os.truncate(image, 1 << 20)
                forget(films)
                run = finish(process, folder)
                with image.open("r+b") as file:
                    file.write(whole)
                forget(films)
                wrong = [] if run.code == 0 else complaints(folder, run, r"Input/output error|cannot be read", 1)
                if set_aside(folder):
                    wrong.append(f"set aside: {last(run)}")
                yield f"in {stage}, which ended with {run.code}", wrong + bench.stage_afterwards(folder, stage)


def forget(paths: list[Path]) -> None:
    """Let the kernel forget what it has read of files."""
    for path in paths:
        with contextlib.suppress(OSError), path.open("rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


@fault("raw-replaced")
def raw_replaced(bench: Bench) -> Iterator[Trial]:
    """After ingest another video of equal length lies at a path: nothing of it may be kept under the first one's name."""
    for stage in ("screen", "render"):
        for results, time_kept in ((0, False), (0, True), (6, False), (10, True)):
            folder = bench.copy("replaced")
            remove(folder / STORE)
            first, second = bench.rng.sample(sorted((folder / RAW / "videos").rglob("*.mkv")), 2)
            first, second = sorted((first, second), key=lambda path: -path.stat().st_size)
            data, status = first.read_bytes(), first.stat()
            other = filled(second.read_bytes(), len(data))
            process = bench.stage(folder, stage)
            wait_for_results(folder, results, process)
            first.write_bytes(other)
            if time_kept:
                os.utime(first, ns=(status.st_atime_ns, status.st_mtime_ns))
            run = finish(process, folder)
            # Who had read it to the end before it was replaced has read the right one.
            wrong = [] if run.code == 0 else complaints(folder, run, GONE, 1)
            again = finish(bench.stage(folder, stage), folder)
            wrong += complaints(folder, again, "is another file than the one that was ingested; run again", 1)
            first.write_bytes(data)
            yield (
                f"in {stage}, {'with its old time, ' if time_kept else ''}which ended with {run.code}",
                wrong + bench.stage_afterwards(folder, stage),
            )


def filled(data: bytes, length: int) -> bytes:
    """Return a Matroska file with an element of nothing (EC) at its end, so that it is longer."""
    gap = length - len(data)
    return data if gap == 0 else data + b"\xec" + (gap - 9 | 1 << 56).to_bytes(8, "big") + b"\0" * (gap - 9)


@fault("missing-at-ingest")
def missing_at_ingest(bench: Bench) -> Iterator[Trial]:
    """Let ingest miss a file: the recording is set aside, and the release refuses to shrink until it may."""
    for _ in range(2):
        folder, aside = bench.copy("missing"), bench.copies / "aside.mkv"
        # Without one of the first, some raters have too few to be normalised.
        video = bench.rng.choice(sorted((folder / RAW / "videos").rglob("*.mkv"), key=lambda path: path.name)[-4:])
        video.rename(aside)
        run = repro(folder)
        wrong = [] if run.code == FAILED else [f"exit code {run.code}"]
        if not re.search(rf"'{video.stem}' \([\w-]+\): .*the file is missing", run.text) or "release.may_shrink" not in run.text:
            wrong.append(f"does not name it: {last(run)}")
        params = folder / "params.yaml"
        text = params.read_text(encoding="utf-8")
        params.write_text(text.replace("may_shrink: false", "may_shrink: true"), encoding="utf-8")
        allowed = repro(folder)
        if allowed.code or f"are gone: '{video.stem}'" not in allowed.text or "Traceback" in run.text + allowed.text:
            wrong.append(f"may_shrink: {allowed.code}: {last(allowed)}")
        params.write_text(text, encoding="utf-8")
        aside.rename(video)
        yield video.stem, wrong + bench.afterwards(folder)


def command(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run one of the environment's programs in a project."""
    program = [f".venv/bin/{arguments[0]}", *arguments[1:]]
    if arguments[0] == "scrubin":
        program = [".venv/bin/python", "-m", "scrubin", *arguments[1:]]
    return subprocess.run(program, cwd=folder, env=process_cost.environment(folder), capture_output=True, text=True, check=False)


FLIPPED = {
    STORE: f"{STORE}/??/*/*.mkv",
    f"{STORE}, seen": f"{STORE}/??/*/*.json",
    CACHE: f"{CACHE}/files/md5/??/*",
    RELEASE: f"{RELEASE}/**/*.*",
}
"""Videos, which the release holds as well; manifests, of which there is no other copy; everything."""


@fault("flips")
def flips(bench: Bench) -> Iterator[Trial]:
    """One byte of a file becomes another, with a new time or with the old one; `scrubin verify` sees and restores it."""
    folder = bench.copy("flips")
    for place, pattern in FLIPPED.items():
        for time_kept in (False, True):
            for _ in range(2):
                path = bench.rng.choice(sorted(one for one in folder.glob(pattern) if one.is_file() and one.name != ".gitignore"))
                wrong = flipped(folder, path, bench.rng, time_kept=time_kept)
                yield f"{place}, {'old' if time_kept else 'new'} time: {path.suffix or 'object'}", wrong


def flipped(folder: Path, path: Path, rng: random.Random, *, time_kept: bool) -> list[str]:
    """Flip one bit, and return what `scrubin verify` did wrong."""
    data, status, name = path.read_bytes(), path.stat(), str(path.relative_to(folder))
    damaged = bytearray(data)
    damaged[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    path.chmod(0o644)
    path.write_bytes(damaged)
    path.chmod(status.st_mode)
    if time_kept:
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    seen, fixed = command(folder, "scrubin", "verify"), command(folder, "scrubin", "verify", "--fix")
    wrong = [] if seen.returncode == 1 else [f"verify: {seen.returncode}: {seen.stdout[-300:]}{seen.stderr[-300:]}"]
    if name not in seen.stdout and path.name not in seen.stdout and f"{path.parent.name}{path.name}" not in seen.stdout:
        wrong.append(f"not named: {seen.stdout[-300:]}")
    if fixed.returncode:
        wrong.append(f"--fix: {fixed.returncode}: {fixed.stdout[-500:]}{fixed.stderr[-500:]}")
    if not path.is_file():
        # Only a result of the store may go: nothing else holds it, and the next run makes it again.
        if STORE not in name or "no copy of it is sound" not in fixed.stdout:
            wrong.append(f"removed: {fixed.stdout[-400:]}")
    elif path.read_bytes() != data:
        wrong.append(f"not restored: {fixed.stdout[-400:]}")
    status_text = command(folder, "dvc", "status").stdout
    if "up to date" not in status_text:
        wrong.append(f"dvc status: {status_text[:300]}")
    return wrong


def changed_number(manifest: bytes) -> bytes:
    """Return a manifest in whose value one digit is another."""
    start = manifest.index(b'"value"')
    place = next((i for i in range(start, len(manifest)) if manifest[i : i + 1].isdigit()), None)
    if place is None:
        return manifest.replace(b'"value"', b'"valve"')
    return manifest[:place] + str((int(manifest[place : place + 1]) + 1) % 10).encode() + manifest[place + 1 :]


BAD_MANIFESTS: dict[str, Callable[[bytes], bytes]] = {
    "without keys": lambda _: b"{}",
    "a changed number": changed_number,
    "truncated": lambda data: data[: len(data) // 2],
    "empty": lambda _: b"",
    "a list": lambda _: b"[1, 2]",
    "null": lambda _: b"null",
    "files of another type": lambda data: json.dumps(json.loads(data) | {"files": 7}).encode(),
    "no text": lambda _: b"\xff\xfe\x00\x80",
}


@fault("store-manifests")
def store_manifests(bench: Bench) -> Iterator[Trial]:
    """Manifests of the store are damaged: each is a miss, and what it stood for is made again."""
    for name, damage in BAD_MANIFESTS.items():
        folder = bench.copy("manifests", warm=True)
        there = sorted((folder / STORE).glob("[0-9a-f][0-9a-f]/*/manifest.json"))
        for manifest in bench.rng.sample(there, len(there) // 4):
            data = damage(manifest.read_bytes())
            manifest.write_bytes(data)
        yield name, bench.afterwards(folder, EARLY)


@fault("ctrl-c")
def ctrl_c(bench: Bench) -> Iterator[Trial]:
    """Ctrl-C reaches every process of the group: the run ends with 130, says nothing strange and leaves nobody behind."""
    folder = bench.copy("interrupt", cold=True)
    for stage in ("", "ingest", "screen", "review", "render", "frames", "splits", "validate", "report", "release") * 2:
        process = start(folder)
        if stage and not wait_for(folder, stage, process):
            finish(process, folder)
            continue
        time.sleep(bench.rng.uniform(0.1, 3.0))
        at = stage_of(folder)
        if process.poll() is not None:
            continue
        os.killpg(process.pid, signal.SIGINT)
        run = finish(process, folder)
        wrong = complaints(folder, run, "", INTERRUPTED)
        time.sleep(1)
        if left := living(folder):
            wrong.append(f"still there: {sorted(left.values())}")
        yield f"at {at}, after {run.wall_s:.1f} s", wrong
    yield "the next run", bench.afterwards(folder)


@fault("second-run")
def second_run(bench: Bench) -> Iterator[Trial]:
    """Start another `make repro` while one runs: it is refused at once."""
    folder = bench.copy("second", warm=True)
    process = start(folder, "repro.py", EARLY)
    for moment in range(5):
        time.sleep(0.7 + moment)
        began = time.monotonic()
        second = command(folder, "python", "pipelines/flows/repro.py")
        took_s = time.monotonic() - began
        wrong = (
            []
            if second.returncode == 2 and "another run is going on" in second.stderr
            else [f"{second.returncode}: {second.stderr[-300:]}"]
        )
        yield f"refused after {took_s:.2f} s", wrong + ([] if took_s < 1 else ["too late"])
    finish(process, folder)
    yield "the first run", bench.afterwards(folder, EARLY)


CLOCK = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
static long shift(void) { const char *s = getenv("CLOCK_SHIFT_S"); return s ? atol(s) : 0; }
int clock_gettime(clockid_t id, struct timespec *t) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    int done = real(id, t);
    if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE) t->tv_sec += shift();
    return done;
}
int gettimeofday(struct timeval *restrict t, void *restrict zone) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    t->tv_sec = now.tv_sec, t->tv_usec = now.tv_nsec / 1000;
    return 0;
}
time_t time(time_t *at) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (at) *at = now.tv_sec;
    return now.tv_sec;
}
"""
YEAR_S = 31_557_600


@fault("clocks")
def clocks(bench: Bench) -> Iterator[Trial]:
    """Files are dated into the future and the past, and the clock of all processes is wrong by years."""
    for date in ("2041-05-06", "1975-01-02"):
        folder = bench.copy("dated")
        subprocess.run(f"find data .cache/store .dvc/cache -exec touch -h -d {date} {{}} +", shell=True, cwd=folder, check=True)
        yield f"all files dated {date}", bench.afterwards(folder)
    source, library = bench.copies / "clock.c", bench.copies / "clock.so"
    source.write_text(CLOCK, encoding="ascii")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    for years in (3, -20):
        folder = bench.copy("shifted", warm=True)
        run = repro(folder, LD_PRELOAD=str(library), CLOCK_SHIFT_S=str(years * YEAR_S))
        wrong = [] if run.code == 0 and not bench.differences(folder) else [f"{run.code}: {last(run)}"]
        yield f"a clock {years} years ahead, then the right one", wrong + bench.afterwards(folder)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="*", choices=sorted(FAULTS), default=list(FAULTS))
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    root = args.folder.resolve()
    base = prepare(root)
    counts: Counter[tuple[str, bool]] = Counter()
    with prefect_server() as server:
        os.environ.pop("PREFECT_API_URL")
        for name in args.only:
            copies = root / f"copies-{name}"
            copies.mkdir(exist_ok=True)
            for trial, wrong in FAULTS[name](Bench(base, copies, random.Random(f"{args.seed} {name}"), server)):
                counts[name, not wrong] += 1
                print(f"{name}: {trial}: {'; '.join(wrong) or 'passed'}", flush=True)
            shutil.rmtree(copies)
    print(f"\n{'fault':<20}{'trials':>8}{'passed':>8}")
    for name in args.only:
        print(f"{name:<20}{counts[name, True] + counts[name, False]:>8}{counts[name, True]:>8}")
    return 1 if any(not good for _, good in counts) else 0


if __name__ == "__main__":
    sys.exit(main())
