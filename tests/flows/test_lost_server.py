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
PROGRAM = """
import os, signal
from pathlib import Path
from prefect import flow
import plumbing

def kill_server(item):
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            is_ours = int((entry / "stat").read_text().rpartition(")")[2].split()[1]) == os.getpid()
            if is_ours and b"server" in (entry / "cmdline").read_bytes():
                os.kill(int(entry.name), signal.SIGKILL)
        except OSError:
            continue

@flow(name="stage")
def stage():
    plumbing.map_items(kill_server, [1, 2, 3], name="work", here=True)

plumbing.run(stage)
"""


def test_a_stage_whose_server_is_gone_says_so_and_fails(tmp_path):
    shutil.copy(PROJECT / "params.yaml", tmp_path)
    path = os.pathsep.join([str(PROJECT / "pipelines/flows"), str(PROJECT / "pipelines")])
    environment = {name: value for name, value in os.environ.items() if name != "PREFECT_API_URL"} | {"PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 1
    assert "stage: the Prefect server no longer answers" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
