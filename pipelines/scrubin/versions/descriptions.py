"""What two releases say of themselves: name, title, licence, whatever else the metadata hold, and their known errors."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from scrubin.versions import errata
from scrubin.versions.difference import Difference, Step
from scrubin.versions.released import Released

FOLLOWING = frozenset({"@context", "@id", "citeAs", "cr:citeAs", "distribution", "recordSet", "sdVersion", "version"})
"""Fields that change by themselves with the version and the files; columns are compared in the tables."""
TERMS = ("license", "name")
"""Fields that say what users may do, and what they call the data set: no documentation."""
SHOWN = 120


def differences(old: Released, new: Released) -> Iterator[Difference]:
    """Yield which fields of the metadata differ."""
    for name in sorted({*old.document, *new.document} - FOLLOWING):
        before, after = old.document.get(name), new.document.get(name)
        if before != after:
            change = "added" if name not in old.document else "removed" if name not in new.document else "changed"
            step = Step.MINOR if name in TERMS else Step.PATCH
            yield Difference("metadata", name, change, step, 1, "field", examples=({"changed": {name: [_short(before), _short(after)]}},))
    yield from _errata(_by_id(old), _by_id(new))


def _errata(old: Mapping[str, errata.Erratum], new: Mapping[str, errata.Erratum]) -> Iterator[Difference]:
    ids = {
        "added": sorted(new.keys() - old.keys()),
        "removed": sorted(old.keys() - new.keys()),
        "changed": sorted(one for one in old.keys() & new.keys() if old[one] != new[one]),
    }
    for change, names in ids.items():
        if names:
            shown = tuple({"id": one, "what": _short((new.get(one) or old[one]).what)} for one in names[:5])
            yield Difference("errata", "known errors", change, Step.PATCH, len(names), "errors", examples=shown)


def _by_id(released: Released) -> dict[str, errata.Erratum]:
    """Return the known errors of a release; older ones say none."""
    return {one.id: one for one in errata.read(released.path(errata.RELEASED))} if errata.RELEASED in released.sha256 else {}


def _short(value: Any) -> str | None:
    if value is None:
        return None
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"
