"""A challenge: what is predicted, how it is scored, how much participants are shown. Nothing of it tells a label."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from scrubin.base import files, strangers
from scrubin.base.errors import MetricsError
from scrubin.evaluate import submission_truth
from scrubin.evaluate.challenge import label_files
from scrubin.evaluate.choices import Show
from scrubin.evaluate.contest_tasks import CONTESTS, ContestTask
from scrubin.evaluate.submission_truth import FramesOf, GroundTruth

SETTINGS, FRAMES, FORM = "challenge.json", "frames.csv", "frames"


@dataclass(frozen=True)
class Column:
    """One number of a leaderboard: its key in the platforms' files, its title, which end of it is the best."""

    key: str
    title: str
    less_is_better: bool = False


@dataclass(frozen=True)
class Challenge:
    """One phase of a challenge.

    Parameters
    ----------
    title
        Its name.
    task, vocabulary
        What is predicted, and in which classes.
    semantics, variant
        As of `scrubin score`.
    show
        ``overall``: the numbers of the whole subset. ``videos``: also those of each video. ``nothing``: none.
    digits
        Numbers are rounded to so many; None: not at all.
    columns
        Of the leaderboard; the first one ranks.
    test
        Which public videos the hidden ones are, as `scrubin splits leaks` names them; "" when they are of no public dataset.
    frames
        Frames to be predicted, by video. They are public.
    release
        Name and version of the release that the labels are of; "" when no file says it.
    form
        The same as files of a format, with pictures and classes but no label; empty where submissions have a file per video.
    """

    title: str
    task: str
    vocabulary: str
    semantics: str = "paper"
    variant: tuple[str, ...] = ()
    show: Show = "overall"
    digits: int | None = None
    columns: tuple[Column, ...] = ()
    test: str = ""
    frames: Mapping[str, tuple[int, ...]] | None = None
    release: str = ""
    form: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def declared(self) -> ContestTask:
        """What is declared of its task."""
        return CONTESTS[self.task]

    @property
    def of_release(self) -> dict[str, str]:
        """What answers say of the release, for those that are JSON; nothing where no file says it."""
        return {"release": self.release} if self.release else {}

    @property
    def expected(self) -> GroundTruth:
        """What a submission is checked against: frames without a label, so that no message can tell one."""
        return submission_truth.of_frames(self.frames or {}, self.vocabulary)


def write(challenge: Challenge, folder: Path) -> None:
    """Write what everybody may see of a challenge: settings, and the frames to be predicted."""
    settings = asdict(replace(challenge, frames=None, form={}))
    del settings["frames"], settings["form"]
    files.write_json(folder / SETTINGS, settings)
    write_frames(challenge, folder)


def write_frames(challenge: Challenge, folder: Path) -> None:
    """Write the frames to be predicted: the list, and where a task has them the files of frames alone."""
    files.write_text(folder / FRAMES, frames_text(challenge))
    label_files.write(challenge.form, folder / FORM)


def frames_text(challenge: Challenge) -> str:
    """Return the frames to be predicted as CSV, which `scrubin submission check --ground-truth` takes."""
    rows = [f"{name},{frame}" for name, listed in sorted((challenge.frames or {}).items()) for frame in listed]
    return "\n".join(["video,frame", *rows]) + "\n"


def read(folder: Path) -> Challenge:
    """Return the challenge of a folder.

    Raises
    ------
    MetricsError
        When it has none, or a damaged one.
    """
    path = folder / SETTINGS
    try:
        stated: dict[str, Any] = strangers.read_json(path)
        columns = tuple(Column(**column) for column in stated.pop("columns"))
        listed: FramesOf = submission_truth.listed(folder / FRAMES)
        frames = {name: tuple(sorted(of)) for name, of in sorted(listed.items())}
        form = {one.relative_to(folder / FORM).as_posix(): one.read_bytes() for one in sorted((folder / FORM).rglob("*")) if one.is_file()}
        return Challenge(**{**stated, "variant": tuple(stated["variant"])}, columns=columns, frames=frames, form=form)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise MetricsError(f"{path}: it is no challenge of `scrubin challenge bundle` ({error}); make the bundle again") from error
