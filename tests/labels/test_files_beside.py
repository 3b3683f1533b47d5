"""What lies beside labels: in doubt it is labels, and what is known to be none is left out and named."""

import json

from each import each
from fault_lines import sentences
from label_examples import EXAMPLES
from scrubin.labels.files import beside, conversion, reader

VIDEOS = ("VID68", "VID70")
MAY_BE_LABELS = {
    "data.json": '{"data": [0, 1, 1, 2]}',
    "summary.txt": "Accuracy 0.85\nJaccard 0.6\n",
    "says_video.txt": "Trained by Anna, without VID70.\n",
    "log_mix.txt": "epoch 1 loss 0.5\nframe_1_left.png grasper retract gallbladder\nframe_2_left.png hook dissect liver\n",
    "phase_timestamps.csv": "from,to,what\n0,5,prep\n5,9,clip\n",
    "notice.csv": "from,to,what\n0,5,prep\n",
    "notes_list.txt": "1. download\n2. train\n3. run\n",
    "notes_dash.txt": "- download 3 files\n- train 5 epochs\n",
    "log2.txt": "2024-03-01 12:00:00,123 INFO start\n2024-03-01 12:00:01,000 INFO end\n",
    "log3.txt": "Epoch 1/10\n100/100 - loss: 0.4\n",
    "hf_config.json": '{"id2label": {"0": "a", "1": "b"}, "label2id": {"a": 0, "b": 1}, "architectures": ["X"], "layers": [2, 2, 2]}',
    "log.jsonl.txt": '{"epoch":1,"loss":0.3}\n{"epoch":2,"loss":0.1}\n',
    "log_list.json": '[{"epoch": 1, "loss": 0.5}, {"epoch": 1, "val_acc": 0.5}]',
    "curves.json": '{"loss": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], "val_loss": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]}',
    "remarks.txt": "# trained by 3 people\n% 2 models\n",
}
"""Called like no notes, whatever is in them."""
CALLED_LIKE_NOTES = {
    "notes.txt": "0 prep\n1 clip\n",
    "team.txt": "prep\nprep\nclip\n",
    "readme.txt": "Our phases\nframe_000001 calot triangle dissection\n",
    "method.txt": "prep 0\nprep 1\nclip 2\n",
    "description.txt": "hook 1 2 3 4\n",
    "log.txt": "epoch 1 loss 0.5\n1 2 3\n",
    "settings.txt": "1. prep\n1. prep\n2. clip\n",
    "requirements.txt": "12s calot triangle dissection\n40s clipping and cutting it\n",
    "results.csv": "epoch,frame,phase,loss\n30,0,1,0.2\n30,1,1,0.3\n",
    "metrics.csv": "iter,image,pred,label,acc,loss\n0,a_1,2,2,1,0.1\n1,a_2,2,2,1,0.2\n",
    "log.csv": "frame,phase\n0,1\n",
    "notes.csv": "epoch,loss\n1,0.5\n",
    "results.txt": "mAP 0.45\nsee the paper\n",
    "results.json": '{"lr": 0.1}',
    "params.json": '{"rows": ["968,4,0.6,0.1,0.4,0.4,0.9", "969,4,0.6,0.1,0.4,0.4,0.9"]}',
    "args.json": '{"csv": "frame,phase\\n0,1\\n1,1\\n2,2\\n"}',
    "opt.json": '{"phases": "0 0 0 1 1 1 2 2", "fps": 1}',
    "hyp.json": '{"grasper": {"x": 1, "y": 2, "w": 3, "h": 4}, "hook": {"x": 5, "y": 6, "w": 3, "h": 4}}',
    "config.json": '{"frame": 968, "clip": "op3", "tool": "grasper", "bbox": [1, 2, 3, 4], "conf": 0.9}',
    "a_config.json": '{"names": ["prep", "prep", "clip"]}',
    "settings.json": '{"AP": [1, 2, 3, 4, 5, 6, 7, 8, 9]}',
    "metrics.json": '[{"epoch": 30, "frame": 0, "phase": 1, "loss": 0.2}, {"epoch": 30, "frame": 1, "phase": 1, "loss": 0.3}]',
    "log.json": '[{"iter": 1, "frame": 968, "x": 1, "y": 2, "acc": 0.9}, {"iter": 2, "frame": 969, "x": 1, "y": 2, "acc": 0.9}]',
    "package.json": '{"0": "prep"}',
    "package.txt": "img003.png: 2,\nimg004.png: 1,\n",
    "changelog.txt": "frame a: yes, 2,\nframe b: no, 3,\n",
    "citation.txt": "Preparation: 00:10:00,\nCalot: 00:20:00,\n",
    "version.json": '{"a_000001.png": "prep"}',
    "environment.json": '{"boxes": [[1, 2], [3, 4]]}',
    "trainer_state.json": '{"log_history": [{"epoch": 1, "loss": 0.5, "pred": 1}]}',
    "notes.json": '["a", "b"]',
    "readme.json": "not JSON at all",
    "timing.json": '{"of": "\\u00a03 Calot\\n\\u00a04 Prep"}',
    "contact.txt": "| Calot | 3 |\n",
    "hyp.txt": "Grasper, 1,\nHook, 2,\n",
    "opt.txt": "Grasper;3;\nHook;5;\n",
    "args.txt": "Grasper, a=1, 2,\nHook, a=1, 3,\n",
}
ARE_NONE = {
    "notes.txt": "Trained by Anna.\nThe model is ours.\n",
    "log.txt": "[12:00:01] epoch 1 loss 0.5\n[12:00:02] epoch 2 loss 0.4\n",
    "results.csv": "epoch,loss,acc\n1,0.5,0.3\n2,0.4,0.4\n",
    "metrics.json": '{"map": 0.5, "ap50": 0.7, "per_class": {"grasper": 0.5, "hook": 0.6}}',
    "config.json": '{"model": "resnet", "classes": 7, "names": ["a", "b"], "optimizer": {"lr": 0.1, "betas": [0.9, 0.99]}}',
    "package.json": '{"name": "x", "version": "1", "dependencies": {"a": "1"}}',
    "trainer_state.json": '{"log_history": [{"epoch": 1.0, "loss": 0.3}, {"epoch": 2.0, "loss": 0.2}], "global_step": 20}',
    "args.json": '{"image_size": [640, 640], "steps": 100, "scores": true}',
    "README.txt": "Our method.\nLicence: CC BY 4.0\n1. Training\n2. Test\n",
    "LIESMICH.txt": "Unsere Methode.\nWir trainieren auf allen Videos.\n1. Training\n2. Test\n",
    "LICENSE.txt": "MIT License\n\nCopyright (c) 2024\n",
    "team.txt": "Our method\n",
    "description.txt": "Our method uses a Swin transformer with 3 stages.\nIt was trained for 30 epochs on 4 GPUs.\nWe submit run 2.\n",
    "requirements.txt": "torch==2.0\nnumpy>=1.2\nscipy\n",
    "params.json": '{"lr": 0.1, "batch": 8, "betas": [0.9, 0.999], "image_size": [640, 640]}',
    "Metrics.json": '{"iteration": 19, "lr": 0.0004, "total_loss": 1.2}\n{"bbox/AP": 34.5, "bbox/AP50": 55.1, "iteration": 39}\n',
    "method.txt": "Our network is a\nResNet50,\nand another one a\nv1,\n",
    "opt.json": '{"network": "Ours is a\\nResNet50,"}',
    "Results.csv": "epoch,train/box_loss,metrics/mAP50(B),x/lr0\n1,1.2,0.4,0.01\n",
}
YAML = {
    "settings": "lr: 0.1\nmodel:\n  name: unet\n",
    "choice": "classes: [0, 2]\nclass_weights: [0.5, 2]\nnum_classes: 2\nshow_labels: true\n",
    "number": "seed: 0\n",
    "count": "nc: 3\n",
    "one set to a number": "- fold=0\n",
    "arguments": "tool_args: [seed=0]\n",
    "set one by one": "- lr=0.1\n- model.depth=3\n",
    "labels of a container": "services:\n  app:\n    labels: [a=b]\n",
    "other words": "organs: [liver, gallbladder]\n",
}
MAY_NAME = {
    "names": "names: [a, b]\n",
    "one name": "names: a\n",
    "points": "kpt_shape: [7, 3]\n",
    "words": "class_names: a, b\n",
    "lines": "classes: |\n  a\n  b\n",
    "choice by number": "classes: {0: 1}\n",
    "map": "label_map: {a: 0, b: 0}\n",
    "deep": "a: {b: {names: [x]}}\n",
    "numbers": "0: a\n1: b\n",
    "by name": "a: 0\nb: 1\n",
    "list": "- a\n- b\n",
    "list, one set": "- a=1\n- b\n",
    "list by number": "- 0:a\n- 1:b\n",
    "set to its number": "- hook=0\n- grasper=1\n",
    "numbers set to their names": "- 0=hook\n- 1=grasper\n",
    "labels set to their numbers": "labels: [hook=0, grasper=1]\n",
    "categories": "categories:\n- id: 1\n  name: a\n",
    "thing_classes": "thing_classes: [hook, grasper]\n",
    "id2label": "id2label:\n  0: hook\n  1: grasper\n",
    "instruments": "instruments:\n- hook\n- grasper\n",
    "words for a class": "names: hook grasper\n",
    "below a word": "label_smoothing: {by: 0.1}\n",
    "capitals": "train:\n  Class_Names: [hook, grasper]\n",
    "in lists": "- of:\n  - categories: {0: hook}\n",
    "digits": "names: ['1', '2']\n",
    "one number": "0: hook\n",
    "by name from 1": "hook: 1\ngrasper: 2\n",
    "empty": "{}\n",
    "nothing": "# names\n",
    "broken": "names: [hook\n",
    "itself": "a: &a [*a]\n",
    "large": f"seed: 0\n#{' ' * (1 << 20)}\n",
}


