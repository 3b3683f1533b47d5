"""What holds when no ``params.yaml`` is given: the section ``validate`` as the project comes with it."""

from __future__ import annotations

import dataclasses

from scrubin.validate.params import NearDuplicate, Severities, ValidateParams

MILDER = {
    "label_in_redacted_frame": "warning",
    "label_in_dropped_frame": "note",
    "phase_flicker": "warning",
    "phase_transition": "warning",
    "frame_twice": "warning",
    "frame_repeated": "note",
    "class_drift": "warning",
    "near_duplicate_recording": "warning",
    "missing_from_split": "warning",
}
"""The severity of the rules that are no error; a new rule of that kind is named here as in ``params.yaml``."""
DEFAULTS = ValidateParams(
    near_duplicate=NearDuplicate(evidence_bits=20, min_frames=20, accepted=()),
    previous=None,
    flicker_s=2.0,
    transitions={},
    totals=(),
    drift_limit=0.1,
    severity=Severities(**{field.name: MILDER.get(field.name, "error") for field in dataclasses.fields(Severities)}),
)
