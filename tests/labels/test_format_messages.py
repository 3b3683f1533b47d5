"""What is said about the faults that people make: the file, the place, the value and the mend."""

import json

import pytest

from each import each
from fault_lines import sentences
from label_examples import CHOLECT50, EXAMPLES, dumps, faults_of, read_files, shape
from scrubin.base.errors import AnnotationError


def changed(name, change):
    """Return the only JSON file of an example with a change made in place."""
    ((file, data),) = ((file, data) for file, data in EXAMPLES[name].items() if file.endswith(".json"))
    document = json.loads(data)
    change(document)
    return {**EXAMPLES[name], file: dumps(document)}


def put(*path, value):
    def change(document):
        for key in path[:-1]:
            document = document[key]
        document[path[-1]] = value

    return change


CASES = {
    "coco class from 0": (
        "coco",
        put("annotations", 0, "category_id", value=0),
        r"annotation 1: category_id 0 is no category of the file; categories are numbered from 1; these look numbered from 0",
    ),
    "coco class beyond": (
        "coco",
        put("annotations", 0, "category_id", value=101),
        "category_id 101 is no category of the file; known are 1 to 100",
    ),
    "coco box in shares": ("coco", put("annotations", 0, "bbox", value=[0.1, 0.2, 0.3, 0.4]), "it looks like shares of the image"),
    "coco box by corners": (
        "coco",
        put("annotations", 0, "bbox", value=[400, 300, 850, 470]),
        "it looks like two corners; give the width and height",
    ),
    "coco box without area": ("coco", put("annotations", 0, "bbox", value=[400, 300, 0, 10]), "give a width and a height above 0"),
    "coco image unknown": ("coco", put("annotations", 0, "image_id", value=99), "annotation 1: image_id 99 is no image of the file"),
    "coco image without frame": (
        "coco",
        lambda document: document["images"].__setitem__(0, {"id": 1, "file_name": "a.png", "width": 10, "height": 10}),
        "'a.png' does not say of which recording and frame the image is; name it <recording>_<frame>.jpg",
    ),
    "multibypasst40 class": (
        "multibypasst40",
        put("annotations", 0, "verb_id", value=2),
        "annotation 0: 'verb_id' is 2, expected a whole number in 0..1; ids are",
    ),
    "multibypasst40 parts": (
        "multibypasst40",
        put("annotations", 0, "verb_id", value=1),
        r"category_id 0 is grasper,retract,liver, ids \(0, 0, 0\), but the annotation",
    ),
    "multibypasst40 names": (
        "multibypasst40",
        put("annotations", 0, "classnames", "verb", value="staple"),
        "classnames: verb is 'staple', but the id says 'retract'",
    ),
    "multibypasst40 categories from 1": (
        "multibypasst40",
        put("categories", "verb", value=[{"id": 1, "name": "retract"}, {"id": 2, "name": "staple"}]),
        "categories, verb: ids must run from 0 without a gap; these start at 1",
    ),
    "multibypasst40 phase": (
        "multibypasst40",
        put("images", 0, "phase_label", value=5),
        r"image 0: 'phase_label' is 5, expected a whole number in 0..1",
    ),
    "multibypass140 id": (
        "multibypass140",
        put("phases", 0, "label_id", value=1),
        "phases 0: label_id 1 is 'gastric_pouch_creation', but label_name is 'preparation'; ids are numbered from 0",
    ),
    "multibypass140 name": (
        "multibypass140",
        put("steps", 1, "label_name", value="s1_cavity_explor"),
        r"steps 1: .* did you mean 's1_cavity_exploration'\?",
    ),
    "multibypass140 order": (
        "multibypass140",
        put("phases", 0, "start", value=53584),
        "phases 0: it ends at 53583 ms, but starts at 53584 ms",
    ),
    "multibypass140 seconds": (
        "multibypass140",
        put("phases", 0, "end", value=53.583),
        "phases 0: 'end' is 53.583, expected a whole number",
    ),
    "cholectrack20 box": (
        "cholectrack20",
        put("annotations", "25", 0, "tool_bbox", value=[0.3, 0.3, 0.9, 0.9]),
        "frame 25, tool 0: box .*it looks like two corners",
    ),
    "cholectrack20 pixels": (
        "cholectrack20",
        put("annotations", "25", 0, "tool_bbox", value=[300, 30, 90, 90]),
        "it looks like pixels; divide by the width",
    ),
    "cholectrack20 tool": (
        "cholectrack20",
        put("annotations", "25", 0, "instrument", value=7),
        "'instrument' is 7, expected a whole number in 0..6; ids are numbered from 0",
    ),
    "cholectrack20 triplet": (
        "cholectrack20",
        put("annotations", "25", 0, "triplet", value=18),
        "frame 25, tool 0: triplet 18 is grasper,retract,gut",
    ),
    "cholectrack20 phases": ("cholectrack20", put("annotations", "25", 1, "phase", value=4), "frame 25: its tools have the phases 3 and 4"),
    "endoscapes criteria": (
        "endoscapes",
        put("images", 0, "ds", value=[1, 2, 0]),
        r"image 0: 'ds' is \[1, 2, 0\]; give the three criteria, each in 0..1",
    ),
    "endoscapes class": (
        "endoscapes",
        put("categories", 5, "name", value="tol"),
        r"categories: 'tol' is no instrument of the vocabulary 'endoscapes'; did you mean 'tool'\?",
    ),
    "2022 values": (
        "cholectriplet2022",
        put("0", "recognition", value=[0.5] * 94),
        "frame 0: 94 probabilities instead of 100; give 100, one per triplet, the 6 null ones included",
    ),
    "2022 probability": (
        "cholectriplet2022",
        put("0", "recognition", 3, value=1.5),
        "frame 0: a probability is above 1 .first: frame 0, triplet 3 is 1.5.; give numbers in 0..1",
    ),
    "2022 nan": (
        "cholectriplet2022",
        put("0", "recognition", 3, value=float("nan")),
        "frame 0: a probability is NaN .first: .*triplet 3.",
    ),
    "2022 class": (
        "cholectriplet2022",
        put("0", "detection", 0, "triplet", value=100),
        "frame 0: the triplet id is none of 0..99 .first: 100.; ids are numbered from 0",
    ),
}


