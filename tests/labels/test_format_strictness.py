"""What is refused, told, or read as a deviation: numbers, names and keys that no label has, what is not kept, many broken files at once."""

import json
from dataclasses import replace

import pytest

from each import each
from fault_lines import sentences
from label_examples import CHOLECT50, EXAMPLES, NO_BOX, changed, dumps, faults_of, read_files, shape, vector, write_files
from scrubin.base.errors import AnnotationError
from scrubin.base.vocabulary import vocabulary
from scrubin.labels.files import reader
from scrubin.labels.formats.objects import labelme
from scrubin.labels.model import Collection, LabelFiles

SHIFT = "ids are numbered from 0; these look numbered from 1"
JSON = [(name, file) for name, files in EXAMPLES.items() for file in files if file.endswith(".json")]


def with_change(name, change):
    """Return the files of an example, its first JSON file changed in place."""
    file = next(file for file in EXAMPLES[name] if file.endswith(".json"))
    document = json.loads(EXAMPLES[name][file])
    change(document)
    return {**EXAMPLES[name], file: dumps(document)}


def labels50(frames, **head):
    return {"l/VID01.json": dumps({**head, "annotations": frames})}


@each("name, file", [one for one in JSON if one[0] != "cholectriplet2022"])
@each("digits", [19, 400, 5000])
def test_a_number_beyond_64_bits_is_refused_with_its_line(name, file, digits):
    text = '{\n"annotations": ' + "9" * digits + "}"
    with pytest.raises(AnnotationError, match=rf"{file}, line 2: the number 9+\.\.\. has {digits} digits; no label is as large"):
        read_files(name, {**EXAMPLES[name], file: text.encode()})


def test_half_a_character_is_refused():
    with pytest.raises(AnnotationError, match=r"VID01\.json: a text has half a character"):
        read_files("cholect50", labels50({"0": []}, info={"name": "\ud800"}))
    assert read_files("cholect50", labels50({"0": []}, info={"name": "\U0001f52a"})).recordings


@pytest.mark.parametrize("by", [(1, 1), (1, 0)], ids=["all ids", "triplets only"])
def test_ids_numbered_from_one_are_said_to_be_so(by):
    triplet, parts = 60 + by[0], [part + by[1] for part in CHOLECT50.triplets[60]]
    one = vector(60, [0.1, 0.1, 0.2, 0.2], 1)
    one[0], one[1], one[7], one[8] = triplet, *parts
    with pytest.raises(AnnotationError, match=SHIFT):
        read_files("cholect50", labels50({"3": [one]}))
    tool = {"instrument": parts[0], "verb": parts[1], "target": parts[2], "triplet": triplet, "tool_bbox": [0.1, 0.1, 0.2, 0.2]}
    with pytest.raises(AnnotationError, match=SHIFT):
        read_files("cholectrack20", {"a/VID01.json": dumps({"annotations": {"25": [tool]}})})
    row = " ".join(map(str, (21, *(part + by[1] for part in (0, 3, 4)), 0.5, 0.5, 0.1, 0.1)))
    with pytest.raises(AnnotationError, match=SHIFT):
        read_files("yolo4", {"a/v_000001.txt": row.encode()})


def test_triplets_numbered_from_one_beside_their_instruments_are_said_to_be_so():
    detection = [{"triplet": 22, "instrument": [0, 0.9, 0.1, 0.1, 0.2, 0.2]}]
    with pytest.raises(AnnotationError, match="the ids may be numbered from 1 instead of 0"):
        read_files("cholectriplet2022", {"a/VID01.json": dumps({"0": {"detection": detection}})})


BROKEN = {
    "coco": {"a.json": b"{", "b.json": b"", "c.json": b"\xff"},
    "endoscapes": {"train/annotation_coco.json": b"{", "val/annotation_coco.json": b"[]", "test_vids.txt": b"\xff"},
    "yolo": {"a_1.txt": b"\xff", "a_2.txt": b"x", "a_3.txt": b"1 2"},
    "cholec80": {"a-phase.txt": b"\xff", "a-tool.txt": b"\xff", "b-tool.txt": b""},
    "cholect45": {"triplet/a.txt": b"\xff", "verb/a.txt": b"\xff", "triplet/b.txt": b""},
    "jigsaws": {"meta_file_A.txt": b"\xff", "meta_file_B.txt": b"", "transcriptions/c.txt": b"\xff", "transcriptions/d.txt": b""},
    "lasana": {"A_rater0.csv": b"\xff", "B.csv": b"", "C_split.csv": b"id\n"},
    "tables": {"triplets.csv": b"\xff", "phases.csv": b"", "labels.json": b"{"},
    "labelme": {"v/000000.json": b"\xff", "v/000001.json": b"", "v/000002.json": b"{}"},
}


