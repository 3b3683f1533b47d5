"""Every label format and vocabulary, from their registries."""

from __future__ import annotations

import inspect
import sys

from reference import examples
from reference.markdown import code, prose, sentence, table
from scrubin.base.vocabulary import vocabulary
from scrubin.labels import formats as every_format
from scrubin.labels import tried
from scrubin.labels.choices import READ_AS, WRITTEN_AS
from scrubin.labels.parse.columns import NAMES, Meaning
from scrubin.labels.registry import WRITERS, DatasetFormat, Format, readable

__all__ = ["columns", "every_format", "names", "text", "vocabularies"]

MEANINGS: dict[Meaning, str] = {
    "frame": "the number of the frame, from 0",
    "row": "the number of the row: a frame where no column of frames or times stands beside it; without a name it is none",
    "seconds": "the time of the frame: seconds from the first frame, or 0:01:02.5",
    "milliseconds": "the same in milliseconds",
    "video": "the video; a file with several is split",
    "phase id": "the id of the phase",
    "phase": "the phase, by name or id",
    "id": "the id of the phase where nothing else says it; else the video where it repeats",
}


def names() -> list[str]:
    """Return the name of every format that can be read or written, sorted."""
    return sorted({*readable(), *WRITERS})


def text() -> str:
    """Return an overview of all formats, then a section for each."""
    overview = table(("format", "read", "written", "what it is", "files of its authors"), (_overview(name) for name in names()))
    others = sorted({**READ_AS, **WRITTEN_AS}.items())
    aliases = ", ".join(f"`{name}` is `{of}`" for name, of in others if name not in names())
    return "\n".join([overview, f"Other names: {aliases}.\n", *(_section(name) for name in names())])


def vocabularies() -> str:
    """Return what each vocabulary has, and where it comes from."""
    rows = []
    for name in vocabulary.known():
        loaded = vocabulary.load(name)
        counts = {naming: len(loaded.names(naming)) for naming in vocabulary.NAMINGS} | {"triplet": len(loaded.triplets)}
        has = ", ".join(f"{count} {naming}s" for naming, count in counts.items() if count)
        same = f" The same lists as `{loaded.name}`." if loaded.name != name else ""
        rows.append((code(name), has, f"{sentence(loaded.source)}{same}"))
    return table(("vocabulary", "names", "source"), rows)


def columns() -> str:
    """Return by which names columns are known in tables with a row per frame."""
    return table(("what it is", "names"), ((MEANINGS[meaning], ", ".join(map(code, known))) for meaning, known in NAMES.items()))


def _overview(name: str) -> tuple[str, str, str, str, str]:
    form = readable().get(READ_AS.get(name, name))
    reads, writes = (("yes" if has else "no") for has in (form is not None, name in WRITERS))
    is_own = form is not None and form.name == name
    title = form.title if is_own and form is not None else "our own tables as CSV"
    return f"[`{name}`](#{name})", reads, writes, title, tried.sentence(name) if is_own else tried.OURS


def _section(name: str) -> str:
    form, writer = readable().get(READ_AS.get(name, name)), WRITERS.get(name)
    lines = [f"({name})=\n### {name}\n"]
    if form is not None and form.name == name:
        lines.append(f"{prose(inspect.getdoc(sys.modules[form.read.__module__]) or '')}\n")
        lines.append(table(("when it is read", ""), _reading(form)))
        lines.append(examples.text(name))
    if writer is not None:
        lines.append(table(("when it is written", ""), _writing(name)))
    return "\n".join(lines)


def _reading(form: Format | DatasetFormat) -> list[tuple[str, str]]:
    by_hand = form.by_hand
    classes = (
        "the files name their own" if by_hand.names_vocabulary else code(by_hand.vocabulary) or "follows from the files, or you name one"
    )
    rate = "the files say it, or they count in time"
    if by_hand.fps is not None:
        rate = f"{by_hand.fps} per second" + (", unless you say another one: no file states it" if by_hand.fps_unstated else "")
    if by_hand.rate_is:
        rate = f"the files say it, or it is asked for. {by_hand.rate_is}"
    one = "the whole data set at once" if isinstance(form, DatasetFormat) else "one recording at a time"
    first = [] if by_hand.first is None else [("the first frame is number", str(by_hand.first))]
    return [("files", form.expected), ("read as", one), ("vocabulary", classes), ("frames are numbered at", rate), *first]


PHASE_OF_EACH_FRAME = (
    "a row for each frame that has one. Labels of a lower rate are repeated until the next one is due, and no longer: gaps stay gaps, and "
    "a note counts their frames"
)


def _writing(name: str) -> list[tuple[str, str]]:
    writer = WRITERS[name]
    rate = (
        f"{writer.fps} per second only"
        if writer.fps
        else "any whole rate, without one 1 per second of frames of a source"
        if writer.whole_fps
        else "any rate"
    )
    rows = [("holds", ", ".join(sorted(writer.holds))), ("rate", rate)]
    rows += [("vocabulary", f"`{writer.vocabulary}` only")] if writer.vocabulary else []
    rows += [("boxes", "in pixels: the size of the images must be known (`--image-size`)")] if writer.pixels else []
    rows += [("phases", PHASE_OF_EACH_FRAME)] if writer.every_frame else []
    return rows
