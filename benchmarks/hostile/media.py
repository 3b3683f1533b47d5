"""Hostile pictures, videos and DICOM."""

from __future__ import annotations

import struct
import zlib

import numpy as np

from hostile.archives import zeros
from hostile.kinds import Place, kind

# fmt: off

def chunk(name: bytes, data: bytes) -> bytes:
    """Return a chunk of a PNG."""
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def jpeg_bomb(at: Place) -> bytes:
    """Return a small JPEG that claims to be huge, has thousands of scans, or endless segments."""
    import cv2

    data = bytearray(cv2.imencode(".jpg", np.full((64, 96, 3), 90, np.uint8))[1].tobytes())
    way = at.rng.randrange(3)
    place = data.find(b"\xff\xc0")
    data[place + 5 : place + 9] = struct.pack(
        ">HH", *at.rng.choice([(65500, 65500), (65535, 65535), (30000, 60000), (1, 65535), (0, 96), (20000, 20000)])
    )
    if way == 1:  # progressive, with thousands of scans
        data[place + 1] = 0xC2
        scan = bytes(data[data.find(b"\xff\xda") : -2])
        return bytes(data[:-2]) + scan * 3000 + b"\xff\xd9"
    if way == 2:  # a segment that never ends, and a profile of 64 kB again and again
        return bytes(data[:2]) + (b"\xff\xe2\xff\xff" + b"ICC_PROFILE\0\x01\x02" + b"x" * 65519) * 200 + bytes(data[2:])
    return bytes(data)


@kind("picture bomb", "jpg")
def _(at: Place) -> bytes:
    if at.rng.random() < 0.5:
        return jpeg_bomb(at)
    way = at.rng.randrange(5)
    if way <= 1:
        side = at.rng.choice([30_000, 65_000, 2**31 - 1])
        head = chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
        lines, _ = zeros(1 << 30)
        body = b"\x78\x9c" + lines + b"\0\0\0\1" if side == 30_000 else zlib.compress(b"\0" * 10_000)
        text = chunk(b"zTXt", b"Comment\0\0" + zlib.compress(b"x" * (50 << 20))) if way else b""
        return b"\x89PNG\r\n\x1a\n" + head + text + chunk(b"IDAT", body) + chunk(b"IEND", b"")
    if way == 2:
        head = b"GIF89a" + struct.pack("<HHBBB", 65535, 65535, 0xF7, 0, 0) + bytes(768)
        frame = b"\x2c" + struct.pack("<HHHHB", 0, 0, 65535, 65535, 0) + b"\x08\x02\x4c\x01\x00"
        return head + frame * 2000 + b";"
    if way == 3:
        tags = [
            (256, 4, 1, 60000), (257, 4, 1, 60000), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1), (273, 4, 1, 8), (277, 3, 1, 1),
            (278, 4, 1, 60000), (279, 4, 1, 3_600_000_000),
        ]
        directory = struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHII", *tag) for tag in tags) + struct.pack("<I", 8)
        return b"II*\0" + struct.pack("<I", 8) + directory
    return b"BM" + struct.pack("<IHHIIiiHHIIiiII", 54, 0, 0, 54, 40, 40000, -40000, 1, 24, 0, 0, 0, 0, 0, 0)


@kind("MP4 or MKV with flipped bits", "video")
def _(at: Place) -> bytes:
    data = bytearray(at.sound)
    half = at.rng.choice([(0, 2000), (0, len(data)), (len(data) - 3000, len(data)), (2000, len(data))])
    for _ in range(at.rng.choice([1, 10, 200])):
        data[at.rng.randrange(max(0, half[0]), min(len(data), half[1]))] ^= 1 << at.rng.randrange(8)
    return bytes(data)


@kind("playlist that is called a video", "video")
def _(at: Place) -> bytes:
    target, port = at.outside / "secret.mp4", at.port
    lists = [
        f"ffconcat version 1.0\nfile '{target}'\n", f"ffconcat version 1.0\nfile 'http://127.0.0.1:{port}/a.mp4'\n",
        f"#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\n{target}\n#EXT-X-ENDLIST\n",
        f"#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\nhttp://127.0.0.1:{port}/a.ts\n#EXT-X-ENDLIST\n",
        f"#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\nconcat:{target}|file:///etc/passwd\n#EXT-X-ENDLIST\n",
        "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 50000 RTP/AVP 96\na=rtpmap:96 H264/90000\n",
        f"<?xml version='1.0'?><MPD type='static' mediaPresentationDuration='PT5S'><Period><AdaptationSet><Representation id='1' bandwidth='1'><BaseURL>http://127.0.0.1:{port}/x.mp4</BaseURL></Representation></AdaptationSet></Period></MPD>",
        f"[playlist]\nFile1={target}\nNumberOfEntries=1\n", f"rtsp://127.0.0.1:{port}/x\n", "P6 60000 60000 255\n",
    ]
    return at.rng.choice(lists).encode()


