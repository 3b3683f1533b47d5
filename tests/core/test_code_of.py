from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from dvc.repo import Repo

from scrubin.base.store import code_of as known
from scrubin.base.store.code_of import closure, code_of

LIBRARY = known.LIBRARY
STORING = (
    "scrubin.base.files",
    "scrubin.stages.frames.frame_store",
    "scrubin.stages.ingest.seam_pictures",
    "scrubin.audit.pictures.stored",
    "scrubin.stages.render.rendering",
    "scrubin.stages.screen.onnx_detector",
    "scrubin.stages.screen.all_detectors",
    "scrubin.stages.screen.face_looks",
    "scrubin.stages.screen.features",
    "scrubin.stages.screen.insets",
    "scrubin.stages.screen.pass_over_file",
    "scrubin.stages.screen.reel",
    "scrubin.stages.screen.scene_scores",
    "scrubin.stages.screen.text_looking",
    "scrubin.stages.stereo.released_check",
    "scrubin.media.raw_file",
)
"""Every module whose code is the key of a stored result."""


def forget() -> None:
    """As in another process."""
    for kept in (known.code_of, known.code_of_library, known.library_files, known._module, known._file, known._data_beside):
        kept.cache_clear()


@pytest.fixture
def parsed_once(monkeypatch):
    """Let the same source be parsed once, however often all is read again: the edits of a test change one file of hundreds."""
    parsed, kept = known._parsed, {}

    def remembered(source, name):
        key = (source, name, source.read_bytes())
        if key not in kept:
            kept[key] = parsed(source, name)
        return kept[key]

    monkeypatch.setattr(known, "_parsed", remembered)


@pytest.fixture
def library(tmp_path, monkeypatch):
    """Write modules of a small library and return the code of its module ``scrubin.a``."""
    root = tmp_path / "scrubin"
    monkeypatch.setattr(known, "LIBRARY", root)

    def code(**sources: str | None) -> str:
        for name, text in {"__init__": "", **sources}.items():
            path = root.joinpath(*name.split("__in__")).with_suffix(".py")
            path.parent.mkdir(parents=True, exist_ok=True)
            if text is None:
                path.unlink()
            else:
                path.write_text(text)
        forget()
        return code_of("scrubin.a")

    yield code
    forget()


@pytest.mark.parametrize(
    "line",
    [
        "from scrubin.b import f",
        "from scrubin import b",
        "import scrubin.b",
        "import scrubin.b as other",
        "def later():\n    from scrubin.b import f\n    return f",
        "if TYPE_CHECKING:\n    from scrubin.b import f",
        "try:\n    import scrubin.b\nexcept ImportError:\n    pass",
        "import importlib\nimportlib.import_module('scrubin.b')",
        "import importlib\nREGISTRY = {'b': 'scrubin.b'}\ndef of(name):\n    return importlib.import_module(REGISTRY[name])",
    ],
)
def test_a_change_of_what_is_imported_in_any_way_changes_the_code(library, line):
    before = library(a=line, b="from scrubin.c import g", c="g = 1", d="x = 1")
    assert library(d="x = 2") == before
    assert len({before, library(c="g = 2"), library(b="from scrubin.c import g\nf = 1")}) == 3


def test_a_registry_that_imports_by_the_beginning_of_a_name_counts_each_module_below_it(library):
    by_name = "import importlib\ndef of(name):\n    return importlib.import_module(f'scrubin.inner.{name}')"
    before = library(a=by_name, inner__in____init__="", inner__in__b="1", other="1")
    assert library(other="2") == before
    assert len({before, library(inner__in__b="2"), library(inner__in__c="1")}) == 3


def test_a_folder_that_imports_all_its_modules_counts_each_and_a_new_one(library):
    walk = "import importlib, pkgutil\nfor one in pkgutil.iter_modules(__path__):\n    importlib.import_module(one.name)"
    before = library(a="from scrubin import rules", rules__in____init__=walk, rules__in__first="1")
    assert len({before, library(rules__in__first="2"), library(rules__in__second="1")}) == 3
    before = library(rules__in____init__="NOT_REGISTERED = ('second',)\n" + walk)
    assert library(rules__in__second="2") == before != library(rules__in__first="3")


def test_files_beside_a_module_count_and_those_of_other_folders_do_not(library, tmp_path):
    seen = {library(a="from scrubin.inner.b import f", inner__in____init__="", inner__in__b="f = 1", other__in____init__="")}
    for name in ("inner/words.json", "inner/pages/page.html", "inner/words.json"):
        path = tmp_path / "scrubin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"{path.is_file()}")
        seen.add(library())
    assert len(seen) == 4
    (tmp_path / "scrubin/other/words.json").write_text("1")
    (tmp_path / "scrubin/inner/__pycache__").mkdir()
    (tmp_path / "scrubin/inner/__pycache__/b.pyc").write_text("1")
    (tmp_path / "scrubin/inner/moved_away/__pycache__").mkdir(parents=True)
    (tmp_path / "scrubin/inner/moved_away/__pycache__/c.pyc").write_text("1")
    assert library() in seen


def test_a_module_that_moves_with_its_importers_is_the_same_code(library):
    one = "def f():\n    return 1"
    before = library(a="import os\nfrom scrubin.b import (\n    f,\n)\nf()", b=one)
    assert library(a="import os\nfrom scrubin.base.b import f\nf()", b=None, base__in____init__="", base__in__b=one) == before


