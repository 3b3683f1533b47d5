"""From label files to tables: cuts, several sources, lengths, recordings that are not released."""

import copy
import functools
import hashlib
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotated_tables import tables_of
from scrubin.base import files
from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Fault, Faults
from scrubin.base.tables import io, seals
from scrubin.base.tables.public import LABELLED, PHASES, TRIPLETS
from scrubin.base.vocabulary.vocabulary import load
from scrubin.labels import truth
from scrubin.labels.formats.objects import labelme
from scrubin.labels.formats.triplets import cholect50
from scrubin.labels.formats.workflow import cholec80
from scrubin.labels.model import Clock, Labels, Layer, instance_rows, phase_rows
from scrubin.stages.annotations import label_tables, report

LAYERS = ("instances", "phases")


def known_of(**changes):
    return label_tables.released(*tables_of(**changes))


@functools.cache
def known_from(first_s):
    return known_of(offset_s=Fraction(first_s))


def made(labels, known, *, tolerance_s=1.0, left_out=(), faults=None):
    return label_tables.tables(labels, known, left_out, tolerance_s, faults or Faults())


@pytest.fixture
def jso(make):
    """CholecT50 labels of a recording: frame key to vectors."""

    def read(annotations, recording="case one"):
        files = {f"annotations/cholect50/{recording}.json": make.cholect50(annotations)}
        return cholect50.read(make.named(files, recording))

    return read


@pytest.fixture
def txt(make):
    def read(phases=None, tools=None):
        files = {}
        if phases is not None:
            files["annotations/cholec80/case one-phase.txt"] = make.phase_txt(phases)
        if tools is not None:
            files["annotations/cholec80/case one-tool.txt"] = make.tool_txt(tools)
        return cholec80.read(make.named(files))

    return read


@pytest.fixture
def boxes(make):
    def read(frames, **size):
        size = {"width": 320, "height": 240, **size}
        return labelme.read(make.named({f"annotations/labelme/case one/{n:06d}.json": make.labelme(s, **size) for n, s in frames.items()}))

    return read


def test_labels_of_a_cut_recording_have_frames_and_ids_of_the_release(jso, make):
    labels = jso({str(k): [make.vector(phase=k % 7)] for k in range(20)})
    tables = made([labels], known_of(offset_s=Fraction(6)))
    assert tables.phases["frame"].tolist() == list(range(10))
    assert tables.phases["phase_id"].tolist() == [k % 7 for k in range(6, 16)]
    assert set(tables.triplets["id"]) == {"mabolu"}
    entry = tables.report["ids"]["mabolu"]["instances"]
    assert (entry["labels_before_cut"], entry["labels_after_cut"], entry["rows"], entry["runs"]) == (6, 4, 10, [[0, 10]])
    assert tables.report["ids"]["mabolu"]["warnings"] == []


def test_the_hash_that_stamps_ground_truth_tells_other_labels_apart_and_no_trim_can_be_tried_on_it(jso, make):
    labels = jso({str(k): [make.vector(phase=k % 7)] for k in range(20)})
    said = [made([labels], known_from(first_s)).report for first_s in (5, 6)]
    (ours, others), shorter = (seals.Seal(secret) for secret in "01"), made([jso({"7": [make.vector()]})], known_from(6)).report
    released = report.digest(said[1], ours)
    assert released == report.digest(copy.deepcopy(said[1]), ours)
    assert len({released, *(report.digest(one, ours) for one in (said[0], shorter))}) == 3
    # Somebody who has the release knows all of the report but where it was cut, and tries that.
    assert released not in {report.digest(one, others) for one in said}
    assert released not in {hashlib.sha256(files.json_text(one).encode()).hexdigest() for one in said}


def test_the_tables_keep_names_ids_boxes_and_the_order_of_instances(jso, make):
    tables = made([jso({"2": [make.vector(57), make.vector(12, box=(-1, -1, -1, -1))]})], known_of())
    rows = tables.triplets
    assert rows["instance"].tolist() == [0, 1]
    assert rows["triplet_id"].tolist() == [57, 12]
    assert rows["x"].isna().tolist() == [False, True]
    assert (rows["instrument"] + "," + rows["verb"] + "," + rows["target"]).tolist() == rows["triplet"].tolist()
    io.conform(TRIPLETS, rows)


