"""All detectors by name: who proposes what to hide.

One more detector is one more module and one more line. Its name stands in the column ``source``
of the tables `proposals` and `redactions`.
"""

from __future__ import annotations

from dataclasses import asdict

from scrubin.base.store import store
from scrubin.base.store.code_of import code_of
from scrubin.stages.screen.detector import Detector, ScreenParams
from scrubin.stages.screen.onnx_detector import ONNX
from scrubin.stages.screen.pass_over_file import Observer
from scrubin.stages.screen.span_detectors import APPEARANCE, BLACK, FACE, FROZEN, SCENE
from scrubin.stages.screen.text_detector import TEXT

DETECTORS: dict[str, Detector] = {
    "scene": SCENE,
    "appearance": APPEARANCE,
    "face": FACE,
    "black": BLACK,
    "frozen": FROZEN,
    "text": TEXT,
    "onnx": ONNX,
}


def chosen(params: ScreenParams) -> dict[str, Detector]:
    """Return the detectors that look at a recording: those of the parameters, and a network if there is one."""
    names = {*params.detectors, *(("onnx",) if params.model else ())}
    return {name: detector for name, detector in DETECTORS.items() if name in names}


def version(params: ScreenParams) -> str:
    """Return 12 hex digits that change when any detector, or any of their limits, does."""
    key = store.key_of("detectors", code_of(__name__), asdict(params))
    # As in the first edition that proposed the same: what a person was shown has not changed.
    return (key.earlier or (key,))[-1][:12]


def observers(params: ScreenParams) -> list[Observer]:
    """Return what must look at every frame for the chosen detectors, each once."""
    needed = [observer(params) for detector in chosen(params).values() for observer in detector.observers]
    return list({observer.name: observer for observer in needed}.values())
