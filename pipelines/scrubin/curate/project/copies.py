"""Where copies of somebody who withdrew may be that no run removes, and how what can be removed is."""

from __future__ import annotations

import configparser
import json
import shlex
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from scrubin.audit.expected.withdrawal_memory import Memory
from scrubin.base.faults import count_text
from scrubin.base.layout import RELEASE
from scrubin.base.private_paths import DVC_CONFIGS
from scrubin.base.text import csv_text
from scrubin.curate.project import outputs
from scrubin.stages.release import clone_record
from scrubin.stages.withdrawals import releases

SHOWN = 10
SPLITS = "splits"


@dataclass(frozen=True)
class Tags:
    """The git tags of a project, by what the release that each names holds.

    Parameters
    ----------
    holding
        Somebody who withdrew.
    others
        Nobody who withdrew.
    unknown
        Nobody can tell: DVC's cache has no list of it.
    """

    holding: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def tags(project: Path, withdrawn: Memory) -> Tags:
    """Return the tags of a project; to be asked before the lists of releases go from DVC's cache."""
    found = dict[str, list[str]](holding=[], others=[], unknown=[])
    for tag in _git(project, "tag").splitlines():
        md5 = committed_release(project, tag)
        if md5 == "":
            continue
        paths = outputs.listed(project, md5 or "")
        found["unknown" if not paths else "holding" if outputs.hold(paths, withdrawn) else "others"].append(tag)
    return Tags(**{kind: tuple(names) for kind, names in found.items()})


def committed_release(project: Path, commit: str) -> str | None:
    """Return the MD5 of the release that ``dvc.lock`` of a commit or tag names; "" when it names none, None when nobody can tell."""
    lock = _git(project, "show", f"{commit}:./{releases.LOCK}")
    if not lock:
        # One from before the project was moved within its repository has it elsewhere.
        committed = _git(project, "ls-tree", "-r", "-z", "--full-tree", "--name-only", commit).split("\0")
        return None if committed == [""] or any(PurePosixPath(path).name == releases.LOCK.name for path in committed) else ""
    with suppress(yaml.YAMLError, KeyError, TypeError, AttributeError, ValueError):
        stages = yaml.load(lock, getattr(yaml, "CSafeLoader", yaml.SafeLoader))["stages"]
        of_stage = stages[releases.STAGE]["outs"] if releases.STAGE in stages else []
        if named := [str(out["md5"]) for out in of_stage if Path(out["path"]) == RELEASE]:
            return named[0]
        # The first editions had an output for each part of the release.
        paths = [Path(out["path"]) for stage in stages.values() for out in stage.get("outs") or ()]
        return None if any(path.is_relative_to(RELEASE) or RELEASE.is_relative_to(path) for path in paths) else ""
    return None


def places(project: Path, raw: Path, withdrawn: Memory, tagged: Tags, *, released: str, previous: Path | None) -> Iterator[str]:
    """Yield one sentence per place.

    Parameters
    ----------
    project, raw
        Their folders.
    withdrawn
        All who withdrew.
    tagged
        What `tags` returned before anything was removed.
    released
        Version of the last release that held them; "" when none did.
    previous
        Folder of the release before, as parameters name it.
    """
    yield f"{raw}: their files, rows of recordings.csv, ratings, labels and redactions are yours to delete; your row may stay"
    for path in sorted((raw / SPLITS).glob("*.csv")):
        if rows := _rows_of(path, withdrawn):
            yield f"{path}: {count_text(rows, 'row')} of theirs; it is passed over, and yours to delete"
    if previous is not None and outputs.hold((path.relative_to(previous).as_posix() for path in previous.rglob("*")), withdrawn):
        yield f"{previous}: the release before, as 'release.previous' in params.yaml names it, holds them: delete it after the next run"
    if _texts_of(project / clone_record.PATH, withdrawn):
        yield (
            f"{clone_record.PATH}: it keeps ids of theirs, which releases of other clones have, so that nobody whom those note is released "
            f"again; keep it as private as all of {clone_record.PATH.parent}"
        )
    for name, url in remotes(project):
        yield (
            f"DVC remote '{name}' ({url}): it keeps every version that was pushed, for 'dvc pull' with its dvc.lock. After the next run, "
            f"its push, the push of all other clones and 'git pull --tags': {_collect(project, name, url, tagged)}"
        )
    yield "other clones and git worktrees: their own caches of DVC hold it, and with an older dvc.lock 'dvc push' sends it; delete them"
    if names := (*tagged.holding, *tagged.unknown):
        yield f"git tags {_shown(names)}: each names the outputs of its version, and whoever has the remote can get them"
    if commits := _git(project, "log", "--all", "--format=%h", "--", "dvc.lock").split():
        yield f"git history: {len(commits)} commits of dvc.lock name outputs by their hashes, here and in every clone"
    if released:
        told = "tell them, and withdraw the copies at archives such as Zenodo and Hugging Face"
        yield f"version {released} and those before it: whoever downloaded one has it; {told}"
    yield "backups of data/private, of data/interim and of the whole project, also other people's, and stores of other machines"
    yield "open pages of 'scrubin review', and sheets that people exported: close and delete them"


