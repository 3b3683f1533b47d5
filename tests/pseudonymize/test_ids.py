from __future__ import annotations

import hmac
import os
import stat
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from scrubin.base.errors import PrivacyError
from scrubin.stages import pseudonymize

KEY = bytes(range(32))
DRAWN = 0x4830A92223067162 // 2
NAMES = st.sets(st.text(min_size=1, max_size=12), min_size=1, max_size=30)


@given(names=NAMES, more=NAMES)
def test_an_id_never_changes_when_recordings_are_added(names, more):
    before = pseudonymize.assign(names, KEY, {}, 2)
    after = pseudonymize.assign(names | more, KEY, before, 2)
    assert {name: after[name] for name in names} == before
    assert len(set(after.values())) == len(after)


@given(names=NAMES)
def test_the_order_of_names_is_irrelevant_and_another_key_gives_other_ids(names):
    ordered = sorted(names)
    assert pseudonymize.assign(ordered, KEY, {}, 3) == pseudonymize.assign(reversed(ordered), KEY, {}, 3)
    assert not set(pseudonymize.assign(names, KEY, {}, 3).values()) & set(pseudonymize.assign(names, b"\1" * 32, {}, 3).values())


@pytest.mark.slow
def test_ids_are_the_same_in_every_process():
    code = "from scrubin.stages import pseudonymize as ids; print(ids.assign(['a', 'b'], bytes(range(32)), {}, 2))"
    texts = set()
    for seed in ("0", "1", "2"):
        run = subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        )
        texts.add(run.stdout)
    assert texts == {f"{pseudonymize.assign(['a', 'b'], KEY, {}, 2)}\n"}


@pytest.mark.slow
def test_no_id_repeats_or_offends_among_ten_thousand():
    given_ids = pseudonymize.assign([f"recording {n}" for n in range(10_000)], KEY, {}, 2)
    assert len(set(given_ids.values())) == 10_000
    assert all(word.isalpha() and word.islower() and word.isascii() for word in given_ids.values())
    assert not [word for word in given_ids.values() if any(bad in word for bad in pseudonymize.offensive())]


def test_the_word_list_is_a_real_one():
    assert len(pseudonymize.offensive()) > 1500
    assert pseudonymize.is_offensive("xshity") == ("shit" in pseudonymize.offensive()) is True


def test_a_collision_gives_way_without_moving_anyone():
    alone = pseudonymize.assign(["new"], KEY, {}, 2)["new"]
    both = pseudonymize.assign(["new", "old"], KEY, {"old": alone}, 2)
    assert both["old"] == alone
    assert both["new"] != alone


def test_an_id_of_a_recording_that_left_is_not_given_again():
    alone = pseudonymize.assign(["new"], KEY, {}, 2)["new"]
    assert pseudonymize.assign(["new"], KEY, {"gone": alone}, 2)["new"] != alone


def test_every_number_spells_another_word():
    parts = pseudonymize.Parts(("b", "c"), ("a", "e"), ("d", "g"))
    spelled = {parts.spell(number, 2) for number in range(parts.count(2))}
    assert len(spelled) == parts.count(2) == 32


def test_a_missing_key_is_made_for_the_owner_only_and_kept(tmp_path):
    path, book = tmp_path / "private" / "pseudonym.key", tmp_path / "private" / "ids.csv"
    key = pseudonymize.private_key(path, book)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(key) == 32
    assert pseudonymize.private_key(path, book) == key
    assert pseudonymize.private_key(tmp_path / "other" / "pseudonym.key", book) != key


def test_a_key_that_others_can_read_is_refused(tmp_path):
    path = tmp_path / "pseudonym.key"
    pseudonymize.private_key(path, tmp_path / "ids.csv")
    path.chmod(0o640)
    with pytest.raises(PrivacyError, match="others may read the key; run: chmod 600"):
        pseudonymize.private_key(path, tmp_path / "ids.csv")


def test_a_lost_key_is_an_error_and_not_a_new_set_of_ids(tmp_path):
    path, book = tmp_path / "pseudonym.key", tmp_path / "ids.csv"
    key = pseudonymize.private_key(path, book)
    pseudonymize.write_ledger(book, pseudonymize.fingerprint(key), {"a": "bada"})
    path.unlink()
    with pytest.raises(PrivacyError, match="the key is gone"):
        pseudonymize.private_key(path, book)