def holds_no_labels(folder, name, text):
    (folder / name).write_text(text)
    return beside.holds_no_labels(folder / name, VIDEOS)


@each("name", MAY_BE_LABELS)
def test_what_may_be_labels_is_never_called_none(name, tmp_path):
    assert not holds_no_labels(tmp_path, name, MAY_BE_LABELS[name])


@each("name", CALLED_LIKE_NOTES)
def test_what_may_be_rows_is_never_called_none_by_its_name(name, tmp_path):
    assert not holds_no_labels(tmp_path, name, CALLED_LIKE_NOTES[name])


@each("name", ARE_NONE)
def test_prose_settings_metrics_and_logs_hold_no_labels(name, tmp_path):
    assert holds_no_labels(tmp_path, name, ARE_NONE[name])


@each("case", YAML | MAY_NAME)
def test_yaml_that_may_name_classes_is_no_settings(case, tmp_path):
    (tmp_path / "x.yaml").write_text((YAML | MAY_NAME)[case])
    assert beside.is_settings(tmp_path / "x.yaml") == (case in YAML)


def read(folder, name, text, videos):
    (data,) = EXAMPLES["cholect50"].values()
    (folder / "VID07.json").write_bytes(data)
    (folder / name).write_text(text)
    return reader.read_path(folder, None, reader.Options(), "instances", videos=videos)


