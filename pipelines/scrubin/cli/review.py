"""`scrubin review`: a person looks at the study in the browser, then decides what is hidden."""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from scrubin.base import files, strangers
from scrubin.base.errors import ReviewError
from scrubin.base.faults import count_text, near
from scrubin.base.machine import LOOPBACK
from scrubin.stages.review import events
from scrubin.stages.review.events import CLIP_S, Sampled
from scrubin.stages.review.ledger import FIRST, LEDGER_PATH, Ledger

if TYPE_CHECKING:
    from scrubin.curate.page.app import Place
    from scrubin.curate.page.open_study import OpenStudy
    from scrubin.stages.review.views import RecordingSummary

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
    from scrubin.curate.page.open_study import open_source
    from scrubin.curate.page.released_study import open_released
    from scrubin.curate.page.sampled_study import open_sampled

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
    from scrubin.curate.page import server
    from scrubin.curate.page.app import ReviewApp
    from scrubin.curate.page.open_study import RELEASED_TABLES, TABLES, StudyNow
    from scrubin.stages.review.questions import QUESTIONS_PATH

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
    from scrubin.curate.page.app import Place

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


STDOUT = "-"


def verify_ledger(path: Path = LEDGER_PATH) -> int:
    """Prove the chain of the ledger, and that it goes on from what the pipeline has seen; say what is in it.

    Raises
    ------
    ReviewError
        When the chain is broken, or lines at its end are gone.
    """
    from scrubin.stages.release import gates

    ledger = Ledger(path)
    lines = ledger.lines()
    if gates.REVIEW_PATH.is_file():
        known = gates.load_review()
        cleaned = bool(lines) and lines[0].event in events.NOBODYS and lines[0].facts["of"] >= known["lines"]
        if (
            not cleaned
            and known["head"] != FIRST
            and known["head"] not in {line.sha256 for line in lines[known["lines"] - 1 : known["lines"]]}
        ):
            msg = (
                f"{path}: the pipeline has seen {known['lines']} lines of it, the last with hash {known['head'][:12]}…, and that one "
                "is not there: lines at the end were taken out or written anew; restore the file from a copy"
            )
            raise ReviewError(msg)
    back = sum(later.at < earlier.at for earlier, later in pairwise(lines))
    people = sorted({line.by for line in lines if line.event not in events.NOBODYS})
    by = "1 person" if len(people) == 1 else f"{len(people)} people"
    sys.stdout.write(f"{path}: {count_text(len(lines), 'line')} by {by}, the chain holds; head {ledger.head}\n")
    for person in people:
        mine = [line.event for line in lines if line.by == person]
        counts = ", ".join(f"{mine.count(event)} {event}" for event in events.EVENTS if event in mine)
        sys.stdout.write(f"  {person}: {counts}\n")
    for line in lines:
        if line.event == "forgotten":
            sys.stdout.write(f"  {line.facts['lines']} of {line.facts['of']} lines were taken out, because somebody withdrew\n")
        if line.event == "renamed":
            sys.stdout.write(
                f"  {line.facts['changed']} of {line.facts['of']} lines say another name of a recording, because it was renamed\n"
            )
    if back:
        sys.stdout.write(f"  a clock was set back {back} times; the order of the lines is that of the file\n")
    if ledger.torn_bytes:
        sys.stdout.write(f"  {ledger.torn_bytes} bytes of an unfinished line at the end count nothing; the next decision sets them aside\n")
    return 0


def take_sheet(sheet: Path, by: str | None) -> int:
    """Append what a sheet says and the ledger does not.

    Raises
    ------
    ManifestError, RecordingError, ReviewError
        When a row cannot be used: then nothing is appended.
    """
    from scrubin.stages.review import exchange
    from scrubin.stages.review.desk import Desk

    data = _bytes(sheet)
    desk = Desk.open(by=by)
    done = exchange.read_sheet(data, desk.reviewed, desk.standing, desk.times_s, desk.set_aside())
    desk.append_all(done.events)
    sys.stdout.write(f"{sheet}: {count_text(len(done.events) - 1, 'new decision')}\n")
    _list("these overrule earlier ones:", done.changes)
    _list("decided earlier and not in the sheet; they stay (withdraw them on the page):", done.absent)
    _list("rejects what no detector has proposed:", done.unmet)
    return 0


