"""Label Studio's JSON of videos: frames from 1, spans of life, timelines, whose annotation is read, and what cannot be."""

import json
import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from label_examples import EXAMPLES, dumps, faults_of, read_files, write_files
from scrubin import cli
from scrubin.base.errors import AnnotationError
from scrubin.labels import registry
from scrubin.labels.files import reader
from scrubin.labels.files.reader import Options
from scrubin.labels.formats.programs import label_studio


def key(frame, left, *, enabled, **more):
    return {"frame": frame, "enabled": enabled, "rotation": 0, "time": 0, "x": left, "y": 10, "width": 20, "height": 30, **more}


def track(*sequence, label="hook", frames=10):
    value = {"framesCount": frames, "duration": 1.0, "sequence": list(sequence), "labels": [label]}
    return {"id": "x", "type": "videorectangle", "from_name": "box", "value": value}


def timeline(*ranges, label="preparation", of="phase"):
    value = {"ranges": [{"start": start, "end": end} for start, end in ranges], "timelinelabels": [label]}
    return {"id": "y", "type": "timelinelabels", "from_name": of, "value": value}


def export(*results, video="/data/upload/1/3d3ad63e-VID09.mp4", **more):
    task = {"id": 1, "data": {"video": video}, "annotations": [{"id": 1, "result": list(results)}], **more}
    return dumps([task])


def one(data, **options):
    (labels,) = read_files("label-studio", {"a/x.json": data}, **options).recordings
    return labels


def said(data):
    return [fault.sentence for fault in faults_of("label-studio", {"a/x.json": data})]


def test_frame_1_is_the_first_and_boxes_are_percents():
    labels = one(export(track(key(1, 25, enabled=False))))
    assert labels.instances.positions.tolist() == list(range(10))
    assert labels.instances.rows[["position", "x", "y", "w", "h"]].to_numpy().tolist() == [[0, 0.25, 0.1, 0.2, 0.3]]


def test_a_span_of_life_lasts_to_its_last_key_frame_or_to_the_end():
    labels = one(export(track(key(1, 10, enabled=True), key(3, 20, enabled=False), key(8, 40, enabled=True))))
    rows = labels.instances.rows
    assert rows["position"].tolist() == [0, 1, 2, 7, 8, 9]
    assert rows["x"].tolist() == pytest.approx([0.1, 0.15, 0.2, 0.4, 0.4, 0.4])
    assert rows["interpolated"].fillna(0).tolist() == [0, 1, 0, 0, 1, 1]


def test_what_is_interpolated_is_counted():
    data = export(track(key(1, 10, enabled=True), key(5, 20, enabled=False)))
    assert said(data) == ["a/x.json, task 0: 3 boxes stand between key frames: interpolated, as Label Studio does"]


def test_timelines_hold_their_first_and_last_frame():
    labels = one(export(timeline((1, 3)), timeline((4, 4), label="clipping-and-cutting")))
    assert labels.instances is None
    assert labels.phases.rows["position"].tolist() == [0, 1, 2, 3]
    assert [labels.vocabulary.phases[id_] for id_ in labels.phases.rows["phase_id"]][-2:] == ["preparation", "clipping-and-cutting"]


def test_of_two_phases_of_a_frame_the_later_one_counts_and_it_is_said():
    data = export(timeline((1, 3)), timeline((3, 4), label="clipping-and-cutting"))
    assert one(data).phases.rows["phase_id"].tolist()[1:] == [0, 2, 2]
    assert said(data) == ["a/x.json, task 0: 1 frames have two phases: the one that starts later counts"]


def test_of_several_annotations_the_ground_truth_is_read_or_none():
    others = [{"id": 1, "result": [timeline((1, 2))]}, {"id": 2, "result": [timeline((1, 9))]}]
    with pytest.raises(AnnotationError, match="2 annotations, of which 0 are marked as ground truth; mark one of them"):
        one(export(annotations=others))
    data = export(annotations=[others[0], {**others[1], "ground_truth": True}], predictions=[{"result": []}])
    assert len(one(data).phases.rows) == 9
    assert said(data) == ["a/x.json, task 0: not kept: annotations that are not the ground truth (1), predictions (1)"]
    data = export(annotations=[others[0], {**others[1], "was_cancelled": True}])
    assert len(one(data).phases.rows) == 2


def timed(*frames, fps=24.0, count=96, seconds=4.0, first=0):
    """Return a track with the times of its key frames, of 4 s at the rate of 24 that Label Studio takes where nobody says another."""
    keys = [key(frame, 10, enabled=False) | {"time": (frame - first) / fps} for frame in frames]
    one = track(*keys, frames=count)
    return one | {"value": one["value"] | {"duration": seconds}}


