"""Which strings are private, how each is searched, and what random bytes cost."""

import base64
import dataclasses
import datetime
import os
import re

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scrubin.audit.expected import Text, dates, plan, private_strings
from scrubin.audit.expected.private_strings import LABELS, Labelled, Needle, Private, derive
from scrubin.audit.expected.scanner import BLOCK_WORDS, WORD_BYTES, Scanner
from scrubin.audit.expected.search import CHANCE_HITS, Search, affordable, chance, spellings
from scrubin.audit.expected.spelling import as_written, fold, folded_words, unescaped, words
from scrubin.base.errors import PrivacyError
from scrubin.base.tables.public import public_tables
from scrubin.stages.release.audited_project import public_words
from toy_release import IDS, PARAMS, recordings

DATES = st.dates(datetime.date(1990, 1, 1), datetime.date(2089, 12, 31))


def rules(kind: str, value: str, public: str = "") -> dict[str, str]:
    return {needle.text: needle.rule for needle in private_strings.derive({kind: [value]}, folded_words(public)).needles}


def test_a_participant_gives_its_parts_and_joined_spellings():
    found = rules("participant", "Schmidt_Anna")
    assert {"Schmidt_Anna", "Schmidt", "Anna", "SchmidtAnna", "AnnaSchmidt", "Anna Schmidt", "Anna.Schmidt"} <= found.keys()
    assert set(found.values()) == {"anywhere"}


def test_a_name_in_the_title_is_not_public_by_that():
    params = dataclasses.replace(PARAMS, name="pfefferkorn-study", title="The Pfefferkorn study of Haus Birkenwald")
    public = folded_words(public_words(public_tables(()), params, ["cholect50"], []))
    assert not {"pfefferkorn", "birkenwald"} & public


@pytest.mark.parametrize(
    ("kind", "value", "found"),
    [
        ("trial", "1", {"1": "labelled"}),  # it says nothing alone
        ("site", "A", {"A": "labelled"}),
        ("trial", "pre", {"pre": "labelled"}),
        ("text", "WHITE BALANCE", {}),  # recorders' own words
    ],
)
def test_how_a_value_is_searched_depends_on_what_it_can_mean(kind, value, found):
    assert rules(kind, value) == found


def test_a_path_gives_its_file_its_folders_and_its_words():
    found = rules("path", "videos/Charité/AnnaSchmidt 1.mp4", public="videos mp4")
    assert {"Charité", "AnnaSchmidt 1.mp4", "AnnaSchmidt 1", "Anna", "Schmidt", "AnnaSchmidt"} <= found.keys()
    assert "videos" not in found
    assert "mp4" not in found


def test_a_code_has_one_set_of_forms_whichever_way_it_is_written_with_any_number_of_zeros_and_is_never_turned_round():
    forms = {f"P{gap}{number}" for gap in ("", " ", "_", "-", ".") for number in ("7", "07", "007", "0007")}
    for value in ("P07", "P_07", "P 7", "P-007", "P.7"):
        assert rules("participant", value) == {form: "token" if len(form) < 4 else "anywhere" for form in forms}
    assert "B Box" not in rules("site", "Box B")


def test_a_value_of_public_words_only_is_skipped_and_counted():
    private = private_strings.derive({"path": ["PegTransfer/left.mkv"]}, folded_words("PegTransfer left mkv"))
    assert private.needles == ()
    assert private.skipped == 6  # the path, its folder, file and stem; Peg and Transfer
    assert "BBox" not in rules("participant", "BBox", public="bbox")


def test_public_words_with_a_number_between_them_are_still_private():
    assert "PegTransfer_0417_left" in rules("recording", "PegTransfer_0417_left", public="PegTransfer left")


def test_what_is_public_comes_from_ids_and_declared_texts():
    private = private_strings.of_tables([recordings()], IDS, ["Grünwaldner"])
    assert "Grünwaldner" not in {needle.text for needle in private.needles}
    assert "Grünwaldner_Mechthild" in {needle.text for needle in private.needles}
    assert set(IDS) <= private.public


def test_every_kind_of_private_column_gives_needles():
    kinds = {needle.discloses for needle in private_strings.of_tables([recordings()], IDS, []).needles}
    assert kinds == {"participant", "trial", "site", "recording", "path", "sha256", "date"}


