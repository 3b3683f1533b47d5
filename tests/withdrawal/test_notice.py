"""Whom the rows name: by the study's list, by the last run, or by what is remembered; nobody is passed over and nobody comes back."""

import argparse
import datetime
import hashlib
import json
import shlex
from dataclasses import replace

import pandas as pd
import pytest
import yaml

import made_once
from scrubin.audit.containers.documents import read_text
from scrubin.audit.expected import Text, withdrawal_memory
from scrubin.audit.expected.private_strings import Private, derive, folded_parts, of_tables, own_parts
from scrubin.audit.expected.search import Search
from scrubin.audit.expected.spelling import folded_words
from scrubin.audit.expected.withdrawal_memory import Memory
from scrubin.base.errors import ManifestError
from scrubin.base.tables import io
from scrubin.base.tables.private import LINKAGE, PEOPLE, RECORDINGS
from scrubin.base.tables.public import FRAMES, SPLITS, VIDEOS
from scrubin.cli import study
from scrubin.stages.withdrawals import notice

STUDY = {"a1": "Ann", "a2": "Ann", "b1": "Ben", "c1": "Carl"}
IDS = {"a1": "glimst", "a2": "snurpo", "b1": "blivka", "c1": "quento"}
SUBSETS = {"glimst": "train", "snurpo": "train", "blivka": "val", "quento": "test"}


def filled(table, **values):
    row = {column.name: None if column.null else {"str": "x", "bool": False}.get(column.dtype, 1) for column in table.columns}
    return row | values


@pytest.fixture
def project(released, tmp_path):
    """A study after a release."""
    return made_once.copy(released, tmp_path / "project")


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """The same study, made once: tests take a copy."""
    folder = tmp_path_factory.mktemp("released")
    raw = folder / "data/raw"
    raw.mkdir(parents=True)
    listed(raw, *STUDY)
    people = [filled(PEOPLE, recording=name, participant=who, camera="mono") for name, who in STUDY.items()]
    recordings = [
        filled(RECORDINGS, recording=name, participant=who, camera="mono", path=f"videos/{name}.mkv", sha256=name * 32, status="kept")
        for name, who in STUDY.items()
    ]
    io.write(PEOPLE, io.frame_of(PEOPLE, people), folder / "data/interim/people.parquet")
    io.write(RECORDINGS, io.frame_of(RECORDINGS, recordings), folder / "data/interim/recordings.parquet")
    linkage = [filled(LINKAGE, recording=name, id=id_) for name, id_ in IDS.items()]
    io.write(LINKAGE, io.frame_of(LINKAGE, linkage), folder / "data/private/linkage.parquet")
    videos = [
        filled(VIDEOS, id=id_, camera="mono", sha256=f"{number:064x}", path=f"videos/{id_}.mkv") for number, id_ in enumerate(SUBSETS)
    ]
    io.write(VIDEOS, io.frame_of(VIDEOS, videos), folder / "data/tables/videos.parquet")
    frames = [
        filled(FRAMES, id=id_, camera="mono", frame=k, path=f"frames/{id_}/{k}.jpg", redacted=k == 1, contrast=40.0 if k != 2 else 0.0)
        for id_ in SUBSETS
        for k in range(4)
    ]
    io.write(FRAMES, io.frame_of(FRAMES, frames), folder / "data/tables/frames.parquet")
    # Frame 1 is hidden, 2 is flat, 3 is the same in all recordings.
    sums = "".join(f"{hash_of(id_, k)}  frames/{id_}/{k}.jpg\n" for id_ in SUBSETS for k in range(4))
    (folder / "data/release").mkdir()
    (folder / "data/release/SHA256SUMS").write_text(sums)
    section = {"seed": 0, "schemes": {"balanced": {"kind": "balanced"}}}
    (folder / "params.yaml").write_text(yaml.safe_dump({"splits": section}))
    splits = [{"scheme": "balanced", "fold": 0, "subset": subset, "id": id_} for id_, subset in SUBSETS.items()]
    io.write(SPLITS, io.frame_of(SPLITS, splits), folder / "data/tables/splits.parquet")
    (folder / "data/private/released.json").write_text(json.dumps({"name": "n", "version": "1.0.0", "recordings": IDS}))
    return folder


