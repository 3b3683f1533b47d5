"""The sandbox, tried from inside by the probe, and the probe itself: it notices each promise that is not kept."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from scrubin.base import posix
from scrubin.base.errors import MetricsError
from scrubin.evaluate.causality import sandbox
from scrubin.evaluate.causality.sandbox import CLAIMS, Limits, Sandbox, isolated, probed


def test_every_claim_is_tried_from_inside_and_kept(tmp_path):
    (tmp_path / "labels").mkdir()
    (tmp_path / "labels/video.csv").write_text("0,1")
    box, document = isolated(tmp_path / "root", [tmp_path / "labels"], Limits(), ["true"], without=False)
    assert document["means"] == box.means != "none"
    assert set(document["claims"]) == set(CLAIMS)


def test_without_isolation_the_probe_breaks_every_promise_but_that_of_mounts(tmp_path):
    (tmp_path / "store").mkdir()
    (tmp_path / "labels").write_text("0,1")
    outcome = probed(Sandbox("none", tmp_path, (tmp_path / "labels",), Limits(), (tmp_path,)))
    broken = {claim for claim, is_kept in outcome.items() if not is_kept}
    assert {"no_network", "input_read_only", "others_hidden", "nothing_stays"} <= broken


HOLES = {
    "mounts_fixed": {"        _give_up_privileges()\n": ""},
    "no_network": {"NEW_PIDS | NEW_NETWORK | NEW_IPC": "NEW_PIDS | NEW_IPC", "    _loopback_up()\n": ""},
    "others_hidden": {'for hidden in spec["hidden"]:': "for hidden in ():"},
    "input_read_only": {'for path in (Path("/dev"), box, ': 'for path in (Path("/dev"), box, box / "input", '},
}
"""By the claim that does not hold then."""


@pytest.mark.slow
@pytest.mark.parametrize("claim", HOLES)
def test_a_sandbox_with_a_hole_is_noticed(tmp_path, monkeypatch, claim):
    source = sandbox.INSIDE.read_text(encoding="utf-8")
    for line, instead in HOLES[claim].items():
        assert line in source
        source = source.replace(line, instead, 1)
    (tmp_path / "inside.py").write_text(source)
    monkeypatch.setattr(sandbox, "INSIDE", tmp_path / "inside.py")
    (tmp_path / "store").mkdir()
    (tmp_path / "box").mkdir()
    (tmp_path / "labels").write_text("0,1")
    outcome = probed(Sandbox("user namespaces", tmp_path, (tmp_path / "labels",), Limits(), (Path("/var/tmp"),)))
    assert outcome[claim] is False


@pytest.mark.slow
def test_a_limit_of_memory_or_computing_stops_a_program(tmp_path):
    limits = Limits(cpu_s=1, memory_bytes=1 << 28)
    box, _ = isolated(tmp_path, [], limits, ["true"], without=False)
    hog = [sys.executable, "-S", "-E", "-c", "bytearray(1 << 29)"]
    assert "MemoryError" in box.run(box.store / "one", hog).log
    spin = [sys.executable, "-S", "-E", "-c", "while True: pass"]
    assert "more than 1 s of computing" in box.run(box.store / "two", spin).trouble


def test_where_no_kernel_isolates_programs_one_line_says_what_to_use(monkeypatch, tmp_path):
    monkeypatch.setattr(posix, "is_linux", lambda: False)
    with pytest.raises(MetricsError, match="the kernel of Linux alone has; on Windows use WSL, or the container"):
        isolated(tmp_path, (), Limits(), ["true"], without=True)
