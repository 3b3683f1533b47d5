from __future__ import annotations

import datetime
import errno
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from scrubin.audit.expected.withdrawal_memory import Memory
from scrubin.base.errors import ReviewError
from scrubin.stages.review import FIRST, Ledger, Line, rewriting
from scrubin.stages.review.events import PERSON

LIBRARY = Path(__file__).parents[2] / "pipelines"
R2_GONE = Memory().with_recording("r2", "consent", {}, [])


@pytest.fixture
def path(tmp_path):
    return tmp_path / "data/private/decisions.jsonl"


def append(ledger, text="x", **rest):
    return ledger.append("acknowledged", {"subject": "warning", "key": text, "why": "w", "until": None}, by="ann", session="s", **rest)


def test_every_line_holds_the_hash_of_the_line_before(path):
    ledger = Ledger(path)
    lines = [append(ledger, str(number)) for number in range(3)]
    assert [line.previous for line in lines] == [FIRST, lines[0].sha256, lines[1].sha256]
    assert Ledger(path).lines() == lines
    assert path.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("line", [1, 2, 3])
def test_a_changed_character_breaks_the_chain_at_the_line_behind_it(path, line):
    ledger = Ledger(path)
    for number in range(4):
        append(ledger, str(number))
    lines = path.read_bytes().splitlines(keepends=True)
    lines[line - 1] = lines[line - 1].replace(b'"why":"w"', b'"why":"v"')
    path.write_bytes(b"".join(lines))
    with pytest.raises(ReviewError, match=rf"line {line + 1}: the chain of decisions is broken here.*restore the file"):
        Ledger(path).lines()


@pytest.mark.parametrize("change", ["taken out", "put in", "exchanged", "no json", "number"])
def test_lines_that_are_taken_out_put_in_or_exchanged_break_the_chain(path, change):
    ledger = Ledger(path)
    for number in range(4):
        append(ledger, str(number))
    lines = path.read_bytes().splitlines(keepends=True)
    if change == "taken out":
        del lines[1]
    elif change == "put in":
        lines.insert(1, lines[0])
    elif change == "exchanged":
        lines[1], lines[2] = lines[2], lines[1]
    elif change == "no json":
        lines[2] = b"{\n"
    else:
        lines[3] = lines[3].replace(b'"number":4', b'"number":5')
    path.write_bytes(b"".join(lines))
    with pytest.raises(ReviewError, match="the chain of decisions is broken here"):
        Ledger(path).lines()
    before = path.read_bytes()
    with pytest.raises(ReviewError):
        append(Ledger(path))
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("chain", "says"),
    [
        ("decisions", "what was decided in another clone comes in by 'scrubin review --export' there and '--import' here"),
        ("labels", "one study is labelled in one folder"),
    ],
)
def test_two_ledgers_that_git_has_put_into_one_are_told_with_the_way_out(path, chain, says):
    append(Ledger(path))
    first = path.read_text()
    append(Ledger(path))
    second = path.read_text().removeprefix(first)
    path.write_text(f"{first}<<<<<<< HEAD\n{second}=======\n{second}>>>>>>> theirs\n")
    with pytest.raises(ReviewError, match=rf"line 2: .* git has put two ledgers into one; take either whole, .*--ours .*; .*{says}"):
        Ledger(path, chain=chain).lines()


def test_an_unfinished_last_line_counts_nothing_and_is_set_aside_by_the_next_append(path):
    ledger = Ledger(path)
    append(ledger)
    with path.open("ab") as file:
        file.write(b'{"at":"2026')
    reader = Ledger(path)
    assert len(reader.lines()) == 1
    assert reader.torn_bytes == 11
    append(reader, "y")
    assert [line.facts["key"] for line in Ledger(path).lines()] == ["x", "y"]
    assert path.with_suffix(".torn").read_bytes() == b'{"at":"2026\n'


