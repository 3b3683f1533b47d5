"""HeiChole's tables beside the phases: instruments by their columns, points of skill, faults with their line."""

import pytest

from fault_lines import sentences
from label_examples import EXAMPLES, faults_of, read_files, write_files
from scrubin import cli
from scrubin.labels.files import detect
from verdict_cases import write_files as put

INSTRUMENTS, SKILL = "heichole-instruments", "heichole-skill"
FILE = "hei/Instrument/Hei-Chole1_Annotation_Instrument.csv"


def said(form, files, severity="error"):
    return "\n".join(sentences(faults_of(form, files), severity))


def row(frame, *seen, count=21):
    return f"{frame},{','.join('1' if column in seen else '0' for column in range(count))}\n"


def test_a_column_is_a_category_and_the_last_is_a_shaft_of_nobody_knows_what():
    (labels,) = read_files(INSTRUMENTS, EXAMPLES[INSTRUMENTS]).recordings
    assert labels.recording == "Hei-Chole1"
    assert labels.instances.positions.tolist() == [0, 1, 2, 3]
    found = [(row.position, labels.vocabulary.instruments[row.instrument_id]) for row in labels.instances.rows.itertuples()]
    assert found[:2] == [(0, "grasper"), (0, "coagulation instrument")]
    assert found[2:] == [(2, "grasper"), (2, "stapler"), (2, "undefined instrument shaft"), (3, "suction-irrigation")]


def test_instruments_come_back_as_they_were():
    (data,) = EXAMPLES[INSTRUMENTS].values()
    assert write_files(INSTRUMENTS, read_files(INSTRUMENTS, EXAMPLES[INSTRUMENTS])).files == {FILE.rsplit("/", 1)[1]: data}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (row(0) + row(1, 9), "Hei-Chole1_Annotation_Instrument.csv, line 2: category 9 is 1, and there is none of that number"),
        (row(0).replace("0,0", "0,2", 1), "line 1: category 0 is 2, expected 0 or 1; 1 means in view"),
        (row(0, count=7), "is no frame with 21 numbers; write lines such as 0,0,0"),
        (row(0) + row(0), "line 2: the frame does not follow the one before"),
        ("", "has no rows; remove the file, or export it again"),
    ],
)
def test_a_fault_of_instruments_names_its_line(text, told):
    assert told in said(INSTRUMENTS, {FILE: text.encode()})


def test_frames_that_are_missing_are_counted():
    assert "3 frames have no row" in said(INSTRUMENTS, {FILE: (row(0) + row(4)).encode()}, "warning")


def test_points_are_ratings_of_a_video_and_of_its_parts():
    scores = read_files(SKILL, EXAMPLES[SKILL]).scores
    points = {id_: of["score"].tolist() for id_, of in scores.ratings.groupby("id")}
    assert points == {"Hei-Chole1": [5, 4, 4, 3, 2], "Hei-Chole1_Calot": [4, 4, 3, 3, 2]}
    assert scores.ratings["aspect"].tolist()[:2] == ["depth_perception", "bimanual_dexterity"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"5,4,4,3\n", 'a_Skill.csv, line 1: "5,4,4,3" is no 5 whole numbers in 1..5; give depth_perception, bimanual_dexterity'),
        (b"5,4,4,3,0\n", "is no 5 whole numbers in 1..5"),
        (b"5,4,4,3,2.5\n", "is no 5 whole numbers in 1..5"),
        (b"5,4,4,3,2\n5,4,4,3,2\n", "has 2 lines; give one, with the points of the five aspects"),
        (b"", "has 0 lines"),
    ],
)
def test_a_fault_of_skill_is_named(text, told):
    assert told in said(SKILL, {"a_Skill.csv": text})
    assert "the video a is also in a_Skill.csv" in said(SKILL, {"a_Skill.csv": b"1,1,1,1,1\n", "b/a_skill.csv": text})


def test_where_all_tables_are_in_one_folder_the_phases_come_first(tmp_path):
    every = {name.rsplit("/", 1)[1]: data for form in ("heichole", INSTRUMENTS, SKILL) for name, data in EXAMPLES[form].items()}
    path = put(tmp_path / "in", every)
    assert detect.detected(path).name == "heichole"
    assert detect.detected(path / "Hei-Chole1_Skill.csv").name == SKILL
    assert detect.detected(path / "Hei-Chole1_Annotation_Instrument.csv").name == INSTRUMENTS


def test_points_of_skill_are_scored(tmp_path, capsys):
    path = put(tmp_path / "truth", EXAMPLES[SKILL])
    sheet = tmp_path / "found" / "Cholecystectomy.csv"
    sheet.parent.mkdir()
    sheet.write_text("id,efficiency\nHei-Chole1,4\nHei-Chole1_Calot,5\n")
    assert cli.main(["score", "skill", "--ground-truth", str(path), "--predictions", str(sheet.parent)]) == 0
    assert "skill MAE (paper); score=efficiency; task=Cholecystectomy\n    1.0000  n=2" in capsys.readouterr().out
