"""`scrubin probe` and `scrubin render` as a curator types them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest

from clips import clip, decoded_numbers, ffmpeg, numbered, with_other_units
from scrubin.base.errors import StageError
from scrubin.base.store import store
from scrubin.cli import main
from scrubin.media.probe import probe


@pytest.fixture(scope="module")
def video(tmp_path_factory):
    folder = tmp_path_factory.mktemp("video")
    numbered(folder / "plain.mkv", 70, fps=20)
    ffmpeg("-i", folder / "plain.mkv", "-c:v", "libx264", "-crf", 5, "-x264-params", "keyint=20:min-keyint=20:scenecut=0", folder / "a.mp4")
    return folder / "a.mp4"


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """A working folder without params.yaml."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_probe_tells_what_a_file_holds(video, elsewhere, capsys):
    assert main(["probe", str(video), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {key: found[key] for key in ("codec", "fps", "frame_count", "duration_s", "groups_of_pictures", "copyable")} == {
        "codec": "h264",
        "fps": "20",
        "frame_count": 70,
        "duration_s": 3.5,
        "groups_of_pictures": 4,
        "copyable": True,
    }


def test_probe_tells_how_many_groups_are_not_copied_and_why(video, elsewhere, capsys):
    planted = with_other_units(video, elsewhere / "b.mp4", lambda number, unit: unit + b"Ottilie Quast 1957-03-14" * (number == 0))
    assert main(["probe", str(planted), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["copyable"], found["groups_of_pictures"], found["groups_not_copyable"]) == (True, 4, 1)
    assert found["why_not_copyable"]


@pytest.mark.parametrize("mode", ["smart", "reencode"])
def test_render_keeps_exactly_the_frames_that_were_asked_for(mode, video, elsewhere, capsys):
    asked = ["--start", "0.35", "--end", "3.2", "--redact", "1.5-1.7,2.9-3", "--mode", mode]
    assert main(["render", str(video), "out.mkv", *asked]) == 0
    wanted = [0 if 30 <= n < 34 or 58 <= n < 60 else n for n in range(7, 64)]
    assert decoded_numbers(elsewhere / "out.mkv") == wanted
    assert "57 frames, 2.850 s" in capsys.readouterr().out
    assert [path.name for path in elsewhere.iterdir()] == ["out.mkv"]


def test_the_plan_is_printed_and_nothing_is_written(video, elsewhere, capsys):
    assert main(["render", str(video), "--start", "0.35", "--redact", "1.5-1.7", "--plan"]) == 0
    plan = json.loads(capsys.readouterr().out)
    assert plan["frame_count"] == 63
    assert plan["hidden"] == [{"first": 23, "last": 26, "box_xywh": None}]
    assert plan["mode"] == "smart"
    assert [part["copied"] for part in plan["parts"]] == [False, True, False, True]
    assert plan["copied_frames"] + plan["encoded_frames"] == 63
    assert list(elsewhere.iterdir()) == []


def test_a_mask_means_that_everything_is_encoded_and_that_is_said_before(video, elsewhere, capsys):
    assert main(["render", str(video), "out.mkv", "--mask", "10,10,20,20"]) == 0
    assert "everything is encoded again, a rectangle is hidden in every frame; about" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (["out.mkv", "--end", "99"], "--end 99 s lies behind its end at 3.500 s"),
        (["out.mkv", "--redact", "3-99"], "--redact 99 s lies behind its end"),
        (["out.mkv", "--start", "3.6"], "no frame lies between 3.6 and 3.5 s"),
        (["out.mkv", "--mask", "90,10,20,20"], "--mask 90,10,20,20 reaches beyond its 96x64 pixels"),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_is_left(asked, message, video, elsewhere, capsys):
    assert main(["render", str(video), *asked]) == 1
    assert message in capsys.readouterr().err
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("asked", [["--redact", "5-4"], ["--redact", "a-b"], ["--mask", "1,2,3"], ["--start", "-1"], ["--end", "nan"]])
def test_a_misspelt_argument_is_refused(asked, video, elsewhere, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["render", str(video), "out.mkv", *asked])
    assert stopped.value.code == 2


def test_the_source_is_never_overwritten(elsewhere, capsys):
    path = clip(elsewhere / "a.mkv")
    before = path.read_bytes()
    assert main(["render", str(path), str(path)]) == 1
    assert path.read_bytes() == before


@pytest.mark.parametrize("mode", ["smart", "reencode"])
def test_a_damaged_source_is_refused_with_the_frame(mode, video, elsewhere, capsys):
    data = bytearray(video.read_bytes())
    start = data.find(b"mdat") + len(data) // 3
    for place in range(start, start + 300, 3):
        data[place] ^= 0xFF
    (elsewhere / "bad.mp4").write_bytes(data)
    assert main(["render", "bad.mp4", "out.mkv", "--redact", "0.1-3.4", "--mode", mode]) == 1
    assert capsys.readouterr().err.splitlines()[-1].startswith("scrubin render: bad.mp4: ")
    assert not (elsewhere / "out.mkv").exists()


@pytest.mark.parametrize("name", ["missing.mkv", "empty.mkv"])
def test_a_file_that_is_not_there_is_named(name, elsewhere, capsys):
    (elsewhere / "empty.mkv").touch()
    assert main(["probe", name]) == 1
    assert capsys.readouterr().err.startswith(f"scrubin probe: {name}: the file is ")


def test_a_file_that_grows_while_it_is_read_is_not_released(video, elsewhere, capsys, monkeypatch):
    growing = elsewhere / "growing.mp4"
    growing.write_bytes(video.read_bytes())

    def probe_and_grow(path, name):
        found = probe(path, name)
        with growing.open("ab") as file:
            file.write(b"\0\0\0\x08free")
        return found

    monkeypatch.setattr("scrubin.curate.by_hand.one_render.probe", probe_and_grow)
    assert main(["render", "growing.mp4", "out.mkv", "--start", "0.3"]) == 1
    assert "it changed while it was read" in capsys.readouterr().err
    assert not (elsewhere / "out.mkv").exists()


LIMITED = """
import resource, sys
from pathlib import Path
from scrubin.cli import main
from scrubin.base.store import store
resource.setrlimit(resource.RLIMIT_FSIZE, (400, 400))
for command in (["render", "VIDEO", "out.mkv"], ["render", "VIDEO", "out.mkv", "--mode", "reencode"], ["frames", "VIDEO", "out"],
                ["frames", "VIDEO", "out", "--shard"]):
    print(main([one.replace("VIDEO", sys.argv[1]) for one in command]))
try:
    store.make("0" * 64, lambda folder: (folder / "a").write_bytes(bytes(5000)), Path("store"))
except Exception as error:
    print(type(error).__name__, error, file=sys.stderr)
"""


@pytest.mark.slow
def test_a_disk_that_takes_no_more_is_named_in_one_line_and_nothing_half_written_stays(video, elsewhere):
    unwritten = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(video)], check=False, capture_output=True, text=True, cwd=elsewhere, env=unwritten
    )
    assert done.stdout == "1\n" * 4
    full = "cannot be written (File too large); make room on its disk, then run again: what was finished is kept"
    said = [line for line in done.stderr.splitlines() if "everything is encoded again" not in line]
    assert said == [
        f"scrubin render: out.mkv: {full}",
        f"scrubin render: out.mkv: {full}",
        f"scrubin frames: out: {full}",
        f"scrubin frames: out: {full}",
        f"StageError store: {full}",
    ]
    assert [path.name for path in elsewhere.rglob("*") if path.is_file() and path.name != "beat"] == []


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 200 kB; only the system's administrator can make one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(disk)], check=False, capture_output=True)
    if made.returncode:
        pytest.skip("no file system can be mounted here")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.slow
def test_a_real_full_disk_is_named_by_commands_and_by_the_store(small_disk, elsewhere, capsys):
    large = clip(elsewhere / "a.mkv", seconds=6, size="320x192", more=("-crf", "1"))
    full = r"No space left on device\); make room on its disk"
    for command in (["render", str(large)], ["render", str(large), "--mode", "reencode"]):
        assert main([*command[:2], str(small_disk / "out.mkv"), *command[2:]]) == 1
        assert re.search(full, capsys.readouterr().err)
    assert main(["frames", str(large), str(small_disk / "out"), "--fps", "10"]) == 1
    assert re.search(full, capsys.readouterr().err)
    with pytest.raises(StageError, match=full):
        store.make("0" * 64, lambda folder: (folder / "a").write_bytes(bytes(300_000)), small_disk / "store")
    assert [path.name for path in small_disk.rglob("*") if path.is_file() and path.name != "beat"] == []
