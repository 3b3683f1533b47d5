"""Which texts beside labels are notes, and which may hold labels, beside videos called by names and by numbers.

All are called like notes, so that their content alone decides.
"""

import json
import time

from each import each
from scrubin.labels.files import beside

NAMED = ("VID68", "VID70")
NUMBERED = ("01", "02", "03", "05", "07", "10", "12")
PLAIN = ("1", "2", "3", "5", "7", "10", "12")
NOTES = (
    # settings
    ("hyp.txt", "beta1: 0.9,\nbeta2: 0.999,\nlr0: 0.01,\n"),
    ("hyp.txt", "lr0: 0.01,\nlr1: 0.1,\nbatch: 8,\n"),
    ("hyp.txt", "stage1.lr: 0.1,\nstage2.lr: 0.1,\n"),
    ("hyp.txt", "lr: 0.1 ,\nbatch: 8 ,\n"),
    ("hyp.txt", "train: 0:10,\nval: 0:20,\n"),
    ("hyp.txt", "lr0: 0.01\nlrf: 0.1\nmomentum: 0.937\nweight_decay: 0.0005\nwarmup_epochs: 3.0\nbox: 7.5\ncls: 0.5\n"),
    ("config.txt", "lr = 0.01\nbatch = 8\nepochs = 50\nseed = 42\n"),
    ("config.txt", "[model]\nname = tecno\nstages = 2\n\n[optim]\nlr = 1e-4\nbeta1 = 0.9\nbeta2 = 0.999\n"),
    ("config.txt", "Learning rate: 0.001\nBatch size: 16\nEpochs: 50\nGPUs: 2\n"),
    ("config.txt", "TRAIN:\n  LR: 0.1\n  EPOCHS: 50\nMODEL:\n  NAME: resnet\n  LAYERS: 50\n"),
    ("settings.txt", "fps: 25,\nsize: 640,\nnms: 0.5,\n"),
    ("params.txt", "window=64,\nstride=8,\nlayers=10,\n"),
    ("args.txt", "Namespace(lr=0.001, epochs=50, batch_size=8, fold=1, data='/data', seed=1)\n"),
    ("args.txt", "--fold=1 --lr=0.01\n"),
    ("cmd_args.txt", "python train.py --lr 0.001 --epochs 50 --gpu 0\n"),
    ("opt.txt", "------ Options -----\nbatch_size: 1\nbeta1: 0.5\ncheckpoints_dir: ./checkpoints\nlr: 0.0002\n------ End ------\n"),
    ("metrics.txt", "Accuracy: 0.91\nPrecision: 0.85\nRecall: 0.86\nJaccard: 0.75\n"),
    ("requirements.txt", "torch==1.10.2\nnumpy>=1.21,<2\nopencv-python==4.5.5.64\nabsl-py==2.1.0\npandas\n"),
    ("environment.txt", "Python 3.10.12\nCUDA 11.8\nPyTorch 2.1.0\nGPU: NVIDIA A100\n"),
    ("citation.txt", "@article{muster2024,\n  title={Phases},\n  year={2024},\n  volume={12},\n  pages={1--10}\n}\n"),
    ("citation.txt", "Muster, A.: Phases. In: LNCS, pp. 12-20 (2023)\nhttps://doi.org/10.1000/12345\n"),
    ("config.json", '{"model": {"name": "tecno", "stages": 2, "layers": 8}, "optim": {"lr": 0.001}, "fps": 1, "seed": 5}'),
    ("args.json", '{"lr": 0.001, "gpu": [0, 1], "data": "/data/videos", "fold": 1, "resume": null}'),
    ("package.json", '{"name": "ours", "version": "1.2.3", "scripts": {"test": "jest"}, "dependencies": {"react": "^18.2.0"}}'),
    ("wandb-summary.json", '{"_runtime": 123.4, "_step": 12, "_timestamp": 1714723200.1, "epoch": 3, "val_acc": 0.9}'),
    # logs
    ("log.txt", "time=2024-05-03T12:00:00 epoch=1 loss=0.5\n"),
    ("log.txt", "[00:03] epoch 1 loss 0.5\n"),
    ("log.txt", "Epoch 1: train loss 1.20, val loss 1.10\nEpoch 2: train loss 0.90, val loss 0.95\n"),
    ("log.txt", "2024-05-03 12:00:01,123 - train - INFO - epoch 1 loss 0.5\n2024-05-03 12:10:01,123 - train - INFO - epoch 2 loss 0.4\n"),
    ("log.txt", "2024-05-03 12:00:01 INFO Loading\n2024-05-03 12:00:05 INFO epoch 1 loss 0.5\n2024-05-03 12:01:09 WARNING slow\n"),
    ("log.txt", "[2024-05-03 12:00:01] epoch: 1/50 loss: 0.51\n[2024-05-03 12:05:01] epoch: 2/50 loss: 0.42\n"),
    ("log.txt", "I0503 12:00:01.123456 1234 train.py:88] epoch 1 loss 0.5\nI0503 12:02:01.123456 1234 train.py:88] epoch 2 loss 0.4\n"),
    ("train_log.txt", "epoch=1 step=100 loss=0.51 lr=0.001\nepoch=2 step=200 loss=0.43 lr=0.001\n"),
    ("train_log.txt", "[ 3/50] epoch time 12s loss 0.5\n[ 5/50] epoch time 12s loss 0.4\n"),
    # dates and versions
    ("notes.txt", "Date:2024-05-03\nTrained by Anna\n"),
    ("notes.txt", "(c)2024-05-03\n"),
    ("notes.txt", "Session 2024-05-03\n"),
    ("notes.txt", "Recording 2024-05-03 is missing\n"),
    ("notes.txt", "Total time 01:12:33 on our server\n03.05.2024\n"),
    ("version.txt", "v1.02\n"),
    ("version.txt", "v1.07\n"),
    ("version.txt", "v2024.05.03\n"),
    ("version.txt", "model-2024.05.03\n"),
    ("version.txt", "1.0.3\n"),
    ("changelog.txt", "v1.02: better\nv1.03: faster\n"),
    ("changelog.txt", "## [1.2.0] - 2024-05-03\n### Fixed\n- the last frame\n\n## [1.1.0] - 2024-04-01\n### Added\n- smoothing\n"),
    ("changelog.txt", "2024-05-03 second submission\n2024-04-12 first submission\n"),
    # prose
    ("readme.txt", "# Ours\n# 1\nText.\nMore text.\n"),
    ("readme.txt", "# Ours\n\n## 1 Installation\n\n    pip install .\n\n## 2 Method\n\nA ResNet.\n\n## 3 Inference\n\nRun `test.py`.\n"),
    ("readme.txt", "A\nreadme\nof\nten\nshort\nlines:\n=> 5 folds\nof all\nour\ndata\n"),
    (
        "readme.txt",
        "Team Endo\n=========\n\nContact: anna@example.org\nFrames are sampled at 1 fps.\n* 2 models\n* ours\n\nof\nten\nlines\nand\none\n",
    ),
    ("license.txt", "Attribution 4.0\n\nSection 1 - Definitions.\n\na. Adapted Material means ...\n\nSection 2 - Scope.\n"),
    ("description.txt", "Our network has 3 stages.\nIt was trained for 30 epochs on 4 GPUs.\nWe submit run 2.\n"),
    ("team.txt", "Team name: SurgNet\nMembers: Anna Muster, Ben Muster\nE-mail: a@example.org\n"),
)
ROWS_OF_NUMBERED = (
    "1:02/grasper\n1:03/hook\n2:01/grasper\n",
    "07:12_clipping\n07:44_cutting\n",
    "03:10:Preparation\n",
    "03:10=Preparation\n",
    "[03:10]Preparation\n",
    "03:05:10_clipping\n",
    "03.12_Calot\n05.13_Calot\n",
    "Case 07/04/0120\n",
    "Video 3:05:10\n",
    "Case3: complete\nCase5: incomplete\n",
    "01/grasper\n01/hook\n02/grasper\n",
    "left/3 Calot\nright/5 Calot\n",
    "2024-05-03/3 Calot\n",
    "[2024-05-03] 3 Calot\n",
    "2024-05-03 - 3 Calot\n",
    "_ 3 Calot\n",
    "| Video | Phase |\n| --- | --- |\n| 3 | Calot |\n| 5 | Preparation |\n",
    "Video 3: Preparation 0-120, Calot 121-400\n",
    "## Video 3\ncomplete\n## Video 5\nincomplete\n",
    "Labels\n# 3 Calot\n# 5 Preparation\n",
    "3.mp4\tgood\n5.mp4\tbad\n",
    "video=3 phase=Calot\nvideo=5 phase=Preparation\n",
    "id: 3\nphase: Calot\n",
    "layers/3=Calot\n",
    '{"video": "3", "epoch": 5, "loss": 1}\n',
)
ROWS = (
    "Grasper: 1,\nHook: 0,\n",
    "Calot = 3;\nPreparation = 5;\n",
    "grasper: 1\nhook: 0\n",
    "frame12: 1,\nframe13: 2,\n",
    "img003.png: 2,\nimg004.png: 1,\n",
    "val_012: 3,\nval_013: 2,\n",
    "train_a.png: 3,\ntrain_b.png: 2,\n",
    "Size: 3\nGrasper: 1\nHook: 0\n",
    "frame 0: grasper, hook\nframe 25: grasper\n",
    "t=0 Preparation\nt=130 Calot\n",
    "frame=1 phase=2\nframe=2 phase=2\n",
    "INFO frame 1 epoch 2\nINFO frame 2 loss 2\n",
    "12:00:01 INFO grasper in\n12:00:09 INFO grasper out\n",
    "00:00 Preparation\n02:10 Calot\n",
    "- [02:10] Calot\n- [10:10] clipping\n",
    "00:00:00 - 00:02:10 Preparation\n",
    "Preparation: 00:00:00\nCalot: 00:02:10\n",
    "Preparation,0,120\nCalot,121,400\n",
    "0-120 Preparation\n121-400 Calot\n",
    "2024-05-03 12:00:05 grasper enters\n",
    "2024-05-03 Calot\n2024-05-04 Hook\n",
    "2024-05-03 = 12 = Calot\n",
    "12s 2024-05-03\n130s 2024-05-04\n",
    "frame_000012.png 2024-05-03\n",
    "grasper:1\nhook:0\n",
    "Calot=0.12\nHook=3.05\n",
    "2024-05-03T12:00:05 grasper enters\n",
    "07/04/2012 grasper\n07/04/2013 hook\n",
    "1.2 grasper\n1.3 hook\n",
    "12.5s grasper enters\n",
    "P1\nP1\nP2\nP2\nP3\n",
    "# frame phase\n0 1\n25 1\n",
    "A\nreadme\nof\nten\nshort\nlines\nand\nall\nphases:\n0 0 0 1 1 1 2 2\n",
    "epoch 1 loss 0.5\n" * 3 + "12 Calot\n",
    "VID68 Preparation, VID70 Calot, 01 02 03\n",
)
IN_DOUBT = (
    "* 2 stages\n* 8 layers\n",
    "epoch loss acc\n1 0.5 0.7\n",
    "alpha_one: 0.5\ntau: 2\n",
    "1.1.0 (May)\n- fixed\n1.0.0 (April)\n- first\n",
)
"""Notes that might be rows: a curator moves them away."""
JSON_OF_NUMBERED = (
    {"case": 3, "rating": 5},
    {"videos": [4, 3]},
    {"of": "3 Calot"},
    {"left/3": "Calot"},
    {"a": {"patient_id": "03"}},
    {"a": ["Calot of all", "3: Calot"]},
)


