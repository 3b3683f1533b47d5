"""The reference parts of the documents, written from registries and declarations, so that they cannot be wrong.

A page says ``<!-- generated: formats -->`` where such a part belongs; `filled` puts it there. To add a part, write a
function that returns Markdown and name it in ``PARTS``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from reference import checks, commands, containers, contents, datasets, formats, house, metrics, parameters, policy, tables
from reference.api import write_api

__all__ = ["PARTS", "filled", "is_generated", "write_api"]

PARTS: Mapping[str, Callable[[], str]] = {
    "datasets": datasets.text,
    "formats": formats.text,
    "contents": contents.text,
    "vocabularies": formats.vocabularies,
    "columns": formats.columns,
    "metrics": metrics.text,
    "parameters": parameters.text,
    "tables": tables.text,
    "commands": commands.text,
    "containers": containers.text,
    "policy": policy.text,
    "checks": checks.text,
    "picture": house.picture,
    "rooms": house.rooms,
    "wings": house.wings,
}
PLACE = re.compile(r"<!-- generated: ([a-z]+) -->")


def is_generated(text: str) -> bool:
    """Return whether a page has a generated part: Sphinx does not see what that depends on."""
    return PLACE.search(text) is not None


def filled(text: str) -> str:
    """Return the text of a page with every generated part in its place; raises ``KeyError`` for one that nobody writes."""
    return PLACE.sub(lambda place: PARTS[place[1]](), text)
