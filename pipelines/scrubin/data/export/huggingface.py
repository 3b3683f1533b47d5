"""A Hugging Face data set: `datasets.load_dataset(folder, "frames_balanced", split="train")`.

One configuration per scheme and fold, for frames and for recordings, and the subsets are its splits.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from scrubin.base import strangers
from scrubin.base.errors import ReleaseError
from scrubin.base.files import write_text
from scrubin.data.export import Each, Summary
from scrubin.data.export.contents import Contents, Group, folds, groups

SPLIT = re.compile(r"\w+(\.\w+)*", re.ASCII)
RESERVED = "all"
"""Asks `load_dataset` for all splits."""
MOST_SPLITS = 32


def split_names(subsets: Iterable[str], config: str) -> dict[str, str]:
    """Return the split of each subset.

    A split may hold letters, digits, underscores and single dots between them; every other sign becomes an underscore.

    Raises
    ------
    ReleaseError
        When two subsets would have one name, or a configuration more than 32 splits.

    >>> split_names(["train", "in-domain test"], "frames_balanced")
    {'train': 'train', 'in-domain test': 'in_domain_test'}
    """
    names = {subset: _safe(subset) for subset in subsets}
    if len(set(names.values())) < len(names):
        msg = f"the subsets {', '.join(sorted(names))} of '{config}' would share a name on Hugging Face; rename one in the splits"
        raise ReleaseError(msg)
    if len(names) > MOST_SPLITS:
        msg = f"'{config}' has {len(names)} subsets, but Hugging Face reads at most {MOST_SPLITS}; make them folds of a scheme instead"
        raise ReleaseError(msg)
    return names


def _safe(name: str) -> str:
    if SPLIT.fullmatch(name) and name != RESERVED:
        return name
    return ".".join(part for part in re.sub(r"[^\w.]", "_", name, flags=re.ASCII).split(".") if part) + ("_" if name == RESERVED else "")


PICTURE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
INSTANCE = pa.struct(
    [
        ("instance", pa.int64()),
        *(
            (name + id_, kind)
            for name in ("instrument", "verb", "target", "triplet")
            for id_, kind in (("", pa.string()), ("_id", pa.int64()))
        ),
        *((name, pa.float64()) for name in ("x", "y", "w", "h", "score")),
        ("mask", pa.struct([("width", pa.int64()), ("height", pa.int64()), ("counts", pa.string())])),
        ("points", pa.list_(pa.struct([("point", pa.string()), ("x", pa.float64()), ("y", pa.float64()), ("visibility", pa.int64())]))),
        ("tracks", pa.list_(pa.struct([("kind", pa.string()), ("track", pa.int64())]))),
    ]
)
MARK = pa.struct([("mark", pa.string()), ("rater", pa.string()), ("value", pa.float64())])
FRAMES: Mapping[str, pa.DataType] = {
    "image": PICTURE,
    "id": pa.string(),
    "task": pa.string(),
    "camera": pa.string(),
    "frame": pa.int64(),
    "source_frame": pa.int64(),
    "time_s": pa.float64(),
    "width": pa.int64(),
    "height": pa.int64(),
    "phase": pa.string(),
    "phase_id": pa.int64(),
    "phase_vocabulary": pa.string(),
    "instances": pa.list_(INSTANCE),
    "instances_vocabulary": pa.string(),
    "instances_detail": pa.string(),
    "marks": pa.list_(MARK),
}
ERRORS = pa.list_(pa.struct([("error", pa.string()), ("occurred", pa.bool_())]))


def recordings_columns(scores: Mapping[str, pa.DataType]) -> Mapping[str, pa.DataType]:
    """Return the columns of recordings with these scores."""
    return {"id": pa.string(), "task": pa.string(), **scores, "errors": ERRORS}


def schema(columns: Mapping[str, pa.DataType]) -> pa.Schema:
    """Return the schema of a file, with the features that the library makes of it."""
    features = {name: {"_type": "Image"} if kind == PICTURE else _feature(kind) for name, kind in columns.items()}
    metadata = {"huggingface": json.dumps({"info": {"features": features}}, sort_keys=True)}
    return pa.schema([pa.field(name, kind) for name, kind in columns.items()], metadata=metadata)


def _feature(kind: pa.DataType) -> Any:
    if pa.types.is_list(kind):
        return [_feature(kind.value_type)]
    if pa.types.is_struct(kind):
        return {field.name: _feature(field.type) for field in kind}
    return {"dtype": "float64" if pa.types.is_float64(kind) else str(kind), "_type": "Value"}


CARD = "metadata/dataset_card.md"
FRONT = re.compile(r"---\n(.*?)\n---\n", re.DOTALL)
KEY = re.compile(r"(?m)^(?=[^\s-])")  # items of a list may begin where its key does
OURS = ("configs:", "dataset_info:")
Splits = Mapping[str, Sequence[str]]


def configs(named: Mapping[str, Mapping[str, list[Group]]], files: Mapping[str, Mapping[str, Sequence[str]]]) -> dict[str, Splits]:
    """Return the files of each split, by configuration.

    Parameters
    ----------
    named
        Groups of each subset, by fold of a scheme.
    files
        Files of each group, by kind of rows.
    """
    every: dict[str, Splits] = {}
    for kind, of_group in files.items():
        for fold, subsets in named.items():
            config = f"{kind}_{fold}"
            splits = split_names(subsets, config)
            listed = {splits[subset]: [file for group in own for file in of_group[group.name]] for subset, own in subsets.items()}
            every[config] = {split: own for split, own in listed.items() if own}
    return {config: splits for config, splits in every.items() if splits}


def write_card(folder: Path, contents: Contents, every: Mapping[str, Splits]) -> None:
    """Write README.md."""
    front, text = _words(contents)
    lines = ["---", *front, "configs:"]
    for number, (config, splits) in enumerate(every.items()):
        lines += [f"- config_name: {_quoted(config)}", *(["  default: true"] if number == 0 else []), "  data_files:"]
        for split, files in splits.items():
            lines += [f"  - split: {_quoted(split)}", "    path:", *(f"    - {_quoted(file)}" for file in files)]
    write_text(folder / "README.md", "\n".join([*lines, "---", "", text.rstrip(), "", _section(contents, every)]))


def _words(contents: Contents) -> tuple[list[str], str]:
    """Return the lines for machines and the text of the release's own card; a short one where it has none."""
    text = strangers.read_text(contents.stated(CARD)) if (contents.release / CARD).is_file() else ""
    match = FRONT.match(text)
    if match is None:
        title = str(contents.metadata.get("alternateName") or contents.metadata.get("name", ""))
        return [f"pretty_name: {_quoted(title)}"], text or f"# {title}\n\n{contents.metadata.get('description', '')}\n"
    blocks = KEY.split(match[1])
    return [block.rstrip("\n") for block in blocks if block and not block.startswith(OURS)], text[match.end() :].lstrip("\n")