def hash_of(id_: str, frame: int) -> str:
    return f"{frame}" * 64 if frame == 3 else f"{list(SUBSETS).index(id_)}{frame}" * 32


def listed(raw, *names):
    rows = [{"recording": name, "participant": STUDY[name], "path": f"videos/{name}.mkv"} for name in names]
    pd.DataFrame(rows, columns=["recording", "participant", "path"]).to_csv(raw / "recordings.csv", index=False)


def withdraw(project, *rows: str):
    (project / "data/raw/withdrawn.csv").write_text("participant,recording,date,reason\n" + "".join(f"{row}\n" for row in rows))
    taken = notice.take(project / "data/raw", project)
    withdrawal_memory.write(taken, project)
    return taken


def test_a_participant_withdraws_with_all_recordings_and_all_that_the_last_run_made_of_them(project):
    taken = withdraw(project, "Ann,,2026-01-31,consent")
    assert [name in taken for name in (*STUDY, *IDS.values())] == [True, True, False, False] * 2
    assert taken.has("sha256", "a1" * 32)
    assert taken.has("sha256", f"{1:064x}")
    assert taken.has("sha256", hash_of("snurpo", 0))
    assert taken.in_text("by Ann, a1") == set()  # three letters are everywhere
    assert taken.in_text("id glimst") == {"glimst"}
    assert taken.splits["places"] == {"balanced": [[0, "val", "blivka"], [0, "test", "quento"]]}


def test_after_a_refused_release_the_pictures_that_wait_are_read(project):
    """There is no list of the release then."""
    (project / "data/release/SHA256SUMS").unlink()
    for id_ in SUBSETS:
        for frame in range(4):
            path = project / f"data/unreleased/frames/{id_}/{frame}.jpg"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(hash_of(id_, frame).encode())
    taken = withdraw(project, "Ann,,2026-01-31,consent")
    theirs = [hashlib.sha256(hash_of("snurpo", frame).encode()).hexdigest() for frame in range(4)]
    assert [taken.has("sha256", sha256) for sha256 in theirs] == [True, False, False, False]


@pytest.mark.parametrize("row", ["Ann,,2026-01-31,consent", ",a2,2026-01-31,quality"])
def test_who_waits_is_told_without_a_look_at_pictures(project, monkeypatch, row):
    withdraw(project, ",c1,2026-01-30,consent")
    monkeypatch.setattr(notice, "_pictures", None)
    listed(project / "data/raw", "a1", "a2", "b1")
    assert notice.staying_at_news(project / "data/raw", project) is None
    with (project / "data/raw/withdrawn.csv").open("a") as rows:
        rows.write(f"{row}\n")
    assert notice.staying_at_news(project / "data/raw", project) == frozenset({"blivka"} if row[0] == "A" else {"blivka", "glimst"})


@pytest.mark.parametrize("row", ["", '"damaged\n', "7\n", "\x00\n", "\udcff,\udcff,\udcff\n"], ids=ascii)
def test_an_id_of_an_older_release_alone_is_known_too_however_little_of_the_ledger_can_be_read(project, row):
    rows = "".join(f"{number},{name},{id_}\n" for number, (name, id_) in enumerate(IDS.items()))
    (project / "data/private/ids.csv").write_text(f"\ufeffkey,recording,id\n{rows}{row}", errors="surrogateescape")
    io.write(LINKAGE, io.frame_of(LINKAGE, [filled(LINKAGE, recording="demo", id="sprank")]), project / "data/private/linkage.parquet")
    (project / "data/private/released.json").write_text(json.dumps({"name": "demo", "recordings": {"demo": "sprank"}}))
    taken = withdraw(project, "Ann,,2026-01-31,consent")
    assert [taken.has("id", id_) for id_ in IDS.values()] == [True, True, False, False]
    assert notice.staying(taken, [project / "data/raw"], project) >= {"blivka", "quento"}


