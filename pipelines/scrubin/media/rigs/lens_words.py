"""What calibration files state of the model of a lens: that it is OpenCV's pinhole model, or another one.

There are more names of other models than anybody lists. So under a key that states a model (`is_of_model`) only words of OpenCV's are read.
Anywhere else, in keys and values, a name of another model refuses the file, unless a word that touches it denies it, or the value of
the key that is named so. Names that mean something else, too, count where nothing but them is said, or where it is said of a lens.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from scrubin.media.rigs.rig import MODELS


def fold(text: str) -> str:
    """Return the words and numbers of a text with one space between them, so that spellings are one; what ends a thought stays.

    >>> fold("FishEye_model2"), fold("Équidistant, ｋｂ4"), fold("1.2 fish.eye")
    ('fisheye model 2', 'equidistant , kb 4', '1 . 2 fish eye')
    """
    plain = "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))
    return " ".join(re.findall(r"[^\W\d_]+|\d+|[,;:?!(—]|[.](?![^\W\d])", plain.casefold()))


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
    **{"radial": 5, "rad tan": 5, "rational polynomial": 8, "full open CV": 8, "none": 0},
}
"""Words by which files state one of OpenCV's models, and how many coefficients it has at most."""
OWN = re.compile(
    _any_of(
        *COUNTS,
        "plumb bob, brown, conrady, open CV, standard, pin hole, perspective, rectilinear, tangential",
        "Lochkamera, sténopé, 针孔, 針孔, ピンホール, 径向, 切向",
    )
)
"""These, and words by which they state any of OpenCV's."""
HARMLESS = (
    _any_of(
        "and, calibration, camera, coefficient, coefficients, coeffs, color, distortion, endoscope, Kamera, laparoscope, left, lens, model",
        "Modell, mono, monocular, parameter, parameters, params, projection, python, rgb, right, rs2, simple, stereo, toolbox, with",
        "和, 畸变, 相机, 模型",
    )
    + rf"|(?<!\d)(?:{'|'.join(map(str, MODELS))}|(?:19|20)\d\d)(?!\d)"
    + "|k 1 k 2(?: p 1 p 2(?: k 3(?: k 4 k 5 k 6(?: s 1 s 2 s 3 s 4)?)?)?)?(?! k)"
)
"""What says nothing of a model: words, numbers of coefficients, years, and coefficients in OpenCV's order."""
NAMES = (
    "fish eye, Fischaug, œil de poisson, oeil de poisson, ojo de pez, occhio di pesce, olho de peixe, рыбий глаз, 鱼眼, 魚眼, 어안",
    "equi solid, äqui solid, equi rect, cube map, theta poly, omni dir, 全向, ocam calib",
    "cata dioptr, kannala brandt, kannala and brandt, double sphere, Devernay, omni rad tan, FoV model, atan model, division model",
    "division undistortion, scan division, scan polynomial, scan telecentric, inverse brown, modified brown, unified camera model",
    "unified projection, unified sphere, extended unified, enhanced unified, mapping coefficients, stretch matrix, poly parameters",
)
"""Names, also of parameters, that are of nothing but other models."""
FOREIGN = re.compile(rf"{_any_of(*NAMES)}|ftheta|\bf theta|\bocam|\bpin ?hole ?equi\b")
OF_LENS = re.compile(f"{FOREIGN.pattern}|{_any_of('equi distant, äqui distant, stereo graphic, stereo graphi, stereo grafi')}")
"""These, and what boards, frames and displays are, too: it counts in keys, where it is said of a lens, and where nothing else is said."""
SHORT = re.compile(_any_of("eucm, Kannala, kb4, kb8, Mei, omni, Scaramuzza, ucm"))
"""Names that may be of somebody or something else: they count where a key, or what is said of a lens, is only these and words above."""
VAGUE = re.compile(_any_of("atan, division, ds, equi, field of view, FoV, kb, unified"))
"""The same, but as keys they are ordinary."""
WEAK = re.compile(_any_of("cylindrical, generic, inverse, modified, orthographic, panoramic, polynomial, spherical"))
"""The same where the key is that of a lens, or a word of OpenCV's models stands beside them."""
OWN_WORDS = re.compile(rf"\d+(?: [.] \d+)+|{OWN.pattern}|{HARMLESS}|(?<!\d)[236](?!\d)| ")
ANY_WORDS = re.compile("|".join([*(names.pattern for names in (OF_LENS, OWN, SHORT, VAGUE, WEAK)), HARMLESS, " "]))
"""All of what may stand where OpenCV's model is stated, also versions and numbers of radial and tangential coefficients; or another one."""
_NOT = (
    r"(\b(is|was|does|has)?(n t|not?|non|never|without|instead of|neither|nor|nicht|weder|kein(e[mnrs]?)?|ohne|pas (de|un)"
    "|sans|sin|senza)( us(e|ed|ing))?( an?| the)? ?|[不未没无非](是|有|用|使用|采用)*)"
)
_OTHER = rf"\b[a-z]{{0,30}}?({OF_LENS.pattern})[a-z]*"
DENIED = re.compile(
    rf"{_NOT}({OF_LENS.pattern})[a-z]*( (n?or|oder|noch|ou|ni) {_OTHER})*"
    rf"|{_OTHER}( model| lens)?( is| was)?( not (used|applied|needed|present)|[ :]+(false|off)$)"
)
NOT_SO = re.compile(
    "[-–—]|0[0 .]*|false|no|n|off|none|null|n ?a|nein|non|keine?|否|无|unused|disabled|absent"
    "|(was )?(not|nicht)( used| verwendet| applicable)?"
)
"""Values that deny what their key names."""
XI, NUMBER = re.compile(r"(?<!\bda )(?<!vinci )\bxi\b"), re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?")
"""Words of a key with a parameter that OpenCV's model has not, and the numbers that it may be; Xi is a robot, too."""
_MODEL, _DISTORTION = "(modell?[eo]?|模型)s?", "(dist(or[st]ion)?(coeffs?)?|projection)"
_NAMED = "(name|type|kind|id|value)?s?(left|right)?$"
LENS_MODEL_KEY = re.compile(
    f"((lens|linsen|verzeichnungs|畸变|{_DISTORTION}){_MODEL}|{_DISTORTION}(type|kind)s?"
    f"|(dist(ortion)?|projection)names?|^{_MODEL}(lens|{_DISTORTION})){_NAMED}"
)
"""The last key that leads to the model of a lens, its letters only, with the one before or without it."""
MODEL_KEY = re.compile(f"(^|cam|[ck]ameras?|intrinsics?|calib(ration)?|相机){_MODEL}{_NAMED}|^{_MODEL}camera$")
"""The same where no key is of a device, whose model it may be."""
DEVICE = re.compile("device|scop|skop|gerat|systeme")
LENS_KEY = re.compile("(cam(era)?|lens|projection|dist(ortion)?|intrinsics?|sensor)(model|type|kind)?")
ABOUT_LENSES = re.compile("lens|dist(?!ance)|projection|camera|intrinsic|model|type|flags|class|method|algorithm|calibratedwith|optic")
OF_OTHERS = re.compile(
    "(.* )?(operator|owner|author|user|person|engineer|lab|site|pattern|target|grid|board|marker|phantom|file|folder|path|url|reference)s?"
)
"""Words of last keys of persons, targets and files: what names something else beside a model is not of a lens."""
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


