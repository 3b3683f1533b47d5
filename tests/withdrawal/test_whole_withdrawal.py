"""One participant leaves a small whole study: no byte of it tells of them any more, and nobody else's files, ids and subsets change."""

from __future__ import annotations

import hashlib
import json
import shutil

import pandas as pd
import pyarrow.parquet as pq
import pytest
import yaml

import made_once
import small_study
from scrubin import cli
from scrubin.audit.run import audit
from scrubin.base.errors import ReleaseError
from scrubin.base.store import uses
from scrubin.base.store.store import STORE_PATH
from scrubin.data.diff.comparison import compare
from scrubin.stages.release import audited_project as audited
from scrubin.stages.review import Ledger

pytestmark = pytest.mark.slow
GONE, PERSON = ("peg_02", "peg_03"), "P02"
SEARCHED = ("data/release", "data/tables", "data/interim", "data/private", "reports", ".cache", ".dvc")


def table(folder, name):
    return pd.read_parquet(folder / name)


def files(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def traces(before) -> dict[str, bytes]:
    """All that named them: names, ids, and the hashes of raw files, videos and frames that nobody else has."""
    recordings, linkage = table(before, "data/interim/recordings.parquet"), table(before, "data/private/linkage.parquet")
    ids = sorted(linkage.id[linkage.recording.isin(GONE)])
    mine = {*GONE, *ids, *recordings.sha256[recordings.recording.isin(GONE)]}
    released = files(before / "data/release")
    theirs = {name for name in released if any(id_ in name for id_ in ids)}
    others = {released[name] for name in released if name not in theirs}
    for name in theirs:
        if released[name] not in others:
            mine |= {hashlib.sha256(released[name]).hexdigest(), hashlib.md5(released[name], usedforsecurity=False).hexdigest()}
    assert len(ids) == 2
    assert len(mine) > 10
    return {text: text.encode() for text in mine}


def left_of(folder, needles) -> set[tuple[str, str]]:
    """Where a trace stands in any byte, name, object of DVC (whose MD5 is its name) or column of a table."""
    found = set()
    for place in SEARCHED:
        for path in (folder / place).rglob("*"):
            name = path.relative_to(folder).as_posix()
            data = name.encode() + b" " + name.replace("/", "").encode()
            if path.is_file():
                data += path.read_bytes()
            if path.suffix == ".parquet" and path.is_file():
                data += json.dumps(pq.read_table(path).to_pylist(), default=str, ensure_ascii=False).encode()
            found |= {(name, text) for text, needle in needles.items() if needle in data}
    return found


@pytest.fixture(scope="module")
def before(tmp_path_factory):
    return small_study.recorded(tmp_path_factory)


def study(before, tmp_path):
    made_once.copy(before, tmp_path / "project")
    return tmp_path / "project"


def run_again(folder):
    """Run all stages as DVC does: each notes which results of the store it uses, and DVC takes the outputs."""
    for stage in yaml.safe_load((folder / "dvc.yaml").read_text())["stages"]:
        if stage != "demo":
            with uses.of_stage(stage, STORE_PATH):
                small_study.regenerate(folder, [stage])
    small_study.commit(folder)


@pytest.fixture(scope="module")
def without(before, tmp_path_factory):
    """The study after somebody withdrew, and all stages have run again."""
    folder = study(before, tmp_path_factory.mktemp("without"))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert cli.main(["withdraw", "--participant", PERSON, "--reason", "consent"]) == 0
        # The curator deletes the raw files and their rows at once; sheets and labels may still name them.
        manifest = folder / "data/raw/recordings.csv"
        manifest.write_text("".join(line for line in manifest.read_text().splitlines(keepends=True) if f",{PERSON}," not in line))
        (folder / "data/raw/videos/peg_02_left.mkv").unlink()
        run_again(folder)
    return folder


def test_every_trace_of_a_participant_goes_and_nobody_else_changes(before, without, tmp_path, monkeypatch, capsys):
    folder, needles = study(without, tmp_path), traces(before)
    monkeypatch.chdir(folder)
    was = files(before / "data/release")
    splits, ids = table(before, "data/tables/splits.parquet"), table(before, "data/private/linkage.parquet").set_index("recording").id
    assert left_of(before, needles)
    assert cli.main(["store", "--prune"]) == 0
    assert "of earlier versions, because somebody withdrew" in capsys.readouterr().out

    assert left_of(folder, needles) == set()
    now, now_splits = files(folder / "data/release"), table(folder, "data/tables/splits.parquet")
    theirs = [name for name in was if any(id_ in name for id_ in ids[list(GONE)])]
    media = [name for name in was if name.startswith(("videos/", "frames/")) and name not in theirs]
    assert len(media) > 50
    assert all(now[name] == was[name] for name in media)
    different = compare(before / "data/release", folder / "data/release")
    assert not {"videos", "frames", "labels", "splits", "schema"} & set(different.counts)
    assert (different.step.word, different.verdict.fits) == ("major", True)
    now_ids = table(folder, "data/private/linkage.parquet").set_index("recording").id
    assert now_ids.to_dict() == ids.drop(list(GONE)).to_dict()
    kept = splits[~splits.id.isin(ids[list(GONE)])]
    both = kept.merge(now_splits, on=["scheme", "fold", "id"], suffixes=("", "_now"))
    assert (both.subset == both.subset_now).all()
    assert set(now_splits.id) == set(kept.id)
    ratings = [pd.read_parquet(of / "data/tables/ratings.parquet") for of in (before, folder)]
    left = ratings[0][~ratings[0].id.isin(ids[list(GONE)])].reset_index(drop=True)
    pd.testing.assert_frame_equal(left, ratings[1])
    tombstone = {"withdrawn": [{"version": "2.0.0", "recordings": 2, "reason": "consent"}]}
    assert json.loads(now["metadata/withdrawn.json"]) == tombstone
    assert "withdrawn: 2" in (folder / "data/release/metadata/dataset_card.md").read_text()
    assert cli.main(["review", "--verify"]) == 0
    assert "lines were taken out, because somebody withdrew" in capsys.readouterr().out

    # A second run changes nothing, and the tombstone stays.
    small_study.regenerate(folder, ["withdrawals", "release"])
    assert files(folder / "data/release") == now

    # The audit proves it: what comes back by another way is found.
    private = audited.load()
    assert audit(folder / "data/release", private.private, private.plan).findings == []
    path = next(name for name in theirs if name.startswith("frames/"))
    (folder / "data/release/notes.md").write_text(f"as in {ids[GONE[0]]}\n")
    (folder / "data/release/one.jpg").write_bytes(was[path])
    found = {(finding.file, finding.rule) for finding in audit(folder / "data/release", private.private, private.plan).findings}
    assert {("notes.md", "private-string"), ("one.jpg", "withdrawn")} <= found


def test_another_clone_that_pulled_the_release_does_not_release_them_again(before, without, tmp_path, monkeypatch):
    """It has released them before, and knows of the withdrawal by that release alone."""
    ours, theirs = without, study(before, tmp_path)
    shutil.rmtree(theirs / "data/release")
    shutil.copytree(ours / "data/release", theirs / "data/release")
    params = theirs / "params.yaml"
    params.write_text(params.read_text().replace("version: 1.0.0", "version: 2.1.0"))
    monkeypatch.chdir(theirs)
    ids = table(theirs, "data/private/linkage.parquet").set_index("recording").id
    for _ in range(2):  # the second time it is not in its place any more
        with pytest.raises(ReleaseError, match=rf"version 2\.0\.0 was made by another clone .*'peg_02' \({ids['peg_02']}\)"):
            small_study.regenerate(theirs, ["release"])
        assert not (theirs / "data/release").exists()
    for name in ("data/raw/withdrawn.csv", "data/private/withdrawn.json"):
        shutil.copy(ours / name, theirs / name)
    small_study.release(theirs)
    note = "data/release/metadata/withdrawn.json"
    assert (theirs / note).read_bytes() == (ours / note).read_bytes()
    assert json.loads((theirs / "data/private/this_clone.json").read_text())["other_clones"] == [], "what it has answered is asked no more"


def test_one_recording_leaves_by_a_row_that_somebody_wrote_and_the_number_is_asked_for(before, tmp_path, monkeypatch):
    folder = study(before, tmp_path)
    monkeypatch.chdir(folder)
    (folder / "data/raw/withdrawn.csv").write_bytes("\ufeffparticipant;recording;date;reason\r\n;peg_02;2026-01-31;request\r\n".encode())
    with pytest.raises(
        ReleaseError, match=r"withdrawn of version 1\.0\.0: 1 recording, so .*set release\.version in params\.yaml to 2\.0\.0"
    ):
        small_study.release(folder)
    params = folder / "params.yaml"
    params.write_text(params.read_text().replace("version: 1.0.0", "version: 2.0.0"))
    small_study.regenerate(folder, ["release"])
    linkage = table(folder, "data/private/linkage.parquet")
    assert "peg_03" in set(linkage.recording)
    assert not {"peg_02"} & set(linkage.recording)
    assert not any("peg_02" in json.dumps(dict(line.facts)) for line in Ledger().lines())
    assert json.loads((folder / "data/release/metadata/withdrawn.json").read_text())["withdrawn"][0]["recordings"] == 1