def test_who_was_removed_from_the_study_is_not_known_to_stay(project):
    """Carl's row went before the last release, so that nobody can tell whose it was: it may be Ann's."""
    rows = "".join(f"0,{name},{id_}\n" for name, id_ in IDS.items())
    (project / "data/private/ids.csv").write_text(f"key,recording,id\n{rows}")
    (project / "data/private/released.json").write_text(json.dumps({"recordings": {name: IDS[name] for name in ("a1", "a2", "b1")}}))
    linkage = [filled(LINKAGE, recording=name, id=IDS[name]) for name in ("a1", "a2", "b1")]
    io.write(LINKAGE, io.frame_of(LINKAGE, linkage), project / "data/private/linkage.parquet")
    listed(project / "data/raw", "a1", "a2", "b1")
    taken = withdraw(project, "Ann,,2026-01-31,consent")
    assert notice.staying(taken, [project / "data/raw"], project) == {"blivka"}


def test_pictures_that_could_be_somebody_elses_are_not_held_against_the_release(project):
    taken = withdraw(project, "Ann,,2026-01-31,consent")
    assert not any(taken.has("sha256", hash_of("glimst", frame)) for frame in (1, 2, 3))
    assert not taken.has("sha256", hash_of("blivka", 0))


def test_one_recording_withdraws_and_the_others_of_its_participant_stay(project):
    taken = withdraw(project, ",a2,2026-01-31,quality")
    assert ("a2" in taken, "a1" in taken, taken.has_participant("Ann")) == (True, False, False)
    assert [row[2] for row in taken.splits["places"]["balanced"]] == ["blivka", "glimst", "quento"]


@pytest.mark.parametrize("row", ["Ann,,2026-01-31,consent", ",a1,2026-01-31,consent"])
def test_rows_and_files_may_be_gone_already_in_the_same_moment_and_later(project, row):
    listed(project / "data/raw", "a2", "b1", "c1") if row[0] == "," else listed(project / "data/raw", "b1", "c1")
    first = withdraw(project, row)
    assert "a1" in first
    for table in ("data/interim/people.parquet", "data/interim/recordings.parquet", "data/private/linkage.parquet"):
        (project / table).unlink()
    assert withdraw(project, row) == first
    assert withdraw(project) == first  # the row may go as well


def test_a_new_recording_of_a_participant_who_withdrew_is_withdrawn(project):
    listed(project / "data/raw", "a1", "b1", "c1")
    for table in ("people", "recordings"):
        (project / f"data/interim/{table}.parquet").unlink()
    withdraw(project, "Ann,,2026-01-31,consent")
    listed(project / "data/raw", *STUDY)
    assert "a2" in withdraw(project, "Ann,,2026-01-31,consent")


@pytest.mark.parametrize("row", ["Ann\u200b,,2026-01-31,consent", "An\u00adn,,2026-01-31,consent"])
def test_what_does_not_show_in_a_name_keeps_nobody_in_the_study(project, row):
    assert all(name in withdraw(project, row) for name in ("a1", "a2"))


def test_a_row_written_with_what_does_not_show_withdraws_with_the_others_of_its_participant(project):
    rows = project / "data/raw/recordings.csv"
    rows.write_text(rows.read_text(encoding="utf-8").replace("a2,Ann", "a2,Ann\u200b"), encoding="utf-8")
    taken = withdraw(project, "Ann,,2026-01-31,consent")
    assert "a2" in taken
    assert taken.has_participant("Ann\u200b")


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("Anne,,2026-01-31,consent", "line 2: 'Anne' is no participant of recordings.csv; did you mean 'Ann'"),
        (",B1 ,2026-01-31,consent", "'B1' is no recording of recordings.csv; did you mean 'b1'"),
        ("b1,,2026-01-31,consent", "'b1' is no participant .*; it is the name of a recording: write it in that column"),
        (",Ben,2026-01-31,consent", "'Ben' is no recording .*; it is the name of a participant"),
        ("Zacharias,,2026-01-31,consent", "'Zacharias' is no participant .*; correct it"),
    ],
)
def test_a_row_that_names_nobody_stops_the_run_and_says_who_may_be_meant(project, row, says):
    with pytest.raises(ManifestError, match=says):
        withdraw(project, row)


