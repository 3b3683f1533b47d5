"""Every metric: what it computes, what can be chosen, and where published programs differ."""

from __future__ import annotations

from reference.markdown import code, sentence, table
from scrubin.evaluate.metrics import registry
from scrubin.evaluate.metrics.variants import METRICS
from scrubin.evaluate.tasks.scoring import QUIRKS

SEMANTICS = {
    "paper": "by definition (`--semantics paper`, the default)",
    "compat": "as published programs compute it (`--semantics compat`)",
}


def text() -> str:
    """Return a section for each task."""
    return "\n".join(_section(name) for name in METRICS)


def _section(name: str) -> str:
    metric = METRICS[name]
    lines = [f"({name}-metrics)=\n## {name}\n", f"{sentence(metric.does)}\n"]
    own = [one for one in registry.every().values() if one.task == name]
    rows = [(one.name.replace("{}", "N"), _kinds(one), one.says, one.source, _column(one)) for one in own]
    lines.append(table(("name", "`kind=`", "what it is", "source", "on leaderboards"), rows))
    for semantics, choices in metric.choices.items():
        lines.append(f"**What you can choose {SEMANTICS[semantics]}:**" + ("\n" if choices else " nothing.\n"))
        if choices:
            rows = ((code(key), _values(one.values, one.default), one.meaning) for key, one in choices.items())
            lines.append(table(("`--variant`", "values, the default in bold", "what it decides"), rows))
    if QUIRKS[name]:
        lines.append("**Where published programs and papers differ:**\n")
        rows = ((code(one.name), one.origin, one.published, one.paper, one.compat) for one in QUIRKS[name])
        lines.append(table(("name", "which is", "what is published", "with `paper`", "with `compat`"), rows))
    return "\n".join(lines)


def _values(values: tuple[str, ...], default: str) -> str:
    return ", ".join(f"**`{value}`**" if value == default else f"`{value}`" for value in values) or f"**`{default}`**"


def _kinds(one: registry.Metric) -> str:
    return ", ".join(map(code, one.kinds))


def _column(one: registry.Metric) -> str:
    if one.task in ("points", "criteria", "skill", "errors"):
        return ""
    return "sorts" if one.ranks else "shown" if one.is_column else "where nothing else is"
