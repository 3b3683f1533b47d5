"""What DVC says that the outputs of a project are: every file with its MD5, from ``dvc.lock`` or the lists in the cache."""

from __future__ import annotations

import contextlib
import hashlib
import json
import shlex
import shutil
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from scrubin.audit.expected.withdrawal_memory import Memory
from scrubin.base import file_lists, params, private_paths, strangers
from scrubin.base.errors import ReleaseError
from scrubin.base.faults import Fault, error
from scrubin.base.file_lists import is_litter
from scrubin.base.layout import RELEASE, TABLES, UNRELEASED
from scrubin.stages.withdrawals import releases
from scrubin.stages.withdrawals.releases import LOCK, PIPELINE

ASIDE = Path(".cache/dvc.lock.torn")
HASH_DIGITS = 32


def set_torn_lock_aside(path: Path, aside: Path = ASIDE) -> bool:
    """Move an unfinished lock file away and return whether there was one.

    DVC then finds finished stages by what they read, in its cache of runs; what is not there runs again.
    """
    if not path.is_file() or is_whole(path):
        return False
    aside.parent.mkdir(parents=True, exist_ok=True)
    path.replace(aside)
    return True


def is_whole(path: Path) -> bool:
    """Whether a lock file ends where DVC ends one. A file that somebody has merged by hand is whole when DVC can read it."""
    try:
        text = path.read_text(encoding="utf-8")
        lock = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except UnicodeDecodeError:
        return False
    except yaml.YAMLError:
        # A conflict that git has left is for people to solve: nothing of it may go.
        return params.conflict_line(text.encode()) > 0
    return text.endswith("\n") and _is_read_by_dvc(lock) and all(map(_has_its_hashes, lock.get("stages", {}).values()))


def _is_read_by_dvc(lock: Any) -> bool:
    from dvc.schema import COMPILED_LOCKFILE_SCHEMA
    from voluptuous import Invalid

    try:
        COMPILED_LOCKFILE_SCHEMA(lock)
    except Invalid:
        return False
    return True


def _has_its_hashes(stage: dict[str, Any]) -> bool:
    """DVC itself takes an entry without a hash, and one whose hash is cut."""
    entries = [*stage.get("deps", []), *stage.get("outs", [])]
    return all(len(str(entry.get("md5", ""))) >= HASH_DIGITS for entry in entries)


CACHE = Path(".dvc/cache/files/md5")
LIST = ".dir"


@dataclass(frozen=True)
class Outputs:
    """What should lie where.

    Parameters
    ----------
    files
        MD5 of every file of every cached output, by path relative to the project.
    lists
        Path of each folder whose list is neither in the cache nor can be made again, with the list's MD5.
    rebuilt
        Lists that were made again from the folder, because the cache has none or a damaged one: MD5 with ``.dir`` to text.
    roots
        The outputs themselves.
    """

    files: Mapping[str, str]
    lists: Mapping[str, str]
    rebuilt: Mapping[str, str]
    roots: frozenset[str]

    def root_of(self, path: str) -> Path:
        """Return the output that a file is, or belongs to."""
        file = Path(path)
        return next(one for one in (file, *file.parents) if one.as_posix() in self.roots)


def object_path(cache: Path, md5: str) -> Path:
    """Return where DVC keeps the object of an MD5, which ends in ``.dir`` for the list of a folder."""
    return cache / md5[:2] / md5[2:]


def md5_of(path: Path) -> str:
    """Return the MD5 of a file's bytes, by which DVC knows them."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()


def stated_md5(project: Path, path: Path) -> str | None:
    """Return the MD5 of an output as ``dvc.lock`` states it; None when it states none.

    Raises
    ------
    ReleaseError
        When there is no ``dvc.lock`` that can be read.
    """
    return str(stated["md5"]) if (stated := _stated(project, path)) else None


def _stated(project: Path, path: Path) -> Mapping[str, Any] | None:
    """Return what is stated of an output, with its MD5."""
    try:
        outs = (out for one in _stages(project / LOCK).values() for out in one.get("outs", ()) if out["path"] == path.as_posix())
        return next((out for out in outs if "md5" in out), None)
    except (KeyError, TypeError, AttributeError) as error:
        raise _unreadable(project / LOCK, error) from error


def stated_raw(project: Path, stage: str) -> Path | None:
    """Return the folder of the raw study with which a stage ran last, as ``dvc.lock`` states it; None when it states none.

    Raises
    ------
    ReleaseError
        When there is no ``dvc.lock`` that can be read.
    """
    stages = _stages(project / LOCK)
    try:
        raw = stages.get(stage, {}).get("params", {}).get("params.yaml", {}).get("raw")
    except AttributeError as error:
        raise _unreadable(project / LOCK, error) from error
    return Path(raw) if isinstance(raw, str) else None


def is_in_place(project: Path, folder: Path, told_by: str) -> bool:
    """Whether a folder is the one that ``dvc.lock`` names, by one file that tells it: its list of files, for example.

    It is not, when DVC's cache lacks the list of the one that is named: it was neither made nor pulled here.

    Raises
    ------
    ReleaseError
        When there is no ``dvc.lock`` that can be read.
    """
    md5, there = stated_md5(project, folder), project / folder / told_by
    if md5 is None or not there.is_file():
        return False
    return listed(project, md5).get(told_by) == md5_of(there)


def listed(project: Path, md5: str) -> Mapping[str, str]:
    """Return the MD5 of every file, by its path, of the folder whose list has this one; none when DVC's cache lacks the list."""
    return _members(object_path(_cache(project), md5))


