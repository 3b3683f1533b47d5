"""`scrubin stereo`: calibrate a rig, rectify its pictures, check what was recorded with it; one module per subcommand."""

from __future__ import annotations

import argparse
import importlib
import sys
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from scrubin.cli import Command

SUBCOMMANDS = {
    "calibrate": "make a rig's calibration from pictures of a board",
    "convert": "write a calibration as this project has it, for pictures that were cropped or resized",
    "rectify": "write rectified pairs of two videos or of two folders of pictures",
    "check": "tell whether recordings fit their rig: rows, order of the cameras, time",
}
"""Every subcommand and what it does; its module has the same name."""
USAGE = 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommands."""
    parser.set_defaults(subcommand=None, help_text=parser.format_help)
    subcommands = parser.add_subparsers(dest="subcommand", metavar="SUBCOMMAND")
    for name, does in SUBCOMMANDS.items():
        sub = subcommands.add_parser(name, help=does, description=does[0].upper() + does[1:] + ".")
        _module(name).add_arguments(sub)


def run(args: argparse.Namespace) -> int:
    """Run the subcommand; without one, print the help."""
    if args.subcommand is None:
        sys.stdout.write(args.help_text())
        return USAGE
    return _module(args.subcommand).run(args)


def _module(name: str) -> Command:
    return cast("Command", importlib.import_module(f"scrubin.cli.stereo.{name}"))
