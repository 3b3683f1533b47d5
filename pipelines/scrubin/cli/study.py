"""`scrubin new-study`, `remove`, `rename`, `withdraw`: the lists of a raw study."""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

from scrubin.base import params
from scrubin.base.faults import count_text
from scrubin.base.layout import RELEASE
from scrubin.cli.answers import print_json, print_lines, shown
from scrubin.cli.arguments import asked, section_or, written
from scrubin.stages import withdrawals


def add_new_study_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the folder, where its recordings come from, and the form of the answer."""
    parser.add_argument("folder", type=written, help="where, such as data/raw; what exists there is left alone")
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
    paths = empty_study.create(folder)
    if args.recordings is None:
        sys.stdout.write("".join(f"{path}\n" for path in paths) or f"{args.folder}: nothing was missing\n")
        return 0
    return _draft(folder, args)


def _draft(folder: Path, args: argparse.Namespace) -> int:
    # An empty study is made without the video tools.
    from scrubin.curate.by_hand.one_render import DEFAULT
    from scrubin.curate.draft.drafted_study import document, drafted, lines
    from scrubin.stages.ingest.manifest import IngestParams

    ingest = params.load("ingest", IngestParams) if params.PARAMS_PATH.is_file() else None
    tasks, tolerance_s = (ingest.tasks, ingest.stereo_tolerance_s) if ingest else ({}, math.inf)
    rendered = section_or("render", DEFAULT)
    result = drafted(
        folder,
        Path(args.recordings),
        tasks,
        rendered,
        lambda files, total: shown(files, "look", "file", total),
        stereo_tolerance_s=tolerance_s,
    )
    room, is_enough = _room(result.forecast.new_bytes)
    if args.json:
        known = {**document(result, rendered), "room": {"enough": is_enough, "says": room}}
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


NOT_YET = "nothing is changed yet; to do it, run it again with --yes"


def add_remove_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the recording."""
    parser.add_argument("recording", help="as recordings.csv calls it; of somebody who withdrew, see 'scrubin withdraw' instead")
    parser.add_argument("--yes", action="store_true", help="do it; otherwise it is only said what would be done")


def run_remove(args: argparse.Namespace) -> int:
    """Say what goes, and take it out of every list with ``--yes``."""
    from scrubin.curate.engine.run import only_run
    from scrubin.curate.lists import changes, empty_study
    from scrubin.curate.lists.mentions import given_ids
    from scrubin.stages.annotations.params import AnnotationsParams
    from scrubin.stages.release import gates
    from scrubin.stages.release.release_params import ReleaseParams

    raw = params.raw_folder()
    empty_study.refuse_demo(raw)
    with only_run():
        changes.refuse_unfinished()
        last = gates.last_release(params.load("release", ReleaseParams).name)["recordings"]
        id_ = given_ids().get(args.recording)
        planned = changes.plan_removal(raw, params.load("annotations", AnnotationsParams).sources, args.recording, id_)
        sys.stdout.write("".join(f"{line}\n" for one in planned for line in one.lines()))
        if args.yes:
            changes.apply(planned)
    said = [f"done: '{args.recording}' is in no list any more; what people decided about it stays in the ledger, and counts nothing"]
    if args.recording in last:
        said.append("the last release held it: set release.may_shrink to true in params.yaml, or the next one is refused")
    print_lines(said if args.yes else [NOT_YET])
    return 0


def add_rename_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare both names."""
    parser.add_argument("old", help="name of a recording, as recordings.csv has it")
    parser.add_argument("new", help="its name from now on")
    parser.add_argument("--yes", action="store_true", help="do it; otherwise it is only said what would be done")


def run_rename(args: argparse.Namespace) -> int:
    """Say where the name stands, and change it there with ``--yes``."""
    from scrubin.audit.expected import withdrawal_memory
    from scrubin.curate.engine.run import only_run
    from scrubin.curate.lists import changes, empty_study
    from scrubin.stages.annotations.params import AnnotationsParams
    from scrubin.stages.render import RenderParams
    from scrubin.stages.review import LEDGER_PATH, Ledger, rewriting

    raw = params.raw_folder()
    empty_study.refuse_demo(raw)
    with only_run():
        sources = params.load("annotations", AnnotationsParams).sources
        changes.refuse_unfinished((args.old, args.new))
        planned = changes.plan_renaming(
            raw, sources, args.old, args.new, withdrawal_memory.load(), goes_on=changes.unfinished_names() is not None
        )
        ledger = Ledger()
        lines = rewriting.lines_about(ledger, args.old)
        said = [line for one in planned for line in one.lines()]
        said += (
            [f"{LEDGER_PATH}: '{args.new}' in {count_text(lines, 'line')}, in a new chain; nothing that was decided changes"]
            if lines
            else []
        )
        print_lines(said)
        if not args.yes:
            sys.stdout.write(f"{NOT_YET}\n")
            return 0
        changes.rename(planned, ledger, args.old, args.new)
    done = [f"done: '{args.old}' is '{args.new}' in every list"]
    if params.load("render", RenderParams).duration_jitter_s:
        done.append("render.duration_jitter_s draws by name: another random length is trimmed off its end now")
    print_lines(done)
    return 0


def add_withdraw_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare who withdraws, and why."""
    who = parser.add_mutually_exclusive_group(required=True)
    who.add_argument("--participant", metavar="NAME", default="", help="with all recordings of theirs, as recordings.csv calls them")
    who.add_argument("--recording", metavar="NAME", default="", help="only this one; others of the same participant stay")
    parser.add_argument("--reason", choices=withdrawals.REASONS, help="code that the release publishes, without who and when")
    parser.add_argument(
        "--date", metavar="YYYY-MM-DD", help="for your own list (default: today); it counts from the next run on in any case"
    )
    parser.add_argument(
        "--undo", action="store_true", help="they never withdrew: take the row back; what people decided has to be decided again"
    )


def run_withdraw(args: argparse.Namespace) -> int:
    """Write the row, raise the version, clean the ledger; say what is left to do.

    Raises
    ------
    ManifestError
        When nobody has this name, or the study is the synthetic one.
    """
    from scrubin.curate.engine.run import only_run
    from scrubin.curate.lists import changes, empty_study, withdrawal

    raw = params.raw_folder()
    empty_study.refuse_demo(raw)
    with only_run():
        changes.refuse_unfinished()
        if args.undo:
            print_lines([withdrawal.take_back(raw, args.participant, args.recording)])
        else:
            with asked():
                row = withdrawal.row_of(args.participant, args.recording, args.reason, args.date)
            print_lines(withdrawal.withdraw(raw, row))
    return 0
