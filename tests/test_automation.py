"""What machines of others run: the two commands, in files of the right form that name no package index."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
GITHUB, GITLAB, EDITOR = ROOT / ".github/workflows/commands.yml", ROOT / ".gitlab-ci.yml", ROOT / ".devcontainer/devcontainer.json"
COMMANDS = ["make repro", "make test"]
STEP_KEYS = {"name", "id", "uses", "with", "run"}


class Loader(yaml.BaseLoader):
    """Words stay words: `on` is a key of GitHub's, and elsewhere in YAML it is true."""


def read(path: Path) -> dict:
    return yaml.load(path.read_text(encoding="utf-8"), Loader)


def scripts() -> dict[Path, list[str]]:
    (job,) = read(GITHUB)["jobs"].values()
    return {
        GITHUB: [step["run"] for step in job["steps"] if "run" in step],
        GITLAB: read(GITLAB)["commands"]["script"],
        EDITOR: [json.loads(EDITOR.read_text(encoding="utf-8"))["postCreateCommand"]],
    }


def test_the_files_have_the_form_that_their_readers_know():
    workflow = read(GITHUB)
    assert set(workflow) == {"name", "on", "permissions", "jobs"}
    assert set(workflow["on"]) <= {"push", "pull_request"}
    for job in workflow["jobs"].values():
        assert set(job) == {"runs-on", "timeout-minutes", "steps"}
        assert all(set(step) <= STEP_KEYS and ("run" in step) != ("uses" in step) for step in job["steps"])
        assert all(re.fullmatch(r"actions/\w[\w-]+@v\d+", step["uses"]) for step in job["steps"] if "uses" in step)
    (job,) = read(GITLAB).values()
    assert set(job) == {"image", "timeout", "cache", "script"}
    assert set(job["cache"]) == {"key", "paths"}
    assert set(job["cache"]["key"]) == {"files", "prefix"}
    assert len(job["cache"]["key"]["files"]) <= 2, "GitLab takes no more"
    assert set(json.loads(EDITOR.read_text(encoding="utf-8"))) == {"name", "image", "postCreateCommand", "customizations"}


def test_both_services_run_the_two_commands_of_the_readme_and_nothing_else_of_the_makefile():
    goals = set(re.findall(r"^(\w+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for path, lines in scripts().items():
        made = [line for line in lines if line.startswith("make ")]
        assert made == (["make setup"] if path == EDITOR else COMMANDS)
        assert {line.removeprefix("make ") for line in made} <= goals


def test_a_kept_environment_belongs_to_one_lock():
    (job,) = read(GITHUB)["jobs"].values()
    (cache,) = [step["with"] for step in job["steps"] if step.get("uses", "").startswith("actions/cache@")]
    assert cache["path"] == ".venv"
    assert "hashFiles('**/requirements.lock'" in cache["key"]
    assert "restore-keys" not in cache, "an environment of another lock would be taken for this one"
    kept = read(GITLAB)["commands"]["cache"]
    assert kept["paths"] == [".venv"]
    assert "requirements.lock" in kept["key"]["files"]


def test_they_name_no_host():
    for path in (GITHUB, GITLAB, EDITOR, ROOT / ".pre-commit-config.yaml"):
        assert not re.search(r"://|index-url|\w\.(?:com|org|io|net)\b", path.read_text(encoding="utf-8")), path


def test_pre_commit_takes_the_tools_in_the_versions_of_the_lock():
    hooks = {hook["id"]: hook for repository in read(ROOT / ".pre-commit-config.yaml")["repos"] for hook in repository["hooks"]}
    locks = "\n".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "requirements.lock", ROOT / "tests/requirements.lock") if path.is_file()
    )
    for hook in hooks.values():
        assert all(re.search(rf"^{re.escape(pinned)}\b", locks, re.MULTILINE) for pinned in hook.get("additional_dependencies", []))
        assert (hook["language"] == "python") == ("additional_dependencies" in hook)


@pytest.mark.slow
def test_where_no_time_is_left_a_slow_test_does_not_begin_and_is_listed_by_its_place():
    def summary(**environment: str) -> str:
        command = (sys.executable, "-m", "pytest", "-n0", "-p", "no:cacheprovider", "-m", "slow", "tests/frames/test_contract.py")
        return subprocess.run(command, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, check=True).stdout

    late = summary(SCRUBIN_TESTS_BEGIN_UNTIL="1")
    assert re.search(r"^SKIPPED \[\d\] tests/frames/test_contract.py:\d+: no time was left to begin it$", late, re.MULTILINE)
    assert re.search(r"^=+ \d TESTS DID NOT BEGIN, 0 passed =+$", late, re.MULTILINE)
    assert "no time was left" not in summary(SCRUBIN_TESTS_BEGIN_UNTIL="9999999999")


def test_of_a_run_only_the_slow_tests_come_last_and_have_an_end():
    lines = (ROOT / ".ci/run").read_text(encoding="utf-8").splitlines()
    goals = [line for line in lines if line.startswith("make ")]
    assert goals[-1] == "make slow"
    assert (
        lines.index("make test")
        < next(at for at, line in enumerate(lines) if "SCRUBIN_TESTS_BEGIN_UNTIL" in line)
        < lines.index("make slow")
    )


@pytest.mark.slow
def test_two_tags_are_compared_by_dvc_itself(tmp_path):
    """The entries of our dvc.yaml and our template, with files that git holds in place of DVC's cache."""
    pipeline = yaml.safe_load((ROOT / "dvc.yaml").read_text(encoding="utf-8"))
    project = tmp_path / "project"
    (project / ".dvc/plots").mkdir(parents=True)
    (project / ".dvc/config").write_text("[core]\n    analytics = false\n    check_update = false\n")
    (project / ".dvc/plots/bars.json").write_bytes((ROOT / ".dvc/plots/bars.json").read_bytes())
    (project / "dvc.yaml").write_text(yaml.safe_dump({"metrics": ["reports/metrics.json"], "plots": pipeline["plots"]}))

    def run(*command: str) -> str:
        return subprocess.run(command, cwd=project, capture_output=True, text=True, check=True).stdout

    run("git", "init", "--quiet")
    for tag, value in (("v1", 3), ("v2", 5)):
        for plot in pipeline["plots"]:
            for name, shown in plot.items():
                (project / name).parent.mkdir(parents=True, exist_ok=True)
                (project / name).write_text(f"{shown['y']},{shown['x']}\none,{value}\ntwo,1\n")
        (project / "reports/metrics.json").write_text(json.dumps({"splits": {"balanced": {"mean_imbalance": value / 10}}}))
        run("git", "add", "--all")
        run("git", "-c", "user.name=me", "-c", "user.email=me@example.org", "commit", "--quiet", "--message", tag)
        run("git", "tag", tag)
    dvc = (sys.executable, "-m", "dvc")
    (row,) = json.loads(run(*dvc, "metrics", "diff", "v1", "v2", "--json"))["reports/metrics.json"].values()
    assert (row["old"], row["new"]) == (0.3, 0.5)
    run(*dvc, "plots", "diff", "v1", "v2", "--out", str(tmp_path / "plots"))
    page = (tmp_path / "plots/index.html").read_text(encoding="utf-8")
    titles = [shown["title"] for plot in pipeline["plots"] for shown in plot.values()]
    assert all(title in page for title in titles)
    assert "DVC_METRIC" not in page, "a place of the template is not filled"
