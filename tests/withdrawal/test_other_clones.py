"""Who withdrew in one clone is not released again by another, which knows of it only by the release that it pulled."""

import json
from pathlib import Path

import pytest

import listed_project
import version_pairs
from scrubin.audit.expected import withdrawal_memory
from scrubin.audit.expected.withdrawal_memory import Memory
from scrubin.base.errors import ReleaseError
from scrubin.base.files import write_json
from scrubin.base.layout import RELEASE
from scrubin.curate.lists import withdrawal
from scrubin.curate.preflight import preflight
from scrubin.curate.project.outputs import md5_of
from scrubin.stages import pseudonymize
from scrubin.stages.release import gates, other_clones
from scrubin.stages.release.release_params import Previous

RAW = Path("data/raw")
NOTE = {"version": "2.0.0", "recordings": 1, "reason": "consent"}
ALL = {f"peg {number}": f"id{number}" for number in range(4)}
GONE = "peg 3"
NOBODY = Memory()
KNOWN = Memory().with_recording(GONE, "consent", {"id": {"id3"}}, [])
BACK = r"data/release: version 2\.0\.0 says that 1 recording withdrew of which this clone does not know.* any more: 'peg 3' \(id3\); bring"


@pytest.fixture(autouse=True)
def project(tmp_path, monkeypatch):
    listed_project.make(tmp_path, pegs=6)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def release(folder: Path = RELEASE, ids=("id0", "id1", "id2"), *notes: dict, name: str = "a-study", version: str = "2.0.0") -> None:
    """Let a release lie there, as another clone has made it."""
    version_pairs.build(folder, ids, version)
    write_json(folder / "croissant.json", {"name": name, "version": version})
    write_json(folder / "metadata/withdrawn.json", {"withdrawn": list(notes)})
    version_pairs.seal(folder)


def last(recordings=None, **more) -> dict:
    """Return what this clone keeps of its own last release, of before the withdrawal."""
    return {"name": "a-study", "version": "1.0.0", "recordings": ALL if recordings is None else recordings} | more


def try_to_release(of: dict, now: dict, withdrawn: Memory = NOBODY, previous: str | None = None):
    earlier = other_clones.releases_here("a-study", of, None if previous is None else Previous(previous))
    other_clones.refuse_return(earlier, of, now, withdrawn, RAW, "2.1.0")
    return other_clones.carried(earlier, of, now, {name: "consent" for name in of["recordings"] if name in withdrawn})


def test_a_clone_that_released_somebody_earlier_does_not_release_them_again():
    release(RELEASE, ("id0", "id1", "id2"), NOTE)
    with pytest.raises(ReleaseError, match=BACK) as refused:
        try_to_release(last(), {**ALL, "new": "id9"})
    for file in ("data/raw/withdrawn.csv", "data/private/withdrawn.json", "data/private/released.json"):
        assert file in str(refused.value)


def test_nor_does_one_that_has_released_nothing_yet():
    release(RELEASE, ("id0", "id1", "id2"), NOTE)
    with pytest.raises(ReleaseError, match=r"does not hold: 'peg 3' \(id3\); bring"):
        try_to_release(last({}), ALL)


def test_the_release_before_that_parameters_name_says_so_as_well(tmp_path):
    release(tmp_path / "before", ("id0", "id1", "id2"), NOTE, name="as it was called before")
    with pytest.raises(ReleaseError, match=r"before: version 2\.0\.0 says"):
        try_to_release(last(), ALL, previous=str(tmp_path / "before"))


def test_with_the_memory_of_that_clone_the_next_release_repeats_its_note_and_counts_nobody_twice():
    release(RELEASE, ("id0", "id1", "id2"), NOTE)
    staying = {name: id_ for name, id_ in ALL.items() if name != GONE}
    assert try_to_release(last(), {**staying, "new": "id9"}, KNOWN) == ([NOTE], {})
    of_theirs = last(staying, version="2.0.0", withdrawn=[NOTE])
    assert try_to_release(of_theirs, {**staying, "new": "id9"}, KNOWN) == ([NOTE], {})


def test_who_withdraws_since_is_counted_also_where_notes_were_lost():
    release(RELEASE, tuple(ALL.values()), {**NOTE, "version": "0.9.0"}, version="1.0.0")
    staying = {name: id_ for name, id_ in ALL.items() if name != GONE}
    both = KNOWN.with_recording("earlier", "consent", {}, [])
    assert try_to_release(last(), staying, both) == ([{**NOTE, "version": "0.9.0"}], {GONE: "consent"})


