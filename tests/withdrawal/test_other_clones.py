"""Who withdrew in one clone is not released again by another, which knows of it only by the release that it pulled."""

import json
from collections import Counter
from pathlib import Path

import pytest

import listed_project
import version_pairs
from scrubin.audit.expected import withdrawal_memory
from scrubin.audit.expected.withdrawal_memory import Memory
from scrubin.base.errors import ReleaseError
from scrubin.base.files import write_json, write_text
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
    write_json(gates.LAST_RELEASE_PATH, of)
    of = gates.last_release("a-study")
    earlier = other_clones.releases_here("a-study", of, None if previous is None else Previous(previous))
    other_clones.refuse_return(earlier, now, withdrawn, RAW, "2.1.0")
    return other_clones.carried(earlier, of, now, {name: "consent" for name in of["recordings"] if name in withdrawn})


def test_a_clone_that_released_somebody_earlier_does_not_release_them_again():
    release(RELEASE, ("id0", "id1", "id2"), NOTE)
    with pytest.raises(ReleaseError, match=BACK) as refused:
        try_to_release(last(), {**ALL, "new": "id9"})
    for file in ("data/raw/withdrawn.csv", "data/private/withdrawn.json", "data/private/released.json"):
        assert file in str(refused.value)


def test_who_was_in_no_release_of_this_clone_is_nobody_who_comes_back():
    """Nobody can tell them from new recordings."""
    release(RELEASE, ("id0", "id1", "id2"), NOTE)
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


@pytest.mark.parametrize("change", ["other ids", "another name", "no note"])
def test_a_curator_who_works_alone_is_not_refused(change):
    """Others, or all under new ids; an edition that noted nothing."""
    ids = ("id0", "id1", "id2") if change != "other ids" else ("x0", "x1")
    notes = () if change == "no note" else (NOTE,)
    release(RELEASE, ids, *notes, name="another" if change == "another name" else "a-study")
    try_to_release(last(), {**ALL, "new": "id9"})


ALONE = {
    "renamed": {"recordings": ALL, "name": "as it was called before", "version": "3.0.0", "withdrawn": [NOTE]},
    "the same name": {"recordings": ALL, "version": "3.0.0", "withdrawn": [NOTE]},
    "lost": {"recordings": {}},
}


@pytest.mark.parametrize("what", ALONE)
@pytest.mark.parametrize("held", ["all", "without who came back"])
def test_who_was_taken_back_by_the_only_curator_may_be_released_with_somebody_new(what, held, tmp_path):
    """Withdrawn, released, taken back by ``--undo``, released: both releases may be the one before."""
    ids, version = (tuple(ALL.values()), "3.0.0") if held == "all" else (("id0", "id1", "id2"), "2.0.0")
    before = tmp_path / "before"
    release(before, ids, NOTE, name="as it was called before", version=version)
    try_to_release(last(**ALONE[what]), {**ALL, "new": "id9"}, previous=str(before))


def test_so_may_be_who_remains_when_they_withdraw_again(tmp_path):
    staying = {name: id_ for name, id_ in ALL.items() if name != GONE}
    notes = (NOTE, {**NOTE, "version": "4.0.0"})
    release(tmp_path / "before", ("id0", "id1", "id2"), *notes, name="as it was called before", version="4.0.0")
    of = last(staying, name="as it was called before", version="4.0.0", withdrawn=list(notes))
    try_to_release(of, {**staying, "new": "id9"}, KNOWN, previous=str(tmp_path / "before"))


OWN = Memory().with_recording("peg 0", "consent", {"id": {"id0"}}, [])


def test_two_clones_in_which_somebody_withdrew_release_neither_again():
    """Both released 2.0.0, and both notes say the same."""
    release(RELEASE, ("id0", "id1", "id2"), NOTE)
    own = {name: id_ for name, id_ in ALL.items() if name != "peg 0"}
    with pytest.raises(ReleaseError, match=BACK):
        try_to_release(last(own, version="2.0.0", withdrawn=[NOTE]), own, OWN)


def test_nor_does_a_clone_that_has_released_a_higher_version_without_knowing():
    release(RELEASE, ("id0", "id1", "id2"), NOTE)
    with pytest.raises(ReleaseError, match=BACK):
        try_to_release(last(version="2.1.0"), ALL)


