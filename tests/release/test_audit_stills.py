"""Extracted frames against their video: resized, PNG and packed ones are clean, those of another moment are not."""

from __future__ import annotations

import io as streams
import itertools
import shutil
import struct
import tarfile
import zlib
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

import clips
from scrubin.audit.containers import archives, images
from scrubin.audit.expected import plan
from scrubin.audit.expected.plan import StillPlan, VideoPlan
from scrubin.audit.pictures import decoding
from scrubin.audit.pictures.stills import _scaled, not_black
from scrubin.base.files import FIXED_TIME_S
from scrubin.base.tables.io import frame_of, records
from scrubin.base.tables.public import FRAMES
from scrubin.stages.frames.extract import shard
from toy_release import IDS, TASK, pictures_of, private_of, recordings

COUNT, SIZE = 40, "192x128"


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A video in which everything moves, next to one of another scene."""
    made = tmp_path_factory.mktemp("stills")
    clips.clip(made / "a.mkv", seconds=COUNT / 20, fps="20", size=SIZE)
    clips.clip(made / "other.mkv", seconds=COUNT / 20, fps="20", size=SIZE, source="testsrc")
    return made


@pytest.fixture(scope="module")
def shown(folder) -> list[np.ndarray]:
    return pictures_of(folder / "a.mkv")


def compared(folder: Path, stills: dict[str, tuple[int, bytes]], boxes=()) -> tuple[int, dict[str, list[str]]]:
    """Write frames for these numbers of the video; return how many were compared and the rules that each breaks."""
    planned = []
    for name, (number, data) in stills.items():
        (folder / name).write_bytes(data)
        planned.append(StillPlan(name, name, "", number, False, boxes))
    video = VideoPlan("a.mkv", "a", "mono", COUNT, "", (), None, tuple(planned))
    watched = decoding.examine(folder / "a.mkv", video, folder)
    return watched.compared, {path: [fault.rule for fault in faults] for path, faults in watched.stills.items()}


def encoded(picture: np.ndarray, suffix: str = "jpg", quality: int = 95) -> bytes:
    return cv2.imencode(f".{suffix}", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])[1].tobytes()


@pytest.mark.parametrize("scale", [1.0, 0.5, 0.75, 1.5])
def test_a_frame_of_its_video_is_clean_in_any_size_and_quality(folder, shown, scale):
    stills = {}
    for number in (0, 10, 20, COUNT - 1):
        way = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
        picture = cv2.resize(shown[number], None, fx=scale, fy=scale, interpolation=way)
        for suffix, quality in (("jpg", 95), ("jpg", 50), ("jpg", 10), ("png", 0)):
            stills[f"{number}-{quality}.{suffix}"] = number, encoded(picture, suffix, quality)
    assert compared(folder, stills) == (16, {})


def test_a_frame_of_another_moment_is_found_in_any_size(folder, shown):
    stills = {}
    for number, shift, scale in itertools.product((10, 20, 30), (-1, 1, 2, -7, 9), (1.0, 0.5)):
        other = cv2.resize(shown[number + shift], None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        stills[f"{number}{shift:+}-{scale}.jpg"] = number, encoded(other)
    assert compared(folder, stills) == (30, {name: ["frame-picture"] for name in stills})


def test_frames_in_the_wrong_order_are_found_and_named(folder, shown):
    (folder / "10.jpg").write_bytes(encoded(shown[11]))
    video = VideoPlan("a.mkv", "a", "mono", COUNT, "", (), None, (StillPlan("10.jpg", "10.jpg", "", 10, False),))
    (fault,) = decoding.examine(folder / "a.mkv", video, folder).stills["10.jpg"]
    assert fault.message == "it is frame 11 of its video rather than frame 10; extract it again"


def test_what_is_no_picture_of_the_video_is_found(folder, shown):
    """Also a line of text that was hidden in the video but not in the frame."""
    titled = cv2.putText(shown[10].copy(), "SCHMIDT", (20, 40), cv2.FONT_HERSHEY_SIMPLEX, 0.9, (255, 255, 255), 2)
    others = {"other": pictures_of(folder / "other.mkv")[10], "titled": titled, "shape": shown[10][:100]}
    stills = {f"{name}.jpg": (10, encoded(picture)) for name, picture in others.items()}
    found = compared(folder, {**stills, "text.jpg": (10, b"no picture"), "empty.jpg": (10, b"")})[1]
    assert found == {name: ["frame-picture"] for name in stills} | {name: ["unreadable"] for name in ("text.jpg", "empty.jpg")}


def test_one_video_frame_may_stand_for_several_extracted_ones(folder, shown):
    """Where a video stands still for longer than the time between extracted frames."""
    (folder / "a.jpg").write_bytes(encoded(shown[5]))
    stills = tuple(StillPlan(f"{k}", "a.jpg", "", 5, False) for k in range(3))
    watched = decoding.examine(folder / "a.mkv", VideoPlan("a.mkv", "a", "mono", COUNT, "", (), None, stills), folder)
    assert (watched.compared, watched.stills) == (3, {})


def test_hidden_rectangles_are_black_in_frames_of_another_size_too(folder, shown):
    box = (48, 32, 96, 64)
    small = cv2.resize(shown[10], (96, 64), interpolation=cv2.INTER_AREA)
    black = small.copy()
    black[16:48, 24:72] = 0
    found = compared(folder, {"shown.jpg": (10, encoded(small)), "black.jpg": (10, encoded(black))}, (box,))[1]
    assert ["not-black" in found[name] for name in ("shown.jpg", "black.jpg")] == [True, False]
    assert _scaled(box, 0.5, 0.5) == (25, 17, 46, 30)
    assert _scaled(box, 1, 1) == box


@pytest.mark.cases(2)
@pytest.mark.parametrize("crf", [18, 28])
@pytest.mark.parametrize("size", [(42, 18), (18, 34), (24, 24), (46, 36)])
def test_the_tint_that_a_codec_leaves_in_a_narrow_black_rectangle_is_no_leak_but_a_letter_or_a_dim_picture_is(tmp_path, size, crf):
    rng = np.random.default_rng(0)
    scenes = [cv2.resize(rng.integers(40, 216, (4, 6, 3)).astype(np.uint8), (96, 64), interpolation=cv2.INTER_CUBIC) for _ in range(5)]
    shown = [cv2.addWeighted(scenes[n // 25], 1 - n % 25 / 25, scenes[n // 25 + 1], n % 25 / 25, 0) for n in range(100)]
    box, bright = (8, 8, *size), scenes[0]
    inside = (slice(8, 8 + size[1]), slice(8, 8 + size[0]))
    for picture in shown:
        picture[inside] = 0
    film = clips.pictures(clips.film(tmp_path / "a.mkv", shown, 25, crf=str(crf)), (96, 64))
    assert [message for picture in film if (message := not_black(picture, box))] == []
    with_letter, dim = shown[5].copy(), shown[5].copy()
    with_letter[16:18, 16:18] = 90
    dim[inside] = bright[inside] // 8
    assert "its brightest value 8 px inside is 90.0 (limit 48)" in not_black(with_letter, box)
    assert "its mean is" in not_black(dim, box)


def test_a_dropped_frame_has_no_file_and_needs_none(release):
    rows = release.tables["frames"].copy()
    gone = release.path(rows.path[0])
    rows.loc[0, ["path", "dropped", "dropped_why"]] = [None, True, "too dark"]
    rows = frame_of(FRAMES, records(rows))
    tables = release.tables
    release.plan = plan.of_tables(tables["videos"], rows, tables["cuts"], tables["hidden"], release.plan.tables)
    assert "layout" in release.rules()  # a file that no table names
    assert release.rules_after(gone.unlink) == set()


class TestShards:
    """One tar per recording, as the stage `frames` writes them."""

    @pytest.fixture
    def packed(self, release):
        """The toy release with its extracted frames in tars."""
        videos = []
        for video in release.plan.videos:
            file = f"frames/{TASK}/mono/{video.id}.tar"
            with shard(release.path(file), "jpg") as add:
                for number, still in enumerate(video.stills):
                    row = {
                        "frame": number,
                        "source_frame": still.source_frame,
                        "time_s": still.source_frame / 20,
                        "redacted": still.redacted,
                    }
                    add(row, release.path(still.path).read_bytes())
            stills = tuple(
                replace(still, path=f"{file}/{number:06d}.jpg", file=file, member=f"{number:06d}.jpg")
                for number, still in enumerate(video.stills)
            )
            shutil.rmtree(release.path(f"frames/{TASK}/mono/{video.id}"))
            videos.append(replace(video, stills=stills))
        release.plan = replace(release.plan, videos=tuple(videos))
        release.path("tables/frames.parquet").unlink()
        release.seal()
        return release

    def file(self, release) -> Path:
        return release.path(f"frames/{TASK}/mono/{IDS[0]}.tar")

    def repacked(self, release, *changes) -> list[dict[str, set[str]]]:
        """Write tars again; each change gets a list of headers and contents. Return what is found in each, in the tar or a file of it."""
        places = [f"frames/{TASK}/mono/{id_}.tar" for id_ in IDS]
        for place, change in zip(places, changes, strict=False):
            with tarfile.open(release.path(place)) as old:
                members = [(header, old.extractfile(header).read()) for header in old]
            with tarfile.open(release.path(place), "w", format=tarfile.USTAR_FORMAT) as new:
                for header, data in change(members):
                    header.size = len(data)
                    new.addfile(header, streams.BytesIO(data))
        release.seal()
        broken = release.broken()
        return [{name.removeprefix(place): rules for name, rules in broken.items() if name.startswith(place)} for place in places]

    def test_the_table_names_tar_and_member(self):
        row = {"path": "frames/Peg/left/abelo.tar/000012.jpg", "source_frame": 3, "redacted": False}
        assert plan._still(row, []) == StillPlan(row["path"], "frames/Peg/left/abelo.tar", "000012.jpg", 3, False)

    def test_they_are_clean_as_written_and_compared(self, packed):
        assert packed.findings() == []
        assert decoding.examine(packed.video, packed.plan.videos[0], packed.folder).compared == 2

    @pytest.mark.parametrize(("number", "rules"), [(1, set()), (7, {"private-string"})])
    def test_labels_of_packed_frames_may_have_their_numbers_and_no_other(self, packed, number, rules):
        named = recordings().head(1).assign(recording=f"{number:06d}", path=f"videos/{number:06d}.mp4")
        packed.private = private_of([named])
        label = packed.path(f"groundtruth/cholect50/yolo/frames/{TASK}/mono/{IDS[0]}/{number:06d}.txt")
        label.parent.mkdir(parents=True)
        label.write_text("0 0.500000 0.500000 0.250000 0.250000\n")
        packed.path("groundtruth/cholect50/yolo.txt").write_text(f"./frames/{TASK}/mono/{IDS[0]}/{number:06d}.jpg\n")
        packed.seal()
        assert packed.rules() == rules

    def test_a_header_that_tells_something_is_found(self, packed):
        def telling(**values):
            def change(members):
                for name, value in values.items():
                    setattr(members[0][0], name, value)
                return members

            return change

        told = [
            telling(**{name: value})
            for name, value in (("mtime", 1_681_732_800), ("uid", 1000), ("uname", "schmidt"), ("gname", "surgery"))
        ]
        assert self.repacked(packed, *told) == [{"": {"tar"}}] * 4
        link = telling(type=tarfile.SYMTYPE, linkname="/home/schmidt")
        assert "tar" in self.repacked(packed, link)[0][""]

    def test_frames_and_names_inside_are_those_that_tables_name_and_pictures_those_of_the_video(self, packed):
        header = tarfile.TarInfo("000009.jpg")
        header.mtime, header.mode = FIXED_TIME_S, 0o644
        other, comment = encoded(pictures_of(packed.video)[1]), b"\xff\xfe\0\x0cGruenwald\x20"
        found = self.repacked(
            packed,
            lambda members: [(members[0][0], other), *members[1:]],
            lambda members: [*members, (header, members[0][1])],
            lambda members: members[:2],
            lambda members: [(members[0][0], members[0][1][:2] + comment + members[0][1][2:]), *members[1:]],
        )
        assert found == [{"/000000.jpg": {"frame-picture"}}, {"": {"layout"}}, {"": {"layout"}}, {"": {"image-metadata"}}]

        def named(members):
            return [(header, data.replace(b'"frame": 0', b'"frame": 0, "by": "Li_Wei"')) for header, data in members]

        assert "private-string" in self.repacked(packed, named)[0][""]

    @pytest.mark.slow
    def test_bytes_between_and_behind_members_are_found(self, packed):
        path = self.file(packed)
        whole = path.read_bytes()
        with path.open("rb") as archive:
            member = next(archives.members(archive))
        gap = member.start + member.size
        assert packed.rules_after(lambda: path.write_bytes(whole[:gap] + b"hello" + whole[gap + 5 :])) == {"tar"}
        assert packed.rules_after(lambda: path.write_bytes(whole + b"hello")) == {"tar"}
        assert packed.rules_after(lambda: path.write_bytes(whole[:-600] + b"hello" + whole[-595:])) == {"tar"}
        assert "unreadable" in packed.rules_after(lambda: path.write_bytes(whole[:700]))
        assert "unreadable" in packed.rules_after(lambda: path.write_bytes(b"x" + whole[1:]))


def with_pixels(data: bytes, change) -> bytes:
    """Return a PNG with a change to its compressed pixels, all in one chunk."""
    chunks, position = [], 8
    while position < len(data):
        size, kind = struct.unpack(">I4s", data[position : position + 8])
        chunks.append((kind, data[position + 8 : position + 8 + size]))
        position += 12 + size
    pixels = change(b"".join(body for kind, body in chunks if kind == b"IDAT"))
    kept = [chunks[0], (b"IDAT", pixels), chunks[-1]]
    return data[:8] + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in kept
    )


class TestPictureFiles:
    def test_the_step_of_the_mean_follows_the_quality(self, shown):
        steps = {quality: images.mean_step(encoded(shown[0], quality=quality)) for quality in (100, 95, 50, 10, 1)}
        assert steps == {100: 1, 95: 2, 50: 17, 10: 85, 1: 255}
        assert images.mean_step(encoded(shown[0], "png")) == 0
        assert images.mean_step(b"") == 0

    @pytest.mark.parametrize(("marker", "more"), [(b"\xff\xdb", 3), (b"\xff\xc4", 20), (b"\xff\xc0", 4), (b"\xff\xda", 2)])
    def test_bytes_behind_the_tables_of_a_segment_are_found(self, shown, marker, more):
        data = encoded(shown[0])
        at = data.index(marker)
        size = int.from_bytes(data[at + 2 : at + 4], "big")
        grown = data[: at + 2] + (size + more).to_bytes(2, "big") + data[at + 4 : at + 2 + size] + b"x" * more + data[at + 2 + size :]
        assert "image-metadata" in {fault.rule for fault in images.read_jpeg(grown).faults}

    @pytest.mark.parametrize("change", [lambda pixels: pixels + b"hello", lambda pixels: zlib.compress(zlib.decompress(pixels) + b"hello")])
    def test_bytes_behind_the_pixels_of_a_png_are_found(self, shown, change):
        data = encoded(shown[0], "png")
        assert images.read_png(data).faults == []
        assert {fault.rule for fault in images.read_png(with_pixels(data, change)).faults} == {"image-metadata"}

    def test_a_damaged_png_is_found(self, shown):
        data = bytearray(encoded(shown[0], "png"))
        data[60] ^= 1
        assert "unreadable" in {fault.rule for fault in images.read_png(bytes(data)).faults}
