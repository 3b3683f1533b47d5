"""Help texts: what they cost, and what they say."""

import json
import subprocess
import sys

import pytest

from scrubin import cli
from scrubin.base import machine
from scrubin.cli import splits, stereo
from scrubin.cli.commands import DECLARED, DOORS, overview
from scrubin.evaluate.metrics.variants import METRICS
from scrubin.evaluate.tasks.scoring import STEPS
from scrubin.labels.choices import known_formats
from scrubin.labels.registry import WRITERS, readable
from scrubin.media.rigs.rig import MM_PER_UNIT

SLOW = {"PIL", "numpy", "pandas", "pyarrow", "matplotlib", "pingouin", "prefect", "great_expectations", "dask", "scrubin.evaluate.side"}
NEVER = sorted({*machine.EXTRA_OF, *SLOW, "rapidocr"})
"""Import one of these, and a help text takes longer than 0.25 s of the processor."""
BELOW = (
    "challenge bundle, challenge public, submission causality, submission check, submission training, deid make, deid score, dicom show, "
    "dicom write"
)
SUBCOMMANDS = {"splits": splits.SUBCOMMANDS, "stereo": stereo.SUBCOMMANDS, "score": METRICS}
FURTHER = [
    *((command, name) for command, names in SUBCOMMANDS.items() for name in names),
    *(tuple(words.split()) for words in BELOW.split(", ")),
]
EVERY = [*((name,) for name in cli.COMMANDS), *FURTHER]
ASK = """
import contextlib, io, json, sys
from scrubin import cli

texts, came = {}, {}
for command in json.loads(sys.argv[1]):
    text = io.StringIO()
    try:
        with contextlib.redirect_stdout(text):
            cli.main([*command, "--help"])
    except SystemExit as end:
        texts[" ".join(command)] = text.getvalue() * (not end.code)
    for name in set(json.loads(sys.argv[2])) & set(sys.modules):
        came.setdefault(name, " ".join(command))
print(json.dumps([texts, came]))
"""


@pytest.fixture(scope="module")
def asked():
    """Every help text of a process of its own, and the slow packages that came in with which."""
    command = [sys.executable, "-c", ASK, json.dumps(EVERY), json.dumps(NEVER)]
    return json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)


def test_no_help_text_imports_what_is_slow(asked):
    _, came = asked
    assert came == {}


def test_every_command_prints_its_help_with_formats_units_and_defaults(asked):
    texts, _ = asked
    assert [name for name in map(" ".join, EVERY) if not texts[name].startswith(f"usage: scrubin {name}")] == []
    assert [name for name in {*readable(), *WRITERS} if f"  {name} " not in texts["convert"]] == []
    for command, words in (("convert", ["default"]), ("frames", ["seconds", "px", "default"]), ("frames-check", ["per second", "default"])):
        assert all(word in texts[command] for word in words)


def test_the_help_of_a_metric_has_its_choices_and_no_others(asked):
    texts, _ = asked
    for name, metric in METRICS.items():
        said = texts[f"score {name}"].split("variants, the default")[-1]
        assert metric.does in " ".join(texts["score"].split())
        for choices in metric.choices.values():
            assert all(f" {key}=" in said for key in choices)
        others = {key for one in METRICS.values() for choices in one.choices.values() for key in choices}
        assert not any(f" {key}=" in said for key in others - {key for choices in metric.choices.values() for key in choices})
        assert "=" not in texts["score"].split("metrics:")[1]


def test_an_option_names_the_metric_of_the_help_too(capsys):
    with pytest.raises(SystemExit):
        cli.main(["score", "--metric", "skill", "--help"])
    said = capsys.readouterr().out
    assert said.startswith("usage: scrubin score skill --ground-truth PATH")
    assert "form=" in said
    assert "omega=" not in said


def test_the_formats_of_the_help_are_those_that_register_themselves():
    known = known_formats()
    assert {name: form.title for name, form in known.items() if form.title} == {name: form.title for name, form in readable().items()}
    assert {name for name, form in known.items() if form.is_written} == {*WRITERS}


def test_every_metric_that_can_be_chosen_is_computed():
    assert list(STEPS) == list(METRICS)


def test_the_units_of_the_help_are_those_that_a_rig_is_read_in():
    assert tuple(MM_PER_UNIT) == stereo.UNITS


def test_the_command_alone_lists_every_command_once_in_one_line_at_its_door(capsys):
    assert cli.main([]) == cli.USAGE
    said = capsys.readouterr().out
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    assert capsys.readouterr().out == said
    door, found = "", {}
    for line in said.splitlines():
        words = line.split(maxsplit=1)
        if line.startswith("  ") and door:
            assert words[0] not in found
            found[words[0]] = (door, words[1])
        elif line.partition(":")[0] in DOORS or line == DOORS["terminal"]:
            door = line.partition(":")[0] if ":" in line else "terminal"
    assert found == {name: (one.door, one.does) for name, one in DECLARED.items()}
    assert set(DOORS) == {door for door, _ in found.values()}


def test_a_narrow_terminal_breaks_no_word(monkeypatch, capsys):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "60")
    lines = overview().splitlines()
    assert max(map(len, lines)) <= 80
    assert all(len(line) <= 60 for line in lines if line.startswith("  "))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (["scor"], "invalid choice: 'scor'; did you mean 'score'?"),
        (["splits", "mak"], "invalid choice: 'mak'; did you mean 'make'?"),
        (["score", "phase"], "invalid choice: 'phase'; did you mean 'phases'?"),
        (["splits", "zzz"], "invalid choice: 'zzz'; known are show, diff, check, make, extend, leaks"),
    ],
)
def test_a_mistyped_command_is_answered_with_the_one_that_was_meant(typed, meant, capsys):
    with pytest.raises(SystemExit) as end:
        cli.main(typed)
    assert end.value.code == cli.USAGE
    assert capsys.readouterr().err.endswith(f"{meant}\n")
