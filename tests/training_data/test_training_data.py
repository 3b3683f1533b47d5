"""Declared training data: read strictly, and every source held against the test set by itself."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hidden_releases
from scrubin import cli
from scrubin.base.errors import AnnotationError
from scrubin.evaluate import training_data, training_overlap
from scrubin.public_splits.selection import select

WHOLE = """\
version: 1
complete: yes
trained_until: 2026-10-01
datasets:
{datasets}
weights:
{weights}
own_data:
{own}
"""


@pytest.fixture
def declared(tmp_path):
    """Write a declaration; entries are YAML objects on one line each."""

    def declared(datasets=(), weights=(), own=(), complete="yes"):
        parts = {"datasets": datasets, "weights": weights, "own": own}
        text = WHOLE.format(**{name: "\n".join(f"  - {one}" for one in of) or "  []" for name, of in parts.items()})
        path = tmp_path / "training_data.yaml"
        path.write_text(text.replace("complete: yes", f"complete: {complete}"))
        return path

    return declared


def verdicts(path, test="cholect50/rdv:test"):
    found = training_overlap.assess(training_data.read(path), [select(test)], path.name)
    return [(one.line, one.verdict) for one in found.sources], found.verdict


def test_every_source_has_its_own_verdict_and_the_worst_is_that_of_the_whole(declared):
    path = declared(
        ["{name: cholec80, videos: 1-5}", "{name: cholec80/40-40, videos: train}", "{name: our-set, videos: all}"],
        ["{name: EndoViT_SPR}", "{name: ours, trained_on: [imagenet-1k, prostatd]}"],
        ["{description: ours, shares_operations: no}"],
    )
    each, whole = verdicts(path)
    assert each == [
        (5, "clean"),
        (6, "overlap"),
        (7, "unverified"),
        (9, "overlap"),
        (10, "clean"),
        (10, "clean"),
        (12, "unverified"),
    ]
    assert whole == "overlap"


@pytest.mark.parametrize("name", ["EndoViT_SPR", "SelfSupSurg"])
def test_what_weights_are_said_to_be_trained_on_stands_beside_what_is_known_of_their_name(declared, name):
    alone, verdict = verdicts(declared(weights=[f"{{name: {name}}}"]), "cholec80:1-10")
    each, whole = verdicts(declared(weights=[f"{{name: {name}, trained_on: [imagenet-1k]}}"]), "cholec80:1-10")
    assert [one for _, one in each] == [*(one for _, one in alone), "clean"]
    assert whole == verdict == "overlap"


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ({"datasets": ["{name: Cholec80, videos: all}"]}, "overlap"),
        ({"datasets": ["{name: cholec80, videos: unknown}"]}, "unverified"),
        ({"datasets": ["{name: prostatd, videos: unknown}"]}, "clean"),
        ({"datasets": ["{name: imagenet-1k, videos: all}"]}, "clean"),
        ({"datasets": ["{name: cholec80, videos: [1, 2, 3]}"]}, "clean"),
        ({"datasets": ["{name: cholec80, videos: [6]}"]}, "overlap"),
        ({"datasets": ["{name: surgenetxl, videos: all}"]}, "overlap"),
        ({"datasets": ["{name: lemon, videos: all}"]}, "unverified"),
        ({"weights": ["{name: our network}"]}, "unverified"),
        ({"own": ["{description: x, shares_operations: yes}"]}, "overlap"),
        ({"own": ["{description: x, shares_operations: no}"]}, "unverified"),
        ({"own": ["{description: x, shares_operations: unknown}"]}, "unverified"),
        ({}, "clean"),
        ({"complete": "no"}, "unverified"),
    ],
)
def test_what_is_declared_is_held_against_the_test_set_and_what_is_only_said_is_no_proof(declared, said, verdict):
    assert verdicts(declared(**said))[1] == verdict


@pytest.mark.parametrize("name", ["EndoViT SPR", "endovit_spr", "HecVL", "GSViT", "LemonFM", "SurgeNet-CHOLEC"])
def test_published_weights_are_known_by_name(declared, name):
    found = training_overlap.assess(training_data.read(declared(weights=[f"{{name: {name}}}"])), [select("cholec80")], "a")
    assert found.sources[0].leak is not None


@pytest.mark.parametrize(
    ("change", "line", "says"),
    [
        (("complete: yes", "complete: maybe"), 2, "write yes, no"),
        (("trained_until: 2026-10-01", "trained_until: 2026-13-01"), 3, "is no day"),
        (("trained_until: 2026-10-01", "trained_until:"), 3, "says nothing"),
        (("datasets:", "dataset:"), 4, "did you mean 'datasets'?"),
        (("version: 1", "version: 2"), 1, "write version: 1"),
        (("  []\nweights", "  none\nweights"), 5, "is no list"),
        (("  []\nweights", "  - cholec80\nweights"), 5, "has no fields"),
        (("  []\nweights", "  - {name: cholec80}\nweights"), 5, "has no 'videos'"),
        (("  []\nweights", "  - {name: a, name: b, videos: all}\nweights"), 5, "stands twice"),
        (("  []\nweights", "  - {name: cholec80, videos: 1-90}\nweights"), 5, "is no video of 'cholec80'"),
        (("  []\nweights", "  - {name: cholec80/40-40, videos: tran}\nweights"), 5, "did you mean 'train'?"),
        (("  []\nweights", "  - {name: [\nweights"), 8, "cannot be read as YAML"),
    ],
)
def test_a_fault_is_named_with_file_line_and_mend(declared, change, line, says, capsys):
    path = declared()
    path.write_text(path.read_text().replace(*change))
    assert cli.main(["submission", "training", str(path), "--test", "cholec80"]) == 1
    error = capsys.readouterr().err
    assert f"training_data.yaml, line {line}" in error
    assert says in error


def test_all_faults_are_told_at_once(declared):
    path = declared()
    path.write_text(path.read_text().replace("complete: yes", "complete: maybe").replace("weights:", "wights:"))
    with pytest.raises(AnnotationError) as refused:
        training_data.read(path)
    assert len(refused.value.faults) == 3


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused_in_words(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("any") / "training_data.yaml"
    path.write_bytes(data)
    with pytest.raises(AnnotationError):
        training_data.read(path)


def test_the_form_can_be_handed_in_as_it_is(tmp_path, capsys):
    assert cli.main(["submission", "training", "--form", "--test", "cholec80/40-40:test"]) == 0
    text = capsys.readouterr().out
    assert "--test cholec80/40-40:test" in text
    assert text == training_data.text("cholec80/40-40:test")
    (tmp_path / training_data.NAME).write_text(text)
    assert cli.main(["submission", "training", str(tmp_path), "--test", "cholec80/40-40:test"]) == 1
    assert "verdict against cholec80/40-40:test: unverified" in capsys.readouterr().out


def test_the_command_says_what_is_shared_and_ends_with_0_only_when_clean(declared, capsys):
    path = declared(["{name: cholec80/40-40, videos: train}"])
    assert cli.main(["submission", "training", str(path), "--test", "cholect50/rdv:test"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "line 5: cholec80/40-40: train: overlap (4 shared operations: cholect50 6, cholect50 10, cholect50 14, cholect50 32)",
        "trained until: 2026-10-01",
        "verdict against cholect50/rdv:test: overlap",
    ]
    assert cli.main(["submission", "training", str(path), "--test", "cholec80/40-40:test", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["verdict"], told["sources"][0]["verdict"], told["sources"][0]["line"]) == ("clean", "clean", 5)


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    return hidden_releases.release(tmp_path_factory.mktemp("challenge") / "release")


def test_the_check_of_a_submission_reads_it(release, declared, tmp_path, capsys):
    team = hidden_releases.submission(tmp_path / "team", "phases")
    split = ["--videos", str(release / "splits/balanced.csv"), "--subset", "test"]
    check = ["submission", "check", str(team), "--ground-truth", str(release), *split]
    (team / "training_data.yaml").write_text(declared(["{name: cholec80, videos: all}", "{name: lemon, videos: all}"]).read_text())
    assert cli.main(check) == 0
    assert "training_data.yaml is well formed" in capsys.readouterr().out
    assert cli.main([*check, "--test", "cholect50/rdv:test"]) == 1
    out = capsys.readouterr().out
    assert "deviation: training_data.yaml, line 5: cholec80: overlap (9 shared operations" in out
    assert "warning: training_data.yaml, line 6: lemon: unverified (" in out
    assert "can be scored as it is" in out
    assert "was not looked at" not in out
    (team / "training_data.yaml").write_text("version: 1")
    assert cli.main(check) == 1
    assert "error: training_data.yaml, line 1: the file has no 'complete'" in capsys.readouterr().out


def test_a_declaration_that_is_a_link_out_of_its_folder_is_refused_and_not_quoted(tmp_path):
    (tmp_path / "secret").write_text("the word that nobody may see: [")
    (tmp_path / "team").mkdir()
    (tmp_path / "team/training_data.yaml").symlink_to("../secret")
    with pytest.raises(AnnotationError, match="it is outside of") as refused:
        training_data.read(tmp_path / "team/training_data.yaml")
    assert "the word" not in str(refused.value)
