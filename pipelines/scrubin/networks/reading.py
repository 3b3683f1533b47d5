"""Reading text in pictures: rapidocr with the models that its wheel carries, so nothing is downloaded.

Detection is differentiable binarisation (Liao et al. 2020), recognition is PP-OCR's; both run on
onnxruntime with one thread.
"""

from __future__ import annotations

import importlib.util
import threading
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from scrubin.core.errors import StageError
from scrubin.core.pixels import Box

# Text is looked for at this many pixels along the longer side. On real clips text 14 px high in 960 was then always read when
# opaque; at 736 one in three of 10 px was missed, at 960 one in twelve. See benchmarks/screen_quality.py.
SIDE_PX = 960
MODELS = {"Det": "PP-OCRv6_det_small.onnx", "Rec": "PP-OCRv6_rec_small.onnx"}
_LOCK = threading.Lock()


@dataclass(frozen=True)
class Reading:
    """A line of text in one picture; the confidence is 0.5 to 1, in hundredths."""

    box_xywh: Box
    text: str
    confidence: float


def read(bgr: npt.NDArray[np.uint8]) -> list[Reading]:
    """Return the lines of text in a picture of shape (height, width, 3), from top to bottom.

    Lines that the reader is less than half sure of are not among them.
    """
    # One reader for the process: its models take a second and 150 MB, and it keeps state during a call.
    with _LOCK:
        result = _reader()(bgr, use_det=True, use_cls=False, use_rec=True)
    if result.boxes is None or not result.txts:
        return []
    readings = [
        Reading(_around(corners), text, round(float(score), 2))
        for corners, text, score in zip(result.boxes, result.txts, result.scores, strict=True)
    ]
    return sorted(readings, key=lambda one: (one.box_xywh[1], one.box_xywh[0], one.text))


@lru_cache(maxsize=1)
def _reader() -> Any:
    specification = importlib.util.find_spec("rapidocr")
    if specification is None or specification.origin is None:
        msg = "rapidocr is not installed; install scrubin[video], or take 'text' out of screen.detectors"
        raise StageError(msg)
    folder = Path(specification.origin).parent / "models"
    paths = {part: folder / name for part, name in MODELS.items()}
    missing = sorted(path.name for path in paths.values() if not path.is_file())
    if missing:
        # Given no path it would look for them on the network.
        msg = f"rapidocr's wheel carries no {', '.join(missing)}; install the locked version"
        raise StageError(msg)
    from rapidocr import RapidOCR

    threads = {f"EngineConfig.onnxruntime.{pool}_op_num_threads": 1 for pool in ("intra", "inter")}
    models = {f"{part}.model_path": str(path) for part, path in paths.items()}
    return RapidOCR(
        params={
            "Global.log_level": "critical",
            "Global.use_cls": False,
            "Det.limit_type": "max",
            "Det.limit_side_len": SIDE_PX,
            **threads,
            **models,
        }
    )


def _around(corners: npt.NDArray[np.floating[Any]]) -> Box:
    """Return the upright rectangle around four corners."""
    left, top = np.floor(corners.min(axis=0)).astype(int).tolist()
    right, bottom = np.ceil(corners.max(axis=0)).astype(int).tolist()
    return max(left, 0), max(top, 0), right - max(left, 0), bottom - max(top, 0)