def test_nobody_who_withdrew_comes_back_with_an_old_copy_of_the_lists(project):
    withdraw(project, "Ann,,2026-01-31,consent")
    with pytest.raises(ManifestError, match=r"'a1' stands in it, but was withdrawn earlier, and no row of withdrawn\.csv says so any more"):
        withdraw(project)


@pytest.mark.parametrize(("row", "name"), [("Ann,,2026-01-31,consent", "--participant Ann"), (",a1,2026-01-31,consent", "--recording a1")])
def test_how_somebody_who_never_withdrew_comes_back_is_a_whole_command(project, row, name):
    withdraw(project, row)
    with pytest.raises(ManifestError, match=f"if they never withdrew, run: .venv/bin/scrubin withdraw --undo {name}") as refused:
        withdraw(project)
    command = shlex.split(refused.value.faults[0].fix.split("run: ")[1])
    parser = argparse.ArgumentParser()
    study.add_withdraw_arguments(parser)
    assert parser.parse_args(command[2:]).undo


def test_the_splits_of_the_last_release_count_and_not_those_of_a_run_since(project):
    kept = {"seed": 7, "schemes": {"s": {}}, "places": {"s": [[0, "train", "glimst"], [0, "test", "blivka"]]}}
    path = project / "data/private/released.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"splits": kept}))
    assert withdraw(project, "Ann,,2026-01-31,consent").splits == {**kept, "places": {"s": [[0, "test", "blivka"]]}}


def test_of_a_study_that_was_never_released_no_splits_are_kept(project):
    (project / "data/private/released.json").unlink()
    assert withdraw(project, "Ann,,2026-01-31,consent").splits == {}


def test_a_second_withdrawal_leaves_the_first_as_it_was(project):
    first = withdraw(project, "Ann,,2026-01-31,consent")
    second = withdraw(project, "Ann,,2026-01-31,consent", ",c1,2026-02-01,legal")
    assert first.recordings.items() < second.recordings.items()
    assert second.salt == first.salt
    assert second.splits["places"] == {"balanced": [[0, "val", "blivka"]]}


def test_when_somebody_comes_back_the_splits_are_those_of_the_last_release(project):
    places = {"balanced": [[0, "train", "glimst"], [0, "val", "blivka"]]}
    released = {"recordings": {"a1": "glimst", "b1": "blivka"}, "splits": {"places": places}}
    (project / "data/private/released.json").write_text(json.dumps(released))
    before = withdrawal_memory.Memory("0" * 64, recordings={"1" * 64: None}, splits={"places": {"balanced": places["balanced"][:1]}})
    assert notice.with_splits(before, before, project).splits == before.splits
    assert notice.with_splits(withdrawal_memory.Memory(), before, project).splits["places"] == places


OSTERMANN = "2023-03-12_Ostermann_Annegret_PegTransfer_T1"
TRACES = {
    "the name": "Ostermann_Annegret",
    "the given name first": "Annegret Ostermann",
    "a comma": "Ostermann, Annegret",
    "the family name": "seen by Ostermann.",
    "capitals": "OSTERMANN",
    "the given name": "Annegret",
    "a genitive": "Ostermanns film",
    "one word": "annegretostermann",
    "humps": "AnnegretOstermann",
    "an account": "aostermann@example.org",
    "base64": "QW5uZWdyZXQgT3N0ZXJtYW5u",
    "letter by letter": "O s t e r m a n n",
    "a link": "Ostermann%5FAnnegret",
    "the recording": OSTERMANN,
    "the file": "left of -Ostermann_20230312_PegTransfer_1-left",
    "the day": "2023-03-12",
    "the day in German": "12.03.2023",
    "the day in words": "12 March 2023",
    "the day in digits": "20230312",
    "the place": "Skills-Lab Westh\u00e4fen",
    "the place without accents": "WESTHAFEN",
    "the place written out": "westhaefen",
    "a place of three letters": "at UKW",
    "the case": "no. 4711081",
}


