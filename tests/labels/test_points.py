"""Points of instances: their names, and what becomes of them where a format has no place for them."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from label_examples import read_files, write_files
from scrubin.base.vocabulary.vocabulary import load
from scrubin.labels.files.loss import Fit, fitted
from scrubin.labels.model import Clock, Collection, Labels, Layer, detailed_rows, details_of
from scrubin.labels.points import POINTS, UNLABELLED, Point, have_points, names_of, unlabelled
from scrubin.labels.registry import Writer

TIP, HINGE = Point("tip", 0.25, 0.5, 2), unlabelled("hinge")


def labels(*points):
    row = {"instrument_id": 0, "x": 0.1, "y": 0.1, "w": 0.5, "h": 0.5, "score": 1.0}
    rows = detailed_rows([{"position": at, **row, POINTS: of} for at, of in enumerate(points)], {POINTS: "object"})
    layer = Layer("a", np.arange(len(points)), rows)
    frames = pd.DataFrame({"position": np.arange(len(points)), "width": 100, "height": 80})
    return Labels("a", "coco", load("endoscapes"), Clock(Fraction(1)), instances=layer, detail="instrument", frames=frames)


def test_a_point_that_nobody_labelled_has_no_place():
    assert Point("hinge", 0.0, 0.0, UNLABELLED) == HINGE
    assert not HINGE.labelled
    assert TIP.labelled


def test_names_come_in_the_order_of_the_points():
    assert names_of([(HINGE, TIP), None, (TIP,), float("nan")]) == ("hinge", "tip")


def test_points_are_no_detail_such_as_tracks_and_null_where_an_instance_has_none():
    rows = labels((TIP, HINGE), None).instances.rows
    assert details_of(rows) == []
    assert have_points(rows).tolist() == [True, False]
    assert not have_points(rows.drop(columns=POINTS)).any()


def test_a_writer_that_holds_no_points_gets_none_and_they_are_counted():
    given = Collection((labels((TIP, HINGE), None, (TIP,)),))
    bare = Writer("bare", lambda *_: None, frozenset({"instances", "boxes", "repeats", "empty frames"}))
    collection, losses = fitted(given, bare, Fit("labelme"))
    assert losses == {"points of instances": 2}
    assert POINTS not in collection.recordings[0].instances.rows
    with_points = Writer("pointed", lambda *_: None, bare.holds | {"points"})
    collection, losses = fitted(given, with_points, Fit("labelme"))
    assert not losses
    assert collection.recordings[0].instances.rows[POINTS].tolist()[0] == (TIP, HINGE)


def test_instances_of_points_without_a_box_get_the_smallest_one_and_are_counted():
    tip, hinge = Point("tip", 0.25, 0.5, 2), Point("hinge", 0.75, 0.6, 1)
    of = labels((tip, hinge, unlabelled("end")), (tip,))
    rows = of.instances.rows.assign(x=np.nan, y=np.nan, w=np.nan, h=np.nan)
    given = Collection((replace(of, instances=replace(of.instances, rows=rows, boxless=True)),))
    writer = Writer("boxed", lambda *_: None, frozenset({"instances", "boxes", "points", "repeats", "empty frames"}))
    collection, losses = fitted(given, writer, Fit("endovis-pose"))
    assert losses["that instances have points but no box: they get the smallest around the points"] == 1
    assert losses["instances without a box"] == 1
    assert collection.recordings[0].instances.rows[["x", "y", "w", "h"]].round(9).to_numpy().tolist() == [[0.25, 0.5, 0.5, 0.1]]


SHARES = st.integers(0, 200).map(lambda number: number / 200)
POINT = st.one_of(st.none(), st.tuples(SHARES, SHARES, st.sampled_from([1, 2])))


@pytest.mark.slow
@given(st.lists(st.tuples(POINT, POINT), min_size=1, max_size=4), st.sampled_from(["coco", "labelme", "yolo-pose"]))
def test_points_come_back_from_every_format_that_holds_them(drawn, name):
    def points(of):
        return tuple(unlabelled(name) if one is None else Point(name, *one) for name, one in zip(("tip", "hinge"), of, strict=True))

    of_drawn = labels(*map(points, drawn))
    out = write_files(name, Collection((replace(of_drawn, frames=of_drawn.frames.assign(width=400, height=200)),)))
    files = {f"w/{file}": data for file, data in out.files.items()}
    (back,) = read_files(name, files, vocabulary="endoscapes").recordings
    rows = back.instances.rows.get(POINTS, [None] * len(drawn))
    kept = [{point for point in of or () if point.labelled} for of in (one if isinstance(one, tuple) else () for one in rows)]
    assert [sorted((point.name, round(point.x, 5), round(point.y, 5), point.visibility) for point in of) for of in kept] == [
        sorted(tuple(point) for point in points(of) if point.labelled) for of in drawn
    ]
