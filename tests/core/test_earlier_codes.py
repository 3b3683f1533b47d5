from __future__ import annotations

import importlib.util
import json
import re
import threading
from pathlib import Path

import pytest

from scrubin.base.store import code_of, store, uses
from scrubin.curate.project import room

LIBRARY = code_of.LIBRARY
TODAY, BEFORE, LONG_AGO = "today", "before", "long ago"


@pytest.fixture
def editions(tmp_path, monkeypatch):
    """Write a file of earlier codes for renders; return how to write other ones."""
    library = tmp_path / "library"
    library.mkdir()

    def write(code: str = TODAY, **packages: str) -> None:
        earlier = [{"edition": edition, "why": "", "code": of, "packages": packages} for edition, of in (("2", BEFORE), ("1", LONG_AGO))]
        (library / code_of.EARLIER_CODES).write_text(json.dumps({"render": {"code": code, "earlier": earlier}}))
        store.read.cache_clear()

    monkeypatch.setattr(store, "LIBRARY", library)
    write()
    yield write
    store.read.cache_clear()


def key(code: str = TODAY, kind: str | None = None) -> store.Key:
    return store.key_of("render", code, {"n": 1}, kind)


def stored(root: Path, code: str, value: object = 1) -> store.Entry:
    def work(folder: Path) -> object:
        (folder / "inner").mkdir()
        (folder / "inner/video.mkv").write_text(code)
        return value

    return store.make(key(code), work, root)[0]


@pytest.mark.usefixtures("editions")
@pytest.mark.parametrize("code", [BEFORE, LONG_AGO])
def test_what_an_earlier_edition_stored_is_taken_without_a_copy_and_stays_for_a_checkout_of_it(code, tmp_path):
    old = stored(tmp_path, code)
    with uses.of_stage("render", tmp_path):
        entry = store.lookup(key(), tmp_path)
    assert entry is not None
    assert entry.value == 1
    assert entry.folder != old.folder
    assert entry.path("inner/video.mkv").samefile(old.path("inner/video.mkv"))
    assert uses.used(tmp_path) == {key()}
    assert store.lookup(str(key()), tmp_path) == entry
    assert store.lookup(key(code), tmp_path) == old


@pytest.mark.usefixtures("editions")
def test_of_two_editions_the_newer_one_is_asked_first(tmp_path):
    stored(tmp_path, LONG_AGO)
    stored(tmp_path, BEFORE)
    entry = store.lookup(key(), tmp_path)
    assert entry is not None
    assert entry.path("inner/video.mkv").read_text() == BEFORE


@pytest.mark.usefixtures("editions")
def test_after_any_other_change_of_the_code_nothing_earlier_is_taken(tmp_path):
    stored(tmp_path, BEFORE)
    assert store.lookup(key("today, with a planted edit"), tmp_path) is None
    assert store.lookup(key(kind="render/joined"), tmp_path) is None


def test_nothing_is_taken_that_was_made_with_other_packages(editions, tmp_path):
    stored(tmp_path, BEFORE)
    editions(av="0.0.1")
    assert store.lookup(key(), tmp_path) is None
    editions(nowhere="1.0")
    assert store.lookup(key(), tmp_path) is None
    editions(numpy=code_of.version_of("numpy"))
    assert store.lookup(key(), tmp_path) is not None


@pytest.mark.usefixtures("editions")
def test_a_refusal_is_judged_anew(tmp_path):
    stored(tmp_path, BEFORE, {"reason": "it is damaged", "fix": "copy it again"})
    assert store.lookup(key(), tmp_path) is None


@pytest.mark.usefixtures("editions")
def test_a_damaged_result_is_not_taken(tmp_path):
    old = stored(tmp_path, BEFORE)
    file = old.path("inner/video.mkv")
    file.chmod(0o644)
    file.write_text("harm")
    assert store.lookup(key(), tmp_path) is None


@pytest.mark.usefixtures("editions")
def test_where_a_disk_knows_no_links_it_is_made_again(tmp_path, monkeypatch):
    stored(tmp_path, BEFORE)

    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(store.os, "link", refuse)
    assert store.lookup(key(), tmp_path) is None


@pytest.mark.usefixtures("editions")
def test_many_may_take_it_at_the_same_time(tmp_path):
    stored(tmp_path, BEFORE)
    found: list[store.Entry | None] = []
    threads = [threading.Thread(target=lambda: found.append(store.lookup(key(), tmp_path))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {one.folder for one in found if one is not None} == {store.lookup(key(), tmp_path).folder}
    assert len(found) == 8
    assert None not in found


@pytest.mark.usefixtures("editions")
def test_bytes_that_two_results_share_count_once(tmp_path):
    for stage in room.STAGES:
        with uses.of_stage(stage, tmp_path):
            pass
    old = stored(tmp_path, BEFORE)
    with uses.of_stage("render", tmp_path):
        store.lookup(key(), tmp_path)
    sizes = {one.used: one.size for one in room.store_contents(tmp_path)}
    assert sizes[True] > sizes[False] == 0
    assert [one.folder for one in room.prune_store(tmp_path)] == []
    assert old.folder.is_dir()


def test_the_file_of_earlier_codes_is_no_code():
    known = code_of.files_of({"scrubin", code_of.__name__})
    assert Path(code_of.__file__) in known
    assert LIBRARY / code_of.EARLIER_CODES not in known


def test_every_kind_of_stored_result_is_known_and_each_edition_says_why_it_came_to_the_same():
    program = Path(__file__).parents[2] / "benchmarks/earlier_codes.py"
    spec = importlib.util.spec_from_file_location("benchmark_of_earlier_codes", program)
    assert spec is not None
    assert spec.loader is not None
    benchmark = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(benchmark)
    sources = [path.read_text(encoding="utf-8") for path in LIBRARY.rglob("*.py")]
    stages = {name for text in sources for name in re.findall(r'store\.key_of\("([\w-]+)"', text)}
    assert {kind.partition("/")[0] for kind in benchmark.KINDS} == stages
    known = store.read(LIBRARY / code_of.EARLIER_CODES)
    assert set(known) <= set(benchmark.KINDS)
    assert all(re.fullmatch(r"([0-9a-f]{64})+", one.code) and one.why and one.edition for kind in known.values() for one in kind.earlier)
    assert all(len({one.edition for one in kind.earlier}) == len(kind.earlier) for kind in known.values())
