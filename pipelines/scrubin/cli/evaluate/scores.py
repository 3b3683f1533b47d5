"""`scrubin scores RATER_DIR --out DIR`."""

from __future__ import annotations

import argparse
import errno
import json
import sys
import tempfile
from collections.abc import Mapping
from itertools import chain
from pathlib import Path

from scrubin.base import faults, strangers
from scrubin.base import params as base_params
from scrubin.base.errors import RatingsError
from scrubin.cli.answers import print_lines
from scrubin.cli.arguments import section_or, written
from scrubin.ratings import LASANA, TOLERANCE, ScoresParams


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the folders and the parameters."""
    parser.add_argument(
        "rater_dir",
        help="folder of <Task>_rater<k>.csv (raw points), or a whole published folder Annotation with <Task>.csv, which is then checked "
        f"against its rater files: values that differ by more than {TOLERANCE:g} sd are listed; it is never changed",
    )
    parser.add_argument(
        "--out",
        type=written,
        required=True,
        metavar="DIR",
        help="folder to write into: the annotations in LASANA's format, statistics.json, <Task>_agreement.csv, harmonised.csv, "
        "contradictions.csv, differences.csv; made when it is not there; what an earlier run wrote there is replaced or removed",
    )
    parser.add_argument(
        "--params",
        metavar="FILE",
        help="params.yaml whose section 'scores' counts (default: the one of the working folder, else as in LASANA: "
        f"aspects {', '.join(LASANA.aspects)}, {LASANA.lowest:g} to {LASANA.highest:g} points, failed = {LASANA.failed_grs:g} sd, "
        f"at least {LASANA.min_ratings} ratings, percentile {LASANA.strong_percentile:g}, raters 0 and 2 as one where they shared "
        "the recordings)",
    )
    parser.add_argument("--json", action="store_true", help="print the statistics as JSON instead of lines")


def run(args: argparse.Namespace) -> int:
    """Score, compare and write; 0 only when every task was scored and nothing differs."""
    from scrubin.ratings.lasana import files, reports, revalidation
    from scrubin.ratings.lasana.recomputation import score_folder

    source, out = Path(args.rater_dir), Path(args.out)
    folder = files.read_folder(source)
    _refuse_source(source, out)
    p = base_params.load("scores", ScoresParams, Path(args.params)) if args.params else section_or("scores", LASANA)
    rescored = score_folder(folder, p)
    warnings = [fault.line() for task in rescored.tasks for fault in task.warnings]
    for line in (*warnings, *faults.summary(list(dict.fromkeys(chain.from_iterable(rescored.faults.values()))))):
        sys.stderr.write(f"scrubin scores: {line}\n")
    if not rescored.tasks:
        raise RatingsError(f"{source}: no task could be scored, nothing is written")
    findings = revalidation.findings(rescored.tasks)
    document = reports.statistics_of(rescored, findings, p)
    contents = reports.files_of(rescored, findings, document)
    _write(out, contents)
    if args.json:
        sys.stdout.write(contents[reports.STATISTICS].decode())
    else:
        print_lines(reports.lines(rescored, findings, document))
        sys.stdout.write(f"{out}: {len(contents)} files\n")
    return 1 if rescored.faults or reports.errors_of(findings) else 0


def _refuse_source(source: Path, out: Path) -> None:
    if out.exists() and not out.is_dir():
        raise RatingsError(f"{out}: it is a file; name a folder")
    if strangers.real(out) == strangers.real(source) or (out.exists() and out.samefile(source)):
        raise RatingsError(f"{out}: this is the folder of the rater files, which are never overwritten; name another folder")


def _write(out: Path, contents: Mapping[str, bytes]) -> None:
    """Write all files or none, and remove what an earlier run wrote and this one does not."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        stale = _written_before(out) - set(contents)
        for name in contents:
            if (out / name).is_dir():
                raise IsADirectoryError(errno.EISDIR, f"there is a folder named {name} in it")
        with tempfile.TemporaryDirectory(prefix=".part-", dir=out) as temporary:
            for name, content in contents.items():
                (Path(temporary) / name).write_bytes(content)
            for name in contents:
                (Path(temporary) / name).replace(out / name)
        for name in stale:
            (out / name).unlink(missing_ok=True)
    except OSError as error:
        raise RatingsError(f"{out}: cannot be written: {error.strerror}; correct that or name another folder") from error


def _written_before(out: Path) -> set[str]:
    """Return the names that an earlier run says it wrote; none when there is no such word."""
    from scrubin.ratings.lasana import reports

    try:
        names = json.loads((out / reports.STATISTICS).read_text(encoding="utf-8"))["files"]
    except (OSError, ValueError, KeyError, TypeError):
        return set()
    # Only plain CSV names of ours: whatever the file says, nothing else is removed.
    return {name for name in names if isinstance(name, str) and name.endswith(".csv") and Path(name).name == name}
