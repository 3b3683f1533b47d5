"""DVC cannot see imports: what a stage imports must stand among its dependencies, and the program writes it there."""

from __future__ import annotations

import ast
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml

import small_study
from scrubin.base import params
from scrubin.base.store import code_of, dvc_code
from scrubin.base.tables import Table, seals
from scrubin.base.tables import private as private_tables
from scrubin.base.tables.public import public_tables
from scrubin.curate.project.outputs import pushed

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "dvc.yaml").read_text(encoding="utf-8")
PIPELINE = yaml.safe_load(TEXT)
STAGES = PIPELINE["stages"]
# How a stage is run, never what it makes.
PLUMBING = {"interrupts", "plumbing", "progress", "quiet_dvc", "server", "state", "warm", "watched"}


@cache
def imported_files(stage: str) -> set[Path]:
    """Return every file of the library that a stage can run or read: what its flow imports, and the data beside it."""
    return {*code_of.files_of(code_of.imported_by(ROOT / f"pipelines/flows/{stage}.py"))}


def code_dependencies(stage: str) -> set[Path]:
    """Return every file of the library that DVC hashes for a stage, but for sources that do nothing."""
    folder = next(one["lib"] for one in PIPELINE["vars"] if isinstance(one, dict))
    deps = {ROOT / dep.replace("${lib}", folder) for dep in STAGES[stage]["deps"] if not dep.startswith("${raw}")}
    return {file for file in code_of.library_files() if not deps.isdisjoint((file, *file.parents))}


def outputs(stage: str) -> list[str]:
    return [next(iter(out)) if isinstance(out, dict) else out for out in STAGES[stage]["outs"]]


def test_there_is_one_stage_one_flow_and_one_section_per_name():
    flows = {path.stem for path in (ROOT / "pipelines/flows").glob("*.py")} - {*PLUMBING, "repro"}
    assert flows == set(STAGES) == set(params.SECTIONS)
    assert set(yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))) == {"raw", "flows", *STAGES}


def test_the_code_of_all_stages_is_as_make_deps_writes_it():
    assert dvc_code.written(TEXT, ROOT) == TEXT, "run `make deps`"


def test_a_stage_depends_on_all_that_it_imports_and_on_nothing_else_of_the_library():
    assert {stage: code_dependencies(stage) ^ imported_files(stage) for stage in STAGES} == {stage: set() for stage in STAGES}


def test_what_a_stage_reads_stays_as_somebody_wrote_it():
    blocks = TEXT.split("    deps: [")
    assert len(blocks) == len(STAGES) + 1
    torn = re.sub(r"(pipelines/flows/\w+\.py),.*?(\n    \]\n)", r"\1,\2", TEXT, flags=re.DOTALL)
    assert "${lib}/" not in torn
    assert dvc_code.written(torn, ROOT) == TEXT


@pytest.mark.parametrize("stage", STAGES)
def test_every_stage_is_a_child_of_dvc_and_follows_its_section(stage):
    assert STAGES[stage]["cmd"] == f"exec .venv/bin/python pipelines/flows/{stage}.py"
    assert stage in STAGES[stage]["params"]


def test_no_stage_reads_a_report():
    """What one stage tells another is data; a report may say more, or say it in other words, and nothing else changes."""
    read = [dep for stage in STAGES.values() for dep in stage["deps"] if Path(dep).is_relative_to("reports")]
    assert read == []
    written = {out for stage in STAGES for out in outputs(stage) if out.startswith("reports/")}
    flows = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "pipelines/flows").glob("*.py"))]
    named = {name for text in flows for name in re.findall(r'"(reports/[^"]*)"', text)}
    assert named <= written


@pytest.mark.slow
def test_the_library_never_imports_a_flow():
    flows = {path.stem for path in (ROOT / "pipelines/flows").glob("*.py")}
    for file in (ROOT / "pipelines/scrubin").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                assert not {alias.name.split(".")[0] for alias in node.names} & (flows | {"prefect"}), file
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                assert (node.module or "").split(".")[0] not in {*(flows - {"frames", "splits"}), "prefect"}, file


def options_of(out: Any) -> dict[str, dict[str, bool]]:
    return out if isinstance(out, dict) else {out: {}}


@pytest.mark.slow
def test_a_stage_imports_no_other_stage():
    for stage in STAGES:
        for file in imported_files(stage):
            wing, room = (*file.relative_to(ROOT / "pipelines/scrubin").with_suffix("").parts, "")[:2]
            if wing == "stages" and room in STAGES and room != stage:
                # Frames are read by one function; the ledger is one, for those who begin it, read it and ask how far it is. The
                # report shows what screen has stored of raw files, how the review counts frames, and what the gate will say. The
                # release says which earlier ones hold somebody who withdrew, and holds itself to the list of those who did.
                allowed = {("decisions", "review"), ("release", "review"), ("release", "withdrawals")}
                allowed |= {("report", other) for other in ("frames", "release", "review", "screen")}
                assert (stage, room) in allowed, f"{stage} imports {file}"


def test_nothing_but_the_release_can_be_pushed_and_only_its_stage_writes_it():
    options = {(stage, path): said for stage in STAGES for out in STAGES[stage]["outs"] for path, said in options_of(out).items()}
    # What DVC does not keep it cannot push.
    kept = {out for out, said in options.items() if said.get("push", True) and said.get("cache", True)}
    assert kept == {("release", "data/release")}
    assert pushed(ROOT) == {"data/release": "dvc.yaml"}
    private = {path for _, path in options.keys() - kept}
    assert not [dep for stage in STAGES.values() for dep in stage["deps"] if dep.startswith("data/release")]
    assert not {"metrics", "plots", "artifacts", "datasets"} & {kind for stage in STAGES.values() for kind in stage}
    assert set(PIPELINE) == {"vars", "stages", "metrics", "plots"}
    compared = [*PIPELINE["metrics"], *(name for plot in PIPELINE["plots"] for name in plot)]
    assert all(any(Path(name).is_relative_to(out) for out in private) for name in compared)


