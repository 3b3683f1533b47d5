from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import clips
from screen_params import SCREEN
from scrubin.base.errors import ParamsError
from scrubin.stages.screen import all_detectors
from scrubin.stages.screen import onnx_detector as detector
from scrubin.stages.screen.detector import ObservedFile, OnnxModel
from scrubin.stages.screen.pass_over_file import observe

FPS = 25


def brightness_network(path: Path, *, outputs: int = 1, shape=("n", 3, 8, 8), kind=TensorProto.FLOAT, gain=20.0, sigmoid=True) -> OnnxModel:
    """A real network: the mean of red decides, by 20 (mean - 0.5), with the opposite number behind it."""
    weights = np.zeros((shape[1], outputs), np.float32)
    weights[0] = gain
    if outputs > 1:
        weights[0, 1:] = -gain
    bias = np.array([-gain / 2] + [gain / 2] * (outputs - 1), np.float32)
    nodes = [
        helper.make_node("GlobalAveragePool", ["picture"], ["pooled"]),
        helper.make_node("Flatten", ["pooled"], ["flat"]),
        helper.make_node("Gemm", ["flat", "weights", "bias"], ["numbers"]),
    ]
    if sigmoid:
        nodes.append(helper.make_node("Sigmoid", ["numbers"], ["outside"]))
    graph = helper.make_graph(
        nodes,
        "brightness",
        [helper.make_tensor_value_info("picture", kind, list(shape))],
        [helper.make_tensor_value_info("outside" if sigmoid else "numbers", kind, None)],
        [numpy_helper.from_array(weights, "weights"), numpy_helper.from_array(bias, "bias")],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    return OnnxModel(
        path=str(path),
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        output="probability" if sigmoid else "logits",
        index=0,
        mean=(0.0, 0.0, 0.0),
        std=(1.0, 1.0, 1.0),
    )


def flat(red: int, n: int = 1) -> np.ndarray:
    pictures = np.zeros((n, 8, 8, 3), np.uint8)
    pictures[..., 0] = red
    return pictures


@pytest.mark.parametrize("batch", ["n", None, 1])
def test_a_network_judges_every_frame_of_a_film(tmp_path, batch):
    model = brightness_network(tmp_path / "x.onnx", shape=(batch, 3, 8, 8))
    params = replace(SCREEN, detectors=("black",), model=model)
    frames = [np.full((64, 96, 3), 230 if 40 <= n < 43 else 20, np.uint8) for n in range(90)]
    path = clips.film(tmp_path / "a.mkv", frames, FPS)
    times_s = np.arange(91) / FPS
    observed = observe(path, "a", all_detectors.observers(params), times_s[:-1])
    (span,) = detector.propose(ObservedFile(times_s, (96, 64), observed), params)
    assert (span.kind, span.source, span.core) == ("out_of_body", "onnx", (40, 42))
    assert span.score == pytest.approx(1.0, abs=0.02)
    assert span.interval_s == pytest.approx((35 / FPS, 48 / FPS))


def test_a_network_joins_the_detectors_only_when_there_is_one(tmp_path):
    assert "onnx" not in all_detectors.chosen(SCREEN)
    assert list(all_detectors.chosen(replace(SCREEN, detectors=(), model=brightness_network(tmp_path / "x.onnx")))) == ["onnx"]
    with pytest.raises(ValueError, match="there is no network"):
        detector.observer(SCREEN)


def test_probability_logits_and_the_index_are_read_as_declared(tmp_path):
    probability = detector.Network(brightness_network(tmp_path / "a.onnx"))
    one = detector.Network(brightness_network(tmp_path / "b.onnx", sigmoid=False))
    two = brightness_network(tmp_path / "c.onnx", outputs=2, gain=10.0, sigmoid=False)
    for red in (0, 100, 127, 140, 255):
        expected = 100 / (1 + np.exp(-20 * (red / 255 - 0.5)))
        for network in (probability, one, detector.Network(two)):
            assert network.percent(flat(red))[0] == round(expected)
        assert detector.Network(replace(two, index=1)).percent(flat(red))[0] == round(100 - expected)


def test_mean_and_deviation_are_applied_to_red_green_and_blue(tmp_path):
    model = replace(brightness_network(tmp_path / "a.onnx", gain=2.0), mean=(0.5, 0.9, 0.9), std=(0.25, 1.0, 1.0))
    expected = 100 / (1 + np.exp(-2 * ((200 / 255 - 0.5) / 0.25 - 0.5)))
    assert detector.Network(model).percent(flat(200)).tolist() == [round(expected)]


def test_a_batch_gives_the_same_numbers_as_single_pictures_on_every_run(tmp_path):
    free, single = (detector.Network(brightness_network(tmp_path / f"{batch}.onnx", shape=(batch, 3, 8, 8))) for batch in ("n", 1))
    pictures = np.random.default_rng(0).integers(0, 256, (16, 8, 8, 3), dtype=np.uint8)
    assert free.percent(pictures).tolist() == single.percent(pictures).tolist() == free.percent(pictures).tolist()


def test_another_network_is_another_key_and_is_refused_until_it_is_declared(tmp_path):
    model = brightness_network(tmp_path / "x.onnx")
    first = detector.observer(replace(SCREEN, model=model)).inputs
    other = brightness_network(tmp_path / "x.onnx", gain=10.0)
    with pytest.raises(ParamsError, match=rf"x.onnx: its SHA-256 is {other.sha256}; write that into 'screen.model.sha256'"):
        detector.Network(model)
    assert detector.observer(replace(SCREEN, model=other)).inputs != first


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"shape": ("n", 3, "h", "w")},
            r"its input must be one tensor\(float\) of shape \[batch or 1, 3, height, width\] with fixed sides",
        ),
        ({"shape": ("n", 1, 8, 8)}, "its input must be one"),
        ({"shape": ("n", 8, 8, 3)}, "its input must be one"),
        ({"shape": (4, 3, 8, 8)}, "its input must be one"),
        ({"sigmoid": False, "output": "probability", "gain": 90.0}, "'screen.model.output' may be logits"),
        ({"index": 1}, "it gives 1 numbers per picture, 'screen.model.index' is 1; the first is 0"),
        ({"mean": (0.0,)}, "'screen.model.mean' has 1 numbers; give three"),
        ({"std": (1.0, 1.0)}, "'screen.model.std' has 2 numbers; give three"),
        ({"path": "nothing.onnx"}, "nothing.onnx: it cannot be read"),
    ],
)
def test_a_network_that_does_not_fit_is_refused_with_its_name(tmp_path, changes, message):
    made = {name: changes[name] for name in changes if name in ("shape", "sigmoid", "gain")}
    said = {name: changes[name] for name in changes if name not in made}
    with pytest.raises(ParamsError, match=message):
        detector.Network(replace(brightness_network(tmp_path / "x.onnx", **made), **said))


def test_a_file_that_is_no_network_is_refused(tmp_path):
    (tmp_path / "x.onnx").write_bytes(b"no network")
    sha256 = hashlib.sha256(b"no network").hexdigest()
    model = OnnxModel(str(tmp_path / "x.onnx"), sha256, "logits", 0, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    with pytest.raises(ParamsError, match=r"x\.onnx: onnxruntime cannot load it"):
        detector.Network(model)
