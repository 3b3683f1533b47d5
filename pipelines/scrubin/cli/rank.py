"""`scrubin rank [NAME=]DIR ... --ground-truth PATH [--out FOLDER]`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from scrubin.cli.submission import add_truth, note_truth, truth_of
from scrubin.core import files
from scrubin.core.errors import AnnotationError
from scrubin.evaluation.ranking import clips, detection_measure, measures, ranking_text, ranks, significance
from scrubin.evaluation.ranking.measures import PARTS, PRIMARY
from scrubin.evaluation.ranking.ranks import Settings
from scrubin.labels.tasks import TASKS
from scrubin.metrics import bootstrap

JSON, CSV, PAGE = "ranking.json", "ranking.csv", "index.html"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare teams, ground truth, metric and what the ranking is worth."""
    parser.add_argument(
        "submissions", nargs="+", metavar="DIR", help="folder of a team's submission, named as the team; or NAME=DIR; it is never changed"
    )
    add_truth(parser)
    parser.add_argument("--out", metavar="FOLDER", help=f"folder to write {JSON}, {CSV} and {PAGE} into (default: only print the ranking)")
    parser.add_argument("--metric", choices=TASKS, default="recognition", help="what is ranked (default: %(default)s)")
    parts = "; ".join(f"{task}: {', '.join(PARTS[task])} (default {PRIMARY[task]})" for task in TASKS)
    parser.add_argument("--component", metavar="NAME", help=f"the part that decides. {parts}; detection at IoU {detection_measure.IOU:g}")
    parser.add_argument(
        "--count-null", action="store_true", help="count the null triplets in ivt (default: left out, as in CholecTriplet2021)"
    )
    parser.add_argument("--clips", type=int, default=clips.CLIPS, metavar="N", help="random clips for the tests (default: %(default)s)")
    parser.add_argument(
        "--clip-frames", type=int, default=clips.CLIP_FRAMES, metavar="N", help="consecutive frames of a clip (default: %(default)s)"
    )
    parser.add_argument(
        "--alpha", type=float, default=significance.ALPHA, metavar="P", help="level of significance, in 0..1 (default: %(default)s)"
    )
    parser.add_argument(
        "--resamples", type=int, default=bootstrap.RESAMPLES, metavar="N", help="bootstrap resamples of the videos (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=bootstrap.SEED, metavar="N", help="of clips and resamples (default: %(default)s)")
    parser.epilog = "exit code: 0 when every team was ranked, else 1; a submission that fails the check is listed with its reasons"


def run(args: argparse.Namespace) -> int:
    """Rank, and write the leaderboard."""
    settings = _settings(args)
    teams = _teams(args.submissions)
    out = Path(args.out) if args.out else None
    if out is not None:
        _refuse_out(out, [*teams.values(), Path(args.ground_truth)])
    truth = truth_of(args)
    note_truth("rank", args.ground_truth, truth)
    measure = measures.measure(args.metric, args.component, truth, count_null=args.count_null)
    document = ranks.rank(teams, truth, measure, settings)
    text = "".join(f"{line}\n" for line in ranking_text.lines(document))
    if not document["teams"]:
        sys.stderr.write(text)
        msg = "no submission can be ranked, nothing is written"
        raise AnnotationError(msg)
    if out is not None:
        _write(document, out)
    sys.stdout.write(text)
    sys.stdout.write(f"{out}: {JSON}, {CSV}, {PAGE}\n" if out is not None else "")
    return 1 if document["not_ranked"] else 0


def _write(document: dict[str, Any], out: Path) -> None:
    # The page needs a template engine, which checking does not.
    from scrubin.evaluation.ranking import leaderboard

    try:
        files.write_json(out / JSON, document)
        files.write_text(out / CSV, ranking_text.sheet(document))
        files.write_text(out / PAGE, leaderboard.page(document))
    except OSError as error:
        msg = f"{out}: cannot be written: {error.strerror}; correct that or name another folder"
        raise AnnotationError(msg) from error


def _settings(args: argparse.Namespace) -> Settings:
    for option, value, low, high in (
        ("--clips", args.clips, 1, 100_000),
        ("--clip-frames", args.clip_frames, 1, 1_000_000),
        ("--resamples", args.resamples, 1, 1_000_000),
        ("--seed", args.seed, 0, 2**63 - 1),
        ("--alpha", args.alpha, 0, 1),
    ):
        # Written as "not (inside)", so that NaN is refused as well.
        if not low <= value <= high:
            msg = f"{option} {value}: give a number in {low}..{high}"
            raise AnnotationError(msg)
    return Settings(args.clips, args.clip_frames, args.resamples, args.alpha, args.seed)


def _teams(submissions: list[str]) -> dict[str, Path]:
    teams: dict[str, Path] = {}
    for one in submissions:
        name, separator, path = one.partition("=")
        if not separator or Path(one).is_dir():
            name, path = Path(one).resolve().name, one
        if not name.strip() or not path or not name.isprintable():
            msg = f"{one!r}: give a team as DIR or NAME=DIR, with a name that can be printed"
            raise AnnotationError(msg)
        if name in teams:
            msg = f"two teams are called {name!r}: {teams[name]} and {path}; name them with NAME=DIR"
            raise AnnotationError(msg)
        teams[name] = Path(path)
    return teams


def _refuse_out(out: Path, sources: list[Path]) -> None:
    if out.exists() and not out.is_dir():
        msg = f"{out}: it is a file; name a folder"
        raise AnnotationError(msg)
    for source in sources:
        if source.exists() and (out.resolve() == source.resolve() or source.resolve() in out.resolve().parents):
            msg = f"{out}: lies in {source}, which is never changed; name another folder"
            raise AnnotationError(msg)
