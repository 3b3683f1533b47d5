"""The entry of the release goes out of DVC's lock file, whole or not at all; the next release says how many recordings went, and why."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import repro
import withdrawals as stage_withdrawals
from scrubin.audit.expected import withdrawal_memory
from scrubin.audit.expected.withdrawal_memory import Gone, Memory
from scrubin.base import params
from scrubin.base.errors import ParamsError, PlatformError, ReleaseError, StageError, TableError
from scrubin.base.faults import error
from scrubin.curate.lists.withdrawal import with_raised_version
from scrubin.curate.preflight import Findings, preflight
from scrubin.curate.project import copies, outputs
from scrubin.stages import pseudonymize as stage_pseudonymize
from scrubin.stages.release import other_clones, release_folder
from scrubin.stages.withdrawals import notice, releases

LOCK = """schema: '2.0'
stages:
  frames:
    cmd: exec frames
    params:
      params.yaml:
        frames.note: "of the stage\\n  release:\\n"
    outs:
    - path: data/unreleased/frames
      md5: 0123456789abcdef0123456789abcdef.dir
  release:
    cmd: exec release
    params:
      params.yaml:
        release:
          version: 1.0.0
    outs:
    - path: data/release
      md5: fedcba9876543210fedcba9876543210.dir
  report:
    cmd: exec report
"""
BY_HAND = "{schema: '2.0', stages: {frames: {cmd: a}, release: {cmd: b}}}\n"
QUOTED = LOCK.replace("  release:\n    cmd", '  "release":\n    cmd')
DEEPER = "schema: '2.0'\nstages:\n    frames:\n        cmd: a\n    release:\n        cmd: b\n"


@pytest.mark.parametrize("text", [LOCK, BY_HAND, QUOTED, DEEPER])
def test_only_the_entry_goes_however_the_file_is_laid_out(tmp_path, text):
    (tmp_path / "dvc.lock").write_text(text)
    before = yaml.safe_load(text)
    assert releases.names_release(tmp_path)
    assert releases.withhold(tmp_path)
    assert not releases.names_release(tmp_path)
    del before["stages"]["release"]
    assert yaml.safe_load((tmp_path / "dvc.lock").read_text()) == before
    assert not releases.withhold(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["dvc.lock"]


@pytest.mark.parametrize("text", [LOCK, BY_HAND, QUOTED, DEEPER, LOCK + "datasets: []\n", LOCK + "...\n", LOCK.replace("\n", "\r\n")])
def test_an_entry_that_was_held_back_is_put_back_with_what_others_wrote_meanwhile(tmp_path, text):
    path = tmp_path / "dvc.lock"
    path.write_text(text)
    held = releases.HeldBack(path)
    assert held.take()
    assert not held.take()
    path.write_text(path.read_text().replace("cmd: exec frames", "cmd: exec other frames").replace("cmd: a", "cmd: c"))
    held.put_back()
    before, now = yaml.safe_load(text), yaml.safe_load(path.read_text())
    assert now["stages"].pop("frames") != before["stages"].pop("frames")
    assert now == before
    held.put_back()
    assert releases.names_release(tmp_path)


def test_where_nothing_was_held_back_nothing_is_put_back(tmp_path):
    held = releases.HeldBack(tmp_path / "dvc.lock")
    assert not held.take()
    held.put_back()
    assert [*tmp_path.iterdir()] == []


def test_what_dvc_has_written_keeps_its_lines():
    first, _, rest = LOCK.partition("  release:\n    cmd")
    assert releases.without(LOCK, "release", releases.LOCK) == first + rest[rest.index("  report:") :]


def test_a_file_that_names_the_release_alone_is_still_one_for_dvc(tmp_path):
    (tmp_path / "dvc.lock").write_text("schema: '2.0'\nstages:\n  release:\n    cmd: b\n")
    releases.withhold(tmp_path)
    assert yaml.safe_load((tmp_path / "dvc.lock").read_text()) == {"schema": "2.0", "stages": {}}


def test_without_a_lock_file_nothing_is_named(tmp_path):
    assert not releases.withhold(tmp_path)
    assert not releases.names_release(tmp_path)


@pytest.mark.parametrize("text", ["schema: '2.0'\nstages:\n  release: [\n", "- a list\n", "stages: 7\n"])
def test_a_file_that_cannot_be_read_is_left_alone_and_named(tmp_path, text):
    (tmp_path / "dvc.lock").write_text(text)
    with pytest.raises(ReleaseError, match=r"dvc\.lock: it cannot be read"):
        releases.withhold(tmp_path)
    assert (tmp_path / "dvc.lock").read_text() == text


def test_a_conflict_that_git_left_is_called_that_with_a_mend_that_is_none_of_our_commands_alone(tmp_path):
    (tmp_path / "dvc.lock").write_bytes(CONFLICT)
    for ask in (releases.withhold, outputs.read_outputs):
        (tmp_path / "dvc.yaml").write_text("stages: {}\n")
        with pytest.raises(
            ReleaseError, match=r"\(git left a merge conflict at line 1\).*; take one side whole.*git checkout --theirs dvc.lock"
        ):
            ask(tmp_path)


@pytest.mark.slow
def test_while_dvc_pushes_nothing_is_taken_out_from_under_it(tmp_path, monkeypatch):
    monkeypatch.setattr("dvc.lock.DEFAULT_TIMEOUT", 0.06)  # it asks six times
    (tmp_path / "dvc.lock").write_text(LOCK)
    (tmp_path / ".dvc/tmp").mkdir(parents=True)
    holder = "import sys, zc.lockfile; lock = zc.lockfile.LockFile(sys.argv[1]); print('held', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", holder, tmp_path / ".dvc/tmp/lock"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as dvc:
        assert dvc.stdout.readline() == "held\n"
        with pytest.raises(StageError, match="another command of DVC works in this project"):
            releases.withhold(tmp_path)
        dvc.stdin.close()
    assert (tmp_path / "dvc.lock").read_text() == LOCK
    assert releases.withhold(tmp_path)


def test_only_somebody_new_is_news():
    one = Memory("0" * 64, frozenset({"a"}), {"r": Gone("consent", frozenset({"x"}))})
    more_known = Memory(one.salt, one.participants, {"r": Gone("consent", frozenset({"x", "y"}))})
    two = Memory(one.salt, one.participants, {**one.recordings, "s": Gone("request", frozenset())})
    assert notice.is_news(one, Memory())
    assert notice.is_news(two, one)
    assert not notice.is_news(more_known, one)
    assert not notice.is_news(Memory(), one)


WRONG = Findings(errors=[error("params.yaml", "a-rule", "it is wrong", "mend it")])
STAYING_AT_NEWS = notice.staying_at_news
FULL = "data/private/this_clone.json: what another clone noted cannot be kept (No space left on device)"


@pytest.fixture
def refused_run(tmp_path, monkeypatch):
    """A project whose release has somebody who withdrew since, and of which nothing is run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dvc.lock").write_text(LOCK)
    (tmp_path / "params.yaml").write_text("raw: data/raw\n")
    (tmp_path / "data/raw").mkdir(parents=True)
    for name in ("recordings.csv", "withdrawn.csv"):
        (tmp_path / "data/raw" / name).touch()
    for signals in ("end_in_order", "end_at_once"):
        monkeypatch.setattr(repro.interrupts, signals, lambda: None)
    for step in ("die_with_parent", "require_letters"):
        monkeypatch.setattr(repro, step, lambda: None)
    monkeypatch.setattr(
        repro, "private_paths", SimpleNamespace(write_privately=list, make_caches=list, close=lambda **_: None, open_release=list)
    )
    monkeypatch.setattr(repro, "only_run", nullcontext)
    monkeypatch.setattr(preflight, "look", lambda **_: Findings())
    monkeypatch.setattr(notice, "staying_at_news", lambda raw: frozenset() if str(raw) == "data/raw" else None)
    return tmp_path