def at(frame, time, *, count, seconds=4.0):
    """Return a track with one key frame at a time in seconds."""
    one = track(key(frame, 10, enabled=False) | {"time": time}, frames=count)
    return one | {"value": one["value"] | {"duration": seconds}}


NTSC = Fraction(30_000, 1001)


@pytest.mark.parametrize(
    ("results", "fps"),
    [
        ([timed(48)], 24),
        ([timed(1, 48, 96)], 24),
        ([timed(48, fps=29.97, count=120)], Fraction(30000, 1001)),
        ([timed(48, seconds=0)], 24),
        # As our own files had it before, with frame 1 at 0 s.
        ([timed(48, fps=25, count=100, first=1)], 25),
        ([timed(1, first=1, count=97, seconds=4.01)], 24),
        ([timed(1, first=1, seconds=0)], None),
        # Early times fit 30, too, where they are rounded; later ones and the whole count do not.
        ([timed(1, 10, fps=29.97, count=1799, seconds=60.0), timed(100, 300, fps=29.97, count=1799, seconds=60.0)], NTSC),
        ([timed(1, fps=29.97, count=17_982, seconds=600.0)], NTSC),
        ([at(1, 0.033, count=17_982, seconds=600.0)], NTSC),
        ([at(1, 0.033, count=0), at(300, 10.01, count=0)], NTSC),
        ([at(1, 0.017, count=35_964, seconds=600.0)], Fraction(60_000, 1001)),
        ([at(10, 0.417, count=14_386, seconds=600.0)], Fraction(24_000, 1001)),
        ([timed(48, fps=25.02, count=1501, seconds=60.0)], Fraction("25.02")),
        ([track(key(1, 10, enabled=False), frames=1791) | {"value": track(frames=1791)["value"] | {"duration": 60.0}}], Fraction("29.85")),
        ([timed(48, fps=10, count=100, seconds=10.0)], 10),
        # Times with few decimals beside others, a track that begins at 0 s beside one that does not, and a time beside its frame by 0.4 ms.
        ([at(1, 0.042, count=1440, seconds=60.0), timed(50, count=1440, seconds=60.0)], 24),
        ([timed(1, 100, fps=25, count=1500, seconds=60.0), timed(10, 100, fps=25, count=1500, seconds=60.0, first=1)], 25),
        ([at(10, 0.4170666666666667, count=1440, seconds=60.0), timed(50, count=1440, seconds=60.0)], 24),
        ([timed(10, fps=29.97, seconds=0), at(300, 10.01, count=0)], NTSC),
    ],
)
def test_a_track_states_the_rate_at_which_label_studio_counted(results, fps):
    labels = one(export(*results, timeline((1, 48))))
    assert (labels.counts_time, labels.program_fps) == (fps is not None, fps)
    assert labels.clock.period_s == (None if fps is None else 1 / Fraction(fps))
    # It is no rate of the video, whose frames may have other times.
    assert labels.source_fps is None


def test_labels_stand_at_their_times_whatever_rate_the_video_has_and_another_one_is_refused(tmp_path, capsys):
    (tmp_path / "op1.json").write_bytes(export(timed(48), timeline((1, 48)), video="op1.mp4"))
    arguments = ["convert", str(tmp_path / "op1.json"), "--to", "elan", "--out", str(tmp_path / "out")]
    assert cli.main(arguments) == 0
    assert 'TIME_VALUE="2000"' in (tmp_path / "out/op1.eaf").read_text()
    assert cli.main([*arguments, "--fps", "30"]) == 1
    assert "--fps 30: the file of op1 states 24 frames per second; leave --fps out" in capsys.readouterr().err


def test_of_rates_that_fit_what_a_track_states_the_one_that_is_said_counts_and_none_is_made_up(tmp_path, capsys):
    (tmp_path / "op1.json").write_bytes(export(at(1, 0.033, count=0), timeline((1, 30)), video="op1.mp4"))
    arguments = ["convert", str(tmp_path / "op1.json"), "--to", "elan", "--out", str(tmp_path / "out")]
    assert cli.main(arguments) == 1
    assert "states the rate of its frames; say how many frames per second" in capsys.readouterr().err
    for fps, end_ms in (("30", 1000), ("30000/1001", 1001)):
        assert cli.main([*arguments, "--fps", fps]) == 0
        assert f'TIME_VALUE="{end_ms}"' in (tmp_path / "out/op1.eaf").read_text()
    capsys.readouterr()
    assert cli.main([*arguments, "--fps", "25"]) == 1
    assert re.search(r"--fps 25: the file of op1 has times of 29.\d+ to 31.\d+ frames .*; say one that fits", capsys.readouterr().err)


