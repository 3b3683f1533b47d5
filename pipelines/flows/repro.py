"""Run the whole pipeline: `dvc repro` with one Prefect server for all stages.

A bare `dvc repro` does the same; there each stage starts a server of its own, and a refused
release may leave other stages undone.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from scrubin import settings, study
from scrubin.core import params
from scrubin.core.errors import ReviewError, ScrubinError
from scrubin.review.ledger import Ledger
from server import QUIET, ServerError, die_with_parent, prefect_server

INTERRUPTED = 130


def main() -> int:
    """Return the exit code of DVC; arguments are passed on to `dvc repro`."""
    die_with_parent()
    try:
        settings.check_all()
        study.require(params.raw_folder())
    except ScrubinError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    dvc = Path(sys.executable).with_name("dvc")
    os.environ.update(QUIET)
    try:
        _take_late_decisions()
        with prefect_server():
            return subprocess.run([dvc, "repro", "--keep-going", *sys.argv[1:]], check=False, preexec_fn=die_with_parent).returncode
    except ServerError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED


def _take_late_decisions() -> None:
    """Let the stage review run again when somebody decided in the moment in which DVC noted that it was done."""
    said = Path("data/interim/review.json")
    try:
        known = json.loads(said.read_text(encoding="utf-8"))["head"]
    except (OSError, ValueError, KeyError):
        return
    ledger = Ledger()
    try:
        ledger.lines()
    except ReviewError:
        return  # the stage decisions says where the chain is broken
    if ledger.head != known:
        said.unlink()


if __name__ == "__main__":
    sys.exit(main())
