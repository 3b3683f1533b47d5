"""Clips: exact frames of the released videos, and the labels of the extracted frames inside."""

from __future__ import annotations

from bisect import bisect_left
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clips
import loadable_release
from loadable_release import OPERATION, TRAINING, VARIABLE_MS
from scrubin.base.errors import ReleaseError
from scrubin.data.load.video_clips import Window
from scrubin.data.load.warnings import EmptyDatasetWarning
from scrubin.load import Release
from scrubin.media.released.clocked_reader import OpenVideo, clock_of
from scrubin.stages.frames.extract import packet_clock


def number_of(picture):
    """The number that a frame of `clips.numbered` shows by its luma."""
    return round(float(picture.mean()) * 219 / 255 / 3)


def test_frames_of_a_clip_are_those_of_the_contract_at_a_variable_rate(release):
    dataset = release.clips(1, "0.5", 10, task=OPERATION, include_hidden=True)
    times = [Fraction(ms, 1000) for ms in VARIABLE_MS]
    seen = 0
    for item in dataset:
        if item["id"] != "abelo":
            continue
        wanted = [bisect_left(times, Fraction(str(item["start_s"])) + Fraction(j, 10)) for j in range(10)]
        assert item["source_frame"].tolist() == wanted
        assert item["time_s"].tolist() == [float(times[number]) for number in wanted]
        assert [number_of(picture) for picture in item["images"]] == wanted
        seen += 1
    assert seen == len({item for item in dataset.table["start_s"][dataset.table["id"] == "abelo"]}) > 4


@pytest.mark.slow
def test_clips_are_in_every_storage_the_same(storages):
    every = [[item["images"].tobytes() for item in Release(folder).clips(1, 1, 4, camera="all")] for folder in storages.values()]
    assert every[0] == every[1] == every[2]


@pytest.mark.slow
def test_pictures_of_frames_from_videos_are_those_of_the_files(storages):
    for name in ("png", "small", "loose"):
        release = Release(storages[name])
        files = release.frames(camera="all", include_hidden=True)
        videos = release.frames(camera="all", include_hidden=True, source="videos")
        assert files.table.equals(videos.table)
        # Backwards, so that every picture needs a seek.
        for k in reversed(range(len(files))):
            one, other = files[k]["image"], videos[k]["image"]
            assert one.shape == other.shape
            assert np.array_equal(one, other) if name != "loose" else np.abs(one.astype(int) - other).max() <= 2


def test_dropped_frames_are_in_the_videos_only(release):
    with pytest.raises(ValueError, match="dropped frames have no file: take their pictures from the videos"):
        release.frames(include_dropped=True)
    dataset = release.frames(task=OPERATION, source="videos", include_dropped=True)
    item = next(item for item in dataset if (item["id"], item["frame"]) == loadable_release.DROPPED)
    assert number_of(item["image"]) == 40


def test_only_whole_windows_count(release):
    starts = release.clips(1, 1, 20, task=TRAINING).table
    assert starts[starts["id"] == "cimeto"]["start_s"].tolist() == [0.0, 1.0, 2.0]
    exact = release.clips("3.5", 1, 20, task=TRAINING)
    assert exact.table["start_s"].tolist() == [0.0, 0.0]
    assert exact[0]["source_frame"].tolist() == list(range(70))
    with pytest.warns(EmptyDatasetWarning, match=r"there are no clips of .*: \d+ videos are shorter than a clip"):
        assert len(release.clips(4, 1, 20)) == 0


def test_clips_with_a_hidden_frame_are_left_out_and_counted(release):
    dataset = release.clips(1, "0.5", 4, task=OPERATION)
    own = dataset.table[dataset.table["id"] == "borunga"]
    assert own["start_s"].tolist() == [0.0, 0.5, 1.0, 1.5]
    assert dataset.left_out == {"hidden": 2, "short": 0}
    assert "left out: 2 hidden" in repr(dataset)


def test_black_frames_between_two_extracted_ones_are_marked(tmp_path, storages):
    folder = loadable_release.copy(storages["loose"], tmp_path / "release")
    video = folder / "videos/PegTransfer/left/cimeto.mkv"
    shown = clips.pictures(video, (96, 64))
    video.unlink()
    pictures = [0 * picture if n in range(5, 9) else np.minimum(picture, 200) + 50 for n, picture in enumerate(shown)]
    pictures[12] = np.full_like(pictures[12], 8)  # a dark picture in which something is seen
    pictures[12][:, :48] = 0
    clips.film(video, pictures, 20)
    item = next(item for item in Release(folder).clips(1, 1, 20, task=TRAINING) if item["id"] == "cimeto" and item["start_s"] == 0)
    assert np.flatnonzero(item["hidden"]).tolist() == [5, 6, 7, 8]