def raises(failure):
    def fail(*_, **__):
        raise failure

    return fail


def interrupted_twice(**_):
    """The second time while it is looked up who was listed meanwhile."""
    notice.staying_at_news = raises(KeyboardInterrupt())  # the fixture puts it back
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("where", "name", "fails", "code", "says"),
    [
        (preflight, "look", lambda **_: WRONG, 2, "nothing was started"),
        (other_clones, "keep_pulled", raises(ReleaseError(FULL)), 2, FULL),
        (release_folder, "keep_what_waits", raises(ReleaseError("no room")), 2, "no room"),
        (preflight, "look", interrupted_twice, repro.interrupts.INTERRUPTED, "interrupted"),
        (repro, "run_with_server", raises(KeyboardInterrupt()), repro.interrupts.INTERRUPTED, "interrupted"),
        (repro, "require_letters", raises(PlatformError("LANG=C")), 2, "LANG=C"),
    ],
    ids=["preflight", "pulled", "aside", "interrupted twice", "interrupted later", "letters"],
)
def test_a_run_that_is_refused_for_whatever_reason_lets_nobody_be_sent_who_waits_to_be_left_out(
    refused_run, monkeypatch, capsys, where, name, fails, code, says
):
    def fails_in_time(*_, **__):
        assert not releases.names_release(refused_run), "killed here, it would leave the release named"
        return fails()

    monkeypatch.setattr(where, name, fails_in_time)
    monkeypatch.setattr(repro.warm, "started", lambda: None)
    assert repro.main() == code
    said = capsys.readouterr().err
    assert says in said
    assert said.count(repro.NOT_NAMED) == 1
    assert not releases.names_release(refused_run)


def test_what_was_pulled_is_kept_before_anything_is_looked_at(refused_run, monkeypatch, capsys):
    done = []
    monkeypatch.setattr(other_clones, "keep_pulled", lambda: done.append("kept"))
    monkeypatch.setattr(preflight, "look", lambda **_: done.append("looked") or WRONG)
    assert repro.main() == 2
    assert done == ["kept", "looked"]
    assert "nothing was started" in capsys.readouterr().err


