"""What calibration files state of the model of a lens: that it is OpenCV's pinhole model, or another one.

There are more names of other models than anybody lists, so keys are of three sorts. Under one that states a model (`is_of_model`) only
OpenCV's names are read. Of a lens otherwise (`ABOUT_LENSES`) a text is refused that names another model, or is a short word for one. Under
all other keys, of people, programs and files, only a text that is such a name and nothing else states a model.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from scrubin.media.rigs.rig import MODELS

STATED_MODELS = {
    **{re.sub("-", "", model): max(count for count, own in MODELS.items() if own == model) for model in MODELS.values()},
    **{"radial": 5, "radtan": 5, "rationalpolynomial": 8, "fullopencv": 8, "none": 0},
    **dict.fromkeys(
        ("plumbbob", "brown", "brownconrady", "conrady", "opencv", "standard", "polynomial", "pinhole", "perspective", "rectilinear"),
        max(MODELS),
    ),
}
"""Words by which files state a model of OpenCV, their letters only, and how many coefficients it has at most."""
BESIDE = ("camera", "coefficients", "cv", "distortion", "lens", "model", "parameters", "rs", "simple", "stereo")
"""Words that say nothing beside them."""
OWN_WORD = re.compile("|".join(sorted((*STATED_MODELS, *BESIDE), key=len, reverse=True)))
MODEL_KEY = re.compile(
    r"(cam|cameras?|lens|projection|intrinsics?|calibration|dist|distortion)?models?(type|name|kind)?s?(left|right)?"
    r"|model(camera|lens|distortion)|dist(ortion)?(type|name|kind)s?(left|right)?|projectionname"
)
"""The last key that leads to a value, its letters only. A model of a device stands under another one, or in a map of the device."""
DEVICE = re.compile("device|scope")
ABOUT_LENSES = re.compile("lens|dist|projection|camera|intrinsic|model|type|flags")
FISHEYE, XI, NOT_SO, DENIED = "fisheye", "xi", {"0", "0.0", "false", "no", "n", "off", "none"}, re.compile("notfish|^non?fish")
"""Keys that state another model by themselves, the second one by a parameter that OpenCV's has not, unless their value denies it."""
FOREIGN = re.compile(
    rf"{FISHEYE}|equidistant|equisolid|stereographic|kannalabrandt[48]?|omnidir(ectional)?|catadioptric|doublesphere|ocamcalib|ftheta"
    r"|^(e?ucm|kb[48])$|^(pinhole)?(equi|omni)(radtan)?$"
)
"""Names that are of nothing but other models, letters and digits only."""
SHORT = {
    "atan",
    "division",
    "ds",
    "equi",
    "eucm",
    "fov",
    "kannala",
    "kb",
    "kb4",
    "kb8",
    "mei",
    "ocam",
    "omni",
    "scaramuzza",
    "ucm",
    "unified",
}
"""Names of such models that mean something else, too: what is said of a lens is refused where it is nothing but these and OpenCV's."""
NO_STATEMENT = re.compile(r"\b(not?|non|never|without)\b|[/\\]|\.[A-Za-z]\w{1,4}$", re.IGNORECASE)
"""Where it is not stated which model it is: what denies one, and the name of a file."""


def letters(text: str) -> str:
    """Return the letters of a text, so that spellings are one.

    >>> letters("FISH_EYE-model 2")
    'fisheyemodel'
    """
    return re.sub(r"[^a-z]", "", text.casefold())


def own_words(text: str) -> list[str]:
    """Return by which words of `STATED_MODELS` a text states a model; none when it says anything else.

    >>> own_words("plumb_bob (OpenCV)"), own_words("PINHOLE"), own_words("pinhole-equi")
    (['plumbbob', 'opencv'], ['pinhole'], [])
    """
    stated = letters(text)
    said = OWN_WORD.findall(stated)
    return [word for word in said if word not in BESIDE] if "".join(said) == stated else []


def is_of_model(path: Sequence[str]) -> bool:
    """Return whether the keys that lead to a value say that it is a lens model.

    >>> is_of_model(["cam0", "camera_models"]), is_of_model(["distortion", "type"]), is_of_model(["endoscope", "model"])
    (True, True, False)
    """
    *around, last = (letters(part) for key in path for part in re.split(r"[.:/]+", key))
    both = "".join([*around[-1:], last])
    return bool(MODEL_KEY.fullmatch(last) or MODEL_KEY.fullmatch(both)) and not DEVICE.search("".join(around))


def is_foreign(path: Sequence[str], value: Any) -> bool:
    """Return whether a value states a lens model that is not OpenCV's; before it the keys that lead to it.

    >>> is_foreign(["camera_model"], "unified"), is_foreign(["lens"], "FISH_EYE 170"), is_foreign(["cam0", "xi"], 1.2)
    (True, True, True)
    >>> is_foreign(["type"], "ds"), is_foreign(["lens"], "pinhole mei"), is_foreign(["camera_models"], "mei")
    (True, True, True)
    >>> is_foreign(["device_model"], "IS4000"), is_foreign(["lens"], "not fisheye"), is_foreign(["operator"], "Equidistant Lab")
    (False, False, False)
    >>> is_foreign(["camera_model"], "pinhole_camera"), is_foreign(["camera_type"], "stereo"), is_foreign(["camera_serial"], "21KB8044")
    (False, False, False)
    """
    key, text = letters("".join(path)), str(value)
    if FISHEYE in key or letters(path[-1]) == XI:
        return (text.casefold() in NOT_SO) == bool(DENIED.search(key))
    if is_of_model(path):
        return not own_words(text)
    name = re.sub(r"[\W_]", "", text.casefold())
    if not ABOUT_LENSES.search(key):
        return bool(FOREIGN.fullmatch(name))
    if NO_STATEMENT.search(text):
        return False
    words = re.findall(r"[a-z0-9]+", text.casefold())
    short = [word for word in words if word in SHORT]
    return bool(FOREIGN.search(name)) or (bool(short) and all(word in SHORT or own_words(word) for word in words))
