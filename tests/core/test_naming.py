"""Names as people write them: who is one, who is nobody, who is several."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubin.base.text import naming

ERRORS = "#N/A #NV #REF! #BEZUG! #WERT! #VALEUR! #¡VALOR! #NAME? #NOM? #¿NOMBRE? #DIV/0! #¡DIV/0! #NULL! #NUM! #ZAHL! #ÜBERLAUF! #N/D"
NOBODY = "#### Err:502 =B2 =VLOOKUP(A1;1) n.a. -- \u2014 nobody \u200b N/A\u200b TBD unbekannt k.A. n.n."


@pytest.mark.parametrize("cell", [*ERRORS.split(), *NOBODY.split()])
def test_what_spreadsheets_and_people_write_for_nobody_names_nobody(cell):
    assert naming.nobody(cell)


NAMES = "K.A. N.A. N.N. #NA #ND #Anna! ## 0 P0 01 10 #1 #Anna N Na-Ri P=1 -1 Err X"


@pytest.mark.parametrize("cell", [*NAMES.split(), "None Smith"])
def test_what_could_be_a_name_is_one(cell):
    assert not naming.nobody(cell)


HIDDEN = [0x00AD, 0x034F, 0x061C, 0x180E, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x202E, 0x2060, 0x3164, 0xFE00, 0xFE0F, 0xFEFF, 0xFFA0]


@pytest.mark.parametrize("code", [*HIDDEN, 0x1D173, 0xE0001, 0xE0100])
def test_what_does_not_show_makes_no_other_name(code):
    hidden = chr(code)
    for name in (f"{hidden}Ann Lee", f"An{hidden}n Lee", f"Ann {hidden} Lee", f"Ann Lee{hidden}"):
        assert naming.seen(name) == "Ann Lee"
        assert naming.spelling(name) == naming.spelling("ann lee")


@pytest.mark.parametrize("dash", "\u2010\u2011\u2012\u2013\u2014\u2212\ufe63\uff0d")
def test_dashes_apostrophes_and_blanks_of_any_kind_are_one(dash):
    assert naming.seen(f"P{dash}01") == "P-01"
    for mark in "\u2018\u2019\u02bc\u00b4\uff07`":
        assert naming.spelling(f"O{mark}Hara{dash}Lee") == "o'hara-lee"
    for blank in "\u00a0\u2003\u2007\u202f\u3000\u2028\t":
        assert naming.seen(f"Ann{blank}Lee") == "Ann Lee"


@given(st.text())
def test_what_is_seen_of_a_name_is_seen_of_what_is_seen(name):
    assert naming.seen(naming.seen(name)) == naming.seen(name)
    assert naming.spelling(naming.seen(name)) == naming.spelling(name)


@pytest.mark.parametrize(
    "names",
    [["novice+", "novice"], ["P1,", "P1"], ["Rio & Co", "Foo & Co"], ["Smith and Sons", "Jones and Sons"], ["A/B team", "C/D team"]],
)
def test_a_sign_at_the_end_of_a_name_or_a_word_that_many_have_makes_no_second_person(names):
    assert naming.of_several(names) == {}


def test_people_in_lists_who_stand_in_another_list_are_several():
    assert naming.of_several(["S0; S3", "S1; S3"]) == {"S0; S3": ("S3", "S1; S3"), "S1; S3": ("S3", "S0; S3")}
    assert set(naming.of_several(["S0 & S3", "S1 & S3", "S0 & S1"])) == {"S0 & S3", "S1 & S3", "S0 & S1"}
