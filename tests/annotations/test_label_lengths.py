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


def test_labels_of_a_format_that_labels_every_frame_are_as_long_as_their_video():
    check("cholect45", 3)
    check("cholect45", 3.9)
    with pytest.raises(AnnotationError, match="the labels end at 3 s, the video at 10 s; 7 s are not labelled"):
        check("cholect45", 10)


def check_times(times_s, *, rate=25, first=0, fps=30, varies=False):
    (labels,) = read_files("cholec80", EXAMPLES["cholec80"]).recordings
    faults = Faults()
    lengths.check_times(labels, Fraction(rate), times_s=times_s, fps=Fraction(fps), varies=varies, faults=faults, first=first)
    return [fault.sentence for fault in faults.all()]


def test_frames_that_the_video_has_at_the_times_of_the_rate_are_fine():
    # Containers round times to milliseconds, and a rate that nobody can tell from 25 moves nothing in 75 frames.
    assert check_times([Fraction(round(1000 * n / 25), 1000) for n in range(75)]) == []
    assert check_times([n / Fraction("24.999") for n in range(60)]) == []
    assert check_times([Fraction(n, 30) for n in range(75)], rate=30) == []


def test_a_rate_that_is_not_that_of_the_video_is_refused_once_with_both():
    (message,) = check_times([Fraction(n, 30) for n in range(75)])
    assert "the labels have 25 frames per second, the video has 30: frame 4 is at 0.16 s by them, and at 0.1333 s in the video" in message
    assert "say --fps 30" in message


def test_a_rate_that_varies_is_refused_from_the_first_frame_that_is_elsewhere():
    times = [*(Fraction(n, 25) for n in range(50)), *(2 + Fraction(n, 10) for n in range(25))]
    (message,) = check_times(times, fps=20, varies=True)
    assert "the rate of the video varies, 20 on average: frame 51 is at 2.04 s by them, and at 2.1 s in the video" in message
    assert "--fps" not in message
