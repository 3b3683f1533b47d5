"""Any export: the same bytes each time, whole or not at all, and never over what is there."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import exported_release
from scrubin import cli
from scrubin.base.errors import ReleaseError
from scrubin.data.export import EXPORTS, export, new_folder
from scrubin.data.export.contents import Contents, folds, groups

OF_FRAMES = ("huggingface", "webdataset")
WITHOUT = "import sys; sys.modules |= dict.fromkeys(('cv2', 'av', 'yaml', 'tqdm', 'jinja2', 'dvc', 'prefect', 'PIL')); "
SAID = "3 recordings, 9 frames\nnot in it (1): hidden frames, which are black\nnot in it (1): dropped frames, which have no picture\n"
COLUMNS = ["scheme", "fold", "subset", "id"]


def tree(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("layout", OF_FRAMES)
def test_the_same_release_gives_the_same_bytes_elsewhere(layout, release, tmp_path):
    shutil.copytree(release, tmp_path / "copy")
    for source, name in ((release, "one"), (tmp_path / "copy", "two")):
        assert cli.main(["export", str(source), str(tmp_path / name), "--to", layout]) == 0
    assert tree(tmp_path / "one") == tree(tmp_path / "two")
    assert not [data for data in tree(tmp_path / "one").values() if str(tmp_path).encode() in data]


@pytest.mark.parametrize("layout", OF_FRAMES)
def test_a_picture_that_is_lost_is_named_and_nothing_is_left_behind(own, layout, tmp_path, capsys):
    (own / "frames/PegTransfer/left/abelo/000001.jpg").unlink()
    assert cli.main(["export", str(own), str(tmp_path / "out"), "--to", layout]) == 1
    assert "frames/PegTransfer/left/abelo/000001.jpg: it cannot be read" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["release"]


@pytest.mark.parametrize("kind", ["folder", "file", "link"])
def test_what_is_there_is_never_touched(kind, release, tmp_path, capsys):
    target = tmp_path / "out"
    {"folder": target.mkdir, "file": target.touch, "link": lambda: target.symlink_to("nowhere")}[kind]()
    assert cli.main(["export", str(release), str(target), "--to", "webdataset"]) == 1
    assert "it is there already" in capsys.readouterr().err
    assert len(list(tmp_path.iterdir())) == 1


def test_an_export_into_the_release_is_refused(release):
    with pytest.raises(ReleaseError, match="it would lie in the release"), new_folder(release / "hf", release):
        pass
    assert not (release / "hf").exists()


def test_a_folder_that_a_killed_export_left_does_not_matter(release, tmp_path):
    (tmp_path / ".part-out").mkdir()
    (tmp_path / ".part-out/old").touch()
    assert cli.main(["export", str(release), str(tmp_path / "out"), "--to", "webdataset"]) == 0
    assert not (tmp_path / "out/old").exists()


def test_no_release_no_layout_and_a_damaged_table_are_named(own, tmp_path):
    with pytest.raises(ReleaseError, match=r"this is no release: it has no croissant\.json"):
        Contents(tmp_path)
    with pytest.raises(ReleaseError, match="did you mean 'huggingface'"):
        export("hugging-face")
    (own / "tables/triplets.parquet").write_bytes(b"PAR1")
    with pytest.raises(ReleaseError, match=r"triplets\.parquet cannot be read as parquet"):
        list(Contents(own).frames("abelo"))


def test_labels_without_a_row_in_labelled_are_refused(tmp_path):
    tables = exported_release.rows()
    tables["labelled"] = [row for row in tables["labelled"] if row["frame"] != 0]
    release = exported_release.write(tmp_path / "release", tables)
    with pytest.raises(ReleaseError, match="borunga, frame 0 has a row in 'triplets', but is not in 'labelled'"):
        list(Contents(release).frames("borunga"))


def test_a_recording_in_two_subsets_stops_before_anything_is_written(own, tmp_path, capsys):
    (own / "splits").mkdir()
    (own / "splits/balanced.csv").write_text("id,task,subset\nabelo,PegTransfer,train\nborunga,Cholecystectomy,train\n")
    assert cli.main(["export", str(own), str(tmp_path / "out"), "--to", "huggingface"]) == 1
    assert "splits/balanced.csv and tables/splits.parquet differ: cimeto" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
@pytest.mark.parametrize("layout", OF_FRAMES)
def test_known_errors_are_said_and_travel_along(own, layout, tmp_path, capsys):
    (own / "metadata").mkdir()
    known = {"id": "E1", "since": "1.0.0", "severity": "error", "recordings": ["abelo"], "what": "The labels are those of borunga."}
    (own / "metadata/errata.yaml").write_text(json.dumps([known | {"advice": "Leave it out."}, known | {"id": "E0", "fixed_in": "1.2.0"}]))
    assert cli.main(["export", str(own), str(tmp_path / "out"), "--to", layout]) == 0
    says = "E1 (error), abelo: The labels are those of borunga. Leave it out."
    assert f"known error: {says}\n" in (out := capsys.readouterr().out)
    assert "E0" not in out
    assert f"Known errors:\n\n- {says}\n" in (tmp_path / "out/README.md").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("layout", OF_FRAMES)
def test_a_plain_install_is_enough(layout, release, tmp_path):
    code = f"{WITHOUT}from scrubin.cli import main; sys.exit(main({['export', str(release), str(tmp_path / 'out'), '--to', layout]!r}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.partition(": ")[2], done.stderr) == (0, SAID, "")


def test_every_layout_says_what_it_is(capsys):
    with pytest.raises(SystemExit):
        cli.main(["export", "--help"])
    said = capsys.readouterr().out
    assert all(name in said and does in said for name, (_, does) in EXPORTS.items())


@given(
    st.dictionaries(st.sampled_from("abcdefgh"), st.tuples(st.sampled_from(["train", "test", ""]), st.sampled_from(["train", "val", ""])))
)
def test_groups_part_the_recordings_and_build_every_subset(of_id):
    rows = [(f"s{k}", 0, subset, id_) for id_, subsets in of_id.items() for k, subset in enumerate(subsets) if subset]
    every = groups(list(of_id), pd.DataFrame(rows, columns=COLUMNS))
    assert sorted(id_ for group in every for id_ in group.ids) == sorted(of_id)
    for name, subsets in folds(every).items():
        for subset, own in subsets.items():
            wanted = [id_ for scheme, _, one, id_ in rows if (scheme, one) == (name, subset)]
            assert sorted(id_ for group in own for id_ in group.ids) == sorted(wanted if name != "all" else of_id)


def test_folds_that_would_share_a_name_are_refused():
    splits = pd.DataFrame([("x", 0, "train", "a"), ("x", 1, "train", "a"), ("x_1", 0, "train", "a")], columns=COLUMNS)
    with pytest.raises(ReleaseError, match="two splits of the release would be called 'x_1'"):
        folds(groups(["a"], splits))


@pytest.mark.slow
@pytest.mark.parametrize("layout", OF_FRAMES)
def test_calibrations_are_copied_and_counted(own, layout, tmp_path, capsys):
    (own / "calibration").mkdir()
    (own / "calibration/rig_1.yaml").write_text("as it is\n")
    assert cli.main(["export", str(own), str(tmp_path / "out"), "--to", layout]) == 0
    assert (tmp_path / "out/calibration/rig_1.yaml").read_text() == "as it is\n"
    assert "3 recordings, 9 frames, 1 calibration\n" in capsys.readouterr().out
