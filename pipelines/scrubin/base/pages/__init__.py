"""The one maker of pages: Jinja templates, with the style that every page carries."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jinja2

STYLE = Path(__file__).parent
"""Where ``page.css`` lies, which a template includes."""


def environment(templates: Path, filters: Mapping[str, Any] | None = None, *, is_markdown: bool = False) -> jinja2.Environment:
    """Return where templates are compiled: a name that is not there is an error, and text is escaped but for Markdown.

    Parameters
    ----------
    templates
        Their folder.
    filters
        What a template may apply, by name.
    """
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader([templates, STYLE]),
        autoescape=not is_markdown,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=is_markdown,
    )
    made.filters |= dict(filters or {})
    return made
