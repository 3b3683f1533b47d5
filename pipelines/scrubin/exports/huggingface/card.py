"""README.md of a Hugging Face data set: lines for machines, which say what the splits are, and the release's own words."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from scrubin.core import strangers
from scrubin.core.files import write_text
from scrubin.exports.contents import Contents
from scrubin.exports.groups import Group
from scrubin.exports.huggingface.names import split_names

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


def write(folder: Path, contents: Contents, every: Mapping[str, Splits]) -> None:
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
        "- Boxes (`x`, `y`, `w`, `h`, shares of the picture) stand with the camera in which they were drawn only.",
        *(["", "Not in it:", "", *left_out] if left_out else []),
        *(["", "Known errors:", "", *(f"- {error}" for error in contents.known_errors)] if contents.known_errors else []),
    ]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """Return text that YAML reads as it is, whatever it holds: JSON is YAML."""
    return json.dumps(text, ensure_ascii=False)
