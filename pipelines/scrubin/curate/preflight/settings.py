"""All sections of ``params.yaml`` at once: a typo in any of them is found before anything runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scrubin.base import params
from scrubin.base.errors import ParamsError
from scrubin.base.faults import Fault
from scrubin.ratings.params import ScoresParams
from scrubin.stages.annotations.params import AnnotationsParams
from scrubin.stages.demo.plan import DemoParams
from scrubin.stages.flow_params import FlowsParams
from scrubin.stages.frames.frame_params import FramesParams
from scrubin.stages.groundtruth.stamps import GroundtruthParams
from scrubin.stages.ingest.manifest import IngestParams
from scrubin.stages.pseudonymize import PseudonymizeParams
from scrubin.stages.release.release_params import ReleaseParams, refuse_borrowed_name
from scrubin.stages.render.render_params import RenderParams
from scrubin.stages.report.reported_study import ReportParams
from scrubin.stages.review.state import DecisionsParams, ReviewParams
from scrubin.stages.screen.detector import ScreenParams
from scrubin.stages.splits.split_params import SplitsParams
from scrubin.stages.stereo.recordings import StereoParams
from scrubin.stages.validate import rules
from scrubin.stages.validate.expected import ValidateParams
from scrubin.stages.withdrawals.withdrawn_list import WithdrawalsParams

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
        With everything that `look` finds wrong.
    """
    loaded, wrong = look(path)
    if wrong:
        raise ParamsError(wrong)
    return loaded


def look(path: Path = params.PARAMS_PATH) -> tuple[dict[str, Any], list[Fault]]:
    """Return every section that can be used by name, and everything that is wrong.

    That is every parameter that is unknown, missing, of the wrong type or out of range, a severity of a rule that
    does not exist, and the name or title of the synthetic study where a real one would be released under it.

    Raises
    ------
    ParamsError
        When the file cannot be read as sections.
    """
    loaded, wrong = params.load_each(DECLARED, path)
    with ParamsError.noted(wrong):
        rules.severities(loaded["validate"].severity if "validate" in loaded else {})
    with ParamsError.noted(wrong):
        raw = params.raw_of(path)
        if "release" in loaded:
            refuse_borrowed_name(raw, loaded["release"])
    return loaded, wrong
