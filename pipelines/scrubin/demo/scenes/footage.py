"""The frames of a recording as its camera delivers them, everything planted included."""

from __future__ import annotations

from collections.abc import Iterator

from scrubin.demo.plan import MS, Recording, Text
from scrubin.demo.scenes import overlay, room
from scrubin.demo.scenes.canvas import Frame, Image, Noise, blur, thin_out, veil
from scrubin.demo.scenes.curves import generator
from scrubin.demo.scenes.operation import Operation, Tool
from scrubin.demo.scenes.pegs import PegScene
from scrubin.demo.scenes.suturing import SutureScene

SMOKE, SMOKE_PERCENT = 190, 55
DARK, DARK_PERCENT = 20, 60
HIDDEN = ("out_of_body", "black")
NOISE = 3


def frames(recording: Recording, camera: str) -> Iterator[Frame]:
    """Yield the frames of one camera's file, once each, also where the file repeats them."""
    scene = _Scene(recording, camera)
    room_seen = room.Room(recording)
    noise = Noise(generator(*recording.key, 5, len(camera)), recording.width, recording.height, NOISE)
    planted = _planted(recording)
    for number in range(recording.drawn_count):
        time_s = float(recording.time_of(number))
        spans = planted.get(number, ())
        if "black" in spans:
            frame = thin_out(room.black(recording.width, recording.height))
        else:
            image = room_seen.draw(time_s, camera) if "out_of_body" in spans else scene.draw(time_s, drape="drape" in spans)
            frame = _worsen(thin_out(image), spans)
            frame = Frame(noise.over(frame.y, number), frame.u, frame.v)
        for text in recording.texts:
            if camera in text.cameras and _text_is_on(recording, text, number):
                frame = overlay.burn(frame, text, time_s)
        yield frame


def _text_is_on(recording: Recording, text: Text, frame: int) -> bool:
    """Return whether the burned-in text is in this frame."""
    time_ms = recording.time_of(frame) * MS
    return (text.start_ms is None or time_ms >= text.start_ms) and (text.end_ms is None or time_ms < text.end_ms)


def seen_tools(recording: Recording, operation: Operation, frame: int) -> list[Tool]:
    """Return the instruments that can be seen in a frame: none outside the body and in the dark."""
    if any(frame in recording.frames_of(span) for span in recording.spans if span.kind in HIDDEN):
        return []
    return operation.tools_at(float(recording.time_of(frame)))


class _Scene:
    def __init__(self, recording: Recording, camera: str) -> None:
        self._camera = camera
        self._operation = Operation(recording) if recording.phases else None
        self._task = (PegScene if recording.task == "PegTransfer" else SutureScene)(recording) if not recording.phases else None

    def draw(self, time_s: float, *, drape: bool) -> Image:
        if self._operation is not None:
            image = self._operation.draw(time_s, tools=[])
            if drape:
                room.lay_gauze(image, time_s)
            return self._operation.draw(time_s, cover=image)
        if self._task is None:
            msg = "a recording is a procedure or a training task"
            raise ValueError(msg)
        image = self._task.draw(time_s, self._camera)
        if drape:
            room.lay_gauze(image, time_s)
        return image


def _planted(recording: Recording) -> dict[int, tuple[str, ...]]:
    by_frame: dict[int, tuple[str, ...]] = {}
    for span in recording.spans:
        for number in recording.frames_of(span):
            by_frame[number] = (*by_frame.get(number, ()), span.kind)
    return by_frame


def _worsen(frame: Frame, spans: tuple[str, ...]) -> Frame:
    if "blur" in spans:
        frame = blur(frame)
    if "smoke" in spans:
        frame = veil(frame, SMOKE, SMOKE_PERCENT)
    if "dark" in spans:
        frame = veil(frame, DARK, DARK_PERCENT)
    return frame
