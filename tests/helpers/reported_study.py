"""The synthetic study as the report takes it: tables, released frames, and what the other stages report."""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pandas as pd
import pytest

import synthetic_study
from checked_study import severities, study_of
from scrubin.base.tables import io
from scrubin.base.tables.private import CUTS
from scrubin.stages.release.release_params import ReleaseParams
from scrubin.stages.report import FileKey, ReportedStudy, ReportParams, page
from scrubin.stages.report.document import document
from scrubin.stages.splits import study as split_study
from scrubin.stages.splits.best_split import Effort
from scrubin.stages.splits.cohort import Tables as SplitTables
from scrubin.stages.splits.registry import Setting
from scrubin.stages.splits.split_params import BalancedParams, KFoldParams, SchemeParams, SplitsParams
from scrubin.stages.splits.study import people as people_of
from scrubin.stages.validate import outcomes, suite

Tables = dict[str, pd.DataFrame]
Report = dict[str, Any]
RELEASE = ReleaseParams(
    name="a-study", title="A study", version="1.0.0", license="CC-BY-4.0", archives=False, on_quarantine="continue", review="required"
)
PARAMS = ReportParams(worst_frames=12, thumbnail_width_px=96, thumbnail_quality=80, much_hidden_share=0.25, top_triplets=3)
GREY_PER_FRAME = 0.8
"""So that a picture says its number: 300 frames fit below 256."""
FIGURES = ("development", "quality", "grs", "disagreement", "subsets", "balance", "subset_grs", "folds", "phases", "triplets")
SHARES = {"train": 0.5, "val": 0.25, "test": 0.25}
JOINT = BalancedParams(SHARES, joint=True, extends=None, kind="balanced", balance=("GRS", "error"))
BY_TASK = BalancedParams(SHARES, joint=False, extends=None, kind="balanced", balance=("GRS",))
FOLDS = KFoldParams(joint=True, validation=False, kind="k_fold", balance=("GRS",), folds=2, repeats=2)
SCHEMES: dict[str, SchemeParams] = {"balanced": JOINT, "folds": FOLDS}


DEVELOPMENT = {
    "tasks": {
        "PegTransfer": [
            {
                "trial": "1",
                "recordings": 3,
                "n": 2,
                "mean": -0.5,
                "sd": 0.4,
                "lower_quartile": -0.7,
                "median": -0.5,
                "upper_quartile": -0.3,
            },
            {"trial": "2", "recordings": 1, "n": 1, "mean": 0.5, "sd": None, "lower_quartile": 0.5, "median": 0.5, "upper_quartile": 0.5},
            {
                "trial": "3",
                "recordings": 1,
                "n": 0,
                "mean": None,
                "sd": None,
                "lower_quartile": None,
                "median": None,
                "upper_quartile": None,
            },
        ]
    }
}


@functools.cache
def study() -> ReportedStudy:
    """A study with everything in it: quarantined and excluded recordings, redactions, ratings and labels."""
    tables = synthetic_study.tables()
    recordings = tables["recordings"]
    spare = recordings[recordings.recording == "Rec_PegTransfer_0"].assign(recording="Rec_PegTransfer_9", sha256=None)
    excluded = spare.assign(status="excluded", reason="the curator: camera was knocked over")
    tables["recordings"] = pd.concat([recordings, excluded], ignore_index=True)
    broken = {
        "recording": "Rec_lost",
        "camera": "left",
        "stage": "ingest",
        "path": "videos/lost.mp4",
        "reason": "the file is empty",
        "mend": "copy it",
    }
    tables["quarantine"] = pd.DataFrame([broken])
    # Two frames without a row: nothing was to be seen there, but somebody looked.
    for name, frame in (("triplets", 5), ("phases", 11)):
        tables[name] = tables[name][tables[name]["frame"] != frame]
    return _study(tables, scores(tables["skill"]), annotations(tables))


def empty() -> ReportedStudy:
    """A study in which no recording could be used: every table is empty."""
    tables = synthetic_study.empty_tables()
    return _study(tables, {"tasks": {}}, annotations(tables, outside_cut=0, left_out_recordings=0), splits={})


