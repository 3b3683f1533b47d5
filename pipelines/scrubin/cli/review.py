"""`scrubin review`: a person looks at the study in the browser, then decides what is hidden."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from scrubin.base.errors import ArgumentsError
from scrubin.base.layout import PRIVATE
from scrubin.base.machine import LOOPBACK
from scrubin.cli.answers import print_lines
from scrubin.cli.arguments import STDOUT, written_or_shown
from scrubin.stages.review import LEDGER_PATH
from scrubin.stages.review.events import CLIP_S, Sampled

if TYPE_CHECKING:
    from scrubin.curate.page.open_study import OpenStudy


# Beside the ledger: what leads a browser to the page is private.
DOORWAY = PRIVATE / "review/open.html"


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
        "--export",
        type=written_or_shown,
        metavar="FILE",
        help="open no page: write all decisions that stand as a redactions.csv, - for standard output",
    )


def run(args: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C, or do what is wanted instead."""
    from scrubin.curate.page.open_study import open_source
    from scrubin.curate.page.released_study import open_released, open_sampled

    if args.verify:
        return verify_ledger()
    if args.sheet is not None:
        return take_sheet(args.sheet, args.by)
    if args.export is not None:
        return write_sheet(args.export, args.by)
    if args.sample is not None:
        drawn = draw_clips(args.sample, args.seed or 0, args.by)
        serve(args, lambda generation: open_sampled(Path(), args.by, generation, drawn), sampled=True)
        return conclude(drawn)
    if args.seed is not None:
        raise ArgumentsError("--seed says which clips are drawn: it needs --sample N")
    opener = open_released if args.released else open_source
    return serve(args, lambda generation: opener(Path(), args.by, generation))


def serve(args: argparse.Namespace, opener: Callable[[int], OpenStudy], *, sampled: bool = False) -> int:
    """Serve the page until Ctrl-C.

    Raises
    ------
    ReviewError
        When there is nothing to review, the port is taken, or other machines could reach the page.
    """
    from scrubin.audit.expected import withdrawal_memory
    from scrubin.curate.page import server
    from scrubin.curate.page.app import ReviewApp
    from scrubin.curate.page.open_study import RELEASED_TABLES, TABLES, StudyNow
    from scrubin.curate.page.requests import place_of
    from scrubin.stages.review.questions import QUESTIONS_PATH

    if args.host not in LOOPBACK and not args.reachable_from_elsewhere:
        msg = f"--host {args.host}: other machines could then see the recordings; if that is wanted, add --reachable-from-elsewhere"
        raise ArgumentsError(msg)
    tables = RELEASED_TABLES if args.released or sampled else TABLES
    study = StudyNow(opener, tables, QUESTIONS_PATH, withdrawal_memory.PATH)
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


def verify_ledger(path: Path = LEDGER_PATH) -> int:
    """Prove the ledger, and say what is in it."""
    from scrubin.curate.by_hand import ledger

    print_lines(ledger.prove(path))
    return 0


def take_sheet(sheet: Path, by: str | None) -> int:
    """Append what a sheet says and the ledger does not."""
    from scrubin.curate.by_hand import ledger

    print_lines(ledger.take(sheet, by))
    return 0


def write_sheet(sheet: str, by: str | None) -> int:
    """Write all decisions that stand as a sheet, ``-`` for standard output."""
    from scrubin.curate.by_hand import ledger

    if sheet == STDOUT:
        done = ledger.text(by)
        sys.stdout.write(done.text)
    else:
        done = ledger.write(Path(sheet), by)
        sys.stdout.write(f"{sheet}: {done.rows} decisions\n")
    for sentence in done.left_out:
        sys.stderr.write(f"{sentence}\n")
    return 0


def draw_clips(count: int, seed: int, by: str | None, folder: Path = Path()) -> Sampled:
    """Draw clips of the finished release, and say how many."""
    from scrubin.curate.by_hand import ledger

    drawn, gone = ledger.draw_clips(count, seed, by, folder)
    for name in gone:
        sys.stdout.write(f"'{name}' was withdrawn from the study: no clip of it is drawn or shown.\n")
    sys.stdout.write(f"{len(drawn.clips)} of {drawn.population} clips, each of at most {CLIP_S} s, drawn with seed {seed}.\n")
    return drawn


def conclude(drawn: Sampled, folder: Path = Path()) -> int:
    """Say what the sample proves, and renew the private certificate; 1 when there is a finding."""
    from scrubin.curate.by_hand import ledger

    conclusion = ledger.conclude(drawn, folder)
    print_lines(conclusion.lines)
    return 1 if conclusion.has_findings else 0
