"""Triplets that a program predicts per sampled frame: taken one by one or all, changed, refused, counted."""

from __future__ import annotations

import json

import numpy as np
import pytest

import labelled_study
import sampled_release
from labelled_study import NONCES, SINGLE, annotator, mine, person, say
from scrubin.curate.label.events import Change, Instant
from scrubin.curate.label.proposed.taking import Pick

LAYERS = "[triplets]\n  every_s: 1"
FIRST, FPS = sampled_release.FIRST, sampled_release.FPS
CLASSES = labelled_study.PARAMS.classes
GRASP, CLIP = ("grasper", "grasp", "gallbladder"), ("clipper", "clip", "cystic_duct")
HOOK = ("hook", "dissect", "gallbladder")
SPANS = (
    "instrument,instance,start_frame,end_frame,verb,target\n"
    f"grasper,,0,{2 * FPS + 1},grasp,gallbladder\nclipper,,{FPS},{FPS + 9},clip,cystic_duct\n"
)


@pytest.fixture
def proposed(folder):
    return labelled_study.proposing(folder, {f"{SINGLE}.csv": SPANS})


def sets_of(bench):
    return {one.said.frame / FPS: (key, one.said.triplets) for key, one in bench.proposed[SINGLE].items()}


def said(bench, who):
    return {(one.frame - FIRST) / FPS: one.triplets for one in mine(bench, who).instants("triplets")}


def test_spans_are_the_sets_of_the_sampled_frames_in_which_they_are(proposed):
    assert {at: triplets for at, (_, triplets) in sets_of(proposed).items()} == {0: (GRASP,), 1: (CLIP, GRASP), 2: (GRASP,)}


def coco(frames, *annotations):
    """Predictions as COCO JSON: of frames each triplet, by frame, class and score."""
    file = {"width": 10, "height": 10, "recording": SINGLE}
    images = [{"id": at, "file_name": f"{SINGLE}/{at:06d}.png", "frame": at, **file} for at in frames]
    categories = [{"id": 1, "name": ",".join(GRASP)}, {"id": 2, "name": ",".join(HOOK)}]
    box = {"bbox": [1, 1, 5, 5], "area": 25, "iscrowd": 0}
    listed = [
        {"id": number, "image_id": frame, "category_id": of, **dict(zip(["score"], score, strict=False)), **box}
        for number, (frame, of, *score) in enumerate(annotations, start=1)
    ]
    return json.dumps({"images": images, "annotations": listed, "categories": categories})


def rows(classes):
    """Scores of four seconds: nothing, the grasper, the clipper, nothing."""
    found = np.full((4, len(classes.triplets)), 0.1)
    found[1, classes.triplet_of(",".join(GRASP))] = found[2, classes.triplet_of(",".join(CLIP))] = 0.5
    return found.tolist()


def matrices(classes):
    header = ["frame", *map(str, range(len(classes.triplets)))]
    return "\n".join([",".join(map(str, row)) for row in [header, *([at, *row] for at, row in enumerate(rows(classes)))]] + [""])


def submission(classes, **boxes):
    return json.dumps({str(at): {"recognition": row, **boxes} for at, row in enumerate(rows(classes))})


SETS = {
    "sets by second, also empty ones": ("all.json", "coco", coco((0, 1, 3), (0, 1), (0, 2), (3, 2, 0.3)), {0: (GRASP, HOOK), 1: (), 3: ()}),
    "a single frame, and not half of the video": ("all.json", "coco", coco((2,), (2, 1)), {2: (GRASP,)}),
    "scores of classes": (f"{SINGLE}.csv", "matrices", matrices, {0: (), 1: (GRASP,), 2: (CLIP,), 3: ()}),
    "a submission": (f"{SINGLE}.json", "cholectriplet2022", submission, {0: (), 1: (GRASP,), 2: (CLIP,), 3: ()}),
    "a submission without boxes": (
        f"{SINGLE}.json",
        "cholectriplet2022",
        lambda classes: submission(classes, detection=[]),
        {0: (), 1: (GRASP,), 2: (CLIP,), 3: ()},
    ),
}


@pytest.mark.parametrize("what", SETS)
def test_predictions_are_the_sets_of_triplets_that_are_likely(folder, what):
    name, form, text, expected = SETS[what]
    again = labelled_study.proposing(folder, {name: text if isinstance(text, str) else text(CLASSES)}, f"format: {form}")
    assert {at: triplets for at, (_, triplets) in sets_of(again).items()} == expected


def test_triplets_are_taken_one_by_one_until_the_set_is_as_proposed(proposed, folder):
    who = annotator(proposed)
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


def test_a_set_is_taken_at_once_beside_what_was_said_and_that_is_a_change(proposed, folder):
    who = annotator(proposed)
    key, _ = sets_of(proposed)[1]
    say(proposed, who, Change("triplets", str(FPS), Instant(FPS, (HOOK,))))
    proposed.take(who, SINGLE, [Pick(key)], next(NONCES))
    assert said(proposed, who) == {1: (CLIP, GRASP, HOOK)}
    assert mine(proposed, who).changed
    say(proposed, who, Change("triplets", str(FPS), Instant(FPS, (CLIP, GRASP))))
    assert not mine(proposed, who).changed


def test_what_is_refused_of_a_set_is_remembered_and_taken_back(proposed, folder):
    who = annotator(proposed)
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
        say(proposed, who, Change("triplets", str(3 * FPS), Instant(3 * FPS, ())))
        proposed.say_done(who, SINGLE, next(NONCES), done=True)
    made, people = json.loads(labelled_study.exported(proposed))["provenance"], len(numbers)
    expected = {"labels": 3 * people, "proposed": 2 * people, "changed": people, "refused": 2 * people}
    assert {name: made[name] for name in expected} == expected