def _study(
    tables: dict[str, pd.DataFrame], scored: dict[str, Any], labelled: dict[str, Any], splits: dict[str, Any] | None = None
) -> ReportedStudy:
    tables["cuts"] = cuts(tables)
    names = {field.name for field in dataclasses.fields(ReportedStudy)} & set(tables)
    found = study_of(tables)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(suite, "Judge", lambda: None)  # as in the base install: whoever judges, the verdicts are the same
        answers = suite.run(found, severities())
    return ReportedStudy(
        **{name: tables[name] for name in sorted(names - {"splits"})},
        review=reviewed(tables["recordings"]),
        release=RELEASE,
        sources=Numbered(),
        scores=scored,
        annotations=labelled,
        splits=split(tables) if splits is None else splits,
        validation=outcomes.document(answers, found.row_counts),
        development=DEVELOPMENT if scored["tasks"] else {"tasks": {}},
    )


class Numbered:
    """Raw files of 300 frames at 25 Hz, each of the grey of its number; frame 60 looks most unlike, then 200."""

    def times_s(self, key: FileKey) -> np.ndarray:
        return np.arange(301) / 25

    def pictures(self, key: FileKey, frames: Sequence[int]) -> list[np.ndarray]:
        return [np.full((180, 320, 3), GREY_PER_FRAME * number, np.uint8) for number in frames]

    def distance(self, key: FileKey) -> np.ndarray:
        far = np.full(300, 0.1)
        far[[60, 200]] = 0.8, 0.27
        return far


def cuts(tables: Tables) -> pd.DataFrame:
    """Every released video begins 2/5 s, ten frames, into its source."""
    names = dict(zip(tables["linkage"]["id"], tables["linkage"]["recording"], strict=True))
    facts = {"offset_s": "2/5", "first_source_frame": 10, "frame_count": 290, "source_width": 960, "source_height": 540}
    copied = {"mode": "smart", "copied_frames": 290, "left_behind": None, "why": None}
    rows = [
        {"recording": names[id_], "camera": camera, "id": id_, **facts, **copied}
        for id_, camera in zip(tables["videos"]["id"], tables["videos"]["camera"], strict=True)
    ]
    return io.frame_of(CUTS, rows)


def reviewed(recordings: pd.DataFrame) -> Report:
    """What review says when two people saw everything, in its shape."""
    kept = recordings[recordings["status"] == "kept"]
    return {
        "head": "0" * 64,
        "lines": 40,
        "reviewers": 1,
        "detectors": "1",
        "recordings": [
            {
                "recording": str(name),
                "sha256": sorted(group["sha256"]),
                "files": [reviewed_file(str(name), camera) for camera in sorted(group["camera"])],
                "seen_by": ["ann", "bo"],
                "excluded": None,
            }
            for name, group in kept.groupby("recording")
        ],
        "acknowledged": [],
        "people": [
            {"person": "ann", "decisions": 5, "recordings": 3, "saw": 12, "worked_s": 3725.0},
            {"person": "bo", "decisions": 2, "recordings": 1, "saw": 4, "worked_s": 50.0},
        ],
        "agreement": {
            "shared": 4,
            "agreed": 3,
            "share": 0.75,
            "pairs": [{"people": ["ann", "bo"], "shared": 4, "agreed": 3, "share": 0.75}],
        },
        "worked_s": 3775.0,
        "latest": "2026-01-01T00:00:00Z",
        "synthetic": False,
        "sheet": None,
        "warnings": [],
    }


def reviewed_file(recording: str, camera: str, **facts: Any) -> Report:
    """How far the review of one file is: done, but for what is said."""
    missing: Report = {"unseen": [], "unseen_s": 0, "unseen_lenses": [], "undecided": 0, "disputed": 0, "disputed_at_s": [], "lost": 0}
    missing |= {"stops": 1, "unseen_stops": [], "unlooked": 0}
    return {"recording": recording, "camera": camera, "required_s": 12, "lenses": 1, **missing, **facts}


def split(tables: dict[str, pd.DataFrame], schemes: dict[str, SchemeParams] | None = None) -> dict[str, Any]:
    """What splits reports."""
    people = people_of(tables["recordings"], tables["linkage"], tables["videos"])
    taken = SplitTables(*(tables[name] for name in ("skill", "errors", "videos", "triplets", "phases")), sites=people[["id", "site"]])
    return split_report(people, taken, SCHEMES if schemes is None else schemes)


