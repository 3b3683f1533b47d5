"""Who withdrew in one clone is not released again by another, which knows of it only by the release that it pulled."""

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import listed_project
import release as stage
import version_pairs
from scrubin.audit.expected import withdrawal_memory
from scrubin.audit.expected.withdrawal_memory import Memory
from scrubin.base import file_lists
from scrubin.base.errors import ReleaseError
from scrubin.base.files import write_json, write_text
from scrubin.base.layout import RELEASE
from scrubin.curate.lists import withdrawal
from scrubin.curate.preflight import preflight
from scrubin.curate.project import outputs, strange_lock
from scrubin.curate.project.outputs import md5_of
from scrubin.data.diff import Step, next_version
from scrubin.stages import pseudonymize
from scrubin.stages.release import clone_record, gates, other_clones
from scrubin.stages.release.release_params import Previous
from scrubin.stages.withdrawals import releases

KEPT = r"this_clone\.json"
RAW = Path("data/raw")
NOTE = {"version": "2.0.0", "recordings": 1, "reason": "consent"}
LATER = {**NOTE, "version": "3.0.0"}
NEW = {f"peg {number}": f"id{number}" for number in range(5)}
ALL = {name: id_ for name, id_ in NEW.items() if name != "peg 4"}
THREE = ("id0", "id1", "id2")
GONE = "peg 3"
STAYING = {name: id_ for name, id_ in ALL.items() if name != GONE}
OTHERS = {name: id_ for name, id_ in ALL.items() if name != "peg 0"}
NOBODY = Memory()
KNOWN = Memory().with_recording(GONE, "consent", {"id": {"id3"}}, [])
OWN = Memory().with_recording("peg 0", "consent", {"id": {"id0"}}, [])
BOTH = OWN.with_recording(GONE, "consent", {"id": {"id3"}}, [])
NEWCOMER = Memory().with_recording("new", "consent", {"id": {"id9"}}, [])


@pytest.fixture(autouse=True)
def clone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def study(tmp_path):
    """The clone with the lists of its raw study."""
    listed_project.make(tmp_path, pegs=6)


def release(folder: Path = RELEASE, ids=THREE, *notes: dict, name: str = "a-study", version: str = "2.0.0") -> None:
    """Let a release lie there, as another clone has made it: as much of it as says who is in it and who withdrew."""
    for id_ in ids:
        write_text(folder / f"videos/PegTransfer/mono/{id_}.mkv", id_)
    (folder / "tables").mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"id": pa.array([*ids], pa.string())}), folder / "tables/videos.parquet")
    write_json(folder / "croissant.json", {"name": name, "version": version})
    write_json(folder / "metadata/withdrawn.json", {"withdrawn": list(notes)})
    version_pairs.seal(folder)


def last(recordings=None, **more) -> dict:
    """Return what this clone keeps of its own last release, of before the withdrawal."""
    return {"name": "a-study", "version": "1.0.0", "recordings": ALL if recordings is None else recordings} | more


def without(*names: str) -> dict:
    return {name: id_ for name, id_ in NEW.items() if name not in names}


def try_to_release(of: dict, now: dict, withdrawn: Memory = NOBODY, previous: str | None = None, name: str = "a-study"):
    write_json(gates.LAST_RELEASE_PATH, of)
    of = gates.last_release(name)
    earlier = other_clones.releases_here(None if previous is None else Previous(previous), withdrawn)
    other_clones.refuse_return(earlier, now, RAW, "2.1.0", withdrawn)
    return other_clones.carried(earlier, of, now, {name: "consent" for name in of["recordings"] if name in withdrawn})


def asks_for(*names: str, where: str = "data/release", version: str = "2.0.0") -> str:
    """Return what a refusal says of whom a release of another clone may mean."""
    listed = ", ".join(rf"'{name}' \({ {**NEW, 'new': 'id9'}[name] }\)" for name in names)
    return rf"{where}: version {version} was made by another clone and notes withdrawals .* does not hold: {listed}; bring"


def remember(of: dict) -> None:
    write_json(gates.LAST_RELEASE_PATH, of)


def remembered() -> dict:
    return json.loads(gates.LAST_RELEASE_PATH.read_text())


def keep_what_lies_there(known: Memory = NOBODY) -> list[other_clones.Earlier]:
    """Keep it as a run does that releases nothing yet, and return it."""
    earlier = other_clones.releases_here(None, known)
    other_clones.keep(earlier, known)
    return earlier


def refused(says: str, *arguments, **more) -> str:
    with pytest.raises(ReleaseError, match=says) as told:
        try_to_release(*arguments, **more)
    return str(told.value)


class Case(NamedTuple):
    """A release of another clone, in its place or where parameters name it, and what this clone has released and would release."""

    ids: tuple[str, ...] = THREE
    notes: tuple[dict, ...] = (NOTE,)
    called: str = "a-study"
    version: str = "2.0.0"
    is_before: bool = False
    of: dict = last()
    now: dict = ALL
    known: Memory = NOBODY
    name: str = "a-study"

    def try_to_release(self, tmp_path: Path):
        before = tmp_path / "before"
        release(before if self.is_before else RELEASE, self.ids, *self.notes, name=self.called, version=self.version)
        return try_to_release(self.of, self.now, self.known, str(before) if self.is_before else None, self.name)


