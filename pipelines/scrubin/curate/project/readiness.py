"""A version as a tag in git: what stands in its way, one check per thing that must hold.

A tag names a commit. Whoever takes data at the tag reads `dvc.lock` and the address of the remote from that commit, and the
data from the remote: so all of it must be committed, be what is here, and be able to be pushed.
"""

from __future__ import annotations

import configparser
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from scrubin.audit import run
from scrubin.audit.expected import withdrawal_memory
from scrubin.base import params
from scrubin.base.errors import PrivacyError, ReleaseError
from scrubin.base.faults import Fault, count_text
from scrubin.base.layout import RELEASE
from scrubin.base.machine import cores
from scrubin.curate.project import outputs
from scrubin.curate.project.outputs import CACHE
from scrubin.stages.release import added_files
from scrubin.stages.release.release_params import ReleaseParams
from scrubin.stages.withdrawals import releases
from scrubin.stages.withdrawals.releases import LOCK, PIPELINE


def git(project: Path, *arguments: str) -> str:
    """Return what git prints.

    Raises
    ------
    ReleaseError
        When there is no git, or it refuses; with its own words.
    """
    try:
        done = subprocess.run(["git", *arguments], cwd=project, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        msg = f"git {arguments[0]}: there is no git on this machine; install it, for example with 'apt install git'"
        raise ReleaseError(msg) from error
    if done.returncode:
        raise ReleaseError(f"git {arguments[0]}: {done.stderr.strip() or f'exit code {done.returncode}'}")
    return done.stdout


def commit_of(project: Path, name: str) -> str | None:
    """Return the commit that a tag or a branch stands for; None when there is none of this name."""
    lines = git(project, "for-each-ref", "--format=%(objectname) %(*objectname)", name).split()
    # Of a tag with a message the second one is the commit, the first one the tag itself.
    return lines[-1] if lines else None


CONFIG = Path(".dvc/config")
COMMITTED = (LOCK, PIPELINE, params.PARAMS_PATH, CONFIG)
"""What a tag must hold so that others can take data at it."""
SHOWN = 3

Check = Callable[[Path, str], Iterator[Fault]]


def tag_of(version: str) -> str:
    """Return the name of a version's tag.

    >>> tag_of("1.0.0")
    'v1.0.0'
    """
    return f"v{version}"


def is_tagged(project: Path, version: str) -> bool:
    """Return whether the current commit has the version's tag already."""
    return commit_of(project, f"refs/tags/{tag_of(version)}") == git(project, "rev-parse", "HEAD").strip()


def named_version(project: Path, version: str) -> Iterator[Fault]:
    """Yield a fault unless `params.yaml` names this version."""
    named = params.load("release", ReleaseParams, project / params.PARAMS_PATH).version
    if named != version:
        wanted = f"'{version}'" if version else "no version"
        fix = f"say VERSION={named}, or set release.version, run 'make repro' and commit"
        yield Fault(str(params.PARAMS_PATH), "version", f"release.version is {named}, but {wanted} is to be released", fix)


def free_tag(project: Path, version: str) -> Iterator[Fault]:
    """Yield a fault when the tag is that of another commit: what others took under a name must stay what it was."""
    other = commit_of(project, f"refs/tags/{tag_of(version)}")
    if other is not None and not is_tagged(project, version):
        fix = "raise release.version: a version that others may have taken never changes"
        yield Fault("", "tag", f"the tag {tag_of(version)} is that of another commit, {other[:8]}", fix)


def clean_tree(project: Path, _: str) -> Iterator[Fault]:
    """Yield what is changed or new since the last commit, and what others need and git does not have."""
    for line in git(project, "status", "--porcelain").splitlines():
        yield Fault(line[3:].strip('"'), "uncommitted", "it is not as the last commit has it", "commit it, or put it back")
    kept = set(git(project, "ls-files", "--", *map(str, COMMITTED)).split())
    for path in COMMITTED:
        if str(path) not in kept and git(project, "status", "--porcelain", "--", str(path)) == "":
            yield Fault(str(path), "uncommitted", "git does not have it, and nobody can take data without it", f"git add --force {path}")


def default_remote(project: Path, _: str) -> Iterator[Fault]:
    """Yield a fault when the repository does not tell where its data are."""
    if remote_of(project) is None:
        fix = f"'dvc remote add --default NAME ADDRESS', then commit {CONFIG}"
        yield Fault(str(CONFIG), "remote", "it names no default remote, so nobody would find the data", fix)


def remote_of(project: Path) -> str | None:
    """Return the name of the default remote that the repository itself names, with an address; None when there is none."""
    config = configparser.ConfigParser(interpolation=None)
    try:
        config.read_string((project / CONFIG).read_text(encoding="utf-8"))
    except (OSError, configparser.Error):
        return None
    name = config.get("core", "remote", fallback=None)
    return name if name and config.get(f"'remote \"{name}\"'", "url", fallback="") else None


def released(project: Path, _: str) -> Iterator[Fault]:
    """Yield a fault when nothing would be pushed, as the last run has not released anything, or somebody who withdrew."""
    if not releases.names_release(project):
        yield Fault(str(LOCK), "release", "it names no release: the last one was refused or taken back", "run 'make repro', then commit it")
        return
    try:
        holds = outputs.release_holds(project, withdrawal_memory.load(project))
    except PrivacyError as error:
        yield Fault("", "withdrawn", str(error), "")
        return
    if holds:
        fix = "run 'make repro', which releases without them, then commit it"
        yield Fault(str(LOCK), "withdrawn", "the release that it names holds somebody who withdrew", fix)


def up_to_date(project: Path, _: str) -> Iterator[Fault]:
    """Yield a fault when outputs are not those of their inputs, as DVC sees it."""
    dvc = Path(sys.executable).with_name("dvc")
    done = subprocess.run([dvc, "status", "--json"], cwd=project, capture_output=True, text=True, check=False)
    if done.returncode and not (project / CONFIG.parent).is_dir():
        msg = f"{project / CONFIG.parent}: there is no such folder, so DVC keeps nothing here; go into the checkout of the study"
        raise ReleaseError(msg)
    if done.returncode:
        raise ReleaseError(f"dvc status: {done.stderr.strip() or f'exit code {done.returncode}'}")
    stale = json.loads(done.stdout)
    if stale:
        changed = {
            str(path)
            for changes in stale.values()
            for change in changes
            if isinstance(change, dict)
            for of in change.values()
            for path in of
        }
        what = f"{len(stale)} stages are not up to date: {_some(sorted(stale))}; changed or missing: {_some(sorted(changed))}"
        yield Fault(str(PIPELINE), "stale", what, "run 'make repro', then commit dvc.lock")


def release_alone(project: Path, _: str) -> Iterator[Fault]:
    """Yield what `dvc push` would send besides the release."""
    yield from outputs.pushed_besides(project)


def whole_release(project: Path, _: str) -> Iterator[Fault]:
    """Yield what of the release is not as its own list of checksums has it."""
    there = {name: value for name, value in added_files.hashes(project / RELEASE).items() if Path(name).name != ".gitignore"}
    for one in run.checksum_findings(project / RELEASE, there):
        yield Fault(f"{RELEASE}/{one.file}", "checksum", one.message, "", place=one.place)


def in_cache(project: Path, _: str) -> Iterator[Fault]:
    """Yield public outputs that DVC could not push, or would push with other bytes: it reads no object before it sends it."""
    said, public = outputs.read_outputs(project), frozenset(outputs.pushed(project))
    objects = {path: outputs.object_path(project / CACHE, md5) for path, md5 in said.files.items() if _is_below(path, public)}
    lost = [path for path, at in objects.items() if not at.is_file()]
    lost += [path for path in said.lists if path in public]
    fix = "run 'scrubin verify --fix', which restores it from the outputs; else 'make repro'"
    if lost or said.rebuilt:
        what = f"{len(lost) or len(said.rebuilt)} of its public outputs are not there" + (f", such as {lost[0]}" if lost else "")
        yield Fault(str(CACHE), "cache", what, fix)
    gone = set(lost)
    there = [path for path in objects if path not in gone]
    with ThreadPoolExecutor(cores()) as pool:
        sound = pool.map(lambda path: outputs.md5_of(objects[path]) == said.files[path], there)
        damaged = [path for path, is_sound in zip(there, sound, strict=True) if not is_sound]
    if damaged:
        what = f"its copies of {count_text(len(damaged), 'public file')} are damaged, and 'dvc push' would send them: {_some(damaged)}"
        yield Fault(str(CACHE), "cache", what, fix)


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def _is_below(path: str, folders: frozenset[str]) -> bool:
    return path in folders or any(str(parent) in folders for parent in Path(path).parents)


CHECKS: Mapping[str, Check] = {
    "version": named_version,
    "tag": free_tag,
    "git": clean_tree,
    "remote": default_remote,
    "release": released,
    "dvc status": up_to_date,
    "outputs": release_alone,
    "checksums": whole_release,
    "cache": in_cache,
}
"""Every check by what it looks at, the quick ones first."""


def tag(project: Path, version: str) -> str:
    """Tag a project that is ready, and return what was done, with the commands that publish it; nothing is pushed.

    Raises
    ------
    ReleaseError
        When git refuses.
    """
    name = tag_of(version)
    if is_tagged(project, version):
        return f"{name} stands at this commit already\n{_to_push(project, name)}"
    title = params.load("release", ReleaseParams, project / params.PARAMS_PATH).name
    git(project, "tag", "--annotate", name, "--message", f"{title} {version}")
    return f"{name} is tagged: everything is committed, up to date, whole and in DVC's cache\n{_to_push(project, name)}"


def _to_push(project: Path, tag: str) -> str:
    steps = [("dvc push", f"the release, to '{remote_of(project)}'")]
    if not git(project, "remote").split():
        steps.append(("git remote add origin ADDRESS", "where others find the repository"))
    steps += [("git push", "the commit"), ("git push --tags", "the tag, last: whoever sees it finds everything")]
    lines = "".join(f"  {command:<30}  {what}\n" for command, what in steps)
    taken = f"dvc get ADDRESS {RELEASE} --rev {tag}"
    return f"Nothing has left this machine yet. To publish:\n{lines}Others then take it with: {taken}\n"
