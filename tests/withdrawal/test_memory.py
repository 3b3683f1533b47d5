"""What is remembered of somebody can be asked for and not be read, and finds them in any text again."""

import pickle
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubin.audit.expected import withdrawal_memory
from scrubin.audit.expected.spelling import RUN
from scrubin.audit.expected.withdrawal_memory import MOST_PARTS, Gone, Memory, beginning
from scrubin.base.errors import PrivacyError
from scrubin.base.text.naming import look

SHA256 = "5" * 64
FACTS = {"id": ["blorkfamp"], "path": ["videos/a b.mkv"], "sha256": [SHA256]}


@pytest.fixture
def known() -> Memory:
    who = Memory().with_participants(["Müller_Anna"])
    return who.with_recording(
        "2023-04-17_Müller_Anna_T1", "consent", FACTS, ["2023-04-17_Müller_Anna_T1", "Müller_Anna", "blorkfamp", "P07"]
    )


def test_nobody_is_remembered_before_somebody_withdraws(tmp_path):
    assert not withdrawal_memory.load(tmp_path)
    assert "anybody" not in withdrawal_memory.load(tmp_path)
    withdrawal_memory.write(Memory(), tmp_path)
    assert withdrawal_memory.load(tmp_path) == Memory()
    assert 'salt": ""' in (tmp_path / withdrawal_memory.PATH).read_text()  # the same in every study, so that its hash is


def test_everything_that_names_a_recording_is_known_again(known, tmp_path):
    withdrawal_memory.write(known, tmp_path)
    again = pickle.loads(pickle.dumps(withdrawal_memory.load(tmp_path)))
    assert again == known
    assert hash(again) == hash(known)
    assert "2023-04-17_Müller_Anna_T1" in again
    assert "blorkfamp" in again
    assert again.has("path", "videos/a b.mkv")
    assert again.has("sha256", SHA256)
    assert again.has_participant("Müller_Anna")
    assert again.reason("2023-04-17_Müller_Anna_T1") == "consent"
    others = ("2023-04-17_Müller_Anna_T2", "videos/a b.mkv", SHA256, "Müller_Anna", "", None)
    assert not any(one in again for one in others)


def test_nothing_can_be_read_from_it_and_nobody_else_may_read_it(known, tmp_path):
    withdrawal_memory.write(known, tmp_path)
    text = (tmp_path / withdrawal_memory.PATH).read_text()
    assert not any(word in text for word in ("Anna", "blorkfamp", SHA256, "videos", "2023-04"))
    assert (tmp_path / withdrawal_memory.PATH).stat().st_mode & 0o077 == 0
    other = Memory().with_recording("2023-04-17_Müller_Anna_T1", "consent", FACTS, [])
    assert not known.hashes & other.hashes  # keyed: two studies tell nothing of each other


@pytest.mark.parametrize(
    "text",
    [
        "seen by Müller Anna",
        "müller-anna.mkv",
        "frames/blorkfamp/000001.jpg",
        '{"id": "BLORKFAMP"}',
        "P07, again",
        "x;2023_04_17 müller.anna T1",
    ],
)
def test_names_and_ids_are_found_in_texts_however_they_are_joined(known, text):
    assert known.in_text(text)


@pytest.mark.parametrize("text", ["Anna Müller", "blorkfamps", "blork famp", "P0751", "17", "Müller", ""])
def test_other_words_are_not(known, text):
    assert known.in_text(text) == set()


SIGNED = ["김민준", "정현", "สมหญิง", "ณัฐวุฒิ", "รัตนาภรณ์", "มีนา", "អូន", "សុខវណ្ណា", "အောင်", "ဇော်ဇော်", "ສົມພອນ", "アレクサンドリーナ"]


@pytest.mark.parametrize("name", SIGNED)
def test_a_name_of_letters_with_signs_is_found_where_no_blanks_part_words(name):
    known = Memory().with_recording("rec", "consent", {}, [], [name])
    for before, behind in (("환자", "는"), ("นาย", "ครับ"), ("លោក", "និង"), ("ဦး", "သည်"), ("患者", "さん")):
        assert known.told_in(f"{before}{name}{behind}")
        assert known.told_in(f"{before} {name} {behind}")
        assert known.told_in(before + behind) == set()


