"""``facts.json``: what is measured of a release, in numbers. It counts, it names nobody.

Datasheet, card and Croissant take their numbers from it. A number that does not exist is null, and what the study does not
have (ratings, labels) is empty: neither is zero. What a study names (tasks, errors, instruments) is a value, never a key:
keys are ours, and the audit holds them against words that identify.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from scrubin.base.errors import ReleaseError
from scrubin.base.layout import INTERIM
from scrubin.base.tables import io, seals
from scrubin.base.tables.io import records
from scrubin.base.tables.private import CUTS, RECORDINGS, of_recordings

NAME = "facts.json"
CURATOR = "the curator:"
DIGITS = 4
KEYS = """
by_task size left_out hidden seen labels ratings errors splits rows validation audit synthetic people released videos hours video_frames
frames frames_with_file frames_dropped tasks name shortest_s longest_s cameras pictures_px black_share partly_black_share extracted_frames
extracted_share labelled vocabulary instances boxes masks points tracks marks instruments phases spans annotators annotator blind
settled given proposed changed refused n raters rated ratings_each
failed_share with_score strong_disagreement
ICC icc_raters icc_n alpha value low high task occurred kind folds subsets fewest most mean_imbalance
worst_imbalance proofs verdict asked passed failed_error failed_warning failed_note not_applicable not_checked
cannot be used withdrawn excluded by the curator longer than its task allows in the review k_fold proven work_limit sampled
"""
"""The keys of the facts and their fixed values, for the audit: these words are public."""


@dataclass(frozen=True)
class Study:
    """What is known of a study beside its public tables; all of it may be missing.

    Parameters
    ----------
    certificate
        The certificate's public form: what was hidden, and what was seen.
    scores, splits, validation
        The documents ``scores.json``, ``splits.json`` and ``validation.json`` of the stages of these names.
    provenance
        Who labelled which recording, by released id, as the stage annotations says it.
    interpolated
        Of how many boxes and points nobody said where they are, by released id, where labels tell.
    left_out
        Counts of recordings that are not released, by reason; see ``left_out``.
    people
        How many people were recorded; None where nobody knows.
    synthetic
        Whether the study is a synthetic one.
    """

    certificate: Mapping[str, Any] = field(default_factory=dict)
    scores: Mapping[str, Any] = field(default_factory=dict)
    splits: Mapping[str, Any] = field(default_factory=dict)
    validation: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)
    interpolated: Mapping[str, Any] = field(default_factory=dict)
    left_out: Mapping[str, int] = field(default_factory=dict)
    people: int | None = None
    synthetic: bool = False


def measured(tables: Mapping[str, pd.DataFrame], study: Study) -> dict[str, Any]:
    """Return all facts as a JSON value.

    Parameters
    ----------
    tables
        The public tables by name; at least ``videos`` and ``frames``.
    study
        What else is known.
    """
    return {
        "size": _size(tables["videos"], tables["frames"]) | {"people": study.people},
        "left_out": dict(study.left_out),
        "hidden": _hidden(study.certificate, tables["videos"], tables["frames"]),
        "seen": dict(study.certificate.get("review", {})),
        "labels": _labels(tables) | _provenance(tables["videos"], study.provenance) | _interpolated(tables["videos"], study.interpolated),
        "ratings": _ratings(tables, study.scores),
        "errors": _errors(tables),
        "splits": _splits(tables, study.splits),
        "rows": {name: len(table) for name, table in sorted(tables.items())},
        "validation": {"verdict": study.validation.get("verdict"), **study.validation.get("counts", {})},
        "audit": study.certificate.get("audited"),
        "synthetic": study.synthetic,
    }


def left_out(recordings: pd.DataFrame, quarantine: pd.DataFrame, excluded: int, withdrawn: int) -> dict[str, int]:
    """Return how many recordings were not released, by the kind of reason; reasons themselves may name people.

    Parameters
    ----------
    recordings, quarantine
        The private tables of these names, quarantine of all stages.
    excluded
        How many recordings a reviewer excluded.
    withdrawn
        How many were released once and withdrawn since, as ``metadata/withdrawn.json`` counts them: they are in no table any more.
    """
    by_kind: dict[str, set[str]] = {}
    for row in records(recordings[recordings["status"] != "kept"]):
        by_kind.setdefault(_kind(row["status"], row["reason"] or ""), set()).add(row["recording"])
    by_kind.setdefault("cannot be used", set()).update(map(str, of_recordings(quarantine)["recording"]))
    counted = {kind: len(names) for kind, names in sorted(by_kind.items())} | {"excluded in the review": excluded, "withdrawn": withdrawn}
    return {kind: number for kind, number in counted.items() if number}


def _kind(status: str, reason: str) -> str:
    if status == "quarantined":
        return "cannot be used"
    return "excluded by the curator" if reason.startswith(CURATOR) else "longer than its task allows"


def _size(videos: pd.DataFrame, frames: pd.DataFrame) -> dict[str, Any]:
    tasks = [
        {
            "name": str(task),
            "released": int(rows["id"].nunique()),
            "videos": len(rows),
            "hours": _rounded(rows["duration_s"].sum() / 3600),
            "shortest_s": _rounded(rows["duration_s"].min()),
            "longest_s": _rounded(rows["duration_s"].max()),
            "cameras": sorted(map(str, rows["camera"].unique())),
            "pictures_px": sorted({f"{row['width']}x{row['height']}" for row in records(rows)}),
        }
        for task, rows in videos.groupby("task", sort=True)
    ]
    return {
        "released": int(videos["id"].nunique()),
        "videos": len(videos),
        "hours": _rounded(videos["duration_s"].sum() / 3600),
        "video_frames": int(videos["frame_count"].sum()),
        "frames": len(frames),
        "frames_with_file": int(frames["path"].notna().sum()),
        "frames_dropped": int(frames["dropped"].sum()),
        "tasks": tasks,
    }


def _hidden(certificate: Mapping[str, Any], videos: pd.DataFrame, frames: pd.DataFrame) -> dict[str, Any]:
    stated = dict(certificate.get("hidden", {}))
    total, black, partly = int(videos["frame_count"].sum()), stated.get("black_frames"), stated.get("partly_black_frames")
    return stated | {
        "black_share": None if black is None or not total else _rounded(black / total),
        "partly_black_share": None if partly is None or not total else _rounded(partly / total),
        "extracted_frames": int(frames["redacted"].sum()),
        "extracted_share": _rounded(frames["redacted"].mean()) if len(frames) else None,
        "by_task": [
            {"name": str(task), "extracted_frames": int(rows.sum()), "extracted_share": _rounded(rows.mean())}
            for task, rows in frames["redacted"].groupby(frames["id"].map(videos.groupby("id")["task"].first()), sort=True)
        ],
    }


def _labels(tables: Mapping[str, pd.DataFrame]) -> dict[str, Any]:
    if not len(tables.get("labelled", ())):
        return {}
    labelled = tables["labelled"]
    frames = [
        {"name": str(layer), "vocabulary": str(vocabulary), "released": int(rows["id"].nunique()), "frames": len(rows)}
        for (layer, vocabulary), rows in labelled.groupby(["layer", "vocabulary"], sort=True)
    ]
    found: dict[str, Any] = {"labelled": frames}
    if "triplets" in tables:
        triplets = tables["triplets"]
        found["instances"] = len(triplets)
        found["boxes"] = int(triplets["x"].notna().sum())
        found["instruments"] = _counts(triplets["instrument"])
    if "phases" in tables:
        found["phases"] = _counts(tables["phases"]["phase"])
    if "spans" in tables:
        found["spans"] = len(tables["spans"])
    rows = {name: len(tables[name]) for name in ("masks", "tracks", "marks") if len(tables.get(name, ()))}
    if len(tables.get("points", ())):
        rows["points"] = int((tables["points"]["visibility"] > 0).sum())
    return found | rows


def _provenance(videos: pd.DataFrame, stated: Mapping[str, Any]) -> dict[str, Any]:
    """Return who labelled how much on the page for it, by number, and with which help; nothing where no label was given there."""
    hours = videos.groupby("id")["duration_s"].max() / 3600
    by_id = {id_: said for id_, said in stated.items() if id_ in hours}
    if not by_id:
        return {}
    of = {
        number: [id_ for id_, said in by_id.items() if number in said["annotators"]]
        for said in by_id.values()
        for number in said["annotators"]
    }
    return {
        "annotators": [
            {"annotator": number, "released": len(ids), "hours": _rounded(math.fsum(hours[id_] for id_ in ids))}
            for number, ids in sorted(of.items())
        ],
        "blind": {"released": len(by_id), "n": sum(said["blind"] for said in by_id.values())},
        **{
            name: sum(said[key] for said in by_id.values())
            for name, key in (("settled", "settled"), ("given", "labels"), ("proposed", "proposed"))
        },
        # Files of earlier versions do not say it: then nobody knows the sum.
        **{
            key: sum(said[key] for said in by_id.values())
            for key in ("changed", "refused")
            if all(said.get(key) is not None for said in by_id.values())
        },
    }


def _interpolated(videos: pd.DataFrame, stated: Mapping[str, Any]) -> dict[str, Any]:
    """Return of how many released boxes and points nobody said where they are; nothing where no label tells."""
    released = set(videos["id"])
    of_released = [said for id_, said in stated.items() if id_ in released]
    return {"interpolated": {key: sum(said[key] for said in of_released) for key in ("n", "of")}} if of_released else {}


def _ratings(tables: Mapping[str, pd.DataFrame], scores: Mapping[str, Any]) -> list[dict[str, Any]]:
    if not len(tables.get("ratings", ())):
        return []
    found = []
    for task, rows in tables["ratings"].groupby("task", sort=True):
        per_id = rows.groupby("id")["rater"].nunique()
        marked = rows.drop_duplicates(["id", "rater"])
        document = scores.get("tasks", {}).get(task, {})
        agreement = document.get("agreement", {}).get("GRS", {}).get("failed_excluded", {})
        icc, alpha = agreement.get("icc") or {}, agreement.get("alpha") or {}
        one = {
            "name": str(task),
            "raters": int(rows["rater"].nunique()),
            "rated": len(per_id),
            "ratings_each": [int(per_id.min()), int(per_id.max())],
            "failed_share": _rounded(marked["failed"].mean()),
            "with_score": document.get("recordings", {}).get("with_GRS"),
            "strong_disagreement": document.get("recordings", {}).get("strong_disagreement"),
            "ICC(2,1)": _interval(icc.get("ICC(2,1)")),
            "ICC(2,k)": _interval(icc.get("ICC(2,k)")),
            "icc_raters": icc.get("k"),
            "icc_n": icc.get("n"),
            "alpha": _rounded(alpha.get("alpha")),
        }
        found.append(one)
    return found


def _errors(tables: Mapping[str, pd.DataFrame]) -> list[dict[str, Any]]:
    if not len(tables.get("errors", ())):
        return []
    return [
        {"task": str(task), "name": str(error), "n": len(rows), "occurred": int(rows["occurred"].sum())}
        for (task, error), rows in tables["errors"].groupby(["task", "error"], sort=True)
    ]


def _splits(tables: Mapping[str, pd.DataFrame], document: Mapping[str, Any]) -> list[dict[str, Any]]:
    if not len(tables.get("splits", ())):
        return []
    stated = {scheme["scheme"]: scheme for scheme in document.get("schemes", ())}
    found = []
    for name, rows in tables["splits"].groupby("scheme", sort=True):
        scheme = stated.get(name, {})
        proofs = scheme.get("proofs") or []
        # A subset of the scheme that has nobody, in all folds or in one, is one all the same.
        asked = list(scheme.get("subsets") or ())
        sizes = rows.pivot_table(index="subset", columns="fold", values="id", aggfunc="count")
        sizes = sizes.reindex(sorted({*map(str, sizes.index), *asked})).fillna(0)
        one = {
            "name": str(name),
            "kind": scheme.get("kind"),
            "folds": int(rows["fold"].nunique()),
            "subsets": [
                {"name": str(subset), "fewest": int(of_subset.min()), "most": int(of_subset.max())}
                for subset, of_subset in sizes.iterrows()
            ],
            "mean_imbalance": _rounded((scheme.get("imbalance") or {}).get("mean")),
            "worst_imbalance": _rounded((scheme.get("imbalance") or {}).get("worst")),
            "proofs": sorted({str(proof.get("status")) for proof in proofs}),
        }
        found.append(one)
    return found


def _counts(names: pd.Series[str]) -> list[dict[str, Any]]:
    return [{"name": str(name), "n": int(count)} for name, count in sorted(names.dropna().value_counts().items())]


def _interval(value: Mapping[str, Any] | None) -> dict[str, float | None] | None:
    return None if not value else {end: _rounded(value.get(end)) for end in ("value", "low", "high")}


def _rounded(value: Any) -> float | None:
    """Return a number with four decimals; None and NaN stay undefined."""
    return None if value is None or pd.isna(value) else round(float(value), DIGITS)


def load_study(
    quarantine: pd.DataFrame, certificate: Mapping[str, Any], *, synthetic: bool, withdrawn: int, folder: Path = INTERIM
) -> Study:
    """Return what is known.

    Parameters
    ----------
    quarantine
        Of all stages.
    certificate
        The certificate's public form.
    synthetic
        Whether the study is a synthetic one.
    withdrawn
        See ``left_out``.
    folder
        Where the stages leave their documents.

    Raises
    ------
    ReleaseError
        For a document that cannot be read.
    """
    recordings = io.read(RECORDINGS, folder / "recordings.parquet")
    released = recordings[recordings["recording"].isin(set(io.read(CUTS, folder / "cuts.parquet")["recording"]))]
    return Study(
        certificate=certificate,
        scores=_document(folder / "scores.json"),
        splits=_document(folder / "splits.json"),
        validation=_document(folder / "validation.json"),
        provenance=_document(folder / "annotations.json").get("provenance", {}),
        interpolated=_document(folder / "annotations.json").get("interpolated", {}),
        left_out=left_out(recordings, quarantine, len(_document(folder / "excluded.json", seals.read_rows)), withdrawn),
        people=int(released["participant"].nunique()),
        synthetic=synthetic,
    )


def _document(path: Path, read: Callable[[Path], Any] = lambda path: json.loads(path.read_text(encoding="utf-8"))) -> Any:
    try:
        return read(path)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ReleaseError(f"{path}: it cannot be read ({type(error).__name__}: {error}); run 'dvc repro' again") from error
