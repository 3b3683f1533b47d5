"""A recording goes from every list, or gets another name there: announced first, whole or not at all, nothing lost."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import listed_project
from listed_project import change
from scrubin import cli
from scrubin.base.errors import ReviewError
from scrubin.base.text import csv_text
from scrubin.curate.label import written
from scrubin.curate.lists import changes, mentions
from scrubin.curate.preflight.preflight import look
from scrubin.stages import pseudonymize
from scrubin.stages.review import LEDGER_PATH, Ledger

SEEN = {"camera": "mono", "sha256": "0" * 64, "view": "sheet", "stills": [[0, 1, 1]], "seconds": [[0, 0]]}


@pytest.fixture
def raw(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    raw = listed_project.make(tmp_path).relative_to(tmp_path)
    with (raw / "redactions.csv").open("a") as file:
        file.write("peg 3,,other,1,2,,,,,add\noperation 1,,other,1,2,,,,,add\n")
    change(Path("params.yaml"), "extends: null", "extends: splits/old.csv")
    (raw / "splits/old.csv").write_text("recording,subset\npeg 3,train\noperation 1,test\n")
    return raw


def snapshot() -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(Path("data").rglob("*")) if path.is_file()}


def lists_that_name(name: str) -> set[str]:
    return {
        path.name
        for path, data in snapshot().items()
        if "removed" not in path.parts
        and (name.encode() in data or name in path.name)
        and path.suffix in (".csv", ".txt", ".json", ".jsonl")
    }


def remember_id(recording: str) -> str:
    book, key_path = Path("data/private/ids.csv"), Path("data/private/pseudonym.key")
    key = pseudonymize.private_key(key_path, book)
    given = pseudonymize.assign([recording], key, {}, 2)
    pseudonymize.write_ledger(book, pseudonymize.fingerprint(key), given)
    return given[recording]


def test_without_yes_it_is_only_said(raw, capsys):
    before = snapshot()
    for command in (["remove", "peg 3"], ["rename", "peg 3", "peg drei"]):
        assert cli.main(command) == 0
        said = capsys.readouterr().out
        assert "nothing is changed yet" in said
        assert "PegTransfer_rater1_errors.csv: " in said
        assert "line 5: peg 3,False,False" in said
    assert snapshot() == before


def test_a_removed_recording_is_in_no_list_and_the_study_is_sound_at_once(raw, capsys):
    assert "peg 3" in "".join(map(bytes.decode, snapshot().values()))
    assert cli.main(["remove", "peg 3", "--yes"]) == 0
    assert lists_that_name("peg 3") == set()
    assert not (raw / "videos/peg 3 left.mkv").exists()
    assert not look().errors, look().lines()
    kept = (raw / "removed/rows.txt").read_text()
    for row in (
        "recordings.csv, line 8: peg 3,P1",
        "redactions.csv, line 2: peg 3",
        "old.csv, line 2: peg 3,train",
        "_rater0.csv, line 5: peg 3",
    ):
        assert row in kept
    assert (raw / "removed/videos/peg 3 left.mkv").read_bytes() == b"videos/peg 3 left.mkv"


def test_label_files_of_a_removed_recording_are_set_aside(raw):
    assert cli.main(["remove", "operation 1", "--yes"]) == 0
    assert lists_that_name("operation 1") == set()
    assert (raw / "removed/annotations/cholec80/operation 1-phase.txt").is_file()
    assert not look().errors


def test_a_sheet_that_calls_it_by_its_released_id_is_changed_too(raw):
    id_ = remember_id("peg 3")
    sheet = raw / "ratings/PegTransfer_rater0.csv"
    change(sheet, "peg 3,", f"{id_},")
    assert cli.main(["remove", "peg 3", "--yes"]) == 0
    assert id_ not in sheet.read_text()


def test_a_renamed_recording_has_its_new_name_everywhere_and_keeps_its_id(raw):
    id_ = remember_id("operation 1")
    listed_project.remember_release(Path(), "operation 1")
    assert cli.main(["rename", "operation 1", 'the "first", operation', "--yes"]) == 0
    assert look().errors == []
    assert (raw / 'annotations/cholec80/the "first", operation-phase.txt').is_file()
    assert "operation 1,operation 1,,,Chol" not in (raw / "recordings.csv").read_text()
    # Its participant and its file have names of their own.
    assert '"the ""first"", operation",operation 1,,,Cholecystectomy,mono,videos/operation 1.mp4' in (raw / "recordings.csv").read_text()
    book = Path("data/private/ids.csv")
    key = pseudonymize.read_key(Path("data/private/pseudonym.key"))
    assert pseudonymize.read_ledger(book, pseudonymize.fingerprint(key)) == {'the "first", operation': id_}
    assert json.loads(Path("data/private/released.json").read_text())["recordings"] == {'the "first", operation': "id0"}


def test_what_people_decided_goes_along_and_the_chain_holds(raw, capsys):
    before = Ledger()
    before.append("seen", {"recording": "operation 1", **SEEN}, by="ann", session="s")
    before.append("seen", {"recording": "operation 2", **SEEN}, by="ann", session="s")
    assert cli.main(["rename", "operation 1", "first", "--yes"]) == 0
    lines = Ledger().lines()
    assert [line.event for line in lines] == ["renamed", "seen", "seen"]
    assert [line.facts.get("recording") for line in lines] == [None, "first", "operation 2"]
    assert lines[0].facts["changed"] == 1
    assert cli.main(["review", "--verify"]) == 0
    assert "1 of 2 lines say another name" in capsys.readouterr().out


LABELS, SHEET = f"{written.LABELS_FOLDER}/{{}}.labels.json", f"{written.RATINGS_FOLDER}/PegTransfer_rater7.csv"


def export(raw: Path, *names: str) -> dict[str, bytes]:
    """Let `scrubin label` have exported label files and a sheet of these recordings."""
    source = f"{{format: scrubin-labels, folder: {written.LABELS_FOLDER}, vocabulary: cholect50, label_map: null}}"
    change(Path("params.yaml"), "  sources: # label_map", f"  sources:\n    - {source}\n  #")
    files = exported(*names)
    written.write(raw, files)
    return files


def exported(*names: str) -> dict[str, bytes]:
    labels = {LABELS.format(name): b"{}" for name in names}
    return {**labels, SHEET: "".join(["id;rater\n", *(f"{name};7\n" for name in sorted(names))]).encode()}


def test_what_was_exported_can_be_exported_again_after_a_rename(raw):
    export(raw, "operation 1", "operation 2")
    assert cli.main(["rename", "operation 1", "zeta", "--yes"]) == 0
    assert lists_that_name("operation 1") == {"recordings.csv"}  # its participant and its file have names of their own
    assert (raw / LABELS.format("zeta")).read_bytes() == b"{}"
    done = written.write(raw, exported("zeta", "operation 2"))
    # Of the sheet only the order is another one.
    assert (done.changed, done.same, done.removed) == ((SHEET,), 2, ())
    assert oct(written.EXPORTED_PATH.stat().st_mode)[-3:] == "600"


def test_what_was_exported_can_be_exported_again_without_a_removed_recording(raw):
    export(raw, "operation 1", "operation 2")
    assert cli.main(["remove", "operation 1", "--yes"]) == 0
    assert lists_that_name("operation 1") == set()
    assert written.write(raw, exported("operation 2")).changed == ()


@pytest.mark.parametrize("command", [["remove", "operation 1"], ["rename", "operation 1", "zeta"]])
def test_an_exported_sheet_that_was_changed_by_hand_is_never_replaced(command, raw):
    export(raw, "operation 1", "operation 2")
    change(raw / SHEET, "operation 2;7", "operation 2;8")
    assert cli.main([*command, "--yes"]) == 0
    with pytest.raises(ReviewError, match=r"PegTransfer_rater7.csv: it was not exported as it stands"):
        written.write(raw, exported("operation 2"))


@pytest.mark.parametrize("new", ["operation 2", " ", "a/b", " blank", "two\nlines", ".hidden"])
def test_a_name_that_is_taken_or_none_is_refused(raw, new, capsys):
    before = snapshot()
    assert cli.main(["rename", "operation 1", new, "--yes"]) == 1
    assert snapshot() == before


def test_an_unknown_recording_is_named_with_the_near_miss(raw, capsys):
    for command in (["remove", "peg_3"], ["rename", "peg_3", "x"]):
        assert cli.main(command) == 1
        assert "'peg_3' is no recording of recordings.csv; did you mean 'peg 3'?" in capsys.readouterr().err


def test_a_study_without_its_list_is_not_said_to_lack_the_recording(raw, capsys):
    (raw / "recordings.csv").unlink()
    assert cli.main(["remove", "peg 3"]) == 1
    assert "recordings.csv: there is no such list in the raw study" in capsys.readouterr().err


def test_when_a_file_cannot_be_written_all_are_as_before(raw, capsys):
    # A folder stands where the last list's new text would first be written.
    (raw / ".part-recordings.csv").mkdir()
    (raw / ".part-recordings.csv/keep").touch()
    Ledger().append("seen", {"recording": "peg 3", **SEEN}, by="ann", session="s")
    before = snapshot()
    assert cli.main(["remove", "peg 3", "--yes"]) == 1
    assert "recordings.csv: it cannot be changed" in capsys.readouterr().err
    assert snapshot() == before
    assert cli.main(["rename", "peg 3", "peg drei", "--yes"]) == 1
    assert [line.facts.get("recording") for line in Ledger().lines()][-1] == "peg 3"
    assert {path: data for path, data in snapshot().items() if "raw" in path.parts} == {
        path: data for path, data in before.items() if "raw" in path.parts
    }


def test_only_the_rows_change_whatever_stands_beside_them():
    text = 'id;note\r\nb;"two\r\nlines"\r\n"a";"x;y"\r\n\r\nb ; z\r\n'
    sheet = csv_text.read("s.csv", text.encode())
    gone = mentions.table_without(text, sheet, "id", {"b"})
    assert gone.text == 'id;note\r\n"a";"x;y"\r\n\r\n'
    assert [row for row, _ in gone.rows] == [2, 6]
    named = mentions.table_renamed(text, sheet, "id", "a", "c;d")
    assert named.text == 'id;note\r\nb;"two\r\nlines"\r\n"c;d";"x;y"\r\n\r\nb ; z\r\n'


class Killed(BaseException):
    """The process is gone, and nothing is taken back."""


def kill_after(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let so many changes happen and no other."""
    make, done = changes._make, iter(range(count))

    def one(change: changes.Change) -> None:
        if next(done, None) is None:
            raise Killed
        make(change)

    monkeypatch.setattr(changes, "_make", one)


