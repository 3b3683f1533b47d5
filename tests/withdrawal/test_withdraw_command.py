"""`scrubin withdraw`: the row, the number, the ledger and the list of what nobody can call back."""

import datetime
import hashlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import kept_project
from scrubin import cli
from scrubin.audit.expected import withdrawal_memory
from scrubin.base import params
from scrubin.curate.label import written
from scrubin.curate.lists import empty_study
from scrubin.curate.project import outputs
from scrubin.stages.review import Ledger, events

ROOT = Path(__file__).parents[2]


def today() -> datetime.date:
    return datetime.datetime.now(datetime.UTC).date()


def left_today(project: Path, participant: str, begin: datetime.date) -> bool:
    """Whether the list holds this participant alone, with a day of this test: midnight may have passed since it began."""
    said = (project / "data/raw/withdrawn.csv").read_text()
    rows = [f"participant,recording,date,reason,random\n{participant},,{day},consent," for day in {begin, today()}]
    return re.sub("[0-9a-f]{32}\n$", "", said) in rows


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A study whose last release held everybody."""
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "params.yaml").read_text(encoding="utf-8")
    (tmp_path / "params.yaml").write_text(
        text.replace("raw: data/demo", "raw: data/raw")
        .replace("scrub-in-demo", "a-study")
        .replace("A synthetic surgical-video study", "A study"),
        encoding="utf-8",
    )
    empty_study.create(tmp_path / "data/raw")
    rows = "a1,Ann,,,T,mono,videos/a1.mkv,,,\na2,Ann,,,T,mono,videos/a2.mkv,,,\nb1,Ben,,,T,mono,videos/b1.mkv,,,\n"
    with (tmp_path / "data/raw/recordings.csv").open("a") as file:
        file.write(rows)
    private = tmp_path / "data/private"
    private.mkdir()
    splits = {"seed": 0, "schemes": {}, "places": {"s": [[0, "train", "glimst"], [0, "test", "blivka"]]}}
    released = {"name": "a-study", "version": "1.0.0", "recordings": {"a1": "glimst", "b1": "blivka"}, "splits": splits}
    (private / "released.json").write_text(json.dumps(released))
    for name in ("a1", "b1"):
        Ledger().append("excluded", {"recording": name, "sha256": {}, "why": "w"}, by="ann", session="s")
    (tmp_path / "data/interim").mkdir()
    (tmp_path / "data/interim/review.json").write_text(json.dumps({"head": Ledger().head, "lines": 2}))
    shutil.copytree(ROOT / ".dvc", tmp_path / ".dvc", ignore=shutil.ignore_patterns("cache", "tmp"))
    with (tmp_path / ".dvc/config").open("a") as file:
        file.write("['remote \"vault\"']\n    url = ssh://vault/data\n")
    return tmp_path


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    code = cli.main(["withdraw", *arguments])
    said = capsys.readouterr()
    return code, said.out, said.err


def version() -> str:
    return str(params.read()["release"]["version"])


def test_a_participant_withdraws(project, capsys):
    begin = today()
    before = (project / "params.yaml").read_text()
    code, said, _ = run(capsys, "--participant", "Ann", "--reason", "consent")
    assert code == 0
    assert left_today(project, "Ann", begin)
    assert (project / "params.yaml").read_text() == before.replace("version: 1.0.0", "version: 2.0.0")
    assert "release.version is 2.0.0 now, it was 1.0.0" in said
    assert all(name in withdrawal_memory.load() for name in ("a1", "a2", "glimst"))
    assert [events.event_of(line) for line in Ledger().lines()][1].recording == "b1"
    assert not (project / "data/interim/review.json").exists()
    assert "next: make repro, then: .venv/bin/scrubin store --prune" in said


@pytest.mark.parametrize(
    "lock", [b"<<<<<<< HEAD\nstages: {}\n=======\n", b"stages: {release: [", b"\xff\xfe\x00"], ids=["a conflict", "torn", "no text"]
)
def test_a_lock_that_cannot_be_read_keeps_nobody_from_withdrawing_and_is_left_and_named(project, capsys, lock):
    begin = today()
    (project / "dvc.lock").write_bytes(lock)
    listed = project / ".dvc/cache/files/md5/ab" / ("0" * 30 + ".dir")
    listed.parent.mkdir(parents=True)
    listed.write_text(json.dumps([{"relpath": name, "md5": "a0" + "0" * 30} for name in outputs.RELEASE_FILES]))
    code, said, _ = run(capsys, "--participant", "Ann", "--reason", "consent")
    assert code == 0
    assert left_today(project, "Ann", begin)
    assert "glimst" in withdrawal_memory.load()
    assert not listed.exists()
    assert "dvc.lock: it cannot be read, and may name a release with them; restore it and run make repro before 'dvc push'" in said
    assert (project / "dvc.lock").read_bytes() == lock


def test_a_cache_that_the_users_own_settings_keep_elsewhere_is_left_alone_and_named(project, capsys, tmp_path_factory, monkeypatch):
    home, elsewhere = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("cache")
    (home / "dvc").mkdir()
    (home / "dvc/config").write_text(f"[cache]\n    dir = {elsewhere}\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    _, said, _ = run(capsys, "--participant", "Ann", "--reason", "consent")
    assert f"DVC's cache is in {elsewhere}: until 'dvc gc' there, an older dvc.lock" in said


@pytest.mark.slow
def test_no_dvc_lock_that_git_brings_back_can_send_a_release_that_held_them(project, capsys, tmp_path_factory):
    """Until the cache is pruned it holds the files; DVC sends no folder whose list is gone."""
    release, remote = project / "data/release", tmp_path_factory.mktemp("remote")
    (release / "videos").mkdir(parents=True)
    (release / "tables").mkdir()
    for name in ("SHA256SUMS", "certificate.json", "tables/videos.parquet"):
        (release / name).write_text("0  videos/a1.mkv\n")
    (release / "videos/a1.mkv").write_bytes(b"a film of Ann")
    other = project / "data/other"
    other.mkdir()
    (other / "x").write_text("x")
    assert kept_project.dvc("init", "-q", "--no-scm", "-f") == 0
    assert kept_project.dvc("remote", "add", "-d", "store", str(remote)) == 0
    assert kept_project.dvc("add", "-q", "data/release", "data/other") == 0
    assert run(capsys, "--participant", "Ann", "--reason", "consent")[0] == 0
    kept_project.dvc("push", "-q")
    assert [path.read_text() for path in remote.rglob("*") if path.is_file() and path.suffix != ".dir"] == ["x"]


def as_tracked(project: Path, remote: Path) -> None:
    """Let DVC keep a release of Ann (glimst) and Ben (blivka), and their videos for the next one, in stages."""
    release = project / "data/release"
    files = {name: f"of all: {name}" for name in ("SHA256SUMS", "certificate.json", "tables/videos.parquet")}
    for name, text in {**files, "videos/glimst.mkv": "a film of Ann", "videos/blivka.mkv": "a film of Ben"}.items():
        for folder in (release, project / "data/unreleased") if name.startswith("videos/") else (release,):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
    stages = {
        "render": {"cmd": "x", "outs": [{"data/unreleased/videos": {"push": False}}]},
        "release": {"cmd": "x", "outs": ["data/release"]},
    }
    (project / "dvc.yaml").write_text(json.dumps({"stages": stages}))
    assert kept_project.dvc("init", "-q", "--no-scm", "-f") == 0
    assert kept_project.dvc("config", "core.site_cache_dir", ".cache/dvc") == 0
    assert kept_project.dvc("remote", "add", "-d", "store", str(remote)) == 0
    assert kept_project.dvc("commit", "-q", "-f") == 0


def sent(remote: Path) -> set[str]:
    return {path.read_text() for path in remote.rglob("*") if path.is_file()}


@pytest.mark.slow
@pytest.mark.parametrize("notes", ["", "elsewhere"])
def test_nor_does_what_dvc_remembers_of_an_earlier_push(project, capsys, tmp_path_factory, monkeypatch, notes):
    """After a push that had nothing to send, DVC's index names the files: also where nobody looks for it."""
    remote, lock = tmp_path_factory.mktemp("remote"), project / "dvc.lock"
    as_tracked(project, remote)
    before, elsewhere = lock.read_text(), str(tmp_path_factory.mktemp("notes"))
    with monkeypatch.context() as patch:
        if notes:
            patch.setenv("DVC_SITE_CACHE_DIR", elsewhere)
        for _ in range(2):
            assert kept_project.dvc("push", "-q") == 0
    assert "a film of Ann" in sent(remote)
    assert run(capsys, "--participant", "Ann", "--reason", "consent")[0] == 0
    shutil.rmtree(remote)
    lock.write_text(before)
    with monkeypatch.context() as patch:
        if notes:
            patch.setenv("DVC_SITE_CACHE_DIR", elsewhere)
        kept_project.dvc("push", "-q")
    assert sent(remote) <= ({"a film of Ben"} if notes else set())
    kept = {path.read_text() for path in (project / ".dvc/cache/files/md5").glob("??/*") if path.suffix != ".dir"}
    assert kept == {"a film of Ben"}, "stages and the store need those of all others"


