"""`scrubin submission check`, `training`: everything that is wrong with what a participant hands in."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from scrubin.base import strangers
from scrubin.base.errors import MetricsError, SplitError
from scrubin.base.faults import SEVERITIES, count_text, error
from scrubin.cli.answers import print_json, print_lines
from scrubin.cli.evaluate import causality
from scrubin.evaluate import choices, selection
from scrubin.labels.policy import stopping
from scrubin.labels.tasks import TASKS

if TYPE_CHECKING:
    from scrubin.evaluate.submission import CheckedSubmission
    from scrubin.evaluate.submission_truth import GroundTruth


LAYOUT = """a submission is a folder with, per video of the ground truth,
  <video>.json  {"<frame>": {"recognition": [one probability per triplet], "detection":
                [{"triplet": id, "instrument": [id, probability, x, y, w, h]}]}}, frames and ids from 0,
                boxes as top-left corner and size in 0..1 (the layout of CholecTriplet2022)
  <video>.csv   for phases: frame,phase_id (or frame,phase with the phase's name)
exit code: 0 when there is no error and no deviation, else 1"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what can be done with a submission."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    check = actions.add_parser(
        "check",
        help="find everything that is wrong with a submission, file by file and frame by frame",
        description="Find everything that is wrong with a submission, offline, without scoring it.",
        epilog=LAYOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    check.add_argument("submission", metavar="DIR", help="folder of the submission; it is never changed")
    add_truth(check)
    check.add_argument(
        "--task",
        action="append",
        choices=TASKS,
        default=[],
        help="the submission must take part in this task; may be named more than once (default: the tasks that any frame of it has)",
    )
    check.add_argument("--json", action="store_true", help="print everything as JSON, frames as [first, last]")
    causality.add_action(actions)
    check.add_argument(
        "--test",
        default="",
        metavar="NAME:SUBSET",
        help="public videos that the test set is of: what training_data.yaml shares with it is told",
    )
    add_training_arguments(
        actions.add_parser(
            "training",
            help="tell what declared training data (training_data.yaml) share with a test set",
            description="Tell what the training data that a submission declares share with a test set, source by source.",
        )
    )


def add_truth(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """Declare the ground truth."""
    parser.add_argument("--ground-truth", required=required, metavar="PATH", help=f"what is to be predicted: {choices.TRUTHS}")
    parser.add_argument(
        "--from", dest="source", metavar="FORMAT", help="format of the labels, as of 'scrubin convert' (default: by what PATH looks like)"
    )
    parser.add_argument(
        "--vocabulary",
        metavar="NAME",
        help=f"triplets, instruments and phases (default: those of the labels, else {choices.DEFAULT_VOCABULARY})",
    )
    parser.add_argument(
        "--videos",
        metavar="FILE",
        help="only these videos: a name per line, or a split with the columns id and subset; or names, as NAME,NAME (default: all)",
    )
    parser.add_argument("--subset", metavar="NAME", help="subset of that split, such as test, or 0/test where it has folds")


def truth_of(args: argparse.Namespace) -> GroundTruth:
    """Return the ground truth that the options of `add_truth` name."""
    from scrubin.evaluate import submission_truth

    path = Path(args.videos or "")
    is_file = path.is_file()
    if not is_file and (args.subset or path.suffix):
        missing = f"--videos {args.videos}: there is no such file" if args.videos else f"--subset {args.subset}: of which split?"
        msg = f"{missing}; name the file of a split by --videos"
        raise MetricsError(msg)
    names = () if is_file else tuple(name for name in (args.videos or "").split(",") if name)
    truth = submission_truth.read(Path(args.ground_truth), form=args.source, vocabulary_name=args.vocabulary, only=names)
    return _of_split(truth, path, args.subset) if is_file else truth


def _of_split(truth: GroundTruth, path: Path, subset: str | None) -> GroundTruth:
    """Return the videos of a split that there are; it may list recordings of other tasks."""
    from scrubin.evaluate.series import without_truth

    names = selection.read(path, subset)
    videos = {name: video for name, video in truth.videos.items() if name in names}
    if not videos:
        raise MetricsError([error(str(path), "video-missing", "none of the listed videos is in the ground truth", "name them as there")])
    if unknown := sorted(names.keys() - videos.keys()):
        sys.stderr.write(f"{without_truth(unknown)}\n")
    return replace(truth, videos=videos)


def note_truth(command: str, path: str, truth: GroundTruth) -> None:
    """Say on stderr as what a ground truth was read, and what of it is not as it should be."""
    from scrubin.evaluate import submission_truth

    for line in submission_truth.sentences_on(path, truth):
        sys.stderr.write(f"scrubin {command}: {line}\n")


def run(args: argparse.Namespace) -> int:
    """Do what is asked of a submission."""
    if args.action == "causality":
        return causality.run(args)
    if args.action == "training":
        return run_training(args)
    return run_check(args)


def run_check(args: argparse.Namespace) -> int:
    """Check, and say everything that is wrong."""
    from scrubin.evaluate import submission
    from scrubin.evaluate.training_overlap import with_training_data

    path = Path(args.submission)
    truth = truth_of(args)
    outcome = with_training_data(submission.check(path, truth, tasks=args.task), path, args.test)
    if args.json:
        read = None if truth.verdict is None else truth.verdict.as_json()
        print_json({"submission": strangers.real(path).name, "ground_truth": read, **outcome.as_json()})
    else:
        note_truth("submission check", args.ground_truth, truth)
        print_lines(_lines(strangers.real(path).name, outcome, len(truth.videos)))
    return 1 if stopping("submission check", outcome.faults) else 0


def _lines(name: str, outcome: CheckedSubmission, videos: int) -> list[str]:
    lines = [f"{fault.severity}: {fault.sentence}" for fault in outcome.faults]
    lines += [f"note: {note}" for note in outcome.notes]
    lines += [f"{file or 'the whole submission'}: {count_text(count, 'problem')}" for file, count in sorted(outcome.by_file.items())]
    tasks = f" ({', '.join(outcome.tasks)})" if outcome.tasks else ""
    size = f"{name}{tasks}: {outcome.videos} of {count_text(videos, 'video')}, {count_text(outcome.frames, 'frame')} looked at"
    if not outcome.faults:
        return [*lines, f"{size}; no problem"]
    counts = {severity: sum(fault.severity == severity for fault in outcome.faults) for severity in SEVERITIES}
    correct = ", but correct it" if counts["deviation"] else ""
    verdict = "it cannot be scored" if counts["error"] else f"it can be scored as it is{correct}"
    each = ", ".join(count_text(count, severity) for severity, count in counts.items() if count or severity != "warning")
    return [*lines, f"{size}; {count_text(len(outcome.faults), 'problem')}: {each}; {verdict}"]


NAMES = """a test set is NAME, NAME:SUBSET, NAME@FOLD:SUBSET or NAME:1-40, as of 'scrubin splits leaks'
overlap: some operation is certainly in both; clean: none is; unverified: everything else, also what only its owner says
exit code: 0 only when every source is clean and the file says that nothing else was used"""


def add_training_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the file and the test set."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = NAMES
    parser.add_argument("file", metavar="FILE", nargs="?", help="training_data.yaml, or the folder of a submission that has it")
    parser.add_argument("--test", action="append", default=[], metavar="NAME:SUBSET", help="such as cholect50/rdv:test; repeatable")
    parser.add_argument("--form", action="store_true", help="print an empty form to fill in, and do nothing else")
    parser.add_argument("--json", action="store_true", help="print JSON instead of lines")


def run_training(args: argparse.Namespace) -> int:
    """Print the verdict on every source; 0 only when all are clean."""
    from scrubin.evaluate import training_data, training_overlap
    from scrubin.public_splits.selection import select

    if args.form:
        sys.stdout.write(training_data.text(args.test[0] if args.test else ""))
        return 0
    if not args.file or not args.test:
        msg = "name the file and the test set: scrubin submission training training_data.yaml --test cholect50/rdv:test"
        raise SplitError(msg)
    path = Path(args.file)
    path = path / training_data.NAME if path.is_dir() else path
    test = [select(text) for text in args.test]
    found = training_overlap.assess(training_data.read(path), test, str(path))
    named = ", ".join(args.test)
    if args.json:
        print_json(training_overlap.document(found, named))
    else:
        print_lines(training_overlap.lines(found, named))
    return 0 if found.verdict == "clean" else 1
