"""Two releases compared: everything that differs, by kind, then the step of the version that follows."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa

from scrubin.base.errors import ReleaseError
from scrubin.data.diff import (
    BY_CHANGE,
    KINDS,
    Difference,
    Step,
    Verdict,
    difference_of_data,
    errata,
    file_differences,
    required_step,
    snapshot,
    tables,
    verdict_on,
    withdrawn_notes,
)
from scrubin.data.diff.snapshot import Recordings, Released
from scrubin.data.verify import WITHDRAWN

FOLLOWING = frozenset({"@context", "@id", "sdVersion", "version"})
"""Fields that change by themselves with the version."""
FOLLOWS = re.compile(r'(?<="contentSize": ")[^"\\]*|(?<="sha256": ")[^"\\]*|(?<=\bversion = \{)[^}"\\]*')
"""What so changes inside of a field: of a file its bytes, of a citation the version."""
MANIFEST = "groundtruth/manifest.json"
MEANINGS = ("frame_contract", "frames_per_second", "vocabularies", "definitions")
"""What it says of all its files; each of the first three is another ground truth when it is another."""
SOURCE = "source of vocabulary"
TERMS = ("license", "name")
"""Fields that say what users may do, and what they call the data set: no documentation."""
LONGEST_VALUE = 120


def differences_of_descriptions(old: Released, new: Released) -> Iterator[Difference]:
    """Yield which fields of the metadata differ, which known errors, and what the ground truth says of itself."""
    yield from _fields("metadata", _described(old), _described(new), lambda name, _: Step.MINOR if name in TERMS else Step.PATCH)
    hashed = file_differences.unseen("errata", errata.RELEASED, old, new, Step.PATCH)
    yield from _errata(_by_id(old), _by_id(new)) if hashed is None else hashed
    if MANIFEST in old.sha256 and MANIFEST in new.sha256:
        hashed = file_differences.unseen("groundtruth", MANIFEST, old, new, Step.MAJOR)
        yield from _fields("groundtruth", _meanings(old), _meanings(new), _step_of_meaning) if hashed is None else hashed


def _meanings(released: Released) -> dict[str, Any]:
    """Return what the ground truth states of all its files; hashes and counts follow from the rest."""
    document, said = released.json(MANIFEST), dict[str, Any]()
    for name in MEANINGS:
        stated = document.get(name) if isinstance(document, dict) else None
        for key, one in (stated if isinstance(stated, dict) else {"": stated}).items():
            whole = dict(one) if isinstance(one, dict) else one
            if name == "vocabularies" and isinstance(whole, dict):
                said[f"{MANIFEST}: {SOURCE} {key}"] = whole.pop("source", None)  # whom to cite: the classes are told by their hash
            said[f"{MANIFEST}: {name} {key}".strip()] = whole
    return said


def _step_of_meaning(name: str, change: str) -> Step:
    return Step.PATCH if name.startswith((f"{MANIFEST}: definitions", f"{MANIFEST}: {SOURCE}")) else BY_CHANGE[change]


def _fields(kind: str, old: Mapping[str, Any], new: Mapping[str, Any], step: Callable[[str, str], Step]) -> Iterator[Difference]:
    for name in sorted(old.keys() | new.keys()):
        before, after = old.get(name), new.get(name)
        if before != after:
            change = "added" if before is None else "removed" if after is None else "changed"
            shown = ({"changed": {name: [_short(before), _short(after)]}},)
            yield Difference(kind, name, change, step(name, change), 1, "field", examples=shown)


def _described(released: Released) -> dict[str, Any]:
    document = json.loads(FOLLOWS.sub("", json.dumps(released.document)))
    return {name: value for name, value in document.items() if name not in FOLLOWING}


def _errata(old: Mapping[str, errata.Erratum], new: Mapping[str, errata.Erratum]) -> Iterator[Difference]:
    ids = {
        "added": sorted(new.keys() - old.keys()),
        "removed": sorted(old.keys() - new.keys()),
        "changed": sorted(one for one in old.keys() & new.keys() if old[one] != new[one]),
    }
    for change, names in ids.items():
        if names:
            shown = tuple({"id": one, "what": _short((new.get(one) or old[one]).what)} for one in names[:5])
            yield Difference("errata", "known errors", change, Step.PATCH, len(names), "errors", examples=shown)


def _by_id(released: Released) -> dict[str, errata.Erratum]:
    """Return the known errors of a release; older ones say none."""
    return {one.id: one for one in errata.read(released.path(errata.RELEASED))} if errata.RELEASED in released.sha256 else {}


def _short(value: Any) -> str | None:
    if value is None:
        return None
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 1]}…"


@dataclass(frozen=True)
class Comparison:
    """What differs between two releases.

    Parameters
    ----------
    old, new
        Both releases.
    differences
        Sorted by kind, as `KINDS` lists them.
    """

    old: Released
    new: Released
    differences: tuple[Difference, ...]

    @property
    def step(self) -> Step:
        """The step of the version that all differences together ask for."""
        return required_step(self.differences)

    @property
    def verdict(self) -> Verdict:
        """Whether the number of the new release fits."""
        return verdict_on(self.old.version, self.new.version, self.step)

    @property
    def counts(self) -> dict[str, int]:
        """How many differences there are of each kind."""
        counted = Counter(one.kind for one in self.differences)
        return {kind: counted[kind] for kind in KINDS if counted[kind]}

    def document(self) -> dict[str, Any]:
        """Return the comparison as a JSON value; it names no folder."""
        verdict = self.verdict
        return {
            "old": {"name": self.old.name, "version": self.old.version},
            "new": {"name": self.new.name, "version": self.new.version},
            "step": self.step.word,
            "lowest_version": verdict.lowest,
            "fits": verdict.fits,
            "verdict": verdict.sentence,
            "counts": self.counts,
            "differences": [one.document() for one in self.differences],
        }


def compare(old: Path, new: Path) -> Comparison:
    """Compare two release folders.

    Raises
    ------
    ReleaseError
        When one is no release, a file that has to be read is damaged or missing, or they have nothing to do with each other.
    """
    releases = Released.open(old), Released.open(new)
    for released in releases:
        released.refuse_damaged()
    return of_releases(*releases)


def of_releases(old: Released, new: Released) -> Comparison:
    """Compare two opened releases; see `compare`."""
    before, after = tables.plain(old.table("videos")), tables.plain(new.table("videos"))
    for table, released in ((before, old), (after, new)):
        missing = sorted({"id", "camera", "path", "sha256"} - set(table.column_names))
        if missing:
            msg = f"{released.folder / 'tables/videos.parquet'}: it lacks the columns {', '.join(missing)}; recordings cannot be compared"
            raise ReleaseError(msg)
    recordings = snapshot.recordings(before, after)
    shared = set(before["id"].to_pylist()) & set(after["id"].to_pylist())
    if old.name != new.name and not shared and not recordings.renamed:
        msg = (
            f"{old.folder} is {old.name!r} {old.version}, {new.folder} is {new.name!r} {new.version}: two data sets without a recording in "
            "common, there is nothing to compare; name two versions of one"
        )
        raise ReleaseError(msg)
    differences = [*_tables(old, new, recordings), *differences_of_descriptions(old, new)]
    changed = _changed_videos(recordings.brought_over(before), after)
    differences += file_differences.differences_of_files(old, new, recordings, changed)
    differences += file_differences.differences_of_calibrations(old, new, recordings)
    differences += withdrawn_notes.differences(old, new, recordings)
    order = list(KINDS)
    return Comparison(old, new, tuple(sorted(differences, key=lambda one: (order.index(one.kind), -one.step, one.what, one.change))))


def _tables(old: Released, new: Released, recordings: Recordings) -> Iterator[Difference]:
    gone: dict[str, Counter[str]] = {"added": Counter(), "removed": Counter()}
    of_old, of_new = old.tables, new.tables
    for name in sorted(of_old | of_new):
        if name not in of_old or name not in of_new:
            change, where = ("added", new) if name not in of_old else ("removed", old)
            yield difference_of_data("schema", name, change, 1, "table", columns={"rows": len(where.table(name))})
            continue
        if old.sha256[f"tables/{name}.parquet"] == new.sha256[f"tables/{name}.parquet"] and not recordings.renamed:
            for released in (old, new):
                released.path(f"tables/{name}.parquet")
            continue
        before, after = recordings.brought_over(tables.plain(old.table(name))), tables.plain(new.table(name))
        yield from tables.differences(name, before, after)
        before, removed = tables.of_others(before, recordings.removed)
        after, added = tables.of_others(after, recordings.added)
        gone["removed"][name] += removed
        gone["added"][name] += added
        if name == "splits":
            yield from tables.differences_of_placements(before, after)
        else:
            yield from tables.differences_of_rows(name, before, after, tables.KIND_OF_TABLE.get(name, "tables"))
    yield from _recordings(old, new, recordings, gone)


def _recordings(old: Released, new: Released, recordings: Recordings, rows_of: dict[str, Counter[str]]) -> Iterator[Difference]:
    for change, ids, released in (("added", recordings.added, new), ("removed", recordings.removed, old)):
        if ids:
            files = file_differences.of_recordings(released, ids, recordings)
            columns = {name: count for name, count in sorted(rows_of[change].items()) if count}
            yield difference_of_data(
                "recordings",
                "recordings",
                change,
                len(ids),
                "recordings",
                columns=columns | ({"files": files.total()} if files else {}),
                recordings=dict.fromkeys(ids, 1),
                examples=tuple({"id": one} for one in sorted(ids)[: tables.EXAMPLES]),
            )
    if recordings.renamed:
        names = sorted(recordings.renamed.items())
        yield difference_of_data(
            "recordings",
            "recordings",
            "renamed",
            len(names),
            "recordings",
            recordings=dict.fromkeys(recordings.renamed.values(), 1),
            examples=tuple({"id": new_id, "changed": {"id": [old_id, new_id]}} for old_id, new_id in names),
        )


def _changed_videos(before: pa.Table, after: pa.Table) -> set[str]:
    """Return the paths of videos of which both tables state other bytes."""
    stated = dict(zip(before["path"].to_pylist(), before["sha256"].to_pylist(), strict=True))
    pairs = zip(after["path"].to_pylist(), after["sha256"].to_pylist(), strict=True)
    return {path for path, sha256 in pairs if stated.get(path, sha256) != sha256}


SHOWN = 5
LONGEST = 60


def lines(comparison: Comparison) -> Iterator[str]:
    """Yield what differs, by kind, and the verdict."""
    old, new = comparison.old, comparison.new
    yield f"{old.name} {old.version} -> {new.name} {new.version}"
    yield "videos and pictures are compared by the hashes in SHA256SUMS; whether a copy has these bytes, 'scrubin verify' says"
    for kind, group in groupby(comparison.differences, key=lambda one: one.kind):
        yield f"{kind}:"
        for one in group:
            yield f"  {sentence(one)}"
            yield from (f"    {example(row)}" for row in one.examples[:SHOWN])
            if one.count > len(one.examples[:SHOWN]) and one.examples and one.what != withdrawn_notes.LOST:
                yield f"    and {one.count - len(one.examples[:SHOWN]):,} more"
    yield from warnings(comparison)
    yield comparison.verdict.sentence


def warnings(comparison: Comparison) -> Iterator[str]:
    """Yield what nobody may pass over, whatever the number of the version is."""
    for released in (comparison.old, comparison.new):
        if released.lacks(WITHDRAWN):
            yield f"notes of who withdrew are not compared: {released.folder / WITHDRAWN} is not here"
    yield from unseen(comparison)
    of = {one.what: one for one in comparison.differences}
    if lost := of.get(withdrawn_notes.LOST):
        back = of.get(withdrawn_notes.BACK)
        old, new = comparison.old.version, comparison.new.version
        whose = f", and {back.count:,} that {old} does not hold are here" if back else ""
        is_renamed = comparison.old.name != comparison.new.name
        why = ", or the data set was renamed without release.previous" if is_renamed else ""
        yield (
            f"WITHDRAWN: {old} says that {lost.count:,} were withdrawn, {new} does not say so any more{whose}: whoever made it did not "
            f"know of them{why}; publish nothing before you know that nobody is back"
        )


def unseen(comparison: Comparison) -> Iterator[str]:
    """Yield what was compared by its hash alone, because one copy lacks it, and the step that all else asks for."""
    hashed = [one for one in comparison.differences if one.what.startswith(file_differences.UNSEEN)]
    if hashed:
        names = ", ".join(one.what.removeprefix(file_differences.UNSEEN) for one in hashed)
        step = required_step(one for one in comparison.differences if one not in hashed)
        yield (
            f"not looked at, because one copy lacks what differs there by its hash: {names}; it counts as the largest change that it can "
            f"be. Take whole copies and compare again: all else asks for {f'a {step.word}' if step else 'no'} step"
        )


def sentence(one: Difference) -> str:
    """Return one difference in a line, without its examples."""
    unit = one.unit[:-1] if one.count == 1 and one.unit.endswith("s") else one.unit
    what = "" if one.what == one.kind else f"{one.what}: "
    where = f" in {len(one.recordings):,} recordings" if len(one.recordings) > 1 and one.unit != "recordings" else ""
    columns = ", ".join(f"{column} {count:,}" for column, count in one.columns.items())
    return f"{what}{one.count:,} {unit} {one.change}{where}{f' ({columns})' if columns else ''} [{one.step.word}]"


def example(one: Mapping[str, Any], arrow: str = "->") -> str:
    """Return an example in a line; the arrow stands between old and new.

    >>> example({"id": "abelo", "frame": 3, "changed": {"phase": ["packaging", None]}})
    'abelo, frame 3: phase packaging -> missing'
    """
    keys = ", ".join(str(value) if name in ("id", "file") else f"{name} {_cell(value)}" for name, value in one.items() if name != "changed")
    changes = ", ".join(f"{column} {_cell(old)} {arrow} {_cell(new)}" for column, (old, new) in one.get("changed", {}).items())
    return ": ".join(part for part in (keys, changes) if part)


def _cell(value: Any) -> str:
    text = "missing" if value is None else " ".join(str(value).split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


TEMPLATES = Path(__file__).with_name("templates")
# The curator's report and this page look alike.
MOST = 200
"""So many recordings and moves of one difference are listed; the JSON has all."""


def page(comparison: Comparison) -> str:
    """Return the page of a comparison."""
    from scrubin.base import pages

    environment = pages.environment(TEMPLATES, {"example": example})
    groups = [(kind, KINDS[kind], list(group)) for kind, group in groupby(comparison.differences, key=lambda one: one.kind)]
    document: dict[str, Any] = comparison.document()
    return environment.get_template("comparison.html.j2").render(**document, groups=groups, most=MOST)
