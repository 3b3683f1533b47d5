"""`scrubin remove`, `rename`, `withdraw`: what changes in every list of a raw study at once."""

from __future__ import annotations

import argparse
import datetime
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scrubin.audit.expected import withdrawal_memory
from scrubin.base import files, params
from scrubin.base.errors import ManifestError, ScrubinError
from scrubin.base.faults import count_text
from scrubin.cli.answers import print_lines
from scrubin.curate.engine.run import only_run
from scrubin.data.diff.difference import Step, is_below, next_version
from scrubin.stages.release.release_params import ReleaseParams
from scrubin.stages.render.render_params import RenderParams
from scrubin.stages.review import rewriting
from scrubin.stages.review import rewriting as in_ledger
from scrubin.stages.review.ledger import LEDGER_PATH, Ledger
from scrubin.stages.withdrawals import withdrawn_list
from scrubin.stages.withdrawals.withdrawn_list import WithdrawnRow

if TYPE_CHECKING:
    from scrubin.curate.lists import changes

NOT_YET = "nothing is changed yet; to do it, run it again with --yes"


def add_remove_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the recording."""
    parser.add_argument("recording", help="as recordings.csv calls it; of somebody who withdrew, see 'scrubin withdraw' instead")
    parser.add_argument("--yes", action="store_true", help="do it; otherwise it is only said what would be done")


def run_remove(args: argparse.Namespace) -> int:
    """Say what goes, and take it out of every list with ``--yes``."""
    from scrubin.curate.lists import changes, empty_study
    from scrubin.curate.lists.mentions import given_ids
    from scrubin.stages.annotations.params import AnnotationsParams
    from scrubin.stages.release import gates

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
    from scrubin.curate.lists import changes, empty_study
    from scrubin.curate.lists import changes as in_lists
    from scrubin.stages.annotations.params import AnnotationsParams

    raw = params.raw_folder()
    empty_study.refuse_demo(raw)
    with only_run():
        sources = params.load("annotations", AnnotationsParams).sources
        changes.refuse_unfinished((args.old, args.new))
        planned = in_lists.plan_renaming(
            raw, sources, args.old, args.new, withdrawal_memory.load(), goes_on=changes.unfinished_names() is not None
        )
        ledger = Ledger()
        lines = in_ledger.lines_about(ledger, args.old)
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
        with changes.noted_rename(args.old, args.new):
            _do(planned, ledger, args.old, args.new)
    done = [f"done: '{args.old}' is '{args.new}' in every list"]
    if params.load("render", RenderParams).duration_jitter_s:
        done.append("render.duration_jitter_s draws by name: another random length is trimmed off its end now")
    print_lines(done)
    return 0


def _do(planned: Sequence[changes.Change], ledger: Ledger, old: str, new: str) -> None:
    # The ledger first: it is whole or as it was, and the rest can be taken back.
    from scrubin.curate.lists import changes
    from scrubin.stages.release import gates

    if in_ledger.rename(ledger, old, new):
        # It repeats what people decided; the stage review writes it anew.
        gates.REVIEW_PATH.unlink(missing_ok=True)
    try:
        changes.apply(planned)
    except ScrubinError:
        in_ledger.rename(ledger, new, old)
        raise


def add_withdraw_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare who withdraws, and why."""
    who = parser.add_mutually_exclusive_group(required=True)
    who.add_argument("--participant", metavar="NAME", default="", help="with all recordings of theirs, as recordings.csv calls them")
    who.add_argument("--recording", metavar="NAME", default="", help="only this one; others of the same participant stay")
    parser.add_argument("--reason", choices=withdrawn_list.REASONS, help="code that the release publishes, without who and when")
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
    from scrubin.curate.lists import changes, empty_study

    raw = params.raw_folder()
    empty_study.refuse_demo(raw)
    with only_run():
        changes.refuse_unfinished()
        return _undo(args, raw) if args.undo else _withdraw(args, raw)


