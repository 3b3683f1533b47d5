"""Files that are damaged as disks and people damage them, and what each command that reads one says of it: rule, place, mend."""

from __future__ import annotations

import io
import json
import random
import re
import shutil
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hostile.commands import Slot, slots
from hostile.material import EXAMPLES
from hostile.noted import noted
from hostile.watched import case_of

FAMILIES = {".json": "json", ".csv": "csv", ".xlsx": "xlsx", ".npz": "npz", ".npy": "npy", ".parquet": "parquet", ".jsonl": "json"}
TEXTS = ("json", "csv", "text")
SHEETS = re.compile(r"/ratings/|/skill/|/errors/|^aix/|OSATS|recordings\.csv")
TABLES = re.compile(r"\.parquet$|^split/|^ranking/|/splits/|files\.csv|map\.csv|sheet\.csv|redactions|withdrawn")
SORTS = ("label", "label", "label", "sheet", "table", "video")
"""How often each sort is drawn."""
DAMAGES = ("cut off", "byte", "number", "large number", "doubled", "lines mixed", "field renamed", "line lost", "emptied")
FIELDS, NUMBERS = re.compile(rb"[A-Za-z_]{3,}"), re.compile(rb"\d+")


@dataclass(frozen=True)
class Damaged:
    """A damaged file, and a command that reads it."""

    number: int
    sort: str
    damage: str
    slot: Slot
    seed: int

    @property
    def key(self) -> dict[str, Any]:
        """What its line is found by."""
        return {"number": self.number, "command": " ".join(self.slot.command), "seed": self.seed}


def by_sort(base: Path) -> dict[str, dict[str, list[Slot]]]:
    """Return the commands that read each file: by sort, and by the path of the file."""
    found: dict[str, dict[str, list[Slot]]] = {"label": {}, "sheet": {}, "table": {}, "video": {}}
    for folder in sorted((base / EXAMPLES).iterdir()):
        place = f"{EXAMPLES}/{folder.name}"
        commands = (("validate", place), ("convert", place, "--to", "tables-csv", "--out", "out/tables"))
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            family = FAMILIES.get(path.suffix, "text")
            name = str(path.relative_to(base))
            found["label"][name] = [Slot(command[0], (place,), name, command, family) for command in commands]
    for slot in slots():
        if slot.family in ("json", "csv", "text", "npz", "npy", "parquet", "xlsx", "video"):
            sort = "video" if slot.family == "video" else "sheet" if SHEETS.search(slot.path) else "label"
            if sort == "label" and TABLES.search(slot.path):
                sort = "table"
            found[sort].setdefault(slot.path, []).append(slot)
    return found


def damaged_files(base: Path, count: int, seed: int) -> Iterator[Damaged]:
    """Yield so many damaged files, each once for every command that reads it; all files of a sort are taken in turn."""
    sorts = by_sort(base)
    order = {sort: random.Random(f"{seed} {sort}").sample(sorted(files), len(files)) for sort, files in sorts.items()}
    turns = Counter[str]()
    for number in range(count):
        sort = SORTS[number % len(SORTS)]
        path = order[sort][turns[sort] % len(order[sort])]
        turns[sort] += 1
        damage = random.Random(f"{seed} {number} {path}").choice(DAMAGES)
        for slot in sorts[sort][path]:
            yield Damaged(number, sort, damage, slot, seed)