def release_holds(project: Path, withdrawn: Memory) -> bool:
    """Whether ``dvc push`` would send somebody who withdrew: the release that ``dvc.lock`` names has files under an id of theirs.

    Git brings back an older lock and a pull its release, or those of another clone, which does not know of it. DVC's list in the cache
    tells, or the release in its place if it has as many files and bytes. Nothing is sent by a lock that cannot be read.

    Parameters
    ----------
    withdrawn
        Whoever is remembered in this clone.
    """
    with contextlib.suppress(ReleaseError):
        if withdrawn and (stated := _stated(project, RELEASE)):
            return hold(listed(project, str(stated["md5"])) or _in_place(project / RELEASE, stated), withdrawn)
    return False


def hold(paths: Iterable[str], withdrawn: Memory) -> bool:
    """Whether any file lies under an id of somebody who withdrew."""
    return any(withdrawn.has("id", word) for word in {word for path in paths for word in _words(path)})


def _in_place(folder: Path, stated: Mapping[str, Any]) -> list[str]:
    """Return the files of a folder; none where the lock states of its output another number of them, or of their bytes."""
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    sizes = {name: path.stat().st_size for name, path in files.items() if not is_litter(name)}
    return [*sizes] if all(stated.get(key, one) == one for key, one in (("nfiles", len(sizes)), ("size", sum(sizes.values())))) else []


def _cache(project: Path) -> Path:
    """Return where DVC keeps objects, also outside of the project."""
    elsewhere = private_paths.sharing(project).cache
    return project / CACHE if elsewhere is None else elsewhere / CACHE.relative_to(CACHE.parents[1])


def read_outputs(project: Path) -> Outputs:
    """Return what the last run of a project says of its outputs.

    What DVC keeps no copy of (``cache: false``) is left out: people and runs go on writing it, such as the ledger of decisions, so that
    other bytes than those of the last run are no damage.

    Raises
    ------
    ReleaseError
        When there is no ``dvc.lock`` or ``dvc.yaml`` that can be read.
    """
    kept = {path for path, said in stated_outputs(project).items() if said.get("cache", True)}
    try:
        stages = _stages(project / LOCK)
        outs = {out["path"]: str(out["md5"]) for stage in stages.values() for out in stage.get("outs", ())}
    except (KeyError, TypeError, AttributeError) as error:
        raise _unreadable(project / LOCK, error) from error
    files, lists, rebuilt = {}, {}, {}
    for path, md5 in sorted(outs.items()):
        if path not in kept:
            continue
        if not md5.endswith(LIST):
            files[path] = md5
            continue
        text = _listed(object_path(project / CACHE, md5), md5)
        if text is None:
            text = _of_folder(project / path, md5)
            if text is None:
                lists[path] = md5
                continue
            rebuilt[md5] = text
        files |= {f"{path}/{one['relpath']}": one["md5"] for one in json.loads(text)}
    return Outputs(files, lists, rebuilt, frozenset(outs) & kept)


def stated_outputs(project: Path) -> dict[str, Mapping[str, Any]]:
    """Return what ``dvc.yaml`` says of each output by its path, such as ``cache: false``.

    Raises
    ------
    ReleaseError
        When there is no ``dvc.yaml`` that can be read.
    """
    outs = (out if isinstance(out, dict) else {out: {}} for stage in _stages(project / PIPELINE).values() for out in stage.get("outs", ()))
    return {path: said for out in outs for path, said in out.items()}


