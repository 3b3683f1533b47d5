"""`scrubin splits`: its subcommands, imported only when one is asked for."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from scrubin.cli import Command, command_of

SUBCOMMANDS = {
    "show": "list the official splits, or the videos of one",
    "diff": "tell which videos of a split file sit elsewhere than in an official split",
    "check": "tell whether a split file is sound",
    "make": "divide the recordings of a table, balanced or in folds, participants whole",
    "extend": "add new recordings to a released split without moving anybody",
    "leaks": "tell which operations training and test share, over all public datasets",
}
"""Every subcommand and what it does."""
MODULES = {**dict.fromkeys(("show", "diff", "check"), "official"), **dict.fromkeys(("make", "extend"), "make")}
USAGE = 2


class LazyParser(argparse.ArgumentParser):
    """A parser that asks the subcommand's module for its arguments when it is used."""

    has_arguments = False

    def parse_known_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> tuple[Any, list[str]]:  # type: ignore[override]
        """Declare the arguments of the subcommand, then parse."""
        if not self.has_arguments:
            self.has_arguments = True
            _command(self.prog.split()[-1]).add_arguments(self)
        return super().parse_known_args(args, namespace)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommands."""
    parser.set_defaults(subcommand=None, help_text=parser.format_help)
    subcommands = parser.add_subparsers(dest="subcommand", metavar="SUBCOMMAND", parser_class=LazyParser)
    for name, does in SUBCOMMANDS.items():
        subcommands.add_parser(name, help=does, description=does[0].upper() + does[1:] + ".")


def run(args: argparse.Namespace) -> int:
    """Run the subcommand; without one, print the help."""
    if args.subcommand is None:
        sys.stdout.write(args.help_text())
        return USAGE
    return _command(args.subcommand).run(args)


def _command(name: str) -> Command:
    return command_of(f"scrubin.cli.splits.{MODULES.get(name, name)}", name)
