import csv
import json
import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubin.base.errors import AnnotationError
from scrubin.base.text.naming import seen
from scrubin.base.vocabulary import own_categories, vocabulary

DATA = Path(__file__).parents[1] / "data" / "vocabulary"
GOLDEN = json.loads((DATA / "ivt_components.json").read_text(encoding="utf-8"))
WORDS = vocabulary.load("cholect50")


def test_every_triplet_has_the_published_ids_and_name():
    with (DATA / "ivt_map.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(WORDS.triplets) == 100
    for row in rows:
        triplet = int(row["triplet"])
        assert WORDS.triplets[triplet] == (int(row["instrument"]), int(row["verb"]), int(row["target"]))
        assert WORDS.triplet_name(triplet) == row["triplet_name"]
        assert WORDS.component("iv")[triplet] == int(row["iv"])
        assert WORDS.component("it")[triplet] == int(row["it"])


@pytest.mark.parametrize("component", ["i", "v", "t", "iv", "it"])
def test_component_vectors_hold_the_ids_that_occur_in_increasing_order(component):
    assert list(WORDS.component_ids(component)) == GOLDEN["component_vector_order"][component]


def test_class_counts_names_and_null_triplets_are_the_published_ones():
    assert {c: len(WORDS.component_ids(c)) for c in vocabulary.COMPONENTS} == GOLDEN["num_classes"]
    assert list(WORDS.null_triplets) == GOLDEN["null_triplets"]
    assert {kind: list(WORDS.names(kind)) for kind in ("instrument", "verb", "target")} == GOLDEN["names"]


def test_published_phase_names_with_their_typo_have_the_published_ids():
    assert [WORDS.id_of("phase", name) for name in GOLDEN["phase_names_cholect50"]] == list(range(7))
    assert WORDS.phases[1] == "calot-triangle-dissection"


def test_names_of_cholec80_have_the_ids_of_their_published_order():
    phases = ["Preparation", "CalotTriangleDissection", "ClippingCutting", "GallbladderDissection", "GallbladderPackaging"]
    phases += ["CleaningCoagulation", "GallbladderRetraction"]
    tools = ["Grasper", "Bipolar", "Hook", "Scissors", "Clipper", "Irrigator"]
    assert [WORDS.id_of("phase", name) for name in phases] == list(range(7))
    assert [WORDS.id_of("instrument", name) for name in tools] == list(range(6))


@given(st.sampled_from(WORDS.targets), st.sampled_from(["_", "-", " ", "  "]), st.sampled_from([str.upper, str.lower, str.title]))
def test_case_and_separators_do_not_count(name, separator, change):
    assert WORDS.targets[WORDS.id_of("target", change(name.replace("_", separator)))] == name


@pytest.mark.parametrize(
    ("words", "kind", "name", "message"),
    [
        ("cholect50", "instrument", "graspr", "'graspr' is no instrument of the vocabulary 'cholect50'; did you mean 'grasper'?"),
        ("cholect50", "instrument", "xyzzy", "known are grasper, bipolar"),
        ("cholect50", "verb", "hook", "'hook' is no verb"),
        ("prostatd", "phase", "closure", "'closure' is no phase of the vocabulary 'prostatd'; it has no phases"),
        ("cholec50", "phase", "closure", "'cholec50' is no vocabulary; did you mean 'cholect50'?"),
        ("multibypasst40", "phase", "closure", "'multibypasst40' is no vocabulary; did you mean 'multibypass140'"),
    ],
)
def test_an_unknown_name_kind_or_vocabulary_is_an_error_with_the_near_miss(words, kind, name, message):
    with pytest.raises(AnnotationError, match=re.escape(message)):
        vocabulary.load(words).id_of(kind, name)


def test_a_combination_that_nobody_labelled_is_no_triplet():
    assert WORDS.triplet_id(4, 8, 3) is None
    assert WORDS.triplet_id(0, 9, 14) == 94


OF_TRIPLETS = [path.name.removesuffix("_triplets.csv") for path in sorted(vocabulary.LISTS.glob("*_triplets.csv"))]


@pytest.mark.parametrize("name", OF_TRIPLETS)
def test_every_vocabulary_states_source_and_version_and_has_distinct_names(name):
    words = vocabulary.load(name)
    assert words.name == name
    assert words.source
    assert words.version
    assert len(words.sha256) == 64
    assert (vocabulary.LISTS / f"{name}_triplets.csv").read_text(encoding="utf-8").startswith("# source: ")
    for kind in vocabulary.KINDS:
        assert len(set(words.names(kind))) == len(words.names(kind))
        # ProstaTD labels no phases.
        assert (len(words.names(kind)) > 0) == ((name, kind) != ("prostatd", "phase"))
    assert len(set(words.triplets)) == len(words.triplets)


@pytest.mark.parametrize("name", [name for name in vocabulary.known() if name not in OF_TRIPLETS])
def test_every_other_vocabulary_states_source_and_version_and_knows_its_spellings(name):
    words = vocabulary.load(name)
    assert words.name == vocabulary.SAME_LISTS.get(name, name)
    assert words.source
    assert words.version
    for kind in vocabulary.NAMINGS:
        assert [words.id_of(kind, spelling) for spelling in words.names(kind)] == list(range(len(words.names(kind))))


def test_prostatd_has_the_published_triplets_and_counts():
    words = vocabulary.load("prostatd")
    assert (len(words.instruments), len(words.verbs), len(words.targets), len(words.triplets)) == (7, 10, 10, 89)
    text = (vocabulary.LISTS / "prostatd_triplets.csv").read_text(encoding="utf-8").splitlines()
    assert sum(int(line.rsplit(",", 1)[1]) for line in text[2:]) == 196_490
    assert [words.triplet_name(i) for i in words.null_triplets] == [f"{name},null,null" for name in words.instruments]
    assert words.triplet_of("driver,retract,bladder") == words.triplet_of("needle driver,retract,bladder") == 53
    assert words.triplet_of("scissors,dissect,fascia") == 20


def test_multibypass140_has_the_published_counts_and_marks():
    words = vocabulary.load("multibypass140")
    assert (len(words.phases), len(words.steps), words.marks) == (13, 46, ("severe_index",))
    assert words.id_of("phase", "out_of_body") == 12
    assert words.steps[45].startswith("s45_")


def test_cholectrack20_is_cholect50_and_the_bag():
    words = vocabulary.load("cholectrack20")
    assert words.triplets == WORDS.triplets
    assert words.instruments == (*WORDS.instruments, "specimen-bag")
    assert words.id_of("instrument", "SpecimenBag") == 6


def test_known_typos_and_the_names_of_other_data_sets_have_the_same_ids():
    cholec80 = vocabulary.load("cholec80")
    assert [cholec80.id_of("phase", name) for name in (*WORDS.phases, "carlot-triangle-dissection")] == [*range(7), 1]
    assert vocabulary.load("cholect45").sha256 == WORDS.sha256
    assert vocabulary.load("endoscapes").id_of("instrument", "Hepatocystic Triangle") == 1
    assert vocabulary.facts("multibypasst40")["counts"]["triplet"] == 85


def test_own_categories_are_a_vocabulary_that_its_content_names():
    lists = {"instrument": ["a", "b"], "verb": ["null"], "target": ["t", "null"], "triplet": ["b,null,null", "a,null,t"]}
    words = own_categories.of_categories("f.json", lists)
    assert words.triplets == ((1, 0, 1), (0, 0, 0))
    assert words.null_triplets == (0, 1)
    assert own_categories.as_categories(words) == lists
    assert own_categories.of_categories("g.json", own_categories.as_categories(words)).name == words.name
    with pytest.raises(AnnotationError, match=r"f.json, categories: the triplet 'a,cut,t' is not instrument,verb,target of the same file"):
        own_categories.of_categories("f.json", {**lists, "triplet": ["a,cut,t"]})
    with pytest.raises(AnnotationError, match="the instrument 'a' stands twice in the categories, also as 'A_'"):
        own_categories.of_categories("f.json", {"instrument": ["a", "A_"]})
    with pytest.raises(AnnotationError, match=r"f.json: the instruments 'a/b' and 'ab' would be one name, as the signs in which they"):
        own_categories.of_categories("f.json", {"instrument": ["a/b", "c", "ab"]})


@pytest.mark.parametrize(
    "number", ["1", " 1 ", "1.", "1)", "1:", "1;", "1_", "_1", "#1", "*1", "'1'", '"1"', "[1]", "<1>", "\ufeff1", "\u200b1"]
)
@pytest.mark.parametrize("around", ["{}", "|{}|", "\u2116 {}", "\u201a{}\u2018", "\u2039{}\u203a"])
def test_what_only_stands_around_a_number_does_not_count(number, around):
    assert vocabulary.fold(around.format(number)) == "1"


def test_a_sign_that_changes_a_number_counts_and_all_hyphens_are_one():
    signed = ["1", "11", "1.1", "1,1", "1-1", "+1", "-1", "(1)", "<1", ">1", "~1", "\u22601", "1-", ".1", "1,", "+", "-"]
    assert len(set(map(vocabulary.fold, signed))) == len(signed)
    for alike in (
        ["-1", "- 1", *(f"{dash}1" for dash in "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\uff0d\ufe63"), "'-1'"],
        ["1-1", "1_1", "1 1", "1\u20131"],
    ):
        assert {vocabulary.fold(name) for name in alike} == {vocabulary.fold(alike[0])}


@pytest.mark.parametrize(
    "names",
    [
        ["P1.1", "P11", "P1 1", "P1,1"],
        ["1.1 Access", "11 Access", "1-1 Access"],
        ["trocar <5 mm", "trocar > 5 mm", "trocar 5 mm"],
        ["bleeding+", "bleeding"],
        ["10\u00b2 mm", "102 mm"],
        ["\u0e15\u0e31\u0e14", "\u0e15\u0e34\u0e14", "\u0e15\u0e14"],
        ["\u0915\u093e\u091f\u0928\u093e", "\u0915\u0940\u091f\u0928\u093e"],
    ],
)
def test_names_that_differ_in_a_vowel_or_in_what_stands_beside_a_digit_are_several(names):
    assert len(set(map(vocabulary.fold, names))) == len(names)


@pytest.mark.parametrize(
    "names",
    [
        ["P1.1", "p-1.1", "P 1. 1", "\uff30\uff11\uff0e\uff11"],
        ["P1 1", "P1-1", "p1_1", "P1\u20111"],
        ["Pr\u00e4paration", "Pra\u0308paration", "PRA\u0308PARATION"],
        ["D\u0130SEKS\u0130YON", "diseksiyon", "di\u0307seksi\u0307yon"],
        ["Phase \u2161", "phase ii"],
        ["LigaSure", "LigaSure\u2122", "ligasure\u00ae", "LigaSure\u2120"],
        ["5 mm", "5 \u339c"],
        ["37 \u00b0C", "37 \u2103"],
        ["background", "<background>", "|Background|", "[background]"],
        ["bladder neck + suture", "bladder-neck suture", "bladder\u200bneck\u00adsuture"],
    ],
)
def test_names_that_differ_in_how_they_are_written_are_one(names):
    assert len(set(map(vocabulary.fold, names))) == 1


@given(st.text(max_size=12))
def test_what_counts_of_a_name_has_its_digits_and_counts_again(name):
    folded = vocabulary.fold(name)
    assert vocabulary.fold(folded) == folded
    of_name = "".join(unicodedata.normalize("NFKC", one) if one.isdecimal() else one for one in seen(name))
    assert re.findall(r"\d+", folded) == re.findall(r"\d+", of_name)


_LETTERS = "aIz\u00e4\u00df\u00e9\u0130\u03c3\u0436\u0915\u0e15"
_LETTERS_OF_A_WORD = st.text(_LETTERS, min_size=1, max_size=3).filter(lambda text: not set(text) <= set("I\u0130"))  # no Roman numbers
_WORDS = st.builds("".join, st.tuples(_LETTERS_OF_A_WORD, st.sampled_from(["", "1", "10", "2.5", "\u093e"])))
_SPACES = ["", " ", "-", "_", " - ", "\u2011", "\u00a0", "\u200b"]


@given(words=st.lists(_WORDS, min_size=1, max_size=4), data=st.data())
def test_case_spaces_hyphens_underscores_and_forms_of_unicode_do_not_count(words, data):
    def written():
        # At the end a hyphen may be a minus.
        name = "".join(word + data.draw(st.sampled_from(_SPACES)) for word in words[:-1]) + words[-1]
        cased = data.draw(st.sampled_from([str, str.upper, str.lower, str.title]))(name)
        return unicodedata.normalize(data.draw(st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"])), cased)

    one, other = written(), written()
    assert vocabulary.fold(one) == vocabulary.fold(other)
    assert vocabulary.bare(one) == vocabulary.bare(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Preparation", "Preparation."),
        ("Calot's triangle", "Calots triangle"),
        ("1. Preparation", "1 Preparation"),
        ("1) Preparation", "1 Preparation"),
        ("Phase 1: Prep", "Phase 1 Prep"),
        ("Dissection (Calot)", "Dissection Calot"),
        ("\u201cPhase 1\u201d", "Phase 1"),
        ("LigaSure\u2122", "LigaSure"),
        ("<background>", "background"),
        ("P-1", "P1"),
        ("P1 - 2", "P1-2"),
        ("Step I II", "step i-ii"),
        ("rotate \u221290", "rotate -90"),
    ],
)
def test_spellings_that_differ_in_what_never_tells_names_apart_are_one_name(one, other):
    assert own_categories.one_each("phase", [(one, "a.csv"), (other, "b.csv")]) == [one]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("rotate \u221290\u00b0", "rotate 90\u00b0"),
        ("tilt -5", "tilt 5"),
        ("tilt (-5)", "tilt (5)"),
        ("grade 2-", "grade 2"),
        ("Bleeding-", "Bleeding"),
        ("Step I-II", "Step II-I"),
        ("Step I-II", "Step III"),
        ("Step I.II", "Step III"),
        ("Step \u24b6", "Step \u24b7"),
        ("Phase 1 \u2192 cut", "Phase 1 cut"),
        ("grasper|1", "grasper1"),
        ("trocar .5 mm", "trocar 5 mm"),
        ("wait 5'", 'wait 5"'),
        ("A'", "A"),
        ("A`", "A"),
        ("A:1", "A1"),
        ("1.A", "1A"),
        ("range [0, 5) mm", "range (0, 5) mm"),
    ],
)
def test_spellings_that_may_be_two_names_are_refused_with_both_files(one, other):
    assert vocabulary.fold(one) == vocabulary.fold(other)
    with pytest.raises(AnnotationError, match=re.escape(f"b.csv: the phases '{one}' of a.csv and '{other}' would be one name")):
        own_categories.one_each("phase", [(one, "a.csv"), (other, "b.csv"), (other, "c.csv")])


def test_names_with_numbers_are_sorted_as_before_signs_counted():
    assert sorted(["Phase 1-1", "Phase 10", "Phase 1-2"], key=vocabulary.alphabetical) == ["Phase 10", "Phase 1-1", "Phase 1-2"]
    assert sorted(["10", "1", "-2", "1-1"], key=vocabulary.alphabetical) == ["-2", "1", "1-1", "10"]


@pytest.mark.parametrize("name", vocabulary.known())
def test_no_two_names_of_a_vocabulary_are_one(name):
    words = vocabulary.load(name)
    for kind in vocabulary.NAMINGS:
        assert [words.find(kind, one) for one in words.names(kind)] == list(range(len(words.names(kind))))
