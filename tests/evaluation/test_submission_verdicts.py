"""A submission has the same faults whether it is validated, converted, scored, checked or ranked."""

from __future__ import annotations

import json

import numpy as np
import pytest

from challenge_cases import WORDS, detected, document, labels, scores, write, write_labels
from scrubin import cli
from scrubin.base.faults import Fault, Faults
from scrubin.base.vocabulary import vocabulary
from scrubin.evaluate import submission, submission_truth
from scrubin.labels.files import reader
from scrubin.labels.formats.submission import content

pytestmark = pytest.mark.usefixtures("own_judge")
FRAMES = 12
BOX = [0.4, 0.2, 0.3, 0.4]


@pytest.fixture
def challenge(tmp_path):
    """Labels, and a submission without a fault as documents."""
    truth = {"VID01": labels(1, FRAMES), "VID02": labels(2, FRAMES)}
    write_labels(tmp_path / "gt", truth, box=tuple(BOX))
    documents = {}
    for name, of in truth.items():
        boxes = detected(of, shift=0.3)
        documents[name] = {frame: row | boxes[frame] for frame, row in document(scores(3, of, 1)).items()}
    return tmp_path, documents


CHANGES = {
    "nothing": lambda document: None,
    "above 1": lambda document: document["3"]["recognition"].__setitem__(5, 1.5),
    "nan": lambda document: document["3"]["recognition"].__setitem__(5, float("nan")),
    "94 classes": lambda document: document["3"].update(recognition=[0.5] * 94),
    "nested": lambda document: document["3"].update(recognition=[document["3"]["recognition"]]),
    "bare": lambda document: document.update({"3": document["3"]["recognition"]}),
    "padded": lambda document: document.update({"00003": document.pop("3")}),
    "spelled": lambda document: document.update({"frame_3": document.pop("3")}),
    "no frame": lambda document: document.update(info={}),
    "no detection": lambda document: document["3"].pop("detection"),
    "misspelt": lambda document: document["3"].update(recogniton=document["3"].pop("recognition")),
    "not kept": lambda document: document["3"].update(time_ms=4),
    "another instrument": lambda document: document["3"].update(detection=[{"triplet": 17, "instrument": [3, 0.5, *BOX]}]),
    "triplet id": lambda document: document["3"].update(detection=[{"triplet": 100, "instrument": [0, 0.5, *BOX]}]),
    "corners": lambda document: document["3"].update(detection=[{"triplet": 17, "instrument": [0, 0.5, 0.5, 0.5, 0.9, 0.9]}]),
    "all as corners": lambda document: [
        one["instrument"].__setitem__(slice(2, 6), [0.1, 0.1, 0.3, 0.3]) for frame in document.values() for one in frame["detection"]
    ],
    "from 1": lambda document: [frame.update(detection=_from_one(frame["detection"])) for frame in document.values()],
}


def _from_one(detections):
    return [{"triplet": one["triplet"] + 1, "instrument": [one["instrument"][0] + 1, *one["instrument"][1:]]} for one in detections]


def of_task(fault: Fault) -> str:
    """Which task a fault is of, where it is of one alone."""
    named = {"id-from-one": "detection", "frame-key": "recognition" if "'recognition'" in fault.fix else ""}
    return named.get(fault.rule, fault.rule.split("-")[0])


def facts(fault: Fault):
    """What does not depend on where a folder lies."""
    return (fault.rule, fault.severity, fault.file.rsplit("/", 1)[-1], fault.place, fault.frames, fault.what, fault.fix)


@pytest.mark.cases(5)
@pytest.mark.parametrize("case", CHANGES)
def test_every_command_finds_the_same_faults_in_a_file(challenge, capsys, case):
    folder, documents = challenge
    CHANGES[case](documents["VID01"])
    team = write(folder / "team", documents)
    reading = reader.read_path(team, None, reader.Options())
    checked = submission.check(team, submission_truth.read(folder / "gt", form="cholect50")).faults
    assert reading.form.name == "cholectriplet2022"
    assert {facts(fault) for fault in checked if not fault.rule.startswith("frames-")} == set(map(facts, reading.faults))
    assert bool(reading.faults) == (case != "nothing")
    says = [f"{fault.what}" for fault in reading.faults]
    truth = ["--ground-truth", str(folder / "gt"), "--from", "cholect50"]
    commands = {
        "validate": ["validate", str(team)],
        "convert": ["convert", str(team), "--from", "cholectriplet2022", "--to", "tables", "--out", str(folder / "out")],
        "score recognition": ["score", "recognition", *truth, "--predictions", str(team)],
        "score detection": ["score", "detection", *truth, "--predictions", str(team)],
        "rank": ["rank", str(team), *truth, "--resamples", "5"],
    }
    if case == "another instrument":
        # The rules of our tables, to which `validate` also holds what was read, know triplets with their own instrument only.
        del commands["validate"]
    for name, arguments in commands.items():
        other = {"score recognition": "detection", "rank": "detection", "score detection": "recognition"}.get(name)
        stops = any(fault.severity == "error" and of_task(fault) != other for fault in reading.faults)
        assert (cli.main(arguments) != 0) is stops, name
        printed = capsys.readouterr()
        said = (printed.out + printed.err).replace("\\\\", "\\")
        shown = [
            what
            for what, fault in zip(says, reading.faults, strict=True)
            if stops is False or (fault.severity == "error" and of_task(fault) != other)
        ]
        if name.startswith("score"):
            # What is not kept is not needed for scores.
            shown = [what for what in shown if not what.startswith("not kept")]
        assert all(what in said for what in shown), name


