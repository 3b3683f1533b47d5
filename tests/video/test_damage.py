"""A transport stream with a break says whether it was copied badly or put together of several files."""

from __future__ import annotations

import pytest

import clips
from scrubin.core.errors import VideoError
from scrubin.video.probe import probe


def stream(path, size):
    """A short transport stream; its times begin where all others begin."""
    clips.ffmpeg("-f", "lavfi", "-i", f"testsrc2=d=2:s={size}:r=25", "-c:v", "libx264", "-pix_fmt", "yuv420p", path)
    return path.read_bytes()


@pytest.mark.parametrize(
    ("second", "reason", "fix"),
    [
        ("160x96", "its times begin again", "the column 'part'"),
        ("320x240", "changes size, from 160x96 to 320x240", "export it with one size"),
    ],
)
def test_files_put_behind_each_other_are_called_so(second, reason, fix, tmp_path):
    both = tmp_path / "both.ts"
    both.write_bytes(stream(tmp_path / "first.ts", "160x96") + stream(tmp_path / "second.ts", second))
    with pytest.raises(VideoError) as refused:
        probe(both, "both.ts")
    assert reason in refused.value.reason
    assert fix in refused.value.fix