@pytest.mark.slow
@pytest.mark.parametrize("command", [["remove", "operation 1"], ["rename", "operation 1", "first"]])
def test_killed_anywhere_and_done_again_it_is_done(command, raw, tmp_path, monkeypatch, capsys):
    remember_id("operation 1")
    export(raw, "operation 1", "operation 2")
    listed_project.remember_release(Path(), "operation 1")
    Ledger().append("seen", {"recording": "operation 1", **SEEN}, by="ann", session="s")
    shutil.copytree("data", tmp_path / "begin")
    assert cli.main([*command, "--yes"]) == 0
    done = snapshot()
    for count in range(20):
        shutil.rmtree("data")
        shutil.copytree(tmp_path / "begin", "data")
        with monkeypatch.context() as killing:
            kill_after(count, killing)
            try:
                assert cli.main([*command, "--yes"]) == 0
                break  # nothing was left to be killed
            except Killed:
                pass
        assert cli.main([*command, "--yes"]) == 0, (count, capsys.readouterr().err)
        rows = Path("data/raw/removed/rows.txt")
        assert snapshot().keys() == done.keys()
        assert {path: data for path, data in snapshot().items() if path != rows and path != LEDGER_PATH} == {
            path: data for path, data in done.items() if path != rows and path != LEDGER_PATH
        }
    assert count > 5


