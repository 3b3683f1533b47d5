"""The order of phases that are names: published rules count steps between phases, so no order is ever made up."""

import itertools

import pytest

from score_runs import fault, good, put, sides
from scrubin.base.vocabulary.vocabulary import load

COMPAT = ("--semantics", "compat")
SIX = 6


def write(folder, names, spelled=str):
    """Every phase once; each transition is predicted late, which the published rules excuse within ten frames."""
    truth = [name for name in names for _ in range(20)]
    found = [names[max(0, (at - SIX) // 20)] for at in range(len(truth))]
    for side, phases in (("truth", truth), ("found", found)):
        rows = "".join(f"{frame},{spelled(name)}\n" for frame, name in enumerate(phases))
        put(folder, **{side: {"video01.csv": f"frame,phase\n{rows}"}})
    return folder


def numbers(said):
    return [line for line in said.out.splitlines() if "=" in line]


@pytest.fixture
def unknown(tmp_path):
    return write(tmp_path, [f"{letter} {number}" for number, letter in enumerate("gfedcba")])


SPELLINGS = (str, lambda name: name.replace(" ", "_").upper())


@pytest.mark.parametrize(("vocabulary", "spelled"), list(itertools.product(("cholec80", "m2cai", "autolaparo"), SPELLINGS)))
def test_known_phases_have_their_own_order_in_any_spelling(tmp_path, capsys, vocabulary, spelled):
    names = list(load(vocabulary).phases)
    by_name = good(capsys, *sides(write(tmp_path / "named", names, spelled), "phases", *COMPAT))
    by_id = good(capsys, *sides(write(tmp_path / "ids", list(range(len(names)))), "phases", *COMPAT))
    assert numbers(by_name) == numbers(by_id)
    assert ("'autolaparo': the published program knows 7 phases as those of Cholec80 only" in by_name.err) == (vocabulary == "autolaparo")


def test_names_without_a_known_order_are_refused_by_the_published_program(unknown, capsys):
    said = fault(capsys, *sides(unknown, "phases", *COMPAT))
    assert "the published program counts steps from phase to phase, but the order of 'a 6', 'b 5'" in said
    assert "--vocabulary (autolaparo, cholec80," in said
    assert "--variant 'order=FIRST,SECOND,...'" in said
    assert "accuracy (paper)" in good(capsys, *sides(unknown, "phases")).out


def test_an_order_that_is_said_gives_the_numbers_of_ids(unknown, tmp_path, capsys):
    order = "order=G 0, f_1,e 2,d 3,c 4,b 5,a 6"
    named = good(capsys, *sides(unknown, "phases", *COMPAT, "--variant", order))
    assert "these 7 phases are taken for those of Cholec80, in the order that --variant names" in named.err
    assert numbers(named) == numbers(good(capsys, *sides(write(tmp_path / "ids", range(7)), "phases", *COMPAT)))


def test_a_phase_that_does_not_occur_still_has_its_place(tmp_path, capsys):
    write(tmp_path / "named", ["preparing", "cutting", "sewing", "closing"])
    order = "order=preparing,cutting,washing,drying,sewing,closing,leaving"
    assert "n=4" in good(capsys, *sides(tmp_path / "named", "phases", *COMPAT, "--variant", order)).out
    # The highest id that occurs tells how many there are: a second video has it, and one frame only.
    last = {"video02.csv": "frame,phase\n0,6\n"}
    ids = put(write(tmp_path / "ids", [0, 1, 4, 5]), truth=last, found=last)
    with_last = good(capsys, *sides(ids, "phases", *COMPAT, "--variant", "omega=10"))
    assert "phases are taken for those of Cholec80" in with_last.err


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("g 0,f 1,e 2", "it lacks 'a 6', 'b 5', 'c 4', 'd 3'"),
        ("g 0,f 1,e 2,d 3,c 4,b 5,a 6,G_0", "stands twice"),
        ("", "it lacks"),
        ("g 0,f 1,e 2,d 3,c 4,b 5,a 6,h,i", "knows 7 phases (Cholec80) or 8 (M2CAI), not 9"),
    ],
)
def test_an_order_that_does_not_fit_is_refused(unknown, capsys, order, expected):
    assert expected in fault(capsys, *sides(unknown, "phases", *COMPAT, "--variant", f"order={order}"))


def test_a_known_order_is_not_changed(tmp_path, capsys):
    write(tmp_path / "named", list(load("cholec80").phases))
    order = ",".join(reversed(load("cholec80").phases))
    assert "is known, that of 'cholec80'" in fault(capsys, *sides(tmp_path / "named", "phases", *COMPAT, "--variant", f"order={order}"))
    write(tmp_path / "ids", range(7))
    assert "is known, that of their ids" in fault(capsys, *sides(tmp_path / "ids", "phases", *COMPAT, "--variant", "order=a,b,c,d,e,f,g"))
