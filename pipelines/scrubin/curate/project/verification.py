"""Store, cache, release read again to the last byte: which copy is sound, so that the others are restored from it."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from scrubin.base import file_lists
from scrubin.base.file_lists import is_litter
from scrubin.base.files import CHUNK_BYTES, copy, sha256_of, write_text
from scrubin.base.layout import RELEASE
from scrubin.base.machine import cores
from scrubin.base.store import store
from scrubin.curate.project import outputs
from scrubin.curate.project.outputs import CACHE, LIST, Outputs
from scrubin.stages.withdrawals import releases

READ_ONLY = 0o444
DAMAGES_SHOWN = 100
PULL = f"'dvc pull --allow-missing --force {RELEASE}'"
"""Private outputs are in no remote, and without ``--force`` DVC stops at a file that it does not know."""
Each = Callable[[list[Path]], Iterable[Path]]


@dataclass(frozen=True)
class Copy:
    """One file that should hold certain bytes.

    Parameters
    ----------
    place
        ``store``, ``cache`` or ``output``.
    path
        The file, relative to the project.
    digest
        Its MD5 (cache, output) or SHA-256 (store), as it should be.
    root
        The output, the cache or the store: whatever leads there, a curator may have set up.
    """

    place: str
    path: Path
    digest: str
    root: Path


@dataclass(frozen=True)
class Damage:
    """A copy that is missing or holds other bytes, and the sound ones of the same bytes."""

    copy: Copy
    state: str
    sound: tuple[Copy, ...]

    def line(self) -> str:
        """Return it in one line."""
        others = ", ".join(f"{one.place} {one.path}" for one in self.sound)
        return f"{self.copy.place} {self.copy.path}: {self.state}; {f'sound: {others}' if others else 'no sound copy is here'}"


@dataclass
class Verification:
    """What a project's copies are.

    Parameters
    ----------
    read
        Number of files and of bytes that were read, by place.
    damages
        What is not as it should be, sorted.
    lists
        Folders whose list DVC has lost: their outputs cannot be checked against the cache.
    rebuilt
        Lists that can be made again from the folder.
    foreign
        Files of the release's folder that no list of it names.
    is_another
        Whether a whole release lies in its folder, but not the one that ``dvc.lock`` names: nothing else is said of it.
    """

    read: dict[str, tuple[int, int]] = field(default_factory=dict)
    damages: list[Damage] = field(default_factory=list)
    lists: dict[str, str] = field(default_factory=dict)
    rebuilt: dict[str, str] = field(default_factory=dict)
    foreign: list[Path] = field(default_factory=list)
    is_another: bool = False

    @property
    def sound(self) -> bool:
        """Whether every copy is as it should be."""
        return not (self.damages or self.lists or self.rebuilt or self.foreign or self.is_another)


def verify(project: Path, each: Each = iter) -> Verification:
    """Read the store, DVC's cache and all outputs of a project; change nothing.

    Parameters
    ----------
    project
        Its folder.
    each
        Passes on the files to be read, one by one; a caller may count them.
    """
    said, is_another = outputs.read_outputs(project), False
    if _is_another(project, said):
        said, is_another = _without_release(said), True
    copies = [*_outputs(said), *_cache(project, said), *_store(project)]
    paths = sorted({one.path for one in copies if (project / one.path).is_file()})
    with ThreadPoolExecutor(cores()) as pool:
        digests = dict(zip(paths, pool.map(lambda path: _digests(project / path), each(paths)), strict=True))
    foreign = list(_foreign(project, said))
    result = Verification(lists=dict(said.lists), rebuilt=dict(said.rebuilt), foreign=foreign, is_another=is_another)
    sound: dict[str, list[Copy]] = defaultdict(list)
    damaged: list[tuple[Copy, str]] = []
    for one in copies:
        there = digests.get(one.path)
        if there is not None and one.digest in there:
            for digest in there:
                sound[digest].append(one)
        else:
            damaged.append((one, "missing" if there is None else "damaged"))
    # What a digest of one kind says, the other kind's sound copies know as well.
    same = {digest: {*there} for there in digests.values() for digest in there}
    result.damages = [Damage(one, state, _others(one, sound, same)) for one, state in damaged]
    for place in ("output", "cache", "store"):
        mine = {one.path for one in copies if one.place == place and one.path in digests}
        result.read[place] = (len(mine), sum((project / path).stat().st_size for path in mine))
    return result


def _others(one: Copy, sound: Mapping[str, list[Copy]], same: Mapping[str, set[str]]) -> tuple[Copy, ...]:
    others = {copy.path: copy for digest in {one.digest, *same.get(one.digest, ())} for copy in sound.get(digest, ())}
    return tuple(others[path] for path in sorted(others))


def lines(result: Verification) -> Iterator[str]:
    """Yield what was read and what is not as it should be, for people."""
    for place, (files, size) in result.read.items():
        yield f"{place:<8}{files:>10,} files {size:>18,} bytes"
    yield from (damage.line() for damage in result.damages[:DAMAGES_SHOWN])
    if len(result.damages) > DAMAGES_SHOWN:
        yield f"and {len(result.damages) - DAMAGES_SHOWN:,} more"
    if result.is_another:
        yield f"{RELEASE} is not the release that {releases.LOCK} names: {PULL}"
    for foreign in result.foreign[:DAMAGES_SHOWN]:
        yield f"output {foreign}: no list of the release names it; remove it, or 'make repro' does"
    if len(result.foreign) > DAMAGES_SHOWN:
        yield f"and {len(result.foreign) - DAMAGES_SHOWN:,} more that no list names"
    for path, md5 in result.lists.items():
        fix = f"where git brought another dvc.lock, {PULL}; then 'make repro'" if path == RELEASE.as_posix() else "run 'make repro'"
        yield f"cache {md5}: the list of {path} is missing or damaged, so its files cannot be checked; {fix}"
    for md5 in result.rebuilt:
        yield f"cache {md5}: the list of a folder is missing or damaged; the folder is sound"


def restore(project: Path, result: Verification) -> Iterator[str]:
    """Restore what is damaged from sound copies, never in place; yield a line for each.

    A damaged object of the cache without a sound copy is removed, so that DVC never checks it out; a damaged output or
    result of the store is removed too, and the next run makes it again. What is foreign in the release is left: it is somebody's own.
    """
    for md5, text in sorted(result.rebuilt.items()):
        path = outputs.object_path(project / CACHE, md5)
        write_text(path, text)
        path.chmod(READ_ONLY)
        yield f"cache {md5}: the list of a folder was made again from the folder"
    for one in result.damages:
        target = project / one.copy.path
        source = next((project / copy.path for copy in one.sound if (project / copy.path).is_file()), None)
        link = _link_below_output(project, one.copy)
        if link is not None:
            yield f"{one.copy.place} {one.copy.path}: left as it is, it lies behind the link {link}; remove the link, then again"
        elif source is not None:
            _replace(source, target, one.copy.place)
            yield f"{one.copy.place} {one.copy.path}: restored from {source.relative_to(project)}"
        elif target.exists():
            if one.copy.place == "store":
                shutil.rmtree(project / _entry(one.copy.path))
            else:
                target.unlink()
            yield f"{one.copy.place} {one.copy.path}: removed, no copy of it is sound; 'make repro' makes it again"
        else:
            yield f"{one.copy.place} {one.copy.path}: still missing; 'make repro' makes it again"


def _link_below_output(project: Path, one: Copy) -> Path | None:
    """Return the folder between an output and its file that is a link: whoever's files lie behind it, they are not ours."""
    parents = [parent for parent in reversed(one.path.parents) if len(parent.parts) > len(one.root.parts)]
    return next((parent for parent in parents if (project / parent).is_symlink()), None)


