"""`scrubin validate --suspects`: what is probably wrong, ranked, each with its place; nothing is changed."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

import drawn_course
from scrubin import cli
from scrubin.base.files import sha256_of
from scrubin.labels.files import output
from scrubin.labels.model import Collection
from scrubin.labels.registry import Output

pytestmark = pytest.mark.usefixtures("one_judge")
AT = 40


@pytest.fixture
def given(tmp_path):
    """A folder of labels as CholecT50 has them, one frame of which has a wrong phase; whoever looks at it changes nothing."""
    study = drawn_course.study(0, 3)
    study[1] = drawn_course.with_phase(study[1], AT, 6)
    folder = written(tmp_path / "given", study)
    before = hashes(folder)
    yield folder
    assert hashes(folder) == before


def hashes(folder):
    return {path: sha256_of(path) for path in sorted(folder.rglob("*")) if path.is_file()}


def written(folder, study):
    made = Output()
    output.writer_of("cholect50").write(Collection(tuple(study)), made)
    for name, data in made.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


@pytest.fixture
def validate(capsys):
    """Validate, and return exit code, what stdout says and what stderr says."""

    def validate(*arguments):
        code = cli.main(["validate", *map(str, arguments)])
        return code, *capsys.readouterr()

    return validate


def test_the_first_suspect_is_what_was_planted_with_place_time_and_what_it_would_be(validate, given):
    code, out, _ = validate(given, "--suspects", "3", "--json")
    found = json.loads(out)["suspects"]
    first = found["listed"][0]
    assert code == 0
    assert len(found["listed"]) == 3 < found["found"]
    assert {name: first[name] for name in ("rank", "recording", "layer", "first", "last", "time_s")} == {
        "rank": 1, "recording": "VID02", "layer": "phases", "first": AT, "last": AT, "time_s": AT,
    }  # fmt: skip
    assert (first["label"], first["probable"]) == (drawn_course.T50.phases[6], drawn_course.T50.phases[1])
    assert first["evidence"] == ["flip", "sequence", "transition"]
    assert sum(found["by_evidence"].values()) >= found["found"]


def test_a_hundred_are_listed_where_nobody_says_how_many_and_the_verdict_stays(validate, given):
    _, without, _ = validate(given)
    code, out, _ = validate(given, "--suspects")
    assert code == 0
    assert out.startswith(without)
    lines = out.removeprefix(without).splitlines()
    assert lines[0].startswith(f"suspects: the first {min(100, len(lines) - 1)} of ")
    assert f"VID02, frame {AT} (0:00:{AT}.000), phases" in lines[1]


def test_each_suspect_links_into_the_video_of_its_recording(validate, given, tmp_path):
    video = tmp_path / "films" / "left" / "VID02.mkv"
    video.parent.mkdir(parents=True)
    video.write_bytes(b"")
    _, out, _ = validate(given, "--suspects", "1", "--videos", tmp_path / "films", "--json")
    assert json.loads(out)["suspects"]["listed"][0]["open"] == f"{video.as_posix()}#t={AT}.000"


def test_phases_and_scores_of_triplets_that_lie_apart_are_both_predictions(validate, given, tmp_path):
    right = drawn_course.study(0, 3)
    for labels in right:
        (tmp_path / "phases").mkdir(exist_ok=True)
        (tmp_path / "triplets").mkdir(exist_ok=True)
        rows = labels.phases.rows
        text = "".join(f"{at},{id_}\n" for at, id_ in zip(rows["position"], rows["phase_id"], strict=True))
        (tmp_path / "phases" / f"{labels.recording}.csv").write_text(f"frame,phase_id\n{text}")
        scores = np.full((len(rows), 100), 0.01)
        scores[labels.instances.rows["position"], labels.instances.rows["triplet_id"].astype(int)] = 0.9
        np.savez(tmp_path / "triplets" / f"{labels.recording}.npz", frame=rows["position"].to_numpy(), ivt=scores)
    places = [part for name in ("phases", "triplets") for part in ("--predictions", tmp_path / name)]
    _, out, _ = validate(given, "--suspects", "1", *places, "--json")
    assert json.loads(out)["suspects"]["listed"][0]["evidence"] == ["flip", "predictions", "sequence", "transition"]
    assert json.loads(out)["suspects"]["notes"] == []


@pytest.mark.parametrize("count", ["0", "-1", "many", "1.5"])
def test_a_number_that_is_none_is_refused(validate, given, count, capsys):
    with pytest.raises(SystemExit) as stopped:
        validate(given, f"--suspects={count}")
    assert stopped.value.code == 2
    assert f"'{count}' is no whole number from 1 to 1000000" in capsys.readouterr().err


@pytest.mark.parametrize(("option", "value"), [("--predictions", "there"), ("--predictions-from", "matrix"), ("--videos", "there")])
def test_an_option_of_suspects_without_suspects_is_refused(validate, given, option, value):
    code, _, err = validate(given, option, value)
    assert code != 0
    assert f"{option} is only for --suspects; add it" in err


def test_a_folder_of_videos_that_there_is_not_is_named(validate, given, tmp_path):
    code, _, err = validate(given, "--suspects", "--videos", tmp_path / "none")
    assert (code != 0, "there is no such folder" in err) == (True, True)


def test_predictions_of_no_known_format_are_told_their_own_option(validate, given, tmp_path):
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "VID01.csv").write_text("")
    code, _, err = validate(given, "--suspects", "--predictions", tmp_path / "none")
    assert code != 0
    assert "looks like no format of labels (VID01.csv is empty); name the format by --predictions-from: " in err


def test_one_recording_alone_is_said(validate, tmp_path):
    code, out, _ = validate(written(tmp_path / "one", drawn_course.study(0, 1)), "--suspects")
    assert code == 0
    assert "note: VID01 is the only recording of 'cholect50': no other one can say what is unusual in it" in out


def test_what_could_not_be_read_is_said_and_not_taken_for_labels_without_a_suspect(validate, given, tmp_path):
    damaged = shutil.copytree(given, tmp_path / "damaged")
    (damaged / "VID03.json").write_text("{", encoding="utf-8")
    _, out, _ = validate(damaged, "--suspects")
    (note,) = [line for line in out.splitlines() if line.startswith("note: what has errors")]
    assert note.startswith("note: what has errors is not looked at: 1, such as ")
    assert "VID03.json" in note


def test_a_path_without_labels_of_frames_is_refused(validate, tmp_path):
    (tmp_path / "ratings.csv").write_text("id,task,rater,aspect,score,failed\na,T,r,x,1.0,false\n")
    code, _, err = validate(tmp_path, "--suspects")
    assert code != 0
    assert "there is no recording with labels of frames" in err


@pytest.mark.slow
@pytest.mark.parametrize("form", ["parquet", "cholec80"])
def test_the_same_place_is_first_in_other_formats(validate, given, tmp_path, form, capsys):
    assert cli.main(["convert", str(given), "--out", str(tmp_path / form), "--to", form]) == 0
    capsys.readouterr()
    _, out, _ = validate(tmp_path / form, "--suspects", "1", "--json")
    document = json.loads(out)
    first = document["suspects"]["listed"][0]
    assert (first["recording"], first["layer"], first["time_s"]) == ("VID02", "phases", AT)
