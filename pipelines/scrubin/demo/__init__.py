"""A small, complete, synthetic study with known truth, so that the pipeline runs out of the box."""

from scrubin.demo.params import DemoParams
from scrubin.demo.raw_study import make_study
from scrubin.demo.scenes.encoding import Encoding, encode_clip

__all__ = ["DemoParams", "Encoding", "encode_clip", "make_study"]
