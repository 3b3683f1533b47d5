"""Masks are no text to the audit where their text is what their pixels are written as, and nowhere else."""

import json

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scrubin.audit.containers import binary_tables, documents
from scrubin.audit.containers.run_lengths import covers
from scrubin.audit.expected.private_columns import Public
from scrubin.base.errors import AnnotationError
from scrubin.base.tables import io
from scrubin.base.tables.public import MASKS
from scrubin.labels.masks import rle

WIDTH, HEIGHT = 300, 200


def mask(seed=0, width=WIDTH, height=HEIGHT) -> str:
    """A mask of many runs, in whose text names of two letters stand by chance."""
    return rle.text_of_runs(rle.runs_of_picture(np.random.default_rng(seed).random((height, width)) < 0.5))


pictures = st.tuples(st.integers(1, 30), st.integers(1, 30)).flatmap(
    lambda size: st.lists(st.booleans(), min_size=size[0] * size[1], max_size=size[0] * size[1]).map(
        lambda pixels: np.array(pixels).reshape(size)
    )
)


@given(pictures)
def test_every_mask_is_known_by_its_size(picture):
    height, width = picture.shape
    text = rle.text_of_runs(rle.runs_of_picture(picture))
    assert covers(text, width, height)
    assert not covers(text, width, height + 1)
    assert not covers(text + "0", width, height)


@given(st.text(st.characters(min_codepoint=48, max_codepoint=111), max_size=8), st.integers(1, 40), st.integers(1, 40))
@example("P04", 4, 1)
@example("P4", 4, 1)
@example("o0", 4, 1)
@example("130O1", 2, 3)
def test_what_passes_is_the_only_text_of_its_pixels(text, width, height):
    try:
        runs = rle.runs_of_text(text, height, width)
    except AnnotationError:
        assert not covers(text, width, height)
        return
    pixels = rle.picture(runs, height, width)
    assert covers(text, width, height) == (rle.text_of_runs(rle.runs_of_picture(pixels)) == text)


@pytest.mark.parametrize("value", [None, 7, "", "Grünwaldner", "P07", "132\n", b"132"])
def test_what_is_no_mask_does_not_pass(value):
    assert not covers(value, 3, 2)


@pytest.mark.parametrize("size", [(None, 2), (3.0, 2), (True, 6), (-3, -2)])
def test_a_size_that_is_none_does_not_pass(size):
    assert not covers("132", *size)


def searched(contents) -> str:
    return "\n".join(text.text for text in contents.texts)


def read_table(path, texts):
    rows = [{"id": "a", "frame": k, "instance": 0, "width": WIDTH, "height": HEIGHT, "counts": text} for k, text in enumerate(texts)]
    io.write(MASKS, io.frame_of(MASKS, rows), path)
    return binary_tables.read(path, MASKS, Public())


def test_a_column_of_masks_is_not_searched_but_what_is_no_mask_in_it_is(tmp_path):
    contents = read_table(tmp_path / "masks.parquet", [mask(0), mask(1)])
    assert not contents.faults
    assert mask(0) not in searched(contents)
    changed = mask(1)[:40] + "AnnaSchmidt" + mask(1)[51:]
    contents = read_table(tmp_path / "masks.parquet", [mask(0), changed])
    assert [(fault.rule, fault.place) for fault in contents.faults] == [("mask", "column counts")]
    assert changed in searched(contents)
    assert mask(0) not in searched(contents)


def test_any_other_table_is_searched_whatever_its_columns_are_called(tmp_path):
    path = tmp_path / "masks.parquet"
    read_table(path, [mask(0)])
    assert mask(0) in searched(binary_tables.read(path, None, Public()))


def test_a_mask_in_json_is_not_searched_but_what_stands_beside_it_is():
    whole = {"size": [HEIGHT, WIDTH], "counts": mask(0)}
    assert mask(0) not in searched(documents.read_json(json.dumps({"segmentation": whole}).encode(), Public()))
    for other in (whole | {"size": [WIDTH, HEIGHT + 1]}, whole | {"counts": mask(0) + "0"}, {"counts": mask(0)}):
        assert mask(0) in searched(documents.read_json(json.dumps([other]).encode(), Public()))
    assert "Li Wei" in searched(documents.read_json(json.dumps(whole | {"note": "Li Wei"}).encode(), Public()))