@given(
    DATES, st.sampled_from(["{:%Y-%m-%d}", "{:%Y%m%d}", "{:%d.%m.%Y}", "{:%d-%m-%y}", "x{:%Y_%m_%d}T101112", "{:%d%b%Y}", "{:%B %d, %Y}"])
)
def test_a_date_is_found_in_a_name_in_any_spelling(date, form):
    assert date in dates.dates_in(form.format(date))


@given(
    st.dates(datetime.date(1900, 1, 1), datetime.date(1989, 12, 31)),
    st.sampled_from(["{:%Y-%m-%d}", "geb{:%Y%m%d}", "{:%d.%m.%Y}", "{:%d%m%Y}", "{:%d %B %Y}", "{:%B %d, %Y}"]),
)
def test_a_date_of_birth_is_a_date_and_its_spellings_with_two_digits_are_searched(date, form):
    assert date in dates.dates_in(form.format(date))
    assert {f"{date:%d.%m.%y}", f"{date:%y%m%d}"} <= dates.spellings(date)
    assert date in dates.written_in(f"{date.day}.{date.month}.{date:%y}", known=True)


@pytest.mark.parametrize("text", ["1920x1080", "1920 1080", "00001920", "19201080", "192001", "1899-12-31", "1920-1080", "frame 19503201"])
def test_sizes_and_numbers_of_frames_are_no_dates_of_birth(text):
    assert {date for date in dates.dates_in(text) if date.year < 1990} == set()


def test_a_date_of_birth_in_the_name_of_a_file_is_private_in_every_spelling():
    path = pd.DataFrame({"path": ["videos/nguyen_geb19610503.mkv"]})
    search = Search(private_strings.of_tables([path], IDS, []), 0)
    texts = ["19610503", "1961-05-03", "03.05.1961", "3 May 1961", "05/03/1961", "03051961", "610503", "03.05.61", "3.5.61", "3 mai 1961"]
    assert [text for text in texts if not search.in_text(Text("README.md", f"x {text} y"))] == []
    assert search.in_text(Text("README.md", "made in 1961, in May, 1961 frames of 1920x1080, 2003-05-61")) == set()


@given(DATES)
def test_every_spelling_of_a_date_with_a_day_reads_as_this_date(date):
    for spelling in dates.spellings(date):
        assert date in dates.dates_in(spelling), spelling


@pytest.mark.parametrize("text", ["2023-13-40", "1850-01-01", "123456789", "no date", "99/99/99"])
def test_what_is_no_date_is_not_read_as_one(text):
    assert dates.dates_in(text) == frozenset()


SAYING = [*(label for labels in LABELS.values() for label in labels), "Trial", "STRASSE", "entry", "ſite", "pre"]
BESIDE = [*" _-:=\"'#/.\n\xa0,éÜa٣²", "0", "00", "1", "7", "12", "120", "9" * 5000]
LABELLED = st.builds(
    Needle,
    st.sampled_from(["0", "00", "1", "01", "7", "007", "12", "٣", "1²", "A", "pre"]),
    st.sampled_from([*LABELS]),
    st.just("labelled"),
)


@given(st.lists(LABELLED, max_size=12), st.lists(st.one_of(st.sampled_from(SAYING), st.sampled_from(BESIDE)), max_size=40))
@example([Needle("1", "trial", "labelled"), Needle("01", "trial", "labelled")], ["trial", "try", "-", "00", "1", "_", "trial", "12"])
def test_numbers_beside_a_label_are_found_together_as_each_is_by_itself(needles, pieces):
    text = fold("".join(pieces))
    assert Labelled(needles).in_folded(text) == {needle for needle in needles if needle.labelled.search(text)}


FEW = st.lists(st.sampled_from(b"aA\0 @`\xc3\xe3"), min_size=4, max_size=20).map(bytes)
PATTERN = st.one_of(st.binary(min_size=4, max_size=24), FEW).map(bytes.lower)


@given(st.lists(PATTERN, min_size=1, max_size=6), st.one_of(st.binary(max_size=60), FEW), st.data())
def test_the_scanner_finds_what_a_plain_search_finds(patterns, data, more):
    """Also where one begins inside another, or at any place of a word of four bytes, in small letters and capitals."""
    planted = more.draw(st.sampled_from(patterns))
    data += planted.upper() + data + planted
    places = {pattern: re.finditer(b"(?=" + re.escape(pattern) + b")", data.lower()) for pattern in patterns}
    found = [*Scanner(patterns).find(data)]
    assert set(found) == {(match.start(), pattern) for pattern, matches in places.items() for match in matches}
    assert len(found) == len(set(found))


