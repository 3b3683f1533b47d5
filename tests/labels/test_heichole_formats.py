"""HeiChole's tables beside the phases: instruments by their columns, points of skill, faults with their line."""

from label_examples import EXAMPLES, read_files, said
from scrubin import cli
from scrubin.labels.files import detect
from verdict_cases import write_files as put

INSTRUMENTS, SKILL = "heichole-instruments", "heichole-skill"
FILE = "hei/Instrument/Hei-Chole1_Annotation_Instrument.csv"


def test_a_column_is_a_category_and_the_last_is_a_shaft_of_nobody_knows_what():
    (labels,) = read_files(INSTRUMENTS, EXAMPLES[INSTRUMENTS]).recordings
    assert labels.recording == "Hei-Chole1"
    assert labels.instances.positions.tolist() == [0, 1, 2, 3]
    found = [(row.position, labels.vocabulary.instruments[row.instrument_id]) for row in labels.instances.rows.itertuples()]
    assert found[:2] == [(0, "grasper"), (0, "coagulation instrument")]
    assert found[2:] == [(2, "grasper"), (2, "stapler"), (2, "undefined instrument shaft"), (3, "suction-irrigation")]


def test_points_are_ratings_of_a_video_and_of_its_parts():
    scores = read_files(SKILL, EXAMPLES[SKILL]).scores
    points = {id_: of["score"].tolist() for id_, of in scores.ratings.groupby("id")}
    assert points == {"Hei-Chole1": [5, 4, 4, 3, 2], "Hei-Chole1_Calot": [4, 4, 3, 3, 2]}
    assert scores.ratings["aspect"].tolist()[:2] == ["depth_perception", "bimanual_dexterity"]


def test_a_table_without_rows_and_frames_that_are_missing_are_named():
    assert "has no rows; remove the file, or export it again" in said(INSTRUMENTS, {FILE: b""})
    text = "".join(f"{frame},{','.join('0' * 21)}\n" for frame in (0, 4)).encode()
    assert "3 frames have no row" in said(INSTRUMENTS, {FILE: text}, "warning")


def test_the_skill_of_a_video_stands_in_one_file():
    assert "the video a is also in a_Skill.csv" in said(SKILL, {"a_Skill.csv": b"1,1,1,1,1\n", "b/a_skill.csv": b"1,1,1,1,1\n"})


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
