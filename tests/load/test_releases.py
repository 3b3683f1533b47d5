"""A release in a folder: what it is called, what is missing, and its known errors."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from scrubin.base.errors import ReleaseError
from scrubin.load import ErrataWarning, Release

LOOK = Path(__file__).parents[2] / "examples/look.py"
ERRATUM = {
    "id": "E1",
    "since": "1.0.0",
    "severity": "warning",
    "recordings": ["abelo"],
    "frames": "0-3",
    "what": "The phase is wrong.",
    "advice": "Do not use it.",
    "fixed_in": None,
}


def with_errata(folder, *listed):
    (folder / "metadata").mkdir(exist_ok=True)
    (folder / "metadata/errata.yaml").write_text(json.dumps(list(listed)))
    return folder


def test_it_says_what_it_is(release):
    assert (release.name, release.version, release.citation) == ("toy", "1.2.0", "@misc{toy}")
    assert release.splits == ("balanced/test", "balanced/train", "cv/0/test", "cv/0/train", "cv/1/test", "cv/1/train")
    assert release.recordings.loc["cimeto"].to_dict() == {"task": "PegTransfer", "cameras": "left, right", "duration_s": 3.5, "frames": 7}
    assert "4 recordings" in repr(release)


def test_tables_are_read_when_asked_for_and_nobody_changes_them(release):
    table = release.tables["frames"]
    table["frame"] = 0
    assert release.tables["frames"]["frame"].max() == 6
    assert release.tables["triplets"]["verb_id"].dtype == "Int64"
    of_labels = {"labelled", "marks", "masks", "phases", "points", "tracks", "triplets"}
    assert set(release.tables) == {*of_labels, "errors", "frames", "skill", "splits", "videos"}
    with pytest.raises(KeyError, match="did you mean 'frames'"):
        release.tables["frame"]


def test_columns_of_a_newer_version_stay(changed):
    phases = pd.read_parquet(changed / "tables/phases.parquet").assign(annotator="a")
    phases.to_parquet(changed / "tables/phases.parquet", index=False)
    assert set(Release(changed).tables["phases"]["annotator"]) == {"a"}


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda table: table.drop(columns="time_s"), "has no column time_s"),
        (lambda table: pd.concat([table, table.head(1)]), "has 2 rows of id abelo, camera mono, frame 0"),
        (lambda table: table.assign(time_s=table["time_s"].where(table["frame"] > 0)), "misses values in column time_s"),
    ],
)
def test_a_table_that_was_changed_is_refused(changed, damage, says):
    path = changed / "tables/frames.parquet"
    damage(pd.read_parquet(path)).to_parquet(path, index=False)
    with pytest.raises(ReleaseError, match=rf"tables/frames.parquet {says}.*scrubin verify"):
        Release(changed).frames()


def test_a_truncated_table_is_refused(changed):
    path = changed / "tables/frames.parquet"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ReleaseError, match=r"tables/frames.parquet cannot be read as parquet .*scrubin verify"):
        Release(changed).frames()


def test_a_folder_that_is_no_whole_release_is_refused(changed, tmp_path):
    with pytest.raises(ReleaseError, match="no such folder"):
        Release(tmp_path / "nowhere")
    with pytest.raises(ReleaseError, match=r"this is no release: it has no croissant\.json"):
        Release(tmp_path)
    (changed / "tables/videos.parquet").unlink()
    with pytest.raises(ReleaseError, match=r"tables/videos.parquet is missing; 'scrubin verify"):
        Release(changed)


def test_a_project_is_not_taken_for_its_release(changed, tmp_path):
    (tmp_path / "project/data").mkdir(parents=True)
    changed.rename(tmp_path / "project/data/release")
    with pytest.raises(ReleaseError, match=r"its release is .*project/data/release"):
        Release(tmp_path / "project")


def test_a_known_error_is_warned_of_once_with_recordings_and_advice(changed):
    with_errata(changed, ERRATUM)
    with pytest.warns(ErrataWarning) as caught:
        release = Release(changed)
    (one,) = caught
    assert one.filename == __file__
    assert "toy 1.2.0 has a known warning, 'E1', in recordings abelo, frames 0-3: The phase is wrong. Do not use it." in str(one.message)
    assert [erratum["id"] for erratum in release.errata] == ["E1"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Release(changed, errata="ignore").frames()


@pytest.mark.parametrize("change", [{"fixed_in": "1.2.0"}, {"fixed_in": "1.1.9"}, {"since": "1.10.0"}])
def test_an_error_that_this_version_does_not_have_is_not_warned_of(changed, change):
    assert Release(with_errata(changed, ERRATUM | change)).errata == ()


def test_an_error_that_a_later_version_mends_is_warned_of(changed):
    with pytest.warns(ErrataWarning):
        Release(with_errata(changed, ERRATUM | {"fixed_in": "1.10.0"}))


def test_a_damaged_list_of_errors_is_refused(changed):
    with_errata(changed)
    (changed / "metadata/errata.yaml").write_text("- id: [")
    with pytest.raises(ReleaseError, match=r"errata.yaml: it is no JSON .*scrubin verify"):
        Release(changed)


@pytest.mark.slow
def test_tables_and_labels_need_no_more_than_the_base_install(storages):
    code = f"""
import sys
for name in ("av", "cv2", "yaml", "PIL", "turbojpeg", "torch", "tqdm", "jinja2", "scipy"):
    sys.modules[name] = None
from scrubin.load import Release
release = Release({str(storages["loose"])!r})
dataset = release.frames("balanced/train", ["triplets", "phases", "skill", "errors", "boxes"])
print(len(dataset), dataset.targets("triplets")[1].sum(), len(release.recordings))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.split() == ["14", "6", "4"], done.stderr


def test_a_column_of_which_every_value_is_missing_is_no_damage(changed):

    path = changed / "tables/frames.parquet"
    table = pq.read_table(path)
    place = table.schema.get_field_index("dropped_why")
    none = pa.array([None] * table.num_rows, pa.string())
    pq.write_table(table.set_column(place, table.schema.field(place), none), path)
    assert Release(changed).tables["frames"].dropped_why.isna().all()


def looked_at(release: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "ignore", str(LOOK), str(release)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_program_that_looks_takes_a_release_of_other_tasks_and_schemes(changed):
    for path in (changed / "tables").glob("*.parquet"):
        table = pq.read_table(path)
        for column, names in {"task": {"Cholecystectomy": "Galle", "PegTransfer": "Naht"}, "scheme": {"balanced": "mine"}}.items():
            if column in table.column_names:
                place = table.schema.get_field_index(column)
                values = pa.array([names.get(value, value) for value in table[column].to_pylist()], table.schema.field(place).type)
                table = table.set_column(place, table.schema.field(place), values)
        pq.write_table(table, path)
    for path in (changed / "splits").glob("balanced*"):
        path.rename(path.with_name(path.name.replace("balanced", "mine")))
    done = looked_at(changed)
    assert (done.returncode, done.stderr) == (0, "")
    assert "'task': 'Galle'" in done.stdout
    assert "of 'cv/0/train'" in done.stdout, "the first subset for training"


@pytest.mark.slow
def test_the_program_that_looks_says_in_one_sentence_that_nobody_was_rated(changed):
    path = changed / "tables/skill.parquet"
    pq.write_table(pq.read_table(path).slice(0, 0), path)
    done = looked_at(changed)
    assert done.stderr == "no recording of this subset was rated: there is no skill to look at\n"
