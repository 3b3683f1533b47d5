"""Regions that are not counted: read from legends and LabelMe, written back, counted where a format has no place, left out of scores."""

from __future__ import annotations

import json

import numpy as np
import pytest

from label_examples import dumps, read_files, write_files
from png_files import png
from score_runs import good
from scrubin.base.errors import AnnotationError
from scrubin.labels.files.loss import Fit, fitted
from scrubin.labels.files.output import writer_of
from scrubin.labels.masks import rle
from scrubin.labels.model import IGNORED
from verdict_cases import write_files as put

WIDTH, HEIGHT = 31, 18
LEGEND = [
    {"name": None, "color": [0, 0, 0], "classid": 0},
    {"name": "liver", "color": [0, 200, 0], "classid": 1},
    {"name": "fat", "color": [200, 200, 0], "classid": 2},
    {"name": "Ignore\u200b ", "color": [255, 255, 255], "classid": 255},
]


def picture(seed=2):
    rng = np.random.default_rng(seed)
    return np.kron(rng.choice([0, 1, 2, 255], (6, 11)), np.ones((3, 3), np.int64))[:HEIGHT, :WIDTH]


def pictures(*values, legend=LEGEND, folder="m"):
    return {f"{folder}/legend.json": dumps(legend), **{f"{folder}/v/{at:06d}.png": png(one) for at, one in enumerate(values)}}


def ignored_of(labels, at=0):
    return rle.picture(rle.runs_of_text(labels.frames[IGNORED].tolist()[at], HEIGHT, WIDTH), HEIGHT, WIDTH)


def test_the_name_ignore_in_a_legend_is_no_class_but_pixels_that_are_not_counted():
    values = picture()
    coloured = np.array([one["color"] for one in LEGEND])[np.select([values == one["classid"] for one in LEGEND], range(len(LEGEND)))]
    for stored in (values, coloured):
        (labels,) = read_files("masks-png", pictures(stored, np.zeros((HEIGHT, WIDTH)))).recordings
        assert labels.vocabulary.instruments == ("liver", "fat")
        assert labels.instances.rows["instrument_id"].tolist() == [0, 1]
        assert (ignored_of(labels) == (values == 255)).all()
        assert labels.frames[IGNORED].isna().tolist() == [False, True]


def test_255_is_not_passed_over_where_no_legend_says_so():
    said = r"1 colour is not in m/legend\.json: grey value 255.*where 255 is not to be counted, name it"
    with pytest.raises(AnnotationError, match=said):
        read_files("masks-png", pictures(picture(), legend=LEGEND[:3]))


def shape(label, points, form="polygon"):
    return {"label": label, "points": points, "shape_type": form, "group_id": None, "flags": {}}


SHAPES = [
    shape("grasper", [[2, 2], [12, 2], [12, 9]]),
    shape("ignore", [[0, 0], [8, 0], [8, 6]]),
    shape("Ignore\u00a0", [[20, 10], [26, 14]], "rectangle"),
]


def labelme(shapes=SHAPES, **more):
    return {"v/000003.json": dumps({"shapes": shapes, "imageWidth": WIDTH, "imageHeight": HEIGHT, **more})}


def test_shapes_of_labelme_that_are_called_ignore_are_one_region_and_no_instance():
    (labels,) = read_files("labelme", labelme(), vocabulary="cholect50").recordings
    assert labels.instances.rows["instrument_id"].tolist() == [0]
    region = ignored_of(labels)
    assert region[10:14, 20:26].all()
    assert region[0, 1:7].all()
    assert 24 < region.sum() == 24 + region[:9, :9].sum()


def test_labels_of_labelme_that_name_their_own_classes_do_not_have_ignore_among_them():
    files = labelme([shape("snare", [[2, 2], [12, 2], [12, 9]]), SHAPES[1]])
    (labels,) = read_files("labelme", files).recordings
    assert labels.vocabulary.instruments == ("snare",)


def test_labels_of_labelme_that_could_be_one_class_or_two_are_refused_as_that():
    files = labelme([shape(name, [[2, 2], [12, 2], [12, 9]]) for name in ("a/b", "ab")])
    with pytest.raises(AnnotationError, match=r"v/000003\.json: the instruments 'a/b' and 'ab' would be one name"):
        read_files("labelme", files)


def test_a_region_that_is_none_is_refused_with_its_shape():
    with pytest.raises(AnnotationError, match=r"000003\.json, shape 1: points are \[\[0, 0\], \[8, 0\]\]; give three or more corners"):
        read_files("labelme", labelme([SHAPES[0], shape("ignore", [[0, 0], [8, 0]])]), vocabulary="cholect50")


def test_regions_written_to_labelme_are_read_as_the_same_pixels():
    collection = read_files("labelme", labelme(), vocabulary="cholect50")
    out = write_files("labelme", collection)
    (again,) = read_files("labelme", {f"o/{file}": data for file, data in out.files.items()}).recordings
    (before,) = collection.recordings
    assert again.frames[IGNORED].tolist() == before.frames[IGNORED].tolist()
    assert again.instances.rows["mask"].tolist() == before.instances.rows["mask"].tolist()


def test_a_format_without_regions_counts_them():
    collection = read_files("labelme", labelme(), vocabulary="cholect50")
    kept, losses = fitted(collection, writer_of("yolo-seg"), Fit("labelme", 1))
    assert losses == {"regions of pixels that are not counted": 1}
    assert IGNORED not in kept.recordings[0].frames


def test_scores_of_pixels_do_not_see_what_is_not_counted(tmp_path, capsys):
    truth, rest = picture(), np.random.default_rng(7)
    wrong = np.where(truth == 255, rest.choice([0, 1, 2], truth.shape), truth)
    for folder, values in (("truth", truth), ("found", wrong)):
        put(tmp_path, pictures(values, values, legend=LEGEND, folder=folder))
    out = tmp_path / "scores.json"
    sides = ("--ground-truth", tmp_path / "truth", "--predictions", tmp_path / "found", "--fps", 1, "--predictions-fps", 1)
    for kind, name in (("pixels", "pixels Dice"), ("pixels", "pixels NSD"), ("masks", "panoptic quality")):
        good(capsys, "detection", *sides, "--out", out, "--variant", f"kind={kind}")
        values = [one["overall"]["value"] for one in json.loads(out.read_text())["results"] if one["metric"] == name]
        assert values
        assert set(values) == {1.0}
