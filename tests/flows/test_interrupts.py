"""Ctrl-C at any moment of a run: no traceback, exit code 130, and no stage begins afterwards."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

FLOWS = Path(__file__).parents[2] / "pipelines/flows"
INTERRUPTED = 130
# DVC, as far as it matters here: deaf while a stage runs, and then it goes on with the next.
DVC = """
import signal, subprocess, sys, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
print("a stage runs", flush=True)
time.sleep(3)
print("stages go on", subprocess.run([sys.executable, "-c", sys.argv[1]]).returncode, flush=True)
"""
STAGE = "import server; print('address', server.of_the_run())"
RUN = """
import sys
from server import run_with_server
try:
    run_with_server([sys.executable, "-c", *sys.argv[1:]])
except KeyboardInterrupt:
    sys.exit(130)
"""


def environment(*first: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name != "PREFECT_API_URL"}
    return kept | {"PYTHONPATH": os.pathsep.join(map(str, (*first, FLOWS, FLOWS.parent)))}


def heeding() -> None:
    """Let Ctrl-C have its usual effect: what is started in the background ignores it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize(("program", "loads"), [("repro", "scrubin"), ("ingest", "prefect")])
def test_ctrl_c_while_modules_are_loaded_ends_without_a_word(program, loads, tmp_path):
    (tmp_path / loads).mkdir()
    (tmp_path / loads / "__init__.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    done = subprocess.run(
        [sys.executable, FLOWS / f"{program}.py"],
        cwd=tmp_path,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=heeding,
    )
    assert (done.returncode, done.stderr) == (INTERRUPTED, "")


@pytest.mark.slow
def test_after_ctrl_c_dvc_begins_no_other_stage():
    run = subprocess.Popen(
        [sys.executable, "-c", RUN, DVC, STAGE],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heeding,  # noqa: PLW1509 - no thread of ours runs
    )
    assert run.stdout.readline() == "a stage runs\n"
    run.send_signal(signal.SIGINT)
    try:
        out, _ = run.communicate(timeout=120)
    finally:
        run.kill()
    assert run.returncode == INTERRUPTED
    assert "address" not in out
    assert "go on" not in out
