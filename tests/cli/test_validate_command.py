"""`scrubin validate` on everything a user may point it at."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import synthetic_study
from checked_study import arrow_of
from label_examples import EXAMPLES
from scrubin import cli
from scrubin.base import params
from scrubin.base.errors import AnnotationError
from scrubin.base.files import sha256_of
from scrubin.labels.formats.tables import stored
from scrubin.stages.validate.expected import DEFAULTS, ValidateParams

pytestmark = pytest.mark.usefixtures("one_judge")
VIDEO = "labels/VID07.json"


@pytest.fixture
def validate(tmp_path, capsys):
    """Write files, validate their folder, and return exit code, lines and what stderr says."""

    def validate(files, *more):
        folder = tmp_path / "given"
        for name, data in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        folder.mkdir(exist_ok=True)
        code = cli.main(["validate", str(folder), *map(str, more)])
        out, err = capsys.readouterr()
        return code, out.replace(f"{folder}/", "").splitlines(), err.replace(f"{folder}", "given")

    return validate


def changed(change, name="cholect50", file=VIDEO):
    document = json.loads(EXAMPLES[name][file])
    change(document)
    return {file: json.dumps(document).encode()}


def vectors(change):
    """The CholecT50 example with each of its vectors changed."""

    def every(document):
        for frame in document["annotations"].values():
            for vector in frame:
                change(vector)

    return changed(every)


def tables(change=lambda tables: None, csv=(), only=synthetic_study.PUBLIC):
    every = {name: table for name, table in synthetic_study.tables().items() if name in synthetic_study.PUBLIC}
    change(every)
    files = {}
    for name in only:
        if name in csv:
            files[f"{name}.csv"] = every[name].to_csv(index=False).encode()
        else:
            files[f"{name}.parquet"] = parquet(arrow_of(name, every[name]))
    return files


def parquet(table):
    buffer = io.BytesIO()
    pq.write_table(table, buffer)
    return buffer.getvalue()


@pytest.mark.slow
@pytest.mark.parametrize("csv", [(), synthetic_study.PUBLIC])
def test_our_own_tables_pass_as_parquet_and_as_csv(validate, csv):
    code, lines, _ = validate(tables(csv=csv), "--all")
    assert code == 0
    assert lines[0].endswith(
        "errors 8, frames 240, gaps 1, labelled 108, marks 6, masks 2, phases 48, points 4, ratings 32, skill 8, spans 12, splits 12, "
        "tracks 12, triplets 48, videos 20"
    )
    reasons = [line.rsplit(": ", 1)[1] for line in lines if line.startswith("not applicable")]
    assert "the private table 'recordings' is not at hand" in reasons
    assert not [line for line in lines if line.startswith(("error", "warning"))]


@pytest.mark.slow
def test_a_release_has_its_tables_in_a_folder_and_one_table_is_enough(validate):
    assert validate({f"tables/{name}": data for name, data in tables().items()})[0] == 0
    code, lines, _ = validate({}, "--json")
    document = json.loads("\n".join(lines))
    assert (code, document["format"], document["verdict"], document["rows"]["frames"]) == (0, "tables", "passed", 240)


@pytest.mark.slow
def test_a_single_table_says_which_rules_have_nothing_to_check_and_why(validate):
    code, lines, _ = validate(tables(only=["phases"]), "--all")
    assert code == 0
    text = "\n".join(lines)
    assert "known_id (phases), missing_from_split" in text
    assert ": there is no table 'videos'" in text
    assert "phase_flicker (phases): neither a table 'frames' nor a label file says when the frames of '" in text
    assert "class_drift (phases): no version before this one is declared" in text
    assert re.fullmatch(r"\d+ not applicable", lines[-1])
    assert validate({})[1] == [lines[0], f"{lines[-1]}: --all lists them"]


@pytest.mark.slow
def test_a_broken_rule_names_file_table_column_rule_count_and_keys(validate):
    def break_it(tables):
        tables["triplets"].loc[:30, "x"] = 200.0

    code, lines, _ = validate(tables(break_it))
    assert code == 1
    at = lines.index(
        "error: triplets.parquet: table triplets, column x, rule in_range: 31 of 48 rows break it; expected: every value lies in [0, 1]"
    )
    assert len(lines[at + 1 : at + 21]) == 20
    assert all(line.endswith("x=200") for line in lines[at + 1 : at + 21])
    assert lines[at + 21] == "  ... and 11 more"


@pytest.mark.slow
def test_json_has_everything_and_only_that_on_stdout(validate):
    def break_it(tables):
        tables["phases"].loc[2, "phase_id"] = 77

    code, lines, err = validate(tables(break_it), "--json")
    document = json.loads("\n".join(lines))
    assert (code, err, document["verdict"]) == (1, "", "failed")
    (broken,) = [one for one in document["outcomes"] if one["result"] == "failed"]
    assert (broken["table"], broken["rule"], broken["count"], broken["files"]) == ("phases", "name_of_id", 1, ["phases.parquet"])
    assert broken["keys"][0]["phase_id"] == 77
    assert "participant_in_one_subset" not in document["unasked"]
    assert document["counts"]["failed_error"] == 1


@pytest.mark.parametrize(
    ("files", "says"),
    [
        (changed(lambda one: one["annotations"].update(x1=one["annotations"].pop("16"))), "frame 'x1': the key is no frame number"),
        (vectors(lambda one: one.__setitem__(slice(3, 7), [85.0, 96.0, 256.0, 192.0])), "it looks like pixels"),
        (vectors(lambda one: one.__setitem__(0, 500)), "triplet 500 is not in 0..99"),
    ],
    ids=["a frame key that is no number", "boxes in pixels", "an unknown id"],
)
def test_a_file_that_breaks_its_format_is_named_with_place_and_fix(validate, files, says):
    code, lines, err = validate(files)
    assert (code, err) == (1, "")
    assert ": failed: " in lines[0]
    assert [line for line in lines if line.startswith((f"error: {VIDEO}, frame ", f"error: {VIDEO}, frames ")) and says in line]


def test_a_damaged_file_does_not_hide_what_is_wrong_with_the_others(validate):
    twice = changed(lambda one: one["annotations"]["16"].append(one["annotations"]["16"][0]))
    code, lines, _ = validate({"labels/VID01.json": b'{"annotations": {', **twice})
    text = "\n".join(lines)
    assert code == 1
    assert "error: labels/VID01.json, line 1: not JSON" in text
    assert "error: labels/VID07.json: table triplets" in text
    assert "rule instance_twice: 2 of 4 rows break it" in text


@pytest.mark.parametrize(
    ("files", "more", "says"),
    [
        ({}, (), "there is no file in it; name the folder with the labels"),
        ({"film.mp4": b"x", "notes.txt": b"hello"}, (), "this looks like no format of labels"),
        ({"VID01.json": b'{"annotations": {'}, (), "VID01.json, line 1: not JSON"),
        ({"VID01.json": b""}, (), "VID01.json, line 1: not JSON"),
        ({"VID01.json": b"[1]"}, (), "expected a JSON object, but got [1]"),
        (EXAMPLES["cholect50"], ("--from", "cholec80"), "there is no file of the format cholec80 in it"),
        (EXAMPLES["cholect50"], ("--from", "cholect5"), "did you mean 'cholect50'?"),
        (EXAMPLES["cholect50"], ("--from", "tables"), "there is no table in it; name the folder that has errors, facts, frames, "),
        (tables(only=["phases"]), ("--vocabulary", "cholect50"), "tables name their own vocabulary"),
        (EXAMPLES["cholect50"], ("--params", "nothing.yaml"), "nothing.yaml: there is no such file here"),
        ({**EXAMPLES["cholec80"], **EXAMPLES["cholect50"]}, (), "this could be cholec80 or cholect50"),
        (EXAMPLES["cholect50"], ("--first-frame", "-1"), "give 0 or more"),
    ],
)
def test_what_cannot_be_validated_is_refused_in_one_sentence(validate, files, more, says):
    code, lines, err = validate(files, *more)
    # A misspelt format and a negative frame are wrong whatever is in the folder.
    assert (code, lines) == (2 if more in (("--from", "cholect5"), ("--first-frame", "-1")) else 1, [])
    assert err.startswith("scrubin validate: ")
    assert says in err


def test_tables_that_are_not_there_are_a_fault_with_place_and_fix(validate, tmp_path, capsys):
    for folder, rule in ((tmp_path / "nowhere", "file-missing"), (tmp_path, "no-files")):
        with pytest.raises(AnnotationError) as refused:
            stored.read(folder)
        (fault,) = refused.value.faults
        assert (fault.file, fault.rule) == (str(folder), rule)
        assert fault.fix


def test_a_path_that_is_not_there_is_refused(capsys):
    assert cli.main(["validate", "nowhere"]) == 1
    assert (
        capsys.readouterr().err == "scrubin validate: nowhere: there is no such file or folder; name the file or folder with the labels\n"
    )


@pytest.mark.slow
def test_an_empty_video_is_a_warning_and_one_frame_is_none(validate):
    code, lines, _ = validate(changed(lambda one: one.update(annotations={})))
    assert code == 0
    assert f"warning: rule file_labels: 1 of 1 files break it; expected: every recording labels a frame; first file={VIDEO}" in lines
    code, lines, _ = validate(changed(lambda one: one.update(annotations={"0": one["annotations"]["16"]}, num_frames=1)))
    assert code == 0
    assert not [line for line in lines if line.startswith(("error", "warning"))]


def test_phases_are_judged_in_seconds_at_the_rate_of_the_format(validate):
    names = ["Preparation"] * 100 + ["GallbladderRetraction"] * 49 + ["Preparation"] * 100
    rows = "".join(f"{frame}\t{name}\n" for frame, name in enumerate(names))
    code, lines, _ = validate({"video01-phase.txt": f"Frame\tPhase\n{rows}".encode()})
    assert code == 0  # both are warnings
    warnings = [line for line in lines if line.startswith("warning: video01-phase.txt: table phases, column phase, rule phase_")]
    assert ["phase_flicker: 49 of 249" in line for line in warnings] == [True, False]
    first = "id=video01 frame=100 phase=GallbladderRetraction previous_phase=Preparation"
    assert "rule phase_transition: 2 of 249 rows break it" in warnings[1]
    assert warnings[1].endswith(f"; first {first}")
    _, lines, _ = validate({}, "--all")
    assert f"  {first}" in lines


def test_a_typo_of_the_published_files_is_the_phase_that_it_means(validate):
    """The example says carlot-triangle-dissection, as the published files do."""
    assert b"carlot-triangle-dissection" in EXAMPLES["cholect50"][VIDEO]
    _, lines, _ = validate(EXAMPLES["cholect50"], "--json")
    assert json.loads("\n".join(lines))["verdict"] == "passed"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({**tables(), "videos.parquet": b"no"}, ["error: videos.parquet: it cannot be read as parquet: "]),
        ({**tables(), "phases.csv": b"id,frame\n"}, ["error: phases.parquet: the table is also in phases.csv; keep one of them"]),
        (
            {**tables(), "recordings.parquet": parquet(pa.table({"recording": ["x"]}))},
            ["error: recordings.parquet: the table 'recordings' is private and lies among public ones; take it away"],
        ),
        (
            {**tables(), "others.parquet": parquet(pa.table({"a": [1]}))},
            ["error: others.parquet: it is none of our tables (errors, facts, frames, "],
        ),
        (
            {"phases.csv": b"id,frame,vocabulary,phase,phase_id\na,0,cholect50,preparation,0\na,x,cholect50,preparation,0\n"},
            ["error: phases.csv, column 'frame', row 2: 'x' is no int64; correct it", "  column=frame declared=int64 found=string"],
        ),
        (
            {"phases.parquet": parquet(pa.Table.from_arrays([pa.array([1])] * 2, names=["id", "id"]))},
            ["error: phases.parquet: the column 'id' stands twice; keep one of them"],
        ),
        (
            {"phases.csv": b"id,frame,id\na,1,b\n"},
            ["error: phases.csv: the column 'id' stands twice; keep one of them"],
        ),
        ({"phases.csv": b"id,\xff\n"}, ["error: phases.csv: it cannot be read as CSV: "]),
        ({**tables(only=["phases"]), "labels.json": b"{"}, ["error: labels.json, line 1: not JSON"]),
    ],
)
def test_a_table_that_is_damaged_or_does_not_belong_is_named(validate, files, says):
    code, lines, err = validate(files)
    assert (code, err) == (1, "")
    for start in says:
        assert [line for line in lines if line.startswith(start)]


def test_text_stored_as_a_dictionary_is_text(validate):
    files = tables(only=["videos", "phases"])
    table = pq.read_table(io.BytesIO(files["phases.parquet"]))
    files["phases.parquet"] = parquet(table.set_column(0, "id", table["id"].dictionary_encode()))
    assert pa.types.is_dictionary(pq.read_schema(io.BytesIO(files["phases.parquet"])).field("id").type)
    assert validate(files)[0] == 0


def test_rates_beside_the_tables_make_seconds_of_frames(validate):
    rows = pd.DataFrame({"id": "a", "frame": range(9), "vocabulary": "cholect50", "phase": "preparation", "phase_id": 0})
    rows.loc[4, ["phase", "phase_id"]] = ["calot-triangle-dissection", 1]
    csv = {"phases.csv": rows.to_csv(index=False).encode()}
    slow = json.dumps({"recordings": {"a": {"fps": "1/2"}}}).encode()
    assert not [line for line in validate({**csv, "labels.json": slow})[1] if "phase_flicker:" in line]
    fast = json.dumps({"recordings": {"a": {"fps": "25"}}}).encode()
    assert [line for line in validate({**csv, "labels.json": fast})[1] if "rule phase_flicker: 1 of 9" in line]


def test_severities_totals_and_limits_come_from_a_params_file_when_it_is_given(validate, tmp_path):
    text = params.PARAMS_PATH.read_text()
    total = "totals: [{table: phases, count: frames, where: {}, total: 4}, {table: videos, count: rows, where: {}, total: 9}]"
    path = tmp_path / "params.yaml"
    path.write_text(text.replace("totals: []", total))
    code, lines, _ = validate(EXAMPLES["cholect50"], "--params", path, "--all")
    assert code == 1
    assert "  count=frames where=everywhere declared=4 found=3" in lines
    assert [line for line in lines if line.startswith("not applicable: ") and "declared_total" in line and "no table 'videos'" in line]
    path.write_text(text.replace("totals: []", total).replace("severity: {}", "severity: {declared_total: note}"))
    assert validate(EXAMPLES["cholect50"], "--params", path)[0] == 0


@pytest.mark.slow
def test_what_is_written_of_one_release_is_the_version_before_of_the_next(validate, tmp_path):
    before = tmp_path / "before.json"
    before.write_text("\n".join(validate(tables(), "--json")[1]))
    path = tmp_path / "params.yaml"
    previous = f"previous: {{path: {before}, sha256: {sha256_of(before)}}}"
    path.write_text(
        params.PARAMS_PATH.read_text().replace("previous: null", previous).replace("severity: {}", "severity: {class_drift: error}")
    )
    code, lines, _ = validate(tables(), "--params", path)
    assert code == 0
    assert not [line for line in lines if "class_drift" in line]

    def shift(tables):
        tables["phases"].loc[tables["phases"].phase_id == 2, ["phase", "phase_id"]] = ["gallbladder-dissection", 3]

    code, lines, _ = validate(tables(shift), "--params", path)
    assert code == 1
    assert "  class=clipping-and-cutting before=16 now=0 change=-0.333333 distance=0.333333" in lines


def test_without_a_params_file_everything_is_as_the_project_has_it():
    assert params.load("validate", ValidateParams, Path("params.yaml")) == DEFAULTS


def test_spans_of_time_are_judged_at_the_instant_that_is_named(validate):
    span = {"start": 0, "end": 1999, "label_name": "preparation", "label_id": 0}
    files = {"BBP01.mp4.json": json.dumps({"phases": [span], "steps": []}).encode()}
    rows = [json.loads("\n".join(validate(files, "--json", *more)[1]))["rows"] for more in ((), ("--instant", "end"))]
    assert rows == [{"phases": 2}, {"phases": 1}]


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["tables", "tables-csv"])
def test_segments_and_facts_that_convert_wrote_are_tables_of_ours(validate, tmp_path, suffix):
    for name, data in EXAMPLES["jigsaws"].items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    assert cli.main(["convert", str(tmp_path / "jigsaws"), "--to", suffix, "--out", str(tmp_path / "given")]) == 0
    code, lines, _ = validate({})
    assert code == 0
    assert lines[-2].endswith("rows: facts 2, labelled 0, phases 0, ratings 14, segments 2, spans 0, triplets 0")


def test_an_instrument_that_is_not_its_triplets_is_a_deviation_and_no_rule_says_more(validate):
    def detection(instrument):
        return {"recognition": [0.0] * 100, "detection": [{"triplet": 17, "instrument": [instrument, 0.9, 0.1, 0.2, 0.3, 0.4]}]}

    code, lines, _ = validate({"VID92.json": json.dumps({"0": detection(0), "1": detection(1), "2": detection(2)}).encode()})
    assert code == 0
    assert ": passed: " in lines[0]
    (deviation,) = [line for line in lines if "of the triplet" in line]
    assert deviation.startswith("deviation: VID92.json, frames 1-2: the instrument is not that of the triplet, which is read as written")


@pytest.mark.slow
def test_near_duplicates_that_were_looked_at_can_be_listed_in_params_and_the_verdict_says_so(validate, tmp_path):
    """The page's acknowledgements are private, so that a release does not hold them."""
    one, other = "bovi-kuma", "dovi-wuma"

    def alike(every):
        frame = every["frames"]
        hashes = frame.perceptual_hash[(frame.id == one) & (frame.camera == "left")].tolist()
        frame.loc[(frame.id == other) & (frame.camera == "left"), "perceptual_hash"] = hashes

    files = tables(alike)
    code, lines, _ = validate(files)
    assert code == 1
    (mend,) = [line for line in lines if "validate.near_duplicate.accepted" in line]
    assert "--params" in mend
    params_file = tmp_path / "params.yaml"
    params_file.write_text(params.PARAMS_PATH.read_text().replace("    accepted: []", f"    accepted: [[{other}, {one}]]"))
    code, lines, _ = validate(files, "--params", params_file)
    assert (code, [line for line in lines if "rule near_duplicate" in line]) == (0, [])
