"""The tables of `docs/reproduced.md`, written from `published.yaml` and `outcome.json`.

python benchmarks/reproduced/page.py
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import comparison
import yaml

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "reproduced.md"
BEGIN, END = "<!-- written by benchmarks/reproduced/page.py -->", "<!-- end of what it wrote -->"
VERDICTS = ("equal", "cut off", "different", "not there")


def published() -> list[dict[str, Any]]:
    """Return the tables of figures that authors printed."""
    tables: list[dict[str, Any]] = yaml.safe_load((HERE / "published.yaml").read_text(encoding="utf-8"))
    return tables


def outcome() -> dict[str, Any]:
    """Return what was measured, by source."""
    found: dict[str, Any] = json.loads((HERE / "outcome.json").read_text(encoding="utf-8"))
    return found


def rows(table: Mapping[str, Any], found: Mapping[str, Any]) -> Iterator[tuple[str, str, float | None, str]]:
    """Yield name, printed figure, our number and verdict of each figure of a table."""
    ours = found[table["source"]]["figures"]
    for name, printed in table["figures"].items():
        yield name, printed, ours.get(name), comparison.verdict(printed, ours.get(name))


def markdown(head: Sequence[str], body: Sequence[Sequence[str]]) -> list[str]:
    """Return a table."""
    return [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *body)]


def _shown(printed: str, ours: float | None) -> tuple[str, str]:
    """Return our number with two digits more than the printed one, and the difference with as many."""
    if ours is None:
        return "-", "-"
    digits = len(printed.partition(".")[2]) + 2
    return f"{ours:.{digits}f}", f"{ours - float(printed):+.{digits}f}"


def counts(tables: Sequence[Mapping[str, Any]], found: Mapping[str, Any]) -> list[Counter[str]]:
    """Return how often each verdict is there, by table."""
    return [Counter(verdict for *_, verdict in rows(table, found)) for table in tables]


def summary(tables: Sequence[Mapping[str, Any]], found: Mapping[str, Any]) -> list[str]:
    """Return the table of tables."""
    by_table = counts(tables, found)
    body = [
        [table["title"], str(len(table["figures"])), *(str(of[verdict]) for verdict in VERDICTS)]
        for table, of in zip(tables, by_table, strict=True)
    ]
    total = sum(by_table, Counter[str]())
    body.append([f"all {len(tables)} tables", str(total.total()), *(str(total[verdict]) for verdict in VERDICTS)])
    return markdown(("table", "figures", *VERDICTS), body)


def section(table: Mapping[str, Any], found: Mapping[str, Any]) -> list[str]:
    """Return what is said of one table."""
    commit = found[table["source"]]["commit"][:7]
    lines = [f"### {table['title']}", "", f"- Printed in: {table['paper']}. Read from: {table['read']}."]
    lines += [
        f"- Predictions: `{table['repository']}` {commit}, `{table['files']}`.",
        f"- Command: {_code(table['command'])}; {table['variant']}.",
    ]
    lines += [f"- Where {verdict}: {why}" for verdict, why in table.get("reasons", {}).items()]
    body = [[name, printed, *_shown(printed, ours), verdict] for name, printed, ours, verdict in rows(table, found)]
    return [*lines, "", *markdown(("figure", "theirs", "ours", "difference", "verdict"), body), ""]


def _code(command: str) -> str:
    return f"`{command}`" if command.startswith("scrubin") else command


def programs(found: Mapping[str, Any]) -> list[str]:
    """Return the comparison with programs that were run here."""
    plain = "--from phase-tables --predictions-from phase-tables --fps 1"
    names = {
        "tcn": (
            "colincsl/TemporalConvolutionalNetworks, `metrics.py`, by Python: 14 sets of predictions (JIGSAWS without a background)",
            f"{plain}, also with --variant kind=segments background=0",
        ),
        "tmrnet": (
            "YuemingJin/TMRNet, `Main.m`, by GNU Octave: 40 videos of Cholec80",
            f"{plain} --vocabulary cholec80 --semantics compat",
        ),
        "m2cai": ("Cadene/torchnet-m2caiworkflow, `Main.m`, by GNU Octave: 5 videos of M2CAI, 4 methods", "--semantics compat"),
    }
    body = []
    for source, (title, options) in names.items():
        of = found[source]["program"]
        body.append([title, found[source]["commit"][:7], f"`{options}`", str(of["numbers"]), str(of["one_sided"]), f"{of['worst']:.0e}"])
    return markdown(("program", "commit", "options of `scrubin score phases`", "numbers", "only one has", "largest difference"), body)


def main_prints(found: Mapping[str, Any]) -> list[str]:
    """Return what `Main.m` of TMRNet says of its own files, with and without the first frame."""
    as_read, whole = found["tmrnet"]["figures"], found["tmrnet"]["figures with the first frame"]
    rates = ("accuracy", "precision", "recall", "jaccard")
    body = [[rate, *(f"{of[f'{rate} mean']:.2f} ± {of[f'{rate} sd']:.2f}" for of in (as_read, whole))] for rate in rates]
    return markdown(("TMRNet, mean ± SD", "as `Main.m` reads the files", "all frames"), body)


def seconds(found: Mapping[str, Any]) -> list[str]:
    """Return the comparison of labels with the authors' own frames."""
    head = ("MultiBypass140", "videos", "seconds that both have", "different", "only ours", "of these after their last", "only theirs")
    keys = ("videos", "seconds", "different", "only ours", "only ours, after their last", "only theirs")
    return markdown(head, [[name, *(f"{of[key]:,}" for key in keys)] for name, of in found["multibypass140"]["counts"].items()])


def text() -> str:
    """Return everything that stands between the marks of the page."""
    tables, found = published(), outcome()
    lines = ["## Tables that authors printed", "", *summary(tables, found), ""]
    for table in tables:
        lines += section(table, found)
    lines += ["## Their programs, run here on the same files", "", *programs(found), "", *main_prints(found), ""]
    lines += ["## Their frames and ours", "", *seconds(found)]
    return "\n".join(lines)


def filled(page: str) -> str:
    """Return the page with what is between its marks written anew."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{text()}\n\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
