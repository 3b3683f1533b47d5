"""The page of the private certificate: one HTML file that loads nothing."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jinja2

from scrubin.core import pages
from scrubin.release.certificate.attention import full_size
from scrubin.release.certificate.public_form import KINDS_SAY, serves

TEMPLATES = Path(__file__).with_name("templates")


def render(stated: Mapping[str, Any]) -> str:
    """Return the page of what `private_form.document` says."""
    return _template().render(stated, kinds_say=KINDS_SAY)


@functools.cache
def _template() -> jinja2.Template:
    filters = {"serves": serves, "number": "{:,}".format, "says": _says, "full_size": full_size}
    return pages.environment(TEMPLATES, filters).get_template("certificate.html.j2")


def _says(value: object) -> str:
    """Return a value of the audit for reading.

    >>> _says(True), _says(1200), _says("by change")
    ('yes', '1,200', 'by change')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)
