"""Parameters of validate: what a curator declares and expects, and which rules weigh otherwise than they say themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from scrubin.core.params import ranged

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
"""What a broken rule does: an ``error`` stops the release and fails a validation, a ``warning`` or ``note`` is only reported.

Not to be confused with the severity of a fault (``scrubin.core.faults``), which says what a reader can do with a value of a
file: not use it (``error``), take it although it is not as the format says (``deviation``), or take it with doubt
(``warning``). That follows from the file and cannot be set; how much a rule weighs is the curator's choice. For a verdict the
two meet in one way: an error of either sort fails, everything else is shown and passes.
"""


@dataclass(frozen=True)
class NearDuplicate:
    """When recordings count as showing the same: see ``near_duplicates.Limits``."""

    evidence_bits: int = ranged(low=1)
    min_frames: int = ranged(low=0)
    accepted: tuple[tuple[str, ...], ...] = ranged()


@dataclass(frozen=True)
class Total:
    """A declared total, such as the 4,612,532 rows of phases of Cholec80.

    Parameters
    ----------
    table
        The table.
    count
        What is counted: its rows, its different recordings, or its different frames of recordings.
    where
        Only rows with these values, written as text, by column; empty for all.
    total
        How many there must be.
    """

    table: str
    total: int = ranged(low=0)
    count: str = ranged(choices=("rows", "recordings", "frames"))
    where: Mapping[str, str] = ranged()


@dataclass(frozen=True)
class Previous:
    """Classes of the version before: the ``class_counts.json`` that validation wrote for it, and its SHA-256.

    The hash stands here so that DVC sees another file.
    """

    path: str
    sha256: str


@dataclass(frozen=True)
class ValidateParams:
    """The section ``validate`` of ``params.yaml``.

    Parameters
    ----------
    flicker_s
        A phase that lasts less than so many seconds, with another phase before and after it, flickers.
    transitions
        By vocabulary, pairs [phase, next phase] that are allowed, in the place of those that come with the library.
    totals
        Declared totals.
    previous
        The version before this one; None for a first release.
    drift_limit
        Largest total variation distance between the classes of this version and of the one before.
    near_duplicate
        When recordings count as showing the same.
    severity
        By rule, where it is not to be the rule's own; ``rules.severities`` refuses names that no rule has.
    """

    near_duplicate: NearDuplicate
    previous: Previous | None
    flicker_s: float = ranged(low=0)
    transitions: Mapping[str, tuple[tuple[str, ...], ...]] = ranged()
    totals: tuple[Total, ...] = ranged()
    drift_limit: float = ranged(low=0, high=1)
    severity: Mapping[str, str] = ranged(choices=SEVERITIES)


DEFAULTS = ValidateParams(
    near_duplicate=NearDuplicate(evidence_bits=20, min_frames=20, accepted=()),
    previous=None,
    flicker_s=2.0,
    transitions={},
    totals=(),
    drift_limit=0.1,
    severity={},
)
"""What holds where nobody names a ``params.yaml``: the section as the project comes with it."""