@each("videos", [None, ("VID07", "VID68")])
@each("name", ["config.json", "PARAMS.json"])
def test_settings_beside_labels_are_left_out_and_named_also_of_ones_own(name, videos, tmp_path):
    reading = read(tmp_path, name, '{"lr": 0.1, "classes": 7}', videos)
    assert not sentences(reading.faults, "error")
    assert [file.name for file in reading.unread] == [name]


@each("videos", [None, ("VID07", "VID68")])
@each(
    "rows",
    [
        [{"clip": "VID68", "t": 968, "tool": 4, "xywh": [0.6, 0.1, 0.4, 0.4], "conf": 0.9}],
        {"lr": 0.1, "of": "VID07"},
        {"predictions": [0, 1]},
    ],
)
@each("name", ["extra.json", "box_timestamps.json", "readme_of_boxes.json"])
def test_rows_of_another_layout_beside_labels_are_refused_once_with_what_to_do(name, rows, videos, tmp_path):
    (said,) = sentences(read(tmp_path, name, json.dumps(rows), videos).faults, "error")
    assert f"{name}: no format knows what is in it (" in said
    assert "it is not known to be notes or settings; move it out of the folder if it holds no labels" in said


def test_a_file_that_looks_odd_but_can_be_read_is_read(tmp_path):
    (tmp_path / "ab_000001.txt").write_text("0 0.5 0.5 0.2 0.2\n")
    (tmp_path / "cd_000001.txt").write_text("\n")
    (tmp_path / "classes.txt").write_text("hook\n")
    reading = reader.read_path(tmp_path, None, reader.Options())
    assert not sentences(reading.faults, "error")
    assert [one.recording for one in reading.collection.recordings] == ["ab", "cd"]


