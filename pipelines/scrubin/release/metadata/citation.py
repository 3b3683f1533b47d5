"""How a release is cited: BibTeX."""

from __future__ import annotations

import re

from scrubin.release.params import ReleaseParams

NAME = "citation.bib"
_SPECIAL = str.maketrans({letter: f"\\{letter}" for letter in "&%$#_{}"} | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}"})


def bibtex(params: ReleaseParams) -> str:
    """Return a BibTeX entry for the release; what the curator has not said is left out.

    Names stand as in ``params.yaml``, family name first; whatever is no name of a person with a comma is kept as one name.
    """
    authors = " and ".join(_name(creator.name) for creator in params.creators)
    doi = params.doi
    fields = {
        "author": authors,
        "title": f"{{{escaped(params.title)}}}",
        "year": (params.date_published or "")[:4],
        "publisher": _name(params.publisher) if params.publisher else "",
        "version": params.version,
        "doi": doi or "",
        "url": params.url or (f"https://doi.org/{doi}" if doi else ""),
    }
    said = [f"  {key} = {{{value}}}" for key, value in fields.items() if value]
    return f"@misc{{{params.name},\n" + ",\n".join(said) + "\n}"


def _name(name: str) -> str:
    """Return a name that BibTeX does not take apart at spaces or the word "and"."""
    text = escaped(name)
    return text if "," in name and not re.search(r"\band\b", name) else f"{{{text}}}"


def escaped(text: str) -> str:
    """Return a text with the signs that LaTeX reads otherwise made harmless."""
    return text.translate(_SPECIAL)
