"""Who may come in: tokens are kept as hashes, names in one private file, numbers for good."""

from __future__ import annotations

import stat

import pytest

from each import each
from scrubin.base.errors import ReviewError
from scrubin.curate.label import people


@pytest.fixture
def path(tmp_path):
    return tmp_path / "private/people.csv"


def test_a_token_opens_for_whom_it_was_made_and_is_kept_by_nobody(path):
    ann, of_ann = people.add("Ann Weber", "annotator", path)
    ben, of_ben = people.add("Ben, the 2nd", "adjudicator", path)
    assert (ann.number, ben.number) == (1, 2)
    known = people.load(path)
    assert people.of_token(known, of_ann) == ann
    assert people.of_token(known, of_ben) == ben
    assert people.of_token(known, of_ann[:-1]) is people.of_token(known, "") is None
    assert of_ann not in path.read_text(encoding="utf-8")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_new_token_ends_the_old_one_and_the_number_stays(path):
    _, old = people.add("Ann", "annotator", path)
    people.add("Ben", "annotator", path)
    ann, new = people.add(" Ann ", "annotator", path)
    assert ann.number == 1
    assert people.of_token(people.load(path), old) is None
    assert people.of_token(people.load(path), new) == ann


@pytest.mark.parametrize("spelt", ["ann lee", "Ann-Lee O'Hara", "ann\u2010lee o\u2019hara"])
def test_another_spelling_of_a_name_is_nobody_new(path, spelt):
    people.add("Ann Lee", "annotator", path)
    people.add("Ann\N{EN DASH}Lee O\N{RIGHT SINGLE QUOTATION MARK}Hara", "annotator", path)
    with pytest.raises(ReviewError, match=r"differs from .* in case, spaces, dashes, .* only; write the name like this"):
        people.add(spelt, "annotator", path)
    assert len(people.load(path)) == 2


def test_who_is_shut_out_cannot_come_in_and_nobody_else_gets_the_number(path):
    _, token = people.add("Ann", "annotator", path)
    assert people.shut_out("Ann", path).number == 1
    assert people.of_token(people.load(path), token) is None
    assert people.add("Ben", "annotator", path)[0].number == 2
    with pytest.raises(ReviewError, match="there is no 'Amm'; known are Ann, Ben"):
        people.shut_out("Amm", path)


def test_nobody_settles_what_they_labelled(path):
    people.add("Ann", "annotator", path)
    with pytest.raises(ReviewError, match="'Ann' is annotator; whoever labels does not settle"):
        people.add("Ann", "adjudicator", path)


@each(
    "name, says",
    [
        ("", "the name of a person has 1 to 200 letters"),
        ("   ", "the name of a person has 1 to 200 letters"),
        ("x" * 201, "the name of a person has 1 to 200 letters"),
        ("a\nb", r"'a\\nb' is no name of a person: .* \(U\+000A, a control character\); write it without"),
        ("Sara\u202eabc", r"'Sara\\u202eabc' is no name of a person: .* \(U\+202E, right-to-left override\); write it without"),
    ],
)
def test_a_name_is_a_line_of_text_that_can_be_read(path, name, says):
    with pytest.raises(ReviewError, match=says):
        people.add(name, "annotator", path)


HEADER = "number,name,role,token_sha256\n"


@each("text", ["number,name\n1,Ann\n", f"{HEADER}x,Ann,annotator,\n", f"{HEADER}1,Ann,chief,\n"])
def test_a_damaged_list_is_named_and_lets_nobody_in(path, text):
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ReviewError, match=r"people\.csv.*(restore|add them)"):
        people.load(path)


def test_a_number_that_stands_twice_is_refused(path):
    path.parent.mkdir()
    path.write_text("number,name,role,token_sha256\n1,Ann,annotator,\n1,Ben,annotator,\n", encoding="utf-8")
    with pytest.raises(ReviewError, match="a number or a name stands twice"):
        people.load(path)