@each("case", CASES)
def test_a_fault_in_json_is_named_with_its_place_and_mend(case):
    name, change, message = CASES[case]
    files = changed(name, change)
    with pytest.raises(AnnotationError, match=message) as caught:
        read_files(name, files)
    assert next(file for file in files if file.endswith(".json")).rsplit("/", 1)[-1] in str(caught.value)


TEXTS = {
    "cholect45 header": ("cholect45", "triplet", lambda text: "frame,0,1\n" + text, "line 1: 3 values, expected the frame and 100 classes"),
    "cholect45 no frame": (
        "cholect45",
        "triplet",
        lambda text: text[2:],
        "line 1: 100 values, expected the frame and 100 classes; the first column is the frame",
    ),
    "cholect45 value": ("cholect45", "verb", lambda text: text.replace("1,0", "2,0", 1), r"line 1: class 2 is '2', expected 0 or 1"),
    "cholect45 frames": (
        "cholect45",
        "target",
        lambda text: text.replace("2,", "3,", 1),
        "3 frames, but .*; frame 2 is only in one of them",
    ),
    "cholect45 twice": ("cholect45", "target", lambda text: text + text, "line 4: frame 0 stands twice"),
    "cholect45 parts": (
        "cholect45",
        "instrument",
        lambda text: text.replace("0,1,0,1", "0,0,0,1"),
        "frame 0: grasper is 0, but a triplet of the frame",
    ),
    "cholec80 name": (
        "cholec80",
        "-phase",
        lambda text: text.replace("Calot", "Calor"),
        r"line 32: .*did you mean 'CalotTriangleDissection'\?",
    ),
    "cholec80 from 1": (
        "cholec80",
        "-phase",
        lambda text: text.replace("0\tPreparation\n", "", 1),
        "line 2: the first frame is 1; frames are numbered from 0",
    ),
    "cholec80 frame": ("cholec80", "-phase", lambda text: text.replace("7\t", "seven\t", 1), "line 9: frame 'seven' is no frame number"),
    "cholec80 column": (
        "cholec80",
        "-tool",
        lambda text: text.replace("Hook", "Hok"),
        "line 1: the header is .*expected Frame<TAB>Grasper",
    ),
    "cholec80 backwards": (
        "cholec80",
        "-tool",
        lambda text: text.replace("50\t", "20\t"),
        "line 4: the frame does not follow the one before",
    ),
    "yolo class": (
        "yolo",
        "000000",
        lambda text: text.replace("20 ", "89 ", 1),
        r"line 1: class 89 is not in 0..88, just beyond the last; ids are numbered from 0",
    ),
    "yolo pixels": ("yolo", "000000", lambda text: text.replace("0.352500", "352.5"), "line 1: box .*it looks like pixels"),
    "yolo word": ("yolo", "000000", lambda text: text.replace("20 ", "hook ", 1), "line 1: 'hook .*' is not all numbers"),
    "yolo four": (
        "yolo",
        "000000",
        lambda text: text.replace("20 ", "20 0 3 4 ", 1),
        "line 1: 8 values, expected 5, or 6 with confidence; rows with four ids are the format yolo4",
    ),
    "yolo4 parts": (
        "yolo4",
        "000000",
        lambda text: text.replace("20 0 3 4", "20 0 3 5"),
        r"line 1: triplet 20 is scissors,dissect,fascias, ids \(0, 3, 4\), but the row has \(0, 3, 5\)",
    ),
    "jigsaws level": ("jigsaws", "meta", lambda text: text.replace("\tN\t", "\tB\t"), "line 1: level of skill 'B' is none of N, I, E"),
    "jigsaws fields": ("jigsaws", "meta", lambda text: text.replace("\t2\n", "\n", 1), "line 1: 8 fields, expected 9"),
    "jigsaws gesture": (
        "jigsaws",
        "B001",
        lambda text: text.replace("G5", "G16"),
        "line 2: 'G16' is no gesture of the vocabulary 'jigsaws'",
    ),
    "jigsaws overlap": ("jigsaws", "B001", lambda text: text.replace("264", "263"), "line 2: frames 263 to 335 do not follow those before"),
    "lasana number": (
        "lasana",
        "rater0",
        lambda text: text.replace(";3;", ";three;"),
        "line 2: depth_perception is 'three'; give points, or leave it empty",
    ),
    "lasana twice": ("lasana", "rater0", lambda text: text.replace("xyz", "abc"), "id 'abc' stands twice"),
    "lasana duration": ("lasana", "PegTransfer.csv", lambda text: text.replace("0:02:03", "123 s"), "line 2: duration is '123 s'"),
    "endoscapes video": ("endoscapes", "vids", lambda text: text.replace("1.0", "2.0", 1), "image 0: video 1 is not in train_vids.txt"),
    "endoscapes list": ("endoscapes", "vids", lambda _: "one\n", "line 1: 'one' is no number of a video"),
}


