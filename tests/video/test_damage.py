"""A transport stream with a break says whether it was copied badly or put together of several files."""

from __future__ import annotations

import random
import shutil
import threading
from types import SimpleNamespace

import av
import pytest

import clips
from scrubin.base.errors import VideoError
from scrubin.media import opening
from scrubin.media import probe as probing
from scrubin.media.containers import transport
from scrubin.media.containers.pieces import Pieces
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
    assert "0 packets" not in refused.value.reason
    assert fix in refused.value.fix


@pytest.mark.parametrize(
    ("suffix", "more", "offset"),
    [
        ("mpg", ("-c:v", "mpeg2video", "-f", "vob"), 0),  # frames of one time
        ("mpg", ("-c:v", "mpeg2video", "-f", "vob"), 0.013),  # frames in between each other
        ("mkv", ("-c:v", "libvpx", "-live", 1), 0),
        ("mp4", ("-g", 10, "-movflags", "frag_keyframe+empty_moov+default_base_moof"), 0.5),
    ],
)
def test_files_behind_each_other_are_called_so_where_nothing_is_damaged(suffix, more, offset, tmp_path):
    first = clips.clip(tmp_path / f"first.{suffix}", more=more)
    second = clips.clip(tmp_path / f"second.{suffix}", more=(*more, "-output_ts_offset", offset))
    both = tmp_path / f"both.{suffix}"
    both.write_bytes(first.read_bytes() + second.read_bytes())
    with pytest.raises(VideoError, match=r"its times begin again at frame 50 \(1\.96 s\), as where files were put .* the column 'part'"):
        probe(both, both.name)


def test_times_that_only_the_decoder_knows_are_asked_whether_they_begin_again(tmp_path):
    film = clips.clip(tmp_path / "a.avi")
    assert len(probing._decoded_times(film, "a.avi")) == 50  # guesses, which are not in order
    again = clips.clip(tmp_path / "b.mpg", more=("-c:v", "mpeg2video")).read_bytes()
    (tmp_path / "c.mpg").write_bytes(again + again)
    with pytest.raises(VideoError, match=r"its times begin again at frame 50 \(1\.96 s\)"):
        probing._decoded_times(tmp_path / "c.mpg", "c.mpg")


@pytest.mark.parametrize("more", [(), ("-movflags", "+faststart"), ("-movflags", "frag_keyframe+empty_moov+default_base_moof")])
def test_it_is_told_that_a_second_mp4_lies_behind_the_first_where_nothing_of_it_is_read(more, tmp_path):
    first = clips.clip(tmp_path / "first.mp4", more=more).read_bytes()
    both = tmp_path / "both.mp4"
    both.write_bytes(first + first)
    assert opening.contradictions(tmp_path / "first.mp4") == ()
    lost = f"another recording begins at byte {len(first)}, and nothing of it is read; cut it there, as with: head -c {len(first)} FILE"
    found = opening.contradictions(both)
    assert [one.startswith(lost) for one in found] == ([] if "empty_moov" in "".join(more) else [True])


