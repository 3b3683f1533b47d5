"""The report as one JSON value; the page shows the same numbers."""

from __future__ import annotations

from typing import Any

from scrubin.stages.report import ReportedStudy, ReportParams, extracted_frames, privacy, recordings, skill, splits

PRIVATE = "private: for the curator of the study only; it names raw files and recordings"


def document(study: ReportedStudy, p: ReportParams) -> dict[str, Any]:
    """Return everything that the report says, by section; null is undefined."""
    spans = privacy.spans(study)
    return {
        "audience": PRIVATE,
        "overview": recordings.overview(study),
        "privacy": privacy.privacy(study),
        "tasks": recordings.by_task(study),
        "quarantined": recordings.quarantined(study),
        "excluded": recordings.excluded(study),
        "redactions": privacy.redactions(study),
        "spans": spans,
        "near_misses": {"least_sure": privacy.least_sure(spans), "unlike": privacy.unlike(study)},
        "attention": recordings.attention(study, p.much_hidden_share),
        "quality": {
            "distributions": extracted_frames.distributions(study),
            "dropped": extracted_frames.dropped_frames(study),
            "worst": extracted_frames.worst_frames(study, p.worst_frames),
        },
        "stereo": extracted_frames.stereo(study),
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
            "totals": extracted_frames.label_totals(study),
            "phases": extracted_frames.phases(study),
            "triplets": extracted_frames.triplets(study),
            "without_triplet": extracted_frames.without_triplet(study),
            **extracted_frames.changed_labels(study),
            **({"annotators": who} if (who := extracted_frames.annotators(study)) else {}),
            **({"interpolated": drawn} if (drawn := extracted_frames.interpolated(study)) else {}),
        },
        "validation": {"verdict": study.validation["verdict"], **study.validation["counts"], "broken": broken_rules(study)},
    }


def _splits(study: ReportedStudy) -> dict[str, Any]:
    warned, empty = splits.class_warnings(study), splits.empty_subsets(study)
    return {
        "main": splits.main(study),
        "seed": study.splits.get("seed"),
        "schemes": [
            {
                **scheme,
                "proof": splits.proof_sentences(scheme["proofs"]),
                "warnings": len([one for one in (*warned, *empty) if one["name"] == scheme["name"]]),
            }
            for scheme in splits.schemes(study)
        ],
        "warnings": warned,
        **({"empty": empty} if empty else {}),
        **({"stays": stays} if (stays := splits.stays(study)) else {}),
        "tasks": splits.tasks(study),
        "balance": splits.balance(study),
        "folds": splits.folds(study),
        "coverage": splits.class_coverage(study),
        "shortcut": splits.shortcut(study),
        "without_GRS": splits.without_grs(study),
    }


HARMLESS = ("passed", "not applicable")
RANK = {"error": 0, "warning": 1, "note": 2}


def broken_rules(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return the checks that did not pass, the most severe first."""
    outcomes = [outcome for outcome in study.validation["outcomes"] if outcome["result"] not in HARMLESS]
    return sorted(outcomes, key=lambda outcome: (RANK[outcome["severity"]], outcome["table"], outcome["rule"], outcome["columns"]))
