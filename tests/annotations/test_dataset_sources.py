"""Files of many recordings as a source: each recording is treated as if it had a file of its own."""

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest

from annotated_tables import tables_of
from label_examples import EXAMPLES
from scrubin.base.errors import AnnotationError, ParamsError
from scrubin.base.faults import Faults
from scrubin.base.vocabulary.vocabulary import load
from scrubin.labels.masks import rle
from scrubin.labels.registry import DATASET_FORMATS, FORMATS
from scrubin.stages.annotations import label_tables, sources
from scrubin.stages.annotations.params import READABLE, SourceParams
from verdict_cases import write_files as put

COCO = SourceParams("coco", "annotations/coco", "cholect50", fps="source")
RECORDINGS = {"VID01", "VID02", "VID03"}
MASK = {"size": [240, 320], "counts": [0, 240, 320 * 240 - 240]}
"""The first column of the picture."""


def document(*recordings, size=(320, 240), frame=25, **changes):
    """A COCO file with an instance of a grasper and its mask in a frame of each recording."""
    images = [
        {"id": k, "file_name": f"{name}/{frame:06d}.png", "width": size[0], "height": size[1], "recording": name, "frame": frame}
        for k, name in enumerate(recordings)
    ]
    one = {"category_id": 1, "bbox": [0, 0, 1, 240], "iscrowd": 0, "segmentation": MASK, **changes}
    annotations = [{"id": k, "image_id": k, **one} for k in range(len(recordings))]
    return json.dumps({"images": images, "annotations": annotations, "categories": [{"id": 1, "name": "grasper"}]}).encode()


@pytest.fixture
def stage(tmp_path):
    """Read sources of a raw folder as the stage does; returns the tables, the recordings left out and the faults."""

    def run(contents, *given, released=("VID01",), withdrawn=(), recordings=RECORDINGS, hidden=()):
        put(tmp_path / "annotations", contents)
        faults = Faults()
        known = {}
        for name in released:
            known |= label_tables.released(*tables_of(recording=name, id_=f"id{name.lower()}", hidden=hidden))
        batches = sources.find(tmp_path, given or (COCO,), recordings, faults, withdrawn)
        wanted = [batch for batch in batches if batch.is_whole or batch.recording in known]
        done = [(batch, sources.read_all(tmp_path, 0.02, batch)) for batch in wanted]
        sorted_out = sources.sorted_out(done, recordings, known, faults, withdrawn)
        tables = label_tables.tables([one for _, one in sorted_out.read], known, sorted_out.left_out, 1.0, faults)
        return tables, sorted_out.left_out, faults

    return run


def test_a_coco_file_of_many_recordings_gives_each_released_one_its_masks(stage):
    tables, left_out, _ = stage({"coco/a.json": document("VID01", "VID02", "VID03", frame=50)}, released=("VID01", "VID02"))
    assert tables.masks[["id", "frame", "width", "height"]].to_numpy().tolist() == [["idvid01", 2, 320, 240], ["idvid02", 2, 320, 240]]
    assert set(tables.triplets["id"]) == {"idvid01", "idvid02"}
    assert left_out == {"VID03"}
    assert tables.report["left_out_recordings"] == 1


def test_what_is_hidden_is_cleared_from_the_masks_of_a_coco_file(stage):
    rectangle = {"first_frame": 0, "last_frame": 249, "x": 0, "y": 0, "w": 320, "h": 120}
    tables, _, _ = stage({"coco/a.json": document("VID01", frame=50)}, hidden=[rectangle])
    assert tables.masks["counts"].tolist() == [rle.text_of_runs([120, 120, 320 * 240 - 240])]
    assert tables.report["totals"]["masks_cut"] == 1


def test_people_who_withdrew_are_passed_over_in_a_file_of_many(stage):
    _, left_out, faults = stage({"coco/a.json": document("VID01", "gone")}, withdrawn={"gone"})
    assert left_out == set()
    assert not faults.all()


def test_a_recording_that_the_study_does_not_have_is_refused_with_the_near_miss(stage):
    with pytest.raises(AnnotationError, match=r"annotations/coco/a\.json: 'VID1' is no recording of recordings\.csv; did you mean 'VID01'"):
        stage({"coco/a.json": document("VID01", "VID1")})
    with pytest.raises(AnnotationError, match=r"'other' is no recording of recordings\.csv; name it like the recording, or take it out of"):
        stage({"coco/a.json": document("VID01", "other")})
    spans = {f"spans/{name}.csv": b"start_s,end_s,phase\n0,1,preparation\n" for name in ("VID01", "other")}
    with pytest.raises(AnnotationError, match=r"annotations/spans/other\.csv: 'other' is no recording"):
        stage(spans, SourceParams("phase-spans", "annotations/spans", "cholec80", fps="source"))


