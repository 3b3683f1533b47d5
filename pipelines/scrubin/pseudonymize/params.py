"""The section ``pseudonymize`` of ``params.yaml``."""

from __future__ import annotations

from dataclasses import dataclass

from scrubin.core.params import ranged


@dataclass(frozen=True)
class PseudonymizeParams:
    """How long ids are: two syllables give 1.6 billion."""

    syllables: int = ranged(low=2, high=6)
