"""The examination of one released video, kept by content: the same bytes have the same faults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from scrubin.audit.expected import Fault
from scrubin.audit.expected.plan import VideoPlan
from scrubin.audit.pictures import decoding, looks
from scrubin.audit.pictures.decoding import Examination
from scrubin.audit.pictures.looks import Looked, Sampling
from scrubin.base.files import sha256_of
from scrubin.base.store import store
from scrubin.base.store.code_of import code_of


def examine_stored(
    folder: Path, video: VideoPlan, root: Path | None = None, sampling: Sampling = "sampled", known: Mapping[str, str] | None = None
) -> Examination:
    """Return the examination of a released video, made now or in an earlier run on the same bytes and plan.

    The bytes of the extracted frames count too, their names do not.

    Parameters
    ----------
    folder, video
        The release, and the plan of one of its videos.
    root
        The store, where it is not that of this process.
    sampling
        Which pictures are looked at.
    known
        The hashes of files that were read just now, by name; the others are read.
    """
    path = folder / video.path
    if not path.is_file():
        return Examination()  # the audit says that it is missing
    read = known or {}
    files = sorted({still.file for still in video.stills})
    sha256 = {file: read.get(file) or sha256_of(folder / file) for file in files if (folder / file).is_file()}
    stills = [[sha256.get(still.file), still.member, still.source_frame, still.redacted, still.boxes] for still in video.stills]
    plan = {"frame_count": video.frame_count, "size_px": video.size_px, "hidden": [asdict(hidden) for hidden in video.hidden]}
    inputs = {"sha256": read.get(video.path) or sha256_of(path), "plan": plan, "stills": stills, "sampling": sampling}
    key = store.key_of("release", code_of(__name__), inputs)
    entry, _ = store.make(key, lambda _: _as_json(decoding.examine(path, video, folder, sampling), video), root)
    return _of_json(entry.value, video)


def _as_json(result: Examination, video: VideoPlan) -> dict[str, object]:
    number = {still.path: index for index, still in enumerate(video.stills)}
    stills = [[number[path], [asdict(fault) for fault in faults]] for path, faults in result.stills.items()]
    return {
        "faults": [asdict(fault) for fault in result.faults],
        "stills": stills,
        "frames": result.frames,
        "compared": result.compared,
        "looked": _numbered(result.looked, number).as_json(),
    }


def _of_json(value: dict[str, Any], video: VideoPlan) -> Examination:
    stills = {video.stills[number].path: [Fault(**fault) for fault in faults] for number, faults in value["stills"]}
    looked = _named(looks.of_json(value["looked"]), video)
    return Examination([Fault(**fault) for fault in value["faults"]], stills, value["frames"], value["compared"], looked)


def _numbered(looked: Looked, number: Mapping[str, int]) -> Looked:
    """Return sightings with the numbers of extracted frames in the place of their names, which are not part of the content."""
    return replace(looked, sightings=tuple(replace(one, still=one.still and str(number[one.still])) for one in looked.sightings))


def _named(looked: Looked, video: VideoPlan) -> Looked:
    """Undo ``_numbered`` with the names of a video."""
    named = (replace(one, still=one.still and video.stills[int(one.still)].path) for one in looked.sightings)
    return replace(looked, sightings=tuple(named))


@dataclass(frozen=True)
class Fresh:
    """Examines every video now.

    Parameters
    ----------
    folder
        The release, in which extracted frames lie; None leaves them alone.
    sampling
        Which pictures are looked at.
    """

    folder: Path | None
    sampling: Sampling = "sampled"

    def __call__(self, path: Path, plan: VideoPlan | None, _: Mapping[str, str], /) -> Examination:
        """Return the examination of a video file."""
        return decoding.examine(path, plan, self.folder, self.sampling)


@dataclass(frozen=True)
class Stored:
    """Examines those planned videos now of which no earlier run has examined the same bytes.

    Parameters
    ----------
    folder
        The release.
    root
        The store, where it is not that of the process which does the work.
    sampling
        Which pictures are looked at.
    """

    folder: Path
    root: Path | None = None
    sampling: Sampling = "sampled"

    def __call__(self, path: Path, plan: VideoPlan | None, sha256: Mapping[str, str], /) -> Examination:
        """Return the examination of a video file."""
        if plan is None:
            return decoding.examine(path, None, self.folder, self.sampling)
        return examine_stored(self.folder, plan, self.root, self.sampling, sha256)