@pytest.mark.parametrize("lead", range(9))
def test_the_scanner_finds_what_lies_on_the_edge_of_its_blocks(lead):
    edge = BLOCK_WORDS * WORD_BYTES
    data = bytearray(2 * edge + lead)
    places = (0, edge - lead, len(data) - 9)
    for place in places:
        data[place : place + 9] = b"Quillh4ve"
    assert {place for place, _ in Scanner([b"quillh4ve"]).find(bytes(data))} == {*places}


def test_the_scanner_refuses_short_patterns():
    with pytest.raises(ValueError, match="at least 4 bytes, but got b'abc'"):
        Scanner([b"abc", b"abcdef"])


@given(
    st.text(st.characters(categories=["Ll", "Lu"], max_codepoint=0x17F), min_size=4, max_size=10),
    st.sampled_from(["lower", "upper", "title"]),
)
@example("straße", "upper")
def test_a_name_is_found_in_bytes_in_any_case_and_encoding(name, case):
    search = Search(Private((Needle(name, "participant", "anywhere"),)), 1)
    cased = getattr(name, case)()
    for encoding in ("utf-8", "utf-16-le", "utf-16-be"):
        assert search.in_bytes([b"..." + cased.encode(encoding) + b"..."]), encoding


def test_umlauts_are_spelled_in_all_usual_ways():
    found = spellings("Müller")
    assert {
        "müller".encode(),
        "mu\u0308ller".encode(),
        "müller".encode("latin-1"),
        b"muller",
        b"mueller",
        b"m\0u\0e\0l\0l\0e\0r\0",
    } <= found
    assert "mÜller".encode() in found  # only ASCII is lowered in a file