def test_a_full_disk_leaves_the_ledger_as_it_was_and_says_so(path, monkeypatch):
    ledger = Ledger(path)
    append(ledger)
    before = path.read_bytes()
    real = os.write

    def half(file, data):
        real(file, data[: len(data) // 2])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", half)
    with pytest.raises(ReviewError, match=r"nothing was written \(No space left on device\); make room"):
        append(ledger, "y")
    monkeypatch.undo()
    assert path.read_bytes() == before
    append(ledger, "z")
    assert [line.facts["key"] for line in Ledger(path).lines()] == ["x", "z"]


def test_a_wish_that_is_sent_twice_is_one_line(path):
    ledger = Ledger(path)
    first = append(ledger, nonce="n")
    assert append(Ledger(path), nonce="n") == first
    assert append(ledger, nonce="m") != first


def test_a_clock_that_was_set_back_does_not_break_the_chain(path):
    times = iter([datetime.datetime(2026, 5, 1, tzinfo=datetime.UTC), datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)])
    ledger = Ledger(path, clock=lambda: next(times))
    append(ledger)
    append(ledger, "y")
    assert [line.at[:4] for line in Ledger(path).lines()] == ["2026", "2020"]


def test_what_another_program_appended_is_seen_without_opening_again(path):
    one, other = Ledger(path), Ledger(path)
    append(one)
    append(other, "y")
    append(one, "z")
    assert [line.facts["key"] for line in other.lines()] == ["x", "y", "z"]


def _append_many(path, name):
    ledger = Ledger(path)
    for number in range(50):
        append(ledger, f"{name}{number}")


@pytest.mark.parametrize(("line", "was_read"), [(2, True), (3, True), (6, True), (6, False)])
def test_a_ledger_that_was_restored_from_a_copy_is_read_again_without_opening_it_anew(path, line, was_read):
    ledger = Ledger(path)
    for number in range(4):
        append(ledger, str(number))
    whole = path.read_bytes()
    Ledger(path).append("acknowledged", {"subject": "warning", "key": "5", "why": "w", "until": None}, by="bob", session="t")
    append(Ledger(path), "6")
    if was_read:
        ledger.lines()
    lines = path.read_bytes().splitlines(keepends=True)
    lines[line - 1] = lines[line - 1].replace(b'"number"', b'"nubmer"')
    path.write_bytes(b"".join(lines))
    for _ in range(2):
        with pytest.raises(ReviewError, match=rf"line {line}: the chain of decisions is broken here"):
            ledger.lines()
    path.write_bytes(whole)
    assert ledger.lines() == Ledger(path).lines()
    assert append(ledger, "7").number == 5


@pytest.mark.slow
def test_two_programs_at_once_lose_nothing(path):
    context = multiprocessing.get_context("spawn")
    programs = [context.Process(target=_append_many, args=(path, name)) for name in "ab"]
    for program in programs:
        program.start()
    for program in programs:
        program.join()
    keys = [line.facts["key"] for line in Ledger(path).lines()]
    assert sorted(keys) == sorted(f"{name}{number}" for name in "ab" for number in range(50))


APPENDING = """
import sys
from pathlib import Path
from scrubin.stages.review import Ledger
ledger = Ledger(Path(sys.argv[1]))
number = 0
while True:
    line = ledger.append("acknowledged", {"subject": "warning", "key": "k" * 5000, "why": str(number), "until": None}, by="a", session="s")
    sys.stdout.write(f"{line.number}\\n")
    sys.stdout.flush()
    number += 1
"""


@pytest.mark.slow
def test_a_program_that_is_killed_while_it_appends_loses_nothing_that_it_confirmed(path):
    for kill in range(20):
        program = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(APPENDING), path],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(LIBRARY)},
        )
        confirmed = [program.stdout.readline()]
        time.sleep(0.003 * kill)
        program.send_signal(signal.SIGKILL)
        confirmed += program.stdout.read().splitlines(keepends=True)
        program.wait()
        program.stdout.close()
        lines = Ledger(path).lines()
        last = max((int(text) for text in confirmed if text.endswith("\n")), default=0)
        assert len(lines) >= last > 0
    assert json.loads(path.read_bytes().splitlines()[0])["number"] == 1


@pytest.mark.parametrize("by", ["Ann", " ann", "ann ", "ANN", "an\u200bn", "ann\ufe0f", "a\u00adnn"])
def test_another_spelling_of_a_name_is_nobody_new_because_one_person_would_count_as_two(path, by):
    append(Ledger(path))
    for ledger in (Ledger(path), Ledger(path)):
        with pytest.raises(ReviewError, match="has 'ann'; write the name like this, or another one if it is another person"):
            ledger.append("acknowledged", {}, by=by, session="s")
    with pytest.raises(ReviewError, match="has no name"):
        Ledger(path).append("acknowledged", {}, by=" \u200b", session="s")
    Ledger(path).append("acknowledged", {}, by="anne", session="s")
    assert [line.by for line in Ledger(path).lines()] == ["ann", "anne"]


