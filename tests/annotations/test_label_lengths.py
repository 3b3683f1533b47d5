from fractions import Fraction

import pytest

from label_examples import EXAMPLES, read_files
from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults
from scrubin.stages.annotations import lengths


def check(name, seconds, *, fps=25, size=(854, 480)):
    (labels,) = read_files(name, EXAMPLES[name]).recordings
    faults = Faults()
    frames = round(seconds * fps)
    lengths.check(labels, source_frames=frames, source_s=float(Fraction(frames, fps)), source_size=size, tolerance_s=1.0, faults=faults)
    AnnotationError.raise_any(faults)


@pytest.mark.parametrize(
    ("name", "seconds"), [("cholec80", 3), ("cholect45", 3), ("cholect45", 3.9), ("cholect50", 41), ("cholect50", 500)]
)
def test_labels_as_long_as_their_video_are_fine(name, seconds):
    check(name, seconds)


@pytest.mark.parametrize(
    ("name", "seconds", "message"),
    [
        ("cholec80", 10, "the labels have 75 frames, the video 250 .* 175 frames .* are not labelled"),
        (
            "cholec80",
            1.2,
            r"the labels have 75 frames, the video 30 \(1.2 s\); they begin at 0 s, .* lacks its beginning, the offset is 1.8 s",
        ),
        ("cholect45", 10, "the labels end at 3 s, the video at 10 s; 7 s are not labelled"),
        ("cholect50", 20, "the labels end at 41 s, the video at 20 s; they begin at 16 s, so no offset makes all of them fit; .* is 21 s"),
        ("cholect50", 25, "the labels end at 41 s, the video at 25 s; they begin at 16 s .* so the likely offset is 16 s: take it off"),
    ],
)
def test_labels_of_another_length_are_refused_with_both_lengths(name, seconds, message):
    with pytest.raises(AnnotationError, match=message):
        check(name, seconds)
