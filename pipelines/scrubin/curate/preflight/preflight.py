"""The whole look, in the order of the pipeline, from all sections of ``params.yaml`` down to the machine."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from scrubin.base import params, private_paths
from scrubin.base.errors import ParamsError, ReleaseError, StageError, TableError
from scrubin.base.faults import Fault, error, hint
from scrubin.base.layout import DEMO, INTERIM, LINKAGE_PATH, PRIVATE, RELEASE, REPORTS, TABLES, UNRELEASED, VIDEOS_PATH
from scrubin.base.tables import io
from scrubin.base.tables.private import LINKAGE
from scrubin.base.tables.public import VIDEOS, public_tables
from scrubin.base.text import repeated_keys
from scrubin.base.vocabulary import vocabulary
from scrubin.curate.label import params as label_params
from scrubin.curate.lists import changes, empty_study
from scrubin.curate.preflight import Findings, plans, raw_folders, written_files
from scrubin.curate.preflight.listed_study import ListedStudy, listed
from scrubin.curate.project import outputs
from scrubin.media.networks import endoscopy, weights
from scrubin.ratings import ScoresParams
from scrubin.stages import recordings_list
from scrubin.stages.annotations.params import AnnotationsParams
from scrubin.stages.demo.plan import DemoParams
from scrubin.stages.flow_params import FlowsParams
from scrubin.stages.frames.frame_params import FramesParams
from scrubin.stages.groundtruth import GroundtruthParams
from scrubin.stages.ingest.manifest import IngestParams
from scrubin.stages.pseudonymize import PseudonymizeParams
from scrubin.stages.release.release_params import ReleaseParams, refuse_borrowed_name
from scrubin.stages.render import RenderParams, effort
from scrubin.stages.report import ReportParams
from scrubin.stages.review.state import DecisionsParams, ReviewParams
from scrubin.stages.screen import onnx_detector
from scrubin.stages.screen.detector import ScreenParams
from scrubin.stages.splits.split_params import SplitsParams
from scrubin.stages.stereo.recordings import StereoParams
from scrubin.stages.validate import rules
from scrubin.stages.validate.expected import ValidateParams, expected
from scrubin.stages.withdrawals import WithdrawalsParams

DECLARED: dict[str, type[Any]] = {
    "flows": FlowsParams,
    "demo": DemoParams,
    "withdrawals": WithdrawalsParams,
    "ingest": IngestParams,
    "pseudonymize": PseudonymizeParams,
    "screen": ScreenParams,
    "decisions": DecisionsParams,
    "review": ReviewParams,
    "render": RenderParams,
    "frames": FramesParams,
    "stereo": StereoParams,
    "scores": ScoresParams,
    "annotations": AnnotationsParams,
    "splits": SplitsParams,
    "validate": ValidateParams,
    "groundtruth": GroundtruthParams,
    "report": ReportParams,
    "release": ReleaseParams,
}


def check_all(path: Path = params.PARAMS_PATH) -> dict[str, Any]:
    """Return every section by name.

    Raises
    ------
    ParamsError
        With everything that `look_at_params` finds wrong.
    """
    loaded, wrong = look_at_params(path)
    if wrong:
        raise ParamsError(wrong)
    return loaded


def look_at_params(path: Path = params.PARAMS_PATH) -> tuple[dict[str, Any], list[Fault]]:
    """Return every section that can be used by name, and everything that is wrong.

    That is every parameter that is unknown, missing, there twice, of the wrong type or out of range, a severity of a rule that
    does not exist, and the name or title of the synthetic study where a real one would be released under it.

    Raises
    ------
    ParamsError
        When the file cannot be read as sections.
    """
    loaded, wrong = params.load_each(DECLARED, path)
    wrong += repeated_keys.of_file(path)
    with ParamsError.noted(wrong):
        rules.severities(loaded["validate"].severity if "validate" in loaded else {}, str(path))
    if {"validate", "scores"} <= loaded.keys():
        with ParamsError.noted(wrong), params.naming(path):
            _look_at_expected(loaded["validate"], loaded["scores"])
    with ParamsError.noted(wrong):
        ParamsError.raise_any(_unknown_tasks(loaded, path))
    with ParamsError.noted(wrong), params.naming(path):
        if label_params.SECTION in params.read(path):
            label_params.load(path)
    with ParamsError.noted(wrong), params.naming(path):
        raw = params.raw_of(path)
        if "release" in loaded:
            refuse_borrowed_name(raw, loaded["release"])
    return loaded, wrong


def _look_at_expected(of: ValidateParams, scores: ScoresParams) -> None:
    """Refuse totals of no table or column and transitions of no phase; the counts of the version before are a file, not a parameter."""
    vocabularies = {name: vocabulary.load(name) for name in vocabulary.known()}
    expected(replace(of, previous=None), vocabularies, public_tables(scores.aspects).values())


def _unknown_tasks(loaded: Mapping[str, Any], path: Path) -> Iterator[Fault]:
    """Yield a fault for each name by which parameters are told apart by task, and which is none of ``ingest.tasks``."""
    if "ingest" not in loaded:
        return
    tasks = loaded["ingest"].tasks
    by_task: dict[str, Any] = {}
    if "screen" in loaded:
        by_task["screen.scene"] = loaded["screen"].scene
    if "scores" in loaded:
        by_task |= {"scores.errors": loaded["scores"].errors, "scores.failure_rules": loaded["scores"].failure_rules}
    for where, values in by_task.items():
        for name in sorted(values.keys() - tasks.keys()) if isinstance(values, Mapping) else ():
            what = f"{path}: '{where}.{name}': there is no such task in 'ingest.tasks'"
            yield error("", "task-unknown", what, hint(name, tasks))


WRITTEN = ("data", "reports", ".cache", ".dvc")
HERE = (Path("data"), INTERIM, PRIVATE, TABLES, UNRELEASED, REPORTS)
"""Folders in which DVC keeps what stages write: it refuses what does not lie in the project."""
RENEWED = (UNRELEASED / "videos", UNRELEASED / "frames", RELEASE)
"""Folders that a stage renews where they lie: it puts a folder in the place of a link, wherever that leads."""
SMALLEST = 4
"""Encoded videos may be so many times smaller than the raw ones: less room than for these cannot be enough."""


def look_at_machine(screen: ScreenParams | None, noted: Findings) -> None:
    """Note networks that are missing or other ones, folders that nobody can write to or that lie elsewhere, private ones that are open."""
    for name in sorted(weights.NETWORKS):
        with noted.noting():
            weights.weights(name)
    with noted.noting():
        endoscopy.weights()
    if screen is not None and screen.model is not None:
        with noted.noting():
            onnx_detector.Network(screen.model)
    for name in WRITTEN:
        if Path(name).exists() and not os.access(name, os.W_OK | os.X_OK):
            with noted.noting():
                raise StageError(f"{name}: nothing can be written there; correct its permissions, or its disk")
    noted.errors += _led_away()
    for fault in private_paths.faults():
        (noted.errors if fault.severity == "error" else noted.remarks).append(fault)
    if Path(".dvc").is_dir():
        # It stops no run: what the run makes goes nowhere by itself. `scrubin tag` refuses.
        with contextlib.suppress(ReleaseError):  # DVC itself says what it cannot read, when the run starts it
            noted.remarks += (replace(fault, severity="warning") for fault in outputs.pushed_besides(Path()))


def _led_away() -> Iterator[Fault]:
    """Yield the folders of outputs that are a link: out of the project, or where a stage would put a folder."""
    project = Path().resolve()
    for folder in HERE:
        if folder.is_symlink() and not folder.resolve().is_relative_to(project):
            what = f"it is a link to {folder.resolve()}, outside of the project, and DVC keeps nothing that lies there"
            fix = (
                "put the folder back in its place; for want of room move the whole project to the other disk, or what may lie elsewhere: "
                "data/raw and .cache, each as a link, and DVC's cache, by: .venv/bin/dvc cache dir --local FOLDER"
            )
            yield error(folder.as_posix(), "led-away", what, fix)
    for folder in RENEWED:
        if folder.is_symlink():
            what = f"it is a link to {folder.resolve()}, and the stage that writes it would put a folder in its place"
            fix = (
                "put the folder itself there, or remove the link; what it leads to stays as it is, also of somebody who withdraws later, "
                "until you remove it"
            )
            yield error(folder.as_posix(), "led-away", what, fix)


def look_for_room(study: ListedStudy, release: ReleaseParams, noted: Findings) -> None:
    """Note when what is new will hardly fit: nothing is known yet of what encoding makes of it, so raw sizes count."""
    sizes = {row.path: study.raw / row.path for name in _new(study) for row in study.recordings[name]}
    raw_bytes = sum(path.stat().st_size for path in sizes.values() if path.is_file())
    kept_bytes = effort.size_of(UNRELEASED / "videos")
    with noted.noting():
        effort.require(raw_bytes // SMALLEST, RELEASE, archives=release.archives, kept_bytes=kept_bytes)
        try:
            effort.require(raw_bytes, RELEASE, archives=release.archives, kept_bytes=kept_bytes)
        except StageError as error:
            noted.remarks += error.faults


def _new(study: ListedStudy) -> list[str]:
    """Return the recordings that the last run did not render."""
    try:
        linkage = io.read(LINKAGE, LINKAGE_PATH)
        videos = set(io.read(VIDEOS, VIDEOS_PATH).id)
    except TableError:
        return study.kept
    rendered = set(linkage.recording[linkage.id.isin(videos)])
    return [name for name in study.kept if name not in rendered]


def look(*, with_demo: bool = True) -> Findings:
    """Return everything that is wrong with the project in this folder.

    Parameters
    ----------
    with_demo
        Look at the synthetic study as well, where there is one; a run makes it anew first.
    """
    noted = Findings()
    loaded: dict[str, Any] = {}
    with noted.noting():
        loaded, wrong = look_at_params()
        noted.errors += wrong
    look_at_machine(loaded.get("screen"), noted)
    if not loaded:
        return noted  # params.yaml cannot be read, and what it says of the study neither
    with contextlib.suppress(ParamsError):  # noted above
        raw = params.raw_of()
        noted.study = raw.as_posix()
        if raw != DEMO or (with_demo and (raw / recordings_list.NAME).exists()):
            with noted.noting():
                changes.refuse_unfinished()
            with noted.noting():
                empty_study.require(raw)
                _look_at_study(raw, loaded, noted)
    return noted


def _look_at_study(raw: Path, loaded: dict[str, Any], noted: Findings) -> None:
    if not {"ingest", "pseudonymize"} <= set(loaded):
        return  # without its tasks nobody can read the list of recordings
    one = listed(raw, loaded["ingest"].tasks, loaded["pseudonymize"].syllables, noted)
    if one is None:
        return
    if raw != DEMO and (fault := private_paths.raw_fault(raw)) is not None:
        noted.remarks.append(fault)
    noted.errors += raw_folders.faults(raw)
    written_files.look_at_redactions(one, noted)
    written_files.look_at_rigs(one, noted)
    for section, check in (
        ("scores", written_files.look_at_rater_sheets),
        ("annotations", written_files.look_at_labels),
        ("splits", plans.look_at_splits),
        ("validate", plans.look_at_pairs),
        ("release", plans.look_at_release),
    ):
        if section in loaded:
            check(one, loaded[section], noted)
    if "release" in loaded:
        look_for_room(one, loaded["release"], noted)
