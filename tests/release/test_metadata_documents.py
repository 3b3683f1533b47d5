"""Facts, datasheet, card, DataCite and BibTeX: measured numbers, the curator's words, and a list of what nobody has said."""

import json
import re
from dataclasses import replace

import pandas as pd
import pytest
import yaml

from scrubin.base import file_lists
from scrubin.base.errors import ReleaseError
from scrubin.base.tables import io
from scrubin.base.tables.public import public_tables
from scrubin.data.diff.errata import Erratum
from scrubin.stages.release.metadata import citation, curator_words, datasheet, documents, facts, requirements, sentences
from scrubin.stages.release.metadata.curator_words import QUESTIONS, Words
from scrubin.stages.release.release_params import Creator
from toy_release import PARAMS

SAID = replace(
    PARAMS,
    description="Toys.",
    creators=(Creator("Doe, Jane", "0000-0002-1825-0097", "University of X"),),
    publisher="University of X",
    contact="https://example.org/ask",
    url="https://example.org",
    doi="10.5281/zenodo.1234567",
    date_published="2026-12-31",
    keywords=("surgery", "toys"),
)
ANSWERS = {"text": "Something.", "list": ("One.", "Two."), "yes or no": False, "years": ("2021", "2023"), "codes": ("DUO_0000042",)}
EVERYTHING = Words({one.name: ANSWERS[one.kind] for one in QUESTIONS})
RATED = [
    {"id": id_, "task": "Peg", "rater": rater, "aspect": aspect, "score": 3.0, "failed": False}
    for id_, raters in {"a": "012", "b": "0"}.items()
    for rater in raters
    for aspect in ("GRS", "efficiency")
]


def tables_with(clean, **rows):
    declared = public_tables(())
    return {name: clean.tables[name] for name in ("videos", "frames", "splits")} | {
        name: io.frame_of(declared[name], given) for name, given in rows.items()
    }


@pytest.fixture
def measured(clean):
    return facts.measured(tables_with(clean), facts.Study())


def texts(params, found, words=None):
    return documents.texts(params, found, words or Words(), ["frames", "videos"])


def test_facts_count_what_is_there(clean):
    document = {
        "tasks": {"Peg": {"agreement": {"GRS": {"failed_excluded": {"icc": {"ICC(2,1)": {"value": 0.5, "low": 0.1, "high": 0.7}}}}}}}
    }
    study = facts.Study(scores=document, people=3, left_out={"withdrawn": 2})
    found = facts.measured(tables_with(clean, ratings=RATED), study)
    assert (found["size"]["released"], found["size"]["videos"], found["size"]["frames"], found["size"]["people"]) == (4, 4, 8, 3)
    assert found["hidden"]["extracted_frames"] == 4
    assert found["hidden"]["extracted_share"] == 0.5
    rated = found["ratings"][0]
    assert (rated["name"], rated["raters"], rated["rated"], rated["ratings_each"], rated["failed_share"]) == ("Peg", 3, 2, [1, 3], 0.0)
    assert rated["ICC(2,1)"] == {"value": 0.5, "low": 0.1, "high": 0.7}
    assert found["splits"][0]["subsets"] == [{"name": "test", "fewest": 2, "most": 2}, {"name": "train", "fewest": 2, "most": 2}]
    assert found["rows"]["ratings"] == len(RATED)
    assert found["left_out"] == {"withdrawn": 2}


def test_a_subset_that_shall_have_a_share_and_has_nobody_is_said(clean):
    (name,) = set(clean.tables["splits"]["scheme"])
    shares = {"train": 0.5, "val": 0.2, "test": 0.3}
    found = facts.measured(
        tables_with(clean), facts.Study(splits={"schemes": [{"scheme": name, "shares": shares, "subsets": list(shares)}]})
    )
    assert found["splits"][0]["subsets"] == [
        {"name": "test", "fewest": 2, "most": 2}, {"name": "train", "fewest": 2, "most": 2}, {"name": "val", "fewest": 0, "most": 0},
    ]  # fmt: skip
    assert sentences.splits(found) == [f"{name}: 1 fold, recordings in test 2 and train 2, no recordings in val."]


def test_a_fold_of_an_official_split_that_tests_nobody_is_said(clean):
    rows = [("cv", 0, "train", "a"), ("cv", 0, "train", "b"), ("cv", 1, "train", "a"), ("cv", 1, "test", "b")]
    splits = [dict(zip(("scheme", "fold", "subset", "id"), row, strict=True)) for row in rows]
    stated = {"scheme": "cv", "kind": "official", "shares": None, "subsets": ["train", "val", "test"]}
    found = facts.measured(tables_with(clean, splits=splits), facts.Study(splits={"schemes": [stated]}))
    assert sentences.splits(found) == [
        "cv: 2 folds, recordings in test 0 to 1 and train 1 to 2, no recordings in val, in some folds none in test."
    ]


