"""Run by `server_process`: has imported what serves pages, and forks a process for each server, which begins in a moment then."""

from __future__ import annotations

import gc
import importlib
import json
import os
import sys
import traceback
from pathlib import Path
from typing import Any

from scrubin import cli
from scrubin.base.store.code_of import code_of


def warm_up() -> None:
    """Do what every server would do first: import, and read the sources for the hash of what is stored."""
    for module in ("scrubin.curate.label.app", "scrubin.curate.page.app", "scrubin.curate.page.released_study"):
        importlib.import_module(module)
    for module in ("scrubin.base.files", "scrubin.media.raw_file"):
        code_of(module)
    gc.freeze()


def become(folder: str, words: list[str], printed: str, variables: dict[str, str]) -> None:
    """Be the command."""
    os.environ.clear()
    os.environ.update(variables)
    os.chdir(folder)
    with Path(os.devnull).open("rb") as nothing, Path(printed).open("wb") as out:
        for here, there in enumerate((nothing, out, out)):
            os.dup2(there.fileno(), here)
    code = 1
    try:
        code = cli.main(words)
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    # Without what an interpreter does at its end: that takes as long as to begin.
    os._exit(code)


def main() -> None:
    """Answer each line: how a process ended, null where it has not; or the number of a new one."""
    warm_up()
    for line in iter(sys.stdin.readline, ""):
        pid, *says = json.loads(line)
        answer: Any
        if pid:
            ended, status = os.waitpid(pid, os.WNOHANG)
            answer = os.waitstatus_to_exitcode(status) if ended else None
        else:
            answer = os.fork()
            if not answer:
                become(*says)
        sys.stdout.write(f"{json.dumps(answer)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