RENAMED = {"called": "as it was called before", "is_before": True}
NOTED = {"version": "2.0.0", "withdrawn": [NOTE]}
THIS_EDITION = {"version": "2.1.0", "withdrawn": [NOTE], "made": [], "answered": []}
TWO_CLONES = {
    f"{what}, {edition}": Case(ids, of=last(OTHERS, **more), now=OTHERS, known=OWN)
    for what, ids in {"somebody of both": THREE, "an own newcomer": ("id1", "id2")}.items()
    for edition, more in {"an earlier edition": NOTED, "this edition": THIS_EDITION}.items()
}
"""Somebody withdrew in each of two; both notes say the same, and whether who withdrew here was ever in the other one nobody can tell."""
THIRD = Case(("id1", "id2", "id3"), of=last(without("peg 0"), version="2.1.0", withdrawn=[NOTE]), now=without("peg 0"), known=OWN)
REFUSED = {
    "who was released earlier": (Case(now={**ALL, "new": "id9"}), asks_for(GONE)),
    "nobody of the other release is left": (Case(("id0", "id1"), now={"peg 2": "id2", GONE: "id3"}), asks_for("peg 2", GONE)),
    "in the release that parameters name": (Case(**RENAMED), asks_for(GONE, where="before") + ".* or set 'release.previous' to null"),
    "it is called as elsewhere": (Case(called="as elsewhere"), asks_for(GONE)),
    "both are called as elsewhere": (Case(called="as elsewhere", name="as elsewhere"), asks_for(GONE)),
    "each has another name": (Case(called="as elsewhere", name="a third name"), asks_for(GONE)),
    "here withdrew nobody of a release": (Case(known=NEWCOMER), asks_for(GONE)),
    "here withdrew an own newcomer": (Case(of=last({**ALL, "new": "id9"}), known=NEWCOMER), asks_for(GONE)),
    "why is another": (Case(notes=({**NOTE, "reason": "quality"},), of=last({**ALL, "new": "id9"}), known=NEWCOMER), asks_for(GONE)),
    "a higher version was released here": (Case(of=last(version="2.1.0")), asks_for(GONE)),
    "a higher version was released here, and is renamed since": (Case(of=last(version="2.1.0"), name="as since"), asks_for(GONE)),
    "who withdrew here is still in it": (Case(now=OTHERS, known=OWN), asks_for(GONE)),
    **{what: (case, asks_for(GONE)) for what, case in TWO_CLONES.items()},
    "old notes of its own are no answer": (Case(of=last(OTHERS, version="2.1.0", withdrawn=[NOTE]), now=OTHERS, known=OWN), asks_for(GONE)),
    "it has those alone who withdrew here": (
        Case(("id3", "id4"), version="3.0.0", of=last(STAYING), now=STAYING, known=KNOWN),
        asks_for("peg 0", "peg 1", "peg 2", version="3.0.0"),
    ),
    **{
        f"a third clone that never had who withdrew has {version}": (THIRD._replace(version=version), asks_for("peg 4", version=version))
        for version in ("2.0.0", "2.0.1", "2.2.0")
    },
    "what parameters name has somebody who withdrew, so it is none of an edition before": (
        Case(is_before=True, of=last(OTHERS, version="2.1.0", withdrawn=[NOTE]), now=OTHERS, known=OWN),
        asks_for(GONE, where="before"),
    ),
    # Two withdrew here; a third clone has both, notes one as this one noted its first, and may mean somebody else.
    "what parameters name has more of them than were noted since": (
        Case(
            is_before=True,
            of=last({"peg 2": "id2", GONE: "id3"}, version="3.0.0", withdrawn=[NOTE, LATER]),
            now={"peg 2": "id2", GONE: "id3"},
            known=OWN.with_recording("peg 1", "consent", {"id": {"id1"}}, []),
        ),
        asks_for(GONE, where="before"),
    ),
}
FOURTH = {**NOTE, "version": "4.0.0"}
LOST = {**NOTE, "version": "0.9.0"}
EARLIER = {**NOTE, "version": "1.5.0"}
RELEASED = {
    "who was in no release of this clone is nobody who comes back": (Case(of=last({})), ([NOTE], {})),
    "others, or all under new ids": (Case(("x0", "x1"), now={**ALL, "new": "id9"}), ([], {})),
    "an edition that noted nothing": (Case(notes=(), now={**ALL, "new": "id9"}), ([], {})),
    "with the memory of that clone": (Case(now={**STAYING, "new": "id9"}, known=KNOWN), ([NOTE], {})),
    "with its memory and its record": (Case(of=last(STAYING, **NOTED), now={**STAYING, "new": "id9"}, known=KNOWN), ([NOTE], {})),
    # With the other clone's row both are counted.
    **{
        what: (case._replace(now=without("peg 0", GONE, "peg 4"), known=BOTH), ([NOTE], {GONE: "consent"}))
        for what, case in TWO_CLONES.items()
    },
    "notes were lost, and somebody withdraws since": (
        Case(tuple(ALL.values()), (LOST,), version="1.0.0", now=STAYING, known=KNOWN.with_recording("earlier", "consent", {}, [])),
        ([LOST], {GONE: "consent"}),
    ),
    # Withdrawn, released, taken back by ``--undo``, released by the only curator: both releases may be the one before.
    **{
        f"taken back: {what}, {held}": (Case(ids, version=version, of=last(**own), now={**ALL, "new": "id9"}, **RENAMED), ([NOTE], {}))
        for held, (ids, version) in {"all": (tuple(ALL.values()), "3.0.0"), "without who came back": (THREE, "2.0.0")}.items()
        for what, own in {
            "renamed": {"name": "as it was called before", "version": "3.0.0", "withdrawn": [NOTE]},
            "the same name": {"version": "3.0.0", "withdrawn": [NOTE]},
            "lost": {"recordings": {}},
        }.items()
    },
    "taken back, and withdrawn again": (
        Case(
            THREE,
            (NOTE, FOURTH),
            version="4.0.0",
            of=last(STAYING, name="as it was called before", version="4.0.0", withdrawn=[NOTE, FOURTH]),
            now={**STAYING, "new": "id9"},
            known=KNOWN,
            **RENAMED,
        ),
        ([NOTE, FOURTH], {}),
    ),
    "an own release of the same number under another name, of an edition before": (
        Case(
            ("id1", "id2", "id3", "id4"),
            (EARLIER,),
            of=last({**without("peg 0"), "new": "id9"}, version="2.0.0", withdrawn=[EARLIER]),
            now={**without("peg 0"), "new": "id9"},
            known=OWN,
            **RENAMED,
        ),
        ([EARLIER], {}),
    ),
}


@pytest.mark.parametrize(("case", "says"), REFUSED.values(), ids=REFUSED)
def test_whom_a_note_of_another_clone_may_mean_is_not_released_again(case, says, tmp_path):
    with pytest.raises(ReleaseError, match=says):
        case.try_to_release(tmp_path)


@pytest.mark.parametrize(("case", "carried"), RELEASED.values(), ids=RELEASED)
def test_a_curator_who_works_alone_or_brings_what_the_other_clone_knows_is_not_refused(case, carried, tmp_path):
    assert case.try_to_release(tmp_path) == carried


def test_a_refusal_says_what_to_bring_and_what_else_it_may_be():
    release(RELEASE, THREE, NOTE)
    said = refused(asks_for(GONE), last(), ALL)
    for file in ("data/raw/withdrawn.csv", "data/private/withdrawn.json", "data/private/released.json"):
        assert file in said
    assert "if this clone made 2.0.0, data/private/this_clone.json is of an older backup, or an edition before" in said


@pytest.mark.parametrize(
    ("reasons", "left"),
    [
        ({GONE: "consent", "peg 2": "request"}, ["peg 2"]),
        ({GONE: "consent", "peg 1": "request", "peg 2": "request"}, ["peg 1", "peg 2"]),
        ({GONE: "consent", "peg 2": "consent"}, [GONE]),
        ({GONE: "consent", "peg 0": "consent"}, ["peg 0"]),
    ],
)
def test_whom_only_this_clone_released_and_withdrew_is_counted_beside_whom_the_other_one_notes(reasons, left):
    """Notes tell numbers and reasons alone: of two who withdrew for the same reason either may be the one who is counted already."""
    release(RELEASE, ("id0",), NOTE)
    write_json(gates.LAST_RELEASE_PATH, last())
    earlier = other_clones.releases_here(None, NOBODY)
    staying = {name: id_ for name, id_ in {**ALL, "new": "id0"}.items() if name not in reasons}
    notes, uncounted = other_clones.carried(earlier, gates.last_release("a-study"), staying, reasons)
    assert (notes, sorted(uncounted)) == ([NOTE], left)


