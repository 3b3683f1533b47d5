"""A private string is found wherever it is planted, in any spelling, escape or code; what only looks like one is not."""

import base64
import gzip
import hashlib
import json

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import clips
from scrubin.audit.expected import dates, spelling
from scrubin.audit.expected.spelling import fold, unescaped
from toy_release import BARE, IDS, TASK, breaking, zipped

NAME = "Grünwaldner"
SPELLINGS = [NAME, "GRÜNWALDNER", "grunwaldner", "Gruenwaldner", "Gru\u0308nwaldner", "xxgrünwaldnerxx", "Mechthild", "lukaszewicz"]
PLAIN_DATES = ["2023-04-17", "20230417", "17.04.2023", "2023_04_17", "17/04/23", "17.4.2023", "20230417T143205", "17 April 2023"]
DATES = """\
2023:04:17 10:11:12|2023-4-17|2023/4/17|2023.4.17|17.4.23|17/4/23|4/17/23|17-Apr-23|2023-Apr-17|2023 April 17
Mon Apr 17 10:00:00 2023|Mon Apr 17 10:00:00 CEST 2023|April 17th, 2023|17th of April 2023|Apr. 17, 2023|17 / 04 / 2023
17 Apr 10:00:00 2023|17\u201104\u20112023|17 \u2013 4 \u2013 2023|17\u00b704\u00b72023|17 avril 2023|17 de abril de 2023|17 aprile 2023
2023\u5e744\u670817\u65e5|2023\ub144 4\uc6d4 17\uc77c""".replace("\n", "|").split("|")
ESCAPED = [
    *("Gr\\u00fcnwaldner", "Gr\\xfcnwaldner", "Gr%C3%BCnwaldner", "Gr%FCnwaldner", "Gr&uuml;nwaldner", "Gr&#252;nwaldner"),
    *(
        "Gr\\\\u00fcnwaldner",
        "Gr\\\\\\\\u00fcnwaldner",
        'Gr{\\"u}nwaldner',
        'Gr\\"{u}nwaldner',
        "Gr%25C3%25BCnwaldner",
        "Mecht\u00adhild",
        "Mecht\u200bhild",
        "Mecht\ufeffhild",
        "\uff2dechthild",
    ),
]
PRIVATE = [*SPELLINGS, *PLAIN_DATES, *DATES, *ESCAPED]
IN_SENTENCES = [
    "UniKlinikum",
    "Nordstadt",
    "westhafen",
    "P07",
    "p7",
    "liwei",
    "Wei",
    "Li Wei",
    "17,04,2023",
    "17|04|2023",
    "\x1b[1mP07\x1b[0m",
    "\\e[1mP07",
]
LABELLED = ["trial+1", "trial 1", "trial_01", "Trial: 1", "site A", "site=A", "session-1", "trial%3A+1", "trial__1", "site -- A"]
LABELLED += ["trial(1)", "Trial (1).mp4", "trial[1]", "trial: [1]", "trial ID [1]", "trial no. 1", 'trial_id": 1', "trial #1"]
HARMLESS = [
    "a plain 1 and A 2",  # trial 1 and site A say nothing alone
    "trial 10, trial 21, site Area",
    "each trial (1 of 2) of this site. A rater",
    "as in the trial [1] and by a rater (1), trials (1)",
    "weights",  # the word around a name of three letters
    "P0751",
    "0.20230417 1.230417 99230417 2023041711",  # parts of longer numbers
    "2023, 2023-04, 2023/04, 2023_04, 2023-04-23",
    "PegTransfer left right mono videos",
    "the li of wei in lower case: li, wei",
    *("17 March 2022", "[17,04,2023,10]", "|17|04|2023|", "17, 4, 2023", "17 | 04 | 2023", "version 4.17.3", "0:04:17"),
    "4 of 17, 23 in all",
    "a4dec17" * 4 + "17apr2023" + "a" * 27,
    "p07" + "0" * 61,  # hexadecimal digits spell names by chance: a digest is not searched for short ones
    "100 % of \\\\ & \\u12 &amp; %zz C:\\user",
]


def found_in(release, files: dict[str, bytes | str]) -> set[str]:
    """Write files, none of which breaks another rule, and return those in which something private is found."""
    broken = release.rules_by_file(files)
    assert all(rules == {"private-string"} for rules in broken.values()), broken
    return {*broken}


def test_a_private_string_is_found_in_documents_cells_and_json_and_what_only_looks_like_one_is_not(release):
    texts = [*(f"seen with {one} here" for one in (*PRIVATE, *IN_SENTENCES)), *(f"seen in {one}, again" for one in LABELLED), "1a" * 32]
    files = {f"n{number}.md": f"{text}\n" for number, text in enumerate(texts)}
    for number, text in enumerate(PRIVATE):
        files[f"n{number}.csv"] = "id;note\n" + "".join(f'{id_};"{text if id_ == IDS[2] else "x"}"\n' for id_ in IDS)
        files[f"n{number}.json"] = json.dumps({"note": text})
    harmless = {f"h{number}.md": f"{text}\n" for number, text in enumerate(HARMLESS)}
    found = found_in(release, files | harmless)
    assert {name: files[name] for name in files.keys() - found} == {}
    assert {name: harmless[name] for name in harmless.keys() & found} == {}


@pytest.mark.parametrize("text", ["made on 17,04,2023.", "17|04|2023"])
def test_commas_and_bars_stand_between_numbers_in_a_table(text):
    assert dates.written_in(text, structured=True) == set()