@pytest.mark.parametrize(("name", "kept"), [("สมหญิง", "สมหญ ง"), ("สุรชัย", "ส รช ย,สรช ย"), ("သန်းသန်း", "သန သန")])
def test_who_was_remembered_in_pieces_by_an_earlier_edition_is_still_found(name, kept):
    known = Memory().with_recording("rec", "consent", {}, [], [])
    of = known._recording("rec")
    known = replace(known, recordings={of: Gone("consent", frozenset(known._of("words", one) for one in kept.split(",")))})
    assert known.told_in(name)
    assert known.told_in(f"นาย{name}ครับ")
    assert known.in_text(name)


@pytest.mark.parametrize("text", ["患者王小明的手术", "王小明", "患者Ostermann的手术", "手術者：欧阳小明医生", "病人P07的"])
def test_who_withdrew_is_found_where_no_blanks_part_words(text):
    known = Memory().with_recording("rec", "consent", {}, [], ["王小明", "欧阳小明", "Ostermann", "P07"])
    assert known.told_in(text)
    assert known.told_in("患者王大明的手术, Ostermanns, P075") == set()


LONG = ["เทพหัสดินณอยุธยา", "สมหญิงรัตนพงศ์ไพบูลย์", "フランシスコハビエルガルシア", "김" * 40, "王1", "김1", "1東", "王小明Li"]


@pytest.mark.parametrize("name", LONG)
def test_a_name_of_many_letters_or_of_two_kinds_is_found_where_no_blanks_part_words(name):
    known = Memory().with_recording("rec", "consent", {}, [], [name])
    assert known.told_in(f"患者{name}的")
    assert known.told_in(f"นาย{name}ครับ")
    assert known.told_in(f"患者{name[:-1]}的, {name}2, 2{name}") == known.told_in(f"{name}2, 2{name}")


def test_only_pieces_as_long_as_a_name_are_hashed_where_no_blanks_part_words(monkeypatch):
    known = Memory().with_recording("rec", "consent", {}, [], ["王小明"])
    assert known.told_in("患者王小明的")
    done = []
    monkeypatch.setattr(withdrawal_memory.hmac, "digest", lambda *args: done.append(args) or bytes(32))
    known.told_in("".join(map(chr, range(0x4E00, 0x5200))))
    assert len(done) < 2000


def test_a_number_in_digits_of_letters_without_blanks_is_found_beside_others():
    for number in ("๒๐๔๘๑๒", "໒໐໔໘໑໒", "២០៤៨១២", "၂၀၄၈၁၂"):
        known = Memory().with_recording("rec", "consent", {}, [], [number])
        assert all(known.told_in(text) == {number} for text in (f"HN{number}", f"{number}HN", f"HN{number}HN", number, f"เลข{number}"))
        assert known.told_in(f"HN{number}{number[0]} 0.{number} HN0.{number}") == set()


@pytest.mark.parametrize("number", ["204812", "20481234"])
def test_a_fraction_beside_its_unit_is_no_number_of_who_withdrew(number):
    known = Memory().with_recording("rec", "consent", {}, [], [number])
    assert known.told_in(f"长度0.{number}毫米 と{number}.5秒" if number == "204812" else f"长度0.{number}毫米") == set()
    for text in (f"长度{number}毫米", f"{number}秒", f"第{number}", f"长度{number}"):
        assert known.told_in(text) == {number}


def test_numbers_and_short_words_are_not_searched_because_they_stand_everywhere():
    known = Memory().with_recording("rec", "other", {}, ["12", "2023-04-17", "out", "of"])
    assert known.in_text("12 of 2023-04-17 out of rec") == set()