@pytest.mark.parametrize("name", ["\u0639\u0644\u06cc\u200c\u0646\u0698\u0627\u062f", "\u0915\u094d\u200d\u0937"])
def test_a_name_may_have_what_joins_letters_in_a_script_that_needs_it(path, name):
    Ledger(path).refuse_respelt(name)
    Ledger(path).append("acknowledged", {}, by=name, session="s")


@pytest.mark.parametrize("hidden", ["\u202e", "\u200b", "\u200d", "\n"])
def test_a_name_with_a_character_that_nobody_sees_is_nobodys(path, hidden):
    by = f"Sara{hidden}abc"
    with pytest.raises(ReviewError, match=r"is no name of a person: .*U\+.*; write it without"):
        Ledger(path).refuse_respelt(by)
    with pytest.raises(ReviewError, match="the name of a person has 1 to 200 letters"):
        Ledger(path).append("acknowledged", {}, by="x" * 201, session="s")
    assert Ledger(path).lines() == []


@pytest.mark.parametrize("left", [0, 1, 5, 8])
def test_a_chain_that_a_withdrawal_made_shorter_is_held_to_its_own_end_once_the_pipeline_has_seen_it(tmp_path, monkeypatch, left):
    """Its first line says how many lines there were before: more than the pipeline has seen since."""
    monkeypatch.chdir(tmp_path)
    facts = {"lines": 4, "changed": 0, "of": 11}
    lines = [Line(n + 1, "p", "at", "" if n == 0 else "ann", "s", "", "seen" if n else "forgotten", facts, f"sha {n}") for n in range(9)]
    rewriting.REVIEW_PATH.parent.mkdir(parents=True)
    known = {"first": "of the chain before", "head": "sha of the chain before", "lines": 10}
    rewriting.REVIEW_PATH.write_text(json.dumps(known))
    rewriting.refuse_shortened(Path("ledger"), lines)
    rewriting.REVIEW_PATH.write_text(json.dumps({"first": "sha 0", "head": "sha 8", "lines": 9}))
    rewriting.refuse_shortened(Path("ledger"), lines)
    with pytest.raises(ReviewError, match="the pipeline has seen 9 lines of it"):
        rewriting.refuse_shortened(Path("ledger"), lines[:left])


@pytest.mark.parametrize("rewrite", [lambda one: rewriting.rename(one, "r2", "two"), lambda one: rewriting.forget(one, R2_GONE)])
def test_a_chain_that_was_written_anew_in_another_clone_is_refused_where_it_lacks_what_was_decided_here(tmp_path, monkeypatch, rewrite):
    """Its first line tells of more lines than the pipeline has seen here, and of other ones."""
    monkeypatch.chdir(tmp_path)
    here, there = Ledger(), Ledger(Path("there.jsonl"))
    for ledger, session, *recordings in ((here, "ben's", "r1", "r2"), (there, "ann's", "r2", "r3", "r2", "r3")):
        for recording in recordings:
            ledger.append("excluded", {"recording": recording, "sha256": {}, "why": "w"}, by=session[:3], session=session)
    rewriting.REVIEW_PATH.parent.mkdir(parents=True)
    for _ in range(2):  # what was taken out once is not missed the next time
        rewriting.REVIEW_PATH.write_text(json.dumps(rewriting.noted(here.lines())))
        rewrite(here)
        rewriting.refuse_shortened(here.path, here.lines())
        here.append("excluded", {"recording": "r2", "sha256": {}, "why": "w"}, by="ben", session="ben's")
    rewrite(there)
    with pytest.raises(ReviewError, match="what was decided in another clone comes in by 'scrubin review --export' there"):
        rewriting.refuse_shortened(there.path, there.lines())


def test_what_the_synthetic_study_brings_along_is_begun_anew_and_what_people_wrote_there_is_not(tmp_path, monkeypatch):
    """Other detectors propose something else, and a program decides about it anew."""
    monkeypatch.chdir(tmp_path)
    rewriting.REVIEW_PATH.parent.mkdir(parents=True)
    rewriting.REVIEW_PATH.write_text(json.dumps({"first": "a", "head": "b", "lines": 9, "synthetic": True}))
    anew = [Line(n + 1, "p", "at", PERSON, "s", "", "decided", {}, f"sha {n}") for n in range(9)]
    rewriting.refuse_shortened(Path("ledger"), anew)
    with pytest.raises(ReviewError, match="the pipeline has seen 9 lines of it"):
        rewriting.refuse_shortened(Path("ledger"), [*anew, Line(10, "p", "at", "ann", "s", "", "decided", {}, "sha 9")])
