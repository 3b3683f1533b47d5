"""What may hide in a container around the stream, planted one by one."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import pytest

import clips
from toy_release import BARE, CLIP_PLAN, FRAMES_IN_CLIP, black_clip, findings_of

SEGMENT, CLUSTER, INFO, TRACKS, ENTRY, CUES = (
    bytes.fromhex(name) for name in ("18538067", "1F43B675", "1549A966", "1654AE6B", "AE", "1C53BB6B")
)
SIMPLE_BLOCK = b"\xa3"
CLUSTERS = 2  # of the toy's video
Change = Callable[[bytes], bytes]


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    black_clip(folder / "a.mkv")
    encoded = clips.clip(folder / "encoded.mp4", seconds=1.0, fps="20", size="96x64", more=("-bf", "0", "-pix_fmt", "yuv420p", *BARE))
    clips.ffmpeg("-i", encoded, "-c", "copy", "-use_editlist", "0", *BARE, "-empty_hdlr_name", "1", folder / "b.mp4")
    # Even in its bit-exact mode the muxer writes an empty box of user data.
    data = (folder / "b.mp4").read_bytes()
    (folder / "a.mp4").write_bytes(without_box(data, "moov/udta"))
    return folder


@pytest.fixture
def found(files, tmp_path) -> Callable[[str, Change], list[tuple[str, str]]]:
    """Audit a changed file, the Matroska file against its plan; return place and message of each finding."""

    def run(name: str, change: Change) -> list[tuple[str, str]]:
        path = tmp_path / name
        path.write_bytes(change((files / name).read_bytes()))
        return [(one.place, one.message) for one in findings_of(path, CLIP_PLAN if name.endswith("mkv") else None)]

    return run


# --- Matroska


def sized(size: int, length: int = 8) -> bytes:
    return (1 << 7 * length | size).to_bytes(length, "big")


def element(name: bytes, content: bytes) -> bytes:
    return name + sized(len(content)) + content


def split(data: bytes) -> tuple[bytes, list[tuple[bytes, bytes]]]:
    """Return what stands before the segment, and the segment's children in their order, names and contents."""
    start = data.index(SEGMENT)
    children, position = [], start + 12
    while position < len(data):
        length = 9 - data[position].bit_length()
        name = data[position : position + length]
        bytes_of_size = 9 - data[position + length].bit_length()
        size = int.from_bytes(data[position + length : position + length + bytes_of_size], "big") & ((1 << 7 * bytes_of_size) - 1)
        body = position + length + bytes_of_size
        children.append((name, data[body : body + size]))
        position = body + size
    return data[:start], children


def rebuilt(change: Callable[[bytes, bytes], bytes], *more: bytes) -> Change:
    """Write a file again with a change to the content of each child of its segment, and more children."""

    def run(data: bytes) -> bytes:
        head, children = split(data)
        return head + element(SEGMENT, b"".join(element(name, change(name, content)) for name, content in children) + b"".join(more))

    return run


def same(_: bytes, content: bytes) -> bytes:
    return content


def inside(parent: bytes, more: bytes) -> Change:
    return rebuilt(lambda name, content: content if name != parent else content + more)


def first_block(data: bytes) -> int:
    """Where the first simple block of the first cluster begins: behind the cluster's time."""
    cluster = data.index(CLUSTER)
    return data.index(SIMPLE_BLOCK, data.index(b"\xe7", cluster))


def with_flags(flags: int) -> Change:
    def run(data: bytes) -> bytes:
        block = first_block(data)
        at = block + 1 + 9 - data[block + 1].bit_length() + 3
        return data[:at] + bytes([data[at] | flags]) + data[at + 1 :]

    return run


def with_uid(data: bytes) -> bytes:
    at = data.index(b"\x73\xc5\x88") + 3
    return data[:at] + b"DrSmith!" + data[at + 8 :]


def with_length(data: bytes, length_s: float) -> bytes:
    at = data.index(b"\x44\x89\x88") + 3
    return data[:at] + struct.pack(">d", 1000 * length_s) + data[at + 8 :]


def with_tag(data: bytes) -> bytes:
    """In the place of the only tag that a muxer cannot help writing."""
    simple = element(b"\x67\xc8", element(b"\x45\xa3", b"COMMENT") + element(b"\x44\x87", b"hello"))
    tags = bytes.fromhex("1254C367")
    head, children = split(data)
    kept = [(name, content) for name, content in children if name != tags] + [(tags, element(b"\x73\x73", simple))]
    return head + element(SEGMENT, b"".join(element(name, content) for name, content in kept))


