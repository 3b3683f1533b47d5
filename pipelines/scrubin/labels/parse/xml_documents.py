"""Bytes of a label file to XML, with errors that name the line; a document that declares types or entities is refused unread."""

from __future__ import annotations

from xml.etree import ElementTree

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Fault


class _DeclaredTypeError(Exception):
    pass


class _Builder(ElementTree.TreeBuilder):
    """Builds a tree without any document type: only in one can entities be declared, which grow without end or name other files."""

    def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
        """Refuse it where it begins, before what it declares."""
        raise _DeclaredTypeError(name)


def root(file: str, data: bytes, tag: str) -> ElementTree.Element:
    """Return the outermost element of an XML file.

    Parameters
    ----------
    tag
        What it must be called.

    Raises
    ------
    AnnotationError
        When it is no such XML, with the line.
    """
    if not data.strip():
        raise AnnotationError([Fault(file, "file-empty", "not XML: the file is empty", "export it again, or remove it", place="line 1")])
    try:
        element = ElementTree.fromstring(data, parser=ElementTree.XMLParser(target=_Builder()))
    except _DeclaredTypeError as error:
        what = "it declares a document type (DOCTYPE), which may hold entities without end"
        raise AnnotationError([Fault(file, "xml-doctype", what, "remove the declaration, or export the file again")]) from error
    except ElementTree.ParseError as error:
        line, column = error.position
        what, fix = f"not XML: {str(error).split(':')[0]} at column {column + 1}", "the file may be cut off, export it again"
        raise AnnotationError([Fault(file, "xml-syntax", what, fix, place=f"line {line}")]) from error
    except (LookupError, ValueError) as error:
        raise AnnotationError([Fault(file, "encoding", f"not XML: {error}", "save the file as UTF-8", place="line 1")]) from error
    if element.tag != tag:
        what = f"the outermost element is <{str(element.tag)[:60]}>, expected <{tag}>"
        raise AnnotationError([Fault(file, "layout", what, "name the format that the file has", place="line 1")])
    return element