def test_the_raw_search_affords_only_what_chance_does_not_hit():
    """By hand: 6 letters in 100 MB are hit (2/256)^6 * 1e8 = 2.3e-5 times, 4 letters 0.37 times."""
    assert chance(b"schmid") * 1e8 == pytest.approx(2.27e-5, rel=0.01)
    assert affordable([b"schmid", b"anna"], 10**8) == [b"schmid"]
    assert affordable([b"schmid"], 10**12) == []
    assert affordable([b"annaschmidt"], 10**12) == [b"annaschmidt"]
    names = [bytes((97 + i % 26, 97 + i // 26, 110, 111, 112, 113)) for i in range(600)]
    found = affordable(names, 10**8)
    assert 0 < len(found) < len(names)
    assert sum(map(chance, found)) * 1e8 <= CHANCE_HITS


def test_a_raw_file_that_is_called_like_a_frame_is_not_found_in_every_shard_and_one_with_a_name_is():
    private = derive({"path": ["videos/stills/000003.jpg", "videos/stills/anna.jpg"]}, frozenset({"videos", "stills"}))
    search = Search(private, 1, frozenset({"frames/Task/mono/bovi-kuma.tar/000003.jpg"}))
    found = [
        {needle.text for needle in search.in_bytes([b"\0000003.jpg\0", name, b"\0"])} for name in (b"", b"000007.jpg\0", b"anna.jpg\0")
    ]
    assert found == [set(), set(), {"anna", "anna.jpg"}]
    assert {needle.text for needle in search.in_bytes([b"\0videos/stills/000003.jpg\0"])} == {"videos/stills/000003.jpg"}


def test_names_too_short_for_compressed_bytes_are_still_found_in_texts():
    search = Search(Private((Needle("Anna", "participant", "anywhere"),)), 10**12)
    assert not search.in_bytes([b"anna"])
    assert search.in_text(Text("cell", "xx Anna xx"))


CLOSED_UP = [
    *(("王小明", text) for text in ("患者王小明", "王小明的手术", "手术者：王小明医生", "姓名 王 小 明", "患者\u3000王\u3000小\u3000明")),
    *(
        ("王明", "患者王明的手术"),
        ("さとう", "患者さとうさん"),
        ("アン", "ドクターアン先生"),
        ("ลี", "นายลีครับ"),
        ("김철수", "김철수는 환자"),
    ),
]


@pytest.mark.parametrize(("name", "text"), CLOSED_UP)
def test_a_name_of_few_letters_is_found_where_no_blanks_part_words(name, text):
    for private in (private_strings.derive({"participant": [name]}, frozenset()), private_strings.with_requested(Private(), [name])):
        search = Search(private, 10**8)
        assert {needle.text for needle in search.in_text(Text("a", text))} == {name}
        assert name not in text or {needle.text for needle in search.in_bytes([text.encode()])} == {name}
        assert not search.in_text(Text("a", "患者李大明、環さとの、นายล、김철호는"))


@pytest.mark.parametrize("name", ["김", "이", "정", "이 영희"])
def test_a_syllable_of_korean_is_found_alone_and_not_within_other_syllables_or_words(name):
    syllable = name.split()[0]
    for private in (derive({"participant": [name]}, frozenset()), private_strings.with_requested(Private(), [syllable])):
        search = Search(private, 10**8)
        assert search.in_text(Text("a", f"환자 {syllable}, 수술"))
        assert search.in_text(Text("a", "임상 인증 일반 조직 정맥 정확도 김포")) == set()


def test_what_ends_within_a_syllable_of_korean_is_not_found():
    search = Search(derive({"participant": ["미나"]}, frozenset()), 10**8)
    assert search.in_text(Text("a", "환자미나는"))
    assert search.in_text(Text("a", "장미난초")) == set()


@pytest.mark.parametrize("text", ["病人{}的手术", "患者{}さん", "환자 {}는", "นาย{}ครับ"])
def test_a_short_name_is_a_word_between_letters_that_need_no_blanks(text):
    search = Search(derive({"participant": ["Li", "P07"], "trial": ["1"]}, frozenset()), 10**8)
    for name, written in (("Li", "Li"), ("P07", "P07"), ("1", "trial 1")):
        assert name in {needle.text for needle in search.in_text(Text("a", text.format(written)))}
    assert search.in_text(Text("a", "Linda lies, P075, xP07, trial 12")) == set()


def test_words_are_runs_letters_and_humps():
    assert words("P07_AnnaSchmidt-v2") == ("P07", "P", "AnnaSchmidt", "Anna", "Schmidt", "v2", "v")


@pytest.mark.parametrize(
    ("read", "expected"),
    [
        ("Brenner 10:20:26", {"Brenner": "anywhere", "Brenner 10:20:26": "anywhere"}),
        ("Müller, Anna *1960", {"Müller": "anywhere", "Anna": "anywhere", "Müller, Anna *1960": "anywhere"}),
        ("P12345", {"P12345": "anywhere"}),
        ("ID 4711223", {"4711223": "digits"}),
        ("REC 00:01:23", {}),
        ("HD 1080p 50Hz", {}),
        ("10:20:26", {}),
        ("STANDBY Zoom 1.5x", {}),
        ("A 7", {}),
        ("person(0) 0.93", {}),
        ("p12345", {"p12345": "anywhere"}),
        ("환자이름", {"환자이름": "anywhere"}),
        ("王小明 7", {"王小明 7": "anywhere", "王小明": "anywhere"}),
    ],
)
def test_of_text_that_was_read_in_a_picture_only_what_can_name_somebody_counts(read, expected):
    assert rules("text", read) == expected


@pytest.mark.parametrize(("kind", "decision"), [("text", "unreviewed"), ("text", "rejected"), ("out_of_body", "accepted")])
def test_what_a_detector_read_is_private_only_when_a_person_accepted_it_as_text(kind, decision):
    redactions = pd.DataFrame({"kind": [kind], "decision": [decision], "text": ["Brenner 2023-03-24"]})
    assert private_strings.of_tables([private_strings.accepted_texts(redactions)], IDS, []).needles == ()


def test_a_common_word_of_the_documents_names_nobody_where_it_was_read():
    read = pd.DataFrame({"text": ["Person(0)", "Certificate of Brenner"]})
    found = {needle.text for needle in private_strings.of_tables([read], IDS, [], ["a person", "The certificate of"]).needles}
    assert found == {"Brenner", "Certificate of Brenner"}


def test_a_participant_whose_name_is_a_public_word_is_said_to_be_unsearched_and_any_other_is_searched():
    people = pd.DataFrame({"participant": ["Left", "Person", "Left Right 7"]})
    private = private_strings.of_tables([people], IDS, ["left and right"], ["a person"])
    assert private.unsearched == (("participant", "Left"),)
    assert "Person" in {needle.text for needle in private.needles}
    (line,) = private_strings.warnings(private)
    assert line.startswith("the participant 'Left' is called by a word that stands in every release")


@pytest.mark.parametrize(
    ("name", "title"),
    [("王小明", "患者王小明的手术视频"), ("김철수", "환자김철수의수술"), ("Schmidt", "患者schmidt的手术"), ("สมหญิง", "นายสมหญิงครับ")],
)
def test_a_name_inside_a_public_word_without_blanks_is_told_to_the_curator(name, title):
    private = private_strings.of_tables([pd.DataFrame({"participant": [name]})], IDS, [title])
    (line,) = private_strings.warnings(private)
    assert line.startswith(f"the participant {name!r} stands in {as_written(title)!r}, which the release says of itself")
    assert (
        private_strings.warnings(private_strings.of_tables([pd.DataFrame({"participant": ["Mark", "王明"]})], IDS, ["benchmark 手术"]))
        == []
    )


def test_two_letters_of_a_path_count_as_a_word_alone_unless_a_participant_is_called_so_or_a_person_accepted_them_in_a_picture():
    for kind, value, word in (
        ("path", "手术/a.mp4", "手术"),
        ("recording", "录像_a", "录像"),
        ("path", "수술/a", "수술"),
    ):
        assert rules(kind, value)[word] == "token"
    search = Search(derive({"path": ["手术/まい.mp4"]}, frozenset()), 10**8)
    assert search.in_text(Text("a", "本手术的, うまい")) == set()
    assert {needle.text for needle in search.in_text(Text("a", "手术 of まい"))} == {"手术", "まい"}
    named = derive({"path": ["小明.mp4"], "participant": ["王小明"]}, frozenset())
    assert {needle.rule for needle in named.needles if needle.text == "小明"} == {"anywhere"}
    assert rules("text", "王明")["王明"] == "anywhere"
    assert Search(derive({"text": ["王明"]}, frozenset()), 10**8).in_text(Text("a", "患者王明的手术"))


def test_two_letters_of_a_path_that_are_found_between_blanks_alone_are_told_to_the_curator():
    values = {"path": ["手术/王明.mp4", "小明/李丽.mp4"], "recording": ["录像_a"], "participant": ["王小明"], "text": ["李丽"]}
    (line,) = private_strings.warnings(derive(values, frozenset()))
    assert line.startswith("the audit finds '录像', '手术', '王明' of folders, files and recordings between blanks and signs only")
    assert private_strings.warnings(derive({"path": ["lap/手术视频.mp4"], "participant": ["王明", "김"]}, frozenset())) == []


@pytest.mark.parametrize(
    ("name", "found", "others"),
    [
        ("王1", ["患者王1的手术", "video王1", "王1"], "王10例,3 王1a"),
        ("甲1", ["甲1,甲2", "参加者甲1は"], "甲10,甲11 甲100.mp4"),
        ("王A", ["患者王A的手术"], "王AB"),
        ("1東", ["手術は1東で", "1東A"], "11東 a1東"),
        ("ก1", ["นายก1ครับ"], "ก12"),
        ("1기", ["환자 1기의"], "1김"),
    ],
)
def test_a_short_id_of_both_kinds_of_letters_is_judged_at_each_end_by_the_letter_there(name, found, others):
    for private in (derive({"participant": [name]}, frozenset()), private_strings.with_requested(Private(), [name])):
        search = Search(private, 10**8)
        assert all(search.in_text(Text("a", text)) for text in found)
        assert search.in_text(Text("a", others)) == set()


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"path": ["3月/v.mp4"], "recording": ["v"]}, "2024年3月5日"),
        ({"path": ["第3/x.mp4"]}, "第3回"),
        ({"recording": ["第1", "第2"]}, "第1章 第2章"),
        ({"path": ["例1.mp4"]}, "症例1,症例2"),
        ({"path": ["图1.mp4"]}, "如图1所示"),
        ({"path": ["组1/a.mp4"]}, "分组1和分组2"),
        ({"path": ["步A.mp4"]}, "步骤A和步骤B 第步A段"),
    ],
)
def test_a_short_word_of_both_kinds_of_letters_of_files_alone_is_none_inside_others(values, text):
    assert Search(derive(values, frozenset()), 10**8).in_text(Text("a", text)) == set()
    (short,) = {part for part in ("3月", "第3", "第1", "例1", "图1", "组1", "步A") if part in text}
    for kind in ("participant", "site"):
        named = Search(derive({**values, kind: [f"Dr {short}"]}, frozenset()), 10**8)
        assert short in {needle.text for needle in named.in_text(Text("a", text))}
    asked = Search(private_strings.with_requested(derive(values, frozenset()), [short]), 10**8)
    assert asked.in_text(Text("a", text))