def test_whom_the_other_clone_only_excluded_is_released_again_with_its_record_and_not_with_its_rows_alone():
    """Whom its note means the rows do not tell: they may be of somebody whom it never had. Who withdrew here is then noted anew."""
    release(RELEASE, ("id0", "id1"), NOTE)
    now = {"peg 1": "id1", "peg 2": "id2"}
    refused(asks_for("peg 2"), last(), now, BOTH)
    assert try_to_release(last({"peg 0": "id0", "peg 1": "id1"}, **NOTED), now, BOTH) == ([NOTE], {"peg 0": "consent"})


def made(now: dict, withdrawn=KNOWN) -> None:
    """Let the stage make a release, as far as it is remembered."""
    earlier = keep_what_lies_there(withdrawn)
    other_clones.refuse_return(earlier, now["recordings"], RAW, now["version"], withdrawn)
    other_clones.note_made(earlier, now, withdrawn)
    remember(now)
    other_clones.note_released()


def seen(ids, *notes: dict, version: str = "2.0.0") -> None:
    """Let a release be pulled, be looked at by a run, and go from its place."""
    release(RELEASE, ids, *notes, version=version)
    keep_what_lies_there()
    shutil.rmtree(RELEASE)


def seen_a_note() -> None:
    """Let this clone, which has released all, pull the release of one in which GONE withdrew."""
    remember(last(NEW))
    seen(without(GONE).values(), NOTE)


def brought(of: dict) -> dict:
    """Let this clone, which has run since its own last release, go on from the record of another one."""
    remember(last(NEW))
    other_clones.keep([], NOBODY)
    remember(of)
    return of


def test_what_was_answered_once_is_not_asked_again_and_who_withdrew_is_missing_no_more():
    """The other clone goes on from the same notes; this one has somebody new since."""
    remember(last(version="1.1.0"))
    release(RELEASE, THREE, NOTE)
    now = last({**STAYING, "new": "id9"}, version="2.1.0", withdrawn=[NOTE])
    made(now)
    assert clone_record.load().others == ()
    release(RELEASE, (*THREE, "id8"), NOTE, version="2.2.0")
    assert try_to_release(now, now["recordings"], KNOWN) == ([NOTE], {})


def test_who_was_only_missing_when_a_note_was_answered_may_still_be_whom_it_means():
    """Set aside for one release, and mended for the next: with the other clone's record, or its next release, it is known who is meant."""
    remember(last())
    release(RELEASE, THREE, NOTE)
    of = last({**STAYING, "new": "id9"}, version="2.1.0", withdrawn=[NOTE])
    made(of, NOBODY)
    shutil.rmtree(RELEASE)
    for version in ("2.2.0", "2.3.0"):
        refused(asks_for(GONE, where=KEPT), of, {**ALL, "new": "id9"})
        of = last({**STAYING, "new": "id9", version: "id8"}, version=version, withdrawn=[NOTE])
        made(of, NOBODY)
    release(RELEASE, THREE, NOTE, version="2.1.0")
    refused(asks_for(GONE, version="2.1.0"), of, {**ALL, "new": "id9"})
    shutil.rmtree(RELEASE)
    try_to_release(last(STAYING, **NOTED), ALL)
    release(RELEASE, THREE, NOTE)
    try_to_release(of, {**STAYING, "new": "id9"})


def test_the_record_of_one_other_clone_does_not_take_away_what_a_third_one_said():
    """It is followed as the message says: rows and record of the one; of the other one nobody has brought anything yet."""
    remember(last())
    seen(("id0", "id1", "id3"), {**NOTE, "reason": "request"})
    seen(THREE, NOTE)
    of_theirs = last(STAYING, **NOTED, made=[], answered=[])
    refused(asks_for("peg 2", where=KEPT), of_theirs, STAYING)
    try_to_release(of_theirs, without("peg 2", GONE, "peg 4"))


@pytest.mark.parametrize("place", ["before", "its place"])
def test_an_own_release_is_known_again_when_this_clone_goes_on_from_the_record_of_another(place, tmp_path):
    remember(last())
    made(last(OTHERS, **NOTED), OWN)
    release(RELEASE, (*THREE, "id9"), NOTE)
    with pytest.raises(ReleaseError, match=asks_for(GONE)):
        made(last(OTHERS, version="3.0.0"), OWN)
    theirs = last({**STAYING, "new": "id9"}, **NOTED, made=[], answered=[])
    both, before = {"peg 1": "id1", "peg 2": "id2", "new": "id9"}, tmp_path / "before" if place == "before" else RELEASE
    release(before, OTHERS.values(), NOTE)
    try_to_release(theirs, both, previous=str(before) if place == "before" else None)
    made(last({**both, "newer": "id8"}, version="3.0.0", withdrawn=[NOTE]))
    release(RELEASE, (*THREE, "id9"), NOTE, version="2.1.0")
    made(last({**both, "newer": "id8"}, version="3.1.0", withdrawn=[NOTE]))


@pytest.mark.parametrize("lies_there", [False, True])
@pytest.mark.parametrize("more", [[], [LATER]], ids=["as many notes", "a note more"])
def test_a_later_version_of_another_clone_whose_record_is_brought_is_no_question(more, lies_there):
    """It has somebody new whom this clone has, too."""
    remember(last())
    release(RELEASE, THREE, NOTE)
    keep_what_lies_there()
    if not lies_there:
        shutil.rmtree(RELEASE)
    later = {**STAYING, "new": "id9"}
    assert try_to_release(last(later, version="3.0.0", withdrawn=[NOTE, *more]), later) == ([NOTE, *more], {})


def test_old_notes_of_its_own_are_no_answer_after_a_release_of_this_edition_either():
    """It withdrew somebody itself in a version of the same number, and for the same reason."""
    remember(last(OTHERS, version="2.1.0", withdrawn=[NOTE]))
    of = last(OTHERS, version="2.2.0", withdrawn=[NOTE])
    made(of, OWN)
    release(RELEASE, THREE, NOTE)
    refused(asks_for(GONE), of, OTHERS, OWN)


def test_a_release_that_was_killed_has_answered_nothing_before_its_record_is_written():
    remember(last())
    release(RELEASE, THREE, NOTE)
    earlier = keep_what_lies_there()
    shutil.rmtree(RELEASE)
    now = last(STAYING, version="2.1.0", withdrawn=[NOTE])
    other_clones.note_made(earlier, now, KNOWN)
    assert (clone_record.load().others[0].version, clone_record.load().answered) == ("2.0.0", ())
    remember(now)
    (answered,) = clone_record.load().answered
    assert (clone_record.load().others, answered.version, answered.ids) == ((), "2.0.0", {*THREE})
    assert clone_record.PATH.stat().st_mode & 0o777 == 0o600