@pytest.mark.slow
@pytest.mark.parametrize("of", ["this clone", "another clone"])
def test_nor_one_whose_release_is_pulled_after_it_and_stays_when_a_run_is_refused(project, capsys, tmp_path_factory, of):
    """Everybody of it is remembered by then, so that no run sees anything new; another clone releases without knowing of her."""
    remote, lock, other = tmp_path_factory.mktemp("remote"), project / "dvc.lock", tmp_path_factory.mktemp("other")
    as_tracked(project, remote)
    shutil.copytree(project, other, dirs_exist_ok=True)
    if of == "another clone":
        (other / "data/release/certificate.json").write_text("of all: certificate.json of version 1.1.0")
    assert kept_project.dvc("commit", "-q", "-f", folder=other) == 0
    assert kept_project.dvc("push", "-q", folder=other) == 0
    assert run(capsys, "--participant", "Ann", "--reason", "consent")[0] == 0
    shutil.copy(other / "dvc.lock", lock)
    assert kept_project.dvc("pull", "-q", "--allow-missing", "data/release") == 0
    assert (project / "data/release/videos/glimst.mkv").read_text() == "a film of Ann"
    shutil.rmtree(remote)
    done = subprocess.run([sys.executable, ROOT / "pipelines/flows/repro.py"], check=False, capture_output=True, text=True)
    assert "nothing was started" in done.stderr
    assert done.stderr.count("dvc.lock: the release that it names, or data/release where DVC's cache has no list of that, holds") == 1
    for text in (lock.read_text(), (other / "dvc.lock").read_text()):  # also when git brings it once more
        lock.write_text(text)
        kept_project.dvc("push", "-q")
        assert sent(remote) == set()