def test_a_rate_that_fits_is_never_refused_and_counts_for_what_is_compared_too(tmp_path):
    data = export(at(1, 0.033, count=600, seconds=20.0), timeline((1, 30)), video="op1.mp4")
    reading = reader.read_contents({"a/x.json": data}, registry.format_of("label-studio"), Options())
    rates = [reader.phases_by_frame(reading, fps).recordings[0].numbering.per_second for fps in (None, Fraction(30), NTSC)]
    assert rates == [30, 30, NTSC]


def test_a_rate_is_for_the_recordings_that_state_none_beside_those_that_do_which_is_said(tmp_path, capsys):
    tasks = [json.loads(export(*of, video=f"op{at}.mp4"))[0] for at, of in enumerate([[timed(48, fps=25, count=100)], []])]
    for task in tasks:
        task["annotations"][0]["result"].append(timeline((1, 48)))
    (tmp_path / "both.json").write_text(json.dumps(tasks))
    arguments = ["convert", str(tmp_path / "both.json"), "--to", "elan", "--out", str(tmp_path / "out")]
    assert cli.main(arguments) == 1
    capsys.readouterr()
    assert cli.main([*arguments, "--fps", "24"]) == 0
    said = "the file of op0 states 25 frames per second, and keeps them: --fps 24 is for those that state none"
    assert said in "".join(capsys.readouterr())
    ends_ms = [(tmp_path / f"out/op{at}.eaf").read_text().count(f'TIME_VALUE="{end}"') for at, end in enumerate((1920, 2000))]
    assert all(ends_ms)
    reading = reader.read_contents({"a/x.json": json.dumps(tasks).encode()}, registry.format_of("label-studio"), Options())
    compared = reader.phases_by_frame(reading, Fraction(24))
    assert [one.numbering.per_second for one in compared.recordings] == [25, 24]
    assert [fault.what for fault in compared.lost] == [
        "the file of op0 states 25 frames per second, and keeps them; 24 is for those that state none"
    ]


def test_all_phases_are_compared_beside_steps_too():
    data = {"a/x.json": export(timed(1), timeline((1, 48)), timeline((1, 24), label="preparation", of="step"))}
    reading = reader.read_contents(data, registry.format_of("label-studio"), Options())
    (compared,) = reader.phases_by_frame(reading, None).recordings
    assert len(compared.labels.phases.positions) == 48
    assert compared.numbering.per_second == 24


def test_a_timeline_alone_states_no_rate_and_it_is_asked_for_with_what_label_studio_takes(tmp_path, capsys):
    (tmp_path / "op1.json").write_bytes(export(timeline((1, 48)), video="op1.mp4"))
    arguments = ["convert", str(tmp_path / "op1.json"), "--to", "elan", "--out", str(tmp_path / "out")]
    assert cli.main(arguments) == 1
    said = capsys.readouterr().err
    assert "op1: no file of label-studio states the rate of its frames; say how many" in said
    assert "counts at the framerate of its tag <Video>, 24 where that says none, whatever rate the video has" in said
    assert cli.main([*arguments, "--fps", "24"]) == 0
    capsys.readouterr()
    assert cli.main(["validate", str(tmp_path / "op1.json")]) == 0
    assert "by --fps. Label Studio counts at the framerate of its tag <Video>, 24 where" in capsys.readouterr().out


def test_what_is_written_states_its_rate_as_label_studio_does_and_says_how_the_tag_is_set():
    out = write_files("label-studio", read_files("label-studio", {"a/op1.json": export(timed(1, 48, 96, fps=25, count=100))}))
    assert out.notes == ["label-studio: frames are numbered at 25 per second: set this framerate in the tag <Video>"]
    (again,) = read_files("label-studio", {f"o/{file}": data for file, data in out.files.items()}).recordings
    (results,) = (task["annotations"][0]["result"] for task in json.loads(next(iter(out.files.values()))))
    assert [one["time"] for one in results[0]["value"]["sequence"]] == [1 / 25, 48 / 25, 96 / 25]
    assert again.program_fps == 25


def test_the_first_frame_is_that_of_the_format(tmp_path, capsys):
    path = tmp_path / "op1.json"
    path.write_bytes(export(timeline((2, 13))))
    assert not faults_of("label-studio", {"a/x.json": path.read_bytes()})
    assert cli.main(["validate", str(path), "--first-frame", "1"]) == 1
    assert "--first-frame 1: label-studio numbers frames from 1 itself, and they are read so already" in capsys.readouterr().err


def test_results_of_other_types_are_counted():
    data = export(track(key(1, 10, enabled=False)), {"type": "choices", "value": {"choices": ["blurred"]}})
    assert said(data) == ["a/x.json, task 0: not kept: results of type 'choices' (1)"]