@pytest.mark.slow
def test_the_first_source_counts_also_where_it_is_a_file_of_many(stage, make):
    own = make.cholect50({"0": [make.vector(17)]})
    second = SourceParams("cholect50", "annotations/cholect50", "cholect50")
    contents = {"coco/a.json": document("VID01"), "cholect50/VID01.json": own}
    tables, _, _ = stage(contents, second, COCO)
    (entry,) = tables.report["ids"].values()
    assert entry["instances"]["format"] == "cholect50"
    tables, _, _ = stage({}, COCO, second)
    # Whole triplets come before instruments, whatever the order.
    assert next(iter(tables.report["ids"].values()))["comparisons"]


def test_masks_of_pictures_of_another_shape_are_refused_with_their_file(stage):
    wrong = document("VID01", size=(100, 240), segmentation={"size": [240, 100], "counts": [0, 24000]})
    with pytest.raises(AnnotationError, match=r"frame 25: the labelled image is 100x240, the video 320x240: another shape"):
        stage({"coco/a.json": wrong})


def test_everything_wrong_in_a_file_of_many_is_said(stage):
    with pytest.raises(AnnotationError, match=r"annotations/coco/a\.json"):
        stage({"coco/a.json": b"{"})
    with pytest.raises(AnnotationError, match=r"annotations/coco/notes\.txt: the name does not fit the format coco; expected "):
        stage({"coco/a.json": document("VID01"), "coco/notes.txt": b""})


def test_labels_of_another_vocabulary_than_the_source_names_are_refused(stage):
    source = SourceParams("multibypasst40", "annotations/bypass", "cholect50")
    files = {f"bypass/{name.split('/')[-1]}": data for name, data in EXAMPLES["multibypasst40"].items()}
    with pytest.raises(AnnotationError, match=r"its labels are in the vocabulary 'own-.*', its source names 'cholect50'"):
        stage(files, source)


def test_an_alias_of_a_vocabulary_is_no_other_one():
    batch = SimpleNamespace(source=SourceParams("labels", "annotations/a", "cholect45"), files=["VID01.json"])
    sources._refuse_vocabularies([SimpleNamespace(vocabulary=load("cholect45"))], batch)


@pytest.mark.parametrize(
    ("name", "words"), [("coco", "cholect50"), ("mot", "cholectrack20"), ("endoscapescvs", "endoscapes"), ("yolo", "cholect50")]
)
def test_formats_of_whole_data_sets_are_read_by_the_stage(tmp_path, name, words):
    folder = tmp_path / "annotations" / name
    put(folder, EXAMPLES[name])
    faults = Faults()
    (batch,) = sources.find(tmp_path, (SourceParams(name, f"annotations/{name}", words),), set(), faults)
    read = sources.read_all(tmp_path, 0.02, batch)
    assert not faults.all()
    assert [type(one).__name__ for one in read] == ["Labels"] * len(read) != []
    found = sources.sorted_out([(batch, read)], {one.recording for one in read}, {read[0].recording}, faults)
    assert [one.recording for _, one in found.read] == [read[0].recording]
    assert str(batch) == f"annotations/{name}: every recording"


def test_a_legend_that_belongs_to_all_recordings_is_in_the_batch_of_each(tmp_path):
    folder = tmp_path / "annotations/masks-png"
    put(folder, dict.fromkeys(("legend.json", "VID01/000001.png", "VID02/000001.png"), b""))
    faults = Faults()
    batches = sources.find(tmp_path, (SourceParams("masks-png", "annotations/masks-png", "cholect50"),), RECORDINGS, faults)
    assert not faults.all()
    assert [(batch.recording, len(batch.files)) for batch in batches] == [("VID01", 2), ("VID02", 2)]


@pytest.mark.parametrize(("fps", "frame"), [("source", 2), ("25", 2), ("25/2", 4), (None, None)])
def test_a_source_says_what_numbers_of_frames_count_where_no_file_does(stage, fps, frame):
    source = replace(COCO, fps=fps)
    if frame is None:
        with pytest.raises(AnnotationError, match="the labels end at 51 s, the video at 20 s"):
            stage({"coco/a.json": document("VID01", frame=50)}, source)
    else:
        tables, _, _ = stage({"coco/a.json": document("VID01", frame=50)}, source)
        assert tables.triplets["frame"].tolist() == [frame]


@pytest.mark.parametrize("fps", ["0", "25.0", "fast", "1/0", "-1"])
def test_a_rate_that_is_none_or_of_files_that_state_it_is_refused(fps):
    with pytest.raises(ParamsError, match=rf"fps of 'annotations/coco': \"{fps}\" is no rate; write it as \"25\", \"30000/1001\" or"):
        replace(COCO, fps=fps)
    with pytest.raises(ParamsError, match="fps of 'annotations/x': files of cholect50 tell how they count; leave it out"):
        SourceParams("cholect50", "annotations/x", "cholect50", fps="25")


def test_what_the_stage_reads_labels_frames_and_is_no_ground_truth():
    assert set(FORMATS) <= set(READABLE) <= {*FORMATS, *DATASET_FORMATS}
    assert not {"ground-truth", "lasana", "aixsuture", "jigsaws"} & set(READABLE)
    assert replace(COCO, format="yolo").format in READABLE
