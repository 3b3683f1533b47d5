"""What recordings may show, and whether the fitted network has seen pictures of it."""

from __future__ import annotations

SCENES = {
    "any": True,
    "laparoscopy": True,
    "robotic": True,
    "thoracoscopy": True,
    "colonoscopy": True,
    "gastroscopy": True,
    "laryngoscopy": True,
    "sinus_endoscopy": True,
    "fetoscopy": True,
    "cataract": True,
    "arthroscopy": False,
    "box_trainer": False,
    "dry_lab": False,
    "open_surgery": False,
    "other": False,
}
"""Whether a recording of this scene that looks like no endoscopy is a surprise, which is then proposed as a whole."""
