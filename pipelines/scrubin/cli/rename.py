"""`scrubin rename OLD NEW`: a recording gets another name in every list that names it; its released id stays."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from scrubin import study
from scrubin.annotations.params import AnnotationsParams
from scrubin.core import params
from scrubin.core.errors import ScrubinError
from scrubin.core.ranges import count_text
from scrubin.engine.only_run import only_run
from scrubin.listing import changes, unfinished
from scrubin.listing import renaming as in_lists
from scrubin.release import review_gate
from scrubin.render.params import RenderParams
from scrubin.review import renaming as in_ledger
from scrubin.review.ledger import LEDGER_PATH, Ledger
from scrubin.withdrawal import memory

NOT_YET = "nothing is changed yet; to do it, run it again with --yes"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare both names."""
    parser.add_argument("old", help="name of a recording, as recordings.csv has it")
    parser.add_argument("new", help="its name from now on")
    parser.add_argument("--yes", action="store_true", help="do it; otherwise it is only said what would be done")


def run(args: argparse.Namespace) -> int:
    """Say where the name stands, and change it there with ``--yes``."""
    raw = params.raw_folder()
    study.refuse_demo(raw)
    with only_run():
        sources = params.load("annotations", AnnotationsParams).sources
        unfinished.refuse((args.old, args.new))
        planned = in_lists.plan(raw, sources, args.old, args.new, memory.load(), goes_on=unfinished.names() is not None)
        ledger = Ledger()
        lines = in_ledger.count(ledger, args.old)
        said = [line for one in planned for line in one.lines()]
        said += (
            [f"{LEDGER_PATH}: '{args.new}' in {count_text(lines, 'line')}, in a new chain; nothing that was decided changes"]
            if lines
            else []
        )
        sys.stdout.write("".join(f"{line}\n" for line in said))
        if not args.yes:
            sys.stdout.write(f"{NOT_YET}\n")
            return 0
        with unfinished.noted(args.old, args.new):
            _do(planned, ledger, args.old, args.new)
    done = [f"done: '{args.old}' is '{args.new}' in every list"]
    if params.load("render", RenderParams).duration_jitter_s:
        done.append("render.duration_jitter_s draws by name: another random length is trimmed off its end now")
    sys.stdout.write("".join(f"{line}\n" for line in done))
    return 0


def _do(planned: Sequence[changes.Change], ledger: Ledger, old: str, new: str) -> None:
    # The ledger first: it is whole or as it was, and the rest can be taken back.
    if in_ledger.rename(ledger, old, new):
        # It repeats what people decided; the stage review writes it anew.
        review_gate.REVIEW_PATH.unlink(missing_ok=True)
    try:
        changes.apply(planned)
    except ScrubinError:
        in_ledger.rename(ledger, new, old)
        raise