def test_who_labelled_how_much_is_said_by_number_with_the_help_that_they_had(clean):
    ids = sorted(set(clean.tables["videos"]["id"]))
    both = {"annotators": [1, 3], "blind": True, "settled": 2, "labels": 30, "proposed": 5}
    alone = {"annotators": [3], "blind": False, "settled": 0, "labels": 10, "proposed": 0}
    stated = {ids[0]: both, ids[1]: alone, "withdrawn": both}
    found = facts.measured(tables_with(clean), facts.Study(provenance=stated))
    hours = clean.tables["videos"].drop_duplicates("id").set_index("id")["duration_s"] / 3600
    assert found["labels"]["annotators"] == [
        {"annotator": 1, "released": 1, "hours": round(hours[ids[0]], 4)},
        {"annotator": 3, "released": 2, "hours": round(hours[ids[0]] + hours[ids[1]], 4)},
    ]
    assert (found["labels"]["blind"], found["labels"]["settled"]) == ({"released": 2, "n": 1}, 2)
    said = texts(PARAMS, found)["datasheet.md"]
    assert "annotator 1 1 recording (0.00 hours) and annotator 3 2 recordings (0.00 hours)" in said
    assert "1 of 2 recordings were labelled blind" in said
    assert "In 2 places annotators differed and somebody else decided." in said
    assert "A program had proposed 5 of 40 labels; a person took each of them." in said
    assert not {"changed", "refused"} & found["labels"].keys()


def test_a_release_says_how_much_of_what_a_program_proposed_people_changed_and_did_not_take(clean):
    first, second = sorted(set(clean.tables["videos"]["id"]))[:2]
    one = {"annotators": [1], "blind": True, "settled": 0, "labels": 30, "proposed": 5, "changed": 2, "refused": 1}
    none = {"annotators": [3], "blind": True, "settled": 0, "labels": 10, "proposed": 0, "changed": 0, "refused": 0}
    found = facts.measured(tables_with(clean), facts.Study(provenance={first: one, second: none}))
    assert (found["labels"]["changed"], found["labels"]["refused"]) == (2, 1)
    said = texts(PARAMS, found)["datasheet.md"]
    assert "A program had proposed 5 of 40 labels; a person took each of them, and changed 2 of them." in said
    assert "1 proposal was not taken." in said


def test_of_how_many_places_nobody_said_where_they_are_is_told(clean):
    ids = sorted(set(clean.tables["videos"]["id"]))
    stated = {ids[0]: {"n": 30, "of": 40}, ids[1]: {"n": 0, "of": 2}, "not released": {"n": 5, "of": 7}}
    found = facts.measured(tables_with(clean), facts.Study(interpolated=stated))
    assert found["labels"]["interpolated"] == {"n": 30, "of": 42}
    said = texts(PARAMS, found)["datasheet.md"]
    assert "30 of 42 boxes and points lie between key frames or are means: nobody said where they are." in said


def test_what_does_not_exist_is_undefined_or_empty_and_never_zero(measured):
    assert measured["ratings"] == measured["errors"] == []
    assert measured["labels"] == {}
    assert measured["hidden"]["black_share"] is None
    assert measured["validation"]["verdict"] is None
    assert measured["size"]["people"] is None
    assert "undefined" in sentences.number(None)
    assert sentences.ratings(measured) == []


def test_recordings_that_are_left_out_are_counted_by_kind_without_their_reasons():
    rows = [
        ("a", "excluded", "the curator: Schmidt asked for it"),
        ("a", "excluded", "the curator: Schmidt asked for it"),
        ("b", "excluded", "it lasts 371.2 s, the limit of PegTransfer is 360 s"),
        ("c", "quarantined", "Schmidt.mkv: it cannot be read"),
        ("e", "kept", None),
    ]
    recordings = pd.DataFrame(rows, columns=["recording", "status", "reason"])
    found = facts.left_out(recordings, pd.DataFrame({"recording": ["c", "f", "videos/x"], "path": ["c.mkv", "f.mkv", "videos/x"]}), 1, 2)
    assert found == {
        "cannot be used": 2,
        "excluded by the curator": 1,
        "longer than its task allows": 1,
        "excluded in the review": 1,
        "withdrawn": 2,
    }
    assert sentences.left_out({"left_out": {"withdrawn": 2}}) == "2 recordings were not released (withdrawn: 2)."
    assert sentences.left_out({"left_out": {"withdrawn": 1}}) == "1 recording was not released (withdrawn: 1)."


