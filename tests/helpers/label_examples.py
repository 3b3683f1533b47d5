"""Small files in every format that conversion knows, made here: no published label is copied."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np

from fault_lines import sentences
from png_files import png
from scrubin.base.vocabulary import vocabulary
from scrubin.base.vocabulary.vocabulary import load
from scrubin.labels import formats
from scrubin.labels.files.output import writer_of
from scrubin.labels.files.reader import Options, read, read_contents
from scrubin.labels.parse import sheet_xml
from scrubin.labels.registry import Output, format_of

__all__ = ["EXAMPLES", "changed", "faults_of", "formats", "rate_of", "read_files", "said", "write_files"]

CHOLECT50 = vocabulary.load("cholect50")
NO_BOX = [-1.0, -1.0, -1.0, -1.0]
KEY_POINTS = [200.0, 100.0, 2, 150.5, 80.25, 1]
MASK = {"size": [480, 854], "counts": "lm^1j2V<0T^P;"}
"""Of two columns of a picture of 854x480 px, 90 px of each."""


def dumps(value):
    return json.dumps(value).encode()


def vector(triplet, box, phase):
    instrument, verb, target = CHOLECT50.triplets[triplet]
    return [triplet, instrument, 1.0, *box, verb, target, 1.0, *NO_BOX, phase]


def cholect50():
    phases = ["preparation", "carlot-triangle-dissection", *CHOLECT50.phases[2:]]
    categories = {
        "instrument": {str(i): name for i, name in enumerate(CHOLECT50.instruments)},
        "verb": {str(i): name for i, name in enumerate(CHOLECT50.verbs)},
        "target": {str(i): name for i, name in enumerate(CHOLECT50.targets)},
        "phase": {str(i): name for i, name in enumerate(phases)},
        "triplet": {str(i): CHOLECT50.triplet_name(i) for i in range(100)},
    }
    annotations = {
        "16": [vector(17, [0.1, 0.2, 0.3, 0.4], 1), vector(60, [0.5, 0.5, 0.25, 0.5115], 1)],
        "23": [[-1, -1, -1.0, *NO_BOX, -1, -1, -1.0, *NO_BOX, 1]],
        "24": [],
        "40": [vector(94, NO_BOX, 6)],
    }
    head = {"info": {"dataset": "made up"}, "licenses": {"id": 1}, "categories": categories, "video": 7, "fps": 1, "num_frames": 4}
    return {"labels/VID07.json": dumps({**head, "annotations": annotations})}


def cholect45():
    triplets = {0: [17, 60], 1: [], 2: [94]}
    parts = {"triplet": triplets}
    for place, kind in enumerate(("instrument", "verb", "target")):
        parts[kind] = {frame: sorted({CHOLECT50.triplets[one][place] for one in of}) for frame, of in triplets.items()}
    parts["instrument"][1] = [3]  # only the instrument is labelled
    sizes = {"triplet": 100, "instrument": 6, "verb": 10, "target": 15}
    files = {}
    for kind, frames in parts.items():
        rows = [",".join([str(frame), *("1" if i in of else "0" for i in range(sizes[kind]))]) for frame, of in frames.items()]
        files[f"CholecT45/{kind}/VID01.txt"] = "".join(f"{row}\n" for row in rows).encode()
    return files


def cholec80():
    names = ["Preparation"] * 30 + ["CalotTriangleDissection"] * 45
    phases = "Frame\tPhase\n" + "".join(f"{i}\t{name}\n" for i, name in enumerate(names))
    tools = "Frame\tGrasper\tBipolar\tHook\tScissors\tClipper\tIrrigator\tSpecimenBag\n0\t1\t0\t1\t0\t0\t0\t0\n25\t0\t0\t0\t0\t0\t0\t0\n"
    return {"c80/video01-phase.txt": phases.encode(), "c80/video01-tool.txt": (tools + "50\t1\t0\t0\t0\t0\t0\t1\n").encode()}


def m2cai():
    names = ["TrocarPlacement"] * 30 + ["Preparation"] * 10
    return {"m2cai/workflow_video_02.txt": ("Frame\tPhase\n" + "".join(f"{i}\t{name}\n" for i, name in enumerate(names))).encode()}


def autolaparo():
    return {"task1/labels/label_03.txt": b"Frame\tPhase\n1\t1\n2\t2\n3\t2\n4\t7\n"}


def shape(label, action, target, corners):
    return {"label": label, "points": corners, "shape_type": "rectangle", "attributes": {"Action": action, "Target": target}}


def labelme():
    shapes = [shape("scissors", "dissect", "fascias", [[10, 20], [60.5, 70]]), shape("aspirator", "suck", "fluid", [[0, 0], [100, 200]])]
    outline = {"label": "forceps", "points": [[10, 20], [61, 20], [61, 70], [30, 70], [30, 40], [10, 40]], "shape_type": "polygon"}
    tip = {"label": "tip", "points": [[12.5, 30]], "shape_type": "point", "group_id": 4, "flags": {"hidden": True}}
    frames = {
        0: shapes,
        1: [],
        5: [{**shapes[0], "group_id": 4}, tip, {**outline, "attributes": {"Action": "retract", "Target": "prostate"}}],
    }
    return {
        f"prostatd/pwhv1/{frame:06d}.json": dumps({"shapes": of, "imageWidth": 100, "imageHeight": 200}) for frame, of in frames.items()
    }


def yolo():
    return {
        "yolo/labels/pwhv1_000000.txt": b"20 0.352500 0.225000 0.505000 0.250000\n51 0.500000 0.500000 1.000000 1.000000\n",
        "yolo/labels/pwhv1_000003.txt": b"",
    }


def yolo4():
    return {"yolo/labels/pwhv1_000000.txt": b"20 0 3 4 0.352500 0.225000 0.505000 0.250000\n51 2 7 8 0.500000 0.500000 1.000000 1.000000\n"}


def yolo_seg():
    return {
        "seg/labels/pwhv1_000000.txt": b"20 0.1 0.1 0.6 0.15 0.55 0.7 0.2 0.6\n51 0.5 0.5 0.9 0.5 0.7 0.9\n",
        "seg/labels/pwhv1_000003.txt": b"",
    }


def endovis_pose():
    places = {"tool1": [(410.75, 194), (536.5, 125.25)], "tool3": [(100, 50.5)]}
    of_image = [
        {"class": name, "id": tool, "x": x, "y": y}
        for tool, of in places.items()
        for name, (x, y) in zip(("LeftClasperPoint", "HeadPoint"), of, strict=False)
    ]
    images = [{"annotations": of_image if at == 2 else [], "class": "image", "filename": f"Raw/img_{at:06d}_raw.png"} for at in (1, 2, 3)]
    return {"poses/train1_labels.json": dumps(images)}


def yolo_pose():
    classes = """nc: 2
