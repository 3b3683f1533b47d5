"""A second run in the same folder is refused at once; DVC by hand counts, and its short commands are waited for."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import server
import state
from scrubin.base import posix
from scrubin.base.errors import StageError
from scrubin.curate.engine import run as module
from scrubin.curate.engine.run import only_run

HOLDS = "import sys, time\nfrom pathlib import Path\nfrom scrubin.curate.engine.run import only_run\n"
HOLDS += "with only_run(Path(sys.argv[1])): print('held', flush=True); time.sleep(600)"


@pytest.fixture
def other(tmp_path):
    with subprocess.Popen([sys.executable, "-c", HOLDS, str(tmp_path)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_a_second_run_is_refused_with_the_number_of_the_first(tmp_path, other):
    with pytest.raises(StageError, match=rf"another run is going on in this folder \(process {other.pid}\)"), only_run(tmp_path):
        pass
    # Nobody waited for it to end.
    assert other.poll() is None


def test_a_run_that_was_killed_holds_nothing(tmp_path, other):
    other.kill()
    other.wait()
    with only_run(tmp_path):
        pass


def test_dvc_at_work_on_a_stage_is_another_run_and_a_dead_one_is_not(tmp_path):
    notes = tmp_path / ".dvc/tmp/rwlock"
    notes.parent.mkdir(parents=True)
    command = [sys.executable, "-c", "print(flush=True); input()", "dvc", "repro"]
    working = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert working.stdout is not None
    working.stdout.readline()  # a process that is only just called has no command yet
    notes.write_text(json.dumps({"write": {"data/release": {"pid": working.pid, "cmd": "dvc repro"}}, "read": {}}))
    with pytest.raises(StageError, match=rf"DVC is at work in this folder \(process {working.pid}\)"), only_run(tmp_path):
        pass
    assert notes.is_file()
    working.communicate(b"\n")
    ended = subprocess.Popen([sys.executable, "-c", ""])
    os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
    assert Path(f"/proc/{ended.pid}").is_dir()
    for dead in (2**22 + 1, ended.pid):
        notes.write_text(json.dumps({"write": {"data/release": {"pid": dead, "cmd": "dvc repro"}}}))
        with only_run(tmp_path):
            pass
    ended.wait()


def test_a_process_is_known_by_its_command_also_where_the_kernel_shows_none(monkeypatch, tmp_path):
    said = []
    for folder in (posix.PROCESSES, tmp_path / "none"):
        monkeypatch.setattr(posix, "PROCESSES", folder)
        assert posix.command_of(2**22 + 1) == ""
        said.append(posix.command_of(os.getpid()).strip())
    assert said[0] == said[1]
    assert sys.executable in said[0] or "python" in said[0]


@pytest.mark.parametrize(
    "notes",
    [json.dumps({"write": {"data/release": {"pid": os.getpid(), "cmd": "dvc repro"}}, "read": {}}), '{"write": {"data/rel', ""],
    ids=["its number is another process's now", "unfinished", "empty"],
)
def test_what_a_killed_dvc_noted_holds_nobody_up(tmp_path, notes):
    at = tmp_path / ".dvc/tmp/rwlock"
    at.parent.mkdir(parents=True)
    at.write_text(notes)
    (tmp_path / ".dvc/tmp/lock").touch()
    with only_run(tmp_path):
        assert not at.exists()


def test_the_lock_of_a_short_command_is_waited_for(tmp_path, monkeypatch):
    lock = tmp_path / ".dvc/tmp/lock"
    lock.parent.mkdir(parents=True)
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        monkeypatch.setattr(module, "WAIT_S", 0.1)
        with pytest.raises(StageError, match="DVC is at work"), only_run(tmp_path):
            pass
        monkeypatch.setattr(module, "WAIT_S", 30)
        threading.Timer(0.2, lambda: fcntl.flock(held, fcntl.LOCK_UN)).start()
        with only_run(tmp_path):
            pass


@pytest.mark.slow
def test_the_server_starts_with_the_first_stage_that_asks_and_not_before(tmp_path, monkeypatch):
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    started: list[int] = []

    class Healthy(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    class Server:
        def __enter__(self) -> str:
            started.append(1)
            self.http = ThreadingHTTPServer(("127.0.0.1", 0), Healthy)
            threading.Thread(target=self.http.serve_forever, daemon=True).start()
            return f"http://127.0.0.1:{self.http.server_port}/api"

        def __exit__(self, *_: object) -> None:
            started.append(-1)
            self.http.shutdown()
            self.http.server_close()

    monkeypatch.setattr(server, "_own_server", Server)
    assert server.run_with_server([sys.executable, "-c", "raise SystemExit(3)"]) == 3
    assert started == []
    flows = Path(server.__file__).parent
    asks = f"import sys; sys.path.insert(0, {str(flows)!r}); import server; print(server.of_the_run()); print(server.of_the_run())"
    out = tmp_path / "out"
    assert server.run_with_server([sys.executable, "-c", f"import sys; sys.stdout = open({str(out)!r}, 'w'); {asks}"]) == 0
    first, second = out.read_text().split()
    assert first == second != ""
    assert started == [1, -1]


def test_a_server_that_does_not_start_is_said_once_and_stages_go_on_without_it(tmp_path, monkeypatch, capsys):
    def late():
        raise server.ServerError("it is late")

    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    monkeypatch.setattr(server, "_own_server", late)
    flows = str(Path(server.__file__).parent)
    asks = f"import sys; sys.path.insert(0, {flows!r}); import server; print([server.of_the_run() for _ in '12'])"
    out = tmp_path / "out"
    assert server.run_with_server([sys.executable, "-c", f"import sys; sys.stdout = open({str(out)!r}, 'w'); {asks}"]) == 0
    assert out.read_text() == "['', '']\n"
    assert capsys.readouterr().err.count("it is late") == 1


def test_on_a_shared_disk_dvc_keeps_its_notes_on_a_local_one(tmp_path, monkeypatch):
    monkeypatch.delenv(state.VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "local"))
    monkeypatch.chdir(tmp_path)
    assert state.local_state() == {}
    monkeypatch.setattr(state, "is_shared", lambda path: path == Path.cwd())
    folder = Path(state.local_state()[state.VARIABLE])
    assert folder.is_dir()
    assert folder.is_relative_to(tmp_path / "local")
    monkeypatch.setenv(state.VARIABLE, "mine")
    assert state.local_state() == {}
