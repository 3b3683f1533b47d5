"""The report as one JSON value; the page shows the same numbers."""

from __future__ import annotations

from typing import Any

from scrubin.report import attention, hidden, label_counts, near_misses, privacy, quality, recordings, skill, stereo, validation
from scrubin.report.params import ReportParams
from scrubin.report.reported_study import ReportedStudy
from scrubin.report.splits import split_classes, split_proofs, split_shortcut, split_summary

PRIVATE = "private: for the curator of the study only; it names raw files and recordings"


def document(study: ReportedStudy, p: ReportParams) -> dict[str, Any]:
    """Return everything that the report says, by section; null is undefined."""
    spans = hidden.spans(study)
    return {
        "audience": PRIVATE,
        "overview": recordings.overview(study),
        "privacy": privacy.privacy(study),
        "tasks": recordings.by_task(study),
        "quarantined": recordings.quarantined(study),
        "excluded": recordings.excluded(study),
        "redactions": hidden.redactions(study),
        "spans": spans,
        "near_misses": {"least_sure": near_misses.least_sure(spans), "unlike": near_misses.unlike(study)},
        "attention": attention.attention(study, p.much_hidden_share),
        "quality": {
            "distributions": quality.distributions(study),
            "dropped": quality.dropped(study),
            "worst": quality.worst(study, p.worst_frames),
        },
        "stereo": stereo.stereo(study),
        "skill": {
            "tasks": skill.tasks(study),
            "agreement": skill.agreement(study),
            "errors": skill.errors(study),
            "unlabelled": skill.unlabelled(study),
            "contradictions": skill.contradictions(study),
            "strong_disagreement": skill.strong_disagreement(study),
            "development": study.development.get("tasks", {}),
        },
        "splits": _splits(study),
        "labels": {
            "totals": label_counts.totals(study),
            "phases": label_counts.phases(study),
            "triplets": label_counts.triplets(study),
            "without_triplet": label_counts.without_triplet(study),
            **label_counts.changed(study),
        },
        "validation": {**validation.verdict(study), "broken": validation.broken(study)},
    }


def _splits(study: ReportedStudy) -> dict[str, Any]:
    warned = split_classes.warnings(study)
    return {
        "main": split_summary.main(study),
        "seed": study.splits.get("seed"),
        "schemes": [
            {
                **scheme,
                "proof": split_proofs.sentences(scheme["proofs"]),
                "warnings": len([one for one in warned if one["name"] == scheme["name"]]),
            }
            for scheme in split_summary.schemes(study)
        ],
        "warnings": warned,
        "tasks": split_summary.tasks(study),
        "balance": split_summary.balance(study),
        "folds": split_summary.folds(study),
        "coverage": split_classes.coverage(study),
        "shortcut": split_shortcut.shortcut(study),
        "without_GRS": split_shortcut.without_grs(study),
    }
