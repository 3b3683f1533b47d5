"""Boxes and points at key frames on the label page: what is refused, undone, looks wrong, settled, and comes out on its frames."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import labelled_study
import sampled_release
from annotated_tables import tables_of
from each import each
from labelled_study import FIRST, SINGLE, done, person, read, say
from labelled_tracks import at, keyed, put_key, track
from scrubin.base.errors import AnnotationError, ReviewError
from scrubin.base.faults import Faults
from scrubin.curate.label import events, progress
from scrubin.curate.label.events import Change
from scrubin.labels.formats.plain import label_files
from scrubin.labels.keyframes import HIDDEN
from scrubin.labels.points import POINTS
from scrubin.stages.annotations import label_tables

LAYERS = "[actions, boxes, points]"
FRAMES = sampled_release.SINGLE_FRAMES
BOX, NEAR = (0.1, 0.1, 0.2, 0.2), (0.12, 0.1, 0.2, 0.2)


def keys_of(bench, who, layer="boxes"):
    items = bench.view(who, SINGLE)["items"].get(layer, {})
    return {key: (one["frame"], one["label"], tuple(one["place"])) for key, one in items.items()}


def test_a_key_frame_is_kept_in_frames_of_the_source_and_shown_in_released_ones(bench, both, folder):
    say(bench, both[0], put_key(at(5, *BOX, label="Grasper")), put_key(at(9, *NEAR)))
    assert keys_of(bench, both[0]) == {"a:5": (5, "grasper", BOX), "a:9": (9, "grasper", NEAR)}
    line = json.loads((folder / events.LEDGER_PATH).read_text(encoding="utf-8").splitlines()[-1])
    assert [(one["key"], one["value"]["frame"]) for one in line["facts"]["changes"]] == [
        (f"a:{FIRST + 5}", FIRST + 5),
        (f"a:{FIRST + 9}", FIRST + 9),
    ]
    say(bench, both[0], Change("boxes", "a:5", None))
    assert set(keys_of(bench, both[0])) == {"a:9"}


REFUSED = [
    (put_key(at(FRAMES, *BOX)), f"must lie in the {FRAMES} frames"),
    (Change("boxes", "a", at(5, *BOX)), "'a' is no key of a track"),
    (Change("boxes", "a:6", at(5, *BOX)), "or not the one that its key"),
    (Change("boxes", "<b>:5", at(5, *BOX)), "is no item of a label page"),
    (Change("actions", "a:5", at(5, *BOX)), "actions: it takes spans of frames"),
    (Change("boxes", "a:5", events.Span(5, 6, "grasper")), "boxes: it takes key frames of tracks"),
]


@each("change, says", REFUSED)
def test_what_is_no_key_frame_is_refused(bench, both, change, says):
    with pytest.raises(ReviewError, match=says):
        say(bench, both[0], change)
    assert keys_of(bench, both[0]) == {}


def test_a_track_is_of_one_instrument_that_there_is(bench, both):
    with pytest.raises(AnnotationError, match="'<script>' is no instrument"):
        say(bench, both[0], put_key(at(5, *BOX, label="<script>")))
    say(bench, both[0], put_key(at(5, *BOX)))
    with pytest.raises(ReviewError, match="a track is of one instrument, not of 'grasper' and 'hook'"):
        say(bench, both[0], put_key(at(9, *BOX, label="hook")))
    # All of it at once may become another.
    say(bench, both[0], put_key(at(5, *BOX, label="hook")), put_key(at(9, *BOX, label="hook")))
    assert {label for _, label, _ in keys_of(bench, both[0]).values()} == {"hook"}


NO_BOX = [
    [0.1, 0.1, 0.0, 0.2],
    [0.1, 0.1, -0.2, 0.2],
    [1.2, 0.1, 0.2, 0.2],
    [0.1, 0.1, 0.2],
    [0.1, 0.1, 0.2, float("nan")],
    [0.1, 0.1, 1e-9, 0.2],
    [0.1, 0.1, 0.2, True],
    "0.1",
]


@each("place", NO_BOX)
def test_what_is_no_box_is_no_value_of_the_ledger(place):
    value = {"frame": 5, "label": "grasper", "place": place, "state": "seen", "computed": False}
    with pytest.raises((ValueError, TypeError)):
        events.keyframe_of("boxes", value)


@each("change", [{"place": []}, {"state": "gone"}, {"frame": -1}, {"frame": 5.0}, {"label": ""}, {"more": 1}, {"computed": 1}])
def test_a_key_frame_has_its_own_facts_and_no_others(change):
    with pytest.raises((ValueError, TypeError)):
        events.keyframe_of("boxes", {"frame": 5, "label": "grasper", "place": list(BOX), "state": "seen", "computed": False, **change})


def test_what_looks_wrong_in_tracks_is_said_at_its_frame(bench, both):
    say(bench, both[0], put_key(at(5, *BOX)))
    say(bench, both[0], put_key(at(10, -0.1, 0.1, 0.2, 0.2), "b"), put_key(at(11, 0.6, 0.1, 0.2, 0.2), "b"))
    say(bench, both[0], put_key(at(20, *BOX), "c"), put_key(at(140, *BOX), "c"))
    found = {(one["rule"], one["first"], one["end"]) for one in bench.view(both[0], SINGLE)["findings"] if one["layer"] == "boxes"}
    assert found == {("single", 5, 6), ("outside", 10, 11), ("jump", 11, 12), ("long", 20, 140)}


def test_an_adjudicator_takes_a_box_and_the_track_goes_on(bench, both, folder):
    say(bench, both[0], put_key(at(0, *BOX)), put_key(at(9, *BOX)))
    say(bench, both[1], put_key(at(0, *BOX)), put_key(at(7, *BOX)))
    done(bench)
    chief = person(folder, 4)
    (dispute,) = bench.view(chief, SINGLE)["disputes"]
    assert (dispute["first"], dispute["end"]) == (8, 10)
    said = next(tracks for tracks in dispute["said"].values() if tracks)
    answer = [events.track_of("boxes", one) for one in said]
    outside = [track(at(7, *BOX), at(9, *BOX))]
    with pytest.raises(ReviewError, match="a track leaves the frames that are in dispute"):
        labelled_study.settle(bench, chief, "boxes", (8, 10), outside)
    with pytest.raises(ReviewError, match="it takes key frames of tracks"):
        labelled_study.settle(bench, chief, "boxes", (8, 10), [events.Span(8, 10, "grasper")])
    labelled_study.settle(bench, chief, "boxes", (8, 10), answer)
    view = labelled_study.opened(folder).view(chief, SINGLE)
    assert [one["open"] for one in view["disputes"]] == [False]
    (agreed,) = view["agreed"]["boxes"]
    assert agreed["keys"][-1]["frame"] == 9


def test_tracks_come_out_on_every_source_frame_and_what_nobody_said_is_said_so(bench, both):
    for who in both:
        say(bench, who, put_key(at(0, *BOX)), put_key(at(4, 0.3, 0.1, 0.2, 0.2)), put_key(at(6)))
        say(bench, who, put_key(at(2, 0.21, 0.15, state=HIDDEN), "p", "points"), put_key(at(3, 0.9, 0.9), "p", "points"))
        say(bench, who, Change("actions", "x", events.Span(1, 3, "grasper", "grasp", "gallbladder")))
    done(bench)
    labels = read(labelled_study.exported(bench))
    rows = labels.instances.rows
    boxes = rows[rows["x"].notna()]
    assert boxes["position"].tolist() == [FIRST + frame for frame in range(6)]
    assert boxes["x"].tolist() == [0.1, 0.15, 0.2, 0.25, 0.3, 0.3]
    # The last place is held until the track is outside; as nobody said it, it counts as interpolated.
    assert boxes["interpolated"].tolist() == [0, 1, 1, 1, 0, 1]
    assert boxes["verb_id"].notna().tolist() == [False, True, True, False, False, False]
    assert labels.instances.positions.tolist() == list(range(FIRST, FIRST + FRAMES))
    # A point that lies in the box is of it; another one is alone.
    points = rows[rows[POINTS].notna()]
    assert [(row["position"] - FIRST, row["x"] == row["x"], row[POINTS][0][1:]) for row in points.to_dict("records")] == [
        (2, True, (0.21, 0.15, 1)),
        (3, False, (0.9, 0.9, 2)),
    ]
    assert [fault.rule for fault in labels.faults] == ["interpolated"]
    assert "4 of 8 places of tracks were said by nobody" in labels.faults[0].what


def test_agreement_on_boxes_is_told(bench, both):
    say(bench, both[0], put_key(at(0, *BOX)), put_key(at(9, *BOX)))
    say(bench, both[1], put_key(at(0, *NEAR)), put_key(at(4, *NEAR)))
    done(bench)
    document = progress.document(bench)
    assert document["agreement"]["boxes"]["all"]["f1"]["value"] == 2 * 5 / 15
    assert "agreement on boxes, 1 recordings: f1 0.67, iou 0.82" in "\n".join(progress.lines(document))


FPS, SOURCE_S = 25, 20


@pytest.mark.slow
@settings(max_examples=20)
@given(
    frames=st.sets(st.integers(0, FPS * SOURCE_S - 1), min_size=2, max_size=5),
    lefts=st.lists(st.integers(0, 70), min_size=5, max_size=5),
    trims=st.tuples(st.integers(0, 9), st.integers(0, 9)),
)
def test_a_box_is_where_it_was_after_two_other_trims(frames, lefts, trims):
    ordered = sorted(frames)
    head = {"scrubin_labels": 1, "vocabulary": "cholect50"}
    rows = [(1, frame, "grasper", left / 100, 0.1, 0.2, 0.2) for frame, left in zip(ordered, lefts, strict=False)]
    labels = read(label_files.written(head | keyed(*rows)), "case one")
    for offset_s in trims:
        tables = tables_of(offset_s=Fraction(offset_s), seconds=10, source_s=SOURCE_S, fps=FPS)
        made = label_tables.tables([labels], label_tables.released(*tables), (), 1.0, Faults())
        found = dict(zip(made.triplets["frame"].tolist(), made.triplets["x"].tolist(), strict=True))
        for frame in range(10):
            source = (offset_s + frame) * FPS
            inside = ordered[0] <= source <= ordered[-1]
            x = np.interp(source, ordered, [left / 100 for left in lefts[: len(ordered)]])
            assert (frame in found) == inside
            assert not inside or found[frame] == pytest.approx(x, abs=1e-12)
