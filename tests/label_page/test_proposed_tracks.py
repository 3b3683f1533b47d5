"""Boxes and points that a program predicts: as tracks with key frames that pass every predicted frame, taken, changed, refused, counted."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import labelled_study
import sampled_release
from labelled_study import NONCES, PAIR, SINGLE, annotator, mine, person, say
from scrubin.base.errors import ReviewError
from scrubin.curate.label import settling
from scrubin.curate.label.events import Change
from scrubin.curate.label.proposed import clock
from scrubin.curate.label.proposed.taking import Pick
from scrubin.curate.label.proposed.tracks import WITHIN
from scrubin.labels import keyframes
from scrubin.labels.keyframes import KeyFrame, Track, expanded

LAYERS = "[boxes, points]"
FIRST = sampled_release.FIRST
WIDTH, HEIGHT = 1000, 500
TRACKED = {"grasper": 3, "hook": 5}


def wandering(frames, seed=0, start=(0.4, 0.3, 0.2, 0.3)):
    """Boxes that move on a curve and tremble, by frame."""
    rng = np.random.default_rng(seed)
    at = np.asarray(frames)[:, None]
    moved = np.array(start) + np.hstack([0.25 * np.sin(at / 40), 0.15 * np.cos(at / 25), 0.02 * np.sin(at / 9), 0.01 * np.cos(at / 13)])
    return dict(zip(frames, (moved + rng.normal(0, 0.001, moved.shape)).round(4).tolist(), strict=True))


def coco(boxes, count, points=None):
    """Predictions as COCO JSON: of each label and track the boxes by frame; in frames below ``count`` there is nothing else."""
    names = sorted({label for label, *_ in boxes})
    categories = [{"id": at, "name": name} for at, name in enumerate(names, start=1)]
    if points:
        categories = [one | {"keypoints": ["tip"], "skeleton": []} for one in categories]
    images = [
        {"id": frame + 1, "file_name": f"{SINGLE}/{frame:06d}.png", "width": WIDTH, "height": HEIGHT, "recording": SINGLE, "frame": frame}
        for frame in range(count)
    ]
    annotations = []
    for (label, track, *score), by_frame in boxes.items():
        for frame, (x, y, w, h) in by_frame.items():
            one = {"id": len(annotations) + 1, "image_id": frame + 1, "category_id": names.index(label) + 1, "iscrowd": 0}
            one |= {"bbox": [x * WIDTH, y * HEIGHT, w * WIDTH, h * HEIGHT], "area": w * h * WIDTH * HEIGHT}
            one |= {"track_id": track} if track is not None else {}
            one |= {"score": score[0]} if score else {}
            if points:
                px, py, seen = points[frame]
                one |= {"keypoints": [px * WIDTH, py * HEIGHT, seen], "num_keypoints": 1}
            annotations.append(one)
    return json.dumps({"images": images, "annotations": annotations, "categories": categories})


def proposing(folder, text, name="predictions.json", form="coco"):
    """Open the study with predictions."""
    return labelled_study.proposing(folder, {name: text}, f"format: {form}, fps: video", f"predictions/{name}")


def tracks_of(bench):
    """What is proposed, by key."""
    return {key: one.said for key, one in bench.proposed[SINGLE].items()}


def furthest(track: Track, predicted):
    """The largest distance of an edge of a track from what is predicted; every predicted frame must have a place."""
    places = expanded(track)
    placed = dict(zip(places.frames.tolist(), places.places.tolist(), strict=True))
    assert set(predicted) <= set(placed)
    found = 0.0
    for frame, box in predicted.items():
        edges = [[x, y, x + w, y + h] for x, y, w, h in (placed[frame], box)]
        found = max(found, *(abs(one - other) for one, other in zip(*edges, strict=True)))
    return found


@given(st.integers(0, 10**6), st.integers(1, 60), st.sampled_from([0.0, 0.002, 0.005, 0.02]), st.integers(1, 3))
def test_key_frames_reproduce_every_predicted_frame_within_the_tolerance(seed, count, within, step):
    rng = np.random.default_rng(seed)
    frames = np.arange(count) * step + int(rng.integers(0, 9))
    places = np.round(0.3 + np.cumsum(rng.normal(0, 0.004, (count, 4)), axis=0).clip(-0.2, 0.2), keyframes.DIGITS)
    kept = keyframes.fewest(frames, places, within)
    assert (kept[0], kept[-1]) == (0, count - 1)
    assert kept == sorted(set(kept))
    track = Track(tuple(KeyFrame(int(frames[at]), "hook", keyframes.rounded(places[at])) for at in kept), "a")
    predicted = dict(zip(frames.tolist(), places.tolist(), strict=True))
    assert furthest(track, predicted) <= within + 1e-9


def test_what_moves_in_straight_lines_has_a_key_frame_where_it_turns():
    there = np.linspace(0.1, 0.5, 41)
    line = np.concatenate([there, there[-2::-1]])
    places = np.stack([line, line / 2, np.full(81, 0.2), np.full(81, 0.1)], axis=1)
    assert keyframes.fewest(np.arange(81), places, 1e-6) == [0, 40, 80]


def test_a_track_of_dense_boxes_is_proposed_with_few_key_frames_that_pass_every_one(folder):
    frames = range(5, 305)
    predicted = wandering(frames)
    ((_, track),) = tracks_of(proposing(folder, coco({("grasper", 3): predicted}, 320))).items()
    assert track.label == "grasper"
    assert furthest(track, predicted) <= WITHIN + 1e-6
    assert (track.keys[0].frame, track.keys[-1].frame) == (5, 304)
    assert len(track.keys) < 60
    assert expanded(track).frames.tolist() == list(frames)


def test_where_a_track_is_not_predicted_nothing_is_proposed(folder):
    frames = [*range(10, 60), *range(90, 120), 200]
    predicted = wandering(frames)
    ((_, track),) = tracks_of(proposing(folder, coco({("grasper", 3): predicted}, 320))).items()
    assert expanded(track).frames.tolist() == frames
    assert furthest(track, predicted) <= WITHIN + 1e-6


def test_boxes_without_ids_are_one_track_while_they_overlap_and_an_unlikely_box_is_none(folder):
    slow, fast = wandering(range(40)), wandering(range(40), 1, (0.6, 0.5, 0.1, 0.1))
    jump = {frame: [0.02, 0.02, 0.05, 0.05] for frame in (50, 51)} | {52: [0.9, 0.9, 0.05, 0.05]}
    boxes = {("hook", None): slow, ("hook", None, 0.9): fast, ("grasper", None): jump, ("clipper", None, 0.4): slow}
    tracks = list(tracks_of(proposing(folder, coco(boxes, 320))).values())
    assert [(one.label, len(expanded(one).frames)) for one in tracks] == [("hook", 40), ("hook", 40), ("grasper", 2), ("grasper", 1)]
    assert {furthest(tracks[0], slow) < 0.01, furthest(tracks[1], slow) < 0.01} == {True, False}


NOTHING = {
    "images without a box": coco({}, 30),
    "boxes that are unlikely": coco({("hook", None, 0.2): {frame: [0.1, 0.1, 0.2, 0.2] for frame in range(30)}}, 30),
    "points that are unlikely": coco({("hook", 1, 0.2): {0: [0.1, 0.1, 0.3, 0.2]}}, 30, {0: (0.2, 0.2, 2)}),
}


@pytest.mark.parametrize("name", NOTHING)
def test_a_recording_in_which_a_program_saw_nothing_has_no_proposals(folder, name):
    assert tracks_of(proposing(folder, NOTHING[name])) == {}


def test_of_two_recordings_one_may_have_no_detection(folder):
    document = json.loads(coco({("hook", 1): wandering(range(30))}, 30))
    document["images"] += [
        {**one, "id": 100 + one["id"], "recording": PAIR, "file_name": f"{PAIR}/{one['frame']:06d}.png"} for one in document["images"]
    ]
    proposed = proposing(folder, json.dumps(document)).proposed
    assert (len(proposed[SINGLE]), proposed[PAIR]) == (1, {})


def test_a_task_of_cvat_without_a_shape_proposes_nothing(folder):
    job = "<meta><task><name>x</name><size>9</size><mode>interpolation</mode><start_frame>0</start_frame><stop_frame>8</stop_frame>"
    size = "<original_size><width>10</width><height>10</height></original_size>"
    labels = "<labels><label><name>hook</name><attributes></attributes></label></labels>"
    text = f"<annotations><version>1.1</version>{job}{labels}{size}</task></meta></annotations>"
    assert not proposing(folder, text, f"{SINGLE}.xml", "cvat-video").proposed[SINGLE]


def test_a_box_that_leaves_the_picture_is_proposed_as_far_as_it_is_in_it(folder):
    boxes = {("hook", 1): {0: [-0.01, 0.5, 0.2, 0.2], 1: [0.0, 0.5, 0.2, 0.2]}}
    ((_, track),) = tracks_of(proposing(folder, coco(boxes, 5))).items()
    assert track.keys[0].place == (0.0, 0.5, 0.19, 0.2)


def test_points_are_proposed_with_what_is_hidden(folder):
    points = {frame: (0.1 + frame / 100, 0.5, 1 if 10 <= frame < 20 else 2) for frame in range(30)}
    text = coco({("hook", 2): {frame: [0.1, 0.1, 0.5, 0.5] for frame in range(30)}}, 40, points)
    bench = proposing(folder, text)
    (track,) = [one.said for one in bench.proposed[SINGLE].values() if one.layer == "points"]
    places = expanded(track)
    assert places.places[:, 0] == pytest.approx([0.1 + frame / 100 for frame in range(30)], abs=WITHIN)
    assert np.flatnonzero(places.is_hidden).tolist() == list(range(10, 20))


def test_a_whole_track_is_taken_exactly_as_it_is_proposed_and_undone_at_once(folder):
    bench = proposing(folder, coco({("grasper", 3): wandering(range(5, 105)), ("hook", 5): wandering(range(50), 2)}, 320))
    who = annotator(bench)
    proposed = tracks_of(bench)
    (key,) = [key for key, one in proposed.items() if one.label == "grasper"]
    bench.take(who, SINGLE, [Pick(key)], next(NONCES))
    (track,) = mine(bench, who).tracks("boxes")
    moved = [(one.frame - FIRST, one.place, one.state) for one in track.keys]
    assert moved == [(one.frame, one.place, one.state) for one in proposed[key].keys]
    assert bench.view(who, SINGLE)["decided"] == {"taken": [key], "refused": []}
    bench.undo(who, SINGLE, next(NONCES))
    assert mine(bench, who).tracks("boxes") == []
    assert bench.view(who, SINGLE)["decided"]["taken"] == []


def test_boxes_of_single_frames_are_taken_as_key_frames_of_one_track_also_all_of_a_frame(folder):
    predicted = {("grasper", 3): wandering(range(100)), ("hook", 5): wandering(range(100), 2)}
    bench = proposing(folder, coco(predicted, 320))
    who = annotator(bench)
    first, second = tracks_of(bench)
    bench.take(who, SINGLE, [Pick(first, 7)], next(NONCES))
    bench.take(who, SINGLE, [Pick(first, 40), Pick(second, 40)], next(NONCES))
    tracks = {track.label: track for track in mine(bench, who).tracks("boxes")}
    assert {label: [key.frame - FIRST for key in track.keys] for label, track in tracks.items()} == {"grasper": [7, 40], "hook": [40]}
    for (label, _), boxes in predicted.items():
        key = tracks[label].keys[-1]
        assert key.place == pytest.approx(boxes[key.frame - FIRST], abs=2 * WITHIN)
    assert sorted(bench.view(who, SINGLE)["decided"]["taken"]) == sorted([f"{first}:7", f"{first}:40", f"{second}:40"])
    with pytest.raises(ReviewError, match="no such proposal"):
        bench.take(who, SINGLE, [Pick(first, 300)], next(NONCES))


def test_a_taken_box_that_is_moved_is_changed_and_one_that_is_moved_back_is_not(folder):
    bench = proposing(folder, coco({("grasper", 3): wandering(range(100))}, 320))
    who = annotator(bench)
    ((key, track),) = tracks_of(bench).items()
    bench.take(who, SINGLE, [Pick(key)], next(NONCES))
    assert not mine(bench, who).changed
    first = track.keys[0]
    there = f"{track.name}:{first.frame}"
    say(bench, who, Change("boxes", there, KeyFrame(first.frame, "grasper", (0.5, 0.5, 0.1, 0.1))))
    at = ("boxes", f"{track.name}:{first.frame + FIRST}")
    assert mine(bench, who).changed == {at}
    assert mine(bench, who).proposals[at] == key
    say(bench, who, Change("boxes", there, first))
    assert not mine(bench, who).changed
    bench.undo(who, SINGLE, next(NONCES))
    assert mine(bench, who).changed == {at}


def test_a_whole_track_that_is_taken_leaves_key_frames_that_were_corrected_as_they_are(folder):
    bench = proposing(folder, coco({("grasper", 3): wandering(range(100))}, 320))
    who = annotator(bench)
    ((key, track),) = tracks_of(bench).items()
    bench.take(who, SINGLE, [Pick(key, 0)], next(NONCES))
    corrected = KeyFrame(0, "grasper", (0.5, 0.5, 0.1, 0.1))
    say(bench, who, Change("boxes", f"{track.name}:0", corrected))
    nonce = next(NONCES)
    line = bench.take(who, SINGLE, [Pick(key)], nonce)
    (mended,) = mine(bench, who).tracks("boxes")
    assert [one.frame - FIRST for one in mended.keys] == [one.frame for one in track.keys]
    assert [one.place for one in mended.keys] == [corrected.place, *(one.place for one in track.keys[1:])]
    # What a page sends again is answered as before; what is asked anew has nothing left to take.
    assert bench.take(who, SINGLE, [Pick(key)], nonce) == line
    with pytest.raises(ReviewError, match="every key frame of it stands already; change it there"):
        bench.take(who, SINGLE, [Pick(key)], next(NONCES))


def test_a_track_that_got_another_label_goes_on_under_it(folder):
    bench = proposing(folder, coco({("grasper", 3): wandering(range(100))}, 320))
    who = annotator(bench)
    ((key, track),) = tracks_of(bench).items()
    bench.take(who, SINGLE, [Pick(key, 0)], next(NONCES))
    place = mine(bench, who).tracks("boxes")[0].keys[0].place
    say(bench, who, Change("boxes", f"{track.name}:0", KeyFrame(0, "hook", place)))
    bench.take(who, SINGLE, [Pick(key, 20)], next(NONCES))
    assert [one.label for one in mine(bench, who).tracks("boxes")[0].keys] == ["hook", "hook"]
    assert len(mine(bench, who).changed) == 2


def test_what_is_refused_of_a_frame_or_of_a_track_is_remembered_and_taken_back(folder):
    bench = proposing(folder, coco({("grasper", 3): wandering(range(50)), ("hook", 5): wandering(range(50), 2)}, 320))
    who = annotator(bench)
    first, second = tracks_of(bench)
    bench.refuse(who, SINGLE, [Pick(first, 3), Pick(second, 3)], next(NONCES), refused=True)
    bench.refuse(who, SINGLE, [Pick(second)], next(NONCES), refused=True)
    assert bench.view(who, SINGLE)["decided"]["refused"] == sorted([f"{first}:3", f"{second}:3", second])
    bench.undo(who, SINGLE, next(NONCES))
    bench.undo(who, SINGLE, next(NONCES))
    assert bench.view(who, SINGLE)["decided"]["refused"] == []
    assert not bench.view(who, SINGLE)["undo"]
    with pytest.raises(ReviewError, match="no such proposal"):
        bench.refuse(who, SINGLE, [Pick(first, 300)], next(NONCES), refused=True)


def test_the_file_says_how_many_key_frames_a_program_had_proposed_changed_and_not_taken(folder):
    bench = proposing(folder, coco({("grasper", 3): wandering(range(50)), ("hook", 5): wandering(range(50), 2)}, 320))
    grasper, hook = tracks_of(bench).items()
    numbers = bench.standing().assigned["single"]
    for number in numbers:
        who = person(folder, number)
        bench.take(who, SINGLE, [Pick(grasper[0])], next(NONCES))
        bench.refuse(who, SINGLE, [Pick(hook[0])], next(NONCES), refused=True)
        first = grasper[1].keys[0]
        changed = Change("boxes", f"{grasper[1].name}:{first.frame}", KeyFrame(first.frame, "grasper", (0.2, 0.2, 0.3, 0.3)))
        own = Change("boxes", "own:9", KeyFrame(9, "hook", (0.5, 0.5, 0.1, 0.1)))
        say(bench, who, changed, own)
        bench.say_done(who, SINGLE, next(NONCES), done=True)
    made = json.loads(labelled_study.exported(bench))["provenance"]
    keys, people = len(grasper[1].keys), len(numbers)
    expected = {"labels": (keys + 1) * people, "proposed": keys * people, "changed": people, "refused": people}
    assert {name: made[name] for name in expected} == expected


def test_a_proposal_that_is_refused_in_parts_and_as_a_whole_counts_once_and_not_once_it_is_taken(folder):
    bench = proposing(folder, coco({("grasper", 3): wandering(range(50)), ("hook", 5): wandering(range(50), 2)}, 320))
    grasper, hook = tracks_of(bench)
    who, one = annotator(bench), bench.recordings[SINGLE]

    def refused():
        return settling.provenance(one.pictures, bench.standing(), [who.number], 0).refused

    for pick in (Pick(grasper, 3), Pick(hook, 3), Pick(hook, 9), Pick(hook)):
        bench.refuse(who, SINGLE, [pick], next(NONCES), refused=True)
    assert refused() == 2
    bench.take(who, SINGLE, [Pick(grasper, 5)], next(NONCES))
    assert refused() == 2
    bench.take(who, SINGLE, [Pick(grasper)], next(NONCES))
    assert refused() == 1
    bench.undo(who, SINGLE, next(NONCES))
    assert refused() == 2


def test_a_long_trembling_track_is_proposed_in_parts_that_can_be_said_at_once(monkeypatch, folder):
    monkeypatch.setattr("scrubin.curate.label.proposed.tracks.MOST_CHANGES", 20)
    rng = np.random.default_rng(4)
    predicted = {frame: [0.3, 0.3, *(rng.integers(20, 40, 2) / 100)] for frame in range(90)}
    tracks = list(tracks_of(proposing(folder, coco({("grasper", 3): predicted}, 320))).values())
    assert all(len(one.keys) <= 20 for one in tracks)
    frames = [frame for one in tracks for frame in expanded(one).frames.tolist()]
    assert sorted(frames) == list(range(90))
    for one in tracks:
        assert furthest(one, {frame: predicted[frame] for frame in expanded(one).frames.tolist()}) <= WITHIN + 1e-6


def test_positions_without_a_frame_of_the_video_are_left_out():
    times_s = np.arange(0, 4.01, 0.5)
    assert clock.frames_of(np.array([-1, 0, 3, 8, 9]), clock.Clock(None), times_s) == {0: 0, 3: 3}
