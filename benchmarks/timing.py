"""Whole processes timed one after the other: wall time, and the most memory that a process took."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Timing:
    """Wall times in seconds of all repetitions, and the largest resident set in megabytes."""

    seconds: tuple[float, ...]
    peak_mb: float

    @property
    def middle_s(self) -> float:
        """The median."""
        return median(self.seconds)


def once(command: Sequence[str]) -> tuple[float, float]:
    """Run a command and return its seconds and its peak megabytes; a command that fails ends the benchmark."""
    started = time.perf_counter()
    running = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert running.stderr is not None
    said = running.stderr.read()
    _, status, usage = os.wait4(running.pid, 0)
    seconds = time.perf_counter() - started
    running.returncode = os.waitstatus_to_exitcode(status)
    if running.returncode:
        sys.exit(f"{' '.join(command)}\nfailed with exit code {running.returncode}:\n{said.decode(errors='replace')}")
    return seconds, usage.ru_maxrss / 1024


def alternating(commands: dict[str, Sequence[str]], rounds: int) -> dict[str, Timing]:
    """Run all commands in turn, round after round, so that other load hits all of them alike."""
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    peaks = dict.fromkeys(commands, 0.0)
    for number in range(rounds):
        for name, command in commands.items():
            sys.stderr.write(f"\r{number + 1} of {rounds}: {name:<60}")
            taken, peak = once(command)
            seconds[name].append(taken)
            peaks[name] = max(peaks[name], peak)
    sys.stderr.write("\r" + 80 * " " + "\r")
    return {name: Timing(tuple(seconds[name]), peaks[name]) for name in commands}
