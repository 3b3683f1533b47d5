"""One known difference between a published program and the definition of its metric."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Origin = Literal["definition", "choice", "bug"]


@dataclass(frozen=True)
class Quirk:
    """One difference, or one place where the paper is silent.

    Parameters
    ----------
    name
        For references.
    origin
        ``definition``: the paper or the package's documentation says so. ``choice``: the paper is silent, the package decides.
        ``bug``: contradicts the paper or the package's documentation.
    published
        What the published program does: ivtmetrics 0.1.5 of triplets, matlab-eval of TMRNet of phases,
        scikit-learn of errors, unless another is named.
    paper, compat
        What the semantics ``paper`` and ``compat`` do here.
    """

    name: str
    origin: Origin
    published: str
    paper: str
    compat: str
