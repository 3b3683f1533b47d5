"""README.md of a LeRobot data set."""

from __future__ import annotations

import json
from collections.abc import Mapping

from scrubin.exports.contents import Contents
from scrubin.exports.lerobot.formats import Format


def text(contents: Contents, form: Format, scheme: str | None, totals: Mapping[str, int]) -> str:
    """Return the document; its first lines are for Hugging Face."""
    about = contents.metadata
    title = f"{form.task}, {about.get('alternateName') or about.get('name', '')}"
    ordered = f"those of `{scheme}` stand in `meta/info.json` as ranges of episodes" if scheme else "`meta/info.json` has one range of all"
    lines = [
        "---",
        f"pretty_name: {json.dumps(title, ensure_ascii=False)}",
        "tags:",
        "- LeRobot",
        "configs:",
        "- config_name: default",
        "  data_files: data/*/*.parquet",
        "---",
        "",
        f"# {title}",
        "",
        f"Exported from {about.get('name', '')} {about.get('version', '')} for LeRobot v3: {totals['total_episodes']:,} episodes,",
        f"{totals['total_frames']:,} frames. An episode is a recording; `recording` in `meta/episodes` is its id in the release.",
        "",
        "- Videos hold the coded pictures of the release, not encoded again; frame k lies at k / rate.",
        "- `hidden`: the frame is black, because it was hidden. Do not train on it.",
        "- `skill` and `errors` belong to the recording and stand with every frame, NaN where they are missing. `meta/episodes` has them",
        "  as well, with null where they are missing.",
        f"- Splits: `meta/episodes` has a column for each; {ordered}.",
        "- There is no robot here: no `action` and no `observation.state`.",
    ]
    lines += ["", "Known errors:", "", *(f"- {error}" for error in contents.known_errors)] if contents.known_errors else []
    return "\n".join([*lines, *(["", f"    {about['citeAs']}"] if about.get("citeAs") else [])]) + "\n"
