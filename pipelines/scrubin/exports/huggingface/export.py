"""A Hugging Face data set: `datasets.load_dataset(folder, "frames_balanced", split="train")`.

One configuration per scheme and fold, for frames and for recordings, and the subsets are its splits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from scrubin.exports.contents import Contents
from scrubin.exports.groups import folds, groups
from scrubin.exports.huggingface import card, schema
from scrubin.exports.registry import Each, Summary

ROWS_AT_ONCE = 100
"""Rows of a row group: what a reader must load for one picture."""
SHARD_BYTES = 300_000_000
Files = dict[str, list[str]]


def write(contents: Contents, folder: Path, each: Each) -> Summary:
    """Write parquet files and README.md."""
    every = groups(list(contents.tasks), contents.splits)
    passed = iter(each([id_ for group in every for id_ in group.ids]))
    frames = Shards(folder, "frames", schema.schema(schema.FRAMES))
    recordings = Shards(folder, "recordings", schema.schema(schema.recordings(contents.score_columns)))
    for group in every:
        frames.write(group.name, (row for id_ in group.ids if next(passed) == id_ for row in _frames(contents, id_)))
        recordings.write(group.name, contents.scores(group.ids))
    card.write(folder, contents, card.configs(folds(every), {"frames": frames.files, "recordings": recordings.files}))
    return Summary(len(contents.tasks), frames.rows, contents.left_out)


def _frames(contents: Contents, id_: str) -> Iterator[Mapping[str, Any]]:
    for frame in contents.frames(id_):
        yield frame.row | {"image": {"bytes": contents.picture(frame), "path": frame.path}}


class Shards:
    """Parquet files of one kind of rows, by group.

    Parameters
    ----------
    folder, kind
        Files are ``<folder>/<kind>/<group>-00000.parquet``.
    columns
        Their schema.
    """

    def __init__(self, folder: Path, kind: str, columns: pa.Schema) -> None:
        self._folder, self._kind, self._columns = folder, kind, columns
        self.files: Files = {}
        self.rows = 0
        (folder / kind).mkdir()

    def write(self, group: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Write the rows of a group; a file of more than 300 MB is followed by another one."""
        names = self.files[group] = []
        writer: pq.ParquetWriter | None = None
        size = 0
        try:
            for batch in _batches(rows):
                table = pa.Table.from_pylist(batch, schema=self._columns)
                if writer is not None and size >= SHARD_BYTES:
                    writer.close()
                    writer = None
                if writer is None:
                    names.append(f"{self._kind}/{group}-{len(names):05d}.parquet")
                    writer, size = self._writer(names[-1]), 0
                writer.write_table(table, row_group_size=ROWS_AT_ONCE)
                size += table.nbytes
                self.rows += len(batch)
        finally:
            if writer is not None:
                writer.close()

    def _writer(self, name: str) -> pq.ParquetWriter:
        texts = [field.name for field in self._columns if pa.types.is_string(field.type)]
        return pq.ParquetWriter(self._folder / name, self._columns, compression="zstd", use_dictionary=texts)


def _batches(rows: Iterable[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    batch = []
    for row in rows:
        batch.append(row)
        if len(batch) == ROWS_AT_ONCE:
            yield batch
            batch = []
    if batch:
        yield batch
