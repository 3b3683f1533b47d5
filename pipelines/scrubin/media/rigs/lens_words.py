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

SPECIAL_MODELS = {
    **{re.sub("-", "", model): max(count for count, own in MODELS.items() if own == model) for model in MODELS.values()},
    **{"radial": 5, "radtan": 5, "rationalpolynomial": 8, "fullopencv": 8, "none": 0},
}
"""Words by which files state one of OpenCV's models, their letters only, and how many coefficients it has at most."""
STATED_MODELS = (
    *("plumbbob", "brown", "brownconrady", "conrady", "opencv", "standard", "polynomial", "pinhole", "perspective", "rectilinear"),
)
"""Words by which they state any of them."""
BESIDE = (
    *("camera", "central", "coefficient", "coefficients", "coeffs", "color", "cv", "distortion", "endoscope", "enhanced", "extended"),
    *("laparoscope", "left", "lens", "model", "mono", "monocular", "parameter", "parameters", "params", "rgb", "right", "rs", "rs2"),
    *("simple", "stereo"),
)
"""Words that say nothing of a model."""
WEAK = ("cylindrical", "generic", "inverse", "modified", "orthographic", "panoramic", "spherical")
"""Words of other models where the key is that of a lens, or a word of OpenCV's models stands beside them."""
SHORT = (
    *("atan", "division", "ds", "equi", "eucm", "fieldofview", "fov", "kannala", "kb", "kb4", "kb8", "mei", "ocam", "omni", "scaramuzza"),
    *("ucm", "unified"),
)
"""Names of other models that mean something else, too: what is said of a lens is refused where it is nothing but these and words above."""
OWN_WORD = re.compile("|".join(sorted((*SPECIAL_MODELS, *STATED_MODELS, *BESIDE), key=len, reverse=True)))
ANY_WORD = re.compile("|".join(sorted((*SPECIAL_MODELS, *STATED_MODELS, *BESIDE, *SHORT, *WEAK, "toolbox"), key=len, reverse=True)))
_NAMED = "(name|type|kind|id|value)?s?(left|right)?$"
LENS_MODEL_KEY = re.compile(
    rf"((lensmodel|(projection|dist(ortion)?(coeffs?)?)(model|type|kind))|^model(lens|distortion)|(dist(ortion)?|projection)name)s?{_NAMED}"
)
"""The last key that leads to the model of a lens, its letters only, with the one before or without it."""
MODEL_KEY = re.compile(rf"(^|cam|cameras?|intrinsics?|calib(ration)?)models?{_NAMED}|^modelcamera$")
"""The same where no key is of a device, whose model it may be."""
DEVICE, LENS_KEY = re.compile("device|scope"), re.compile("(cam(era)?|lens|projection|dist(ortion)?|intrinsics?)(model|type|kind)?")
ABOUT_LENSES = re.compile("lens|dist(?!ance)|projection|camera|intrinsic|model|type|flags|class|method|algorithm|calibratedwith|optic")
"""Keys of what may be said of a lens; with such a last key it is said of something or somebody else, or is an id of a camera."""
OF_OTHERS = re.compile(
    "(operator|owner|author|user|by|person|engineer|lab|site|brand|vendor|manufacturer|pattern|target|grid|board|marker|phantom|images?|file"
    "|files|video|videos|path|notes?|comments?|description|history|date)$"
)
OF_IDS = re.compile("(serial(number|no)?|(camera|lens|device)(id|sn))$")
FISHEYE, XI, NOT_SO, DENIED = "fisheye", "xi", {"0", "0.0", "false", "no", "n", "off", "none"}, re.compile("notfish|^non?fish")
"""Keys that state another model by themselves, the second one by a parameter that OpenCV's has not, unless their value denies it."""
_FOREIGN = "|".join(
    (
        *("fish ?eye", "equi ?distant", "equi ?solid", "stereo ?graphic", "kannala ?(and )?brandt ?[48]?", "omni ?dir(ectional)?"),
        *("cata ?dioptric", "double ?sphere", "ocam ?calib", "f ?theta", "equi ?rect", "cube ?map"),
    )
)
FOREIGN = re.compile(_FOREIGN)
"""Names that are of nothing but other models, in words of small letters and digits."""
DENIED_NAME = re.compile(
    rf"\b(not?|non|never|without|instead of) ((?!{'|'.join(STATED_MODELS)})\w+ ){{0,2}}?({_FOREIGN})\w*(( or)? \w*({_FOREIGN})\w*)?"
    rf"|({_FOREIGN})( model| lens)?( was| is)? not (used|applied|needed|present)"
)
FILE_NAME = re.compile(r"/\S*|\S+\.(bag|bmp|csv|jpe?g|json|mat|mkv|mp4|np[yz]|pdf|png|py|tiff?|txt|xml|ya?ml)")
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
    return max((SPECIAL_MODELS[word] for word in OWN_WORD.findall(letters(text)) if word in SPECIAL_MODELS), default=max(MODELS))


