"""The report as one JSON value; the page shows the same numbers."""

from __future__ import annotations

from typing import Any

from scrubin.report import attention, hidden, labels, quality, recordings, skill, splits, validation
from scrubin.report.params import ReportParams
from scrubin.report.study import Study

PRIVATE = "private: for the curator of the study only; it names raw files and recordings"


def document(study: Study, p: ReportParams) -> dict[str, Any]:
    """Return everything that the report says, by section; null is undefined."""
    return {
        "audience": PRIVATE,
        "overview": recordings.overview(study),
        "tasks": recordings.by_task(study),
        "quarantined": recordings.quarantined(study),
        "excluded": recordings.excluded(study),
        "redactions": hidden.redactions(study),
        "spans": hidden.spans(study),
        "attention": attention.attention(study, p.much_hidden_share),
        "quality": {
            "distributions": quality.distributions(study),
            "dropped": quality.dropped(study),
            "worst": quality.worst(study, p.worst_frames),
        },
        "skill": {
            "tasks": skill.tasks(study),
            "agreement": skill.agreement(study),
            "errors": skill.errors(study),
            "unlabelled": skill.unlabelled(study),
            "contradictions": skill.contradictions(study),
            "strong_disagreement": skill.strong_disagreement(study),
        },
        "splits": {"balance": splits.balance(study), "tasks": splits.tasks(study), "coverage": splits.gaps(study)},
        "labels": {
            "totals": labels.totals(study),
            "phases": labels.phases(study),
            "triplets": labels.triplets(study),
            "without_triplet": labels.without_triplet(study),
        },
        "validation": {**validation.verdict(study), "broken": validation.broken(study)},
    }
