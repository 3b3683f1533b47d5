"""The list of those who withdrew, as people and spreadsheets write it: a row that could be passed over is an error."""

import hashlib
import json
import re
import sys

import pytest

import kept_project
import withdrawals as stage
from scrubin.base.errors import ManifestError
from scrubin.stages import withdrawals
from scrubin.stages.withdrawals import WithdrawnRow

HEADER = "participant,recording,date,reason\n"


def rows(tmp_path, text: str, encoding: str = "utf-8"):
    (tmp_path / withdrawals.NAME).write_bytes(text.encode(encoding))
    return withdrawals.read(tmp_path / withdrawals.NAME)


def test_a_study_in_which_nobody_withdrew_has_no_rows(tmp_path):
    assert withdrawals.read(tmp_path / withdrawals.NAME) == () == rows(tmp_path, HEADER)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (HEADER + "P07,,2026-01-31,consent\n,rec 1,2099-12-31,other\n", "utf-8"),
        ("participant;recording;date;reason\r\nP07;;2026-01-31;consent\r\n;rec 1;2099-12-31;other\r\n;;;\r\n", "utf-8-sig"),
        ("reason\tdate\trecording\tparticipant\n consent\t2026-01-31\t\tP07 \nother\t2099-12-31\trec 1\t", "utf-8"),
    ],
    ids=["comma", "Excel", "tab"],
)
def test_rows_are_read_as_spreadsheets_write_them_whatever_their_date(tmp_path, text, encoding):
    found = [(row.participant, row.recording, row.date, row.reason) for row in rows(tmp_path, text, encoding)]
    assert found == [("P07", "", "2026-01-31", "consent"), ("", "rec 1", "2099-12-31", "other")]


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (",,2026-01-31,consent", "line 2: it names nobody; fill in the participant, or one recording"),
        ("P07,rec 1,2026-01-31,consent", "line 2: it names a participant and a recording; fill in the participant when all"),
        ("P07,,31.01.2026,consent", "line 2: '31.01.2026' is no date; write year, month and day as 2026-01-31"),
        ("P07,,2026-02-30,consent", "'2026-02-30' is no date"),
        ("P07,,,consent", "'' is no date"),
        ("P07,,2026-01-31,moved away", "'moved away' is no code of a reason; use one of consent, request, legal, quality, other"),
        ("P07,,2026-01-31", "expected 4 cells, but got 3"),
    ],
)
def test_a_row_that_cannot_be_used_stops_everything(tmp_path, row, says):
    with pytest.raises(ManifestError, match=says.replace("(", r"\(")):
        rows(tmp_path, f"{HEADER}{row}\n")


def test_all_faults_are_told_at_once(tmp_path):
    with pytest.raises(ManifestError) as caught:
        rows(tmp_path, f"{HEADER},,2026-01-31,consent\nP07,,soon,moved away\n")
    assert len(caught.value.faults) == 3


@pytest.mark.parametrize("text", [HEADER, HEADER.strip(), HEADER.replace(",", ";").replace("\n", "\r\n"), "\ufeff" + HEADER, ""])
@pytest.mark.parametrize("name", ["P07", 'the "old" one; or, two'])
def test_a_row_that_is_added_is_read_again_and_can_be_taken_back(tmp_path, text, name):
    path = tmp_path / withdrawals.NAME
    row = WithdrawnRow(0, name, "", "2026-01-31", "legal")
    written = withdrawals.text_with(withdrawals.text_with(text, WithdrawnRow(0, "", "rec", "2026-01-30", "other")), row)
    path.write_bytes(written.encode())
    found = withdrawals.read(path)
    assert [(one.participant, one.recording) for one in found] == [("", "rec"), (name, "")]
    path.write_bytes(withdrawals.text_without(written, found[:1]).encode())
    assert [one.participant for one in withdrawals.read(path)] == [name]