MATROSKA: dict[str, tuple[Change, str]] = {
    "a block that is marked as invisible": (with_flags(0x08), "make it invisible"),
    "a block with several pictures laced": (with_flags(0x06), "lace several pictures"),
    "a block with bits that mean nothing": (with_flags(0x40), "have no meaning"),
    "a picture of a track that is not declared": (
        inside(CLUSTER, element(SIMPLE_BLOCK, b"\x82\0\0\x80" + b"a hidden picture")),
        "blocks of the tracks [2], which are not declared",
    ),
    "a picture where no player looks": (inside(INFO, element(SIMPLE_BLOCK, b"\x81\0\0\x80hello")), "SimpleBlock does not belong here"),
    "a cluster behind the segment": (lambda data: data + element(CLUSTER, b"hello"), "Cluster does not belong here"),
    "a second segment": (lambda data: data + element(SEGMENT, element(CLUSTER, b"")), "Segment stands twice"),
    "the length of the source": (lambda data: with_length(data, 3600.0), "the header states 3600.000 s, but the pictures end at 1.0"),
    "a second description": (rebuilt(same, element(INFO, b"")), "Info stands twice"),
    "a value that stands twice": (inside(INFO, element(b"\x44\x89", bytes(8))), "Duration stands twice"),
    "a random identity": (inside(INFO, element(b"\x73\xa4", b"0123456789abcdef")), "SegmentUUID may not be in a release"),
    "a second track": (inside(TRACKS, element(ENTRY, element(b"\xd7", b"\2"))), "expected one track, but got 2"),
    "a track's random identity": (with_uid, "drawn at random"),
    "a chapter": (rebuilt(same, element(b"\x10\x43\xa7\x70", b"hello")), "Chapters may not be in a release"),
    "an attachment": (rebuilt(same, element(b"\x19\x41\xa4\x69", b"hello")), "Attachments may not be in a release"),
    "an element that nobody knows": (rebuilt(same, element(b"\x4d\x00", b"hello")), "this element is not known"),
    "a cue that holds more than a number": (
        inside(CUES, element(b"\xbb", element(b"\xb3", b"a long text"))),
        "at most 8 bytes, but got 11",
    ),
    "unused space with something in it": (rebuilt(same, element(b"\xec", bytes(9) + b"hello")), "the unused space is not empty"),
    "a tag": (with_tag, "the tag COMMENT = 'hello'"),
    "another kind of document": (lambda data: data.replace(b"\x42\x82\x88matroska", b"\x42\x82\x88drsmith!"), "DocType is 'drsmith!'"),
    "bytes behind the end": (lambda data: data + b"hello", "5 bytes belong to no element"),
}


def test_the_untouched_files_are_clean(found):
    assert found("a.mkv", lambda data: data) == []
    assert found("a.mkv", rebuilt(same)) == []
    assert found("a.mp4", lambda data: data) == []


@pytest.mark.parametrize(("change", "said"), MATROSKA.values(), ids=MATROSKA)
def test_what_hides_in_matroska_is_found(found, change, said):
    assert said in "\n".join(message for _, message in found("a.mkv", change))


def test_pictures_are_counted_in_the_container_too(found):
    """What the demuxer leaves out would not be seen by a decoder."""
    more = inside(CLUSTER, element(SIMPLE_BLOCK, b"\x82\0\0\x80" + b"a hidden picture"))
    said = f"expected {FRAMES_IN_CLIP} pictures, but the container holds {FRAMES_IN_CLIP + CLUSTERS}; render it again"
    assert ("container", said) in found("a.mkv", more)


# --- MP4


def box(kind: str, content: bytes) -> bytes:
    return struct.pack(">I4s", 8 + len(content), kind.encode()) + content


def edited(data: bytes, place: str, edit: Callable[[bytes], bytes]) -> bytes:
    """Return boxes with a change to all of one box at a place such as moov/trak."""
    head, _, rest = place.partition("/")
    out, position = b"", 0
    while position < len(data):
        size, kind = struct.unpack(">I4s", data[position : position + 8])
        whole = data[position : position + size]
        if kind == head.encode():
            skipped = {"stsd": 8, "avc1": 78, "dref": 8}.get(head, 0)
            content = whole[8 + skipped :]
            whole = box(head, whole[8 : 8 + skipped] + edited(content, rest, edit)) if rest else edit(whole)
        out += whole
        position += size
    return out


