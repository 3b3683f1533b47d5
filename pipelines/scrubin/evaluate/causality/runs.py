"""One run of a program on one video, handed over whole or frame by frame, with what it answers.

The protocol stands in docs/causality.md. What a program has not got it cannot use: it sees no file of the video, and is not told
how long it is.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Literal, cast

import numpy as np
import numpy.typing as npt

from scrubin.base import strangers
from scrubin.base.errors import FileError, MetricsError
from scrubin.base.faults import Faults, count_text, error, summary
from scrubin.base.text.csv_rows import csv_of
from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.evaluate.causality.clips import Clip, Future, encoded, file_name, first_change, frames_of, picture_of
from scrubin.evaluate.causality.sandbox import Ending, Sandbox, tail
from scrubin.labels.formats.plain import phase_cells, phase_tables
from scrubin.labels.formats.submission import documents
from scrubin.labels.formats.submission.content import Content, parse
from scrubin.labels.formats.submission.documents import shown
from scrubin.labels.parse.fields import Where

FloatArray = npt.NDArray[np.float64]
SHOWN_FAULTS = 3


class MalformedError(ValueError):
    """What a program wrote is no submission; the message says why."""


@dataclass(frozen=True, eq=False)
class Answer:
    """One frame: what is equal or not, and numbers that can differ by little.

    Parameters
    ----------
    signs
        Phase, and triplet and instrument of each box; which tasks there are.
    numbers
        Probabilities, corners, sides and confidences, all in 0..1.
    """

    signs: tuple[Any, ...]
    numbers: FloatArray

    def distance(self, other: Answer) -> float:
        """Return the largest difference of a number; infinite when a sign differs."""
        if self.signs != other.signs or self.numbers.shape != other.numbers.shape:
            return float("inf")
        return float(np.max(np.abs(self.numbers - other.numbers), initial=0.0))


Answers = Mapping[int, Answer]
"""By frame."""


def distance(one: Answers, other: Answers, frame: int) -> float:
    """Return how far two answers for a frame are apart; infinite when only one of them has it."""
    if frame in one and frame in other:
        return one[frame].distance(other[frame])
    return 0.0 if frame not in one and frame not in other else float("inf")


def read(folder: Path, video: str, count: int, vocabulary: Vocabulary) -> Answers:
    """Return what a program wrote for a video: ``<video>.json``, ``<video>.csv`` or both.

    Raises
    ------
    MalformedError
        When there is nothing, or what there is breaks the format of a submission.
    """
    files = {suffix: folder / f"{video}{suffix}" for suffix in (".json", ".csv")}
    most = documents.most_bytes(count * max(1, len(vocabulary.triplets)))
    data: dict[str, bytes] = {}
    for suffix, path in files.items():
        if path.is_file():
            if path.stat().st_size > most:
                raise MalformedError(f"<video>{suffix} is larger than {most >> 20} MiB")
            try:
                data[suffix] = strangers.read_bytes(path, inside=folder)
            except FileError as error:
                raise MalformedError(f"<video>{suffix}: {error.strerror}") from error
    if not data:
        written = sorted(path.name.replace(video, "<video>") for path in folder.iterdir())
        there = f"it wrote {', '.join(written[:SHOWN_FAULTS])}" if written else "it wrote nothing"
        raise MalformedError(f"there is no <video>.json or <video>.csv in {{output}}: {there}")
    return of(data, count, vocabulary)


def of(data: Mapping[str, bytes], count: int, vocabulary: Vocabulary) -> Answers:
    """Return the answers of one video from the bytes of its files, by suffix.

    Raises
    ------
    MalformedError
        When they break the format of a submission, or have frames that the video has not.
    """
    faults = Faults()
    contents = [_content(f"<video>{suffix}", bytes_, vocabulary, faults) for suffix, bytes_ in sorted(data.items())]
    if faults.errors():
        raise MalformedError(f"{'; '.join(summary(faults.errors(), SHOWN_FAULTS))} (--vocabulary {vocabulary.name})")
    answers: dict[int, Answer] = {}
    for content in contents:
        if content is not None:
            for frame, answer in _by_frame(content).items():
                first = answers.get(frame)
                both = Answer((*first.signs, *answer.signs), np.concatenate([first.numbers, answer.numbers])) if first else answer
                answers[frame] = both
    beyond = [frame for frame in answers if frame >= count]
    if beyond:
        raise MalformedError(f"it answers for frame {max(beyond)} of a video of {count_text(count, 'frame')}; frames count from 0")
    return dict(sorted(answers.items()))


def _content(file: str, data: bytes, vocabulary: Vocabulary, faults: Faults) -> Content | None:
    if file.endswith(".json"):
        return parse(file, data, vocabulary, faults)
    where = Where(faults, file)
    cells = phase_cells.cells_of(where, data, None)
    if cells is None:
        return None
    return Content(cells.frames, phases=np.array(phase_tables.ids_of(where, cells, vocabulary), np.int64))


def _by_frame(content: Content) -> dict[int, Answer]:
    rows: dict[int, list[tuple[Any, ...]]] = {int(frame): [] for frame in content.frames}
    if content.boxes is not None:
        boxes = content.boxes
        for row in range(len(boxes.frames)):
            sign = (int(boxes.triplets[row]), int(boxes.instruments[row]))
            rows[int(boxes.frames[row])].append((sign, (*boxes.boxes_xywh[row].tolist(), float(boxes.scores[row]))))
    answers = {}
    for place, frame in enumerate(content.frames.tolist()):
        signs: list[Any] = []
        numbers: list[float] = []
        if content.recognition is not None:
            row_of = content.recognition[place]
            signs.append(("recognition", not np.isnan(row_of).any()))
            numbers += [] if np.isnan(row_of).any() else row_of.tolist()
        if content.boxes is not None:
            ordered = sorted(rows[frame])
            signs.append(("detection", *(sign for sign, _ in ordered)))
            numbers += [number for _, values in ordered for number in values]
        if content.phases is not None:
            signs.append(("phase", int(content.phases[place])))
        answers[int(frame)] = Answer(tuple(signs), np.array(numbers, np.float64))
    return answers


Way = Literal["frames", "video", "server"]
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
                said = of(data, len(frames), self.vocabulary) if not ending.trouble else {}
            else:
                path = self._written(folder / "input", video, frames, clip)
                seen = self.sandbox.seen(folder)
                words = {"{input}": str(seen / "input" / path.name), "{output}": str(seen / "output")}
                ending, seconds = self.sandbox.run(folder, filled(self.command, words)), ()
                said = {} if ending.trouble else read(folder / "output", video, len(frames), self.vocabulary)
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
        raise MalformedError(f"it said more than it was asked for after frame {len(said) - 1}: write {HINT}")
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
        raise MalformedError(f'the answer for frame {number} is {shown(value)}; write {{"frame": {number}, ...}}, {HINT}')
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
            files[".csv"] = csv_of([("frame", key), *rows]).encode()
            break
    if not files:
        raise MalformedError(f"no answer has a prediction: write 'recognition', 'detection', 'phase_id' or 'phase' beside 'frame', {HINT}")
    return files
