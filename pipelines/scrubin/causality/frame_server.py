"""The frame server: a program gets one frame at a time, and gives its answer back before it gets the next one.

The protocol stands in docs/causality.md. What a program has not got it cannot use: it sees no file of the video, and is not told
how long it is.
"""

from __future__ import annotations

import csv
import io
import json
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, cast

from scrubin.causality.answers import MalformedError
from scrubin.causality.clips import Clip, picture_of
from scrubin.causality.sandbox.sandbox import Ending, Sandbox, tail
from scrubin.core import strangers
from scrubin.labels.formats.submission.documents import shown

PROTOCOL = "scrubin-frames-1"
LONGEST_LINE = 1 << 24
TASK_KEYS = ("recognition", "detection")
PHASE_KEYS = ("phase_id", "phase")
HINT = "one line of JSON per frame on standard output, and everything else on standard error"


@dataclass(frozen=True)
class Served:
    """What came of it.

    Parameters
    ----------
    ending
        How the program ended.
    files
        Its answers as the files of a submission would have them, by suffix.
    seconds
        Per frame, from handing it out to the whole answer: measured.
    """

    ending: Ending
    files: dict[str, bytes] = field(default_factory=dict)
    seconds: tuple[float, ...] = ()


class _GoneError(Exception):
    """The program does not read or answer any more."""


def serve(sandbox: Sandbox, run: Path, command: Sequence[str], clip: Clip, frames: Sequence[Path]) -> Served:
    """Hand frames to a program.

    Parameters
    ----------
    sandbox, run
        Where it runs.
    command
        The program.
    clip
        The video, for its size and rate.
    frames
        Files of the pictures.

    Raises
    ------
    MalformedError
        When an answer breaks the protocol.
    """
    run.mkdir(parents=True, exist_ok=True)
    log = run / "log"
    with log.open("wb") as errors, sandbox.started(run, command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors) as started:
        given, taken = cast("IO[bytes]", started.process.stdin), cast("IO[bytes]", started.process.stdout)
        # A program that neither reads nor answers would let us wait for ever.
        alarm = threading.Timer(sandbox.limits.wall_s, started.kill)
        alarm.start()
        try:
            said, seconds = _asked(given, taken, clip, frames)
            trouble = started.wait()
            in_time = alarm.is_alive()
            rest = taken.read(1) if not trouble and in_time else b""
        finally:
            alarm.cancel()
            _close(given)
            taken.close()
    if not in_time:
        waited = (
            f"gave no answer for frame {len(said)}, without which it gets no further one," if len(said) < len(frames) else "did not end"
        )
        trouble = f"{waited} within {sandbox.limits.wall_s:g} s and was stopped"
    if rest:
        msg = f"it said more than it was asked for after frame {len(said) - 1}: write {HINT}"
        raise MalformedError(msg)
    if not trouble and len(said) < len(frames):
        trouble = f"ended after {len(said)} of {len(frames)} frames"
    return Served(Ending(trouble, tail(log, sandbox.seen(run))), {} if trouble else _files(said), tuple(seconds))


def _asked(given: IO[bytes], taken: IO[bytes], clip: Clip, frames: Sequence[Path]) -> tuple[list[dict[str, Any]], list[float]]:
    """Hand out frame by frame; return the answers until the program is gone, and how long each took."""
    said: list[dict[str, Any]] = []
    seconds: list[float] = []
    try:
        fps = None if clip.fps is None else float(clip.fps)
        _give(given, {"protocol": PROTOCOL, "width": clip.width, "height": clip.height, "fps": fps})
        for number, path in enumerate(frames):
            picture = picture_of(path)[:, :, ::-1].tobytes()
            start = time.perf_counter()
            _give(given, {"frame": number, "bytes": len(picture)}, picture)
            line = taken.readline(LONGEST_LINE)
            seconds.append(time.perf_counter() - start)
            said.append(_answer(number, line))
        _give(given, {"end": True})
    except _GoneError:
        pass
    finally:
        _close(given)
    return said, seconds


def _give(to: IO[bytes], head: dict[str, Any], body: bytes = b"") -> None:
    try:
        to.write(json.dumps(head).encode() + b"\n")
        to.write(body)
        to.flush()
    except OSError as gone:
        raise _GoneError from gone


def _close(stream: IO[bytes]) -> None:
    try:
        stream.close()
    except OSError:
        return


def _answer(number: int, line: bytes) -> dict[str, Any]:
    """Return the answer for a frame."""
    if not line:
        raise _GoneError
    try:
        value = strangers.json_value(line)
    except ValueError as error:
        msg = f"the answer for frame {number} is no JSON: {shown(line[:40].decode('utf-8', 'replace').strip())}; write {HINT}"
        raise MalformedError(msg) from error
    if isinstance(value, dict) and "frame" in value and value["frame"] != number:
        msg = f"the answer for frame {number} says that it is for frame {shown(value['frame'])}; answer each frame before the next, {HINT}"
        raise MalformedError(msg)
    if not isinstance(value, dict) or "frame" not in value:
        msg = f'the answer for frame {number} is {shown(value)}; write {{"frame": {number}, ...}}, {HINT}'
        raise MalformedError(msg)
    return value


def _files(said: Sequence[dict[str, Any]]) -> dict[str, bytes]:
    """Return answers as the files of a submission; a frame without any task is left out."""
    files: dict[str, bytes] = {}
    objects = {str(one["frame"]): {key: one[key] for key in TASK_KEYS if key in one} for one in said}
    objects = {frame: value for frame, value in objects.items() if value}
    if objects:
        files[".json"] = json.dumps(objects).encode()
    for key in PHASE_KEYS:
        rows = [(one["frame"], one[key]) for one in said if key in one]
        if rows:
            table = io.StringIO()
            csv.writer(table, lineterminator="\n").writerows([("frame", key), *rows])
            files[".csv"] = table.getvalue().encode()
            break
    if not files:
        msg = f"no answer has a prediction: write 'recognition', 'detection', 'phase_id' or 'phase' beside 'frame', {HINT}"
        raise MalformedError(msg)
    return files
