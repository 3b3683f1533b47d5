"""Near-duplicates of real clips: what ffmpeg does to a copy, and the hashes of the frames that the pipeline extracts."""

from __future__ import annotations

import av
import numpy as np
import pandas as pd
import pytest

from clips import REAL, ffmpeg
from scrubin.stages.frames.extract import perceptual_hash
from scrubin.stages.validate.near_duplicates import Limits, near_duplicates

LIMITS = Limits(evidence_bits=20, min_frames=20)
STEP = 5  # frames of the source between two compared ones
X264 = ("-c:v", "libx264", "-preset", "ultrafast")


def frames_of(path, name, start=0):
    """Every fifth frame of a clip as a row of the table of this name: as if it were a slow film of one frame per second."""
    with av.open(str(path)) as container:
        grey = [frame.to_ndarray(format="gray") for frame in container.decode(video=0)][start::STEP]
    return pd.DataFrame(
        [
            {
                "id": name,
                "camera": "mono",
                "frame": k,
                "time_s": float(k),
                "redacted": float(picture.std()) < 1,
                "contrast": float(picture.std()),
                "perceptual_hash": perceptual_hash(np.ascontiguousarray(picture)),
            }
            for k, picture in enumerate(grey)
        ]
    )


@pytest.fixture(scope="module")
def bikes(tmp_path_factory):
    """The real street in half its size: hashes are of a few pixels, and copies of it take a quarter of the time."""
    path = tmp_path_factory.mktemp("clips") / "bikes.mkv"
    ffmpeg("-i", REAL["bikes"], "-vf", "scale=320:136", *X264, "-crf", "12", path)
    return path


@pytest.fixture(scope="module")
def sources(bikes):
    """A real street, a cartoon and a talking head; and the street's second half mirrored: another film of the same street."""
    mirrored = bikes.with_name("mirrored.mkv")
    ffmpeg("-i", bikes, "-vf", "trim=start=5,setpts=PTS-STARTPTS,hflip", *X264, mirrored)
    films = {**REAL, "bikes": bikes, "mirrored": mirrored}
    return pd.concat([frames_of(path, name) for name, path in films.items()], ignore_index=True)


def found(sources, *more):
    rows = near_duplicates(pd.concat([sources, *more], ignore_index=True), LIMITS)
    return rows[["one", "other", "shift_frames"]].to_numpy().tolist()


@pytest.mark.slow
def test_different_clips_are_no_near_duplicates(sources):
    assert found(sources) == []


@pytest.mark.cases(2)
@pytest.mark.parametrize(
    "how",
    [
        ("-crf", "28"),
        ("-crf", "35"),
        ("-vf", "scale=trunc(iw/4)*2:trunc(ih/4)*2", "-crf", "28"),
        ("-vf", "lutyuv=y='min(235,val*1.1)'", "-crf", "28"),
        ("-vf", "eq=contrast=0.8:saturation=0.3", "-crf", "28"),
        ("-vf", "drawbox=x=5:y=5:w=45:h=12:color=black:t=fill", "-crf", "28"),
        ("-vf", "drawbox=color=black:t=fill:enable='between(mod(n,25),0,4)'", "-crf", "28"),
    ],
    ids=["crf28", "crf35", "half", "brighter", "grey", "box", "a fifth hidden"],
)
def test_a_copy_encoded_again_is_found(sources, bikes, how, tmp_path):
    ffmpeg("-i", bikes, *X264, *how, tmp_path / "copy.mkv")
    assert found(sources, frames_of(tmp_path / "copy.mkv", "copy")) == [["bikes", "copy", 0]]


@pytest.mark.cases(2)
@pytest.mark.parametrize("start", [1, 2, 10, 75, 160])
def test_a_copy_that_starts_later_is_found_also_between_frames(sources, bikes, start, tmp_path):
    ffmpeg("-i", bikes, "-vf", f"trim=start_frame={start},setpts=PTS-STARTPTS", *X264, "-crf", "28", tmp_path / "copy.mkv")
    [[one, other, shift]] = found(sources, frames_of(tmp_path / "copy.mkv", "copy"))
    assert (one, other) == ("bikes", "copy")
    assert -shift in (start // STEP, -(-start // STEP))
