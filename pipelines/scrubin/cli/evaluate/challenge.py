"""`scrubin challenge bundle RELEASE --for PLATFORM --task TASK --split NAME --subset NAME --out FOLDER`, and `challenge public`."""

from __future__ import annotations

import argparse
import sys
from datetime import date
from pathlib import Path

from scrubin.base import machine
from scrubin.base.errors import ArgumentsError
from scrubin.base.faults import count_text
from scrubin.cli.answers import shown
from scrubin.cli.arguments import add_image_size, asked, size_or_none, written
from scrubin.data.export import new_folder
from scrubin.evaluate.choices import NEVER, PLATFORMS, SHOWS
from scrubin.evaluate.contest_tasks import CONTESTS
from scrubin.public_splits.selection import select

FEWEST_VIDEOS = 6
"""The smallest p-value of n videos is 2 / 2^n: with 5 it is above 0.05."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what can be done with a challenge."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    _add_public(actions)
    one = actions.add_parser(
        "bundle",
        help="write what CodaBench, EvalAI or Grand Challenge takes, with the hidden labels in its private part alone",
        description="Write what a platform takes to run a challenge. Submissions are checked as by 'scrubin submission check' and scored "
        "as by 'scrubin score'. The hidden labels are in the private part alone; README.md says which that is, and what to do next.",
    )
    one.add_argument(
        "release",
        metavar="RELEASE",
        help="a release, or its ground truth; of masks, points, tracks and criteria also label files in any format; only read",
    )
    one.add_argument("--for", dest="platform", required=True, choices=PLATFORMS, help="the platform")
    one.add_argument("--task", required=True, choices=list(CONTESTS), help="what is predicted")
    one.add_argument("--split", required=True, metavar="NAME", help="a split of the release, such as balanced, or a file")
    one.add_argument("--subset", required=True, metavar="NAME", help="the hidden subset, such as test, or 0/test where it has folds")
    one.add_argument(
        "--out", type=written, required=True, metavar="FOLDER", help="a folder that is not there yet; it appears whole or not at all"
    )
    one.add_argument("--title", metavar="TEXT", help="of the challenge (default: task and subset)")
    one.add_argument("--vocabulary", metavar="NAME", help="where the release has ground truth in several")
    add_image_size(one, "where no label file says it")
    one.add_argument("--semantics", choices=["paper", "compat"], default="paper", help="as of 'scrubin score' (default: paper)")
    one.add_argument("--variant", nargs="+", action="extend", default=[], metavar="NAME=VALUE", help="as of 'scrubin score'")
    one.add_argument(
        "--rank-by",
        metavar="KEY",
        help="the column that ranks (default: AP of triplets, Jaccard of phases, else that by which 'scrubin rank' ranks)",
    )
    one.add_argument(
        "--show",
        choices=SHOWS,
        default="overall",
        help="what participants see of their scores: of the whole subset, also by video, or nothing (default: overall)",
    )
    one.add_argument("--digits", type=int, metavar="N", help="round scores, so that they tell less of the labels (default: not)")
    one.add_argument(
        "--test", default="", metavar="NAME:SUBSET", help="which public videos the hidden ones are, for training_data.yaml of submissions"
    )
    one.add_argument("--starts", type=_day, default=NEVER[0], metavar="DAY", help="first day, as 2027-05-01 (default: 2099, so closed)")
    one.add_argument("--ends", type=_day, default=NEVER[1], metavar="DAY", help="last day")
    one.add_argument("--image", metavar="NAME", help="container image that CodaBench scores in (default: the one of image/, to be pushed)")


def _add_public(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    part = actions.add_parser(
        "public",
        help="write what of a release may be published: all but the labels of the hidden subset, and what tells of them",
        description="Write a release without the labels, scores and annotations of the hidden recordings. Counts, hashes, ground truth and "
        "descriptions are made anew of the other recordings; what cannot be is left out, and named.",
    )
    part.add_argument("release", metavar="RELEASE", help="the folder of a whole release; it is only read")
    part.add_argument("--split", required=True, metavar="NAME", help="a split of the release, such as balanced, or a file")
    part.add_argument(
        "--subset", required=True, nargs="+", metavar="NAME", help="every hidden subset, such as test, or 0/test where it has folds"
    )
    part.add_argument(
        "--out", type=written, required=True, metavar="FOLDER", help="a folder that is not there yet; it appears whole or not at all"
    )


def run(args: argparse.Namespace) -> int:
    """Write a bundle or the public part of a release, and say what is in it."""
    return _public(args) if args.action == "public" else _bundle(args)


def _public(args: argparse.Namespace) -> int:
    from scrubin.evaluate.challenge import public_part

    release = Path(args.release)
    with new_folder(Path(args.out), release) as folder:
        part = public_part.write(release, args.split, args.subset, folder, lambda names: shown(names, "copy", "file"))
    hidden = count_text(len(part.hidden), "recording")
    sys.stdout.write(f"{args.out}: {part.name} {part.version}, {count_text(part.recordings, 'recording')}, {hidden} without labels\n")
    if part.without_skill:
        sys.stdout.write(f"left out: skill of {', '.join(part.without_skill)}, which is normalised over hidden recordings, too\n")
    counted = [f"{name} ({count_text(count, 'file')})" if name.endswith("/") else name for name, count in part.left_out.items()]
    sys.stdout.write(f"left out: {', '.join(counted)}\n" if counted else "")
    return 0


def _bundle(args: argparse.Namespace) -> int:
    from scrubin.evaluate import released_truth
    from scrubin.evaluate.challenge import Challenge, bundle, hidden_truth
    from scrubin.evaluate.challenge.bundle import Wanted

    if args.digits is not None and not 0 <= args.digits <= 15:
        raise ArgumentsError(f"--digits {args.digits}: give 0 to 15, such as 4")
    if args.starts >= args.ends:
        raise ArgumentsError(f"--starts {args.starts}: the last day is {args.ends}; name a later one by --ends")
    if args.test:
        with asked():
            select(args.test)
    machine.require_package("yaml", "a bundle")
    release = Path(args.release)
    truth = hidden_truth.of_release(release, args.task, args.split, args.subset, args.vocabulary, size_or_none(args.image_size))
    of_release = released_truth.look(release)
    if changed := released_truth.sentence_on_changed(release, of_release):
        sys.stderr.write(f"scrubin challenge: {changed}\n")
    challenge = Challenge(
        title=args.title or f"{args.task} of {args.subset}",
        task=args.task,
        vocabulary=truth.vocabulary,
        semantics=args.semantics,
        variant=tuple(args.variant),
        show=args.show,
        digits=args.digits,
        test=args.test,
        release="" if of_release is None else of_release.named,
    )
    truth = hidden_truth.with_origin(truth, of_release)
    with new_folder(Path(args.out), release) as folder:
        layout = bundle.write(args.platform, Wanted(challenge, args.rank_by, args.image, args.starts, args.ends), truth, folder)
    if truth.others:
        sys.stderr.write(f"scrubin challenge: {count_text(len(truth.others), 'video')} of '{args.subset}' without such labels left out\n")
    frames = [frame for of in truth.frames.values() for frame in of]
    sys.stdout.write(f"{args.out}: {args.task}, {count_text(len(truth.frames), 'hidden video')}, {count_text(len(frames), 'frame')}\n")
    if len(truth.frames) < FEWEST_VIDEOS:
        what = f"{count_text(len(truth.frames), 'video')}: no test can tell two teams apart by fewer than {FEWEST_VIDEOS} (docs/ranking.md)"
        sys.stdout.write(f"few: {what}\n")
    for name in layout.private:
        sys.stdout.write(f"private: {name}\n")
    sys.stdout.write(f"for {PLATFORMS[args.platform]}: {layout.upload}; what to do is in {args.out}/README.md\n")
    if args.starts == NEVER[0]:
        sys.stdout.write("no day was named by --starts, so it opens in 2099\n")
    return 0


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"'{text}' is no day such as 2027-05-01") from error
