"""One text of an example changed: every fault is named with its file, its place and its mend."""

import re

from each import each
from label_examples import changed, faults_of

IN_FILE = {
    ("coco", ".json"): [
        (
            '"category_id": 18',
            '"category_id": 0',
            "annotation 1: category_id 0 is no category of the file; categories are numbered from 1; these look",
        ),
        ('"category_id": 18', '"category_id": 101', "category_id 101 is no category of the file; known are 1 to 100"),
        ("[85.4, 48.0, 170.8, 96.0]", "[0.1, 0.2, 0.3, 0.4]", "it looks like shares of the image"),
        ("[85.4, 48.0, 170.8, 96.0]", "[400, 300, 850, 470]", "it looks like two corners; give the width and height"),
        ("[85.4, 48.0, 170.8, 96.0]", "[400, 300, 0, 10]", "give a width and a height above 0"),
        (
            '[85.4, 48.0, 170.8, 96.0], "area": 16396.8',
            '[100, 100, 400, 300], "area": 60000',
            "has the area 60000 as two corners only; give the width and height",
        ),
        ('"image_id": 1', '"image_id": 99', "annotation 1: image_id 99 is no image of the file"),
        (
            'VID01/000004.png", "width": 854, "height": 480, "recording": "VID01", "frame": 4',
            'a.png", "width": 854, "height": 480',
            "'a.png' does not say of which recording and frame the image is; name it <recording>_<frame>.jpg",
        ),
        (
            '"id": 2, "image_id": 1, "category_id"',
            '"id": 1, "image_id": 1, "category_id"',
            "annotation 1: the id stands twice; keep one of them",
        ),
        ('"iscrowd": 0', '"iscrowd": "0"', 'iscrowd "0" is neither 0 nor 1; write 0 for an instance, 1 for a crowd'),
        ('"iscrowd": 0', '"iscrowd": 2', "iscrowd 2 is neither 0 nor 1; write 0 for an instance, 1 for a crowd"),
        ('"area": 16396.8', '"area": -5', "area -5 is no number of square pixels; correct it, or leave it out"),
    ],
    ("multibypasst40", ".json"): [
        ('"verb_id": 0', '"verb_id": 2', "annotation 0: 'verb_id' is 2, expected a whole number in 0..1; ids are"),
        ('"verb_id": 0', '"verb_id": 1', "category_id 0 is grasper,retract,liver, ids (0, 0, 0), but the annotation"),
        ('"verb": "retract"', '"verb": "staple"', "classnames: verb is 'staple', but the id says 'retract'"),
        (
            '[{"id": 0, "name": "retract"}, {"id": 1,',
            '[{"id": 1, "name": "retract"}, {"id": 2,',
            "categories, verb: ids must run from 0 without a gap; these start at 1",
        ),
        ('"phase_label": 0', '"phase_label": 5', "image 0: 'phase_label' is 5, expected a whole number in 0..1"),
        ('"phase_label": 0', '"phase_label": null', 'image 0: phase_label is null, but phase_label_name "preparation"'),
        (
            '"image_id": 0, "raw_id": 2850',
            '"image_id": 0, "raw_id": 9',
            "annotation 0: raw_id 9, but image 0 has 2850; correct image_id or raw_id",
        ),
        ('"fps": 25', '"fps": 1e-9', "image 0: 'fps' is 1e-09, expected frames per second in 0.01..1000"),
    ],
    ("multibypass140", ".json"): [
        (
            '"label_id": 0',
            '"label_id": 1',
            "phases 0: label_id 1 is 'gastric_pouch_creation', but label_name is 'preparation'; ids are numbered from 0",
        ),
        ("s1_cavity_exploration", "s1_cavity_explor", "steps 1: ... did you mean 's1_cavity_exploration'?"),
        ('"start": 0', '"start": 53584', "phases 0: it ends at 53583 ms, but starts at 53584 ms"),
        ('"end": 53583', '"end": 53.583', "phases 0: 'end' is 53.583, expected a whole number"),
    ],
    ("cholectrack20", ".json"): [
        ("[0.2, -0.002, 0.3, 0.4]", "[0.3, 0.3, 0.9, 0.9]", "frame 25, tool 0: box ... it looks like two corners"),
        ("[0.2, -0.002, 0.3, 0.4]", "[300, 30, 90, 90]", "it looks like pixels; divide by the width"),
        ('"instrument": 0', '"instrument": 7', "'instrument' is 7, expected a whole number in 0..6; ids are numbered from 0"),
        ('"triplet": 17', '"triplet": 18', "frame 25, tool 0: triplet 18 is grasper,retract,gut"),
        ('"triplet": -1, "phase": 3', '"triplet": -1, "phase": 4', "frame 25: its tools have the phases 3 and 4"),
    ],
    ("endoscapes", ".json"): [
        ("[1.0, 0.3333333333333333, 0.0]", "[1, 2, 0]", "image 0: 'ds' is [1, 2, 0]; give the three criteria, each in 0..1"),
        ('"name": "tool"', '"name": "tol"', "categories: 'tol' is no instrument of the vocabulary 'endoscapes'; did you mean 'tool'?"),
        ("1_29500.jpg", "1_29375.jpg", "image 1: id 1, frame 29375 of video 1, stands twice in this file or in another one"),
    ],
    ("endoscapes", "vids"): [
        ("1.0", "2.0", "image 0: video 1 is not in train_vids.txt"),
        ("1.0", "one", "line 1: 'one00000000000000000e+00' is no number of a video"),
    ],
    ("cholectriplet2022", ".json"): [
        (
            "[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, ",
            "[",
            "frame 0: 94 probabilities instead of 100; give 100, one per triplet, the 6 null ones included",
        ),
        (
            "[0.0, 0.0, 0.0, 0.0",
            "[0.0, 0.0, 0.0, 1.5",
            "frame 0: a probability is above 1 (first: frame 0, triplet 3 is 1.5); give numbers in 0..1",
        ),
        ("[0.0, 0.0, 0.0, 0.0", "[0.0, 0.0, 0.0, NaN", "frame 0: a probability is NaN (first: ... triplet 3)"),
        ('"triplet": 17', '"triplet": 100', "frame 0: the triplet id is none of 0..99 (first: 100); ids are numbered from 0"),
        ('"0": {', '"0": {"recogniton": []}, "2": {', 'frame 0: the frame has neither recognition nor detection (first: {"recogniton"})'),
    ],
    ("labelme", "000000.json"): [
        (
            "[[10, 20], [60.5, 70]]",
            "[[0.1, 0.1], [0.5, 0.5]]",
            "shape 0: points ... in an image of 100x200 are less than a pixel apart; they look like shares",
        ),
    ],
    ("cholect45", "triplet/"): [
        ("0,", "frame,0,1\n0,", "line 1: 3 values, expected the frame and 100 classes"),
        ("0,0", "0", "line 1: 100 values, expected the frame and 100 classes; the first column is the frame"),
    ],
    ("cholect45", "verb/"): [("1,0", "2,0", "line 1: class 2 is '2', expected 0 or 1")],
    ("cholect45", "target/"): [
        ("2,", "3,", "3 frames, but ...; frame 2 is only in one of them"),
        ("2,", "0,", "line 3: frame 0 stands twice"),
    ],
    ("cholect45", "instrument/"): [("0,1,0,1", "0,0,0,1", "frame 0: grasper is 0, but a triplet of the frame")],
    ("cholec80", "-tool"): [
        ("Hook", "Hok", "line 1: the header is ... expected Frame<TAB>Grasper"),
        ("50\t", "20\t", "line 4: the frame does not follow the one before"),
    ],
    ("yolo", "000000"): [
        ("20 ", "89 ", "line 1: class 89 is not in 0..88, just beyond the last; ids are numbered from 0"),
        ("0.352500", "352.5", "line 1: box ... it looks like pixels"),
        ("20 ", "hook ", "line 1: 'hook ...' is not all numbers"),
        ("20 ", "20 0 3 4 ", "line 1: 8 values, expected 5, or 6 with confidence; rows with four ids are the format yolo4"),
    ],
    ("yolo4", "000000"): [
        ("20 0 3 4", "20 0 3 5", "line 1: triplet 20 is scissors,dissect,fascias, ids (0, 3, 4), but the row has (0, 3, 5)"),
    ],
    ("jigsaws", "meta"): [
        ("\tN\t", "\tB\t", "line 1: level of skill 'B' is none of N, I, E"),
        ("\t2\n", "\n", "line 1: 8 fields, expected 9"),
        ("\t13\t2", "\t20\t9", "line 1: an item has 9 points, not 1 to 5; correct it"),
    ],
    ("jigsaws", "B001"): [
        ("G5", "G16", "line 2: 'G16' is no gesture of the vocabulary 'jigsaws'"),
        ("264", "263", "line 2: frames 263 to 335 do not follow those before"),
    ],
    ("lasana", "rater0"): [
        (";3;", ";three;", "line 2: depth_perception is 'three'; give points, or leave it empty"),
        ("xyz", "abc", "id 'abc' stands twice"),
    ],
    ("lasana", "PegTransfer.csv"): [("0:02:03", "123 s", "line 2: duration is '123 s'")],
    ("endoscapescvs", ".csv"): [
        ("[1, 0, 0]", "[1, 0]", "all_metadata.csv, line 2: cvs_annotator_1 has 2 values for the 3 criteria C1, C2, C3; give one for each"),
        ("[1, 0, 0]", "[1, 2, 0]", "line 2: cvs_annotator_1 has 2; a criterion is met (1) or not (0)"),
        ("[1, 0, 0]", "[1, true, 0]", "line 2: cvs_annotator_1 has true; a criterion is met (1) or not (0)"),
        ("[1, 0, 0]", "yes", "line 2: cvs_annotator_1 is 'yes', no list; write one such as [1, 0, 0]"),
        ("1,29400", "1,29375", "line 3: frame 29375 of video 1 stands twice; keep one of the rows"),
        ("1,29400", "1,-1", "line 3: frame is '-1', no whole number from 0; correct it"),
        ("1,29400", "one,29400", "line 3: vid is 'one', no whole number from 0; correct it"),
        ("cvs_annotator_1,cvs_annotator_2,cvs_annotator_3", "a,b,c", "line 1: has no column of an annotator, such as cvs_annotator_1"),
    ],
    ("cvschallenge", "1f-90/frame.csv"): [
        ("1,0,\n", "1,0,0.5\n", "frame.csv, line 2: c3_rater3 is '0.5'; a criterion is met (1) or not (0)"),
        ("\n150,", "\n0,", "line 3: frame 0 stands twice; keep one of the rows"),
        ("\n150,", "\nx,", "line 3: 'x' is no frame number; number frames from 0"),
    ],
    ("sarrarp50", "video_1/"): [
        ("000000012,1", "000000012;1", 'line 3: "000000012;1" is no frame with an id; write lines such as 000000006,1'),
        ("000000012,1", "000000006,1", "line 3: the frame does not follow the one before"),
        ("000000012,1", "000000012,8", "line 3: class 8 is not in 0..7; are they numbered from 1?"),
        ("000000012,1", "-12,1", "is no frame with an id"),
    ],
    ("cataract101", "annotations.csv"): [
        ("269;1043;2", "269;1043;11", "line 3: phase '11' is not in 1..10"),
        ("269;1043;2", "269;1043;0", "line 3: phase '0' is not in 1..10; phases are numbered from 1"),
        ("269;1043;2", "269;60;2", "line 3: frame 60 does not follow frame 68 of the video 269"),
        ("269;1043;2", "269;10.5;2", "line 3: '10.5' is no frame number"),
    ],
    ("cataract101", "videos.csv"): [
        ("269;1500;25\n", "", "line 2: the video '269' is not in videos.csv"),
        ("269;1500;25", "269;1200;25", "line 4: frame 1228 is beyond the 1200 frames"),
        ("269;1500;25", "269;1500;0", "line 2: it needs a video, its frames and its whole frames per second"),
    ],
    ("pitvis", ".csv"): [
        ("1,2,1,16,-2", "1,2,0,16,-2", "line 4: step 0 is not in 1..14, and not -1; they are numbered from 1"),
        ("1,2,1,16,-2", "1,2,15,16,-2", "line 4: step 15 is not in 1..14"),
        ("1,2,1,16,-2", "1,2,1,19,-2", "line 4: instrument 19 is not in -2..18"),
        ("1,2,1,16,-2", "1,1,1,16,-2", "line 4: second 1 does not follow the one before"),
        ("1,2,1,16,-2", "2,2,1,16,-2", "line 4: the row is of video 2, but the file of 01"),
        ("1,2,1,16,-2", "1,2,1.0,16,-2", "line 4: int_step is '1.0', no whole number"),
        ("1,2,1,16,-2", "1,2,1,16,1000000000000", "line 4: int_instrument2 is '1000000000000', no whole number of at most 9 digits"),
    ],
    ("surch", ".csv"): [
        ("27,31.5,BN", "27,26,BN", "line 3: it ends at 26 s, but starts at 27 s"),
        ("27,31.5,BN", "27,31.5,BNX", "line 3: 'BNX' is no phase of the vocabulary 'surch'; did you mean 'BN"),
        ("27,31.5,BN", "27,0:31,BN", "line 3: '0:31' is not seconds from 0, such as 12.48"),
        ("video002,2", ",2", "line 5: there is no video; name it"),
    ],
    ("cataract1k", ".csv"): [
        ("2.0,5.0", "5.0,5.0", "line 2: it ends at 5.0 s, but starts at 5.0 s; give seconds, the end after the start, or remove"),
        ("Incision", "Incison", "line 2: 'Incison' is no phase of the vocabulary 'cataract1k'; did you mean 'Incision'?"),
        ("endSec", "end", "line 1: column 'endSec' is missing"),
        ("4687,Incision", "4688,Incision", "line 2: caseId is '4688', and the file is of 4687; keep one video in a file"),
    ],
    ("grasp", ".json"): [
        ('"area"', '"segmentation": {"counts": [5]}, "area"', "the runs of a mask cover 5 px, its picture of 1280 x 800 px has 1024000"),
        (
            '"id": 2, "image_id": 7',
            '"id": 2, "image_id": 8',
            "annotation 3: phase is 1, but another annotation of CASE021 frame 36 has 0; give an image one phase",
        ),
        ('"phase": 1', '"phase": 2', "'phase' is 2, expected a whole number in 0..1; ids are numbered from 0"),
        ('"phase": 1', '"phase": 1.5', "'phase' is 1.5, expected a whole number in 0..1"),
        ('{"id": 1, "name": "LPIL"}', '{"id": 2, "name": "LPIL"}', "'phase_categories' is not a list of ids from 0 with names"),
    ],
    ("avos", ".csv"): [
        ("12,20,tying", "12,20,sewing", "open_surgery_temporal_annotations.csv, line 4: 'sewing' is no phase of the vocabulary 'avos'"),
        ("12,20,tying", "20,20,tying", "line 4: it ends at 20 s, but starts at 20 s"),
        ("12,20,tying", "-1.0,20,tying", "line 4: '-1.0' is not seconds from 0"),
        ("EgVI5o-fS6o,", ",", "line 4: there is no video; name it"),
    ],
    ("egosurgery", ".csv"): [
        ("01_1_0002", "02_1_0002", "ego/01_1.csv, line 3: '02_1_0002' is no picture of 01_1; name it such as 01_1_0001"),
        ("01_1_0002", "3", "line 3: '3' is no picture of 01_1"),
        ("01_1_0002", "01_1_0000", "line 3: picture 0; pictures are numbered from 1; these look numbered from 0"),
        ("01_1_0002", "01_1_0001", "line 3: the picture does not follow the one before; sort the rows by picture, each once"),
        ("incision", "sewing", "line 4: 'sewing' is no phase of the vocabulary 'egosurgery'"),
    ],
    ("heichole-instruments", ".csv"): [
        ("\n1,0,0,0,0,0,0,0,0,0,0,", "\n1,0,0,0,0,0,0,0,0,0,1,", "line 2: category 9 is 1, and there is none of that number"),
        ("\n1,0", "\n1,2", "line 2: category 0 is 2, expected 0 or 1; 1 means in view"),
        ("\n1,0", "\n1", "is no frame with 21 numbers; write lines such as 0,0,0"),
        ("\n1,", "\n0,", "line 2: the frame does not follow the one before"),
    ],
    ("heichole-skill", "Hei-Chole1_Skill.csv"): [
        (",2", "", '_Skill.csv, line 1: "5,4,4,3" is no 5 whole numbers in 1..5; give depth_perception, bimanual_dexterity'),
        (",2", ",0", "is no 5 whole numbers in 1..5"),
        (",2", ",2.5", "is no 5 whole numbers in 1..5"),
        ("\n", "\n5,4,4,3,2\n", "has 2 lines; give one, with the points of the five aspects"),
        ("5,4,4,3,2\n", "", "has 0 lines"),
    ],
    ("petraw", ".txt"): [
        ("0.07", "0.02", "line 4: Timestamp is '0.02', so that this row is not the frame of its place; give a row for every frame"),
        ("Timestamp\t", "Frame\t", "line 3: Frame is '0.03', so that this row is not the frame of its place"),
        ("0.03\tTransfer", "0.03\t", "line 3: there is no phase; give every row a phase and a step"),
        ("Step", "Stp", "line 1: column 'Step' is missing; did you mean 'Stp'?"),
    ],
}
FAULTS = [(form, file, *row) for (form, file), rows in IN_FILE.items() for row in rows]


@each("form, file, old, new, told", FAULTS)
def test_a_fault_is_named_with_its_place_and_mend(form, file, old, new, told):
    files = changed(form, file, old, new)
    errors = [fault for fault in faults_of(form, files) if fault.severity == "error"]
    wanted = re.compile(".*".join(re.escape(part) for part in told.split("...")))
    assert any(wanted.search(fault.sentence) and fault.file in files for fault in errors), [fault.sentence for fault in errors]