DAMAGED = {
    "made": (None, 5, [[1]], "x"),
    "answered": (None, 5, ["x"], [{"version": "2.0.0"}]),
    "other_clones": (None, "x", [5], [{"version": "1.0.0"}], [{"version": 1, "ids": [], "withdrawn": []}]),
    "unread": (None, "yes"),
    "next": (None, []),
}
DAMAGED_LAST = {
    "made": (None, [[1]]),
    "other_clone": ("x",),
    "withdrawn": (None, ["x"]),
    "version": (None,),
    "recordings": ([["peg 0", "id0"]], {"peg 0": ["id0"]}, {"peg 0": 5}),
}


def places(damaged: dict[str, tuple]) -> list[tuple[str, object]]:
    return [(place, value) for place, values in damaged.items() for value in values]


@pytest.mark.parametrize(("place", "value"), places(DAMAGED))
def test_what_cannot_be_read_of_it_is_told_with_file_place_and_mend(place, value):
    remember(last())
    write_json(clone_record.PATH, {"made": [], place: value})
    with pytest.raises(ReleaseError, match=r"private/this_clone\.json: .*'.*expected .*, found .*; restore it from a backup, or remove"):
        other_clones.releases_here(None, NOBODY)


@pytest.mark.parametrize(
    ("text", "why"), [("{", "JSONDecodeError"), ("[]", "list"), ("{}", "it has no 'made'"), (None, "IsADirectoryError")]
)
def test_a_file_that_is_no_such_record_is_told(text, why):
    clone_record.PATH.mkdir(parents=True) if text is None else write_text(clone_record.PATH, text)
    with pytest.raises(ReleaseError, match=rf"private/this_clone\.json: .*{why}.*restore it from a backup, or remove it"):
        other_clones.releases_here(None, NOBODY)


def test_so_is_a_record_of_the_last_release_without_its_number():
    remember({"name": "a-study", "recordings": {}})
    with pytest.raises(ReleaseError, match=r"released\.json: .*it has no 'version'"):
        other_clones.releases_here(None, NOBODY)


@pytest.mark.parametrize(("place", "value"), places(DAMAGED_LAST))
def test_so_is_what_stands_in_the_record_of_the_last_release_but_no_place_of_it_is_to_be_removed(place, value):
    """Without it an own release would be taken for that of another clone, or the other way round."""
    remember(last() | {place: value})
    with pytest.raises(ReleaseError, match=rf"private/released\.json: .*'{place}': expected .*, found .*; restore it from a backup$"):
        other_clones.releases_here(None, NOBODY)
    other_clones.keep_pulled()
    assert not clone_record.PATH.exists()
    assert other_clones.keep_unread().startswith("data/private/released.json: "), "it names the file that cannot be read"


def test_what_an_edition_before_kept_of_another_clone_is_still_known():
    one = {"name": "a-study", "version": "2.0.0", "ids": ["id0", "id1", "id2"], "withdrawn": [NOTE]}
    refused(asks_for(GONE, where=r"released\.json"), last(other_clone=one, made=[], answered=[]), ALL)
    keep_what_lies_there()
    refused(asks_for(GONE, where=KEPT), last(), ALL)
    clone_record.PATH.unlink()
    refused("a release that nobody could read", last(other_clone={"name": "a-study", "unread": True}), ALL)


@pytest.mark.parametrize("is_named", [True, False], ids=["named", "only remembered"])
def test_a_data_set_that_is_renamed_carries_on_the_notes_of_its_own_release_before(is_named, tmp_path):
    release(tmp_path / "before", STAYING.values(), NOTE, name="as it was called before")
    of = last(STAYING, name="as it was called before", **NOTED)
    before = str(tmp_path / "before") if is_named else None
    assert try_to_release(of, {**STAYING, "new": "id9"}, KNOWN, previous=before) == ([NOTE], {})
    assert try_to_release(of, {"other": "id8"}, previous=before) == ([], {}), "of other people it is another data set"


@pytest.mark.usefixtures("study")
def test_the_stage_keeps_that_it_makes_a_release_and_what_that_answers_not_before_it_is_there(monkeypatch):
    monkeypatch.setattr(stage.io, "read", lambda *_: pd.DataFrame({"recording": [], "status": [], "reason": []}))
    monkeypatch.setattr(stage.seals, "read_rows", lambda _: [])
    remember(last())
    release(RELEASE, THREE, NOTE, version="1.1.0")
    now = last(STAYING, version="2.1.0")
    params = SimpleNamespace(name="a-study", version="2.1.0", may_shrink=False)
    quarantine = pd.DataFrame({"recording": [], "path": [], "reason": [], "mend": []})
    study = SimpleNamespace(params=params, private=SimpleNamespace(withdrawn=KNOWN), quarantine=quarantine)
    earlier = stage.releases_of_others()
    assert stage.refuse_shrinking(study, now, earlier) == {}
    assert now.keys() == {"name", "version", "recordings", "withdrawn"}
    other_clones.note_made(earlier, now, KNOWN)
    kept = clone_record.load()
    assert clone_record.of_last(now).mark in kept.made
    assert (kept.last.version, kept.answered, kept.others[0].version) == ("1.0.0", (), "1.1.0")


@pytest.mark.parametrize("edition", ["this", "an earlier"])
def test_the_only_curator_may_take_somebody_back_withdraw_another_and_add_somebody(edition, tmp_path):
    """What is released then may be compared with the version in between, which holds who withdrew since."""
    notes, between = [NOTE, LATER], last(version="2.1.0", withdrawn=[NOTE])
    release(tmp_path / "before", ALL.values(), NOTE, version="2.1.0")
    of = last({**OTHERS, "new": "id9"}, version="3.0.0", withdrawn=notes)
    release(RELEASE, of["recordings"].values(), *notes, version="3.0.0")
    if edition == "this":
        of |= {"made": [clone_record.of_last(between).mark], "answered": []}
    assert try_to_release(of, of["recordings"], OWN, previous=str(tmp_path / "before")) == (notes, {})


@pytest.mark.parametrize("version", ["2.0.0", "2.1.0"])
@pytest.mark.parametrize("brings", ["rows", "rows and record"])
def test_a_release_of_a_third_clone_with_as_many_notes_is_no_later_version_of_the_other_one(version, brings):
    """Both withdrew one person with version 2.0.0, for the same reason; only what the third one noted is brought."""
    seen_a_note()
    seen(without("peg 4").values(), NOTE, version=version)
    of = last(without("peg 4"), version=version, withdrawn=[NOTE]) if brings == "rows and record" else last(NEW)
    known = Memory().with_recording("peg 4", "consent", {"id": {"id4"}}, [])
    refused(asks_for(GONE, where=KEPT), of, without("peg 4"), known)