def pushed(project: Path) -> dict[str, str]:
    """Return every output that ``dvc push`` sends to the usual remote, with the file that says so, as DVC itself sees them.

    They are of stages, or kept by hand. What names a remote of its own goes there, and nowhere else.

    Raises
    ------
    ReleaseError
        When DVC cannot read the project; with its own words.
    """
    # Not before it is needed: it takes a moment.
    from dvc.exceptions import DvcException
    from dvc.repo import Repo

    try:
        with contextlib.closing(Repo(str(project))) as repo:
            root, usual = Path(repo.root_dir), (None, repo.config["core"].get("remote"))
            sent = (out for out in repo.index.outs if out.use_cache and out.can_push and not out.stage.is_repo_import)
            outs = [out for out in sent if out.remote in usual]
            return {_within(root, out.fs_path): _within(root, out.stage.path) for out in outs}
    except DvcException as error:
        raise ReleaseError(f"{PIPELINE}: DVC cannot tell what it would push ({error}); see 'dvc status'") from error


def pushed_besides(project: Path) -> Iterator[Fault]:
    """Yield every output that ``dvc push`` would send, and that is not the release."""
    for path, file in sorted(pushed(project).items()):
        if path != RELEASE.as_posix():
            own_remote = "'push: false', or 'remote: NAME' of a remote that is yours,"
            by_hand = f"write {own_remote} below its path in {file}, or keep it outside of DVC: dvc remove {shlex.quote(file)}"
            fix = by_hand if file.endswith(".dvc") else f"give it '{{push: false}}' in {file}, as all others have it"
            yield error(file, "pushed", f"'dvc push' would send '{path}', too, and it is not the release", fix)


def _within(root: Path, path: str) -> str:
    return Path(path).relative_to(root).as_posix() if Path(path).is_relative_to(root) else str(path)


def _stages(path: Path) -> Mapping[str, Any]:
    text = ""
    try:
        text = path.read_text(encoding="utf-8")
        stages: Mapping[str, Any] = yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))["stages"]
    except (OSError, UnicodeDecodeError, yaml.YAMLError, KeyError, TypeError) as error:
        raise _unreadable(path, error, text) from error
    return stages


def _unreadable(path: Path, error: Exception, text: str = "") -> ReleaseError:
    why, mend = releases.why_unread(text, error)
    return ReleaseError(
        f"{path}: it does not say what the outputs are ({why}); {mend if path.name == LOCK.name else 'restore it from git'}"
    )


def members(project: Path, md5: str) -> frozenset[str] | None:
    """Return the MD5 of every file of the folder whose list has this one, none for a file; None when the list is not in the cache."""
    if not md5.endswith(LIST):
        return frozenset()
    text = _listed(object_path(project / CACHE, md5), md5)
    return None if text is None else frozenset(one["md5"] for one in json.loads(text))


RELEASE_FILES = frozenset({file_lists.CHECKSUMS, "certificate.json", "tables/videos.parquet"})
"""By these a folder is known as a release of ours, of whatever version."""
TO_BE_RELEASED = (f"{TABLES}/", f"{UNRELEASED}/")


def forget_releases(project: Path, staying: Set[str], known: Memory | None = None) -> str:
    """Remove from DVC's cache all of any release that may tell of somebody who withdrew; where it is elsewhere, say what stays there.

    Without its list DVC can neither send nor check out a folder, whatever ``dvc.lock`` comes back, unless its own index of data still
    knows the list, as it does after a push that had nothing to send. The index may lie in several places. So the files go as well: what is
    not in the cache cannot be sent. Files of those who stay are left, because stages and the store need them.

    Parameters
    ----------
    staying
        Released ids of all who stay.
    known
        Who withdrew, where that is no news: releases without an id of theirs are left. Else such a one may have an id that is forgotten.
    """
    if elsewhere := cache_elsewhere(project):
        return f"{elsewhere}: until 'dvc gc' there, an older {LOCK}, as git brings it back, would still send it"
    _forget_index(project)
    lists = {path: of for path in sorted((project / CACHE).glob(f"??/*{LIST}")) if (of := _members(path)).keys() >= RELEASE_FILES}
    held = {path: of for path, of in lists.items() if known is None or hold(of, known)}
    kept = {md5 for path in lists.keys() - held.keys() for md5 in lists[path].values()}
    for md5 in _telling(project, [*held.values(), _to_be_released(project)], staying) - kept:
        object_path(project / CACHE, md5).unlink(missing_ok=True)
    # Last: whoever was killed before finds by them what is left to do.
    for path in held:
        path.unlink(missing_ok=True)
    return ""