def test_exported_labels_go_with_their_name_and_those_that_somebody_changed_are_left(project, capsys):
    raw = project / "data/raw"
    paths = {name: f"{written.LABELS_FOLDER}/{name}.labels.json" for name in ("a1", "a2", "b1")}
    sheet = f"{written.RATINGS_FOLDER}/T_rater1.csv"
    written.write(raw, {**dict.fromkeys(paths.values(), b"{}"), sheet: b"id;rater\na1;1\nb1;1\n"})
    (raw / paths["a2"]).write_text("by hand")
    code, said, _ = run(capsys, "--participant", "Ann", "--reason", "consent")
    assert code == 0
    assert "data/private/label/exported.json: 2 label files of theirs out" in said
    assert list(json.loads(written.EXPORTED_PATH.read_text())) == [paths["b1"], sheet]
    assert {name for name, path in paths.items() if (raw / path).exists()} == {"a2", "b1"}
    # The next export writes the sheet without them.
    assert written.write(raw, {paths["b1"]: b"{}", sheet: b"id;rater\nb1;1\n"}).changed == (sheet,)


@pytest.mark.parametrize("other", ["ann", "\xc1nn"])
def test_a_participant_spelt_alike_stays_and_that_is_said(project, capsys, other):
    rows = project / "data/raw/recordings.csv"
    rows.write_text(rows.read_text().replace("a2,Ann,", f"a2,{other},"), encoding="utf-8")
    code, said, _ = run(capsys, "--participant", "Ann", "--reason", "consent")
    assert code == 0
    assert f"recordings.csv: {other!a}: another participant, spelt alike, stays; withdraw that name, too, if it is the same person" in said
    assert "a2" not in withdrawal_memory.load()
    assert "spelt alike" not in run(capsys, "--participant", other, "--reason", "consent")[1]


def test_what_nobody_can_call_back_is_listed(project, capsys):
    subprocess.run(["git", "init", "-q", "."], check=True)
    subprocess.run(["git", "-c", "user.name=c", "-c", "user.email=c@x.org", "commit", "-q", "--allow-empty", "-m", "m"], check=True)
    subprocess.run(["git", "tag", "v1.0.0"], check=True)
    _, said, _ = run(capsys, "--participant", "Ann", "--reason", "consent")
    for place in (
        "DVC remote 'vault' (ssh://vault/data)",
        "other clones and git worktrees: their own caches of DVC hold it",
        "git tags v1.0.0",
        "version 1.0.0 and those before it",
        "backups of data/private",
    ):
        assert place in said


