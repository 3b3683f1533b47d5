"""Triplets that a program predicts per sampled frame: taken one by one or all, changed, refused, counted."""

from __future__ import annotations

import json

import numpy as np
import pytest

import labelled_study
import sampled_release
from labelled_study import person
from scrubin.curate.label import progress, written
from scrubin.curate.label.events import Change, Instant
from scrubin.curate.label.proposed.taking import Pick

SINGLE = sampled_release.IDS["single"]
FIRST, FPS = sampled_release.FIRST, sampled_release.FPS
NONCES = (f"nonce-{number:06d}" for number in range(10**6))
SECTION = labelled_study.SECTION.replace("[phases, actions, quality, ratings]", "[triplets]\n  every_s: 1")
GRASP, CLIP = ("grasper", "grasp", "gallbladder"), ("clipper", "clip", "cystic_duct")
HOOK = ("hook", "dissect", "gallbladder")
SPANS = (
    "instrument,instance,start_frame,end_frame,verb,target\n"
    f"grasper,,0,{2 * FPS + 1},grasp,gallbladder\nclipper,,{FPS},{FPS + 9},clip,cystic_duct\n"
)


@pytest.fixture(scope="session")
def made_study(tmp_path_factory):
    return labelled_study.project(tmp_path_factory.mktemp("instants") / "study", SECTION)


def proposing(folder, name, data, options="format: null"):
    (folder / "predictions").mkdir()
    (folder / "predictions" / name).write_bytes(data)
    params = folder / "params.yaml"
    text = params.read_text(encoding="utf-8").replace("proposals: null", f"proposals: {{path: predictions, {options}}}")
    params.write_text(text, encoding="utf-8")
    return labelled_study.opened(folder)


@pytest.fixture
def proposed(bench, folder):
    return proposing(folder, f"{SINGLE}.csv", SPANS.encode())


def annotator(bench, folder):
    return person(folder, bench.standing().assigned["single"][0])


def sets_of(bench):
    return {one.said.frame / FPS: (key, one.said.triplets) for key, one in bench.proposed[SINGLE].items()}


def mine(bench, who):
    return bench.standing().of(bench.recordings[SINGLE].about, who.number)


def said(bench, who):
    return {(one.frame - FIRST) / FPS: one.triplets for one in mine(bench, who).instants("triplets")}


def test_spans_are_the_sets_of_the_sampled_frames_in_which_they_are(proposed):
    assert {at: triplets for at, (_, triplets) in sets_of(proposed).items()} == {0: (GRASP,), 1: (CLIP, GRASP), 2: (GRASP,)}


def test_a_set_by_second_is_proposed_also_an_empty_one(bench, folder):
    images = [
        {"id": at, "file_name": f"{SINGLE}/{at:06d}.png", "width": 10, "height": 10, "recording": SINGLE, "frame": at} for at in (0, 1, 3)
    ]
    categories = [{"id": 1, "name": ",".join(GRASP)}, {"id": 2, "name": ",".join(HOOK)}]
    box = {"bbox": [1, 1, 5, 5], "area": 25, "iscrowd": 0}
    annotations = [{"id": 1, "image_id": 0, "category_id": 1, **box}, {"id": 2, "image_id": 0, "category_id": 2, **box}]
    annotations += [{"id": 3, "image_id": 3, "category_id": 2, "score": 0.3, **box}]
    text = json.dumps({"images": images, "annotations": annotations, "categories": categories})
    again = proposing(folder, "all.json", text.encode(), "format: coco")
    assert {at: triplets for at, (_, triplets) in sets_of(again).items()} == {0: (GRASP, HOOK), 1: (), 3: ()}


def test_scores_of_classes_are_sets_of_those_that_are_likely(bench, folder):
    classes = bench.p.classes
    rows = np.full((4, len(classes.triplets)), 0.1)
    rows[1, classes.triplet_of(",".join(GRASP))] = rows[2, classes.triplet_of(",".join(CLIP))] = 0.5
    lines = [",".join([str(second), *(f"{score:g}" for score in row)]) for second, row in enumerate(rows)]
    header = ",".join(["frame", *(str(at) for at in range(rows.shape[1]))])
    again = proposing(folder, f"{SINGLE}.csv", "\n".join([header, *lines, ""]).encode(), "format: matrices")
    assert {at: triplets for at, (_, triplets) in sets_of(again).items()} == {0: (), 1: (GRASP,), 2: (CLIP,), 3: ()}