def test_single_digits_are_read_as_dates():
    march = {"6.3.23", "6/3/23", "06-Mar-23", "2023-3-6", "Mon Mar  6 10:00:00 2023", "March 6th, 2023", "06 / 03 / 2023", "6. März 2023"}
    for text in march:
        assert any(str(date) == "2023-03-06" for date in dates.written_in(text)), text


def test_a_date_is_seen_in_a_number_below_0():
    (text,) = spelling.text_of("a table", [-20230417, 1.5], day=False)
    assert "20230417" in text.text


def test_escapes_are_undone():
    assert unescaped("plain") == "plain"
    assert unescaped("\\ud83d\\ude00") == "\N{GRINNING FACE}"
    assert fold("a\u200bb\u00ad") == "ab"


def test_a_name_in_a_public_word_is_no_leak_but_the_name_is(release):
    release.private = type(release.private)(release.private.needles, release.private.public | {"mechthildism"})
    assert found_in(release, {"a.md": "Mechthildism\n", "b.md": "Mechthildisms\n"}) == {"b.md"}


def test_a_private_file_or_folder_name_is_found(release):
    names = {f"groundtruth/{NAME}.csv", f"{NAME}/x.csv", "groundtruth/2023-04-17.csv", "groundtruth/P07.csv", "x_T1_links.csv"}
    # The list of checksums then holds the names as well.
    assert found_in(release, dict.fromkeys(names, "id\n")) == {*names, "SHA256SUMS"}


def test_a_name_is_found_in_compressed_bytes_of_any_encoding(release):
    """Planted inside the picture data, where no reader looks."""
    changed = {}
    for id_, encoding in zip(IDS, ("utf-8", "latin-1", "utf-16-le", "utf-16-be"), strict=True):
        name, planted = f"frames/{TASK}/mono/{id_}/000000.jpg", NAME.encode(encoding)
        data = release.path(name).read_bytes()
        changed[name] = data[:-400] + planted + data[len(planted) - 400 :]
    broken = release.rules_by_file(changed)
    assert {name for name, rules in broken.items() if "private-string" in rules} == changed.keys()


def test_a_name_across_two_chunks_is_found(release, monkeypatch):
    monkeypatch.setattr("scrubin.audit.readers.CHUNK_BYTES", 1000)
    monkeypatch.setattr("scrubin.audit.expected.search.CONTEXT_BYTES", 40)
    files = {f"n{shift}.md": "." * shift + "Mechthild" + "." * 2000 for shift in range(980, 1003, 4)}
    assert found_in(release, files) == files.keys()


def test_a_name_in_a_video_tag_is_told_as_such(release):
    release.replace_video(lambda source, target: clips.ffmpeg("-i", source, "-c", "copy", *BARE, "-metadata", "title=Li Wei", target))
    release.seal()
    assert release.rules() == {"container", "private-string"}


def test_a_name_in_a_parquet_footer_or_cell_is_found(release):
    table = pa.table({"id": list(IDS), "note": ["a", "b", "Wei", "d"]})
    pq.write_table(table, release.path("cell.parquet"))
    pq.write_table(table.drop_columns(["note"]).replace_schema_metadata({"by": "Wei"}), release.path("footer.parquet"))
    pd.DataFrame({"id": IDS}).to_parquet(release.path("sound.parquet"))
    release.seal()
    found = {(finding.file, finding.place, finding.rule) for finding in release.findings()}
    assert found == {("cell.parquet", "column note", "private-string"), ("footer.parquet", "metadata by", "private-string")}


def test_json_is_read_with_its_keys_and_what_is_json_in_its_texts(release):
    files = {
        "value.json": '{"a": {"note": "Gr\\u00fcnwaldner"}}',
        "key.json": '{"a": {"Gr\\u00fcnwaldner": 1}}',
        "inside.json": json.dumps({"a": json.dumps({"note": NAME})}),
        "column.json": json.dumps({"a": json.dumps([{"patient": 3}])}),
        "none.json": json.dumps({"a": "[no JSON"}),
        "twice.json": '{"a": "Li Wei", "a": "x"}',
    }
    found = release.rules_by_file(files)
    assert "unreadable" in found.pop("twice.json")
    assert found == {**breaking(("value.json", "key.json", "inside.json"), "private-string"), "column.json": {"private-column"}}


def test_a_name_in_an_archive_is_found_in_members_and_names(release):
    files = {
        "sound.zip": zipped(("a.txt", b"x")),
        "text.zip": zipped(("a.txt", b"Li Wei")),
        "name.zip": zipped(("P07.txt", b"x")),
        "a.txt.gz": gzip.compress(b"Li Wei", mtime=0),
    }
    assert found_in(release, files) == files.keys() - {"sound.zip"}


def test_a_name_is_found_in_base64_in_hexadecimal_and_letter_by_letter_and_digests_say_nothing(release):
    texts = {
        "base64.txt": base64.b64encode(NAME.encode()).decode(),
        "link.txt": base64.urlsafe_b64encode(f"?? {NAME} of the clinic".encode()).decode().rstrip("="),
        "hexadecimal.json": json.dumps({"note": NAME.encode().hex()}),
        "capitals.txt": f"key={NAME.encode().hex().upper()};",
        "spaced.md": " ".join(NAME),
        "dotted.csv": f"id,note\nabelo,{'.'.join(NAME)}\n",
    }
    digests = [hashlib.sha256(bytes([number])).hexdigest() for number in range(50)]
    packed = [base64.b64encode(hashlib.sha512(bytes([number])).digest()).decode() for number in range(50)]
    harmless = "\n".join([*digests, *packed, "videos/PegTransfer/mono/abelo/borunga", "x y w h", "a-b-c-d"])
    assert found_in(release, {**texts, "harmless.txt": harmless}) == texts.keys()