def is_of_model(path: Sequence[str]) -> bool:
    """Return whether the keys that lead to a value say that it is a lens model.

    >>> is_of_model(["cam0", "camera_models"]), is_of_model(["distortion", "type"]), is_of_model(["endoscope", "model"])
    (True, True, False)
    """
    *around, last = ["", *(letters(part) for key in path for part in re.split(r"[.:/]+", key))]
    both = around[-1] + last
    if LENS_MODEL_KEY.search(last) or LENS_MODEL_KEY.fullmatch(both):
        return True
    return bool(MODEL_KEY.search(last) or MODEL_KEY.fullmatch(both)) and not DEVICE.search("".join([*around, last]))


def is_foreign(path: Sequence[str], value: Any) -> bool:
    """Return whether a value states a lens model that is not OpenCV's; before it the keys that lead to it.

    >>> is_foreign(["camera_model"], "unified"), is_foreign(["lens"], "FISH_EYE 170 F/2.0"), is_foreign(["cam0", "left_xi"], 1.2)
    (True, True, True)
    >>> is_foreign(["type"], "ds"), is_foreign(["lens"], "pinhole mei"), is_foreign(["endoscope", "distortion_model"], "theta")
    (True, True, True)
    >>> is_foreign(["device_model"], "IS4000"), is_foreign(["lens"], "not fisheye"), is_foreign(["operator"], "Equidistant Lab")
    (False, False, False)
    >>> is_foreign(["camera_model"], "pinhole_camera"), is_foreign(["camera_type"], "3D HD"), is_foreign(["camera_serial"], "KB8")
    (False, False, False)
    """
    key, last, text = letters("".join(path)), letters(path[-1]), str(value)
    if FISHEYE in key or last == XI:
        return (text.casefold() in NOT_SO) == bool(DENIED.search(key))
    if XI in map(str.casefold, re.findall("[A-Z]?[a-z]+|[A-Z]+", path[-1])) and isinstance(value, int | float) and value is not True:
        return bool(value)
    if is_of_model(path):
        stated = letters(text)
        return text.strip() != "" and (not stated or "".join(OWN_WORD.findall(stated)) != stated)
    if FILE_NAME.fullmatch(text):
        return False
    spaced = " ".join(re.findall(r"[a-z0-9]+|[,;:]", re.sub(r"\b(19|20)\d\d\b", "", text.casefold())))
    if OF_OTHERS.search(last) or not ABOUT_LENSES.search(key):
        return bool(FOREIGN.fullmatch(spaced))
    return _names_other(DENIED_NAME.sub("", spaced), is_id=bool(OF_IDS.search(last)), is_lens=bool(LENS_KEY.fullmatch(last)))


def _names_other(spaced: str, *, is_id: bool, is_lens: bool) -> bool:
    """Return whether words that are said of a lens name another model."""
    joined = re.sub("[ ,;:]", "", spaced)
    words = ANY_WORD.findall(joined)
    is_short = "".join(words) == joined and not is_id
    is_weak = is_lens or not {*SPECIAL_MODELS, *STATED_MODELS}.isdisjoint(words)
    return bool(FOREIGN.search(spaced)) or (is_short and not {*SHORT, *WEAK * is_weak}.isdisjoint(words))
