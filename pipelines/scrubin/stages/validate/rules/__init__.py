"""Every rule, with its severity beside it. Each module of this folder is imported: a new one needs no line elsewhere."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from typing import cast

from scrubin.base import faults
from scrubin.base.errors import ParamsError
from scrubin.stages.validate.expected import Severity
from scrubin.stages.validate.registry import RULES


def severities(overrides: Mapping[str, str], file: str = "params.yaml") -> dict[str, Severity]:
    """Return the severity of every rule: its own, or that of ``validate.severity`` in a file of parameters.

    Raises
    ------
    ParamsError
        When there is no rule of a name; names the near miss.
    """
    for name in sorted(overrides):
        if name not in RULES:
            raise ParamsError(f"{file}: 'validate.severity.{name}': there is no such rule; {faults.hint(name, sorted(RULES))}")
    return {name: cast("Severity", overrides.get(name, rule.severity)) for name, rule in sorted(RULES.items())}


def register_all() -> None:
    """Import every module of this folder, by name in alphabetical order, so that its rules are registered."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")


register_all()