def test_the_same_name_from_another_module_is_other_code(library):
    before = library(a="from scrubin.b import f\nfrom scrubin.c import g", b="f = g = 1", c="f = g = 2")
    assert library(a="from scrubin.c import f\nfrom scrubin.b import g") != before
    assert library(a="from scrubin.b import f\nfrom scrubin.c import g") == before
    assert library(a="from scrubin.b import g as f\nfrom scrubin.c import g") != before


def test_circles_of_imports_end(library):
    before = library(a="from scrubin.b import f", b="def f():\n    from scrubin.a import g")
    assert library(b="def f():\n    from scrubin.a import h") != before


def test_versions_of_packages_count_and_the_order_of_modules_does_not(library, monkeypatch):
    before = library(a="import numpy.typing as npt\nimport json\nfrom nowhere import x")
    monkeypatch.setattr(known, "version", lambda package: f"another {package}")
    assert library() != before
    with pytest.raises(ValueError, match=r"the library has no module 'scrubin\.nothing'"):
        code_of("scrubin.nothing")


def test_every_package_is_known_by_the_name_under_which_it_is_installed():
    imported = {package for module in STORING for one in closure(module) for package in known._module(one).packages}
    assert {"av", "numpy", "opencv-python-headless"} <= imported
    assert {package for package in imported if known.version_of(package) == "not installed"} == set()


def test_every_module_that_keeps_results_is_listed_here():
    keeping = set()
    for path in LIBRARY.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if "code_of(__name__)" in text or "Observer(NAME, __name__" in text or "OBSERVER = Observer(" in text:
            keeping.add(".".join(("scrubin", *path.relative_to(LIBRARY).with_suffix("").parts)))
    assert keeping == set(STORING) - {"scrubin.base.files", "scrubin.stages.screen.text_looking"}


def test_what_screen_notes_of_a_recording_depends_on_the_part_of_the_picture_that_is_cut_out():
    assert {"scrubin.media.source", "scrubin.media.probe"} <= closure("scrubin.stages.screen.pass_over_file")
    assert {"scrubin.media.opening", "scrubin.media.damage"} <= closure("scrubin.media.raw_file")
    assert "scrubin.media.containers.dicom_recording" in closure("scrubin.stages.ingest.seam_pictures") & closure(
        "scrubin.stages.stereo.released_check"
    )


def in_process(script: str, library: Path, folder: Path) -> str:
    env = {**os.environ, "PYTHONPATH": str(library), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "-c", script], cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


IMPORTS = """
import importlib, json, sys
importlib.import_module("MODULE")
print(json.dumps(sorted(name for name in sys.modules if name.split(".")[0] == "scrubin")))
"""


@pytest.mark.slow
@pytest.mark.parametrize("module", STORING)
def test_all_that_a_module_imports_when_it_runs_is_code_of_its_results(module, tmp_path):
    assert set(json.loads(in_process(IMPORTS.replace("MODULE", module), LIBRARY.parent, tmp_path))) <= closure(module)


def project_of_code(folder: Path) -> Path:
    """Make a DVC project with the stages' dependencies on code, and nothing else to do; return its library."""
    root = LIBRARY.parents[1]
    pipeline = yaml.safe_load((root / "dvc.yaml").read_text(encoding="utf-8"))
    pipeline["vars"] = [one for one in pipeline["vars"] if isinstance(one, dict)]
    for stage in pipeline["stages"].values():
        code = [dep for dep in stage["deps"] if dep.startswith(("${lib}", "pipelines/"))]
        stage.clear()
        stage |= {"cmd": "true", "deps": code}
    del pipeline["metrics"]
    shutil.copytree(root / "pipelines", folder / "pipelines", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    shutil.copy(root / ".dvcignore", folder)
    (folder / "dvc.yaml").write_text(yaml.safe_dump(pipeline))
    Repo.init(str(folder), no_scm=True).close()
    with Repo(str(folder)) as repo:
        repo.reproduce()
    return folder / "pipelines/scrubin"


def stale_stages() -> set[str]:
    """Return the stages that `dvc repro` would run in the working folder."""
    with Repo() as repo:
        return {*repo.status()}


@pytest.mark.slow
@pytest.mark.usefixtures("parsed_once")
@pytest.mark.filterwarnings("default::DeprecationWarning")  # DVC's own
def test_a_planted_edit_makes_exactly_those_stages_and_results_stale_that_import_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DVC_NO_ANALYTICS", "1")
    monkeypatch.setenv("DVC_SITE_CACHE_DIR", str(tmp_path / ".cache"))
    library = project_of_code(tmp_path)
    monkeypatch.setattr(known, "LIBRARY", library)
    forget()
    flows = {path.stem: path for path in (tmp_path / "pipelines/flows").glob("*.py")}
    stages = yaml.safe_load((tmp_path / "dvc.yaml").read_text(encoding="utf-8"))["stages"]
    files = {stage: {*known.files_of(known.imported_by(flows[stage]))} for stage in stages}
    results = {module: {*known.files_of(closure(module))} for module in STORING}
    before = {module: code_of(module) for module in STORING}
    reached = sorted({file for one in (*files.values(), *results.values()) for file in one})
    modules, data = ([file for file in reached if (file.suffix == ".py") == is_module] for is_module in (True, False))
    chance = random.Random(30)
    for edited in [*chance.sample(modules, 20), *chance.sample(data, 5)]:
        whole = edited.read_bytes()
        edited.write_bytes(whole + b"\nPLANTED = 1\n")
        forget()
        assert stale_stages() == {stage for stage in stages if edited in files[stage]}, edited
        assert {module for module in STORING if code_of(module) != before[module]} == {
            module for module in STORING if edited in results[module]
        }, edited
        edited.write_bytes(whole)
    forget()
    assert stale_stages() == set()
