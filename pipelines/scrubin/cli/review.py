"""`scrubin review`: a person looks at the study in the browser and decides what is hidden."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from scrubin.cli import review_exchange, review_sample
from scrubin.core.errors import ReviewError
from scrubin.core.suggest import near
from scrubin.review.questions import QUESTIONS_PATH
from scrubin.review.sample import CLIP_S
from scrubin.review.views import RecordingSummary
from scrubin.review_page import server
from scrubin.review_page.app import Place, ReviewApp
from scrubin.review_page.open_study import OpenStudy, open_source
from scrubin.review_page.released_study import open_released
from scrubin.review_page.sampled_study import open_sampled
from scrubin.review_page.security import LOOPBACK
from scrubin.review_page.study_now import RELEASED_TABLES, TABLES, StudyNow

# Beside the ledger: what leads a browser to the page is private.
DOORWAY = Path("data/private/review/open.html")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare where the page is served and where it opens."""
    parser.description = (
        "Open a page in the browser on which a person looks at every recording and decides what is hidden. Only this machine can "
        "reach it, and only with the address that is printed. Every decision is written at once; Ctrl-C ends the server."
    )
    parser.add_argument("--released", action="store_true", help="look at the released files, after the pipeline has rendered them")
    parser.add_argument(
        "--sample",
        type=int,
        metavar="N",
        help=f"look at N clips of {CLIP_S} s of the finished release, drawn at random, and say of each whether it is clean",
    )
    parser.add_argument("--seed", type=int, help="with --sample: another draw than that of seed 0")
    parser.add_argument("--port", type=int, default=0, help="port to listen on (default: any that is free)")
    parser.add_argument("--host", default=LOOPBACK[0], help="address to listen on (default: %(default)s, this machine only)")
    parser.add_argument(
        "--reachable-from-elsewhere",
        action="store_true",
        help="needed with a --host that other machines can reach: pictures of people then cross the network unencrypted",
    )
    parser.add_argument("--at", metavar="RECORDING:TIME", help="open there: a recording, and a time as 12.5, 3:20 or 1:02:03")
    parser.add_argument("--by", metavar="NAME", help="who decides (default: your user name)")
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    instead = parser.add_mutually_exclusive_group()
    instead.add_argument("--verify", action="store_true", help="open no page: prove the chain of the ledger, and say what is in it")
    instead.add_argument("--import", dest="sheet", type=Path, metavar="FILE", help="open no page: take the decisions of a redactions.csv")
    instead.add_argument(
        "--export", metavar="FILE", help="open no page: write all decisions that stand as a redactions.csv, - for standard output"
    )


def run(args: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C, or do what is wanted instead."""
    if args.verify:
        return review_exchange.verify()
    if args.sheet is not None:
        return review_exchange.take(args.sheet, args.by)
    if args.export is not None:
        return review_exchange.write(args.export, args.by)
    if args.sample is not None:
        drawn = review_sample.drawn(args.sample, args.seed or 0, args.by)
        serve(args, lambda generation: open_sampled(Path(), args.by, generation, drawn), sampled=True)
        return review_sample.conclude(drawn)
    if args.seed is not None:
        msg = "--seed says which clips are drawn: it needs --sample N"
        raise ReviewError(msg)
    opener = open_released if args.released else open_source
    return serve(args, lambda generation: opener(Path(), args.by, generation))


def serve(args: argparse.Namespace, opener: Callable[[int], OpenStudy], *, sampled: bool = False) -> int:
    """Serve the page until Ctrl-C.

    Raises
    ------
    ReviewError
        When there is nothing to review, the port is taken, or other machines could reach the page.
    """
    if args.host not in LOOPBACK and not args.reachable_from_elsewhere:
        msg = f"--host {args.host}: other machines could then see the recordings; if that is wanted, add --reachable-from-elsewhere"
        raise ReviewError(msg)
    study = StudyNow(opener, RELEASED_TABLES) if args.released or sampled else StudyNow(opener, TABLES, QUESTIONS_PATH)
    doorway = server.Doorway(DOORWAY)
    try:
        place = None if args.at is None else place_of(args.at, study.get().recordings())
        with server.listening(args.host, args.port) as opened:
            session = server.session_of(opened, args.host)

            def ready() -> None:
                sys.stdout.write(f"The review is open at\n  {session.address}\nCtrl-C ends it; what was decided is kept.\n")
                sys.stdout.flush()
                if not args.no_browser:
                    doorway.open(session.address)

            app = ReviewApp(study, session, released=args.released, sampled=sampled, place=place, entered=doorway.close)
            server.serve(app.asgi(), opened, ready)
    finally:
        doorway.close()
        study.close()
    return 0


def place_of(text: str, recordings: list[RecordingSummary]) -> Place:
    """Return the place that ``RECORDING:TIME`` names; without a time it is the beginning.

    Raises
    ------
    ReviewError
        When there is no such recording, or the time is none.
    """
    # Names may hold colons, and times do: the longest name that the text begins with is meant.
    named = [one for one in recordings if text == one.name or text.startswith(f"{one.name}:")]
    if not named:
        name = text.partition(":")[0]
        msg = f"--at {text}: there is no recording '{name}'; {_like(name, recordings)}"
        raise ReviewError(msg)
    one = max(named, key=lambda recording: len(recording.name))
    return Place(one.number, seconds_of(text[len(one.name) + 1 :] or "0", text))


def _like(name: str, recordings: list[RecordingSummary]) -> str:
    close = near(name, [one.name for one in recordings])
    return f"did you mean '{close}'?" if close else "the page lists all of them"


def seconds_of(time: str, text: str) -> float:
    """Return the seconds of 12.5, 3:20 or 1:02:03; ``text`` is what was typed, for the message.

    Raises
    ------
    ReviewError
        When it is no time.

    >>> seconds_of("1:02:03.5", "")
    3723.5
    """
    parts = time.split(":")
    try:
        values = [float(part) for part in parts]
    except ValueError:
        values = []
    if not 1 <= len(values) <= 3 or not all(0 <= value < float("inf") for value in values):
        msg = f"--at {text}: '{time}' is no time such as 12.5, 3:20 or 1:02:03"
        raise ReviewError(msg)
    total = 0.0
    for value in values:
        total = total * 60 + value
    return total
