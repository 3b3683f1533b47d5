"""The command `scrubin review`: its doorway, its address, and what it refuses before it serves."""

from __future__ import annotations

import http.client
import json
import shutil
import socket
import subprocess
from contextlib import closing

import pytest

import review_server
import review_study
import server_process
from scrubin import cli
from scrubin.base.errors import ReviewError
from scrubin.curate.page import server


def test_the_doorway_is_a_file_that_only_its_owner_can_read(tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address) or True)
    doorway = server.Doorway(tmp_path / "private/open.html")
    assert doorway.open("http://127.0.0.1:1/enter#token")
    assert "token" not in opened[0]
    assert doorway.path.stat().st_mode & 0o777 == 0o600
    assert "/enter#token" in doorway.path.read_text(encoding="utf-8")
    doorway.close()
    doorway.close()
    assert not doorway.path.exists()


def test_a_taken_port_is_said_in_a_sentence():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ReviewError, match=f"port {port} is taken"), server.listening("127.0.0.1", port):
            pass


@pytest.mark.parametrize(
    ("host", "port", "says"),
    [("0.0.0.0", 0, "name the one address"), ("127.0.0.1", 70000, "0 to 65535"), ("192.0.2.1", 0, "cannot listen there")],
)
def test_an_address_that_cannot_be_served_is_refused(host, port, says):
    with pytest.raises(ReviewError, match=says), server.listening(host, port):
        pass


@pytest.mark.slow
def test_the_command_serves_ends_with_ctrl_c_and_prints_no_name(folder):
    with review_server.running(folder, "--at", "single:2.5") as running:
        for path in ("/../../params.yaml", "/static/%2e%2e/app.py", "/still/1/mono/0", "/nothing"):
            with closing(http.client.HTTPConnection("127.0.0.1", running.port, timeout=60)) as connection:
                connection.putrequest("GET", path, skip_host=True)
                connection.putheader("Host", f"127.0.0.1:{running.port}")
                connection.endheaders()
                with connection.getresponse() as answer:
                    assert answer.status in (403, 404)
                    assert "server" not in {name.lower() for name, _ in answer.getheaders()}
                    assert "error" in json.loads(answer.read())
        taken = subprocess.run(
            [*review_server.COMMAND, f"--port={running.port}"],
            cwd=folder,
            env=server_process.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert taken.returncode == 1
        assert f"scrubin review: port {running.port} is taken" in taken.stderr
        assert running.interrupt() == 0
        assert "single" not in running.output
        assert "Traceback" not in running.output
    assert not (folder / "data/private/review/open.html").exists()


@pytest.mark.parametrize(
    ("code", "options", "says"),
    [
        (2, ["--host", "10.0.0.1"], "--reachable-from-elsewhere"),
        (1, ["--at", "singel:3"], "did you mean 'single'"),
        (1, ["--at", "single:x"], "is no time"),
    ],
)
def test_the_command_refuses_before_it_serves(folder, code, options, says, capsys):
    assert cli.main(["review", "--no-browser", *options]) == code
    assert says in capsys.readouterr().err


def test_without_tables_the_command_says_what_to_run(tmp_path, monkeypatch, capsys):
    shutil.copy(review_study.ROOT / "params.yaml", tmp_path)
    monkeypatch.chdir(tmp_path)
    assert cli.main(["review", "--no-browser"]) == 1
    assert "dvc repro screen" in capsys.readouterr().err
