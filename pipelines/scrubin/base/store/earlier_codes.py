"""Stored results of editions before this one, that are those of today.

Most updates change no byte of what is stored: a module moves, another gets a helper. Then its code is another one
(see `scrubin.base.store.code_of`), and a study would render all its videos again. The data file names, by kind of result, the
code of today and those of editions that came to the same. It holds for just that code: after any later change of what
the kind imports, nothing earlier is taken, until `benchmarks/earlier_codes.py` has been run again by somebody who knows why.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from scrubin.base.store.code_of import EARLIER_CODES, LIBRARY


@dataclass(frozen=True)
class Earlier:
    """The code that a kind of result had in an earlier edition.

    Parameters
    ----------
    edition
        Its version.
    code
        Its digest, as the edition itself formed it.
    packages
        Versions of the packages of others that went into it, by name.
    why
        Why its results are those of today.
    """

    edition: str
    code: str
    packages: dict[str, str]
    why: str

    @property
    def has_packages_of_today(self) -> bool:
        """Whether it was made with the versions that are installed now."""
        return all(_installed(package) == known for package, known in self.packages.items())


@dataclass(frozen=True)
class Kind:
    """A kind of result: the code for which the earlier ones stand, and these, the newest first."""

    code: str
    earlier: tuple[Earlier, ...]

    @cached_property
    def accepted(self) -> tuple[str, ...]:
        """The codes of editions that were run with the packages of today."""
        return tuple(one.code for one in self.earlier if one.has_packages_of_today)


def of(kind: str, code: str) -> tuple[str, ...]:
    """Return the earlier codes whose results may be taken for those of a kind's code; the newest first."""
    known = read(LIBRARY / EARLIER_CODES).get(kind)
    return () if known is None or known.code != code else known.accepted


@cache
def read(path: Path) -> dict[str, Kind]:
    """Return the kinds of result that a file names; none when there is no file."""
    text: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return {name: Kind(kind["code"], tuple(Earlier(**one) for one in kind["earlier"])) for name, kind in text.items()}


def _installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
