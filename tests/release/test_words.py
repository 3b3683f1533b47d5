"""``datasheet.yaml``: what the curator says is taken, and what nobody asks for is named."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from scrubin.base.errors import ReleaseError
from scrubin.curate.lists import empty_study
from scrubin.stages.release.metadata import curator_words
from scrubin.stages.release.metadata.curator_words import QUESTIONS, SECTIONS, datasheet_template


def load(tmp_path, text):
    path = tmp_path / "datasheet.yaml"
    path.write_text(text)
    return curator_words.load_words(path)


@pytest.mark.parametrize("text", ["", "{}\n", "motivation:\n", datasheet_template(), empty_study.LISTS[empty_study.DATASHEET]])
def test_whoever_says_nothing_has_said_nothing(tmp_path, text):
    assert load(tmp_path, text).answers == {}
    assert load(tmp_path, text).unsaid() == list(QUESTIONS)


def test_the_template_asks_every_question_once():
    document = yaml.safe_load(datasheet_template())
    assert [f"{section}.{key}" for section in document for key in document[section]] == [one.name for one in QUESTIONS]
    assert list(document) == list(SECTIONS)
    assert all(one.asks in datasheet_template() for one in QUESTIONS)


def test_answers_are_taken_by_their_kind(tmp_path):
    said = load(
        tmp_path,
        """
motivation: {purpose: "For a\\n  benchmark."}
composition: {synthetic: false, sensitive: [Blood., Tissue.], derived_from: Another set}
collection: {years: [2021, 2023]}
distribution: {conditions: [DUO_0000042, DUO_0000046]}
""",
    )
    assert said.text("motivation.purpose") == "For a benchmark."
    assert said.answers["composition.synthetic"] is False
    assert said.items("composition.sensitive") == ("Blood.", "Tissue.")
    assert said.items("composition.derived_from") == ("Another set",)
    assert said.items("collection.years") == ("2021", "2023")
    assert said.items("uses.biases") == ()
    assert said.text("uses.so_far") is None
    assert len(said.unsaid()) == len(QUESTIONS) - 6


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("motivaton: {purpose: x}", "nobody asks for 'motivaton'; did you mean 'motivation'?"),
        ("motivation: {purpos: x}", "nobody asks for 'motivation.purpos'; did you mean 'purpose'?"),
        ("uses: {zzz: x}", "nobody asks for 'uses.zzz'; known are intended, unsuitable"),
        ("uses: good", "'uses' must be a section with answers, but is 'good'"),
        ("[1]", "it must hold sections with answers, or {}"),
        ("motivation: {purpose: [a, b]}", "'motivation.purpose' must be text, but is"),
        ("composition: {synthetic: maybe}", "'composition.synthetic' must be true or false, but is 'maybe'"),
        ("uses: {biases: {a: b}}", "'uses.biases' must be a text or a list of texts"),
        ("collection: {years: [2023-04-17]}", "days do not belong into a release"),
        ("collection: {years: [2023, 2021]}", "must be the first and the last year"),
        ("distribution: {conditions: [DUO_0000043x]}", "no condition of DUO; did you mean 'DUO_0000043'?"),
        ("uses: {biases: [a", "it cannot be read"),
    ],
)
def test_a_fault_names_file_place_and_mend(tmp_path, text, message):
    with pytest.raises(ReleaseError) as caught:
        load(tmp_path, text)
    assert str(caught.value).startswith(f"{tmp_path}/datasheet.yaml: ")
    assert message in str(caught.value)


def test_an_answer_that_stands_twice_is_refused(tmp_path):
    with pytest.raises(ReleaseError, match=r"datasheet.yaml, line 3: the key 'uses.biases' stands twice, first in line 2"):
        load(tmp_path, "uses:\n  biases: a\n  biases: b\n")


def test_all_faults_of_the_sheet_are_said_at_once(tmp_path):
    with pytest.raises(ReleaseError) as caught:
        load(tmp_path, "motivaton: {}\nuses: good\ncomposition: {synthetic: maybe, zzz: 1}\ncollection: {years: [2023, 2021]}")
    assert len(caught.value.faults) == 5
    for name in ("'motivaton'", "'uses'", "'composition.zzz'", "'composition.synthetic'", "'collection.years'"):
        assert name in str(caught.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ReleaseError, match="it cannot be read"):
        curator_words.load_words(tmp_path / "datasheet.yaml")


TEXTS = [one.name for one in QUESTIONS if one.kind == "text"]


@given(st.dictionaries(st.sampled_from(TEXTS), st.text(st.characters(categories=["L", "N"]), min_size=1)))
def test_every_text_comes_back_as_it_was_said(tmp_path_factory, said):
    document: dict[str, dict[str, str]] = {}
    for name, answer in said.items():
        section, key = name.split(".")
        document.setdefault(section, {})[key] = answer
    found = load(tmp_path_factory.mktemp("said"), yaml.safe_dump(document, allow_unicode=True))
    assert found.answers == said
