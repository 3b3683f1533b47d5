"""`scrubin remove RECORDING`: a recording goes from every list of the raw study."""

from __future__ import annotations

import argparse
import sys

from scrubin import study
from scrubin.annotations.params import AnnotationsParams
from scrubin.core import params
from scrubin.engine.only_run import only_run
from scrubin.listing import changes, removal, unfinished
from scrubin.listing.given_ids import given_ids
from scrubin.release import shrinking
from scrubin.release.params import ReleaseParams

NOT_YET = "nothing is changed yet; to do it, run it again with --yes"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the recording."""
    parser.add_argument("recording", help="as recordings.csv calls it; of somebody who withdrew, see 'scrubin withdraw' instead")
    parser.add_argument("--yes", action="store_true", help="do it; otherwise it is only said what would be done")


def run(args: argparse.Namespace) -> int:
    """Say what goes, and take it out of every list with ``--yes``."""
    raw = params.raw_folder()
    study.refuse_demo(raw)
    with only_run():
        unfinished.refuse()
        last = shrinking.before(params.load("release", ReleaseParams).name)["recordings"]
        id_ = given_ids().get(args.recording)
        planned = removal.plan(raw, params.load("annotations", AnnotationsParams).sources, args.recording, id_)
        sys.stdout.write("".join(f"{line}\n" for one in planned for line in one.lines()))
        if args.yes:
            changes.apply(planned)
    said = [f"done: '{args.recording}' is in no list any more; what people decided about it stays in the ledger, and counts nothing"]
    if args.recording in last:
        said.append("the last release held it: set release.may_shrink to true in params.yaml, or the next one is refused")
    sys.stdout.write("".join(f"{line}\n" for line in (said if args.yes else [NOT_YET])))
    return 0
