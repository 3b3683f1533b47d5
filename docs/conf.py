"""How the documents are built: `make docs`, offline, every warning an error."""

from __future__ import annotations

import hashlib
import inspect
import logging
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

DOCS = Path(__file__).parent
ROOT = DOCS.parent
# The example files of the formats are those of the tests.
sys.path[:0] = [str(DOCS), str(ROOT / "pipelines"), str(ROOT / "tests/helpers")]

import reference
from pygments.lexers.special import TextLexer
from reference import accessible, api
from reference.many_names import Navigation, QuickDomain

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

# It logs each of its functions when it is imported.
logging.getLogger("great_expectations").setLevel(logging.WARNING)

project = "Scrub-in"
author = "The Scrub-in authors"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["reference"]
# Types stand in signatures by their short names; one that several modules have is then no link.
suppress_warnings = ["ref.python"]
myst_heading_anchors = 4

# One line of a signature per argument as soon as it is long; types stay in the signature, where they are short.
maximum_signature_line_length = 100
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
napoleon_google_docstring = False

html_theme = "furo"
html_title = "Scrub-in"
html_static_path = ["_static"]
html_css_files = ["scrubin.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
# The pages are read from a folder as often as from a server, so nothing may be loaded from elsewhere.
html_theme_options = {"top_of_page_buttons": []}


# A heading of a docstring that the numpy style does not know; as a section it would be a label of the whole book.
OWN_HEADING = re.compile(r"-{3,}")


def setup(app: Sphinx) -> None:
    """Write the API pages before the build, and fill in what registries and declarations say."""
    reference.write_api(DOCS / "api")
    # Another one, and every page is made anew.
    app.add_config_value("made_by", _made_by(), "env", [str])
    app.connect("env-get-outdated", _outdated)
    app.add_domain(QuickDomain, override=True)
    app.add_lexer("csv", TextLexer)
    app.connect("source-read", _fill)
    app.connect("autodoc-skip-member", _leave_imported)
    app.connect("autodoc-process-signature", _shorten)
    # Before the numpy style is read, and after it.
    app.connect("autodoc-process-docstring", _head_examples, priority=100)
    app.connect("autodoc-process-docstring", _finish, priority=900)
    # Before the theme makes the list of pages.
    app.connect("html-page-context", Navigation().shorten, priority=100)
    app.connect("build-finished", _mend)


def _made_by() -> str:
    """Return the hash of what makes the pages, beside the pages themselves and the library."""
    files = [*sorted(DOCS.glob("reference/*.py")), DOCS / "conf.py", ROOT / "requirements.lock"]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def _outdated(app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]) -> list[str]:
    """Return pages of which Sphinx does not know that they are: every page lists all pages, and generated parts come from the library."""
    if added or removed:
        return sorted(env.found_docs - added)
    return [page for page in sorted(env.found_docs) if reference.is_generated(env.doc2path(page).read_text(encoding="utf-8"))]


def _leave_imported(app: Sphinx, what: str, name: str, of: object, skip: bool, options: object) -> bool | None:
    """Leave out what a module imports before Sphinx reads its source and writes its signature, which it would throw away."""
    module = app.env.current_document.autodoc_module
    if what != "module" or not (inspect.isclass(of) or inspect.isroutine(of)) or of.__module__ == module:
        return None
    # What a package names in ``__all__`` is its own to the reader.
    return None if name in getattr(sys.modules[module], "__all__", ()) else True


def _fill(app: Sphinx, page: str, source: list[str]) -> None:
    source[0] = reference.filled(source[0])


def _mend(app: Sphinx, error: Exception | None) -> None:
    if error is None:
        accessible.mend(Path(app.outdir))


def _shorten(
    app: Sphinx, what: str, name: str, of: object, options: object, signature: str | None, returns: str | None
) -> tuple[str | None, str | None]:
    return signature and api.shortened(signature), returns and api.shortened(returns)


def _head_examples(app: Sphinx, what: str, name: str, of: object, options: object, lines: list[str]) -> None:
    """Give examples that follow a section a heading of their own: they would be read as one more parameter or return value."""
    lines[:] = api.headed(lines)


def _finish(app: Sphinx, what: str, name: str, of: object, options: object, lines: list[str]) -> None:
    for number in range(len(lines) - 1, 0, -1):
        if OWN_HEADING.fullmatch(lines[number]) and lines[number - 1].strip():
            lines[number - 1 : number + 1] = [f"**{lines[number - 1]}**", ""]
    # The numpy style has written types beside the parameters of a class.
    lines[:] = [api.shortened(line) for line in lines]
