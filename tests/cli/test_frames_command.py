from __future__ import annotations

import json
from pathlib import Path

import pytest

import clips
from scrubin import cli
from scrubin.base.files import FIXED_TIME_S
from scrubin.base.tables import io
from scrubin.base.tables.public import FRAMES


@pytest.fixture
def video(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)  # no params.yaml there
    return clips.clip(tmp_path / "case 7.mp4", seconds=3.2, size="160x90")


def test_frames_are_extracted_by_the_contract_with_their_table(video, capsys):
    assert cli.main(["frames", str(video), "out", "--table", "frames.parquet"]) == 0
    assert capsys.readouterr().out == "out: 4 frames of 160x90 px at 1 per second, the last at 3.000 s\n"
    table = io.read(FRAMES, Path("frames.parquet"))
    assert table.path.tolist() == [f"{k:06d}.jpg" for k in range(4)] == sorted(path.name for path in Path("out").iterdir())
    assert table.source_frame.tolist() == [0, 25, 50, 75]
    assert all(int(path.stat().st_mtime) == FIXED_TIME_S for path in Path("out").iterdir())


def test_every_option_counts(video):
    assert (
        cli.main(["frames", str(video), "out", "--fps", "5/2", "--format", "png", "--height", "45", "--shard", "--table", "t.parquet"]) == 0
    )
    assert [path.name for path in Path("out").iterdir()] == ["frames.tar"]
    table = io.read(FRAMES, Path("t.parquet"))
    assert table.path.tolist() == [f"frames.tar/{k:06d}.png" for k in range(8)]
    assert set(zip(table.width, table.height, strict=True)) == {(80, 45)}
    assert cli.main(["frames-check", "out/frames.tar", str(video)]) == 0


def test_parameters_of_the_study_are_the_defaults(video, capsys):
    drop = "{min_brightness: null, max_brightness: null, max_saturated_share: null, min_contrast: null, min_sharpness: 1.0e+6}"
    section = f"{{fps: 2, format: png, quality: 90, height: null, shards: none, drop: {drop}}}"
    Path("params.yaml").write_text(f"raw: data/raw\nframes: {section}\n")
    assert cli.main(["frames", str(video), "out", "--table", "t.parquet"]) == 0
    assert "7 frames of 160x90 px at 2 per second, the last at 3.000 s, 7 dropped" in capsys.readouterr().out
    assert list(Path("out").iterdir()) == []
    table = io.read(FRAMES, Path("t.parquet"))
    assert table.path.isna().all()
    assert table.dropped_why.str.startswith("sharpness ").all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.mp4", "out"], "missing.mp4: the file is missing"),
        (["{video}", "full"], "full: it is not an empty folder; name a new one"),
        (["text.mp4", "out"], "text.mp4: it cannot be read"),
    ],
)
def test_what_cannot_be_done_is_said_and_leaves_nothing(video, capsys, arguments, message):
    Path("full").mkdir()
    Path("full/a.txt").touch()
    Path("text.mp4").write_text("no video")
    before = sorted(Path().iterdir())
    assert cli.main(["frames", *(argument.format(video=video) for argument in arguments)]) == 1
    assert message in capsys.readouterr().err
    assert sorted(Path().iterdir()) == before


@pytest.mark.parametrize("rate", ["0", "-1", "x", "1/0", "2000"])
def test_a_rate_that_is_none_is_refused(video, capsys, rate):
    with pytest.raises(SystemExit):
        cli.main(["frames", str(video), "out", f"--fps={rate}"])
    assert "is no rate between 0.001 and 1000 per second" in capsys.readouterr().err


def test_the_check_prints_what_to_subtract_and_fails(video, capsys):
    Path("theirs").mkdir()
    clips.ffmpeg("-i", video, "-vf", "fps=1", "theirs/%06d.jpg")
    assert cli.main(["frames-check", "theirs", str(video)]) == 1
    shown = capsys.readouterr().out
    assert "convention    ffmpeg -vf fps=1\n" in shown
    assert "shift         +0.480 s (+12 frames) against frame k at k/1 s" in shown
    assert "- subtract 1 from the numbers of the files: they count from 1\n" in shown
    assert "- subtract 0.480 s (12 frames) from the times of the video's labels" in shown
    assert cli.main(["frames-check", "theirs", str(video), "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert (said["kind"], said["shift"]["median_s"], said["number_start"], said["follows_contract"]) == ("fps", 0.48, 1, False)
    assert said["tried"][0] == {
        "convention": "ffmpeg -vf fps=1",
        "begins_at": 0,
        "fit": 3,
        "pictures": 3,
        "places_missing_or_doubled": 0,
        "first_frames": [12, 37, 62],
    }


def test_the_check_passes_on_our_frames_and_on_dropped_ones_when_allowed(video, capsys):
    assert cli.main(["frames", str(video), "out"]) == 0
    assert cli.main(["frames-check", "out", str(video)]) == 0
    assert "these frames follow the contract" in capsys.readouterr().out
    Path("out/000001.jpg").unlink()
    assert cli.main(["frames-check", "out", str(video)]) == 1
    assert "missing       1\n" in capsys.readouterr().out
    assert cli.main(["frames-check", "out", str(video), "--allow-missing"]) == 0


def test_the_check_names_a_file_that_is_no_tar(video, capsys):
    assert cli.main(["frames-check", str(video), str(video)]) == 1
    assert "name a folder of frames, or their tar" in capsys.readouterr().err
