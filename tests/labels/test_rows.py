"""Labels become rows of our tables, matrices and frames that count in one way."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from scrubin.base.errors import TableError
from scrubin.base.tables.public import PHASES, TRIPLETS
from scrubin.base.vocabulary import vocabulary
from scrubin.labels import boxes, rows
from scrubin.labels.model import Layer, instance_rows, phase_rows

WORDS = vocabulary.load("cholect50")
GRASP = {"instrument_id": 0, "verb_id": 2, "target_id": 1, "triplet_id": 7}


def boxed(x: float, y: float, w: float, h: float) -> dict[str, float]:
    return dict(zip("xywh", (x, y, w, h), strict=True))


def layer(frames: list[int], *instances: dict[str, object]) -> Layer:
    return Layer("v.json", np.array(frames, np.int64), instance_rows(instances))


def test_instances_are_numbered_in_each_frame_and_named_by_the_vocabulary():
    instances = instance_rows([{"position": 3, **GRASP}, {"position": 5, "instrument_id": 1}, {"position": 3, "instrument_id": 2}])
    found = rows.joined(TRIPLETS, [rows.rows_of_triplets("quiet-otter", WORDS, instances)])
    assert found["frame"].tolist() == [3, 3, 5]
    assert found["instance"].tolist() == [0, 1, 0]
    assert found["instrument"].tolist() == ["grasper", "hook", "bipolar"]
    assert found["triplet"].isna().tolist() == [False, True, True]
    assert set(found["vocabulary"]) == {"cholect50"}


def test_an_id_that_the_vocabulary_does_not_have_gets_no_name():
    found = rows.rows_of_phases("quiet-otter", WORDS, phase_rows([0, 1], [6, 7]))
    assert found["phase"].isna().tolist() == [False, True]
    with pytest.raises(TableError, match="phase"):
        rows.joined(PHASES, [found])


def test_no_rows_are_an_empty_table_of_the_declared_columns():
    assert rows.joined(TRIPLETS, []).columns.tolist() == TRIPLETS.column_names


@pytest.mark.parametrize(
    "box",
    [(-0.01, 0.2, 0.3, 0.3), (0.8, 0.8, 0.21, 0.1), (0.1, -0.015, 0.2, 0.4), (0.2, 0.2, 0.3, 0.3), (0.7, 0.3, 0.3000000000000002, 0.7)],
)
def test_a_table_cuts_boxes_to_the_image_and_leaves_the_others_as_they_are(box):
    cut = boxes.inside(pd.DataFrame([boxed(*box)]))
    assert boxes.check(box, tolerance=0.02) is None
    left, top, width, height = cut[list("xywh")].iloc[0]
    assert 0 <= left <= left + width <= 1
    assert 0 <= top <= top + height <= 1
    is_outside = box[0] < 0 or box[1] < 0 or box[0] + box[2] > 1 or box[1] + box[3] > 1
    edges = (max(box[0], 0), max(box[1], 0), min(box[0] + box[2], 1), min(box[1] + box[3], 1))
    assert (left, top, width, height) == ((*edges[:2], edges[2] - edges[0], edges[3] - edges[1]) if is_outside else box)
    pd.testing.assert_frame_equal(boxes.inside(cut), cut)


def test_an_instance_without_box_stays_without_one():
    assert rows.rows_of_triplets("a", WORDS, instance_rows([{"position": 0, **GRASP}]))[list("xywh")].isna().all(axis=None)


def test_a_frame_with_an_instance_without_box_or_class_does_not_count_but_an_empty_one_does():
    whole = {**GRASP, **boxed(0.1, 0.1, 0.2, 0.2)}
    labels = layer(
        [0, 1, 2, 3],
        {"position": 0, **whole},
        {"position": 1, **whole},
        {"position": 1, **GRASP},
        {"position": 2, **whole, "triplet_id": None},
    )
    assert rows.boxed_layer(labels, "ivt").positions.tolist() == [0, 3]
    assert rows.boxed_layer(labels, "i").positions.tolist() == [0, 2, 3]
    assert rows.boxed_layer(labels, "ivt").rows["position"].tolist() == [0]


def test_the_surest_instance_of_a_class_counts_and_a_label_without_score_is_sure():
    labels = layer(
        [4, 9], {"position": 9, **GRASP, "score": 0.4}, {"position": 9, **GRASP, "score": 0.7}, {"position": 9, "instrument_id": 3}
    )
    instruments = rows.class_scores(labels, WORDS, "i")
    assert instruments.shape == (2, 6)
    assert instruments[1].tolist() == [0.7, 0, 0, 1, 0, 0]
    assert rows.class_occurrence(labels, WORDS, "ivt").sum() == 1


def test_phases_are_in_the_order_of_frames():
    positions, ids = rows.phase_vector(Layer("v.txt", np.array([1, 2], np.int64), phase_rows([2, 1], [6, 0])))
    assert (positions.tolist(), ids.tolist()) == ([1, 2], [0, 6])
