"""`scrubin tag VERSION`: check that this project can be released as a version, tag it, and say what to push; `make release` calls it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tqdm import tqdm

from scrubin.core import params
from scrubin.core.errors import ReleaseError
from scrubin.engine.only_run import only_run
from scrubin.release.assembly import RELEASE
from scrubin.release.params import ReleaseParams
from scrubin.tagging import readiness
from scrubin.tagging.git import git


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the version and the project."""
    parser.add_argument("version", metavar="VERSION", help="release.version of params.yaml, such as 1.0.0; its tag is v1.0.0")
    parser.add_argument("project", nargs="?", default=".", help="folder of the project (default: this one)")


def run(args: argparse.Namespace) -> int:
    """Check everything, tag, and print the commands that publish; nothing is pushed."""
    project = Path(args.project)
    with only_run(project):
        bar = tqdm(readiness.CHECKS.items(), desc="check", disable=not sys.stderr.isatty())
        ReleaseError.raise_any(fault for _, check in bar for fault in check(project, args.version))
        tag = readiness.tag_of(args.version)
        if readiness.is_tagged(project, args.version):
            sys.stdout.write(f"{tag} stands at this commit already\n")
        else:
            name = params.load("release", ReleaseParams, project / params.PARAMS_PATH).name
            git(project, "tag", "--annotate", tag, "--message", f"{name} {args.version}")
            sys.stdout.write(f"{tag} is tagged: everything is committed, up to date, whole and in DVC's cache\n")
    sys.stdout.write(_to_push(project, tag))
    return 0


def _to_push(project: Path, tag: str) -> str:
    steps = [("dvc push", f"the release, to '{readiness.remote_of(project)}'")]
    if not git(project, "remote").split():
        steps.append(("git remote add origin ADDRESS", "where others find the repository"))
    steps += [("git push", "the commit"), ("git push --tags", "the tag, last: whoever sees it finds everything")]
    lines = "".join(f"  {command:<30}  {what}\n" for command, what in steps)
    taken = f"dvc get ADDRESS {RELEASE} --rev {tag}"
    return f"Nothing has left this machine yet. To publish:\n{lines}Others then take it with: {taken}\n"
