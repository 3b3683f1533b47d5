"""CholecT50: vectors are read or refused by name and value; those that are read at once say exactly what they say one by one."""

from __future__ import annotations

import json
import re
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from each import each
from fault_lines import sentences
from label_examples import said
from label_fixtures import NO_BOX, make_nothing, make_vector
from scrubin.base.errors import AnnotationError
from scrubin.base.vocabulary import vocabulary
from scrubin.labels import boxes
from scrubin.labels.formats.triplets import cholect50, plain_vectors
from scrubin.labels.model import LabelFiles

FILE = "annotations/cholect50/case one.json"


@pytest.fixture
def read(make):
    def read(annotations, **changes):
        return cholect50.read(make.named({FILE: make.cholect50(annotations, **changes)}))

    return read


@pytest.fixture
def refused(read):
    """Assert that a file is refused and return the message, which names the file."""

    def refused(annotations, **changes):
        with pytest.raises(AnnotationError) as caught:
            read(annotations, **changes)
        assert FILE in str(caught.value)
        return str(caught.value)

    return refused


def test_ids_box_score_and_phase_are_read(read, make):
    labels = read({"4": [make.vector(17, box=(0.1, 0.2, 0.3, 0.4), phase=3)]})
    (row,) = labels.instances.rows.to_dict("records")
    assert (row["position"], row["instrument_id"], row["verb_id"], row["target_id"], row["triplet_id"]) == (4, 0, 1, 0, 17)
    assert (row["x"], row["y"], row["w"], row["h"], row["score"]) == (0.1, 0.2, 0.3, 0.4, 1.0)
    assert labels.phases.rows.to_dict("records") == [{"position": 4, "phase_id": 3}]
    assert labels.clock.period_s == 1


@pytest.mark.parametrize(("name", "video"), [("VID01", 2), ("video_01", "VID02"), ("7", 70), ("07", "8")])
def test_a_file_of_another_video_than_it_is_called_like_is_refused(make, name, video):
    document = json.loads(make.cholect50({"4": [make.vector()]}))
    shown = json.dumps(video)
    assert said("cholect50", {f"c/{name}.json": json.dumps({**document, "video": video}).encode()}) == (
        f"c/{name}.json, video: 'video' is {shown}, but the file is called like video {int(''.join(filter(str.isdigit, name)))}; "
        "call the file after its video, or correct 'video'"
    )


@pytest.mark.parametrize(("name", "video"), [("VID01", 1), ("VID01", "VID01"), ("VID01", None), ("abelo", 7), ("VID01", "case one")])
def test_a_video_that_is_no_other_number_is_read(make, name, video):
    document = json.loads(make.cholect50({"4": [make.vector()]}))
    assert said("cholect50", {f"c/{name}.json": json.dumps({**document, "video": video}).encode()}) == ""


def test_sparse_keys_in_any_order_are_read_in_increasing_order(read, make):
    labels = read({"1950": [make.vector()], "16": [make.vector(), make.vector(12)], "141": []})
    assert labels.instances.positions.tolist() == [16, 141, 1950]
    assert labels.instances.rows["position"].tolist() == [16, 16, 1950]


def test_a_frame_without_instrument_is_labelled_and_has_no_row(read, make):
    labels = read({"0": [make.nothing(phase=2)], "1": [], "2": [make.vector(phase=-1)]})
    assert labels.instances.positions.tolist() == [0, 1, 2]
    assert labels.instances.rows["position"].tolist() == [2]
    assert labels.phases.positions.tolist() == [0]


def test_missing_boxes_scores_verbs_and_targets_are_null_and_not_minus_one(read, make):
    tool_only = [-1, 3, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0]
    labels = read({"0": [tool_only, make.vector(20, box=(-1, -1, -1, -1), phase=0)]})
    rows = labels.instances.rows
    assert rows["instrument_id"].tolist() == [3, 0]
    assert rows.loc[0, ["verb_id", "target_id", "triplet_id", "x", "score"]].isna().all()
    assert rows["x"].isna().all()
    assert rows.loc[1, "triplet_id"] == 20


