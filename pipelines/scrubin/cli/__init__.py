"""`scrubin` by hand: one library call per command, one module per group of commands.

A command's module is imported only when it is asked for, so that scoring a submission does not need the video tools.
"""

from __future__ import annotations

import argparse
import importlib
import io
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scrubin.base import machine, private_paths
from scrubin.base.errors import ScrubinError
from scrubin.base.faults import printable

COMMANDS = {
    "new-study": "make the folders and lists of a raw study, empty or drafted from a folder of recordings",
    "preflight": "check all lists, sheets, labels, parameters and the machine, before a frame is decoded",
    "check-params": "check every section of a params.yaml",
    "probe": "tell what a video file holds",
    "dicom": "tell what is in a DICOM recording, and write a released video as a de-identified one",
    "screen": "find what in a video could identify a person",
    "review": "look at the study in the browser and decide what is hidden",
    "render": "trim a video and hide what could identify, encoding only what must be",
    "frames": "extract frames of a video by the frame contract",
    "frames-check": "tell which convention made a folder of frames, and its offset",
    "splits": "show, compare, check and prove splits; find leaks between public datasets",
    "scores": "make skill scores of raters' sheets in LASANA's format, or check published ones against them",
    "score": "compute metrics of predictions against ground truth, by definition or as published",
    "convert": "write labels or ratings of one format in another one",
    "validate": "ask every rule that applies of label files, of tables or of a released dataset",
    "ground-truth-check": "prove that a ground truth is whole, unchanged and of the tables that are here",
    "submission": "check a challenge submission frame by frame, without scoring it; tell whether its program looks ahead",
    "rank": "rank the submissions of a challenge, and tell what the ranking is worth",
    "challenge": "write what CodaBench, EvalAI and Grand Challenge take to run a challenge with hidden labels",
    "deid": "make a benchmark of de-identification, and score any tool's output against its answer key",
    "diff": "tell what differs between two releases, and whether the version number says so",
    "verify": "tell whether a downloaded release is whole and unchanged; of a project, restore what is damaged from a sound copy",
    "export": "write a release in a layout that other programs load: Hugging Face, WebDataset, LeRobot",
    "remove": "take a recording out of every list of the raw study that names it",
    "rename": "give a recording another name in every list that names it; its released id stays",
    "withdraw": "take somebody out of the study: every trace of them goes with the next run, and nobody else changes",
    "stereo": "calibrate a stereo rig, rectify its pictures, and check what was recorded with it",
    "store": "tell what the store of finished results holds, and remove what no output uses",
    "tag": "check that a project can be released as a version, tag it, and say what to push",
    "audit": "prove that nothing private is in a finished release, or in one video",
}
"""Every command and what it does."""
MODULES: Mapping[str, str] = {
    **dict.fromkeys(("new-study", "remove", "rename", "withdraw"), "study"),
    **dict.fromkeys(("screen", "render"), "render"),
    **dict.fromkeys(("probe", "dicom"), "probe"),
    **dict.fromkeys(("frames", "frames-check"), "frames"),
    **dict.fromkeys(("verify", "validate", "ground-truth-check", "preflight", "check-params"), "check"),
    **dict.fromkeys(("diff", "export", "audit"), "release"),
    **dict.fromkeys(("store", "tag"), "project"),
    **{name: f"evaluate.{name}" for name in ("scores", "score", "submission", "rank", "challenge", "deid")},
}
"""Where commands are that have no module of their own name."""
USAGE = 2
"""As argparse ends for arguments that cannot be used."""

NEEDS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("probe", "frames", "frames-check", "stereo"), ("load",)),
    **dict.fromkeys(("new-study", "preflight", "check-params", "dicom", "screen", "render", "scores", "deid"), ("curate",)),
    **dict.fromkeys(("splits make", "splits extend", "remove", "rename", "withdraw", "store", "tag", "audit"), ("curate",)),
    "challenge": ("evaluate",),
    "review": ("review",),
}
"""The extras without which a command, or one of its words, does nothing; the others run on the base install."""
WRITE_PRIVATELY = ("audit", "new-study", "preflight", "remove", "rename", "render", "review", "screen", "store", "tag", "withdraw")
"""Commands of the curator: others can read nothing of what these write."""
NOT_INSTALLED = 2
"""As for arguments that cannot be used: nothing was looked at, so there is no result, good or bad."""


