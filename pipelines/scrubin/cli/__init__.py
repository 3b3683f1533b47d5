"""`scrubin` by hand: one library call per command, one module per group of commands.

A command's module is imported only when it is asked for, so that scoring a submission does not need the video tools.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import os
import re
import shlex
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from scrubin.base import machine
from scrubin.base.errors import ArgumentsError, ScrubinError
from scrubin.base.faults import hint, printable
from scrubin.cli.commands import DECLARED, needed, overview

COMMANDS = {name: one.does for name, one in DECLARED.items()}
"""Every command and what it does."""
NEEDS = needed()
"""The extras without which a command, or one of its words, does nothing; the others run on the base install."""
USAGE = 2
"""As argparse ends for arguments that cannot be used, whatever is in the files."""
NOT_INSTALLED = 2
"""As for arguments that cannot be used: nothing was looked at, so there is no result, good or bad."""
PASSED_ON = "PROGRAM"
"""What stands for the words of another program, which may be anything."""
INTERRUPTED, TERMINATED = 130, 143
"""As a shell counts what Ctrl-C, or the system, has ended."""
_NO_CHOICE = re.compile(r"(?P<what>.*invalid choice: '(?P<typed>[^']*)') \(choose from (?P<known>.*)\)")


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
    called = " ".join(["scrubin", *(word for word in passed[:1] if not word.startswith("-"))])
    if not _can_print(called):
        return 1
    try:
        with _ended_in_order():
            return _answered(called, passed)
    except ModuleNotFoundError as error:
        command = next((words for words in (" ".join(passed[:2]), passed[0]) if words in NEEDS), passed[0])
        told = machine.missing_sentence(command, NEEDS.get(command, ()), error)
        if told is None:
            raise
        sys.stderr.write(f"{told}\n")
        return NOT_INSTALLED
    except KeyboardInterrupt:
        sys.stderr.write(f"{called}: stopped\n")
        return INTERRUPTED
    except _EndedBySystem:
        sys.stderr.write(f"{called}: ended by the system\n")
        raise


def _can_print(called: str) -> bool:
    """Return whether there is a standard output: where a shell has closed it, the next file that is opened would take its place."""
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - as long as the program
    if sys.stdout is not None:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                # A redirected output of Windows, or of an old locale, lacks most letters; a name with one must not end a command.
                stream.reconfigure(errors="backslashreplace")
        return True
    sys.stderr.write(f"{called}: the standard output is closed; where its lines are not wanted, send them to {os.devnull}\n")
    return False


class _EndedBySystem(SystemExit):
    """What a command is ended with when the system asks it to end."""


@contextlib.contextmanager
def _ended_in_order() -> Iterator[None]:
    """Let a command that the system ends (SIGTERM) take away what it has not finished, as it does at Ctrl-C."""
    told: list[int] = []

    def end(number: int, frame: FrameType | None) -> NoReturn:
        told.append(number)
        raise _EndedBySystem(TERMINATED)

    is_ours = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    if is_ours:
        signal.signal(signal.SIGTERM, end)
    try:
        yield
        if told:  # Python goes on where that is raised in what it runs by itself, such as __del__
            raise _EndedBySystem(TERMINATED)
    finally:
        if is_ours:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _answered(called: str, passed: Sequence[str]) -> int:
    """Run, and return the exit code when all that was printed has arrived; say in one line what the program is not to blame for."""
    try:
        code = _run(passed)
        sys.stdout.flush()
    except ScrubinError as error:
        sys.stderr.write(f"{called}: {error}\n")
        return USAGE if isinstance(error, ArgumentsError) else 1
    except BrokenPipeError:
        # Whoever reads, such as head, has seen enough.
        _print_no_more()
    except (OSError, RecursionError, MemoryError) as error:
        # What a file, a disk or a machine does, not the program: no reader that could say more has caught it.
        sys.stderr.write(f"{called}: {_of_machine(error)}\n")
        _print_no_more()
    else:
        return code
    return 1


def _print_no_more() -> None:
    """Let what Python would still flush go nowhere, where it cannot be written."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(passed: Sequence[str]) -> int:
    whole = parser()
    args = whole.parse_args(passed)
    if args.command is None:
        whole.print_help()
        return USAGE
    if args.command != "doctor":  # which says it in its own way
        from scrubin.curate.engine.run import require_letters  # as the next one

        require_letters()
    declared = DECLARED[args.command]
    project = Path(getattr(args, "project", "") if declared.in_project else "")
    if declared.in_project:
        from scrubin.base import params

        params.refuse_elsewhere(project)
    if declared.writes_privately:
        from scrubin.base import private_paths  # not of every command, because at each Tab people wait

        private_paths.write_privately(project)
        if declared.in_project:
            private_paths.make_caches(project)
    return _command(args.command).run(args)