def holds_no_labels(folder, name, text, videos):
    (folder / name).write_text(text)
    return beside.holds_no_labels(folder / name, videos)


@each("videos", [NAMED, NUMBERED, PLAIN])
@each("name, text", NOTES)
def test_notes_are_left_out_however_videos_are_called(name, text, videos, tmp_path):
    assert holds_no_labels(tmp_path, name, text, videos)


@each("videos", [NUMBERED, PLAIN])
@each("text", ROWS + ROWS_OF_NUMBERED)
def test_rows_that_number_videos_are_never_notes(text, videos, tmp_path):
    assert not any(holds_no_labels(tmp_path, name, text, videos) for name in ("notes.txt", "log.txt"))


@each("text", ROWS + IN_DOUBT)
def test_rows_that_name_no_video_are_never_notes(text, tmp_path):
    assert not any(holds_no_labels(tmp_path, name, text, NAMED) for name in ("notes.txt", "log.txt"))


@each("videos", [NUMBERED, PLAIN])
@each("value", JSON_OF_NUMBERED)
def test_json_that_numbers_videos_is_never_settings(value, videos, tmp_path):
    assert not holds_no_labels(tmp_path, "config.json", json.dumps(value), videos)


def test_the_numbers_of_a_list_are_videos_only_as_these_are_written(tmp_path):
    text = "1. complete\n2. incomplete\n"
    assert holds_no_labels(tmp_path, "notes.txt", text, NUMBERED)
    assert not holds_no_labels(tmp_path, "notes.txt", text, PLAIN)


LONG = (
    "1",
    "1.",
    "a1",
    "1:",
    "_",
    "no ",
    "[",
    "2024-05-03",
    "a=",
    "1.a",
    ",",
    " ",
    "- ",
    "v1.",
    "1.1!",
    "x://",
    "a",
    "T1:00",
    "#",
    "1e",
    "--",
)


@each("part", LONG)
def test_a_long_line_is_read_at_once(part, tmp_path):
    began = time.process_time()
    holds_no_labels(tmp_path, "log.txt", f"x\n{part * 20_000}!\n", PLAIN)
    assert time.process_time() - began < 1
