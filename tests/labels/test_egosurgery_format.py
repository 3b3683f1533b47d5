"""EgoSurgery: pictures numbered from 1, one in two seconds; faults with their line."""

import pytest

from fault_lines import sentences
from label_examples import EXAMPLES, faults_of, read_files, write_files
from scrubin.labels.files import detect

FORM, FILE = "egosurgery", "ego/01_1.csv"


def said(text, severity="error"):
    return "\n".join(sentences(faults_of(FORM, {FILE: text}), severity))


def test_picture_one_is_the_first_and_each_takes_two_seconds():
    (labels,) = read_files(FORM, EXAMPLES[FORM]).recordings
    assert (labels.recording, labels.clock.period_s) == ("01_1", 2)
    assert labels.phases.positions.tolist() == [0, 1, 8, 9]
    assert [labels.vocabulary.phases[id_] for id_ in labels.phases.rows["phase_id"]] == [*["disinfection"] * 2, "incision", "closure"]


def test_what_no_file_says_is_told_at_every_reading():
    assert "picture 1 is taken as the first of the video, and each as two seconds" in said(EXAMPLES[FORM][FILE], "warning")


def test_phases_come_back_as_they_were():
    assert write_files(FORM, read_files(FORM, EXAMPLES[FORM])).files == {"01_1.csv": EXAMPLES[FORM][FILE]}


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (b"02_1_0003,incision", "ego/01_1.csv, line 3: '02_1_0003' is no picture of 01_1; name it such as 01_1_0001"),
        (b"3,incision", "line 3: '3' is no picture of 01_1"),
        (b"01_1_0000,incision", "line 3: picture 0; pictures are numbered from 1; these look numbered from 0"),
        (b"01_1_0001,incision", "line 3: the picture does not follow the one before; sort the rows by picture, each once"),
        (b"01_1_0003,sewing", "line 3: 'sewing' is no phase of the vocabulary 'egosurgery'"),
    ],
)
def test_a_fault_names_its_line(row, told):
    assert told in said(b"Frame,Phase\n01_1_0001,incision\n" + row + b"\n")


def test_a_table_of_phases_whose_frames_are_numbers_is_another_format(tmp_path):
    for name, text, form in (("01_1", "Frame,Phase\n01_1_0001,incision\n", FORM), ("b", "Frame,Phase\n1,Preparation\n", "phase-tables")):
        path = tmp_path / f"{name}.csv"
        path.write_text(text)
        assert detect.detected(path).name == form