@pytest.mark.parametrize("boxes", [{}, {"detection": []}])
def test_scores_of_a_submission_are_sets_also_where_it_has_no_boxes(bench, folder, boxes):
    classes = bench.p.classes
    scores = [[0.1] * len(classes.triplets) for _ in range(3)]
    scores[1][classes.triplet_of(",".join(GRASP))] = scores[2][classes.triplet_of(",".join(CLIP))] = 0.5
    text = json.dumps({str(second): {"recognition": row, **boxes} for second, row in enumerate(scores)})
    again = proposing(folder, f"{SINGLE}.json", text.encode(), "format: cholectriplet2022")
    assert {at: triplets for at, (_, triplets) in sets_of(again).items()} == {0: (), 1: (GRASP,), 2: (CLIP,)}


def test_triplets_are_taken_one_by_one_until_the_set_is_as_proposed(proposed, folder):
    who = annotator(proposed, folder)
    key, _ = sets_of(proposed)[1]
    proposed.take(who, SINGLE, [Pick(key, 1)], next(NONCES))
    assert said(proposed, who) == {1: (GRASP,)}
    assert mine(proposed, who).changed == {("triplets", str(FIRST + FPS))}
    proposed.take(who, SINGLE, [Pick(key, 0)], next(NONCES))
    assert said(proposed, who) == {1: (CLIP, GRASP)}
    assert not mine(proposed, who).changed
    proposed.undo(who, SINGLE, next(NONCES))
    proposed.undo(who, SINGLE, next(NONCES))
    assert said(proposed, who) == {}


def test_a_single_predicted_frame_is_proposed_where_it_is_and_not_for_half_of_the_video(bench, folder):
    images = [{"id": 1, "file_name": f"{SINGLE}/000002.png", "width": 10, "height": 10, "recording": SINGLE, "frame": 2}]
    categories = [{"id": 1, "name": ",".join(GRASP)}]
    annotations = [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 1, 5, 5], "area": 25, "iscrowd": 0}]
    text = json.dumps({"images": images, "annotations": annotations, "categories": categories})
    again = proposing(folder, "all.json", text.encode(), "format: coco")
    assert {at: triplets for at, (_, triplets) in sets_of(again).items()} == {2: (GRASP,)}


def test_a_set_is_taken_at_once_beside_what_was_said_and_that_is_a_change(proposed, folder):
    who = annotator(proposed, folder)
    key, _ = sets_of(proposed)[1]
    proposed.label(who, SINGLE, [Change("triplets", str(FPS), Instant(FPS, (HOOK,)))], next(NONCES))
    proposed.take(who, SINGLE, [Pick(key)], next(NONCES))
    assert said(proposed, who) == {1: (CLIP, GRASP, HOOK)}
    assert mine(proposed, who).changed
    proposed.label(who, SINGLE, [Change("triplets", str(FPS), Instant(FPS, (CLIP, GRASP)))], next(NONCES))
    assert not mine(proposed, who).changed


def test_what_is_refused_of_a_set_is_remembered_and_taken_back(proposed, folder):
    who = annotator(proposed, folder)
    key, _ = sets_of(proposed)[1]
    proposed.refuse(who, SINGLE, [Pick(key, 0)], next(NONCES), refused=True)
    assert proposed.view(who, SINGLE)["decided"]["refused"] == [f"{key}:0"]
    proposed.undo(who, SINGLE, next(NONCES))
    assert proposed.view(who, SINGLE)["decided"]["refused"] == []


def test_the_file_says_how_many_sampled_frames_a_program_had_a_hand_in(proposed, folder):
    by_second = sets_of(proposed)
    numbers = proposed.standing().assigned["single"]
    for number in numbers:
        who = person(folder, number)
        proposed.take(who, SINGLE, [Pick(by_second[0][0]), Pick(by_second[1][0], 1)], next(NONCES))
        proposed.refuse(who, SINGLE, [Pick(by_second[1][0], 0), Pick(by_second[2][0])], next(NONCES), refused=True)
        proposed.label(who, SINGLE, [Change("triplets", str(3 * FPS), Instant(3 * FPS, ()))], next(NONCES))
        proposed.say_done(who, SINGLE, next(NONCES), done=True)
    progress.export(proposed)
    path = folder / "data/raw" / written.LABELS_FOLDER / "single.labels.json"
    made, people = json.loads(path.read_text(encoding="utf-8"))["provenance"], len(numbers)
    expected = {"labels": 3 * people, "proposed": 2 * people, "changed": people, "refused": 2 * people}
    assert {name: made[name] for name in expected} == expected
