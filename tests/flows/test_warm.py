"""A stage that hands itself over to the process that has Prefect loaded: DVC and the terminal see what they would see without it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scrubin.base import private_paths

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="stages are forked on Linux only")]
FLOWS = Path(__file__).parents[2] / "pipelines/flows"
STAGE = """
import plumbing

import os, signal, sys, time

print(os.getcwd(), sys.argv[1:], os.environ["OWN"], sys.stdin.read(), oct(os.umask(0)), flush=True)
if __name__ == "__main__":
    how = sys.argv[1]
    if how == "wait":
        print(os.getpid(), flush=True)
        time.sleep(600)
    if how == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if how == "raises":
        raise ValueError("why")
    sys.exit({"done": None, "code": 3, "says": "what is wrong"}[how])
"""
# What DVC does: one stage after the other, and what each of them said.
DVC = """
import json, os, signal, subprocess, sys, time
from pathlib import Path

stage, results, *hows = sys.argv[1], {}, *sys.argv[2:]
own = {**os.environ, "OWN": "its own"}

def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False

for how in hows:
    done = subprocess.run([sys.executable, stage, how, "more"], env=own, input="given", capture_output=True, text=True)
    results[how] = [done.returncode, done.stdout, done.stderr.splitlines()[-1:]]
for name, end in (("interrupted", lambda one: os.killpg(one.pid, signal.SIGINT)), ("gone", lambda one: one.kill())):
    command = [sys.executable, stage, "wait"]
    with subprocess.Popen(command, env=own, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, process_group=0) as one:
        one.stdout.readline()
        pid = int(one.stdout.readline())
        end(one)
        code = one.wait(120)
        until = time.monotonic() + 60
        while alive(pid) and time.monotonic() < until:
            time.sleep(0.05)
        results[name] = [code, alive(pid), pid != one.pid]
print(json.dumps(results))
"""
CODES = {"done": 0, "code": 3, "says": 1, "raises": 1, "killed": -9}
"""What Python itself makes of each way to end."""
RUN = """
import signal, sys
sys.path.insert(0, sys.argv[1])
import contextlib, server, warm
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(server.run_with_server(sys.argv[3:], warm.started() if sys.argv[2] == "warm" else contextlib.nullcontext()))
"""


@pytest.fixture(scope="module")
def ends(tmp_path_factory):
    """What each way to end gives, with the process and without."""
    folder = tmp_path_factory.mktemp("run")
    flows = shutil.copytree(FLOWS, folder / "flows", ignore=shutil.ignore_patterns("__pycache__"))
    (flows / "trial.py").write_text(STAGE)
    (folder / "dvc.py").write_text(DVC)
    environment = {name: value for name, value in os.environ.items() if name != "PREFECT_API_URL"}
    given = {}
    for way, hows in (("warm", CODES), ("alone", ["done"])):
        command = [sys.executable, "-c", RUN, flows, way, sys.executable, folder / "dvc.py", flows / "trial.py", *hows]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True, timeout=600)
        given[way] = json.loads(done.stdout)
    return given


def test_how_a_stage_ends_is_the_same(ends):
    warm = ends["warm"]
    assert {how: warm[how][0] for how in CODES} == CODES
    assert warm["done"] == ends["alone"]["done"]
    assert warm["says"][2] == ["what is wrong"]
    assert warm["raises"][2] == ["ValueError: why"]
    assert "['done', 'more'] its own given 0o77" in warm["done"][1]


def test_a_stage_is_a_fork_only_where_a_run_has_the_process(ends):
    assert (ends["warm"]["gone"][2], ends["alone"]["gone"][2]) == (True, False)


def test_ctrl_c_reaches_the_fork_and_nothing_outlives_its_stage(ends):
    for way in ends.values():
        assert way["interrupted"][:2] == [130, False]
        assert way["gone"][:2] == [-9, False]


def test_a_stage_that_somebody_starts_by_hand_makes_the_caches_of_its_project_first(tmp_path):
    (tmp_path / ".dvc").mkdir()
    environment = {name: value for name, value in os.environ.items() if name != "SCRUBIN_WARM"}
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(FLOWS)!r}); import plumbing"]
    subprocess.run(command, cwd=tmp_path, env=environment, check=True, timeout=120)
    assert {(tmp_path / name).is_dir() for name in private_paths.CACHES} == {True}