def _collect(project: Path, name: str, url: str, tagged: Tags) -> str:
    """Return the commands that remove from a remote what held them and leave every release that did not, and what else they do."""
    collect = f"dvc gc --workspace {{}}--cloud --remote {shlex.quote(name)}"
    goes = "it removes from there, and from DVC's cache here, all that the last commit does not name"
    left = (*tagged.others, *tagged.unknown)
    if not left:
        return f"{collect.format('')}; {goes}"
    steps = [f"git tag --delete {shlex.join(tagged.holding)}"] if tagged.holding else []
    # Below a git tag DVC would look for it where the tag says, perhaps at another place, find no list there, and remove what is to stay.
    there = url if "://" in url else str((project / releases.DVC / url).resolve())
    steps.append(f"dvc remote modify --local {shlex.quote(name)} url {shlex.quote(there)}")
    stays = f"{goes}, nor a tag that is left: {_shown(left)}"
    back = "; 'git fetch --tags' brings the others back" if tagged.holding else ""
    asked = f"; whether they are in {_shown(tagged.unknown)} nobody can tell here: where they are, delete that tag first, too"
    return f"{' && '.join([*steps, collect.format('--all-tags ')])}; {stays}{asked if tagged.unknown else ''}{back}"


def _shown(names: Sequence[str]) -> str:
    return ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")


def _rows_of(path: Path, withdrawn: Memory) -> int:
    """Return how many rows of a list have a name or an id of theirs; one that cannot be read is said where it is read."""
    with suppress(OSError, UnicodeDecodeError):
        text = path.read_text(encoding="utf-8-sig")
        delimiter = csv_text.delimiter_of(text)
        return sum(any(cell.strip(' "') in withdrawn for cell in line.split(delimiter)) for line in text.splitlines())
    return 0


def _texts_of(path: Path, withdrawn: Memory) -> bool:
    """Return whether any text in a JSON file is a name or an id of theirs."""
    try:
        left: list[Any] = [json.loads(path.read_text(encoding="utf-8"))]
    except (OSError, ValueError):
        return False
    while left:
        value = left.pop()
        if value in withdrawn:
            return True
        left += value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return False


def remotes(project: Path) -> list[tuple[str, str]]:
    """Return name and address of every remote of a project, sorted."""
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.read([project / config for config in DVC_CONFIGS], encoding="utf-8")
    named = [section for section in parser.sections() if section.strip("'").startswith("remote ")]
    return sorted((section.strip("'").removeprefix("remote ").strip('"'), parser.get(section, "url", fallback="?")) for section in named)


def _git(project: Path, *arguments: str) -> str:
    """Return what git says; nothing where there is no repository."""
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=project, capture_output=True, encoding="utf-8", errors="surrogateescape", check=False
        )
    except OSError:
        return ""
    return done.stdout if done.returncode == 0 else ""
