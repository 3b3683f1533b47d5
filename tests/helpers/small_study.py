"""A small but whole study with invented people: raw folder, and the project that the real flows regenerate from it."""

from __future__ import annotations

import contextlib
import csv
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
import yaml

import clips
import kept_project
import made_once
import review_study
from scrubin.base import private_paths
from scrubin.base.errors import RecordingError
from scrubin.base.store import store
from scrubin.base.vocabulary import vocabulary
from scrubin.cli import review
from scrubin.curate.lists import empty_study
from scrubin.stages.review import Ledger
from scrubin.stages.review.desk import Desk
from scrubin.stages.validate import suite

ROOT = Path(__file__).parents[2]
COLUMNS = ("recording", "participant", "trial", "site", "task", "camera", "path", "start_s", "end_s", "exclude")
RATERS = 3
PEG_TRANSFERS = 6
OPERATIONS = 4
OPERATION_S = 12
CHOLECT50 = vocabulary.load("cholect50")
SYNTHETIC = b"drawn, and nobody's to take: "
"""In the folders of the synthetic study, which stays where it was drawn."""
CURATOR = ("-c", "user.name=curator", "-c", "user.email=curator@example.org")
FILES = (
    ".bootstrap/uv.txt",
    "dvc.yaml",
    "params.yaml",
    "prefect.toml",
    "requirements.lock",
    "pyproject.toml",
    "Makefile",
    ".dvcignore",
    "README.md",
)


