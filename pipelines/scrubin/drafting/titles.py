"""What drafted recordings are called: like their first file, or its folder where that says nothing, each another name."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from scrubin.drafting import names
from scrubin.drafting.group import MONO, Group


def titles(groups: Sequence[Group]) -> list[str]:
    """Return a name for each recording, all of them different."""
    per_folder = Counter(group.members[0].name.folder for group in groups)
    firsts = [_name(group, per_folder) for group in groups]
    uses = Counter(firsts)
    fuller = [_with_folder(group, name) if uses[name] > 1 else name for group, name in zip(groups, firsts, strict=True)]
    used: set[str] = set()
    for place, name in enumerate(fuller):
        free = next(one for one in itertools.chain([name], (f"{name} ({number})" for number in itertools.count(2))) if one not in used)
        used.add(free)
        fuller[place] = free
    return fuller


def _name(group: Group, per_folder: Mapping[str, int]) -> str:
    first = group.members[0].name
    if MONO in group.cameras and first.camera is not None:
        # What could be a camera is then what tells it from others.
        first = replace(first, title=names.tidy(group.members[0].file.path.stem), stem="")
    several = any(len(run.members) > 1 for run in group.cameras.values())
    is_part, telling = group.members[0].is_part, names.is_telling(first.stem)
    shared = (several or telling) if is_part else (several and group.alone and telling)
    text = first.stem if first.stem and shared else first.title
    if names.is_telling(text) or not first.folder:
        return text or first.title or "recording"
    folder = first.folder.replace("/", " ")
    return folder if per_folder[first.folder] == 1 else f"{folder} {text}"


def _with_folder(group: Group, name: str) -> str:
    folder = group.members[0].name.folder.replace("/", " ")
    return name if not folder or name.startswith(folder) else f"{folder} {name}"