def without_box(data: bytes, place: str) -> bytes:
    return edited(data, place, lambda _: b"")


STBL = "moov/trak/mdia/minf/stbl"


def at(place: str, edit: Callable[[bytes], bytes]) -> Change:
    return lambda data: edited(data, place, edit)


def grown(whole: bytes) -> bytes:
    """A box with five bytes more than its entries need."""
    return box(whole[4:8].decode(), whole[8:] + b"hello")


def twice_the_same(data: bytes) -> bytes:
    """Let the last picture be a second look at the first one's bytes: its own lie in the file, but nobody sees them."""

    def chunks(whole: bytes) -> bytes:
        (offset,) = struct.unpack(">I", whole[16:])
        return box("stco", struct.pack(">IIII", 0, 2, offset, offset))

    runs = box("stsc", struct.pack(">8I", 0, 2, 1, FRAMES_IN_CLIP - 1, 1, 2, 1, 1))
    return edited(edited(data, f"{STBL}/stco", chunks), f"{STBL}/stsc", lambda _: runs)


MP4: dict[str, tuple[Change, str]] = {
    "text in free space": (lambda data: data + box("free", b"hello"), "the unused space is not empty"),
    "text in skipped space": (lambda data: data + box("skip", b"hello"), "the unused space is not empty"),
    "a private box": (lambda data: data + box("uuid", bytes(16) + b"hello"), "a private box cannot be proven clean"),
    "metadata": (lambda data: data + box("meta", bytes(4)), "metadata may not be in a release"),
    "user data": (at("moov/mvhd", lambda whole: whole + box("udta", b"hello")), "user data hold tags"),
    "an edit list": (at("moov/trak/tkhd", lambda whole: whole + box("edts", b"")), "an edit list hides pictures"),
    "a fragment": (lambda data: data + box("moof", b"hello"), "a fragmented file has pictures outside"),
    "an index of fragments": (at("moov/mvhd", lambda whole: whole + box("mvex", b"")), "a fragmented file has pictures outside"),
    "media that no picture uses": (lambda data: data + box("mdat", b"hello"), "5 bytes at byte"),
    "pictures that share their bytes": (twice_the_same, "bytes belong to two pictures"),
    "media between pictures": (twice_the_same, "belong to no picture"),
    "entries behind the end of a table": (at(f"{STBL}/stts", grown), "bytes do not fit"),
    "sizes behind the end of their table": (at(f"{STBL}/stsz", grown), "bytes do not fit"),
    "a header that is too long": (at("moov/mvhd", grown), "expected 100 or 112 bytes, but got 105"),
    "a creation time": (at("moov/mvhd", lambda whole: whole[:12] + b"\xd0\0\0\1" + whole[16:]), "creation or modification time"),
    "a track that is switched off": (at("moov/trak/tkhd", lambda whole: whole[:11] + b"\0" + whole[12:]), "the track is switched off"),
    "a second kind of sample": (
        at(f"{STBL}/stsd", lambda whole: whole[:12] + b"\0\0\0\2" + whole[16:]),
        "expected one kind of sample, but got 2",
    ),
    "a brand that nobody knows": (at("ftyp", lambda whole: box("ftyp", whole[8:] + b"DrWh")), "the brands ['DrWh'] are not known"),
    "a box in a place of its own": (lambda data: data + box("avcC", b"hello"), "does not belong here"),
    "a table that stands twice": (at(f"{STBL}/stts", lambda whole: whole + whole), "stands twice or does not belong here"),
    "a colour box with a text": (
        at(f"{STBL}/stsd/avc1/avcC", lambda whole: whole + box("colr", b"x" * 99)),
        "at most 24 bytes, but got 99",
    ),
    "bytes behind the end": (lambda data: data + b"hello", "5 bytes belong to no box"),
}


@pytest.mark.parametrize(("change", "said"), MP4.values(), ids=MP4)
def test_what_hides_in_mp4_is_found(found, change, said):
    assert said in "\n".join(message for _, message in found("a.mp4", change))
