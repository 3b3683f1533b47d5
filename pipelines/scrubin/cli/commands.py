"""Every command, at the door where its user looks for it."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Door = Literal["curate", "load", "evaluate", "terminal"]
DOORS: Mapping[Door, str] = {
    "curate": "raw recordings become a released dataset",
    "load": "a dataset that is here: prove it, read it, write it as others need it",
    "evaluate": "predictions against ground truth, splits, challenges",
    "terminal": "Scrub-in itself",
}
"""The doors in their order, with what is behind each; the last one is for everybody."""


@dataclass(frozen=True)
class Declaration:
    """A command as it is looked for, installed and started; its arguments are declared in its module.

    Parameters
    ----------
    door
        Where its user looks for it.
    does
        What it does, in half a sentence.
    module
        Of `scrubin.cli`; "" when it is called as the command.
    needs
        The extras without which it does nothing; without any it runs on the base install.
    words_need
        The same of its words that need others.
    writes_privately
        Whether it is the curator's: others can read nothing of what it writes.
    in_project
        Whether it works on the project in the working folder, or in the one that it names: elsewhere it does nothing.
    """

    door: Door
    does: str
    module: str = ""
    needs: tuple[str, ...] = ()
    words_need: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    writes_privately: bool = False
    in_project: bool = False


def _curator(does: str, module: str = "", needs: str = "curate", *, writes: bool = True, in_project: bool = False) -> Declaration:
    return Declaration("curate", does, module, (needs,), writes_privately=writes, in_project=in_project)


DECLARED: Mapping[str, Declaration] = {
    "new-study": _curator("make the folders and lists of a raw study, empty or drafted from a folder of recordings", "study"),
    "preflight": _curator(
        "check all lists, sheets, labels, parameters and the machine, before a frame is decoded", "check", in_project=True
    ),
    "check-params": _curator("check every section of a params.yaml", "check", writes=False),
    "probe": _curator("tell what a video file holds", "video.probe", needs="load", writes=False),
    "dicom": _curator("tell what is in a DICOM recording, and write a released video as a de-identified one", "video.probe", writes=False),
    "screen": _curator("find what in a video could identify a person", "video.render"),
    "review": _curator("look at the study in the browser and decide what is hidden", needs="review", in_project=True),
    "label": Declaration(
        "curate",
        "label and rate the de-identified videos in the browser, by several people, and settle where they differ",
        needs=("review", "curate"),
        writes_privately=True,
        in_project=True,
    ),
    "render": _curator("trim a video and hide what could identify, encoding only what must be", "video.render"),
    "stereo": _curator("calibrate a stereo rig, rectify its pictures, and check what was recorded with it", needs="load", writes=False),
    "scores": _curator(
        "make skill scores of raters' sheets in LASANA's format, or check published ones against them", "evaluate.scores", writes=False
    ),
    "remove": _curator("take a recording out of every list of the raw study that names it", "study", in_project=True),
    "rename": _curator("give a recording another name in every list that names it; its released id stays", "study", in_project=True),
    "withdraw": _curator(
        "take somebody out of the study: every trace of them goes with the next run, and nobody else changes", "study", in_project=True
    ),
    "audit": _curator("prove that nothing private is in a finished release, or in one video", "release"),
    "tag": _curator("check that a project can be released as a version, tag it, and say what to push", "project", in_project=True),
    "push": _curator(
        "put the release of a project into an object store, file by file, from which others load it by its address",
        "project",
        in_project=True,
    ),
    "store": _curator("tell what the store of finished results holds, and remove what no output uses", "project", in_project=True),
    "verify": Declaration(
        "load",
        "tell whether a downloaded release is whole and unchanged; of a project, restore what is damaged from a sound copy",
        "check",
    ),
    "diff": Declaration("load", "tell what differs between two releases, and whether the version number says so", "release"),
    "export": Declaration("load", "write a release in a layout that other programs load: Hugging Face, WebDataset, LeRobot", "release"),
    "convert": Declaration("load", "write labels or ratings of one format in another one"),
    "validate": Declaration("load", "ask every rule that applies of label files, of tables or of a released dataset", "check"),
    "ground-truth-check": Declaration("load", "prove that a ground truth is whole, unchanged and of the tables that are here", "check"),
    "frames": Declaration("load", "extract frames of a video by the frame contract", "video.frames", ("load",)),
    "frames-check": Declaration("load", "tell which convention made a folder of frames, and its offset", "video.frames", ("load",)),
    "score": Declaration(
        "evaluate", "compute metrics of predictions against ground truth, by definition or as published", "evaluate.score"
    ),
    "splits": Declaration(
        "evaluate",
        "show, compare, check and prove splits; find leaks between public datasets",
        words_need={"make": ("curate",), "extend": ("curate",)},
    ),
    "submission": Declaration(
        "evaluate",
        "check a challenge submission frame by frame, without scoring it; tell whether its program looks ahead",
        "evaluate.submission",
    ),
    "rank": Declaration("evaluate", "rank the submissions of a challenge, and tell what the ranking is worth", "evaluate.rank"),
    "challenge": Declaration(
        "evaluate",
        "write what CodaBench, EvalAI and Grand Challenge take to run a challenge with hidden labels, and the public part of a release",
        "evaluate.challenge",
        ("evaluate",),
    ),
    "deid": Declaration(
        "evaluate",
        "make a benchmark of de-identification, and score any tool's output against its answer key",
        "evaluate.deid",
        ("curate",),
    ),
    "doctor": Declaration("terminal", "tell what works here and what does not, without private text, to paste into an issue"),
    "completion": Declaration("terminal", "print what makes a shell complete commands, options, formats and files at Tab"),
}
"""Every command by its name, in the order in which help and documents list them."""


def behind(door: Door) -> list[str]:
    """Return the commands behind a door.

    >>> behind("terminal")
    ['doctor', 'completion']
    """
    return [name for name, one in DECLARED.items() if one.door == door]


def needed() -> dict[str, tuple[str, ...]]:
    """Return the extras without which a command, or one of its words, does nothing; the others run on the base install."""
    own = {name: one.needs for name, one in DECLARED.items() if one.needs}
    return own | {f"{name} {word}": extras for name, one in DECLARED.items() for word, extras in one.words_need.items()}


def overview() -> str:
    """Return every command by its door, one line each; on a narrow terminal its sentence goes on below itself."""
    column = max(map(len, DECLARED)) + 4
    # What is read by a program, or searched in, stays one line.
    room = max(20, shutil.get_terminal_size().columns - column) if sys.stdout.isatty() else 1000
    said = []
    for door, what in DOORS.items():
        said.append(f"\n{what if door == 'terminal' else f'{door}: {what}'}")
        for name in behind(door):
            first, *others = textwrap.wrap(DECLARED[name].does, room)
            said += [f"  {name}".ljust(column) + first, *(" " * column + line for line in others)]
    return "\n".join(said) + "\n\nscrubin COMMAND --help says what one takes.\n"
