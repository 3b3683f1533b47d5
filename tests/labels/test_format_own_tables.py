"""Our own tables as a format: names and ids agree, and labels.json says only what can be."""

import json
from io import BytesIO

import pandas as pd
import pytest

from label_examples import EXAMPLES, faults_of, read_files
from scrubin.base.errors import AnnotationError
from scrubin.labels.files import loss
from scrubin.labels.files.loss import Fit
from scrubin.labels.files.output import render, writer_of


@pytest.fixture(scope="module")
def tables():
    """Return the CSV tables and labels.json of the CholecT50 example."""
    kept, _ = loss.fitted(read_files("cholect50", EXAMPLES["cholect50"]), writer_of("tables-csv"), Fit("cholect50"))
    return {f"t/{name}": data for name, data in render(kept, writer_of("tables-csv")).files.items()}


OF_KINDS = "vocabulary 'own-x': expected lists of names by kind"


@pytest.fixture
def refused(tables):
    """Return what is said of the tables with a text in one of them replaced."""

    def refused(name, old, new):
        text = tables[f"t/{name}"].decode()
        assert old in text
        with pytest.raises(AnnotationError) as caught:
            read_files("tables", {**tables, f"t/{name}": text.replace(old, new, 1).encode()})
        return str(caught.value)

    return refused


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("triplets.csv", ",grasper,", ",hook,", "instrument_id 0: it is 'grasper' in 'cholect50', but the name is 'hook'"),
        ("triplets.csv", ",0,1,0,17,", ",0,1,0,100,", "triplet_id 100: it is not in 0..99 of 'cholect50'"),
        ("triplets.csv", ',"grasper,retract,gallbladder",0,1,0,17,', ",,0,1,0,18,", "triplet_id 18 is grasper,retract,gut, ids (0, 1, 12)"),
        ("triplets.csv", ",0,1,0,17,", ",1,1,0,17,", "but the name is 'grasper'; ids are numbered from 0; these look numbered from 1"),
        ("triplets.csv", ",0.1,0.2,", ",,0.2,", "frame 16, VID07: a box lacks some of x, y, w, h; give all four, or none"),
        ("triplets.csv", ",0,1,0,17,", f",{'9' * 19},1,0,17,", f"column 'instrument_id', row 1: '{'9' * 19}' is no int64"),
        ("triplets.csv", ",cholect50,", ",cholec80,", "t/triplets.csv, VID07: it has 2 vocabularies, cholec80, cholect50"),
        ("phases.csv", "VID07,", '"VID\n07",', r"t/phases.csv: id 'VID\n07' holds a line break; write the name on one line"),
        ("phases.csv", "dissection,1", "dissection,99", "t/phases.csv, frame 16, VID07: phase_id 99: it is not in 0..6 of 'cholect50'"),
        ("phases.csv", "dissection,1", "dissection,-1", "column 'phase_id': expected at least 0, but got -1"),
        ("phases.csv", "calot-triangle-dissection", "preparation", "phase_id 1: it is 'calot-triangle-dissection' in 'cholect50'"),
        (
            "labelled.csv",
            "VID07,instances,40,cholect50,triplet\n",
            "",
            "t/triplets.csv, frame 40, VID07: has rows for frames that the table labelled does not name; add them to the table labelled",
        ),
        (
            "labelled.csv",
            "VID07,phases,16,",
            "VID07,phases,15,",
            "t/labelled.csv, frame 15, VID07: the phase was labelled, but there is none",
        ),
        (
            "labelled.csv",
            "VID07,instances,40,cholect50,triplet",
            "VID07,instances,40,cholect50,instrument",
            "t/labelled.csv, VID07: instances have the details instrument, triplet; instances of a recording have one",
        ),
        (
            "labelled.csv",
            "16,cholect50,triplet",
            "16,cholec80,triplet",
            "t/labelled.csv, VID07: it has 2 vocabularies, cholec80, cholect50",
        ),
        ("labels.json", '"fps"', '"image_size": [0, 5], "fps"', "'image_size' is [0, 5], expected width and height in px"),
        *(
            ("labels.json", '"fps": "1"', f'"fps": {fps}', "t/labels.json, recording 'VID07': 'fps' is")
            for fps in ('"abc"', '"0"', "0", "null", "[]", '"1e9999"', '"-1"', "25.5", "true", '"1001"')
        ),
        ("labels.json", '"vocabulary": "cholect50"', '"vocabulary": 5', "'vocabulary' is 5, expected a name"),
        ("labels.json", '"recordings": {', '"recordings": {"Z": 5, ', "recording 'Z': expected an object, but got 5"),
        ("labels.json", '"vocabularies": {', '"vocabularies": {"own-x": 5', OF_KINDS),
        ("labels.json", '"vocabularies": {', '"vocabularies": {"own-x": {"organ": []}', OF_KINDS),
    ],
)
def test_tables_that_contradict_themselves_are_refused(refused, name, old, new, message):
    assert message in refused(name, old, new)


