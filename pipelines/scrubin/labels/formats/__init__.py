"""One module or package per label format: reader, writer, what the format is known by. To add one, add the file.

Every module here and in the rooms is imported, in sorted order, and registers what it reads and writes. A room is for what its
formats hold; those that no data set defines are in ``plain``.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Iterator

NOT_REGISTERED = ("stored", "submission")
"""What only validation and submissions read; they import it themselves."""


def modules(paths: Iterable[str], package: str) -> Iterator[str]:
    """Return the full names of the modules of formats in a package and the packages inside it, sorted.

    Parameters
    ----------
    paths
        Folders of the package.
    package
        Its full name.
    """
    for one in sorted(pkgutil.iter_modules(list(paths)), key=lambda one: one.name):
        name = f"{package}.{one.name}"
        if one.name in NOT_REGISTERED:
            continue
        yield name
        if one.ispkg:
            yield from modules(importlib.import_module(name).__path__, name)


for _name in modules(__path__, __name__):
    importlib.import_module(_name)
