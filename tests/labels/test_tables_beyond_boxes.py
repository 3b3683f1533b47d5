"""Masks, tracks, points and marks in our own tables: what is written is read back, and a row that fits nothing is refused."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from label_examples import EXAMPLES, read_files
from scrubin.base.errors import AnnotationError
from scrubin.base.vocabulary.vocabulary import load
from scrubin.labels.files import loss
from scrubin.labels.files.loss import Fit
from scrubin.labels.files.output import render, writer_of
from scrubin.labels.masks import rle
from scrubin.labels.model import Clock, Collection, Labels, Layer, instance_rows, mark_rows
from scrubin.labels.points import Point, unlabelled

WORDS = load("cholect50")
TARGETS = ("tables", "tables-csv")
shares = st.floats(0, 1)
names = st.sampled_from(["hinge", "tip"])
points = st.lists(
    st.one_of(names.map(unlabelled), st.builds(Point, names, shares, shares, st.sampled_from([1, 2]))),
    min_size=1,
    unique_by=lambda point: point.name,
).map(lambda given: tuple(sorted(given)))
ids = st.one_of(st.none(), st.integers(0, 2**40))
raters = st.sampled_from(["", "1", "Dr. Who"])


@st.composite
def labels(draw):
    positions = sorted(draw(st.sets(st.integers(0, 9), min_size=1, max_size=4)))
    sizes = {position: draw(st.tuples(st.integers(1, 9), st.integers(1, 9))) for position in positions}
    rows, extra = [], {"mask": [], "points": [], "track": [], "visibility_track": []}
    for position in positions:
        width, height = sizes[position]
        for _ in range(draw(st.integers(0, 3))):
            rows.append({"position": position, "instrument_id": draw(st.integers(0, 5))})
            pixels = draw(st.one_of(st.none(), st.lists(st.booleans(), min_size=width * height, max_size=width * height)))
            drawn = None if pixels is None else rle.runs_of_picture(np.array(pixels).reshape(height, width))
            extra["mask"].append(None if drawn is None else rle.text_of_runs(drawn))
            extra["points"].append(draw(st.one_of(st.none(), points)))
            for kind in ("track", "visibility_track"):
                extra[kind].append(draw(ids))
    dtypes = {"mask": "object", "points": "object", "track": "Int64", "visibility_track": "Int64"}
    columns = {name: pd.Series(values, dtype=dtypes[name]) for name, values in extra.items() if any(one is not None for one in values)}
    marked = draw(st.dictionaries(st.tuples(st.integers(0, 9), st.sampled_from(["C1", "C2"]), raters), shares, max_size=5))
    judged = sorted({*(frame for frame, _, _ in marked), *draw(st.sets(st.integers(0, 9), max_size=2))})
    marks = Layer("f", np.array(judged), mark_rows(sorted((*key, value) for key, value in marked.items()))) if judged else None
    frames = pd.DataFrame([(position, *size) for position, size in sizes.items()], columns=["position", "width", "height"])
    layer = Layer("f", np.array(positions), instance_rows(rows).assign(**columns))
    return Labels("a", "coco", WORDS, Clock(Fraction(1)), instances=layer, detail="instrument", frames=frames, marks=marks)


def there_and_back(given_labels, target):
    kept, lost = loss.fitted(Collection((given_labels,)), writer_of(target), Fit("coco"))
    files = {f"t/{name}": data for name, data in render(kept, writer_of(target)).files.items()}
    (again,) = read_files("tables", files).recordings
    return again, lost


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
@given(given_labels=labels())
def test_whatever_is_written_is_read_back(target, given_labels):
    again, lost = there_and_back(given_labels, target)
    assert lost == Counter()
    before, after = given_labels.instances.rows, again.instances.rows
    for name in ("mask", "points", "track", "visibility_track"):
        assert (name in before) == (name in after)
        if name in before:
            plain = [
                [value if isinstance(value, tuple) or pd.notna(value) else None for value in of[name].tolist()] for of in (before, after)
            ]
            assert plain[0] == plain[1]
    if "mask" in before:
        sized = given_labels.frames[given_labels.frames["position"].isin(before.loc[before["mask"].notna(), "position"])]
        assert again.frames[again.frames["position"].isin(sized["position"])].to_numpy().tolist() == sized.to_numpy().tolist()
    assert (again.marks is None) == (given_labels.marks is None)
    if again.marks is not None:
        assert again.marks.positions.tolist() == given_labels.marks.positions.tolist()
        assert (
            again.marks.rows.sort_values(["position", "mark", "rater"]).to_numpy().tolist() == given_labels.marks.rows.to_numpy().tolist()
        )


def test_marks_alone_are_a_recording():
    layer = Layer("f", np.array([3]), mark_rows([(3, "C1", "", 0.25)]))
    again, _ = there_and_back(Labels("a", "endoscapescvs", load("endoscapes"), Clock(Fraction(1)), marks=layer), "tables")
    assert (again.instances, again.vocabulary.name, again.marks.rows.to_numpy().tolist()) == (None, "endoscapes", [[3, "C1", "", 0.25]])


@pytest.mark.parametrize("name", ["coco", "cholectrack20", "mot", "endoscapescvs"])
def test_a_real_format_keeps_its_masks_tracks_and_marks_on_the_way(name):
    read = read_files(name, EXAMPLES[name])
    kept, _ = loss.fitted(read, writer_of("tables"), Fit(name, Fraction(25), None))
    again = read_files("tables", {f"t/{file}": data for file, data in render(kept, writer_of("tables")).files.items()})
    for one, other in zip(kept.recordings, again.recordings, strict=True):
        for column in ("mask", "track", "visibility_track"):
            if one.instances is not None and column in one.instances.rows and one.instances.rows[column].notna().any():
                assert one.instances.rows[column].astype("str").tolist() == other.instances.rows[column].astype("str").tolist()
        assert (one.marks is None) == (other.marks is None)
        if one.marks is not None:
            columns = ["position", "mark", "rater", "value"]
            assert other.marks.rows.to_numpy().tolist() == one.marks.rows.sort_values(columns).to_numpy().tolist()


@pytest.fixture(scope="module")
def tables():
    """One recording as CSV: a mask, a track, a point and a mark in frame 2."""
    rows = instance_rows([{"position": 2, "instrument_id": 0}])
    details = {"mask": ["132"], "track": pd.array([7], "Int64"), "points": pd.Series([(Point("tip", 0.5, 0.25, 2),)], dtype="object")}
    frames = pd.DataFrame({"position": [2], "width": [3], "height": [2]})
    layer = Layer("f", np.array([2]), rows.assign(**details))
    marks = Layer("f", np.array([2]), mark_rows([(2, "C1", "1", 1.0)]))
    one = Labels("a", "coco", WORDS, Clock(Fraction(1)), instances=layer, detail="instrument", frames=frames, marks=marks)
    kept, _ = loss.fitted(Collection((one,)), writer_of("tables-csv"), Fit("coco"))
    return {f"t/{name}": data for name, data in render(kept, writer_of("tables-csv")).files.items()}


@pytest.mark.cases(3)
@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("masks.csv", "3,2,132", "3,3,132", "t/masks.csv, frame 2, a: the runs of a mask cover 6 px, its picture of 3 x 3 px has 9"),
        ("masks.csv", "132", "1\u00e92", "t/masks.csv, frame 2, a: character 1 of the counts of a mask is none of '0' to 'o'"),
        (
            "masks.csv",
            "a,2,0,",
            "a,2,1,",
            "t/masks.csv, frame 2, a: the table triplets has no instance 1; number instances",
        ),
        ("tracks.csv", "a,2,0,", "a,3,0,", "t/tracks.csv, frame 3, a: the table triplets has no instance 0"),
        (
            "tracks.csv",
            ",track,",
            ",trail,",
            "t/tracks.csv, frame 2, a: 'trail' is no kind of track; name it track, or with track",
        ),
        ("points.csv", "0.25,2", "0.25,0", "t/points.csv, frame 2, a: the point 'tip' has the visibility 0, and x and y"),
        (
            "points.csv",
            "0.5,0.25,",
            ",0.25,",
            "the point 'tip' has the visibility 2, and y; give x and y of points with",
        ),
        ("points.csv", "0.5,", "1.5,", "column 'x': expected between 0 and 1, but got 1.5"),
        ("marks.csv", "1.0", "2.0", "column 'value': expected between 0 and 1, but got 2.0"),
        ("marks.csv", "a,2,", "a,4,", "t/marks.csv, frame 4, a: has rows for frames that the table labelled does not name"),
    ],
)
def test_a_row_that_fits_nothing_is_refused_with_its_place(tables, name, old, new, message):
    text = tables[f"t/{name}"].decode()
    assert old in text
    with pytest.raises(AnnotationError) as caught:
        read_files("tables", {**tables, f"t/{name}": text.replace(old, new, 1).encode()})
    assert message in str(caught.value)


def test_masks_of_a_frame_that_are_of_several_pictures_are_refused(tables):
    twice = {name: tables[f"t/{name}"].decode() for name in ("masks.csv", "triplets.csv")}
    twice = {name: text + text.splitlines()[1].replace("a,2,0,", "a,2,1,") + "\n" for name, text in twice.items()}
    changed = {"t/masks.csv": twice["masks.csv"].replace("a,2,1,3,2", "a,2,1,2,3"), "t/triplets.csv": twice["triplets.csv"]}
    with pytest.raises(AnnotationError, match=r"t/masks\.csv, frame 2, a: the masks of a frame are of pictures of several sizes"):
        read_files("tables", tables | {name: text.encode() for name, text in changed.items()})