def test_tables_that_a_spreadsheet_wrote_with_semicolons_are_read(tables):
    written = {name: data.replace(b'"grasper,retract,gallbladder"', b"") for name, data in tables.items()}
    with_semicolons = {name: data if name.endswith(".json") else data.replace(b",", b";") for name, data in written.items()}
    whole, other = (read_files("tables", files).recordings for files in (written, with_semicolons))
    assert [labels.phases.rows.equals(one.phases.rows) for labels, one in zip(whole, other, strict=True) if labels.phases] == [True]


def test_an_empty_table_is_named(tables):
    with pytest.raises(AnnotationError, match=r"t/phases\.csv: it is empty"):
        read_files("tables", {**tables, "t/phases.csv": b""})


@pytest.mark.parametrize(
    ("column", "other"),
    [
        ("frame", lambda values: values + 0.75),
        ("frame", lambda values: pd.to_datetime(values, unit="s")),
        ("phase_id", lambda values: values > 0),
    ],
)
def test_frames_and_ids_of_another_kind_are_never_cut(tables, column, other):
    frame = pd.read_csv(BytesIO(tables["t/phases.csv"]))
    packed = frame.assign(**{column: other(frame[column])}).to_parquet()
    files = {name: data for name, data in tables.items() if name != "t/phases.csv"} | {"t/phases.parquet": packed}
    with pytest.raises(AnnotationError, match=f"column '{column}': expected int64, but row 1 is"):
        read_files("tables", files)


def test_known_spellings_of_names_are_taken(tables):
    text = tables["t/phases.csv"].replace(b"calot-triangle-dissection", b"CalotTriangleDissection")
    (labels,) = read_files("tables", {**tables, "t/phases.csv": text}).recordings
    assert labels.phases.rows["phase_id"].tolist() == [1, 1, 6]


@pytest.mark.parametrize("key", ["labelled", "detail"])
def test_what_the_table_labelled_says_is_not_read_from_notes(tables, key):
    document = json.loads(tables["t/labels.json"])
    document["recordings"]["VID07"][key] = []
    with pytest.raises(
        AnnotationError, match=rf"t/labels\.json, recording 'VID07': '{key}' stands in the table labelled; write the tables"
    ):
        read_files("tables", {**tables, "t/labels.json": json.dumps(document).encode()})


def test_a_released_frame_without_instrument_is_read_as_labelled(tables):
    released = {file: data for file, data in tables.items() if not file.endswith("labels.json")}
    (labels,) = read_files("tables", released).recordings
    assert labels.instances.positions.tolist() == [16, 23, 24, 40]
    assert sorted(set(labels.instances.rows["position"])) == [16, 40]
    assert labels.detail == "triplet"
    assert [fault.rule for fault in faults_of("tables", released)] == ["rate-unstated"]


def test_marks_may_be_of_another_vocabulary_than_what_else_is_labelled(tables):
    judged = tables["t/labelled.csv"] + b"VID07,marks,16,endoscapes,\n"
    marks = b"id,frame,mark,rater,value\nVID07,16,C1,,1.0\n"
    (labels,) = read_files("tables", {**tables, "t/labelled.csv": judged, "t/marks.csv": marks}).recordings
    assert labels.vocabulary.name == "cholect50"
    assert labels.marks.positions.tolist() == [16]
    alone = {"t/labelled.csv": judged.split(b"\n")[0] + b"\nVID07,marks,16,endoscapes,\n", "t/marks.csv": marks}
    assert read_files("tables", alone).recordings[0].vocabulary.name == "endoscapes"
    assert "t/labelled.csv: no labels.json says the rate" in faults_of("tables", alone)[0].sentence


def test_without_the_table_labelled_frames_with_rows_count_and_that_is_said(tables):
    bare = {file: data for file, data in tables.items() if not file.endswith("labelled.csv")}
    (labels,) = read_files("tables", bare).recordings
    assert labels.instances.positions.tolist() == [16, 40]
    assert [fault.rule for fault in faults_of("tables", bare)] == ["labelled-unstated"]


def test_a_table_and_its_other_form_are_refused_together(tables):
    with pytest.raises(AnnotationError, match=r"t/triplets\.parquet: the same is also in t/triplets\.csv; keep one"):
        read_files("tables", {**tables, "t/triplets.parquet": b""})


def test_spans_are_made_of_triplets_and_not_read(tables):
    one, other = (read_files("tables", {**tables, "t/spans.csv": data}) for data in (tables["t/spans.csv"], b"anything"))
    assert one.recordings[0].instances.rows.equals(other.recordings[0].instances.rows)