def test_every_field_and_question_that_nobody_has_said_is_listed(measured):
    found = json.loads(texts(PARAMS, measured)["facts.json"])["missing"]
    fields = {one["field"] for one in found["fields"]}
    assert {"url", "creator", "datePublished", "keywords", "publisher", "usageInfo", "rai:dataBiases"} <= fields
    assert not {"name", "license", "distribution", "description", "prov:wasGeneratedBy", "rai:dataPreprocessingProtocol"} & fields
    assert found["params"] == [f"release.{key}" for key in requirements.PARAMS]
    assert found["questions"] == [one.name for one in QUESTIONS]
    sheet = texts(PARAMS, measured)["datasheet.md"].partition(f"## {datasheet.UNSAID}")[2]
    assert all(f"`{field}`" in sheet for field in fields)
    assert all(one.asks in sheet for one in QUESTIONS)


def test_when_everything_is_said_only_what_is_left_out_by_choice_is_missing(clean):
    found = facts.measured(tables_with(clean, ratings=RATED), facts.Study())
    missing = json.loads(texts(SAID, found, EVERYTHING)["facts.json"])["missing"]
    assert [one["field"] for one in missing["fields"]] == ["dateCreated", "dateModified"]
    assert missing["params"] == missing["questions"] == []


def test_the_datasheet_has_the_curators_words_beside_what_is_measured(measured):
    words = Words({"motivation.purpose": "For toys.", "distribution.conditions": ("DUO_0000042",), "composition.synthetic": True})
    text = texts(SAID, measured, words)["datasheet.md"]
    assert "**For what was it made, and what was missing before?** For toys." in text
    assert "- 4 recordings in 4 videos" in text
    assert "**Who made it:** Doe, Jane, University of X" in text
    assert "general research use (DUO_0000042)" in text
    assert "**Is any of it synthetic?** Yes." in text
    assert "`motivation.purpose`" not in text


def test_the_card_has_a_head_that_the_hub_reads(measured):
    text = texts(SAID, measured)["dataset_card.md"]
    head = yaml.safe_load(re.match(r"---\n(.*?)---\n", text, re.DOTALL)[1])
    assert (head["license"], head["pretty_name"], head["size_categories"]) == ("cc-by-4.0", "A toy study", ["n<1K"])
    assert head["tags"][-1] == "toys"
    assert head["tags"].count("surgery") == 1
    assert [one["config_name"] for one in head["configs"] if one["default"]] == ["frames"]
    assert "task_categories" not in head
    other = texts(replace(SAID, license="LicenseRef-ours"), measured)["dataset_card.md"]
    assert 'license: "other"\nlicense_name: "LicenseRef-ours"' in other


def test_datacite_has_what_its_schema_requires_and_no_placeholder(measured):
    document = citation.datacite_document(SAID, measured)
    required = {"creators", "titles", "publisher", "publicationYear", "types", "schemaVersion"}
    assert required <= document.keys()
    assert document["publicationYear"] == "2026"
    assert document["creators"][0]["nameIdentifiers"][0]["nameIdentifier"] == "https://orcid.org/0000-0002-1825-0097"
    assert document["dates"] == [{"date": "2026-12-31", "dateType": "Issued"}]
    assert document["rightsList"][0]["rightsIdentifier"] == "CC-BY-4.0"
    assert required - citation.datacite_document(PARAMS, measured).keys() == {"creators", "publisher", "publicationYear"}


def test_no_document_has_a_date_but_the_day_of_publication(measured):
    for name, text in texts(SAID, measured, EVERYTHING).items():
        assert set(re.findall(r"\d{4}-\d{2}-\d{2}", text)) <= {"2026-12-31"}, name
    for name, text in texts(PARAMS, measured).items():
        assert not re.findall(r"\d{4}-\d{2}-\d{2}", text), name


def test_a_day_in_the_curators_own_words_is_refused_and_one_of_the_data_set_is_not():
    said = Words(
        {"collection.ethics": "approved on 17 May 2024", "maintenance.limits": "2039-12-31", "uses.biases": ("v1.2.23", "50/10/20")}
    )
    with pytest.raises(
        ReleaseError, match=r"datasheet.yaml: 'collection.ethics' says a day \(2024-05-17\).*; write the month and the year"
    ) as caught:
        curator_words.refuse_days(PARAMS, said, [Erratum("E1", "1.0.0", "note", "since 2.3.2021", "see https://example.org/2021-03-02")])
    assert len(caught.value.faults) == 2
    assert "errata.yaml: entry E1, 'what' says a day (2021-02-03 or 2021-03-02)" in str(caught.value)
    assert "Nobody can\n# know names that no list holds" in curator_words.datasheet_template()