@each("name", BROKEN)
def test_every_broken_file_is_named_at_once(name):
    with pytest.raises(AnnotationError) as caught:
        read_files(name, BROKEN[name])
    assert all(file in str(caught.value) for file in BROKEN[name]), str(caught.value)


UNKEPT = {
    "coco": (
        lambda document: document["annotations"][0].update(iscrowd=1, note="a tip", segmentation=[]),
        ": not kept: 'iscrowd' of annotations, which are single instances to all but kind=sizes, kind=masks and points of scores (1), "
        "'note' of annotations (1)",
    ),
    "multibypasst40": (
        lambda document: (document.update(licenses=[]), document["images"][0].update(view=2)),
        ": not kept: 'licenses' of the file, 'view' of images",
    ),
    "multibypass140": (
        lambda document: (document.update(fps=25), document["steps"][0].update(note="x")),
        ": not kept: 'fps' of the file, 'note' of steps",
    ),
    "cholectriplet2022": (lambda document: document["0"].update(time_ms=4), ": not kept: 'time_ms' of frames"),
    "labelme": (
        lambda document: (document.update(flags={"blurred": True}), document["shapes"][0].update(group_id=3, flags={})),
        ": not kept: 'flags' of files, 'group_id' of shapes",
    ),
    "endoscapes": (
        lambda document: document["images"][0].update(is_ds_keyframe=True, order_in_video=3),
        ": not kept: 'order_in_video' of images (1)",
    ),
}


@each("name", UNKEPT)
def test_what_a_reader_does_not_keep_is_told(name):
    change, expected = UNKEPT[name]
    assert any(one.endswith(expected) for one in sentences(faults_of(name, with_change(name, change)), "warning"))


@each("name", ["avos", "cataract1k", "egosurgery", "petraw", "pitvis", "surch"])
def test_a_column_that_a_table_has_besides_is_told(name):
    file, data = next((file, data) for file, data in EXAMPLES[name].items() if file.endswith((".csv", ".txt")))
    mark = "\t" if b"\t" in data else ","
    first, *rows = data.decode().splitlines()
    wider = "\n".join([f"{first}{mark}surgeon", *(f"{row}{mark}A" for row in rows)]) + "\n"
    told = sentences(faults_of(name, {**EXAMPLES[name], file: wider.encode()}))
    assert any(one.startswith(f"{file}: not kept: ") and one.endswith("surgeon") for one in told), told


def test_file_names_that_count_otherwise_than_ids_are_told():
    def named_from_one(document):
        for image in document["images"]:
            image["file_name"] = f"{image['id'] + 1:06d}.jpg"

    found = read_files("multibypasst40", with_change("multibypasst40", named_from_one))
    told = "mbt40/C1V1.json: the file names of 4 images say other numbers than their ids, by which they are read"
    assert told in sentences(found.faults, "warning")


TWICE = {
    "cholect50": "b/labels/VID07.json: 'VID07.json' is also a/labels/VID07.json; convert the folders one by one",
    "cholectriplet2022": "VID92.json: the video is also in a/",
    "jigsaws": "the trial is also in a/jigsaws/transcriptions/Suturing_B001.txt",
    "lasana": "a file of the same name is a/Annotation/PegTransfer.csv",
}


@each("name", TWICE)
def test_two_files_of_one_recording_are_refused(name):
    with pytest.raises(AnnotationError, match=TWICE[name]) as refused:
        read_files(name, {f"{folder}/{file}": data for folder in "ab" for file, data in EXAMPLES[name].items()})
    assert {"file-repeated", "video-repeated"} & {fault.rule for fault in refused.value.faults}


NAMES = {
    "no id": ("names: {0: a, x: b}", "'names' is no list of names; give the names of the classes by id, from 0 without a gap"),
    "a gap": ("names: {0: a, 2: b}", "'names' is no list of names"),
    "twice": ("names: {0: a, 0: b}", "the key '0' stands twice"),
    "circle": ("names: &a [*a]", "'names' is no list of names"),
    "count": ("nc: 3\nnames: [a, b]", "nc is 3, but there are 2 names"),
    "no name": ("names: [a, '']", "a class has no name"),
    "no yaml": ("names: [", "not YAML; export it again"),
    "deep": ("[" * 5000, "not YAML; export it again"),
    "nothing": ("", "'names' is no list of names"),
}


