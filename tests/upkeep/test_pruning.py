from __future__ import annotations

from pathlib import Path

import pytest

from scrubin import cli
from scrubin.base.errors import StageError
from scrubin.base.store import store, uses
from scrubin.curate.project import room


def kept(root: Path, stage: str, number: int) -> str:
    key = store.key_of(stage, "code", {"n": number})
    store.make(key, lambda folder: (folder / "a.txt").write_bytes(bytes(1000)) and number, root)
    return key


@pytest.fixture
def root(tmp_path) -> Path:
    (tmp_path / "params.yaml").write_text("raw: data/raw\n")
    root = tmp_path / store.STORE_PATH
    for run in ([0, 1], [1, 2]):
        for stage in room.STAGES:
            with uses.of_stage(stage, root):
                for number in run:
                    kept(root, stage, number)
    return root


def test_what_the_last_runs_used_stays_and_the_rest_goes(root, capsys):
    assert cli.main(["store", str(root.parents[1]), "--prune"]) == 0
    assert "removed" in capsys.readouterr().out
    left = {one.folder.parent.name + one.folder.name for one in room.store_contents(root)}
    assert left == {store.key_of(stage, "code", {"n": number}) for stage in room.STAGES for number in (1, 2)}


def test_within_the_budget_nothing_goes_and_beyond_it_the_oldest_go_first(root):
    spare = [one for one in room.store_contents(root) if not one.used]
    assert len(spare) == len(room.STAGES)
    assert room.prune_store(root, sum(one.size for one in spare)) == []
    gone = room.prune_store(root, sum(one.size for one in spare) - 1)
    assert [one.folder for one in gone] == [min(spare, key=lambda one: one.time_ns).folder]


def test_a_damaged_result_is_not_used(root):
    key = store.key_of("render", "code", {"n": 2})
    entry = store.lookup(key, root)
    assert entry is not None
    (entry.folder / "a.txt").chmod(0o644)
    (entry.folder / "a.txt").write_text("damaged")
    kept(root, "render", 2)
    room.prune_store(root)
    again = store.lookup(key, root)
    assert again is not None
    assert not entry.folder.exists()
    assert again.folder.exists()


def test_before_every_stage_has_noted_what_it_uses_nothing_goes(tmp_path):
    root = tmp_path / store.STORE_PATH
    with uses.of_stage("render", root):
        kept(root, "render", 1)
    kept(root, "screen", 1)
    with pytest.raises(StageError, match="ingest, screen, frames, stereo, release"):
        room.prune_store(root)
    assert len(room.store_contents(root)) == 2
