"""What a release says of itself is true: each number is counted again, from videos, files and ledger, by other code than wrote it."""

from __future__ import annotations

import hashlib
import json
import math
import re
import tarfile
import zipfile
from collections import Counter
from pathlib import Path

import av
import pandas as pd
import pytest

import made_once
import small_study
from scrubin.audit.pictures.shown import Pictures
from scrubin.audit.run import audit
from scrubin.base.errors import VideoError
from scrubin.base.files import FIXED_TIME_S
from scrubin.base.params import load
from scrubin.base.tables import io
from scrubin.base.tables.private import QUARANTINE, REDACTIONS, quarantine_row
from scrubin.curate.project import closing
from scrubin.stages.release import added_files, audited_project
from scrubin.stages.release.release_params import ReleaseParams

pytestmark = pytest.mark.slow
RELEASE, INTERIM = Path("data/release"), Path("data/interim")
# Encoded black is a little brighter than 16; soft colours lie far above.
BLACK = 30
ZIP_TIME, TAR_TIME = (1980, 1, 1, 0, 0, 0), 946684800


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A study that a person has looked at and released."""
    return made_once.copy(small_study.finished(tmp_path_factory), tmp_path_factory.mktemp("finished") / "project")


@pytest.fixture(autouse=True)
def inside(finished, monkeypatch):
    monkeypatch.chdir(finished)


def stated():
    return json.loads((RELEASE / "certificate.json").read_text())


def said():
    return (RELEASE / "CERTIFICATE.md").read_text()


def table(name):
    return pd.read_parquet(INTERIM / f"{name}.parquet")


def ledger():
    lines = [json.loads(line) for line in Path("data/private/decisions.jsonl").read_text().splitlines()]
    return [{**line, **line["facts"]} for line in lines]


def released():
    return set(table("cuts").recording)


def videos():
    return sorted((RELEASE / "videos").glob("*/*/*"))


def decoded(path):
    """Yield the brightest value of each frame, and the frame."""
    with av.open(str(path)) as container:
        for frame in container.decode(video=0):
            grey = frame.to_ndarray(format="gray")
            yield int(grey.max()), grey


def test_each_proposal_is_counted_once():
    proposals, decisions = table("proposals"), table("redactions")
    kinds = stated()["hidden"]["kinds"]
    expected = Counter(proposals[proposals.recording.isin(released())].kind)
    by_others = decisions[decisions.source.isin(["pair", "sheet"]) & decisions.recording.isin(released())]
    expected.update(by_others.drop_duplicates(["recording", "camera", "kind", "start_s", "x", "y", "w", "h"]).kind)
    assert {kind: row["proposed"] for kind, row in kinds.items() if row["proposed"]} == dict(expected)
    assert sum(expected.values()) == stated()["review"]["proposals"]
    for kind, row in kinds.items():
        assert (
            f"| {kind.replace('_', ' ')} | {row['proposed']} | {row['hidden']} | {row['undecided']} | {row['shown']} | {row['drawn']} |"
            in said()
        )


def test_what_became_of_the_proposals_is_what_the_ledger_says():
    own = table("redactions")
    own = own[own.recording.isin(released())]
    by_detectors = own[own.source != "curator"]
    kinds = stated()["hidden"]["kinds"]
    for kind, row in kinds.items():
        of_kind = by_detectors[by_detectors.kind == kind]
        whole = of_kind.groupby(["recording", "camera", "source", "x", "y", "w", "h", "start_s"], dropna=False)
        assert row["hidden"] == whole["accepted"].any().sum()
        assert row["undecided"] == (of_kind.decision == "unreviewed").sum()
        assert row["shown"] == (~of_kind.accepted).sum()
    withdrawn = {line["line"] for line in ledger() if line["event"] == "withdrawn"}
    spans = {
        (line["recording"], line["camera"], line["kind"], span["start_s"], span["end_s"], str(line["box_xywh"]))
        for line in ledger()
        if line["event"] == "decided" and line["number"] not in withdrawn and line["recording"] in released()
        for span in line["spans"]
        if span["what"] == "add"
    }
    assert {kind: row["drawn"] for kind, row in kinds.items() if row["drawn"]} == dict(Counter(one[2] for one in spans))


def test_videos_recordings_and_frames_are_those_that_lie_there():
    there, of = videos(), stated()["videos"]
    counts = {path: sum(1 for _ in decoded(path)) for path in there}
    assert (of["files"], of["ids"], of["frames"]) == (len(there), len({path.stem for path in there}), sum(counts.values()))
    listed = sorted(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(RELEASE)}\n" for path in there)
    by_path = "".join(sorted(listed, key=lambda line: line[66:]))
    assert hashlib.sha256(by_path.encode()).hexdigest() == of["sha256"]


def test_black_frames_are_counted_as_they_are_decoded():
    hidden = table("hidden")
    black = partly = 0
    for path in videos():
        own = hidden[(hidden.id == path.stem) & (hidden.camera == path.parent.name)]
        for number, (brightest, grey) in enumerate(decoded(path)):
            here = own[(own.first_frame <= number) & (own.last_frame >= number)]
            boxes = here.dropna(subset="x")[["x", "y", "w", "h"]].astype(int).to_numpy()
            assert all(grey[y : y + h, x : x + w].max() <= BLACK for x, y, w, h in boxes)
            black += brightest <= BLACK
            partly += brightest > BLACK and len(boxes) > 0
    of = stated()["hidden"]
    assert (of["black_frames"], of["partly_black_frames"]) == (black, partly)
    assert black > 0
    frames = sum(1 for path in videos() for _ in decoded(path))
    assert f"Of {frames} frames in {len(videos())} videos" in said()
    assert f"{black} are black, and {partly} others have black rectangles." in said()


def test_seen_seconds_are_those_of_the_ledger():
    recordings = table("recordings")
    kept = recordings[recordings.recording.isin(released())]
    seen, required = 0, 0
    for row in kept.itertuples():
        wanted = set(range(int(row.start_s), math.ceil(row.end_s)))
        runs = [
            run
            for line in ledger()
            if line["event"] == "seen"
            and (line["recording"], line["camera"], line["view"] == "released") == (row.recording, row.camera, False)
            for run in line["seconds"]
        ]
        seen += len(wanted & {second for first, last in runs for second in range(first, last + 1)})
        required += len(wanted)
    of = stated()["review"]
    assert (of["seen_s"], of["required_s"]) == (seen, required)
    assert f"Looked at: {seen} of {required} seconds of video" in said()
    assert f"of the {len(released())} recordings" in " ".join((RELEASE / "README.md").read_text().split())


def test_every_member_of_every_archive_has_a_fixed_time_and_so_has_every_file():
    files = [path for path in RELEASE.rglob("*") if path.is_file()]
    assert {int(path.stat().st_mtime) for path in files} == {FIXED_TIME_S}
    zips = [path for path in files if zipfile.is_zipfile(path)]
    assert {member.date_time for path in zips for member in zipfile.ZipFile(path).infolist()} == {ZIP_TIME}
    tars = [path for path in files if path.suffix == ".tar"]
    for path in tars:
        with tarfile.open(path) as archive:
            assert {member.mtime for member in archive.getmembers()} == {TAR_TIME}


def test_files_that_were_made_anew_get_the_fixed_time_again():
    """DVC moves an output of its own into its cache and copies it back, with the time of the run."""
    for name in ("README.md", "SHA256SUMS", "croissant.json"):
        (RELEASE / name).touch()
    assert added_files.fix_times_again(RELEASE, made_now=True) == []
    assert {int(path.stat().st_mtime) for path in RELEASE.rglob("*") if path.is_file()} == {FIXED_TIME_S}


def test_evidence_is_the_hash_of_the_files_that_lie_there():
    private = json.loads(Path("reports/certificate/certificate.json").read_text())
    for row in private["evidence"]:
        assert row["sha256"] == hashlib.sha256(Path(row["file"]).read_bytes()).hexdigest(), row["file"]
    for row in stated()["evidence"]:
        assert f"- `{row['file']}`: {hashlib.sha256((INTERIM / row['file']).read_bytes()).hexdigest()}\n" in said()
    assert private["ledger"]["lines"] == len(ledger())


def test_the_summary_counts_what_lies_there():
    document = json.loads(Path("reports/release.json").read_text())
    files = [path for path in RELEASE.rglob("*") if path.is_file()]
    assert (document["files"], document["bytes"]) == (len(files), sum(path.stat().st_size for path in files))
    assert document["recordings"] == len({path.stem for path in videos()})
    assert document["videos"] == dict(Counter(path.parts[-3] for path in videos()))
    assert document["rows"] == {path.stem: len(pd.read_parquet(path)) for path in (RELEASE / "tables").glob("*.parquet")}
    assert document["quarantined"]["files"] == sum(len(table(f"quarantine_{stage}")) for stage in ("ingest", "screen", "render"))


def test_readme_and_facts_count_what_lies_there():
    readme, facts = (RELEASE / "README.md").read_text(), json.loads((RELEASE / "metadata/facts.json").read_text())
    lengths_s = {path: float(av.open(str(path)).duration / av.time_base) for path in videos()}
    for task in {path.parts[-3] for path in videos()}:
        own = [path for path in videos() if path.parts[-3] == task]
        hours = re.search(rf"\| {task} \| {len({path.stem for path in own})} \| {len(own)} \| ([\d.]+) \|", readme)
        assert float(hours[1]) == pytest.approx(sum(lengths_s[path] for path in own) / 3600, abs=0.006)
    recordings = table("recordings")
    assert facts["size"]["people"] == recordings[recordings.recording.isin(released())].participant.nunique()
    assert facts["seen"] == stated()["review"]
    frames = pd.read_parquet(RELEASE / "tables/frames.parquet")
    assert facts["hidden"]["extracted_frames"] == int(frames.redacted.sum())


def test_the_closing_lines_count_what_lies_there():
    lines = closing.lines([], load("release", ReleaseParams), is_named=True)
    ids, tasks = {path.stem for path in videos()}, {path.parts[-3] for path in videos()}
    assert lines[0].startswith(f"released: {len(ids)} recordings of {len(tasks)} tasks, {len(videos())} videos, as ")
    black = sum(brightest <= BLACK for path in videos() for brightest, _ in decoded(path))
    frames = sum(1 for path in videos() for _ in decoded(path))
    assert lines[1].startswith(f"hidden: {100 * black / frames:.1f} % of the frames as a whole; something in ")
    touched = table("hidden")[["id", "camera"]].drop_duplicates()
    assert lines[1].endswith(f"in {len(touched)} of {len(videos())} videos")


def test_a_run_that_stops_before_the_report_lists_what_was_set_aside():
    """Only of stages that are done: what lies there of others is from an earlier run."""
    for stage in ("screen", "render"):
        path, row = (
            INTERIM / f"quarantine_{stage}.parquet",
            quarantine_row("op", "mono", stage, VideoError("a.vob", "it is torn", "mend it")),
        )
        before = path.read_bytes()
        try:
            io.write(QUARANTINE, io.frame_of(QUARANTINE, [row]), path)
            line = "set aside: 'op': a.vob: it is torn; mend it"
            params = load("release", ReleaseParams)
            assert line in closing.lines(["validate"], params, is_named=False, waiting=["release", "report"])
            assert line not in closing.lines([stage], params, is_named=False, waiting=["validate"])
            assert line not in closing.lines(["ingest"], params, is_named=False, waiting=[stage, "validate"])
            assert line in closing.lines(["release"], params, is_named=False)
        finally:
            path.write_bytes(before)


def test_the_report_says_what_is_ready_and_never_that_it_was_released():
    """It is written before the release."""
    document, page = json.loads(Path("reports/report.json").read_text()), Path("reports/index.html").read_text()
    assert document["overview"]["ready"] == len({path.stem for path in videos()})
    assert "recordings released" not in page
    counted = {(row["kind"], row["source"]): row["proposed"] for row in document["redactions"]}
    proposals = table("proposals")
    for (kind, source), rows in proposals.groupby(["kind", "source"]):
        assert counted[kind, source] == len(rows)
    assert document["privacy"]["lines"] <= len(ledger())


def test_what_a_detector_read_upon_a_monitor_stops_no_release():
    """Whoever accepts "person(0)" hides it; the documents about the release are full of such words."""
    path = INTERIM / "redactions.parquet"
    before, decisions = path.read_bytes(), table("redactions")
    read = decisions.head(1).assign(kind="text", source="text", decision="accepted", accepted=True, text="Person(0) person(1) Review")
    try:
        write_redactions(path, pd.concat([decisions, read.assign(start_s=0.123)]))
        study = audited_project.load()
        assert [one for one in audit(RELEASE, study.private, study.plan, pictures=Pictures(study.private, "none")).findings] == []
        named = read.assign(start_s=0.123, text="Certificate of Mechthild Quatermass")
        write_redactions(path, pd.concat([decisions, named]))
        assert "Quatermass" in {needle.text for needle in audited_project.load().private.needles}
    finally:
        path.write_bytes(before)


def write_redactions(path, rows):
    io.write(REDACTIONS, io.frame_of(REDACTIONS, io.records(rows)), path)