def test_a_frame_labelled_as_nothing_is_counted_and_has_no_row(jso, make):
    tables = made([jso({"0": [make.nothing()], "1": [make.vector()], "5": []})], known_of())
    entry = tables.report["ids"]["mabolu"]["instances"]
    assert len(tables.triplets) == 1
    assert (entry["labelled_frames"], entry["unlabelled_frames"], entry["runs"]) == (3, 7, [[0, 2], [5, 6]])
    assert entry["labelled_hidden_frames"] == 1


def test_the_released_tables_alone_tell_no_instrument_from_not_labelled(jso, make, tmp_path):
    tables = made([jso({"0": [make.nothing()], "1": [make.vector(phase=2)], "5": []})], known_of())
    for table, rows in ((LABELLED, tables.labelled), (TRIPLETS, tables.triplets)):
        io.write(table, rows, tmp_path / f"{table.name}.parquet")
    labelled = io.read(LABELLED, tmp_path / "labelled.parquet")
    looked_at = set(labelled.loc[labelled["layer"] == "instances", "frame"])
    with_instrument = set(io.read(TRIPLETS, tmp_path / "triplets.parquet")["frame"])
    assert (looked_at, looked_at - with_instrument, set(range(10)) - looked_at) == ({0, 1, 5}, {0, 5}, {2, 3, 4, 6, 7, 8, 9})
    assert labelled.loc[labelled["layer"] == "phases", "frame"].tolist() == tables.phases["frame"].tolist() == [0, 1]


def test_a_labelled_frame_names_vocabulary_and_detail_and_phases_have_no_detail(txt):
    tables = made([txt(phases=["Preparation"] * 500, tools=[[1, 0, 0, 0, 0, 0, 0]] * 3 + [[0] * 7] * 17)], known_of())
    facts = tables.labelled.drop_duplicates("layer").set_index("layer")
    assert facts.loc["instances", ["id", "vocabulary", "detail"]].tolist() == ["mabolu", "cholect50", "instrument"]
    assert pd.isna(facts.loc["phases", "detail"])
    assert tables.labelled.groupby("layer").size().to_dict() == {"instances": 10, "phases": 10}


def test_a_cut_beside_the_label_is_a_warning_with_the_shift(jso, make):
    tables = made([jso({str(k): [make.vector()] for k in range(20)})], known_of(offset_s=Fraction(2, 5)))
    assert tables.report["ids"]["mabolu"]["warnings"] == [
        "cholect50: the cut does not start on a label; labels and frames are about +0.400 s apart"
    ]
    assert tables.report["ids"]["mabolu"]["instances"]["largest_shift_s"] == 0.4


def test_cholec80_phases_are_exact_at_the_source_frame(txt):
    names = ["Preparation"] * 100 + ["ClippingCutting"] * 400
    tables = made([txt(phases=names)], known_of(offset_s=Fraction(2)))
    # Source frames 50, 75, 100 ...: the phase changes at released frame 2, neither before nor after.
    assert tables.phases["phase_id"].tolist() == [0, 0] + [2] * 8


def test_presence_alone_gives_instruments_without_verb(txt):
    tables = made([txt(tools=[[1, 0, 0, 0, 0, 0, 0]] * 3 + [[0] * 7] * 17)], known_of())
    assert tables.triplets["instrument"].tolist() == ["grasper"] * 3
    assert tables.triplets[["verb", "target", "triplet", "triplet_id", "x"]].isna().all(axis=None)
    assert tables.report["ids"]["mabolu"]["instances"]["detail"] == "instrument"
    assert tables.spans[["start_frame", "end_frame"]].to_numpy().tolist() == [[0, 3]]


def test_presence_beside_triplets_is_compared_and_not_added(txt, boxes, make):
    presence = txt(tools=[[1, 0, 0, 0, 0, 0, 0]] * 3 + [[0, 0, 1, 0, 0, 0, 0]] + [[0] * 7] * 16)
    detailed = boxes({25 * k: [make.shape()] for k in range(4)})
    tables = made([presence, detailed], known_of())
    assert tables.triplets["triplet_id"].tolist() == [17] * 4
    assert tables.report["ids"]["mabolu"]["instances"]["format"] == "labelme"
    assert tables.report["ids"]["mabolu"]["comparisons"] == [
        "instruments: labelme counts; cholec80 differs in 1 of 4 shared frames (first: frame 3)"
    ]


def test_of_two_sources_of_phases_the_first_counts(txt, jso, make):
    phases = jso({str(k): [make.vector(phase=0)] for k in range(20)})
    tables = made([phases, txt(phases=["ClippingCutting"] * 500)], known_of())
    assert set(tables.phases["phase_id"]) == {0}
    assert "phases: cholect50 counts; cholec80 differs in 10 of 10 shared frames" in tables.report["ids"]["mabolu"]["comparisons"][0]


