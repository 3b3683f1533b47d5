"""The suite of a table of triplets against the same checks written by hand in pyarrow.compute, in one run.

python benchmarks/validation_speed.py [rows]

Both read the same parquet files and name the same offending rows, which is compared. Each runs in a process of its own, with
imports not counted; one study is sound, in the other one row in a hundred breaks some rule.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import validation_by_hand

import clips
from scrubin.base.tables import Table
from scrubin.base.tables.public import FRAMES, TRIPLETS, VIDEOS
from scrubin.base.vocabulary import vocabulary

ROWS, ROUNDS = 2_000_000, 5
RECORDINGS, INSTANCES = 50, 2
FEWEST_CHECKS, MOST_TIMES, MOST_MB = 15, 4.0, 2500
LIMIT = 0.1
WORDS = vocabulary.load("cholect50")
BROKEN = {"instrument_id": 99, "triplet_id": 200, "x": 0.95, "w": 0.0, "verb": "dance", "frame": 10**6, "id": "nobody"}
"""What one row in a hundred has instead."""


def main() -> None:
    if sys.argv[1:2] and sys.argv[1] in SIDES:
        sys.stdout.write(json.dumps(_measured(sys.argv[1], Path(sys.argv[2]))))
        return
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    print(f"{rows:,} rows of triplets, {rows // INSTANCES:,} frames; median of {ROUNDS} alternating runs")
    print(f"{'study':<8}{'checks':>7}{'suite s':>9}{'hand s':>9}{'ratio':>7}{'suite MB':>10}{'hand MB':>9}")
    for study in ("sound", "broken"):
        folder = _written(rows, study)
        runs = {side: [] for side in SIDES}
        for _ in range(ROUNDS):
            for side, found in runs.items():
                found.append(json.loads(subprocess.check_output([sys.executable, __file__, side, str(folder)])))
        answers = {side: {json.dumps(answer) for answer in found[0]["answers"]} for side, found in runs.items()}
        if answers["suite"] != answers["hand"]:
            sys.exit("they do not say the same:\n" + "\n".join(sorted(answers["suite"] ^ answers["hand"]))[:4000])
        suite_s, hand_s = (median(one["seconds"] for one in runs[side]) for side in SIDES)
        suite_mb, hand_mb = (max(one["peak_mb"] for one in runs[side]) for side in SIDES)
        line = f"{study:<8}{len(answers['suite']):>7}{suite_s:>9.2f}{hand_s:>9.2f}{suite_s / hand_s:>7.2f}"
        print(f"{line}{suite_mb:>10.0f}{hand_mb:>9.0f}")
        if rows >= ROWS and (len(answers["suite"]) < FEWEST_CHECKS or suite_s > MOST_TIMES * hand_s or suite_mb > MOST_MB):
            sys.exit(f"wanted: at least {FEWEST_CHECKS} checks, at most {MOST_TIMES:g} times by hand, below {MOST_MB} MB")


def _measured(side: str, folder: Path) -> dict[str, Any]:
    work = SIDES[side]()
    started = time.perf_counter()
    answers = work(folder)
    seconds = time.perf_counter() - started
    peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM:"))
    return {"seconds": seconds, "peak_mb": int(peak.split()[1]) / 1024, "answers": answers}


def _by_suite() -> Any:
    from scrubin.stages.validate import rules, suite
    from scrubin.stages.validate.expected import DEFAULTS, Expected, Total
    from scrubin.stages.validate.near_duplicates import limits
    from scrubin.stages.validate.study_tables import Study, read
    from scrubin.stages.validate.suite import Judge

    def work(folder: Path) -> list[Any]:
        before, total = _declared(folder)
        expected = Expected(2.0, LIMIT, (Total("triplets", total, "rows", {}),), {}, {"triplets": before})
        tables = {table.name: read(table, folder / f"{table.name}.parquet") for table in (TRIPLETS, FRAMES, VIDEOS)}
        study = Study(tables, None, None, {WORDS.name: WORDS}, limits(DEFAULTS.near_duplicate, []), expected)
        found = list(suite.of_table(Judge(), study, "triplets", rules.severities({})))
        return [_plain(one.rule, one.columns, one.count, one.keys) for one in found]

    return work


def _by_hand() -> Any:
    def work(folder: Path) -> list[Any]:
        before, total = _declared(folder)
        needed = {"triplets": None, "frames": ["id", "camera", "frame", "redacted", "dropped"], "videos": ["id"]}
        tables = [pq.read_table(folder / f"{name}.parquet", columns=columns) for name, columns in needed.items()]
        return [_plain(*one) for one in validation_by_hand.answers(*tables, {WORDS.name: WORDS}, before, LIMIT, total)]

    return work


SIDES = {"suite": _by_suite, "hand": _by_hand}


def _plain(rule: str, columns: Any, count: int | None, keys: Any) -> list[Any]:
    """Return an answer as both sides give it: the key of the offending rows, or the class or total."""
    named = [[key[name] for name in ("column", "id", "frame", "instance", "class", "declared") if name in key] for key in keys]
    return [rule, ["column"] if rule in ("declared_columns", "declared_types") else list(columns), count, named]


def _declared(folder: Path) -> tuple[dict[str, dict[str, int]], int]:
    declared = json.loads((folder / "declared.json").read_text())
    return declared["before"], declared["total"]


def _written(rows: int, study: str) -> Path:
    folder = clips.FOLDER / f"triplets_{rows}_{study}"
    if not (folder / "declared.json").is_file():
        folder.mkdir(parents=True, exist_ok=True)
        per_video = rows // RECORDINGS // INSTANCES
        ids = [f"recording{number:02d}" for number in range(RECORDINGS)]
        _write(VIDEOS, _videos(ids, per_video), folder)
        _write(FRAMES, _frames(ids, per_video), folder)
        triplets = _triplets(ids, per_video)
        before = {name: dict(Counter(map(str, triplets[name]))) for name in ("instrument", "verb", "target", "triplet")}
        if study == "broken":
            _break(triplets)
        _write(TRIPLETS, triplets, folder)
        (folder / "declared.json").write_text(json.dumps({"before": before, "total": len(triplets) + (study == "broken")}))
    return folder


def _write(table: Table, frame: pd.DataFrame, folder: Path) -> None:
    arrow = pa.Table.from_pandas(frame[table.column_names], schema=table.schema, preserve_index=False)
    pq.write_table(arrow, folder / f"{table.name}.parquet", compression="zstd")


def _videos(ids: list[str], frames: int) -> pd.DataFrame:
    facts = {"task": "Cholecystectomy", "camera": "mono", "width": 854, "height": 480, "fps": "25", "variable_rate": False}
    length = {"frame_count": frames * 25, "duration_s": float(frames)}
    return pd.DataFrame({"id": ids, "path": ids, "sha256": ids, **facts, **length})


def _frames(ids: list[str], frames: int) -> pd.DataFrame:
    number = np.tile(np.arange(frames), len(ids))
    measured = {name: 50.0 for name in ("sharpness", "brightness", "contrast", "difference")}
    facts = {"camera": "mono", "width": 854, "height": 480, "redacted": False, "dropped": False, "dropped_why": None, "path": "frame"}
    numbers = {"frame": number, "source_frame": number * 25, "time_s": number * 1.0, "saturated_share": 0.0}
    return pd.DataFrame({"id": np.repeat(ids, frames), **numbers, **facts, **measured, "perceptual_hash": "0" * 16})


def _triplets(ids: list[str], frames: int) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    rows = len(ids) * frames * INSTANCES
    triplet = rng.integers(0, len(WORDS.triplets), rows)
    parts = np.array(WORDS.triplets)[triplet]
    names = {"instrument": (WORDS.instruments, parts[:, 0]), "verb": (WORDS.verbs, parts[:, 1]), "target": (WORDS.targets, parts[:, 2])}
    names["triplet"] = (tuple(WORDS.triplet_name(i) for i in range(len(WORDS.triplets))), triplet)
    boxes = {name: rng.uniform(0, 0.6, rows) for name in "xy"} | {name: rng.uniform(0.05, 0.39, rows) for name in "wh"}
    return pd.DataFrame(
        {
            "id": np.repeat(ids, frames * INSTANCES),
            "frame": np.tile(np.repeat(np.arange(frames), INSTANCES), len(ids)),
            "instance": np.tile(np.arange(INSTANCES), len(ids) * frames),
            "vocabulary": WORDS.name,
            **{name: np.array(of, dtype=object)[at] for name, (of, at) in names.items()},
            **{f"{name}_id": at for name, (_, at) in names.items()},
            **boxes,
            "score": 1.0,
        }
    )


def _break(triplets: pd.DataFrame) -> None:
    chosen: npt.NDArray[np.int64] = np.random.default_rng(1).permutation(len(triplets))[: len(triplets) // 100]
    for part, (column, value) in zip(np.array_split(chosen, len(BROKEN) + 1), BROKEN.items(), strict=False):
        triplets.loc[part, column] = value
    # Rows of the last part repeat the row before them.
    last = np.array_split(chosen, len(BROKEN) + 1)[-1]
    last = last[last > 0]
    triplets.loc[last] = triplets.loc[last - 1].to_numpy()


if __name__ == "__main__":
    main()
