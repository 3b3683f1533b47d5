from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from each import each
from scrubin import cli
from scrubin.base import files, params
from scrubin.base.errors import ManifestError
from scrubin.cli.arguments import written
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
        ("strong_percentile: 95", "strong_percentile: 0.95", "'scores.strong_percentile' must lie in [1, 100], but is 0.95"),
        ("failed_grs: -2.5", "failed_grs: +2.5", "'scores.failed_grs' must be a finite number up to 0, the mean, such as -2.5"),
        (
            "  step: 1 ",
            "  step: 3 ",
            "must make a scale from one end to the other, but are 1.0, 5.0 and 3.0: the last point that is reached is 4.0",
        ),
        (
            "lowest: 1 # point of the scale\n  highest: 5\n  step: 1 ",
            "lowest: 0\n  highest: 1\n  step: 0.333 ",
            "but are 0.0, 1.0 and 0.333: the last point that is reached is 0.999",
        ),
        ("raw: data/demo", "raw: data/release", "but 'data/release' is not apart from data/release, which the pipeline writes"),
        ("raw: data/demo", "raw: data/private/x", "'data/private/x' is not apart from data/private"),
        ("min_brightness: null", "min_brightness: 300", "must lie in [0, 255]"),
        (
            "min_brightness: null # 0 to 255: too dark\n    max_brightness: null",
            "min_brightness: 200\n    max_brightness: 100",
            "is 200, above",
        ),
        ("raw: data/demo", "raw: .", "'.' is not apart from data/interim"),
        ("raw: data/demo", "raw: data\\demo", "has a backslash; write / between the names of folders"),
        ("workers: auto", "workers: 4", "'flows.workers' must be text, but is 4, which YAML takes for something else; put it into quotes"),
        ("date_published: null", "date_published: 2026-12-31", "must be text, but is 2026-12-31, which YAML takes for something else; put"),
        # A real study under the name of the synthetic one.
        ("raw: data/demo", "raw: data/raw", "'release.name' is still 'scrub-in-demo'"),
    ],
)
def test_a_wrong_parameter_of_any_stage_is_found(tmp_path, capsys, old, new, message):
    path = tmp_path / "params.yaml"
    path.write_text((ROOT / "params.yaml").read_text().replace(old, new))
    assert cli.main(["check-params", str(path)]) == 1
    assert message in capsys.readouterr().err


def test_a_raw_folder_that_is_not_there_is_named_with_the_mend(tmp_path):
    with pytest.raises(ManifestError, match=r"there is no videos, ratings, annotations, splits, recordings.csv, redactions.csv in it; run"):
        empty_study.require(tmp_path / "rwa")
    empty_study.create(tmp_path / "raw")
    empty_study.require(tmp_path / "raw")


WITHOUT_OUTPUT = (["--help"], ["splits"], ["splits", "show"], ["score", "--help"])


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a shell of Unix closes the output")
@each(
    "arguments, redirected, said",
    [(one, *how) for one in WITHOUT_OUTPUT for how in ((">&-", "is closed"), (">/dev/full", "No space left"))],
)
def test_lines_that_nobody_can_be_given_are_one_sentence_and_no_success(arguments, redirected, said):
    if "full" in redirected and not Path("/dev/full").exists():
        return
    command = ["sh", "-c", f'exec "$@" {redirected}', "sh", sys.executable, "-m", "scrubin", *arguments]
    # Python keeps lines back, as it does when nobody asks it not to.
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONUNBUFFERED": ""})
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert said in done.stderr


@pytest.fixture
def stopped(tmp_path, monkeypatch, capsys):
    """Let a command be stopped by a signal while it writes a file; return exit code and message, and see that nothing stays."""

    def stopped(number):
        def run(args):
            with files.whole(tmp_path / "a.txt") as part:
                part.write_text("half")
                signal.raise_signal(number)

        monkeypatch.setattr(cli, "_command", lambda _: cli.Command(print, run))
        monkeypatch.setattr(cli.LazyParser, "declare_now", lambda _: None)
        try:
            code = cli.main(["doctor"])
        except SystemExit as end:
            code = end.code
        assert not list(tmp_path.iterdir())
        return code, capsys.readouterr().err

    return stopped


def test_ctrl_c_is_one_line_and_leaves_nothing_half_made(stopped):
    # In the background a shell lets programs ignore it.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert stopped(signal.SIGINT) == (130, "scrubin doctor: stopped\n")
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_command_that_the_system_ends_says_so_and_leaves_nothing_half_made(stopped):
    before = signal.getsignal(signal.SIGTERM)
    assert stopped(signal.SIGTERM) == (143, "scrubin doctor: ended by the system\n")
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_command_that_is_ended_inside_of_a_finaliser_does_not_end_as_if_all_were_well(monkeypatch):
    class Finalised:
        def __del__(self):
            signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(cli, "_answered", lambda *_: bool(Finalised()) - 1)
    with pytest.raises(SystemExit) as end:
        cli.main(["doctor"])
    assert end.value.code == 143


