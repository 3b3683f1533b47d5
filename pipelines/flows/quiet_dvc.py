"""DVC itself, without what it says of its own affairs; which stages failed is noted for the end of the run."""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path
from typing import Any

import dvc.repo.reproduce as reproduce
import dvc.stage.run as stage_run
from dvc import cli, dvcfile, output, rwlock
from dvc.exceptions import ReproductionError
from dvc.repo import scm_context
from dvc.ui import ui

NOTES = Path(".cache/stopped.json")
"""The stages of the last run that failed."""
OWN_AFFAIRS = (
    "'%s' is empty.",  # an empty list is a study without it
    "Process '%s' with (Pid %s), in RWLock-file",  # a killed run is nothing to worry about: what was finished is kept
    "\nTo track the changes with git",
    "\nTo enable auto staging",
    "Updating lock file",
    "Generating lock file",
)
ADVICE = "Use `dvc push` to send your updates to remote storage."
"""There may be no remote storage; what comes next is said at the end of the run."""


def is_told(record: logging.LogRecord) -> bool:
    """Whether a curator gets to hear a line of DVC: a stage that failed has said why, in its own words."""
    # The command of a stage that has just been named, and what the stage itself has said.
    of_stage = record.getMessage().startswith(("> exec ", "failed to run: exec "))
    said_by_stage = of_stage or (record.exc_info and record.exc_info[0] is ReproductionError)
    return not said_by_stage and not str(record.msg).startswith(OWN_AFFAIRS)


def note_failures() -> None:
    """Note which stages fail, in the moment in which DVC does."""
    failed: list[str] = []
    before = reproduce.handle_error

    def handle_error(graph: Any, on_error: str, exc: Exception, stage: Any) -> Any:
        failed.append(stage.addressing)
        NOTES.write_text(json.dumps(failed), encoding="utf-8")
        return before(graph, on_error, exc, stage)

    reproduce.handle_error = handle_error


def leave_out_advice() -> None:
    """Print what DVC prints, without its advice."""
    write = ui.write

    def write_but_advice(*objects: Any, **how: Any) -> None:
        if objects != (ADVICE,):
            write(*objects, **how)

    ui.write = write_but_advice


def run() -> int:
    """Run DVC with the arguments of this program and return its exit code."""
    for module in (cli, dvcfile, output, rwlock, reproduce, scm_context, stage_run):
        module.logger.addFilter(is_told)
    NOTES.parent.mkdir(parents=True, exist_ok=True)
    NOTES.unlink(missing_ok=True)
    note_failures()
    leave_out_advice()
    return int(cli.main(sys.argv[1:]))


if __name__ == "__main__":
    sys.exit(run())
