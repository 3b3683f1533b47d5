"""What people differ in is suspect until somebody settles it, and says nothing of who said what."""

from __future__ import annotations

import pytest

import labelled_study
from labelled_study import SINGLE, done, put
from labelled_tracks import at, put_key
from scrubin.curate.label.suspects import disputed
from scrubin.labels.suspects.suspect import ranked

BOXES = (0.1, 0.1, 0.2, 0.2), (0.6, 0.6, 0.2, 0.2)


def test_a_dispute_is_a_suspect_once_all_are_done_and_none_after_it_is_settled(bench):
    one = bench.recordings[SINGLE]
    for said in ((60,), (60, 90)):
        assert disputed.suspects(bench) == []
        done(bench, *([put("a", 0, end, "preparation")] for end in said))
    (found,) = disputed.suspects(bench)
    shift = one.pictures.first
    assert (found.recording, found.layer, found.first, found.end) == (one.name, "phases", 60 + shift, 90 + shift)
    assert (found.label, found.probable, found.score, found.evidence) == ("nothing or preparation", "", 0.5, ("people",))
    assert (found.page, found.open) == (f"#{SINGLE}/60", "")
    assert ranked([found]) == [found]
    labelled_study.settle(bench, labelled_study.person(bench.folder, 4), "phases", (60, 90), [])
    assert disputed.suspects(bench) == []


@pytest.mark.parametrize(("label", "says"), [("grasper", "in different places"), ("hook", "and 1 at most say the same")])
def test_boxes_that_differ_are_suspects_with_what_each_says(bench, folder, label, says):
    labelled_study.layers(folder, "[boxes]")
    bench = labelled_study.opened(folder)
    done(bench, *([put_key(at(frame, *box, label=of)) for frame in (5, 9)] for of, box in zip(("grasper", label), BOXES, strict=True)))
    found = disputed.suspects(bench)
    assert {(one.layer, one.first - bench.recordings[SINGLE].pictures.first, one.probable) for one in found} == {("boxes", 5, "")}
    assert all(one.says == f"2 people labelled it, {says}" for one in found)
