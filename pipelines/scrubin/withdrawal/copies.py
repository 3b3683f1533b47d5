"""Where somebody who withdrew may still be, and what of it nobody but the curator can remove: a list for reading."""

from __future__ import annotations

import configparser
import subprocess
from collections.abc import Iterator
from pathlib import Path

CONFIGS = (Path(".dvc/config"), Path(".dvc/config.local"))
SHOWN = 10


def places(project: Path, raw: Path, released: str) -> Iterator[str]:
    """Yield one sentence per place.

    Parameters
    ----------
    project, raw
        Their folders.
    released
        Version of the last release that held them; "" when none did.
    """
    yield f"{raw}: their files, rows of recordings.csv, ratings, labels and redactions are yours to delete; your row may stay"
    for name, url in remotes(project):
        again = f"after the next run: dvc gc --workspace --cloud --remote {name}"
        yield f"DVC remote '{name}' ({url}): it keeps every version that was pushed; {again}"
    if tags := _git(project, "tag"):
        shown = ", ".join(tags[:SHOWN]) + (f" and {len(tags) - SHOWN} more" if len(tags) > SHOWN else "")
        yield f"git tags {shown}: each names the outputs of its version, and whoever has the remote can get them"
    if commits := _git(project, "log", "--all", "--format=%h", "--", "dvc.lock"):
        yield f"git history: {len(commits)} commits of dvc.lock name outputs by their hashes, here and in every clone"
    if released:
        told = "tell them, and withdraw the copies at archives such as Zenodo and Hugging Face"
        yield f"version {released} and those before it: whoever downloaded one has it; {told}"
    yield "backups of data/private, of data/interim and of the whole project, also other people's, and stores of other machines"
    yield "open pages of 'scrubin review', and sheets that people exported: close and delete them"


def remotes(project: Path) -> list[tuple[str, str]]:
    """Return name and address of every remote of a project, sorted."""
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.read([project / config for config in CONFIGS], encoding="utf-8")
    named = [section for section in parser.sections() if section.strip("'").startswith("remote ")]
    return sorted((section.strip("'").removeprefix("remote ").strip('"'), parser.get(section, "url", fallback="?")) for section in named)


def _git(project: Path, *arguments: str) -> list[str]:
    """Return the lines that git says; none where there is no repository."""
    try:
        done = subprocess.run(["git", *arguments], cwd=project, capture_output=True, text=True, check=False)
    except OSError:
        return []
    return done.stdout.split() if done.returncode == 0 else []