def test_components_left_out_follow_from_the_triplet(read):
    vector = [57, -1, 1, -1, -1, -1, -1, -1, -1, 1, -1, -1, -1, -1, 0]
    row = read({"0": [vector]}).instances.rows.iloc[0]
    assert row[["instrument_id", "verb_id", "target_id"]].notna().all()


def test_a_box_just_outside_stays_as_drawn_and_is_cut_and_counted_for_tables(read, make):
    labels = read({"0": [make.vector(box=(0.5, 0.5875, 0.25, 0.424))]})
    row = labels.instances.rows.iloc[0]
    assert (row["y"], row["h"]) == (0.5875, 0.424)
    row = boxes.inside(labels.instances.rows).iloc[0]
    assert row["y"] + row["h"] == pytest.approx(1)
    (cut,) = boxes.cut_warning(FILE, labels.instances.rows)
    assert (cut.severity, cut.what) == ("warning", "1 boxes left the image by at most 0.0115 and were cut to it")
    assert cut.file == FILE


def test_keys_count_periods_of_the_stated_rate(read, make):
    for fps in (5, 1.0):
        assert read({"0": [make.vector()]}, fps=fps).clock.period_s == Fraction(1, int(fps))


def test_a_wrong_count_of_frames_is_a_warning(read, make):
    assert "num_frames says 7, but 1 frames are labelled" in sentences(read({"0": [make.vector()]}, num_frames=7).faults)[0]


def test_the_same_fault_in_many_frames_is_one_fault_with_the_frames(make):
    with pytest.raises(AnnotationError) as caught:
        cholect50.read(make.named({FILE: make.cholect50({str(k): [make.vector(box=(5, 5, 5, 5))] for k in range(30)})}))
    (fault,) = caught.value.faults
    assert (fault.rule, fault.place, fault.frames) == ("box-form", "vector 0", tuple(range(30)))


@pytest.mark.parametrize("data", [b"", b"{", b"[1, 2]", b'{"annotations": {"0": [}}', b"\xff\xfe{}", b'{"a": 1, "a": 2}', b"[" * 100_000])
def test_what_is_no_json_object_is_refused_with_the_place(make, data):
    with pytest.raises(AnnotationError, match=r"case one\.json.*(not JSON|JSON object|UTF-8|stands twice|nested)"):
        cholect50.read(make.named({FILE: data}))


def test_malformed_json_names_line_and_column(make):
    with pytest.raises(AnnotationError, match=r"case one\.json, line 3: not JSON: .* at column"):
        cholect50.read(make.named({FILE: b'{\n"annotations":\n {"0": [}}'}))


