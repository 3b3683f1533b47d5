"""A release, a sample of it, and the release again: the certificate carries the sample, or there is no release."""

from __future__ import annotations

import json
import subprocess

import pytest

import made_once
import review_study
import small_study
from scrubin.audit.run import audit
from scrubin.base.errors import ReleaseError
from scrubin.cli import review
from scrubin.stages.release import audited_project
from scrubin.stages.review.events import CLEAN, FINDING

pytestmark = pytest.mark.slow
RELEASE = "data/release"


def judge(folder, drawn, outcome, why=""):
    with review_study.desk(folder, "Mirabella Quatermass") as desk:
        for clip in drawn.clips:
            desk.check(drawn.videos, clip, outcome, why)


def released(folder):
    """All files of the release but the certificate, and the lists with its hash."""
    files = [path for path in (folder / RELEASE).rglob("*") if path.is_file()]
    names = {"CERTIFICATE.md", "certificate.json", "SHA256SUMS", "files.csv"}
    return {path.relative_to(folder / RELEASE).as_posix(): path.read_bytes() for path in files if path.name not in names}


def test_a_release_is_sampled_and_released_again_with_what_that_proves(tmp_path, tmp_path_factory, monkeypatch):
    folder = made_once.copy(small_study.finished(tmp_path_factory), tmp_path / "project")
    monkeypatch.chdir(folder)
    assert "No sample was drawn" in (folder / RELEASE / "CERTIFICATE.md").read_text()
    before = released(folder)

    drawn = review.draw_clips(12, 0, "Mirabella Quatermass")
    judge(folder, drawn, CLEAN)
    assert review.conclude(drawn) == 0
    assert json.loads((folder / "reports/certificate/certificate.json").read_text())["samples"][0]["checked"] == 12
    small_study.regenerate(folder, ["decisions", "review", "release"], look=False)

    text = (folder / RELEASE / "CERTIFICATE.md").read_text()
    assert f"12 of {drawn.population} clips were drawn at random (seed 0) and looked at: 0 findings" in text
    assert "Mirabella" not in text
    assert "Mirabella Quatermass" in (folder / "reports/certificate/index.html").read_text()
    assert released(folder) == before
    sums = subprocess.run(["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=folder / RELEASE, check=False)
    assert sums.returncode == 0
    study = audited_project.load()
    assert audit(folder / RELEASE, study.private, study.plan).findings == []

    record = folder / "data/private/released.json"
    kept = json.loads(record.read_text())
    record.write_text(json.dumps({**kept, "recordings": {**kept["recordings"], "gone_01": "bliv"}}))
    with pytest.raises(ReleaseError, match=r"had 1 recording that this release lacks:\n  'gone_01' \(bliv\)"):
        small_study.regenerate(folder, ["release"], look=False)
    record.write_text(json.dumps(kept))

    judge(folder, drawn, FINDING, "a name badge")
    small_study.regenerate(folder, ["decisions", "review"], look=False)
    with pytest.raises(ReleaseError, match=r"saw 'a name badge'; open: \.venv/bin/scrubin review --at "):
        small_study.regenerate(folder, ["release"], look=False)