def test_a_frame_that_the_decoder_marks_has_the_reason_that_ffmpeg_says(tmp_path, monkeypatch):
    """With threads a frame is marked in one run and not in the next."""
    monkeypatch.setattr("scrubin.media.decode.decoder_threads", lambda: 1)
    whole = clips.clip(tmp_path / "a.ts", size="320x240", more=("-bf", 0)).read_bytes()
    (tmp_path / "b.ts").write_bytes(whole[: len(whole) * 6 // 10])
    with pytest.raises(VideoError, match=r"b.ts: it is damaged at 1\.\d\d s: '.+', says FFmpeg's h264; copy it again"):
        count(tmp_path / "b.ts")


@pytest.fixture(scope="module")
def pieces(tmp_path_factory):
    """Pieces of a recording with sound, of a second each: times go on, packets are counted from 0 again."""
    made = tmp_path_factory.mktemp("pieces")
    source = ("-f", "lavfi", "-i", "testsrc2=d=3:s=160x96:r=25", "-f", "lavfi", "-i", "sine=d=3")
    coding = ("-c:v", "libx264", "-g", 25, "-bf", 2, "-pix_fmt", "yuv420p", "-c:a", "aac")
    clips.ffmpeg(*source, *coding, "-f", "segment", "-segment_time", 1, "-segment_format", "mpegts", made / "%d.ts")

    def given(folder, which=(0, 1)):
        for path in made.iterdir():
            shutil.copy(path, folder)
        return [(folder / f"{number}.ts").read_bytes() for number in which]

    return given


@pytest.mark.parametrize("gap", ["none", "a piece is missing", "a piece begins too early", "a piece is there twice"])
def test_pieces_behind_each_other_are_called_so_and_can_be_cut_apart(pieces, gap, tmp_path):
    first, second = pieces(tmp_path, {"a piece is missing": (0, 2), "a piece is there twice": (1, 1)}.get(gap, (0, 1)))
    if gap == "a piece begins too early":
        clips.ffmpeg("-copyts", "-i", tmp_path / "1.ts", "-c", "copy", "-muxdelay", 0, "-output_ts_offset", -0.1, tmp_path / "early.ts")
        second = (tmp_path / "early.ts").read_bytes()
    both = tmp_path / "both.ts"
    both.write_bytes(first + second)
    with pytest.raises(VideoError) as refused:
        probe(both, "both.ts")
    assert "it is 2 recordings behind each other; the second begins behind 0.96 s" in refused.value.reason
    assert f"cut it at byte {len(first)}, as with: head -c {len(first)} FILE > 1.ts" in refused.value.fix
    assert "the column 'part'" in refused.value.fix
    assert ("ffmpeg -i FILE -c copy a.mkv" in refused.value.fix) == (gap == "none")  # as one they would be shown too early or too late


def test_the_end_of_the_first_piece_is_found_also_where_ffmpeg_does_not_know_the_bytes_of_all_packets(pieces, tmp_path, monkeypatch):
    def packets(*opened):
        for number, one in enumerate(opening.packets(*opened)):
            known = {key: getattr(one, key) for key in ("is_discard", "dts", "pts", "is_corrupt", "duration")}
            yield SimpleNamespace(pos=None if number % 5 in (1, 2) else one.pos, **known)

    monkeypatch.setattr(probing, "packets", packets)
    both = tmp_path / "both.ts"
    both.write_bytes(b"".join(pieces(tmp_path, (0, 1, 2))))
    with pytest.raises(VideoError, match=r"it is 3 recordings behind each other; the second begins behind 0\.96 s"):
        probe(both, "both.ts")


def test_whole_pieces_that_were_put_together_as_one_are_read(pieces, tmp_path):
    both = tmp_path / "both.ts"
    both.write_bytes(b"".join(pieces(tmp_path)))
    clips.ffmpeg("-i", both, "-c", "copy", tmp_path / "a.mkv")
    probed = probe(tmp_path / "a.mkv", "a.mkv")
    assert (probed.frame_count, probed.fps, probed.variable_rate) == (50, 25, False)


def test_of_many_pieces_the_message_names_the_first_places(pieces, tmp_path):
    first, second = pieces(tmp_path)
    both = tmp_path / "both.ts"
    both.write_bytes(b"".join([first, *[second] * 11]))
    with pytest.raises(VideoError, match=", and so on, as with"):
        probe(both, "both.ts")


PACKET = 188


def filled(piece, last):
    """The same piece; its pictures end with more packets, of a byte of 0 each, up to one of that count."""
    count = [piece[place + 3] & 0x0F for place in range(0, len(piece), PACKET) if piece[place + 1] & 0x1F == 1 and piece[place + 2] == 0][
        -1
    ]
    zero = bytes([182, 0]) + b"\xff" * 181 + b"\0"
    return piece + b"".join(bytes([0x47, 0x01, 0x00, 0x30 | later % 16]) + zero for later in range(count + 1, 16 + last + 1))


@pytest.mark.parametrize("which", ["one whose count goes on by luck", "all of them", "one picture in front"])
def test_a_join_at_which_ffmpeg_hears_nothing_is_named_with_the_others(pieces, which, tmp_path):
    first, second = pieces(tmp_path)
    clips.ffmpeg("-i", tmp_path / "0.ts", "-frames:v", 1, "-an", "-c", "copy", tmp_path / "one.ts")
    one = (tmp_path / "one.ts").read_bytes()
    files = {"all of them": [filled(first, 15), filled(first, 15), second], "one picture in front": [filled(one, 7), second]}
    parts = files.get(which, [filled(first, 15), second, second])
    both = tmp_path / "both.ts"
    both.write_bytes(b"".join(parts))
    with pytest.raises(VideoError, match=f"it is {len(parts)} recordings") as refused:
        probe(both, "both.ts")
    places = ", ".join(str(len(b"".join(parts[:end]))) for end in range(1, len(parts)))
    assert f"cut it at byte {places}, as with" in refused.value.fix


def packet(count, *, starts=False, content=True, announced=False):
    """A packet of the pictures, with room for an adaptation field."""
    return bytes([0x47, 0x40 * starts | 0x01, 0, 0x20 | 0x10 * content | count, 1, 0x80 * announced]).ljust(PACKET, b"\xff")


FIRST, JUNK = packet(0, starts=True), bytes(PACKET)
RESERVED = bytes([0x47, 0x01, 0, 0x0A]).ljust(PACKET, b"\xff")


@pytest.mark.parametrize("layout", [(b"", b""), (b"\1\2\3\4", b""), (b"", bytes(16))])
@pytest.mark.parametrize(
    ("packets", "broken"),
    [
        ([FIRST, packet(2)], 1),
        ([FIRST, packet(9, announced=True)], None),
        ([FIRST, packet(1), packet(1), packet(2)], None),  # sent twice
        ([FIRST, packet(0, content=False), packet(1)], None),
        ([FIRST, packet(1, content=False)], 1),
        ([FIRST, RESERVED, packet(1)], None),
        ([FIRST, RESERVED, packet(2)], 2),
        ([FIRST, packet(1), packet(2), packet(3), packet(5)], 4),  # in the next block
        ([packet(7), FIRST, packet(1)], None),
        ([FIRST, packet(1), JUNK, packet(5), packet(9)], None),
        ([FIRST, packet(2), JUNK], 1),
    ],
)
def test_the_first_packet_that_does_not_count_on_is_found(packets, broken, layout, tmp_path, monkeypatch):
    monkeypatch.setattr(transport, "PACKETS", 4)
    before, behind = layout
    path = tmp_path / "a.ts"
    path.write_bytes(b"".join(before + one + behind for one in packets))
    size = len(before) + PACKET + len(behind)
    assert transport.first_breaks(Pieces(path), [256]) == ({} if broken is None else {256: broken * size})


@pytest.mark.parametrize(
    ("name", "lost"),
    [
        ("the first packets of the second piece", lambda first, second: first + second[5 * PACKET :]),
        ("packets in the middle of the second piece", lambda first, second: first + second[: 40 * PACKET] + second[43 * PACKET :]),
        ("packets in the middle of the first piece", lambda first, second: first[: 40 * PACKET] + first[43 * PACKET :] + second),
        ("the tables of the second piece", lambda first, second: first + second[3 * PACKET :]),
        ("a packet of the first picture", lambda first, second: first[: 6 * PACKET] + first[7 * PACKET :]),
    ],
)
def test_packets_that_were_lost_stay_damage_where_pieces_were_put_together(pieces, name, lost, tmp_path):
    both = tmp_path / "both.ts"
    both.write_bytes(lost(*pieces(tmp_path)))
    with pytest.raises(VideoError, match=r"(damaged, the first at|pictures are missing in front of byte 1128;) .*copy it again"):
        probe(both, name)


def test_a_transport_stream_that_begins_in_the_middle_of_a_picture_is_read(pieces, tmp_path):
    first = pieces(tmp_path, (0,))[0]
    picture = next(place for place in range(0, len(first), PACKET) if first[place + 1] & 0x5F == 0x41)  # PID 256, a unit starts
    rest = bytearray(first[picture : picture + PACKET])
    rest[1], rest[3] = 0x01, rest[3] & 0xD0 | 0x05
    odd = tmp_path / "odd.ts"
    odd.write_bytes(first[:picture] + bytes(rest) + first[picture:])
    assert probe(odd, "odd.ts").frame_count == 25


def test_a_piece_that_is_missing_from_one_recording_is_lost(tmp_path):
    clip = clips.clip(tmp_path / "a.ts", seconds=3, more=("-g", 25))
    clips.ffmpeg("-i", clip, "-c", "copy", "-f", "hls", "-hls_time", 1, "-hls_segment_filename", tmp_path / "%d.ts", tmp_path / "a.m3u8")
    both = tmp_path / "both.ts"
    both.write_bytes((tmp_path / "0.ts").read_bytes() + (tmp_path / "2.ts").read_bytes())  # packets are counted through
    with pytest.raises(VideoError, match=r"1 packet is damaged, the first at 0\.\d\d s; copy it again"):
        probe(both, "both.ts")


@pytest.mark.parametrize("codec", ["libx264", "libx265", "mpeg2video"])
@pytest.mark.parametrize("lost", [1, 12, "as many as let the count go on"])
def test_a_piece_that_lost_its_end_is_refused_where_another_is_behind_it(codec, lost, tmp_path):
    source = ("-f", "lavfi", "-i", "testsrc2=d=2:s=160x96:r=25", "-c:v", codec, "-g", 25, "-bf", 2, "-pix_fmt", "yuv420p")
    more = ("-x265-params", "log-level=none:keyint=25:min-keyint=25:scenecut=0") if codec == "libx265" else ()
    clips.ffmpeg(*source, *more, "-f", "segment", "-segment_time", 1, "-segment_format", "mpegts", tmp_path / "%d.ts")
    first, second = [(tmp_path / f"{number}.ts").read_bytes() for number in (0, 1)]
    places = range(0, len(first), PACKET)
    pictures = [place for place in places if first[place + 1] & 0x1F == 1 and first[place + 2] == 0]  # PID 256
    if isinstance(lost, str):
        lost = next(lost for lost in range(1, 17) if first[pictures[-1 - lost] + 3] & 0x0F == 15)
    both = tmp_path / "both.ts"
    both.write_bytes(b"".join(first[place : place + PACKET] for place in places if place not in pictures[-lost:]) + second)
    with pytest.raises(VideoError, match=r"it is 2 recordings behind each other|damaged"):
        probe(both, "both.ts")


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
    with pytest.raises(VideoError, match=r"b.mp4: it is damaged at 0\.80 s: 'The cu_qp_delta 54 is .+', says FFmpeg's hevc; copy it again"):
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
