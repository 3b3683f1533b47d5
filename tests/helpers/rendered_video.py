"""The released video of a source file, without a study."""

from __future__ import annotations

from pathlib import Path

from scrubin.media.probe import probe
from scrubin.media.structure import structure
from scrubin.stages.render import RenderParams
from scrubin.stages.render.parts import Parts, parts
from scrubin.stages.render.plan import Redaction, SourceFile, plan
from scrubin.stages.render.rendering import execute


def rendered(
    source: Path, target: Path, kept_s: tuple[float, float], *hidden_s: tuple[float, float], mode: str = "smart", crf: int = 1
) -> Parts:
    """Write the released video of a source, and return how it was made."""
    probed, groups = probe(source, "s"), structure(source, "s")
    black = [Redaction(start, end, None) for start, end in hidden_s]
    cut = plan(probed.pts, probed.time_base, probed.end_s, kept_s, black, (probed.width, probed.height))
    how = parts(cut, groups, mode, 0)
    return execute([SourceFile(source, "s", probed, groups)], target, probed, cut, how, RenderParams("smart", crf, "ultrafast", 0.0), "s")
