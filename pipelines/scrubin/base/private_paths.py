"""Which paths of a project are private, or wait for the release.

This is the one place that says it. A folder that nobody else may enter protects all that lies in it, whatever modes its
files have: DVC and the store keep files read-only for everybody (0444), and that is fine there.
"""

from __future__ import annotations

import configparser
import contextlib
import os
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from scrubin.base import layout, posix
from scrubin.base.faults import Fault, error, warning
from scrubin.base.files import fresh_folder
from scrubin.base.layout import INTERIM, RELEASE, REPORTS, TABLES, UNRELEASED

PEOPLE = tuple(folder.as_posix() for folder in (layout.PRIVATE, INTERIM, TABLES, UNRELEASED, REPORTS))
"""Folders of tables and pages that may name people: every file in them is closed as well."""
CACHES = (".cache", ".dvc/cache", ".dvc/tmp")
"""Folders of copies of the same; they may hold very many files, so only they and the folders right below are closed."""
PRIVATE = (*PEOPLE, *CACHES)
OTHERS, ALL_BUT_OWNER = 0o007, 0o077
READABLE, ENTERABLE = 0o444, 0o111
_TRACKED = ("README.md", "README.png")
"""What git keeps in some of the folders; it is public."""
DVC_CONFIGS = (Path(".dvc/config"), Path(".dvc/config.local"))


@dataclass(frozen=True)
class Sharing:
    """What DVC's own settings say about who else may use a project.

    Parameters
    ----------
    with_group
        ``cache.shared = group``: the group of the files may use them, others may not.
    cache
        ``cache.dir``, where DVC's cache lies outside of the project; None: in it.
    """

    with_group: bool
    cache: Path | None

    @property
    def forbidden(self) -> int:
        """The permissions that no private path may give; also the umask under which they are written."""
        return OTHERS if self.with_group else ALL_BUT_OWNER

    @property
    def whom(self) -> str:
        """Who must stay out."""
        return "users outside of its group" if self.with_group else "other users of this machine"

    @property
    def taken(self) -> str:
        """The permissions to take away, as ``chmod`` calls them."""
        return "o-rwx" if self.with_group else "go-rwx"


def sharing(project: Path = Path()) -> Sharing:
    """Return what the settings of DVC in a project say; what cannot be read says nothing."""
    config = configparser.ConfigParser(strict=False, interpolation=None)
    home = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    for path in (home / "dvc/config", *(project / name for name in DVC_CONFIGS)):
        try:
            config.read_string(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, configparser.Error):
            continue
    said = config.get("cache", "shared", fallback="").strip("\"' ").lower()
    folder = config.get("cache", "dir", fallback="").strip("\"' ")
    with contextlib.suppress(RuntimeError):  # DVC, too, takes a name of nobody as it is
        folder = str(Path(folder).expanduser()) if folder else ""
    return Sharing(said == "group", project / ".dvc" / folder if folder else None)


def write_privately(project: Path = Path()) -> None:
    """Let this process, and all that it starts, write nothing from now on that others may read.

    Raises
    ------
    PlatformError
        When this system has no permissions that would keep them out.
    """
    posix.require("what a curator does")
    forbidden = sharing(project).forbidden
    os.umask(os.umask(forbidden) | forbidden)


def close(project: Path = Path(), *, all_files: bool) -> None:
    """Take from others what private folders allow them, as far as this user can; `faults` says what is left.

    Parameters
    ----------
    project
        Its folder.
    all_files
        Also what lies in them; otherwise the folders themselves, which is quick and enough.
    """
    shared = sharing(project)
    make_caches(project)
    for name in PRIVATE:
        root = project / name
        if root.is_dir():
            _take(root, shared.forbidden)
            for path in _below(root, deep=name in PEOPLE) if all_files else ():
                _take(path, shared.forbidden)


def make_caches(project: Path = Path()) -> None:
    """Make the folders of caches of a project before DVC does: it makes its own under no umask at all, or under that of who started it.

    Where nobody works with DVC nothing is made; whether a project of DVC is one of ours the caller knows.
    """
    if not (project / ".dvc").is_dir():
        return
    forbidden = sharing(project).forbidden
    for name in CACHES:
        with contextlib.suppress(OSError):  # it is there; or it cannot be made: DVC itself says what it cannot use
            (project / name).mkdir(mode=PRIVATE_MODE)
            # Whom DVC's settings let in may write there, whatever the umask.
            (project / name).chmod(_special(project / name) | (0o777 & ~forbidden))


