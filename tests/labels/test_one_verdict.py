"""The same path, whole or damaged, has one verdict in every command: format, frames that count, every fault and its place.

The commands differ by the policy alone: which severities stop which command.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from label_examples import EXAMPLES, OF_CRITERIA, rate_of
from scrubin.base.errors import ScrubinError
from scrubin.base.faults import summary
from scrubin.labels.files import reader
from scrubin.labels.files.reader import Options
from scrubin.labels.files.verdict import verdict_of
from scrubin.labels.policy import COMMANDS, POLICY, Command, stopping
from scrubin.labels.registry import contents_of, format_of
from scrubin.stages.validate import tables_at_path
from verdict_cases import Said, challenge_files, damaged_files, say, write_files

pytestmark = pytest.mark.usefixtures("own_judge")
OF_PHASES = ["cholec80", *(name for name in EXAMPLES if contents_of(format_of(name)) <= {"phases", "segments"})]
METRICS = (
    dict.fromkeys(OF_PHASES, "phases")
    | dict.fromkeys(("lasana", "aixsuture", "heichole-skill"), "skill")
    | dict.fromkeys(OF_CRITERIA, "criteria")
)
CONTESTS = dict.fromkeys(OF_CRITERIA, "criteria") | {"cholectrack20-txt": "tracks"}
"""Formats whose labels are checked and ranked by a task of files in any format; the others by files per video."""
WHOLE = 10
"""So many of the damaged cases go through the whole of `validate`; of the others only the reading, which rules cannot change."""


def of_every_command(path: Path, form: str, folder: Path, capsys, *, whole: bool = True) -> dict[Command, Said]:
    """What every command that takes labels says of labels: validated, converted, scored against, submitted to, ranked by."""
    copy = folder / "copy"
    shutil.copytree(path, copy)
    _, team = challenge_files(folder)
    metric = CONTESTS.get(form) or METRICS.get(form, "recognition")
    of_task = [["--task", CONTESTS[form]], ["--metric", CONTESTS[form]]] if form in CONTESTS else [[], []]
    rate = ["--fps", str(rate_of(form))] if format_of(form).by_hand.asks_fps else []
    arguments: dict[Command, list[str]] = {
        "convert": ["convert", str(path), "--to", "tables", "--out", str(folder / "out"), *rate],
        "score": ["score", metric, "--ground-truth", str(path), "--predictions", str(copy)],
        "submission check": ["submission", "check", str(team), "--ground-truth", str(path), *of_task[0]],
        "rank": ["rank", str(team), "--ground-truth", str(path), *of_task[1]],
    }
    validated = say(["validate", str(path), "--all"], path, capsys) if whole else read_only(path)
    return {"validate": validated, **{command: say(typed, path, capsys) for command, typed in arguments.items()}}


def read_only(path: Path) -> Said:
    """What `validate` says of a path before it asks any rule."""
    try:
        at_path = tables_at_path.read(path, None, Options())
    except ScrubinError as error:
        return Said(None, error.faults, 1, str(error))
    verdict = verdict_of(reader.read_path(path, None, Options()))
    assert (at_path.form, at_path.line) == (verdict.format, verdict.line)
    assert set(verdict.faults) <= set(at_path.faults)
    code = int(any(fault.severity == "error" for fault in at_path.faults))
    return Said(verdict, (), code, "\n".join([at_path.line, *summary(verdict.faults), *summary(stopping("validate", verdict.faults))]))


def check_agreement(said: dict[Command, Said]) -> None:
    verdicts = {command: one.verdict for command, one in said.items()}
    first = verdicts["validate"]
    if first is not None and any(fault.rule.startswith("detection-") for fault in first.faults) and first.format == "cholectriplet2022":
        # `score recognition` only warns of the detections of a submission, and counts its scores.
        (of_score,) = [replace(fault, severity="error") for fault in said["score"].verdict.faults]
        verdicts["score"] = replace(first, faults=(of_score,))
    assert all(one == first for one in verdicts.values()), verdicts
    if first is None:  # nothing could be read at all: every command says the same why
        assert all(one.faults == said["validate"].faults and one.code for one in said.values()), said
        return
    lines = summary(first.faults)
    for command, one in said.items():
        if stopping(command, first.faults):
            assert one.code, (command, one.text)
            lines = summary(stopping(command, first.faults))
        # How many more places have a fault depends on what else was read; the fault itself does not. `score` says whose it is.
        text = one.text.replace(": ground truth: ", ": ").replace(": predictions: ", ": ")
        assert all(line.split(" (and at ")[0] in text for line in lines), (command, lines, one.text)


@pytest.mark.cases(8)
@pytest.mark.parametrize("form", EXAMPLES)
def test_every_command_says_the_same_of_every_example(form, tmp_path, capsys):
    path = write_files(tmp_path / "in", EXAMPLES[form])
    said = of_every_command(path, form, tmp_path, capsys)
    check_agreement(said)
    verdict = said["validate"].verdict
    assert verdict is not None
    assert verdict.format == form
    assert not [fault for fault in verdict.faults if fault.severity == "error"]
    line, *more = said["validate"].text.splitlines()
    assert said["validate"].code == 0
    assert ": passed: " in line
    assert f"; read as {form}: " in line
    assert not [one for one in more if one.startswith(("error", "deviation", "note")) or "rule " in one]
    assert verdict_of(reader.read_path(path, format_of(form), Options())) == verdict
    # All say what they read, where there are frames for them; `score` where these are labels, that can be scored.
    for command in ("validate", "convert", "submission check", "rank"):
        refused = "states the rate of its frames; say it by --fps" in said[command].text and format_of(form).by_hand.asks_fps
        assert verdict.line in said[command].text or form in ("jigsaws", "lasana", "aixsuture", "heichole-skill") or refused
    assert verdict.line in said["score"].text or METRICS.get(form) == "skill" or said["score"].code


QUICK = len(EXAMPLES)
"""So many damaged files, one of each format, are tried by the default suite; the others are slow."""
DAMAGED = [
    pytest.param(name, form, files, id=name, marks=[pytest.mark.slow] * (number >= QUICK))
    for number, (name, form, files) in enumerate(damaged_files())
]


@pytest.mark.cases(8)
@pytest.mark.parametrize(("name", "form", "files"), DAMAGED)
def test_every_command_says_the_same_of_every_damaged_file(name, form, files, tmp_path, capsys):
    whole = int(name[:3]) < WHOLE
    check_agreement(of_every_command(write_files(tmp_path / "in", files), form, tmp_path, capsys, whole=whole))


def test_the_policy_has_every_command_and_severity():
    assert set(POLICY) == set(COMMANDS)
    assert all(set(by_severity) == {"error", "deviation", "warning"} for by_severity in POLICY.values())
