"""Objects that others made: those inside of the wheel of pydicom, one of them moving."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pydicom
from pydicom.pixels import pixel_array

from scrubin.base.errors import VideoError
from scrubin.media.containers.dicom_recording import stream_of
from scrubin.media.decode import decoded
from scrubin.media.opening import is_dicom
from scrubin.media.probe import probe

FOLDER = Path(pydicom.__file__).parent / "data/test_files"
MOVING = "examples_ybr_color.dcm"


def test_a_public_multi_frame_object_is_read_as_others_read_it():
    path = FOLDER / MOVING
    probed = probe(path, MOVING)
    assert (probed.frame_count, probed.codec, probed.width, probed.height) == (30, "mjpeg", 320, 240)
    stated = pydicom.dcmread(path, stop_before_pixels=True)
    assert abs(float(1000 / probed.fps) - float(stated.FrameTime)) < 0.01
    for number, frame in enumerate(decoded(path, MOVING)):
        theirs = pixel_array(path, index=number)
        assert np.abs(frame.to_ndarray(format="rgb24").astype(int) - theirs.astype(int)).mean() < 1.5


def test_everything_else_is_refused_in_words():
    others = [path for path in sorted(FOLDER.rglob("*")) if path.is_file() and is_dicom(path) and path.name != MOVING]
    assert len(others) > 100
    reasons = {}
    for path in others:
        try:
            probe(path, path.name)
        except VideoError as error:
            reasons[path.name] = error.reason
    assert len(reasons) == len({path.name for path in others})
    kinds = ("it is a still image", "it holds no pictures", "its transfer syntax is not read", "its pixel data are not", "its DICOM header")
    assert not {name: reason for name, reason in reasons.items() if not reason.startswith(kinds)}
    assert reasons["SC_rgb_rle_2frame.dcm"] == "its transfer syntax is not read (RLE Lossless)"
    assert reasons["examples_jpeg2k.dcm"] == "it is a still image"
    assert reasons["reportsi.dcm"].startswith("it holds no pictures")
    assert stream_of(FOLDER / MOVING).header.counts["0010"] > 0
