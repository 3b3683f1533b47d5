"""`scrubin label` without its page: people, assignment, progress, export, and what it refuses."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

import labelled_study
from each import each
from scrubin.cli import main
from scrubin.curate.label import events, people


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return labelled_study.project(tmp_path_factory.mktemp("labelled") / "study")


@pytest.fixture
def said(capsys, monkeypatch, study):
    """Call the command in the study; return its exit code, and what it printed."""
    monkeypatch.chdir(study)

    def call(*arguments):
        code = main(["label", *arguments])
        printed = capsys.readouterr()
        return code, printed.out + printed.err

    return call


def test_from_the_first_person_to_an_export(said, study):
    assert said("--assign")[1].endswith("nobody labels yet; add annotators by: scrubin label --add NAME\n")
    code, text = said("--add", "Ann Weber")
    assert code == 0
    token = re.fullmatch(r"annotator 1; their token, which is shown only now:\n  (\S{32})\n", text)[1]
    assert people.of_token(people.load(study / people.PATH), token).number == 1
    said("--add", "Ben")
    assert said("--add", "Dora", "--adjudicator")[1].startswith("adjudicator 3;")
    assert said("--assign") == (0, "2 recordings assigned, 2 of them to several people\n")
    assert said("--assign") == (0, "0 recordings assigned, 0 of them to several people\n")
    code, text = said("--export")
    assert (code, text.splitlines()[0]) == (0, "0 files written, 0 the same as before; 2 recordings wait")
    assert all(line.endswith(": annotators 1, 2 are not done") for line in text.splitlines()[1:])
    assert len(text.splitlines()) == 3
    assert json.loads(said("--progress", "--json")[1])["recordings"]["assigned"] == 2
    assert "0 finished by everybody who labels them, 0 complete" in said("--progress")[1]
    assert said("--verify") == (0, f"{events.LEDGER_PATH}: 1 lines, the chain is whole\n")
    assert said("--shut-out", "Ben") == (0, "number 2 cannot come in any more; what they labelled stays\n")


REFUSED = [
    (("--host", "192.0.2.1"), "others could read tokens and videos on the way; give a TLS certificate"),
    (("--certificate", "cert.pem"), "--certificate and --key belong together"),
    (("--certificate", "cert.pem", "--key", "key.pem"), "cert.pem: there is no such file"),
    (("--shut-out", "Nobody"), "there is no 'Nobody'"),
]


@each("arguments, says", REFUSED)
def test_what_cannot_be_is_refused_with_its_mend(said, arguments, says):
    code, text = said(*arguments)
    assert code == 1
    assert says in text


def test_a_broken_chain_is_named_and_nothing_is_read_from_it(said, study):
    path = study / events.LEDGER_PATH
    before = path.read_bytes()
    path.write_bytes(before.replace(b'"by":"0"', b'"by":"1"') + before)
    code, text = said("--verify")
    path.write_bytes(before)
    assert code == 1
    assert "the chain of labels is broken here" in text
    assert "everything has to be labelled again" in text


def test_a_study_without_the_section_is_told_what_to_write(said, study):
    path = study / "params.yaml"
    before = path.read_text(encoding="utf-8")
    path.write_text(before.partition("label:")[0], encoding="utf-8")
    code, text = said("--progress")
    path.write_text(before, encoding="utf-8")
    assert (code, "there is no section 'label'" in text) == (1, True)


WRONG = [
    ("vocabulary: cholect50", "vocabulary: cholect5", "'label.vocabulary' 'cholect5' is no vocabulary"),
    ('annotators: "2"', 'annotators: "0"', "'label.annotators' must be all, or a whole number above 0"),
    ("layers: [phases, actions, quality, ratings]", "layers: [steps]", "the vocabulary 'cholect50' has no steps"),
    ("layers: [phases, actions, quality, ratings]", "layers: []", "'label.layers' names none"),
    ("quality: [smoke, blurred]", "quality: []", "'label.quality' names nothing, but is a layer"),
    ("overlap: 1.0", "overlap: 1.5", "'label.overlap' must lie in [0.0, 1.0]"),
    ("order: mixed", "order: random", "'label.order' must be one of mixed, listed"),
]


@each("old, new, says", WRONG)
def test_a_wrong_parameter_is_named_with_what_it_may_be(said, study, old, new, says):
    path = study / "params.yaml"
    before = path.read_text(encoding="utf-8")
    path.write_text(before.replace(old, new), encoding="utf-8")
    code, text = said("--progress")
    path.write_text(before, encoding="utf-8")
    assert code == 1
    assert says in text


@pytest.mark.slow
def test_the_page_opens_without_what_only_statistics_need():
    needs = (
        "import sys, scrubin.curate.label.app, scrubin.cli.label; print(sorted({'sklearn', 'pingouin', 'matplotlib'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", needs], capture_output=True, check=True, text=True).stdout == "[]\n"
