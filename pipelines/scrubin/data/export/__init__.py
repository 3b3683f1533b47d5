"""A release in the layouts that other programs load: the exports by name, each written as a new folder.

No stage depends on it. To add one: a module with ``write``, as `Export` says, with its line here.
"""

from __future__ import annotations

import importlib
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from scrubin.base import strangers
from scrubin.base.errors import ReleaseError
from scrubin.base.faults import hint
from scrubin.base.files import fresh_folder

if TYPE_CHECKING:
    from scrubin.data.export.contents import Contents


EXPORTS: Mapping[str, tuple[str, str]] = {
    "huggingface": ("scrubin.data.export.huggingface", "parquet with the pictures inside, for datasets.load_dataset"),
    "webdataset": ("scrubin.data.export.webdataset", "tars of pictures, each with its labels as JSON, for webdataset"),
    "lerobot": (
        "scrubin.data.export.lerobot",
        "LeRobot v3: videos of all cameras with scores and errors, one data set per task and format",
    ),
}
"""By name: the module and what it writes."""

Each = Callable[[Sequence[str]], Iterable[str]]
"""Passes on the recordings one by one, in their order; a caller may count them."""


@dataclass(frozen=True)
class Summary:
    """What was written.

    Parameters
    ----------
    recordings, frames
        How many of each are in it.
    left_out
        What the release has and the export has not: the reason, and of how many.
    """

    recordings: int
    frames: int
    left_out: Mapping[str, int] = field(default_factory=dict)


class Export(Protocol):
    """What the module of an export has."""

    def write(self, contents: Contents, folder: Path, each: Each, /) -> Summary:
        """Write everything into an empty folder."""


def export(name: str) -> Export:
    """Return an export by name.

    Raises
    ------
    ReleaseError
        For a name that there is not.
    """
    if name not in EXPORTS:
        raise ReleaseError(f"there is no export '{name}'; {hint(name, EXPORTS)}")
    return cast("Export", importlib.import_module(EXPORTS[name][0]))


@contextmanager
def new_folder(target: Path, release: Path) -> Iterator[Path]:
    """Yield an empty folder beside ``target``, which gets its name when the block succeeds and is removed when it raises.

    Raises
    ------
    ReleaseError
        When something lies there already, or the target would be in the release itself.
    """
    if target.exists() or target.is_symlink():
        raise ReleaseError(f"{target}: it is there already; name a folder that is not, or remove it")
    if strangers.real(target).is_relative_to(strangers.real(release)):
        raise ReleaseError(f"{target}: it would lie in the release, which then holds more than its SHA256SUMS; name a folder elsewhere")
    target.parent.mkdir(parents=True, exist_ok=True)
    part = fresh_folder(target.with_name(f".part-{target.name}"))
    try:
        yield part
        for path in part.rglob("*"):
            if path.is_file():
                with path.open("rb") as file:
                    os.fsync(file.fileno())
        part.rename(target)
    finally:
        shutil.rmtree(part, ignore_errors=True)
