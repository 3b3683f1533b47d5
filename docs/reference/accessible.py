"""What Sphinx and its theme leave out of a page for those who use a keyboard or a screen reader."""

from __future__ import annotations

from pathlib import Path

MENDS = (
    # A heading of the list of pages has no level.
    ('<p class="caption" role="heading">', '<p class="caption" role="heading" aria-level="2">'),
    # Two sidebars of one role need two names.
    ('<aside class="sidebar-drawer">', '<aside class="sidebar-drawer" aria-label="All pages">'),
    ('<aside class="toc-drawer">', '<aside class="toc-drawer" aria-label="This page">'),
    # What is wider than the page is scrolled: by keys, too.
    ("<pre>", '<pre tabindex="0">'),
    ('<div class="table-wrapper ', '<div tabindex="0" class="table-wrapper '),
    # One argument per line of a signature is a list without names.
    ("<dl>\n<dd>", "<dl>\n<dt hidden></dt>\n<dd>"),
    # The corner above the names of rows is no heading.
    ('<th class="head"><p></p></th>', "<td></td>"),
)


def mend(folder: Path) -> None:
    """Write the pages of a folder again, with what is missing."""
    for path in sorted(folder.rglob("*.html")):
        page = path.read_text(encoding="utf-8")
        for wrong, right in MENDS:
            page = page.replace(wrong, right)
        path.write_text(page, encoding="utf-8")