@pytest.mark.parametrize("is_listed_meanwhile", [False, True])
@pytest.mark.parametrize(
    ("where", "name", "fails", "code"),
    [
        (repro, "run_with_server", raises(KeyboardInterrupt()), repro.interrupts.INTERRUPTED),
        (repro, "run_with_server", lambda *_: 1, 1),
        (repro, "run_with_server", lambda *_: 0, 0),
        (preflight, "look", lambda **_: WRONG, 2),
    ],
    ids=["interrupted", "a stage failed", "ended well", "preflight"],
)
def test_a_run_leaves_the_release_named_unless_somebody_waits_or_is_listed_meanwhile(
    refused_run, monkeypatch, capsys, where, name, fails, code, is_listed_meanwhile
):
    answers = iter([None, frozenset() if is_listed_meanwhile else None])
    monkeypatch.setattr(notice, "staying_at_news", lambda _: next(answers))
    monkeypatch.setattr(where, name, fails)
    monkeypatch.setattr(repro.warm, "started", lambda: None)
    monkeypatch.setattr(params, "load", lambda *_: SimpleNamespace(store_gb=None))
    monkeypatch.setattr(repro, "_close", lambda *_: sys.stderr.write(f"closed, named: {releases.names_release()}"))
    before = (refused_run / "dvc.lock").read_bytes()
    assert repro.main() == code
    said = capsys.readouterr().err
    assert releases.names_release(refused_run) != is_listed_meanwhile
    assert is_listed_meanwhile or (refused_run / "dvc.lock").read_bytes() == before
    assert said.count(repro.NOT_NAMED) == is_listed_meanwhile
    assert said.count("data/raw/withdrawn.csv: it lists somebody whom no run has left out yet: data/release still") == is_listed_meanwhile
    assert said.count("only when 'release.version' in params.yaml is raised by a major step") == is_listed_meanwhile
    assert f"closed, named: {not is_listed_meanwhile}" in said or code != 0


def test_a_release_is_not_named_although_its_files_cannot_be_removed(refused_run, monkeypatch, capsys):
    monkeypatch.setattr(other_clones, "keep_pulled", raises(ReleaseError(FULL)))
    monkeypatch.setattr(repro.outputs, "forget_releases", raises(PermissionError("read-only")))
    assert repro.main() == 2
    assert FULL in capsys.readouterr().err
    assert not releases.names_release(refused_run)


@pytest.mark.parametrize("fails", [OSError("no such device"), TableError("it is damaged"), KeyError("x")], ids=repr)
def test_nor_is_it_where_nobody_can_tell_who_waits_and_why_is_told_but_then_no_file_goes(refused_run, monkeypatch, capsys, fails):
    monkeypatch.setattr(notice, "staying_at_news", raises(fails))
    monkeypatch.setattr(repro.outputs, "forget_releases", None)
    monkeypatch.setattr(other_clones, "keep_pulled", raises(ReleaseError(FULL)))
    assert repro.main() == 2
    said = capsys.readouterr().err
    assert FULL in said
    assert said.count(f"who waits to be left out cannot be told ({type(fails).__name__}: {fails})") == 1
    assert not releases.names_release(refused_run)


ROW = "P07,,2026-01-31,consent\n"
HEADER = "participant,recording,date,reason\n"
OF_STUDY = LOCK.replace("        release:\n          version", "        raw: data/raw\n        release:\n          version")


def study(folder, row=""):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "recordings.csv").write_text("recording,participant,site,path\npeg 7,P07,,videos/a.mkv\npeg 8,P08,,videos/b.mkv\n")
    (folder / "withdrawn.csv").write_text(HEADER + row)


@pytest.fixture
def listed_run(refused_run, monkeypatch):
    """The same, in which somebody is listed by hand and nobody was before; preflight refuses it."""
    monkeypatch.setattr(notice, "staying_at_news", STAYING_AT_NEWS)
    monkeypatch.setattr(preflight, "look", lambda **_: WRONG)
    (refused_run / "dvc.lock").write_text(OF_STUDY)
    (refused_run / "data/private").mkdir()
    (refused_run / "data/private/released.json").write_text(json.dumps({"recordings": {"peg 7": "id7", "peg 8": "id8"}}))
    study(refused_run / "data/raw", ROW)
    return refused_run


def calls_the_study(project, raw):
    (project / "params.yaml").write_text(f"raw: {raw}\n")


def linked(project, target):
    shutil.rmtree(project / "data/raw")
    (project / "data/raw").symlink_to(target)
    shutil.rmtree(project / "data/private")


def with_another_study(project, row=""):
    study(project / "data/other", row)
    calls_the_study(project, "data/other")


def with_a_bad_row_of_another_study(project):
    with_another_study(project, "Nobody,,2026-01-31,consent\n")


def without_its_disk(project):
    shutil.rmtree(project / "data/raw")
    calls_the_study(project, repro.DEMO)


def mistyped_without_the_disk(project):
    without_its_disk(project)
    calls_the_study(project, "data/rwa")


def linked_beside_another_study(project):
    with_another_study(project)
    linked(project, "/nowhere/raw")


def unmounted_after_an_earlier_withdrawal(project):
    withdrawal_memory.write(Memory().with_participants(["P01"]), project)
    for path in (project / "data/raw").iterdir():
        path.unlink()


