"""Findings by cause: what is one line, and what stays apart."""

from scrubin.audit import run
from scrubin.audit.expected import Finding


def late(number: int) -> Finding:
    return Finding(f"{number}.mkv", f"frame {number}", "timestamps", f"its time {number} is not after {number + 1}; render it again")


def leak(name: str, file: str) -> Finding:
    return Finding(file, "text", "private-string", f"it holds {name!r}, which tells the participant; take it out")


def test_what_differs_only_in_numbers_and_places_is_one_cause():
    (cause,) = run.by_cause([late(1), late(2)])
    assert str(cause) == "1.mkv, frame 1: [timestamps] its time 1 is not after 2; render it again (2 files, next: 2.mkv, frame 2)"


def test_each_name_that_leaks_is_a_cause_of_its_own_and_several_places_of_a_file_are_counted():
    both = run.by_cause([leak("Li_Wei", "a.txt"), leak("Mechthild", "a.txt"), leak("Li_Wei", "b.txt"), leak("Li_Wei", "a.txt")])
    assert [len(cause.findings) for cause in both] == [3, 1]
    assert str(both[0]).endswith("take it out (3 places in 2 files, next: b.txt, text; a.txt, text)")
    assert run.count_of_causes(both) == "4 findings of 2 causes"


def test_rules_stay_apart_even_when_they_say_the_same():
    assert len(run.by_cause([Finding("a", "", "sei", "strip it"), Finding("a", "", "nal", "strip it")])) == 2


def test_a_table_of_names_does_not_fill_the_screen_and_hides_no_other_rule():
    leaks = [leak(f"person{number}", "a.csv") for number in range(30)] + [leak("person29", "b.csv")]
    lines = run.lines_of_causes(run.by_cause([*leaks, late(1)]))
    assert len(lines) == run.CAUSES_SHOWN + 2
    assert lines[-2] == str(late(1))
    assert lines[-1] == "... and 10 more causes of [private-string]: 11 findings of 10 causes"


def test_one_finding_of_each_cause_is_counted_without_causes():
    assert run.count_of_causes(run.by_cause([late(1)])) == "1 finding"
    assert run.count_of_causes([]) == "0 findings"
