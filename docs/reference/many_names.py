"""Thousands of names in the API pages without minutes of search in them: the pages stay as they were."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx import addnodes
from sphinx.domains.python import ObjectEntry, PythonDomain

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment


class QuickDomain(PythonDomain):
    """Sphinx compares each word of each signature with the end of every name; most are `str` or `int`, with which none of ours ends."""

    name = "py"
    _count = -1
    _last_words: frozenset[str] = frozenset()

    def find_obj(
        self, env: BuildEnvironment, modname: str, classname: str, name: str, type: str | None, searchmode: int = 0
    ) -> list[tuple[str, ObjectEntry]]:
        """Return the names of ours that a word may mean."""
        if self._count != len(self.objects):
            self._count, self._last_words = len(self.objects), frozenset(one.rpartition(".")[2] for one in self.objects)
        if name.removesuffix("()").rpartition(".")[2] not in self._last_words:
            return []
        return super().find_obj(env, modname, classname, name, type, searchmode)


class Navigation:
    """The list of all pages beside each page is made of their titles; Sphinx copies all names of all pages for each, to leave them out."""

    def __init__(self) -> None:
        self._titles: dict[str, nodes.bullet_list] = {}

    def shorten(self, app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
        """Let a page's list be made so; it must be connected before the theme's own function, which makes the list."""
        all_pages, env = context["toctree"], app.env
        titles = {name: self._titles_of(env.tocs, name) for name in env.tocs}

        def titled(**options: Any) -> str:
            names, env.tocs = env.tocs, titles
            try:
                return str(all_pages(**options))
            finally:
                env.tocs = names

        context["toctree"] = titled

    def _titles_of(self, tocs: Mapping[str, nodes.bullet_list], page: str) -> nodes.bullet_list:
        """Return what the list shows of a page: its title, and the lists of further pages in it."""
        if page not in self._titles:
            self._titles[page] = tocs[page].deepcopy()
            for item in self._titles[page].children:
                if lists := list(item.findall(addnodes.toctree)):
                    item[1][:] = lists
                else:
                    del item[1:]
        return self._titles[page]