VECTOR, NAN = make_vector(), float("nan")
IN_FRAMES = [
    ({"7": [VECTOR], "07": [VECTOR]}, "frame '07': the frame stands twice"),
    ({"3": [VECTOR, VECTOR[:-1]]}, "frame 3, vector 1: expected a vector of 15 items, but got 14 items"),
    ({"3": ["x"]}, 'frame 3, vector 0: expected a vector of 15 items, but got "x"'),
    ({"0": [[-1, 4, 1, -1, -1, -1, -1, 8, 3, 1, -1, -1, -1, -1, 0]]}, "'clipper,pack,cystic_artery' is no triplet of 'cholect50'"),
    ({"0": [[*make_nothing()[:7], 2, *make_nothing()[8:]]]}, "verb 2 and target -1 without an instrument"),
    ({"5": [make_vector(phase=1), make_vector(phase=2)]}, "frame 5: its vectors have different phases [1, 2]"),
    ({"3": [[-1, -1, 1.0, 0.1, 0.1, 0.2, 0.2, -1, -1, -1.0, *NO_BOX, 1]]}, "vector 0: a box, but neither triplet nor instrument"),
    ([1], "annotations: expected an object, frame to list of vectors"),
    ({"0": 3}, "frame 0: expected a list of vectors, but got 3; write [] for none"),
]
ITEMS = [
    (0, "17", 'item 0 (triplet) is "17", expected a whole number'),
    (1, 1.0, "item 1 (instrument) is 1.0, expected a whole number"),
    (7, True, "item 7 (verb) is true, expected a whole number"),
    (8, None, "item 8 (target) is null, expected a whole number"),
    (3, "0.5", 'item 3 (x) is "0.5", expected a number'),
    *((at, value, f"item {at} (...expected a number; -1 is null") for at in (2, 9, 10) for value in (NAN, float("inf"))),
    (0, 18, "triplet 18 is grasper,retract,gut, ...these look numbered from 1"),
    (0, 100, "triplet 100 is not in 0..99; ids are numbered from 0; these look numbered from 1"),
    (14, 7, "phase 7 is not in 0..6; ids are numbered from 0"),
    (14, 12, "phase 12 is not in 0..6; -1 is null"),
    (1, -2, "instrument -2 is not in 0..5"),
    (2, 1.5, "score 1.5 is not in 0..1"),
]
BOXES_REFUSED = [
    ((0.5, 0.4, 0.9, 0.8), "it looks like two corners"),
    ((120.0, 80.0, 60.0, 40.0), "it looks like pixels"),
    ((0.9, 0.1, 0.2, 0.1), "draw it inside the image"),
    ((-0.3, 0.1, 0.2, 0.1), "draw it inside the image"),
    ((0.1, 0.1, 0.0, 0.1), "it has no area"),
    ((0.1, 0.1, 0.1, -1), "it has no area"),
    ((NAN, 0.1, 0.1, 0.1), "four finite numbers"),
    ((1.01, 0.1, 0.005, 0.1), "nothing of it is in the image"),
]
FROM_ONE = {str(i + 1): name for i, name in enumerate(["grasper", "bipolar", "hook", "scissors", "clipper", "irrigator"])}
IN_HEAD = [
    ({"categories": {"instrument": FROM_ONE}}, "categories, instrument 1: 'grasper' has id 0 in 'cholect50'; ids are numbered from 0"),
    ({"categories": {"instrument": {"0": "stapler"}}}, "'stapler' is no instrument"),
    ({"categories": {"triplet": {"0": "hook,pack"}}}, "'hook,pack' is no triplet"),
    *(({"fps": fps}, f"'fps' is {json.dumps(fps)}") for fps in (0, -1, 29.97, "1", True, None)),
    ({"fps": 1001}, "'fps' is 1001, expected a whole number in 1..1000"),
]


@each(
    "annotations, head, text",
    [
        *((frames, {}, text) for frames, text in IN_FRAMES),
        *(({"9": [[*VECTOR[:at], value, *VECTOR[at + 1 :]]]}, {}, f"frame 9, vector 0: {text}") for at, value, text in ITEMS),
        *(({"0": [make_vector(box=box)]}, {}, f"frame 0, vector 0: box ...{mend}") for box, mend in BOXES_REFUSED),
        *(({"0": [VECTOR]}, head, text) for head, text in IN_HEAD),
    ],
)
def test_what_no_file_has_is_refused_with_its_place_and_the_likely_mend(refused, annotations, head, text):
    assert re.search(".*".join(map(re.escape, text.split("..."))), refused(annotations, **head))


def test_all_faults_of_a_file_are_named_at_once_and_those_of_one_cause_in_one_line(make):
    bad = {str(k): [make.vector(box=(5, 5, 5, 5 + k))] for k in range(30)}
    with pytest.raises(AnnotationError) as caught:
        cholect50.read(make.named({FILE: make.cholect50(bad)}))
    assert len(caught.value.faults) == 30
    first, line = str(caught.value).splitlines()
    assert first == "30 faults of 1 cause:"
    assert "frame 0, vector 0: box [5.0, 5.0, 5.0, 5.0] is not a top-left corner" in line
    assert line.endswith("(and at 29 more places)")


