"""`scrubin ground-truth-check DIR`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from scrubin.core import strangers


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the folder and its tables."""
    parser.add_argument("folder", help="folder of a ground truth, with its manifest.json")
    parser.add_argument(
        "--tables",
        metavar="DIR",
        help="folder of the parquet tables that it must be made of (default: the folder 'tables' beside it, as in a release)",
    )


def run(args: argparse.Namespace) -> int:
    """Hash everything again and print what is wrong; 0 only when nothing is."""
    from scrubin.groundtruth import verification
    from scrubin.groundtruth.stamps import RELEASED

    folder = Path(args.folder)
    tables = Path(args.tables) if args.tables else strangers.real(folder).parent / "tables"
    faults = verification.check(folder, {name: tables / f"{name}.parquet" for name in sorted(RELEASED)})
    sys.stdout.write("".join(f"{fault}\n" for fault in faults) or "every file, table and vocabulary is the one that the stamps name\n")
    return 1 if faults else 0