@pytest.mark.slow
@each("case", NAMES)
def test_class_names_that_are_none_are_refused(case):
    text, message = NAMES[case]
    with pytest.raises(AnnotationError, match=f"data.yaml: {message}"):
        read_files("yolo", {"y/a_000001.txt": b"0 .5 .5 .2 .2", "y/data.yaml": text.encode()})


def test_class_names_are_read_as_they_are_written():
    for text in ("names: [2020-01-01, on]", "names: {1: on, 0: 2020-01-01}", "nc: 2\nnames:\n  '0': 2020-01-01\n  '1': on\n"):
        (labels,) = read_files("yolo", {"y/a_000001.txt": b"1 .5 .5 .2 .2", "y/data.yaml": text.encode()}).recordings
        assert labels.vocabulary.instruments == ("2020-01-01", "on")
    (labels,) = read_files("yolo", {"y/a_000001.txt": b"1 .5 .5 .2 .2", "y/classes.txt": b"cutter\r\nhook 2\r\n"}).recordings
    assert labels.vocabulary.instruments == ("cutter", "hook 2")
    assert labels.instances.rows["instrument_id"].tolist() == [1]


def test_classes_that_nobody_names_are_told():
    (told,) = sentences(read_files("yolo", EXAMPLES["yolo"]).faults, "warning")
    assert told.startswith(
        "yolo/labels/pwhv1_000000.txt: no data.yaml or classes.txt names the classes; they are taken as the 89 triplets of 'prostatd'"
    )
    assert read_files("yolo", EXAMPLES["yolo"], vocabulary="prostatd").faults == ()


def test_shapes_may_stand_in_one_folder_with_the_recording_in_their_names():
    shapes = [shape("scissors", "dissect", "fascias", [[1, 1], [50, 50]])]
    data = dumps({"shapes": shapes, "imageWidth": 100, "imageHeight": 100})
    (labels,) = read_files("labelme", {"all/case_3_000012.json": data, "all/case_3_000013.json": data}).recordings
    assert labels.recording == "case_3"
    assert labels.instances.positions.tolist() == [12, 13]


def test_a_first_row_1_is_read_when_it_is_meant():
    text = b"Frame\tPhase \n1\tPreparation\n2\tPreparation\n"
    with pytest.raises(AnnotationError, match="line 2: the first frame is 1; frames are numbered from 0; these look numbered"):
        read_files("cholec80", {"v1-phase.txt": text})
    (labels,) = read_files("cholec80", {"v1-phase.txt": text}, first=1).recordings
    assert labels.phases.positions.tolist() == [1, 2]
    assert labels.faults == ()


def test_frames_from_1_without_a_gap_are_suspected():
    def told(numbers, **options):
        return sentences(faults_of("cholect50", labels50({str(i): [vector(17, NO_BOX, 1)] for i in numbers}), **options))

    assert told(range(1, 31)) == ("VID01: the frames run from 1 without a gap; if the first frame is meant, give --first-frame 1",)
    assert told(range(1, 31), first=1) == told(range(30)) == told(range(2, 31)) == told([*range(1, 30), 31]) == ()


def test_our_own_tables_are_numbered_from_0_and_not_suspected():
    collection = read_files("cholect50", labels50({str(i): [vector(17, NO_BOX, 1)] for i in range(1, 31)}))
    assert not faults_of("tables", write_files("tables-csv", collection).files)


def test_boxes_that_all_could_be_corners_are_suspected():
    def told(boxes):
        return sentences(faults_of("cholect50", labels50({str(i): [vector(17, one, 1)] for i, one in enumerate(boxes)})))

    corners = [[0.1 + i / 100, 0.2, 0.3 + i / 100, 0.5] for i in range(25)]
    (told_of_corners,) = told(corners)
    assert told_of_corners.startswith("VID01: every box is wider and higher than its corner is far from the edge; if these are two corners")
    assert told([[0.5, 0.5, 0.2, 0.2], *corners]) == ()
    assert told([[0, 0, 0.5, 0.5]] * 25) == told([[0.3, 0.3, 0.5, 0.1]] * 25) == ()


def test_no_number_of_a_video_is_made_up():
    def number(name):
        (labels,) = read_files("cholect50", {f"l/{name}.json": dumps({"annotations": {"0": []}})}).recordings
        return json.loads(write_files("cholect50", Collection((replace(labels, about={}),))).files[f"{name}.json"]).get("video")

    assert [number(name) for name in ("VID07", "video_12", "31", "C1V2", "pwhv3_4")] == [7, 12, 31, None, None]


