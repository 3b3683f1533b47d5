"""Outputs whose leaks are known, frame by frame."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace

import av
import cv2
import numpy as np
import pytest

import clips
import deid_outputs
from scrubin.base.errors import MetricsError
from scrubin.cli import main
from scrubin.evaluate.deid import documents
from scrubin.evaluate.deid.reading import align
from scrubin.evaluate.deid.score import Score, overall, score
from scrubin.evaluate.deid.tool_files import read_map

# Each scores a whole set of videos.
pytestmark = pytest.mark.slow


def leaked(scored: Score, recording: str = "r01") -> dict[str, tuple[int, ...]]:
    """Item to the frames in which it is still shown; faces are shown with their room."""
    return {
        one.item.item: one.leaked for one in scored.verdicts if one.item.recording == recording and one.leaked and one.item.kind != "face"
    }


def first(key, kind, recording="r01"):
    return next(item for item in key.items_of(recording) if item.kind == kind)


def outside(key) -> set[int]:
    return {number for item in key.items_of("r01") if item.kind == "outside" for number in item.frame_numbers}


@pytest.fixture(scope="module")
def scored(key, tmp_path_factory):
    """Score one output of the first recording, as if there were no other."""
    single = replace(key, recordings=key.recordings[:1], items=tuple(key.items_of("r01")))

    def of(edit, **how):
        folder = tmp_path_factory.mktemp("output")
        deid_outputs.release(single, single.recordings[0], folder / "anything.mp4", edit, **how)
        return score(single, folder, {})

    return of


@pytest.fixture(scope="module")
def perfect(key, tmp_path_factory):
    """Score a perfect output of the first recording; of the second one there is none."""
    folder = tmp_path_factory.mktemp("perfect")
    deid_outputs.release(key, key.recordings[0], folder / "anything.mp4", deid_outputs.hidden(key, key.recordings[0]))
    return score(key, folder, {})


@pytest.fixture(scope="module")
def copied(key, benchmark):
    return score(key, benchmark / "raw", {})


def test_a_perfect_output_leaks_nothing_and_loses_nothing(perfect):
    mine = [one for one in perfect.verdicts if one.item.recording == "r01"]
    assert {one.state for one in mine} == {"done"}
    assert {one.extent for one in mine if one.frames} == {"whole"}
    loss = perfect.losses[0]
    assert loss.kept_frames == loss.useful_frames
    assert (loss.lost_s, loss.width_share, loss.height_share, loss.time_error_s, loss.largest_time_error_s) == (0, 1, 1, 0, 0)
    assert loss.psnr_db > 38
    assert loss.ssim > 0.93


def test_what_has_no_output_is_missing_and_not_done(perfect):
    other = [one for one in perfect.verdicts if one.item.recording == "r02"]
    assert {one.state for one in other} == {"missing"}
    assert perfect.total.done == len(perfect.verdicts) - len(other)
    assert perfect.total.missing == len(other)
    assert perfect.losses[1].kept_frames == 0
    assert perfect.losses[1].lost_s == perfect.losses[1].useful_s
    assert overall(perfect.losses)["recordings_missing"] == 1


def test_a_copy_leaks_everything_and_loses_nothing(copied):
    assert {one.state for one in copied.verdicts} == {"left"}
    assert copied.total.leaked_frames == copied.total.frames
    assert {one.extent for one in copied.verdicts if one.frames} == {"none"}
    lost = overall(copied.losses)
    assert (lost["lost_s"], lost["lost_frames_share"], lost["ssim"], lost["psnr_db"], lost["time_error_s"]) == (0, 0, 1, 99, 0)


def test_one_frame_that_is_left_is_one_frame_leaked(key, scored):
    span = max((item for item in key.items_of("r01") if item.kind == "outside"), key=lambda item: len(item.frame_numbers))
    number = span.frames[0][0] + 11
    one = scored(deid_outputs.hidden(key, key.recordings[0], lambda item, n: item.item == span.item and n == number))
    assert leaked(one) == {span.item: (number,)}
    assert one.kinds["outside"].part == 1
    assert next(verdict for verdict in one.verdicts if verdict.item.item == span.item).extent == "part"


def test_black_that_comes_one_frame_late_leaks_the_first_frame_of_every_span_and_costs_the_frame_behind_it(key, scored):
    recording = key.recordings[0]
    hidden = deid_outputs.hidden(key, recording, lambda item, _: item.kind == "outside")
    rooms = [item for item in key.items_of("r01") if item.kind == "outside"]
    late = {number + 1 for number in outside(key)}
    one = scored(lambda n, planted, clean: np.zeros_like(planted) if n in late else hidden(n, planted, clean))
    assert leaked(one) == {item.item: (item.frames[0][0],) for item in rooms}
    assert one.losses[0].useful_frames - one.losses[0].kept_frames == len(rooms)


def test_a_video_that_begins_one_frame_late_is_off_by_one_frame_and_leaks_nothing(key, scored):
    hidden = deid_outputs.hidden(key, key.recordings[0])
    one = scored(lambda n, planted, clean: None if n == 0 else hidden(n, planted, clean))
    assert leaked(one) == {}
    assert one.losses[0].time_error_s == pytest.approx(0.04, abs=1e-3)
    assert one.losses[0].useful_frames - one.losses[0].kept_frames == 1
    assert one.losses[0].psnr_db > 38


def test_spans_that_are_cut_out_leak_nothing_and_shift_the_time_behind_them(key, scored):
    hidden = deid_outputs.hidden(key, key.recordings[0])
    gone = outside(key)
    one = scored(lambda n, planted, clean: None if n in gone else hidden(n, planted, clean))
    assert leaked(one) == {}
    assert one.losses[0].kept_frames == one.losses[0].useful_frames
    assert one.losses[0].largest_time_error_s == pytest.approx(len(gone) / 25, abs=0.05)


def test_a_tool_that_holds_the_picture_before_a_room_is_measured_by_the_frames_that_it_left_alone(key, scored, perfect):
    """A held picture is one more of a frame that stands in its own place, too: what is measured there is the better of both."""
    recording = key.recordings[0]
    held = deid_outputs.hidden(key, recording, lambda item, _: item.kind == "outside")
    rooms, before = outside(key), {}

    def edit(number, planted, clean):
        picture = held(number, planted, clean)
        if number in rooms:
            # Darker, as where a tool fades out what it holds.
            return cv2.convertScaleAbs(before["picture"], alpha=0.94)
        before["picture"] = picture
        return picture

    one = scored(edit)
    assert leaked(one) == {}
    assert one.losses[0].psnr_db > perfect.losses[0].psnr_db - 1


def test_half_a_text_is_a_text(key, scored):
    text = max((item for item in key.items_of("r01") if item.kind == "text"), key=lambda item: len(item.frame_numbers))

    def half(planted, box):
        shown = deid_outputs.cut(planted, box)
        shown[:, : box[2] // 2] = 0
        return shown

    one = scored(deid_outputs.showing(key, key.recordings[0], [(text, half)]))
    assert leaked(one) == {text.item: tuple(text.frame_numbers)}


@pytest.mark.parametrize(("sigma_share", "is_read"), [(0.1, True), (0.5, False)])
def test_a_blurred_text_is_leaked_as_long_as_it_can_be_read(key, scored, sigma_share, is_read):
    texts = [item for item in key.items_of("r01") if item.kind == "text"]

    def blur_of(item):
        sigma = sigma_share * item.traits["height_px"]
        return lambda planted, box: deid_outputs.cut(cv2.GaussianBlur(planted, (0, 0), sigma), box)

    shown = leaked(scored(deid_outputs.showing(key, key.recordings[0], [(item, blur_of(item)) for item in texts])))
    assert shown == ({item.item: tuple(item.frame_numbers) for item in texts} if is_read else {})


def test_faces_that_are_blurred_are_hidden_and_the_room_around_them_is_not(key, scored):
    rooms, faces = ([item for item in key.items_of("r01") if item.kind == kind] for kind in ("outside", "face"))
    ways = [(item, deid_outputs.cut) for item in rooms]
    ways += [(item, lambda planted, box: deid_outputs.cut(cv2.blur(planted, box[2:]), box)) for item in faces]
    one = scored(deid_outputs.showing(key, key.recordings[0], ways))
    assert one.kinds["face"].leaked_frames == 0
    assert leaked(one) == {item.item: tuple(item.frame_numbers) for item in rooms}


def test_a_reflection_that_is_left_is_leaked(key, scored):
    one = scored(deid_outputs.hidden(key, key.recordings[0], lambda item, _: item.kind == "reflection"))
    expected = {item.item: tuple(item.frame_numbers) for item in key.items_of("r01") if item.kind == "reflection"}
    shown = leaked(one)
    assert shown.keys() == expected.keys()
    assert sum(map(len, shown.values())) >= 0.9 * sum(map(len, expected.values()))


@pytest.mark.parametrize("how", [{"size": (240, 136)}, {"size": (480, 270), "crf": 32}], ids=str)
def test_size_and_quality_of_an_output_change_what_is_lost_and_not_what_is_leaked(key, scored, perfect, how):
    recording = key.recordings[0]
    span = first(key, "outside")
    one = scored(deid_outputs.hidden(key, recording, lambda item, _: item.item == span.item), **how)
    assert leaked(one) == {span.item: tuple(span.frame_numbers)}
    assert one.losses[0].kept_frames == one.losses[0].useful_frames
    assert one.losses[0].psnr_db < perfect.losses[0].psnr_db
    assert one.losses[0].width_share == how.get("size", (recording.width,))[0] / recording.width


def test_half_the_rate_halves_the_frames_and_loses_no_second(key, scored):
    hidden = deid_outputs.hidden(key, key.recordings[0], lambda item, _: item.kind == "outside")
    one = scored(lambda n, planted, clean: None if n % 2 else hidden(n, planted, clean), fps="25/2")
    left = {item.item: tuple(n for n in item.frame_numbers if n % 2 == 0) for item in key.items_of("r01") if item.kind == "outside"}
    assert leaked(one) == {item: frames for item, frames in left.items() if frames}
    assert one.losses[0].kept_frames == sum(n not in outside(key) for n in range(0, key.recordings[0].frame_count, 2))
    assert one.losses[0].lost_s <= 0.2
    assert one.losses[0].time_error_s == 0


def test_ends_that_are_trimmed_are_lost(key, scored):
    hidden = deid_outputs.hidden(key, key.recordings[0])
    last = key.recordings[0].frame_count - 10
    one = scored(lambda n, planted, clean: hidden(n, planted, clean) if 5 <= n < last else None)
    assert one.losses[0].useful_frames - one.losses[0].kept_frames == 15
    assert one.losses[0].lost_s == pytest.approx(0.6)


def test_files_of_any_name_are_known_by_their_pictures_and_a_map_says_otherwise(key, tmp_path):
    for name, recording in (("b.mkv", key.recordings[0]), ("a.mkv", key.recordings[1])):
        deid_outputs.release(key, recording, tmp_path / "out" / name, deid_outputs.hidden(key, recording))
    plain = score(key, tmp_path / "out", {})
    assert {one.name: (one.recording, one.matched_by) for one in plain.outputs} == {
        "a.mkv": ("r02", "content"),
        "b.mkv": ("r01", "content"),
    }
    assert plain.total.done == plain.total.items
    sheet = tmp_path / "map.csv"
    sheet.write_text(f"raw,output\n{key.recordings[0].file},a.mkv\n")
    assert read_map(sheet, key, tmp_path / "out") == {"a.mkv": "r01"}
    sheet.write_text("raw,output\nnobody.mp4,a.mkv\n" + f"{key.recordings[0].file},c.mkv\n")
    with pytest.raises(MetricsError) as raised:
        read_map(sheet, key, tmp_path / "out")
    assert [fault.place for fault in raised.value.faults] == ["line 2", "line 3"]
    sheet.write_text("raw,output\n")
    with pytest.raises(MetricsError, match=r"it has no row below its header; add a row for each output, or leave --map out"):
        read_map(sheet, key, tmp_path / "out")


def test_names_and_times_and_notes_beside_the_videos_count(key, tmp_path):
    recording = key.recordings[0]
    surname = first(key, "file_name").needles[0]
    path = deid_outputs.release(key, recording, tmp_path / "out" / f"case {surname.upper()}.mp4", deid_outputs.hidden(key, recording))
    tag = first(key, "container_tag")
    (tmp_path / "out" / "log.txt").write_text(f"read {tag.text}")
    os.utime(path, (first(key, "file_time").traits["time_s"],) * 2)
    left = {one.item.item: one.where for one in score(key, tmp_path / "out", {}).verdicts if one.state == "left"}
    assert left.keys() == {first(key, kind).item for kind in ("file_name", "file_time", "container_tag")}
    assert left[tag.item] == "the bytes of log.txt"


def test_a_cover_a_second_stream_and_sound_are_found_where_they_are_kept(key, benchmark, tmp_path):
    source = benchmark / "raw" / key.recordings[0].file
    (tmp_path / "out").mkdir()
    shutil.copyfile(source, tmp_path / "out" / "copy.mp4")
    states = {one.item.item: one for one in score(key, tmp_path / "out", {}).verdicts if one.item.recording == "r01" and not one.frames}
    assert {one.item.kind for one in states.values() if one.state == "done"} == {"file_name", "file_time"}
    cover = next(one for one in states.values() if one.item.kind == "cover")
    assert cover.where == "the bytes of copy.mp4"


def test_frames_that_only_an_edit_list_hides_are_leaked(key, tmp_path):
    recording = key.recordings[0]
    span = min((item for item in key.items_of("r01") if item.kind == "outside"), key=lambda item: item.frames)
    start = sum(span.frames[0]) // 2
    hidden = deid_outputs.hidden(key, recording, lambda item, _: item.item == span.item)
    whole = deid_outputs.release(key, recording, tmp_path / "whole.mp4", hidden)
    (tmp_path / "out").mkdir()
    # Copied from the key frame before, with a list that tells players where to begin.
    clips.ffmpeg("-ss", start / 25, "-i", whole, "-c", "copy", tmp_path / "out" / "a.mp4")
    one = score(key, tmp_path / "out", {})
    assert leaked(one) == {span.item: tuple(span.frame_numbers)}
    # Who plays the file sees the second half only, and everything comes earlier.
    assert one.losses[0].time_error_s == pytest.approx(start / 25, abs=0.05)


def test_an_empty_folder_is_an_error(key, tmp_path):
    with pytest.raises(MetricsError, match="there is no file below it"):
        score(key, tmp_path, {})


def test_a_file_that_shows_something_else_is_no_recording(key, tmp_path):
    with av.open(str(tmp_path / "other.mp4"), "w") as out:
        stream = out.add_stream("libx264", rate=25)
        stream.width, stream.height, stream.pix_fmt = 320, 180, "yuv420p"
        rng = np.random.default_rng(1)
        for _ in range(10):
            picture = cv2.resize(rng.integers(0, 255, (9, 16, 3), np.uint8), (320, 180))
            out.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="bgr24")))
        out.mux(stream.encode())
    one = score(key, tmp_path, {})
    assert [(output.recording, output.matched_by) for output in one.outputs] == [("", "")]
    assert {verdict.state for verdict in one.verdicts} == {"missing"}


def test_the_command_prints_a_table_and_writes_json_csv_and_a_page(key, perfect, benchmark, tmp_path, capsys):
    documents.write(perfect, key, tmp_path / "report")
    document = json.loads((tmp_path / "report" / "score.json").read_text())
    assert document["total"]["items"] == len(key.items)
    assert document["kinds"]["outside"]["whole"] == perfect.kinds["outside"].whole
    rows = (tmp_path / "report" / "score.csv").read_text().splitlines()
    assert len(rows) == 2 + len(perfect.kinds) + len(perfect.groups)
    page = (tmp_path / "report" / "index.html").read_text()
    assert "http" not in page
    assert "no output shows the recording" in page
    (tmp_path / "raw").mkdir()
    shutil.copyfile(benchmark / "raw" / key.recordings[1].file, tmp_path / "raw" / "x.mp4")
    assert main(["deid", "score", str(benchmark), str(tmp_path / "raw"), "--out", str(tmp_path / "again")]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("joined: ")
    assert "recordings without an output: 1 of 2" in printed
    assert (tmp_path / "again" / "items.csv").is_file()


def test_a_long_way_is_found_in_two_steps_as_well():
    rng = np.random.default_rng(0)
    source = np.cumsum(rng.normal(size=(4000, 40)), axis=0).astype(np.float32)
    source -= cv2.blur(source, (1, 101))
    source /= np.linalg.norm(source, axis=1, keepdims=True)
    shown = np.array([*range(7, 1500), *range(2000, 3990)])
    way = align(source[shown], np.arange(len(shown)) / 25, source, 25.0)
    assert np.mean(way == shown) > 0.97
