"""What calibration files state of the model of a lens: that it is OpenCV's pinhole model, or another one.

There are more names of other models than anybody lists, so keys are of three sorts. Under one that states a model (`MODEL_KEY`) only
OpenCV's names are read. Of a lens otherwise (`ABOUT_LENSES`) every text is read that holds no name of another model. Under all other keys,
of people, programs and files, only a text that is such a name and nothing else states a model.
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
        ("plumbbob", "brown", "brownconrady", "conrady", "opencv", "standard", "polynomial", "pinhole", "perspective"), max(MODELS)
    ),
}
"""Words by which files state a model of OpenCV, their letters only, and how many coefficients it has at most."""
OWN_WORD = re.compile("|".join(sorted(STATED_MODELS, key=len, reverse=True)))
MODEL_KEY = re.compile(
    r"((?<!device)(?<!scope)model(type|name)?|(cameras?|lens|projection)type|dist(ortion)?(type|name)|projectionname)(left|right)?$"
)
"""The last keys that lead to a value, their letters only. A model of a device stands under another one."""
ABOUT_LENSES = re.compile("lens|dist|projection|camera|type|flags")
FISHEYE, XI, NOT_SO, DENIED = "fisheye", "xi", {"0", "0.0", "false", "no", "n", "off", "none"}, re.compile("notfish|^non?fish")
"""Keys that state another model by themselves, the second one by a parameter that OpenCV's has not, unless their value denies it."""
FOREIGN = re.compile(
    rf"{FISHEYE}|equidistant|equisolid|stereographic|kannalabrandt[48]?|omnidir(ectional)?|catadioptric|doublesphere|kb[48]|ocamcalib"
    r"|^e?ucm$|^(pinhole)?(equi|omni)(radtan)?$"
)
"""Names that are of nothing but other models, letters and digits only."""


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
    own = OWN_WORD.findall(stated)
    return own if "".join(own) == stated else []


def is_foreign(path: Sequence[str], value: Any) -> bool:
    """Return whether a value states a lens model that is not OpenCV's; before it the keys that lead to it.

    >>> is_foreign(["camera_model"], "unified"), is_foreign(["lens"], "FISH_EYE 170"), is_foreign(["cam0", "xi"], 1.2)
    (True, True, True)
    >>> is_foreign(["device_model"], "IS4000"), is_foreign(["camera"], "MEI"), is_foreign(["operator"], "Equidistant Lab")
    (False, False, False)
    """
    key, text = letters("".join(path)), str(value)
    if FISHEYE in key or letters(path[-1]) == XI:
        return (text.casefold() in NOT_SO) == bool(DENIED.search(key))
    if MODEL_KEY.search(key):
        return not own_words(text)
    name = re.sub(r"[\W_]", "", text.casefold())
    return bool(FOREIGN.search(name) if ABOUT_LENSES.search(key) else FOREIGN.fullmatch(name))
