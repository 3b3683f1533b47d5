"""Hostile JSON, tables and YAML."""

from __future__ import annotations

import json
import re
from typing import Any

from hostile.kinds import TEXTS, Place, kind

DEEP, DIGITS, WIDE = 100_000, 5_000, 100_000

# fmt: off

def in_json(at: Place, text: str) -> bytes:
    """Put text in place of a value of the sound document."""
    document = json.loads(at.sound.decode("utf-8-sig"))
    spots: list[tuple[Any, Any]] = []

    def walk(value: Any) -> None:
        for key in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
            spots.append((value, key))
            walk(value[key])

    walk(document)
    if not spots:
        return text.encode()
    holder, key = at.rng.choice(spots[: at.rng.choice([3, 30, len(spots)])])
    holder[key] = "@@HERE@@"
    return json.dumps(document).replace('"@@HERE@@"', text, 1).encode()


@kind("JSON of depth 100,000", "json")
def _(at: Place) -> bytes:
    depth = at.rng.choice([1_000, 20_000, DEEP, 10 * DEEP])
    text = at.rng.choice(["[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth, "[" * depth, '[{"a":' * depth])
    return text.encode() if at.rng.random() < 0.4 else in_json(at, text)


@kind("JSON with a key twice", "json")
def _(at: Place) -> bytes:
    text = at.sound.decode("utf-8-sig")
    names = re.findall(r'"(?:[^"\\]|\\.)*"\s*:\s*(?:-?\d[\d.e+-]*|"[^"]*"|\[|\{)', text)
    flat = [one for one in names if one[-1] not in "[{"] or ['"a": 1']
    one = at.rng.choice(flat)
    return text.replace(one, f"{one}, {at.rng.choice([one, one.split(':')[0] + ': null', one.split(':')[0] + ': {}'])}", 1).encode()


@kind("JSON with other shapes", "json")
def _(at: Place) -> bytes:
    odd = [
        "null", "{}", "[]", '""', "true", "-1", "1e308", '"x"', "[[[]]]", '{"": null}', "[null]", '{"-1": [], "1.5": [], "x": []}',
        "-0.0", "18446744073709551616",
    ]
    return in_json(at, at.rng.choice(odd)) if at.rng.random() < 0.8 else at.rng.choice(odd).encode()


def in_table(at: Place, cell: str, many: bool = False) -> bytes:
    """Put text into a cell of the sound table, or into all of a column."""
    lines = at.sound.decode("utf-8-sig").splitlines() or [""]
    sign = max(",;\t", key=lines[0].count) if any(one in lines[0] for one in ",;\t") else " "
    rows = [line.split(sign) for line in lines]
    row = at.rng.randrange(len(rows))
    column = at.rng.randrange(len(rows[row]))
    for place, one in enumerate(rows):
        if (place == row or many) and column < len(one):
            one[column] = cell
    return "\n".join(sign.join(one) for one in rows).encode("utf-8", "surrogatepass") + b"\n"


def in_yaml(at: Place, text: str) -> bytes:
    """Put text in place of a value of the sound document."""
    lines = at.sound.decode().splitlines()
    spots = [place for place, line in enumerate(lines) if re.match(r"^\s*[\w ]+:\s*\S", line) and not line.startswith("%")]
    if not spots:
        return text.encode()
    place = at.rng.choice(spots)
    lines[place] = lines[place].split(":")[0] + ": " + text
    return "\n".join(lines).encode("utf-8", "surrogatepass") + b"\n"


def put(at: Place, text: str) -> bytes:
    """Put text into a file of any family of texts."""
    if at.family == "json":
        return in_json(at, text)
    if at.family == "yaml":
        return in_yaml(at, text)
    return in_table(at, text)


@kind("integer of 5,000 digits", "json", "csv", "text", "yaml", "sums")
def _(at: Place) -> bytes:
    return put(at, at.rng.choice(["", "-"]) + "9" * at.rng.choice([20, 400, DIGITS, 20 * DIGITS]) + at.rng.choice(["", "", ".5", "e9999"]))


@kind("NaN, Infinity, 1e400", "json", "csv", "text", "yaml")
def _(at: Place) -> bytes:
    return put(
        at, at.rng.choice(["NaN", "Infinity", "-Infinity", "1e400", "-1e400", "1e-400", "-0", "nan", "inf", ".inf", ".nan", "1e999999999"])
    )


@kind("invalid UTF-8", *TEXTS)
def _(at: Place) -> bytes:
    data = bytearray(at.sound)
    place = at.rng.randrange(len(data))
    data[place:place] = at.rng.choice(
        [b"\xff\xfe", b"\xc3\x28", b"\xed\xa0\x80", b"\xf8\x88\x80\x80\x80", b"\x80" * 50, "Müller".encode("latin-1")]
    )
    return bytes(data)


@kind("UTF-16 with BOM", *TEXTS)
def _(at: Place) -> bytes:
    return at.sound.decode("utf-8-sig").encode(at.rng.choice(["utf-16", "utf-16-le", "utf-32", "utf-16-be", "utf-7"]))


@kind("hostile names", *TEXTS)
def _(at: Place) -> bytes:
    names = [
        "a\\nb", "\u202etxt.exe", "\\ud800", "x" * 70_000, "../../outside/secret", "/etc/passwd", "\\u0000", "CON", "\u200b",
        "e\u0301" * 2000, "\x1b[31mred\x1b[0m", ".", "..", "~", "$(id)", "'; DROP TABLE x; --", "<script>alert(1)</script>",
        "{0.__class__}", "%s%n", "\u0430bel\u043e",
    ]
    name = at.rng.choice(names)
    if at.family in ("json", "yaml"):
        text = (
            json.dumps(name, ensure_ascii=False).replace("\\\\", "\\")
            if "\\" in name
            else json.dumps(name, ensure_ascii=at.rng.random() < 0.5)
        )
        if at.family == "json" and at.rng.random() < 0.5:  # as a key
            whole = at.sound.decode("utf-8-sig")
            keys = sorted(set(re.findall(r'"(?:[^"\\]|\\.)*"(?=\s*:)', whole)))
            return whole.replace(at.rng.choice(keys), text, 1).encode("utf-8", "surrogatepass") if keys else whole.encode()
        return put(at, text)
    cell = name.replace("\\n", "\n").replace("\\ud800", "\ud800").replace("\\u0000", "\0")
    return in_table(at, f'"{cell}"' if "\n" in cell else cell, many=at.rng.random() < 0.3)


@kind("one gigantic line", "csv", "text", "json", "yaml", "sums")
def _(at: Place) -> bytes:
    size = at.rng.choice([5, 40, 150]) << 20
    filler = at.rng.choice([b"x", b"1,", b'"', b"a;b;", b"0 ", b"\t"])
    head = at.sound if at.rng.random() < 0.5 else at.sound.split(b"\n")[0] + b"\n"
    return head + filler * (size // len(filler))


@kind("table of 100,000 columns", "csv", "text")
def _(at: Place) -> bytes:
    lines = at.sound.decode("utf-8-sig").splitlines()
    sign = max(",;\t ", key=lines[0].count)
    more = sign.join(f"c{n}" for n in range(WIDE)) if at.rng.random() < 0.5 else sign * WIDE
    return "\n".join(f"{line}{sign}{more}" for line in lines[: at.rng.choice([1, 5, 30])]).encode()


@kind("formulas, ragged rows, quotes", "csv", "text")
def _(at: Place) -> bytes:
    cells = [
        "=cmd|'/c calc'!A1", "@SUM(1+1)*cmd|' /C calc'!A0", '=HYPERLINK("http://127.0.0.1/x")', "+1+1", "-2+3", '"', '""', '"a', 'a"b"c',
        "1,2,3,4,5", "\0", "\r", "", " ", "\u2028", "1_000", "0x10", "１２", "TRUE", "1;2",
    ]
    data = in_table(at, at.rng.choice(cells), many=at.rng.random() < 0.3)
    lines = data.split(b"\n")
    if at.rng.random() < 0.3:
        lines.insert(at.rng.randrange(len(lines)), at.rng.choice([b",,,,,,,,", b"", b"x", lines[0], b'"unclosed']))
    return b"\n".join(lines)


@kind("YAML alias bomb", "yaml")
def _(at: Place) -> bytes:
    levels = at.rng.choice([9, 12, 30])
    bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n" + "".join(f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, levels))
    if at.rng.random() < 0.4:
        bomb = "a0: &a0 {x: 1}\n" + "".join(f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}], y{n}: *a{n - 1}}}\n" for n in range(1, levels))
    if at.rng.random() < 0.5:
        return bomb.encode() + b"".join(line + b"\n" for line in at.sound.splitlines() if not line.startswith((b"%", b"---")))
    data = in_yaml(at, f"*a{levels - 1}")
    return bomb.encode() + data.replace(b"%YAML 1.2\n---\n", b"")


@kind("YAML with tags", "yaml")
def _(at: Place) -> bytes:
    pwned = at.outside / "pwned"
    tags = [
        f"!!python/object/apply:os.system ['touch {pwned}']", f"!!python/object/apply:subprocess.check_output [['touch', '{pwned}']]",
        f"!!python/object/new:os.system ['touch {pwned}']", "!!python/name:os.system",
        f"!!python/object/apply:builtins.open ['{pwned}', 'w']", "!!binary aGVsbG8=", "!!timestamp 2001-99-99", "!!int 0b2", "!!float x",
        "!!set {a, b}", "!!omap [1, 2]", "!unknown {a: 1}", "2001-99-99",
        "!!opencv-matrix {rows: 100000000, cols: 100000000, dt: d, data: [1]}", "190:20:30:59", "0o7777777777777",
    ]
    text = at.rng.choice(tags)
    return in_yaml(at, text) if at.rng.random() < 0.7 else text.encode()


@kind("YAML, deep or of itself", "yaml")
def _(at: Place) -> bytes:
    depth = at.rng.choice([500, 3_000, DEEP])
    text = at.rng.choice(
        [
            "[" * depth + "]" * depth, "{a: " * depth + "1" + "}" * depth, "&a [*a]", "&a {<<: *a, b: *a}", "[" * depth,
            "? " * depth + "x", "*nothing", "- " * min(depth, 3000) + "x",
        ]
    )
    return in_yaml(at, text) if at.rng.random() < 0.6 else text.encode()
