"""Parameters of validate: how much each rule weighs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scrubin.core.params import ranged

SEVERITIES = ("error", "warning", "note")


def _severity() -> Any:
    return ranged(choices=SEVERITIES)


@dataclass(frozen=True)
class Severities:
    """The severity of each rule: an error stops the release, warnings and notes are only reported.

    The fields are the rules, so that a misspelt or forgotten rule in ``params.yaml`` is an error.
    """

    declared_columns: str = _severity()
    declared_types: str = _severity()
    not_missing: str = _severity()
    in_range: str = _severity()
    allowed_value: str = _severity()
    key_unique: str = _severity()
    known_id: str = _severity()
    task_of_video: str = _severity()
    video_has_frames: str = _severity()
    frame_in_video: str = _severity()
    frames_contiguous: str = _severity()
    frames_in_order: str = _severity()
    dropped_without_file: str = _severity()
    stereo_equal_length: str = _severity()
    video_bytes_unique: str = _severity()
    label_has_frame: str = _severity()
    label_in_redacted_frame: str = _severity()
    label_in_dropped_frame: str = _severity()
    triplet_in_vocabulary: str = _severity()
    name_of_id: str = _severity()
    box_inside_image: str = _severity()
    box_not_degenerate: str = _severity()
    span_in_order: str = _severity()
    one_phase_per_frame: str = _severity()
    phase_flicker: str = _severity()
    phase_transition: str = _severity()
    frame_twice: str = _severity()
    frame_repeated: str = _severity()
    instance_twice: str = _severity()
    declared_total: str = _severity()
    class_drift: str = _severity()
    one_subset_per_recording: str = _severity()
    participant_in_one_subset: str = _severity()
    near_duplicate_in_two_subsets: str = _severity()
    near_duplicate_recording: str = _severity()
    missing_from_split: str = _severity()
    no_private_column: str = _severity()
    no_private_value: str = _severity()


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
        The severity of each rule.
    """

    near_duplicate: NearDuplicate
    previous: Previous | None
    flicker_s: float = ranged(low=0)
    transitions: Mapping[str, tuple[tuple[str, ...], ...]] = ranged()
    totals: tuple[Total, ...] = ranged()
    drift_limit: float = ranged(low=0, high=1)
    severity: Severities = ranged()
