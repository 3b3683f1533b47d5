"""Splits: how well the subsets are balanced, and which classes training lacks."""

from __future__ import annotations

from typing import Any

from scrubin.report.study import Study

UNSEEN = "not_in_"


def balance(study: Study) -> dict[str, Any]:
    """Return the shares that were asked for, the imbalance and the proof."""
    found = study.splits
    imbalance, proof = found.get("imbalance", {}), found.get("proof", {})
    return {
        "scheme": found.get("scheme"),
        "training": training(study),
        "subsets": [{"subset": subset, "share": found["shares"][subset]} for subset in subsets(study)],
        "participants": found.get("participants", {}),
        "mean_imbalance": imbalance.get("mean"),
        "worst_imbalance": imbalance.get("worst"),
        "gap": proof.get("gap"),
        "status": proof.get("status"),
    }


def subsets(study: Study) -> list[str]:
    """Return the subsets in the order of ``params.yaml``, the one for training first."""
    return [str(name) for name in study.splits.get("subsets", [])]


def training(study: Study) -> str | None:
    """Return the subset for training; None without any."""
    return next(iter(subsets(study)), None)


def tasks(study: Study) -> list[dict[str, Any]]:
    """Return per task and subset the recordings, their share, the GRS and the strong disagreements."""
    return [
        {
            "task": task,
            "subset": subset,
            "recordings": found[subset]["recordings"],
            "share": found[subset]["share"],
            "GRS_n": found[subset]["GRS"]["n"],
            "GRS_mean": found[subset]["GRS"]["mean"],
            "strong_disagreement": found[subset]["strong_disagreement"],
        }
        for task, found in sorted(study.splits.get("tasks", {}).items())
        for subset in subsets(study)
    ]


def gaps(study: Study) -> list[dict[str, Any]]:
    """Return per kind of class and subset the classes that occur there, and those of them that training lacks."""
    return [
        {
            "kind": kind,
            "subset": subset,
            "classes": facts["classes"],
            "present": facts["subsets"][subset]["present"],
            "unseen": facts.get(f"{UNSEEN}{training(study)}", {}).get(subset, []),
        }
        for kind, facts in sorted(study.splits.get("coverage", {}).items())
        for subset in subsets(study)
    ]
