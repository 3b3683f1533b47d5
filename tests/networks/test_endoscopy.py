from __future__ import annotations

import hashlib
import json
from importlib import resources
from pathlib import Path

import av
import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import numpy_helper

from scrubin.base.errors import StageError
from scrubin.media.networks import endoscopy

FOLDER = resources.files("scrubin.media.networks")
TENSORS = {
    one.name: numpy_helper.to_array(one) for one in onnx.load_from_string(FOLDER.joinpath("endoscopy.onnx").read_bytes()).graph.initializer
}
DOCUMENT = json.loads(FOLDER.joinpath("endoscopy.json").read_text(encoding="utf-8"))
PAGE = Path(__file__).parents[2].joinpath("docs", "detectors.md").read_text(encoding="utf-8")
FREE_LICENCES = {"Apache-2.0", "MIT", "BSD", "BSD-3-Clause", "BSL-1.0", "CC BY 4.0"}
LAYERS = sorted(int(name[1:]) for name in TENSORS if name[0] == "w" and len(name) > 1)


def by_hand(planes: np.ndarray) -> np.ndarray:
    """The same network in whole numbers of 64 bit, its sums in another order."""
    values = planes.astype(np.int64)
    for place in LAYERS:
        weights, bias = TENSORS[f"w{place}"].astype(np.int64), TENSORS[f"b{place}"].astype(np.int64)
        shift = np.rint(-np.log2(TENSORS[f"s{place}"].astype(np.float64))).astype(np.int64)
        stride = 1 if weights.shape[0] == weights.shape[1] else 2
        padded = np.pad(values, ((0, 0), (0, 0), (1, 1), (1, 1)))
        high, wide = values.shape[2] // stride, values.shape[3] // stride
        sums = np.zeros((len(values), len(weights), high, wide), np.int64) + bias[:, None, None]
        for row in (2, 1, 0):
            for column in (2, 1, 0):
                window = padded[:, :, row : row + stride * high : stride, column : column + stride * wide : stride]
                sums += np.einsum("nchw,oc->nohw", window[:, ::-1], weights[:, ::-1, row, column])
        assert np.abs(sums).max() < 2**24
        values = np.clip(sums >> shift, 0, 256)
    odds = values.sum((2, 3)) @ TENSORS["w"].astype(np.int64)[:, 0] + int(TENSORS["b"][0])
    return odds >> int(np.rint(-np.log2(float(TENSORS["s"][0]))))


@pytest.mark.slow
@given(st.integers(0, 2**32 - 1), st.sampled_from([0, 40, 255]))
def test_the_scores_are_exact_whatever_the_order_of_the_sums(seed, spread):
    rng = np.random.default_rng(seed)
    planes = np.clip(rng.integers(0, 256, (2, 3, 1, 1)) + rng.integers(-spread, spread + 1, (2, 3, 48, 64)), 0, 255).astype(np.uint8)
    assert endoscopy.log_odds(planes).tolist() == by_hand(planes).tolist()


def test_all_weights_are_whole_numbers_and_no_sum_can_leave_what_float32_holds_exactly():
    for place in LAYERS:
        weights, bias, scale = (TENSORS[f"{name}{place}"].astype(np.float64) for name in "wbs")
        assert np.all(weights == np.rint(weights))
        assert np.all(bias == np.rint(bias))
        assert np.all(np.log2(scale) == np.rint(np.log2(scale)))
        assert (np.abs(weights).reshape(len(weights), -1).sum(1) * 256 + np.abs(bias)).max() < 2**24


@pytest.mark.slow
def test_pictures_are_judged_alike_alone_and_together():
    planes = np.random.default_rng(0).integers(0, 256, (40, 3, 48, 64)).astype(np.uint8)
    together = endoscopy.log_odds(planes)
    assert [int(endoscopy.log_odds(one[None])[0]) for one in planes] == together.tolist()


@pytest.mark.parametrize("size", [(320, 180), (224, 180), (64, 48), (96, 64), (16, 16), (322, 178)])
def test_the_planes_are_means_of_cells_in_full_range(size):
    picture = np.zeros((size[1], size[0], 3), np.uint8)
    picture[: size[1] // 2] = (255, 255, 255)
    frame = av.VideoFrame.from_ndarray(picture, format="rgb24").reformat(format="yuv420p", dst_color_range="MPEG")
    luma, blue, red = endoscopy.planes(frame)
    assert luma.shape == (48, 64)
    assert luma[:20].min() >= 250
    assert luma[28:].max() <= 5
    assert abs(int(blue.mean()) - 128) <= 2
    assert abs(int(red.mean()) - 128) <= 2


def test_the_sources_of_the_network_and_what_was_wrong_on_each_are_named():
    assert DOCUMENT["sha256"] == hashlib.sha256(FOLDER.joinpath("endoscopy.onnx").read_bytes()).hexdigest()
    for side in ("inside", "outside"):
        mine = [source for source in DOCUMENT["sources"] if source["outside"] == (side == "outside")]
        assert sum(source["pictures"] for source in mine) == DOCUMENT[f"{side}_pictures"]
        assert sum(source["wrong_when_held_back"] for source in mine) == DOCUMENT[f"{side}_wrong_when_held_back"]
        assert all(source["repository"] and source["licence_as_stated"] and 0 <= source["fold"] <= 4 for source in mine)


def test_what_the_weights_were_fitted_on_and_how_much_of_it_is_free_for_every_use_is_said_where_users_read_it():
    free = {side: 0 for side in ("inside", "outside")}
    for source in DOCUMENT["sources"]:
        side = "outside" if source["outside"] else "inside"
        free[side] += source["pictures"] if source["licence_as_stated"] in FREE_LICENCES else 0
    assert free == DOCUMENT["pictures_of_free_licences"]
    assert f"{free['inside']} of {DOCUMENT['inside_pictures']:,} from inside" in PAGE
    assert f"{free['outside']:,} of {DOCUMENT['outside_pictures']:,} from outside" in PAGE
    assert "--free-only" in PAGE
    assert "--free-only" in DOCUMENT["weights"]


def test_no_source_of_the_unseen_was_fitted_on_and_the_page_gives_the_same_counts():
    fitted = {(source["source"], source["outside"]) for source in DOCUMENT["sources"]}
    for source in DOCUMENT["never_fitted_on"]:
        assert (source["source"], source["outside"]) not in fitted
        assert f"`{source['source']}` | no | {source['pictures']} | {source['wrong']} |" in PAGE


@pytest.mark.parametrize("data", [None, b"other bytes"])
def test_a_network_that_is_missing_or_another_one_is_an_error(tmp_path, monkeypatch, data):
    (tmp_path / "endoscopy.json").write_text(FOLDER.joinpath("endoscopy.json").read_text(encoding="utf-8"), encoding="utf-8")
    if data is not None:
        (tmp_path / "endoscopy.onnx").write_bytes(data)
    monkeypatch.setattr(endoscopy.resources, "files", lambda _: tmp_path)
    endoscopy._network.cache_clear()
    try:
        with pytest.raises(StageError, match=r"the network 'endoscopy'.*install scrubin again"):
            endoscopy.log_odds(np.zeros((1, 3, 48, 64), np.uint8))
    finally:
        endoscopy._network.cache_clear()