def open_release(project: Path = Path()) -> None:
    """Let everybody read the release: files 0644, folders 0755; nothing is opened that belongs to somebody else."""
    root = project / RELEASE
    if not root.is_dir():
        return
    for path in (root, *_below(root, deep=True)):
        try:
            mode = stat.S_IMODE(path.stat().st_mode)
            wanted = mode | READABLE | (ENTERABLE if path.is_dir() else 0)
            if mode != wanted:
                path.chmod(wanted)
        except OSError:
            continue


def faults(project: Path = Path()) -> list[Fault]:
    """Return which private folders others can enter, and the mend; a warning where the file system knows no permissions."""
    shared = sharing(project)
    noted = []
    for name in PRIVATE:
        root = project / name
        if root.is_dir() and (mode := _mode(root)) & shared.forbidden and any(path.name not in _TRACKED for path in root.iterdir()):
            noted.append(_fault(name, root, mode, shared))
    cache = shared.cache
    if cache is not None and cache.is_dir() and (mode := _mode(cache)) & shared.forbidden:
        what = f"DVC's cache (cache.dir) holds private files, and {shared.whom} can enter it (mode {mode:04o})"
        fix = f"run: chmod {shared.taken} '{cache.resolve()}', unless other people need it: then give each project a cache of its own"
        noted.append(error(str(cache), "private-readable", what, fix))
    return noted


def raw_fault(raw: Path, project: Path = Path()) -> Fault | None:
    """Return a warning when others can enter the raw study: it is the curator's own, so nothing here changes it."""
    shared = sharing(project)
    if not raw.is_dir() or not (mode := _mode(raw)) & shared.forbidden:
        return None
    what = f"the raw study can be entered by {shared.whom} (mode {mode:04o})"
    return warning(str(raw), "raw-readable", what, f"it is yours, so nothing here changes that; to close it: chmod {shared.taken} '{raw}'")


def _fault(name: str, root: Path, mode: int, shared: Sharing) -> Fault:
    what = f"it is private, but {shared.whom} can enter it (mode {mode:04o})"
    owner, own = root.stat().st_uid, os.geteuid()
    if own not in (owner, 0):
        fix = f"it belongs to user {owner}, who must run: chmod -R {shared.taken} {name}"
        return error(name, "private-readable", what, fix)
    if not _keeps_modes(root, shared.forbidden):
        what = f"{what}, and its file system keeps no permissions"
        return warning(name, "private-unprotected", what, "move the project to a disk that does, or let nobody else use this machine")
    return error(name, "private-readable", what, f"'make repro' closes it; or run: chmod -R {shared.taken} {name}")


def _keeps_modes(folder: Path, forbidden: int) -> bool:
    """Return whether a folder that is made for its owner alone stays so."""
    try:
        with tempfile.TemporaryDirectory(dir=folder, prefix=".part-") as part:
            return not _mode(Path(part)) & forbidden
    except OSError:
        return True  # full or read-only: said elsewhere


def _take(path: Path, forbidden: int) -> None:
    try:
        mode = _mode(path)
        if mode & forbidden:
            path.chmod(mode & ~forbidden)
    except OSError:
        pass  # somebody else's, or gone in the meantime: `faults` looks again


def _below(folder: Path, *, deep: bool) -> Iterator[Path]:
    """Yield folders and files below a folder, or only the folders right below; no links, also no hard ones, whose other name is DVC's."""
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return  # somebody else's, or gone in the meantime
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            yield Path(entry.path)
            if deep:
                yield from _below(Path(entry.path), deep=True)
        elif deep and entry.is_file(follow_symlinks=False) and entry.stat(follow_symlinks=False).st_nlink == 1:
            yield Path(entry.path)


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def _special(path: Path) -> int:
    """Return what a mode says beside permissions: by setgid, which a new folder has of the one around it, files stay with the group."""
    return _mode(path) & ~0o777


PARTS = ("calibration", "frames", "groundtruth", "splits", "videos")
"""The folders in it, each written by one stage; in a release they have the same names."""
BESIDE = UNRELEASED / "release"
"""The release before it is moved to its place, and what is left of it when it was taken out of there: on the same disk."""
PRIVATE_MODE = 0o700


def release_now() -> Path:
    """Return where the released files lie at this moment, if anywhere: in their place, or left aside after a refusal."""
    return BESIDE if BESIDE.is_dir() and not RELEASE.is_dir() else RELEASE


def fresh_part(name: str) -> Path:
    """Return one of the folders, empty; nobody else may look into what lies around it."""
    return fresh_folder(standing_part(name))


def standing_part(name: str) -> Path:
    """Return one of the folders with what is in it, if it is there; nobody else may look into what lies around it."""
    UNRELEASED.mkdir(parents=True, exist_ok=True)
    # Also where DVC has made it.
    UNRELEASED.chmod(PRIVATE_MODE)
    return UNRELEASED / name
