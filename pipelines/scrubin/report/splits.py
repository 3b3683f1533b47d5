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


def training(study: Study) -> str | None:
    """Return the subset for training: the one whose missing classes splits tells, else the largest; None without any."""
    told = [name.removeprefix(UNSEEN) for facts in study.splits.get("coverage", {}).values() for name in facts if name.startswith(UNSEEN)]
    shares = study.splits.get("shares", {})
    return min(told) if told else max(sorted(shares), key=lambda name: shares[name], default=None)


def subsets(study: Study) -> list[str]:
    """Return the subsets, the one for training first, then the larger ones. JSON has lost their order."""
    shares, first = study.splits.get("shares", {}), training(study)
    return sorted(shares, key=lambda name: (name != first, -shares[name], name))


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