P08_STAYS = [frozenset({"id8"})]
NOT_THERE = {
    "a typo": (lambda project: calls_the_study(project, "data/rwa"), P08_STAYS, ""),
    "a typo in parameters": (lambda project: (project / "params.yaml").write_text("raw: ["), P08_STAYS, "ParamsError"),
    "a link without its disk": (lambda project: linked(project, "/nowhere/raw"), [], "data/raw"),
    "a disk that is not mounted": (lambda project: shutil.rmtree(project / "data/raw"), [], "data/raw"),
    "an empty folder to mount it": (lambda project: [path.unlink() for path in (project / "data/raw").iterdir()], [], "data/raw"),
    "another study": (with_another_study, P08_STAYS, ""),
    "another one where nobody can tell who is meant": (with_a_bad_row_of_another_study, P08_STAYS, "ManifestError"),
    "the synthetic study": (lambda project: calls_the_study(project, repro.DEMO), P08_STAYS, ""),
    "the synthetic study, without the disk of the other": (without_its_disk, [], "data/raw"),
    "a typo, without the disk": (mistyped_without_the_disk, [], "data/rwa"),
    "another study, beside a link without its disk": (linked_beside_another_study, [], "data/raw"),
    "an empty folder to mount it, after an earlier withdrawal": (unmounted_after_an_earlier_withdrawal, [], "data/raw"),
}


@pytest.mark.parametrize(("change", "forgotten", "unknown"), NOT_THERE.values(), ids=NOT_THERE)
def test_where_the_study_is_not_there_or_another_one_nobody_is_sent_whom_that_of_the_release_lists(
    listed_run, monkeypatch, capsys, change, forgotten, unknown
):
    change(listed_run)
    done = []
    monkeypatch.setattr(repro.outputs, "forget_releases", lambda _, staying, *__: done.append(staying))
    monkeypatch.setattr(copies, "committed_release", lambda *_: NAMED)
    assert repro.main() == 2
    assert not releases.names_release(listed_run)
    assert done[:1] == forgotten
    said = capsys.readouterr().err
    assert (f"who waits to be left out cannot be told ({unknown}" in said) == bool(unknown)
    assert ("data/raw/withdrawn.csv: it lists somebody whom no run has left out yet" in said) == bool(forgotten)
    assert ("if data/raw is gone for good, and nobody withdrew since that release, 'git checkout" in said) == (not forgotten)


def may_not_be_entered(monkeypatch):
    exists = Path.exists
    monkeypatch.setattr(
        Path, "exists", lambda path: raises(PermissionError(13, "denied"))() if path.is_relative_to("/home") else exists(path)
    )


def has_other_letters(monkeypatch):
    monkeypatch.setattr(repro, "require_letters", raises(PlatformError("LANG=C")))


@pytest.mark.parametrize(
    ("of_release", "fails", "why"),
    [("/home/anna/raw", may_not_be_entered, "PermissionError"), ("data/gr\u00f6\u00dfe", has_other_letters, "PlatformError: LANG=C")],
    ids=["the home of another", "letters"],
)
def test_who_waits_in_ones_own_study_goes_also_where_that_of_the_release_cannot_be_asked(
    listed_run, monkeypatch, capsys, of_release, fails, why
):
    lock = OF_STUDY + "  withdrawals: {cmd: a, params: {params.yaml: {raw: data/raw}}}\n"
    (listed_run / "dvc.lock").write_text(lock.replace("data/raw", of_release), encoding="utf-8")
    fails(monkeypatch)
    done = []
    monkeypatch.setattr(repro.outputs, "forget_releases", lambda _, staying, *__: done.append(staying))
    assert repro.main() == 2
    assert not releases.names_release(listed_run)
    assert done[:1] == P08_STAYS
    said = capsys.readouterr().err
    assert f"who waits to be left out cannot be told ({why}" in said
    assert "git checkout" not in said, "who waits could be sent by it"


@pytest.mark.parametrize(("name", "text"), [("withdrawn.csv", f"{HEADER}P0"), ("recordings.csv", "recording,par")])
def test_where_a_list_is_being_written_when_a_run_ends_well_its_release_is_withheld_and_no_file_of_it_goes(
    listed_run, monkeypatch, capsys, name, text
):
    study(listed_run / "data/raw")
    if name == "recordings.csv":
        withdrawal_memory.write(Memory().with_participants(["P01"]), listed_run)
    monkeypatch.setattr(preflight, "look", lambda **_: Findings())
    monkeypatch.setattr(repro.warm, "started", lambda: None)
    monkeypatch.setattr(params, "load", lambda *_: SimpleNamespace(store_gb=None))
    monkeypatch.setattr(repro, "run_with_server", lambda *_: (listed_run / "data/raw" / name).write_text(text) and 0)
    monkeypatch.setattr(repro.outputs, "forget_releases", None)
    assert repro.main() == 0
    said = capsys.readouterr().err
    assert not releases.names_release(listed_run)
    assert said.count("who waits to be left out cannot be told (ManifestError") == said.count(repro.NOT_NAMED) == 1
    assert "it lists somebody" not in said
    assert "git checkout" not in said, "the row may be of somebody who is in it"


