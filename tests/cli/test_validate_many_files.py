"""`scrubin validate` on a folder of many files: the verdict comes first, and one cause is one line."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from label_examples import EXAMPLES
from scrubin import cli
from scrubin.base.faults import Fault, warning
from scrubin.labels.registry import FORMATS

pytestmark = pytest.mark.usefixtures("one_judge")
MANY = 40
(PHASES,) = EXAMPLES["multibypass140"].values()
(TRIPLETS,) = EXAMPLES["cholect50"].values()


@pytest.fixture
def validate(tmp_path, capsys):
    """Write files, validate their folder, and return exit code and lines."""

    def validate(files, *more):
        folder = tmp_path / "labels"
        folder.mkdir(exist_ok=True)
        for name, data in files.items():
            (folder / name).write_bytes(data)
        code = cli.main(["validate", str(folder), *more])
        out, err = capsys.readouterr()
        assert err == ""
        return code, out.replace(str(folder), "labels").splitlines()

    return validate


def videos(data, change=lambda number, document: None):
    """So many files of a video each, each changed by its number."""
    files = {}
    for number in range(MANY):
        document = json.loads(data)
        document |= {"video": number} if data is TRIPLETS else {}
        change(number, document)
        files[f"VID{number:03d}.json" if data is TRIPLETS else f"BBP{number:03d}.mp4.json"] = json.dumps(document).encode()
    return files


@pytest.fixture
def noting(monkeypatch):
    """Let the reader of CholecT50 note one more fault of every file."""

    def noting(severity):
        form = FORMATS["cholect50"]

        def read(source):
            labels = form.read(source)
            fault = replace(warning(min(source.files), "made-up", "something is odd", "look at it"), severity=severity)
            return replace(labels, faults=(*labels.faults, fault))

        monkeypatch.setitem(FORMATS, "cholect50", replace(form, read=read))

    return noting


def test_sound_files_are_a_verdict_and_a_line_of_what_is_not_listed(validate):
    code, lines = validate(videos(PHASES))
    assert (code, len(lines)) == (0, 2)
    assert lines[0].startswith(f"labels: passed: 16 of 16 checks passed; read as multibypass140: {MANY} files, {MANY} recordings")
    assert re.fullmatch(rf"\d+ not applicable, {3 * MANY} not validated: --all lists them", lines[1])


def test_all_lists_what_is_otherwise_counted(validate):
    code, lines = validate(videos(PHASES), "--all")
    assert code == 0
    assert lines.count("BBP007: not validated: spans of steps (2 times)") == 1
    assert len([line for line in lines if "not validated: " in line]) == 2 * MANY
    assert len([line for line in lines if line.startswith("not applicable: ")]) > 5
    assert re.fullmatch(rf"\d+ not applicable, {3 * MANY} not validated", lines[-1])


def test_one_cause_in_every_file_is_one_line_with_a_count(validate):
    def misnumber(number, document):
        document["annotations"]["16"][0][0] = 500 + number

    code, lines = validate(videos(TRIPLETS, misnumber))
    errors = [line for line in lines if line.startswith("error")]
    assert (code, len(errors), len(lines)) == (1, 1, 3)
    assert lines[0].startswith("labels: failed: ")
    assert lines[1].startswith("error: labels/VID000.json, frame 16, vector 0: triplet 500 is not in 0..99; ")
    assert f"(and at {MANY - 1} more places, also in labels/VID001.json, " in lines[1]
    _, every = validate({}, "--all")
    assert len([line for line in every if line.startswith("error: labels/VID")]) == MANY


@pytest.mark.slow
def test_two_causes_are_two_lines_and_the_broken_rule_of_the_other_files_comes_too(validate):
    def damage(number, document):
        vectors = document["annotations"]["16"]
        if number == 5:
            vectors[0][0] = 500
        elif number == 9:
            document["annotations"]["x"] = []
        else:
            vectors.append(vectors[0])

    code, lines = validate(videos(TRIPLETS, damage))
    assert code == 1
    assert [line.split(":")[1] for line in lines if line.startswith("error: labels/VID")][:2] == [
        " labels/VID005.json, frame 16, vector 0",
        " labels/VID009.json, frame 'x'",
    ]
    (rule,) = [line for line in lines if "rule instance_twice" in line]
    assert rule.startswith("error: labels/VID000.json, labels/VID001.json, labels/VID002.json and others: table triplets, ")
    assert f": {2 * (MANY - 2)} of " in rule
    assert lines.index(rule) == 3
    assert lines[-2] == f"  ... and {2 * (MANY - 2) - 20} more"


@pytest.mark.parametrize("severity", ["deviation", "warning"])
@pytest.mark.slow
def test_deviations_and_warnings_are_shown_and_pass(validate, noting, severity):
    noting(severity)
    code, lines = validate(videos(TRIPLETS))
    assert (code, len(lines)) == (0, 3)
    assert lines[0].startswith("labels: passed: ")
    assert lines[1].startswith(f"{severity}: labels/VID000.json: something is odd; look at it (and at {MANY - 1} more places, also in ")
    assert re.fullmatch(rf"{MANY} {severity}s, \d+ not applicable: --all lists them", lines[2])
    _, every = validate({}, "--all")
    assert every.count(f"{severity}: labels/VID{MANY - 1:03d}.json: something is odd; look at it") == 1


def test_an_error_that_the_reader_notes_fails(validate, noting):
    noting("error")
    code, lines = validate({"VID07.json": TRIPLETS})
    assert code == 1
    assert lines[1] == "error: labels/VID07.json: something is odd; look at it"


@pytest.mark.slow
def test_json_keeps_its_keys_and_has_every_fault(validate, noting):
    noting("deviation")
    code, lines = validate(videos(TRIPLETS), "--json")
    document = json.loads("\n".join(lines))
    old = {"path", "format", "warnings", "unasked", "tables", "verdict", "counts", "rows", "outcomes"}
    assert (code, document.keys() - {"faults", "recordings"}) == (0, old)
    assert len(document["faults"]) == len(document["warnings"]) == len(document["recordings"]) == MANY
    assert document["faults"][7] == Fault("labels/VID007.json", "made-up", "something is odd", "look at it", severity="deviation").as_json()
    assert document["recordings"]["VID007"] == {"recognition": 4, "detection": 3, "phases": 3, "spans": 0, "marks": 0}
