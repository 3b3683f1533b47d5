"""One run of a program on one video, handed over whole or frame by frame.

The protocol stands in docs/causality.md. What a program has not got it cannot use: it sees no file of the video, and is not told
how long it is.
"""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Literal, cast, get_args

import numpy as np

from scrubin.base import strangers
from scrubin.base.errors import MetricsError
from scrubin.base.faults import error
from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.evaluate.causality import answers
from scrubin.evaluate.causality.answers import Answers, MalformedError
from scrubin.evaluate.causality.clips import Clip, Future, encoded, file_name, first_change, frames_of, picture_of
from scrubin.evaluate.causality.sandbox import Ending, Sandbox, tail
from scrubin.labels.formats.submission.documents import shown

Way = Literal["frames", "video", "server"]
WAYS: tuple[Way, ...] = get_args(Way)
LETTERS = "bcdfghjklmnpqrstvwxz"
NAME_LENGTH = 12


@dataclass(frozen=True, eq=False)
class Run:
    """One run and its outcome.

    Parameters
    ----------
    future
        What it was tried on.
    answers
        What it answered; empty when it failed.
    trouble, log
        Why it failed, "" when it did not, and the end of what it said.
    changed
        First frame whose picture is another one.
    seconds
        In a frame server, per frame, from handing it out to the answer: measured.
    """

    future: Future
    answers: Answers = field(default_factory=dict)
    trouble: str = ""
    log: str = ""
    changed: int = 0
    seconds: tuple[float, ...] = ()


@dataclass(frozen=True)
class Runner:
    """Runs a program on videos, each time under another name.

    Parameters
    ----------
    command
        With ``{input}`` and ``{output}``.
    way
        How it takes frames.
    clips
        All videos.
    sandbox
        Where it runs.
    vocabulary
        Of its answers.
    rng
        Chooses names.
    """

    command: Sequence[str]
    way: Way
    clips: list[Clip]
    sandbox: Sandbox
    vocabulary: Vocabulary
    rng: np.random.Generator

    def run(self, future: Future) -> Run:
        """Run the program once, from nothing: what an earlier run left is gone."""
        folder = self.sandbox.store / self._name()
        video = self._name()
        clip = self.clips[future.clip]
        frames = frames_of(future, self.clips, self.sandbox.store / "pictures")
        changed = first_change(future, self.clips, frames) if future.kind else clip.count
        try:
            if self.way == "server":
                served = serve(self.sandbox, folder, self.command, clip, frames)
                ending, data, seconds = served.ending, served.files, served.seconds
                said = answers.of(data, len(frames), self.vocabulary) if not ending.trouble else {}
            else:
                path = self._written(folder / "input", video, frames, clip)
                seen = self.sandbox.seen(folder)
                words = {"{input}": str(seen / "input" / path.name), "{output}": str(seen / "output")}
                ending, seconds = self.sandbox.run(folder, filled(self.command, words)), ()
                said = {} if ending.trouble else answers.read(folder / "output", video, len(frames), self.vocabulary)
        except MalformedError as malformed:
            return Run(future, {}, f"wrote what is no submission: {malformed}", changed=changed)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return Run(future, said, ending.trouble, ending.log.replace(video, "{video}"), changed, seconds)

    def _name(self) -> str:
        return "".join(self.rng.choice(list(LETTERS), NAME_LENGTH).tolist())

    def _written(self, folder: Path, video: str, frames: Sequence[Path], clip: Clip) -> Path:
        if self.way == "video":
            path = folder / f"{video}.mkv"
            folder.mkdir(parents=True)
            encoded(frames, path, clip.fps)
            return path
        path = folder / video
        path.mkdir(parents=True)
        for number, frame in enumerate(frames):
            if self.sandbox.means == "none":
                shutil.copy2(frame, path / file_name(number))  # nothing keeps the program from writing to it
            else:
                os.link(frame, path / file_name(number))
        return path


def filled(command: Sequence[str], words: dict[str, str]) -> list[str]:
    """Return a command with its placeholders replaced.

    >>> filled(["predict", "--to={output}"], {"{output}": "/out"})
    ['predict', '--to=/out']
    """
    done = list(command)
    for placeholder, value in words.items():
        done = [word.replace(placeholder, value) for word in done]
    return done


def check(command: Sequence[str], way: Way) -> None:
    """Refuse a command that lacks what its way of taking frames needs.

    Raises
    ------
    MetricsError
        When there is no command, or its placeholders do not fit.
    """
    if not command:
        raise MetricsError(
            [error("", "command", "no program is named", "name it after --: scrubin submission causality VIDEOS -- python ...")]
        )
    text = " ".join(command)
    for placeholder in ("{input}", "{output}"):
        if way == "server" and placeholder in text:
            what = f"a frame server hands frames to the program itself, so that there is no {placeholder}"
            raise MetricsError([error("", "command", what, "leave it out; docs/causality.md has the protocol")])
        if way != "server" and placeholder not in text:
            what = f"{placeholder} is not in the command"
            raise MetricsError([error("", "command", what, "write {input} and {output} where the program takes its paths")])
    if not shutil.which(command[0]):
        what = "there is no such program"
        raise MetricsError([error(command[0], "command", what, "name it by its path, or start from where its path is right")])


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
