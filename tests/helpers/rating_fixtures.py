"""Small studies for the tests of scores."""

import json
from pathlib import Path

import pandas as pd
import pytest

from scrubin.ratings import FailureRule, ScoresParams
from scrubin.ratings.rater_sheet import roster_of

DATA = Path(__file__).parents[1] / "data" / "ratings"
ASPECTS = ("depth_perception", "efficiency", "bimanual_dexterity", "tissue_handling")


@pytest.fixture(scope="session")
def golden():
    return json.loads((DATA / "ratings_main.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def edge():
    return json.loads((DATA / "ratings_edge.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def golden_sheets():
    return DATA / "sheets"


@pytest.fixture(scope="session")
def make_params():
    def make(**changes):
        values = {
            "aspects": ASPECTS,
            "lowest": 1.0,
            "highest": 5.0,
            "step": 1.0,
            "failed_mark": None,
            "failed_grs": -2.5,
            "reviewer": "3",
            "complementary_raters": (("0", "2"),),
            "errors": {"Knot": ("needle_dropped", "fewer_than_three_throws"), "Peg": ("dropped",)},
            "failure_rules": {"Knot": FailureRule("fewer_than_three_throws", "iff")},
            "min_ratings": 2,
            "strong_percentile": 95.0,
            "error_rule": "majority",
        }
        return ScoresParams(**{**values, **changes})

    return make


@pytest.fixture(scope="session")
def make_tables():
    """Recordings, linkage and videos of a study; ``task_of`` maps released id to task.

    The curator's name of the recording ``papepu`` is ``raw papepu``. ``hidden`` are in the manifest
    but not released.
    """

    def make(task_of, hidden=(), frames=2000):
        rows = [
            (f"raw {id_}", f"person {i}", task, camera) for i, (id_, task) in enumerate(task_of.items()) for camera in ("left", "right")
        ]
        recordings = pd.DataFrame(rows, columns=["recording", "participant", "task", "camera"])
        linkage = pd.DataFrame({"recording": [f"raw {id_}" for id_ in task_of], "id": list(task_of)})
        kept = [(id_, task, camera) for id_, task in task_of.items() for camera in ("left", "right") if id_ not in hidden]
        videos = pd.DataFrame(kept, columns=["id", "task", "camera"])
        videos["frame_count"] = frames + videos.groupby("camera").cumcount()
        videos["duration_s"] = videos.frame_count / 20
        return recordings, linkage, videos

    return make


@pytest.fixture(scope="session")
def make_roster(make_tables):
    def make(task_of, hidden=()):
        return roster_of(*make_tables(task_of, hidden))

    return make


@pytest.fixture
def write_sheet(tmp_path):
    """Write rows below the LASANA header into a sheet of the test's own ratings folder."""
    folder = tmp_path / "ratings"
    folder.mkdir()

    def write(name, rows, header="id;rater;depth_perception;efficiency;bimanual_dexterity;tissue_handling;GRS"):
        (folder / name).write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
        return folder

    return write
