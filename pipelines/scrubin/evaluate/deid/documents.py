"""A score as JSON, CSV or one page of HTML."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from scrubin.base import pages
from scrubin.base.faults import ranges, sheet_cell
from scrubin.base.files import sha256_of, write_json, write_text
from scrubin.base.statistics import settled, without_nan
from scrubin.base.text.csv_rows import csv_of
from scrubin.evaluate.deid.key import FILE, KINDS, Key
from scrubin.evaluate.deid.score import Score, Tally, Verdict, as_values, overall

TEMPLATE = Path(__file__).with_name("page.html.j2")
FORMAT, VERSION = "scrubin-deid-score", 2
TABLE = (
    *("kind", "trait", "value", "items", "done", "missing", "lost", "share", "low", "high"),
    *("frames", "leaked_frames", "leaked_share", "whole", "part", "none"),
)
ITEMS = ("item", "recording", "kind", "carried_by", "state", "extent", "frames", "leaked_frames", "leaked", "where")


def write(score: Score, key: Key, folder: Path) -> None:
    """Write ``score.json``, ``score.csv``, ``items.csv`` and ``index.html`` into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / "score.json", document(score, key))
    write_text(folder / "score.csv", _csv(TABLE, table_rows(score)))
    write_text(folder / "items.csv", _csv(ITEMS, [_item_row(one) for one in score.verdicts]))
    write_text(folder / "index.html", page(score, key))


def document(score: Score, key: Key) -> dict[str, Any]:
    """Return everything as JSON values; null is undefined."""
    values = {
        "format": FORMAT,
        "version": VERSION,
        "key": {**key.origin, "sha256": sha256_of(key.folder / FILE), "recordings": len(key.recordings), "items": len(key.items)},
        "joined": asdict(score.joined),
        "total": as_values(score.total),
        "kinds": {kind: as_values(tallied) for kind, tallied in score.kinds.items()},
        "groups": [{"kind": kind, "trait": trait, "value": value, **as_values(one)} for kind, trait, value, one in score.groups],
        "losses": {"overall": overall(score.losses), "recordings": [as_values(one) for one in score.losses]},
        "outputs": [{"file": one.name, "recording": one.recording, "matched_by": one.matched_by} for one in score.outputs],
        "items": [_item_values(one) for one in score.verdicts],
    }
    cleaned: dict[str, Any] = without_nan(_settled(values))
    return cleaned


def table_rows(score: Score) -> list[list[Any]]:
    """Return the one table: the total, every kind, and every kind by what is known of its items."""
    rows = [("all", "", "", score.total), *((kind, "", "", one) for kind, one in score.kinds.items()), *score.groups]
    return [[kind, trait, value, *_numbers(one)] for kind, trait, value, one in rows]


def page(score: Score, key: Key) -> str:
    """Return the page: what was done, what leaked, what was lost; it needs nothing else and opens offline."""
    filters = {"percent": _percent, "number": _number, "ranges": _ranges}
    return (
        pages.environment(TEMPLATE.parent, filters)
        .get_template(TEMPLATE.name)
        .render(
            joined=score.joined,
            total=score.total,
            kinds=[(KINDS[kind], one) for kind, one in score.kinds.items()],
            groups=score.groups,
            overall=overall(score.losses),
            losses=score.losses,
            left=[one for one in score.verdicts if one.state != "done"],
            strangers=[one.name for one in score.outputs if not one.recording],
            origin=sorted(key.origin.items()),
            names={one.name: one.file for one in key.recordings},
        )
    )


def _numbers(one: Tally) -> list[Any]:
    values = as_values(one)
    return [values[name] for name in TABLE[3:]]


def _item_values(one: Verdict) -> dict[str, Any]:
    item = one.item
    leaked = [list(pair) for pair in ranges(one.leaked)]
    values = {"item": item.item, "recording": item.recording, "kind": item.kind, "carried_by": item.carried_by, "state": one.state}
    return {**values, "extent": one.extent, "frames": one.frames, "leaked_frames": len(one.leaked), "leaked": leaked, "where": one.where}


def _item_row(one: Verdict) -> list[Any]:
    values = _item_values(one)
    return [_ranges(one.leaked) if name == "leaked" else values[name] for name in ITEMS]


def _csv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    return csv_of([columns, *(list(map(_plain, row)) for row in rows)])


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        number = settled(value)
        return "" if math.isnan(number) else number
    return sheet_cell(value) if isinstance(value, str) else value


def _settled(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _settled(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_settled(one) for one in value]
    return settled(value) if isinstance(value, float) else value


def _percent(share: float) -> str:
    return "–" if math.isnan(share) else f"{100 * share:.1f}"


def _number(value: float, digits: int = 2) -> str:
    return "–" if math.isnan(value) else f"{value:,.{digits}f}"


def _ranges(frames: Sequence[int]) -> str:
    return " ".join(f"{first}" if first == last else f"{first}-{last}" for first, last in ranges(frames))