def _forget_index(project: Path) -> None:
    """Remove what DVC remembers of the contents of folders and of remotes; it reads the lists again when it needs them."""
    # Not before it is needed: it takes a moment.
    from dvc.exceptions import DvcException
    from dvc.repo import Repo

    with contextlib.suppress(DvcException), contextlib.closing(Repo(str(project))) as repo:
        shutil.rmtree(Path(repo.site_cache_dir) / "index", ignore_errors=True)


def _telling(project: Path, folders: Iterable[Mapping[str, str]], staying: Set[str]) -> set[str]:
    """Return the MD5 of the files that are of nobody who stays: of those who withdrew, or of all together, such as tables."""
    named = [(md5, not _words(path).isdisjoint(staying)) for of in folders for path, md5 in of.items()]
    kept = {md5 for md5, is_of_others in named if is_of_others}
    return {md5 for md5, _ in named} - kept - _by_hand(project)


def _by_hand(project: Path) -> set[str]:
    """Return the MD5 of what somebody has DVC keep by hand, but for releases: of that there may be no second copy."""
    kept = set()
    for file in (*dvc_files(project), *(lock for lock in below(project, LOCK.name) if lock != project / LOCK)):
        with contextlib.suppress(OSError, ValueError, AttributeError, TypeError, yaml.YAMLError):  # nor can DVC read it
            for md5 in stated(file):
                listed = _members(object_path(project / CACHE, md5)) if md5.endswith(LIST) else {"": md5}
                kept |= set() if listed.keys() >= RELEASE_FILES else set(listed.values())
    return kept


def _words(path: str) -> set[str]:
    """Return the names of folders and files that lead to a file, without their endings."""
    return {part.partition(".")[0] for part in path.split("/")}


def _to_be_released(project: Path) -> Mapping[str, str]:
    """Return MD5 by path of what the stages keep for a release; nothing when nobody knows what the last run left."""
    try:
        files = read_outputs(project).files
    except ReleaseError:
        return {}
    return {path: md5 for path, md5 in files.items() if path.startswith(TO_BE_RELEASED)}


def cache_elsewhere(project: Path) -> str:
    """Return where the settings of DVC, also those of the user, keep its cache; "" when it is in the project."""
    folder = private_paths.sharing(project).cache
    own = (project / CACHE).parents[1]
    return "" if folder is None or strangers.real(folder) == strangers.real(own) else f"DVC's cache is in {folder}"


def _members(path: Path) -> dict[str, str]:
    """Return the MD5 of each file by its path in the folder."""
    try:
        members = {entry["relpath"]: entry["md5"] for entry in json.loads(path.read_bytes())}
    except (OSError, ValueError, TypeError, KeyError):
        return {}  # a damaged list names nothing
    return members if all(isinstance(text, str) for member in members.items() for text in member) else {}


PASSED_OVER = {".venv", ".git", ".cache", ".dvc", "node_modules"}


def dvc_files(project: Path) -> Iterator[Path]:
    """Yield the files by which somebody has DVC keep something by hand."""
    return below(project, "*.dvc")


def below(project: Path, pattern: str) -> Iterator[Path]:
    """Yield the files of a name anywhere in a project, but in folders of programs."""
    yield from sorted(path for path in project.glob(pattern) if path.is_file())
    for folder in sorted(path for path in project.iterdir() if path.is_dir() and not path.is_symlink() and path.name not in PASSED_OVER):
        yield from sorted(one for one in folder.rglob(pattern) if one.is_file())


def stated(path: Path) -> Iterator[str]:
    """Yield the MD5 of every output of a ``dvc.lock`` or ``.dvc`` file."""
    said: Any = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    stages = said["stages"].values() if "stages" in said else [said]
    for stage in stages:
        for out in stage.get("outs") or ():
            if "md5" in out:
                yield str(out["md5"])


def _listed(path: Path, md5: str) -> str | None:
    try:
        data = path.read_bytes()
    except OSError:
        return None
    return data.decode() if hashlib.md5(data, usedforsecurity=False).hexdigest() + LIST == md5 else None


def _of_folder(folder: Path, md5: str) -> str | None:
    """Return the list of a folder as DVC writes it, when it is the one that is looked for."""
    entries = []
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            entries.append(
                (PurePosixPath(path.relative_to(folder)).parts, {"md5": md5_of(path), "relpath": path.relative_to(folder).as_posix()})
            )
    text = json.dumps([entry for _, entry in sorted(entries, key=lambda one: one[0])])
    return text if hashlib.md5(text.encode(), usedforsecurity=False).hexdigest() + LIST == md5 else None
