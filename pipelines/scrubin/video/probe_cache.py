"""What is known of a raw file, kept so that an unchanged file is read only once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import Any

from scrubin.core import store
from scrubin.core.code_of import code_of
from scrubin.core.errors import VideoError
from scrubin.video.probe import Probe, probe
from scrubin.video.raw_file import proven
from scrubin.video.structure import Group, Structure, structure


def stored_probe(path: Path, name: str, sha256: str) -> Probe:
    """Return what a raw file holds, see `scrubin.video.probe.probe`."""
    key = store.key_of("probe", code_of(__name__), {"sha256": sha256})
    outcome = _stored(key, lambda: _as_json(probe(path, name)), path, name, sha256)
    return Probe(
        **{
            **outcome,
            "fps": Fraction(outcome["fps"]),
            "time_base": Fraction(outcome["time_base"]),
            "end_s": Fraction(outcome["end_s"]),
            "pts": tuple(outcome["pts"]),
        }
    )


def stored_structure(path: Path, name: str, sha256: str) -> Structure:
    """Return the groups of pictures of a raw file, see `scrubin.video.structure.structure`."""
    key = store.key_of("structure", code_of(__name__), {"sha256": sha256})
    outcome = _stored(key, lambda: asdict(structure(path, name)), path, name, sha256)
    groups = tuple(Group(**{**group, "breaks": tuple(group["breaks"])}) for group in outcome["groups"])
    return Structure(groups, outcome["unsure"], outcome["sets"])


def _stored(key: str, work: Callable[[], dict[str, Any]], path: Path, name: str, sha256: str) -> dict[str, Any]:
    def attempt(_: Path) -> dict[str, Any]:
        try:
            with proven(path, name, sha256):
                return work()
        except VideoError as error:
            # Kept too: a broken file stays broken, and reading it may take long. Its name is not
            # kept, because another file may have the same bytes.
            return {"reason": error.reason, "fix": error.fix}

    entry, _ = store.make(key, attempt)
    value: dict[str, Any] = entry.value
    if "reason" in value:
        raise VideoError(name, value["reason"], value["fix"])
    return value


def _as_json(probed: Probe) -> dict[str, Any]:
    return {**asdict(probed), "fps": str(probed.fps), "time_base": str(probed.time_base), "end_s": str(probed.end_s)}
