"""LeRobot v3: the coded pictures of the release at exact times, hidden frames marked, and scores that are missing stay missing."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clips
import exported_release
from scrubin import cli
from scrubin.base.errors import ReleaseError
from scrubin.data.export import lerobot_videos
from scrubin.data.export.lerobot_videos import PictureStatistics, of_scores, of_whole_numbers

NTSC = Fraction(30000, 1001)
BLACK = (5, 9)
STEREO, SINGLE = "PegTransfer_left-right_96x64_20fps", "Cholecystectomy_mono_96x64_30000-1001fps"
FRAMES = {"left": 20, "right": 21, "mono": 30}


@pytest.fixture(scope="module")
def filmed(tmp_path_factory) -> Path:
    """The release with videos: a pair of which the right one is a frame longer, one with black frames, one of variable rate."""
    tables = exported_release.rows()
    rates = {"abelo": "20", "borunga": "30000/1001", "cimeto": "20"}
    for row in tables["videos"]:
        row |= {"width": 96, "height": 64, "fps": rates[str(row["id"])], "variable_rate": row["id"] == "cimeto"}
    for row in tables["frames"]:
        row["source_frame"] = 3 * int(str(row["frame"]))
    tables["skill"].append(tables["skill"][0] | {"id": "cimeto", "task": "Cholecystectomy", "efficiency": 1.0})
    folder = exported_release.write(tmp_path_factory.mktemp("filmed") / "release", tables)
    for row in tables["videos"]:
        hide = f"drawbox=t=fill:c=black:enable='between(n,{BLACK[0]},{BLACK[1]})'" if row["id"] == "borunga" else "null"
        keys = f"expr:eq(n,0)+eq(n,{BLACK[0]})+eq(n,{BLACK[1] + 1})"
        more = ("-vf", hide, "-pix_fmt", "yuv420p", "-frames:v", FRAMES[str(row["camera"])], "-force_key_frames", keys)
        clips.clip(folder / str(row["path"]), fps=rates[str(row["id"])], more=more)
    return folder


@pytest.fixture(scope="module")
def exported(filmed, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("exported") / "lerobot"
    assert cli.main(["export", str(filmed), str(folder), "--to", "lerobot"]) == 0
    return folder


def table(folder: Path, pattern: str) -> list[dict]:
    (path,) = folder.glob(pattern)
    return pq.read_table(path).to_pylist()


def decoded(path: Path) -> list[tuple[Fraction, bytes]]:
    with av.open(str(path)) as container:
        return [(frame.pts * frame.time_base, frame.to_ndarray(format="yuv420p").tobytes()) for frame in container.decode(video=0)]


@pytest.mark.parametrize(
    ("name", "camera", "id_", "rate"), [(STEREO, "left", "abelo", 20), (STEREO, "right", "abelo", 20), (SINGLE, "mono", "borunga", NTSC)]
)
def test_a_video_has_the_pictures_of_the_release_at_exact_times(name, camera, id_, rate, filmed, exported):
    (source,) = filmed.glob(f"videos/*/{camera}/{id_}.mkv")
    before, after = decoded(source), decoded(exported / name / f"videos/observation.images.{camera}/chunk-000/file-000.mp4")
    assert [picture for _, picture in before] == [picture for _, picture in after]
    assert [time for time, _ in after] == [Fraction(number) / rate for number in range(len(after))]
    with av.open(str(source)) as container:
        assert container.streams.video[0].codec_context.has_b_frames


def test_one_data_set_per_task_and_format_and_the_rest_is_counted(filmed, exported, tmp_path, capsys):
    assert {path.name for path in exported.iterdir()} == {STEREO, SINGLE}
    assert cli.main(["export", str(filmed), str(tmp_path / "again"), "--to", "lerobot"]) == 0
    assert capsys.readouterr().out.endswith(
        "2 recordings, 50 frames\nnot in it (1): recordings whose frame rate varies: a LeRobot data set has one rate\n"
    )
    for path in (path for path in exported.rglob("*") if path.is_file()):
        assert path.read_bytes() == (tmp_path / "again" / path.relative_to(exported)).read_bytes()


def test_rows_count_the_frames_that_all_cameras_have(exported):
    rows = table(exported / STEREO, "data/*/*.parquet")
    assert [row["frame_index"] for row in rows] == list(range(20)) == [row["index"] for row in rows]
    assert [row["timestamp"] for row in rows] == [float(np.float32(number / 20)) for number in range(20)]
    assert {(row["episode_index"], row["task_index"]) for row in rows} == {(0, 0)}


def test_black_frames_are_marked_also_between_two_extracted_ones(exported):
    hidden = [row["hidden"] for row in table(exported / SINGLE, "data/*/*.parquet")]
    assert [number for number, is_hidden in enumerate(hidden) if is_hidden] == list(range(BLACK[0], BLACK[1] + 1))
    assert not any(row["hidden"] for row in table(exported / STEREO, "data/*/*.parquet"))


def test_scores_and_errors_stand_with_frames_and_missing_ones_are_null_in_the_episodes(exported):
    features = json.loads((exported / STEREO / "meta/info.json").read_text())["features"]
    assert (features["skill"]["names"], features["errors"]["names"]) == (["GRS"], ["cut", "dropped"])
    assert {(row["skill"], tuple(row["errors"])) for row in table(exported / STEREO, "data/*/*.parquet")} == {
        (float(np.float32(0.1 + 0.2)), (0.0, 1.0))
    }
    (episode,) = table(exported / STEREO, "meta/episodes/*/*.parquet")
    wanted = {"recording": "abelo", "GRS": 0.1 + 0.2, "efficiency": None, "n_ratings": 3, "error_cut": False, "error_dropped": True}
    assert {name: episode[name] for name in wanted} == wanted
    assert not {"skill", "errors"} & set(json.loads((exported / SINGLE / "meta/info.json").read_text())["features"])
    (episode,) = table(exported / SINGLE, "meta/episodes/*/*.parquet")
    assert (episode["GRS"], episode["n_ratings"]) == (None, None)


def test_an_episode_says_where_it_lies_and_in_which_subsets_it_is(exported):
    (episode,) = table(exported / SINGLE, "meta/episodes/*/*.parquet")
    assert (episode["length"], episode["dataset_from_index"], episode["dataset_to_index"], episode["tasks"]) == (
        30,
        0,
        30,
        ["Cholecystectomy"],
    )
    key = "videos/observation.images.mono"
    assert (episode[f"{key}/from_timestamp"], episode[f"{key}/to_timestamp"]) == (0.0, float(30 / NTSC))
    assert (episode["split_balanced"], episode["split_five_0"], episode["split_five_1"]) == ("train", "test", "train")
    info = json.loads((exported / SINGLE / "meta/info.json").read_text())
    assert (info["splits"], info["total_frames"], info["fps"]) == ({"train": "0:1"}, 30, float(NTSC))
    assert (exported / SINGLE / info["video_path"].format(video_key="observation.images.mono", chunk_index=0, file_index=0)).is_file()


def test_the_task_is_the_index_of_its_table_as_the_reader_takes_it(exported):
    tasks = pd.read_parquet(exported / STEREO / "meta/tasks.parquet")
    assert (tasks.iloc[0].name, tasks.loc["PegTransfer"].task_index) == ("PegTransfer", 0)


def test_statistics_leave_out_what_is_hidden(exported):
    stats = json.loads((exported / SINGLE / "meta/stats.json").read_text())
    # Of the extracted frames 0, 3, 6, 9 and 12 two are black.
    assert stats["observation.images.mono"]["count"] == [3]
    assert np.shape(stats["observation.images.mono"]["mean"]) == (3, 1, 1)
    assert stats["frame_index"]["mean"] == [14.5]


def test_frames_that_are_not_evenly_spaced_are_noticed(tmp_path):
    even = clips.numbered(tmp_path / "even.mkv", 10, fps=20)
    late = clips.numbered(tmp_path / "late.mkv", 10, fps=20, pts=[50 * number + 100 * (number > 6) for number in range(10)])
    assert lerobot_videos.is_even(even, Fraction(20))
    assert not lerobot_videos.is_even(late, Fraction(20))
    assert not lerobot_videos.is_even(even, Fraction(25))


def test_a_damaged_video_is_named(tmp_path):
    (tmp_path / "a.mkv").write_bytes(b"no video")
    with pytest.raises(ReleaseError, match=r"a\.mkv: it cannot be read"):
        lerobot_videos.is_even(tmp_path / "a.mkv", Fraction(20))


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)).map(sorted), min_size=1).filter(lambda of: any(a < b for a, b in of)))
def test_statistics_of_whole_numbers_are_those_of_numpy(ranges):
    values = np.concatenate([np.arange(first, end) for first, end in ranges]) / 4
    stats = of_whole_numbers(ranges, Fraction(1, 4))
    wanted = {"min": values.min(), "max": values.max(), "mean": values.mean(), "std": values.std(), "count": len(values)}
    assert {name: of[0] for name, of in stats.items()} == pytest.approx(wanted, abs=1e-9)


@given(st.lists(st.tuples(st.integers(1, 9), st.none() | st.floats(-5, 5)), min_size=1))
def test_a_score_weighs_as_the_frames_that_have_it(scores):
    values = [value for count, value in scores if value is not None for _ in range(count)]
    stats = of_scores([(count, [value]) for count, value in scores])
    if not values:
        assert stats is None
    else:
        wanted = {"min": min(values), "max": max(values), "mean": np.mean(values), "std": np.std(values)}
        assert {name: stats[name][0] for name in wanted} == pytest.approx(wanted, abs=1e-9)


def test_statistics_of_pictures_are_those_of_numpy():
    pictures = np.random.default_rng(0).integers(0, 256, (3, 5, 7, 3)).astype(np.uint8)
    statistics = PictureStatistics()
    for picture in pictures:
        statistics.add(picture)
    shares = pictures / 255
    for name, of in {"min": shares.min, "max": shares.max, "mean": shares.mean, "std": shares.std}.items():
        assert np.allclose(np.ravel(statistics.stats[name]), of(axis=(0, 1, 2)))
