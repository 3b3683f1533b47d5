"""Which frames of a recording of several files are copied: each file by itself, as far as one header can decode them all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from scrubin.render.parts import REENCODE, SMART, Part, Parts, merged, parts, reencoded
from scrubin.render.plan import Plan
from scrubin.render.source_file import SourceFile

ONE_VIEW = "its picture holds the views of several cameras"
OTHER_SETS = "its parameter sets are not those of most copied frames"


def parts_of_files(plan: Plan, files: Sequence[SourceFile], mode: str) -> Parts:
    """Return which frames are copied.

    Parameters
    ----------
    plan
        What the released video will be.
    files
        What it is made of.
    mode
        ``smart`` or ``reencode``, as the curator wishes.
    """
    if any(file.view is not None for file in files):
        return reencoded(plan, ONE_VIEW)
    if len(files) == 1:
        return parts(plan, files[0].structure, mode, files[0].probe.rotation_deg)
    if mode == REENCODE:
        return reencoded(plan, "render.mode is reencode")
    by_file = [(file, list(_shifted(plan, file))) for file in files]
    copied: Counter[str] = Counter()
    for file, own in by_file:
        copied[file.structure.sets] += sum(part.frame_count for part in own if part.copied)
    sets = min(copied, key=lambda key: (-copied[key], key))
    chosen = [part if file.structure.sets == sets or not part.copied else _encoded(part) for file, own in by_file for part in own]
    whole = tuple(merged(chosen))
    if not any(part.copied for part in whole):
        return reencoded(plan, f"every group of pictures is touched ({', '.join(dict.fromkeys(part.why for part in whole))})")
    return Parts(SMART, "", whole)


def _shifted(plan: Plan, file: SourceFile) -> Iterator[Part]:
    """Yield the parts of the released frames of one file, in released numbers."""
    own = file.own_plan(plan)
    if own is None:
        return
    shift, of_file = own
    for part in parts(of_file, file.structure, SMART, file.probe.rotation_deg).parts:
        yield Part(part.first + shift, part.last + shift, part.why)


def _encoded(part: Part) -> Part:
    return Part(part.first, part.last, OTHER_SETS)
