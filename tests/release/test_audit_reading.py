"""Every file of a release is read once, in any number of processes, and nothing is missed by that."""

import random
import re
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from scrubin.audit import readers, reading
from scrubin.audit.expected.plan import Plan, StillPlan, VideoPlan
from scrubin.audit.expected.private_strings import derive
from scrubin.audit.expected.search import Search
from scrubin.audit.pictures.shown import Pictures
from scrubin.audit.readers import OnePass, Reader, Released
from scrubin.audit.run import audit
from scrubin.curate.engine import Piece
from scrubin.curate.engine.engines import Processes
from toy_release import TASK


class Name(str):
    """A name of a file; ``looked_up`` counts how often a set or a mapping took one."""

    looked_up = 0

    def __hash__(self) -> int:
        Name.looked_up += 1
        return super().__hash__()


MB = 1_000_000
IO = Path("/proc/self/io")
NAME = "Grünwaldner"


def bytes_read() -> int:
    return int(re.search(r"rchar: (\d+)", IO.read_text())[1])


@pytest.mark.parametrize("seed", range(5))
def test_whoever_jumps_in_a_file_gets_its_bytes_while_all_of_them_go_by_once_and_in_order(tmp_path, monkeypatch, seed):
    monkeypatch.setattr(readers, "CHUNK_BYTES", 100)
    draw, path, seen = random.Random(seed), tmp_path / "a", []
    data = draw.randbytes(1_234)
    path.write_bytes(data)
    with OnePass(path, [seen.append]) as file:
        assert file.size == len(data)
        for _ in range(50):
            start, size = draw.randrange(1_300), draw.choice([0, 1, 16, 150, 500])
            assert file.seek(start) == start
            assert file.read(size) == data[start : start + size]
        assert file.seek(-10, 2) == len(data) - 10
        assert file.read() == data[-10:]
        file.finish()
    assert b"".join(seen) == data


def parts_of(folder: Path, videos: int, size: int = 100) -> tuple[list[tuple[str, ...]], int]:
    """Return how the files of so many videos of one frame each are shared out, and how often a name was looked up for it."""
    plans = []
    for k in range(videos):
        still = StillPlan(f"frames/{k}/0.png", f"frames/{k}/0.png", "", 0, redacted=False)
        plans.append(VideoPlan(f"videos/{k}.mkv", str(k), "mono", 1, "", (), stills=(still,)))
    files = {Name(name): folder / name for one in plans for name in (one.path, one.stills[0].file)}
    for path in files.values():
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            file.truncate(size)
    Name.looked_up = 0
    return [part.names for part in reading._parts(files, Plan(videos=tuple(plans)))], Name.looked_up


def test_the_files_of_a_release_are_shared_out_with_as_much_work_for_each_video_however_many_there_are(tmp_path):
    few = parts_of(tmp_path, 10)[1]
    assert parts_of(tmp_path, 100)[1] == 10 * few


def test_a_large_video_is_read_by_itself_and_small_ones_some_at_a_time_each_with_its_frames(tmp_path):
    names = [(f"videos/{k}.mkv", f"frames/{k}/0.png") for k in range(50)]
    assert parts_of(tmp_path, 3, size=reading.PIECE_BYTES)[0] == names[:3]
    pieces = [names[first : first + reading.PIECE_VIDEOS] for first in range(0, 50, reading.PIECE_VIDEOS)]
    assert parts_of(tmp_path, 50)[0] == [tuple(name for pair in piece for name in pair) for piece in pieces]


def test_a_file_that_is_walked_through_is_read_once(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(bytes(20 * MB))
    before = bytes_read()
    with OnePass(path, []) as file:
        for position in range(0, 20 * MB, 10_000):
            file.seek(position)
            file.read(16)
        file.finish()
    assert bytes_read() - before < 20.1 * MB


@pytest.fixture
def packed(tmp_path):
    """A zip of two large films, the reader that knows both, and the search."""
    search = Search(derive({"participant": [NAME]}, frozenset()), 10**9)
    films = [random.Random(k).randbytes(9 * MB) for k in range(2)]
    films[1] = films[1][: 4 * MB] + NAME.encode() + films[1][4 * MB :]
    reads = []
    for number, film in enumerate(films):
        path = tmp_path / f"{number}.bin"
        path.write_bytes(film)
        reads.append(Reader(Plan(), search).read(path, path.name))
    released = Released(frozenset(one.sha256 for one in reads), {one.sha256: one.raw for one in reads})

    def pack(*members: tuple[str, bytes], known: Released = released):
        path = tmp_path / "a.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in members:
                entry = zipfile.ZipInfo(name)
                entry.create_system, entry.external_attr = 3, 0o100644 << 16
                archive.writestr(entry, data)
        before = bytes_read()
        result = Reader(Plan(), search, known).read(path, "a.zip")
        return result, (bytes_read() - before) / path.stat().st_size

    return pack, films


def test_a_zip_of_released_files_is_read_once_and_what_stands_in_them_stands_in_it(packed):
    pack, films = packed
    result, times = pack(("0.bin", films[0]))
    assert (result.raw, times < 1.05) == (frozenset(), True)
    result, times = pack(("0.bin", films[0]), ("1.bin", films[1]))
    assert {needle.text for needle in result.raw} == {NAME}
    assert times < 1.05


def test_a_member_that_is_no_released_file_is_searched_and_refused(packed):
    pack, films = packed
    result, _ = pack(("0.bin", films[0]), ("1.bin", films[1]), known=Released())
    assert {needle.text for needle in result.raw} == {NAME}
    assert [fault.rule for fault in result.faults].count("unreadable") == 2


def test_a_name_between_the_members_of_a_zip_is_found(packed):
    pack, films = packed
    result, _ = pack(("0.bin", films[0]), (f"{NAME}.bin", films[0]))
    assert {needle.text for needle in result.raw} == {NAME}


def test_a_zip_in_a_zip_may_be_one_of_the_release(packed, tmp_path):
    pack, films = packed
    inner = tmp_path / "inner.zip"
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("0.bin", films[0])
    assert [fault.rule for fault in pack(("inner.zip", inner.read_bytes()))[0].faults].count("unreadable") == 1
    known = Released(archives={inner.stat().st_size: (inner,)})
    assert "unreadable" not in [fault.rule for fault in pack(("inner.zip", inner.read_bytes()), known=known)[0].faults]


@pytest.mark.slow
def test_other_processes_find_the_same(release, tmp_path):
    release.path("notes.txt").write_text("Grünwaldner was here\n", encoding="utf-8")
    with zipfile.ZipFile(release.path(f"archives/{TASK}_mono.zip"), "a") as archive:
        archive.comment = b"Li_Wei"
    engine = Processes(2)

    def over(work, parts):
        with ThreadPoolExecutor(engine.lanes) as threads:
            return [*threads.map(lambda part: engine.do(Piece(work, part, tmp_path / "store", None)), parts)]

    def evidence(**more):
        return audit(release.folder, release.private, release.plan, pictures=Pictures(release.private, "none"), **more)

    try:
        assert evidence(over=over, shared=tmp_path) == evidence()
    finally:
        engine.close()
    assert {finding.rule for finding in evidence().findings} >= {"private-string", "checksum", "zip"}
