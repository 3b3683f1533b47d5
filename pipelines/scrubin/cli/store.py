"""`scrubin store [PROJECT]`: what the store of finished results holds, and `--prune` for what no output uses."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from scrubin.core import params
from scrubin.core.store import STORE_PATH
from scrubin.engine.only_run import only_run
from scrubin.upkeep import objects, pruning, sharing

MEGABYTE = 1_000_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the project, and whether to remove."""
    parser.add_argument("project", nargs="?", default=".", help="folder of the project (default: this one)")
    parser.add_argument("--prune", action="store_true", help="remove what no current output uses; after a withdrawal also from DVC's cache")


def run(args: argparse.Namespace) -> int:
    """Say what is kept and used; remove what is not, when that is wanted."""
    project = Path(args.project)
    root = project / STORE_PATH
    with only_run(project):
        kept = pruning.contents(root)
        for name, mine in (("used", [one for one in kept if one.used]), ("not used", [one for one in kept if not one.used])):
            sys.stdout.write(f"{name:<10}{len(mine):>9,} results {sum(one.size for one in mine) / MEGABYTE:>14,.1f} MB\n")
        if args.prune:
            free = sharing.share(project)
            sys.stdout.write(f"{'in DVC':<10}{'':>17} {free / MEGABYTE:>14,.1f} MB that its cache holds as well were removed here\n")
            gone = pruning.prune(root)
            sys.stdout.write(f"{'removed':<10}{len(gone):>9,} results {sum(one.size for one in gone) / MEGABYTE:>14,.1f} MB\n")
            _forget_withdrawn(project)
    return 0


def _forget_withdrawn(project: Path) -> None:
    """Remove from DVC's cache what may be somebody's who withdrew."""
    settings = project / params.PARAMS_PATH
    removed = objects.remove(project, params.raw_folder(settings)) if settings.is_file() else None
    if removed is not None:
        text = f"{removed.objects:>9,} objects {removed.size / MEGABYTE:>14,.1f} MB of earlier versions, because somebody withdrew"
        sys.stdout.write(f"{'in DVC':<10}{text}\n")
