"""Golden and drawn cases of tracks, as `scrubin.evaluate.metrics.tracks` takes them."""

import json
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from scrubin.evaluate.metrics.tracks import TrackRows, TrackVideo
from scrubin.evaluate.metrics.tracks.combined import counted, results

GOLDEN = sorted((Path(__file__).parents[1] / "data/metrics/tracks").glob("case_*.json"))
CLASSES = 3
# Coordinates on a coarse grid make equal overlaps likely.
QUARTERS = st.integers(0, 4).map(lambda at: at / 4)
BOXES = st.tuples(st.integers(0, CLASSES - 1), QUARTERS, QUARTERS, st.just(0.5), st.sampled_from([0.5, 1.0]))
FRAMES = st.dictionaries(st.integers(0, 4), BOXES, max_size=4)
VIDEOS = st.lists(st.lists(st.tuples(FRAMES, FRAMES), min_size=1, max_size=6), min_size=1, max_size=3)


def rows_of(rows):
    """Rows of frame, id, class, left, top, width, height."""
    table = np.array(rows, dtype=float).reshape(-1, 7)
    return TrackRows(*(table[:, at].astype(np.int64) for at in range(3)), table[:, 3:])


def golden_videos(case):
    return [TrackVideo(one["name"], one["length"], rows_of(one["truth"]), rows_of(one["predictions"])) for one in case["videos"]]


def golden(path):
    return json.loads(path.read_text(encoding="utf-8"))


def drawn_videos(drawn):
    """Videos of frames, each with the boxes of truth and predictions by id."""
    videos = []
    for number, frames in enumerate(drawn):
        sides = [[[at, id_, *box] for at, both in enumerate(frames) for id_, box in both[side].items()] for side in (0, 1)]
        videos.append(TrackVideo(f"v{number}", len(frames), rows_of(sides[0]), rows_of(sides[1])))
    return videos


def numbers(videos, classes=CLASSES, *, way="all", semantics="paper", threshold=0.5):
    """Value and count by metric and way."""
    every = results(counted(videos, classes, threshold), way, semantics, {})
    return {(one.variant.metric.removeprefix("tracks "), one.variant.options["classes"]): one.overall for one in every}
