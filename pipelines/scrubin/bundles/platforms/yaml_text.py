"""Configuration of platforms as YAML, in the order in which people read it."""

from __future__ import annotations

from typing import Any

from scrubin.core import extras


def of(value: Any) -> str:
    """Return YAML text; the keys keep their order.

    Raises
    ------
    MissingPackageError
        Where PyYAML is not installed.
    """
    extras.require("yaml", "a bundle")
    import yaml

    return str(yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=140))
