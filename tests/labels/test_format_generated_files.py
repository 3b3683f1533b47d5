"""Files made as the data sets describe theirs, independently of our writers, are read as what they were made of."""

import random

import pytest

from label_examples import read_files, write_files
from label_makers import MAKERS

SEEDS = range(6)


def said(labels):
    """Return what labels say, as the makers state it."""
    rows = labels.instances.rows.astype(object)
    rows = rows.where(rows.notna(), None)
    ids = rows[["position", "instrument_id", "verb_id", "target_id", "triplet_id"]].itertuples(index=False, name=None)
    boxes = rows[["x", "y", "w", "h"]].itertuples(index=False, name=None)
    instances = sorted(((*one, None if where[0] is None else list(where)) for one, where in zip(ids, boxes, strict=True)), key=str)
    phases = {} if labels.phases is None else dict(labels.phases.rows[["position", "phase_id"]].itertuples(index=False, name=None))
    return {"instances": instances, "frames": labels.instances.positions.tolist(), "phases": phases}


def assert_said(labels, expected, seed):
    found = said(labels)
    assert found["frames"] == expected["frames"], seed
    assert found["phases"] == expected["phases"], seed
    assert len(found["instances"]) == len(expected["instances"]), seed

    # Shares are rounded in pixels or in six digits: sorted by ids, boxes are near to those made.
    def key(one):
        return (*(-1 if part is None else part for part in one[:5]), [] if one[5] is None else [round(side, 2) for side in one[5]])

    for one, other in zip(sorted(found["instances"], key=key), sorted(expected["instances"], key=key), strict=True):
        assert one[:5] == other[:5], seed
        assert (one[5] is None) == (other[5] is None), seed
        if one[5] is not None:
            assert one[5] == pytest.approx(other[5], abs=2e-6), seed


@pytest.mark.cases(10)
@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_made_file_is_read_as_what_it_was_made_of_and_so_is_what_is_written(name, seed):
    files, expected = MAKERS[name](random.Random(seed))
    collection = read_files(name, files)
    assert [labels.recording for labels in collection.recordings] == sorted(expected)
    for labels in collection.recordings:
        assert_said(labels, expected[labels.recording], seed)
    written = write_files(name, collection)
    assert not written.losses
    again = read_files(name, {f"out/{file}": data for file, data in written.files.items()})
    for labels in again.recordings:
        assert_said(labels, expected[labels.recording], seed)
    assert write_files(name, again).files == written.files