def _of_machine(error: OSError | RecursionError | MemoryError) -> str:
    if isinstance(error, OSError):
        file = printable(str(error.filename)) if error.filename is not None else ""
        return f"{file}: {error.strerror or error}" if file else printable(error.strerror or str(error) or type(error).__name__)
    if isinstance(error, RecursionError):
        return "a file is nested too deeply to be read; write it again"
    return f"the memory does not suffice ({printable(str(error)) or 'out of memory'}); give less at once, or use a larger machine"


class _NearMissParser(argparse.ArgumentParser):
    """A parser that answers a mistyped command with the one that was meant."""

    def print_help(self, file: Any = None) -> None:
        """Print the help; argparse itself is silent where it cannot be written."""
        (sys.stdout if file is None else file).write(self.format_help())
        sys.stdout.flush()

    def parse_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
        """Parse; of what is too much, an empty word is shown, too."""
        parsed, more = self.parse_known_args(args, namespace)
        if more:
            empty = "; one is empty (is a variable not set?)" if "" in more else ""
            self.error(f"unrecognized arguments: {shlex.join(more) if empty else ' '.join(more)}{empty}")
        return parsed

    def error(self, message: str) -> NoReturn:
        """End with the message; of a choice that there is not, with the near miss."""
        choice = _NO_CHOICE.fullmatch(message)
        if choice is not None:
            message = f"{choice['what']}; {hint(choice['typed'], choice['known'].replace(chr(39), '').split(', '))}"
        super().error(message)


class LazyParser(_NearMissParser):
    """A parser that is told its arguments when it parses, so that those of the other commands are not imported."""

    declare: Callable[[argparse.ArgumentParser], None] | None = None

    def declare_now(self) -> None:
        """Declare the arguments, where that is not done yet."""
        declare, self.declare = self.declare, None
        if declare is not None:
            declare(self)

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        """Refuse an argument without a letter: a variable that is not set, where the working folder or nothing would be taken."""
        passed_on = action.nargs in (argparse.REMAINDER, argparse.PARSER) or action.metavar == PASSED_ON
        if "" in arg_strings and not passed_on:
            raise argparse.ArgumentError(action, "it is empty; name what is meant, or leave it out (is a variable not set?)")
        return super()._get_values(action, arg_strings)

    def parse_known_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> tuple[Any, list[str]]:  # type: ignore[override]
        """Declare the arguments, then parse."""
        self.declare_now()
        return super().parse_known_args(args, namespace)


class _Overview(_NearMissParser):
    """The parser of `scrubin` itself, whose help has every command at its door."""

    def format_help(self) -> str:
        """Return the help."""
        return f"{self.format_usage()}\n{self.description}\n{overview()}"


def parser() -> argparse.ArgumentParser:
    """Return the parser of all commands; each declares its arguments when it is asked for."""
    whole = _Overview(prog="scrubin", description="Turn raw surgical recordings into a benchmark dataset, by hand.")
    _add_commands(whole.add_subparsers(dest="command", metavar="COMMAND", parser_class=LazyParser), COMMANDS, _command)
    return whole


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
    return f"scrubin.cli.{DECLARED[name].module or name}"


def command_of(module: str, name: str) -> Command:
    """Import a module and return the command in it: ``run``, or ``run_<name>`` where the module has several."""
    imported, word = importlib.import_module(module), name.replace("-", "_")
    if hasattr(imported, f"run_{word}"):
        return Command(getattr(imported, f"add_{word}_arguments"), getattr(imported, f"run_{word}"))
    return Command(imported.add_arguments, imported.run)
