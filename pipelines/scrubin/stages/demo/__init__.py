"""A small, complete, synthetic study with known truth, so that the pipeline runs out of the box."""

from __future__ import annotations

from scrubin.stages.demo.encoding import Encoding, encode_clip
from scrubin.stages.demo.plan import DemoParams
from scrubin.stages.demo.raw_study import make_study

__all__ = ["DemoParams", "Encoding", "encode_clip", "make_study"]
