"""What would give other bytes elsewhere, found in the sources."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

LIBRARY = Path(__file__).parents[1] / "pipelines/scrubin"
# Sums of whole numbers that do not look like it. Whoever adds one says here that it is one.
WHOLE_NUMBER_SUMS = {
    "audit/containers/archives.py": 3,
    "audit/containers/h264.py": 1,
    "audit/containers/images.py": 2,
    "audit/containers/mp4.py": 3,
    "audit/pictures/looks.py": 2,
    "audit/run.py": 2,
    "base/unpacking.py": 5,
    "cli/project.py": 2,
    "curate/by_hand/audit.py": 2,
    "curate/by_hand/ledger.py": 2,
    "curate/draft/drafted_study.py": 1,
    "curate/engine/cluster.py": 1,
    "curate/label/assignment.py": 1,
    "curate/label/progress.py": 3,
    "curate/label/several/agreement.py": 9,
    "curate/label/several/disputes.py": 2,
    "curate/page/released_study.py": 4,
    "curate/project/closing.py": 3,
    "curate/project/outputs.py": 1,
    "curate/project/pushing.py": 1,
    "curate/project/room.py": 2,
    "data/export/lerobot_videos.py": 1,
    "data/verify/verification.py": 2,
    "evaluate/causality/experiment.py": 1,
    "evaluate/causality/trial.py": 1,
    "evaluate/challenge/evaluation.py": 1,
    "evaluate/deid/plan.py": 2,
    "evaluate/deid/score.py": 4,
    "evaluate/metrics/masks/pixels.py": 2,
    "evaluate/metrics/skill.py": 5,
    "evaluate/metrics/tracks/identity.py": 2,
    "evaluate/ranking/ranking_document.py": 1,
    "evaluate/score_document.py": 1,
    "evaluate/score_page.py": 1,
    "evaluate/series.py": 1,
    "evaluate/tasks/entries.py": 1,
    "evaluate/tasks/masks.py": 1,
    "labels/formats/assessments/cholec80cvs.py": 2,
    "labels/formats/objects/mot.py": 1,
    "labels/formats/objects/yolo_pose.py": 1,
    "labels/formats/plain/box_lists.py": 1,
    "labels/formats/plain/phase_spans.py": 1,
    "labels/formats/programs/boris.py": 1,
    "labels/formats/programs/label_studio.py": 1,
    "labels/formats/workflow/petraw.py": 2,
    "labels/parse/cvat_shapes.py": 2,
    "labels/parse/points.py": 2,
    "labels/parse/row_spans.py": 2,
    "labels/parse/workbook.py": 2,
    "labels/suspects/other_recordings.py": 2,
    "labels/timing.py": 3,
    "media/containers/dicom_header.py": 2,
    "media/containers/edit_list.py": 1,
    "media/opening.py": 1,
    "ratings/entries.py": 1,
    "stages/annotations/details.py": 1,
    "stages/annotations/report.py": 2,
    "stages/demo/labels.py": 1,
    "stages/demo/operation.py": 1,
    "stages/demo/sheets.py": 1,
    "stages/ingest/seam.py": 1,
    "stages/release/assembly.py": 1,
    "stages/release/certificate/public_form.py": 10,
    "stages/release/gates.py": 1,
    "stages/release/linking.py": 2,
    "stages/release/metadata/facts.py": 4,
    "stages/release/metadata/sentences.py": 1,
    "stages/render/effort.py": 3,
    "stages/render/parts.py": 2,
    "stages/report/privacy.py": 1,
    "stages/report/splits.py": 1,
    "stages/review/attention.py": 6,
    "stages/review/result.py": 4,
    "stages/review/sample.py": 1,
    "stages/review/status.py": 2,
    "stages/review/views.py": 2,
    "stages/screen/text_looking.py": 1,
    "stages/screen/unlikeness.py": 1,
    "stages/stereo/motion_lag.py": 1,
    "stages/validate/validated_path.py": 1,
}
# What these give are whole numbers, as every comparison is.
WHOLE = {"any", "bool", "int", "len", "math.isinf", "math.isnan", "round"}
# Folders of work that no other process has, and how much of the store is read again: no output tells either.
NAMES_BY_CHANCE = {
    "base/store/store.py",
    "base/store/uses.py",
    "base/store/workspaces.py",
    "curate/engine/cluster.py",
    "curate/engine/preflight.py",
}
# The day on which a person withdrew, and the instant at which one decided.
DATED = {"curate/lists/withdrawal.py", "stages/review/__init__.py"}
FORBIDDEN = {("time", "time"), ("datetime", "now"), ("datetime", "today"), ("date", "today"), ("socket", "gethostname"), ("uuid", "uuid4")}
WORDS = re.compile(r"\b(time|now|today|gethostname|uuid4|random|default_rng)\b")


def calls(file: Path) -> list[ast.Call]:
    return [node for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]


def is_whole(term: ast.expr) -> bool:
    """Whether what is summed can only be a whole number: a comparison, a length, a size in bytes."""
    if isinstance(term, ast.GeneratorExp):
        return is_whole(term.elt)
    if isinstance(term, ast.Call):
        name = ast.unparse(term.func)
        is_share = name == "round" and len(term.args) + len(term.keywords) > 1
        return (name in WHOLE and not is_share) or name.endswith(".isalnum") or (name == "map" and ast.unparse(term.args[0]) == "len")
    is_not = isinstance(term, ast.UnaryOp) and isinstance(term.op, ast.Not)
    is_number = isinstance(term, ast.Constant) and isinstance(term.value, int)
    return is_not or is_number or isinstance(term, ast.Compare) or (isinstance(term, ast.Attribute) and term.attr == "st_size")


@pytest.mark.slow
def test_floats_are_summed_the_same_way_by_every_python():
    """From Python 3.12 on, sum() compensates for rounding: floats need math.fsum."""
    found: dict[str, int] = {}
    for file in sorted(LIBRARY.rglob("*.py")):
        sums = [call for call in calls(file) if isinstance(call.func, ast.Name) and call.func.id == "sum"]
        count = sum(not is_whole(call.args[0]) for call in sums)
        if count:
            found[file.relative_to(LIBRARY).as_posix()] = count
    assert found == WHOLE_NUMBER_SUMS


def test_the_library_asks_for_no_clock_host_or_unseeded_chance():
    found = []
    for file in sorted(LIBRARY.rglob("*.py")):
        name = file.relative_to(LIBRARY).as_posix()
        # Most files have none of these words: parsing them all takes seconds.
        if name not in NAMES_BY_CHANCE | DATED and WORDS.search(file.read_text(encoding="utf-8")):
            found += [f"{name}, line {call.lineno}: {ast.unparse(call)}" for call in calls(file) if is_other_elsewhere(call)]
    assert not found


def is_other_elsewhere(call: ast.Call) -> bool:
    """Whether a call asks the clock or the machine, or draws without a seed."""
    *modules, name = ast.unparse(call.func).split(".")
    module = modules[-1] if modules else ""  # of datetime.datetime.now() the last
    without_seed = name == "default_rng" and not (call.args or call.keywords)
    return (module, name) in FORBIDDEN or modules == ["random"] or without_seed
