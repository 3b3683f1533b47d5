"""Who made a release and when it was published may stand in it: exactly as in params.yaml, where that is said, and nowhere else."""

import json
from dataclasses import replace

import pandas as pd
import pytest

from scrubin.audit.expected import private_strings
from scrubin.audit.expected.plan import Stated
from scrubin.audit.expected.spelling import folded_words
from scrubin.audit.run import audit
from scrubin.base import file_lists
from scrubin.base.files import write_json, write_text
from scrubin.base.tables.public import public_tables
from scrubin.stages.release import audited_project
from scrubin.stages.release.audited_project import public_words
from scrubin.stages.release.metadata import citation, croissant, documents
from scrubin.stages.release.release_params import Creator
from toy_release import IDS, PARAMS, TASK

# The first was recorded, and so was the first day; the site is where the second works.
MAKER, DAY, SITE = "Grünwaldner, Mechthild", "2023-04-17", "UniKlinikum Nordstadt"
SAID = replace(
    PARAMS, creators=(Creator(MAKER, None, SITE), Creator("Doe, Jane", None, None)), publisher=SITE, date_published=DAY, keywords=("video",)
)


@pytest.fixture
def signed(release):
    """A release that says who made it, all of whom are private elsewhere."""
    path = release.path(file_lists.CROISSANT)
    document = json.loads(path.read_text())
    document |= croissant._who_and_where(SAID) | {"citeAs": citation.bibtex(SAID)}
    write_json(path, document)
    write_text(release.path("metadata/citation.bib"), citation.bibtex(SAID))
    write_text(release.path("README.md"), release.path("README.md").read_text() + citation.bibtex(SAID))
    issued = {"date": DAY, "dateType": "Issued"}
    write_json(release.path("metadata/datacite.json"), {"dates": [issued], "subjects": [{"subject": "video"}], "publicationYear": 2023})
    release.plan = replace(release.plan, stated=audited_project.of_params(SAID))
    release.seal()
    return release


def findings(release):
    return audit(release.folder, release.private, release.plan).findings


def test_what_the_curator_states_passes(signed):
    assert findings(signed) == []


def test_without_the_statement_each_of_it_is_a_finding(signed):
    signed.plan = replace(signed.plan, stated=Stated())
    found = {(one.file, one.rule) for one in findings(signed)}
    assert {
        ("README.md", "private-string"),
        ("croissant.json", "private-string"),
        ("croissant.json", "private-column"),
        ("metadata/citation.bib", "private-string"),
        ("metadata/datacite.json", "private-column"),
    } <= found


@pytest.mark.parametrize(
    "other",
    [
        replace(SAID, date_published="2026-12-31"),
        replace(SAID, creators=SAID.creators[1:], publisher=None),
        replace(SAID, creators=(Creator("Grünwaldner, M.", None, SITE),)),
    ],
)
def test_another_statement_does_not_help(signed, other):
    signed.plan = replace(signed.plan, stated=audited_project.of_params(other))
    assert "croissant.json" in {one.file for one in findings(signed)}


def test_the_name_stays_private_everywhere_else(signed):
    write_text(signed.path("metadata/notes.md"), f"{MAKER} was here.\n")
    csv = signed.path("Annotation/PegTransfer.csv")
    write_text(csv, csv.read_text().replace("GRS", MAKER.partition(",")[0]))
    signed.path("archives/Annotation.zip").unlink()
    signed.seal()
    assert {one.file for one in findings(signed)} == {"metadata/notes.md", "Annotation/PegTransfer.csv"}


def test_a_part_of_the_name_is_a_finding_also_where_the_name_may_stand(signed):
    readme = signed.path("README.md")
    write_text(readme, readme.read_text() + "\nFilmed by Mechthild on 18.04.2023.\n")
    signed.seal()
    told = [one.message for one in findings(signed)]
    assert any("Mechthild" in message for message in told)
    assert any("2023" in message for message in told)


def test_the_curator_is_told_which_of_it_is_private_elsewhere(release):
    assert audited_project.also_private(audited_project.of_params(SAID), release.private) == [DAY, MAKER, SITE]
    assert len(audited_project.warnings(audited_project.of_params(SAID), release.private)) == 3
    assert audited_project.also_private(audited_project.of_params(PARAMS), release.private) == []


def test_words_of_the_documents_pass_in_them_and_are_names_everywhere_else(signed):
    """A person called Long, or a site called Day Clinic, must not be hidden by the words of a datasheet."""
    people = pd.DataFrame({"participant": ["Long", "Whitlock"]})
    signed.private = private_strings.of_tables([people], IDS, public_words(public_tables(()), PARAMS, [], [TASK]))
    assert {"Long", "Whitlock"} <= {needle.text for needle in signed.private.needles}
    declared = {name: table for name, table in public_tables(()).items() if name in signed.tables}
    signed.plan = replace(signed.plan, stated=audited_project.of_params(SAID, [*documents.fixed_texts(SAID, declared), "how long"]))
    write_text(signed.path("metadata/datasheet.md"), "How long did it take?\n")
    signed.seal()
    assert findings(signed) == []
    write_text(signed.path("metadata/datasheet.md"), "How long did Whitlock take, on 2023-04-17?\n")
    write_text(signed.path("metadata/notes.md"), "Long was here.\n")
    signed.seal()
    assert {one.file for one in findings(signed)} == {"metadata/datasheet.md", "metadata/notes.md"}


def test_no_document_opens_a_word_for_the_rest_of_the_release():
    known = folded_words([public_words(public_tables(()), PARAMS, [], [TASK])])
    assert not {"long", "day", "page", "will", "rest", "gebru", "krippendorff"} & known