@pytest.mark.parametrize("version", ["2.0.0", "2.2.0"])
def test_with_what_one_clone_noted_nothing_is_answered_that_a_third_one_notes_alike(version):
    seen_a_note()
    made(now := last(without(GONE), version="2.1.0", withdrawn=[NOTE]))
    release(RELEASE, without("peg 4").values(), NOTE, version=version)
    refused(asks_for("peg 4", version=version), now, without(GONE), KNOWN)


@pytest.mark.parametrize("version", ["2.0.0", "2.1.0", "2.3.0"])
@pytest.mark.parametrize("when", ["only brought", "released with"])
def test_the_record_that_one_clone_brought_answers_no_third_clone_of_which_nothing_was_pulled(version, when):
    """The third one still has whom the record notes, and may have any other one withdrawn."""
    of = brought(last(without(GONE), version="2.2.0", withdrawn=[NOTE]))
    if when == "released with":
        made(of := {**of, "version": "2.2.1"})
    release(RELEASE, without("peg 4").values(), NOTE, version=version)
    refused(asks_for("peg 4", version=version), of, without(GONE), KNOWN)


def test_nor_does_it_where_the_third_clone_never_had_whom_it_notes():
    """A later version of the clone that brought it looks alike where that left somebody out: nobody can tell them apart."""
    made(now := {**brought(last(without(GONE), **NOTED)), "version": "2.1.0"})
    release(RELEASE, without(GONE, "peg 4").values(), NOTE, version="2.2.0")
    refused(asks_for("peg 4", version="2.2.0"), now, without(GONE), KNOWN)


@pytest.mark.parametrize(("version", "is_released"), [("2.1.0", True), ("4.0.0", True), ("2.1.0", False)])
def test_a_note_of_a_newcomer_does_not_answer_for_who_withdrew_and_is_left_in_a_third_clone(version, is_released):
    """The clone that brought its record noted a newcomer as well: the third one, which has whom the first note means, does not."""
    brought(last(without(GONE), version="3.0.0", withdrawn=[NOTE, LATER]))
    now = last({**without(GONE), "new": "id9"}, version="3.1.0", withdrawn=[NOTE, LATER])
    if is_released:
        made(now)
    release(RELEASE, without("peg 4").values(), NOTE, version=version)
    for _ in range(2):
        refused(r"data/release: .* does not hold: .*'peg 4' \(id4\)", now, now["recordings"], KNOWN)
        keep_what_lies_there(KNOWN)
    shutil.rmtree(RELEASE)
    refused(rf"{KEPT}: .* does not hold: .*'peg 4' \(id4\)", now, now["recordings"], KNOWN)


def test_nor_does_a_later_record_answer_a_third_clone_whose_release_was_no_question_by_an_earlier_one():
    """The clone that brought both has somebody whom the third one notes again, or anew."""
    brought(last(without(GONE, "peg 4"), version="3.0.0", withdrawn=[NOTE, LATER]))
    release(RELEASE, without("peg 4").values(), NOTE, version="2.1.0")
    keep_what_lies_there(KNOWN)
    refused(asks_for("peg 4", version="2.1.0"), last(without(GONE), version="3.1.0", withdrawn=[NOTE, LATER]), without(GONE), KNOWN)


def test_what_a_pulled_release_notes_is_kept_although_nobody_can_read_who_withdrew_here():
    """The run is refused, and the next pull replaces what lies there."""
    remember(last())
    release(RELEASE, THREE, NOTE)
    write_text(withdrawal_memory.PATH, "{")
    other_clones.keep_pulled()
    (kept,) = clone_record.load().others
    assert kept.missing == {"id3"}


def test_an_older_release_of_the_clone_whose_notes_are_answered_may_be_compared_with_after_newcomers(tmp_path):
    """Parameters name its first release with the note; in its next one it has somebody new whom this clone has, too."""
    remember(last())
    other_clones.keep([], NOBODY)
    remember(last(without(GONE), version="2.1.0", withdrawn=[NOTE]))
    made(now := last({**without(GONE), "new": "id9"}, version="2.2.0", withdrawn=[NOTE]))
    release(tmp_path / "before", THREE, NOTE)
    try_to_release(now, now["recordings"], KNOWN, previous=str(tmp_path / "before"))


def test_a_record_that_may_be_own_or_was_brought_before_anything_was_run_here_answers_nothing():
    """Who is new here since may be whom a third clone notes."""
    remember(last(STAYING, **NOTED))
    made(now := last({**STAYING, "new": "id9"}, version="2.1.0", withdrawn=[NOTE]))
    release(RELEASE, (*THREE, "id8"), NOTE, version="2.2.0")
    unless = ".*, or all of this is brought and none of them withdrew there"
    refused(asks_for("new", version="2.2.0") + unless, now, now["recordings"], KNOWN)


THEIRS = {"version": "2.2.0", "withdrawn": [{**NOTE, "version": "2.2.0", "reason": "request"}]}


@pytest.mark.parametrize("of", [last(without(GONE, "peg 4"), **THEIRS), last({}, version="")], ids=["of a third clone", "none"])
def test_whom_a_note_may_mean_is_kept_whatever_record_this_clone_goes_on_from(of):
    """The third clone has only excluded them, and has never seen the note."""
    seen_a_note()
    refused(asks_for(GONE, where=KEPT), of, without("peg 4"), OWN)


def test_a_clone_that_has_brought_a_record_and_goes_back_to_its_own_still_knows_the_note():
    seen_a_note()
    remember(last(without(GONE), **NOTED))
    keep_what_lies_there()
    refused(asks_for(GONE, where=KEPT), last(NEW), NEW)


def test_what_was_pulled_is_kept_by_a_run_that_preflight_refuses_and_nothing_is_written_where_nothing_was():
    other_clones.keep_pulled()
    assert not clone_record.PATH.exists()
    remember(last(NEW))
    release(RELEASE, without("peg 4").values(), {**NOTE, "reason": "request"})
    other_clones.keep_pulled()
    release(RELEASE, without(GONE).values(), LATER, version="3.0.0")
    refused(asks_for("peg 4", where=KEPT), last(without(GONE), version="3.0.0", withdrawn=[LATER]), without(GONE), KNOWN)


def test_what_an_edition_before_may_have_made_is_known_as_long_as_the_record_has_its_notes(tmp_path):
    """The only curator has somebody new since, and names an own release of before not at once."""
    remember(last({**OTHERS, "new": "id9"}, version="2.1.0", withdrawn=[NOTE]))
    release(tmp_path / "own", OTHERS.values(), NOTE)
    for version in ("2.2.0", "2.3.0", "2.4.0"):
        made(of := last({**OTHERS, "new": "id9"}, version=version, withdrawn=[NOTE]), OWN)
        try_to_release(of, of["recordings"], OWN, previous=str(tmp_path / "own"))


