"""A whole benchmark: the recordings that a tool gets, with the key beside them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from pathlib import Path
from queue import Full, Queue

import cv2
import numpy as np

from scrubin.base import strangers
from scrubin.base.errors import StageError
from scrubin.base.faults import ranges
from scrubin.base.files import fresh_folder, sha256_of, whole
from scrubin.base.pixels import Box
from scrubin.evaluate.choices import BenchmarkRequest
from scrubin.evaluate.deid import container, drawing
from scrubin.evaluate.deid.container import Beside, around, cover_text, recorded_at_s
from scrubin.evaluate.deid.drawing import DrawnOperation, DrawnRoom, Footage, OwnFootage, WithFaces, bgr_of
from scrubin.evaluate.deid.key import Item, Key, RecordingKey, write
from scrubin.evaluate.deid.plan import RecordingPlan, Span, plan
from scrubin.stages.demo.canvas import Frame, Image, generator
from scrubin.stages.demo.encoding import Encoding, encode_clip

QUANTISER = 24

SECOND_S = 6
"""The camera of the room runs so long beside the operation."""
COVER_START, SECOND_START, FACE_START = 90_000, 95_000, 99_000
FACES_SOUGHT_S = 30
QUEUED = 8


def make(request: BenchmarkRequest, folder: Path) -> Key:
    """Write ``raw/`` and ``key/`` below a folder that is new or empty, both or none, and return the key.

    Raises
    ------
    StageError
        When the folder has other files, or the encoder failed.
    VideoError
        When a user's picture or video cannot be read.
    """
    if folder.exists() and any(folder.iterdir()):
        raise StageError(f"{folder}: the folder is not empty; name a new one")
    folder = strangers.real(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".part-", dir=folder.parent) as temporary:
        made = fresh_folder(Path(temporary) / "benchmark")
        key_folder = fresh_folder(made / "key")
        recorded = [
            _recording(request, one, made / "raw", key_folder)
            for one in plan(request.seed, request.recordings, request.length_s, request.width, request.height)
        ]
        key = Key(key_folder, _origin(request), tuple(one for one, _ in recorded), tuple(item for _, items in recorded for item in items))
        write(key)
        made.replace(folder)
    return replace(key, folder=folder / key_folder.name)


def _origin(request: BenchmarkRequest) -> dict[str, str | int]:
    own = {name: "own" if path else "synthetic" for name, path in (("footage", request.footage), ("outside", request.outside))}
    return {**own, "seed": request.seed, "height_px": request.height, "length_s": request.length_s}


def _recording(request: BenchmarkRequest, one: RecordingPlan, raw: Path, key_folder: Path) -> tuple[RecordingKey, list[Item]]:
    inside, outside = _sources(request, one)
    drawn = drawing.Drawn()
    pictures = drawing.frames(one, request.seed, inside, outside, _reflected(outside, one.fps), drawn)
    names = {part: f"{part}/{one.name}.mp4" for part in ("planted", "clean")}
    planted, clean = (key_folder / names[part] for part in ("planted", "clean"))
    _encode_both(pictures, planted, clean, one)
    target = raw / one.file
    with tempfile.TemporaryDirectory() as scratch:
        beside = _beside(request, one, outside, key_folder, Path(scratch))
        contents, items = around(one, beside, Path(scratch))
        container.mux(planted, target, contents, recorded_at_s(one))
    recording = RecordingKey(
        name=one.name,
        file=one.file,
        sha256=sha256_of(target),
        planted=names["planted"],
        planted_sha256=sha256_of(planted),
        clean=names["clean"],
        clean_sha256=sha256_of(clean),
        fps=str(one.fps),
        frame_count=one.frame_count,
        width=one.width,
        height=one.height,
        pair=one.pair,
    )
    return recording, [*picture_items(one, drawn), *items]


def _sources(request: BenchmarkRequest, one: RecordingPlan) -> tuple[Footage, Footage]:
    operation = 0 if one.pair else one.index
    share = operation / request.recordings
    size = request.width, request.height
    inside: Footage = (
        OwnFootage(request.footage, share, *size, one.fps) if request.footage else DrawnOperation(request.seed, operation, *size, one.fps)
    )
    outside: Footage = (
        WithFaces(OwnFootage(request.outside, share, *size, one.fps))
        if request.outside
        else DrawnRoom(request.seed, operation, *size, one.fps, one.camera)
    )
    return inside, outside


def _reflected(outside: Footage, fps: Fraction) -> Frame:
    """Return the face that is reflected in the monitor, with a little around it; the middle of a room where no face is known."""
    seen = [next(outside.pictures(FACE_START + int(second * fps))) for second in range(FACES_SOUGHT_S)]
    frame, faces = next((one for one in seen if one[1]), seen[0])
    height, width = frame.y.shape
    x, y, w, h = max(faces, key=lambda box: box[2] * box[3]) if faces else (width // 3, height // 4, width // 3, height // 2)
    side = min(max(w, h) * 6 // 5 // 4 * 4, height // 4 * 4)
    left, top = (max(min(low + long // 2 - side // 2, limit - side), 0) // 2 * 2 for low, long, limit in ((x, w, width), (y, h, height)))
    half = np.s_[top // 2 : (top + side) // 2, left // 2 : (left + side) // 2]
    return Frame(frame.y[top : top + side, left : left + side], frame.u[half], frame.v[half])


def _encode_both(pictures: Iterator[tuple[Frame, Frame]], planted: Path, clean: Path, one: RecordingPlan) -> None:
    """Encode planted and clean pictures side by side, so that they are drawn once and never all in memory."""
    encoding = Encoding(quantiser=QUANTISER, gop=one.gop, b_frames=2)
    queue: Queue[Frame | None] = Queue(QUEUED)
    with ThreadPoolExecutor(1) as pool:
        beside = pool.submit(encode_clip, clean, iter(queue.get, None), one.fps, encoding)
        try:
            encode_clip(planted, _handed_on(pictures, queue, beside), one.fps, encoding)
        finally:
            _put(None, queue, beside)
        beside.result()


def _handed_on(pictures: Iterable[tuple[Frame, Frame]], queue: Queue[Frame | None], beside: Future[int]) -> Iterator[Frame]:
    for planted, clean in pictures:
        _put(clean, queue, beside)
        yield planted


def _put(frame: Frame | None, queue: Queue[Frame | None], beside: Future[int]) -> None:
    while not beside.done():
        try:
            queue.put(frame, timeout=1)
        except Full:
            continue
        return


def _beside(request: BenchmarkRequest, one: RecordingPlan, outside: Footage, key_folder: Path, scratch: Path) -> Beside:
    sound: Path | None = None
    voices: tuple[tuple[str, float, float], ...] = ()
    if one.speech:
        sound = scratch / "sound.wav"
        ends = container.write_sound(sound, Fraction(one.frame_count) / one.fps, one.speech, generator(request.seed, 64, one.index))
        voices = tuple((text, float(start_s), end_s) for (start_s, text), end_s in zip(one.speech, ends, strict=True))
    beside = Beside(sound, voices, None, "", None, "", "")
    if one.second_stream:
        second = scratch / "room.mp4"
        shown = islice((frame for frame, _ in outside.pictures(SECOND_START)), int(SECOND_S * one.fps))
        encode_clip(second, shown, one.fps, Encoding(quantiser=QUANTISER, gop=one.gop))
        picture = _write_picture(key_folder, f"{one.name}-second", next(outside.pictures(SECOND_START))[0])
        beside = replace(beside, second=second, second_picture=picture)
    if one.container != "mov":
        frame, _ = next(outside.pictures(COVER_START))
        cover = scratch / "cover.jpg"
        _write_cover(cover, bgr_of(frame), cover_text(one))
        picture = _write_picture(key_folder, f"{one.name}-cover", frame)
        beside = replace(beside, cover=cover, cover_picture=picture, cover_says=cover_text(one))
    return beside


def _write_picture(key_folder: Path, name: str, frame: Frame) -> str:
    path = key_folder / "pictures" / f"{name}.png"
    with whole(path) as part:
        part.write_bytes(cv2.imencode(".png", bgr_of(frame))[1].tobytes())
    return f"pictures/{name}.png"


def _write_cover(path: Path, bgr: Image, comment: str) -> None:
    """Write a JPEG with a comment behind its first marker (ITU-T T.81, B.2.4.5)."""
    jpeg = cv2.imencode(".jpg", bgr)[1].tobytes()
    text = comment.encode()
    path.write_bytes(jpeg[:2] + b"\xff\xfe" + (len(text) + 2).to_bytes(2, "big") + text + jpeg[2:])


def picture_items(one: RecordingPlan, drawn: drawing.Drawn) -> list[Item]:
    """Return the items of the key that are in a recording's pictures, in the order of their kinds."""
    items = [_outside_item(one, number, span) for number, span in enumerate(one.spans)]
    for number, span in enumerate(one.spans):
        items += _face_items(one, number, span, drawn)
    for number, reflection in enumerate(one.reflections):
        box = (reflection.ranges[0][0], *reflection.box)
        interval = _interval_s(one, reflection.ranges)
        name = f"{one.name}-m{number + 1}"
        items.append(
            Item(name, one.name, "reflection", "picture", reflection.ranges, interval, (box,), traits={"percent": reflection.percent})
        )
    for number, text in enumerate(one.texts):
        traits: dict[str, str | int | float] = {"height_px": text.height_px, "look": text.look, "motion": text.motion}
        boxes = drawing.boxes_of(drawn.texts[number])
        frames, interval = text.ranges, _interval_s(one, text.ranges)
        items.append(Item(f"{one.name}-t{number + 1}", one.name, "text", "picture", frames, interval, boxes, text.says, traits=traits))
    return items


