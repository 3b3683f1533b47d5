"""`scrubin verify [FOLDER]`: whether a downloaded release is whole and unchanged; of a project, which of its copies are sound."""

from __future__ import annotations

import argparse
from pathlib import Path

from scrubin.core.errors import ReleaseError
from scrubin.download import marks


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the folder, and what is asked of it."""
    parser.add_argument(
        "project", nargs="?", default=".", metavar="FOLDER", help="a downloaded release, or a project (default: this folder)"
    )
    parser.add_argument(
        "--fix", action="store_true", help="project: restore every damaged copy from a sound one; remove what no sound copy is left of"
    )
    parser.add_argument("--quick", action="store_true", help="release: names, sizes and counts only; the bytes are not read")
    parser.add_argument("--partial", action="store_true", help="release: whole top folders, such as videos, may be absent")
    parser.add_argument(
        "--json", metavar="FILE", help="release: write everything that is said as JSON as well; - writes only that, to the terminal"
    )
    parser.add_argument(
        "--state", metavar="FILE", help="release: where it is noted what has been read, to go on there (default: in your folder of caches)"
    )


def run(args: argparse.Namespace) -> int:
    """Say what is sound; 1 when something is not, and was not restored."""
    folder = Path(args.project)
    is_project = folder.is_dir() and not marks.is_release(folder) and any((folder / name).exists() for name in marks.PROJECT)
    if not is_project:
        if args.fix:
            msg = f"{folder}: --fix restores a project from its own copies; a release is mended by getting the files again that are named"
            raise ReleaseError(msg)
        from scrubin.cli import verify_release

        return verify_release.run(folder, args)
    for option in ("quick", "partial", "json", "state"):
        if getattr(args, option):
            msg = f"{folder}: --{option} is for a release, but this is a project; name the folder of the release, such as data/release"
            raise ReleaseError(msg)
    from scrubin.cli import verify_project

    return verify_project.run(folder, fix=args.fix)