def test_what_parameters_name_is_not_taken_for_an_own_one_for_good(tmp_path):
    """That it may be an own one holds only where they name it: what lies in its place may be pulled."""
    remember(last(OTHERS, version="2.1.0", withdrawn=[NOTE]))
    release(tmp_path / "before", ("id1", "id2"), NOTE)
    earlier = other_clones.releases_here(Previous(str(tmp_path / "before")), OWN)
    other_clones.refuse_return(earlier, OTHERS, RAW, "2.2.0", OWN)
    of = last(OTHERS, version="2.2.0", withdrawn=[NOTE])
    other_clones.note_made(earlier, of, OWN)
    remember(of)
    release(RELEASE, ("id1", "id2"), NOTE)
    refused(asks_for(GONE), of, OTHERS, OWN)


DAMAGE = {
    "notes missing": (RELEASE / "metadata/withdrawn.json").unlink,
    "notes damaged": lambda: (RELEASE / "metadata/withdrawn.json").write_text("{"),
    "list missing": (RELEASE / "SHA256SUMS").unlink,
    "list damaged": lambda: (RELEASE / "SHA256SUMS").write_text("x"),
    "description damaged": lambda: (RELEASE / "croissant.json").write_text("{"),
    "notes of the version before": lambda: write_json(RELEASE / "metadata/withdrawn.json", {"withdrawn": []}),
    "a table of something else": lambda: pq.write_table(pa.table({"id": [["id0"]]}), RELEASE / "tables/videos.parquet"),
}


@pytest.mark.cases(3)
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_release_of_another_clone_is_refused_and_the_last_own_one_is_made_anew(damage):
    release(RELEASE, THREE, NOTE)
    DAMAGE[damage]()
    says = r"data/release: it is not known to be the last .* pull it again: remove data/release, then dvc get .*--fix.* or remove"
    refused(says, last(), ALL)
    assert try_to_release(last(STAYING, **NOTED), STAYING, KNOWN) == ([NOTE], {})


def test_a_release_of_which_nothing_can_be_read_is_not_that_of_a_clone_without_any():
    release(RELEASE, (), NOTE)
    for name in ("croissant.json", "tables/videos.parquet"):
        (RELEASE / name).unlink()
    refused("it is not known to be the last", last({}), ALL)


@pytest.mark.parametrize("table", ["sound", "damaged"])
def test_the_last_own_release_is_known_by_its_videos_where_its_table_is_damaged(table):
    release(RELEASE, THREE, NOTE)
    (RELEASE / "metadata/withdrawn.json").unlink()
    if table == "damaged":
        (RELEASE / "tables/videos.parquet").write_bytes(b"x")
    try_to_release(last(STAYING, **NOTED), STAYING, KNOWN)


@pytest.mark.parametrize("lies_there", ["nothing", ".gitignore", ".DS_Store", "videos/", "a folder without notes", "an earlier edition"])
@pytest.mark.parametrize("recordings", [ALL, {}], ids=["released before", "never released"])
def test_a_folder_that_notes_nobody_is_no_damaged_release(lies_there, recordings):
    if lies_there.startswith("a"):
        release()
        if lies_there == "an earlier edition":
            (RELEASE / "metadata/withdrawn.json").unlink()
            version_pairs.seal(RELEASE)
    elif lies_there == "videos/":
        (RELEASE / lies_there).mkdir(parents=True)
    elif lies_there != "nothing":
        write_text(RELEASE / lies_there, "*\n")
    assert try_to_release(last(recordings), ALL) == ([], {})


def test_the_list_of_all_files_is_not_read_line_by_line(monkeypatch):
    """It may have millions of lines."""
    release(RELEASE, THREE, NOTE)
    monkeypatch.setattr(file_lists, "read_checksums", None)
    refused(asks_for(GONE), last(), ALL)


@pytest.mark.parametrize("lacks", ["metadata/withdrawn.json", "tables/videos.parquet"])
def test_the_release_before_must_say_who_withdrew_when_another_clone_made_it(tmp_path, lacks):
    release(tmp_path / "before", THREE, NOTE)
    (tmp_path / "before" / lacks).unlink()
    refused(rf"params\.yaml: 'release\.previous': .*{lacks}: it is missing", last(), ALL, previous=str(tmp_path / "before"))


