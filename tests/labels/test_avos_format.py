"""AVOS: actions by seconds, undecided ones no labels, faults with their line."""

import pytest

from fault_lines import sentences
from label_examples import EXAMPLES, faults_of, read_files, write_files
from scrubin.labels.files import detect

FORM = "avos"
HEADER = b",video_id,labeler_1,label,start_seconds,end_seconds\n"


def said(text, severity="error"):
    return "\n".join(sentences(faults_of(FORM, {"a.csv": text}), severity))


def test_an_action_ends_where_the_next_one_begins():
    first, second = read_files(FORM, EXAMPLES[FORM]).recordings
    assert (first.recording, second.recording) == ("-3gFrKiC99I", "EgVI5o-fS6o")
    names = first.vocabulary.phases
    spans = [(start, end, names[id_]) for start, end, id_ in first.segments[["start", "end", "label_id"]].itertuples(index=False)]
    assert spans == [(0, 30000, "background"), (30000, 61500, "cutting")]


def test_what_nobody_decided_is_no_label_and_is_counted():
    text = HEADER + b"0,v,cutting,cutting,0.0,5.0\n1,v,tying,abstain,5.0,9.0\n2,v,,none,9.0,12.0\n"
    (labels,) = read_files(FORM, {"a.csv": text}).recordings
    assert labels.segments["end"].tolist() == [5000]
    told = said(text, "warning")
    assert "a.csv: 2 rows of which nobody decided (abstain, none) are not labelled" in told
    assert "not kept: labeler_1" in told


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (b"0,v,,sewing,0.0,5.0\n", "a.csv, line 2: 'sewing' is no phase of the vocabulary 'avos'"),
        (b"0,v,,tying,5.0,5.0\n", "line 2: it ends at 5.0 s, but starts at 5.0 s"),
        (b"0,,,tying,0.0,5.0\n", "line 2: there is no video; name it"),
        (b"0,v,,tying,-1.0,5.0\n", "line 2: '-1.0' is not seconds from 0"),
    ],
)
def test_a_fault_names_its_line(row, told):
    assert told in said(HEADER + row)


def test_actions_come_back_and_are_known_by_their_columns(tmp_path):
    out = write_files(FORM, read_files(FORM, EXAMPLES[FORM]))
    ((name, data),) = out.files.items()
    assert {f"avos/{name}": data} == EXAMPLES[FORM]
    (tmp_path / "any.csv").write_bytes(HEADER + b"0,v,,tying,0.0,5.0\n")
    assert detect.detected(tmp_path / "any.csv").name == FORM
