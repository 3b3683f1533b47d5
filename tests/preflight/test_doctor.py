"""What the doctor says is enough to help, and names nobody."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scrubin import cli
from scrubin.base import disks, posix
from scrubin.curate.preflight import health

ROOT = Path(__file__).parents[2]
ODD = ("Zaphod", "Beeblebrox", "heart-of-gold", "magrathea", "vogon")
ASK = """
import os, platform, socket, sys
platform.node = socket.gethostname = socket.getfqdn = lambda *_: "heart-of-gold.magrathea"
kept = platform.uname()
platform.uname = lambda: kept._replace(node="heart-of-gold.magrathea", release="6.1.7-vogon-cluster", version="vogon")
from scrubin import cli
sys.exit(cli.main(["doctor", *sys.argv[1:]]))
"""


def texts(of: Any) -> Iterator[str]:
    """Every text in a document."""
    if isinstance(of, dict):
        for key, value in of.items():
            yield from (key, *texts(value))
    elif isinstance(of, list):
        for value in of:
            yield from texts(value)
    elif isinstance(of, str):
        yield of


@pytest.mark.slow
def test_no_home_no_host_no_user_no_path_no_recording_and_no_variable_is_named(tmp_path):
    project = tmp_path / "Zaphod Beeblebrox" / "vogon study"
    (project / "data/raw/videos").mkdir(parents=True)
    (project / "data/private").mkdir(mode=0o755)
    (project / "data/raw/videos/magrathea.mkv").touch()
    shutil.copy(ROOT / "dvc.yaml", project)
    (project / "requirements.lock").write_text("numpy==1.0.0\nvogon==1\n".replace("vogon", "pandas"))
    (project / "params.yaml").write_text((ROOT / "params.yaml").read_text().replace("raw: data/demo", "raw: /home/vogon/raw"))
    odd = {
        "HOME": str(project.parent),
        "USER": "Zaphod",
        "LOGNAME": "Zaphod",
        "HOSTNAME": "heart-of-gold",
        "PREFECT_API_URL": "http://vogon:1",
    }
    environment = {**os.environ, **odd, "DVC_SITE_CACHE_DIR": str(project), "TMPDIR": str(project.parent), "OMP_NUM_THREADS": "magrathea"}
    for form in ([], ["--json"]):
        done = subprocess.run([sys.executable, "-c", ASK, *form], cwd=project, env=environment, capture_output=True, text=True)
        assert done.returncode == 1, "the versions of the lock are other ones"
        assert done.stderr == ""
        # A folder can be called like a word of the text; its path cannot.
        own = (platform.node(), *map(str, (Path.cwd(), tmp_path, project)), *tmp_path.parts[3:])
        named = [word for word in (*ODD, *(part for part in own if len(part) > 4)) if word.lower() in done.stdout.lower()]
        assert not named, done.stdout
    known = json.loads(done.stdout)
    assert known["machine"]["kernel"] == "6.1.7"
    assert {"PREFECT_API_URL", "DVC_SITE_CACHE_DIR", "OMP_NUM_THREADS"} <= set(known["variables_set"])
    assert known["project"] == {
        **{"study": "own", "dvc_lock": False, "key": False, "decisions": False, "release": False, "report": False},
        **{name: known["project"][name] for name in ("closed", "other_packages")},
    }
    assert len(known["project"]["other_packages"]) == 2
    assert not [text for text in texts(known) if "/" in text or "\\" in text]
    assert sorted(path.name for path in project.iterdir()) == ["data", "dvc.yaml", "params.yaml", "requirements.lock"], "nothing is left"


def test_lines_and_json_say_the_same_and_a_whole_install_has_nothing_to_do(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(health, "_isolation", lambda: "none")  # trying takes a second
    monkeypatch.delenv("IMAGEIO_FFMPEG_EXE", raising=False)
    known = health.look()
    monkeypatch.setattr(health, "look", lambda: known)
    assert cli.main(["doctor", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == known
    assert known["project"] is None
    assert cli.main(["doctor"]) == 0
    said = capsys.readouterr().out
    assert all(f"{name} {number}" in said for name, number in known["packages"].items())
    assert f"FFmpeg {known['encoder']}" in said
    assert said.splitlines()[-1].startswith("The installation needs nothing.")


WELL = {
    "disk": {"writes": True, "links": True, "locks": True},
    "opencvs": ["opencv-python-headless"],
    "variables_set": [],
    "networks": {"usable": 5, "all": 5},
    "extras": {"curate": {"whole": True}},
    "project": {"other_packages": [], "closed": True},
}


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        ({"disk": {"writes": False, "links": False, "locks": False}}, "nothing can be written"),
        ({"disk": {"writes": True, "links": True, "locks": False}}, "two runs could disturb"),
        ({"disk": {"writes": True, "links": False, "locks": True}}, "results are kept twice"),
        ({"opencvs": ["opencv-python", "opencv-python-headless"]}, "overwrites the other"),
        ({"variables_set": ["IMAGEIO_FFMPEG_EXE"]}, "another encoder"),
        ({"networks": {"usable": 3, "all": 5}}, "2 networks"),
        ({"extras": {"curate": {"whole": False}}, "networks": None}, "packages that its run needs are missing"),
        ({"project": {"other_packages": ["numpy is 1 instead of 2"], "closed": True}}, "bytes may differ"),
        ({"project": {"other_packages": None, "closed": False}}, "others can read what is private"),
    ],
)
def test_what_does_not_work_is_said_with_what_to_do(broken, says):
    assert list(health._to_do(WELL)) == []
    assert [says in one["what"] and bool(one["do"]) for one in health._to_do({**WELL, **broken})] == [True]


def test_a_project_on_another_system_is_told_where_it_runs(monkeypatch):
    monkeypatch.setattr(posix, "fcntl", None)
    assert [one["do"] for one in health._to_do(WELL)] == [posix.ELSEWHERE]


def test_what_a_disk_can_do_is_tried_and_nothing_is_left(tmp_path, monkeypatch):
    assert disks.abilities(tmp_path) == disks.Abilities(writes=True, links=True, locks=True)
    assert not list(tmp_path.iterdir())
    assert disks.abilities(tmp_path / "none") == disks.Abilities(writes=False, links=False, locks=False)

    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "link", refuse)
    monkeypatch.setattr("fcntl.flock", lambda *_: None)  # a disk that grants every lock has none
    assert disks.abilities(tmp_path) == disks.Abilities(writes=True, links=False, locks=False)
