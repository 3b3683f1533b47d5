"""`scrubin probe` and `scrubin render` as a curator types them."""

from __future__ import annotations

import json

import pytest

from clips import clip, decoded_numbers, ffmpeg, numbered
from scrubin.cli import main
from scrubin.cli import render as cli_render
from scrubin.video.probe import probe


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
        (["out.mp4"], "let its name end with .mkv"),
        (["no/such/out.mkv"], "its folder does not exist"),
        ([], "name the file to write, or ask for --plan"),
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

    monkeypatch.setattr(cli_render, "probe", probe_and_grow)
    assert main(["render", "growing.mp4", "out.mkv", "--start", "0.3"]) == 1
    assert "it changed while it was read" in capsys.readouterr().err
    assert not (elsewhere / "out.mkv").exists()
