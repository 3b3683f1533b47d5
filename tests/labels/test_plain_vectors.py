"""CholecT50 vectors that are read at once say exactly what they say one by one, and whatever is odd is left to that."""

from __future__ import annotations

import json

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrubin.base.errors import AnnotationError
from scrubin.base.vocabulary import vocabulary
from scrubin.labels.formats.triplets import cholect50
from scrubin.labels.model import LabelFiles
from scrubin.labels.parse import plain_vectors

WORDS = vocabulary.load("cholect50")
NOTHING = [-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1]
share = st.sampled_from((0, 0.0, 0.1, 0.25, 0.5, 1))
boxes = st.one_of(st.just([-1, -1, -1, -1]), st.tuples(share, share, st.sampled_from((0.1, 0.5)), st.sampled_from((0.1, 0.5))).map(list))
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
        vector = [triplet, parts[0], draw(st.sampled_from((1, 0.5, -1))), *draw(boxes), parts[1], parts[2], *target, phase]
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


def read(frames):
    """The rows and phases of a file, or everything that is wrong with it."""
    document = {"video": 1, "fps": 1, "num_frames": len(frames), "annotations": frames}
    try:
        labels = cholect50.read(LabelFiles("VID01", {"VID01.json": json.dumps(document).encode()}, WORDS, 0.02))
    except AnnotationError as error:
        return [fault.sentence for fault in error.faults]
    return labels


def same(frames) -> bool:
    """Compare both ways of reading; return whether the quick one was taken."""
    quick = read(frames)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plain_vectors, "read", lambda *_: None)
        slow = read(frames)
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
