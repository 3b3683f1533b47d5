"""Parameters of validate: how much each rule weighs."""

from __future__ import annotations

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
class ValidateParams:
    """The section ``validate`` of ``params.yaml``.

    Parameters
    ----------
    flicker_frames
        A phase that lasts at most so many extracted frames, with another phase before and after it, flickers.
    near_duplicate
        When recordings count as showing the same.
    severity
        The severity of each rule.
    """

    near_duplicate: NearDuplicate
    flicker_frames: int = ranged(low=0)
    severity: Severities = ranged()
