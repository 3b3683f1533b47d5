"""A Prefect server that dies while a stage runs: the stage says so in a sentence, and DVC does not take it for done."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
PROJECT = Path(__file__).parents[2]
KILL_SERVER = """
import os, signal
from pathlib import Path

def kill_server_of(parent):
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            is_its = int((entry / "stat").read_text().rpartition(")")[2].split()[1]) == parent
            if is_its and b"server\\0start\\0" in (entry / "cmdline").read_bytes():
                os.kill(int(entry.name), signal.SIGKILL)
        except OSError:
            continue
"""
STAGE = f"""{KILL_SERVER}
import plumbing
from prefect import flow

def kill_server(item):
    kill_server_of(os.getpid())

@flow(name="stage")
def stage():
    plumbing.map_items(kill_server, [1, 2, 3], name="work", here=True)

plumbing.run(stage)
"""
TWO_STAGES = f"""{KILL_SERVER}
import server, time

first = server.of_the_run()
assert server.of_the_run() == first
kill_server_of(os.getppid())
while server._answers(first):
    time.sleep(0.1)
second = server.of_the_run()
assert second != first and server._answers(second)
print("two servers")
"""
RUN = f"""
import sys
from server import run_with_server
sys.exit(run_with_server([sys.executable, "-c", {TWO_STAGES!r}]))
"""


def run(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    shutil.copy(PROJECT / "params.yaml", folder)
    path = os.pathsep.join([str(PROJECT / "pipelines/flows"), str(PROJECT / "pipelines")])
    environment = {name: value for name, value in os.environ.items() if name != "PREFECT_API_URL"} | {"PYTHONPATH": path}
    command = [sys.executable, "-c", program]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=300)


def test_a_stage_whose_server_is_gone_says_so_and_fails(tmp_path):
    done = run(STAGE, tmp_path)
    assert done.returncode == 1
    assert "stage: the Prefect server no longer answers" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_the_next_stage_of_the_run_gets_another_server(tmp_path):
    done = run(RUN, tmp_path)
    assert (done.returncode, done.stdout) == (0, "two servers\n"), done.stderr
