"""Words by which calibration files state the model of a lens: which are OpenCV's, and which are of others."""

from __future__ import annotations

import re

from scrubin.media.rigs.rig import MODELS

ANY = set(MODELS)
STATED_MODELS: dict[str, set[int]] = {
    **{re.sub("-", "", model): {count for count, own in MODELS.items() if own == model} for model in MODELS.values()},
    **{"radtan": {4, 5}, "rationalpolynomial": {8}, "fullopencv": {8}, "none": ANY},
    **dict.fromkeys(("plumbbob", "brown", "brownconrady", "conrady", "opencv", "standard", "polynomial", "pinhole", "perspective"), ANY),
}
"""Words by which files state a model of OpenCV, their letters only, and of how many coefficients it is."""
OWN_WORD = re.compile("|".join(sorted(STATED_MODELS, key=len, reverse=True)))
FISHEYE, NOT_SO = "fisheye", {"0", "0.0", "false", "no", "n", "off", "none"}
FOREIGN = re.compile(rf"{FISHEYE}|equidistant|equisolid|kannala|omnidir|eucm|doublesphere|scaramuzza")
"""Names of models that are not OpenCV's, which mean nothing else: they count wherever a file has them."""
FOREIGN_ALONE = {"kb", "kb4", "kb8", "mei", "ds", "fov", "equi", "omni", "ocam", "ocamcalib", "division"}
"""Names of such models that are other words, too: they count where a key of `ABOUT_LENSES` states nothing else, but words of OpenCV's."""
ABOUT_LENSES = re.compile("model|type|lens|dist|projection|camera|flags")
CLOSED_KEY = re.compile("dist(ortion)?(model|type|name)(left|right)?$")
"""Keys whose values are models of lenses, and never names of devices: what is unknown there is refused."""
MODEL_KEY = re.compile(r"(camera|lens|projection)?model(type)?(left|right)?")
"""Keys whose values are models of lenses or of devices: of what is known there the coefficients are counted."""
DENIED, MOST_WORDS = {"not", "no", "non", "never", "without"}, 4
"""A text that denies, or of more words under another key, is a note."""
FILE_NAME = re.compile(r"[/\\]|\.[A-Za-z]\w{1,4}$")


def letters(text: str) -> str:
    """Return the letters of a text, so that spellings are one.

    >>> letters("FISH_EYE-model 2")
    'fisheyemodel'
    """
    return re.sub(r"[^a-z]", "", text.casefold())


def words(text: str) -> list[str]:
    """Return the words of a text in small letters, also of such as are written in one.

    >>> words("notFisheye"), words("KB4, pinhole-equi")
    (['not', 'fisheye'], ['kb4', 'pinhole', 'equi'])
    """
    return re.findall(r"[a-z0-9]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).casefold())


def own_words(text: str) -> list[str]:
    """Return by which words of `STATED_MODELS` a text states a model; none when it says anything else.

    >>> own_words("plumb_bob (OpenCV)"), own_words("PINHOLE"), own_words("pinhole-equi")
    (['plumbbob', 'opencv'], ['pinhole'], [])
    """
    stated = letters(text)
    own = OWN_WORD.findall(stated)
    return own if "".join(own) == stated else []


def is_foreign(key: str, text: str) -> bool:
    """Return whether a text states a lens model that is not OpenCV's; of its key the letters.

    >>> is_foreign("lens", "FISH_EYE"), is_foreign("cameramodel", "pinhole-equi"), is_foreign("author", "Mei")
    (True, True, False)
    >>> is_foreign("note", "not a fisheye"), is_foreign("source", "fisheye/left.png"), is_foreign("camera", "Endocam Logic")
    (False, False, False)
    """
    said = words(text)
    is_of_lenses = bool(ABOUT_LENSES.search(key))
    if DENIED & {*said} or FILE_NAME.search(text) or (len(text.split()) > MOST_WORDS and not is_of_lenses):
        return False
    if FOREIGN.search(letters(text)):
        return True
    others = [word for word in said if word not in FOREIGN_ALONE]
    return is_of_lenses and len(others) < len(said) and all(own_words(word) for word in others)
