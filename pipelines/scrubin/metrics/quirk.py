"""One known difference between a published program and the definition of its metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["definition", "choice", "bug"]


@dataclass(frozen=True)
class Quirk:
    """One difference, or one place where the paper is silent.

    Parameters
    ----------
    name
        For references.
    kind
        ``definition``: the paper or the package's documentation says so. ``choice``: the paper is silent, the package decides.
        ``bug``: contradicts the paper or the package's documentation.
    published
        What the published program does: ivtmetrics 0.1.5 of triplets, matlab-eval of TMRNet of phases, unless another is named.
    paper, compat
        What the semantics ``paper`` and ``compat`` do here.
    """

    name: str
    kind: Kind
    published: str
    paper: str
    compat: str


def named(quirks: Sequence[Quirk], name: str) -> Quirk:
    """Return the quirk of that name; raises `KeyError` when there is none."""
    return {one.name: one for one in quirks}[name]
