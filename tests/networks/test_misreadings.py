from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubin.media.networks.misreadings import COMMON, WordFinder, edits, fold

ROOT = Path(__file__).parents[2]
_SURNAMES = """\
Müller Schmidt Schneider Fischer Weber Meyer Wagner Becker Schulz Hoffmann Schäfer Koch Bauer Richter Klein Schröder Neumann Schwarz
Zimmermann Braun Krüger Hartmann Lange Lehmann Smith Johnson Williams Jones Garcia Miller Davis Rodriguez Martinez Hernandez Lopez
Gonzalez Wilson Anderson Taylor Moore Jackson Martin Lee Perez Thompson Harris Rossi Russo Ferrari Esposito Bianchi Moreau Laurent
Dubois Bernard Durand Nguyen Kowalski Novak Ivanov Yilmaz Kaya Demir Sørensen Åkesson Ott Stein Brenner Krämerhoff Lindenschmidt
"""
SURNAMES = _SURNAMES.split()
CONFUSED = {"o": "0", "i": "l", "l": "I", "s": "5", "b": "8", "m": "rn", "g": "9", "z": "2", "w": "vv", "d": "cl"}


@pytest.mark.parametrize(
    ("word", "read"),
    [
        ("Brenner", "8RENNER"),
        ("Brenner", "Bren ner"),
        ("Brenner", "Dr.Brenner"),
        ("Brenner", "OP2: brenner4711"),
        ("Brenner", "Brenmer 10:20"),
        ("Hermann", "HERRNANN"),
        ("Krämerhoff", "KRAMERH0FF, F."),
        ("Krämerhoff", "Kraemerhoff"),
        ("Kraemerhoff", "Krämerhoff"),
        ("Søndergård", "Sondergard"),
        ("Weiß", "WEISS"),
        ("Lindenschmidt", "Lindenschmiidt"),
        ("Lindenschmidt", "Lindensch"),
        ("Lindenschmidt", "enschmidt, L."),
        ("UniKlinikum Nordstadt", "UniKlinikurnNordstadt"),
        ("P12345", "Pl2345"),
        ("20230306", "2O23-O3-O6"),
        ("2023-03-06", "2023 03 06 10:20"),
        ("143205", "14:32:05"),
        ("Ott", "Dr. OTT"),
        ("Mark", "MARK 7"),
    ],
)
def test_a_private_word_is_found_however_it_was_read(word, read):
    assert WordFinder([word, "Zimmermann"]).hits(read) == [word]


@pytest.mark.parametrize(
    ("word", "read"),
    [
        ("Mark", "benchmark"),
        ("Ott", "bottom"),
        ("Ott", "0tt"),
        ("Lange", "angle"),
        ("Bauer", "Bayer"),
        ("Brenner", "Bremer"),
        ("Brenner", "Rennen"),
        ("Lindenschmidt", "schmidt"),
        ("Soll", "5011"),
        ("P12345", "P12346"),
        ("P16", "P19"),
        ("20230306", "20230307"),
        ("20230306", "120230306"),
        ("143205", "14:32:06"),
        ("Licht", "light"),
        ("Kamara", "Kamera"),
        ("Brenner", ""),
        ("Brenner", "-- . |"),
    ],
)
def test_what_only_looks_similar_is_no_misreading(word, read):
    assert WordFinder([word]).hits(read) == []


def test_words_too_short_to_say_anything_are_listed_and_never_looked_for():
    finder = WordFinder(["KS", "7", "2023", "-", "Ott"])
    assert finder.too_short == ("-", "2023", "7", "KS")
    assert finder.hits("KS 7 2023 - Ott") == ["Ott"]


def test_a_finder_without_words_finds_nothing():
    assert WordFinder([]).hits("Brenner") == []


def test_a_word_of_recorders_is_found_when_it_is_the_private_word_itself():
    assert WordFinder(["White", "Zoom"]).hits("WHITE BALANCE") == ["White"]


SURNAMES_OTHERWISE = {"kramerhof", "merhoff", "mueller", "rodrigues"}
"""In the texts by chance, or as examples of how a name is written, and right to be taken for Krämerhoff, Müller and Rodriguez."""


@pytest.mark.slow
def test_words_of_a_long_text_are_almost_never_taken_for_one_of_seventy_surnames():
    """The vocabulary of all documents and modules: each false alarm would be a person's work."""
    texts = [path.read_text(encoding="utf-8") for path in sorted([*ROOT.glob("docs/*.md"), *ROOT.rglob("pipelines/scrubin/**/*.py")])]
    vocabulary = sorted({one.lower() for text in texts for one in re.findall(r"[A-Za-z]{4,}", text)})
    finder = WordFinder(SURNAMES)
    wrong = {one: finder.hits(one) for one in vocabulary if finder.hits(one) and not any(fold(name) in one for name in SURNAMES)}
    wrong = {one: names for one, names in wrong.items() if one not in SURNAMES_OTHERWISE}
    assert len(vocabulary) > 4000
    assert len(wrong) <= len(vocabulary) / 1000, wrong


@given(word=st.sampled_from(SURNAMES), choices=st.lists(st.booleans(), min_size=16, max_size=16))
def test_any_two_cheap_confusions_are_forgiven_from_four_letters_on(word, choices):
    read, left = "", 2
    for letter, confused in zip(fold(word), choices, strict=False):
        changed = confused and left and letter in CONFUSED and len(word) >= 5
        read, left = read + (CONFUSED[letter] if changed else letter), left - bool(changed)
    assert word in WordFinder([word]).hits(f"Dr. {read}, 10:20")


@pytest.mark.slow
@given(
    word=st.text(st.characters(categories=["L", "Nd"], max_codepoint=0x17F), min_size=6, max_size=20),
    around=st.sampled_from(["", " ", ": "]),
)
def test_every_word_is_found_in_any_case_and_between_any_others(word, around):
    finder = WordFinder([word])
    for read in (word, word.upper(), f"OP{around}{word}{around}4711"):
        if fold(read) != fold(word) and around == "" and word[0].isdigit() | word[-1].isdigit():
            continue  # a part of a longer number
        assert finder.hits(read) == ([] if finder.too_short else [word])


@pytest.mark.slow
@given(st.lists(st.sampled_from(SURNAMES), max_size=8), st.text(max_size=40))
def test_hits_are_words_of_the_list_sorted_and_each_once(words, read):
    hits = WordFinder(words).hits(read)
    assert hits == sorted(set(hits))
    assert set(hits) <= set(words)


@given(st.sampled_from([word for word in SURNAMES if len(word) <= 5]), st.sampled_from([word for word in SURNAMES if len(word) <= 5]))
def test_a_short_word_is_never_taken_for_another_one(one, other):
    if fold(one) != fold(other):
        assert WordFinder([one]).hits(other) == []


def test_longer_words_may_differ_by_more_letters_but_never_by_more_than_four():
    allowed = [edits(length) for length in range(1, 60)]
    assert allowed == sorted(allowed)
    assert max(allowed) == 4
    assert all(4 * count <= length for length, count in enumerate(allowed, 1))


def test_the_vocabulary_of_recorders_is_folded():
    assert all(one == one.casefold() for one in COMMON)
