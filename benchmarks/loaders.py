"""Loading a release side by side: our data sets, bare loops of decoders, and other programs, in turn.

``python benchmarks/loaders.py RELEASE [--kind clips] [--workers 4]`` prints per reader items per second (median and
least) and, with workers, the memory of all processes at their peak. Readers that are not installed are left out.
Frames: `bare-turbojpeg` and `bare-opencv` read and decode the same files. Clips: random windows of 16 frames, the
numbers of which every reader has been told beforehand, except ours, which finds them.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

SEED = 5
CLIP_FRAMES = 16
Reader = Callable[[Any, Sequence[int]], Iterator[Any]]
MODULES = {"opencv": "cv2", "pyav": "av"}
"""Of readers that are not called as their module is."""


def files_of(release: Any) -> list[Path]:
    rows = release.frames().rows
    return [release.folder / path for path in rows.path.to_pylist()]


def ours_frames(release: Any, indices: Sequence[int]) -> Iterator[Any]:
    dataset = release.frames(labels=labels_of(release))
    for index in indices:
        yield dataset[index]["image"]


def bare_turbojpeg(release: Any, indices: Sequence[int]) -> Iterator[Any]:
    import turbojpeg

    paths, library = files_of(release), turbojpeg.TurboJPEG()
    for index in indices:
        with open(paths[index], "rb") as file:  # noqa: PTH123 - as bare as it gets
            yield library.decode(file.read(), pixel_format=turbojpeg.TJPF_RGB)


def bare_opencv(release: Any, indices: Sequence[int]) -> Iterator[Any]:
    import cv2

    paths = [str(path) for path in files_of(release)]
    for index in indices:
        yield cv2.imread(paths[index], cv2.IMREAD_COLOR_RGB)


def webdataset_shards(release: Any, indices: Sequence[int]) -> Iterator[Any]:
    import webdataset

    shards = [str(path) for path in sorted(release.folder.glob("frames/*/*/*.tar"))]
    whole = webdataset.WebDataset(shards, shardshuffle=False).decode("rgb8").to_tuple("jpg")
    for _, (picture,) in zip(indices, whole, strict=False):
        yield picture


def clips_of(release: Any, fps: str) -> Any:
    return release.clips(length_s=str(CLIP_FRAMES) + "/" + fps, stride_s=1, fps=fps)


def ours_clips(release: Any, indices: Sequence[int], fps: str) -> Iterator[Any]:
    dataset = clips_of(release, fps)
    for index in indices:
        yield dataset[index]["images"]


def told_clips(release: Any, indices: Sequence[int], fps: str) -> Iterator[tuple[str, list[int]]]:
    """Yield video and numbers of the frames of each clip."""
    dataset = clips_of(release, fps)
    for index in indices:
        video, number = dataset.videos[int(dataset.video[index])], int(dataset.number[index])
        yield str(video.folder / video.path), video.numbers_at(dataset.window.times_s(number)).tolist()


def torchcodec_clips(clips: list[tuple[str, list[int]]], threads: int) -> Iterator[Any]:
    from torchcodec.decoders import VideoDecoder

    opened: dict[str, Any] = {}
    for path, numbers in clips:
        if path not in opened:
            opened[path] = VideoDecoder(path, seek_mode="exact", dimension_order="NHWC", num_ffmpeg_threads=threads)
        yield opened[path].get_frames_at(numbers).data.numpy()


def decord_clips(clips: list[tuple[str, list[int]]], threads: int) -> Iterator[Any]:
    import decord

    opened: dict[str, Any] = {}
    for path, numbers in clips:
        if path not in opened:
            opened[path] = decord.VideoReader(path, num_threads=threads)
        yield opened[path].get_batch(numbers).asnumpy()


def opencv_clips(clips: list[tuple[str, list[int]]], threads: int) -> Iterator[Any]:
    import cv2

    opened: dict[str, Any] = {}
    for path, numbers in clips:
        if path not in opened:
            opened[path] = cv2.VideoCapture(path, cv2.CAP_FFMPEG, [cv2.CAP_PROP_N_THREADS, threads])
        capture = opened[path]
        capture.set(cv2.CAP_PROP_POS_FRAMES, numbers[0])
        pictures = []
        for number in range(numbers[0], numbers[-1] + 1):
            capture.grab()
            if number in numbers:
                pictures.append(cv2.cvtColor(capture.retrieve()[1], cv2.COLOR_BGR2RGB))
        yield np.stack(pictures)


def pyav_clips(clips: list[tuple[str, list[int]]], threads: int) -> Iterator[Any]:
    """Seek to the key frame before, decode everything up to the last frame: what most loaders do."""
    import av

    opened: dict[str, Any] = {}
    for path, numbers in clips:
        if path not in opened:
            container = av.open(path)
            container.streams.video[0].thread_type = "AUTO"
            container.streams.video[0].codec_context.thread_count = threads
            times = sorted(packet.pts for packet in container.demux(video=0) if packet.size)
            opened[path] = container, times
        container, times = opened[path]
        wanted = [times[number] for number in numbers]
        container.seek(wanted[0], stream=container.streams.video[0])
        pictures: list[Any] = []
        for frame in container.decode(video=0):
            if frame.pts in wanted:
                pictures.append(frame.to_ndarray(format="rgb24"))
            if frame.pts >= wanted[-1]:
                break
        yield np.stack(pictures)


CLIPS = {"torchcodec": torchcodec_clips, "decord": decord_clips, "bare-opencv": opencv_clips, "pyav": pyav_clips}
FRAMES = {"ours": ours_frames, "bare-turbojpeg": bare_turbojpeg, "bare-opencv": bare_opencv, "webdataset": webdataset_shards}


def labels_of(release: Any) -> list[str]:
    return ["triplets", "phases", "skill"] if "triplets" in release.tables else []


def indices_of(dataset: Any, arguments: argparse.Namespace) -> list[int]:
    """Return which items are read: at random, or one after the other."""
    if arguments.order == "sequential":
        return list(range(min(arguments.items, len(dataset))))
    return [int(index) for index in np.random.default_rng(SEED).permutation(len(dataset))[: arguments.items]]


def in_turn(arguments: argparse.Namespace, readers: Sequence[str]) -> dict[str, list[dict[str, float]]]:
    """Let all readers read a chunk of the same items each, then the next chunk: other load hits all of them alike."""
    import scrubin.load

    os.environ["SCRUBIN_DECODER_THREADS"] = str(arguments.threads)  # ours would take all cores
    release = scrubin.load.Release(arguments.release)
    indices = indices_of(release.frames() if arguments.kind == "frames" else clips_of(release, arguments.fps), arguments)
    told = list(told_clips(release, indices, arguments.fps)) if arguments.kind == "clips" else []
    running: dict[str, Iterator[Any]] = {}
    for reader in readers:
        if arguments.kind == "frames":
            running[reader] = FRAMES[reader](release, indices)
        elif reader == "ours":
            running[reader] = ours_clips(release, indices, arguments.fps)
        else:
            running[reader] = CLIPS[reader](told, arguments.threads)
    speeds: dict[str, list[dict[str, float]]] = {reader: [] for reader in readers}
    chunk = len(indices) // (arguments.rounds + 1)
    for number in range(arguments.rounds + 1):
        for reader in readers if number % 2 else readers[::-1]:
            started = time.perf_counter()
            for _ in range(chunk):
                assert next(running[reader]).dtype == np.uint8
            if number:  # the first chunk opens files
                speeds[reader].append({"per_s": chunk / (time.perf_counter() - started)})
    return speeds


class Told:
    """Clips of another reader as a data set."""

    def __init__(self, reader: str, clips: list[tuple[str, list[int]]]) -> None:
        self.reader, self.clips = reader, clips
        self.opened: dict[str, Any] = {}

    def __len__(self) -> int:
        return len(self.clips)

    def __getitem__(self, index: int) -> Any:
        path, numbers = self.clips[index]
        if self.reader == "torchcodec":
            from torchcodec.decoders import VideoDecoder

            if path not in self.opened:
                self.opened[path] = VideoDecoder(path, seek_mode="exact", dimension_order="NHWC")
            return self.opened[path].get_frames_at(numbers).data
        import decord

        if path not in self.opened:
            self.opened[path] = decord.VideoReader(path, num_threads=1)
        return self.opened[path].get_batch(numbers).asnumpy()


class Files:
    """Bare decoding of files as a data set."""

    def __init__(self, paths: list[Path]) -> None:
        self.paths = [str(path) for path in paths]

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, index: int) -> Any:
        import cv2

        return cv2.imread(self.paths[index], cv2.IMREAD_COLOR_RGB)


def with_workers(arguments: argparse.Namespace) -> dict[str, float]:
    """Read items with a `DataLoader` and workers; memory is that of all processes together."""
    from torch.utils.data import DataLoader, Subset

    import scrubin.load

    release = scrubin.load.Release(arguments.release)
    indices = indices_of(release.frames() if arguments.kind == "frames" else clips_of(release, arguments.fps), arguments)
    if arguments.kind == "frames":
        dataset: Any = release.frames(labels=labels_of(release)) if arguments.reader == "ours" else Files(files_of(release))
    elif arguments.reader == "ours":
        dataset = clips_of(release, arguments.fps)
    else:
        dataset = Told(arguments.reader, list(told_clips(release, range(len(clips_of(release, arguments.fps))), arguments.fps)))
    batch = 16 if arguments.kind == "frames" else 2
    peak = Peak()
    started, count = time.perf_counter(), 0
    for _ in DataLoader(Subset(dataset, indices), batch_size=batch, num_workers=arguments.workers):
        count += batch
    return {"per_s": count / (time.perf_counter() - started), "peak_mb": peak.stop()}


class Peak:
    """The memory that this process and its workers use together (proportional set size), at its peak."""

    def __init__(self) -> None:
        self.most, self.going = 0.0, True
        self.thread = threading.Thread(target=self._watch, daemon=True)
        self.thread.start()

    def stop(self) -> float:
        """Return the peak in megabytes."""
        self.going = False
        self.thread.join()
        return self.most

    def _watch(self) -> None:
        while self.going:
            self.most = max(self.most, sum(_pss_mb(pid) for pid in [os.getpid(), *_children(os.getpid())]))
            time.sleep(0.1)


def _children(pid: int) -> list[int]:
    try:
        return [int(child) for task in Path(f"/proc/{pid}/task").iterdir() for child in (task / "children").read_text().split()]
    except OSError:
        return []


def _pss_mb(pid: int) -> float:
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in text.splitlines() if line.startswith("Pss:")), 0.0)


def each_alone(arguments: argparse.Namespace, readers: Sequence[str]) -> dict[str, list[dict[str, float]]]:
    """Let every reader read all items with workers, in a process of its own, in turn."""
    results: dict[str, list[dict[str, float]]] = {reader: [] for reader in readers}
    for _ in range(arguments.rounds):
        for reader in readers:
            command = [sys.executable, __file__, arguments.release, "--reader", reader]
            for name in ("kind", "items", "fps", "order", "workers"):
                command += [f"--{name}", str(getattr(arguments, name))]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                sys.exit(f"{reader} failed:\n{done.stderr}")
            results[reader].append(json.loads(done.stdout.splitlines()[-1]))
    return results


def show(results: dict[str, list[dict[str, float]]]) -> None:
    for reader, of_reader in results.items():
        speeds = [one["per_s"] for one in of_reader]
        # Each round against the same round of the others, because a busy machine is as busy for all of them.
        ratios = [one["per_s"] / max(other[k]["per_s"] for other in results.values()) for k, one in enumerate(of_reader)]
        memory = f"   {max(one['peak_mb'] for one in of_reader):7.0f} MB" if "peak_mb" in of_reader[0] else ""
        of_best = f"of the fastest in each round: median {median(ratios):4.2f}, least {min(ratios):4.2f}"
        print(f"{reader:16} median {median(speeds):8.1f} /s   least {min(speeds):8.1f}   {of_best}{memory}", flush=True)


def _module(reader: str) -> str:
    name = reader.removeprefix("bare-")
    return MODULES.get(name, name)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("release")
    parser.add_argument("--kind", choices=["frames", "clips"], default="frames")
    parser.add_argument("--items", type=int, default=1000)
    parser.add_argument("--fps", default="5")
    parser.add_argument("--order", choices=["random", "sequential"], default="random")
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--reader")
    parser.add_argument("--without", nargs="*", default=[])
    arguments = parser.parse_args()
    if arguments.reader:
        print(json.dumps(with_workers(arguments)))
        return 0
    every = list(FRAMES) if arguments.kind == "frames" else ["ours", *CLIPS]
    if arguments.workers:
        every = ["ours", "bare-opencv"] if arguments.kind == "frames" else ["ours", "torchcodec", "decord"]
    there = [name for name in every if name == "ours" or importlib.util.find_spec(_module(name))]
    print(
        f"{arguments.kind}, {arguments.order}, {arguments.workers} workers, {arguments.threads} decoder threads, fps {arguments.fps}",
        flush=True,
    )
    chosen = [name for name in there if name not in arguments.without]
    show(each_alone(arguments, chosen) if arguments.workers else in_turn(arguments, chosen))
    return 0


if __name__ == "__main__":
    sys.exit(main())
