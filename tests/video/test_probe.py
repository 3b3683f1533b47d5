from __future__ import annotations

import os
import shlex
import struct
import zlib
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

import clips
from scrubin.base.errors import StageError, VideoError
from scrubin.curate.draft import read_header
from scrubin.media import probe as probing
from scrubin.media.containers import edit_list, h264
from scrubin.media.containers.edit_list import edit_lists
from scrubin.media.containers.pieces import UnreadableError
from scrubin.media.crops import refuse_cropped
from scrubin.media.decode import decoded
from scrubin.media.frame_reader import FrameReader
from scrubin.media.opening import content
from scrubin.media.probe import is_unfinished, probe
from scrubin.media.raw_file import stored_probe, stored_sha256
from scrubin.stages.frames.extract import packet_clock, wanted_frames


@pytest.mark.parametrize(
    ("name", "fps", "count", "has_audio"),
    [
        ("bikes", Fraction(25), 250, False),
        ("bigbuckbunny", Fraction(25), 132, True),
        ("carphone_pristine", Fraction(30000, 1001), 120, False),
    ],
)
def test_real_clips_have_their_exact_rate_and_every_frame(name, fps, count, has_audio):
    found = probe(clips.REAL[name], name)
    assert (found.fps, found.frame_count, found.has_audio, found.variable_rate) == (fps, count, has_audio, False)
    assert found.end_s == count / fps
    assert found.times_s[0] == 0


@pytest.mark.parametrize("suffix", ["mp4", "mkv", "mov", "avi"])
@pytest.mark.parametrize("fps", ["25", "30000/1001", "20", "60000/1001"])
def test_the_rate_is_exact_in_every_container(tmp_path, suffix, fps):
    found = probe(clips.clip(tmp_path / f"a.{suffix}", fps=fps), "a")
    assert (found.fps, found.variable_rate) == (Fraction(fps), False)
    assert abs(found.end_s - 2) < Fraction(1, 20)


@pytest.mark.parametrize("suffix", ["mp4", "mkv"])
def test_a_variable_rate_is_seen_in_the_times(tmp_path, suffix):
    pts = [n * 40 for n in range(20)] + [n * 40 + 300 for n in range(20, 30)]
    found = probe(clips.numbered(tmp_path / f"a.{suffix}", 30, pts=pts), "a")
    assert found.variable_rate
    assert [round(float(time) * 1000) for time in found.times_s] == pts


DROPPED = ("-vf", "setpts=N+2*floor(N/10)", "-fps_mode", "passthrough")
"""Behind every tenth frame two are missing."""


