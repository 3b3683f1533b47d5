"""Two releases with 40 planted differences: is each said as what it is; and in 20 cases, is the version step the right one.

    python benchmarks/planted_differences.py [RELEASE]

The release (data/release) is copied without its media, which are compared by the hashes that it lists; differences are planted in the
copy, in other recordings each. A planted difference counts as said when ``scrubin diff`` has one of its kind, change and place that names
its column or recording. What it says beyond the planted ones is printed as well.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from scrubin.base.files import sha256_of, write_json, write_text
from scrubin.data.diff.comparison import Comparison, compare, sentence

MEDIA = ("videos", "frames", "archives")
NULLABLE = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}


@dataclass
class Draft:
    """A release that is being edited."""

    folder: Path
    sums: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        lines = (self.folder / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
        self.sums = {line[66:]: line[:64] for line in lines}
        self.tables = {path.stem: pq.read_table(path) for path in (self.folder / "tables").glob("*.parquet")}

    def rows(self, name: str) -> pd.DataFrame:
        """Return a table as a data frame."""
        return self.tables[name].to_pandas(types_mapper=NULLABLE.get)

    def put(self, name: str, rows: pd.DataFrame) -> None:
        """Replace the rows of a table."""
        self.tables[name] = pa.Table.from_pandas(rows, schema=self.tables[name].schema, preserve_index=False)

    def set(self, name: str, column: str, change: Callable[[Any], Any], **at: Any) -> None:
        """Change a cell of the first row that matches."""
        rows = self.rows(name)
        its = np.logical_and.reduce([rows[one] == value for one, value in at.items()])
        row = rows.index[its & rows[column].notna()][0]
        rows.loc[row, column] = change(rows.loc[row, column])
        self.put(name, rows)

    def drop(self, name: str, **at: Any) -> None:
        """Remove the first row that matches."""
        rows = self.rows(name)
        its = np.logical_and.reduce([rows[one] == value for one, value in at.items()])
        self.put(name, rows.drop(rows.index[its][0]))

    def document(self, **changes: Any) -> None:
        """Change fields of the metadata."""
        path = self.folder / "croissant.json"
        write_json(path, json.loads(path.read_text(encoding="utf-8")) | changes)

    def file(self, pattern: str) -> str:
        """Return the first listed file of a pattern."""
        return next(name for name in sorted(self.sums) if Path(name).match(pattern))

    def seal(self, version: str) -> Path:
        """Write tables, metadata and the list of files."""
        self.document(version=version)
        for name, table in self.tables.items():
            pq.write_table(table, self.folder / f"tables/{name}.parquet")
        there = {path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*") if path.is_file()} - {"SHA256SUMS"}
        self.sums = {name: value for name, value in self.sums.items() if name in there or name.split("/")[0] in MEDIA}
        self.sums |= {name: sha256_of(self.folder / name) for name in there}
        write_text(self.folder / "SHA256SUMS", "".join(f"{self.sums[name]}  {name}\n" for name in sorted(self.sums)))
        return self.folder


@dataclass(frozen=True)
class Planted:
    """One planted difference, and what must be said of it: kind, change, place, and a column or recording."""

    name: str
    kind: str
    change: str
    what: str
    says: str
    edit: Callable[[Draft], None]

    def is_said(self, comparison: Comparison) -> bool:
        """Whether the comparison says it."""
        return any(
            (one.kind, one.change) == (self.kind, self.change)
            and one.what.startswith(self.what)
            and self.says in json.dumps([dict(one.columns), dict(one.recordings), one.examples, one.what], default=str)
            for one in comparison.differences
        )


def ulp(value: float) -> float:
    """Return the next number above."""
    return float(np.nextafter(value, np.inf))


def rename(draft: Draft, old: str, new: str) -> None:
    """Give a recording another id."""
    for name, table in draft.tables.items():
        if "id" in table.column_names:
            rows = draft.rows(name)
            if "path" in rows:
                rows["path"] = rows["path"].where(rows["id"] != old, rows["path"].str.replace(old, new))
            draft.put(name, rows.assign(id=rows["id"].replace(old, new)))
    draft.sums = {name.replace(old, new): value for name, value in draft.sums.items()}
    for path in sorted(draft.folder.rglob(f"{old}*")):
        path.rename(path.with_name(path.name.replace(old, new)))
    for path in [*draft.folder.rglob("*.csv"), *draft.folder.rglob("*.json"), *draft.folder.rglob("*.txt")]:
        text = path.read_text(encoding="utf-8")
        if old in text:
            write_text(path, text.replace(old, new))


def remove(draft: Draft, id_: str) -> None:
    """Take a recording out."""
    for name, table in draft.tables.items():
        if "id" in table.column_names:
            rows = draft.rows(name)
            draft.put(name, rows[rows["id"] != id_])
    draft.sums = {name: value for name, value in draft.sums.items() if f"/{id_}" not in name}


def add(draft: Draft, like: str, new: str) -> None:
    """Add a recording with the rows of another one."""
    for name, table in draft.tables.items():
        if "id" in table.column_names:
            rows = draft.rows(name)
            more = rows[rows["id"] == like].assign(id=new)
            if "path" in rows:
                more["path"] = more["path"].str.replace(like, new)
            if "sha256" in rows:
                more["sha256"] = [f"{at:064x}" for at in range(len(more))]
            draft.put(name, pd.concat([rows, more]))
    draft.sums |= {name.replace(like, new): "0" * 64 for name in draft.sums if f"/{like}" in name and name.split("/")[0] in MEDIA}


def add_frame(draft: Draft, id_: str) -> None:
    """Add a frame behind the last one of a recording."""
    rows = draft.rows("frames")
    last = rows[rows["id"] == id_].tail(1)
    draft.put("frames", pd.concat([rows, last.assign(frame=last["frame"] + 1, path="frames/more.jpg")]))


def add_rows(draft: Draft, name: str, change: Callable[[pd.DataFrame], pd.DataFrame]) -> None:
    """Add changed copies of rows."""
    rows = draft.rows(name)
    draft.put(name, pd.concat([rows, change(rows)]))


def append(draft: Draft, name: str, column: str) -> None:
    """Add a column."""
    table = draft.tables[name]
    draft.tables[name] = table.append_column(column, pa.array([1.0] * len(table)))


def cast(draft: Draft, name: str, column: str, dtype: pa.DataType) -> None:
    """Give a column another type."""
    table = draft.tables[name]
    place = table.column_names.index(column)
    draft.tables[name] = table.set_column(place, table.schema.field(column).with_type(dtype), table[column].cast(dtype))


def unit(draft: Draft, name: str, column: str, said: str) -> None:
    """Give a column another unit."""
    table = draft.tables[name]
    fields = [one.with_metadata({**one.metadata, b"unit": said.encode()}) if one.name == column else one for one in table.schema]
    draft.tables[name] = table.cast(pa.schema(fields, metadata=table.schema.metadata))


def other_hash(draft: Draft, pattern: str, *, table: bool = False) -> None:
    """Give a file other bytes; with ``table`` the table ``videos`` says so as well."""
    name = draft.file(pattern)
    draft.sums[name] = "f" * 64
    if table:
        draft.set("videos", "sha256", lambda _: "f" * 64, path=name)


def matrix(draft: Draft, id_: str) -> None:
    """Change one cell of a matrix of ground truth."""
    path = next(draft.folder.glob(f"groundtruth/*/recognition/{id_}.npz"))
    with np.load(path) as stored:
        arrays = dict(stored)
    arrays["ivt"][0, 0] ^= 1
    np.savez(path, **arrays)


def grow_matrices(draft: Draft) -> None:
    """Add an array to every matrix of ground truth."""
    for path in draft.folder.glob("groundtruth/*/recognition/*.npz"):
        with np.load(path) as stored:
            arrays = dict(stored)
        np.savez(path, more=np.zeros(len(arrays["frame"])), **arrays)


def erratum(draft: Draft, id_: str) -> None:
    """Add a known error."""
    entry = {"id": id_, "since": "1.0.0", "severity": "note", "what": "x", "advice": "y"}
    path = draft.folder / "metadata/errata.yaml"
    entries = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []
    write_json(path, [*entries, entry])


def moved(draft: Draft, scheme: str, id_: str, fold: int = 0) -> None:
    """Move a recording to another subset."""
    draft.set("splits", "subset", lambda subset: "train" if subset == "test" else "test", scheme=scheme, id=id_, fold=fold)


def planted(release: Path) -> list[Planted]:
    """Return the 40 differences, each in a recording of its own where it is of one."""
    videos = pd.read_parquet(release / "tables/videos.parquet")
    skill = pd.read_parquet(release / "tables/skill.parquet")
    triplets = pd.read_parquet(release / "tables/triplets.parquet")
    phases = sorted(set(pd.read_parquet(release / "tables/phases.parquet")["id"]))
    boxed = sorted(set(triplets.dropna(subset="x")["id"]))
    ratings = pd.read_parquet(release / "tables/ratings.parquet")
    rated = sorted(set(skill.dropna(subset="GRS")["id"]) & set(videos["id"]) - set(ratings[ratings["score"].isna()]["id"]))
    r, o = iter(rated), phases
    gone, like, old_id = next(r), next(r), next(r)
    v, f, s = ([next(r) for _ in range(8)] for _ in range(3))

    scheme, folds = "balanced", "five_folds"
    return [
        Planted("a recording is gone", "recordings", "removed", "recordings", gone, lambda d: remove(d, gone)),
        Planted("a recording more", "recordings", "added", "recordings", "zzadded", lambda d: add(d, like, "zzadded")),
        Planted("a recording is renamed", "recordings", "renamed", "recordings", "zzrenamed", lambda d: rename(d, old_id, "zzrenamed")),
        Planted("a video is encoded again", "videos", "changed", "videos: bytes", v[0], lambda d: other_hash(d, f"{v[0]}.mkv", table=True)),
        Planted("a video is swapped", "videos", "changed", "videos/", v[1], lambda d: other_hash(d, f"{v[1]}.mkv")),
        Planted("a frame rate", "videos", "changed", "videos", "fps", lambda d: d.set("videos", "fps", lambda _: "24", id=v[2])),
        Planted("a length", "videos", "changed", "videos", "duration_s", lambda d: d.set("videos", "duration_s", ulp, id=v[3])),
        Planted("a frame is gone", "frames", "removed", "frames", f[0], lambda d: d.drop("frames", id=f[0])),
        Planted("a frame more", "frames", "added", "frames", f[1], lambda d: add_frame(d, f[1])),
        Planted(
            "a frame is hidden", "frames", "changed", "frames", "redacted", lambda d: d.set("frames", "redacted", lambda b: not b, id=f[2])
        ),
        Planted(
            "a frame is dropped", "frames", "changed", "frames", "dropped", lambda d: d.set("frames", "dropped", lambda b: not b, id=f[3])
        ),
        Planted("a time, last digit", "frames", "changed", "frames", "time_s", lambda d: d.set("frames", "time_s", ulp, id=f[4], frame=1)),
        Planted("a path", "frames", "changed", "frames", "path", lambda d: d.set("frames", "path", lambda p: p + "eg", id=f[5])),
        Planted("a measure", "frames", "changed", "frames", "sharpness", lambda d: d.set("frames", "sharpness", ulp, id=f[6])),
        Planted("a picture", "frames", "changed", "frames/", f[7], lambda d: other_hash(d, f"{f[7]}/000000.*")),
        Planted("a verb", "labels", "changed", "triplets", "verb", lambda d: d.set("triplets", "verb", lambda _: "cut", id=boxed[0])),
        Planted("a box, last digit", "labels", "changed", "triplets", '"x"', lambda d: d.set("triplets", "x", ulp, id=boxed[1])),
        Planted("a triplet is gone", "labels", "removed", "triplets", boxed[2], lambda d: d.drop("triplets", id=boxed[2])),
        Planted(
            "a triplet more",
            "labels",
            "added",
            "triplets",
            boxed[0],
            lambda d: add_rows(d, "triplets", lambda t: t[t["id"] == boxed[0]].tail(1).assign(instance=9)),
        ),
        Planted("a phase", "labels", "changed", "phases", o[0], lambda d: d.set("phases", "phase", lambda _: "other", id=o[0])),
        Planted("a phase is gone", "labels", "removed", "phases", o[1], lambda d: d.drop("phases", id=o[1])),
        Planted("an end of a span", "labels", "changed", "spans", "end_frame", lambda d: d.set("spans", "end_frame", lambda e: e + 1)),
        Planted("a labelled frame is gone", "labels", "removed", "labelled", o[2], lambda d: d.drop("labelled", id=o[2])),
        Planted(
            "a rating", "scores", "changed", "ratings", s[0], lambda d: d.set("ratings", "score", lambda p: p + 1, id=s[0], aspect="GRS")
        ),
        Planted("a rating is missing", "scores", "changed", "ratings", s[1], lambda d: d.set("ratings", "score", lambda _: None, id=s[1])),
        Planted("a rating is gone", "scores", "removed", "ratings", s[2], lambda d: d.drop("ratings", id=s[2])),
        Planted("a skill, last digit", "scores", "changed", "skill", s[3], lambda d: d.set("skill", "GRS", ulp, id=s[3])),
        Planted("an error", "scores", "changed", "errors", s[4], lambda d: d.set("errors", "occurred", lambda b: not b, id=s[4])),
        Planted("somebody is moved", "splits", "moved", scheme, s[5], lambda d: moved(d, scheme, s[5])),
        Planted("somebody is moved in a fold", "splits", "moved", folds, s[6], lambda d: moved(d, folds, s[6], 2)),
        Planted("somebody left", "splits", "removed", scheme, s[7], lambda d: d.drop("splits", scheme=scheme, id=s[7])),
        Planted(
            "a scheme more",
            "splits",
            "added",
            "zznew",
            "",
            lambda d: add_rows(d, "splits", lambda t: t[t["scheme"] == scheme].assign(scheme="zznew")),
        ),
        Planted("a column more", "schema", "added", "skill.zznew", "", lambda d: append(d, "skill", "zznew")),
        Planted(
            "a column is gone",
            "schema",
            "removed",
            "frames.contrast",
            "",
            lambda d: d.tables.update(frames=d.tables["frames"].drop_columns("contrast")),
        ),
        Planted("a type", "schema", "changed", "videos.width: type", "", lambda d: cast(d, "videos", "width", pa.float64())),
        Planted("a unit", "schema", "changed", "videos.duration_s: unit", "", lambda d: unit(d, "videos", "duration_s", "ms")),
        Planted("a table more", "schema", "added", "zznew", "", lambda d: d.tables.update(zznew=pa.table({"id": [gone]}))),
        Planted("a matrix", "groundtruth", "changed", "contents of groundtruth/", o[3], lambda d: matrix(d, o[3])),
        Planted("a licence", "metadata", "changed", "license", "", lambda d: d.document(license="CC0-1.0")),
        Planted("a known error", "errata", "added", "known errors", "ZZ", lambda d: erratum(d, "ZZ")),
    ]


def steps(release: Path) -> list[tuple[str, str, Callable[[Draft], None]]]:
    """Return 20 cases, each with the step that it asks for."""
    by_name = {one.name: one.edit for one in planted(release)}

    def readme(draft: Draft) -> None:
        write_text(draft.folder / "README.md", "other words\n")

    def both(*names: str) -> Callable[[Draft], None]:
        return lambda draft: [by_name[name](draft) for name in names] and None

    major = [
        "a recording is gone",
        "a recording is renamed",
        "a video is encoded again",
        "a time, last digit",
        "a phase",
        "a rating is missing",
    ]
    major += ["somebody is moved", "a column is gone", "a unit"]
    minor = ["a recording more", "a triplet more", "a scheme more", "a column more", "a table more", "a licence"]
    cases: list[tuple[str, str, Callable[[Draft], None]]] = [("nothing", "none", lambda _: None)]
    cases += [("other words", "patch", readme), ("a known error", "patch", by_name["a known error"])]
    cases += [("another title", "patch", lambda draft: draft.document(alternateName="x"))]
    cases += [(name, "minor", by_name[name]) for name in minor] + [(name, "major", by_name[name]) for name in major]
    return [*cases, ("a recording more and one moved", "major", both("a recording more", "somebody is moved"))]


def main() -> int:
    """Plant, compare, count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("release", nargs="?", default="data/release")
    release = Path(parser.parse_args().release)
    with tempfile.TemporaryDirectory() as place:

        def draft(name: str) -> Draft:
            return Draft(
                Path(shutil.copytree(release, Path(place) / name, ignore=shutil.ignore_patterns("*.mkv", "*.jpg", "*.png", "*.zip")))
            )

        plants, one = planted(release), draft("all")
        for plant in reversed(plants):  # recordings come, go and change their ids last
            plant.edit(one)
        comparison = compare(release, one.seal("2.0.0"))
        said = [plant for plant in plants if plant.is_said(comparison)]
        for plant in plants:
            print(f"{'said' if plant in said else 'NOT SAID':<9} {plant.kind:<12} {plant.name}")
        print(f"{len(said)} of {len(plants)} planted differences are said; everything that is said:")
        for difference in comparison.differences:
            print(f"  {difference.kind}: {sentence(difference)}")
        right = 0
        for number, (name, step, edit) in enumerate(steps(release)):
            one = draft(f"case{number}")
            edit(one)
            is_now = compare(release, one.seal("1.0.0")).step.word
            right += is_now == step
            print(f"{'right' if is_now == step else 'WRONG':<6} {name}: {is_now}, should be {step}")
        print(f"the right step in {right} of {len(steps(release))} cases")
    return 0 if len(said) == len(plants) and right == len(steps(release)) else 1


if __name__ == "__main__":
    raise SystemExit(main())
