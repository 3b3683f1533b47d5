"""XML of strangers: elements with their lines; a document type, which could name other files or grow without end, is refused unread."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Fault

DEEPEST = 50
"""No format of labels nests its elements half as deep."""


class Node(Element):
    """An element that knows where it stands."""

    line = 0

    @property
    def place(self) -> str:
        """Where it stands, as messages say it."""
        return f"line {self.line}"

    def text_of(self, path: str) -> str:
        """Return the text of an element below, without blanks around it; "" where there is none."""
        found = self.find(path)
        return "" if found is None else (found.text or "").strip()

    def nodes(self, *tags: str) -> Iterator[Node]:
        """Yield the children with one of some names, or all, in the order of the file."""
        for child in self:
            if isinstance(child, Node) and (not tags or child.tag in tags):
                yield child


def root(file: str, data: bytes, tag: str) -> Node:
    """Return the outermost element of an XML file.

    Parameters
    ----------
    tag
        What it must be called.

    Raises
    ------
    AnnotationError
        When it is no such XML, with line and column; when it has a document type (DTD), or is nested beyond what label files are.
    """
    if not data.strip():
        raise AnnotationError([Fault(file, "file-empty", "not XML: the file is empty", "export it again, or remove it", place="line 1")])
    builder = TreeBuilder(element_factory=Node)
    parser = expat.ParserCreate()
    parser.buffer_text = True
    depth = 0

    def refuse(*_: Any) -> None:
        what = "it declares a document type (DOCTYPE), which can name other files, or entities that grow without end"
        fix = "remove the declaration, or export the file again"
        raise AnnotationError([Fault(file, "xml-doctype", what, fix, place=f"line {parser.CurrentLineNumber}")])

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            what = f"elements are nested deeper than {DEEPEST}"
            raise AnnotationError([Fault(file, "xml-syntax", what, "export it again", place=f"line {parser.CurrentLineNumber}")])
        node = builder.start(name, attributes)
        assert isinstance(node, Node)
        node.line = parser.CurrentLineNumber

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(name)

    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refuse
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, builder.data
    try:
        parser.Parse(data, True)
        outermost = builder.close()
    except (expat.ExpatError, ValueError, LookupError) as error:
        place, why = f"line {parser.ErrorLineNumber}", expat.ErrorString(parser.ErrorCode)
        what = f"not XML: {why} at column {parser.ErrorColumnNumber + 1}"
        raise AnnotationError([Fault(file, "xml-syntax", what, "the file may be cut off, export it again", place=place)]) from error
    assert isinstance(outermost, Node)
    if outermost.tag != tag:
        what = f"the outermost element is <{outermost.tag[:60]}>, expected <{tag}>"
        raise AnnotationError([Fault(file, "layout", what, "name the format that the file has", place=outermost.place)])
    return outermost
