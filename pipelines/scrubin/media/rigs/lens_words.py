"""What calibration files state of the model of a lens: that it is OpenCV's pinhole model, or another one.

There are more names of other models than anybody lists, so keys are of three sorts. Under one that states a model (`is_of_model`) only
OpenCV's names are read. Of a lens otherwise (`ABOUT_LENSES`) a text is refused that names another model, or is a short word for one. Under
all other keys, of programs and files, only a text that is such a name and nothing else states a model; of persons and serials none does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from scrubin.media.rigs.rig import MODELS

MOST = max(MODELS)
SPECIAL_MODELS = {
    **{re.sub("-", "", model): max(count for count, own in MODELS.items() if own == model) for model in MODELS.values()},
    **{"radial": 5, "radtan": 5, "rationalpolynomial": 8, "fullopencv": 8, "none": 0},
}
"""Words by which files state one of OpenCV's models, their letters only, and how many coefficients it has at most."""
STATED_MODELS = dict.fromkeys(
    ("plumbbob", "brown", "brownconrady", "conrady", "opencv", "standard", "polynomial", "pinhole", "perspective", "rectilinear"), MOST
)
"""Words by which they state any of them."""
BESIDE = (
    *("camera", "coefficient", "coefficients", "coeffs", "color", "cv", "distortion", "endoscope", "laparoscope", "left", "lens", "model"),
    *("mono", "monocular", "parameter", "parameters", "params", "rgb", "right", "rs", "simple", "stereo"),
)
"""Words that say nothing of a model."""
SHORT = (
    *("atan", "cylindrical", "division", "ds", "equi", "eucm", "fov", "generic", "inverse", "kannala", "kb", "kb4", "kb8", "mei"),
    *("modified", "ocam", "omni", "orthographic", "panoramic", "scaramuzza", "spherical", "ucm", "unified"),
)
"""Names of other models that mean something else, too: what is said of a lens is refused where it is nothing but these and words above."""
OWN_WORD = re.compile("|".join(sorted((*SPECIAL_MODELS, *STATED_MODELS, *BESIDE), key=len, reverse=True)))
ANY_WORD = re.compile("|".join(sorted((*SPECIAL_MODELS, *STATED_MODELS, *BESIDE, *SHORT, "toolbox"), key=len, reverse=True)))
MODEL_KEY = re.compile(
    r"(cam|cameras?|lens|projection|intrinsics?|calibration|dist|distortion)(model|type|kind)s?((type|name|kind)s?)?(left|right)?$"
    r"|^models?(type|name|kind|id)?s?(left|right)?$|^model(camera|lens|distortion)$|(dist(ortion)?|projection)names?(left|right)?$"
)
"""The last key that leads to a value, its letters only, with the one before or without it."""
DEVICE = re.compile("(device|scope)s?$")
"""A map in which a bare model is that of a device."""
ABOUT_LENSES = re.compile("lens|dist|projection|camera|intrinsic|model|type|flags|class|method|algorithm|calibrat")
OF_PERSONS = re.compile("(operator|owner|author|user|by|serial|(camera|lens|device)id)$")
FISHEYE, XI, NOT_SO, DENIED = "fisheye", re.compile("xi(left|right)?"), {"0", "0.0", "false", "no", "n", "off", "none"}, "notfish|^non?fish"
"""Keys that state another model by themselves, the second one by a parameter that OpenCV's has not, unless their value denies it."""
_FOREIGN = "|".join(
    (
        *("fish ?eye", "equi ?distant", "equi ?solid", "stereo ?graphic", "kannala ?(and )?brandt ?[48]?", "omni ?dir(ectional)?"),
        *("cata ?dioptric", "double ?sphere", "ocam ?calib", "f ?theta", "field ?of ?view"),
    )
)
FOREIGN = re.compile(rf"{_FOREIGN}|^(e?ucm|kb[48])$|^(pinhole ?)?(equi|omni)( ?radtan)?$")
"""Names that are of nothing but other models, in words of small letters and digits."""
DENIED_NAME = re.compile(rf"\b(not?|non|never|without) (an? )?({_FOREIGN})")
FILE_NAME = re.compile(r"/\S*|\S+\.(bag|csv|jpe?g|json|mat|mkv|mp4|np[yz]|pdf|png|py|txt|xml|ya?ml)")
"""A text that is a path or the name of a file, and states nothing."""


def letters(text: str) -> str:
    """Return the letters of a text, so that spellings are one.

    >>> letters("FISH_EYE-model 2")
    'fisheyemodel'
    """
    return re.sub(r"[^a-z]", "", text.casefold())


def most_coefficients(text: str) -> int:
    """Return how many coefficients a model of OpenCV has, as a text states it.

    >>> most_coefficients("plumb_bob (OpenCV)"), most_coefficients("pinhole-radtan"), most_coefficients("rational + thin prism")
    (14, 5, 12)
    """
    return max((SPECIAL_MODELS[word] for word in OWN_WORD.findall(letters(text)) if word in SPECIAL_MODELS), default=MOST)


def is_of_model(path: Sequence[str]) -> bool:
    """Return whether the keys that lead to a value say that it is a lens model.

    >>> is_of_model(["cam0", "camera_models"]), is_of_model(["distortion", "type"]), is_of_model(["endoscope", "model"])
    (True, True, False)
    """
    *around, last = ["", *(letters(part) for key in path for part in re.split(r"[.:/]+", key))]
    if DEVICE.search(around[-1]) and last in ("model", "name", "models", "names"):
        return False
    return bool(MODEL_KEY.search(last) or MODEL_KEY.fullmatch(around[-1] + last))


def is_foreign(path: Sequence[str], value: Any) -> bool:
    """Return whether a value states a lens model that is not OpenCV's; before it the keys that lead to it.

    >>> is_foreign(["camera_model"], "unified"), is_foreign(["lens"], "FISH_EYE 170 F/2.0"), is_foreign(["cam0", "xi"], 1.2)
    (True, True, True)
    >>> is_foreign(["type"], "ds"), is_foreign(["lens"], "pinhole mei"), is_foreign(["endoscope", "distortion_model"], "theta")
    (True, True, True)
    >>> is_foreign(["device_model"], "IS4000"), is_foreign(["lens"], "not fisheye"), is_foreign(["operator"], "Equidistant Lab")
    (False, False, False)
    >>> is_foreign(["camera_model"], "pinhole_camera"), is_foreign(["camera_type"], "stereo"), is_foreign(["camera_serial"], "KB8")
    (False, False, False)
    """
    key, text = letters("".join(path)), str(value)
    if FISHEYE in key or XI.fullmatch(letters(path[-1])):
        return (text.casefold() in NOT_SO) == bool(re.search(DENIED, key))
    if is_of_model(path) or (isinstance(value, str) and letters(path[-1]) in ("dist", "distortion")):
        stated = letters(text)
        return text.strip() != "" and (not stated or "".join(OWN_WORD.findall(stated)) != stated)
    if OF_PERSONS.search(letters(path[-1])) or FILE_NAME.fullmatch(text):
        return False
    spaced = " ".join(re.findall(r"[a-z0-9]+", re.sub(r"\b(19|20)\d\d\b", "", text.casefold())))
    if not ABOUT_LENSES.search(key):
        return bool(FOREIGN.fullmatch(spaced))
    spaced = DENIED_NAME.sub("", spaced)
    joined = spaced.replace(" ", "")
    words = ANY_WORD.findall(joined)
    return bool(FOREIGN.search(spaced)) or ("".join(words) == joined and not set(words).isdisjoint(SHORT))
