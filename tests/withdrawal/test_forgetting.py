"""The ledger forgets who withdrew: no line of theirs, no name, the others as they were, and the chain holds."""

import dataclasses
import datetime

import pytest

from scrubin.audit.expected.withdrawal_memory import Memory
from scrubin.cli import review
from scrubin.stages.review import Ledger, events, rewriting
from scrubin.stages.review.events import (
    Acknowledged,
    Checked,
    Clip,
    Decided,
    DecidedSpan,
    Excluded,
    Forgotten,
    Sampled,
    Seen,
    Sheet,
    Withdrawn,
)

GONE = Memory().with_recording("gone_rec", "consent", {"id": ["blorkfamp"]}, ["gone_rec", "blorkfamp", "Mustermann_Max"])
SPAN = DecidedSpan("accept", 0, 3, 0.0, 0.2)
THEIRS, OTHER = Clip("blorkfamp", "gone_rec", 0.0, 5.0), Clip("glimst", "other", 0.0, 5.0)


def decided(recording: str, why: str = "") -> Decided:
    return Decided(recording, "left", "5" * 64, "text", (SPAN,), None, why, "", "d")


EVENTS = (
    ("decided", decided("other", "the same as in gone_rec, says Mustermann Max")),
    ("decided", decided("gone_rec")),
    ("seen", Seen("gone_rec", "left", "5" * 64, "lens", ((0, 1, 4),), ((0, 0),))),
    ("excluded", Excluded("gone_rec", {"left": "5" * 64}, "blurred")),
    ("withdrawn", Withdrawn(4, "")),
    ("seen", Seen("other", "left", "6" * 64, "lens", ((0, 1, 4),), ((0, 0),))),
    ("decided", decided("other", "mine")),
    ("withdrawn", Withdrawn(7, "")),
    ("acknowledged", Acknowledged("quarantine", "gone_rec", "known", None)),
    ("acknowledged", Acknowledged("near-duplicate", "blorkfamp,glimst", "known", None)),
    ("acknowledged", Acknowledged("near-duplicate", "glimst,snurpo", "known", None)),
    ("sampled", Sampled("7" * 64, 0, 9, (THEIRS, OTHER))),
    ("checked", Checked("7" * 64, THEIRS, "clean", "")),
    ("checked", Checked("7" * 64, OTHER, "clean", "")),
    ("imported", Sheet("8" * 64, 3)),
)


@pytest.fixture
def ledger(tmp_path) -> Ledger:
    filled = Ledger(tmp_path / "data/private/decisions.jsonl", clock=lambda: datetime.datetime(2026, 1, 31, tzinfo=datetime.UTC))
    for event, facts in EVENTS:
        filled.append(event, dataclasses.asdict(facts), by="ann", session="s")
    return filled


def test_no_line_about_them_is_left_and_the_first_says_how_many_went(ledger):
    before = ledger.lines()
    assert rewriting.forget(ledger, GONE)
    after = Ledger(ledger.path).lines()  # read as a whole: the chain holds
    assert events.event_of(after[0]) == Forgotten(lines=7, changed=2, of=15, head=before[-1].sha256, sessions={"s": 7})
    data = ledger.path.read_text()
    assert not any(name in data for name in ("gone_rec", "blorkfamp", "Mustermann"))
    assert ledger.path.stat().st_mode & 0o077 == 0


def test_all_other_lines_are_as_they_were_and_point_at_the_same_ones(ledger):
    rewriting.forget(ledger, GONE)
    said = [events.event_of(line) for line in ledger.lines()[1:]]
    wanted = [EVENTS[number][1] for number in (0, 5, 6, 7, 10, 11, 13, 14)]
    wanted[0] = decided("other", "the same as in (withdrawn), says (withdrawn)")
    wanted[3] = Withdrawn(4, "")  # the same line, which now has another number
    wanted[5] = Sampled("7" * 64, 0, 9, (OTHER,))
    assert said == wanted
    assert {(line.by, line.session) for line in ledger.lines()[1:]} == {("ann", "s")}


def test_a_ledger_that_says_nothing_of_them_is_not_touched(ledger):
    before = ledger.path.read_bytes()
    assert not rewriting.forget(ledger, Memory())
    assert not rewriting.forget(ledger, Memory().with_recording("somebody else", "other", {}, []))
    assert ledger.path.read_bytes() == before


def test_a_second_withdrawal_keeps_what_the_first_said_and_people_go_on_deciding(ledger):
    open_page = Ledger(ledger.path)
    open_page.lines()
    rewriting.forget(ledger, GONE)
    open_page.append("seen", dataclasses.asdict(EVENTS[5][1]), by="ben", session="t")
    assert rewriting.forget(ledger, GONE.with_recording("other", "request", {"id": ["glimst"]}, []))
    first, second, *rest = [events.event_of(line) for line in Ledger(ledger.path).lines()]
    assert (first.of, second.of) == (10, 15)
    assert rest == [EVENTS[-1][1]]


def test_what_a_killed_program_left_goes_too(ledger):
    with ledger.path.open("ab") as file:
        file.write(b'{"at": "gone_rec')
    ledger.path.with_suffix(".torn").write_bytes(b"gone_rec\n")
    rewriting.forget(ledger, GONE)
    assert b"gone_rec" not in ledger.path.read_bytes()
    assert not ledger.path.with_suffix(".torn").exists()


def test_verifying_says_that_lines_were_taken_out(ledger, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    rewriting.forget(ledger, GONE)
    assert review.verify_ledger(ledger.path) == 0
    assert "9 lines by 1 person, the chain holds" in (said := capsys.readouterr().out)
    assert "7 of 15 lines were taken out, because somebody withdrew" in said


def test_verifying_after_a_withdrawal_speaks_only_of_clocks_that_were_set_back(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    hours = iter((1, 2, 3, 4, 5, 6))
    ledger = Ledger(tmp_path / "decisions.jsonl", clock=lambda: datetime.datetime(2026, 1, 31, next(hours), tzinfo=datetime.UTC))
    for event, facts in EVENTS[:3] + EVENTS[5:7]:
        ledger.append(event, dataclasses.asdict(facts), by="ann", session="s")
    rewriting.forget(ledger, GONE)
    rewriting.rename(ledger, "other", "another")
    review.verify_ledger(ledger.path)
    assert "a clock" not in capsys.readouterr().out
    hours = iter((4,))
    ledger.append("seen", dataclasses.asdict(EVENTS[5][1]), by="ann", session="s")
    review.verify_ledger(ledger.path)
    assert "a clock was set back 1 time; the order" in capsys.readouterr().out