NO_DAYS = """\
Conda 2023.10.1; version 2023.2.1 of MATLAB; DIN EN 60601-1-2-2015; www.example.org/2023/04/11/x; +49 7071 12 10 2010; tip-5/6/1990
folds of 10 20 2000 frames; 2000 1 1 px; resolution 1920 12 10; in 10 may 20 percent; Regulation (EU) 2016/679 of 27 April 2016
Med Image Anal. 2023 Mar 6;85:102"""


@pytest.mark.parametrize("text", [one for line in NO_DAYS.splitlines() for one in line.split("; ")])
def test_versions_norms_numbers_and_publications_say_no_day(text):
    curator_words.refuse_days(PARAMS, Words({"uses.biases": text}), [])


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("October 8-12, 2023", "2023-10-08"),
        ("3.3.2021-5.4.2021", "2021-03-03 or 2021-04-05 or 2021-05-04"),
        ("(10. 11. 2020)", "2020-10-11 or 2020-11-10"),
        ("on 17-Apr-23", "2023-04-17"),
        ("the 2nd of May '23", "2023-05-02"),
        ("file_2023-04-17.", "2023-04-17"),
        ("2023-04-17T10:11:12", "2023-04-17"),
        ("IMG2-2023.04.17", "2023-04-17"),
        ("IMG-2023-04-17", "2023-04-17"),
        ("17.4.2023.mp4", "2023-04-17"),
        ("17,04,2023", "2023-04-17"),
    ],
)
def test_a_day_is_read_as_it_is_meant(text, day):
    with pytest.raises(ReleaseError, match=rf"says a day \({day}\)"):
        curator_words.refuse_days(PARAMS, Words({"uses.biases": text}), [])


@pytest.mark.parametrize("listed", ["10.11.2012", "2012-11-10", "2012-10-11"])
def test_a_day_that_is_listed_as_harmless_passes_as_it_is_written_or_as_it_is_read(listed):
    said = Words({"uses.biases": "Patent US 10.11.2012"})
    with pytest.raises(ReleaseError, match=r"list '10.11.2012' in release.public_words"):
        curator_words.refuse_days(PARAMS, said, [])
    curator_words.refuse_days(replace(PARAMS, public_words=(listed,)), said, [])


def test_the_same_input_gives_the_same_bytes(clean, measured):
    again = facts.measured(tables_with(clean), facts.Study())
    assert texts(SAID, measured, EVERYTHING) == texts(SAID, again, EVERYTHING)


def test_a_document_of_a_release_breaks_nothing_of_the_specification(clean):
    document = json.loads((clean.folder / file_lists.CROISSANT).read_text())
    assert list(requirements.faults(document)) == []


def changed(document, *keys, to):
    copy = json.loads(json.dumps(document))
    place = copy
    for key in keys[:-1]:
        place = place[key]
    if to is None:
        del place[keys[-1]]
    else:
        place[keys[-1]] = to
    return copy


@pytest.mark.parametrize(
    ("keys", "to", "message"),
    [
        (("license",), None, "license: it is missing"),
        (("conformsTo",), ["http://mlcommons.org/croissant/1.0"], "conformsTo: it does not name"),
        (("version",), "1.0", "version: it is not three numbers"),
        (("creator",), [{"@type": "sc:Person"}], "neither a person nor an organisation"),
        (("distribution", 0, "sha256"), None, "videos.parquet: sha256 is missing"),
        (("distribution", 0, "@id"), "frames.parquet", "frames.parquet: the id stands 2 times"),
        (("recordSet", 0, "field", 0, "source", "fileObject", "@id"), "gone.parquet", "videos/id: there is no gone.parquet"),
        (("recordSet", 0, "field", 0, "dataType"), None, "videos/id: it has no dataType"),
        (("recordSet", 0, "key"), [{"@id": "videos/none"}], "the key videos/none is no field"),
        (("recordSet", -1, "data"), [{"subsets/name": "x"}], "row 0 of its data"),
    ],
)
def test_own_check_finds_what_breaks_the_specification(clean, keys, to, message):
    document = json.loads((clean.folder / file_lists.CROISSANT).read_text())
    with pytest.raises(ReleaseError) as caught:
        requirements.refuse(changed(document, *keys, to=to))
    assert message in str(caught.value)


def test_the_log_says_in_one_line_what_is_missing(clean):
    said = requirements.of_release(clean.folder)
    assert "creator, datePublished" in said
    assert "\n" not in said
    assert f"{len(QUESTIONS)} of {len(QUESTIONS)} questions" in said
