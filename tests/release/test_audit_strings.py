"""A private string is found wherever it is planted, in any spelling; what only looks like one is not."""

import gzip
import zipfile

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import clips
from toy_release import BARE, IDS, TASK

NAME = "Grünwaldner"
SPELLINGS = [
    "Grünwaldner",
    "GRÜNWALDNER",
    "grunwaldner",
    "Gruenwaldner",
    "Gru\u0308nwaldner",
    "xxgrünwaldnerxx",
    "Mechthild",
    "lukaszewicz",
]
DATES = ["2023-04-17", "20230417", "17.04.2023", "2023_04_17", "17/04/23", "17.4.2023", "20230417T143205", "17 April 2023", "2023-04"]


def after_text(release, text: str, name: str = "notes.md") -> set[str]:
    return release.rules_after(lambda: release.path(name).write_text(text, encoding="utf-8"))


def missed(release, texts: dict[str, str], suffix: str) -> list[str]:
    """Write a file of each text, and return the names of the texts that are no private string."""
    files = {f"n{number}.{suffix}": name for number, name in enumerate(texts)}
    broken = release.rules_by_file({file: texts[name].encode() for file, name in files.items()})
    assert set(broken) <= set(files)
    return [name for file, name in files.items() if broken.get(file) != {"private-string"}]


def test_a_private_string_is_found_in_a_document(release):
    spellings = [*SPELLINGS, *DATES, "UniKlinikum", "Nordstadt", "westhafen", "P07", "p7", "liwei", "Wei", "Li Wei"]
    assert missed(release, {spelling: f"seen with {spelling} here\n" for spelling in spellings}, "md") == []


def test_a_private_string_is_found_in_a_cell(release):
    rows = {one: "".join(f'{id_};"{one if id_ == IDS[2] else "x"}"\n' for id_ in IDS) for one in (*SPELLINGS, *DATES)}
    assert missed(release, {spelling: f"id;note\n{row}" for spelling, row in rows.items()}, "csv") == []


def test_a_short_value_is_found_next_to_its_label(release):
    labels = ["trial 1", "trial_01", "Trial: 1", "site A", "site=A", "session-1"]
    assert missed(release, {label: f"seen in {label}, again\n" for label in labels}, "md") == []


@pytest.mark.cases(3)
@pytest.mark.parametrize(
    "harmless",
    [
        "a plain 1 and A 2",  # trial 1 and site A say nothing alone
        "trial 10, trial 21, site Area",
        "wei" + "ghts",  # the word around a name of three letters
        "P0751",
        "0.20230417 1.230417 99230417 2023041711",  # parts of longer numbers
        "2023",
        "PegTransfer left right mono videos",
        "the li of wei in lower case: li, wei",
    ],
)
def test_what_only_looks_private_is_not_found(release, harmless):
    assert after_text(release, f"{harmless}\n") == set()


def test_digests_are_no_words(release):
    """Hexadecimal digits spell names by chance: a digest is not searched for short ones."""
    assert after_text(release, "p07" + "0" * 61 + "\n") == set()
    assert after_text(release, f"{'1a' * 32}\n") == {"private-string"}  # SHA-256 of a source file


def test_a_name_in_a_public_word_is_no_leak_but_the_name_is(release):
    release.private = type(release.private)(release.private.needles, release.private.public | {"mechthildism"})
    assert after_text(release, "Mechthildism\n") == set()
    assert after_text(release, "Mechthildisms\n") == {"private-string"}


@pytest.mark.cases(3)
@pytest.mark.parametrize(
    "name", [f"groundtruth/{NAME}.csv", f"{NAME}/x.csv", "groundtruth/2023-04-17.csv", "groundtruth/P07.csv", "x_T1_links.csv"]
)
def test_a_private_file_or_folder_name_is_found(release, name):
    def plant() -> None:
        release.path(name).parent.mkdir(exist_ok=True)
        release.path(name).write_text("id\n")

    # The list of checksums then holds the name as well.
    release.rules_after(plant)
    assert {(finding.file, finding.rule) for finding in release.findings()} >= {(name, "private-string")}
    assert release.rules() == {"private-string"}


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-16-le", "utf-16-be"])
def test_a_name_is_found_in_compressed_bytes(release, encoding):
    """Planted inside the picture data, where no reader looks."""
    path = release.path(f"frames/{TASK}/mono/{IDS[0]}/000000.jpg")
    planted = NAME.encode(encoding)
    assert b"\xff" not in planted

    def plant() -> None:
        data = bytearray(path.read_bytes())
        data[-400 : -400 + len(planted)] = planted
        path.write_bytes(data)

    assert "private-string" in release.rules_after(plant)


@pytest.mark.slow
def test_a_name_across_two_chunks_is_found(release, monkeypatch):
    monkeypatch.setattr("scrubin.audit.readers.CHUNK_BYTES", 1000)
    monkeypatch.setattr("scrubin.audit.expected.search.CONTEXT_BYTES", 40)
    for shift in range(980, 1003, 4):
        assert after_text(release, "." * shift + "Mechthild" + "." * 2000) == {"private-string"}, shift


def test_a_name_in_a_video_tag_is_told_as_such(release):
    release.replace_video(lambda source, target: clips.ffmpeg("-i", source, "-c", "copy", *BARE, "-metadata", "title=Li Wei", target))
    release.seal()
    assert release.rules() == {"container", "private-string"}


def test_a_name_in_a_parquet_footer_or_cell_is_found(release):
    path = release.path("more.parquet")
    table = pa.table({"id": list(IDS), "note": ["a", "b", "Wei", "d"]})
    pq.write_table(table, path)
    release.seal()
    assert {(finding.place, finding.rule) for finding in release.findings()} == {("column note", "private-string")}
    pq.write_table(table.drop_columns(["note"]).replace_schema_metadata({"by": "Wei"}), path)
    release.seal()
    assert {(finding.place, finding.rule) for finding in release.findings()} == {("metadata by", "private-string")}
    pd.DataFrame({"id": IDS}).to_parquet(path)
    release.seal()
    assert release.rules() == set()


def test_a_name_in_json_escapes_is_found(release):
    assert after_text(release, '{"a": {"note": "Gr\\u00fcnwaldner"}}', "a.json") == {"private-string"}
    assert after_text(release, '{"a": {"Gr\\u00fcnwaldner": 1}}', "a.json") == {"private-string"}


def test_a_name_in_a_zip_is_found_in_members_and_names(release):
    path = release.path("archives/more.zip")

    def pack(name: str, text: str) -> None:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.create_system, entry.compress_type = 3, zipfile.ZIP_DEFLATED
            archive.writestr(entry, text)

    assert release.rules_after(lambda: pack("a.txt", "x")) == set()
    assert release.rules_after(lambda: pack("a.txt", "Li Wei")) == {"private-string"}
    assert release.rules_after(lambda: pack("P07.txt", "x")) == {"private-string"}


def test_a_name_in_a_nested_gzip_is_found(release):
    path = release.path("a.txt.gz")
    assert release.rules_after(lambda: path.write_bytes(gzip.compress(b"Li Wei", mtime=0))) == {"private-string"}