def test_which_tags_hold_them_is_asked_before_the_lists_of_releases_go(project, capsys):
    subprocess.run(["git", "init", "-q", "."], check=True)
    for version, id_ in (("1.0.0", "blivka"), ("1.1.0", "glimst")):
        files = {**dict.fromkeys(outputs.RELEASE_FILES, "a0" + "0" * 30), f"videos/{id_}.mkv": "a1" + "0" * 30}
        text = json.dumps([{"relpath": name, "md5": md5} for name, md5 in files.items()])
        md5 = f"{hashlib.md5(text.encode()).hexdigest()}.dir"
        listed = project / ".dvc/cache/files/md5" / md5[:2] / md5[2:]
        listed.parent.mkdir(parents=True, exist_ok=True)
        listed.write_text(text)
        (project / "dvc.lock").write_text(json.dumps({"stages": {"release": {"outs": [{"path": "data/release", "md5": md5}]}}}))
        subprocess.run(["git", "add", "dvc.lock"], check=True)
        subprocess.run(["git", "-c", "user.name=c", "-c", "user.email=c@x.org", "commit", "-q", "-m", "m"], check=True)
        subprocess.run(["git", "tag", f"v{version}"], check=True)
    _, said, _ = run(capsys, "--participant", "Ann", "--reason", "consent")
    assert not listed.exists()
    steps = (
        "git tag --delete v1.1.0",
        "dvc remote modify --local vault url ssh://vault/data",
        "dvc gc --workspace --all-tags --cloud --remote vault; ",
    )
    assert " && ".join(steps) in said
    assert "nor a tag that is left: v1.0.0; 'git fetch --tags' brings the others back" in said


def test_where_params_and_errata_name_them_is_said(project, capsys):
    text = (project / "params.yaml").read_text()
    assert "accepted: []" in text
    (project / "params.yaml").write_text(text.replace("accepted: []", "accepted: [[blivka, glimst]]"))
    (project / "data/raw/errata.yaml").write_text("- {id: E1, since: 1.0.0, severity: note, recordings: [glimst], what: w, advice: a}\n")
    _, said, _ = run(capsys, "--participant", "Ann", "--reason", "consent")
    assert "params.yaml: 'validate.near_duplicate.accepted[0][1]' is 'glimst', one of theirs: remove it, if it means them" in said
    assert "errata.yaml: '[0].recordings[0]' is 'glimst', one of theirs" in said
    assert "'blivka'" not in said


def test_somebody_who_was_never_released_changes_no_number(project, capsys):
    code, said, _ = run(capsys, "--recording", "a2", "--reason", "quality", "--date", "2026-01-31")
    assert (code, version()) == (0, "1.0.0")
    assert "release.version" not in said
    assert "whoever downloaded" not in said
    assert "a1" not in withdrawal_memory.load()


def test_a_number_that_is_high_enough_already_stays(project, capsys):
    (project / "params.yaml").write_text((project / "params.yaml").read_text().replace("version: 1.0.0", "version: 2.1.0"))
    assert "release.version is 2.1.0 already" in run(capsys, "--participant", "Ann", "--reason", "consent")[1]
    assert version() == "2.1.0"


@pytest.mark.parametrize(
    ("arguments", "expected", "says"),
    [
        (
            ["--participant", "Anne", "--reason", "consent"],
            1,
            "withdrawn.csv: 'Anne' is no participant of recordings.csv; did you mean 'Ann'?",
        ),
        (["--participant", "Ann"], 2, "--reason is needed: one of consent, request, legal, quality, other"),
        (["--participant", "Ann", "--reason", "consent", "--date", "31.1.2026"], 2, "write a day up to today"),
        (["--participant", "Ann", "--reason", "consent", "--date", f"{today() + datetime.timedelta(2)}"], 2, "a withdrawal counts at once"),
        (["--participant", "Ann", "--undo"], 1, "is in no row of"),
    ],
)
def test_what_cannot_be_meant_is_said_and_changes_nothing(project, capsys, arguments, expected, says):
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file() and path.name != "repro.lock"}
    code, _, error = run(capsys, *arguments)
    assert code == expected
    assert says in error
    assert {path: path.read_bytes() for path in project.rglob("*") if path.is_file() and path.name != "repro.lock"} == before


def test_the_synthetic_study_is_made_anew_so_nobody_can_leave_it(project, capsys):
    (project / "params.yaml").write_text((project / "params.yaml").read_text().replace("raw: data/raw", "raw: data/demo"))
    assert "every run makes the synthetic study anew" in run(capsys, "--participant", "Ann", "--reason", "consent")[2]


def test_a_slip_can_be_taken_back(project, capsys):
    begin = today()
    run(capsys, "--participant", "Ben", "--reason", "consent")
    run(capsys, "--participant", "Ann", "--reason", "consent")
    assert run(capsys, "--participant", "Ben", "--undo")[0] == 0
    assert left_today(project, "Ann", begin)
    assert withdrawal_memory.load().splits["places"] == {"s": [[0, "test", "blivka"]]}
    assert ("b1" in withdrawal_memory.load(), "a1" in withdrawal_memory.load(), withdrawal_memory.load().has_participant("Ben")) == (
        False,
        True,
        False,
    )
