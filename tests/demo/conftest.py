from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from scrubin.stages.demo.plan import DemoParams
from scrubin.stages.demo.raw_study import make_study

SMALL = DemoParams(seed=20240229, participants=2, experts=1)
LONGEST_PROCEDURE_S = 12


@dataclass(frozen=True)
class Study:
    raw: Path
    truth_folder: Path

    def truth(self, name: str) -> Any:
        return json.loads((self.truth_folder / f"{name}.json").read_text(encoding="utf-8"))

    def path(self, recording: str, camera: str) -> Path:
        return self.raw / self.media(recording, camera)["path"]

    def media(self, recording: str, camera: str) -> dict[str, Any]:
        return next(row for row in self.truth("media") if (row["recording"], row["camera"]) == (recording, camera))


def make(folder: Path) -> Study:
    study = Study(folder / "raw", folder / "truth")
    make_study(SMALL, study.raw, study.truth_folder, longest_procedure_s=LONGEST_PROCEDURE_S)
    return study


@pytest.fixture(scope="session")
def small_study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return make(tmp_path_factory.mktemp("study"))


@pytest.fixture(scope="session")
def same_again(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return make(tmp_path_factory.mktemp("again"))
