"""`scrubin preflight`: everything cheap is checked, before a frame is decoded."""

from __future__ import annotations

import argparse

from scrubin.cli.answers import print_lines


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare nothing: it looks at the project in this folder."""


def run(args: argparse.Namespace) -> int:
    """Say all that would stop a run, and return 1 when there is any."""
    from scrubin.curate.preflight.preflight import look

    found = look()
    print_lines((*found.lines(), found.sentence()))
    return 1 if found.errors else 0
