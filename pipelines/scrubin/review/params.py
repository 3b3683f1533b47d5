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
    checks
        Share of the stills that are shown with a person or a name planted in them, to know how
        many the reviewers notice; at least one in a recording of a minute. 0: none.
    """

    reviewers: int = ranged(low=1, high=9)
    checks: float = ranged(low=0.0, high=0.2)
