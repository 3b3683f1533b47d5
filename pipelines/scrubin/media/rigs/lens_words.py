"""What calibration files state of the model of a lens: that it is OpenCV's pinhole model, or another one.

There are more names of other models than anybody lists. So under a key that states a model (`is_of_model`) only words of OpenCV's are read.
Anywhere else, in keys and values, a name of another model refuses the file, unless a word that touches it denies it, or the value of
the key that is named so. Names that mean something else, too, count where nothing but them is said of a lens.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from scrubin.media.rigs.rig import MODELS


def fold(text: str) -> str:
    """Return the words and numbers of a text with one space between them, so that spellings are one; what ends a thought stays.

    >>> fold("FishEye_model2"), fold("Équidistant, ｋｂ4"), fold("1.2")
    ('fish eye model 2', 'equidistant , kb 4', '1 . 2')
    """
    plain = "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))
    return " ".join(re.findall(r"[^\W\d_]+|\d+|[,;:.?!(—]", re.sub("(?<=[a-z])(?=[A-Z])", " ", plain).casefold()))


def letters(text: str) -> str:
    """Return the letters of a text.

    >>> letters("FISH_EYE-modèle 2")
    'fisheyemodele'
    """
    return "".join(filter(str.isalpha, fold(text)))


def _any_of(*names: str) -> str:
    """Return the pattern of any of these names, the longest first, whose words may be written as one."""
    return "|".join(sorted((name.replace(" ", " ?") for text in names for name in map(fold, text.split(","))), key=len, reverse=True))


COUNTS = {
    **{model: max(count for count, own in MODELS.items() if own == model) for model in MODELS.values()},
    **{"radial": 5, "RadTan": 5, "rational polynomial": 8, "full OpenCV": 8, "none": 0},
}
"""Words by which files state one of OpenCV's models, and how many coefficients it has at most."""
OWN = re.compile(
    _any_of(
        *COUNTS,
        "plumb bob, brown, conrady, OpenCV, standard, PinHole, perspective, rectilinear, tangential",
        "Lochkamera, sténopé, 针孔, 針孔, ピンホール, 径向, 切向",
    )
)
"""These, and words by which they state any of OpenCV's."""
HARMLESS = (
    _any_of(
        "and, calibration, camera, coefficient, coefficients, coeffs, color, distortion, endoscope, Kamera, laparoscope, left, lens, model",
        "Modell, mono, monocular, parameter, parameters, params, rgb, right, rs2, simple, stereo, 相机, 模型",
    )
    + rf"|(?<!\d)(?:{'|'.join(map(str, MODELS))}|(?:19|20)\d\d)(?!\d)"
    + "|k 1 k 2(?: p 1 p 2(?: k 3(?: k 4 k 5 k 6(?: s 1 s 2 s 3 s 4)?)?)?)?(?! k)"
)
"""What says nothing of a model: words, numbers of coefficients, years, and coefficients in OpenCV's order."""
NAMES = (
    "fish eye, Fischaug, œil de poisson, oeil de poisson, ojo de pez, occhio di pesce, olho de peixe, рыбий глаз, 鱼眼, 魚眼, 어안",
    "equi distant, äqui distant, equi solid, äqui solid, stereographi, stereografi, equi rect, cube map, theta poly, omni dir, 全向",
    "cata dioptr, kannala brandt, kannala and brandt, double sphere, Devernay, omni radtan, FoV model, atan model, division model",
    "division undistortion, scan division, scan polynomial, scan telecentric, inverse brown, modified brown, unified camera model",
    "unified projection, unified sphere, extended unified, enhanced unified, mapping coefficients, stretch matrix, poly parameters",
)
"""Names, also of parameters, that are of nothing but other models."""
FOREIGN = re.compile(rf"{_any_of(*NAMES)}|\bocam|\bf ?theta|\bpinhole ?equi\b")
SHORT = re.compile(_any_of("eucm, Kannala, kb4, kb8, Mei, omni, Scaramuzza, ucm"))
"""Names that may be of somebody or something else: they count where a key, or what is said of a lens, is only these and words above."""
VAGUE = re.compile(_any_of("atan, division, ds, equi, field of view, FoV, kb, unified"))
"""The same, but as keys they are ordinary."""
WEAK = re.compile(_any_of("cylindrical, generic, inverse, modified, orthographic, panoramic, polynomial, spherical, toolbox"))
"""The same where the key is that of a lens, or a word of OpenCV's models stands beside them."""
_NOT = (
    r"(\b(isn t|not?|non|never|without|instead of|neither|nor|nicht|weder|kein(e[mnrs]?)?|ohne|pas (de|un)"
    "|sans|sin|senza)( an?)? ?|不是|非|没有)"
)
_OTHER = rf"\b\w{{0,30}}?({FOREIGN.pattern})\w*"
DENIED = re.compile(
    rf"{_NOT}({FOREIGN.pattern})\w*( (n?or|oder|noch|ou|ni) {_OTHER})*"
    rf"|{_OTHER}( model| lens)?( is| was)?( not (used|applied|needed|present)|[ :]+(no|false|off)$)"
)
NOT_SO = re.compile(r"[0 .]*|false|no|n|off|none|null|n ?a|nein|non|nicht|(was )?not used")
"""Values that deny what their key names."""
_MODEL, _DISTORTION = "(modell?[eo]?|模型)s?", "(dist(or[st]ion)?(coeffs?)?|projection)"
_NAMED = "(name|type|kind|id|value)?s?(left|right)?$"
LENS_MODEL_KEY = re.compile(
    f"((lens|linsen|verzeichnungs|畸变|{_DISTORTION}){_MODEL}|{_DISTORTION}(type|kind|name)s?|^{_MODEL}(lens|{_DISTORTION})){_NAMED}"
)
"""The last key that leads to the model of a lens, its letters only, with the one before or without it."""
MODEL_KEY = re.compile(f"(^|cam|[ck]ameras?|intrinsics?|calib(ration)?|相机){_MODEL}{_NAMED}|^{_MODEL}camera$")
"""The same where no key is of a device, whose model it may be."""
DEVICE, LENS_KEY = re.compile("device|scope"), re.compile("(cam(era)?|lens|projection|dist(ortion)?|intrinsics?|sensor)(model|type|kind)?")
ABOUT_LENSES = re.compile("lens|dist(?!ance)|projection|camera|intrinsic|model|type|flags|class|method|algorithm|calib|optic")
OF_OTHERS = re.compile("(operator|owner|author|user|person|engineer|lab|site|pattern|target|grid|board|marker|phantom|images?|videos?)$")
"""Last keys of persons, targets and pictures, whose names are not those of lenses."""
OF_IDS = re.compile("(by|serial(number|no)?|(camera|lens|device)(id|sn))$")
"""Last keys of persons and numbers, which look like short names."""
FILE_NAME = re.compile(r"/\S*|\S+\.(bag|bmp|csv|jpe?g|json|mat|mkv|mp4|np[yz]|pdf|png|py|tiff?|txt|xml|ya?ml)")
"""A text that is a path or the name of a file, and states nothing."""


