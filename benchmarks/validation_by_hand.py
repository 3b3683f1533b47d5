"""The checks of the table ``triplets``, written by hand in pyarrow.compute: what the suite is measured against.

Nothing here is generated from a declaration. Each check answers like the suite: its rule and columns, how many
rows break it, and the first twenty of them, by key.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from scrubin.base.vocabulary.vocabulary import Vocabulary

SHOWN = 20
KEY = ["id", "frame", "instance"]
PARTS = ["instrument_id", "verb_id", "target_id"]
IDS = [*PARTS, "triplet_id"]
NAMES = ["instrument", "verb", "target", "triplet"]
BOX = ["x", "y", "w", "h"]
REQUIRED = ["id", "frame", "instance", "vocabulary"]
TYPES = {
    **dict.fromkeys(("id", "vocabulary", *NAMES), "string"),
    **dict.fromkeys(("frame", "instance", *IDS), "int64"),
    **dict.fromkeys((*BOX, "score"), "double"),
}
ORDER = ["id", "frame", "instance", "vocabulary", *NAMES, *IDS, *BOX, "score"]
PRIVATE = {"recording", "participant", "trial", "site"}
LARGEST = sys.float_info.max
Answer = tuple[str, tuple[str, ...], int, list[dict[str, Any]]]


def answers(
    rows: pa.Table,
    frames: pa.Table,
    videos: pa.Table,
    vocabularies: Mapping[str, Vocabulary],
    before: Mapping[str, Mapping[str, int]],
    limit: float,
    total: int,
) -> Iterator[Answer]:
    """Yield rule, columns, count and first keys of every check.

    Parameters
    ----------
    rows, frames, videos
        The tables.
    vocabularies
        By name.
    before
        Counts of classes of the version before, by column.
    limit
        Largest total variation distance between the classes of both.
    total
        Declared number of rows.
    """
    rows = rows.combine_chunks()
    yield from _columns(rows)
    for column in REQUIRED:
        yield _answer(rows, "not_missing", (column,), pc.is_null(rows[column]))
    for column in ("frame", "instance", *IDS):
        yield _answer(rows, "in_range", (column,), pc.less(rows[column], 0))
    for column in (*BOX, "score"):
        yield _answer(rows, "in_range", (column,), pc.or_(pc.less(rows[column], 0), pc.greater(rows[column], 1)))
    yield _answer(rows, "key_unique", tuple(KEY), _repeated(rows, KEY))
    yield _answer(rows, "known_id", ("id",), pc.invert(pc.is_in(rows["id"], pc.unique(videos["id"]))))
    labelled = _labelled(frames)
    yield _answer(rows, "label_has_frame", ("frame",), pc.invert(_among(rows, labelled)))
    for rule, column in (("label_in_redacted_frame", "redacted"), ("label_in_dropped_frame", "dropped")):
        yield _answer(rows, rule, ("frame",), _among(rows, labelled.filter(labelled[column])))
    yield from _boxes(rows)
    yield _answer(rows, "triplet_in_vocabulary", ("vocabulary", "triplet_id", *PARTS), _no_triplet(rows, vocabularies))
    yield _answer(rows, "name_of_id", ("vocabulary", *NAMES, *IDS), _misnamed(rows, vocabularies))
    yield _answer(rows, "instance_twice", ("instrument", "verb", "target", *BOX), _twice(rows))
    yield from _drift(rows, before, limit)
    yield "declared_total", ("count",), int(len(rows) != total), [{"declared": total, "found": len(rows)}] * (len(rows) != total)


def _answer(rows: pa.Table, rule: str, columns: tuple[str, ...], broken: Any) -> Answer:
    broken = pc.fill_null(broken, False)
    count = pc.sum(broken).as_py() or 0
    if not count:
        return rule, columns, 0, []
    names = list(dict.fromkeys([*KEY, *columns]))
    found = rows.select(names).filter(broken).sort_by([(name, "ascending") for name in KEY])
    return rule, columns, count, found.slice(0, SHOWN).to_pylist()


def _columns(rows: pa.Table) -> Iterator[Answer]:
    types = {field.name: str(field.type) for field in rows.schema}
    misplaced = [name for name in dict.fromkeys([*ORDER, *types]) if (name in types) != (name in TYPES)]
    if not misplaced and list(types) != ORDER:
        misplaced = [name for name, other in zip(types, ORDER, strict=True) if name != other]
    retyped = [name for name in types if name in TYPES and types[name] != TYPES[name]]
    private = [name for name in types if name in PRIVATE]
    for rule, wrong in (("declared_columns", misplaced), ("declared_types", retyped), ("no_private_column", private)):
        yield rule, ("column",), len(wrong), [{"column": name} for name in wrong[:SHOWN]]


def _repeated(rows: pa.Table, key: Sequence[str]) -> Any:
    counted = rows.select(list(key)).group_by(list(key)).aggregate([([], "count_all")])
    twice = counted.filter(pc.greater(counted["count_all"], 1)).drop_columns("count_all")
    return _among(rows, twice, key) if len(twice) else _none(rows)


def _among(rows: pa.Table, known: pa.Table, key: Sequence[str] = ("id", "frame")) -> Any:
    if not len(known):
        return _none(rows)
    numbered = rows.select(list(key)).append_column("row", pa.array(np.arange(len(rows))))
    found = numbered.join(known.select(list(key)), list(key), join_type="left semi")["row"]
    return pc.is_in(numbered["row"], found.combine_chunks())


def _none(rows: pa.Table) -> Any:
    return pa.array(np.zeros(len(rows), dtype=bool))


def _labelled(frames: pa.Table) -> pa.Table:
    order = pc.index_in(frames["camera"], pa.array(["left", "mono", "right"]))
    ranked = frames.append_column("order", order)
    first = ranked.group_by("id").aggregate([("order", "min")])
    kept = ranked.join(first, "id")
    return kept.filter(pc.equal(kept["order"], kept["order_min"]))


def _boxes(rows: pa.Table) -> Iterator[Answer]:
    x, y, w, h = (rows[side] for side in BOX)
    outside = pc.or_(pc.greater(pc.add(x, w), 1 + 1e-6), pc.greater(pc.add(y, h), 1 + 1e-6))
    outside = _any([pc.less(x, 0), pc.less(y, 0), outside])
    yield _answer(rows, "box_inside_image", tuple(BOX), outside)
    given = [pc.is_valid(rows[side]) for side in BOX]
    some, every = _any(given), given[0]
    for one in given[1:]:
        every = pc.and_(every, one)
    flat = _any([pc.less_equal(w, 0), pc.less_equal(h, 0), pc.and_not(some, every)])
    yield _answer(rows, "box_not_degenerate", tuple(BOX), flat)


def _any(conditions: Sequence[Any]) -> Any:
    # Missing is no offence here.
    found = pc.fill_null(conditions[0], False)
    for one in conditions[1:]:
        found = pc.or_(found, pc.fill_null(one, False))
    return found


def _of_vocabulary(rows: pa.Table, vocabularies: Mapping[str, Vocabulary], broken: Callable[[pa.Table, Vocabulary | None], Any]) -> Any:
    """Return what is broken, vocabulary by vocabulary; usually there is one."""
    names = pc.unique(rows["vocabulary"]).to_pylist()
    if len(names) == 1:
        return broken(rows, vocabularies.get(names[0]))
    found = pc.fill_null(pc.equal(rows["instance"], -1), False)
    for name in names:
        these = pc.fill_null(pc.equal(rows["vocabulary"], name), False) if name is not None else pc.is_null(rows["vocabulary"])
        found = pc.or_(found, pc.and_(these, pc.fill_null(broken(rows, vocabularies.get(name)), False)))
    return found


def _no_triplet(rows: pa.Table, vocabularies: Mapping[str, Vocabulary]) -> Any:
    def broken(rows: pa.Table, words: Vocabulary | None) -> Any:
        known = words.triplets if words else ()
        sides = (len(words.verbs) + 1, len(words.targets) + 1) if words else (1, 1)
        code = pc.add(pc.multiply(pc.add(pc.multiply(rows[PARTS[0]], sides[0]), rows[PARTS[1]]), sides[1]), rows[PARTS[2]])
        codes = pa.array([(i * sides[0] + v) * sides[1] + t for i, v, t in known], pa.int64())
        return _differ(pc.index_in(code, codes).cast(pa.int64()), rows["triplet_id"])

    return _of_vocabulary(rows, vocabularies, broken)


def _misnamed(rows: pa.Table, vocabularies: Mapping[str, Vocabulary]) -> Any:
    def broken(rows: pa.Table, words: Vocabulary | None) -> Any:
        if words is None:
            return pc.greater_equal(pc.fill_null(rows["instance"], 0), 0)
        lists = [words.instruments, words.verbs, words.targets, [words.triplet_name(i) for i in range(len(words.triplets))]]
        found = []
        for name, id_, of in zip(NAMES, IDS, lists, strict=True):
            inside = pc.and_(pc.less(rows[id_], len(of)), pc.greater_equal(rows[id_], 0))
            expected = pc.take(pa.array(of, pa.string()), pc.if_else(inside, rows[id_], pa.scalar(None, pa.int64())))
            found += [_differ(expected, rows[name]), pc.invert(inside)]
        return _any(found)

    return _of_vocabulary(rows, vocabularies, broken)


def _differ(expected: Any, found: Any) -> Any:
    both_missing = pc.and_(pc.is_null(expected), pc.is_null(found))
    return pc.and_not(pc.invert(pc.fill_null(pc.equal(expected, found), False)), both_missing)


def _twice(rows: pa.Table) -> Any:
    what = ["id", "frame", *NAMES[:3], *BOX]
    boxed = rows.select(what).filter(pc.is_valid(rows["x"]))
    counted = boxed.group_by(what).aggregate([([], "count_all")])
    twice = counted.filter(pc.greater(counted["count_all"], 1)).drop_columns("count_all")
    return _among(rows, twice, what) if len(twice) else _none(rows)


def _drift(rows: pa.Table, before: Mapping[str, Mapping[str, int]], limit: float) -> Iterator[Answer]:
    for column, counts in before.items():
        now = Counter({one["values"]: one["counts"] for one in pc.value_counts(rows[column]).to_pylist() if one["values"] is not None})
        total, was = now.total(), Counter(counts).total()
        changes = {name: now[name] / total - counts.get(name, 0) / was for name in sorted({*now, *counts})}
        far = math.fsum(map(abs, changes.values())) / 2 > limit
        wrong = [name for name, change in changes.items() if (far and change) or (counts.get(name, 0) and not now[name])]
        wrong.sort(key=lambda name: (-round(abs(changes[name]), 6), name))
        yield "class_drift", (column,), len(wrong), [{"class": name} for name in wrong[:SHOWN]]
