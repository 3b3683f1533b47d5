"""How balanced a split is in what nobody chose, and how long it takes: ours, random draws, and scikit-learn's StratifiedGroupKFold.

    python benchmarks/split_balance.py [--studies 8] [--draws 20000] [--work 20] [--growth | --small]

Studies are drawn from seeds: 70 participants with 326 recordings, like a task of LASANA, and all four tasks, joint, with 1,270
recordings. Imbalance is the deviation of a subset from its share, relative to that share but at least to one recording, and the mean is
over subsets and rows. The best of many random draws is chosen by the very number that it is judged by (``own``), which is another
split for every column, or by quintiles, errors and sizes (``random``). Septiles, the largest distance of distribution functions and
quintiles of other scores are balanced by nobody. With ``--growth``: CPU seconds, work and gap by the number of participants.

With ``--small``: training courses as the synthetic study has them, where a subset may be one participant. How far the mean skill (GRS, in
standard deviations) of those who validate and test is from that of all, beside sizes, errors and thirds; against one participant of each
fifth of skill, drawn 200 times (``stratified``: the mean of its numbers, and the draw of the nearest means).

To compare with an older version, run it with that version's library and the last argument ``--old``.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.model_selection import StratifiedGroupKFold

from scrubin.stages.demo import sheets
from scrubin.stages.demo.course import trainings
from scrubin.stages.demo.plan import DemoParams
from scrubin.stages.splits.best_split import Effort
from scrubin.stages.splits.cohort import Cohort, cohort, column
from scrubin.stages.splits.schemes import balanced

SHARES = {"train": 0.75, "val": 0.10, "test": 0.15}
PART = np.array(list(SHARES.values()))
KNOT = {"Knot": (326, (0.33, 0.24, 0.15, 0.10, 0.08))}
LASANA = {
    "BalloonResection": (316, (0.4, 0.3, 0.25, 0.2, 0.08)),
    "CircleCutting": (311, (0.45, 0.04)),
    "PegTransfer": (329, (0.3, 0.06)),
    "SutureAndKnot": (314, (0.25, 0.3, 0.08, 0.06, 0.05, 0.04)),
}
"""Recordings per task, and how often each error occurs (read off the paper's figure)."""
Floats = npt.NDArray[np.float64]


def study(tasks: dict[str, tuple[int, tuple[float, ...]]], participants: int, seed: int) -> tuple[Cohort, dict[str, Floats]]:
    """Return a study in which skill differs between participants and errors follow from it, and four scores that nobody balances."""
    rng = np.random.default_rng(seed)
    talent = rng.normal(0, 0.8, participants)
    frames = []
    for task, (recordings, rates) in tasks.items():
        n = round(recordings * participants / 70)
        who = np.concatenate([np.arange(participants), rng.integers(0, participants, n - participants)])
        frame = pd.DataFrame({"task": task, "participant": [f"p{i}" for i in who], "GRS": talent[who] + rng.normal(0, 0.5, n)})
        frame["duration"] = 300 - 60 * frame.GRS + rng.normal(0, 40, n)
        for k, rate in enumerate(rates):
            frame[f"error {k}"] = rng.random(n) < rate * np.exp(-0.5 * frame.GRS)
        for k in range(4):
            frame[f"aspect {k}"] = frame.GRS + rng.normal(0, 0.4, n)
        frame["pinned"] = np.arange(n) % (20 if len(tasks) == 1 else 100) == 0
        frames.append(frame)
    everyone = pd.concat(frames, ignore_index=True)
    everyone["id"] = [f"r{i:06d}" for i in range(len(everyone))]
    names = ["GRS", *(["duration"] if len(tasks) > 1 else []), *sorted(name for name in everyone if name.startswith("error"))]
    columns = [column(name, everyone[name].astype(object if name.startswith("error") else float)) for name in names]
    hidden = {name: everyone[name].to_numpy(dtype=float) for name in everyone if name.startswith("aspect")}
    return cohort(everyone[["id", "task", "participant", "pinned"]], columns), hidden


class Judge:
    """Numbers of any split of a study; a split is the subset of each participant, in the order of ``names``."""

    def __init__(self, of: Cohort, hidden: dict[str, Floats]) -> None:
        self.names = sorted(set(of.people.participant))
        place = {name: i for i, name in enumerate(self.names)}
        self.who = of.people.participant.map(place).to_numpy()
        self.pinned = np.isin(np.arange(len(self.names)), self.who[of.people.pinned.to_numpy(dtype=bool)])
        self.families: dict[str, tuple[Floats, Floats]] = {}
        rows: dict[str, list[tuple[Floats, float]]] = {}
        for task in of.tasks():
            for name, row, unit in _rows(of, hidden, (of.people.task == task).to_numpy()):
                rows.setdefault(name, []).append((np.bincount(self.who, row, len(self.names)), unit))
        self.families = {name: (np.stack([row for row, _ in some]), np.array([unit for _, unit in some])) for name, some in rows.items()}

    def __call__(self, subsets: npt.NDArray[np.int64]) -> dict[str, Floats]:
        """Return every number for splits of shape (splits, participants)."""
        member = (subsets[:, :, None] == np.arange(len(PART))).astype(float)
        imbalances = {}
        for name, (rows, unit) in self.families.items():
            value = np.einsum("mp,nps->nms", rows, member, optimize=True)
            imbalances[name] = np.abs(value - rows.sum(axis=1)[:, None] * PART) / np.maximum(1, unit[:, None] * PART)
        chosen = np.concatenate([imbalances[name] for name in ("sizes", "errors", "quintiles")], axis=1)
        of_mean = {name: one.mean(axis=(1, 2)) for name, one in imbalances.items() if name != "KS"}
        tasks = len(self.families["sizes"][0])
        ks = imbalances["KS"].reshape(len(subsets), tasks, -1, len(PART)).max(axis=2).mean(axis=(1, 2))
        return {"quint+err+size": chosen.mean(axis=(1, 2)), "worst of it": chosen.max(axis=(1, 2)), **of_mean, "KS": ks}


def _rows(of: Cohort, hidden: dict[str, Floats], inside: npt.NDArray[np.bool_]) -> Iterator[tuple[str, Floats, float]]:
    yield "sizes", inside.astype(float), inside.sum()
    for one in of.columns:
        if one.kind == "flag":
            marked = inside & one.values.map(lambda value: value is True).to_numpy(dtype=bool)
            if marked.any():
                yield "errors", marked.astype(float), marked.sum()
    grs = of.column("GRS").values.to_numpy(dtype=float)
    for name, parts in {"terciles": 3, "quintiles": 5, "septiles": 7, "deciles": 10}.items():
        yield from ((name, row, row.sum()) for row in _parts(grs, inside, parts))
    z = np.where(inside, (grs - grs[inside].mean()) / grs[inside].std(), 0.0)
    yield "mean", z, inside.sum()
    yield "spread", np.where(inside, z**2 - 1, 0.0), inside.sum()
    for edge in np.quantile(grs[inside], np.arange(1, 100) / 100):
        yield "KS", (inside & (grs <= edge)).astype(float), inside.sum()
    for values in hidden.values():
        yield from (("aspects", row, row.sum()) for row in _parts(values, inside, 5))


def _parts(values: Floats, inside: npt.NDArray[np.bool_], parts: int) -> Iterator[Floats]:
    part = np.searchsorted(np.quantile(values[inside], np.arange(1, parts) / parts), values, side="left")
    yield from ((inside & (part == i)).astype(float) for i in range(parts))


def ours(of: Cohort, judge: Judge, effort: Effort) -> tuple[npt.NDArray[np.int64], Any, float]:
    """Return our split, its proof, and the CPU seconds that it took."""
    begin = time.process_time()
    split = balanced(of, SHARES, 0, effort)
    seconds = time.process_time() - begin
    subset = dict(zip(split.rows.id, split.rows.subset, strict=True))
    of_name = {who: list(SHARES).index(subset[id_]) for id_, who in zip(of.people.id, of.people.participant, strict=True)}
    return np.array([[of_name[name] for name in judge.names]]), split.proofs[0], seconds


def random(judge: Judge, draws: int, seed: int) -> Iterator[dict[str, Floats]]:
    """Yield the numbers of random splits; what participants with a fixed place fill of training is taken from it, as a fair draw does."""
    rng = np.random.default_rng(seed)
    rest = PART * len(judge.names) - np.array([judge.pinned.sum(), 0, 0])
    for _ in range(0, draws, 500):
        subsets = rng.choice(3, size=(500, len(judge.names)), p=np.maximum(rest, 0) / np.maximum(rest, 0).sum())
        subsets[:, judge.pinned] = 0
        yield judge(subsets)


def stratified(of: Cohort, judge: Judge) -> npt.NDArray[np.int64]:
    """Return ten of scikit-learn's splits into twenty folds: 2 validate, 3 test, 15 train; pins are moved to training."""
    edges = of.people.assign(grs=of.column("GRS").values.to_numpy(dtype=float)).groupby("task").grs.transform(lambda s: s.rank(pct=True))
    label = of.people.task + (edges * 5).clip(upper=4.999).astype(int).astype(str)
    subsets = np.zeros((10, len(judge.names)), dtype=np.int64)
    for seed in range(10):
        folds = StratifiedGroupKFold(20, shuffle=True, random_state=seed).split(of.people, label, of.people.participant)
        for k, (_, tested) in enumerate(folds):
            subsets[seed, judge.who[tested]] = 1 if k < 2 else 2 if k < 5 else 0
        subsets[seed, judge.pinned] = 0
    return subsets


def compared(name: str, tasks: dict[str, tuple[int, tuple[float, ...]]], studies: int, draws: int, effort: Effort) -> None:
    """Print one table: the mean of every number over studies, by method."""
    rows: dict[str, list[dict[str, float]]] = {"own": [], "random": [], "StratifiedGroupKFold": [], "ours": []}
    seconds, gaps = [], []
    for seed in range(101, 101 + studies):
        of, hidden = study(tasks, 70, seed)
        judge = Judge(of, hidden)
        drawn = list(random(judge, draws, seed))
        numbers = {key: np.concatenate([part[key] for part in drawn]) for key in drawn[0]}
        best = int(numbers["quint+err+size"].argmin())
        rows["own"].append({key: float(values.min()) for key, values in numbers.items()})
        rows["random"].append({key: float(values[best]) for key, values in numbers.items()})
        folds = judge(stratified(of, judge))
        best = int(folds["quint+err+size"].argmin())
        rows["StratifiedGroupKFold"].append({key: float(values[best]) for key, values in folds.items()})
        subsets, proof, cpu = ours(of, judge, effort)
        rows["ours"].append({key: float(values[0]) for key, values in judge(subsets).items()})
        seconds.append(cpu)
        gaps.append((proof.objective, proof.bound))
    frame = {method: pd.DataFrame(some) for method, some in rows.items()}
    print(f"\n{name}: {studies} studies, {draws} draws; ours {np.mean(seconds):.1f} CPU s, at most {max(seconds):.1f}; ", end="")
    print(f"objective {np.mean([one for one, _ in gaps]):.4f}, bound {np.mean([one for _, one in gaps]):.4f}")
    keys = list(frame["ours"])
    print(f"{'':22}" + "".join(f"{key:>15}" for key in keys))
    for method, one in frame.items():
        print(f"{method:22}" + "".join(f"{one[key].mean():>15.2%}" for key in keys))
    for against in ("own", "random"):
        print(f"{'ours / ' + against:22}" + "".join(f"{frame['ours'][key].mean() / frame[against][key].mean():>15.2f}" for key in keys))
    low, high = frame["ours"]["quint+err+size"].min(), frame["ours"]["quint+err+size"].max()
    print(f"ours, quint+err+size, over studies: {low:.2%} to {high:.2%}", flush=True)


def growth(effort: Effort) -> None:
    """Print CPU seconds and gap by the number of participants."""
    print(
        f"\n{'participants':>12}{'recordings':>12}{'tasks':>7}{'measures':>10}{'CPU s':>8}{'objective':>11}{'bound':>9}{'gap':>9}  status"
    )
    for tasks, participants in (
        (KNOT, 100),
        (KNOT, 400),
        (KNOT, 1270),
        (KNOT, 5000),
        (LASANA, 70),
        (LASANA, 400),
        (LASANA, 1270),
        (LASANA, 5000),
    ):
        of, _ = study(tasks, participants, 1)
        _, proof, cpu = ours(of, Judge(of, {}), effort)
        size = f"{participants:>12}{len(of.people):>12}{len(tasks):>7}{len(of.measures()):>10}"
        print(f"{size}{cpu:>8.1f}{proof.objective:>11.4f}{proof.bound:>9.4f}{proof.gap:>9.4f}  {proof.status}", flush=True)


def course(seed: int) -> Cohort:
    """Return a training course of 14 participants in three trials of two tasks, and 4 experts; raters see most of what happens."""
    recordings = [one for one in trainings(DemoParams(seed, 14, 4)) if one.rated]
    by_name = {one.name: one for one in recordings}
    rows = []
    for rating in sheets.rate(recordings):
        points = float("nan") if rating.scores is None else float(sum(rating.scores))
        marks = {f"error {name}": marked for name, marked in rating.errors.items()}
        rows.append({"id": rating.recording, "task": rating.task, "rater": rating.rater, "points": points, **marks})
    rated = pd.DataFrame(rows)
    scale = rated.groupby(["task", "rater"]).points
    rated["GRS"] = (rated.points - scale.transform("mean")) / scale.transform("std")
    errors = sorted(name for name in rated if name.startswith("error"))
    grouped = rated.groupby("id")
    majority = grouped[errors].agg(lambda marks: None if marks.isna().any() else bool(marks.astype(float).mean() >= 0.5))
    people = pd.DataFrame({"id": majority.index}).assign(
        task=lambda rows: [by_name[id_].task for id_ in rows.id],
        participant=lambda rows: [by_name[id_].participant for id_ in rows.id],
        pinned=(grouped.GRS.std() > grouped.GRS.std().quantile(0.95)).to_numpy(),
    )
    columns = [column("GRS", grouped.GRS.mean().reset_index(drop=True))]
    return cohort(people, [*columns, *(column(name, majority[name].astype(object).reset_index(drop=True)) for name in errors)])


def of_subsets(of: Cohort, subset: pd.Series[str]) -> dict[str, float]:
    """Return how far means are from that of all, in standard deviations of a task, and the imbalance of counts."""
    z = of.column("GRS").values.groupby(of.people.task).transform(lambda values: (values - values.mean()) / values.std())
    numbers = {f"{name} |mean|": abs(float(z[subset == name].mean())) for name in ("val", "test")}
    numbers |= {f"{name} |mean| by task": float(z[subset == name].groupby(of.people.task).mean().abs().mean()) for name in ("val", "test")}
    imbalances: dict[str, list[float]] = {"sizes": [], "errors": [], "thirds": []}
    for one in of.measures():
        kind = "sizes" if one.name == "recordings" else "errors" if one.name.startswith("error") else "thirds"
        if one.whole:
            imbalances[kind] += [
                abs(float(one.values[subset == name].sum()) - share * one.total) / one.scale(share) for name, share in SHARES.items()
            ]
    return numbers | {kind: float(np.mean(some)) for kind, some in imbalances.items()}


def stratified_draws(of: Cohort, seed: int) -> Iterator[pd.Series[str]]:
    """Yield splits of participants without a pin: two of five test and one validates, each of a fifth of skill drawn for it."""
    rng = np.random.default_rng(seed)
    skill = of.column("GRS").values.groupby(of.people.participant).mean()
    free = skill[~skill.index.isin(of.people.participant[of.people.pinned])].sort_values().index
    for _ in range(200):
        chosen = [str(rng.choice(np.array_split(free, 3)[part])) for part in rng.permutation(3)]
        place = dict.fromkeys(chosen[1:], "test") | {chosen[0]: "val"}
        yield of.people.participant.map(place).fillna("train")


def small(studies: int, effort: Effort) -> None:
    """Print how small subsets come out, by method, and how many who may validate alone are nearer to the mean."""
    rows: dict[str, list[dict[str, float]]] = {"stratified": [], "nearest means": [], "ours": []}
    for seed in range(101, 101 + studies):
        of = course(seed)
        drawn = [of_subsets(of, subset) for subset in stratified_draws(of, seed)]
        rows["stratified"].append(dict(pd.DataFrame(drawn).mean()))
        rows["nearest means"].append(min(drawn, key=lambda one: one["val |mean|"] + one["test |mean|"]))
        split = balanced(of, SHARES, 0, effort)
        rows["ours"].append(of_subsets(of, of.people.id.map(dict(zip(split.rows.id, split.rows.subset, strict=True)))))
    frame = {method: pd.DataFrame(some) for method, some in rows.items()}
    print(f"{studies} training courses\n{'':16}" + "".join(f"{key:>20}" for key in frame["ours"]) + f"{'worst val':>12}")
    for method, one in frame.items():
        print(f"{method:16}" + "".join(f"{one[key].mean():>20.3f}" for key in one) + f"{one['val |mean|'].max():>12.3f}")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=8)
    parser.add_argument("--draws", type=int, default=20_000)
    parser.add_argument("--work", type=float, default=20.0)
    parser.add_argument("--growth", action="store_true")
    parser.add_argument("--old", action="store_true", help="the library is that of 0.1, which stopped by nodes and by a clock")
    parser.add_argument("--small", action="store_true")
    args = parser.parse_args()
    effort = Effort(0.0005, 4000, 30.0) if args.old else Effort(0.0, args.work)  # type: ignore[call-arg, arg-type]
    if args.small:
        small(args.studies, effort)
        return
    if args.growth:
        growth(effort)
        return
    compared("one task, 326 recordings", KNOT, args.studies, args.draws, effort)
    compared("four tasks, 1,270 recordings, joint", LASANA, args.studies, args.draws, effort)


if __name__ == "__main__":
    main()