def split_report(people: pd.DataFrame, taken: SplitTables, schemes: dict[str, SchemeParams]) -> dict[str, Any]:
    """What splits reports of these people and tables, as it is read from its file."""
    p = SplitsParams(schemes, seed=0, gap=0.0, work_limit=3)
    everyone = split_study.cohort_of(people, taken)
    made = split_study.splits(everyone, p, Setting(p.seed, Effort(p.gap, p.work_limit), Path()))
    found: dict[str, Any] = json.loads(json.dumps(split_study.document(made, everyone, taken, p), sort_keys=True))
    return found


def scores(skill: pd.DataFrame) -> dict[str, Any]:
    """What scores reports, in its shape."""
    tasks = {}
    for task, group in skill.groupby("task"):
        pairs = {"0-1": {"n": 4, "bessel": 0.5, "pearson": 0.6}, "0-2": {"n": 1, "bessel": None, "pearson": None}}
        found = {"pairs": pairs, "mean": {"bessel": 0.5, "n_pairs_bessel": 1}}
        distribution = {"n": len(group), "mean": float(group.GRS.mean()), "sd": 1.0, "lowest": -1.0, "highest": 1.0}
        interval = {"value": 0.61, "low": 0.2, "high": None}
        icc = {"n": 3, "k": 2, "left_out": 1, "ICC(2,1)": interval, "ICC(2,k)": {"value": None, "low": None, "high": None}}
        kappa = {"mean": {"plain": 0.31, "linear": 0.32, "quadratic": 0.33, "n_pairs": 1}}
        marked = {"kappa": kappa, "alpha": {"alpha": 0.27}}
        one = str(group.id.iloc[0])
        said = [{"rater": "1", "failed": True, "marked": None}, {"rater": "2", "failed": False, "marked": False}]
        contradiction = {"id": one, "failed": True, "error": "object_dropped", "occurred": False}
        tasks[str(task)] = {
            "recordings": {"released": len(group), "rated": len(group), "with_GRS": len(group), "strong_disagreement": 1},
            "skill": {"GRS": distribution},
            "disagreement": {**distribution, "percentile": 95, "threshold": 0.65},
            "agreement": {
                "GRS": {"failed_excluded": {"raters": found, "pooled": found, "icc": icc, "alpha": {"alpha": 0.28}}},
                "efficiency": {"failed_excluded": {"raters": found, "pooled": found, "icc": icc}},
            },
            "raw_agreement": {"efficiency": {"kappa": kappa, "alpha": {"alpha": 0.29}}},
            "errors": {"object_dropped": {"n": 4, "occurred": 2, "share": 0.5, "effect_on_GRS": {"d": None}}},
            "error_marks": {
                "agreement": {"object_dropped": marked},
                "unlabelled": {"n": 1, "recordings": [{"id": one, "raters": ["1", "2"]}]},
            },
            "harmonised": [{"id": one, "error": "object_dropped", "rater": "1", "marked": True, "occurred": False}],
            "contradictions": [{**contradiction, "rater": None, "said": said}, {**contradiction, "rater": "1"}],
            "duration_and_GRS": {"n": 4, "spearman": -0.5},
        }
    return {"tasks": tasks}


def annotations(tables: dict[str, pd.DataFrame], outside_cut: int = 1, left_out_recordings: int = 1) -> dict[str, Any]:
    """What annotations says beyond its tables, in its shape."""
    counts = {layer: {"before_cut": outside_cut, "after_cut": 2 * outside_cut} for layer in ("phases", "instances")}
    notes = {name: ["the cut does not start on a label"] for name in sorted(tables["triplets"]["id"].unique())}
    return {"left_out_recordings": left_out_recordings, "outside_cut": counts, "notes": notes}


def write_frames(study: ReportedStudy, release: Path) -> Path:
    """Write every released frame as a small grey picture."""
    for path, brightness in zip(study.frames["path"], study.frames["brightness"], strict=True):
        (release / path).parent.mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(release / path), np.full((54, 192, 3), int(brightness), np.uint8))
    return release


def page_without_pictures(of: ReportedStudy, release: Path, params: ReportParams = PARAMS) -> str:
    """The page for tests of its text: figures take seconds to draw, and have tests of their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(page, "_images", lambda *_: dict.fromkeys(FIGURES, "data:image/svg+xml;base64,"))
        return page.render(of, document(of, params), release, params)
