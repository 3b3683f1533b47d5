"""What the audit sees in one picture: faces with eyes of its own and with those of `screen`, text with those of `screen`.

A network that `screen` proposed with would miss again what it missed. So faces are looked for by networks of the audit's own
as well, and a network of `screen` can only add to what those see. For text the audit has no reader of its own: where
something stands that may be text it finds by itself (`standing`), but lines are found and read by the same two networks. This
is the only file of the audit that imports a network which `screen` uses; a test holds that, and the certificate says it.
"""

from __future__ import annotations

from scrubin.core.pixels import shared_px
from scrubin.networks import faces as shared
from scrubin.networks.faces import Face
from scrubin.networks.reading import Reading, read
from scrubin.release.audit.pictures import blazeface
from scrubin.release.audit.pictures.blazeface import Picture

NETWORKS = (*blazeface.KINDS, "centerface", "text-detection", "text-recognition")
SAME_SHARE = 0.3
__all__ = ["NETWORKS", "Face", "Reading", "faces", "read"]


def faces(bgr: Picture) -> list[Face]:
    """Return the faces in a picture of shape (height, width, 3): those that the audit's own networks see, then what the other one adds.

    Raises
    ------
    StageError
        When a network is not there or is another one.
    """
    own = [Face(box_xywh, confidence) for box_xywh, confidence in blazeface.faces(bgr)]
    return own + [one for one in shared.faces(bgr) if not any(_is_same(one, other) for other in own)]


def _is_same(one: Face, other: Face) -> bool:
    smaller = min(w * h for _, _, w, h in (one.box_xywh, other.box_xywh))
    return shared_px(one.box_xywh, other.box_xywh) >= SAME_SHARE * smaller
