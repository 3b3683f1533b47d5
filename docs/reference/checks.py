"""Every rule of `scrubin validate`: what must hold, of which tables, and how much it weighs."""

from __future__ import annotations

from reference.markdown import code, sentence, table
from scrubin.stages.validate import rules
from scrubin.stages.validate.registry import RULES, RowRule

__all__ = ["rules", "text"]


def text() -> str:
    """Return all rules, by name, with the severity that each says itself."""
    rows = ((code(name), sentence(rule.says), _tables(name), rule.severity) for name, rule in sorted(RULES.items()))
    return table(("rule", "what must hold", "tables", "severity"), rows)


def _tables(name: str) -> str:
    rule = RULES[name]
    return ", ".join(map(code, rule.columns)) if isinstance(rule, RowRule) else "as declared"
