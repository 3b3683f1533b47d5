"""Rows are paired as a person would with a dictionary."""

import math

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from scrubin.data.diff import tables

NUMBERS = st.one_of(st.none(), st.sampled_from([0.0, -0.0, 1.5, float("nan"), float("inf"), 2**53 + 1.0]))
KEYS = st.tuples(st.sampled_from(["a", "b", "c", None]), st.integers(-2, 3))
ROWS = st.dictionaries(KEYS, st.tuples(NUMBERS, st.sampled_from(["x", "y", None])), max_size=12)


def table(cells):
    names = ("id", "frame", "score", "verb")
    columns = list(zip(*[(*key, *values) for key, values in cells.items()], strict=True)) or [()] * 4
    types = (pa.string(), pa.int64(), pa.float64(), pa.string())
    return tables.plain(pa.table({name: pa.array(column, one) for name, column, one in zip(names, columns, types, strict=True)}))


def equal(one, other):
    missing = [value is None or (isinstance(value, float) and math.isnan(value)) for value in (one, other)]
    return all(missing) or (not any(missing) and one == other)


@given(ROWS, ROWS)
def test_pairs_are_those_of_a_dictionary(before, after):
    old, new = table(before), table(after)
    pairing = tables.pair(old, new, ("id", "frame"))
    keys_old, keys_new = list(before), list(after)
    assert [keys_old[at] for at in pairing.removed] == [key for key in keys_old if key not in after]
    assert [keys_new[at] for at in pairing.added] == [key for key in keys_new if key not in before]
    shared = [keys_old[at] for at in pairing.old]
    assert shared == [keys_new[at] for at in pairing.new] == [key for key in keys_old if key in after]
    differs = tables.differing(old, new, pairing, ("score", "verb"))
    for place, name in enumerate(("score", "verb")):
        assert differs[name].tolist() == [not equal(before[key][place], after[key][place]) for key in shared]


@given(st.lists(NUMBERS, max_size=10), st.lists(NUMBERS, max_size=10))
def test_without_a_key_equal_rows_are_paired_as_often_as_both_have_them(before, after):
    old, new = (tables.plain(pa.table({"value": pa.array(cells, pa.float64())})) for cells in (before, after))
    pairing = tables.pair(old, new, ("value",))
    left = list(after)
    for value in before:
        match = next((at for at, other in enumerate(left) if equal(value, other)), None)
        if match is not None:
            del left[match]
    assert len(pairing.added) == len(left)
    assert len(pairing.old) == len(after) - len(left)


def test_many_columns_of_many_values_still_have_a_number_each():
    cells = {f"c{place}": pa.array(range(place, place + 3000)) for place in range(8)}
    old = tables.plain(pa.table(cells))
    new = old.slice(1000).combine_chunks()
    pairing = tables.pair(old, new, old.column_names)
    assert pairing.removed.tolist() == list(range(1000))
    assert pairing.new.tolist() == list(range(2000))


def test_a_number_that_became_text_is_paired_by_what_it_says():
    old, new = tables.plain(pa.table({"frame": [1, 2]})), tables.plain(pa.table({"frame": ["2", "3"]}))
    pairing = tables.pair(old, new, ("frame",))
    assert (pairing.old.tolist(), pairing.new.tolist()) == ([1], [0])


def placements(*rows):
    names = ("scheme", "fold", "id", "subset")
    return tables.plain(pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))))


def test_a_placement_that_moved_is_told_of_its_scheme_also_where_rows_have_shifted():
    old = placements(("balanced", 0, "a", "train"), ("fair", 0, "a", "train"))
    new = placements(("fair", 0, "a", "train"), ("balanced", 0, "a", "test"))
    (moved,) = tables.differences_of_placements(old, new)
    assert (moved.what, moved.change, moved.recordings) == ("balanced", "moved", {"a": 1})
