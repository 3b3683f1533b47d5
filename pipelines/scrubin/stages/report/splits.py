"""Splits: how well the subsets are balanced, which classes they lack, what is proven about it.

A split of one task, ``<scheme>.<task>``, counts as a part of its scheme. Numbers of schemes with several
folds are told by their spread over the folds.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from scrubin.stages.report import ReportedStudy


def spread(values: Iterable[float | None]) -> dict[str, float | None]:
    """Return lowest, median and highest of the defined values, and how many they are; None without any.

    >>> spread([3, None, 1])
    {'n': 2, 'lowest': 1, 'median': 2.0, 'highest': 3}
    """
    defined = [value for value in values if value is not None]
    if not defined:
        return {"n": 0, "lowest": None, "median": None, "highest": None}
    return {"n": len(defined), "lowest": min(defined), "median": statistics.median(defined), "highest": max(defined)}


Entry = Mapping[str, Any]


def entries(study: ReportedStudy) -> list[Entry]:
    """Return what the stage splits reports of every split, in the order of ``params.yaml``."""
    return list(study.splits.get("schemes", []))


def scheme_of(entry: Entry) -> str:
    """Return the scheme that a split belongs to.

    >>> scheme_of({"scheme": "lasana.Peg"}), scheme_of({"scheme": "five_folds"})
    ('lasana', 'five_folds')
    """
    return str(entry["scheme"]).partition(".")[0]


def task_of(entry: Entry) -> str:
    """Return the task that a split is of; "" when it is of all."""
    return str(entry["scheme"]).partition(".")[2]


def training(entry: Entry) -> str:
    """Return the subset for training."""
    return str(entry["subsets"][0])


def testing(entry: Entry) -> str | None:
    """Return the subset for testing: ``test``, else the last one; None when there is only the one for training."""
    others = [str(subset) for subset in entry["subsets"][1:]]
    return None if not others else "test" if "test" in others else others[-1]


def main(study: ReportedStudy) -> str | None:
    """Return the main scheme: the first of ``params.yaml``."""
    return next((scheme_of(entry) for entry in entries(study)), None)


def _main_entries(study: ReportedStudy) -> list[Entry]:
    """Return the splits of the main scheme: one, or one per task."""
    return [entry for entry in entries(study) if scheme_of(entry) == main(study)]


def schemes(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return per split its kind, folds, subsets, imbalance, proofs, obstacles and notes."""
    return [
        {
            "name": entry["scheme"],
            "scheme": scheme_of(entry),
            "task": task_of(entry),
            "kind": entry["kind"],
            "folds": len(entry["folds"]),
            "training": training(entry),
            "subsets": [
                {
                    "subset": subset,
                    "share": None if entry["shares"] is None else entry["shares"][subset],
                    "participants": spread(fold["participants"][subset] for fold in entry["folds"]),
                }
                for subset in entry["subsets"]
            ],
            "mean_imbalance": entry["imbalance"]["mean"],
            "worst_imbalance": entry["imbalance"]["worst"],
            "worst_at": _worst_at(entry),
            "proofs": list(entry["proofs"]),
            "obstacles": list(entry["obstacles"]),
            "notes": list(entry["notes"]),
        }
        for entry in entries(study)
    ]


def _worst_at(entry: Entry) -> dict[str, Any] | None:
    cells = [(row, subset, cell) for row in entry["imbalance"]["measures"] for subset, cell in row["subsets"].items()]
    cells = [place for place in cells if not place[0]["fine"]]
    if not cells:
        return None
    row, subset, cell = max(cells, key=lambda place: place[2]["imbalance"])
    return {"fold": row["fold"], "task": row["task"], "measure": row["measure"], "subset": subset} if cell["imbalance"] else None