def write_sheet(sheet: str, by: str | None) -> int:
    """Write all decisions that stand as a sheet, ``-`` for standard output."""
    from scrubin.stages.review import exchange
    from scrubin.stages.review.desk import Desk

    desk = Desk.open(by=by)
    text = exchange.sheet_text(desk.reviewed, desk.standing)
    if sheet == STDOUT:
        sys.stdout.write(text)
        return 0
    files.write_text(Path(sheet), text)
    rows = text.count("\n") - 1
    desk.append_exported(events.Sheet(hashlib.sha256(text.encode()).hexdigest(), rows))
    sys.stdout.write(f"{sheet}: {rows} decisions\n")
    return 0


def _bytes(path: Path) -> bytes:
    try:
        return strangers.read_bytes(path)
    except OSError as error:
        msg = f"{path}: cannot be read ({error.strerror}); name a sheet such as data/raw/redactions.csv"
        raise ReviewError(msg) from error


def _list(heading: str, sentences: Sequence[str]) -> None:
    if sentences:
        sys.stdout.write(heading + "".join(f"\n  {one}" for one in sentences) + "\n")


MOST_CLIPS = 2000


def draw_clips(count: int, seed: int, by: str | None, folder: Path = Path()) -> Sampled:
    """Draw clips of the finished release and note them in the ledger; the same draw is noted once, and goes on where it stopped.

    Raises
    ------
    ReviewError
        When there is no finished release, or nothing in it to look at.
    """
    from scrubin.stages.release import released_clips
    from scrubin.stages.review import sample
    from scrubin.stages.review.desk import Desk

    if not 1 <= count <= MOST_CLIPS or seed < 0:
        msg = f"--sample is a number of clips from 1 to {MOST_CLIPS}, and --seed a whole number from 0"
        raise ReviewError(msg)
    desk, videos = Desk.open(folder, by), released_clips.load_released(folder)
    released_clips.require_finished(folder, videos)
    population = released_clips.population(folder, videos, desk.times_s)
    if not population:
        msg = "every released second is black: there is nothing to look at"
        raise ReviewError(msg)
    sha256 = released_clips.sha256_of_release(videos)
    wanted = Sampled(sha256, seed, len(population), sample.draw(population, count, seed, sha256))
    if wanted not in [one.drawn for one in sample.samples(desk.lines())]:
        desk.sample(wanted)
    sys.stdout.write(f"{len(wanted.clips)} of {wanted.population} clips, each of at most {events.CLIP_S} s, drawn with seed {seed}.\n")
    return wanted


def conclude(wanted: Sampled, folder: Path = Path()) -> int:
    """Say what the sample proves, and renew the private certificate; 1 when there is a finding."""
    from scrubin.stages.release.certificate import issue
    from scrubin.stages.review import sample

    lines = Ledger(folder / LEDGER_PATH).lines()
    one = next(one for one in sample.samples(lines) if one.drawn == wanted)
    sys.stdout.write(f"{sample.sentence(sample.proof(one))}\n")
    for finding in one.findings:
        clip = finding.clip
        place = f"'{clip.recording}' (released as {clip.id}), {clip.start_s:g} to {clip.end_s:g} s of the release"
        sys.stdout.write(f"  finding: {place}: {finding.why}\n")
    if one.findings:
        sys.stdout.write("Hide it: run 'scrubin review', decide, then make repro. The new videos need a new sample.\n")
    sys.stdout.write(issue.renew(folder, lines))
    return 1 if one.findings else 0
