"""How far work has come, seen from outside."""

from __future__ import annotations

import subprocess
import sys

from scrubin.curate.engine import run

READ_HALF = "import sys; file = open(sys.argv[1], 'rb'); file.seek(8 << 20); print('there', flush=True); input()"


def test_a_long_recording_in_another_process_is_seen_half_read(tmp_path):
    path = tmp_path / "long.mkv"
    with path.open("wb") as file:
        file.truncate(16 << 20)
    (tmp_path / "short.mkv").write_bytes(b"x")
    with (
        subprocess.Popen([sys.executable, "-c", READ_HALF, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as reader,
        (tmp_path / "short.mkv").open("rb"),
    ):
        assert reader.stdout.readline() == "there\n"
        assert run.shares_read() == {"long.mkv": 0.5}
        reader.communicate("\n")
    assert run.shares_read() == {}