def test_a_short_id_inside_a_public_word_without_blanks_passes_and_is_told_to_the_curator():
    private = derive({"participant": ["第3", "王A", "김"]}, folded_words(["第3回", "王A組", "김치"]))
    search = Search(private, 10**8)
    assert search.in_text(Text("a", "第3回 の 王A組, 王a組_第3回")) == set()
    assert {needle.text for needle in search.in_text(Text("a", "第3回, 患者第3"))} == {"第3"}
    assert search.in_text(Text("a", "第3回目 第3"))
    assert [text for _, text, _ in private.inside] == ["王A", "第3"]
    asked = Search(private_strings.with_requested(private, ["第3"]), 10**8)
    assert {needle.text for needle in asked.in_text(Text("a", "第3回 の 王A組"))} == {"第3"}


def test_a_short_word_of_files_alone_that_ends_with_a_digit_or_a_latin_letter_is_none_before_others_of_them():
    search = Search(derive({"path": ["図1/図-/手K.mp4"], "recording": ["約5"], "rig": ["台A"]}, frozenset()), 10**8)
    assert search.in_text(Text("a", "図12, 約500 ml, 手Kurz, 台AB 図1枚")) == set()
    assert {needle.text for needle in search.in_text(Text("a", "図1, 約5_手K (台A) 図-12"))} == {"図1", "約5", "手K", "台A", "図-"}


