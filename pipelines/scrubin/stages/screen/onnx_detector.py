"""A network of the curator's own that judges every frame: any ONNX file, run by onnxruntime on the CPU.

The contract:

- One input, float32, shape (batch, 3, height, width). Height and width must be fixed in the file;
  frames are scaled to them (bilinear, the frame's shape is not kept). The batch may be free, or 1.
- The input holds red, green and blue from 0 to 1, minus ``mean``, divided by ``std``.
- The first output has one or more numbers per frame, shape (batch, ...). ``index`` says which of
  them stands for "outside the body".
- ``output: probability`` takes that number as it is. ``output: logits`` takes the logistic function
  of a single number, or the softmax of several.
- A frame is outside from 0.5 on. Probabilities are rounded to hundredths, because their last digits
  differ between processors.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt
from av.video.reformatter import VideoReformatter

from scrubin.base.errors import ParamsError
from scrubin.media.networks.weights import session
from scrubin.stages.screen.detector import Detector, ObservedFile, OnnxModel, ScreenParams
from scrubin.stages.screen.pass_over_file import DecodedPicture, Observed, Observer
from scrubin.stages.screen.proposals import Numbers, Proposal
from scrubin.stages.screen.span_detectors import outside_spans

NAME = "onnx"
OUTSIDE_PERCENT = 50
CLEAR = 0.8
AXES = 4
SIDES = (8, 4096)
COLOURS = 3


def observer(params: ScreenParams) -> Observer:
    """Return what lets the network judge every frame.

    Raises
    ------
    ParamsError
        When the file is not there, is another one than ``sha256`` says, or breaks the contract.
    """
    model = params.model
    if model is None:
        raise ValueError("there is no network: 'screen.model' is null")
    network = Network(model)
    inputs = {"sha256": model.sha256, "output": model.output, "index": model.index, "mean": model.mean, "std": model.std}
    return Observer(NAME, __name__, inputs, lambda times_s: _Judging(network, len(times_s)))


def propose(seen: ObservedFile, params: ScreenParams) -> list[Proposal]:
    """Return the out-of-body spans that the network sees, in order of time."""
    percent = seen.observed[NAME].arrays["percent"]
    if not len(percent):
        return []
    return outside_spans(NAME, percent >= OUTSIDE_PERCENT, percent / 100, CLEAR, seen, params)


class Network:
    """A loaded network that fits the contract, see the module.

    Raises
    ------
    ParamsError
        When the file is not there, is another one than ``sha256`` says, or breaks the contract.
    """

    def __init__(self, model: OnnxModel) -> None:
        self._model = model
        self._session = self._loaded()
        self.name, self.batched, self.height, self.width = self._input()
        for name, values in (("mean", model.mean), ("std", model.std)):
            if len(values) != COLOURS:
                self._refuse(f"'screen.model.{name}' has {len(values)} numbers; give three, for red, green and blue")
        self._mean = np.array(model.mean, np.float32).reshape(1, COLOURS, 1, 1)
        self._std = np.array(model.std, np.float32).reshape(1, COLOURS, 1, 1)
        self.percent(np.zeros((1, self.height, self.width, COLOURS), np.uint8))

    def percent(self, rgb: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        """Return in percent how sure the network is that pictures of shape (n, height, width, 3) are outside; shape (n,)."""
        batches = [rgb] if self.batched else [rgb[i : i + 1] for i in range(len(rgb))]
        return np.concatenate([self._judged(batch) for batch in batches])

    def _judged(self, rgb: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        pictures = (rgb.transpose(0, 3, 1, 2).astype(np.float32) / np.float32(255) - self._mean) / self._std
        try:
            output = self._session.run(None, {self.name: np.ascontiguousarray(pictures)})[0]
        except Exception as error:  # onnxruntime's errors share no class
            self._refuse(f"it cannot judge a picture ({error})", error)
        if not isinstance(output, np.ndarray) or output.dtype.kind != "f" or output.size % len(rgb):
            self._refuse("its first output is not a row of numbers per picture")
        numbers = output.reshape(len(rgb), -1).astype(np.float64)
        if self._model.index >= numbers.shape[1]:
            reason = f"it gives {numbers.shape[1]} numbers per picture, 'screen.model.index' is {self._model.index}"
            self._refuse(f"{reason}; the first is 0")
        outside = _probability(numbers, self._model)
        if not np.all((outside >= -EDGE) & (outside <= 1 + EDGE)):
            self._refuse(f"it gives {outside.min():g} to {outside.max():g} as a probability; 'screen.model.output' may be logits")
        return np.rint(np.clip(outside, 0, 1) * 100).astype(np.uint8)

    def _loaded(self) -> Any:
        try:
            data = Path(self._model.path).read_bytes()
        except OSError as error:
            self._refuse(f"it cannot be read ({error.strerror})", error)
        sha256 = hashlib.sha256(data).hexdigest()
        if sha256 != self._model.sha256:
            self._refuse(f"its SHA-256 is {sha256}; write that into 'screen.model.sha256' if this is the network you want")
        try:
            return session(data)
        except Exception as error:  # onnxruntime's errors share no class
            self._refuse(f"onnxruntime cannot load it ({error})", error)

    def _input(self) -> tuple[str, bool, int, int]:
        inputs = self._session.get_inputs()
        shape = inputs[0].shape if len(inputs) == 1 else []
        fits = len(shape) == AXES and shape[1] == COLOURS and inputs[0].type == "tensor(float)"
        sides = [side for side in shape[2:] if isinstance(side, int) and SIDES[0] <= side <= SIDES[1]] if fits else []
        batch = shape[0] if fits else None
        if len(sides) != len(SIDES) or not (batch == 1 or not isinstance(batch, int)):
            has = "; ".join(f"{one.name} {one.type} {one.shape}" for one in inputs)
            self._refuse(f"its input must be one tensor(float) of shape [batch or 1, 3, height, width] with fixed sides, but is {has}")
        return inputs[0].name, batch != 1, sides[0], sides[1]

    def _refuse(self, reason: str, cause: Exception | None = None) -> NoReturn:
        raise ParamsError(f"{self._model.path}: {reason} (screen.model in params.yaml)") from cause


EDGE = 1e-4  # a softmax may end a rounding error above 1


def _probability(numbers: Numbers, model: OnnxModel) -> Numbers:
    if model.output == "probability":
        return numbers[:, model.index]
    if numbers.shape[1] == 1:
        return 1 / (1 + np.exp(-np.clip(numbers[:, 0], -50, 50)))
    raised = np.exp(numbers - numbers.max(axis=1, keepdims=True))
    share: Numbers = raised[:, model.index] / raised.sum(axis=1)
    return share


class _Judging:
    BATCH = 16

    def __init__(self, network: Network, count: int) -> None:
        self._network = network
        self._percent = np.zeros(count, np.uint8)
        self._waiting: list[npt.NDArray[np.uint8]] = []
        self._judged = 0
        self._reformatter = VideoReformatter()

    def see(self, number: int, decoded: DecodedPicture) -> None:
        frame = decoded.frame
        width, height = self._network.width, self._network.height
        small = self._reformatter.reformat(frame, width, height, "rgb24", interpolation="BILINEAR")
        self._waiting.append(small.to_ndarray().astype(np.uint8, copy=False))
        if len(self._waiting) == self.BATCH:
            self._judge()

    def finish(self) -> Observed:
        self._judge()
        return Observed({"percent": self._percent})

    def _judge(self) -> None:
        if self._waiting:
            end = self._judged + len(self._waiting)
            self._percent[self._judged : end] = self._network.percent(np.stack(self._waiting))
            self._judged, self._waiting = end, []


ONNX = Detector(propose, (observer,))