@pytest.mark.parametrize(
    ("video", "name"),
    [
        ("/data/upload/1/3d3ad63e-a.mp4", "a"),
        ("http://box:8080/ls/data/upload/3d3ad63e-20230101-a.mp4", "20230101-a"),
        ("https://app.humansignal.com/storage-data/uploaded/?filepath=upload/7/3d3ad63e-a.mp4", "a"),
        ("/data/upload/1/deadbeef-.mp4", "deadbeef-"),
        ("/data/local-files/?d=x/op 1.mp4", "op 1"),
        # A date of eight digits looks like the letters of an upload.
        ("/data/local-files/?d=20230101-P07.mp4", "20230101-P07"),
        ("/data/local-files/?d=data/upload/20230101-P07.mp4", "20230101-P07"),
        ("s3://films/20230101-P07.mp4", "20230101-P07"),
        ("20230101-P07.mp4", "20230101-P07"),
    ],
)
def test_a_recording_is_called_like_its_video(video, name):
    assert one(export(track(key(1, 10, enabled=False)), video=video)).recording == name


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (export(track(key(0, 10, enabled=False))), "task 0, result 0: a key frame is .*; give frame, from 1"),
        (export(track(key(1, 10, enabled=True), key(1, 20, enabled=False))), "frame 1 stands twice; keep one of its key frames"),
        (export(track(key(1, 90, enabled=False))), "task 0, result 0: box .* leaves the image by 0.1"),
        (export(track(key(1, 10, enabled=False, rotation=3))), "the box of frame 1 is turned by 3; turn it back"),
        (export(track(key(1, 10, enabled=True), frames=10**9)), "expected a sequence and framesCount"),
        (export(*[track(key(1, 10, enabled=True), frames=2_000)] * 3), "more than 5000 boxes would have to be interpolated"),
        (
            export(timed(48), timed(60, fps=30, count=120)),
            "task 0: of 96 frames in 4 s, and of 120 frames in 4 s, and frame 48 is at 2 s, and frame 60 is at 2 s: no rate fits all; save",
        ),
        (export(timed(48, count=120)), "task 0: of 120 frames in 4 s, and frame 48 is at 2 s: no rate fits all; save the"),
        (export(timeline((5, 3))), "a range is .*; give first and last frame, from 1"),
        (export({"type": "choices", "value": {"choices": ["blurred"]}}), "it has no boxes of a video and no phases or steps"),
        (export(track(key(1, 10, enabled=False)), video=""), "its data names no video"),
        (export(annotations=[]), "0 annotations, of which 0 are marked as ground truth; label it, or remove the task"),
        (b'[{"id": 1, "video": "a.mp4"}]', "export it as JSON, not as JSON-MIN"),
        (b'{"id": 1, "data": {"video": "a.mp4"}, "annotations": []}', r"put the task between \[ and \]"),
        (b"{}", "expected a list of tasks"),
    ],
)
def test_what_cannot_be_used_is_named_with_its_place(data, message, monkeypatch):
    monkeypatch.setattr(label_studio, "MOST_BOXES", 5_000)
    with pytest.raises(AnnotationError, match=message):
        read_files("label-studio", {"a/x.json": data})


def test_only_key_frames_are_written():
    out = write_files("label-studio", read_files("label-studio", EXAMPLES["label-studio"]))
    ((task,),) = (json.loads(data) for data in out.files.values())
    (boxes,) = (result for result in task["annotations"][0]["result"] if result["type"] == "videorectangle")
    assert [(one["frame"], one["enabled"]) for one in boxes["value"]["sequence"]] == [(1, True), (26, False)]


SHARES = st.tuples(*[st.integers(1, 49)] * 4)


@pytest.mark.slow
@given(st.lists(st.dictionaries(st.integers(1, 30), st.tuples(st.booleans(), SHARES), min_size=1, max_size=5), min_size=1, max_size=3))
def test_what_is_written_is_read_back_to_a_hundred_millionth_of_a_percent(drawn):
    results = [
        track(
            *(key(frame, 0, enabled=on) | dict(zip(("x", "y", "width", "height"), box, strict=True)) for frame, (on, box) in of.items()),
            frames=30,
        )
        for of in drawn
    ]
    first = read_files("label-studio", {"a/x.json": export(*results)})
    out = write_files("label-studio", first)
    (a,), (b,) = first.recordings, read_files("label-studio", {f"o/{file}": data for file, data in out.files.items()}).recordings
    assert not out.losses
    assert a.instances.positions.tolist() == b.instances.positions.tolist()
    assert a.instances.rows[["position", "instrument_id", "track"]].equals(b.instances.rows[["position", "instrument_id", "track"]])
    assert a.instances.rows[["x", "y", "w", "h"]].to_numpy() == pytest.approx(b.instances.rows[["x", "y", "w", "h"]].to_numpy(), abs=1e-9)
