"""`scrubin new-study`, `check-params`: the folders, lists, parameters that a study begins with."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from scrubin.base import params
from scrubin.base.params import PARAMS_PATH
from scrubin.cli.answers import print_json, print_lines

if TYPE_CHECKING:
    from scrubin.curate.draft.recorded_file import RecordedFile


RELEASE = Path("data/release")


def add_new_study_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the folder, where its recordings come from, and the form of the answer."""
    parser.add_argument("folder", help="where, such as data/raw; what exists there is left alone")
    parser.add_argument(
        "--from",
        dest="recordings",
        metavar="FOLDER",
        help="draft recordings.csv from the recordings below this folder: heads of files are read, nothing there is moved or changed, "
        "and videos/ links to them; all guesses stand in a column that a person has to remove",
    )
    parser.add_argument("--json", action="store_true", help="with --from: print JSON instead of lines")


def run_new_study(args: argparse.Namespace) -> int:
    """Make what is missing and list it; with recordings, draft their list and say what is known of them."""
    from scrubin.curate.lists import empty_study

    folder = Path(args.folder)
    if args.recordings is not None and not Path(args.recordings).is_dir():
        sys.stderr.write(f"scrubin new-study: {args.recordings}: there is no such folder; name the one with the recordings\n")
        return 1
    if args.recordings is not None:
        from scrubin.curate.draft import drafted_study  # noqa: F401  what is missing is said before anything is written
    paths = empty_study.create(folder)
    if args.recordings is None:
        sys.stdout.write("".join(f"{path}\n" for path in paths) or f"{args.folder}: nothing was missing\n")
        return 0
    return _draft(folder, args)


def _draft(folder: Path, args: argparse.Namespace) -> int:
    # An empty study is made without the video tools.
    from scrubin.cli.arguments import section_or
    from scrubin.cli.render import DEFAULT
    from scrubin.curate.draft.drafted_study import document, drafted, lines
    from scrubin.stages.ingest.manifest import NO_CLOCK, ClockParams, IngestParams

    tasks = section_or("ingest", IngestParams({}, ClockParams("", NO_CLOCK), 0.0)).tasks
    params = section_or("render", DEFAULT)
    result = drafted(folder, Path(args.recordings), tasks, params, _shown)
    room, is_enough = _room(result.forecast.new_bytes)
    if args.json:
        known = {**document(result, params), "room": {"enough": is_enough, "says": room}}
        print_json(known)
    else:
        print_lines(lines(result, args.folder.rstrip("/"), room))
    return 0 if result.draft.rows or result.known else 1


def _room(new_bytes: int) -> tuple[str, bool]:
    """Return in a sentence what a project here would need and has, and whether that is enough; "" outside of a project."""
    from scrubin.base.errors import StageError
    from scrubin.stages.release.release_params import ReleaseParams
    from scrubin.stages.render import effort

    if not params.PARAMS_PATH.is_file():
        return "", True
    archives = params.load("release", ReleaseParams).archives
    try:
        return effort.require(new_bytes, RELEASE, archives=archives), True
    except StageError as error:
        return str(error), False


def _shown(files: Iterable[RecordedFile], total: int) -> Iterable[RecordedFile]:
    """Show on a terminal how many files were looked at."""
    if not sys.stderr.isatty():
        return files
    from tqdm import tqdm

    return tqdm(files, desc="look", unit="file", total=total)


def add_check_params_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the file."""
    parser.add_argument("path", nargs="?", default=str(PARAMS_PATH), help="the file (default: %(default)s)")


def run_check_params(args: argparse.Namespace) -> int:
    """Check every section."""
    from scrubin.curate.preflight import settings

    checked = settings.check_all(Path(args.path))
    sys.stdout.write(f"{args.path}: {len(checked)} sections, all as declared\n")
    return 0