def test_the_hash_of_a_list_cannot_be_guessed_because_each_row_holds_something_random(tmp_path):
    """`dvc.lock` holds the MD5 of the list, and may be public."""
    row = WithdrawnRow(0, "P07", "", "2026-01-31", "legal")
    texts = [withdrawals.text_with(HEADER, row) for _ in range(2)]
    assert texts[0] != texts[1]
    typed = withdrawals.unguessable(f"{HEADER}P07,,2026-01-31,legal\n\n,rec,2026-01-30,other\n")
    both = withdrawals.text_with(typed, WithdrawnRow(0, "P08", "", "2026-01-31", "legal"))
    assert withdrawals.unguessable(both) == both
    (tmp_path / withdrawals.NAME).write_text(both)
    assert [(one.participant, one.recording) for one in withdrawals.read(tmp_path / withdrawals.NAME)] == [
        ("P07", ""),
        ("", "rec"),
        ("P08", ""),
    ]
    tokens = re.findall("[0-9a-f]{32}", both)
    assert len(set(tokens)) == len(tokens) == 3
    for text in (HEADER, f"{HEADER}P07,,soon\n", ""):
        assert withdrawals.unguessable(text) == text


def test_a_row_is_written_in_the_columns_of_the_list(tmp_path):
    text = withdrawals.text_with("reason;date;recording;participant\n", WithdrawnRow(0, "P07", "", "2026-01-31", "legal"))
    (tmp_path / withdrawals.NAME).write_text(text)
    assert [(one.participant, one.reason) for one in withdrawals.read(tmp_path / withdrawals.NAME)] == [("P07", "legal")]


@pytest.mark.parametrize(
    "text",
    [
        "participant,recording,date,reason,\nP07,,2026-01-31,legal,\n",
        "participant,recording,date,reason,random\nP07,,2026-01-31,legal\n",
        "participant,recording,date,reason,random\nP07,,2026-01-31,legal,\n",
        "participant,recording,date,reason\nP07,,2026-01-31,legal\n,,,\n",
        "\ufeffparticipant;recording;date;reason\r\n;rec;2026-01-31;legal\r\n",
        'participant,recording,date,reason\n"the ""old"" one, or two",,2026-01-31,legal\n',
    ],
)
def test_lists_as_people_and_excel_leave_them_get_something_random_and_say_the_same(tmp_path, text):
    before = rows(tmp_path, text)
    changed = withdrawals.unguessable(text)
    assert len(re.findall("[0-9a-f]{32}", changed)) == len(before) == 1
    assert [(one.participant, one.recording, one.reason) for one in rows(tmp_path, changed)] == [
        (one.participant, one.recording, one.reason) for one in before
    ]
    assert withdrawals.unguessable(changed) == changed


@pytest.mark.slow
def test_dvc_hashes_the_list_when_the_stage_has_hidden_what_it_says(tmp_path):
    """A bare `dvc repro` begins with rows as they were typed; whoever guesses them must not find their hash in dvc.lock."""
    typed = f"{HEADER}P07,,2026-01-31,consent\n".encode()
    (tmp_path / withdrawals.NAME).write_bytes(typed)
    program = "from pathlib import Path; from scrubin.stages import withdrawals; withdrawals.hide_hash(Path()); Path('out').touch()"
    stage = {"cmd": f'{sys.executable} -c "{program}"', "deps": [withdrawals.NAME], "outs": ["out"]}
    (tmp_path / "dvc.yaml").write_text(json.dumps({"stages": {"withdrawals": stage}}))
    for command in (["init", "-q", "--no-scm"], ["config", "core.site_cache_dir", ".site"], ["repro", "-q"]):
        assert kept_project.dvc(*command, folder=tmp_path) == 0
    lock, there = (tmp_path / "dvc.lock").read_text(), (tmp_path / withdrawals.NAME).read_bytes()
    assert there != typed
    assert hashlib.md5(typed).hexdigest() not in lock
    assert hashlib.md5(there).hexdigest() in lock


def test_the_stage_hides_what_typed_rows_say_before_it_reads_them(tmp_path, monkeypatch):
    monkeypatch.setattr(stage.params, "raw_folder", lambda: tmp_path)
    monkeypatch.setattr(stage.notice, "take", lambda raw: (_ for _ in ()).throw(ManifestError((raw / withdrawals.NAME).read_text())))
    (tmp_path / withdrawals.NAME).write_text(f"{HEADER}P07,,2026-01-31,consent\n")
    with pytest.raises(ManifestError, match=r"^participant,recording,date,reason,random\nP07,,2026-01-31,consent,[0-9a-f]{32}\n$"):
        stage.main.fn()