def test_nothing_goes_on_while_a_rename_is_half_done(raw, monkeypatch, capsys):
    with monkeypatch.context() as killing:
        kill_after(2, killing)
        with pytest.raises(Killed):
            cli.main(["rename", "operation 1", "the first", "--yes"])
    says = (
        "'operation 1' was to become 'the first', and that was stopped in the middle; run: scrubin rename 'operation 1' 'the first' --yes"
    )
    assert says in "".join(errors())
    for command in (["rename", "operation 1", "another"], ["remove", "operation 2"]):
        assert cli.main([*command, "--yes"]) == 1
        assert says in capsys.readouterr().err
    assert cli.main(["rename", "operation 1", "the first", "--yes"]) == 0
    assert errors() == []


def test_a_rename_that_was_killed_and_then_fails_is_still_noted(raw, monkeypatch):
    remember_id("operation 1")
    with monkeypatch.context() as killing:
        kill_after(2, killing)
        with pytest.raises(Killed):
            cli.main(["rename", "operation 1", "first", "--yes"])
    (raw / ".part-recordings.csv").mkdir()
    (raw / ".part-recordings.csv/keep").touch()
    assert cli.main(["rename", "operation 1", "first", "--yes"]) == 1
    shutil.rmtree(raw / ".part-recordings.csv")
    assert "stopped in the middle" in "".join(errors())
    assert cli.main(["rename", "operation 1", "first", "--yes"]) == 0
    assert errors() == []


def errors() -> list[str]:
    return [line for line in look().lines() if line.startswith("error: ")]