@pytest.mark.parametrize("kind", ["participant", "site"])
def test_a_letter_with_a_digit_is_an_id_of_whoever_is_called_by_the_letter(kind):
    search = Search(derive({kind: ["王"], "recording": ["王1", "王12", "王A", "李1"]}, frozenset()), 10**8)
    assert {needle.text for needle in search.in_text(Text("a", "患者王1の映像, 患者王Aの手術 と 患者李1の映像, 王100"))} == {"王1", "王A"}


@pytest.mark.parametrize(("needle", "text"), [("KS", "KS手術"), ("P07", "患者P07の手術"), ("Anna", "Annaの手術"), ("Jürg", "juergの手術")])
def test_what_is_asked_for_is_found_inside_public_words_without_blanks(needle, text):
    public = folded_words([text, "Annapolis"])
    search = Search(private_strings.with_requested(derive({}, public), [needle]), 10**8)
    assert {found.text for found in search.in_text(Text("a", text))} == {needle}
    assert search.in_text(Text("a", "Annapolis")) == set()


def test_a_short_id_of_files_inside_a_public_word_without_blanks_is_told_to_the_curator():
    values = {"recording": ["K07", "手術"], "path": ["図1/録画室/v.mp4"]}
    (line,) = private_strings.warnings(derive(values, folded_words(["録画K07の手術", "手術図1枚"])))[:-1]
    assert line.startswith("the recording 'K07' stands in '録画k07の手術', which the release says of itself")
    assert line.endswith("such as release.public_words and the names of tasks")


LINES = [
    rf"cut{end}{one}" for end in (r"\n", r"\\t", r"\r\n", r"\f", r"\0") for one in ("p07", "07b", "trial 2", "person 417", r"subject\_0417")
]


@pytest.mark.parametrize("text", [r'{"a":"x\nP07\ny"}', r"x\\tP07", r"a\r\nP07", r"\nädja", r"D:\n\u00e4dja", r"x\nGrün-\nwaldner", *LINES])
def test_a_name_is_found_behind_an_escaped_end_of_a_line_and_where_it_is_none(text):
    values = {"participant": ["P07", "Nädja", "Grünwaldner", "417"], "recording": ["07b"], "trial": ["2"]}
    search = Search(derive(values, frozenset()), 10**8)
    assert search.in_text(Text("README.md", text))
    assert search.in_text(Text("README.md", r"\nP075 \nxp\n07 \nXP07")) == set()


def test_folders_behind_a_backslash_are_no_ends_of_lines():
    private = derive({"participant": ["Ruth", "Rain", "EST"], "site": ["ﾞ"]}, folded_words(["ground truth", "train", "test"]))
    search = Search(private_strings.with_requested(private, ["ew", "est"]), 10**8)
    assert search.in_text(Text("a", r"data\truth\train\new\test {'f': 'D:\\truth'}")) == set()
    assert search.in_text(Text("a", r"cut\nEW"))


BETWEEN = ["\n", "  ", "\t", "_", "-", "+", "\u00a0", "%20", "&nbsp;", " \n    ", r"\n", r"\_", "\u2011", "\u2013", "\\\n  \\ "]