def test_left_and_right_of_a_stereo_pair_are_one_recording(jso, make):
    known = known_of(cameras=("left", "right"))
    assert list(known) == ["case one"]
    assert len(made([jso({"0": [make.vector()]})], known).triplets) == 1


def test_labels_beyond_the_end_are_refused_with_both_lengths_and_the_offset(jso):
    with pytest.raises(
        AnnotationError, match=r"case one\.json, frame 29: the labels end at 30 s, the video at 20 s; .* beginning, the offset is 10 s"
    ):
        made([jso({str(k): [] for k in range(30)})], known_of())


def test_a_difference_within_the_tolerance_is_no_error(txt, jso):
    assert len(made([txt(phases=["Preparation"] * 480)], known_of()).phases) == 10
    assert len(made([jso({"20": []})], known_of()).triplets) == 0
    with pytest.raises(AnnotationError, match="480 frames"):
        made([txt(phases=["Preparation"] * 480)], known_of(), tolerance_s=0.5)


def test_the_problems_of_all_files_stand_in_one_error(jso, txt):
    faults = Faults()
    faults.error("annotations/x.json", "name", "fits nowhere", "move it")
    wrong = [AnnotationError([Fault("b.json", "x", "broken", "mend it")]), jso({"99": []}), txt(phases=["Preparation"] * 1000)]
    with pytest.raises(AnnotationError) as caught:
        made(wrong, known_of(), faults=faults)
    assert len(caught.value.faults) == 4


def test_recordings_that_are_not_released_are_counted_without_their_names(jso, make):
    report = made([jso({"0": [make.vector()]})], known_of(), left_out={"secret name"}).report
    assert report["left_out_recordings"] == 1
    assert "secret" not in str(report)
    assert "case one" not in str(report)


def test_a_study_without_labels_has_empty_tables():
    tables = made([], known_of())
    assert (len(tables.triplets), len(tables.phases), len(tables.spans)) == (0, 0, 0)
    assert tables.report["without_labels"] == 1
    assert tables.report["totals"]["instances_rows"] == 0


def test_two_recordings_are_kept_apart_and_sorted_by_id(jso, make):
    both = [pd.concat(pair, ignore_index=True) for pair in zip(tables_of(), tables_of(recording="b", id_="aboreta"), strict=True)]
    known = label_tables.released(*both)
    labels = [jso({"0": [make.vector(17, phase=0)]}), jso({"0": [make.vector(12, phase=1)], "3": []}, "b")]
    tables = made(labels, known)
    assert tables.triplets[["id", "triplet_id"]].to_numpy().tolist() == [["aboreta", 12], ["mabolu", 17]]
    assert tables.phases[["id", "phase_id"]].to_numpy().tolist() == [["aboreta", 1], ["mabolu", 0]]
    io.conform(PHASES, tables.phases)
    assert made(labels[::-1], known).triplets.equals(tables.triplets)


@pytest.mark.slow
@given(st.sets(st.integers(0, 19)), st.sets(st.integers(0, 19)), st.integers(0, 6))
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_labelled_frames_survive_the_way_through_the_table(tmp_path, instances, phases, first):
    source = Labels(
        "case one",
        "cholect50",
        load("cholect50"),
        Clock(Fraction(1)),
        phases=Layer("p", np.array(sorted(phases), np.int64), phase_rows(sorted(phases), [0] * len(phases))) if phases else None,
        instances=Layer("i", np.array(sorted(instances), np.int64), instance_rows([])) if instances else None,
    )
    tables = made([source], known_from(first))
    path = tmp_path / "labelled.parquet"
    io.write(LABELLED, tables.labelled, path)
    back = io.read(LABELLED, path)
    assert back.equals(tables.labelled)
    recordings_back = truth.of_tables(back, tables.triplets, tables.phases)
    released = set(range(first, first + 10))
    of_layers = [(one.instances, one.phases) for one in recordings_back] or [(None, None)]
    found = [set() if layer is None else {frame + first for frame in layer.frames.tolist()} for layer in of_layers[0]]
    assert found == [instances & released, phases & released]
    entry = tables.report["ids"].get("mabolu", {})
    runs = [[frame for start, end in (entry[layer]["runs"] if entry.get(layer) else []) for frame in range(start, end)] for layer in LAYERS]
    assert [back.loc[back["layer"] == layer, "frame"].tolist() for layer in LAYERS] == runs
