"""`scrubin rank [NAME=]DIR ... --ground-truth PATH [--out FOLDER]`, or `scrubin rank --from-scores FILE`."""

from __future__ import annotations

import argparse
import math
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrubin.base import files, machine, strangers
from scrubin.base.errors import AnnotationError, ArgumentsError, MetricsError
from scrubin.base.faults import count_text, error
from scrubin.base.text import csv_text, naming
from scrubin.cli.arguments import asked, rate_or_none, written
from scrubin.cli.evaluate.submission import add_truth, entries_of, listed_videos, note_truth, truth_of
from scrubin.evaluate import choices, selection
from scrubin.evaluate.choices import TESTS
from scrubin.evaluate.contest_tasks import CONTESTS, IOU
from scrubin.evaluate.ranking import ranking_text
from scrubin.labels.choices import TASKS

if TYPE_CHECKING:
    from scrubin.evaluate.ranking.contest import RankingSettings
    from scrubin.evaluate.ranking.score_sheet import ScoreSheet
    from scrubin.evaluate.side import Source


JSON, CSV, PAGE = "ranking.json", "ranking.csv", "index.html"
RANKED = "recognition"
"""What is ranked when nobody says it: None in the arguments, so that what is said can be told from what is not."""
EPILOG = "exit code: 0 when every team was ranked, else 1; who fails the check is listed with the reasons and is not ranked"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare teams, ground truth, metric and what the ranking is worth."""
    parser.add_argument(
        "submissions", nargs="*", metavar="DIR", help="folder of a team's submission, named as the team; or NAME=DIR; it is never changed"
    )
    add_truth(parser, required=False)
    _add_scores(parser)
    parser.add_argument(
        "--out", type=written, metavar="FOLDER", help=f"folder to write {JSON}, {CSV} and {PAGE} into (default: only print the ranking)"
    )
    printed = parser.add_mutually_exclusive_group()
    printed.add_argument("--json", action="store_true", help=f"print the content of {JSON} instead of the table")
    printed.add_argument("--paper", action="store_true", help="print tables for LaTeX (booktabs) instead")
    parser.add_argument("--metric", choices=list(CONTESTS), help=f"what is ranked (default: {RANKED})")
    parts = "; ".join(f"{task.name}: {', '.join(task.parts)} (default {task.primary})" for task in CONTESTS.values())
    parser.add_argument(
        "--component",
        metavar="NAME",
        action="append",
        default=[],
        help="the part that decides; more of them, with commas or by naming the option again, are also ranked together. "
        f"{parts}; detection at IoU {IOU:g}",
    )
    parser.add_argument(
        "--count-null", action="store_true", help="count the null triplets in ivt (default: left out, as in CholecTriplet2021)"
    )
    parser.add_argument(
        "--variants", action="store_true", help="also rank by other variants of the metric that 'scrubin score' knows; reads all again"
    )
    _add_worth(parser)
    parser.epilog = EPILOG


def _add_scores(parser: argparse.ArgumentParser) -> None:
    """Declare what can be ranked without submissions."""
    parser.add_argument(
        "--from-scores",
        metavar="FILE",
        help="instead of submissions: a CSV with the columns team,video,value, and metric where there are several",
    )
    parser.add_argument("--lower-is-better", action="store_true", help="of the values of --from-scores, such as errors in pixels")
    parser.add_argument(
        "--missing",
        default=choices.WORST,
        metavar="VALUE",
        help="what a team gets for a video without a value in --from-scores: a number, or 'worst', the worst value of any team on any "
        "video (default: %(default)s); among the ranks of that video it is last",
    )


def _add_worth(parser: argparse.ArgumentParser) -> None:
    """Declare tests and resamples."""
    from scrubin.evaluate.metrics import variants

    parser.add_argument(
        "--test",
        choices=TESTS,
        default="videos",
        help="compare two teams over videos, which are independent, or over random clips, as CholecTriplet2021 did "
        "(clips of one video are not independent: p-values are too small; of "
        f"{', '.join(one.name for one in CONTESTS.values() if one.has_file_per_video)} only) (default: %(default)s)",
    )
    parser.add_argument(
        "--correction",
        choices=choices.CORRECTIONS,
        default="holm",
        help="of p-values for the number of pairs; CholecTriplet2021 corrected none (default: %(default)s)",
    )
    parser.add_argument("--clips", type=int, metavar="N", help=f"random clips of --test clips (default: {choices.CLIPS})")
    parser.add_argument(
        "--clip-frames", type=int, metavar="N", help=f"consecutive labelled frames of a clip (default: {choices.CLIP_FRAMES})"
    )
    parser.add_argument(
        "--alpha", type=float, default=choices.ALPHA, metavar="P", help="level of significance, in 0..1 (default: %(default)s)"
    )
    parser.add_argument(
        "--resamples", type=int, default=variants.RESAMPLES, metavar="N", help="bootstrap resamples of the videos (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=variants.SEED, metavar="N", help="of clips and resamples (default: %(default)s)")


def run(args: argparse.Namespace) -> int:
    """Rank, and write the leaderboard."""
    settings = _settings(args)
    out = Path(args.out) if args.out else None
    if out is not None:
        machine.require_package("jinja2", "the page of --out")
    document = _of_scores(args, settings, out) if args.from_scores else _of_submissions(args, settings, out)
    if args.json:
        text = files.json_text(document)
    elif args.paper and document["teams"]:
        text = ranking_text.latex_tables(document)
    else:
        text = "".join(f"{line}\n" for line in ranking_text.lines(document))
    if not document["teams"]:
        (sys.stdout if args.json else sys.stderr).write(text)
        raise AnnotationError("no submission can be ranked, nothing is written")
    if out is not None:
        _write(document, out)
    sys.stdout.write(text)
    if out is not None:
        (sys.stderr if args.json or args.paper else sys.stdout).write(f"{out}: {JSON}, {CSV}, {PAGE}\n")
    return 1 if document["not_ranked"] else 0


def _of_submissions(args: argparse.Namespace, settings: RankingSettings, out: Path | None) -> dict[str, Any]:
    from scrubin.evaluate.ranking import measures, ranking_document

    if not args.submissions or not args.ground_truth:
        raise ArgumentsError("name the submissions and their --ground-truth, or a CSV of values by --from-scores")
    for option, given in (("--lower-is-better", args.lower_is_better), ("--missing", args.missing != choices.WORST)):
        if given:
            msg = f"{option} is of --from-scores: more is better in all metrics of submissions, and a submission is whole or not ranked"
            raise ArgumentsError(msg)
    teams = _teams(args.submissions)
    if out is not None:
        _refuse_out(out, [*teams.values(), Path(args.ground_truth)])
    metric: Any = args.metric or RANKED
    task, components = CONTESTS[metric], _components(args)
    if not task.has_file_per_video:
        document, labels = _as_scored(args, metric, settings, teams)
        return _with_variants(document, teams, labels) if args.variants else document
    truth = truth_of(args, [one for one in TASKS if one == metric])
    note_truth("rank", args.ground_truth, truth)
    every = [measures.measure(metric, name, truth, count_null=args.count_null) for name in components or [task.primary]]
    document = ranking_document.rank(teams, truth, every[0], settings, components)
    if not args.variants:
        return document
    from scrubin.base.vocabulary import vocabulary
    from scrubin.evaluate.side import Source
    from scrubin.labels.registry import format_of

    with asked():
        form = None if args.source is None else format_of(args.source)
        said = vocabulary.load(args.vocabulary) if args.vocabulary else None
    return _with_variants(document, teams, Source(Path(args.ground_truth), form, said, rate_or_none("--fps", args.fps)))


def _with_variants(document: dict[str, Any], teams: dict[str, Path], labels: Source) -> dict[str, Any]:
    """Return a ranking with those by other variants of its metric."""
    if not document["teams"]:
        return document
    # Every metric that there is, which the ranking alone does not need.
    from scrubin.evaluate.ranking import variants

    found = variants.compared(document, teams, labels)
    return document | {"variants": found.variants, "notes": [*document["notes"], *found.notes]}


def _as_scored(args: argparse.Namespace, metric: str, settings: RankingSettings, teams: dict[str, Path]) -> tuple[dict[str, Any], Source]:
    """Rank files that are read as `scrubin score` reads them; return the ranking, and the files of the labels."""
    from scrubin.evaluate.ranking import entry_scores
    from scrubin.evaluate.tasks import entries

    held_against, components = entries_of(args, metric), _components(args)
    for line in entries.sentences_on(held_against):
        sys.stderr.write(f"scrubin rank: {line}\n")
    return entry_scores.rank(teams, held_against, components[0] if components else None, settings, components), held_against.order.truth


def _of_scores(args: argparse.Namespace, settings: RankingSettings, out: Path | None) -> dict[str, Any]:
    from scrubin.evaluate.ranking import ranking_document, score_sheet

    if args.submissions or args.ground_truth or args.variants or settings.test == "clips":
        msg = "--from-scores has values of whole videos: it takes no submissions, no --ground-truth, no --variants and no --test clips"
        raise ArgumentsError(msg)
    for option, is_given, why in (
        ("--metric", args.metric is not None, "a sheet has the values of any metric; name those that count by --component"),
        ("--count-null", args.count_null, "whether null triplets count is said where the values are computed"),
        ("--from", args.source is not None, "a sheet is a CSV with the columns team,video,value"),
        ("--vocabulary", args.vocabulary is not None, "values have no classes"),
        ("--fps", args.fps is not None, "values have no frames"),
    ):
        if is_given:
            raise ArgumentsError(f"{option} does nothing with --from-scores: {why}; leave it out")
    if out is not None:
        _refuse_out(out, [])
    sheet, unknown = _of_listed(args, score_sheet.read(Path(args.from_scores)))
    if sheet.unread:
        sys.stderr.write(f"scrubin rank: {sheet.file}: not read: the columns {', '.join(map(csv_text.shown, sheet.unread))}\n")
    missing = None if args.missing == choices.WORST else _number(args.missing)
    contest, teams = score_sheet.contest_of(sheet, _components(args), missing=missing, lower_is_better=args.lower_is_better)
    contest = replace(contest, ground_truth={**contest.ground_truth, "videos_not_scored": unknown})
    return ranking_document.of_evaluations(contest, teams, [], settings)


def _of_listed(args: argparse.Namespace, sheet: ScoreSheet) -> tuple[ScoreSheet, list[str]]:
    """Return a sheet of the videos that count, and listed ones without a value.

    A name that is typed must be there; a split may list recordings of other tasks.
    """
    from scrubin.evaluate.ranking import score_sheet
    from scrubin.evaluate.series import listed

    path, typed = listed_videos(args)
    if path is None:
        return (score_sheet.of_videos(sheet, typed) if typed else sheet), []
    names = selection.read(path, args.subset)
    there = [name for name in names if name in sheet.videos]
    if not there:
        fault = error(str(path), "video-missing", f"none of the listed videos has a value in {sheet.file}", "name them as there")
        raise MetricsError([fault])
    if unknown := sorted(set(names) - set(there)):
        who = count_text(len(unknown), "listed video")
        sys.stderr.write(f"{who} without a value in {sheet.file}; not scored: {listed(unknown)}\n")
    return score_sheet.of_videos(sheet, there), unknown


def _number(text: str) -> float:
    from scrubin.evaluate.ranking import score_sheet

    try:
        value = csv_text.number(text)
    except ValueError:
        value = math.nan
    if not score_sheet.is_usable(value):
        msg = f"--missing {text}: give a number within -{score_sheet.LARGEST:g} and {score_sheet.LARGEST:g}, or '{choices.WORST}'"
        raise ArgumentsError(msg)
    return value


def _components(args: argparse.Namespace) -> list[str]:
    """Return the components, each once, in their order."""
    return list(dict.fromkeys(name.strip() for one in args.component for name in one.split(",") if name.strip()))


def _write(document: dict[str, Any], out: Path) -> None:
    # The page needs a template engine, which checking does not.
    from scrubin.evaluate.ranking import leaderboard

    try:
        files.write_json(out / JSON, document)
        files.write_text(out / CSV, ranking_text.sheet(document))
        files.write_text(out / PAGE, leaderboard.page(document))
    except OSError as error:
        raise AnnotationError(f"{out}: cannot be written: {error.strerror}; correct that or name another folder") from error


def _settings(args: argparse.Namespace) -> RankingSettings:
    from scrubin.evaluate.ranking.contest import RankingSettings

    if args.test != "clips" and (args.clips is not None or args.clip_frames is not None):
        sys.stderr.write("scrubin rank: note: --clips and --clip-frames count for --test clips only; teams are compared over videos\n")
    drawn = choices.CLIPS if args.clips is None else args.clips
    frames = choices.CLIP_FRAMES if args.clip_frames is None else args.clip_frames
    for option, value, low, high in (
        ("--clips", drawn, 1, 100_000),
        ("--clip-frames", frames, 1, 1_000_000),
        ("--resamples", args.resamples, 1, 1_000_000),
        ("--seed", args.seed, 0, 2**63 - 1),
        ("--alpha", args.alpha, 0, 1),
    ):
        # Written as "not (inside)", so that NaN is refused as well.
        if not low <= value <= high:
            raise ArgumentsError(f"{option} {value}: give a number in {low}..{high}")
    return RankingSettings(drawn, frames, args.resamples, args.alpha, args.seed, args.test, args.correction)


def _teams(submissions: list[str]) -> dict[str, Path]:
    teams: dict[str, Path] = {}
    for one in submissions:
        name, separator, path = one.partition("=")
        if not separator or Path(one).is_dir():
            real = strangers.real(Path(one))
            name, path = real.stem if real.is_file() else real.name, one
        if not name.strip() or not path or not name.isprintable():
            raise ArgumentsError(f"{one!r}: give a team as DIR or NAME=DIR, with a name that can be printed")
        if name in teams:
            raise ArgumentsError(f"two teams are called {name!r}: {teams[name]} and {path}; name them with NAME=DIR")
        # As in a sheet of values: nobody can say of two lines of a leaderboard whose they are.
        other = next((one for one in teams if naming.spelling(one) == naming.spelling(name)), None)
        if other is not None:
            msg = f"team {name!a} differs from {other!a} in {naming.SPELT} only: {teams[other]} and {path}; name them with NAME=DIR"
            raise ArgumentsError(msg)
        teams[name] = Path(path)
    return teams


def _refuse_out(out: Path, sources: list[Path]) -> None:
    if out.exists() and not out.is_dir():
        raise AnnotationError(f"{out}: it is a file; name a folder")
    for source in sources:
        if source.exists() and (strangers.real(out) == strangers.real(source) or strangers.real(source) in strangers.real(out).parents):
            raise AnnotationError(f"{out}: lies in {source}, which is never changed; name another folder")