def test_a_file_without_any_frame_has_no_labels(read):
    labels = read({})
    assert labels.phases is None
    assert np.array_equal(labels.instances.positions, [])


WORDS = vocabulary.load("cholect50")
NOTHING = [-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1]
share = st.sampled_from((0, 0.0, 0.1, 0.25, 0.5, 1))
BOXES = st.one_of(st.just([-1, -1, -1, -1]), st.tuples(share, share, st.sampled_from((0.1, 0.5)), st.sampled_from((0.1, 0.5))).map(list))
odd = st.sampled_from((-1, 0, 1, 5, 100, -2, 0.5, 1.5, 2.0, True, None, "1", [1], 10**40, 1e300, float("nan"), float("inf")))


@st.composite
def vectors(draw, phase):
    """A vector of usual form, with an odd item now and then."""
    if draw(st.integers(0, 4)) == 0:
        vector = [*NOTHING, phase]
    else:
        triplet = draw(st.integers(-1, 99))
        parts = WORDS.triplets[triplet] if triplet >= 0 else (draw(st.integers(0, 5)), -1, draw(st.integers(-1, 14)))
        parts = [part if draw(st.booleans()) else -1 for part in parts] if triplet >= 0 else parts
        target = draw(st.sampled_from(([-1] * 5, [1, 0.1, 0.2, 0.3, 0.4], [0.5, -1, -1, -1, -1])))
        vector = [triplet, parts[0], draw(st.sampled_from((1, 0.5, -1))), *draw(BOXES), parts[1], parts[2], *target, phase]
    if draw(st.integers(0, 30)) == 0:
        vector[draw(st.integers(0, 14))] = draw(odd)
    if draw(st.integers(0, 60)) == 0:
        vector = draw(st.sampled_from((vector[:-1], [*vector, 0], {}, "vector")))
    return vector


@st.composite
def files(draw):
    frames = {}
    for position in draw(st.lists(st.integers(0, 40), min_size=1, max_size=6, unique=True)):
        phase = draw(st.integers(-1, 6))
        frames[str(position)] = draw(st.lists(vectors(phase), max_size=4))
    return frames


def read_or_refused(frames):
    """The rows and phases of a file, or everything that is wrong with it."""
    document = {"video": 1, "fps": 1, "num_frames": len(frames), "annotations": frames}
    try:
        labels = cholect50.read(LabelFiles("VID01", {"VID01.json": json.dumps(document).encode()}, WORDS, 0.02))
    except AnnotationError as error:
        return [fault.sentence for fault in error.faults]
    return labels


def same(frames) -> bool:
    """Compare both ways of reading; return whether the quick one was taken."""
    quick = read_or_refused(frames)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plain_vectors, "read", lambda *_: None)
        slow = read_or_refused(frames)
    if isinstance(slow, list):
        assert quick == slow
        return False
    pd.testing.assert_frame_equal(quick.instances.rows, slow.instances.rows)
    assert quick.instances.positions.tolist() == slow.instances.positions.tolist()
    assert (quick.phases is None) == (slow.phases is None)
    if slow.phases is not None:
        pd.testing.assert_frame_equal(quick.phases.rows, slow.phases.rows)
    assert quick.faults == slow.faults
    numbers = {int(position): of for position, of in frames.items()}
    return plain_vectors.read(numbers, WORDS, tuple(cholect50.TARGET)) is not None


@pytest.mark.slow
@settings(max_examples=150)
@given(files())
def test_both_ways_of_reading_say_the_same(frames):
    same(frames)


def test_usual_files_are_read_at_once():
    vector = [17, 0, 1, 0.1, 0.2, 0.3, 0.4, 1, 0, -1, -1, -1, -1, -1, 3]
    assert same({"4": [vector, vector], "2": [[*NOTHING, 2]], "3": []})
    for item, value in ((0, True), (14, 2), (3, 0.9), (2, 1.5), (7, 2), (1, 6), (3, 10**400)):
        changed = [value if place == item else one for place, one in enumerate(vector)]
        assert not same({"4": [vector, changed]}), (item, value)
