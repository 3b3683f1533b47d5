"""Label Studio's JSON of videos: frames from 1, spans of life, timelines, whose annotation is read, and what cannot be."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from label_examples import EXAMPLES, dumps, faults_of, read_files, write_files
from scrubin.base.errors import AnnotationError
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


def test_results_of_other_types_are_counted():
    data = export(track(key(1, 10, enabled=False)), {"type": "choices", "value": {"choices": ["blurred"]}})
    assert said(data) == ["a/x.json, task 0: not kept: results of type 'choices' (1)"]


@pytest.mark.parametrize(
    ("video", "name"), [("/data/upload/1/3d3ad63e-a.mp4", "a"), ("/data/local-files/?d=x/op 1.mp4", "op 1"), ("deadbeef-.mp4", "deadbeef-")]
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
        (export(timeline((5, 3))), "a range is .*; give first and last frame, from 1"),
        (export({"type": "choices", "value": {"choices": ["blurred"]}}), "it has no boxes of a video and no phases or steps"),
        (export(track(key(1, 10, enabled=False)), video=""), "its data names no video"),
        (export(annotations=[]), "0 annotations, of which 0 are marked as ground truth; label it, or remove the task"),
        (b'[{"id": 1, "video": "a.mp4"}]', "export it as JSON, not as JSON-MIN"),
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