def _entry(path: Path) -> Path:
    """Return the folder of the store's result that a file belongs to."""
    return Path(*path.parts[: len(store.STORE_PATH.parts) + 2])


def _outputs(said: Outputs) -> Iterator[Copy]:
    for path, md5 in said.files.items():
        yield Copy("output", Path(path), md5, said.root_of(path))


def _foreign(project: Path, said: Outputs) -> Iterator[Path]:
    """Yield what lies in the folder of the release, and is not of it: whoever copies the folder takes it along."""
    if RELEASE.as_posix() in said.roots and RELEASE.as_posix() not in said.lists:
        there = (path.relative_to(project) for path in sorted((project / RELEASE).rglob("*")) if path.is_symlink() or not path.is_dir())
        yield from (path for path in there if path.as_posix() not in said.files and path.name != ".gitignore" and not is_litter(str(path)))


def _is_another(project: Path, said: Outputs) -> bool:
    """Return whether a whole release is in its place that the lock does not name, as after git brought another lock."""
    folder, certificate = project / RELEASE, "certificate.json"
    if RELEASE.as_posix() in said.lists:  # nobody knows what the lock's would be
        return False
    try:
        stated, _ = file_lists.read_checksums((folder / file_lists.CHECKSUMS).read_text(encoding="utf-8"))
        # Damage of one file, also of the list itself, is none: then it is still the one that is named.
        is_whole = stated.get(certificate) == sha256_of(folder / certificate)
        is_named = said.files.get(f"{RELEASE.as_posix()}/{certificate}") == outputs.md5_of(folder / certificate)
    except (OSError, ValueError):
        return False
    return RELEASE.as_posix() in said.roots and is_whole and not is_named