def moved(project):
    """All of it but the folder; somebody withdrew earlier, so that what is here alone could not be read as a study."""
    (project / "data/moved").mkdir()
    for path in (project / "data/raw").iterdir():
        path.rename(project / "data/moved" / path.name)
    (project / "data/moved/withdrawn.csv").write_text(HEADER + ROW)
    withdrawal_memory.write(notice.take(project / "data/moved", project), project)
    calls_the_study(project, "data/moved")


def pulled(project):
    shutil.rmtree(project / "data/raw")
    shutil.rmtree(project / "data/private")


def begun(project):
    """The first study of one's own, which is not made yet, after runs of the synthetic one."""
    (project / "dvc.lock").write_text(
        OF_STUDY.replace("data/raw", "data/demo") + "  withdrawals: {cmd: a, params: {params.yaml: {raw: data/demo}}}\n"
    )
    shutil.rmtree(project / "data/raw")


def with_nobody_listed(project):
    study(project / "data/raw")
    with_another_study(project)


def mistyped(project):
    study(project / "data/raw")
    calls_the_study(project, "data/rwa")


@pytest.mark.parametrize("change", [moved, pulled, begun, with_nobody_listed, mistyped])
def test_a_study_that_was_moved_or_changed_and_a_clone_that_never_had_one_are_left_as_they_are(listed_run, monkeypatch, capsys, change):
    change(listed_run)
    before = (listed_run / "dvc.lock").read_bytes()
    monkeypatch.setattr(repro.outputs, "forget_releases", None)
    assert repro.main() == 2
    assert (listed_run / "dvc.lock").read_bytes() == before
    assert "cannot be told" not in capsys.readouterr().err


def remembered(project):
    """Somebody withdrew earlier, and no row tells it any more; P08 has another id, and a name that stands in every release."""
    study(project / "data/raw")
    (project / "data/raw/recordings.csv").write_text("recording,participant,site,path\npeg 8,P08,,videos/b.mkv\n")
    withdrawal_memory.write(Memory().with_recording("videos", "consent", {"id": ["id7"]}, []), project)


NAMED, OTHER = "fedcba9876543210fedcba9876543210.dir", "0123456789abcdef0123456789abcdef.dir"


def lists(folder, *ids, of=NAMED, tables="a0"):
    """A cache of DVC in which there are the release that the lock names, or another one, and its files."""
    files = {name: tables + "0" * 30 for name in ("SHA256SUMS", "certificate.json", "tables/videos.parquet")}
    files |= {f"videos/{id_}.mkv": f"a{id_[-1]}" + "0" * 30 for id_ in ids}
    for md5 in (*files.values(), of):
        path = folder / "files/md5" / md5[:2] / md5[2:]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps([{"relpath": name, "md5": of} for name, of in files.items()]))


def lies_there(project, *ids):
    (project / "data/release/videos").mkdir(parents=True)
    for id_ in ids:
        (project / f"data/release/videos/{id_}.mkv").touch()


def counts(project, size, number):
    lock = project / "dvc.lock"
    lock.write_text(lock.read_text().replace(NAMED, f"{NAMED}\n      size: {size}\n      nfiles: {number}"))


def listed_elsewhere(project):
    (project / ".dvc").mkdir()
    (project / ".dvc/config").write_text(f"[cache]\n    dir = {project / 'shared'}\n")
    lists(project / "shared", "id7", "id8")


def tampered(project, text="["):
    lists(project / ".dvc/cache", "id7", "id8")
    (project / ".dvc/cache/files/md5/fe/dcba9876543210fedcba9876543210.dir").write_text(text)
    lies_there(project, "id7", "id8")


BROUGHT_BACK = {
    "pulled": lambda project: lists(project / ".dvc/cache", "id7", "id8"),
    "pulled into a cache elsewhere": listed_elsewhere,
    "in its place alone": lambda project: lies_there(project, "id7", "id8"),
    "in its place, of as many files and bytes": lambda project: (lies_there(project, "id7", "id8"), counts(project, 0, 2)),
    "in its place, beside what a system left there": lambda project: (
        lies_there(project, "id7", "id8"),
        (project / "data/release/.DS_Store").write_text("x"),
        counts(project, 0, 2),
    ),
    "in its place, and a list that cannot be read": tampered,
    "in its place, and a list of numbers": lambda project: tampered(project, '[{"relpath": 7, "md5": "x"}]'),
}


@pytest.mark.parametrize("when", ["before", "meanwhile", "meanwhile, and interrupted"])
@pytest.mark.parametrize("bring", BROUGHT_BACK.values(), ids=BROUGHT_BACK)
def test_a_release_that_git_or_a_pull_brings_back_sends_nobody_who_withdrew_earlier(listed_run, monkeypatch, capsys, bring, when):
    """No run sees anything new: they are remembered, and left out of what it would release."""
    remembered(listed_run)

    def bring_late(**_):
        bring(listed_run)
        if when == "meanwhile":
            return WRONG
        raise KeyboardInterrupt

    if when == "before":
        bring(listed_run)
    else:
        monkeypatch.setattr(preflight, "look", bring_late)
    assert repro.main() in {2, repro.interrupts.INTERRUPTED}
    said = capsys.readouterr().err
    assert not releases.names_release(listed_run)
    assert said.count(repro.BACK) == said.count(repro.NOT_NAMED) == 1
    assert "it lists somebody" not in said
    assert "git checkout" not in said, "they could be sent by it"
    kept = {path.parent.name for path in (listed_run / ".dvc").glob("cache/files/md5/??/*") if path.parent.name != "fe"}
    is_damaged = any((listed_run / ".dvc").glob("cache/files/md5/fe/*"))
    assert kept <= {"a8"} or is_damaged, "those of P08 alone may be needed"


