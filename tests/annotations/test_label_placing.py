from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import clips
from annotated_tables import tables_of
from scrubin.base.errors import VideoError
from scrubin.base.vocabulary.vocabulary import load
from scrubin.labels.model import SOURCE_FRAMES, Clock, Labels, Layer
from scrubin.stages.annotations import label_tables
from scrubin.stages.annotations.placing import align, place, timeline


def test_frames_that_are_the_same_picture_have_the_same_label():
    # Nothing was recorded between 29.005 and 31.304 s: frames 30 and 31 are one picture.
    times = np.array([29.005, 31.304, 31.304, 32.002, 33.002])
    line = timeline(
        np.arange(29, 34), times, np.array([870, 900, 900, 914, 944]), offset_s=Fraction(0), duration_s=34.0,
        first_source_frame=0, frame_count=970,
    )  # fmt: skip
    seconds = np.arange(29, 34)
    layer = Layer("a.json", seconds, pd.DataFrame({"position": seconds, "phase_id": [0, 1, 2, 3, 4]}))
    labels = Labels("r", "cholect50", load("cholect50"), Clock(Fraction(1)), phases=layer)
    found = place(labels, layer, line)
    assert found.frames.tolist() == [29, 30, 31, 32, 33]
    assert dict(zip(found.rows["frame"], found.rows["phase_id"], strict=True)) == {29: 0, 30: 2, 31: 2, 32: 3, 33: 4}


STALL = [*range(0, 4400, 40), *range(6600, 9000, 40)]
"""Times in ms of a film at 25 fps whose recorder stood still for 2.2 s after frame 109."""


@pytest.mark.parametrize("fps", [1, 2])
def test_a_label_by_source_frame_never_crosses_a_hole_in_the_film(tmp_path, fps):
    clips.numbered(tmp_path / "v.mkv", len(STALL), fps=25, pts=STALL)
    recordings, cuts, videos, _, hidden = tables_of(seconds=9)
    videos = videos.assign(path="v.mkv", variable_rate=True, frame_count=len(STALL), duration_s=9.0)
    cuts, recordings = (table.assign(frame_count=len(STALL)) for table in (cuts, recordings))
    first_at = np.searchsorted(STALL, np.arange(0, 9000, 1000 // fps))
    times_s = np.array(STALL)[first_at] / 1000
    frames = pd.DataFrame({"id": "mabolu", "camera": "mono", "frame": range(len(first_at)), "source_frame": first_at, "time_s": times_s})
    frames["redacted"] = False
    times = label_tables.varying_times(videos, tmp_path)
    assert (times["v.mkv"] == np.array(STALL) * 10**6).all()
    line = label_tables.released(recordings, cuts, videos, frames, hidden, times)["case one"].line
    aligned = align(np.arange(len(STALL)), SOURCE_FRAMES, line)
    taken = aligned.frames >= 0
    # Each extracted frame has a label, its own, and none is farther off than half a period.
    assert sorted(set(aligned.frames[taken])) == sorted(set(np.unique(first_at, return_index=True)[1]))
    assert (np.abs(aligned.shifts_ns[taken]) == 0).all()
    # Of few labels none goes to a picture that was recorded after the hole, as frame 109 went to that of 110.
    sparse = align(np.array([29, 59, 89, 109]), SOURCE_FRAMES, line)
    used = sparse.frames >= 0
    assert (np.abs(sparse.shifts_ns[used]) <= 10**9 // fps // 2).all()
    assert sparse.frames[-1] == {1: 4, 2: -1}[fps]


def test_a_video_with_another_number_of_frames_than_its_table_says_is_refused(tmp_path):
    clips.numbered(tmp_path / "v.mkv", len(STALL) - 1, fps=25, pts=STALL)
    videos = tables_of(seconds=9)[2].assign(path="v.mkv", variable_rate=True, frame_count=len(STALL))
    with pytest.raises(VideoError, match=r"v\.mkv: it has 169 frames, and the table of videos says 170; run 'dvc repro'"):
        label_tables.varying_times(videos, tmp_path)
