"""Outputs that try to look de-identified and are not, each scored on one answer key: the table in docs/deid.md.

Run from the repository root:  .venv/bin/python benchmarks/deid_attacks.py [BENCHMARK] [--only NAME ...]

BENCHMARK is a folder that `scrubin deid make` wrote; without one a benchmark of one recording of 12 s is made below
`.cache/benchmarks/deid_attacks`. Every attack writes a folder of its own, `attacks/NAME/out/`. All begin with what a perfect
tool writes (everything planted black, no sound, no tags), and give back in another shape what it hid. To score with another state of the
library, put its folder `pipelines` into PYTHONPATH.
"""

from __future__ import annotations

import argparse
import base64
import csv
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av
import cv2
import imageio_ffmpeg
import numpy as np

from scrubin.evaluate.deid import key as keys
from scrubin.evaluate.deid.documents import document
from scrubin.evaluate.deid.key import Item, Key, RecordingKey
from scrubin.evaluate.deid.score import score
from scrubin.evaluate.deid.tool_files import read_map

ROOT = Path(__file__).parents[1]
DEFAULT = Path(".cache/benchmarks/deid_attacks")
FFMPEG = (imageio_ffmpeg.get_ffmpeg_exe(), "-hide_banner", "-loglevel", "error", "-nostdin", "-y")

Picture = np.ndarray
Change = Callable[[Picture], Picture]
Edit = Callable[[int, Picture, Picture], Picture | None]
"""Frame number, what a perfect tool shows, the picture as planted; None: the frame is left out."""


@dataclass(frozen=True)
class Attack:
    """One way to give back what is hidden.

    Parameters
    ----------
    change
        What is done to the picture of everything hidden, before it is put back into its place; None: it stays black.
    edit
        What is done to frames afterwards.
    files
        What is done to the folder of the output afterwards.
    mapped
        Whether a map says which output is which recording.
    honest
        Nothing of what was planted can be seen, heard or read.
    """

    change: Change | None = None
    edit: Callable[[Key, RecordingKey], Edit] | None = None
    files: Callable[[Key, Path, Path], None] | None = None
    mapped: bool = False
    honest: bool = False
    crf: int = 18
    scale: Fraction = Fraction(1)


def linear(gain: float, offset: float) -> Change:
    return lambda picture: np.clip(np.rint(picture * gain + offset), 0, 255).astype(np.uint8)


def lookup(values: np.ndarray) -> Change:
    table = np.clip(np.rint(values), 0, 255).astype(np.uint8)
    return lambda picture: table[picture]


def chroma_alone(picture: Picture) -> Picture:
    yuv = cv2.cvtColor(picture, cv2.COLOR_BGR2YCrCb)
    yuv[..., 0] = 90
    return cv2.cvtColor(yuv, cv2.COLOR_YCrCb2BGR)


def one_channel(place: int) -> Change:
    def change(picture: Picture) -> Picture:
        alone = np.zeros_like(picture)
        alone[..., place] = picture[..., place]
        return alone

    return change


def squeezed(turn: Change) -> Change:
    return lambda picture: cv2.resize(np.ascontiguousarray(turn(picture)), picture.shape[1::-1], interpolation=cv2.INTER_AREA)


def smaller(share: float) -> Change:
    def change(picture: Picture) -> Picture:
        height, width = picture.shape[:2]
        small = cv2.resize(picture, (max(2, int(width * share)), max(2, int(height * share))), interpolation=cv2.INTER_AREA)
        canvas = np.zeros_like(picture)
        top, left = (height - small.shape[0]) // 2, (width - small.shape[1]) // 2
        canvas[top : top + small.shape[0], left : left + small.shape[1]] = small
        return canvas

    return change


def enlarged(share: float) -> Change:
    def change(picture: Picture) -> Picture:
        height, width = picture.shape[:2]
        top, left = int(height * (1 - 1 / share) / 2), int(width * (1 - 1 / share) / 2)
        return cv2.resize(picture[top : height - top, left : width - left], (width, height), interpolation=cv2.INTER_CUBIC)

    return change