@pytest.mark.parametrize("run", [repro.main, stage_withdrawals.main.fn], ids=["make repro", "dvc repro"])
def test_releases_that_were_made_without_them_are_left_in_the_cache(listed_run, run):
    """Git has brought back an older lock for a moment: the newest release is the work of a whole run."""
    remembered(listed_run)
    lists(listed_run / ".dvc/cache", "id7", "id8")
    lists(listed_run / ".dvc/cache", "id8", of=OTHER, tables="b0")
    run()
    assert {path.parent.name for path in listed_run.glob(".dvc/cache/files/md5/??/*")} == {"01", "a8", "b0"}


@pytest.mark.parametrize("run", [repro.main, stage_withdrawals.main.fn], ids=["make repro", "dvc repro"])
def test_of_a_cache_elsewhere_it_is_said_that_it_still_holds_them(listed_run, monkeypatch, capsys, run):
    remembered(listed_run)
    listed_elsewhere(listed_run)
    monkeypatch.setattr(stage_withdrawals.plumbing, "LOG", SimpleNamespace(warning=sys.stderr.write, info=lambda *_: None))
    run()
    assert not releases.names_release()
    assert capsys.readouterr().err.count(f"DVC's cache is in {listed_run / 'shared'}: until 'dvc gc' there, an older dvc.lock") == 1


