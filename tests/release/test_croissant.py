"""Croissant 1.1 of a release: every reference resolves, what the curator says stands in its field, and the reference reader takes it."""

from __future__ import annotations

import json
from dataclasses import replace

import pandas as pd
import pytest

from scrubin.base import file_lists
from scrubin.base.files import sha256_of
from scrubin.base.tables import io
from scrubin.base.tables.public import public_tables
from scrubin.base.vocabulary import vocabulary
from scrubin.stages.release.metadata import croissant, facts, record_sets
from scrubin.stages.release.metadata.croissant import CONTEXT
from scrubin.stages.release.metadata.curator_words import Words
from scrubin.stages.release.release_params import Creator
from toy_release import PARAMS, TASK

SAID = replace(
    PARAMS,
    description="Operations\n  of mice.",
    creators=(Creator("Doe, Jane", "0000-0002-1825-0097", "University of X"), Creator("Lab & Sons", None, None)),
    publisher="University of X",
    contact="jane@example.org",
    doi="10.5281/zenodo.1234567",
    date_published="2026-12-31",
    keywords=("surgery", "video"),
)
# What the reference reader (mlcroissant 1.1.1) asks of a context, beside the specification's appendix.
READER_TERMS = {"description", "name", "path", "repeated", "replace", "samplingRate", "equivalentProperty", "containedIn", "isArray"}


@pytest.fixture(scope="module")
def document(clean):
    return json.loads((clean.folder / file_lists.CROISSANT).read_text())


def described(tables, names=(), params=SAID, words=None, study=None):
    declared = public_tables(())
    every = {name: io.frame_of(declared[name], tables.get(name, [])) for name in ("videos", "frames", *tables)}
    measured = facts.measured(every, study or facts.Study())
    used = {name: declared[name] for name in every}
    paths = [*(f"tables/{name}.parquet" for name in used), *names]
    return croissant.metadata(params, used, every, dict.fromkeys(paths, "0" * 64), dict.fromkeys(paths, 1), measured, words or Words())


def by_id(nodes):
    return {node["@id"]: node for node in nodes}


def test_every_file_that_is_named_exists_with_its_hash(clean, document):
    objects = [item for item in document["distribution"] if item["@type"] == "cr:FileObject"]
    assert {item["contentUrl"] for item in objects} == {
        "tables/videos.parquet",
        "tables/frames.parquet",
        "tables/splits.parquet",
        "archives/Annotation.zip",
        f"archives/{TASK}_mono.zip",
    }
    for item in objects:
        path = clean.folder / item["contentUrl"]
        assert item["sha256"] == sha256_of(path)
        assert item["contentSize"] == f"{path.stat().st_size} B"
    for item in (item for item in document["distribution"] if item["@type"] == "cr:FileSet" and "containedIn" not in item):
        assert list(clean.folder.glob(item["includes"])), item


def test_ids_are_unique_and_every_reference_resolves(document):
    nodes = [*document["distribution"], *document["recordSet"], *(field for one in document["recordSet"] for field in one["field"])]
    ids = by_id(nodes)
    assert len(ids) == len(nodes)
    for records in document["recordSet"]:
        assert {key["@id"] for key in records["key"]} <= {field["@id"] for field in records["field"]}
        for field in records["field"]:
            source = field.get("source", {})
            assert source or records["data"]
            assert {ref["@id"] for ref in (source.get("fileObject"), source.get("fileSet")) if ref} <= ids.keys()
            assert field.get("references", {"field": field})["field"]["@id"] in ids
    assert document["conformsTo"] == ["http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0"]


def test_every_key_is_a_term_of_the_context_or_of_schema_org(document):
    def keys(value):
        if isinstance(value, dict):
            for key, item in value.items():
                yield key
                yield from keys(item) if key != "data" else ()
        elif isinstance(value, list):
            for item in value:
                yield from keys(item)

    schema_org = {"alternateName", "contentSize", "contentUrl", "distribution", "encodingFormat", "inLanguage", "license"}
    schema_org |= {"sdLicense", "sha256", "version"}
    used = set(keys({key: value for key, value in document.items() if key != "@context"}))
    assert {key for key in used if ":" not in key and not key.startswith("@")} <= CONTEXT.keys() | schema_org
    assert {key.partition(":")[0] for key in used if ":" in key} <= CONTEXT.keys()
    assert CONTEXT.keys() >= READER_TERMS


def test_pictures_and_videos_are_fields_that_name_their_key_by_their_path(document):
    sets = by_id(document["recordSet"])
    pictures, videos = sets["frame_images"], sets["video_contents"]
    types = {field["@id"]: field["dataType"] for field in (*pictures["field"], *videos["field"])}
    assert (types["frame_images/image"], types["video_contents/video"]) == ("sc:ImageObject", "sc:VideoObject")
    fields = by_id(pictures["field"])
    path = "frames/PegTransfer/left/abelo/000012.jpg"
    found = {
        name: pd.Series([path]).str.extract(fields[f"frame_images/{name}"]["source"]["transform"]["regex"])[0][0]
        for name in record_sets.SAYS
        if f"frame_images/{name}" in fields and "transform" in fields[f"frame_images/{name}"]["source"]
    }
    assert found == {"task": "PegTransfer", "camera": "left", "id": "abelo", "frame": "000012"}
    archived = by_id(document["distribution"])["archived-videos"]
    assert archived["containedIn"] == [{"@id": f"{TASK}_mono.zip"}]


