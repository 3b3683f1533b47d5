"""ffmpeg as a program: the binary from the wheel, one encoder for every machine."""

from __future__ import annotations

import errno
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import ffmpeg
import imageio_ffmpeg

from scrubin.core.errors import StageError, VideoError
from scrubin.core.files import FULL

# libx264 gives other bytes for another number of threads, also for "as many as there are cores".
THREADS = 2
LONG = ("-filter_complex", "-force_key_frames")
SHOWN_LINES = 3
READING = re.compile(r"\[in#\d+/\S* @ \w+\] (?:Read error$|Error during demuxing: (.*)$)", re.MULTILINE)
"""What ffmpeg says when it cannot read on."""
FAILING = {os.strerror(number) for number in (errno.EIO, errno.ESTALE, errno.ETIMEDOUT, errno.ENOLINK, errno.EREMOTEIO, errno.ENXIO)}


def run(stream: Any, name: str, timeout_s: float) -> None:
    """Run an ffmpeg-python graph to its end; the program ends when we do.

    Raises
    ------
    VideoError
        When ffmpeg fails or does not finish in time, with what it said.
    StageError, OSError
        When the disk of a source fails, or that of the result.
    """
    arguments = ffmpeg.compile(stream, cmd=imageio_ffmpeg.get_ffmpeg_exe(), overwrite_output=True)
    try:
        with tempfile.TemporaryDirectory() as folder:
            command = [*_bound_to_us(), *_through_files(arguments, Path(folder))]
            done = subprocess.run(command, check=False, capture_output=True, stdin=subprocess.DEVNULL, timeout=timeout_s)
            said = done.stderr.decode(errors="replace")
            _refuse_failing_disk(said, name)
            if done.returncode == -signal.SIGXFSZ:
                raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
            done.check_returncode()
    except subprocess.TimeoutExpired as error:
        raise VideoError(name, f"ffmpeg did not finish within {timeout_s:.0f} s", "look at the file; it may be damaged") from error
    except subprocess.CalledProcessError as error:
        lines = said.strip().splitlines()
        for number in FULL:
            if any(os.strerror(number) in line for line in lines):
                # The disk's fault, not the recording's.
                raise OSError(number, os.strerror(number)) from error
        said = " / ".join(lines[-SHOWN_LINES:])
        for argument in arguments:
            if argument.startswith("file:"):  # the curator's name for it, not where it lies on this machine
                said = said.replace(argument, name).replace(argument.removeprefix("file:"), name)
        raise VideoError(name, f"ffmpeg failed: {said}", "look at the file; it may be damaged") from error


def _refuse_failing_disk(said: str, name: str) -> None:
    """Raise a `StageError` when a source could not be read: ffmpeg goes on with what it has, and its exit code is 0."""
    for match in READING.finditer(said):
        why = match[1] or os.strerror(errno.EIO)
        if why in FAILING:
            msg = f"{name} cannot be read ({why}); check its disk, then run again"
            raise StageError(msg)


def _through_files(arguments: Sequence[str], folder: Path) -> list[str]:
    """Return the arguments with the long ones in files: thousands of redactions do not fit on a command line."""
    passed = list(arguments)
    for option in LONG:
        if option in passed:
            place = passed.index(option)
            file = folder / f"{option[1:]}.txt"
            file.write_text(passed[place + 1], encoding="utf-8")
            passed[place : place + 2] = [f"-/{option[1:]}", str(file)]
    return passed


def _bound_to_us() -> Sequence[str]:
    # util-linux's setpriv asks the kernel to end ffmpeg with the thread that waits for it.
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "KILL"] if setpriv else []