# What can be guessed is told by its hash, which `dvc.lock` and the certificate hold. Of what is neither here nor sealed a test says so.
UNGUESSABLE = {
    "data/interim/recordings.parquet": "the SHA-256 of every raw file",
    "data/interim/parts.parquet": "the SHA-256 of every raw file",
    "data/private/linkage.parquet": "numbers that are drawn with the key",
    "data/private/withdrawn.json": "hashes under a key of its own; nothing while nobody withdrew",
    "data/private/decisions.jsonl": "the SHA-256 of a raw file in each line about one",
    "data/private/audit_questions.json": "the SHA-256 of a raw file in each question; nothing without a question",
    "reports/certificate": "the SHA-256 of `recordings.parquet` and `linkage.parquet`",
}
PUBLIC = {
    "data/demo": "nobody is in it",
    "data/demo_truth": "nobody is in it",
    "data/interim/frames.sha256": "released in SHA256SUMS",
    "data/interim/annotations.sha256": "a sealed digest, released in every stamp of the ground truth",
    "data/interim/hidden.parquet": "released ids, and what is black in the released videos; the ground truth is stamped with its hash",
    "data/interim/lengths.parquet": "columns of the released table `videos`",
    "data/release": "released",
    "data/unreleased/calibration": "released",
    "data/unreleased/frames": "released",
    "data/unreleased/groundtruth": "released",
    "data/unreleased/splits": "released",
    "data/unreleased/videos": "released",
    "reports/metrics.json": "DVC may put it into git",
    "reports/plots": "DVC may put it into git",
    **{f"data/tables/{name}.parquet": "released as it is" for name in public_tables(())},
}


def seals_in(path: Path) -> list[str]:
    """Return the seals in a file, or in those of a folder."""
    if path.is_dir():
        return [seal for file in sorted(path.rglob("*")) if file.is_file() for seal in seals_in(file)]
    if path.suffix == ".parquet":
        said = (pq.read_schema(path).metadata or {}).get(seals.RANDOM.encode())
        return [] if said is None else [said.decode()]
    if path.suffix == ".html":
        return re.findall(r"\n<!-- random: (\w+) -->\n\Z", path.read_text(encoding="utf-8"))
    document = json.loads(path.read_text(encoding="utf-8")) if path.suffix == ".json" else {}
    return [document[seals.RANDOM]] if isinstance(document, dict) and seals.RANDOM in document else []


@pytest.mark.slow
def test_every_output_that_stays_private_is_sealed_unless_it_cannot_be_guessed(tmp_path_factory):
    study = small_study.finished(tmp_path_factory)
    outs = {out for stage in STAGES for out in outputs(stage)}
    assert outs >= UNGUESSABLE.keys() | PUBLIC.keys()
    found = {out: seals_in(study / out) for out in sorted(outs) if (study / out).exists()}
    assert outs - found.keys() <= {"data/demo", "data/demo_truth"}
    assert {out for out, sealed in found.items() if not sealed} == found.keys() & (UNGUESSABLE.keys() | PUBLIC.keys())
    assert all(re.fullmatch("[0-9a-f]{64}", seal) for sealed in found.values() for seal in sealed)


def test_what_is_named_as_not_to_be_guessed_is_an_output_and_all_else_is_written_with_a_seal():
    outs = {out for stage in STAGES for out in outputs(stage)}
    left = outs - UNGUESSABLE.keys() - PUBLIC.keys()
    assert not (UNGUESSABLE.keys() | PUBLIC.keys()) - outs
    assert UNGUESSABLE.keys().isdisjoint(PUBLIC)
    bare = {out for out in left if Path(out).suffix not in (".parquet", ".json", ".html", "")}
    assert not bare, "write it with a seal (`scrubin.base.tables.seals`), or say in UNGUESSABLE or PUBLIC why it needs none"
    private = {name for name, value in vars(private_tables).items() if isinstance(value, Table) and value.private}
    private -= {Path(out).stem.upper() for out in UNGUESSABLE.keys() | PUBLIC.keys()}
    for stage in STAGES:
        tree = ast.parse((ROOT / f"pipelines/flows/{stage}.py").read_text(encoding="utf-8"))
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call) and ast.unparse(node.func) == "io.write"):
            if ast.unparse(call.args[0]) in private:
                assert len(call.args) == 4, f"{stage}: {ast.unparse(call)} has no seal"


def test_dvc_leaves_what_stages_renew_in_its_place_and_removes_all_else_that_it_keeps():
    """What stays and is no longer made by its stage would be taken for an output of it."""
    stays = {path for stage in STAGES.values() for out in stage["outs"] for path, said in options_of(out).items() if said.get("persist")}
    kept_by_dvc = {path for path in stays if not path.startswith("data/private/")}
    assert kept_by_dvc == {"data/unreleased/videos", "data/unreleased/frames", "data/release"}


def test_analytics_and_update_checks_are_off():
    config = (ROOT / ".dvc/config").read_text(encoding="utf-8")
    assert "analytics = false" in config
    assert "check_update = false" in config
    assert "analytics_enabled = false" in (ROOT / "prefect.toml").read_text(encoding="utf-8")