def known_of_ostermann(tmp_path, *others: str):
    """What is remembered when rows and files are gone."""
    header = "recording,participant,site,path\n"
    rows = [
        f'{OSTERMANN},Ostermann_Annegret,Skills-Lab Westh\u00e4fen UKW,"videos/Fall 4711081/-Ostermann_20230312_PegTransfer_1-left.mkv"'
    ]
    raw = tmp_path / "data/raw"
    raw.mkdir(parents=True)
    for row in (*rows, *others):
        path = raw / row.split(",")[-1].strip('"')
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (raw / "recordings.csv").write_text(header + "\n".join([*rows, *others]) + "\n")
    withdraw(tmp_path, "Ostermann_Annegret,,2026-01-31,consent")
    (raw / "recordings.csv").write_text(header + "\n".join(others) + "\n")
    return withdraw(tmp_path, "Ostermann_Annegret,,2026-01-31,consent")


BRENNER = "2023-03-13_Brenner_Anton_PegTransfer_T1,Brenner_Anton,Klinikum Nord,videos/-Brenner_20230313_PegTransfer_1-left.mkv"


@pytest.mark.cases(3)
@pytest.mark.parametrize("text", TRACES.values(), ids=TRACES)
def test_the_audit_finds_whatever_tells_of_somebody_whose_rows_and_files_are_gone(tmp_path, text):
    search = Search(Private(withdrawn=known_of_ostermann(tmp_path, BRENNER)), 0)
    (needle, *_) = search.in_text(Text("README.md", f"by {text} too"))
    assert needle.discloses == "withdrawn"


@pytest.mark.parametrize(
    "text",
    [
        "PegTransfer 1, left, T1",
        "2023-03-13 and 20230313",
        "in 2023, videos of Fall 12, no. 47110",
        "Brenner Anton of Klinikum Nord",
        "Ostermannia",
        "a 0312 b",
        "ukw",
    ],
)
def test_what_others_share_with_them_and_common_words_are_not_theirs(tmp_path, text):
    known = known_of_ostermann(tmp_path, BRENNER, BRENNER.replace("Nord", "Fall").replace("13", "14"))
    assert known.told_in(text) == known.days_in(text) == set()


def test_words_and_days_of_people_who_stay_are_not_remembered(tmp_path):
    known = known_of_ostermann(tmp_path, "2023-03-12_Roth,Annegret Roth,Westh\u00e4fen,videos/x.mkv")
    shared = "Annegret, Westh\u00e4fen, 12.03.2023"
    assert known.told_in(shared) == known.days_in(shared) == set()
    assert known.told_in("Annegret Ostermann") == {"Annegret Ostermann", "Ostermann"}


def test_single_words_and_days_are_no_names_by_which_lines_of_others_are_taken_out(tmp_path):
    known = known_of_ostermann(tmp_path, BRENNER)
    assert known.in_text("Annegret on 2023-03-12, PegTransfer") == set()
    assert known.in_text("Annegret Ostermann") == {"Annegret Ostermann"}


def test_a_number_of_six_digits_in_a_table_is_no_day(tmp_path):
    known = known_of_ostermann(tmp_path, BRENNER)
    assert known.days_in("230312", structured=True) == set()
    assert known.days_in("230312") == {(datetime.date(2023, 3, 12), "230312")}


OF_ONE_DAY = {
    "a.md": "230417",
    "b.md": "on 20230417",
    "c.csv": "frame_230417",
    "d.csv": "230417.jpg",
    "e.csv": "#230417",
    "f.csv": "20230417",
}


@pytest.mark.parametrize(("name", "text"), OF_ONE_DAY.items())
def test_a_day_of_somebody_who_withdrew_is_found_where_one_of_somebody_who_stays_is_and_shown_as_written(name, text):
    day, structured = datetime.date(2023, 4, 17), name.endswith(".csv")
    gone = Private(withdrawn=Memory().with_recording("op 13", "consent", {}, [], [], [day]))
    stays = derive({"path": ["videos/op_20230417.mp4"]}, folded_words("videos op mp4"))
    found = [{one.text for one in Search(private, 0).in_text(Text("x", text, structured))} for private in (gone, stays)]
    assert found[0]
    assert found[1]
    assert all(one in text for one in found[0])


