"""`scrubin withdraw`: somebody leaves the study, and the next run removes every trace of them."""

from __future__ import annotations

import argparse
import datetime
import sys
from pathlib import Path

from scrubin import study
from scrubin.core import files, params
from scrubin.core.errors import ManifestError
from scrubin.engine.only_run import only_run
from scrubin.listing import unfinished
from scrubin.release import assembly, review_gate, shrinking
from scrubin.release.params import ReleaseParams
from scrubin.review import forgetting, questions
from scrubin.review.ledger import LEDGER_PATH, Ledger
from scrubin.versions.difference import Step
from scrubin.versions.rule import is_below, next_version
from scrubin.withdrawal import copies, kept, memory, naming, notice, sheet, tombstones, version, withholding
from scrubin.withdrawal.sheet import Row


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare who withdraws, and why."""
    who = parser.add_mutually_exclusive_group(required=True)
    who.add_argument("--participant", metavar="NAME", default="", help="with all recordings of theirs, as recordings.csv calls them")
    who.add_argument("--recording", metavar="NAME", default="", help="only this one; others of the same participant stay")
    parser.add_argument("--reason", choices=sheet.REASONS, help="code that the release publishes, without who and when")
    parser.add_argument(
        "--date", metavar="YYYY-MM-DD", help="for your own list (default: today); it counts from the next run on in any case"
    )
    parser.add_argument(
        "--undo", action="store_true", help="they never withdrew: take the row back; what people decided has to be decided again"
    )


def run(args: argparse.Namespace) -> int:
    """Write the row, raise the version, clean the ledger; say what is left to do.

    Raises
    ------
    ManifestError
        When nobody has this name, or the study is the synthetic one.
    """
    raw = params.raw_folder()
    study.refuse_demo(raw)
    with only_run():
        unfinished.refuse()
        return _undo(args, raw) if args.undo else _withdraw(args, raw)


def _withdraw(args: argparse.Namespace, raw: Path) -> int:
    row = _row(args)
    withdrawn = notice.take(raw, more=(row,))
    path = raw / sheet.NAME
    # Before all else, so that nobody publishes what holds them.
    withholding.withhold()
    # Then this: from this row alone the next run does all the rest.
    files.write_text(path, sheet.text_with(_text(path), row))
    memory.write(withdrawn)
    # Not earlier: what is remembered of their pictures is read there.
    assembly.remove_release()
    said = [f"{path}: {row.participant or row.recording} withdraws; nobody else's recordings, ids and subsets change"]
    said.append(f"{assembly.RELEASE}: it is removed, and 'dvc push' sends nothing until there is one without them")
    last = shrinking.before(params.load("release", ReleaseParams).name)
    released = last["version"] if tombstones.gone(last["recordings"], withdrawn) else ""
    if released:
        said.append(_raise_version(released))
    if forgetting.clean(Ledger(), withdrawn):
        # It repeats what people decided; the stage review writes it anew.
        review_gate.REVIEW_PATH.unlink(missing_ok=True)
        said.append(f"{LEDGER_PATH}: what people decided about them is taken out; its first line says how many lines that was")
    if questions.forget(withdrawn):
        said.append(f"{questions.QUESTIONS_PATH}: what the audit asked about them is taken out")
    said += ["next: make repro, then: .venv/bin/scrubin store --prune", "what the next run cannot remove:"]
    said += [f"  {place}" for place in copies.places(Path(), raw, released)]
    sys.stdout.write("".join(f"{line}\n" for line in said))
    return 0


def _row(args: argparse.Namespace) -> Row:
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    date = args.date or today
    if not args.reason:
        msg = f"--reason is needed: one of {', '.join(sheet.REASONS)}"
        raise ManifestError(msg)
    if not sheet.is_date(date) or date > today:
        msg = f"--date {date}: write a day up to today as {today}; a withdrawal counts at once"
        raise ManifestError(msg)
    return Row(0, args.participant.strip(), args.recording.strip(), date, args.reason)


def _raise_version(released: str) -> str:
    """Raise ``release.version``, when it is too low for a release without somebody of the last one."""
    now, lowest = params.load("release", ReleaseParams).version, next_version(released, Step.MAJOR)
    if not is_below(now, lowest):
        return f"{params.PARAMS_PATH}: release.version is {now} already; the last release was {released}"
    files.write_text(params.PARAMS_PATH, version.raised(_text(params.PARAMS_PATH), lowest))
    return f"{params.PARAMS_PATH}: release.version is {lowest} now, it was {now}: without somebody of the last release it is a major step"


def _undo(args: argparse.Namespace, raw: Path) -> int:
    """Take back the rows that name somebody."""
    path, name = raw / sheet.NAME, args.participant or args.recording
    rows = [row for row in sheet.read(path) if (row.participant, row.recording) == (args.participant, args.recording)]
    before = memory.load()
    theirs = [name] if args.recording else [of for of, one in naming.listed(raw).items() if one.participant == name]
    left = before.without([args.participant] * bool(args.participant), theirs)
    if not rows and left == before:
        msg = f"'{name}' is in no row of {path}, and nobody of this name withdrew earlier"
        raise ManifestError(msg)
    files.write_text(path, sheet.text_without(_text(path), rows))
    # They go back to their subset, too.
    memory.write(kept.with_splits(left, before, Path()) if left else left)
    sys.stdout.write(
        f"{path}: {name} is back; what people decided about them has to be decided again, or {LEDGER_PATH} restored from a copy\n"
    )
    return 0


def _text(path: Path) -> str:
    """Return a text with the line ends that it has."""
    return path.read_bytes().decode("utf-8") if path.is_file() else ""