INTO = (
    ["new-study", "{}"],
    ["review", "--export", "{}"],
    ["render", "a.mp4", "{}"],
    ["dicom", "write", "a.mkv", "{}"],
    ["frames", "a.mp4", "{}"],
    ["frames", "a.mp4", "b", "--table", "{}"],
    *(["stereo", *of, "{}"] for of in (["calibrate", "a", "b"], ["convert", "a"], ["rectify", "a", "b", "c"])),
    ["verify", "a", "--json", "{}"],
    ["diff", "a", "b", "--html", "{}"],
    ["export", "a", "{}", "--to", "webdataset"],
    ["convert", "a", "--to", "tables", "--out", "{}"],
    *(["score", "phases", "--ground-truth", "a", "--predictions", "b", one, "{}"] for one in ("--out", "--html")),
    ["scores", "a", "--out", "{}"],
    *(["splits", *of, "--group", "p", "--out", "{}"] for of in (["make", "a"], ["extend", "a", "b"])),
    ["rank", "--from-scores", "a", "--out", "{}"],
    ["submission", "causality", "a", "--out", "{}", "--", "true"],
    ["challenge", "bundle", "a", "--for", "codabench", "--task", "phases", "--split", "s", "--subset", "t", "--out", "{}"],
    ["deid", "make", "{}"],
    ["deid", "score", "a", "b", "--out", "{}"],
)


def refused(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    assert ended.value.code == cli.USAGE
    return capsys.readouterr().err


@each("arguments", INTO)
def test_nothing_is_written_into_a_finished_release(arguments, tmp_path, capsys):
    (tmp_path / "1.0.0/splits").mkdir(parents=True)
    (tmp_path / "1.0.0/SHA256SUMS").touch()
    (tmp_path / "1.0.0/data_dictionary.md").touch()
    (tmp_path / "link").symlink_to("1.0.0")
    for place in ("1.0.0/splits/mine", "1.0.0/new/mine", "link/mine", "1.0.0"):
        assert cli.main([one.format(tmp_path / place) for one in arguments]) == 1
        said = capsys.readouterr().err
        assert f"it lies in the release {tmp_path / '1.0.0'}, which is never changed; write elsewhere" in said


@each(
    "folders, files",
    [
        (("videos", "phase_annotations"), ("SHA256SUMS",)),  # Cholec80 with the user's own list
        (("videos", "Downloads", "splits", "frames", "groundtruth"), ("SHA256SUMS", "install.iso")),  # a home folder
        (("videos", "metadata"), ("SHA256SUMS", "metadata/files.csv", "params.yaml")),  # a project
    ],
)
def test_a_folder_with_checksums_of_something_else_is_no_release_that_refuses_what_is_written_below(folders, files, tmp_path):
    for folder in folders:
        (tmp_path / folder).mkdir()
    for file in files:
        (tmp_path / file).touch()
    for place in ("mine", "videos/mine", "study/new/mine"):
        assert written(str(tmp_path / place)) == str(tmp_path / place)


@each(
    "arguments",
    [
        *([one.format("") for one in arguments] for arguments in INTO),
        *(["audit", ""], ["store", ""], ["score", "phases", "--ground-truth="], ["withdraw", "--participant", ""]),  # only read
    ],
)
def test_an_argument_that_is_empty_is_never_taken_for_this_folder_or_for_none(arguments, capsys):
    assert "it is empty; name what is meant" in refused(arguments, capsys)


@each("arguments, said", [(["splits", "show", "cholect50/rdv", ""], "''"), (["doctor", "", "x y"], "'' 'x y'")])
def test_an_argument_too_many_is_said_to_be_empty(arguments, said, capsys):
    assert refused(arguments, capsys).endswith(f"unrecognized arguments: {said}; one is empty (is a variable not set?)\n")


@each("arguments", [one for one in INTO if one[0] not in ("review", "verify")])
def test_no_file_is_called_as_the_standard_output(arguments, capsys):
    assert "it is not written to the standard output; name a file or folder" in refused([one.format("-") for one in arguments], capsys)


IN_A_PROJECT = (
    ["preflight"],
    *(["review", *how] for how in ([], ["--verify"], ["--export", "-"], ["--import", "a.csv"], ["--sample", "5"])),
    *(["label", *how] for how in ([], ["--verify"], ["--add", "Bob"], ["--shut-out", "Bob"], ["--assign"], ["--progress"], ["--export"])),
    ["remove", "op01"],
    ["rename", "op01", "op02"],
    ["withdraw", "--participant", "P01", "--reason", "consent"],
    ["tag", "1.0.0"],
    ["push", "s3://bucket/study"],
    ["store"],
    ["store", "--prune"],
)


@each("arguments", IN_A_PROJECT)
def test_what_works_on_a_project_does_nothing_in_another_folder(arguments, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.main(arguments) == 1
    said = capsys.readouterr()
    assert said.err.startswith(f"scrubin {arguments[0]}: params.yaml: there is no such file here; go into the folder of a study")
    assert said.out == ""
    assert not list(tmp_path.iterdir())


def test_every_command_that_works_on_a_project_is_tried_elsewhere():
    assert {arguments[0] for arguments in IN_A_PROJECT} == {name for name, one in cli.DECLARED.items() if one.in_project}


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


@pytest.mark.slow
def test_there_the_doctor_says_what_to_do(tmp_path):
    done = in_few_letters("-m", "scrubin", "doctor", folder=tmp_path)
    assert (
        "to do       names of files are read as ascii, so that those with other letters would be missing: export PYTHONUTF8=1"
        in done.stdout
    )
    assert done.returncode == 1
