"""Points of instances: their names, and what becomes of them where a format has no place for them."""

from fractions import Fraction

import numpy as np
import pandas as pd

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