def test_without_archives_or_loose_pictures_nothing_is_promised_that_no_reader_can_load():
    assert (
        not {"frame_images", "video_contents"}
        & by_id(described({}, ["frames/Peg/mono/a.tar", "videos/Peg/mono/a.mkv"])["recordSet"]).keys()
    )


def test_subsets_are_semantic_splits_and_a_name_that_programs_do_not_know_stays_a_name():
    rows = [{"scheme": "s", "fold": 0, "subset": name, "id": name} for name in ("train", "val", "test", "hard")]
    sets = by_id(described({"splits": rows})["recordSet"])
    assert sets["subsets"]["dataType"] == "cr:Split"
    urls = {row["subsets/name"]: row["subsets/url"] for row in sets["subsets"]["data"]}
    assert urls == {"hard": None, "test": "cr:TestSplit", "train": "cr:TrainingSplit", "val": "cr:ValidationSplit"}
    assert by_id(sets["splits"]["field"])["splits/subset"]["references"] == {"field": {"@id": "subsets/name"}}


def test_labels_refer_to_the_names_of_their_vocabulary_and_are_marked_as_labels():
    row = {"id": "a", "frame": 0, "phase": "preparation", "phase_id": 0}
    one = by_id(described({"phases": [row | {"vocabulary": "cholect50"}]})["recordSet"])
    field = by_id(one["phases"]["field"])["phases/phase"]
    assert field["dataType"] == ["sc:Text", "cr:Label"]
    assert field["references"] == {"field": {"@id": "cholect50_phases/name"}}
    listed = one["cholect50_phases"]
    assert listed["dataType"] == "sc:Enumeration"
    assert [item["cholect50_phases/name"] for item in listed["data"]] == list(vocabulary.load("cholect50").phases)
    two = by_id(described({"phases": [row | {"vocabulary": "cholect50"}, row | {"id": "b", "vocabulary": "m2cai"}]})["recordSet"])
    assert {"cholect50_phases", "m2cai_phases"} <= two.keys()
    assert "references" not in by_id(two["phases"]["field"])["phases/phase"]


def test_who_made_it_stands_in_its_fields_and_what_is_not_said_is_left_out(document):
    assert not {"creator", "publisher", "url", "datePublished", "keywords", "usageInfo", "maintainer"} & document.keys()
    said = described({})
    assert [one["@type"] for one in said["creator"]] == ["sc:Person", "sc:Organization"]
    assert said["creator"][0]["sameAs"] == "https://orcid.org/0000-0002-1825-0097"
    assert said["creator"][0]["affiliation"]["name"] == said["publisher"]["name"] == "University of X"
    assert said["url"] == said["identifier"] == "https://doi.org/10.5281/zenodo.1234567"
    assert (said["datePublished"], said["keywords"]) == ("2026-12-31", ["surgery", "video"])
    assert said["maintainer"]["email"] == "jane@example.org"
    assert said["description"].startswith("Operations of mice. ")


def test_the_citation_has_author_publisher_year_and_doi():
    assert described({})["citeAs"].splitlines() == [
        "@misc{toy-study,",
        r"  author = {Doe, Jane and {Lab \& Sons}},",
        "  title = {{A toy study}},",
        "  year = {2026},",
        "  publisher = {{University of X}},",
        "  version = {1.2.3},",
        "  doi = {10.5281/zenodo.1234567},",
        "  url = {https://doi.org/10.5281/zenodo.1234567}",
        "}",
    ]


def test_responsible_ai_has_the_curators_words_beside_what_is_measured():
    words = Words(
        {
            "uses.limitations": ("Only one hospital.",),
            "uses.unsuitable": ("Not for triage.",),
            "composition.synthetic": False,
            "composition.derived_from": ("https://example.org/other", "an older set"),
            "collection.years": ("2021", "2023"),
            "distribution.conditions": ("DUO_0000042",),
        }
    )
    said = described({}, words=words)
    assert said["rai:dataLimitations"] == ["Not for triage.", "Only one hospital."]
    assert said["rai:hasSyntheticData"] is False
    assert said["rai:dataCollectionTimeframe"] == ["2021", "2023"]
    assert said["prov:wasDerivedFrom"][0] == {"@id": "https://example.org/other"}
    assert [one["prov:label"] for one in said["prov:wasDerivedFrom"][1:]] == ["an older set", "raw recordings of the study"]
    assert {"name": "general research use", "url": "duo:0000042"}.items() <= said["usageInfo"][0].items()
    assert "rai:dataBiases" not in said
    assert described({}, study=facts.Study(synthetic=True))["rai:hasSyntheticData"] is True
    assert "prov:wasDerivedFrom" not in described({}, study=facts.Study(synthetic=True))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_reference_reader_finds_no_error_and_reads_every_table(clean):
    import mlcroissant

    dataset = mlcroissant.Dataset(jsonld=str(clean.folder / file_lists.CROISSANT))
    assert not dataset.metadata.ctx.issues.errors
    described = json.loads((clean.folder / file_lists.CROISSANT).read_text())["recordSet"]
    tables = [one for one in described if any("fileObject" in field.get("source", {}) for field in one["field"])]
    counted = {one["@id"]: sum(1 for _ in dataset.records(one["@id"])) for one in tables}
    assert counted == {name: len(clean.tables[name]) for name in counted}
    assert {"videos", "frames", "splits"} <= counted.keys()
