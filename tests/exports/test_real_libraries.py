"""The programs that exports are for read them as they are (lerobot, which brings torch, where it is installed); nothing asks a network."""

from __future__ import annotations

from pathlib import Path

import pytest

import clips
import exported_release
from scrubin import cli
from scrubin.media.released.frame_files import picture

SHOWN = {
    (str(row["id"]), str(row["camera"]), int(str(row["frame"]))): str(row["path"])
    for row in exported_release.rows()["frames"]
    if row["path"] and not row["redacted"]
}


def export(release: Path, folder: Path, layout: str) -> Path:
    assert cli.main(["export", str(release), str(folder), "--to", layout]) == 0
    return folder


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_hugging_faces_library_reads_every_split_with_labels_and_pictures(release, tmp_path, monkeypatch):
    for name, value in {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(tmp_path / "home")}.items():
        monkeypatch.setenv(name, value)
    import datasets

    folder = str(export(release, tmp_path / "hf", "huggingface"))
    assert len(datasets.get_dataset_config_names(folder)) == 8

    def load(*what: str) -> object:
        return datasets.load_dataset(folder, *what, cache_dir=str(tmp_path / "cache"))

    assert {split: set(rows["id"]) for split, rows in load("frames_balanced").items()} == {
        "train": {"abelo", "borunga"},
        "in_domain_test": {"cimeto"},
    }
    every = load("frames_all")["full"]
    assert every[0]["image"].size == (32, 16)
    as_files = every.cast_column("image", datasets.Image(decode=False))
    assert {(row["id"], row["camera"], row["frame"]): row["image"]["bytes"] for row in as_files} == {
        key: picture(release, path) for key, path in SHOWN.items()
    }
    instances = {(row["id"], row["frame"]): row["instances"] for row in as_files}
    assert instances[exported_release.NO_INSTRUMENT] == []
    assert instances[exported_release.UNLABELLED] is None
    scores = {row["id"]: row for row in load("recordings_five_0")["train"]}
    assert (scores["abelo"]["GRS"], scores["abelo"]["efficiency"], scores["cimeto"]["GRS"]) == (0.1 + 0.2, None, None)


@pytest.mark.filterwarnings("ignore")
def test_webdataset_reads_every_subset(release, tmp_path):
    import webdataset

    folder = export(release, tmp_path / "wds", "webdataset")
    tars = [str(folder / name) for name in (folder / "splits/all/full.txt").read_text().split()]
    read = list(webdataset.WebDataset(tars, shardshuffle=False).decode("rgb8"))
    assert {(one["json"]["id"], one["json"]["camera"], one["json"]["frame"]) for one in read} == set(SHOWN)
    assert all(one["jpg"].shape == (16, 32, 3) for one in read)
    assert [one["cls"] for one in read if "cls" in one] == [0, 0]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_lerobot_reads_every_episode_with_pictures_scores_and_what_is_hidden(release, tmp_path, monkeypatch):
    for name, value in {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "home")}.items():
        monkeypatch.setenv(name, value)
    lerobot = pytest.importorskip("lerobot.datasets.lerobot_dataset")
    tables = exported_release.rows()
    tables["videos"] = [row | {"width": 96, "height": 64, "fps": "30000/1001"} for row in tables["videos"]]
    filmed = exported_release.write(tmp_path / "filmed", tables)
    for row in tables["videos"]:
        clips.clip(filmed / str(row["path"]), seconds=1, fps="30000/1001", more=("-pix_fmt", "yuv420p"))
    for folder in export(filmed, tmp_path / "lerobot", "lerobot").iterdir():
        data = lerobot.LeRobotDataset("a/study", root=folder, video_backend="pyav")
        for number in (0, 1, 29, len(data) - 1):
            frame = data[number]
            recording = data.meta.episodes[int(frame["episode_index"])]["recording"]
            for key in data.meta.camera_keys:
                (path,) = filmed.glob(f"videos/*/{key.split('.')[-1]}/{recording}.mkv")
                wanted = clips.pictures(path, (96, 64))[int(frame["frame_index"])]
                assert abs(frame[key].permute(1, 2, 0).numpy() * 255 - wanted).max() < 8
            assert not frame["hidden"]
            assert frame["task"] == exported_release.TASKS[recording]
