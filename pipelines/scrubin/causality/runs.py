"""One run of a program on one video: what it is handed, and what it answers."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from scrubin.causality import answers, frame_server
from scrubin.causality.answers import Answers, MalformedError
from scrubin.causality.clips import Clip, encoded, file_name
from scrubin.causality.futures import Future, first_change, frames_of
from scrubin.causality.sandbox.sandbox import Sandbox
from scrubin.core.errors import MetricsError
from scrubin.core.faults import error
from scrubin.vocabulary.vocabulary import Vocabulary

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
                served = frame_server.serve(self.sandbox, folder, self.command, clip, frames)
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
