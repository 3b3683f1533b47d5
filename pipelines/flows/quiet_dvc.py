"""DVC itself, for one run: without what it says of its own affairs, with what the end of the run must know."""

from __future__ import annotations

import io
import json
import logging
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO

import dvc.repo.reproduce as reproduce
import dvc.stage.run as stage_run
from dvc import cli, dvcfile, output, rwlock
from dvc.exceptions import ReproductionError
from dvc.repo import scm_context
from dvc.stage import Stage
from dvc.ui import ui
from dvc.utils.serialize import _yaml as yaml_files

from scrubin.curate.project.outputs import LOCK
from scrubin.stages.withdrawals import releases
from state import REASONS

NOTES = Path(".cache/stopped.json")
"""The stages of the last run that failed, each with its reason, those that wait for them, and how many stages there are."""
STAGES = "stages"
LOCK_KEYS = ["schema", STAGES]
"""What DVC writes into a lock, in this order."""
REASONS_FOLDER = Path(".cache/reasons")
OWN_AFFAIRS = (
    "'%s' is empty.",  # an empty list is a study without it
    "Process '%s' with (Pid %s), in RWLock-file",  # a killed run is nothing to worry about: what was finished is kept
    "\nTo track the changes with git",
    "\nTo enable auto staging",
    "Updating lock file",
    "Generating lock file",
    "%s %s will be skipped due to this failure",  # said at the end of the run
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
    """Note which stages fail and why, in the moment in which DVC does."""
    failed: dict[str, str] = {}
    waiting: set[str] = set()
    before = reproduce.handle_error

    def handle_error(graph: Any, on_error: str, exc: Exception, stage: Any) -> Any:
        failed[stage.addressing] = _reason(stage.addressing)
        skipped = before(graph, on_error, exc, stage)
        waiting.update(one.addressing for one in skipped)
        notes = {"failed": failed, "waiting": sorted(waiting), "stages": len(graph or (stage,))}
        NOTES.write_text(json.dumps(notes), encoding="utf-8")
        return skipped

    reproduce.handle_error = handle_error


def _reason(stage: str) -> str:
    """Return what a stage left; one that ended otherwise has said it on the terminal."""
    try:
        return (REASONS_FOLDER / stage).read_text(encoding="utf-8")
    except OSError:
        return ""


def leave_out_advice() -> None:
    """Print what DVC prints, without its advice."""
    write = ui.write

    def write_but_advice(*objects: Any, **how: Any) -> None:
        if objects != (ADVICE,):
            write(*objects, **how)

    ui.write = write_but_advice


def read_lock_for_its_values() -> None:
    """Read the lock as DVC reads it elsewhere: it has values only, and to keep comments takes four times as long, after each stage."""
    before = yaml_files.parse_yaml_for_update

    def parse(text: str, path: str) -> Any:
        return (yaml_files.parse_yaml if Path(path).name == LOCK.name else before)(text, path)

    yaml_files.parse_yaml_for_update = parse


def write_lock_stage_by_stage() -> None:
    """Lay out only the stages of the lock that are not as they were: DVC writes all of it after each, for a fifth of a second.

    What is written is what DVC itself writes of the whole: how it lays out a stage does not depend on the others.
    """
    before, known = yaml_files._dump, dict[str, str]()

    def laid_out(data: Mapping[str, Any]) -> str:
        text = io.StringIO()
        before(data, text)
        return text.getvalue()

    def text_of(name: str, stage: Any) -> str:
        words = repr((name, stage))  # equal values may be written in two ways, as True and 1
        if words not in known:
            known[words] = laid_out({STAGES: {name: stage}}).partition("\n")[2]
        return known[words]

    def dump(data: Any, stream: TextIO) -> Any:
        # Another file, or a lock with more than DVC gives this project, is left to DVC.
        if not isinstance(data, dict) or list(data) != LOCK_KEYS or not data[STAGES]:
            return before(data, stream)
        texts = [text_of(name, stage) for name, stage in data[STAGES].items()]
        return stream.write(laid_out({key: value for key, value in data.items() if key != STAGES}) + f"{STAGES}:\n" + "".join(texts))

    yaml_files._dump = dump


def name_no_release_meanwhile() -> None:
    """Let the lock name no release from when a stage before it runs until it is released again, or nothing that it needs has changed.

    Otherwise a run that is killed would leave named what the study has just hidden.
    """
    before, held = releases.needed(), releases.HeldBack()
    run_stage, reproduce_stage = Stage._run_stage, Stage.reproduce

    def run_and_hold_back(stage: Stage, dry: bool, *how: Any, **more: Any) -> Any:
        if stage.addressing in before and not dry:
            held.take()
        return run_stage(stage, dry, *how, **more)

    def reproduce_and_put_back(stage: Stage, *how: Any, **more: Any) -> Any:
        try:
            done = reproduce_stage(stage, *how, **more)
        except Exception:  # raised again: DVC says what it was
            if stage.addressing in before and not more.get("dry"):
                held.take()
            raise
        if stage.addressing == releases.STAGE and done is None:
            held.put_back()
        return done

    Stage._run_stage, Stage.reproduce = run_and_hold_back, reproduce_and_put_back


def run() -> int:
    """Run DVC with the arguments of this program and return its exit code."""
    for module in (cli, dvcfile, output, rwlock, reproduce, scm_context, stage_run):
        module.logger.addFilter(is_told)
    NOTES.parent.mkdir(parents=True, exist_ok=True)
    NOTES.unlink(missing_ok=True)
    shutil.rmtree(REASONS_FOLDER, ignore_errors=True)
    REASONS_FOLDER.mkdir()
    os.environ[REASONS] = str(REASONS_FOLDER.resolve())
    note_failures()
    name_no_release_meanwhile()
    leave_out_advice()
    read_lock_for_its_values()
    write_lock_stage_by_stage()
    return int(cli.main(sys.argv[1:]))


if __name__ == "__main__":
    sys.exit(run())
