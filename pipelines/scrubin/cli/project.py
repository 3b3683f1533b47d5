"""`scrubin store`, `tag`, `push`: what a project keeps, which version it is released as, where it is put."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from scrubin.base import params
from scrubin.base.errors import ArgumentsError, ReleaseError
from scrubin.base.faults import Fault
from scrubin.base.store.store import STORE_PATH
from scrubin.cli.answers import shown
from scrubin.curate.engine.run import only_run

MEGABYTE = 1_000_000


def add_store_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the project, and whether to remove."""
    parser.add_argument("project", nargs="?", default=".", help="folder of the project (default: this one)")
    parser.add_argument("--prune", action="store_true", help="remove what no current output uses; after a withdrawal also from DVC's cache")


def run_store(args: argparse.Namespace) -> int:
    """Say what is kept and used; remove what is not, when that is wanted."""
    from scrubin.curate.project import room

    project = Path(args.project)
    root = project / STORE_PATH
    with only_run(project):
        kept = room.store_contents(root)
        for name, mine in (("used", [one for one in kept if one.used]), ("not used", [one for one in kept if not one.used])):
            sys.stdout.write(f"{name:<10}{len(mine):>9,} results {sum(one.size for one in mine) / MEGABYTE:>14,.1f} MB\n")
        if args.prune:
            free = room.share_with_cache(project)
            sys.stdout.write(f"{'in DVC':<10}{'':>17} {free / MEGABYTE:>14,.1f} MB that its cache holds as well were removed here\n")
            gone = room.prune_store(root)
            sys.stdout.write(f"{'removed':<10}{len(gone):>9,} results {sum(one.size for one in gone) / MEGABYTE:>14,.1f} MB\n")
            _forget_withdrawn(project)
    return 0


def _forget_withdrawn(project: Path) -> None:
    """Remove from DVC's cache what may be somebody's who withdrew."""
    from scrubin.curate.project import room

    removed = room.remove_unused(project, params.raw_folder(project / params.PARAMS_PATH))
    if removed is not None:
        text = f"{removed.objects:>9,} objects {removed.size / MEGABYTE:>14,.1f} MB of earlier versions, because somebody withdrew"
        sys.stdout.write(f"{'in DVC':<10}{text}\n")


def add_tag_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the version and the project."""
    parser.add_argument("version", metavar="VERSION", help="release.version of params.yaml, such as 1.0.0; its tag is v1.0.0")
    parser.add_argument("project", nargs="?", default=".", help="folder of the project (default: this one)")


def run_tag(args: argparse.Namespace) -> int:
    """Check everything, tag, and print the commands that publish; nothing is pushed."""
    from scrubin.curate.project import readiness

    project = Path(args.project)
    with only_run(project):
        checks = shown((_sound_params, *readiness.CHECKS.values()), "check")
        ReleaseError.raise_any(fault for check in checks for fault in check(project, args.version))
        sys.stdout.write(readiness.tag(project, args.version))
    return 0


def _sound_params(project: Path, _: str) -> Iterator[Fault]:
    """Yield what is wrong with the parameters: whoever takes the commit by its tag could run nothing there."""
    from scrubin.curate.preflight.preflight import look_at_params

    yield from look_at_params(project / params.PARAMS_PATH)[1]


def add_push_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the address and the project."""
    parser.add_argument("address", metavar="ADDRESS", help="where nothing lies yet, such as s3://bucket/study/1.0.0; one for each version")
    parser.add_argument("project", nargs="?", default=".", help="folder of the project (default: this one)")
    parser.add_argument("--endpoint", metavar="URL", help="of a store that is not Amazon's, such as http://127.0.0.1:9000")


def run_push(args: argparse.Namespace) -> int:
    """Check that there is a release and that it is whole, put it there, the list of its hashes last."""
    from scrubin.base.object_store import ObjectFolder, is_address
    from scrubin.curate.project import pushing

    if not is_address(args.address):
        raise ArgumentsError(f"{args.address}: this is no address; write one such as s3://bucket/study/1.0.0")
    project = Path(args.project)
    options = {"client_kwargs": {"endpoint_url": args.endpoint}} if args.endpoint else {}
    with only_run(project):
        there = ObjectFolder(args.address.rstrip("/"), options)
        done = pushing.push_project(project, there, lambda names: shown(names, "push", "file"))
    sys.stdout.write(f"{args.address}: {done}\nOthers load it with: Release('{args.address}')\n")
    return 0