def _section(contents: Contents, every: Mapping[str, Splits]) -> str:
    name, version = contents.metadata.get("name", ""), contents.metadata.get("version", "")
    left_out = [f"- {count:,} {reason}" for reason, count in contents.left_out.items()]
    first = next(iter(every), "")
    split = next(iter(every.get(first, {})), "")
    rows = [f"| `{config}` | {', '.join(f'`{split}`' for split in splits)} |" for config, splits in every.items()]
    lines = [
        "## This copy",
        "",
        f"Exported from {name} {version}. `frames_*` has a row per picture, `recordings_*` one per recording, with scores and errors;",
        "what follows is the scheme, with several folds also the number of the fold. Splits are the subsets of the release. Other files",
        "that this page names lie in the release.",
        "",
        "```python",
        "from datasets import load_dataset",
        "",
        f'train = load_dataset("FOLDER", "{first}", split="{split}")',
        "```",
        "",
        "| configuration | splits |",
        "| --- | --- |",
        *rows,
        "",
        "- Pictures have the bytes of the release. `path` is their file there; `id` and `frame` lead to its tables.",
        "- `instances` is null where nobody labelled instruments, and an empty list where somebody saw none. `phase` is null where it is",
        "  not labelled. Missing is never 0.",
        "- Boxes (`x`, `y`, `w`, `h`, shares of the picture), masks and points stand with the camera in which they were drawn only. The",
        "  `counts` of a mask are run lengths as pycocotools has them, of a picture of its own `width` and `height`.",
        "- `marks` has what each annotator says of the frame; it is null where nobody judged.",
        *(["", "Not in it:", "", *left_out] if left_out else []),
        *(["", "Known errors:", "", *(f"- {error}" for error in contents.known_errors)] if contents.known_errors else []),
    ]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """Return text that YAML reads as it is, whatever it holds: JSON is YAML."""
    return json.dumps(text, ensure_ascii=False)


ROWS_AT_ONCE = 100
"""Rows of a row group: what a reader must load for one picture."""
SHARD_BYTES = 300_000_000
Files = dict[str, list[str]]


def write(contents: Contents, folder: Path, each: Each) -> Summary:
    """Write parquet files and README.md."""
    every = groups(list(contents.tasks), contents.splits)
    passed = iter(each([id_ for group in every for id_ in group.ids]))
    frames = Shards(folder, "frames", schema(FRAMES))
    recordings = Shards(folder, "recordings", schema(recordings_columns(contents.score_columns)))
    for group in every:
        frames.write(group.name, (row for id_ in group.ids if next(passed) == id_ for row in _frames(contents, id_)))
        recordings.write(group.name, contents.scores(group.ids))
    write_card(folder, contents, configs(folds(every), {"frames": frames.files, "recordings": recordings.files}))
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