@each("case", TEXTS)
def test_a_fault_in_text_is_named_with_its_line_and_mend(case):
    name, which, change, message = TEXTS[case]
    file = next(file for file in EXAMPLES[name] if which in file)
    files = {**EXAMPLES[name], file: change(EXAMPLES[name][file].decode()).encode()}
    assert files != EXAMPLES[name]
    with pytest.raises(AnnotationError, match=message):
        read_files(name, files)


def test_all_faults_are_named_at_once():
    shapes = [shape("scissor", "dissect", "fascias", [[0, 0], [5, 5]]), shape("scissors", "dissect", "fascias", [[0, 0], [500, 5]])]
    files = {f"p/v1/{i:06d}.json": dumps({"shapes": shapes, "imageWidth": 10, "imageHeight": 10}) for i in range(2)}
    with pytest.raises(AnnotationError, match="4 faults") as caught:
        read_files("labelme", files)
    assert "did you mean 'scissors'?" in str(caught.value)
    assert "points [[0, 0], [500, 5]] in an image of 10x10" in str(caught.value)


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
    document = put("0", "detection", 0, "instrument", 0, value=1)
    found = read_files("cholectriplet2022", changed("cholectriplet2022", document))
    (labels,) = found.recordings
    first = labels.instances.rows.iloc[0]
    assert (first["triplet_id"], first["instrument_id"]) == (17, 1)
    (fault,) = labels.faults
    assert (fault.rule, fault.severity, fault.frames) == ("detection-instrument-of-triplet", "deviation", (0,))
    assert "(first: frame 0: triplet 17 is grasper,retract,gallbladder, the instrument is 1)" in fault.what


