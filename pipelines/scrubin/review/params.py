"""The sections ``decisions`` and ``review`` of ``params.yaml``."""

from __future__ import annotations

from dataclasses import dataclass

from scrubin.core.params import ranged


@dataclass(frozen=True)
class DecisionsParams:
    """The stage decisions has no parameters."""


@dataclass(frozen=True)
class ReviewParams:
    """How people's decisions count.

    Parameters
    ----------
    reviewers
        So many people must each see all of a recording. With one, the latest decision counts,
        whoever made it. With more, each person's latest one does: what anybody accepts is
        hidden, and only what so many reject is shown.
    """

    reviewers: int = ranged(low=1, high=9)
