"""Which classes a subset has and lacks, and what can therefore not be learnt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from scrubin.report.reported_study import ReportedStudy
from scrubin.report.splits.split_summary import Entry, entries, scheme_of, task_of, training
from scrubin.report.splits.spreads import spread

CLASS_TYPES = ("triplets", "phases", "phase transitions", "errors")
"""In this order; others follow."""
NAMED = 5
"""So many classes are named in a warning; the table has all."""


def coverage(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return per split, kind of class and subset how many classes are present, which are missing and which training lacks.

    A class that is missing, or that training lacks, has the number of ``folds`` where this is so, of all folds ``of``.
    """
    return [row for entry in entries(study) for row in _of_split(entry)]


def warnings(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return per split, kind and subset the classes that occur there but not in training, with a sentence."""
    return [
        {
            **{name: row[name] for name in ("name", "scheme", "kind", "subset", "training", "unseen", "unseen_in", "of")},
            "says": _sentence(row),
        }
        for row in coverage(study)
        if row["unseen"]
    ]


def _of_split(entry: Entry) -> Iterator[dict[str, Any]]:
    folds, first = [fold["coverage"] for fold in entry["folds"]], training(entry)
    class_types = sorted({one for fold in folds for one in fold})
    for class_type in sorted(class_types, key=lambda one: CLASS_TYPES.index(one) if one in CLASS_TYPES else len(CLASS_TYPES)):
        facts = [fold[class_type] for fold in folds if class_type in fold]
        if not any(fact["classes"] for fact in facts):
            continue
        for subset in entry["subsets"]:
            unseen = [fact[f"not_in_{first}"].get(subset, []) for fact in facts]
            yield {
                "name": entry["scheme"],
                "scheme": scheme_of(entry),
                "task": task_of(entry),
                "kind": class_type,
                "subset": subset,
                "training": first,
                "of": len(folds),
                "classes": spread(fact["classes"] for fact in facts),
                "present": spread(fact["subsets"][subset]["present"] for fact in facts),
                "missing": _counted(fact["subsets"][subset]["missing"] for fact in facts),
                "missing_n": spread(len(fact["subsets"][subset]["missing"]) for fact in facts),
                "unseen": _counted(unseen),
                "unseen_in": len([names for names in unseen if names]),
            }


def _counted(folds: Iterable[Sequence[str]]) -> list[dict[str, Any]]:
    counts = Counter(name for names in folds for name in names)
    return [{"name": name, "folds": counts[name]} for name in sorted(counts)]


def _sentence(row: dict[str, Any]) -> str:
    """Return a warning as a sentence."""
    names = [str(one["name"]) for one in row["unseen"]]
    number, noun = len(names), row["kind"]
    what = f"{number} {noun} occur" if number != 1 else f"1 {noun.removesuffix('s')} occurs"
    where = f" in {row['unseen_in']} of {row['of']} folds" if row["of"] > 1 else ""
    more = f" and {number - NAMED} more" if number > NAMED else ""
    return f"{what} in {row['subset']} but not in {row['training']}{where}: {', '.join(names[:NAMED])}{more}"
