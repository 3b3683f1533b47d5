"""Configuration of platforms as YAML, in the order in which people read it."""

from __future__ import annotations

from typing import Any

from scrubin.core.errors import MetricsError


def of(value: Any) -> str:
    """Return YAML text; the keys keep their order.

    Raises
    ------
    MetricsError
        Where PyYAML is not installed.
    """
    try:
        import yaml
    except ImportError as error:
        msg = "a bundle needs the package pyyaml; install scrubin with the extra 'quality'"
        raise MetricsError(msg) from error
    return str(yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=140))