def tasks(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return per task and subset of the main scheme its recordings, GRS and strong disagreements.

    ``share`` is the mean over folds, so that the shares of a task add up; ``GRS_terciles`` are counts, or
    None with several folds, whose mean GRS stands in ``GRS_means``.
    """
    return [
        {"task": task, "subset": subset, **_of_subset([fold["tasks"][task][subset] for fold in entry["folds"] if task in fold["tasks"]])}
        for entry in _main_entries(study)
        for task in sorted({task for fold in entry["folds"] for task in fold["tasks"]})
        for subset in entry["subsets"]
    ]


def _of_subset(cells: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    means = [cell["GRS"]["mean"] for cell in cells]
    return {
        "folds": len(cells),
        "recordings": spread(cell["recordings"] for cell in cells),
        "share": math.fsum(cell["share"] for cell in cells) / len(cells),
        "GRS_n": spread(cell["GRS"]["n"] for cell in cells),
        "GRS_mean": spread(means),
        "GRS_means": means,
        "GRS_terciles": dict(cells[0]["GRS_terciles"]) if len(cells) == 1 else None,
        "strong_disagreement": spread(cell["strong_disagreement"] for cell in cells),
    }


def balance(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return per task and measure of the main scheme what each subset has, what is wanted, and the signed imbalance between the two.

    A measure is ``whole`` when it is a count; otherwise it is the shift of a mean, in standard deviations.
    """
    cells = []
    for entry in _main_entries(study):
        rows: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
        for row in entry["imbalance"]["measures"]:
            rows.setdefault((row["task"], row["measure"]), []).append(row)
        cells += [{"task": task, "measure": measure, **_of_measure(folds, entry["subsets"])} for (task, measure), folds in rows.items()]
    return cells


def _of_measure(folds: Sequence[Mapping[str, Any]], subsets: Sequence[str]) -> dict[str, Any]:
    cells = {subset: [fold["subsets"][subset] for fold in folds] for subset in subsets}
    return {
        "whole": folds[0]["counted"],
        "fine": folds[0]["fine"],
        "subsets": {
            subset: {
                "value": spread(cell["value"] for cell in of_subset),
                "wanted": spread(cell["wanted"] for cell in of_subset),
                "deviation": spread(math.copysign(cell["imbalance"], cell["value"] - cell["wanted"]) for cell in of_subset),
            }
            for subset, of_subset in cells.items()
        },
    }


def folds(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return per fold of every split with several how many recordings it tests, and its imbalance."""
    return [
        {"name": entry["scheme"], "fold": fold["fold"], "tested": _tested(fold, testing(entry)), **_of_fold(entry, fold["fold"])}
        for entry in entries(study)
        if len(entry["folds"]) > 1
        for fold in entry["folds"]
    ]


def _tested(fold: Mapping[str, Any], subset: str | None) -> int | None:
    return None if subset is None else sum(task[subset]["recordings"] for task in fold["tasks"].values())


def _of_fold(entry: Entry, fold: int) -> dict[str, float | None]:
    rows = [row for row in entry["imbalance"]["measures"] if row["fold"] == fold]
    cells = [(row, cell["imbalance"]) for row in rows for cell in row["subsets"].values()]
    total = math.fsum(row["weight"] for row, _ in cells)
    return {
        "mean_imbalance": math.fsum(row["weight"] * value for row, value in cells) / total if cells else None,
        "worst_imbalance": max((value for row, value in cells if not row["fine"]), default=None),
    }


RESOLUTION = 1e-4
"""A smaller gap, in imbalance, is no difference that anybody could see: the search resolves about a tenth of it."""
ENDED = {
    "work_limit": "search stopped at its limit: ",
    "sampled": "drawn, not searched: ",
}


def proof_sentences(proofs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return what is proven about the repetitions of a split; the first one is searched for, the others are drawn.

    >>> proof_sentences([{"objective": 0.5, "bound": 0.5, "gap": 0.0, "status": "proven"}])
    ['proven best (gap below 0.0001)']
    >>> proof_sentences([])
    ['not searched']
    """
    if not proofs:
        return ["not searched"]
    if len(proofs) == 1:
        return [_sentence(proofs[0])]
    others = proofs[1:]
    worst = max(others, key=_possible)
    of = "repetition 2" if len(others) == 1 else f"worst of repetitions 2 to {len(proofs)}"
    return [f"repetition 1: {_sentence(proofs[0])}", f"{of}: {_sentence(worst)}"]


def _sentence(proof: Mapping[str, Any]) -> str:
    if proof["gap"] < RESOLUTION:
        return f"proven best (gap below {RESOLUTION:.4f})"
    # Rounded up, because less than what is possible would be a false promise.
    percent = math.ceil(_possible(proof) * 1000 - 1e-9) / 10
    return f"{ENDED.get(proof['status'], '')}at most {percent:g} % better is possible (gap {proof['gap']:.4f})"


def _possible(proof: Mapping[str, Any]) -> float:
    return float(proof["gap"] / proof["objective"]) if proof["objective"] > 0 else 0.0


def empty_subsets(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return per split the subsets that shall have recordings and have none, with the sentence of the stage."""
    return [{"name": entry["scheme"], "says": line} for entry in entries(study) for line in entry.get("empty", ())]


def stays(study: ReportedStudy) -> dict[str, str]:
    """Return where recordings stay that only now should be trained on, by id: split and subset."""
    return {
        str(id_): f"{subset} of {entry['scheme']}" for entry in reversed(entries(study)) for id_, subset in entry.get("stays", {}).items()
    }


CLASS_TYPES = ("triplets", "phases", "phase transitions", "errors")
"""In this order; others follow."""
NAMED = 5
"""So many classes are named in a warning; the table has all."""


def class_coverage(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return per split, kind of class and subset how many classes are present, which are missing and which training lacks.

    A class that is missing, or that training lacks, has the number of ``folds`` where this is so, of all folds ``of``.
    """
    return [row for entry in entries(study) for row in _of_split(entry)]


def class_warnings(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return per split, kind and subset the classes that occur there but not in training, with a sentence."""
    return [
        {
            **{name: row[name] for name in ("name", "scheme", "kind", "subset", "training", "unseen", "unseen_in", "of")},
            "says": _class_sentence(row),
        }
        for row in class_coverage(study)
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


def _class_sentence(row: dict[str, Any]) -> str:
    """Return a warning as a sentence."""
    names = [str(one["name"]) for one in row["unseen"]]
    number, noun = len(names), row["kind"]
    what = f"{number} {noun} occur" if number != 1 else f"1 {noun.removesuffix('s')} occurs"
    where = f" in {row['unseen_in']} of {row['of']} folds" if row["of"] > 1 else ""
    more = f" and {number - NAMED} more" if number > NAMED else ""
    return f"{what} in {row['subset']} but not in {row['training']}{where}: {', '.join(names[:NAMED])}{more}"


STRONG = 0.7
"""Rank correlation of duration and GRS, of either sign, from which on a test can be passed by the clock."""
FEWEST = 5
"""With four recordings in any order, the rank correlation is as strong in one of three cases; with two, always."""
PREDICTION = "isotonic"
"""The prediction that the page shows, which assumes nothing but a direction; the others stand in ``data/interim/splits.json``."""
NOTHING: Mapping[str, Any] = {"n": 0, "left_out": 0, "spearman": None, PREDICTION: {}, "training_mean": {}}


def shortcut(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return per split, task and subset how well duration alone predicts the GRS; tasks without a GRS are left out.

    ``strong_folds`` counts the folds whose test subset is ordered by duration nearly as by GRS.
    """
    return [row for entry in entries(study) for task in _tasks(entry) if _scored(entry, task) for row in _of_task(entry, task)]


def without_grs(study: ReportedStudy) -> list[str]:
    """Return the tasks without a GRS, in any split."""
    by_task = {(task, _scored(entry, task)) for entry in entries(study) for task in _tasks(entry)}
    return sorted({task for task, _ in by_task} - {task for task, scored in by_task if scored})


def _tasks(entry: Entry) -> list[str]:
    return sorted({task for fold in entry["folds"] for task in fold["shortcut"]})


def _scored(entry: Entry, task: str) -> bool:
    return any(cell["n"] for fold in entry["folds"] if task in fold["shortcut"] for cell in fold["shortcut"][task]["subsets"].values())


def _of_task(entry: Entry, task: str) -> list[dict[str, Any]]:
    of_folds = [fold["shortcut"][task]["subsets"] for fold in entry["folds"] if task in fold["shortcut"]]
    place = {"name": entry["scheme"], "scheme": scheme_of(entry), "of_task": task_of(entry), "task": task, "training": training(entry)}
    return [
        {
            **place,
            "subset": subset,
            **_shortcut_of_subset([fold.get(subset, NOTHING) for fold in of_folds], tested=subset == testing(entry)),
        }
        for subset in entry["subsets"]
    ]


def _shortcut_of_subset(cells: Sequence[Mapping[str, Any]], *, tested: bool) -> dict[str, Any]:
    return {
        "of": len(cells),
        "tested": tested,
        "n": spread(cell["n"] for cell in cells),
        "left_out": spread(cell["left_out"] for cell in cells),
        "spearman": spread(cell["spearman"] for cell in cells),
        "concordance": spread(cell[PREDICTION].get("concordance") for cell in cells),
        "error": spread(cell[PREDICTION].get("mean_absolute_error") for cell in cells),
        "training_mean_error": spread(cell["training_mean"].get("mean_absolute_error") for cell in cells),
        "strong_folds": len([cell for cell in cells if tested and _strong(cell)]),
    }


def _strong(cell: Mapping[str, Any]) -> bool:
    return cell["spearman"] is not None and cell["n"] >= FEWEST and abs(cell["spearman"]) >= STRONG