@pytest.mark.parametrize("more", [("-c:v", "mpeg4"), ("-bf", "0"), ("-bf", "1"), ("-bf", "3")])
def test_the_frames_of_an_avi_from_which_some_were_dropped_have_their_times(tmp_path, more):
    """FFmpeg takes the time of the next packet of H.264 for that of a frame: those in front of a gap were shown too late."""
    found = probe(clips.clip(tmp_path / "a.avi", more=(*more, *DROPPED)), "a")
    assert [time * 25 for time in found.times_s] == [n + 2 * (n // 10) for n in range(50)]
    assert found.end_s == Fraction(58, 25)


INTERLACED = ("-flags", "+ilme+ildct", "-x264-params", "tff=1")
X265 = ("-c:v", "libx265", "-x265-params", "log-level=0:bframes=3")


@pytest.mark.parametrize(("fps", "more"), [(24, ()), (60, ("-bf", 0)), (50, INTERLACED), (30, X265), (25, ("-c:v", "mpeg4", "-bf", 2))])
def test_the_rate_of_an_avi_of_which_a_frame_is_several_ticks_is_exact(fps, more, tmp_path):
    """FFmpeg shows the last frame one tick behind the one before it."""
    whole = clips.clip(tmp_path / "a.mp4", fps=str(fps), more=more)
    clips.ffmpeg("-i", whole, "-c", "copy", tmp_path / "a.avi")
    found = probe(tmp_path / "a.avi", "a")
    assert found.time_base < Fraction(1, fps)
    assert (found.fps, found.variable_rate, found.end_s, found.times_s) == (fps, False, 2, probe(whole, "a").times_s)


@pytest.mark.parametrize("ticks", [2, 3])
@pytest.mark.parametrize("count", [2, 3, 5, 25])
def test_the_rate_of_a_short_avi_of_few_ticks_a_frame_is_not_rounded_to_whole_frames_a_second(count, ticks, tmp_path):
    more = ("-frames:v", count, "-vf", rf"select='not(mod(n\,{ticks}))'", "-fps_mode", "passthrough", "-enc_time_base", "1/25")
    found = probe(clips.clip(tmp_path / "a.avi", seconds=4, more=(*more, "-c:v", "mpeg4", "-bf", 2)), "a")
    assert (found.fps, found.variable_rate, found.end_s) == (Fraction(25, ticks), False, Fraction(count * ticks, 25))


def test_the_last_frame_of_an_avi_with_steps_of_two_lengths_is_one_of_them_behind_the_one_before_it(tmp_path):
    whole = clips.clip(tmp_path / "a.mp4", more=("-bf", 1, "-vf", r"select='lt(mod(n\,3)\,2)'", "-fps_mode", "passthrough"))
    clips.ffmpeg("-i", whole, "-c", "copy", tmp_path / "a.avi")
    found, true = probe(tmp_path / "a.avi", "a"), probe(whole, "a")
    assert found.times_s[:-1] == true.times_s[:-1]
    assert [time - found.times_s[-2] for time in (found.times_s[-1], found.end_s)] == [Fraction(1, 25), Fraction(2, 25)]


@pytest.mark.parametrize("more", [("-bf", 0), ("-bf", 3), X265])
def test_the_last_frames_of_an_avi_with_gaps_go_on_by_whole_frames_where_one_is_several_ticks(tmp_path, more):
    """Of an AVI that it copies from an MP4 FFmpeg makes a frame several ticks."""
    whole = clips.clip(tmp_path / "a.mp4", more=(*more, *DROPPED))
    clips.ffmpeg("-i", whole, "-c", "copy", tmp_path / "a.avi")
    found = probe(tmp_path / "a.avi", "a")
    assert found.time_base < Fraction(1, 25)
    assert (found.times_s, found.end_s) == (probe(whole, "a").times_s, Fraction(58, 25))


def test_a_film_whose_first_frames_have_no_time_is_refused_and_all_are_counted(tmp_path):
    """Matroska states times from 0 on: what is shown before has none, and winding to 0 left it out."""
    plain = clips.clip(tmp_path / "a.mp4", more=("-g", 20))
    clips.ffmpeg("-i", plain, "-c", "copy", "-avoid_negative_ts", "disabled", "-output_ts_offset", -0.4, tmp_path / "b.mkv")
    with pytest.raises(
        VideoError, match=r"b: 1\d frames of 50 have no time; .* own file that it was made from, not from this one, .* make_zero a\.mkv"
    ):
        probe(tmp_path / "b.mkv", "b")


def with_edits(path, *edits):
    """The same MP4 with another edit list: how long each lasts, where it begins in the film (both in milliseconds), its rate."""
    data = path.read_bytes()
    assert struct.unpack(">I", data[data.index(b"mvhd") + 16 :][:4]) == (1000,)
    per_ms = struct.unpack(">I", data[data.index(b"mdhd") + 16 :][:4])[0] / 1000
    place = data.index(b"elst") - 4
    old = struct.unpack(">I", data[place : place + 4])[0]
    rows = [struct.pack(">iii", lasts, round(begins * per_ms) if begins >= 0 else -1, round(rate * 65536)) for lasts, begins, rate in edits]
    new = struct.pack(">I4sII", 16 + 12 * len(rows), b"elst", 0, len(rows)) + b"".join(rows)
    other = bytearray(data[:place] + new + data[place + old :])
    for box in (b"edts", b"trak", b"moov"):  # behind the pictures, whose places stay
        at = data.rindex(box, 0, place) - 4
        other[at : at + 4] = struct.pack(">I", struct.unpack(">I", data[at : at + 4])[0] + len(new) - old)
    path.write_bytes(other)
    return path


@pytest.mark.parametrize(
    ("edits", "reason"),
    [
        ([(1000, 0, 1)], ""),
        ([(500, -1, 1), (1000, 0, 1)], ""),
        ([(300, -1, 1), (200, -1, 1), (1000, 0, 1)], ""),
        ([(500, 0, 1), (0, -1, 1), (0, 500, 1)], ""),
        ([(1000, 0, 1), (0, 0, 0)], ""),
        ([(500, 200, 1), (400, -1, 1), (500, 1000, 1)], "its edit list has a pause, as edit 2, which FFmpeg passes over"),
        ([(500, 200, 1), (400, -1, 1)], "its edit list has a pause, as edit 2, which FFmpeg passes over"),
        ([(500, 200, 1), (400, 680, 0)], "its edit list plays edit 2 at the rate 0, which FFmpeg passes over"),
        ([(0, 200, 1)], "its edit list shows nothing: none of its edits lasts any time"),
        ([(500, 1000, 1), (500, 200, 1)], "its edit list shows 2 pieces of a film whose pictures are decoded in another order"),
        ([(1000, 80, 1), (1000, 1080, 1)], "its edit list shows 2 pieces of a film whose pictures are decoded in another order"),
        ([(0, 200, 0)], "its edit list plays edit 1 at the rate 0, which FFmpeg passes over"),
        ([(500, 200, 0), (500, 1000, 1)], "its edit list plays edit 1 at the rate 0, which FFmpeg passes over"),
        ([(500, 200, 1), (500, 1000, 2)], "its edit list plays edit 2 at the rate 2, which FFmpeg passes over"),
    ],
)
def test_edit_lists_that_ffmpeg_does_not_follow_are_refused(edits, reason, tmp_path):
    """It would release frames that no edit names, which no player shows."""
    path = with_edits(clips.clip(tmp_path / "a.mp4"), *edits)
    if not reason:
        assert probe(path, "a.mp4").frame_count <= 50
        return
    with pytest.raises(VideoError, match=reason) as refused:
        probe(path, "a.mp4")
    fix = "export it again from the recorder" if "nothing" in reason else "export it anew as one film without edits, with the program in"
    assert refused.value.fix.startswith(fix)


def test_pieces_of_an_edit_list_have_their_times_where_pictures_are_decoded_as_they_are_shown(tmp_path):
    path = with_edits(clips.clip(tmp_path / "a.mp4", more=("-bf", 0, "-movflags", "+negative_cts_offsets")), (480, 1000, 1), (520, 200, 1))
    found = probe(path, "a.mp4")
    assert (found.frame_count, found.fps, found.variable_rate, found.end_s) == (25, 25, False, 1)


FRAGMENTS = ("-g", 12, "-movflags", "+frag_keyframe+delay_moov+default_base_moof")
NEGATIVE = (*FRAGMENTS[:-1], FRAGMENTS[-1] + "+negative_cts_offsets")
"""Their frames lie two frames earlier in the film, so that the first is at 0; FFmpeg shows them a frame later than that."""


@pytest.mark.parametrize("more", [FRAGMENTS, NEGATIVE])
@pytest.mark.parametrize(
    ("edits", "reason"),
    [
        ([(0, 80, 1)], ""),
        ([(0, 0, 1)], ""),
        ([(0, 110, 1)], ""),  # in the middle of the first frame
        ([(2000, 80, 1)], ""),
        ([(500, -1, 1), (9000, 80, 1)], ""),
        ([(0, 130, 1)], "its edit list hides 1 of its 50 frames"),
        ([(0, 480, 1)], "its edit list hides 10 of its 50 frames, which FFmpeg shows, as the film lies in fragments"),
        ([(400, -1, 1), (0, 480, 1)], "its edit list hides 10 of its 50 frames"),
        ([(1000, 80, 1)], "its edit list hides 25 of its 50 frames"),
        ([(1000, 480, 1)], "its edit list hides 25 of its 50 frames"),
        ([(480, 80, 1), (1000, 1040, 1)], "its edit list shows 2 pieces of a film in fragments, of which FFmpeg shows all"),
    ],
)
def test_fragments_of_which_an_edit_list_hides_frames_are_refused(edits, reason, more, tmp_path):
    """FFmpeg takes of such a list by how much times are shifted, and shows all frames."""
    early_ms = 80 if more == NEGATIVE else 0
    edits = [(lasts, max(0, begins - early_ms) if begins >= 0 else -1, rate) for lasts, begins, rate in edits]
    path = with_edits(clips.clip(tmp_path / "a.mp4", more=more), *edits)
    if not reason:
        assert probe(path, "a.mp4").frame_count == 50
        return
    with pytest.raises(VideoError, match=reason):
        probe(path, "a.mp4")


def as_said(fix, path, target, place=""):
    """Run the command for a file that a mend names, on Linux."""
    command = fix.split("ffmpeg ", 1)[1].split("; ")[0]
    trim = next((word for word in command.split() if word.startswith("trim=")), "")
    words = shlex.split(command.replace(trim, place or trim) if trim else command)
    clips.ffmpeg(*[path if word == "FILE" else word for word in words[:-1]], target)
    return target


def numbers_of(path, whole):
    """Which frames of another film those of a film are most like."""
    known = np.stack([frame.to_ndarray(format="rgb24").astype(np.int16) for frame in decoded(whole, "whole")])
    return [int(np.abs(known - frame.to_ndarray(format="rgb24")).mean(axis=(1, 2, 3)).argmin()) for frame in decoded(path, path.name)]


MIXED = ("-g", 12, "-movflags", "+frag_keyframe+negative_cts_offsets")
LATE = ("-force_key_frames", "expr:lt(n,20)", "-movflags", "+frag_keyframe+delay_moov+default_base_moof+negative_cts_offsets")
LISTED = (*LATE[:-1], LATE[-1] + "+global_sidx")
LATER = ("-g", 12, "-force_key_frames", "expr:lt(n,3)", *MIXED[2:])
BRIEF = ("-g", 250, "-frag_duration", 120000, "-movflags", "+default_base_moof+negative_cts_offsets")
LAST = ("-g", 250, "-force_key_frames", "expr:lt(n,2)", "-movflags", "+dash+frag_keyframe+negative_cts_offsets")


@pytest.mark.parametrize(
    ("more", "is_late"),
    [(MIXED, True), (LISTED, True), (LAST, True), (LATE, False), (LATER, False), (NEGATIVE, False), (BRIEF, False)],
)
def test_fragments_of_which_ffmpeg_shows_some_later_than_others_are_refused_with_a_mend_that_works(more, is_late, tmp_path):
    """It shows what is in an index with negative offsets on time, and behind a table of fragments those in front of the first such offset.

    All are as late where only fragments have such offsets, or but the last two rows of the index. Where each
    fragment has a table, that of the last one reaches the end.
    """
    path = clips.clip(tmp_path / "a.mp4", more=more)
    if is_late:
        with pytest.raises(
            VideoError, match=r"negative composition offsets, by which FFmpeg delays the later ones up to 0\.040 s"
        ) as refused:
            probe(path, "a.mp4")
        path = as_said(refused.value.fix, path, tmp_path / "b.mkv")
    found = probe(path, "a.mp4")
    assert (found.frame_count, found.fps, found.variable_rate, found.end_s) == (50, 25, False, 2)


def test_fragments_whose_table_ends_in_front_of_the_end_of_the_file_are_not_delayed_against_each_other(tmp_path):
    path = clips.clip(tmp_path / "a.mp4", more=LISTED)
    path.write_bytes(path.read_bytes() + b"\0\0\0\x10free12345678")
    assert (probe(path, "a.mp4").frame_count, probe(path, "a.mp4").fps) == (50, 25)


def test_an_index_whose_table_of_lengths_has_a_row_of_no_pictures_has_none(tmp_path):
    path = clips.clip(tmp_path / "a.mp4", more=NEGATIVE)
    empty, row = (struct.pack(">I4sQI4sQ", 16, b"stts", 0, 16, b"stsc", 0), struct.pack(">I4sQQI4s", 24, b"stts", 1, 512, 8, b"free"))
    assert empty in path.read_bytes()
    path.write_bytes(path.read_bytes().replace(empty, row))
    assert (probe(path, "a.mp4").frame_count, probe(path, "a.mp4").fps) == (50, 25)


def test_an_edit_list_hides_frames_of_fragments_also_where_the_first_negative_offset_stands_behind_many(tmp_path, monkeypatch):
    monkeypatch.setattr(edit_list, "_MOST_BOXES", 20)
    path = clips.clip(tmp_path / "a.mp4", more=(*LATE[:-1], LATE[-1].replace("frag_keyframe", "frag_every_frame")))
    with pytest.raises(VideoError, match="its edit list hides 2 of its 50 frames"):
        probe(with_edits(path, (0, 80, 1)), "a.mp4")


@pytest.mark.parametrize("more", [("-g", 12), ("-g", 12, "-movflags", "+negative_cts_offsets")])
def test_an_edit_list_of_a_whole_film_hides_the_same_frames_whatever_its_offsets(more, tmp_path):
    early_ms = 80 if "-movflags" in more else 0
    path = with_edits(clips.clip(tmp_path / "a.mp4", more=more), (1000, 480 - early_ms, 1))
    assert probe(path, "a.mp4").frame_count == 25
    assert numbers_of(path, clips.clip(tmp_path / "whole.mkv")) == list(range(10, 35))


def test_a_message_names_no_more_pieces_of_an_edit_list_than_a_person_reads(tmp_path):
    path = with_edits(clips.clip(tmp_path / "a.mp4"), *[(40, 80 + number % 50 * 40, 1) for number in range(2000)])
    with pytest.raises(VideoError, match="its edit list shows 2000 pieces") as refused:
        probe(path, "a.mp4")
    assert refused.value.fix.endswith(", and so on")
    assert len(str(refused.value)) < 1000


@pytest.mark.parametrize("more", [FRAGMENTS, NEGATIVE])
def test_what_edit_lists_show_that_are_refused_can_be_cut_out_as_the_message_says(more, tmp_path):
    whole = clips.clip(tmp_path / "whole.mkv")
    lone = with_edits(clips.clip(tmp_path / "a.mp4", more=more), (1000, 400 if more == NEGATIVE else 480, 1))
    with pytest.raises(VideoError, match="hides 25 of its 50 frames") as refused:
        probe(lone, "a.mp4")
    assert numbers_of(as_said(refused.value.fix, lone, tmp_path / "1.mkv"), whole) == list(range(10, 35))
    pieces = with_edits(clips.clip(tmp_path / "b.mp4"), (500, 1080, 1), (480, 280, 1))
    with pytest.raises(VideoError, match="shows 2 pieces") as refused:
        probe(pieces, "b.mp4")
    fix, other = refused.value.fix.rsplit("; then with ", 1)
    assert numbers_of(as_said(fix, pieces, tmp_path / "2.mkv"), whole) == list(range(25, 38))
    assert numbers_of(as_said(fix, pieces, tmp_path / "3.mkv", other), whole) == list(range(5, 17))
    assert [probe(tmp_path / f"{n}.mkv", "a").fps for n in (1, 2, 3)] == [25] * 3


def with_compressed_index(data, stated=None):
    """The same MP4, whose index is its last box, with this as QuickTime compressed it; it may state another number of bytes."""
    place = data.rindex(b"moov") - 4
    packed = zlib.compress(data[place:])
    inside = (
        struct.pack(">I4s4sI4sI", 12, b"dcom", b"zlib", 12 + len(packed), b"cmvd", len(data) - place if stated is None else stated) + packed
    )
    return data[:place] + struct.pack(">I4sI4s", 16 + len(inside), b"moov", 8 + len(inside), b"cmov") + inside


@pytest.mark.parametrize("form", ["ftyp", "uuid", "pnot", "compressed"])
def test_edit_lists_are_found_whatever_an_mp4_begins_with_and_where_its_index_is_compressed(form, tmp_path):
    plain, path = clips.clip(tmp_path / "a.mp4").read_bytes(), tmp_path / "b.mp4"
    for edits in ((2000, 80, 1),), ((500, 80, 1), (400, -1, 1)):
        path.write_bytes(plain)
        data = with_edits(path, *edits).read_bytes()
        path.write_bytes(with_compressed_index(data) if form == "compressed" else data[:4] + form.encode() + data[8:])
        if len(edits) == 1:
            assert probe(path, "b.mp4").frame_count == 50
    with pytest.raises(VideoError, match="its edit list has a pause, as edit 2"):
        probe(path, "b.mp4")


def test_an_mp4_whose_avcc_is_damaged_is_refused_by_its_name(tmp_path):
    """It states two sequence parameter sets where it has one, and ends before the number of the others."""
    path = clips.clip(tmp_path / "a.mp4")
    data = bytearray(path.read_bytes())
    data[data.index(b"avcC") + 9] = 0xE2
    path.write_bytes(data)
    with pytest.raises(VideoError, match=r"^a\.mp4: "):
        probe(path, "a.mp4")


@pytest.mark.parametrize("stated", [0, (1 << 32) - 1])
def test_a_compressed_index_is_not_inflated_without_a_limit(stated, tmp_path):
    (tmp_path / "b.mp4").write_bytes(with_compressed_index(clips.clip(tmp_path / "a.mp4").read_bytes(), stated))
    with pytest.raises(UnreadableError, match=r"its index \(moov\) is compressed, and states that it has"):
        edit_lists(content(tmp_path / "b.mp4"))


def test_an_index_is_not_read_into_memory_without_a_limit(tmp_path):
    """Its last box is 6 GB that mean nothing, of which the disk holds none."""
    path = clips.clip(tmp_path / "a.mp4")
    data = path.read_bytes()
    index, more = data.rindex(b"moov") - 4, 6 << 30
    large = struct.pack(">I4sQ", 1, b"moov", len(data) - index + 8 + more)
    with path.open("wb") as file:
        file.write(data[:index] + large + data[index + 8 :] + struct.pack(">I4sQ", 1, b"free", more))
        file.truncate(file.tell() + more - 16)
    with pytest.raises(VideoError, match=r"a\.mp4: its index \(moov or moof\) states that it has 6,\d{3},\d{3},\d{3} bytes; copy it again"):
        probe(path, "a.mp4")


def test_an_edit_list_behind_more_boxes_than_are_looked_at_is_refused_and_a_long_film_in_fragments_is_not(tmp_path):
    data = with_edits(clips.clip(tmp_path / "a.mp4"), (500, 80, 1), (400, -1, 1)).read_bytes()
    index, many = data.index(b"moov") - 4, struct.pack(">I4s", 8, b"free") * 10_000
    (tmp_path / "a.mp4").write_bytes(data[:index] + many + data[index:])
    with pytest.raises(VideoError, match=r"it has 10,000 boxes or more around its index \(moov\)") as refused:
        probe(tmp_path / "a.mp4", "a.mp4")
    assert refused.value.fix.startswith("copy it again from the recorder")
    long = clips.clip(tmp_path / "b.mp4", more=("-movflags", "frag_keyframe+empty_moov+default_base_moof")).read_bytes()
    (tmp_path / "b.mp4").write_bytes(long + struct.pack(">I4sI4s", 8, b"moof", 8, b"mdat") * 10_000)
    assert probe(tmp_path / "b.mp4", "b.mp4").frame_count == 50
    (tmp_path / "b.mp4").write_bytes(long + many)
    with pytest.raises(VideoError, match=r"or behind a fragment \(moof\), and no more of them are looked at"):
        probe(tmp_path / "b.mp4", "b.mp4")


class Written:
    """A bit string."""

    def __init__(self):
        self.bits = ""

    def u(self, count, value):
        self.bits += format(value, f"0{count}b") if count else ""
        return self

    def ue(self, *values):
        for value in values:
            self.bits += format(value + 1, f"0{2 * (value + 1).bit_length() - 1}b")
        return self

    def end(self):
        """As bytes, padded by zeros."""
        return int(self.bits.ljust(-(-len(self.bits) // 8) * 8, "0"), 2).to_bytes(-(-len(self.bits) // 8), "big")


def field(number, *, bottom):
    """One field of a film of 32 x 32 pixels, which is one grey: raw samples (I_PCM), H.264, 7.3.3 and 7.3.5."""
    is_idr = not number and not bottom
    head = Written().ue(0, 7, 0).u(4, number % 16).u(1, 1).u(1, bottom).ue(*[0] * is_idr).u(8, (2 * number + bottom) % 256)
    head.u(2 if is_idr else 1, 0).ue(0).ue(1)
    samples = bytes([16 + 4 * number + 2 * bottom]) * 256 + bytes([128]) * 128
    body = b""
    for _ in range(2):
        body += head.ue(25).end() + samples
        head = Written()
    unit = bytes([0x65 if is_idr else 0x61]) + body + b"\x80"
    assert b"\0\0\0" not in unit
    assert b"\0\0\1" not in unit
    return b"\0\0\1" + unit


SETS = (
    b"\0\0\1\x67"
    + Written().u(8, 77).u(8, 0).u(8, 30).ue(0, 0, 0, 4, 1).u(1, 0).ue(1, 0).u(1, 0).u(1, 0).u(1, 1).u(1, 0).u(1, 0).u(1, 1).end()
    + b"\0\0\1\x68"
    + Written().ue(0, 0).u(2, 0).ue(0, 0, 0).u(3, 0).ue(0, 0, 0).u(3, 0b100).u(1, 1).end()
)


def single(number):
    """A picture of the same film that is one frame, in two macroblocks of each row."""
    head = Written().ue(0, 7, 0).u(4, number % 16).u(1, 0).ue(*[0] * (not number)).u(8, 2 * number % 256)
    head.u(1 if number else 2, 0).ue(0).ue(1)
    body = b""
    for _ in range(4):
        body += head.ue(25).end() + bytes([16 + 4 * number]) * 256 + bytes([128]) * 128
        head = Written()
    return b"\0\0\1" + bytes([0x61 if number else 0x65]) + body + b"\x80"


def mixed(path, *, together):
    """A film of 25 frames, of which every third is one picture, and others are two fields, in a packet or two."""
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=50)
        stream.width = stream.height = 32
        stream.pix_fmt = "yuv420p"
        stream.codec_context.extradata = SETS
        for number in range(25):
            fields = [field(number, bottom=0), field(number, bottom=1)] if number % 3 else [single(number)]
            for place, data in enumerate([b"".join(fields)] if together else fields):
                packet = av.Packet((b"" if number else SETS) + data)
                packet.stream, packet.time_base = stream, Fraction(1, 50)
                packet.pts = packet.dts = 2 * number + place
                packet.is_keyframe = number == 0
                out.mux(packet)
    return path


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("suffix", ["mkv", "mp4", "ts"])
def test_frames_of_one_picture_and_of_two_fields_in_one_film_come_out_whole_whatever_threads_there_are(
    suffix, together, tmp_path, monkeypatch
):
    """Threads that share pictures made FFmpeg mark those of two fields behind one of a single picture as damaged."""
    path = mixed(tmp_path / "a.ts", together=together)
    if suffix != "ts":
        path = path.with_suffix(f".{suffix}")
        clips.ffmpeg("-i", tmp_path / "a.ts", "-c", "copy", path)
    found = probe(path, path.name)
    assert (found.frame_count, found.fps) == (25, 25)
    for threads in ("1", "2", "4"):
        monkeypatch.setenv("SCRUBIN_DECODER_THREADS", threads)
        assert [frame.to_ndarray()[0, 0] for frame in decoded(path, path.name)] == [16 + 4 * number for number in range(25)]
        reader = FrameReader(path, path.name, found)
        assert [reader.frame(number).to_ndarray()[0, 0] for number in (20, 3, 24)] == [96, 28, 112]
        reader.close()
    if suffix == "mkv" and together:
        clock = packet_clock(path, path.name, "")
        wanted = wanted_frames(path, Fraction(25), clock, path.name, "", skip=False)
        assert [one.picture.to_ndarray()[0, 0] for one in wanted] == [16 + 4 * number for number in range(25)]


def in_fields(path):
    """A film of 25 frames, interlaced, with a packet for each of their two fields (PAFF)."""
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=50)
        stream.width = stream.height = 32
        stream.pix_fmt = "yuv420p"
        stream.codec_context.extradata = SETS
        for number in range(50):
            packet = av.Packet((b"" if number else SETS) + field(number // 2, bottom=number % 2))
            packet.stream, packet.time_base = stream, Fraction(1, 50)
            packet.pts = packet.dts = number
            packet.is_keyframe = number == 0
            out.mux(packet)
    return path


@pytest.mark.parametrize("suffix", ["mkv", "mp4", "ts"])
def test_two_packets_with_a_field_each_are_one_frame(suffix, tmp_path):
    path = in_fields(tmp_path / "a.ts")
    if suffix != "ts":
        path = path.with_suffix(f".{suffix}")
        clips.ffmpeg("-i", tmp_path / "a.ts", "-c", "copy", path)
    found = probe(path, path.name)
    assert (found.frame_count, found.fps, found.variable_rate, found.end_s) == (25, 25, False, 1)
    frames = [frame.to_ndarray() for frame in decoded(path, path.name)]
    assert [frame[0, 0] for frame in frames] == [16 + 4 * number for number in range(25)]
    reader = FrameReader(path, path.name, found)
    for number in (20, 3, 24, 0, 11):
        assert (reader.frame(number).to_ndarray() == frames[number]).all()
    reader.close()


def test_times_of_decoding_that_go_back_by_half_a_second_begin_again(tmp_path):
    """Counts go on, as where a recorder was started anew: nothing but the times tells."""
    more = ("-an", "-bf", "0", "-f", "mpeg", "-c:v", "mpeg2video")
    both = b"".join(clips.clip(tmp_path / f"{shift}.mpg", more=(*more, "-output_ts_offset", shift)).read_bytes() for shift in ("0", "1.5"))
    (tmp_path / "both.mpg").write_bytes(both)
    with pytest.raises(VideoError, match=r"its times begin again at frame 50 \(1\.96 s\), as where files were put behind each other"):
        probe(tmp_path / "both.mpg", "both.mpg")


def test_it_is_said_at_which_second_times_begin_again_where_the_first_of_them_are_the_higher_ones(tmp_path):
    both, codec = b"", ("-c:v", "mpeg2video", "-bf", 2, "-g", 12, "-q:v", 6)
    for offset in (50_000, 1_000):
        film = clips.clip(tmp_path / "a.vob", seconds=3, more=(*codec, "-f", "vob", "-output_ts_offset", offset))
        both += film.read_bytes()
    (tmp_path / "b.vob").write_bytes(both)
    with pytest.raises(VideoError, match=r"its times begin again at frame 75 \(2\.96 s\)"):
        probe(tmp_path / "b.vob", "b.vob")


@pytest.mark.parametrize(("b_frames", "offsets"), [(0, (7200, 0)), (2, (7200, 0)), (0, (7200, 30)), (0, (100, 0)), (0, (3700, 95000))])
def test_a_clock_that_begins_again_is_no_gap_of_a_day(b_frames, offsets, tmp_path):
    """FFmpeg counts on where a clock goes back by more than a minute, as if it had no higher number; 95000 s are 3700 s less 4143 s."""
    more = ("-c:v", "mpeg2video", "-bf", b_frames, "-f", "vob")
    both = [clips.clip(tmp_path / "a.mpg", more=(*more, "-output_ts_offset", offset)).read_bytes() for offset in offsets]
    (tmp_path / "both.mpg").write_bytes(b"".join(both))
    with pytest.raises(VideoError, match=r"both\.mpg: its times begin again at frame 50 \(1\.96 s\), as where files were put behind"):
        probe(tmp_path / "both.mpg", "both.mpg")


@pytest.mark.parametrize("suffix", ["ts", "mpg"])
@pytest.mark.parametrize("before_s", [2, 65])
def test_a_clock_that_has_no_higher_number_goes_on(suffix, before_s, tmp_path):
    """FFmpeg counts such times on, or counts those before them below 0 where the film begins less than a minute before."""
    more = ("-c:v", "mpeg2video", "-f", "mpegts" if suffix == "ts" else "vob", "-output_ts_offset", 2**33 / 90000 - before_s)
    path = clips.clip(tmp_path / f"a.{suffix}", seconds=before_s + 2, more=more)
    with av.open(str(path), options={"correct_ts_overflow": "0"}) as container:
        stated = [packet.dts for packet in container.demux(video=0) if packet.dts is not None]
    assert min(np.diff(stated)) < -(2**32)
    found = probe(path, path.name)
    assert (found.frame_count, found.fps, found.variable_rate, found.end_s) == (25 * (before_s + 2), 25, False, before_s + 2)


def timed(path, times_ms):
    """A Matroska of which packet n, a frame that is shown as it is decoded, has such a time."""
    clips.clip(path.with_suffix(".h264"), more=("-bf", 0))
    with av.open(str(path.with_suffix(".h264"))) as source, av.open(str(path), "w") as out:
        stream = out.add_stream_from_template(source.streams.video[0])
        for number, packet in enumerate(packet for packet in source.demux(video=0) if packet.size):
            packet.stream, packet.time_base = stream, Fraction(1, 1000)
            packet.pts, packet.dts, packet.duration = times_ms[number], number - 1000, 40
            out.mux(packet)
    return path


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({30: 990}, "frame 30 is shown at 0.990 s, frame 29 before it at 1.160 s"),
        ({number: 40 * number - 490 for number in range(30, 40)}, "frame 30 is shown at 0.710 s, frame 29 before it at 1.160 s"),
        ({29: 1200, 30: 1160}, "frame 30 is shown at 1.160 s, frame 29 before it at 1.200 s"),
    ],
)
def test_times_that_are_not_in_the_order_of_the_pictures_are_refused_with_a_mend_that_works(changed, said, tmp_path):
    path = timed(tmp_path / "a.mkv", [changed.get(number, 40 * number) for number in range(50)])
    with pytest.raises(VideoError, match=f"its times are not in the order of its pictures: {said}") as refused:
        probe(path, "a.mkv")
    with pytest.raises(VideoError, match=said):
        list(decoded(path, "a.mkv"))
    mended = probe(as_said(refused.value.fix, path, tmp_path / "b.mkv"), "b.mkv")
    assert (mended.frame_count, mended.fps, mended.variable_rate) == (50, 25, False)
    whole = clips.clip(tmp_path / "whole.mkv", more=("-bf", 0))
    assert numbers_of(tmp_path / "b.mkv", whole) == list(range(50))


@pytest.mark.parametrize("codec", ["libx264", "mpeg4"])
def test_an_avi_that_was_put_into_an_mp4_has_times_of_decoding_and_is_refused(codec, tmp_path):
    """Its packets are in order; its pictures are not, as AVI does not say when they are shown."""
    clips.clip(tmp_path / "a.avi", more=("-c:v", codec, "-bf", 2))
    clips.ffmpeg("-i", tmp_path / "a.avi", "-map", "0:v", "-c", "copy", tmp_path / "a.mp4")
    with pytest.raises(VideoError, match=r"its times are not in the order of its pictures: frame \d+ is shown at"):
        probe(tmp_path / "a.mp4", "a.mp4")


def unannounced(_, unit):
    """A sequence parameter set of a film of 96 x 64 pixels that does not say how many frames are reordered; other units as they are."""
    if h264.unit_type(unit) != h264.SPS:
        return unit
    old = h264.sequence(unit)
    new = Written().u(8, old.profile).u(8, old.compatibility).u(8, old.level).ue(0, old.frame_bits - 4, 0, old.order_bits - 4, 4)
    return unit[:1] + new.u(1, 0).ue(5, 3).u(2, 0b11).u(2, 0).u(1, 1).end()


@pytest.mark.parametrize("suffix", ["mkv", "ts"])
def test_a_frame_that_is_left_out_where_b_frames_begin_late_comes_back_as_the_message_says(suffix, tmp_path):
    late = ("-preset", "veryfast", "-profile:v", "main", "-bf", 3, "-force_key_frames", "expr:lt(n,30)")
    whole = clips.clip(tmp_path / "whole.mp4", seconds=3, more=late)
    path = tmp_path / f"a.{suffix}"
    clips.ffmpeg("-i", clips.with_other_units(whole, tmp_path / "a.mp4", unannounced), "-c", "copy", path)
    with pytest.raises(VideoError, match="frame 30 is damaged, or left out by its decoder") as refused:
        FrameReader(path, path.name, probe(path, path.name)).frame(74)
    assert numbers_of(as_said(refused.value.fix, path, tmp_path / "b.mkv"), whole) == list(range(75))


@pytest.mark.parametrize(("first", "most"), [((), 60), (("-bf", 0), 1)])
def test_of_an_ordinary_film_no_more_than_the_first_frames_are_decoded(first, most, tmp_path, monkeypatch):
    """Its B-frames refer to each other, so that two are decoded before one that is shown before them."""
    counts, looked_at = [], probing._first_frame
    monkeypatch.setattr(probing, "_first_frame", lambda path, name, count: (counts.append(count), looked_at(path, name, count))[1])
    path = clips.clip(tmp_path / "a.mp4", seconds=8, more=("-preset", "medium", *first))
    assert probe(path, "a.mp4").frame_count == 200
    assert 1 <= counts[0] <= most


def test_a_film_is_decoded_up_to_the_packet_that_is_shown_before_most_of_those_in_front_of_it():
    ordinary = [0, 4, 2, 1, 3, 8, 6, 5, 7]
    assert probing._telling_frames(range(100), reorders=False) == 1
    assert probing._telling_frames(range(100), reorders=True) == probing.ORDER_FRAMES
    assert probing._telling_frames(ordinary, reorders=True) == probing.ORDER_FRAMES + 3
    late = [*ordinary, *range(9, 300), 400, 401, 402, 300, *range(301, 400)]
    assert probing._telling_frames(late, reorders=True) == probing.ORDER_FRAMES + late.index(300)
    later = [*range(5000), 5003, 5001, 5000, 5002]
    assert probing._telling_frames(later, reorders=True) == probing.ORDER_FRAMES + probing.MOST_ORDER_FRAMES


def test_a_lone_piece_of_a_film_is_mended_as_the_refusal_says(tmp_path):
    whole = clips.clip(tmp_path / "whole.ts", more=("-c:v", "mpeg2video", "-bf", 2, "-g", 12, "-q:v", 3))
    clips.ffmpeg("-i", whole, "-map", "0:v:0", "-c", "copy", "-f", "segment", "-segment_time", "1", tmp_path / "%d.ts")
    with pytest.raises(VideoError, match=r"1\.ts: its first 2 frames need pictures of a file before it") as refused:
        probe(tmp_path / "1.ts", "1.ts")
    alone = refused.value.fix[refused.value.fix.index("where there is no piece before it") :]
    mended = as_said(alone, tmp_path / "1.ts", tmp_path / "a.mkv")
    numbers = numbers_of(mended, whole)
    assert numbers == list(range(50 - len(numbers), 50))
    assert probe(mended, "a.mkv").frame_count == len(numbers) > 10


@pytest.mark.parametrize(
    ("form", "coder", "fps"),
    [
        ("mjpeg", "mjpeg", None),
        ("obu", "libaom-av1", None),
        ("hevc", "libx265", None),
        ("mpeg2video", "mpeg2video", 50),
        ("m4v", "mpeg4", 50),
    ],
)
def test_a_bare_stream_is_refused_by_whoever_opens_it_unless_it_states_its_rate(form, coder, fps, tmp_path):
    path = tmp_path / f"a.{form}"
    clips.ffmpeg("-f", "lavfi", "-i", "color=gray:size=64x64:rate=50:duration=0.4", "-c:v", coder, "-f", form, path)
    if fps:
        assert (probe(path, "a").fps, read_header(path, "a").fps) == (fps, fps)
        return
    for opened in (probe, read_header):
        with pytest.raises(VideoError, match="it is a bare stream, which has no times") as refused:
            opened(path, "a")
        assert "mkvmerge --default-duration" in refused.value.fix


def test_a_piece_of_a_film_that_begins_with_pictures_of_the_one_before_is_named_and_its_mend_works(tmp_path):
    """Its first two pictures, B pictures of an open group, refer to the last one of the piece before it."""
    whole = clips.clip(tmp_path / "whole.m2v", more=("-c:v", "mpeg2video", "-bf", "2", "-g", "12", "-q:v", "3")).read_bytes()
    cut = [place for place in range(len(whole)) if whole.startswith(b"\0\0\1\xb3", place)][2]
    pieces = tmp_path / "1.mpg", tmp_path / "2.mpg"
    for path, data in zip(pieces, (whole[:cut], whole[cut:]), strict=True):
        (tmp_path / "a.m2v").write_bytes(data)
        clips.ffmpeg("-framerate", 25, "-i", tmp_path / "a.m2v", "-c", "copy", "-f", "vob", path)
    assert probe(pieces[0], "1.mpg").frame_count < 50
    with pytest.raises(VideoError, match=r"2\.mpg: its first 2 frames need pictures of a file before it to be decoded") as refused:
        probe(pieces[1], "2.mpg")
    assert "cat FIRST FILE > WHOLE" in refused.value.fix
    clips.ffmpeg("-framerate", 25, "-i", tmp_path / "whole.m2v", "-c", "copy", "-f", "vob", tmp_path / "whole.mpg")
    data = (tmp_path / "whole.mpg").read_bytes()
    pack = next(at for at in range(len(data) // 2 // 2048 * 2048, len(data), 2048) if b"\0\0\1\xb3" in data[at : at + 2048])
    (tmp_path / "first.mpg").write_bytes(data[:pack])
    (tmp_path / "second.mpg").write_bytes(data[pack:])
    (tmp_path / "joined.mpg").write_bytes((tmp_path / "first.mpg").read_bytes() + (tmp_path / "second.mpg").read_bytes())
    assert len(list(decoded(tmp_path / "joined.mpg", "joined.mpg"))) == probe(tmp_path / "joined.mpg", "joined.mpg").frame_count == 50


def test_pieces_of_a_transport_stream_are_put_together_as_the_refusal_says(tmp_path):
    """Each piece counts its packets anew, so that `cat` makes what looks like recordings behind each other."""
    whole = clips.clip(tmp_path / "whole.ts", more=("-c:v", "mpeg2video", "-bf", "2", "-g", "12", "-q:v", "3"))
    clips.ffmpeg("-i", whole, "-map", "0:v:0", "-c", "copy", "-f", "segment", "-segment_time", "1", tmp_path / "%d.ts")
    with pytest.raises(VideoError, match=r"1\.ts: its first 2 frames need pictures of a file before it to be decoded") as refused:
        probe(tmp_path / "1.ts", "1.ts")
    command = next(part for part in refused.value.fix.split("; ") if part.startswith("of TS with: ffmpeg "))
    pieces = command.removeprefix("of TS with: ffmpeg ").replace("FIRST", str(tmp_path / "0.ts")).replace("FILE", str(tmp_path / "1.ts"))
    clips.ffmpeg(*shlex.split(pieces)[:-1], tmp_path / "whole.mkv")
    assert len(list(decoded(tmp_path / "whole.mkv", "whole.mkv"))) == probe(tmp_path / "whole.mkv", "whole.mkv").frame_count == 50


def test_frames_of_a_transport_stream_without_a_time_are_named_with_a_mend_that_works(tmp_path):
    """A message in front of each delimiter makes FFmpeg lose times of key frames; none is negative."""
    note = "h264_metadata=sei_user_data=086f3693-b7b3-4f2c-9653-21492feee5b8+hello"
    path = clips.clip(tmp_path / "a.ts", more=("-pix_fmt", "yuv420p", "-g", "10", "-bsf:v", note))
    with pytest.raises(VideoError, match=r"\d frames of 50 have no time") as refused:
        probe(path, "a.ts")
    assert "let FFmpeg fill them in" in refused.value.fix
    options = refused.value.fix.split("ffmpeg -i FILE ")[1].split()
    clips.ffmpeg("-i", path, *options[:-1], tmp_path / options[-1])
    mended = probe(tmp_path / "a.mkv", "a.mkv")
    assert (mended.frame_count, mended.fps, mended.variable_rate) == (50, 25, False)


def test_a_file_without_a_byte_is_called_empty(tmp_path):
    (tmp_path / "a.mp4").write_bytes(b"")
    with pytest.raises(VideoError, match=r"a\.mp4: the file is empty \(0 bytes\); copy it again from the recorder"):
        probe(tmp_path / "a.mp4", "a.mp4")


def test_an_empty_missing_or_growing_file_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(VideoError, match=r"videos/a.mp4: the file is missing; put it there"):
        stored_sha256(tmp_path / "a.mp4", "videos/a.mp4")
    (tmp_path / "a.mp4").touch()
    with pytest.raises(VideoError, match=r"the file is empty \(0 bytes\)"):
        stored_sha256(tmp_path / "a.mp4", "videos/a.mp4")
    with pytest.raises(VideoError, match="it is not a file"):
        stored_sha256(tmp_path, "videos")


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "a.mp4"
    path.write_bytes(b"x" * 100)

    def growing(file: Path) -> str:
        with file.open("ab") as more:
            more.write(b"y")
        return "0" * 64

    monkeypatch.setattr("scrubin.media.raw_file._sha256", growing)
    with pytest.raises(StageError, match=r"a\.mp4 changed while it was read; wait"):
        stored_sha256(path, "a.mp4")


def test_text_named_mp4_is_no_video(tmp_path):
    (tmp_path / "a.mp4").write_text("this is no video\n" * 50)
    with pytest.raises(VideoError, match="it cannot be read as a video"):
        probe(tmp_path / "a.mp4", "a.mp4")


def test_a_file_without_picture_is_no_video(tmp_path):
    clips.ffmpeg("-f", "lavfi", "-i", "sine=duration=1", tmp_path / "a.mp4")
    with pytest.raises(VideoError, match="it has no video stream"):
        probe(tmp_path / "a.mp4", "a.mp4")


def test_a_cover_picture_is_no_second_video(tmp_path):
    clip = clips.clip(tmp_path / "a.mp4")
    clips.ffmpeg("-f", "lavfi", "-i", "color=red:size=64x64", "-frames:v", "1", tmp_path / "c.png")
    clips.ffmpeg(
        "-i", clip, "-i", tmp_path / "c.png", "-map", "0", "-map", "1", "-c", "copy", "-disposition:v:1", "attached_pic", tmp_path / "b.mp4"
    )
    assert probe(tmp_path / "b.mp4", "b").frame_count == 50


def test_two_views_in_one_file_are_refused(tmp_path):
    clip = clips.clip(tmp_path / "a.mp4")
    clips.ffmpeg("-i", clip, "-i", clip, "-map", "0", "-map", "1", "-c", "copy", tmp_path / "b.mp4")
    with pytest.raises(VideoError, match="it has 2 video streams; export one view per file"):
        probe(tmp_path / "b.mp4", "b.mp4")


@pytest.mark.parametrize(("suffix", "message"), [("mkv", "it is truncated: .* of the promised 8.00 s"), ("mp4", "it is unfinished")])
def test_a_truncated_file_is_found(tmp_path, suffix, message):
    path = clips.clip(tmp_path / f"a.{suffix}", seconds=8)
    os.truncate(path, path.stat().st_size // 2)
    with pytest.raises(VideoError, match=message):
        probe(path, "a")


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_a_rotated_video_has_its_displayed_size(tmp_path, degrees):
    clip = clips.clip(tmp_path / "a.mp4", size="96x64")
    clips.ffmpeg("-display_rotation", -degrees, "-i", clip, "-c", "copy", tmp_path / "b.mp4")
    found = probe(tmp_path / "b.mp4", "b")
    assert found.rotation_deg == degrees
    assert (found.width, found.height) == ((96, 64) if degrees == 180 else (64, 96))


@pytest.mark.parametrize("option", ["-display_hflip", "-display_vflip"])
@pytest.mark.parametrize("suffix", [".mp4", ".mkv"])
def test_a_video_of_which_players_show_the_mirror_image_is_refused(tmp_path, option, suffix):
    """What is hidden would be hidden on the other side: a rotation is all that is known of a picture."""
    clip = clips.clip(tmp_path / f"a{suffix}")
    clips.ffmpeg(option, "-i", clip, "-c", "copy", tmp_path / f"b{suffix}")
    with pytest.raises(VideoError, match="players show its mirror image, or what it says of that is not known; export it upright"):
        probe(tmp_path / f"b{suffix}", "b")


@pytest.mark.parametrize("suffix", [".mkv", ".mp4", ".mov"])
def test_a_video_whose_header_crops_its_picture_is_refused(tmp_path, suffix):
    """FFmpeg as a program and players show less than PyAV decodes: what they hide would be released."""
    path = clips.cropped_by_its_header(tmp_path / f"a{suffix}")
    said = "PixelCrop" if suffix == ".mkv" else "clean aperture"
    with pytest.raises(VideoError, match=rf"a: its header says that players show a part of its picture alone \({said}\); export it again"):
        refuse_cropped(path, "a", probe(path, "a"))


LEFT_CROPS = [("libx264", 2), ("libx264", 8), ("libx264", 16), ("libx265", 4)]


@pytest.mark.parametrize(("codec", "left"), LEFT_CROPS)
@pytest.mark.parametrize("suffix", [".mkv", ".ts"])
def test_a_video_that_is_cropped_at_the_left_by_a_few_pixels_is_refused(tmp_path, codec, left, suffix):
    """PyAV leaves these pixels in the picture, so everything in it lay further right than players show it."""
    name = {"libx264": "h264", "libx265": "hevc"}[codec]
    crop = ("-c:v", codec, "-pix_fmt", "yuv420p", "-bsf:v", f"{name}_metadata=crop_left={left}:crop_top=4")
    path = clips.clip(tmp_path / f"a{suffix}", more=crop)
    with pytest.raises(
        VideoError, match=f"it crops its picture at the left: players show {96 - left}x60 of its 96x60 pixels; export it again"
    ):
        refuse_cropped(path, "a", probe(path, "a"))


@pytest.mark.parametrize("crop", ["crop_right=16:crop_bottom=8", "crop_top=16", "crop_left=64"])
def test_crops_that_are_decoded_as_players_show_them_are_taken(tmp_path, crop):
    turned, path = tmp_path / "a.mp4", tmp_path / "b.mp4"
    clips.clip(turned, size="192x64", more=("-pix_fmt", "yuv420p", "-bsf:v", f"h264_metadata={crop}"))
    clips.ffmpeg("-display_rotation", 90, "-i", turned, "-c", "copy", path)
    refuse_cropped(path, "b", probe(path, "b"))


def photographed(folder, orientations):
    """A film of JPEG pictures as a camera writes them, each with its orientation in EXIF."""
    grey = np.linspace(0, 255, 64 * 48, dtype=np.uint8).reshape(48, 64)
    for number, orientation in enumerate(orientations):
        exif = Image.Exif()
        exif[0x0112] = orientation
        Image.fromarray(np.roll(grey, number)).convert("RGB").save(folder / f"{number}.jpg", exif=exif)
    (folder / "a.mjpeg").write_bytes(b"".join((folder / f"{number}.jpg").read_bytes() for number in range(len(orientations))))
    clips.ffmpeg("-f", "mjpeg", "-framerate", "25", "-i", folder / "a.mjpeg", "-c", "copy", folder / "a.avi")
    return folder / "a.avi"


@pytest.mark.parametrize("orientation", range(1, 9))
def test_pictures_that_exif_mirrors_are_refused_and_those_that_it_turns_are_not(tmp_path, orientation):
    path = photographed(tmp_path, [orientation] * 5)
    if orientation in (2, 4, 5, 7):
        with pytest.raises(VideoError, match="players show its mirror image"):
            probe(path, "a.avi")
    else:
        assert probe(path, "a.avi").rotation_deg == {1: 0, 3: 180, 6: 90, 8: 270}[orientation]


def test_a_picture_that_is_turned_otherwise_in_the_middle_is_refused(tmp_path):
    path = photographed(tmp_path, [1, 1, 1, 3, 3])
    with pytest.raises(VideoError, match="players turn its picture otherwise from frame 3 on; export it upright"):
        list(decoded(path, "a.avi"))


def test_a_known_file_is_not_read_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = clips.clip(tmp_path / "a.mp4")
    sha256 = stored_sha256(path, "a.mp4")
    first = stored_probe(path, "a.mp4", sha256)

    def forbidden(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("scrubin.media.raw_file._sha256", forbidden)
    monkeypatch.setattr("scrubin.media.probe.probe", forbidden)
    assert stored_sha256(path, "a.mp4") == sha256
    assert stored_probe(path, "a.mp4", sha256) == first


def test_a_broken_file_keeps_its_own_name_in_the_message(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a.mp4", "b.mp4"):
        (tmp_path / name).write_text("no video")
        with pytest.raises(VideoError, match=f"^{name}: it cannot be read as a video"):
            stored_probe(tmp_path / name, name, stored_sha256(tmp_path / name, name))


@pytest.mark.parametrize(
    "name", ["-y.mp4", "pipe:0.mp4", "a b'c\"d.mp4", "line\nbreak.mp4", "ü日本.mp4", "$(touch x);*.mp4", "concat:a|b.mp4"]
)
def test_hostile_file_names_are_just_names(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    clips.clip(Path("plain.mp4"), seconds=1).rename(name)
    assert probe(Path(name), name).frame_count == 25
    assert not (tmp_path / "x").exists()


def test_sound_that_outlasts_the_picture_is_no_truncation(tmp_path):
    clip = clips.clip(tmp_path / "a.mkv", seconds=4)
    clips.ffmpeg("-i", clip, "-f", "lavfi", "-i", "sine=duration=7", "-c:v", "copy", tmp_path / "b.mkv")
    assert probe(tmp_path / "b.mkv", "b").frame_count == 100


@pytest.mark.parametrize("suffix", ["mkv", "mp4"])
def test_a_few_lost_frames_at_the_end_of_a_long_file_are_noticed(tmp_path, suffix):
    path = clips.clip(tmp_path / f"a.{suffix}", seconds=60, size="64x64", more=("-movflags", "+faststart") if suffix == "mp4" else ())
    os.truncate(path, path.stat().st_size * 98 // 100)
    with pytest.raises(VideoError, match=r"truncated|damaged|cannot be read"):
        probe(path, "a")


def test_a_disk_that_was_away_is_not_remembered(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = clips.clip(tmp_path / "a.mp4")
    sha256 = stored_sha256(path, "a.mp4")
    path.rename(tmp_path / "away.mp4")
    with pytest.raises(StageError):
        stored_probe(path, "a.mp4", sha256)
    (tmp_path / "away.mp4").rename(path)
    assert stored_probe(path, "a.mp4", sha256).frame_count == 50


def test_a_name_that_the_file_system_refuses_is_one_bad_recording(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(VideoError, match=r"it cannot be read \(File name too long\)"):
        stored_sha256(tmp_path / ("x" * 300), "long")


def test_an_mp4_without_its_index_is_named_with_the_mend(tmp_path):
    whole = clips.clip(tmp_path / "whole.mp4", seconds=1)
    data = whole.read_bytes()
    part = tmp_path / "part.mp4"
    part.write_bytes(data[: data.index(b"moov") - 4])
    with pytest.raises(VideoError, match=r"it is unfinished: its index \(moov\) is missing") as raised:
        probe(part, "part.mp4")
    assert "untrunc" in raised.value.fix
    assert not is_unfinished(whole)


@pytest.mark.parametrize("data", [b"", b"no video", b"\0\0\0\x08ftyp", b"\0\0\0\x00mdat", b"\0\0\0\x08free" * 3, b"\0\0\0\x01mdat"])
def test_other_damage_is_no_missing_index_unless_there_are_pictures(data, tmp_path):
    path = tmp_path / "a.mp4"
    path.write_bytes(data)
    assert is_unfinished(path) == (b"mdat" in data)
