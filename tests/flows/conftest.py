"""A small real study in a project of its own, and one Prefect server for the stages that tests start as processes."""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import clips
import server
from scrubin.curate.lists import empty_study

ROOT = Path(__file__).parents[2]
COLUMNS = ("recording", "participant", "trial", "site", "task", "camera", "path", "start_s", "end_s", "exclude")


class Project:
    """A checkout with a raw study in data/raw."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.raw = folder / "data/raw"
        self.rows: list[dict[str, str]] = []

    def add(self, recording: str, *, participant: str, left: str, right: str | None, make: bool = True, **more: str) -> None:
        """Add a stereo recording; ``right`` None leaves its row out, ``make`` False its files."""
        for seed, (camera, name) in enumerate((("left", left), ("right", right))):
            if name is None:
                continue
            path = self.raw / "videos" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if make:
                # Another hue for every file: two recordings with the same bytes are a fault.
                hue = f"hue=h={(len(self.rows) * 7 + seed) % 360}"
                plain = self.folder / "plain.mkv"
                clips.clip(plain, seconds=2, fps="20", more=("-vf", hue, "-metadata", f"artist={participant}"))
                plain.rename(path)
            row = {"recording": recording, "participant": participant, "task": "PegTransfer", "camera": camera, "path": f"videos/{name}"}
            self.rows.append(row | more)

    def write(self) -> None:
        self.raw.mkdir(parents=True, exist_ok=True)
        with (self.raw / "recordings.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, restval="")
            writer.writeheader()
            writer.writerows(self.rows)
        (self.raw / "redactions.csv").write_text("recording,camera,kind,start_s,end_s,x,y,w,h,decision\n")
        empty_study.create(self.raw)

    def run(self, *command: str, prefix: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*prefix, *command], cwd=self.folder, capture_output=True, text=True, check=False)

    def flow(self, stage: str, prefix: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
        return self.run(".venv/bin/python", f"pipelines/flows/{stage}.py", prefix=prefix)


@pytest.fixture(scope="session")
def prefect_address() -> Iterator[str]:
    before = os.environ.pop("PREFECT_API_URL", None)
    with server.prefect_server() as address:
        yield address
    if before:
        os.environ["PREFECT_API_URL"] = before


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """An empty checkout: the project's own files, a raw study still to be filled."""
    for name in ("dvc.yaml", "prefect.toml", "requirements.lock", ".dvcignore"):
        shutil.copy(ROOT / name, tmp_path / name)
    text = (ROOT / "params.yaml").read_text(encoding="utf-8")
    (tmp_path / "params.yaml").write_text(
        text.replace("raw: data/demo", "raw: data/raw")
        .replace("name: scrub-in-demo", "name: test-study")
        .replace("A synthetic surgical-video study", "A study"),
        encoding="utf-8",
    )
    shutil.copytree(ROOT / "pipelines", tmp_path / "pipelines", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    (tmp_path / ".dvc").mkdir()
    shutil.copy(ROOT / ".dvc/config", tmp_path / ".dvc/config")
    (tmp_path / ".venv").symlink_to(Path(sys.prefix))
    subprocess.run(["git", "init", "--quiet", "."], cwd=tmp_path, check=True)
    (tmp_path / ".gitignore").write_text("/data\n/reports\n/.cache\n/.venv\n")
    return Project(tmp_path)