def test_convert_names_what_it_left_out(tmp_path):
    (data,) = EXAMPLES["cholect50"].values()
    labels = tmp_path / "labels"
    labels.mkdir()
    (labels / "VID07.json").write_bytes(data)
    (labels / "config.json").write_text('{"lr": 0.1}')
    done = conversion.convert(conversion.ConversionRequest(labels, None, tmp_path / "out", "tables", reader.Options()))
    assert any("config.json: is not of the format cholect50, so it was not read" in note for note in done.notes)


@each("name", ["~$OSATS.xlsx", "~$labels.json"])
def test_the_lock_of_an_open_workbook_is_nothing(name, tmp_path):
    reading = read(tmp_path, name, "\0", None)
    assert (reading.form.name, sentences(reading.faults, "error"), dict(reading.unread)) == ("cholect50", (), {})


@each("name", ["classes.txt", "Classes.TXT", "CLASSES.txt"])
def test_a_list_of_classes_is_one_in_any_letters(name, tmp_path):
    (tmp_path / "ab01_000000.txt").write_text("0 0.5 0.5 0.2 0.2\n")
    (tmp_path / name).write_text("alpha\nbeta\n")
    reading = reader.read_path(tmp_path, None, reader.Options())
    assert reading.collection.recordings[0].vocabulary.instruments == ("alpha", "beta")
    assert not reading.faults


def test_a_second_list_of_classes_is_refused_by_the_name_that_it_has(tmp_path):
    (tmp_path / "ab01_000000.txt").write_text("0 0.5 0.5 0.2 0.2\n")
    (tmp_path / "classes.txt").write_text("alpha\nbeta\n")
    (tmp_path / "more").mkdir()
    (tmp_path / "more/Classes.TXT").write_text("beta\nalpha\n")
    (said,) = sentences(reader.read_path(tmp_path, None, reader.Options()).faults, "error")
    assert said.startswith(f"{tmp_path}/more/Classes.TXT: the classes are also named in {tmp_path}/classes.txt")
    assert said.endswith("keep one, or move it out of the folder")


def test_what_nobody_can_read_to_its_end_is_no_notes(tmp_path):
    (tmp_path / "settings.json").write_text('{"a":' * 900 + "1" + "}" * 900)
    assert not beside.holds_no_labels(tmp_path / "settings.json", VIDEOS)


