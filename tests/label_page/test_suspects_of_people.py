"""What people differ in is suspect until somebody settles it, and says nothing of who said what."""

from __future__ import annotations

import pytest

import labelled_study
import sampled_release
from scrubin.curate.label.events import Change
from scrubin.curate.label.suspects import disputed
from scrubin.labels.keyframes import KeyFrame
from scrubin.labels.suspects.suspect import ranked

BOXES = {"same": (0.1, 0.1, 0.2, 0.2), "elsewhere": (0.6, 0.6, 0.2, 0.2)}
NONCES = (f"nonce-{number:06d}" for number in range(10**6))


@pytest.fixture
def bench(tmp_path):
    folder = labelled_study.project(tmp_path / "study")
    labelled_study.staffed(folder)
    bench = labelled_study.opened(folder)
    bench.assign()
    return bench


def test_a_dispute_is_a_suspect_once_all_are_done_and_none_after_it_is_settled(bench):
    id_ = sampled_release.IDS["single"]
    one = bench.recordings[id_]
    annotators = bench.settlement(one).annotators
    for number, end in zip(annotators, (60, 90), strict=True):
        assert disputed.suspects(bench) == []
        who = labelled_study.person(bench.folder, number)
        bench.label(who, id_, [labelled_study.put("a", 0, end, "preparation")], next(NONCES))
        bench.say_done(who, id_, next(NONCES), done=True)
    (found,) = disputed.suspects(bench)
    shift = one.pictures.first
    assert (found.recording, found.layer, found.first, found.end) == (one.name, "phases", 60 + shift, 90 + shift)
    assert (found.label, found.probable, found.score, found.evidence) == ("nothing or preparation", "", 0.5, ("people",))
    assert (found.page, found.open) == (f"#{id_}/60", "")
    assert ranked([found]) == [found]
    chief = labelled_study.person(bench.folder, 4)
    labelled_study.settle(bench, chief, id_, "phases", (60, 90), [], next(NONCES))
    assert disputed.suspects(bench) == []


@pytest.mark.parametrize(("label", "says"), [("grasper", "in different places"), ("hook", "and 1 at most say the same")])
def test_boxes_that_differ_are_suspects_with_what_each_says(tmp_path, label, says):
    folder = labelled_study.project(tmp_path / "boxes", labelled_study.SECTION.replace("[phases, actions, quality, ratings]", "[boxes]"))
    labelled_study.staffed(folder)
    bench = labelled_study.opened(folder)
    bench.assign()
    id_ = sampled_release.IDS["single"]
    annotators = bench.settlement(bench.recordings[id_]).annotators
    for number, named, box in zip(annotators, ("grasper", label), BOXES.values(), strict=True):
        who = labelled_study.person(folder, number)
        keys = [Change("boxes", f"a:{frame}", KeyFrame(frame, named, box)) for frame in (5, 9)]
        bench.label(who, id_, keys, next(NONCES))
        bench.say_done(who, id_, next(NONCES), done=True)
    found = disputed.suspects(bench)
    assert {(one.layer, one.first - bench.recordings[id_].pictures.first, one.probable) for one in found} == {("boxes", 5, "")}
    assert all(one.says == f"2 people labelled it, {says}" for one in found)