@dataclass(frozen=True)
class Command:
    """A command, or a subcommand.

    Parameters
    ----------
    add_arguments
        Declares its arguments, with units and defaults.
    run
        Does the work and returns the exit code: 0 only when the result is good.
    """

    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code is 0 only when its result is good, and 2 when it cannot be asked for so."""
    passed = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _run(passed)
    except ModuleNotFoundError as error:
        command = next((words for words in (" ".join(passed[:2]), passed[0]) if words in NEEDS), passed[0])
        told = machine.missing_sentence(command, NEEDS.get(command, ()), error)
        if told is None:
            raise
        sys.stderr.write(f"{told}\n")
        return NOT_INSTALLED


def _run(passed: Sequence[str]) -> int:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A redirected output of Windows, or of an old locale, lacks most letters; a name with one must not end a command.
            stream.reconfigure(errors="backslashreplace")
    args = _parsed(passed)
    try:
        if args.command in WRITE_PRIVATELY:
            private_paths.write_privately()
        return _command(args.command).run(args)
    except ScrubinError as error:
        sys.stderr.write(f"scrubin {args.command}: {error}\n")
        return 1
    except BrokenPipeError:
        # Whoever reads, such as head, has seen enough; what Python would still flush goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (OSError, RecursionError, MemoryError) as error:
        # What a file, a disk or a machine does, not the program: no reader that could say more has caught it.
        sys.stderr.write(f"scrubin {args.command}: {_of_machine(error)}\n")
        return 1


def _of_machine(error: OSError | RecursionError | MemoryError) -> str:
    if isinstance(error, OSError):
        file = printable(str(error.filename)) if error.filename is not None else ""
        return f"{file}: {error.strerror or error}" if file else printable(error.strerror or str(error) or type(error).__name__)
    if isinstance(error, RecursionError):
        return "a file is nested too deeply to be read; write it again"
    return f"the memory does not suffice ({printable(str(error)) or 'out of memory'}); give less at once, or use a larger machine"


class LazyParser(argparse.ArgumentParser):
    """A parser that is told its arguments when it parses, so that those of the other commands are not imported."""

    declare: Callable[[argparse.ArgumentParser], None] | None = None

    def parse_known_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> tuple[Any, list[str]]:  # type: ignore[override]
        """Declare the arguments, then parse."""
        declare, self.declare = self.declare, None
        if declare is not None:
            declare(self)
        return super().parse_known_args(args, namespace)


def _parsed(passed: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scrubin", description="Turn raw surgical recordings into a benchmark dataset, by hand.")
    _add_commands(parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=LazyParser), COMMANDS, _command)
    return parser.parse_args(passed)


def _add_commands(parsers: Any, does: Mapping[str, str], command: Callable[[str], Command]) -> None:
    for name, what in does.items():
        sub = parsers.add_parser(name, help=what, description=what[0].upper() + what[1:] + ".")
        sub.declare = lambda sub, name=name: command(name).add_arguments(sub)


def add_subcommands(parser: argparse.ArgumentParser, does: Mapping[str, str], module: str) -> None:
    """Declare the subcommands of a command, which stand in its module."""
    parser.set_defaults(subcommand=None, help_text=parser.format_help)
    parsers = parser.add_subparsers(dest="subcommand", metavar="SUBCOMMAND", parser_class=LazyParser)
    _add_commands(parsers, does, lambda name: command_of(module, name))


def run_subcommand(args: argparse.Namespace, module: str) -> int:
    """Run the subcommand of a command that stands in a module; without one, print the help."""
    if args.subcommand is None:
        sys.stdout.write(args.help_text())
        return USAGE
    return command_of(module, args.subcommand).run(args)


def _command(name: str) -> Command:
    return command_of(module_of(name), name)


def module_of(name: str) -> str:
    """Return the full name of the module of a command."""
    return f"scrubin.cli.{MODULES.get(name, name)}"


def command_of(module: str, name: str) -> Command:
    """Import a module and return the command in it: ``run``, or ``run_<name>`` where the module has several."""
    imported, word = importlib.import_module(module), name.replace("-", "_")
    if hasattr(imported, f"run_{word}"):
        return Command(getattr(imported, f"add_{word}_arguments"), getattr(imported, f"run_{word}"))
    return Command(imported.add_arguments, imported.run)
