"""A transport stream with a break says whether it was copied badly or put together of several files."""

from __future__ import annotations

import random
import threading

import av
import pytest

import clips
from scrubin.base.errors import VideoError
from scrubin.media.decode import decoded
from scrubin.media.probe import probe


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


X265 = ("-c:v", "libx265", "-preset", "veryfast", "-bf", "0", "-x265-params", "log-level=none:keyint=10:min-keyint=10:scenecut=0")


@pytest.fixture(scope="module")
def hevc(tmp_path_factory):
    """A film of 50 frames, and the same with some other bytes in frame 20: all frames come out, and FFmpeg marks none of them."""
    folder = tmp_path_factory.mktemp("hevc")
    sound = clips.clip(folder / "a.mp4", size="192x128", more=X265)
    with av.open(str(sound)) as container:
        packet = next(packet for number, packet in enumerate(container.demux(video=0)) if number == 20)
        place, size = int(packet.pos or 0), packet.size
    chance, data = random.Random(3), bytearray(sound.read_bytes())
    start, length = place + chance.randrange(40, size - 30), chance.randrange(1, 20)
    data[start : start + length] = chance.randbytes(length)
    damaged = folder / "b.mp4"
    damaged.write_bytes(data)
    return sound, damaged


def count(path):
    return sum(1 for _ in decoded(path, path.name))


def test_what_the_decoder_says_of_a_stream_is_said_with_its_place(hevc):
    sound, damaged = hevc
    assert count(sound) == probe(damaged, "b.mp4").frame_count == 50
    with pytest.raises(
        VideoError,
        match=r"b.mp4: it is damaged at 0\.80 s: 'The cu_qp_delta 54 is .+', says FFmpeg's hevc; copy it again",
    ):
        count(damaged)


def test_a_sound_film_is_never_blamed_for_another_one_that_is_decoded_beside_it(hevc):
    verdicts = []

    def decode(path):
        for _ in range(5):
            try:
                verdicts.append((path.name, count(path)))
            except VideoError:
                verdicts.append((path.name, "refused"))

    threads = [threading.Thread(target=decode, args=[path]) for path in hevc * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(verdicts, key=str) == [("a.mp4", 50)] * 10 + [("b.mp4", "refused")] * 10


def test_a_decoder_that_is_left_in_the_middle_of_a_damaged_film_ends(hevc):
    """It waited for ever, for a thread that wanted to say something."""
    for number in range(60):
        frames = decoded(hevc[1], "b.mp4")
        for _ in range(1 + number % 25):
            next(frames)
        frames.close()