def boxed(name: bytes, *parts: bytes) -> bytes:
    """Return a box of an MP4."""
    data = b"".join(parts)
    return struct.pack(">I", len(data) + 8) + name + data


@kind("MP4 that refers elsewhere or lies", "video")
def _(at: Place) -> bytes:
    data = bytearray((at.plain / "plain.mp4").read_bytes())
    way = at.rng.randrange(6)
    if way <= 1:  # its samples lie in another file, and are blank here
        data = bytearray((at.outside / "secret.mp4").read_bytes())
        place = data.find(b"mdat")
        size = struct.unpack(">I", data[place - 4 : place])[0] - 8
        data[place + 4 : place + 4 + size] = bytes(size)
        place = data.find(b"dref")
        start, size = place - 4, struct.unpack(">I", data[place - 4 : place])[0]
        alis = b"\0\0\0\0" + struct.pack(">HH", 0, 2) + bytes(142)
        url = f"file://{at.outside / 'secret.mp4'}".encode() + b"\0" if way else f"http://127.0.0.1:{at.port}/x.mp4".encode() + b"\0"
        entry = boxed(b"url ", b"\0\0\0\0", url) if at.rng.random() < 0.7 else boxed(b"alis", alis + url)
        new = boxed(b"dref", b"\0\0\0\0\0\0\0\1", entry)
        grown = len(new) - size
        data[start : start + size] = new
        for name in (b"dinf", b"minf", b"mdia", b"trak", b"moov"):
            at_box = data.find(name) - 4
            data[at_box : at_box + 4] = struct.pack(">I", struct.unpack(">I", data[at_box : at_box + 4])[0] + grown)
        return bytes(data)
    name = at.rng.choice([b"stts", b"stsz", b"stsc", b"stco", b"ctts", b"stss", b"elst"])
    place = data.find(name)
    if way == 2 and place > 0:
        data[place + 8 : place + 12] = at.rng.choice([b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\x10\0\0\0"])
    elif way == 3:
        for mark in (b"avc1",):
            found = data.find(mark)
            data[found + 28 : found + 32] = struct.pack(">HH", 65535, 65535)
    elif way == 4:
        found = data.find(b"mvhd")
        data[found + 16 : found + 24] = b"\0\0\0\1\x7f\xff\xff\xff"
        found = data.find(b"mdhd")
        data[found + 16 : found + 20] = at.rng.choice([b"\0\0\0\0", b"\xff\xff\xff\xff"])
    else:
        found = data.find(b"moov") - 4
        data[found : found + 4] = at.rng.choice([b"\0\0\0\0", b"\0\0\0\1", b"\xff\xff\xff\xff", b"\0\0\0\7"])
    return bytes(data)


@kind("DICOM with gigantic or nested elements", "dcm")
def _(at: Place) -> bytes:
    data, way = bytearray(at.sound), at.rng.randrange(6)
    pixels = data.rfind(b"\xe0\x7f\x10\x00")
    if way == 0:  # sequences in sequences
        depth = at.rng.choice([500, 5_000, 50_000])
        item = b"\x08\x00\x15\x11SQ\0\0\xff\xff\xff\xff\xfe\xff\x00\xe0\xff\xff\xff\xff"
        place = data.find(b"\x10\x00\x10\x00PN")
        data[place:place] = item * depth
    elif way == 1:  # a value of 4 GB
        place = data.find(b"\x10\x00\x10\x00PN")
        data[place:place] = b"\x08\x00\x18\x22UN\0\0" + struct.pack("<I", at.rng.choice([0xFFFFFFFE, 0x7FFFFFFF, 0xFFFFFFFF]))
    elif way == 2:  # fragments that lie about their length
        place = data.find(b"\xfe\xff\x00\xe0", pixels + 12)
        data[place + 4 : place + 8] = at.rng.choice([b"\xfe\xff\xff\xff", b"\xff\xff\xff\x7f", b"\x00\x00\x00\x00"])
    elif way == 3:  # numbers that no picture has
        for mark in (b"\x28\x00\x10\x00US", b"\x28\x00\x11\x00US"):
            place = data.find(mark)
            data[place + 8 : place + 10] = at.rng.choice([b"\xff\xff", b"\0\0"])
        place = data.find(b"\x28\x00\x08\x00IS")
        data[place + 8 : place + 10] = at.rng.choice([b"-1", b"99", b"xx", b"1e"])
    elif way == 4:  # a million empty fragments
        place = data.find(b"\xfe\xff\x00\xe0", pixels + 12)
        data[place:place] = b"\xfe\xff\x00\xe0\0\0\0\0" * 1_000_000
    else:  # deflated, or another transfer syntax than it says
        place = data.find(b"1.2.840.10008.1.2.4")
        data[place : place + 19] = at.rng.choice(
            [b"1.2.840.10008.1.2.1", b"1.2.840.10008.1.2.2", b"1.2.840.10008.1.2.5", b"9.9.999.99999.9.9.9"]
        )
    return bytes(data)
