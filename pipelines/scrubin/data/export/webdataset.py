"""WebDataset: tars whose members with one name up to the dot are one sample, with a list of tars for each subset.

A sample is ``<id>_<camera>_<frame>.jpg`` (or ``.png``) with the bytes of the release, ``.json`` with its labels, and ``.cls`` with
the id of its phase, where it is labelled. Headers are POSIX ustar with fixed values, so equal frames give equal bytes.
"""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Any, Self

from scrubin.base.files import FIXED_TIME_S, write_text
from scrubin.data.export import Each, Summary
from scrubin.data.export.contents import Contents, Frame, folds, groups

FRAMES, SPLITS, RECORDINGS = "frames", "splits", "recordings.jsonl"
SHARD_BYTES = 300_000_000
MODE = 0o644


def write(contents: Contents, folder: Path, each: Each) -> Summary:
    """Write tars, lists of tars, scores and README.md."""
    every = groups(list(contents.tasks), contents.splits)
    passed = iter(each([id_ for group in every for id_ in group.ids]))
    (folder / FRAMES).mkdir()
    files, count = {}, 0
    for group in every:
        with Shards(folder, group.name) as shards:
            for id_ in group.ids:
                next(passed)
                for frame in contents.frames(id_):
                    shards.add(_sample(frame, contents.picture(frame)))
                    count += 1
        files[group.name] = shards.names
    for fold, subsets in folds(every).items():
        for subset, own in subsets.items():
            listed = [file for group in own for file in files[group.name]]
            write_text(folder / SPLITS / fold / f"{subset}.txt", "".join(f"{file}\n" for file in listed))
    write_text(folder / RECORDINGS, "".join(_line(row) for row in contents.scores(list(contents.tasks))))
    write_text(folder / "README.md", _readme(contents))
    return Summary(len(contents.tasks), count, contents.left_out)


class Shards:
    """The tars of a group: ``frames/<group>-00000.tar`` and so on; one of more than 300 MB is followed by another one."""

    def __init__(self, folder: Path, group: str) -> None:
        self._folder, self._group = folder, group
        self.names: list[str] = []
        self._tar: tarfile.TarFile | None = None

    def add(self, sample: Mapping[str, bytes]) -> None:
        """Write the members of one sample, which stand together."""
        if self._tar is not None and self._tar.offset >= SHARD_BYTES:
            self._tar.close()
            self._tar = None
        if self._tar is None:
            self.names.append(f"{FRAMES}/{self._group}-{len(self.names):05d}.tar")
            self._tar = tarfile.open(self._folder / self.names[-1], "w", format=tarfile.USTAR_FORMAT)  # noqa: SIM115 - closed on exit
        for name in sorted(sample):
            header = tarfile.TarInfo(name)
            header.size, header.mtime, header.mode = len(sample[name]), FIXED_TIME_S, MODE
            self._tar.addfile(header, io.BytesIO(sample[name]))

    def __enter__(self) -> Self:
        """Begin; a group without pictures has no tar."""
        return self

    def __exit__(self, error_type: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Finish the last tar."""
        if self._tar is not None:
            self._tar.close()


def _sample(frame: Frame, data: bytes) -> dict[str, bytes]:
    row = frame.row
    key = f"{row['id']}_{row['camera']}_{row['frame']:06d}"
    sample = {f"{key}{PurePosixPath(frame.path).suffix}": data, f"{key}.json": _line(row).encode()}
    return sample if row["phase_id"] is None else sample | {f"{key}.cls": str(row["phase_id"]).encode()}


def _line(row: Mapping[str, Any]) -> str:
    return json.dumps(row, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


def _readme(contents: Contents) -> str:
    return "\n".join(_sentences(contents)) + "\n"


def _sentences(contents: Contents) -> Iterator[str]:
    metadata = contents.metadata
    yield f"# {metadata.get('alternateName') or metadata.get('name', '')}"
    yield f"\nExported from {metadata.get('name', '')} {metadata.get('version', '')} for WebDataset."
    yield f"\n- `{FRAMES}/*.tar`: one sample per picture, `<id>_<camera>_<frame>`: the picture with the bytes of the release, `json`"
    yield "  with its labels, `cls` with the id of its phase where it is labelled."
    yield f"- `{SPLITS}/<scheme>/<subset>.txt`: the tars of a subset, one per line; `<scheme>_<fold>` where a scheme has several folds."
    yield f"- `{RECORDINGS}`: one line of JSON per recording, with scores and errors."
    yield "\nIn `json`, `instances` is null where nobody labelled instruments, and an empty list where somebody saw none; `phase` is null"
    yield "where it is not labelled, and `marks` where nobody judged. Missing is never 0. Boxes (shares of the picture), masks (run lengths"
    yield "as pycocotools has them, with their own width and height) and points stand with the camera in which they were drawn only."
    if contents.left_out:
        yield "\nNot in it:\n"
        yield from (f"- {count:,} {reason}" for reason, count in contents.left_out.items())
    if contents.known_errors:
        yield "\nKnown errors:\n"
        yield from (f"- {error}" for error in contents.known_errors)
    if citation := metadata.get("citeAs"):
        yield f"\n    {citation}"
