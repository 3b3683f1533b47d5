import io as bytes_io
import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from scrubin.base.errors import TableError
from scrubin.base.tables import io
from scrubin.base.vocabulary import vocabulary
from scrubin.labels import truth
from scrubin.labels.truth import recognition

GOLDEN = json.loads((Path(__file__).parents[1] / "data" / "vocabulary" / "ivt_components.json").read_text(encoding="utf-8"))
WORDS = vocabulary.load("cholect50")
RECALLED = {
    "i": lambda i, v, t: i,
    "v": lambda i, v, t: v,
    "t": lambda i, v, t: t,
    "iv": lambda i, v, t: 10 * i + v,
    "it": lambda i, v, t: 15 * i + t,
}


@pytest.mark.cases(2)
@pytest.mark.parametrize("component", ["i", "v", "t", "iv", "it"])
@given(ivt=hnp.arrays(np.int8, (4, 100), elements=st.integers(0, 1)))
def test_components_are_the_maximum_over_their_triplets_in_the_published_order(component, ivt):
    found = recognition.disentangle(ivt, WORDS, component)
    order = GOLDEN["component_vector_order"][component]
    expected = [{RECALLED[component](*WORDS.triplets[k]) for k in np.flatnonzero(row)} for row in ivt]
    assert found.shape == (4, GOLDEN["num_classes"][component])
    assert found.dtype == np.int8
    assert set(found.ravel().tolist()) <= {0, 1}
    assert [{order[k] for k in np.flatnonzero(row)} for row in found] == expected


def test_every_triplet_of_a_frame_is_one_and_all_else_zero(labelled):
    found = recognition.matrices(labelled["aboreta"])
    assert [np.flatnonzero(row).tolist() for row in found["ivt"]] == [[12, 17], [], [94]]
    assert {component: matrix.shape for component, matrix in found.items()} == {
        component: (3, n) for component, n in GOLDEN["num_classes"].items()
    }


def test_null_triplets_stay_in_the_components(labelled):
    found = recognition.matrices(labelled["aboreta"])
    assert found["v"][2, 9] == found["t"][2, 14] == found["i"][2, 0] == 1


def test_a_frame_without_a_label_is_no_row(labelled):
    assert labelled["belumi"].instances.frames.tolist() == [1, 4]
    assert recognition.matrices(labelled["belumi"])["ivt"].sum(axis=1).tolist() == [1, 0]


def test_of_instruments_alone_only_the_instrument_matrix_is_made(labelled):
    found = recognition.matrices(labelled["coresa"])
    assert list(found) == ["i"]
    assert found["i"].tolist() == [[0, 0, 1, 0, 0, 0], [1, 0, 1, 0, 0, 0], [0] * 6]


def test_one_instance_that_is_no_whole_triplet_leaves_the_rest_undefined(tables):
    triplets = tables["triplets"].copy()
    triplets.loc[0, ["target_id", "triplet_id"]] = None
    found = {one.id: one for one in truth.of_tables(tables["labelled"], triplets, tables["phases"])}
    assert list(recognition.matrices(found["aboreta"])) == ["i"]


def test_a_recording_without_instances_has_no_matrices(labelled):
    assert recognition.matrices(labelled["dimora"]) == {}


def test_the_archive_holds_frames_matrices_and_their_ids(labelled):
    one = labelled["aboreta"]
    data = recognition.archive(one.instances, one.is_hidden(one.instances.frames), recognition.matrices(one), {"kind": "recognition"})
    with np.load(bytes_io.BytesIO(data), allow_pickle=False) as archive:
        assert archive["frame"].tolist() == [0, 1, 2]
        assert archive["iv_ids"].tolist() == GOLDEN["component_vector_order"]["iv"]
        assert archive["ivt"].dtype == np.int8
        assert archive["ivt"][0, 17] == 1
        assert json.loads(str(archive["stamp"])) == {"kind": "recognition"}


def test_the_table_holds_the_same_as_the_archives_and_null_where_undefined(labelled):
    of_recordings = [(labelled[id_], recognition.matrices(labelled[id_])) for id_ in ("aboreta", "belumi", "coresa")]
    rows = recognition.rows(WORDS, of_recordings)
    assert rows[["id", "frame"]].to_numpy().tolist()[:5] == [["aboreta", 0], ["aboreta", 1], ["aboreta", 2], ["belumi", 1], ["belumi", 4]]
    assert rows["ivt_17"].tolist()[:5] == [True, False, False, False, False]
    assert rows.loc[rows["id"] == "coresa", "i_2"].tolist() == [True, True, False]
    assert rows.loc[rows["id"] == "coresa", "ivt_17"].isna().all()
    assert len(rows.columns) == 3 + sum(GOLDEN["num_classes"].values())


def test_the_table_is_read_back_as_written(labelled, tmp_path):
    one = labelled["coresa"]
    rows = recognition.rows(WORDS, [(one, recognition.matrices(one))])
    recognition.write(tmp_path / "r.parquet", WORDS, rows, {"kind": "recognition"})
    assert io.read(recognition.table(WORDS), tmp_path / "r.parquet").equals(rows)
    metadata = pq.read_schema(tmp_path / "r.parquet").metadata
    assert json.loads(metadata.pop(b"stamp")) == {"kind": "recognition"}
    assert metadata == recognition.table(WORDS).schema.metadata


def test_a_table_of_another_run_is_refused(tables):
    labelled = tables["labelled"]
    shorter = labelled[~((labelled["id"] == "aboreta") & (labelled["layer"] == "instances") & (labelled["frame"] == 2))]
    with pytest.raises(TableError, match="aboreta, frame 2 has a row in 'triplets', but is not labelled; run 'dvc repro annotations'"):
        truth.of_tables(shorter, tables["triplets"], tables["phases"])
    with pytest.raises(TableError, match="dimora, frame 0 has a row in 'phases', but is not labelled"):
        truth.of_tables(labelled[labelled["id"] != "dimora"], tables["triplets"], tables["phases"])


@pytest.mark.parametrize(("column", "value"), [("vocabulary", "prostatd"), ("detail", "instrument")])
def test_a_recording_has_one_vocabulary_and_one_detail(tables, column, value):
    labelled = tables["labelled"].copy()
    labelled.loc[0, column] = value
    with pytest.raises(TableError, match="'labelled': aboreta, instances: 2 different vocabularies or details"):
        truth.of_tables(labelled, tables["triplets"], tables["phases"])
