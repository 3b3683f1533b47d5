"""Lists of files whose paths lead out of the folder."""

from __future__ import annotations

import io

from hostile.kinds import Place, kind
from hostile.texts import in_table

# fmt: off

@kind("SHA256SUMS that leads out", "sums")
def _(at: Place) -> bytes:
    names = [
        "../outside/secret.txt", str(at.outside / "secret.txt"), "/dev/zero", "..", ".", "", "a\\nb", "tables", "\x00", "\udcff",
        "x" * 5000, "/proc/self/environ", "-", "*stdin", "./README.md", "README.md",
    ]
    lines = at.sound.splitlines()
    digest = at.rng.choice([b"0" * 64, lines[0][:64], b"z" * 64, b"0" * 63, b""])
    bad = digest + at.rng.choice([b"  ", b" *", b" ", b"\t"]) + at.rng.choice(names).encode("utf-8", "surrogateescape")
    count = at.rng.choice([1, 1, 500_000])
    lines[at.rng.randrange(len(lines)) : at.rng.randrange(len(lines))] = [bad if count == 1 else bad + b"%d" % n for n in range(count)]
    return b"\n".join(lines) + b"\n"


@kind("table whose paths lead out", "parquet", "csv")
def _(at: Place) -> bytes:
    paths = [
        "../outside/secret.jpg", "../outside/secret.mkv", "../outside/secret.mp4", str(at.outside / "secret.jpg"),
        str(at.outside / "secret.mkv"), "/dev/zero", "../../outside/secret.txt", "videos", ".", "", "\0", "a/../../outside/secret.jpg",
        f"http://127.0.0.1:{at.port}/x.mp4", f"file://{at.outside}/secret.mp4", "concat:a|b", "pipe:0",
        "../outside/secret.tar/000001.jpg",
    ]
    path = at.rng.choice(paths)
    if at.family == "csv":
        return in_table(at, path)
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(io.BytesIO(at.sound))
    name = (
        "path"
        if "path" in table.column_names
        else at.rng.choice([field.name for field in table.schema if pa.types.is_string(field.type)] or ["id"])
    )
    values = table.column(name).to_pylist()
    chosen = range(len(values)) if at.rng.random() < 0.5 else [at.rng.randrange(len(values))]
    for place in chosen:
        values[place] = path
    table = table.set_column(table.column_names.index(name), name, pa.array(values, pa.string()))
    out = io.BytesIO()
    pq.write_table(table, out)
    return out.getvalue()