def _without_release(said: Outputs) -> Outputs:
    release = RELEASE.as_posix()
    files = {path: md5 for path, md5 in said.files.items() if not path.startswith(f"{release}/")}
    return replace(
        said, files=files, lists={path: md5 for path, md5 in said.lists.items() if path != release}, roots=said.roots - {release}
    )


def _cache(project: Path, said: Outputs) -> Iterator[Copy]:
    """Yield DVC's objects; a list that was made again is spoken of by itself."""
    again = {outputs.object_path(project / CACHE, md5) for md5 in said.rebuilt}
    for path in sorted((project / CACHE).glob("??/*")):
        if path not in again and len(path.parent.name + path.name.removesuffix(LIST)) == 32 and path.is_file():
            yield Copy("cache", path.relative_to(project), path.parent.name + path.name.removesuffix(LIST), CACHE)


def _store(project: Path) -> Iterator[Copy]:
    root = project / store.STORE_PATH
    for folder in sorted(root.glob("[0-9a-f][0-9a-f]/*")):
        if folder.name.startswith("."):
            continue  # what the first edition left of a run that was killed
        entry = store.read_entry(folder)
        if entry is None:
            if _is_of_the_first_edition(folder / store.MANIFEST):
                continue  # nobody takes it any more, and pruning removes it
            # What it says of itself is damaged: nothing can match.
            yield Copy("store", (folder / store.MANIFEST).relative_to(project), "", store.STORE_PATH)
            continue
        others = store.read_elsewhere(folder)
        for name, sha256 in entry.files.items():
            # What lies in DVC's cache alone is read there; where it is gone, the next run makes it again.
            if name not in others or (folder / name).exists():
                yield Copy("store", (folder / name).relative_to(project), sha256, store.STORE_PATH)


def _is_of_the_first_edition(manifest: Path) -> bool:
    """Return whether a manifest is one without the hash of itself, which the first edition wrote."""
    try:
        return set(json.loads(manifest.read_text(encoding="utf-8"))) == {"files", "value"}
    except (OSError, ValueError, TypeError):
        return False


def _digests(path: Path) -> tuple[str, str]:
    md5, sha256 = hashlib.md5(usedforsecurity=False), hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            md5.update(chunk)
            sha256.update(chunk)
    return md5.hexdigest(), sha256.hexdigest()


def _replace(source: Path, target: Path, place: str) -> None:
    """Put a copy of a sound file in the place of a damaged one, as a new file."""
    copy(source, target, sha256_of(source))
    if place != "output":
        target.chmod(READ_ONLY)