def _outside_item(one: RecordingPlan, number: int, span: Span) -> Item:
    frames = ((span.first, span.end),)
    traits: dict[str, str | int | float] = {
        "frames": span.end - span.first,
        "place": span.place,
        "cut": "cut" if span.cut else "same view",
        "cameras": span.cameras,
    }
    return Item(f"{one.name}-o{number + 1}", one.name, "outside", "picture", frames, _interval_s(one, frames), traits=traits)


def _face_items(one: RecordingPlan, number: int, span: Span, drawn: drawing.Drawn) -> Iterator[Item]:
    """Yield the largest face in each half of the picture as an item of its own."""
    halves: dict[str, list[tuple[int, Box]]] = {"left": [], "right": []}
    for frame, faces in drawn.faces:
        if span.first <= frame < span.end:
            for face in sorted(faces, key=lambda box: box[2] * box[3]):
                side = "left" if face[0] + face[2] // 2 < one.width // 2 else "right"
                places = halves[side]
                if places and places[-1][0] == frame:
                    places.pop()
                places.append((frame, face))
    for side, places in halves.items():
        if places:
            frames = tuple((first, last + 1) for first, last in ranges(frame for frame, _ in places))
            name = f"{one.name}-p{number + 1}{side[0]}"
            boxes = drawing.boxes_of(places)
            yield Item(name, one.name, "face", "picture", frames, _interval_s(one, frames), boxes, traits={"frames": len(places)})


def _interval_s(one: RecordingPlan, frames: tuple[tuple[int, int], ...]) -> tuple[float, float]:
    return round(float(frames[0][0] / one.fps), 6), round(float(frames[-1][1] / one.fps), 6)