def damage(data: bytes, family: str, how: str, rng: random.Random) -> bytes:
    """Return the bytes of a file with one fault of those that real files have."""
    if how == "emptied":
        return b""
    at = rng.randrange(max(1, len(data)))
    if how == "cut off":
        return data[:at]
    if family == "parquet" and how in ("number", "large number", "lines mixed", "field renamed", "line lost"):
        return _of_table(data, how, rng)
    if family in ("xlsx", "npz") and how not in ("byte", "doubled"):
        return _of_member(data, how, rng)
    if family not in TEXTS or how == "byte":
        return data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :] if how != "doubled" else data[:at] + data[at // 2 :]
    return _of_text(data, how, rng)


def _of_text(data: bytes, how: str, rng: random.Random) -> bytes:
    lines = data.split(b"\n")
    if how in ("number", "large number") and (found := list(NUMBERS.finditer(data))):
        number = rng.choice(found)
        new = str(rng.randrange(10) if how == "number" else 10 ** rng.randrange(3, 25)).encode()
        return data[: number.start()] + new + data[number.end() :]
    if how == "field renamed" and (fields := FIELDS.findall(data)):
        field = rng.choice(fields)
        return data.replace(field, field[::-1], 1)
    if how == "lines mixed":
        rng.shuffle(lines)
    elif how == "line lost":
        lines.pop(rng.randrange(len(lines)))
    else:
        at = rng.randrange(max(1, len(data)))
        return data[:at] + data[at : at + rng.randrange(1, 60)] + data[at:]
    return b"\n".join(lines)


def _of_member(data: bytes, how: str, rng: random.Random) -> bytes:
    """Damage the text of one part of a workbook, or a byte of one array."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as sound, zipfile.ZipFile(out, "w") as made:
        names = sound.namelist()
        hit = rng.choice([name for name in names if "sheet" in name.rsplit("/", 1)[-1]] or names)
        for name in names:
            part = sound.read(name)
            if name == hit and name.endswith(".xml"):
                part = _of_text(part.replace(b"<row", b"\n<row"), how, rng)
            elif name == hit:
                at = rng.randrange(len(part))
                part = part[:at] + bytes([rng.randrange(256)]) + part[at + 1 :]
            made.writestr(zipfile.ZipInfo(name), part)
    return out.getvalue()


def _of_table(data: bytes, how: str, rng: random.Random) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(io.BytesIO(data))
    rows, at = table.num_rows, rng.randrange(table.num_columns)
    name = table.column_names[at]
    if how == "lines mixed":
        table = table.take(rng.sample(range(rows), rows))
    elif how == "line lost":
        table = table.take([row for row in range(rows) if row != rows // 2])
    elif how == "field renamed":
        table = table.rename_columns([one[::-1] if one == name else one for one in table.column_names])
    else:
        values = table.column(at).to_pylist()
        kind = table.schema.field(at).type
        is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
        values[rng.randrange(rows)] = (101 if how == "number" else -7) if is_number else None
        table = table.set_column(at, pa.field(name, kind), pa.array(values, kind))
    out = io.BytesIO()
    pq.write_table(table, out)
    return out.getvalue()


def verdict(folder: Path, case: Damaged, *, limit_s: float, keep: bool) -> dict[str, Any]:
    """Damage the file, run the command, and return what it said."""
    name = f"{case.seed}_{case.number:03}_{re.sub(r'[^A-Za-z0-9]+', '_', ' '.join(case.slot.command))[:80]}"
    made = case_of(case.slot, folder / "base", folder / "damaged" / name)
    rng = random.Random(f"{case.seed} {case.number} {case.slot.path} {case.damage}")
    made.path.write_bytes(damage(made.sound, case.slot.family, case.damage, rng))
    said = noted(made, case.slot, limit_s)
    if not keep:
        shutil.rmtree(made.folder, ignore_errors=True)
    return {**case.key, "sort": case.sort, "damage": case.damage, "file": case.slot.path, **said}


def failure(one: dict[str, Any]) -> str:
    """Return what is wrong with how a command ended; "" when it ended as it should."""
    if one["traceback"]:
        return "traceback"
    if one["hung"]:
        return "hang"
    if one["code"] < 0:
        return "killed"
    return "refused in silence" if one["code"] and not any(line.strip() for line in one["text"]) else ""


def verdicts(done: Sequence[dict[str, Any]]) -> int:
    """Print the verdict of every command on every file, and count them; return 1 when one ended as none may."""
    for one in sorted(done, key=lambda one: (one["number"], one["command"])):
        print(f"{one['number']:03} {one['sort']}, {one['damage']}: {one['file']}")
        print(f"    scrubin {one['command']}: exit {one['code']} {failure(one)}")
        for rule, file, place, fix, severity, what in one["faults"][:3]:
            print(f"      {severity} [{rule or '-'}] {', '.join(part for part in (file, place) if part) or '-'}: {what[:160]}; {fix[:160]}")
        if one["code"] and not one["faults"]:
            print(f"      {(one['text'] or ['(nothing)'])[-1][:320]}")
    print(f"\n{'sort':10}{'files':>7}{'runs':>7}{'exit 0':>8}{'refused':>9}{'with a rule':>13}{'failures':>10}")
    for sort in (*dict.fromkeys(SORTS), "all"):
        own = [one for one in done if sort in (one["sort"], "all")]
        refused = [one for one in own if one["code"]]
        ruled = sum(any(rule for rule, *_ in one["faults"]) for one in refused)
        failures = sum(map(bool, map(failure, own)))
        counts = (len({one["number"] for one in own}), len(own), len(own) - len(refused), len(refused), ruled, failures)
        print(f"{sort:10}" + "".join(f"{number:>{width}}" for number, width in zip(counts, (7, 7, 8, 9, 13, 10), strict=True)))
    return int(any(map(failure, done)))


def compare(before: Path, after: Path) -> int:
    """Print which verdicts differ between two editions, and in what; return 1 when one accepts what the other refuses."""
    mine, theirs = (
        {(one["number"], one["command"]): one for one in map(json.loads, path.read_text(encoding="utf-8").splitlines())}
        for path in (after, before)
    )
    kinds = Counter[str]()
    for key in sorted(mine.keys() & theirs.keys()):
        now, then = mine[key], theirs[key]
        differs = [name for name, part in PARTS.items() if part(now) != part(then)]
        kinds[differs[0] if differs else "as before"] += 1
        if differs and differs[0] != "wording":
            print(f"{key[0]:03} {now['damage']}: {now['file']}: scrubin {key[1]}: {differs[0]}: exit {then['code']} -> {now['code']}")
            for mark, one in (("-", then), ("+", now)):
                other = now if one is then else then
                said = [fault for fault in one["faults"] if fault not in other["faults"]][:2] or one["text"][-1:]
                print("".join(f"    {mark} {str(fault)[:300]}\n" for fault in said), end="")
    counts = ", ".join(f"{kinds[name]} {name}" for name in ("as before", *PARTS) if kinds[name])
    print(f"{len(mine.keys() & theirs.keys())} verdicts of both: {counts}")
    print(f"only before: {len(theirs.keys() - mine.keys())}, only now: {len(mine.keys() - theirs.keys())}")
    return int(kinds["accepted or refused"] > 0)


PARTS = {
    "accepted or refused": lambda one: (bool(one["code"]), failure(one)),
    "exit code": lambda one: one["code"],
    "rule": lambda one: sorted({(fault[0], fault[4]) for fault in one["faults"]}),
    "place": lambda one: sorted({(fault[1], fault[2]) for fault in one["faults"]}),
    "mend": lambda one: sorted({fault[3] for fault in one["faults"]}),
    "wording": lambda one: (one["faults"], one["text"]),
}
"""What two verdicts can differ in, the gravest first."""
