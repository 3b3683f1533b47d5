"""The entry of the release goes out of DVC's lock file, whole or not at all; the next release says how many recordings went, and why."""

from __future__ import annotations

import subprocess
import sys
from contextlib import nullcontext
from types import SimpleNamespace

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import repro
from scrubin.audit.expected.withdrawal_memory import Gone, Memory
from scrubin.base.errors import ParamsError, PlatformError, ReleaseError, StageError, TableError
from scrubin.base.faults import error
from scrubin.curate.lists.withdrawal import with_raised_version
from scrubin.curate.preflight import Findings, preflight
from scrubin.stages.release import other_clones, release_folder
from scrubin.stages.withdrawals import notice, releases
from server import ServerError

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
FULL = "data/private/this_clone.json: what another clone noted cannot be kept (No space left on device)"


@pytest.fixture
def refused_run(tmp_path, monkeypatch):
    """A project whose release has somebody who withdrew since, and of which nothing is run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dvc.lock").write_text(LOCK)
    (tmp_path / "params.yaml").write_text("raw: data/raw\n")
    (tmp_path / "data/raw").mkdir(parents=True)
    for signals in ("end_in_order", "end_at_once"):
        monkeypatch.setattr(repro.interrupts, signals, lambda: None)
    for step in ("die_with_parent", "require_letters"):
        monkeypatch.setattr(repro, step, lambda: None)
    monkeypatch.setattr(
        repro, "private_paths", SimpleNamespace(write_privately=list, make_caches=list, close=lambda **_: None, open_release=list)
    )
    monkeypatch.setattr(repro, "only_run", nullcontext)
    monkeypatch.setattr(preflight, "look", lambda **_: Findings())
    monkeypatch.setattr(notice, "waits", lambda raw: str(raw) == "data/raw")
    monkeypatch.setattr(notice, "staying_by", lambda _: frozenset())
    return tmp_path


def raises(failure):
    def fail(*_, **__):
        raise failure

    return fail


def interrupted_twice(**_):
    """The second time while it is looked up who was listed meanwhile."""
    notice.waits = raises(KeyboardInterrupt())  # the fixture puts it back
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("where", "name", "fails", "code", "says"),
    [
        (preflight, "look", lambda **_: WRONG, 2, "nothing was started"),
        (other_clones, "keep_pulled", raises(ReleaseError(FULL)), 2, FULL),
        (release_folder, "keep_what_waits", raises(ReleaseError("no room")), 2, "no room"),
        (repro, "run_with_server", raises(ServerError("the server did not start")), 1, "the server did not start"),
        (preflight, "look", interrupted_twice, repro.interrupts.INTERRUPTED, "interrupted"),
        (repro, "run_with_server", raises(KeyboardInterrupt()), repro.interrupts.INTERRUPTED, "interrupted"),
        (repro, "require_letters", raises(PlatformError("LANG=C")), 2, "LANG=C"),
    ],
    ids=["preflight", "pulled", "aside", "server", "interrupted twice", "interrupted later", "letters"],
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
        (preflight, "look", lambda **_: WRONG, 2),
    ],
    ids=["interrupted", "a stage failed", "preflight"],
)
def test_a_run_leaves_the_release_named_unless_somebody_waits_or_is_listed_meanwhile(
    refused_run, monkeypatch, capsys, where, name, fails, code, is_listed_meanwhile
):
    answers = iter([False, is_listed_meanwhile])
    monkeypatch.setattr(notice, "waits", lambda _: next(answers))
    monkeypatch.setattr(where, name, fails)
    monkeypatch.setattr(repro.warm, "started", lambda: None)
    assert repro.main() == code
    assert releases.names_release(refused_run) != is_listed_meanwhile
    assert capsys.readouterr().err.count(repro.NOT_NAMED) == is_listed_meanwhile


def test_a_release_is_not_named_although_its_files_cannot_be_removed(refused_run, monkeypatch, capsys):
    monkeypatch.setattr(other_clones, "keep_pulled", raises(ReleaseError(FULL)))
    monkeypatch.setattr(repro.outputs, "forget_releases", raises(PermissionError("read-only")))
    assert repro.main() == 2
    assert FULL in capsys.readouterr().err
    assert not releases.names_release(refused_run)


@pytest.mark.parametrize("fails", [OSError("no such device"), TableError("it is damaged"), KeyError("x")], ids=repr)
def test_nor_is_it_where_nobody_can_tell_who_waits_and_why_is_told_but_then_no_file_goes(refused_run, monkeypatch, capsys, fails):
    monkeypatch.setattr(notice, "waits", raises(fails))
    monkeypatch.setattr(repro.outputs, "forget_releases", None)
    monkeypatch.setattr(other_clones, "keep_pulled", raises(ReleaseError(FULL)))
    assert repro.main() == 2
    said = capsys.readouterr().err
    assert FULL in said
    assert said.count(f"who waits to be left out cannot be told ({type(fails).__name__}: {fails})") == 1
    assert not releases.names_release(refused_run)


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
    monkeypatch.setattr(notice, "waits", lambda _: True)
    monkeypatch.setattr(other_clones, "keep_pulled", raises(ReleaseError(FULL)))
    assert repro.main() == 2
    assert releases.names_release(refused_run)


@pytest.mark.parametrize(
    ("parameters", "rows"),
    [("raw: data/raw\n", "the rows of data/raw/withdrawn.csv and"), ("raw: [", "the rows of withdrawn.csv of the raw study and")],
    ids=["of a known study", "after a typo"],
)
def test_a_lock_of_another_clone_is_told_before_its_release_is_named_no_more(refused_run, capsys, parameters, rows):
    """It is the only sign that somebody withdrew there."""
    (refused_run / "params.yaml").write_text(parameters)
    (refused_run / "dvc.yaml").write_text("stages: {}\n")
    memory = "    outs: [{path: data/private/withdrawn.json, md5: 0123456789abcdef0123456789abcdef}]\n"
    (refused_run / "dvc.lock").write_text(LOCK + "  withdrawals:\n    cmd: a\n" + memory)
    told = "dvc.lock: it is of another clone or another commit, which has data/private/withdrawn.json, which is missing here"
    repro.main()
    said = capsys.readouterr().err
    assert said.count(told) == 1
    assert f"bring {rows} data/private/withdrawn.json from there" in said


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