def tiles_moved(rows: int, columns: int) -> Change:
    def change(picture: Picture) -> Picture:
        high, wide = picture.shape[0] // rows, picture.shape[1] // columns
        if high < 8 or wide < 8:
            return np.zeros_like(picture)
        moved = picture.copy()
        order = np.random.default_rng(0).permutation(rows * columns)
        for place, other in enumerate(order.tolist()):
            y, x, v, u = place // columns * high, place % columns * wide, other // columns * high, other % columns * wide
            moved[y : y + high, x : x + wide] = picture[v : v + high, u : u + wide]
        return moved

    return change


def noisy(sigma: float) -> Change:
    return lambda picture: np.clip(picture + np.random.default_rng(1).normal(0, sigma, picture.shape), 0, 255).astype(np.uint8)


def blurred(share: float) -> Change:
    """Blur by a share of the picture's height."""

    def change(picture: Picture) -> Picture:
        height, width = picture.shape[:2]
        # A strong blur of a large picture is that of a small one.
        less = max(1, round(share * height / 8))
        small = cv2.resize(picture, (max(1, width // less), max(1, height // less)), interpolation=cv2.INTER_AREA)
        small = cv2.GaussianBlur(small, (0, 0), max(0.3, share * height / less))
        return cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR)

    return change


def mosaic(share: float) -> Change:
    def change(picture: Picture) -> Picture:
        height, width = picture.shape[:2]
        side = max(1, round(share * height))
        small = cv2.resize(picture, (max(1, width // side), max(1, height // side)), interpolation=cv2.INTER_AREA)
        return cv2.resize(small, (width, height), interpolation=cv2.INTER_NEAREST)

    return change


def hidden_items(key: Key, recording: RecordingKey) -> list[Item]:
    return [item for item in key.items_of(recording.name) if item.frames and item.kind != "face"]


def rooms(key: Key, recording: RecordingKey) -> list[int]:
    return [n for item in hidden_items(key, recording) if not item.boxes for n in item.frame_numbers]


def planted_frames(key: Key, recording: RecordingKey) -> list[Picture]:
    with av.open(str(key.folder / recording.planted)) as container:
        return [frame.to_ndarray(format="bgr24") for frame in container.decode(video=0)]


def some_of_the_frames(every: int) -> Callable[[Key, RecordingKey], Edit]:
    def made(key: Key, recording: RecordingKey) -> Edit:
        shown = {n for n in rooms(key, recording) if n % every == 0}
        return lambda n, picture, planted: planted if n in shown else picture

    return made


def elsewhere_in_time(change: Change) -> Callable[[Key, RecordingKey], Edit]:
    """Show frames of the room, changed, in the place of other frames: the last second of the operation."""

    def made(key: Key, recording: RecordingKey) -> Edit:
        room, pictures = rooms(key, recording), planted_frames(key, recording)
        useful = sorted(set(range(recording.frame_count)) - set(room))[-25:]
        instead = {n: pictures[room[place * len(room) // len(useful)]] for place, n in enumerate(useful)}
        return lambda n, picture, _: change(instead[n]) if n in instead else picture

    return made


def picture_in_picture(change: Change, share: float = 0.3) -> Callable[[Key, RecordingKey], Edit]:
    """Show frames of the room, small, in a corner of frames of the operation."""

    def made(key: Key, recording: RecordingKey) -> Edit:
        room, pictures = rooms(key, recording), planted_frames(key, recording)
        useful = sorted(set(range(recording.frame_count)) - set(room))
        instead = {n: pictures[room[place % len(room)]] for place, n in enumerate(useful)}

        def edit(n: int, picture: Picture, _: Picture) -> Picture:
            if n not in instead:
                return picture
            small = change(cv2.resize(instead[n], None, fx=share, fy=share, interpolation=cv2.INTER_AREA))
            picture = picture.copy()
            picture[-small.shape[0] :, -small.shape[1] :] = small
            return picture

        return edit

    return made


def texts_elsewhere(change: Change) -> Callable[[Key, RecordingKey], Edit]:
    """Show every text in the middle of the picture instead of its own place."""

    def made(key: Key, recording: RecordingKey) -> Edit:
        texts = [item for item in hidden_items(key, recording) if item.kind == "text"]
        frames = {item.item: set(item.frame_numbers) for item in texts}

        def edit(n: int, picture: Picture, planted: Picture) -> Picture:
            picture = picture.copy()
            top = recording.height * 2 // 5
            for item in texts:
                box = item.box_at(n)
                if n in frames[item.item] and box:
                    x, y, w, h = box
                    left = (recording.width - w) // 2
                    picture[top : top + h, left : left + w] = change(planted[y : y + h, x : x + w])
                    top += h
            return picture

        return edit

    return made


def frozen(key: Key, recording: RecordingKey) -> Edit:
    """Show the first frame of each room, mirrored, as long as the room lasts."""
    pictures = planted_frames(key, recording)
    firsts = {n: item.frames[0][0] for item in hidden_items(key, recording) if not item.boxes for n in item.frame_numbers}
    return lambda n, picture, _: np.ascontiguousarray(pictures[firsts[n]][:, ::-1]) if n in firsts else picture


def whole_video(change: Change) -> Callable[[Key, RecordingKey], Edit]:
    return lambda *_: lambda n, picture, planted: change(planted)


def kept_frames(share: float) -> Callable[[Key, RecordingKey], Edit]:
    """Make all black but a share of the recording."""
    return lambda key, recording: lambda n, picture, _: picture if n < share * recording.frame_count else np.zeros_like(picture)


def leaves_out(every: int) -> Callable[[Key, RecordingKey], Edit]:
    return lambda *_: lambda n, picture, __: picture if n % every else None


def copies(key: Key, out: Path, raw: Path) -> None:
    shutil.rmtree(out)
    shutil.copytree(raw, out, copy_function=shutil.copy2)


def quiet_voice(gain: float, name: str = "sound.wav") -> Callable[[Key, Path, Path], None]:
    """Put the sound of the recording, hardly to be heard, into the output."""

    def add(key: Key, out: Path, raw: Path) -> None:
        for recording in key.recordings:
            target = out / f"{recording.name}.mp4"
            joined = target.with_suffix(".mkv")
            sound = ("-map", "0:v", "-map", "1:a?", "-c:v", "copy", "-c:a", "pcm_f32le", "-af", f"volume={gain}")
            cleared = ("-map_metadata", "-1", "-map_chapters", "-1")
            subprocess.run([*FFMPEG, "-i", target, "-i", raw / recording.file, *sound, *cleared, joined], check=True)
            target.unlink()

    return add


def further_file(name: str, text: Callable[[str], bytes]) -> Callable[[Key, Path, Path], None]:
    """Write every string of the key, in another spelling, beside the videos."""

    def add(key: Key, out: Path, raw: Path) -> None:
        needles = sorted({needle for item in key.items if item.kind not in ("file_name", "creation_time") for needle in item.needles})
        (out / name).write_bytes(b"\n".join(text(needle) for needle in needles))

    return add


def further_video(change: Change) -> Callable[[Key, Path, Path], None]:
    """Put a further file beside the output that shows the room alone."""

    def add(key: Key, out: Path, raw: Path) -> None:
        for recording in key.recordings:
            pictures = planted_frames(key, recording)
            encode(out / f"{recording.name}-more.mp4", iter([change(pictures[n]) for n in rooms(key, recording)]), recording.rate, 18)

    return add


def path_with_dashes(key: Key, out: Path, raw: Path) -> None:
    for recording in key.recordings:
        needle = next(item for item in key.items_of(recording.name) if item.kind == "file_name").needles[2]
        (out / f"{recording.name}.mp4").rename(out / f"{recording.name} {needle[:4]}-{needle[4:6]}-{needle[6:]}.mp4")


def an_hour_later(key: Key, out: Path, raw: Path) -> None:
    for recording in key.recordings:
        item = next(item for item in key.items_of(recording.name) if item.kind == "file_time")
        os.utime(out / f"{recording.name}.mp4", (float(item.traits["time_s"]) + 3600,) * 2)


def mirrored(picture: Picture) -> Picture:
    """Return a picture with left and right exchanged."""
    return np.ascontiguousarray(picture[:, ::-1])


def negative(picture: Picture) -> Picture:
    """Return a picture with all levels turned round."""
    return 255 - picture


ATTACKS: dict[str, Attack] = {
    "perfect": Attack(honest=True),
    "perfect, crf 35": Attack(honest=True, crf=35),
    "perfect, half the size, crf 28": Attack(honest=True, crf=28, scale=Fraction(1, 2)),
    "perfect, grey instead of black": Attack(lambda picture: np.full_like(picture, 128), honest=True),
    "perfect, mean colour": Attack(lambda picture: np.full_like(picture, picture.mean(axis=(0, 1)).astype(np.uint8)), honest=True),
    "perfect, noise": Attack(lambda p: np.random.default_rng(2).integers(0, 256, p.shape).astype(np.uint8), honest=True),
    "perfect, mosaic of thirds": Attack(mosaic(1 / 3), honest=True),
    "perfect, blur of half the height": Attack(blurred(0.5), honest=True),
    "untouched": Attack(files=copies),
    "black everywhere": Attack(edit=kept_frames(0)),
    "black everywhere, with a map": Attack(edit=kept_frames(0), mapped=True),
    "black but a quarter, with a map": Attack(edit=kept_frames(0.25), mapped=True),
    "negative": Attack(negative),
    "contrast 0.18": Attack(linear(0.18, 0)),
    "contrast 0.02": Attack(linear(0.02, 30)),
    "gamma 4": Attack(lookup(255 * (np.arange(256) / 255) ** 4)),
    "solarised": Attack(lookup(np.abs(2 * np.arange(256) - 255))),
    "two levels": Attack(lookup(255 * (np.arange(256) > 110))),
    "channels swapped": Attack(lambda picture: picture[..., [1, 2, 0]].copy()),
    "blue alone": Attack(one_channel(0)),
    "colour without brightness": Attack(chroma_alone),
    "mirrored": Attack(mirrored),
    "upside down": Attack(lambda picture: picture[::-1].copy()),
    "turned by 180 degrees": Attack(lambda picture: picture[::-1, ::-1].copy()),
    "turned by 90 degrees": Attack(squeezed(np.rot90)),
    "mirrored negative at contrast 0.1": Attack(lambda picture: linear(-0.1, 60)(mirrored(picture))),
    "shifted by a tenth": Attack(lambda picture: np.roll(picture, (picture.shape[0] // 10, picture.shape[1] // 10), (0, 1))),
    "at 60 % of the size": Attack(smaller(0.6)),
    "at 130 % of the size": Attack(enlarged(1.3)),
    "tiles of a quarter moved": Attack(tiles_moved(4, 4)),
    "noise of 40": Attack(noisy(40)),
    "blur of 2 % of the height": Attack(blurred(0.02)),
    "mosaic of 2 % of the height": Attack(mosaic(0.02)),
    "one frame of 12 shown": Attack(edit=some_of_the_frames(12)),
    "frozen and mirrored": Attack(edit=frozen),
    "at another time": Attack(edit=elsewhere_in_time(lambda picture: picture)),
    "at another time, mirrored negative": Attack(edit=elsewhere_in_time(lambda picture: negative(mirrored(picture)))),
    "picture in picture": Attack(edit=picture_in_picture(lambda picture: picture)),
    "picture in picture, negative": Attack(edit=picture_in_picture(negative)),
    "texts moved": Attack(edit=texts_elsewhere(lambda picture: picture)),
    "texts moved, mirrored negative": Attack(edit=texts_elsewhere(lambda picture: negative(mirrored(picture)))),
    "negative, at 2/3 of the size": Attack(negative, scale=Fraction(2, 3)),
    "mirrored, of 9 in 10 frames": Attack(mirrored, edit=leaves_out(10)),
    "whole video mirrored": Attack(edit=whole_video(mirrored)),
    "whole video mirrored, with a map": Attack(edit=whole_video(mirrored), mapped=True),
    "whole video negative, with a map": Attack(edit=whole_video(negative), mapped=True),
    "a further file": Attack(files=further_video(lambda picture: picture)),
    "a further file, mirrored negative": Attack(files=further_video(lambda picture: negative(mirrored(picture)))),
    "sound at -70 dB": Attack(files=quiet_voice(0.001)),
    "strings in base64": Attack(files=further_file("log.bin", lambda text: base64.b64encode(text.encode()))),
    "strings backwards": Attack(files=further_file("log.bin", lambda text: text[::-1].encode())),
    "strings in capitals": Attack(files=further_file("log.bin", lambda text: text.upper().encode())),
    "day in the path with dashes": Attack(files=path_with_dashes),
    "file time an hour later": Attack(files=an_hour_later),
}


def frames(key: Key, recording: RecordingKey, attack: Attack) -> Iterator[Picture]:
    """Yield what the attack shows."""
    items = [(item, set(item.frame_numbers)) for item in hidden_items(key, recording)]
    edit = attack.edit(key, recording) if attack.edit else None
    for n, planted in enumerate(planted_frames(key, recording)):
        picture = planted.copy()
        for item, numbers in items:
            if n in numbers:
                x, y, w, h = item.box_at(n) or (0, 0, recording.width, recording.height)
                part = planted[y : y + h, x : x + w]
                picture[y : y + h, x : x + w] = attack.change(part.copy()) if attack.change else 0
        shown = edit(n, picture, planted) if edit else picture
        if shown is not None:
            yield shown


def encode(path: Path, pictures: Iterator[Picture], rate: Fraction, crf: int, scale: Fraction = Fraction(1)) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(path), "w", options={"fflags": "+bitexact"}) as out:
        stream = out.add_stream("libx264", rate=rate, options={"crf": str(crf), "preset": "veryfast", "g": "50"})
        for picture in pictures:
            height, width = (int(side * scale) // 2 * 2 for side in picture.shape[:2])
            if not stream.codec_context.is_open:
                stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
            sized = picture if scale == 1 else cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA)
            out.mux(stream.encode(av.VideoFrame.from_ndarray(np.ascontiguousarray(sized), format="bgr24")))
        out.mux(stream.encode())


def write(key: Key, name: str, raw: Path, folder: Path) -> None:
    """Write the output of an attack below a folder, and its map."""
    attack, out = ATTACKS[name], folder / "out"
    shutil.rmtree(folder, ignore_errors=True)
    for recording in key.recordings:
        encode(out / f"{recording.name}.mp4", frames(key, recording, attack), recording.rate, attack.crf, attack.scale)
    if attack.files:
        attack.files(key, out, raw)
    if attack.mapped:
        with (folder / "map.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("raw", "output"), *((one.file, f"{one.name}.mp4") for one in key.recordings)])


def scored(key: Key, folder: Path) -> dict:
    """Score an output; return what stands in its ``score.json``, with the seconds that it took."""
    listed = folder / "map.csv"
    before = time.process_time()
    result = score(key, folder / "out", read_map(listed, key, folder / "out") if listed.exists() else {})
    spent = time.process_time() - before
    return {**json.loads(json.dumps(document(result, key))), "cpu_s": spent}


def row(name: str, values: dict) -> list[str]:
    kinds, total, lost = values["kinds"], values["total"], values["losses"]["overall"]
    pictures = [f"{kinds[kind]['done']} of {kinds[kind]['items']}" for kind in ("outside", "reflection", "text") if kind in kinds]
    joined = values.get("joined", {}).get("value")
    return [
        name,
        "" if joined is None else f"{joined:.3f}",
        f"{total['done']} of {total['items']}",
        *pictures,
        f"{lost['lost_s']:.1f} of {lost['useful_s']:.1f}",
        f"{values['cpu_s']:.1f}",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benchmark", nargs="?", type=Path, default=DEFAULT)
    parser.add_argument("--only", nargs="*", choices=tuple(ATTACKS), default=list(ATTACKS), metavar="NAME")
    args = parser.parse_args()
    if not args.benchmark.exists():
        how = ("--recordings", "1", "--length-s", "12", "--height", "240", "--seed", "1")
        subprocess.run([sys.executable, "-m", "scrubin", "deid", "make", str(args.benchmark), *how], check=True)
    key = keys.read(args.benchmark)
    columns = ["attack", "joined", "done", "outside", "reflection", "text", "useful s lost", "CPU s"]
    print(f"| {' | '.join(columns)} |\n|{' --- |' * len(columns)}", flush=True)
    for name in args.only:
        folder = args.benchmark / "attacks" / name.replace(" ", "_").replace(",", "").replace("%", "percent").replace("/", "-")
        if not (folder / "out").is_dir():
            write(key, name, args.benchmark / "raw", folder)
        print(f"| {' | '.join(row(name, scored(key, folder)))} |", flush=True)


if __name__ == "__main__":
    main()