@pytest.mark.parametrize("text", ["3 0.143205 0.230417 0.5", "0.20230417 0.1", "1,230417,5", "1230417", "230417.25 m"])
@pytest.mark.parametrize("structured", [True, False])
def test_a_part_of_a_number_tells_of_nobody(text, structured):
    known = Memory().with_recording("op 13", "consent", {}, [], ["143205"], [datetime.date(2023, 4, 17)])
    assert Search(Private(withdrawn=known), 0).in_text(Text("x", text, structured)) == set()
    assert known.told_in("143205.mp4") == {"143205"}


def test_a_comma_in_a_table_stands_between_cells():
    known = Memory().with_recording("op 13", "consent", {}, [], ["14320577"], [datetime.date(2023, 4, 17)])
    found = Search(Private(withdrawn=known), 0).in_text(Text("t.csv", "1,20230417,3,14320577,0.5", structured=True))
    assert {one.text for one in found} == {"20230417", "14320577"}


def test_labels_of_bare_numbers_are_read_as_a_table():
    texts = [*read_text(b"3 143205 230417 1\n0 2 4 5\n", frozenset()).texts, *read_text(b"on 230417\n", frozenset()).texts]
    known = Memory().with_recording("op 13", "consent", {}, [], ["143205"], [datetime.date(2023, 4, 17)])
    assert [{one.text for one in Search(Private(withdrawn=known), 0).in_text(text)} for text in texts] == [set(), {"230417"}]


@pytest.mark.parametrize("listed", ["17.4.2023", "2023-04-17"])
def test_a_day_that_the_curator_lists_as_harmless_passes(listed):
    known = Memory().with_recording("op 13", "consent", {}, [], [], [datetime.date(2023, 4, 17)])
    table = pd.DataFrame({"path": ["videos/op_20230417.mp4"]})
    for withdrawn, tables in ((known, []), (Memory(), [table])):
        private = [replace(of_tables(tables, [], [], listed=words), withdrawn=withdrawn) for words in ([], [listed])]
        found = [{one.text for one in Search(one, 0).in_text(Text("x", "made on 17.4.2023"))} for one in private]
        assert found == [{"17.4.2023"}, set()]


def test_of_a_letter_that_stands_for_a_name_no_account_is_made_nor_a_common_word():
    others = folded_parts({"participant": ["Surgeon E"]})
    told = own_parts({"participant": ["Surgeon D"]}, others) | own_parts({"participant": ["Ben Lack"]}, others)
    assert not {"SD", "DS", "Ds", "Surgeons", "BLack"} & told
    assert {"LBen", "BenL", "LackB", "Lacks"} <= told
    known = Memory().with_recording("op 14", "consent", {}, [], told)
    assert known.told_in("mean and SD over videos on a black ground") == set()


def test_the_number_of_a_case_is_no_day_in_six_digits_for_those_who_withdrew_either(tmp_path):
    for number, (name, six) in enumerate({"MRN 12051923": False, "geb 12.05.1923": True}.items()):
        raw = tmp_path / f"{number}/data/raw"
        raw.mkdir(parents=True)
        (raw / "recordings.csv").write_text(f"recording,participant,site,path\nr1,{name},,videos/a.mkv\nr2,Roth,,videos/b.mkv\n")
        known = withdraw(tmp_path / str(number), f"{name},,2026-01-31,consent")
        assert known.days_in("on 12.05.1923")
        assert bool(known.days_in("on 120523")) is six


def test_a_day_is_found_although_its_numbers_stand_in_every_release(tmp_path):
    search = Search(Private((), folded_words("2023 03 12"), withdrawn=known_of_ostermann(tmp_path, BRENNER)), 0)
    assert "2023-03-12" in {needle.text for needle in search.in_text(Text("README.md", "2023-03-12"))}


def test_a_memory_of_an_earlier_edition_learns_the_rest_while_rows_are_there(tmp_path):
    before = Memory().with_participants(["Ostermann_Annegret"]).with_recording(OSTERMANN, "consent", {}, [OSTERMANN, "Ostermann_Annegret"])
    withdrawal_memory.write(before, tmp_path)
    assert withdrawal_memory.load(tmp_path).told_in("Annegret Ostermann") == set()
    known = known_of_ostermann(tmp_path, BRENNER)
    assert known.told_in("Annegret Ostermann") == {"Annegret Ostermann", "Annegret", "Ostermann"}
    assert known.salt == before.salt