@lru_cache(maxsize=1024)
def is_of_model(path: tuple[str, ...]) -> bool:
    """Return whether the keys that lead to a value say that it is a lens model.

    >>> is_of_model(("cam0", "camera_models")), is_of_model(("distortion", "type")), is_of_model(("endoscope", "model"))
    (True, True, False)
    """
    *around, last = ["", *(letters(part) for key in path for part in re.split(r"[.:/]+", key))]
    both = around[-1] + last
    if LENS_MODEL_KEY.search(last) or LENS_MODEL_KEY.fullmatch(both):
        return True
    return bool(MODEL_KEY.search(last) or MODEL_KEY.fullmatch(both)) and not DEVICE.search("".join([*around, last]))


def is_foreign(path: tuple[str, ...], value: Any) -> bool:
    """Return whether a value states a lens model that is not OpenCV's; before it the keys that lead to it.

    >>> is_foreign(("camera_model",), "unified"), is_foreign(("lens",), "FISH_EYE 170 F/2.0"), is_foreign(("cam0", "left_xi"), 1.2)
    (True, True, True)
    >>> is_foreign(("type",), "ds"), is_foreign(("lens",), "pinhole mei"), is_foreign(("note",), "équidistant"), is_foreign(("kb4",), 0.1)
    (True, True, True, True)
    >>> is_foreign(("device_model",), "IS4000"), is_foreign(("lens",), "not fisheye"), is_foreign(("operator",), "Equidistant Lab")
    (False, False, False)
    >>> is_foreign(("camera_model",), "pinhole_camera"), is_foreign(("camera_type",), "3D HD"), is_foreign(("camera_serial",), "KB8")
    (False, False, False)
    """
    return _rule(path)(str(value).strip())


@lru_cache(maxsize=1024)
def _rule(path: tuple[str, ...]) -> Callable[[str], bool]:
    """Return what decides below these keys whether a text states another model: a matrix has many numbers under the same keys."""
    keys, last = " , ".join(map(fold, path)), letters(path[-1])
    words = fold(re.sub("(?<=[a-z])(?=[A-Z])", " ", path[-1]))
    is_name, is_denied = OF_LENS.search(keys) or any(_is_only(SHORT, fold(key)) for key in path), bool(DENIED.search(keys))
    is_of_others, is_of_ids, is_about_lenses = OF_OTHERS.fullmatch(words), OF_IDS.search(last), ABOUT_LENSES.search(letters(keys))
    is_of_lens = LENS_KEY.fullmatch(last) or LENS_KEY.fullmatch(letters("".join(path[-2:])))

    def is_other(text: str) -> bool:
        said = fold(text)
        is_so = NOT_SO.fullmatch(said or text) is None
        if is_name:
            return is_so != is_denied
        if XI.search(words) and NUMBER.fullmatch(text):
            return is_so
        if is_of_model(path):
            return text != "" and not _is_only(OWN, said)
        if FILE_NAME.fullmatch(text):
            return False
        if is_of_others:
            return FOREIGN.fullmatch(said) is not None
        if (OF_LENS if is_about_lenses else FOREIGN).search(DENIED.sub("", said)):
            return True
        if is_of_ids or not is_about_lenses:
            return _is_only(OF_LENS, said)
        return any(_is_only(names, said) for names in (SHORT, VAGUE, *[WEAK] * bool(is_of_lens or OWN.search(said))))

    return is_other


def _is_only(names: re.Pattern[str], said: str) -> bool:
    """Return whether a folded text has one of the names, and nothing but it and words that do not change what it says."""
    words = re.sub(r" ?[^\w .]", "", said)
    return bool(names.search(words)) and not (OWN_WORDS if names is OWN else ANY_WORDS).sub("", words).strip(" .")
