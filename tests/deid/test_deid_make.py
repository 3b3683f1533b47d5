from __future__ import annotations

import filecmp
import json
from dataclasses import replace

import numpy as np
import pytest

import deid_outputs
from scrubin.base.errors import MetricsError
from scrubin.base.pixels import shared_px
from scrubin.evaluate.choices import BenchmarkRequest
from scrubin.evaluate.deid import key as keys
from scrubin.evaluate.deid.benchmark import make
from scrubin.evaluate.deid.reading import is_heard, picture_streams, tags
from scrubin.media.probe import probe

pytestmark = pytest.mark.slow


@pytest.mark.slow
def test_the_same_request_gives_the_same_bytes(tmp_path):
    request = BenchmarkRequest(recordings=1, seed=9, height=180, length_s=8)
    for name in ("one", "two"):
        make(request, tmp_path / name)
    files = sorted(path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*") if path.is_file())
    assert len(files) >= 4
    assert filecmp.cmpfiles(tmp_path / "one", tmp_path / "two", files, shallow=False)[0] == files
    assert [(tmp_path / "one" / file).stat().st_mtime_ns for file in files if file.parts[0] == "raw"] == [
        (tmp_path / "two" / file).stat().st_mtime_ns for file in files if file.parts[0] == "raw"
    ]


def test_a_key_is_read_as_it_was_written(key, benchmark):
    assert keys.read(benchmark) == keys.read(benchmark / "key") == keys.read(benchmark / "key" / "key.json") == key


def test_a_key_whose_video_was_changed_is_refused(key, tmp_path):
    recordings = tuple(replace(one, clean_sha256="0" * 64) for one in key.recordings)
    for one in key.recordings:
        for name in (one.planted, one.clean):
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).symlink_to(key.folder / name)
    keys.write(replace(key, folder=tmp_path, recordings=recordings))
    with pytest.raises(MetricsError, match="not the one that the key was written with") as raised:
        keys.read(tmp_path)
    assert len(raised.value.faults) == 2


@pytest.mark.parametrize(
    ("where", "name", "value"),
    [
        ("recordings", "width", "320"),
        ("recordings", "height", [180]),
        ("recordings", "frame_count", -1),
        ("recordings", "planted", None),
        ("recordings", "fps", "0/0"),
        ("items", "text", 7),
        ("items", "frames", [[0, 1, 2]]),
        ("items", "boxes", [[0, 1, 2, 3, "4"]]),
        ("items", "interval_s", [0]),
        ("items", "needles", [b"x".hex(), 3]),
    ],
)
def test_a_key_with_a_value_of_another_type_is_refused(benchmark, tmp_path, where, name, value):
    document = json.loads((benchmark / "key/key.json").read_text())
    document[where][0][name] = value
    (tmp_path / "key.json").write_text(json.dumps(document))
    with pytest.raises(MetricsError, match="it is no answer key"):
        keys.read(tmp_path)


@pytest.mark.slow
def test_planted_and_clean_pictures_differ_where_the_key_says_so_and_nowhere_else(key):
    for recording in key.recordings:
        planted, clean = (deid_outputs.pictures(key.folder / name) for name in (recording.planted, recording.clean))
        assert len(planted) == len(clean) == recording.frame_count
        items = [item for item in key.items_of(recording.name) if item.frames and item.kind != "face"]
        for number in range(0, recording.frame_count, 7):
            difference = np.abs(planted[number].astype(int) - clean[number]).max(axis=2)
            mine = [item for item in items if number in item.frame_numbers]
            for box in (item.box_at(number) for item in mine):
                if box is None:
                    assert difference.mean() > 20
                    difference[:] = 0
                else:
                    x, y, w, h = box
                    assert difference[y : y + h, x : x + w].max() > 30
                    difference[max(0, y - 16) : y + h + 16, max(0, x - 16) : x + w + 16] = 0
            # Both were encoded, each by itself.
            assert difference.mean() < 4


def test_faces_lie_in_the_room_and_texts_in_the_picture(key):
    for item in key.items:
        recording = next(one for one in key.recordings if one.name == item.recording)
        rooms = {number for one in key.items_of(recording.name) if one.kind == "outside" for number in one.frame_numbers}
        assert item.kind != "face" or set(item.frame_numbers) <= rooms
        assert item.kind not in ("text", "reflection") or not set(item.frame_numbers) & rooms
        for _, x, y, w, h in item.boxes:
            assert shared_px((x, y, w, h), (0, 0, recording.width, recording.height)) == w * h > 0


def test_every_file_carries_what_its_key_says(key, benchmark):
    for recording in key.recordings:
        path = benchmark / "raw" / recording.file
        content, values = path.read_bytes(), [value for _, value in tags(path)]
        for item in key.items_of(recording.name):
            if item.kind in ("container_tag", "stream_tag", "chapter", "creation_time", "timecode"):
                assert any(item.needles[0] in value for value in values), item
            elif item.kind in ("sei", "user_data", "subtitle", "attachment", "cover"):
                assert all(needle.encode() in content for needle in item.needles), item
            elif item.kind == "file_name":
                assert all(needle in recording.file for needle in item.needles)
            elif item.kind == "file_time":
                assert path.stat().st_mtime == item.traits["time_s"]
        assert is_heard(path) == any(item.kind == "speech" for item in key.items_of(recording.name))
        assert any(stream.is_cover for stream in picture_streams(path))


def test_recordings_are_constant_in_rate_as_the_key_says(key):
    for recording in key.recordings:
        probed = probe(key.folder / recording.planted, "planted")
        assert (probed.fps, probed.frame_count, probed.variable_rate) == (recording.rate, recording.frame_count, False)


def test_one_camera_of_a_pair_sees_a_span_that_the_other_does_not(key):
    left, right = ({item.frames for item in key.items_of(name) if item.kind == "outside"} for name in ("r01", "r02"))
    assert right < left
    assert len(left) == len(right) + 1