names:
  0: "needle driver of a robot"
  1: "needle"
kpt_shape: [2, 3]
kpt_names:
  0: ["tip", "hinge"]
  1: ["tip"]
"""
    return {
        "pose/labels/v1_000000.txt": b"0 0.352500 0.225000 0.505000 0.250000 0.250000 0.200000 2 0.400000 0.300000 1\n"
        b"1 0.500000 0.500000 1.000000 1.000000 0.500000 0.500000 2 0 0 0\n",
        "pose/labels/v1_000003.txt": b"",
        "pose/data.yaml": classes.encode(),
    }


def coco():
    images = [
        {"id": 1, "file_name": "VID01/000004.png", "width": 854, "height": 480, "recording": "VID01", "frame": 4},
        {"id": 2, "file_name": "VID01/000005.png", "width": 854, "height": 480, "recording": "VID01", "frame": 5},
    ]
    annotations = [
        {"id": 1, "image_id": 1, "category_id": 18, "bbox": [85.4, 48.0, 170.8, 96.0], "area": 16396.8, "iscrowd": 0},
        {"id": 2, "image_id": 1, "category_id": 61, "bbox": [0.0, 0.0, 854.0, 480.0], "area": 409920.0, "iscrowd": 0},
    ]
    annotations += [
        {"id": 3, "image_id": 1, "category_id": 5, "bbox": [100.0, 60.0, 2.0, 90.0], "area": 180, "iscrowd": 0, "segmentation": MASK}
    ]
    annotations[0] |= {"keypoints": [*KEY_POINTS, 0.0, 0.0, 0], "num_keypoints": 2}
    categories = [
        {"id": i + 1, "name": CHOLECT50.triplet_name(i), "supercategory": CHOLECT50.triplet_name(i).split(",")[0]} for i in range(100)
    ]
    categories[17] |= {"keypoints": ["tip", "hinge", "end"], "skeleton": [[1, 2], [2, 3]]}
    return {"coco/annotations.json": dumps({"images": images, "annotations": annotations, "categories": categories}) + b"\n"}


def multibypasst40():
    names = {
        "phase": ["preparation", "closure"],
        "instrument": ["grasper", "stapler"],
        "verb": ["retract", "staple"],
        "target": ["liver", "jejunum"],
    }
    names["triplet"] = ["grasper,retract,liver", "stapler,staple,jejunum"]
    images = [
        {
            "id": i,
            "raw_id": 2850 + 25 * i,
            "file_name": "",
            "width": 224,
            "height": 224,
            "fps": 25,
            "phase_label": phase,
            "phase_label_name": None if phase is None else names["phase"][phase],
        }
        for i, phase in enumerate([0, 0, None, 1])
    ]
    annotations = [
        {
            "image_id": image,
            "raw_id": 2850 + 25 * image,
            "category_id": k,
            "instrument_id": k,
            "verb_id": k,
            "target_id": k,
            "classnames": {kind: names[kind][k] for kind in ("triplet", "instrument", "verb", "target")},
            "iscrowd": 0,
        }
        for image, k in ((0, 0), (0, 1), (3, 1))
    ]
    categories = {kind: [{"id": i, "name": name} for i, name in enumerate(of)] for kind, of in names.items()}
    document = {"images": images, "annotations": annotations, "categories": categories, "metadata": {"version": 1}}
    return {"mbt40/C1V1.json": dumps(document)}


def mot():
    rows = ("1,4,85.4,48,170.8,96,0.98,0,1", "1,7,500,200,100.5,80.25,1,6,0.5", "3,4,90,50,170.8,96,-1,0,-1", "3,-1,10,20,30,40,0.4,-1,-1")
    classes = ",".join(load("cholectrack20").instruments)
    return {
        "mot/VID02.txt": "".join(f"{row}\n" for row in rows).encode(),
        "mot/VID02/seqinfo.ini": f"[Sequence]\nname=VID02\nseqLength=4\nimWidth=854\nimHeight=480\nclasses={classes}\n".encode(),
    }


def multibypass140():
    phases = [(0, 53583, "preparation", 0), (4301, 7743, "out_of_body", 12), (53583, 60000, "gastric_pouch_creation", 1)]
    phases.append((54000, 54500, "severe_index", 13))
    steps = [(0, 7926, "s0_null_step", 0), (7926, 60000, "s1_cavity_exploration", 1)]
    lists = {
        key: [{"start": a, "end": b, "label_name": name, "label_id": id_} for a, b, name, id_ in of]
        for key, of in (("phases", phases), ("steps", steps))
    }
    return {"mb140/BBP01.mp4.json": dumps(lists)}


def cholectrack20():
    tool = {
        "instrument": 0,
        "verb": 1,
        "target": 0,
        "triplet": 17,
        "phase": 3,
        "tool_bbox": [0.2, -0.002, 0.3, 0.4],
        "score": 1.0,
        "operator": 1,
        "visibility_track": 6,
        "intracorporeal_track": 5,
        "intraoperative_track": 4,
        "visibility": 1,
        "crowded": 0,
        "smoke": 1,
        "iscrowd": 0,
        "area": 0.12,
    }
    tracks = {"visibility_track": 7, "intracorporeal_track": 8, "intraoperative_track": 9}
    bag = {**tool, **tracks, "instrument": 6, "verb": -1, "target": -2, "triplet": -1}
    head = {"info": {"dataset": "made up"}, "video": {"name": "VID02", "num_frames": 3, "height": 480, "width": 854}, "categories": {}}
    return {"ct20/VID02.json": dumps({**head, "annotations": {"25": [tool, bag], "50": [tool], "75": []}})}


def endoscapes():
    names = ["cystic_plate", "calot_triangle", "cystic_artery", "cystic_duct", "gallbladder", "tool"]
    images = [
        {"id": 0, "file_name": "1_29375.jpg", "width": 854, "height": 480, "ds": [1.0, 0.3333333333333333, 0.0]},
        {"id": 1, "file_name": "1_29500.jpg", "width": 854, "height": 480},
    ]
    annotations = [{"id": 0, "image_id": 0, "category_id": 6, "bbox": [85.4, 48.0, 170.8, 96.0], "area": 16396.8, "iscrowd": 0}]
    annotations += [
        {"id": 1, "image_id": 0, "category_id": 5, "bbox": [100.0, 60.0, 2.0, 90.0], "area": 180, "iscrowd": 0, "segmentation": MASK}
    ]
    categories = [{"id": i + 1, "name": name, "supercategory": name} for i, name in enumerate(names)]
    return {
        "endo/train/annotation_coco.json": dumps({"images": images, "annotations": annotations, "categories": categories}) + b"\n",
        "endo/train_vids.txt": b"1.000000000000000000e+00\n",
    }


def endoscapescvs():
    rows = [
        "vid,frame,avg_cvs,C1,C2,C3,is_ds_keyframe,cvs_annotator_1,cvs_annotator_2,cvs_annotator_3,mask_path,label_path",
        '1,29375,0.3333333333333333,0.6666666666666666,0.3333333333333333,0.0,True,"[1, 0, 0]","[1, 1, 0]","[0, 0, 0]",,',
        "1,29400,0.3333333333333333,0.6666666666666666,0.3333333333333333,0.0,False,,,,,",
        '1,29500,0.0,0.0,0.0,0.0,True,"[0, 0, 0]","[0, 0, 0]","[0, 0, 0]",semseg/1_29500.png,insseg/1_29500.npy',
        '162,25,1.0,1.0,1.0,1.0,True,"[1, 1, 1]","[1, 1, 1]","[1, 1, 1]",,',
    ]
    return {"endo/all_metadata.csv": "".join(f"{row}\n" for row in rows).encode()}


def cholec80cvs():
    times = ("initial_minute", "initial_second", "final_minute", "final_second")
    header = ["video", "critical_view", *times, "two_structures", "cystic_plate", "hepatocystic_triangle", "Total"]
    rows = [[2, 0, 20, 26, 20, 29, 2, 0, 1, 3], [2, 0, 0, 0, 0, 3, 0, 0, 0, 0], [80, 1, 17, 24, 17, 26, 2, 2, 1, 5]]
    return {"cvs/cholec80-CVS.xlsx": sheet_xml.workbook([header, *rows])}


def cvschallenge():
    header = ",".join(["frame_id", *(f"c{criterion}_rater{rater}" for criterion in (1, 2, 3) for rater in (1, 2, 3))])
    return {
        "labels/0a2b-ffca/frame.csv": f"{header}\n0,0,1,1,1,1,0,0,0,1\n150,1,1,1,0,1,0,0,0,0\n".encode(),
        "labels/1f-90/frame.csv": f"{header}\n0,1,1,1,1,1,1,1,0,\n150,0,0,0,0,0,0,0,0,0\n".encode(),
    }


def cholectriplet2022():
    scores = [0.0] * 100
    scores[17] = 0.75
    detection = [{"triplet": 17, "instrument": [0, 0.9, 0.1, 0.2, 0.3, 0.4]}]
    return {"sub/VID92.json": dumps({"0": {"recognition": scores, "detection": detection}, "1": {"recognition": scores, "detection": []}})}


def jigsaws():
    meta = "Suturing_B001\t\tN\t\t13\t2\t2\t2\t2\t3\t2\nSuturing_B002\t\tE\t\t24\t4\t4\t4\t4\t4\t4\n"
    return {
        "jigsaws/meta_file_Suturing.txt": meta.encode(),
        "jigsaws/transcriptions/Suturing_B001.txt": b"80 263 G1 \n264 335 G5 \n",
    }


def aixsuture():
    osats = [f"OSATS_{name}" for name in ("RESPECT", "MOTION", "INSTRUMENT", "SUTURE", "FLOW", "KNOWLEDGE", "PERFORMANCE", "FINAL")]
    header = ["STUDENT", "GROUP", "TIME", "VIDEO", "INVESTIGATOR", "SUTURES", *osats, "GLOBA_RATING_SCORE"]
    rows = [[f"S{i}", "HMD", "PRE", f"A{i}B", rater, 5.0, *[3.0] * 7, None if i else 2.0, 23.5] for i in range(2) for rater in ("A", "B")]
    return {"aix/OSATS.xlsx": sheet_xml.workbook([header, *rows])}


def spans():
    lines = (
        "instrument,instance,start_s,end_s,verb,target",
        "scissors,0,0,12.48,dissect,fascias",
        "forceps,1,0,20,retract,prostate",
        "forceps,0,3,20,null,null",
        "scissors,0,12.48,15,null,null",
        ",,20,22,,",
        "grasper,0,22.5,24,,",
    )
    return {"spans/pwhv1.csv": "".join(f"{line}\n" for line in lines).encode()}


def lasana():
    aspects = "depth_perception;efficiency;bimanual_dexterity;tissue_handling"
    return {
        "Annotation/PegTransfer.csv": (
            f"id;object_dropped;GRS;{aspects};duration;frame_count\nabc;True;-0.5;0.25;0.5;;1;0:02:03;2460\n".encode()
        ),
        "Annotation/PegTransfer_rater0.csv": f"id;rater;{aspects};GRS\nabc;0;3;4;2;5;14\nxyz;0;;;;;\n".encode(),
        "Annotation/PegTransfer_split.csv": b"id;split\nabc;train\nxyz;test\n",
    }


def sarrarp50():
    lines = {"video_1": "0,0\n6,0\n12,1\n18,1\n", "video_2": "0,7\n6,7\n"}
    padded = {video: [line.split(",") for line in text.split()] for video, text in lines.items()}
    return {
        f"rarp/{video}/action_discrete.txt": "".join(f"{int(frame):09d},{action}\n" for frame, action in rows).encode()
        for video, rows in padded.items()
    }


def heichole():
    return {"hei/Hei-Chole1_Annotation_Phase.csv": b"0,0\n1,0\n2,0\n3,1\n4,1\n"}


def avos():
    rows = ("-3gFrKiC99I,0,30,background", "-3gFrKiC99I,30,61.5,cutting", "EgVI5o-fS6o,12,20,tying")
    lines = ("video_id,start_seconds,end_seconds,label", *rows)
    return {"avos/open_surgery_temporal_annotations.csv": "".join(f"{line}\n" for line in lines).encode()}


def egosurgery():
    rows = ("01_1_0001,disinfection", "01_1_0002,disinfection", "01_1_0009,incision", "01_1_0010,closure")
    return {"ego/01_1.csv": "".join(f"{row}\n" for row in ("Frame,Phase", *rows)).encode()}


def heichole_instruments():
    present = {0: (0, 2), 1: (), 2: (0, 6, 20), 3: (4,)}
    rows = [",".join([str(frame), *("1" if column in of else "0" for column in range(21))]) for frame, of in present.items()]
    return {"hei/Instrument/Hei-Chole1_Annotation_Instrument.csv": "".join(f"{row}\n" for row in rows).encode()}


def heichole_skill():
    return {"hei/Skill/Hei-Chole1_Skill.csv": b"5,4,4,3,2\n", "hei/Skill/Hei-Chole1_Calot_Skill.csv": b"4,4,3,3,2\n"}


def boris():
    behaviours = [("preparation", "phase"), ("calot-triangle-dissection", "phase"), ("grasper", "instrument"), ("hook", "instrument")]
    ethogram = {str(i): {"type": "State event", "code": code, "category": of} for i, (code, of) in enumerate(behaviours)}
    events = [[0, 0, ""], [1.0, 2, "retract|gallbladder"], [2.0, 3, ""], [4.0, 2, "retract|gallbladder"], [5.25, 3, ""]]
    events += [[12.04, 0, ""], [12.04, 1, ""], [31.5, 1, ""]]
    observation = {
        "file": {"1": ["op 1.mp4"]},
        "type": "MEDIA",
        "time offset": 0.0,
        "events": [[time, "", behaviours[at][0], modifiers, "", 0] for time, at, modifiers in events],
        "media_info": {"length": {"op 1.mp4": 60.0}, "fps": {"op 1.mp4": 25.0}, "offset": {"1": 0.0}},
    }
    project = {"time_format": "hh:mm:ss", "project_name": "made up", "project_format_version": "7.0", "subjects_conf": {}}
    return {"states/project.boris": dumps({**project, "behaviors_conf": ethogram, "observations": {"op 1": observation}})}


def cataract101():
    names = load("cataract101").phases
    phases = "".join(f"{number};{name}\n" for number, name in enumerate(names, start=1))
    return {
        "cataract/annotations.csv": b"VideoID;FrameNo;Phase\n269;68;1\n269;1043;2\n269;1228;3\n270;11;1\n270;1417;2\n270;1891;2\n",
        "cataract/phases.csv": f"Phase;Meaning\n{phases}".encode(),
        "cataract/videos.csv": b"VideoID;Frames;FPS\n269;1500;25\n270;2000;25\n",
    }


def pitvis():
    rows = ("1,0,-1,-1,-2", "1,1,1,0,-2", "1,2,1,16,-2", "1,3,4,13,16", "1,4,-1,-1,-2")
    lines = ("int_video,int_time,int_step,int_instrument1,int_instrument2", *rows)
    return {"pitvis/annotations_01.csv": "".join(f"{line}\n" for line in lines).encode()}


def surch():
    rows = ("video001,0,27,etc", "video001,27,31.5,BN", "video001,31.5,40.173,etc", "video002,2,9,NVB")
    return {"surch/segments.csv": "".join(f"{line}\n" for line in ("VideoID,StartTime,EndTime,labelID", *rows)).encode()}


def grasp():
    images = [{"id": 7, "file_name": "CASE021/00001.jpg", "width": 1280, "height": 800}]
    images += [{"id": 8, "file_name": "CASE021/00036.jpg", "width": 1280, "height": 800}]
    first = {
        "id": 1,
        "image_id": 7,
        "category_id": 1,
        "bbox": [0, 146.5, 228.5, 139.75],
        "area": 31932.875,
        "iscrowd": 0,
        "phase": 0,
        "step": 0,
    }
    second = {**first, "id": 2, "category_id": 2, "bbox": [10, 20, 30, 40], "area": 1200}
    third = {**first, "id": 3, "image_id": 8, "phase": 1, "step": 2}
    document = {
        "categories": [{"id": 1, "name": "Bipolar Forceps"}, {"id": 2, "name": "Prograsp Forceps"}],
        "phase_categories": [{"id": 0, "name": "Idle"}, {"id": 1, "name": "LPIL"}],
        "step_categories": [{"id": 0, "name": "Idle"}, {"id": 1, "name": "Id_Illiac_Vein_Artery"}, {"id": 2, "name": "Suction"}],
        "images": images,
        "annotations": [first, second, third],
    }
    return {"psiava/train.json": dumps(document)}


def cataract1k():
    rows = ("4687,Incision,120,300,2.0,5.0", "4687,Capsule Pulishing,310,600,5.167,10.0")
    lines = ("caseId,comment,frame,endFrame,sec,endSec", *rows)
    return {"cases/case_4687_annotations_phases.csv": "".join(f"{line}\n" for line in lines).encode()}


def petraw():
    header = "Timestamp\tPhase\tStep\tVerb_Left\tVerb_Right"
    rows = ("0\tTransfer\tBlock 1\tIdle\tCatch", "0.03\tTransfer\tBlock 1\tIdle\tCatch", "0.07\tTransfer\tBlock 2\tCatch\tHold")
    return {"petraw/001.txt": "".join(f"{line}\n" for line in (header, *rows)).encode()}


def cholecseg8k():
    first = np.full((12, 20), 50)
    first[2:9, 3:15], first[4:7, 6:20], first[:, -1] = 21, 31, 255
    return {
        "c8k/video01_00080/frame_80_endo_watershed_mask.png": png(np.stack([first] * 3, axis=-1)),
        "c8k/video01_00080/frame_81_endo_watershed_mask.png": png(np.full((12, 20, 3), 255)),
        "c8k/video12_15750/frame_15750_endo_watershed_mask.png": png(np.full((12, 20, 3), 22)),
    }


def sarrarp50_masks():
    values = np.zeros((12, 20))
    values[2:9, 3:15], values[4:7, 6:20] = 3, 9
    return {"rarp/video_1/segmentation/000000000.png": png(values), "rarp/video_1/segmentation/000000060.png": png(0 * values)}


def autolaparo_masks():
    values = np.zeros((12, 20))
    values[2:9, 3:15], values[4:7, 6:20] = 180, 40
    return {"al/masks/007001.png": png(np.stack([values] * 3, axis=-1)), "al/masks/007025.png": png(np.zeros((12, 20, 3)))}


def dsad():
    values = np.zeros((12, 20))
    values[2:9, 3:15] = 255
    files = {f"dsad/{place}/mask0{at}.png": png(values * at) for place in ("colon/03", "liver/20") for at in (0, 1)}
    return {**files, **{f"dsad/multilabel/03/mask02_{organ}.png": png(np.roll(values, at)) for at, organ in enumerate(("liver", "spleen"))}}


def endovis2017():
    values = np.zeros((12, 20))
    values[2:9, 3:15], values[4:7, 6:9] = 10, 30
    names = ("Left_Prograsp_Forceps", "Right_Prograsp_Forceps", "Other")
    files = {f"ev/instrument_dataset_1/ground_truth/{name}_labels/frame004.png": png(np.roll(values, at)) for at, name in enumerate(names)}
    return {**files, "ev/instrument_dataset_9/TypeSegmentation/frame225.png": png(np.where(values == 30, 6, values // 10))}


def masks_png():
    legend = [{"name": "background-tissue", "color": [0, 0, 0], "classid": 0}, {"name": "thread", "color": [187, 155, 25], "classid": 6}]
    legend += [{"name": None, "color": [255, 255, 255], "classid": 255}]
    picture = np.zeros((12, 20, 3))
    picture[2:9, 3:15], picture[0] = [187, 155, 25], 255
    return {"endovis/labels.json": dumps(legend), "endovis/seq_2/labels/frame000.png": png(picture)}


def elan():
    slots = [0, 12040, 12040, 31500, 1000, 4000, 2000, 5250]
    order = "".join(f'<TIME_SLOT TIME_SLOT_ID="ts{i}" TIME_VALUE="{at}"/>' for i, at in enumerate(slots))
    tiers = {
        "phase": [("preparation", 0, 1), ("calot-triangle-dissection", 2, 3)],
        "instrument": [("grasper,retract,gallbladder", 4, 5)],
        "tool 2": [("hook", 6, 7)],
    }
    text, number = "", 0
    for name, of in tiers.items():
        text += f'<TIER LINGUISTIC_TYPE_REF="default-lt" TIER_ID="{name}">'
        for label, start, end in of:
            number += 1
            refs = f'ANNOTATION_ID="a{number}" TIME_SLOT_REF1="ts{start}" TIME_SLOT_REF2="ts{end}"'
            value = f"<ANNOTATION_VALUE>{label}</ANNOTATION_VALUE>"
            text += f"<ANNOTATION><ALIGNABLE_ANNOTATION {refs}>{value}</ALIGNABLE_ANNOTATION></ANNOTATION>"
        text += "</TIER>"
    medium = '<MEDIA_DESCRIPTOR MEDIA_URL="file:///op%201.mp4" MIME_TYPE="video/mp4"/>'
    head = f'<HEADER MEDIA_FILE="" TIME_UNITS="milliseconds">{medium}</HEADER>'
    root = '<ANNOTATION_DOCUMENT AUTHOR="" DATE="2026-01-01T00:00:00+00:00" FORMAT="3.0" VERSION="3.0">'
    document = f'<?xml version="1.0" encoding="UTF-8"?>\n{root}{head}<TIME_ORDER>{order}</TIME_ORDER>{text}'
    tail = '<LINGUISTIC_TYPE GRAPHIC_REFERENCES="false" LINGUISTIC_TYPE_ID="default-lt" TIME_ALIGNABLE="true"/>'
    return {"tiers/op 1.eaf": f"{document}{tail}</ANNOTATION_DOCUMENT>".encode()}


def scrubin_labels():
    phases = [{"first": 0, "end": 40, "label": "preparation"}, {"first": 40, "end": 90, "label": "calot-triangle-dissection"}]
    head = {"scrubin_labels": 1, "vocabulary": "cholect50", "camera": "mono", "source_sha256": "0" * 64, "frames": 100, "made": {}}
    return {"page/op 1.labels.json": dumps({**head, "phases": phases})}


def label_studio():
    def key(frame, left, *, enabled):
        return {"frame": frame, "enabled": enabled, "rotation": 0, "time": frame / 25, "x": left, "y": 10.0, "width": 20.0, "height": 30.0}

    boxes = {"framesCount": 75, "duration": 3.0, "sequence": [key(1, 10.0, enabled=True), key(26, 12.5, enabled=False)], "labels": ["hook"]}
    phases = {"ranges": [{"start": 1, "end": 60}], "timelinelabels": ["preparation"]}
    results = [{"id": "a1b2", "type": "videorectangle", "from_name": "box", "to_name": "video", "value": boxes}]
    results += [{"id": "c3d4", "type": "timelinelabels", "from_name": "phase", "to_name": "video", "value": phases}]
    task = {"id": 7, "data": {"video": "/data/upload/1/3d3ad63e-VID09.mp4"}, "annotations": [{"id": 1, "result": results}]}
    return {"ls/project-1.json": dumps([task])}


def cvat_images():
    box = '<box label="hook" source="manual" occluded="{}" xtl="85.40" ytl="48.50" xbr="256.20" ybr="144.25" z_order="0"></box>'
    mask = '<mask label="grasper" source="manual" occluded="0" rle="0, 4" left="100" top="60" width="2" height="2" z_order="0"></mask>'
    part = '<points label="{}" outside="0" occluded="{}" points="{}"/>'
    skeleton = f'<skeleton label="hook">{part.format("tip", 0, "42.70,48.00")}{part.format("hinge", 1, "85.40,96.00")}</skeleton>'
    images = {"VID01/000004.png": box.format(1) + mask, "VID01/000029.png": "", "VID08/000054.png": skeleton}
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        "<annotations><version>1.1</version><meta><job><mode>annotation</mode></job></meta>",
        *(f'<image id="{at}" name="{name}" width="854" height="480">{of}</image>' for at, (name, of) in enumerate(images.items())),
        "</annotations>",
    ]
    return {"cvat/annotations.xml": "\n".join(lines).encode()}


def cvat_video():
    box = '<box frame="{}" outside="{}" occluded="{}" keyframe="{}" xtl="{}" ytl="48.50" xbr="256.20" ybr="144.25" z_order="0">{}</box>'
    acts = '<attribute name="verb">retract</attribute><attribute name="target">gallbladder</attribute>'
    first = [box.format(25, 0, 0, 1, 85.4, acts), box.format(50, 0, 0, 0, 86.4, acts), box.format(75, 0, 1, 1, 87.4, acts)]
    other = '<polygon frame="{}" outside="{}" occluded="0" keyframe="1" points="100.00,60.00;102.00,60.00;102.00,150.00;100.00,150.00"/>'
    labels = "".join(
        f"<label><name>{name}</name><attributes><attribute><name>verb</name></attribute><attribute><name>target</name></attribute></attributes></label>"
        for name in ("grasper", "hook")
    )
    task = "<start_frame>25</start_frame><stop_frame>125</stop_frame><frame_filter>step=25</frame_filter>"
    size = "<original_size><width>854</width><height>480</height></original_size>"
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        f"<annotations><version>1.1</version><meta><task>{task}<labels>{labels}</labels>{size}</task></meta>",
        f'<track id="0" label="grasper" source="manual">{"".join(first)}{box.format(100, 1, 0, 1, 87.4, acts)}</track>',
        f'<track id="1" label="hook" source="manual">{other.format(50, 0)}{other.format(75, 1)}</track>',
        "</annotations>",
    ]
    return {"cvat/VID08/annotations.xml": "\n".join(lines).encode()}


def via3():
    names = {"phase": ["preparation", "calot-triangle-dissection"], "instrument": ["grasper,retract,gallbladder", "hook"]}
    attribute = {
        str(i): {"aname": name, "anchor_id": "FILE1_Z2_XY0", "type": 4, "options": {str(k): label for k, label in enumerate(of)}}
        for i, (name, of) in enumerate(names.items())
    }
    spans = [(0, 12.04, "0", "0"), (12.04, 31.5, "0", "1"), (1, 4.0, "1", "0"), (2, 5.25, "1", "1")]
    metadata = {f"1_{i}": {"vid": "1", "flg": 0, "z": [start, end], "xy": [], "av": {a: o}} for i, (start, end, a, o) in enumerate(spans)}
    file = {"1": {"fid": "1", "fname": "op 1.mp4", "type": 4, "loc": 1, "src": ""}}
    document = {"project": {"pid": "x"}, "config": {}, "attribute": attribute, "file": file, "metadata": metadata}
    return {"via/project.json": dumps({**document, "view": {"1": {"fid_list": ["1"]}}})}


def vidat():
    names = ["default", "phase: preparation", "phase: calot-triangle-dissection", "tool: grasper,retract,gallbladder", "tool: hook"]
    actions = [(0, 12, 1), (12, 31.5, 2), (1, 4, 3), (2, 5.2, 4)]
    annotation = {
        "video": {"src": "op 1.mp4", "fps": 10, "frames": 400, "duration": 40.0, "height": 480, "width": 640},
        "keyframeList": [],
        "objectAnnotationListMap": {},
        "actionAnnotationList": [{"start": start, "end": end, "action": id_, "object": 0} for start, end, id_ in actions],
    }
    config = {"actionLabelData": [{"id": i, "name": name, "color": "#0000ff", "objects": [0]} for i, name in enumerate(names)]}
    return {"vidat/op 1.json": dumps({"version": "2.1.0", "annotation": annotation, "config": config})}


EXAMPLES = {
    make.__name__.replace("_", "-"): make()
    for make in (
        aixsuture,
        autolaparo,
        autolaparo_masks,
        avos,
        boris,
        cataract101,
        cataract1k,
        cholec80,
        cholec80cvs,
        cholecseg8k,
        cholect45,
        cholect50,
        cholectrack20,
        cholectriplet2022,
        coco,
        cvat_images,
        cvat_video,
        cvschallenge,
        dsad,
        egosurgery,
        elan,
        endoscapes,
        endovis_pose,
        endoscapescvs,
        endovis2017,
        grasp,
        heichole,
        heichole_instruments,
        heichole_skill,
        jigsaws,
        label_studio,
        labelme,
        lasana,
        m2cai,
        masks_png,
        mot,
        multibypass140,
        multibypasst40,
        petraw,
        pitvis,
        sarrarp50,
        sarrarp50_masks,
        scrubin_labels,
        spans,
        surch,
        via3,
        vidat,
        yolo,
        yolo4,
        yolo_seg,
        yolo_pose,
    )
}


OF_CRITERIA = ("cholec80cvs", "cvschallenge", "endoscapescvs")
"""Formats whose labels are criteria."""


def rate_of(name):
    """Return the frames per second of the sources of a format, as somebody would say it where no file does."""
    by_hand = format_of(name).by_hand
    return Fraction(25) if by_hand.asks_fps else by_hand.fps


def options_of(options):
    """Return options, in which a vocabulary may be named."""
    named = options.get("vocabulary")
    return Options(**{**options, "vocabulary": load(named) if named else None})


def changed(name, file, old, new):
    """Return the example of a format in whose file, told by a part of its name, the first of a text is another one."""
    at = next(one for one in EXAMPLES[name] if file in one)
    text = EXAMPLES[name][at].decode()
    assert old in text
    return {**EXAMPLES[name], at: text.replace(old, new, 1).encode()}


def read_files(name, files, **options):
    """Return the collection that files in a format say."""
    return read(files, format_of(name), options_of(options))


def faults_of(name, files, **options):
    """Return every fault of files in a format, of all severities."""
    return read_contents(files, format_of(name), options_of(options)).faults


def said(name, files, severity="error", **options):
    """Return the sentences of all faults of a severity of files in a format, each in a line."""
    return "\n".join(sentences(faults_of(name, files, **options), severity))


def write_files(name, collection):
    """Return what the writer of a format makes, without fitting."""
    out = Output()
    writer_of(name).write(collection, out)
    return out
