"""The number of the release in a ``params.yaml``."""

from __future__ import annotations

import re

from scrubin.core.errors import ParamsError

_LINE = re.compile(r"^(release:.*?^[ \t]+version:[ \t]*)([^\s#]+)", re.MULTILINE | re.DOTALL)
_SECTION = re.compile(r"^release:.*?(?=^\S|\Z)", re.MULTILINE | re.DOTALL)


def raised(text: str, version: str) -> str:
    r"""Return the text of a ``params.yaml`` with another ``release.version``; everything else stays as it is.

    Raises
    ------
    ParamsError
        When the number cannot be found.

    >>> raised("release:\n  version: 1.0.0 # the number\n", "2.0.0")
    'release:\n  version: 2.0.0 # the number\n'
    """
    section = _SECTION.search(text)
    changed, count = _LINE.subn(rf"\g<1>{version}", section[0], count=1) if section else ("", 0)
    if section is None or not count:
        msg = f"params.yaml: 'release.version' was not found; set it to {version} by hand"
        raise ParamsError(msg)
    return text[: section.start()] + changed + text[section.end() :]