def test_a_grs_that_is_not_the_sum_of_its_items_is_a_warning():
    files = dict(EXAMPLES["jigsaws"])
    files["jigsaws/meta_file_Suturing.txt"] = files["jigsaws/meta_file_Suturing.txt"].replace(b"\t13\t", b"\t14\t")
    (told,) = sentences(read_files("jigsaws", files).faults, "warning")
    assert told == "jigsaws/meta_file_Suturing.txt, line 1: GRS 14 is not the sum of its items, 13; correct one of them"


def test_ids_of_the_published_file_with_its_typo_are_read_and_written_back():
    (labels,) = read_files("cholect50", EXAMPLES["cholect50"]).recordings
    assert labels.vocabulary is CHOLECT50
    assert labels.phases.rows["phase_id"].tolist() == [1, 1, 6]


def test_a_cholect50_file_of_other_operations_brings_its_own_words():
    categories = {"instrument": {"0": "stapler"}, "verb": {"0": "staple"}, "target": {"0": "jejunum"}, "phase": {"0": "closure"}}
    vector = [0, 0, 1.0, 0.1, 0.1, 0.2, 0.2, 0, 0, 1.0, -1.0, -1.0, -1.0, -1.0, 0]
    document = {"categories": {**categories, "triplet": {"0": "stapler,staple,jejunum"}}, "annotations": {"0": [vector]}}
    (labels,) = read_files("cholect50", {"l/C1V1.json": dumps(document)}).recordings
    assert labels.vocabulary.name.startswith("own-")
    assert labels.vocabulary.source == "the categories of the label files themselves"
    assert labels.vocabulary.triplet_name(0) == "stapler,staple,jejunum"


def test_two_files_of_a_recording_are_refused():
    data = EXAMPLES["cholect50"]["labels/VID07.json"]
    with pytest.raises(AnnotationError, match=r"b/VID07.json: 'VID07.json' is also a/VID07.json; convert the folders one by one"):
        read_files("cholect50", {"a/VID07.json": data, "b/VID07.json": data})


def test_what_is_annotated_in_an_image_that_is_refused_has_no_other_fault_but_its_own():
    def change(document):
        document["images"][0] = {"id": 1, "file_name": "a.png", "width": 10, "height": 10}
        document["annotations"][0]["category_id"] = None

    told = sentences(faults_of("coco", changed("coco", change)), "error")
    assert any("'a.png' does not say of which recording" in one for one in told)
    assert any("category_id null is no category of the file" in one for one in told)
    assert not any("is no image of the file" in one for one in told)


@pytest.mark.parametrize("copy", ["01 - Copy", "01 (1)", "01 - Kopie (2)", "01_copy2"])
def test_a_file_that_is_called_like_a_copy_of_another_is_told(copy):
    ((name, data),) = EXAMPLES["pitvis"].items()
    files = {name: data, name.replace("_01.", f"_{copy}."): data}
    assert len(files) == 2
    (told,) = sentences(faults_of("pitvis", files), "warning")
    assert told == f"{copy}: called like a copy of another recording beside it; remove it, or rename it"