def test_a_column_of_raters_that_contradicts_the_name_of_the_file_is_told():
    def told(rater):
        return sentences(read_files("lasana", {"a/P_rater2.csv": f"id;rater;GRS\nx;{rater};3\n".encode()}).faults)

    (contradiction,) = told("3")
    assert contradiction.startswith("a/P_rater2.csv: the column rater says 3, the file's name 2; the rater is taken from the file's name")
    assert told("2") == told("02") == told("") == ()


def test_the_stage_publishes_no_words_of_a_file():
    shapes = [{**shape("scissors", "dissect", "fascias", [[1, 1], [50, 50]]), "Dr. Miller": 1}]
    files = {"l/v1/000000.json": dumps({"shapes": shapes, "imageWidth": 100, "imageHeight": 100, "Isolde": "x"})}
    assert sentences(labelme.read(LabelFiles("v1", files, vocabulary.load("prostatd"), 0.02)).faults) == ("l/v1: 2 keys are not kept",)
    (labels,) = read_files("labelme", files).recordings
    assert sentences(labels.faults) == ("l/v1: not kept: 'Dr. Miller' of shapes, 'Isolde' of files",)


IN_FOLDER = {
    "byte order mark": (b"\xef\xbb\xbfnames: [hook, grasper]\ntask: detect\n", ""),
    "flow": (b"{task: detect, names: [hook, grasper]}\n", ""),
    "question": (b"task: detect\n? names\n: [hook, grasper]\n", ""),
    "carriage returns": (b"task: detect\rnames: [hook, grasper]\r", ""),
    "class_names": (b"class_names: [hook, grasper]\n", "'names' is no list of names"),
    "settings": (b"task: detect\nclasses: null\n", "'names' is no list of names"),
    "broken": (b"task: detect\nnames: [hook\n", "not YAML"),
}


@each("case", IN_FOLDER)
def test_yaml_in_a_folder_of_labels_names_its_classes_or_is_refused(case, tmp_path):
    text, says = IN_FOLDER[case]
    (tmp_path / "data.yaml").write_bytes(text)
    (tmp_path / "ab01_000000.txt").write_bytes(b"0 0.5 0.5 0.2 0.2\n")
    reading = reader.read_path(tmp_path, None, reader.Options())
    errors = sentences(reading.faults, "error")
    assert any(says in one for one in errors) if says else not errors


BESIDE_DATA_SET = {
    "settings": ("task: detect\nclasses: null\nseed: 0\n", ""),
    "names": ("train:\n  Class_Names: [hook, grasper]\n", "the classes are also named in"),
}


@each("case", BESIDE_DATA_SET)
def test_yaml_beside_that_of_a_data_set_is_settings_or_refused_by_its_name(case, tmp_path):
    text, says = BESIDE_DATA_SET[case]
    (tmp_path / "data.yaml").write_text("names: [hook, grasper]\n")
    (tmp_path / "more.yaml").write_text(text)
    (tmp_path / "ab01_000000.txt").write_bytes(b"0 0.5 0.5 0.2 0.2\n")
    reading = reader.read_path(tmp_path, None, reader.Options())
    errors = sentences(reading.faults, "error")
    assert any("more.yaml" in one and says in one for one in errors) if says else not errors
    assert dict(reading.unread) == ({} if says else {tmp_path / "more.yaml": False})


UNNAMED = {"count": "nc: 2\n", "words": "tips: [hook, grasper]\n", "settings": "task: detect\nclasses: null\n"}


@each("case", UNNAMED)
def test_yaml_without_names_of_classes_is_refused_by_its_name_where_nothing_else_names_them(case, tmp_path):
    (tmp_path / "d.yaml").write_text(UNNAMED[case])
    (tmp_path / "training_data.yaml").write_text("a: 1\n")
    (tmp_path / "ab01_000000.txt").write_bytes(b"0 0.5 0.5 0.2 0.2\n")
    with pytest.raises(AnnotationError, match=r"d\.yaml: nothing names the classes"):
        reader.read_path(tmp_path, None, reader.Options())
    known = vocabulary.load("prostatd")
    for options in (reader.Options(known), reader.Options(classes=known)):
        reading = reader.read_path(tmp_path, None, options)
        assert (len(reading.collection.recordings), dict(reading.unread)) == (1, {tmp_path / "d.yaml": False})
    (tmp_path / "classes.txt").write_text("hook\n")
    assert len(reader.read_path(tmp_path, None, reader.Options()).collection.recordings) == 1