@pytest.mark.parametrize("between", BETWEEN)
def test_words_are_found_however_they_stand_apart(between):
    private = derive(
        {"participant": ["TN-4"], "recording": ["nr 12", "op_2023-04-17"], "path": ["peg 07 a left.mkv"]}, folded_words("peg left")
    )
    search = Search(private_strings.with_requested(private, ["van der Berg", "MRN 0012345"]), 10**8)
    for one in ("van der Berg", "Van der Bergs", "MRN 0012345", "nr 12", "peg 07 a left", "TN 4", "op 2023 04 17"):
        for structured in (False, True):
            assert search.in_text(Text("a", f"of {one.replace(' ', between)}, too", structured)), one


def test_words_that_stand_apart_inside_others_and_common_ones_with_a_number_are_none():
    values = {"participant": ["P-07"], "path": ["task_1/clip 07.mkv"], "recording": ["2023-04-17", "nr 12"]}
    search = Search(derive(values, frozenset({"task", "clip"})), 10**8)
    text = "step_07, clip_07 of task 1, nr_120, 17 04 23, 1 2023 04\n17"
    assert search.in_text(Text("a", text)) == set()


@pytest.mark.parametrize(
    ("value", "found", "harmless"),
    [
        (
            "P07",
            "P_07|p-07|P 07|P.07|patient: P 07|P\n07|videoP_07|患者P_07|пациентP_07|20230105P_07",
            "step_07|clip0007.mp4|setup-07|07 people|1080p_07|a,07\nplayer,1|fP07|HDP07|P07left|videoP7",
        ),
        ("S 4", "S_04|s4", "labels_4|crops 4"),
        ("E_10", "E10|e 10|20230105E_10|cam2E-10", "frame_10|the 10|1E-10|1.23456789E-10|2.5E10|#4A3E10"),
        ("D10", "D10|20230105D_10|cam3D-10", "3D 10 mm|3D-10|3D10|#123D10"),
        ("P50", "2P_50", "1080P 50|1080P50|mAP50"),
        ("K 12", "cam4K-12", "4K 12 bit|4K12"),
        ("A-10", "cam2A-10", "0A-10|4B1A-10F2"),
        ("3B12", "3B12|1,3B12", "13B12"),
        ("A 10", "A 10|a_10|A-010", "data_10|a 10 s clip"),
        ("OR 2", "OR 2|OR 02|or_2|OR2|Or2.mp4", "floor 2|1 or 2 throws|Or 2 of them|error_2"),
        ("Box B", "box_b|BoxB|Box_B2|HDBox_BLeft", "bbox|black_box_blur|a b box"),
        ("Art Frame", "art_frame", "start_frame|smart frames"),
    ],
)
def test_a_code_is_found_however_it_is_written_and_not_inside_words(value, found, harmless):
    search = Search(derive({"participant": [value]}, folded_words("a or frame frames")), 10**6)
    for text in found.split("|"):
        assert search.in_text(Text("a", f"of {text}, too")), text
    for text in harmless.split("|"):
        assert search.in_text(Text("a", f"of {text}, too", structured=True)) == set(), text
        assert search.in_bytes([f"of {text}, too".encode()]) == set(), text


@pytest.mark.parametrize("said", ["about KS", "at site A", "on nr 12"])
def test_base64_is_read_to_its_end_whether_it_is_padded_or_not(said):
    search = Search(derive({"participant": ["KS"], "site": ["A"], "recording": ["nr 12"]}, frozenset()), 10**8)
    for before in ("it was ", "it was. ", "it was.. "):
        for behind, found in (("", True), ("B" if said[-1].isalpha() else "0", False)):
            code = base64.b64encode(f"{before}{said}{behind}".encode()).decode()
            for text in (code, code.rstrip("="), f"{code};x"):
                assert bool(search.in_text(Text("a", text))) is found, text


def test_half_a_letter_of_utf_16_in_a_private_value_is_searched():
    search = Search(derive({"path": ["\ud800abc"]}, frozenset()), 10**8)
    assert search.in_text(Text("a", "x \ud800abc"))
    assert search.in_text(Text("a", "x abcd")) == set()


def test_what_is_no_text_cannot_be_asked_for():
    with pytest.raises(PrivacyError, match=r"'Kr\\udce4mer' is no text in UTF-8"):
        private_strings.with_requested(Private(), [os.fsdecode(b"Kr\xe4mer")])