@pytest.mark.parametrize(("noted", "is_refused"), [("data/raw", True), ("./data/raw/", True), ("data/demo", False), (None, False)])
def test_no_key_is_drawn_where_a_run_on_another_machine_gave_ids_to_the_same_study(tmp_path, noted, is_refused):
    path, lock = tmp_path / "private/pseudonym.key", tmp_path / "dvc.lock"
    stage = {} if noted is None else {"pseudonymize": {"cmd": "a", "params": {"params.yaml": {"raw": noted}}}}
    lock.write_text(yaml.safe_dump({"schema": "2.0", "stages": stage}))
    refusal = pytest.raises(
        PrivacyError, match=r"says that the recordings of data/raw have ids; bring the folder .*private of that project here"
    )
    with refusal if is_refused else nullcontext():
        pseudonymize.refuse_other_ids(path, lock, Path("data/raw"))
    path.parent.mkdir()
    path.write_text("5" * 64)
    pseudonymize.refuse_other_ids(path, lock, Path("data/raw"))


def test_a_replaced_key_is_an_error(tmp_path):
    book = tmp_path / "ids.csv"
    pseudonymize.write_ledger(book, "another", {"a": "bada"})
    with pytest.raises(PrivacyError, match="were given with another key"):
        pseudonymize.read_ledger(book, pseudonymize.fingerprint(KEY))


@pytest.mark.parametrize("text", ["", "zz", "ab" * 31, "x" * 64])
def test_a_damaged_key_is_named(tmp_path, text):
    path = tmp_path / "pseudonym.key"
    path.write_text(text)
    path.chmod(0o600)
    with pytest.raises(PrivacyError, match="restore it from your backup"):
        pseudonymize.private_key(path, tmp_path / "ids.csv")


def test_the_ledger_keeps_hostile_names_and_is_for_the_owner_only(tmp_path):
    book = tmp_path / "ids.csv"
    names = {'a,"b"\n;': "bada", "ü": "gogo", "c\rd": "lala"}
    pseudonymize.write_ledger(book, "f", names)
    assert pseudonymize.read_ledger(book, "f") == names
    assert stat.S_IMODE(book.stat().st_mode) == 0o600


def test_a_damaged_ledger_is_named(tmp_path):
    (tmp_path / "ids.csv").write_text("key,recording,id\nf,a\n")
    with pytest.raises(PrivacyError, match="it is damaged"):
        pseudonymize.read_ledger(tmp_path / "ids.csv", "f")


def test_a_draw_is_fixed_by_name_and_key_and_tells_nothing_of_the_id():
    """The expected number was computed with the program openssl, not with this code."""
    message = b"scrubin draw\0a recording"
    assert pseudonymize.draw("a recording", KEY) == int.from_bytes(hmac.digest(KEY, message, "sha256")[:8], "big") // 2 == DRAWN
    assert pseudonymize.draw("a recording", b"\1" * 32) != DRAWN
    assert pseudonymize.draw("another", KEY) != DRAWN


@given(name=st.text(max_size=12))
def test_a_draw_fits_into_a_column_of_whole_numbers(name):
    assert 0 <= pseudonymize.draw(name, KEY) < 2**63


def ledger_of(folder, *rows):
    book = folder / "ids.csv"
    book.write_text("key,recording,id\n" + "".join(f"{row}\n" for row in rows))
    return book


@pytest.mark.parametrize(
    ("last", "says"),
    [
        ("f,a,zozo", r"ids\.csv, lines 2 and 4: 'a' has two ids, 'bada' and 'zozo'; keep the row with the id under which it was released"),
        ("other,c,zozo", r"ids\.csv, line 4: ids that were given with another key, as in a clone with a key of its own"),
        ("other,c,zozo\nother,a,bada", r"ids\.csv, 2 lines from line 4 to 5: ids that were given with another key"),
        ("f,c,gogo", r"ids\.csv, lines 3 and 4: 'b' and 'c' have one id, 'gogo'; keep the row of the recording that was released under it"),
    ],
)
def test_a_ledger_of_two_clones_that_contradict_each_other_is_refused_with_both_lines(tmp_path, last, says):
    """Else the last row would win, and a released recording would have another id in silence."""
    book = ledger_of(tmp_path, "f,a,bada", "f,b,gogo", last)
    with pytest.raises(PrivacyError, match=says):
        pseudonymize.read_ledger(book, "f")


def test_two_files_of_one_key_may_be_joined_with_both_headers(tmp_path):
    """They differ in their rows, and ``cat`` joins them so."""
    book, other = tmp_path / "ids.csv", tmp_path / "other.csv"
    pseudonymize.write_ledger(book, "f", {"a": "bada"})
    pseudonymize.write_ledger(other, "f", {"b": "gogo"})
    book.write_text(book.read_text() + other.read_text())
    assert pseudonymize.read_ledger(book, "f") == {"a": "bada", "b": "gogo"}


def test_rows_that_say_the_same_twice_contradict_nobody(tmp_path):
    book = ledger_of(tmp_path, "f,a,bada", "f,a,bada")
    assert pseudonymize.read_ledger(book, "f") == {"a": "bada"}