def test_a_list_of_classes_beside_tables_of_phases_is_no_video_and_is_named(tmp_path):
    for video in ("ab01", "cd02"):
        (tmp_path / f"{video}.csv").write_text("frame,phase\n0,prep\n1,cut\n")
    (tmp_path / "classes.txt").write_text("prep\ncut\n")
    reading = reader.read_path(tmp_path, None, reader.Options())
    assert [one.recording for one in reading.collection.recordings] == ["ab01", "cd02"]
    assert dict(reading.unread) == {tmp_path / "classes.txt": False}


def test_nested_probabilities_and_padded_keys_are_read_as_deviations():
    ((file, data),) = EXAMPLES["cholectriplet2022"].items()
    document = json.loads(data)
    sample = {f"{int(key):06d}": {**value, "recognition": [value["recognition"]]} for key, value in document.items()}
    found = read_files("cholectriplet2022", {file: dumps(sample)})
    (labels,) = found.recordings
    (plain,) = read_files("cholectriplet2022", {file: data}).recordings
    assert (labels.recognition.scores == plain.recognition.scores).all()
    assert sentences(labels.faults) == (
        "sub/VID92.json, frames 0-1: the key is padded with zeros (2 frames); write 12, not 00012",
        "sub/VID92.json, frames 0-1: 'recognition' is nested once, [[...]] (2 frames); write the probabilities in one list, [...]",
    )
    assert {fault.severity for fault in labels.faults} == {"deviation"}


def test_an_instrument_that_is_not_its_triplets_is_a_deviation_and_read_as_written():
    found = read_files("cholectriplet2022", changed("cholectriplet2022", ".json", '"instrument": [0', '"instrument": [1'))
    (labels,) = found.recordings
    first = labels.instances.rows.iloc[0]
    assert (first["triplet_id"], first["instrument_id"]) == (17, 1)
    (fault,) = labels.faults
    assert (fault.rule, fault.severity, fault.frames) == ("detection-instrument-of-triplet", "deviation", (0,))
    assert "(first: frame 0: triplet 17 is grasper,retract,gallbladder, the instrument is 1)" in fault.what


def test_a_grs_that_is_not_the_sum_of_its_items_is_a_warning():
    (told,) = sentences(read_files("jigsaws", changed("jigsaws", "meta", "\t13\t", "\t14\t")).faults, "warning")
    assert told == "jigsaws/meta_file_Suturing.txt, line 1: GRS 14 is not the sum of its items, 13; correct one of them"


def test_a_cholect50_file_of_other_operations_brings_its_own_words():
    categories = {"instrument": {"0": "stapler"}, "verb": {"0": "staple"}, "target": {"0": "jejunum"}, "phase": {"0": "closure"}}
    vector = [0, 0, 1.0, 0.1, 0.1, 0.2, 0.2, 0, 0, 1.0, -1.0, -1.0, -1.0, -1.0, 0]
    document = {"categories": {**categories, "triplet": {"0": "stapler,staple,jejunum"}}, "annotations": {"0": [vector]}}
    (labels,) = read_files("cholect50", {"l/C1V1.json": dumps(document)}).recordings
    assert labels.vocabulary.name.startswith("own-")
    assert labels.vocabulary.source == "the categories of the label files themselves"
    assert labels.vocabulary.triplet_name(0) == "stapler,staple,jejunum"


def test_what_is_annotated_in_an_image_that_is_refused_has_no_other_fault_but_its_own():
    ((file, data),) = EXAMPLES["coco"].items()
    document = json.loads(data)
    document["images"][0] = {"id": 1, "file_name": "a.png", "width": 10, "height": 10}
    document["annotations"][0]["category_id"] = None
    told = "\n".join(sentences(faults_of("coco", {file: dumps(document)}), "error"))
    assert "'a.png' does not say of which recording" in told
    assert "category_id null is no category of the file" in told
    assert "is no image of the file" not in told


@pytest.mark.parametrize("copy", ["01 - Copy", "01 (1)", "01 - Kopie (2)", "01_copy2"])
def test_a_file_that_is_called_like_a_copy_of_another_is_told(copy):
    ((name, data),) = EXAMPLES["pitvis"].items()
    files = {name: data, name.replace("_01.", f"_{copy}."): data}
    assert len(files) == 2
    (told,) = sentences(faults_of("pitvis", files), "warning")
    assert told == f"{copy}: called like a copy of another recording beside it; remove it, or rename it"