def _withdraw(args: argparse.Namespace, raw: Path) -> int:
    from scrubin.stages.release import assembly, gates
    from scrubin.stages.review import questions
    from scrubin.stages.withdrawals import notice, releases

    row = _row(args)
    withdrawn = notice.take(raw, more=(row,))
    path = raw / withdrawn_list.NAME
    # Before all else, so that nobody publishes what holds them.
    releases.withhold()
    # Then this: from this row alone the next run does all the rest.
    files.write_text(path, withdrawn_list.text_with(_text(path), row))
    withdrawal_memory.write(withdrawn)
    # Not earlier: what is remembered of their pictures is read there.
    assembly.remove_release()
    said = [f"{path}: {row.participant or row.recording} withdraws; nobody else's recordings, ids and subsets change"]
    said.append(f"{assembly.RELEASE}: it is removed, and 'dvc push' sends nothing until there is one without them")
    last = gates.last_release(params.load("release", ReleaseParams).name)
    released = last["version"] if releases.gone(last["recordings"], withdrawn) else ""
    if released:
        said.append(_raise_version(released))
    if rewriting.forget(Ledger(), withdrawn):
        # It repeats what people decided; the stage review writes it anew.
        gates.REVIEW_PATH.unlink(missing_ok=True)
        said.append(f"{LEDGER_PATH}: what people decided about them is taken out; its first line says how many lines that was")
    if questions.forget(withdrawn):
        said.append(f"{questions.QUESTIONS_PATH}: what the audit asked about them is taken out")
    said += ["next: make repro, then: .venv/bin/scrubin store --prune", "what the next run cannot remove:"]
    said += [f"  {place}" for place in releases.places_of_copies(Path(), raw, released)]
    print_lines(said)
    return 0


def _row(args: argparse.Namespace) -> WithdrawnRow:
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    date = args.date or today
    if not args.reason:
        msg = f"--reason is needed: one of {', '.join(withdrawn_list.REASONS)}"
        raise ManifestError(msg)
    if not withdrawn_list.is_date(date) or date > today:
        msg = f"--date {date}: write a day up to today as {today}; a withdrawal counts at once"
        raise ManifestError(msg)
    return WithdrawnRow(0, args.participant.strip(), args.recording.strip(), date, args.reason)


def _raise_version(released: str) -> str:
    """Raise ``release.version``, when it is too low for a release without somebody of the last one."""
    from scrubin.stages.withdrawals import releases

    now, lowest = params.load("release", ReleaseParams).version, next_version(released, Step.MAJOR)
    if not is_below(now, lowest):
        return f"{params.PARAMS_PATH}: release.version is {now} already; the last release was {released}"
    files.write_text(params.PARAMS_PATH, releases.with_raised_version(_text(params.PARAMS_PATH), lowest))
    return f"{params.PARAMS_PATH}: release.version is {lowest} now, it was {now}: without somebody of the last release it is a major step"


def _undo(args: argparse.Namespace, raw: Path) -> int:
    """Take back the rows that name somebody."""
    from scrubin.stages.withdrawals import notice

    path, name = raw / withdrawn_list.NAME, args.participant or args.recording
    rows = [row for row in withdrawn_list.read(path) if (row.participant, row.recording) == (args.participant, args.recording)]
    before = withdrawal_memory.load()
    theirs = [name] if args.recording else [of for of, one in withdrawn_list.listed(raw).items() if one.participant == name]
    left = before.without([args.participant] * bool(args.participant), theirs)
    if not rows and left == before:
        msg = f"'{name}' is in no row of {path}, and nobody of this name withdrew earlier"
        raise ManifestError(msg)
    files.write_text(path, withdrawn_list.text_without(_text(path), rows))
    # They go back to their subset, too.
    withdrawal_memory.write(notice.with_splits(left, before, Path()) if left else left)
    sys.stdout.write(
        f"{path}: {name} is back; what people decided about them has to be decided again, or {LEDGER_PATH} restored from a copy\n"
    )
    return 0


def _text(path: Path) -> str:
    """Return a text with the line ends that it has."""
    return path.read_bytes().decode("utf-8") if path.is_file() else ""