def test_labels_of_the_extracted_frames_inside_come_along(release):
    dataset = release.clips(1, "0.75", 4, labels=["phases", "triplets", "skill"], include_hidden=True)
    items = [item for item in dataset if item["id"] == "abelo"]
    for item in items:
        inside = [frame for frame in range(7) if item["start_s"] <= _time_of(frame) < item["start_s"] + 1]
        frames = item["label_frame"]
        assert frames[frames >= 0].tolist() == inside
        assert item["phases_mask"].tolist() == [0 <= frame < 6 for frame in frames]
        known = {frame: phase for frame, phase in zip(frames.tolist(), item["phases"].tolist(), strict=True) if phase != -100}
        assert known == {frame: [0, 0, 1, 1, 3, 3][frame] for frame in inside if frame < 6}
        assert item["triplets"].shape == (len(frames), 100)
        assert np.isnan(item["triplets"][~item["triplets_mask"]]).all()
    assert items[0]["skill"].shape == items[0]["skill_mask"].shape == (len(dataset.classes["skill"]),)
    shapes = {tuple((name, np.shape(value)) for name, value in item.items()) for item in dataset}
    assert len(shapes) == 1


def _time_of(frame):
    return VARIABLE_MS[bisect_left(VARIABLE_MS, 500 * frame)] / 1000


def test_a_clip_is_indexed_and_transformed_as_frames_are(release):
    dataset = release.clips(1, 1, 2, transform=lambda pictures: pictures.mean(axis=(1, 2, 3)))
    assert dataset[-1]["images"].shape == (2,)
    assert [item["start_s"] for item in dataset[1:3]] == dataset.table["start_s"][1:3].tolist()
    assert dataset[[0, 2]][1]["id"] == dataset[2]["id"]
    with pytest.raises(IndexError):
        dataset[len(dataset)]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((1, 1, "a"), "fps='a' is no number"),
        ((0, 1, 1), "length_s=0 must be more than 0"),
        ((1, 1, 0.7), "1 s at 7/10 frames per second are no whole number of frames"),
    ],
)
def test_a_window_that_cannot_be_is_refused(release, arguments, says):
    with pytest.raises(ValueError, match=says):
        release.clips(*arguments)
    with pytest.raises(ValueError, match="boxes belong to single frames"):
        release.clips(1, 1, 1, labels="boxes")


@pytest.mark.parametrize("damage", ["missing", "truncated", "another"])
def test_a_missing_truncated_or_changed_video_is_named_with_what_to_do(changed, damage):
    path = changed / "videos/Cholecystectomy/mono/borunga.mkv"
    data = path.read_bytes()
    path.unlink()
    if damage == "truncated":
        path.write_bytes(data[: len(data) // 2])
    elif damage == "another":
        clips.numbered(path, 66)
    release = Release(changed)
    with pytest.raises(ReleaseError, match=rf"borunga.mkv: .*scrubin verify {changed}"):
        release.clips(1, 1, 4, task=OPERATION)[-1]
    with pytest.raises(ReleaseError, match=rf"borunga.mkv: .*scrubin verify {changed}") as refused:
        release.frames(task=OPERATION, source="videos")[-1]
    assert [str(refused.value).count(word) for word in ("borunga.mkv", "scrubin verify")] == [1, 1]


@pytest.mark.slow
@pytest.mark.parametrize("name", clips.LAST_IS_SLOW)
def test_frames_of_real_footage_are_those_of_decoding_it_from_its_start(name):
    path = clips.REAL[name]
    expected = [hash(picture.tobytes()) for picture in clips.pictures(path, _size(path))]
    video = OpenVideo(path, name, clock_of(path, name))
    rng = np.random.default_rng(1)
    for step in (1, 2, 3, 7, 11):
        first = int(rng.integers(0, len(expected) - 4 * step))
        for numbers in (range(first, len(expected), step)[:5], sorted(rng.integers(0, len(expected), 4).tolist())):
            shown = video.pictures(list(numbers))
            assert [hash(picture.tobytes()) for picture in shown] == [expected[number] for number in numbers]
    video.close()


def _size(path):
    import av

    with av.open(str(path)) as container:
        return container.streams.video[0].width, container.streams.video[0].height


def test_the_clock_is_that_of_the_frames_stage(release):
    for path in sorted(release.folder.glob("videos/*/*/*.mkv")):
        clock, expected = clock_of(path, "a"), packet_clock(path, "a", "")
        assert expected is not None
        assert (clock.ticks.tolist(), clock.time_base) == (list(expected.ticks), expected.time_base)
        assert clock.starts[0] == 0


@given(
    frames=st.integers(1, 200),
    fps=st.sampled_from([Fraction(25), Fraction(30000, 1001), Fraction(60), Fraction(4)]),
    length=st.integers(1, 12),
    stride=st.fractions(Fraction(1, 10), 5, max_denominator=20),
    clip_fps=st.sampled_from([Fraction(1), Fraction(5), Fraction(60), Fraction(5, 2)]),
)
def test_every_window_that_is_counted_has_all_its_frames_and_no_whole_one_is_forgotten(frames, fps, length, stride, clip_fps):
    window = Window(length / clip_fps, stride, clip_fps)
    times = [Fraction(round(1000 * k / fps), 1000) for k in range(frames)]
    end_s = times[-1] + 1 / fps
    count = window.count_in(end_s, times[-1])

    def is_whole(number):
        return window.start_s(number) + window.length_s <= end_s and window.times_s(number)[-1] <= times[-1]

    assert all(is_whole(number) for number in range(count))
    assert not is_whole(count)