NUMBERED = {
    "results.csv": ("epoch,train/box_loss,val/box_loss\n1,0.5,0.4\n3,0.4,0.3\n", True),
    "log.csv": ("epoch,loss\n1,0.5\n3,0.4\n", True),
    "notes.txt": ("Trained on 3 GPUs\n", True),
    "method.txt": ("Our phases\n3. prep\n", False),
    "description.txt": ("Video 1 Preparation\nVideo 3 Calot\n", False),
    "settings.txt": ("- case 3, Calot\n", False),
    "params.txt": ("Video no. 3 Calot\n", False),
    "opt.txt": ("| 3 | Calot |\n", False),
    "args.txt": ("|\u00a03 | Calot |\n", False),
    "hyp.txt": ("Video number \u2013 # 3 Calot\n", False),
    "timing.txt": ("video_id: 3 Calot\n", False),
    "runtime.txt": ("Fall 03 Calot\n", False),
    "contact.txt": ("Trial 7 Calot\n", False),
    "package.txt": ("Video 03.mp4 Preparation\n", False),
    "authors.txt": ("Video 03:Preparation\n", False),
    "changelog.txt": ("Case 03/left\nOp 01+left\n", False),
    "citation.txt": ("Case 03(left)\n", False),
    "config.txt": ("Videos 02-03 Preparation\n", False),
    "notice.txt": ("Video 03=Preparation\n", False),
    "train_log.txt": ("01:03:07 epoch 5 loss 0.5\n2024-01-03T12:00:01 epoch 6 loss 0.4\n", True),
    "environment.txt": ("7. Install it\n8. Run it\n", True),
    "metrics.txt": ("2024-05-03 epoch 5 loss 0.5\n", True),
    "version.txt": ("The list:\nlr: 0.1,\nbatch: 8,\nepochs: 10,\n", True),
    "team.txt": ("Team 3\nTrained 3 times\n", True),
    "a_config.txt": ("Video 3:05:10 Preparation\n", False),
    "parameters.txt": ("Case 07/04/0120 grasper\n", False),
    "log.txt": ("[00:03] epoch 1 loss 0.5\n", True),
    "metrics.csv": ("epoch,loss,video\n1,0.5,3\n", False),
}


@each("videos", [None, ("1", "3", "07")])
@each("name", NUMBERED)
def test_logs_and_notes_beside_tables_of_videos_that_are_called_by_numbers_are_left_out(name, videos, tmp_path):
    text, is_none = NUMBERED[name]
    suffix = name[-3:]
    for one in ("1", "3", "07"):
        rows = "frame,phase\n0,Preparation\n1,Preparation\n"
        (tmp_path / f"{one}.{suffix}").write_text(rows if suffix == "csv" else rows.replace(",", "\t"))
    (tmp_path / name).write_text(text)
    reading = reader.read_path(tmp_path, None, reader.Options(), "phases", videos=videos)
    assert [file.name for file in reading.unread] == [name] * is_none
    assert [bool(sentences(reading.faults, "error"))] == [not is_none]


def test_a_log_is_left_out_only_where_other_files_are_labels_and_never_where_a_video_is_called_so(tmp_path):
    (tmp_path / "log.csv").write_text("epoch,loss\n1,0.5\n")
    reading = reader.read_path(tmp_path, None, reader.Options(), "phases")
    assert sentences(reading.faults, "error")
    (tmp_path / "a.csv").write_text("frame,phase\n0,Preparation\n")
    assert [file.name for file in reader.read_path(tmp_path, None, reader.Options(), "phases").unread] == ["log.csv"]
    assert not reader.read_path(tmp_path, None, reader.Options(), "phases", videos=("a", "log")).unread


def test_a_number_with_zeros_that_begins_one_line_of_long_prose_is_a_video(tmp_path):
    prose = "\n".join(f"We looked at each film twice, line {one}." for one in "abcdefghijklmnopqrstuvwxyz")
    for name, row, is_none in (
        ("notes.txt", "03 Preparation to 0:10, then Clipping to 0:44", False),
        ("description.txt", "# 03 Clipping", False),
        ("team.txt", "- 03: hook", False),
        ("notes.txt", "03:10 we began", True),
        ("notes.txt", "03/05/2024 we began", True),
        ("notes.txt", "05 people looked", True),
    ):
        (tmp_path / name).write_text(f"{prose}\n{row}\n", encoding="utf-8")
        assert beside.holds_no_labels(tmp_path / name, ("01", "03")) is is_none, row