def test_a_date_that_was_read_in_a_picture_is_searched_in_every_spelling():
    found = rules("text", "Brenner 2023-03-24 10:20:26")
    assert found["24.03.2023"] == "anywhere"
    assert found["20230324"] == "digits"


def test_the_own_words_of_recorders_are_names_of_participants():
    assert rules("participant", "White")["White"] == "anywhere"


def test_what_was_read_stands_with_the_other_private_values():
    redactions = pd.DataFrame({"recording": ["r1"], "kind": ["text"], "decision": ["accepted"], "text": ["Brenner"]})
    tables = [recordings(), private_strings.accepted_texts(redactions)]
    found = {needle.text: needle.discloses for needle in private_strings.of_tables(tables, IDS, []).needles}
    assert found["Brenner"] == "text"
    assert "which tells the text" in private_strings.Needle("Brenner", "text", "anywhere").message


@pytest.mark.parametrize(
    ("text", "leaks"),
    [
        ("a background leftover", False),
        ("Background_Leftover", False),
        ("ground left", True),
        ("the file ground left.mkv", True),
        ("background lefthanded", True),
        ("playground leftover", True),
    ],
)
def test_a_hit_across_public_words_is_none(text, leaks):
    needles = (Needle("ground left", "path", "anywhere"), Needle("ground_left", "path", "anywhere"))
    search = Search(Private(needles, frozenset({"background", "leftover", "a"})), 1)
    assert bool(search.in_text(Text("README.md", text))) is leaks


@pytest.mark.parametrize(
    ("text", "leaks"),
    [
        ("Kr\u00e4mer-hoff", True),
        ("Kr\u00e4mer hoff", True),
        ("KRAEMER_HOFF", True),
        ("Kr\u00e4mer-\n    hoff", True),
        ("Kr\u00e4mer\u2011hoff", True),
        ("Kr\u00c3\u00a4merhoff", True),
        ("\u00c3\u2026kermann", True),
        ("Kr\u00e4 mer hoff", False),
        ("Kr\u00e4mer, hoff", False),
        ("Kr\u00e4mer hoffen", False),
        ("north wind", False),
        ("a good man", False),
        ("a good-\nman", True),
        ("a stern-man", True),
        ("a stern man", True),
        ("ein Kr\u00e4mer hofft", False),
        ("sil-via", False),
    ],
)
def test_a_name_in_two_parts_or_read_in_another_code_is_found(text, leaks):
    people = {"participant": ["Kr\u00e4merhoff", "\u00c5kermann", "Northwind", "Silvia", "Goodman", "Sternman"]}
    search = Search(private_strings.derive(people, folded_words("north wind")), 0)
    found = search.in_text(Text("README.md", f"said {text} then"))
    assert {needle.discloses for needle in found} == ({"participant"} if leaks else set())
    assert all(needle.text in unescaped(text) for needle in found)
    assert search.in_text(Text("t.csv", "Kr\u00e4mer hoff", structured=True)) == set()


def test_the_words_of_a_name_in_two_parts_can_be_listed_and_the_name_is_found_as_ever():
    found = []
    for listed in ("", "stern man"):
        search = Search(private_strings.derive({"participant": ["Sternman"]}, folded_words(listed)), 0)
        found.append([{one.text for one in search.in_text(Text("x", text))} for text in ("a stern man", "Sternman")])
    assert found == [[{"stern man"}, {"Sternman"}], [set(), {"Sternman"}]]


def test_what_is_taken_out_between_two_words_makes_no_name_of_them():
    search = Search(private_strings.derive({"participant": ["Bergmann"]}, frozenset()), 0)
    stated = plan.Stated(words=frozenset({"of", "the"}))
    assert search.in_text(Text("x", plan.without(stated, "Berg of the Mann clinic"))) == set()
    assert search.in_text(Text("x", plan.without(stated, "of the Berg Mann clinic"))) != set()
    assert dates.written_in(plan.without(stated, "the 3rd of March 2023")) == {datetime.date(2023, 3, 3)}


def test_a_number_of_a_case_gives_no_six_digits_and_a_date_of_birth_does():
    found = rules("path", "videos/MRN 12051923.mkv")
    assert "12051923" in found
    assert not {"120523", "230512", "051223"} & found.keys()
    assert {"610503", "030561"} <= rules("path", "videos/geb 03.05.1961.mkv").keys()
    assert "230512" in rules("path", "videos/op 12052023.mkv")
