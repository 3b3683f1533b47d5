"""All detectors by name: who proposes what to hide.

One more detector is one more module and one more line. Its name stands in the column ``source``
of the table `redactions`.
"""

from __future__ import annotations

from scrubin.screen.detectors.appearance import APPEARANCE
from scrubin.screen.detectors.black import BLACK
from scrubin.screen.detectors.curator import CURATOR
from scrubin.screen.detectors.detector import Detector
from scrubin.screen.detectors.frozen import FROZEN
from scrubin.screen.detectors.onnx import ONNX
from scrubin.screen.detectors.text import TEXT
from scrubin.screen.params import ScreenParams
from scrubin.screen.pass_over_file import Observer

DETECTORS: dict[str, Detector] = {
    "appearance": APPEARANCE,
    "black": BLACK,
    "frozen": FROZEN,
    "text": TEXT,
    "onnx": ONNX,
    "curator": CURATOR,
}


def chosen(params: ScreenParams) -> dict[str, Detector]:
    """Return the detectors that look at a recording: those of the parameters, a network if there is one, and the curator."""
    names = {*params.detectors, "curator", *(("onnx",) if params.model else ())}
    return {name: detector for name, detector in DETECTORS.items() if name in names}


def observers(params: ScreenParams) -> list[Observer]:
    """Return what must look at every frame for the chosen detectors, each once."""
    needed = [detector.observer(params) for detector in chosen(params).values() if detector.observer]
    return list({observer.name: observer for observer in needed}.values())