def test_who_withdrew_here_and_is_still_in_the_other_release_is_not_whom_it_notes():
    release(RELEASE, ("id0", "id1", "id2"), NOTE)
    staying = {name: id_ for name, id_ in ALL.items() if name != "peg 0"}
    with pytest.raises(ReleaseError, match=BACK):
        try_to_release(last(), staying, OWN)


def test_with_the_rows_of_the_other_clone_somebody_whom_that_only_excluded_is_released_again():
    """It brought the rows, and left its own two files, as the page about remotes says."""
    release(RELEASE, ("id0", "id1"), NOTE)
    both = OWN.with_recording(GONE, "consent", {"id": {"id3"}}, [])
    try_to_release(last(), {"peg 1": "id1", "peg 2": "id2"}, both)


DAMAGE = {
    "notes missing": (RELEASE / "metadata/withdrawn.json").unlink,
    "notes damaged": lambda: (RELEASE / "metadata/withdrawn.json").write_text("{"),
    "list missing": (RELEASE / "SHA256SUMS").unlink,
    "list damaged": lambda: (RELEASE / "SHA256SUMS").write_text("x"),
    "description damaged": lambda: (RELEASE / "croissant.json").write_text("{"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_release_of_another_clone_is_refused_and_the_last_own_one_is_made_anew(damage):
    release(RELEASE, ("id0", "id1", "id2"), NOTE)
    DAMAGE[damage]()
    with pytest.raises(ReleaseError, match=r"data/release: it is not known to be the last .* pull it again: .*--fix.* or remove"):
        try_to_release(last(), ALL)
    staying = {name: id_ for name, id_ in ALL.items() if name != GONE}
    assert try_to_release(last(staying, version="2.0.0", withdrawn=[NOTE]), staying, KNOWN) == ([NOTE], {})


@pytest.mark.parametrize("table", ["sound", "damaged"])
def test_the_last_own_release_is_known_by_its_list_where_its_table_is_damaged(table):
    release(RELEASE, ("id0", "id1", "id2"), NOTE)
    (RELEASE / "metadata/withdrawn.json").unlink()
    if table == "damaged":
        (RELEASE / "tables/videos.parquet").write_bytes(b"x")
    staying = {name: id_ for name, id_ in ALL.items() if name != GONE}
    try_to_release(last(staying, version="2.0.0", withdrawn=[NOTE]), staying, KNOWN)


@pytest.mark.parametrize("lies_there", ["nothing", ".gitignore", "a folder without notes"])
def test_a_folder_that_notes_nobody_is_no_damaged_release(lies_there, monkeypatch):
    """Its list of files, which may be long, is not read."""
    if lies_there == "a folder without notes":
        release()
        monkeypatch.setattr(other_clones.Released, "open", None)
    elif lies_there == ".gitignore":
        RELEASE.mkdir(parents=True)
        (RELEASE / ".gitignore").write_text("*\n")
    assert try_to_release(last(), ALL) == ([], {})


def test_the_list_of_files_of_the_last_own_release_is_not_read(monkeypatch):
    release(RELEASE, ("id0", "id1", "id2"), NOTE)
    monkeypatch.setattr(other_clones.file_lists, "read_checksums", None)
    staying = {name: id_ for name, id_ in ALL.items() if name != GONE}
    try_to_release(last(staying, version="2.0.0", withdrawn=[NOTE]), staying, KNOWN)


def test_the_release_before_must_say_who_withdrew_when_another_clone_made_it(tmp_path):
    release(tmp_path / "before", ("id0", "id1", "id2"), NOTE)
    (tmp_path / "before/metadata/withdrawn.json").unlink()
    with pytest.raises(ReleaseError, match=r"withdrawn\.json: it is missing"):
        try_to_release(last(), ALL, previous=str(tmp_path / "before"))


@pytest.mark.parametrize("order", [("2.0.0", "3.0.0"), ("3.0.0", "2.0.0")])
def test_what_is_kept_of_a_higher_version_stays_when_a_lower_one_goes_from_its_place(order):
    """The lower one still holds who withdrew last, and notes nothing that the higher one does not note."""
    of = {"2.0.0": (("id0", "id1", "id2"), (NOTE,)), "3.0.0": (("id0", "id1"), (NOTE, {**NOTE, "version": "3.0.0"}))}
    for version in order:
        ids, notes = of[version]
        release(RELEASE, ids, *notes, version=version)
        other_clones.keep("a-study", other_clones.releases_here("a-study", last({}), None))
        for path in sorted(RELEASE.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
    kept = json.loads(gates.LAST_RELEASE_PATH.read_text())["other_clone"]
    assert (kept["version"], kept["ids"], len(kept["withdrawn"])) == ("3.0.0", ["id0", "id1"], 2)


def test_what_two_clones_noted_apart_is_kept_of_both():
    one = other_clones.Earlier("a", "3.0.0", frozenset({"id0", "id1", "id2"}), Counter({("3.0.0", "consent"): 1}))
    other = other_clones.Earlier("b", "2.0.0", frozenset({"id0", "id1", "id3"}), Counter({("2.0.0", "consent"): 1}))
    for both in (one.joined(other), other.joined(one)):
        assert (both.version, both.ids, both.notes.total()) == ("3.0.0", {"id0", "id1"}, 2)


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
        try_to_release(json.loads(gates.LAST_RELEASE_PATH.read_text()), now, withdrawal_memory.load())


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


def lock(release_md5: str) -> None:
    """Let a run of this memory have ended with a release."""
    stages = {"withdrawals": {"cmd": "x", "outs": [{"path": "data/private/withdrawn.json", "md5": md5_of(withdrawal_memory.PATH)}]}}
    stages["release"] = {"cmd": "x", "outs": [{"path": "data/release", "md5": release_md5}]}
    Path("dvc.lock").write_text(json.dumps({"schema": "2.0", "stages": stages}) + "\n")


def told_of_lock() -> list[str]:
    return [fault.sentence for fault in preflight.look().remarks if fault.file == "dvc.lock"]


@pytest.mark.parametrize(("remembered", "memory"), [("nobody", "remembers other withdrawals than"), ("nothing", "has"), ("the same", "")])
@pytest.mark.parametrize("there", ["no release", "another release"])
def test_a_lock_that_other_withdrawals_are_of_is_told_where_its_release_is_not_here(remembered, memory, there):
    """Git brings the lock; the release, by which a run would know, is in the remote. An own older commit looks alike."""
    withdrawal_memory.write(KNOWN)
    lock("0" * 32 + ".dir")
    if remembered == "nobody":
        withdrawal_memory.write(Memory())
    elif remembered == "nothing":
        withdrawal_memory.PATH.unlink()
    if there == "another release":
        release(RELEASE, tuple(ALL.values()))
    told = told_of_lock()
    assert len(told) == (remembered != "the same")
    said = "is another one than data/release" if there == "another release" else "is not here to compare with"
    for one in told:
        assert f"it is of another clone or another commit, which {memory} data/private/withdrawn.json" in one
        assert f"the release that it names {said}; of another clone: bring the rows of data/raw/withdrawn.csv" in one
        assert "of an own older commit: nothing" in one


@pytest.mark.parametrize("elsewhere", [False, True])
def test_nothing_is_told_where_the_release_that_the_lock_names_is_here(elsewhere, tmp_path):
    withdrawal_memory.write(KNOWN)
    release(RELEASE, tuple(ALL.values()))
    listed = json.dumps([{"md5": md5_of(RELEASE / "SHA256SUMS"), "relpath": "SHA256SUMS"}])
    cache = tmp_path / "cache" if elsewhere else Path(".dvc/cache")
    if elsewhere:
        Path(".dvc").mkdir(exist_ok=True)
        Path(".dvc/config.local").write_text(f"[cache]\n    dir = {cache}\n")
    write_text(cache / "files/md5/ab" / ("0" * 30 + ".dir"), listed)
    lock("ab" + "0" * 30 + ".dir")
    withdrawal_memory.write(Memory())
    assert not told_of_lock()
    write_text(RELEASE / "SHA256SUMS", "other")
    assert len(told_of_lock()) == 1
