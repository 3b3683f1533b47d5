from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scrubin import cli
from scrubin.base import params
from scrubin.base.errors import ManifestError
from scrubin.curate.lists import empty_study
from scrubin.curate.preflight.preflight import DECLARED
from scrubin.stages.ingest.manifest import parse

ROOT = Path(__file__).parents[2]


def test_a_new_study_has_usable_empty_lists_and_is_never_overwritten(tmp_path, capsys):
    raw = tmp_path / "raw"
    assert cli.main(["new-study", str(raw)]) == 0
    assert parse((raw / "recordings.csv").read_bytes(), {}).recordings == {}
    (raw / "recordings.csv").write_text("mine")
    assert cli.main(["new-study", str(raw)]) == 0
    assert (raw / "recordings.csv").read_text() == "mine"
    assert capsys.readouterr().out.endswith("nothing was missing\n")


def test_a_file_in_the_way_is_named(tmp_path, capsys):
    (tmp_path / "raw").touch()
    assert cli.main(["new-study", str(tmp_path / "raw")]) == 1
    assert "it is a file; name a folder" in capsys.readouterr().err


def test_the_shipped_parameters_are_all_as_declared(capsys):
    assert set(DECLARED) == {"flows", *params.SECTIONS}
    assert cli.main(["check-params", str(ROOT / "params.yaml")]) == 0
    assert f"{len(DECLARED)} sections" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("crf: 18", "crf: 180", r"'render.crf' must lie in [1, 40], but is 180"),
        ("on_quarantine: continue", "on_quarantin: continue", "'release.on_quarantin' is not a parameter; did you mean 'on_quarantine'?"),
        ("splits:", "split:", "'split' is not a parameter; did you mean 'splits'?"),
        ("syllables: 2", "syllables: two", "'pseudonymize.syllables' must be a whole number, but is 'two'"),
    ],
)
def test_a_wrong_parameter_of_any_stage_is_found(tmp_path, capsys, old, new, message):
    path = tmp_path / "params.yaml"
    shutil.copy(ROOT / "params.yaml", path)
    path.write_text(path.read_text().replace(old, new))
    assert cli.main(["check-params", str(path)]) == 1
    assert message in capsys.readouterr().err


def test_a_real_study_is_not_released_under_the_synthetic_ones_name(tmp_path, capsys):
    path = tmp_path / "params.yaml"
    path.write_text((ROOT / "params.yaml").read_text().replace("raw: data/demo", "raw: data/raw"))
    assert cli.main(["check-params", str(path)]) == 1
    assert "'release.name' is still 'scrub-in-demo'" in capsys.readouterr().err


def test_a_raw_folder_that_is_not_there_is_named_with_the_mend(tmp_path):
    with pytest.raises(ManifestError, match=r"there is no videos, ratings, annotations, splits, recordings.csv, redactions.csv in it; run"):
        empty_study.require(tmp_path / "rwa")
    empty_study.create(tmp_path / "raw")
    empty_study.require(tmp_path / "raw")


@pytest.mark.parametrize("name", sorted(cli.COMMANDS))
def test_every_command_prints_its_help(name, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main([name, "--help"])
    assert ended.value.code == 0
    assert f"scrubin {name}" in capsys.readouterr().out


def in_few_letters(*command: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program where names of files have the letters of ASCII alone."""
    few = {"LC_ALL": "C", "PYTHONUTF8": "0"}
    return subprocess.run([sys.executable, *command], cwd=folder, env=os.environ | few, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(("-m", "scrubin", "preflight"), id="a command"),
        pytest.param(("-m", "scrubin", "verify", "."), id="a command of the base"),
        pytest.param((ROOT / "pipelines/flows/repro.py",), id="a run"),
        pytest.param((ROOT / "pipelines/flows/ingest.py",), id="a stage that DVC started"),
    ],
)
def test_where_names_of_files_cannot_have_every_letter_nothing_begins(tmp_path, command):
    """Recordings whose names have other letters would be missing, and the release would go out without them."""
    done = in_few_letters(*command, folder=tmp_path)
    assert done.returncode
    assert done.stderr.endswith(
        "LC_ALL=C: names of files are read as ascii, so that those with other letters would be missing; "
        "export PYTHONUTF8=1, or LC_ALL=C.UTF-8, then run again\n"
    )
    assert done.stderr.count("\n") == 1
    assert [*tmp_path.iterdir()] == []


def test_there_the_doctor_says_what_to_do(tmp_path):
    done = in_few_letters("-m", "scrubin", "doctor", folder=tmp_path)
    assert (
        "to do       names of files are read as ascii, so that those with other letters would be missing: export PYTHONUTF8=1"
        in done.stdout
    )
    assert done.returncode == 1