def most_coefficients(text: str) -> int:
    """Return how many coefficients a model of OpenCV has, as a text states it.

    >>> most_coefficients("plumb_bob (OpenCV)"), most_coefficients("pinhole-radtan"), most_coefficients("rational + thin prism")
    (14, 5, 12)
    """
    counts = {letters(word): count for word, count in COUNTS.items()}
    return max((counts[name] for name in map(letters, OWN.findall(fold(text))) if name in counts), default=max(MODELS))


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
    >>> is_foreign(["type"], "ds"), is_foreign(["lens"], "pinhole mei"), is_foreign(["note"], "équidistant"), is_foreign(["kb4"], 0.1)
    (True, True, True, True)
    >>> is_foreign(["device_model"], "IS4000"), is_foreign(["lens"], "not fisheye"), is_foreign(["operator"], "Equidistant Lab")
    (False, False, False)
    >>> is_foreign(["camera_model"], "pinhole_camera"), is_foreign(["camera_type"], "3D HD"), is_foreign(["camera_serial"], "KB8")
    (False, False, False)
    """
    keys, last, said = " , ".join(map(fold, path)), letters(path[-1]), fold(str(value))
    is_so = NOT_SO.fullmatch(said) is None
    if FOREIGN.search(keys) or any(_is_only(SHORT, fold(key)) for key in path):
        return is_so != bool(DENIED.search(keys))
    # OpenCV's model has no such parameter; it is a robot, too.
    if "xi" in fold(path[-1]).split() and re.fullmatch(r"\d[\de .]*", said):
        return is_so
    if is_of_model(path):
        return bool(str(value).strip()) and not _is_only(OWN, said)
    if OF_OTHERS.search(last) or FILE_NAME.fullmatch(str(value)):
        return False
    if FOREIGN.search(DENIED.sub("", said)):
        return True
    if OF_IDS.search(last) or not ABOUT_LENSES.search(letters(keys)):
        return False
    is_weak = LENS_KEY.fullmatch(last) or LENS_KEY.fullmatch(letters("".join(path[-2:]))) or OWN.search(said)
    return any(_is_only(names, said) for names in (SHORT, VAGUE, *[WEAK] * bool(is_weak)))


def _is_only(names: re.Pattern[str], said: str) -> bool:
    """Return whether a folded text has one of the names, and nothing but it and words that do not change what it says."""
    words = re.sub(r" ?[^\w ]", "", said)
    others = "" if names is OWN else f"|{OWN.pattern}|{SHORT.pattern}|{VAGUE.pattern}|{WEAK.pattern}"
    return bool(names.search(words)) and not re.sub(f"{names.pattern}|{HARMLESS}{others}| ", "", words)
