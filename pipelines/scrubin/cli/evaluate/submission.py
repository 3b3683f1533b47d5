"""`scrubin submission check`, `training`, `causality`: what is wrong with what a participant hands in."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrubin import cli
from scrubin.base import strangers
from scrubin.base.errors import ArgumentsError, MetricsError
from scrubin.base.faults import SEVERITIES, count_text, error, hint, ranges_text
from scrubin.base.files import write_json
from scrubin.cli.answers import print_json, print_lines
from scrubin.cli.arguments import asked, exact_number, rate_or_none, whole_number, written
from scrubin.evaluate import choices, selection
from scrubin.evaluate.contest_tasks import CONTESTS
from scrubin.labels.policy import stopping

if TYPE_CHECKING:
    from scrubin.evaluate.causality.trial import TrialOutcome
    from scrubin.evaluate.submission import CheckedSubmission
    from scrubin.evaluate.submission_truth import GroundTruth
    from scrubin.evaluate.tasks.entries import Entries
    from scrubin.labels.choices import Task


RATE = exact_number("number above 0, such as 25 or 30000/1001")
LAYOUT = """a submission is a folder with, per video of the ground truth,
  <video>.json  {"<frame>": {"recognition": [one probability per triplet], "detection":
                [{"triplet": id, "instrument": [id, probability, x, y, w, h]}]}}, frames and ids from 0,
                boxes as top-left corner and size in 0..1 (the layout of CholecTriplet2022)
  <video>.csv   for phases: frame,phase_id (or frame,phase with the phase's name)
of masks, pixels, points, tracks and criteria (--task): a file or folder in any format that 'scrubin score' reads, with the verdict of that
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
    check.add_argument("submission", metavar="DIR", help="folder of the submission, or a file where its task has that; it is never changed")
    add_truth(check)
    check.add_argument(
        "--task",
        action="append",
        choices=list(CONTESTS),
        default=[],
        help="the submission must take part in this task; may be named more than once (default: the tasks that any frame of it has); "
        f"{', '.join(one.name for one in CONTESTS.values() if not one.has_file_per_video)} are named here, one at a time",
    )
    check.add_argument("--json", action="store_true", help="print everything as JSON, frames as [first, last]")
    add_causality(actions)
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
    parser.add_argument(
        "--fps",
        metavar="N",
        help="frames per second by which the labels count, where no file says it; spans of time become so many frames (default: 1)",
    )


def truth_of(args: argparse.Namespace, tasks: Collection[Task]) -> GroundTruth:
    """Return the ground truth that the options of `add_truth` name, for the tasks that somebody asks for."""
    from scrubin.evaluate import submission_truth

    path, names = listed_videos(args)
    fps = rate_or_none("--fps", args.fps)
    labels = Path(args.ground_truth)
    truth = submission_truth.read(labels, form=args.source, vocabulary_name=args.vocabulary, only=names, fps=fps, tasks=tasks)
    return truth if path is None else _of_split(truth, path, args)


def listed_videos(args: argparse.Namespace) -> tuple[Path | None, tuple[str, ...]]:
    """Return the file that lists the videos that count, else the names that were typed; none: all."""
    path = Path(args.videos or "")
    with contextlib.suppress(OSError):  # many names are longer than that of a file may be
        if path.is_file():
            return path, ()
    if not args.videos and args.subset:
        raise MetricsError(f"--subset {args.subset}: of which split?; name the file of a split by --videos")
    if args.subset or path.suffix:
        raise MetricsError(f"--videos {args.videos}: there is no such file; give a list of videos or a split")
    return None, tuple(name for name in (args.videos or "").split(",") if name)


def chosen_videos(args: argparse.Namespace) -> Mapping[str, int] | None:
    """Return the videos that count, with the lines of the file that lists them; None: all."""
    path, names = listed_videos(args)
    return selection.read(path, args.subset) if path is not None else dict.fromkeys(names, 0) or None


def refuse_unknown(args: argparse.Namespace, known: Collection[str]) -> None:
    """Refuse a name that is typed and is no labelled video; a split may list recordings of other tasks."""
    _, typed = listed_videos(args)
    if unknown := sorted(set(typed) - set(known)):
        raise MetricsError(f"--videos {args.videos}: the ground truth has no video '{unknown[0]}'; {hint(unknown[0], sorted(known))}")


def entries_of(args: argparse.Namespace, task: str) -> Entries:
    """Return what submissions are held against that are read as `scrubin score` reads them; from the options of `add_truth`."""
    from scrubin.base.vocabulary import vocabulary
    from scrubin.evaluate.side import Source
    from scrubin.evaluate.tasks import entries
    from scrubin.labels.registry import format_of

    videos = chosen_videos(args)
    with asked():
        classes = vocabulary.load(args.vocabulary) if args.vocabulary else None
    labels = entries.labels_at(Path(args.ground_truth), task, args.vocabulary)
    with asked():
        form = None if args.source is None else format_of(args.source)
    truth = Source(labels, form, classes, rate_or_none("--fps", args.fps))
    return entries.held_against(task, truth, videos)


def _of_split(truth: GroundTruth, path: Path, args: argparse.Namespace) -> GroundTruth:
    """Return the videos of a split that there are; it may list recordings of other tasks."""
    from scrubin.evaluate import released_truth
    from scrubin.evaluate.series import without_truth

    names = selection.read(path, args.subset)
    videos = {name: video for name, video in truth.videos.items() if name in names}
    if not videos:
        fix = released_truth.fix_of_names(Path(args.ground_truth), names)
        raise MetricsError([error(str(path), "video-missing", "none of the listed videos is in the ground truth", fix)])
    if unknown := sorted(names.keys() - videos.keys()):
        sys.stderr.write(f"{without_truth(unknown)}\n")
    return replace(truth, videos=videos, only=names)


def note_truth(command: str, path: str, truth: GroundTruth) -> None:
    """Say on stderr as what a ground truth was read, and what of it is not as it should be."""
    from scrubin.evaluate import submission_truth

    for line in submission_truth.sentences_on(path, truth):
        sys.stderr.write(f"scrubin {command}: {line}\n")


def run(args: argparse.Namespace) -> int:
    """Do what is asked of a submission."""
    if args.action == "causality":
        return run_causality(args)
    if args.action == "training":
        return run_training(args)
    return run_check(args)


def run_check(args: argparse.Namespace) -> int:
    """Check, and say everything that is wrong."""
    from scrubin.evaluate import submission
    from scrubin.evaluate.training_overlap import with_training_data

    path = Path(args.submission)
    as_scored = [task for task in args.task if not CONTESTS[task].has_file_per_video]
    if as_scored:
        return _run_check_as_scored(args, as_scored[0])
    truth = truth_of(args, args.task)
    outcome = with_training_data(submission.check(path, truth, tasks=args.task), path, args.test)
    if args.json:
        notes = [f"{truth.said.removeprefix('; ')} (--fps)"] if truth.said else []
        read = None if truth.verdict is None else truth.verdict.as_json() | {"notes": notes}
        print_json({"submission": strangers.real(path).name, "ground_truth": read, **outcome.as_json()})
    else:
        note_truth("submission check", args.ground_truth, truth)
        print_lines(_lines(strangers.real(path).name, outcome, len(truth.asked(args.task).names)))
    return 1 if stopping("submission check", outcome.faults) else 0


def _run_check_as_scored(args: argparse.Namespace, task: str) -> int:
    """Check files that are read as `scrubin score` reads them."""
    from scrubin.evaluate.tasks import entries
    from scrubin.evaluate.training_overlap import with_training_data

    if len(set(args.task)) > 1:
        msg = f"--task {' --task '.join(dict.fromkeys(args.task))}: files of {task} hold nothing else; check them one by one"
        raise ArgumentsError(msg)
    path, held_against = Path(args.submission), entries_of(args, task)
    outcome = with_training_data(entries.check(path, held_against), path, args.test)
    name = strangers.real(path).name
    if args.json:
        print_json({"submission": name, "ground_truth": held_against.as_json(), **outcome.as_json()})
    else:
        for line in entries.sentences_on(held_against):
            sys.stderr.write(f"scrubin submission check: {line}\n")
        print_lines(_lines(name, outcome, len(held_against.videos)))
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
        raise ArgumentsError("name the file and the test set: scrubin submission training training_data.yaml --test cholect50/rdv:test")
    path = Path(args.file)
    path = path / training_data.NAME if path.is_dir() else path
    with asked():
        test = [select(text) for text in args.test]
    found = training_overlap.assess(training_data.read(path), test, str(path))
    named = ", ".join(args.test)
    if args.json:
        print_json(training_overlap.document(found, named))
    else:
        print_lines(training_overlap.lines(found, named))
    return 0 if found.verdict == "clean" else 1


WAYS = ("frames", "video", "server")
MEASURED = ".measured.json"
TRIAL = """PROGRAM is any command. It takes {input}, a folder with 000000.png, 000001.png ... (--input video: a video file), and writes
to the folder {output}, named as the input is: <name>.json or <name>.csv, as 'scrubin submission check --help' says.
With --input server it is handed one frame at a time on standard input; docs/causality.md has the protocol.

  scrubin submission causality data/videos --fps 1 -- python predict.py {input} {output}

exit code: 0 only when the program is causal as far as can be seen, else 1"""


def add_causality(actions: Any) -> None:
    """Declare the action."""
    parser = actions.add_parser(
        "causality",
        help="run a submission's program on videos whose future is changed, and tell whether earlier answers moved",
        description="Run a program on videos whose future is changed: an online method's answers before the change must not move.",
        epilog=TRIAL,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "videos", metavar="VIDEOS", help="a folder of frames, a video, or a folder of these; never changed, hidden from PROGRAM"
    )
    parser.add_argument("program", metavar=cli.PASSED_ON, nargs="+", help="the command, after --, with {input} and {output}")
    parser.add_argument("--input", choices=WAYS, default="frames", help="how the program takes frames (default: %(default)s)")
    parser.add_argument(
        "--runs", type=whole_number(1), default=20, metavar="N", help="runs with a changed future, over all videos (default: %(default)s)"
    )
    parser.add_argument(
        "--sample", type=whole_number(1), default=3, metavar="N", help="so many of the videos, drawn at random (default: %(default)s)"
    )
    parser.add_argument("--frames", type=whole_number(3), metavar="N", help="only the first N frames of each video (default: all)")
    parser.add_argument("--fps", type=RATE, metavar="F", help="frames per second, for look-ahead in seconds (default: as the video says)")
    parser.add_argument(
        "--seed", type=whole_number(0), default=0, metavar="S", help="of points, changes, names and order (default: %(default)s)"
    )
    parser.add_argument("--vocabulary", default="cholect50", metavar="NAME", help="of the answers (default: %(default)s)")
    parser.add_argument(
        "--timeout-s", type=lambda text: float(RATE(text)), default=600.0, metavar="S", help="a run may take so long (default: %(default)g)"
    )
    parser.add_argument(
        "--cpu-s", type=whole_number(1), default=3600, metavar="S", help="a process may compute so long (default: %(default)s)"
    )
    parser.add_argument(
        "--memory-gb", type=whole_number(1), default=32, metavar="GB", help="address space of a process (default: %(default)s)"
    )
    parser.add_argument(
        "--hide", action="append", default=[], metavar="PATH", help="PROGRAM must not see this either, such as labels; repeatable"
    )
    parser.add_argument(
        "--without-isolation", action="store_true", help="go on where the system isolates nothing; then nothing is called causal"
    )
    parser.add_argument("--json", action="store_true", help="print everything as JSON, also what a clock measured")
    parser.add_argument(
        "--out", type=written, metavar="FILE", help=f"write it as JSON, the same bytes each time; what a clock measured to <FILE>{MEASURED}"
    )


def run_causality(args: argparse.Namespace) -> int:
    """Try the program, and say what was seen."""
    from scrubin.evaluate.causality.sandbox import Limits
    from scrubin.evaluate.causality.trial import TrialRequest, tried

    limits = Limits(wall_s=args.timeout_s, cpu_s=args.cpu_s, memory_bytes=args.memory_gb << 30)
    request = TrialRequest(
        Path(args.videos),
        tuple(args.program),
        way=args.input,
        runs=args.runs,
        sample=args.sample,
        most_frames=args.frames,
        fps=args.fps,
        seed=args.seed,
        vocabulary_name=args.vocabulary,
        limits=limits,
        hidden=tuple(map(Path, args.hide)),
        without_isolation=args.without_isolation,
    )
    outcome = tried(request, _progress())
    if args.json:
        print_json({**outcome.document, "measured": outcome.measured}, sort_keys=True)
    else:
        print_lines(causality_lines(outcome))
    if args.out:
        path = Path(args.out)
        write_json(path, outcome.document)
        write_json(path.with_name(f"{path.name.removesuffix('.json')}{MEASURED}"), outcome.measured)
    return 0 if outcome.verdict.ruling == "causal" else 1


def causality_lines(outcome: TrialOutcome) -> list[str]:
    """Return the outcome for reading."""
    document = outcome.document
    said = [f"{document['verdict']}: {document['reason']}", *_look_ahead(document["look_ahead"])]
    said += [_moved(move) for move in document["moves"]]
    if any(kind["runs"] for kind in document["kinds"].values()):
        said += ["", *_table(document["kinds"]), ""]
    said += _repeated(document["repeatability"])
    said += _power(document["power"])
    said += [_videos(document), _isolation(document["isolation"])]
    said += _latency(outcome.measured["latency"])
    for words in outcome.measured["last_words"]:
        said += ["the program's last words:", *(f"  {line}" for line in words.strip().splitlines()[-LAST_LINES:])]
    return said


LAST_LINES = 12


def _look_ahead(of: dict[str, Any] | None) -> list[str]:
    if of is None:
        return []
    seconds = "; in seconds unknown: name --fps" if of["seconds"] is None else f", {of['seconds']:.3g} s"
    length = "; the length itself may be what it uses" if of["length_only"] else ""
    return [f"smallest look-ahead that explains what was seen: {count_text(of['frames'], 'frame')}{seconds} (a lower bound{length})"]


def _moved(move: dict[str, Any]) -> str:
    frames = ranges_text([frame for first, last in move["moved_frames"] for frame in range(first, last + 1)], 5)
    by = "" if move["largest_difference"] is None else f", by up to {move['largest_difference']:.2g}"
    one = "frame" if len(move["moved_frames"]) == 1 and move["moved_frames"][0][0] == move["moved_frames"][0][1] else "frames"
    what = f"{move['video']}, {move['kind']} from frame {move['first_changed_frame']} on"
    return f"  {what}: {one} {frames} moved{by}; look-ahead {move['look_ahead_frames']}"


def _table(kinds: dict[str, Any]) -> list[str]:
    rows = [f"{'change':<10}{'runs':>6}{'failed':>8}{'moved':>7}{'look-ahead':>12}  what it is"]
    for name, kind in kinds.items():
        ahead = "-" if kind["look_ahead_frames"] is None else f">= {kind['look_ahead_frames']}"
        rows.append(f"{name:<10}{kind['runs']:>6}{kind['failed']:>8}{kind['moved']:>7}{ahead:>12}  {kind['what']}")
    return rows


def _repeated(of: dict[str, Any] | None) -> list[str]:
    if of is None:
        return []
    runs = f"unchanged videos: {count_text(of['unchanged_runs'], 'run')}"
    if of["bit_equal"]:
        return [f"{runs}, equal bit for bit, so that every bit counts"]
    unstable = (
        f"; {of['unstable_frames']} of {of['answered_frames']} frames change by themselves and are not judged"
        if of["unstable_frames"]
        else ""
    )
    return [f"{runs}, numbers differ by up to {of['largest_difference']:.2g}; more than {of['tolerance']:.2g} counts as moved{unstable}"]


def _power(power: dict[str, Any]) -> list[str]:
    from scrubin.evaluate.causality.trial import runs_needed

    if power["share_of_frames"] is None:
        return []
    share = f"a look-ahead that shows at {100 * power['share_of_frames']:.1f} % of the frames or more"
    more = f"for 5 % of the frames it takes {runs_needed(0.05)}, for 1 % {runs_needed(0.01)}"
    return [f"power: {share} is seen with {100 * power['sure']:.0f} % ({count_text(power['runs'], 'run')}; {more})"]


def _videos(document: dict[str, Any]) -> str:
    videos = document["videos"]
    named = ", ".join(f"{video['name']} ({count_text(video['frames'], 'frame')})" for video in videos)
    few = "; another video to go on with needs two" if len(videos) < 2 else ""
    return f"videos: {len(videos)} of {document['videos_in_all']}: {named}{few}"


def _isolation(of: dict[str, Any]) -> str:
    if of["means"] == "none":
        return "isolation: NONE: the program could use the network, keep what it saw, and read the originals"
    return f"isolation: {of['means']}, tried from inside: {', '.join(of['claims'].values())}"


def _latency(of: dict[str, Any] | None) -> list[str]:
    if of is None:
        return []
    usual = f"median {of['median_ms']:.3g} ms, 95 % within {of['p95_ms']:.3g} ms, longest {of['longest_ms']:.3g} ms"
    frames = f"over {count_text(of['frames'], 'frame')}; the first frame with the start {of['first_frame_median_ms']:.3g} ms"
    return [f"latency per frame (measured here): {usual}, {frames}"]


def _progress() -> Any:
    """Return what shows each run on a terminal."""
    count = 0

    def step(what: str) -> None:
        nonlocal count
        count += 1
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{count}: {what}\033[K")
            sys.stderr.flush()

    return step
