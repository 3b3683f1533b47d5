"""What lies beside labels: in doubt it is labels, and what is known to be none is left out and named."""

import json

from each import each
from fault_lines import sentences
from label_examples import EXAMPLES
from scrubin.labels.files import beside, reader

VIDEOS = ("VID68", "VID70")
MAY_BE_LABELS = {
    "frames.json": '{"frames": {"0": [1, 2]}}',
    "videos_nested.json": '{"results": {"a": {"0": [[1, 2, 3, 4]]}}}',
    "bynum.json": '{"0": 1, "1": 2}',
    "list_phase.json": '{"predictions": [1, 2, 3]}',
    "pred_short.json": '{"pred": [0, 0, 1, 1, 2]}',
    "output.json": '{"output": [0, 0, 1, 1, 2]}',
    "y.json": '{"y": [0, 0, 1, 1, 2, 2, 2]}',
    "list.json": "[0, 0, 1, 1, 2, 2]",
    "names_list.json": '["prep", "prep", "clip"]',
    "names_list_diff.json": '["prep", "clip", "cut"]',
    "data.json": '{"data": [0, 1, 1, 2]}',
    "bbox3.json": "[[1, 2, 3], [1, 2, 3]]",
    "onebox.json": '{"a": [[1, 2, 3, 4]]}',
    "dets.json": '{"detections": [{"x": 1, "y": 2, "w": 3, "h": 4, "cls": 1}]}',
    "dets_other.json": '{"out": [{"x": 1, "y": 2, "w": 3, "h": 4, "cls": 1}]}',
    "dets_list.json": '[{"x": 1, "y": 2, "w": 3, "h": 4, "cls": 1}, {"x": 1, "y": 2, "w": 3, "h": 4, "cls": 2}]',
    "step_list.json": '[{"step": 1, "t": 0}, {"step": 2, "t": 1}]',
    "time_step.json": '[{"time": 0, "step": "incision"}, {"time": 1, "step": "suture"}]',
    "time_ph.json": '{"rows": [{"t": 0, "surgical_phase": "a"}, {"t": 1, "surgical_phase": "b"}]}',
    "start_end.json": '{"events": [{"start": 0, "end": 5, "name": "prep"}, {"start": 5, "end": 9, "name": "clip"}]}',
    "spans.json": '[{"start": 0, "end": 5, "action": "prep"}, {"start": 5, "end": 9, "action": "clip"}]',
    "intervals.json": '{"prep": [0, 5], "clip": [5, 9]}',
    "intervals2.json": '{"prep": [[0, 5], [9, 12]], "clip": [[5, 9]]}',
    "jsonl.jsonl": '{"frame":0,"phase":1}\n{"frame":1,"phase":1}\n',
    "jl.txt": '{"t":0,"p":1}\n{"t":1,"p":1}\n',
    "phases.txt": "0\n0\n1\n2\n",
    "namesonly.txt": "prep\nprep\nclip\n",
    "phase_frame.txt": "prep 0\nprep 1\nclip 2\n",
    "named_first.csv": "prep,0\nprep,1\nclip,2\n",
    "spans.csv": "prep,0,5\nclip,5,9\n",
    "ts.txt": "00:00:01 prep\n00:00:09 clip\n00:01:00 cut\n",
    "ts2.csv": "start,end,name\n00:00:01,00:00:05,prep\n00:00:09,00:01:00,clip\n",
    "ts3.csv": "from,to,what\n0,5,prep\n5,9,clip\n",
    "hashed.csv": "#frame,phase\n0,1\n1,1\n",
    "head2.csv": "t,y\n0,1\n1,1\n",
    "head_prob.csv": "t,p0,p1\n0,0.1,0.9\n1,0.2,0.8\n",
    "img.csv": "img,cls,x,y,w,h\na.jpg,1,1,2,3,4\n",
    "title.csv": "Phases of the operation\nframe,phase\n0,1\n1,1\n2,1\n",
    "titles.csv": "Phases\nby Anna\nrated twice\nsee paper\nframe,phase\n0,1\n1,1\n2,1\n",
    "bild.csv": "Bild,Phase\n0,prep\n1,prep\n",
    "bild2.csv": "Bild;Abschnitt\n0;prep\n1;prep\n",
    "marked.txt": "% comment\nprep\nprep\n",
    "per.csv": "name,start\nprep,0\nclip,5\ncut,9\n",
    "items.txt": "1. prep\n1. prep\n2. clip\n",
    "scores.csv": "score,mask\n0.3,a\n",
    "yaml_scores.json": '{"scores": [0.1, 0.2]}',
    "sc2.json": '[{"score": 0.1, "cls": 1}, {"score": 0.3, "cls": 2}]',
    "nested_vals.json": '{"a": {"b": [0, 0, 0, 1, 1, 1]}}',
    "confusion.json": '{"confusion": [[1, 2, 3, 4], [1, 2, 3, 4]]}',
    "notes_date.txt": "2024-03-01 trained the model\n2024-03-02 predicted\n",
    "metrics2.json": '{"AP": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]}',
    "names.json": '["a", "b", "c"]',
    "speed.txt": "fps: 25\nlatency: 12 ms\n",
    "summary.txt": "Accuracy 0.85\nJaccard 0.6\n",
    "frame_words.txt": "frame_000001 calot triangle dissection\nframe_000002 calot triangle dissection in part\n",
    "long_names.csv": "calot triangle dissection,0\nclipping and cutting it,5\n",
    "long_names.txt": "calot triangle dissection\ncalot triangle dissection\nclipping and cutting it\n",
    "items_repeated.txt": "- prep\n- prep\n- clip\n",
    "title_rows.txt": "Trained by Anna and others.\n0 1 calot triangle dissection\n",
    "epochs.csv": "epoch,phase\n0,1\n1,1\n",
    "steps.csv": "frame,step,acc\n0,1,0.5\n1,1,0.5\n",
    "log_with_rows.json": '[{"epoch": 1, "loss": 0.5, "pred": [0, 1]}]',
    "log_of_some.json": '[{"epoch": 1, "loss": 0.5}, {"frame": 1, "phase": 2}]',
    "pictures.json": '{"a_000001.png": 1, "b_000001.png": 2}',
    "numbered.json": '{"f1": 1, "f2": 1, "f3": 2}',
    "mixed.json": '{"by": "us", "at": "x", "on": "y", "rows": ["prep", 0, "clip"]}',
    "deep.json": '{"by": "us", "rows": [[0, "prep"]]}',
    "names_video.json": '{"lr": 0.1, "VID68": 2}',
    "says_video.json": '{"lr": 0.1, "of": ["a", "vid68_000001"]}',
    "says_video.txt": "Trained by Anna, without VID70.\n",
    "empty.json": "{}",
    "nothing.txt": "\n",
}
ARE_NONE = {
    "notes.txt": "Trained by Anna.\nThe model is ours.\n",
    "notes_list.txt": "1. download\n2. train\n3. run\n",
    "notes_paren.txt": "1) download\n2) train\n",
    "notes_dash.txt": "- download 3 files\n- train 5 epochs\n",
    "log.txt": "[12:00:01] epoch 1 loss 0.5\n[12:00:02] epoch 2 loss 0.4\n",
    "log2.txt": "2024-03-01 12:00:00,123 INFO start\n2024-03-01 12:00:01,000 INFO end\n",
    "log3.txt": "Epoch 1/10\n100/100 - loss: 0.4\n",
    "results.csv": "epoch,loss,acc\n1,0.5,0.3\n2,0.4,0.4\n",
    "metrics.json": '{"map": 0.5, "ap50": 0.7, "per_class": {"grasper": 0.5, "hook": 0.6}}',
    "config.json": '{"model": "resnet", "classes": 7, "names": ["a", "b"], "optimizer": {"lr": 0.1, "betas": [0.9, 0.99]}}',
    "package.json": '{"name": "x", "version": "1", "dependencies": {"a": "1"}}',
    "hf_config.json": '{"id2label": {"0": "a", "1": "b"}, "label2id": {"a": 0, "b": 1}, "architectures": ["X"], "layers": [2, 2, 2]}',
    "trainer_state.json": '{"log_history": [{"epoch": 1.0, "loss": 0.3}, {"epoch": 2.0, "loss": 0.2}], "global_step": 20}',
    "args.json": '{"image_size": [640, 640], "steps": 100, "scores": true}',
    "log.jsonl.txt": '{"epoch":1,"loss":0.3}\n{"epoch":2,"loss":0.1}\n',
    "log_list.json": '[{"epoch": 1, "loss": 0.5}, {"epoch": 1, "val_acc": 0.5}]',
    "curves.json": '{"loss": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], "val_loss": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]}',
    "remarks.txt": "# trained by 3 people\n% 2 models\n",
    "heading.txt": "Our method\nIt is described in the paper.\n",
    "columns.txt": "epoch	train/box_loss\n1	0.5\n",
    "blocks.json": '{"by": "us", "of": {"sizes": [640, 640]}, "at": "x", "none": {}, "names": ["a", "b", "c", "d"]}',
}
YAML = {
    "settings": "lr: 0.1\nmodel:\n  name: unet\n",
    "choice": "classes: [0, 2]\nclass_weights: [0.5, 2]\nshow_labels: true\n",
    "count": "nc: 3\n",
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
    "categories": "categories:\n- id: 1\n  name: a\n",
}


def holds_no_labels(folder, name, text):
    (folder / name).write_text(text)
    return beside.holds_no_labels(folder / name, VIDEOS)


@each("name", MAY_BE_LABELS)
def test_what_may_be_labels_is_never_called_none(name, tmp_path):
    assert not holds_no_labels(tmp_path, name, MAY_BE_LABELS[name])


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
@each("name", ["config.json", "requirements.json"])
def test_settings_beside_labels_are_left_out_and_named_also_of_ones_own(name, videos, tmp_path):
    reading = read(tmp_path, name, '{"lr": 0.1, "classes": 7}' if name == "config.json" else "torch==2.0", videos)
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
def test_rows_of_another_layout_beside_labels_are_refused(rows, videos, tmp_path):
    assert any("extra.json" in one for one in sentences(read(tmp_path, "extra.json", json.dumps(rows), videos).faults, "error"))


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
