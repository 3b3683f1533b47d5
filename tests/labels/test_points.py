"""Points of instances: their names, what becomes of them where a format has no place for them, and the joints of EndoVis 2015."""

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from label_examples import EXAMPLES, faults_of, read_files, write_files
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
    bare = Writer("bare", ("instances", "boxes", "repeats", "empty frames"))
    collection, losses = fitted(given, bare, Fit("labelme"))
    assert losses == {"points of instances": 2}
    assert POINTS not in collection.recordings[0].instances.rows
    with_points = Writer("pointed", (*bare.holds, "points"))
    collection, losses = fitted(given, with_points, Fit("labelme"))
    assert not losses
    assert collection.recordings[0].instances.rows[POINTS].tolist()[0] == (TIP, HINGE)


def test_instances_of_points_without_a_box_get_the_smallest_one_and_are_counted():
    tip, hinge = Point("tip", 0.25, 0.5, 2), Point("hinge", 0.75, 0.6, 1)
    of = labels((tip, hinge, unlabelled("end")), (tip,))
    rows = of.instances.rows.assign(x=np.nan, y=np.nan, w=np.nan, h=np.nan)
    given = Collection((replace(of, instances=replace(of.instances, rows=rows, boxless=True)),))
    writer = Writer("boxed", ("instances", "boxes", "points", "repeats", "empty frames"))
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


FILE = "poses/train1_labels.json"


def images():
    return json.loads(EXAMPLES["endovis-pose"][FILE])


def read(changed):
    return read_files("endovis-pose", {FILE: json.dumps(changed).encode()}).recordings[0]


def test_an_image_with_points_is_labelled_and_one_without_is_not():
    labels = read(images())
    assert labels.instances.positions.tolist() == [1]
    assert labels.instances.rows["x"].isna().all()
    first = labels.instances.rows[POINTS][0]
    assert first == (Point("LeftClasperPoint", 410.75 / 720, 194 / 576, 2), Point("HeadPoint", 536.5 / 720, 125.25 / 576, 2))
    assert [labels.vocabulary.instruments[id_] for id_ in labels.instances.rows["instrument_id"]] == ["right clasper", "right scissor"]


def test_an_occluded_point_is_hidden():
    changed = images()
    changed[1]["annotations"][0]["occluded"] = True
    assert read(changed).instances.rows[POINTS][0][0].visibility == 1


def test_points_of_no_tool_or_that_a_tool_has_twice_are_not_read_and_said():
    changed = images()
    of = changed[1]["annotations"]
    of += [of[0] | {"x": 1.0}, {"class": "EndPoint", "x": 3, "y": 4}]
    labels = read(changed)
    assert [point.name for point in labels.instances.rows[POINTS][0]] == ["HeadPoint"]
    assert sorted({fault.rule for fault in labels.faults}) == ["point-alone", "point-repeated"]


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        ("id", "tool9", 'image 1, point 0: id is "tool9"'),
        ("x", 900, "image 1, point 0: it lies outside of the image by 25.0 % of its side"),
        ("y", None, "image 1, point 0: x, y are [410.75, null]"),
        ("class", "", 'image 1, point 0: class is "", expected the name of the point'),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_place(place, value, said):
    changed = images()
    changed[1]["annotations"][0][place] = value
    found = faults_of("endovis-pose", {FILE: json.dumps(changed).encode()})
    assert any(said in f"{fault.place}: {fault.what}" for fault in found)


def test_images_are_numbered_once_each():
    changed = images()
    changed[2]["filename"] = changed[1]["filename"]
    changed[0]["filename"] = "picture.png"
    said = [fault.rule for fault in faults_of("endovis-pose", {FILE: json.dumps(changed).encode()})]
    assert sorted(said) == ["frame-repeated", "image-name"]
