"""Bad input through the real pipeline: the bad is set aside with its mend, the rest is finished."""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import plumbing  # noqa: F401 - at once: with Prefect comes its own order of logs, which forgets who listens

import pandas as pd
import pytest

import clips
import small_study
from scrubin.base.errors import ManifestError

pytestmark = pytest.mark.slow
BEFORE_RENDER = ("ingest", "pseudonymize", "screen", "decisions", "review")
"""What only comes before the stage that is tried is made in this process."""
PATIENCE_S = 60
HOSTILE = ("-y.mkv", "a b'c\"d.mkv", "line\nbreak.mkv", "ü日本.mkv", "$(touch hacked);*.mkv", "pipe:0.mkv")


def fill(project) -> None:
    for n, name in enumerate(HOSTILE):
        project.add(
            # In a name of a recording a line break is refused, in that of its files it is none of our concern.
            f"rec {n} {name}".replace("\n", " "),
            participant=f"Participant{n:02d}x",
            left=f"left/{name}",
            right=f"right/{name}",
            start_s="0.2",
            end_s="1.7",
        )
    project.add("missing camera", participant="Quentin", left="m.mkv", right=None)
    project.add("missing file", participant="Quentin", left="gone l.mkv", right="gone r.mkv", make=False)
    project.add("zero", participant="Quentin", left="zero l.mkv", right="zero r.mkv")
    (project.raw / "videos/zero l.mkv").write_bytes(b"")
    project.add("truncated", participant="Quentin", left="cut l.mkv", right="cut r.mkv")
    clips.clip(project.raw / "videos/cut l.mkv", seconds=8, fps="20")
    os.truncate(project.raw / "videos/cut l.mkv", (project.raw / "videos/cut l.mkv").stat().st_size // 3)
    project.add("text", participant="Quentin", left="text l.mp4", right="text r.mkv")
    (project.raw / "videos/text l.mp4").write_text("no video\n" * 100)
    project.add("sound", participant="Quentin", left="sound l.mp4", right="sound r.mkv")
    clips.ffmpeg("-f", "lavfi", "-i", "sine=duration=2", project.raw / "videos/sound l.mp4")
    project.add("outside", participant="Quentin", left="out l.mkv", right="out r.mkv", start_s="0", end_s="99")
    project.add("backwards", participant="Quentin", left="back l.mkv", right="back r.mkv", start_s="1.5", end_s="1")
    project.add("climbs", participant="Quentin", left="../../secret l.mkv", right="../../secret r.mkv", make=False)
    project.add("unknown task", participant="Quentin", left="t l.mkv", right="t r.mkv")
    for row in project.rows[-2:]:
        row["task"] = "PegTransfre"
    project.add("twin", participant="Quentin", left="twin l.mkv", right="twin r.mkv")
    shutil.copy(project.raw / "videos/twin l.mkv", project.raw / "videos/twin r.mkv")
    project.add("twice", participant="Quentin", left="twice l.mkv", right="twice r.mkv")
    project.rows.append(project.rows[-1])
    clips.clip(project.raw / "videos/nobody's.mkv", fps="20")
    project.write()


BAD = {
    "missing camera": "has no row for camera right",
    "missing file": "the file is missing",
    "zero": "the file is empty",
    "truncated": "it is truncated",
    "text": "cannot be read as a video",
    "sound": "it has no video stream",
    "outside": "end_s 99 lies outside the video",
    "backwards": "start_s 1.5 is not before end_s 1",
    "climbs": "does not lie in videos/",
    "unknown task": "'PegTransfre' is no task",
    "twin": "have the same bytes",
    "twice": "has 2 rows for camera right",
    "videos/nobody's.mkv": "no row of recordings.csv names this file",
}


def test_the_bad_is_quarantined_and_the_rest_is_released(project, caplog):
    fill(project)
    small_study.release(project.folder)
    assert not list(project.folder.rglob("hacked"))
    quarantine = pd.read_parquet(project.folder / "data/interim/quarantine_ingest.parquet")
    found = quarantine.groupby("recording").reason.agg(" ".join).to_dict()
    assert set(found) == set(BAD)
    said_at_the_end = "".join(line for line in caplog.messages if line.startswith("quarantined, not in the release: "))
    for recording, reason in BAD.items():
        assert reason in found[recording]
        assert reason in said_at_the_end
    assert quarantine.mend.str.len().min() > 5
    videos = pd.read_parquet(project.folder / "data/tables/videos.parquet")
    assert len(videos) == 2 * len(HOSTILE)
    assert set(videos.frame_count) == {30}
    for path in videos.path:
        assert len(clips.av.open(str(project.folder / "data/unreleased" / path)).streams) == 1
    assert oct((project.folder / "data/private/pseudonym.key").stat().st_mode)[-3:] == "600"


def small(project) -> None:
    for n in range(3):
        project.add(f"rec{n}", participant=f"Participant{n:02d}x", left=f"l{n}.mkv", right=f"r{n}.mkv")
    project.write()


def in_namespace(script: str) -> tuple[str, ...]:
    """Run what follows after ``script``, with mounts that nobody else sees."""
    prefix = ("unshare", "--mount", "--map-root-user", "sh", "-c", f'{script} && exec "$@"', "sh")
    try:
        allowed = subprocess.run([*prefix, "true"], check=False, capture_output=True, cwd="/").returncode == 0
    except FileNotFoundError:
        allowed = False
    if not allowed:
        pytest.skip("this machine allows no mounts of our own")
    return prefix


def test_a_full_disk_stops_the_stage_and_nothing_incomplete_is_left(project, prefect_address):
    small(project)
    small_study.regenerate(project.folder, BEFORE_RENDER, look=False)
    store = project.folder / ".cache/store"
    small_disk, full_disk = (
        in_namespace(f"mount -t tmpfs -o size=1m tmpfs {store} && head -c {filled}k /dev/zero > {store}/filler") for filled in (930, 990)
    )
    full = project.flow("render", small_disk)
    assert full.returncode == 1
    assert "this run may need about" in full.stderr  # known before the first video is rendered
    assert "make room" in full.stderr
    assert not (project.folder / "data/tables/videos.parquet").exists()
    small_study.regenerate(project.folder, ["render"])
    assert len(list((project.folder / "data/unreleased/videos").rglob("*.mkv"))) == 6
    full = project.flow("frames", full_disk)
    assert full.returncode == 1
    assert "No space left on device" in full.stderr
    assert "what was finished is kept" in full.stderr
    assert not (project.folder / "data/tables/frames.parquet").exists()
    small_study.regenerate(project.folder, ["frames"])


def test_a_read_only_output_folder_is_named(project, prefect_address):
    small(project)
    small_study.regenerate(project.folder, ["ingest"], look=False)
    out = project.folder / "data/private"
    out.mkdir()
    done = project.flow("pseudonymize", in_namespace(f"mount -t tmpfs -o ro tmpfs {out}"))
    assert done.returncode == 1
    assert "Read-only file system: 'data/private" in done.stderr
    assert "Traceback" not in done.stderr


def test_one_more_recording_costs_one_recording(project, caplog):
    caplog.set_level(logging.INFO, "scrubin")
    small(project)
    small_study.regenerate(project.folder, [*BEFORE_RENDER, "render", "frames"], look=False)
    ids = pd.read_parquet(project.folder / "data/private/linkage.parquet").set_index("recording").id
    project.add("rec3", participant="Participant03x", left="l3.mkv", right="r3.mkv")
    project.write()
    small_study.regenerate(project.folder, [*BEFORE_RENDER, "render"], look=False)
    assert "render: 2 made, 6 kept from earlier runs" in caplog.messages
    after = pd.read_parquet(project.folder / "data/private/linkage.parquet").set_index("recording").id
    assert after.loc[ids.index].tolist() == ids.tolist()


def soon(holds) -> bool:
    """Wait until something holds, however busy the machine is."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        with contextlib.suppress(OSError):
            if holds():
                return True
        time.sleep(0.02)
    return False


def test_no_stage_outlives_its_killed_parent(project):
    small(project)
    command = "exec .venv/bin/python pipelines/flows/ingest.py"
    script = f"import subprocess, time; p = subprocess.Popen(['sh', '-c', {command!r}]); print(p.pid, flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", script], cwd=project.folder, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        stage = Path(f"/proc/{int(parent.stdout.readline())}")
        # Prefect, which loads this, is imported when the stage has asked the kernel already.
        assert soon(lambda: "pydantic_core" in (stage / "maps").read_text())
        assert "python" in (stage / "status").read_text().splitlines()[0]
        # By itself it would end soon; stopped it ends only when the kernel kills it.
        os.kill(int(stage.name), signal.SIGSTOP)
        parent.kill()
    assert soon(lambda: not stage.exists() or "State:\tZ" in (stage / "status").read_text())


def test_a_folder_without_manifest_is_named(project):
    project.write()
    (project.raw / "recordings.csv").unlink()
    with pytest.raises(ManifestError, match=r"data/raw/recordings\.csv: cannot be read \(No such file or directory\)"):
        small_study.regenerate(project.folder, ["ingest"])