def test_more_is_learned_of_a_recording_and_the_first_reason_stays(known):
    more = known.with_recording("2023-04-17_Müller_Anna_T1", "quality", {"id": ["secondid"]}, [])
    assert "secondid" in more
    assert "blorkfamp" in more
    assert more.reason("2023-04-17_Müller_Anna_T1") == "consent"


def test_who_never_withdrew_is_forgotten_altogether(known):
    assert known.without(["Müller_Anna"], ["2023-04-17_Müller_Anna_T1"]) == Memory()


@pytest.mark.parametrize("hidden", ["\u200b", "\u00ad", "\ufeff", "\u200e", "\u2060", "\ufe0f", "\u200d"])
def test_what_does_not_show_hides_nobody_who_withdrew(hidden):
    known = Memory().with_participants(["P 01"]).with_recording(f"op{hidden}01", "consent", {}, [])
    for name in (f"P{hidden} 01", f"{hidden}P 01", "P\N{NO-BREAK SPACE}01", "P 01"):
        assert known.has_participant(name)
    assert known.reason("op01") == known.reason(f"op01{hidden}") == "consent"
    assert not known.has_participant("P 1")
    assert known.without([f"P 01{hidden}"], ["op01"]) == Memory()
    assert hidden not in Memory().with_recording("", "other", {}, [])


def test_what_an_earlier_edition_remembered_as_it_was_written_is_known(known):
    written = "P\N{ZERO WIDTH SPACE}01"
    participant, recording = (known._of(kind, written) for kind in ("participant", "recording"))
    earlier = replace(known, participants=frozenset({participant}), recordings={recording: Gone("legal", frozenset())})
    assert earlier.has_participant(written)
    assert earlier.reason(written) == "legal"
    assert earlier.with_recording(written, "other", {}, []).reason(written) == "legal"
    assert earlier.without([written], [written]) == Memory()


@given(st.text(max_size=30), st.text(max_size=30))
def test_only_names_that_look_like_it_are_known(name, other):
    known = Memory().with_recording(name, "other", {}, [name])
    assert name in known
    assert (other in known) == (look(other) == look(name))
    known.in_text(f"{other} {name}")  # no text is too odd


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"salt": "zz", "participants": [], "recordings": {}, "splits": {}}'])
def test_a_damaged_memory_stops_everything_because_somebody_could_come_back(tmp_path, text):
    (tmp_path / withdrawal_memory.PATH).parent.mkdir(parents=True)
    (tmp_path / withdrawal_memory.PATH).write_text(text)
    with pytest.raises(PrivacyError, match=r"it does not say who withdrew .*restore it from your backup"):
        withdrawal_memory.load(tmp_path)


WORDS = st.sampled_from(["Anna", "müller", "ANNA", "Müller", "P07", "17", "T1", "of", "blorkfamp", "straße"])


@given(st.lists(WORDS, min_size=1, max_size=5), st.lists(st.tuples(WORDS, st.sampled_from([" ", "_", ", ", "\n"])), max_size=20))
def test_a_text_and_its_beginning_say_all_that_the_text_says_twice(name, pieces):
    known = Memory().with_recording("rec", "other", {}, [" ".join(name)])
    text = "".join(f"{word}{gap}" for word, gap in pieces)
    parts = [*RUN.finditer(twice := f"{text}\n{text}")]
    plain = set()
    for first, part in enumerate(parts):
        for last in range(first, min(first + MOST_PARTS, len(parts))):
            words = tuple(one[0].casefold() for one in parts[first : last + 1])
            if withdrawal_memory._says_something(words) and known._of("words", " ".join(words)) in known.hashes:
                plain.add(twice[part.start() : parts[last].end()])
    assert known.in_text(f"{text}\n{beginning(text)}") == plain == known.in_text(twice)


def test_the_same_words_are_hashed_once_in_a_text(known, monkeypatch):
    done = []
    monkeypatch.setattr(withdrawal_memory.hmac, "digest", lambda *args: done.append(args) or bytes(32))
    known.in_text("blorkfamp " * 1000)
    assert len(done) == MOST_PARTS