def project(folder: Path) -> Path:
    """Make a checkout with a raw study in data/raw: recordings of two tasks, one of them damaged, ratings and labels."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    shutil.copytree(ROOT / "pipelines", folder / "pipelines", ignore=shutil.ignore_patterns("*.egg-info"))
    shutil.copytree(ROOT / "examples", folder / "examples")
    _environment(folder / ".venv")
    _name_study(folder / "params.yaml")
    raw(folder / "data/raw")
    key = folder / "data/private/pseudonym.key"
    key.parent.mkdir(mode=0o700)
    key.touch(mode=0o600)
    key.write_text("5" * 64 + "\n", encoding="ascii")
    return folder


def raw(folder: Path) -> Path:
    """Write a raw study."""
    empty_study.create(folder)
    rows = [row for number in range(PEG_TRANSFERS) for row in _peg_transfer(folder, number)]
    rows += [_operation(folder, number) for number in range(OPERATIONS)]
    # A file that no program can read: it is set aside, and the others go on.
    (folder / "videos/peg_00_right.mkv").write_bytes(b"no video")
    with (folder / "recordings.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="")
        writer.writeheader()
        writer.writerows(rows)
    with (folder / "redactions.csv").open("a", encoding="utf-8") as file:
        file.write("operation_01,,out_of_body,2.0,3.5,,,,,add\n")
    return folder


def finished(factory: pytest.TempPathFactory) -> Path:
    """Return a study that all its stages have made, for tests that only read it or take a copy."""
    return made_once.folder(factory, "finished_study", lambda folder: regenerate(project(folder), judged=True))


def recorded(factory: pytest.TempPathFactory) -> Path:
    """Return the same study as DVC and git have taken it."""

    def make(folder: Path) -> None:
        made_once.copy(finished(factory), folder)
        record(folder)

    return made_once.folder(factory, "recorded_study", make)


def share_store(folder: Path, factory: pytest.TempPathFactory) -> Path:
    """Give a project what the store of the finished study holds: files that both have are looked at once."""
    shutil.copytree(finished(factory) / store.STORE_PATH, folder / store.STORE_PATH)
    return folder


def regenerate(folder: Path, stages: Iterable[str] | None = None, *, look: bool = True, judged: bool = False) -> None:
    """Run the real flows one after the other in this process: no DVC, no Prefect server, the same files.

    With ``look`` a person sees everything before the stage review, where nobody has yet. Unless ``judged`` rules judge by themselves, as in
    the base install, which says the same in a tenth of the time.
    """
    every = yaml.safe_load((folder / "dvc.yaml").read_text(encoding="utf-8"))["stages"]
    with _inside(folder), _without_server(), contextlib.nullcontext() if judged else _own_judge():
        for stage in stages or [name for name in every if name != "demo"]:
            if stage == "review" and look:
                _look()
            _flow(stage)()
    # As each stage does that is a process of its own.
    private_paths.close(folder, all_files=True)


def release(folder: Path) -> None:
    """Run the flows that a release needs: all but the report, which takes as long as three others."""
    every = yaml.safe_load((folder / "dvc.yaml").read_text(encoding="utf-8"))["stages"]
    regenerate(folder, [name for name in every if name not in ("demo", "report")])


def record(folder: Path) -> None:
    """Let DVC take the outputs as they are, and git what it notes of them: a project after `make repro`, with a tag."""
    for name in ("demo", "demo_truth"):
        (folder / "data" / name).mkdir(exist_ok=True)
        (folder / "data" / name / "drawn.txt").write_bytes(SYNTHETIC + name.encode())
    (folder / ".dvc").mkdir()
    shutil.copy(ROOT / ".dvc/config", folder / ".dvc/config")
    (folder / ".gitignore").write_text("/data\n/reports\n/.cache\n/.venv\n/.dvc/cache\n/.dvc/tmp\n__pycache__/\n", encoding="utf-8")
    subprocess.run(["git", "init", "--quiet", "."], cwd=folder, check=True)
    commit(folder)
    subprocess.run(["git", "add", "."], cwd=folder, check=True)
    subprocess.run(["git", *CURATOR, "commit", "--quiet", "--message", "A release"], cwd=folder, check=True)
    subprocess.run(["git", "tag", "v1.0.0"], cwd=folder, check=True)


def commit(folder: Path) -> None:
    """Let DVC take the outputs as they are."""
    assert kept_project.dvc("commit", "--force", "--quiet", folder=folder) == 0


def _look() -> None:
    """Import the sheet, and let a person see everything, once."""
    if not Ledger().lines():
        review.take_sheet(Path("data/raw/redactions.csv"), "curator")
        review_study.see_all(Desk.open(by="curator"))


def _environment(folder: Path) -> None:
    """Make an environment that is complete in the eyes of ``make``, of links to this one."""
    folder.mkdir()
    for name in ("bin", "lib", "lib64", "include", "pyvenv.cfg"):
        if (Path(sys.prefix) / name).exists():
            (folder / name).symlink_to(Path(sys.prefix) / name)
    (folder / ".complete").touch()


def _name_study(path: Path) -> None:
    text = path.read_text(encoding="utf-8").replace("raw: data/demo", "raw: data/raw")
    text = (
        text.replace("name: scrub-in-demo", "name: small-study")
        .replace("A synthetic surgical-video study", "A small study")
        .replace("format: labelme, folder: annotations/labelme", "format: spans, folder: annotations/spans")
    )
    # Its operations are noise: they look like no endoscopy.
    text = text.replace("    SutureAndKnot: box_trainer\n", "    SutureAndKnot: box_trainer\n    Cholecystectomy: other\n")
    path.write_text(text, encoding="utf-8")


def _peg_transfer(folder: Path, number: int) -> list[dict[str, str]]:
    name = f"peg_{number:02d}"
    rows = []
    for place, camera in enumerate(("left", "right")):
        path = f"videos/{name}_{camera}.mkv"
        _video(folder / path, seconds=2, fps=20, seed=10 * number + place)
        rows.append(
            {
                "recording": name,
                "participant": f"P{number // 2 + 1:02d}",
                "trial": str(number % 2 + 1),
                "task": "PegTransfer",
                "camera": camera,
                "path": path,
            }
        )
    _rate(folder / "ratings", name, number)
    return rows


def _rate(folder: Path, name: str, number: int) -> None:
    aspects = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))["scores"]["aspects"]
    errors = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))["scores"]["errors"]["PegTransfer"]
    for rater in range(RATERS):
        points = [1 + (number + rater * place + place) % 5 for place in range(len(aspects))]
        _append(folder / f"PegTransfer_rater{rater}.csv", ["id", *aspects], [name, *points])
        _append(
            folder / f"PegTransfer_rater{rater}_errors.csv",
            ["id", *errors],
            [name, *(number % (2 + place) == 0 for place in range(len(errors)))],
        )


def _append(path: Path, header: Sequence[str], row: Sequence[Any]) -> None:
    if not path.exists():
        path.write_text(";".join(header) + "\n", encoding="utf-8")
    with path.open("a", encoding="utf-8") as file:
        file.write(";".join(map(str, row)) + "\n")


def _operation(folder: Path, number: int) -> dict[str, str]:
    name = f"operation_{number:02d}"
    _video(folder / f"videos/{name}.mp4", seconds=OPERATION_S, fps=25, seed=1000 + number)
    labels = folder / f"annotations/cholect50/{name}.json"
    labels.parent.mkdir(exist_ok=True)
    labels.write_text(json.dumps(operation_labels(number)), encoding="utf-8")
    return {
        "recording": name,
        "participant": f"patient {number + 1}",
        "task": "Cholecystectomy",
        "camera": "mono",
        "path": f"videos/{name}.mp4",
    }


def operation_labels(number: int) -> dict[str, Any]:
    """Return labels of an operation as CholecT50 has them: by the second, with boxes and phases."""
    rng = np.random.default_rng(number)
    triplets = rng.choice([17, 19, 58, 60, 82, 94], 3, replace=False)
    annotations = {}
    for second in range(OPERATION_S):
        phase = min(second // 3, 3)
        annotations[str(second)] = [_vector(int(triplet), phase, place) for place, triplet in enumerate(triplets) if (second + place) % 4]
    categories = {naming: dict(enumerate(CHOLECT50.names(naming))) for naming in ("instrument", "verb", "target", "phase")}
    categories["triplet"] = {id_: CHOLECT50.triplet_name(id_) for id_ in range(len(CHOLECT50.triplets))}
    return {"categories": categories, "video": number, "fps": 1, "num_frames": OPERATION_S, "annotations": annotations}


def _video(path: Path, *, seconds: int, fps: int, seed: int) -> None:
    """Make a clip of soft colours that become others every second, like no other clip: near-duplicates would be a fault of the study.

    Made again it has the same bytes, so that a shared store knows it.
    """
    rng = np.random.default_rng(seed)
    scenes = rng.integers(40, 216, (seconds + 1, 4, 6, 3)).astype(np.uint8)
    large = [cv2.resize(scene, (96, 64), interpolation=cv2.INTER_CUBIC) for scene in scenes]
    shares = [(number // fps, number % fps / fps) for number in range(seconds * fps)]
    path.parent.mkdir(parents=True, exist_ok=True)
    clips.film(path, [cv2.addWeighted(large[at], 1 - share, large[at + 1], share, 0) for at, share in shares], fps, same_bytes=True)


def _vector(triplet: int, phase: int, place: int) -> list[float]:
    instrument, verb, target = CHOLECT50.triplets[triplet]
    return [triplet, instrument, 1, 0.1 + 0.2 * place, 0.2, 0.25, 0.3, verb, target, 1, -1, -1, -1, -1, phase]


@contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@contextmanager
def _without_server() -> Iterator[None]:
    """Let flows map their work in this thread: what they write does not depend on who maps."""
    import plumbing

    usual = plumbing.map_items
    plumbing.map_items = _map_items
    try:
        yield
    finally:
        plumbing.map_items = usual


@contextmanager
def _own_judge() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(suite, "Judge", lambda: None)
        yield


def _map_items(work: Callable[[Any], Any], items: Sequence[Any], *, name: str, here: bool = False, unit: str = "") -> Any:
    import plumbing

    done, quarantined = [], []
    for item in items:
        try:
            done.append((item, work(item)))
        except RecordingError as error:
            quarantined.append((item, error))
    return plumbing.Mapped(done, quarantined)


def _flow(stage: str) -> Callable[[], None]:
    spec = importlib.util.spec_from_file_location(f"flow_{stage}", ROOT / f"pipelines/flows/{stage}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    main: Callable[[], None] = module.main.fn
    return main