def committed(project, *changes):
    """Git's last commit has the lock; afterwards it changes."""
    for command in (["init", "-q"], ["add", "dvc.lock"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"]):
        subprocess.run(["git", *command], cwd=project, check=True)
    lock = project / "dvc.lock"
    for before, after in changes:
        lock.write_text(lock.read_text().replace(before, after))


@pytest.mark.parametrize("changes", [[], [(NAMED, OTHER)]], ids=["the same", "an older one"])
def test_only_where_git_has_the_same_release_it_is_said_how_it_is_named_again(listed_run, capsys, changes):
    """An older one may hold somebody who withdrew since."""
    shutil.rmtree(listed_run / "data/raw")
    committed(listed_run, *changes)
    assert repro.main() == 2
    said = capsys.readouterr().err
    assert not releases.names_release()
    assert ("names it again" in said) == (not changes)


@pytest.mark.parametrize("ids_of_committed", [("id8",), ("id7", "id8"), ()], ids=["without them", "with them", "not listed"])
def test_the_way_back_is_told_where_gits_last_commit_names_a_release_without_them(listed_run, capsys, ids_of_committed):
    remembered(listed_run)
    committed(listed_run, (NAMED, OTHER))
    lists(listed_run / ".dvc/cache", "id7", "id8", of=OTHER)
    if ids_of_committed:
        lists(listed_run / ".dvc/cache", *ids_of_committed, tables="b0")
    assert repro.main() == 2
    assert not releases.names_release()
    assert ("git checkout" in capsys.readouterr().err) == (ids_of_committed == ("id8",))


def test_who_was_in_an_older_release_alone_is_known_by_the_id_that_was_given(listed_run):
    """The recording was removed, released without, listed again, and withdrew; the last run was of the synthetic study."""
    stage_pseudonymize.write_ledger(listed_run / "data/private/ids.csv", "f" * 16, {"peg 7": "id7", "peg 8": "id8"})
    (listed_run / "data/private/released.json").write_text(json.dumps({"recordings": {"demo": "demo1"}}))
    lists(listed_run / ".dvc/cache", "id7", "id8")
    withdrawal_memory.write(notice.take(Path("data/raw")))
    assert repro.main() == 2
    assert not releases.names_release()
    assert {path.parent.name for path in listed_run.glob(".dvc/cache/files/md5/??/*")} == {"a8"}, "P08 stays"


def test_nor_does_a_bare_dvc_repro_leave_it_named(listed_run):
    remembered(listed_run)
    lists(listed_run / ".dvc/cache", "id7", "id8")
    stage_withdrawals.main.fn()
    assert not releases.names_release()
    assert not Path(".dvc/cache/files/md5/a7").joinpath("0" * 30).exists()


CLEAN = {
    "of the others alone": lambda project: lists(project / ".dvc/cache", "id8"),
    "beside one in its place that held them": lambda project: (lists(project / ".dvc/cache", "id8"), lies_there(project, "id7", "id8")),
    "whose list is not here, beside an older one in its place": lambda project: (
        lies_there(project, "id7", "id8"),
        counts(project, 0, 3),
    ),
    "the same, of as many files": lambda project: (lies_there(project, "id7", "id8"), counts(project, 7, 2)),
    "of which nothing is here": lambda project: None,
    "after it was taken back": lambda project: (
        lists(project / ".dvc/cache", "id7", "id8"),
        withdrawal_memory.write(withdrawal_memory.load(project).without([], ["videos"]), project),
    ),
}


@pytest.mark.parametrize("bring", CLEAN.values(), ids=CLEAN)
def test_a_release_without_those_who_withdrew_stays_named_whatever_else_they_are_called(listed_run, monkeypatch, capsys, bring):
    """A recording of theirs is called as a folder of every release."""
    remembered(listed_run)
    bring(listed_run)
    before = (listed_run / "dvc.lock").read_bytes()
    monkeypatch.setattr(repro.outputs, "forget_releases", None)
    assert repro.main() == 2
    assert (listed_run / "dvc.lock").read_bytes() == before
    assert "dvc.lock" not in capsys.readouterr().err


CONFLICT = f"<<<<<<< HEAD\n{OF_STUDY}=======\n{LOCK}>>>>>>> theirs\n".encode()
UNREADABLE = {"a conflict": CONFLICT, "torn": b"stages: {release: [", "no stages": b"stages: 7\n", "no text": b"\xff\xfe\x00"}


@pytest.mark.parametrize("lock", UNREADABLE.values(), ids=UNREADABLE)
def test_a_lock_that_cannot_be_read_and_is_put_back_names_nothing_that_the_cache_holds_of_who_waits(listed_run, lock):
    cache, films = listed_run / ".dvc/cache/files/md5", {"id7": "a7" + "0" * 30, "id8": "a8" + "0" * 30}
    files = {name: "a0" + "0" * 30 for name in ("SHA256SUMS", "certificate.json", "tables/videos.parquet")}
    files |= {f"videos/{id_}.mkv": md5 for id_, md5 in films.items()}
    for md5 in (*files.values(), "ab" + "0" * 30 + ".dir"):
        (cache / md5[:2]).mkdir(parents=True, exist_ok=True)
        (cache / md5[:2] / md5[2:]).write_text(json.dumps([{"relpath": name, "md5": of} for name, of in files.items()]))
    (listed_run / "dvc.yaml").write_text("stages: {}\n")
    (listed_run / "dvc.lock").write_bytes(lock)
    assert repro.main() == 2
    assert [path.parent.name for path in cache.glob("*/*")] == ["a8"]
    assert (listed_run / "dvc.lock").read_bytes() == lock


def test_that_a_lock_has_a_conflict_is_said_once(listed_run, monkeypatch, capsys):
    monkeypatch.setattr(preflight, "look", lambda **_: Findings())
    (listed_run / "dvc.lock").write_bytes(CONFLICT)
    assert repro.main() == 2
    assert capsys.readouterr().err.count("dvc.lock: it cannot be read") == 1


@pytest.mark.parametrize("typo", ["raw: [", f"raw: {'a' * 300}"])
@pytest.mark.parametrize(
    ("of_last_run", "forgets"),
    [("data/raw", True), ("data", False), ("data/gone", False), ("[]", False)],
)
def test_where_parameters_do_not_name_the_study_nobody_is_sent_and_files_of_those_go_whom_that_of_the_last_run_lists(
    refused_run, monkeypatch, typo, of_last_run, forgets
):
    (refused_run / "params.yaml").write_text(typo)
    (refused_run / "dvc.lock").write_text(LOCK + f"  withdrawals:\n    cmd: a\n    params: {{params.yaml: {{raw: {of_last_run}}}}}\n")
    forgotten = []
    monkeypatch.setattr(repro.outputs, "forget_releases", lambda *of: forgotten.append(of))
    monkeypatch.setattr(other_clones, "keep_pulled", raises(ReleaseError(FULL)))
    assert repro.main() == 2
    assert not releases.names_release(refused_run)
    assert bool(forgotten) == forgets


def test_the_synthetic_study_has_nobody_who_waits_where_it_is_to_be_made_anew(refused_run, monkeypatch):
    (refused_run / "params.yaml").write_text(f"raw: {repro.DEMO}\n")
    monkeypatch.setattr(notice, "staying_at_news", lambda _: frozenset())
    monkeypatch.setattr(other_clones, "keep_pulled", raises(ReleaseError(FULL)))
    assert repro.main() == 2
    assert releases.names_release(refused_run)


@pytest.mark.parametrize(
    ("parameters", "of_release", "rows"),
    [
        ("raw: data/raw\n", LOCK, "the rows of data/raw/withdrawn.csv and"),
        ("raw: [", LOCK, "the rows of withdrawn.csv of the raw study and"),
        ("raw: data/b\n", OF_STUDY, "the rows of data/raw/withdrawn.csv and"),
        (f"raw: {repro.DEMO}\n", OF_STUDY, "the rows of data/raw/withdrawn.csv and"),
    ],
    ids=["of a known study", "after a typo", "beside another study", "beside the synthetic study"],
)
def test_a_lock_of_another_clone_is_told_before_its_release_is_named_no_more(
    refused_run, monkeypatch, capsys, parameters, of_release, rows
):
    """It is the only sign that somebody withdrew there."""
    monkeypatch.setattr(preflight, "look", lambda **_: WRONG)
    (refused_run / "params.yaml").write_text(parameters)
    (refused_run / "dvc.yaml").write_text("stages: {}\n")
    memory = "    outs: [{path: data/private/withdrawn.json, md5: 0123456789abcdef0123456789abcdef}]\n"
    (refused_run / "dvc.lock").write_text(of_release + "  withdrawals:\n    cmd: a\n" + memory)
    for other in (repro.DEMO, "data/b"):
        study(refused_run / other)
    told = "dvc.lock: it is of another clone or another commit, which has data/private/withdrawn.json, which is missing here"
    (refused_run / ".dvc").mkdir()
    (refused_run / ".dvc/config").write_text("['remote \"ours\"']\n    url = /somewhere\n")
    repro.main()
    said = capsys.readouterr().err
    assert said.count(told) == 1
    assert (
        f"bring {rows} data/private/withdrawn.json from there, or its release, which dvc.lock names no more: dvc get . data/release" in said
    )
    assert "--rev COMMIT --out data/release, from the COMMIT that brought it" in said, (
        "after a merge HEAD has another one until it is committed"
    )
    assert "dvc pull" not in said, "it brings nothing that the lock does not name"


def test_a_study_that_cannot_be_read_for_its_letters_is_told_as_the_reason(refused_run, monkeypatch, capsys):
    (refused_run / "params.yaml").write_text("raw: data/gr\u00f6\u00dfe\n", encoding="utf-8")
    monkeypatch.setattr(repro, "require_letters", raises(PlatformError("LANG=C")))
    monkeypatch.setattr(repro.outputs, "forget_releases", None)
    assert repro.main() == 2
    assert "who waits to be left out cannot be told (PlatformError: LANG=C)" in capsys.readouterr().err
    assert not releases.names_release(refused_run)


def test_an_unfinished_lock_is_no_fault_where_a_run_begins(refused_run, monkeypatch, capsys):
    def torn(**_):
        assert not capsys.readouterr().err
        return WRONG

    (refused_run / "dvc.lock").write_text("stages: {release: [")
    monkeypatch.setattr(preflight, "look", torn)
    assert repro.main() == 2
    assert "nothing was started" in capsys.readouterr().err


def test_why_a_run_was_refused_is_told_also_where_nothing_can_be_withheld(refused_run, monkeypatch, capsys):
    monkeypatch.setattr(other_clones, "keep_pulled", raises(ReleaseError(FULL)))
    monkeypatch.setattr(releases, "withhold", raises(StageError("another command of DVC works in this project")))
    assert repro.main() == 2
    said = capsys.readouterr().err
    assert FULL in said
    assert "another command of DVC works in this project" in said


NUMBERS = st.tuples(*[st.integers(0, 30)] * 3)


def test_recordings_are_counted_by_version_and_reason_in_the_order_of_versions():
    first = releases.tombstones([], {"a": "request", "b": "consent", "c": "consent"}, "2.0.0")
    assert first == [{"version": "2.0.0", "recordings": 2, "reason": "consent"}, {"version": "2.0.0", "recordings": 1, "reason": "request"}]
    later = releases.tombstones(first, {"d": "legal"}, "10.0.0")
    assert later == [*first, {"version": "10.0.0", "recordings": 1, "reason": "legal"}]
    assert releases.tombstones(later, {}, "10.0.1") == later


def test_only_what_was_released_leaves_a_tombstone():
    withdrawn = Memory().with_recording("a", "consent", {}, []).with_recording("never released", "consent", {}, [])
    assert releases.gone(["a", "lost otherwise"], withdrawn) == {"a": "consent"}


@given(NUMBERS, NUMBERS)
def test_a_release_without_somebody_is_a_major_step_above_the_last(last, now):
    numbers = [".".join(map(str, one)) for one in (last, now)]
    if now[0] > last[0]:
        releases.refuse_number(*numbers, {"a": "consent"})
    else:
        with pytest.raises(ReleaseError, match=rf"1 recording, .*set release.version in params.yaml to {last[0] + 1}\.0\.0, it is"):
            releases.refuse_number(*numbers, {"a": "consent"})
    releases.refuse_number(*numbers, {})


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_raising_the_number_leaves_everything_else_in_params_yaml_as_it_was(end):
    text = end.join(
        ["other:", "  version: 1.0.0", "release: # what", "  name: a", "  # the number", "  version: 1.2.3 # ours", "  x: 1", "z: {}", ""]
    )
    raised = with_raised_version(text, "2.0.0")
    assert raised == text.replace("1.2.3", "2.0.0")
    assert yaml.safe_load(raised)["release"]["version"] == "2.0.0"


@pytest.mark.parametrize("text", ["", "release: {version: 1.0.0}\n", "release:\n  name: a\nother:\n  version: 1.0.0\n"])
def test_a_number_that_is_not_where_it_should_be_is_left_to_the_curator(text):
    with pytest.raises(ParamsError, match=r"'release.version' was not found; set it to 2\.0\.0 by hand"):
        with_raised_version(text, "2.0.0")