def test_an_instrument_that_is_not_the_triplets_counts_as_written(challenge, capsys):
    folder, documents = challenge
    for frames in documents.values():
        for frame in frames.values():
            for one in frame["detection"]:
                one["instrument"][0] = (one["instrument"][0] + 3) % 6
    team = write(folder / "team", documents)
    truth = ["--ground-truth", str(folder / "gt"), "--from", "cholect50"]
    score = ["score", "detection", *truth, "--predictions", str(team), "--variant", "scope=video-wise", "--out", str(folder / "s.json")]
    assert cli.main(score) == 0
    assert cli.main(["rank", str(team), *truth, "--metric", "detection", "--resamples", "5", "--out", str(folder / "rank")]) == 0
    assert cli.main(["submission", "check", str(team), *truth]) == 1
    assert "deviation: VID01.json, frames" in capsys.readouterr().out
    scored = json.loads((folder / "s.json").read_text())["results"]
    wanted = {
        one["options"]["component"]: one["overall"]["value"]
        for one in scored
        if one["metric"] == "triplet detection AP" and one["options"].get("iou") == "0.5"
    }
    (ranked,) = json.loads((folder / "rank/ranking.json").read_text())["teams"]
    assert ranked["components"] == {name: pytest.approx(value, abs=1e-9) for name, value in wanted.items()}
    assert ranked["components"]["ivt"] == 1.0
    assert ranked["components"]["i"] < 1.0


ROWS = [f"{frame},{7 * frame // FRAMES}" for frame in range(FRAMES)]
SHEETS = {
    "nothing": (["frame,phase_id", *ROWS], ()),
    "names": (["frame,phase", *(f"{frame},{WORDS.phases[7 * frame // FRAMES]}" for frame in range(FRAMES))], ()),
    "both": (["frame,phase_id,phase", *(f"{row},{WORDS.phases[int(row.split(',')[1])]}" for row in ROWS)], ()),
    "semicolons": (["frame;phase_id", *(row.replace(",", ";") for row in ROWS)], ("delimiter",)),
    "no header": (ROWS, ("header",)),
    "another header": (["index,prediction", *ROWS], ("header",)),
    "padded": (["frame,phase_id", *(f"0{row}" for row in ROWS)], ("frame-form",)),
    "decimals": (["frame,phase_id", *(row.replace(",", ".0,") for row in ROWS)], ("frame-form",)),
    "from 1": (["frame,phase_id", *ROWS[:-1], "11,7"], ("id-range",)),
    "unknown name": (["frame,phase", "0,preparatio"], ("name-unknown",)),
    "another name": (["frame,phase_id,phase", "0,1,preparation"], ("phase-name",)),
    "twice": (["frame,phase_id", *ROWS, "3,0"], ("frame-repeated",)),
    "short": (["frame,phase_id", *ROWS, "12"], ("row-length",)),
    "no frame": (["frame,phase_id", *ROWS, "x,0"], ("frame-key",)),
}


@pytest.mark.parametrize("case", SHEETS)
def test_every_command_finds_the_same_faults_in_phases(tmp_path, case):
    lines, rules = SHEETS[case]
    write_labels(tmp_path / "gt", {"VID01": labels(1, FRAMES)})
    team = tmp_path / "team"
    team.mkdir()
    (team / "VID01.csv").write_text("\n".join(lines))
    reading = reader.read_path(team, None, reader.Options(vocabulary.load("cholect50")), "phases")
    checked = submission.check(team, submission_truth.read(tmp_path / "gt", form="cholect50")).faults
    assert reading.form.name == "phase-tables"
    assert {facts(fault) for fault in checked if not fault.rule.startswith("frames-")} == set(map(facts, reading.faults))
    assert tuple(fault.rule for fault in reading.faults) == rules
    stops, truth = any(fault.severity == "error" for fault in checked), ["--ground-truth", str(tmp_path / "gt"), "--from", "cholect50"]
    assert (cli.main(["score", "phases", *truth, "--predictions", str(team)]) != 0) is stops
    assert (cli.main(["rank", str(team), "--metric", "phases", *truth, "--resamples", "5"]) != 0) is stops


def test_every_command_takes_an_extension_in_capitals_and_refuses_it_beside_the_same_name(tmp_path, capsys):
    write_labels(tmp_path / "gt", {"VID01": labels(1, FRAMES)})
    truth = ["--ground-truth", str(tmp_path / "gt"), "--from", "cholect50"]
    team = tmp_path / "team"
    team.mkdir()
    commands = (
        ["submission", "check", str(team), *truth, "--task", "phases"],
        ["score", "phases", *truth, "--predictions", str(team)],
        ["rank", str(team), "--metric", "phases", *truth, "--resamples", "5"],
    )
    for name, code in (("VID01.CSV", 0), ("VID01.csv", 1)):
        (team / name).write_text("\n".join(["frame,phase_id", *ROWS]))
        for arguments in commands:
            assert cli.main(arguments) == code, arguments
            printed = capsys.readouterr()
            assert ("VID01.csv: there is VID01.CSV as well, which is the same name" in printed.out + printed.err) is (code == 1)


@pytest.mark.parametrize(("given", "said"), [(300, "is 300"), (1_000_000, "is 1e+06"), (2**70, "is 1e+15 or beyond"), (-300, "is -300")])
def test_a_whole_number_that_is_no_probability_is_quoted_as_it_is(given, said, truth):
    faults = Faults()
    content.matrix("VID01.json", np.array([0]), {0: [given, *[0.5] * (len(truth.vocabulary.triplets) - 1)]}, truth.vocabulary, faults)
    assert any(said in fault.sentence for fault in faults.all())
