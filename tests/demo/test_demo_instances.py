"""Masks, tracks, points and marks of the synthetic study: what was drawn, as published formats have it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from scrubin.labels.files.reader import Options, read
from scrubin.labels.masks import rle
from scrubin.labels.registry import format_of
from scrubin.stages.demo import canvas, course, footage, labels, plan, procedures
from scrubin.stages.demo.box_trainer import SutureScene

SMALL = plan.DemoParams(seed=20240229, participants=2, experts=1)


@pytest.fixture(scope="module")
def outlined() -> plan.Recording:
    (one,) = (one for one in course.trainings(SMALL) if one.labels == "coco")
    return one


@pytest.fixture(scope="module")
def judged() -> plan.Recording:
    (one,) = (one for one in procedures.procedures(SMALL.seed) if one.criteria)
    return one


def test_masks_are_the_pixels_that_the_instruments_painted(outlined, monkeypatch):
    for frame in labels.instance_frames(outlined):
        time_s = float(outlined.time_of(frame))
        drawn = SutureScene(outlined).draw(time_s, labels.COCO_CAMERA)
        with monkeypatch.context() as patched:
            patched.setattr(canvas, "draw_instrument", lambda *_: None)
            without = SutureScene(outlined).draw(time_s, labels.COCO_CAMERA)
        changed = (drawn != without).any(axis=2)
        masks = [one.mask for one in labels.instances(outlined, frame)]
        assert np.sum(masks, axis=0).max() == 1, "two instruments have a pixel"
        assert (changed & ~np.any(masks, axis=0)).sum() == 0
        # A pixel may have the colour of the cloth below it.
        assert changed.sum() > 0.98 * np.sum(masks)


def test_the_file_is_read_as_coco_with_the_very_masks(outlined):
    data = {f"coco/{outlined.name}.json": json.dumps(labels.coco(outlined)).encode()}
    (found,) = read(data, format_of("coco"), Options()).recordings
    assert (found.recording, found.vocabulary.name, found.detail) == (outlined.name, "cholect50", "instrument")
    rows = found.instances.rows
    frames = labels.instance_frames(outlined)
    drawn = [(frame, one) for frame in frames for one in labels.instances(outlined, frame)]
    assert rows["position"].tolist() == [frame for frame, _ in drawn]
    for text, (_, one) in zip(rows["mask"], drawn, strict=True):
        assert np.array_equal(rle.picture(rle.runs_of_text(text, 180, 320), 180, 320), one.mask)


def test_points_lie_on_their_instrument_or_are_covered(outlined):
    seen = set()
    for frame in labels.instance_frames(outlined):
        for one in labels.instances(outlined, frame):
            for name, (x, y, visibility) in zip(labels.COCO_POINTS, one.points, strict=True):
                seen.add((name, visibility))
                left, top, width, height = one.box
                # The tip of open jaws is the middle between them.
                assert not visibility or (left - 3 <= x <= left + width + 2 and top - 3 <= y <= top + height + 2)
                if visibility == labels.COVERED:
                    assert not one.mask[y, x]
    assert {("tip", labels.SEEN), ("tip", labels.COVERED), ("joint", labels.UNLABELLED), ("entry", labels.UNLABELLED)} <= seen


def test_a_text_that_will_be_hidden_lies_over_masks_and_points(outlined):
    x, y, w, h = footage.text_box(outlined.texts[0])
    every = [one for frame in labels.instance_frames(outlined) for one in labels.instances(outlined, frame)]
    under = [int(one.mask[y : y + h, x : x + w].sum()) for one in every]
    assert sum(pixels > 0 for pixels in under) >= 3
    assert any(visibility and x <= at_x < x + w and y <= at_y < y + h for one in every for at_x, at_y, visibility in one.points)


def test_a_stricter_annotator_sees_no_criterion_earlier(judged):
    sheet = labels.criteria_sheet(judged).encode()
    (found,) = read({f"{judged.name}/frame.csv": sheet}, format_of("cvschallenge"), Options()).recordings
    said = found.marks.rows.pivot_table(index=["position", "mark"], columns="rater", values="value")
    assert list(said.columns) == ["1", "2", "3"]
    assert (said["1"] >= said["2"]).all()
    assert (said["2"] >= said["3"]).all()
    assert said.sum().nunique() == 3
    assert {0.0, 1.0} == set(said.to_numpy().ravel())
    means = {frame: [round(100 * value, 6) for value in row] for frame, row in said.mean(axis=1).unstack().iterrows()}
    assert {int(frame): shares for frame, shares in labels.true_criteria(judged).items()} == {
        frame: [int(value) for value in row] for frame, row in means.items()
    }
