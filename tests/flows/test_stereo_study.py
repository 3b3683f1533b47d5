"""A drawn stereo recording goes from its rig's calibration through the whole pipeline to rectified pairs of the release."""

from __future__ import annotations

import csv
import json

import numpy as np
import pandas as pd
import pytest

import clips
import small_study
from scrubin import cli
from scrubin.base.errors import StageError
from scrubin.load import Release
from scrubin.media.rigs import written_rig
from scrubin.media.rigs.rig_file import read
from scrubin.stages.stereo import drawing
from scrubin.stages.stereo.samples import Matches, features, matches

pytestmark = pytest.mark.slow
NAME, RIG, DAY = "drawn_01", "Tower of Mansfield", "2024-03-18"
SIZE, COUNT, FPS = (321, 181), 70, 20
"""A column and a row more than video can have."""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A study with a drawn stereo recording that begins late and is black for a while, and others without a rig."""
    folder = small_study.project(tmp_path_factory.mktemp("stereo"))
    raw = folder / "data/raw"
    rng = np.random.default_rng(8)
    rig = drawing.rig(rng, SIZE)
    scene = drawing.Scene.by_lot(rng, rig)
    for side in ("left", "right"):
        view = drawing.view(rig, side, 1)
        shown = [drawing.noisy(drawing.picture(view, scene.sheets(n / FPS)), 2.0, rng)[..., ::-1] for n in range(COUNT)]
        clips.film(raw / f"videos/{NAME}_{side}.mkv", shown, FPS, "yuv444p", crf="14")
    path = raw / "calibration" / f"{RIG}.yaml"
    path.write_text(written_rig.text(rig).replace("convention", f'date: "{DAY}"\nconvention'), encoding="utf-8")
    with (raw / "recordings.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    own = {"recording": NAME, "participant": "P77", "task": "PegTransfer", "start_s": "0.3", "rig": RIG}
    rows += [own | {"camera": side, "path": f"videos/{NAME}_{side}.mkv"} for side in ("left", "right")]
    with (raw / "recordings.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, (*small_study.COLUMNS, "rig"), restval="")
        writer.writeheader()
        writer.writerows(rows)
    with (raw / "redactions.csv").open("a", encoding="utf-8") as file:
        file.write(f"{NAME},,out_of_body,2.9,3.2,,,,,add\n")
    small_study.regenerate(small_study.share_store(folder, tmp_path_factory))
    return folder, rig


def table(folder, name):
    return pd.read_parquet(folder / f"data/interim/{name}.parquet")


def test_the_released_calibration_is_that_of_the_released_pictures_and_says_nothing_private(project):
    folder, rig = project
    (path,) = (folder / "data/release/calibration").iterdir()
    text = path.read_text(encoding="utf-8")
    assert path.name == "rig_1.yaml"
    assert not any(word in text for word in (RIG, "Mansfield", NAME, "2024", "date"))
    linkage = pd.read_parquet(folder / "data/private/linkage.parquet").set_index("recording")
    back = read(path, path.name)
    assert back.recordings == (linkage.loc[NAME, "id"],)
    assert back.size == (320, 180)
    assert np.array_equal(back.right.matrix, rig.right.matrix)
    for name in ("README.md", "data_dictionary.md", "croissant.json", "metadata/files.csv", "SHA256SUMS"):
        assert "calibration/" in (folder / "data/release" / name).read_text(encoding="utf-8"), name
    assert cli.main(["verify", str(folder / "data/release")]) == 0


def test_its_pairs_were_found_sound_and_pairs_without_a_rig_stop_nothing(project):
    folder, _ = project
    stereo = table(folder, "stereo")
    (own,) = stereo[stereo.rig == "rig_1"].to_dict("records")
    assert pd.isna([own["error"], own["warning"], own["undecided"]]).all()
    assert abs(own["offset_px"]) < 0.3
    assert own["matches"] > 300
    others = stereo[stereo.rig.isna()]
    assert len(others) == small_study.PEG_TRANSFERS - 1
    assert others.error.isna().all()
    verdicts = json.loads((folder / "data/interim/validation.json").read_text(encoding="utf-8"))
    (fits,) = [one for one in verdicts["outcomes"] if one["rule"] == "stereo_fits"]
    assert fits["result"] == "passed"
    assert "Stereo pairs" in (folder / "reports/index.html").read_text(encoding="utf-8")


def test_rows_of_its_released_frames_agree_once_rectified_and_not_before(project):
    folder, _ = project

    def off(rectified):
        pairs = Release(folder / "data/release").stereo(rectified=rectified)
        shown = [pairs[number] for number in range(len(pairs)) if not pairs[number]["hidden"] and pairs[number]["id"] in known]
        found = Matches.of_all([matches(*(features(np.asarray(one[side])[..., ::-1]) for side in ("left", "right"))) for one in shown])
        return float(np.median(np.abs(found.left[:, 1] - found.right[:, 1])))

    known = set(read(folder / "data/release/calibration/rig_1.yaml", "rig_1").recordings)
    assert off(0.0) < 0.5 < off(None)


def test_exchanged_cameras_stop_the_release_and_say_so(project):
    folder, _ = project
    raw = folder / "data/raw"
    text = (raw / "recordings.csv").read_text(encoding="utf-8")
    swapped = text.replace(f"{NAME}_left", "X").replace(f"{NAME}_right", f"{NAME}_left").replace("X", f"{NAME}_right")
    (raw / "recordings.csv").write_text(swapped, encoding="utf-8")
    with pytest.raises(StageError, match=r"(?s)table 'stereo'.*rule stereo_fits.*swapped.*exchange the files"):
        small_study.regenerate(folder)