@pytest.mark.parametrize("change", ["taken back", "other ids", "another name", "no note", "damaged"])
def test_a_curator_who_works_alone_is_not_refused(change):
    """Somebody was taken back by ``--undo``; others, or all under new ids; an edition that noted nothing; a disk with damage."""
    ids = ("id0", "id1", "id2") if change != "other ids" else ("x0", "x1")
    notes = () if change == "no note" else (NOTE,)
    release(RELEASE, ids, *notes, name="another" if change == "another name" else "a-study")
    if change == "damaged":
        (RELEASE / "croissant.json").write_text("{")
    of = last(withdrawn=[NOTE]) if change == "taken back" else last()
    try_to_release(of, {**ALL, "new": "id9"})


def test_what_it_says_is_kept_when_it_goes_from_its_place_until_this_clone_has_released():
    listed_project.remember_release(Path(), *ALL)
    release(RELEASE, ("id0", "id1", "id2"), NOTE)
    withdrawal.withdraw(RAW, withdrawal.row_of("", "peg 0", "request", None))
    assert not RELEASE.exists()
    assert gates.LAST_RELEASE_PATH.stat().st_mode & 0o777 == 0o600
    of = gates.last_release("a-study")
    assert of["recordings"] == ALL
    now = {name: id_ for name, id_ in ALL.items() if name != "peg 0"}
    with pytest.raises(ReleaseError, match=r"data/private/released\.json: version 2\.0\.0 says that 1 recording withdrew"):
        try_to_release(of, now, withdrawal_memory.load())


def test_a_clone_without_a_release_of_its_own_keeps_it_as_well():
    release(RELEASE, ("id0", "id1", "id2"), NOTE)
    other_clones.keep("a-study", other_clones.releases_here("a-study", last({}), None))
    said = json.loads(gates.LAST_RELEASE_PATH.read_text())
    assert gates.last_release("a-study")["recordings"] == {}
    assert said["other_clone"]["ids"] == ["id0", "id1", "id2"]
    gates.LAST_RELEASE_PATH.write_text('{"other_clone": {"name": "a-study"}}')
    with pytest.raises(ReleaseError, match=r"released\.json: it does not say what the last release held"):
        other_clones.releases_here("a-study", last({}), None)


def test_preflight_refuses_before_anything_runs(monkeypatch):
    listed_project.remember_release(Path(), *ALL)
    key, book = Path("data/private/pseudonym.key"), Path("data/private/ids.csv")
    key.write_text("ab" * 32)
    key.chmod(0o600)
    pseudonymize.write_ledger(book, pseudonymize.fingerprint(pseudonymize.read_key(key)), ALL)
    release(RELEASE, ("id0", "id1", "id2"), NOTE)
    assert [fault.sentence for fault in preflight.look().errors if "withdrew of which" in fault.sentence]
    withdrawal_memory.write(KNOWN)
    assert not [fault.sentence for fault in preflight.look().errors if "withdrew of which" in fault.sentence]


@pytest.mark.parametrize("remembered", ["nobody", "the same"])
def test_a_lock_of_a_clone_that_remembers_others_is_told_where_no_release_was_pulled(remembered):
    """Git brings the lock; the release, by which a run would know, is in the remote."""
    withdrawal_memory.write(KNOWN)
    stages = {"withdrawals": {"cmd": "x", "outs": [{"path": "data/private/withdrawn.json", "md5": md5_of(withdrawal_memory.PATH)}]}}
    stages["release"] = {"cmd": "x", "outs": [{"path": "data/release", "md5": "0" * 32 + ".dir"}]}
    Path("dvc.lock").write_text(json.dumps({"schema": "2.0", "stages": stages}) + "\n")
    if remembered == "nobody":
        withdrawal_memory.write(Memory())
    told = [fault.sentence for fault in preflight.look().remarks if fault.file == "dvc.lock"]
    assert len(told) == (remembered == "nobody")
    assert all("it is of another clone, which remembers other withdrawals than data/private/withdrawn.json" in one for one in told)
    release(RELEASE, tuple(ALL.values()))
    assert not [fault for fault in preflight.look().remarks if fault.file == "dvc.lock"]