@pytest.mark.parametrize("order", [("2.0.0", "3.0.0"), ("3.0.0", "2.0.0")])
def test_what_is_kept_of_a_higher_version_stays_when_a_lower_one_goes_from_its_place(order):
    """The lower one still holds who withdrew last, and notes nothing that the higher one does not note."""
    of = {"2.0.0": (THREE, (NOTE,)), "3.0.0": (("id0", "id1"), (NOTE, LATER))}
    for version in order:
        ids, notes = of[version]
        release(RELEASE, ids, *notes, version=version)
        keep_what_lies_there()
        for path in sorted(RELEASE.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
    (kept,) = clone_record.load().others
    assert (kept.version, kept.ids, len(kept.notes)) == ("3.0.0", {"id0", "id1"}, 2)


@pytest.mark.usefixtures("study")
def test_whom_the_other_clone_took_back_may_be_released_once_what_is_kept_of_before_is_taken_out():
    """By numbers its release is not to be told from that of a third clone, which never knew of the withdrawal."""
    listed_project.remember_release(Path(), *ALL)
    release(RELEASE, THREE, NOTE)
    withdrawal.withdraw(RAW, withdrawal.row_of("", "peg 0", "request", None))
    release(RELEASE, ALL.values(), NOTE, version="2.1.0")
    refused(r"take 'other_clones' out of data/private/this_clone.* has released all of them again since", remembered(), OTHERS)
    said = json.loads(clone_record.PATH.read_text())
    write_json(clone_record.PATH, {place: value for place, value in said.items() if place != "other_clones"})
    assert try_to_release(remembered(), OTHERS)[0] == [NOTE]


@pytest.mark.usefixtures("study")
def test_a_withdrawal_takes_a_release_that_cannot_be_read_from_its_place_and_the_next_run_asks_for_it():
    """Until it is pulled again, or the curator says by hand that it was their own; an own one in its place is no answer."""
    listed_project.remember_release(Path(), *ALL)
    release(RELEASE, THREE, NOTE)
    (RELEASE / "metadata/withdrawn.json").write_text("{")
    for peg in ("peg 0", "peg 1"):
        said = withdrawal.withdraw(RAW, withdrawal.row_of("", peg, "request", None))
        assert "data/release: what it noted of who withdrew could not be read; the next run says how to bring it again" in said
    assert not RELEASE.exists()
    of = remembered()
    now = {name: id_ for name, id_ in ALL.items() if name not in ("peg 0", "peg 1")}
    unread = r"this_clone\.json: a release that nobody .* made it, pull it again: .*; if this one did, .* take 'unread' out of"
    refused(unread, of, now)
    for version in ("1.0.0", "0.9.0"):
        release(RELEASE, ALL.values(), version=version)
        refused(unread, of, now)
    said = json.loads(clone_record.PATH.read_text())
    write_json(clone_record.PATH, {key: value for key, value in said.items() if key != "unread"})
    try_to_release(of, now)
    write_json(clone_record.PATH, said)
    release(RELEASE, THREE, NOTE)
    refused(asks_for(GONE), of, now)


@pytest.mark.usefixtures("study")
def test_what_it_says_is_kept_when_it_goes_from_its_place_until_this_clone_has_released():
    listed_project.remember_release(Path(), *ALL)
    release(RELEASE, THREE, NOTE)
    withdrawal.withdraw(RAW, withdrawal.row_of("", "peg 0", "request", None))
    assert not RELEASE.exists()
    assert clone_record.PATH.stat().st_mode & 0o777 == 0o600
    of = gates.last_release("a-study")
    assert of["recordings"] == ALL
    refused(asks_for(GONE, where=KEPT), remembered(), OTHERS, withdrawal_memory.load())


def test_a_clone_without_a_release_of_its_own_keeps_it_as_well():
    release(RELEASE, THREE, NOTE)
    keep_what_lies_there()
    assert gates.last_release("a-study")["recordings"] == {}
    assert json.loads(clone_record.PATH.read_text())["other_clones"][0]["ids"] == ["id0", "id1", "id2"]
    gates.LAST_RELEASE_PATH.write_text('{"other_clone": {"name": "a-study"}}')
    with pytest.raises(ReleaseError, match=r"released\.json: it does not say what the last release held"):
        other_clones.releases_here(None, NOBODY)


@pytest.mark.usefixtures("study")
@pytest.mark.slow
def test_preflight_refuses_before_anything_runs(monkeypatch):
    listed_project.remember_release(Path(), *ALL)
    key, book = Path("data/private/pseudonym.key"), Path("data/private/ids.csv")
    key.write_text("ab" * 32)
    key.chmod(0o600)
    pseudonymize.write_ledger(book, pseudonymize.fingerprint(pseudonymize.read_key(key)), ALL)
    release(RELEASE, THREE, NOTE)
    assert [fault.sentence for fault in preflight.look().errors if "was made by another" in fault.sentence]
    withdrawal_memory.write(KNOWN)
    assert not [fault.sentence for fault in preflight.look().errors if "was made by another" in fault.sentence]


class Clone:
    """A plain model of a clone: it knows who withdrew where, which no release says.

    Parameters
    ----------
    kept
        Text of its record of the last release.
    place
        What lies in the place of the release, and whom its notes mean.
    seen
        Whom the releases mean that it has pulled since its last one.
    own
        Text of what it alone remembers.
    missing
        Of those whom the releases meant, who were missing here when it released, and had not withdrawn as far as it knew.
    """

    def __init__(self) -> None:
        self.people, self.withdrawn, self.excluded = list("pqrs"), set(), set()
        self.kept, self.place, self.made, self.noted, self.seen, self.name = "", None, [], set(), set(), "a-study"
        self.own, self.missing = "", set()

    def release(self, patch: pytest.MonkeyPatch, previous: other_clones.Earlier | None = None, *, is_killed: bool = False) -> bool:
        """Do what the stage does with its record, or all but the last of it; return whether it was refused."""
        patch.setattr(os, "fsync", lambda _: None)
        write_text(gates.LAST_RELEASE_PATH, self.kept or json.dumps(last({}, version="")))
        write_text(clone_record.PATH, self.own) if self.own else clone_record.PATH.unlink(missing_ok=True)
        before, now = gates.last_release(self.name), {one: f"id{one}" for one in self.people if one not in self.withdrawn | self.excluded}
        patch.setattr(other_clones, "_in_place", lambda *_: [self.place[0]] if self.place else [])
        patch.setattr(other_clones, "_before", lambda _: [previous] if previous else [])
        earlier = other_clones.releases_here(previous and Previous("before"), self.known)
        other_clones.keep(earlier, self.known)
        self.own, self.seen, self.place = clone_record.PATH.read_text(), self.seen | (self.place[1] if self.place else set()), None
        try:
            other_clones.refuse_return(earlier, now, RAW, "9.0.0", self.known)
        except ReleaseError:
            return True
        assert self.seen.isdisjoint(now.keys() & before["recordings"].keys()), "who withdrew elsewhere is released again"
        assert self.missing.isdisjoint(now), "who withdrew elsewhere is released again after a release in which they were missing"
        gone = {one: "consent" for one in before["recordings"].keys() - now.keys() if one in self.withdrawn}
        version = next_version(before["version"] or "0.0.0", Step.MAJOR if gone or not before["version"] else Step.MINOR)
        of = last(now, version=version, name=self.name)
        of["withdrawn"] = releases.tombstones(*other_clones.carried(earlier, before, now, gone), version)
        other_clones.note_made(earlier, of, self.known)
        if not is_killed:
            self.kept = json.dumps(of)
            write_text(gates.LAST_RELEASE_PATH, self.kept)
            other_clones.note_released()
        self.own = clone_record.PATH.read_text()
        self.missing = (self.missing | self.seen & before["recordings"].keys()) - self.withdrawn
        self.noted, self.seen = self.noted | self.seen | set(gone), set()
        self.place = (replace(clone_record.of_last(of), where=str(RELEASE)), set(self.noted))
        self.made.append(self.place)
        return False

    @property
    def known(self) -> set[str]:
        return self.withdrawn | {f"id{one}" for one in self.withdrawn}

    def change(self, what: str, number: int) -> None:
        one = self.people[number % len(self.people)]
        if what == "withdraw":
            self.withdrawn.add(one)
        elif what == "exclude or include":
            self.excluded ^= {one}
        elif what == "newcomer":
            self.people.append(f"{id(self)} {len(self.people)}")
        elif what == "take back" and one in self.withdrawn:
            self.withdrawn.remove(one)
            self.noted.discard(one)

    def forget(self, back: set[str]) -> None:
        """Let nobody's note mean who was taken back."""
        for _, meant in [*self.made, *([self.place] if self.place else [])]:
            meant.difference_update(back)
        self.seen -= back
        self.missing -= back
        self.noted -= back


STEPS = ("withdraw", "take back", "newcomer", "exclude or include", "release", "release", "other", "other")


def steps_of(*more: str) -> st.SearchStrategy[list[tuple[str, int, bool]]]:
    return st.lists(st.tuples(st.sampled_from([*STEPS, *more]), st.integers(0, 9), st.booleans()), max_size=25)


@pytest.mark.slow
@settings(max_examples=200, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps_of("bring"))
def test_whatever_two_clones_do_nobody_of_whom_a_pulled_release_noted_it_is_released_again(monkeypatch, steps):
    """Of those who were in the last release of the clone, as the docs say."""
    one, other = Clone(), Clone()
    one.release(monkeypatch)
    other.kept, other.place = one.kept, one.place
    for what, number, is_other in steps:
        here, there = (other, one) if is_other else (one, other)
        if what == "release":
            here.release(monkeypatch)
        elif what == "other" and there.made:
            here.place = (there.made[-1][0], set(there.made[-1][1]))
        elif what == "bring" and there.kept:
            here.withdrawn, here.kept, here.noted, here.seen = here.withdrawn | there.withdrawn, there.kept, set(there.noted), set()
            here.missing -= here.withdrawn
        else:
            before = set(here.withdrawn)
            here.change(what, number)
            for clone in (one, other):
                clone.forget(before - here.withdrawn)


@pytest.mark.slow
@settings(max_examples=200, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps_of("rename", "killed"))
def test_whatever_the_only_curator_does_they_are_not_refused(monkeypatch, steps):
    """Any of their releases may lie in its place, or be the one that parameters name."""
    one = Clone()
    for what, number, is_named in steps:
        chosen = one.made[number % len(one.made)][0] if one.made else None
        if what in ("release", "killed"):
            assert not one.release(
                monkeypatch, replace(chosen, where="before") if chosen and is_named else None, is_killed=what == "killed"
            )
        elif what == "rename":
            one.name = f"name {number % 2}"
        elif what == "other":
            one.place = chosen and (chosen, set())
        else:
            one.change(what, number)
            one.forget(set(one.people))


def lock(release_md5: str, **raw_of: str) -> None:
    """Let a run of this memory have ended with a release; ``raw_of`` are the folders of the raw study by stage."""
    stages = {"withdrawals": {"cmd": "x", "outs": [{"path": "data/private/withdrawn.json", "md5": md5_of(withdrawal_memory.PATH)}]}}
    stages["release"] = {"cmd": "x", "outs": [{"path": "data/release", "md5": release_md5}]}
    for stage_name, raw in raw_of.items():
        stages[stage_name]["params"] = {"params.yaml": {"raw": raw}}
    Path("dvc.lock").write_text(json.dumps({"schema": "2.0", "stages": stages}) + "\n")


def lock_of_elsewhere(**raw_of: str) -> None:
    """Let git bring the lock of another clone, in which somebody withdrew: neither its memory nor its release is here."""
    withdrawal_memory.write(KNOWN)
    lock("0" * 32 + ".dir", **raw_of)
    withdrawal_memory.PATH.unlink()


def told_of_lock() -> list[str]:
    return [fault.sentence for fault in preflight.look().remarks if fault.file == "dvc.lock"]


OTHER_THAN = "remembers other withdrawals than"


@pytest.mark.cases(4)
@pytest.mark.parametrize(("remembered", "memory"), [("nobody", OTHER_THAN), ("others", OTHER_THAN), ("nothing", "has"), ("the same", "")])
@pytest.mark.parametrize("there", ["no release", "another release"])
@pytest.mark.usefixtures("study")
def test_a_lock_that_other_withdrawals_are_of_is_told_where_its_release_is_not_here(remembered, memory, there):
    """Git brings the lock; the release, by which a run would know, is in the remote. An own older commit looks alike."""
    withdrawal_memory.write(KNOWN)
    lock("0" * 32 + ".dir")
    if remembered in ("nobody", "others"):
        withdrawal_memory.write(OWN if remembered == "others" else Memory())
    elif remembered == "nothing":
        withdrawal_memory.PATH.unlink()
    if there == "another release":
        release(RELEASE, tuple(ALL.values()))
    told = told_of_lock()
    assert len(told) == (remembered != "the same")
    said = "is another one than data/release" if there == "another release" else "is not here to compare with"
    for one in told:
        assert f"it is of another clone or another commit, which {memory} data/private/withdrawn.json" in one
        # An empty one, as every clone has that ever ran, is of no use to anybody.
        rows = "data/raw/withdrawn.csv" if remembered == "others" else "data/raw/withdrawn.csv and data/private/withdrawn.json"
        assert f"the release that it names {said}; of another clone: bring the rows of {rows} from there" in one
        assert "of an own older commit: nothing" in one


def test_a_memory_that_cannot_be_read_is_not_to_be_replaced():
    write_text(withdrawal_memory.PATH, "{")
    assert "bring the rows of data/raw/withdrawn.csv from there;" in strange_lock.fault("it is strange", RAW).sentence


@pytest.mark.parametrize("fails", ["nothing", "the list of files", "all of it"])
def test_who_withdraws_somebody_reads_it_too_and_with_what_can_be_followed_by_then(study, monkeypatch, fails):
    """Then the lock names no release any more, and no run tells it; what cannot be read of it keeps nobody from withdrawing."""
    shutil.copy(Path(__file__).parents[2] / "params.yaml", "params.yaml")
    Path(".dvc").mkdir()
    Path(".dvc/config").write_text("['remote \"ours\"']\n    url = /somewhere\n")
    lock_of_elsewhere()

    def fail_of(path: Path) -> str:
        if path.name == "SHA256SUMS":
            raise OSError(5, "Input/output error")
        return md5_of(path)

    if fails == "the list of files":
        release(RELEASE, tuple(ALL.values()))
        monkeypatch.setattr(outputs, "md5_of", fail_of)
    elif fails == "all of it":
        monkeypatch.setattr(outputs, "stated_md5", lambda *_: 1 / 0)
    said = withdrawal.withdraw(RAW, withdrawal.row_of("", "peg 0", "consent", None))
    assert not releases.names_release()
    assert "peg 0" in withdrawal_memory.load()
    told = [line for line in said if line.startswith("dvc.lock: it is of another clone or another commit")]
    assert len(told) == (fails != "all of it")
    for one in told:
        assert ("names cannot be compared with data/release (Input/output error);" in one) == (fails == "the list of files")
        assert (
            "bring the rows of data/raw/withdrawn.csv from there, or its release, which dvc.lock names no more: dvc get . data/rel" in one
        )
        assert "dvc pull" not in one, "it brings nothing that the lock does not name"


@pytest.mark.parametrize("elsewhere", [False, True])
@pytest.mark.usefixtures("study")
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


@pytest.mark.parametrize(
    ("withdrawals", "of_release", "is_told"),
    [("data/demo", "data/demo", False), ("data/raw", "data/raw", True), ("data/demo", "data/raw", True), ("data/raw", "data/demo", True)],
)
@pytest.mark.usefixtures("study")
def test_the_lock_that_every_clone_brings_along_tells_nothing_of_a_study_of_ones_own(withdrawals, of_release, is_told):
    """Its run was of the synthetic study; here is neither its memory nor its release."""
    lock_of_elsewhere(withdrawals=withdrawals, release=of_release)
    told = told_of_lock()
    assert len(told) == is_told
    assert not [one for one in told if "dvc pull" in one], "no remote is configured"


@pytest.mark.usefixtures("study")
def test_a_release_that_a_remote_may_have_is_said_to_come_by_a_pull():
    Path(".dvc").mkdir(exist_ok=True)
    Path(".dvc/config").write_text("['remote \"ours\"']\n    url = /somewhere\n")
    lock_of_elsewhere()
    assert ", or its release: dvc pull --allow-missing --force data/release; of an own" in told_of_lock()[0]
