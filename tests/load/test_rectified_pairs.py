"""Pairs that are rectified while they are loaded, by the calibration of the release."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

import loadable_release
from scrubin.base.errors import CalibrationError, ReleaseError
from scrubin.base.files import write_text
from scrubin.data.load.warnings import EmptyDatasetWarning
from scrubin.load import Release
from scrubin.media.rigs import rig_file
from scrubin.media.rigs.rig import rectification, rectified
from scrubin.stages.stereo import drawing


@pytest.fixture
def calibrated(storages, tmp_path):
    """A release of small PNG frames of which one recording is calibrated, for its videos."""
    folder = loadable_release.copy(storages["small"], tmp_path / "release")
    video = loadable_release.table_of(folder, "videos").set_index("id").loc["cimeto"].iloc[0]
    rig = drawing.rig(np.random.default_rng(1), (int(video["width"]), int(video["height"])))
    for path, text in rig_file.documents({"Olympus 2": rig}, {"cimeto": "Olympus 2"}).items():
        write_text(folder / path, text)
    return folder, rig


def test_pairs_are_rectified_at_the_size_of_the_frames(calibrated):
    folder, rig = calibrated
    release = Release(folder)
    plain, pairs = release.stereo("balanced/train"), release.stereo("balanced/train", rectified=0.5)
    assert len(pairs) == len(plain) == 7
    assert pairs.left_out["uncalibrated"] == 0
    height, width = plain[0]["left"].shape[:2]
    way = rectification(rig.scaled(width, height), 0.5)
    for side in ("left", "right"):
        assert np.array_equal(pairs[3][side], rectified(plain[3][side], way.maps(side)))
    assert not np.array_equal(pairs[3]["left"], plain[3]["left"])
    assert np.array_equal(pickle.loads(pickle.dumps(pairs))[3]["right"], pairs[3]["right"])
    assert np.allclose(release.rig("cimeto").rotation, rig.rotation)


def test_the_transform_gets_rectified_pictures(calibrated):
    release = Release(calibrated[0])
    means = release.stereo("balanced/train", rectified=0.0, transform=lambda picture: float(picture.mean()))
    pairs = release.stereo("balanced/train", rectified=0.0)
    assert means[2]["left"] == pairs[2]["left"].mean()


def test_recordings_without_calibration_are_left_out_and_counted(calibrated, release):
    calibrated_release = Release(calibrated[0])
    pairs = calibrated_release.stereo(rectified=0.0)
    assert set(pairs.table["id"]) == {"cimeto"}
    assert pairs.left_out["uncalibrated"] == 7
    with pytest.warns(EmptyDatasetWarning, match="7 pairs are of recordings without calibration: rectified=None keeps them"):
        calibrated_release.stereo("balanced/test", rectified=0.0)
    with pytest.raises(ReleaseError, match="has no calibration of its cameras"):
        release.stereo(rectified=0.0)
    for wrong in (2, "0", True, float("nan")):
        with pytest.raises(ValueError, match=f"rectified={wrong!r}: it is alpha, from 0 .* to 1"):
            calibrated_release.stereo(rectified=wrong)
    with pytest.raises(ValueError, match="no calibration of 'cimetto': did you mean 'cimeto'"):
        calibrated_release.rig("cimetto")


def test_calibrations_are_parsed_once_for_a_release_not_for_each_recording_asked_for(calibrated, monkeypatch):
    release, parsed, read = Release(calibrated[0]), [], rig_file.read
    monkeypatch.setattr(rig_file, "read", lambda path, name: parsed.append(name) or read(path, name))
    assert release.rig("cimeto") is release.rig("cimeto")
    assert len(parsed) == 1


def test_a_calibration_of_another_shape_is_an_error_and_no_stretched_picture(calibrated):
    folder, rig = calibrated
    (folder / "calibration/rig_1.yaml").unlink()
    wide = rig.cropped((0, 0, rig.width, rig.height // 2))
    for path, text in rig_file.documents({"a": wide}, {"cimeto": "a"}).items():
        write_text(folder / path, text)
    with pytest.raises(ReleaseError, match="recording 'cimeto': its calibration does not fit its pictures"):
        Release(folder).stereo("balanced/train", rectified=0.0)[0]


def test_released_calibrations_tell_neither_names_nor_order_nor_days(tmp_path):
    rigs = {name: replace(drawing.rig(np.random.default_rng(seed)), date="2024-03-18") for name, seed in (("Theatre 3", 1), ("Meyer", 2))}
    made = rig_file.documents(rigs, {"abelo": "Meyer", "cimeto": "Theatre 3", "borunga": "Meyer"})
    for meyer, theatre in (("a", "b"), ("b", "a")):
        renamed = {meyer: rigs["Meyer"], theatre: rigs["Theatre 3"]}
        assert made == rig_file.documents(renamed, {"cimeto": theatre, "borunga": meyer, "abelo": meyer})
    assert sorted(made) == ["calibration/rig_1.yaml", "calibration/rig_2.yaml"]
    together = "".join(made.values())
    assert not any(word in together for word in ("Theatre", "Meyer", "date", "2024"))
    made = rig_file.documents(rigs, {"abelo": "Meyer", "cimeto": "Theatre 3", "borunga": "Meyer"}, with_year=True)
    assert not any("03-18" in text for text in made.values())
    for path, text in made.items():
        write_text(tmp_path / path, text)
    assert {id_: rig.date for id_, rig in rig_file.rigs(tmp_path).items()} == dict.fromkeys(("abelo", "borunga", "cimeto"), "2024")
    write_text(tmp_path / "calibration/rig_3.yaml", made["calibration/rig_1.yaml"])
    with pytest.raises(CalibrationError, match="stands in another calibration, too"):
        rig_file.rigs(tmp_path)
