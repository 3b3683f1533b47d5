"""What all pictures of a release show: videos, files and archives looked at, judged, and counted for the proof."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scrubin.core.ranges import count_text
from scrubin.networks import weights
from scrubin.release.audit.findings import Fault
from scrubin.release.audit.pictures.eyes import NETWORKS
from scrubin.release.audit.pictures.files import PictureFiles
from scrubin.release.audit.pictures.judgement import Judge
from scrubin.release.audit.pictures.looks import Sampling
from scrubin.release.audit.pictures.sightings import EVERY_FRAME_RULE, RULE, Looked
from scrubin.release.audit.plan import VideoPlan
from scrubin.release.audit.strings.private_strings import Private

RULES = {"sampled": RULE, "every": EVERY_FRAME_RULE, "none": "no picture"}


class Pictures:
    """Looks at the pictures of one release and judges what they show.

    Parameters
    ----------
    private
        What must not be shown.
    sampling
        Which pictures are looked at: ``sampled``, ``every`` or ``none``.

    Raises
    ------
    StageError
        When a network that looks is missing or holds other bytes: nothing seen would look like nothing there.
    """

    def __init__(self, private: Private, sampling: Sampling = "sampled") -> None:
        self.sampling: Sampling = sampling
        for name in NETWORKS if sampling != "none" else ():
            weights.weights(name)
        self._files = PictureFiles(sampling)
        self.judge = Judge(private)

    def of_file(self, path: Path, name: str) -> list[tuple[str, Fault]]:
        """Return what a picture, or an archive of pictures, shows and may not, with the file or member that shows it."""
        return self.judge.faults(name, self._files.looked(path, name))

    def of_video(self, name: str, looked: Looked, plan: VideoPlan | None) -> list[tuple[str, Fault]]:
        """Return what a video shows and may not, with the file or extracted frame that shows it."""
        return self.judge.faults(name, looked, plan.rejected, plan.answered) if plan else self.judge.faults(name, looked)

    def as_json(self) -> dict[str, Any]:
        """Return what was looked at, by which rule, and the text that is no finding, as JSON values."""
        return {"sampling": self.sampling, "rule": RULES[self.sampling], **self.judge.as_json()}

    def counts(self) -> dict[str, Any]:
        """Return the same without the texts, of which only the number."""
        return {**self.as_json(), "text_read": len(self.judge.texts())}

    def _private(self) -> str:
        """Return how many private texts people let through; "" for none, as nearly always."""
        count = self.judge.texts_let_through
        return f"{count_text(count, 'text')} like a private word let through by people, " if count else ""

    def sentence(self) -> str:
        """Return in one line what was looked at."""
        if self.sampling == "none":
            return "no picture was looked at for text or faces"
        counts = self.judge.counts
        parts = count_text(counts.parts_read, "part")
        return (
            f"{count_text(counts.faces_looked_for, 'picture')} looked at for faces, {counts.read:,} of them read, and {parts} of others; "
            f"{count_text(self.judge.faces, 'face')} seen ({self.judge.faces_let_through:,} let through by people), {self._private()}"
            f"{count_text(len(self.judge.texts()), 'text')} that {'is' if len(self.judge.texts()) == 1 else 'are'} no finding"
        )
