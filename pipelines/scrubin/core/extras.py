"""Packages that the base install does not have: which extra brings each, and the one line that says so."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence

EXTRAS: dict[str, tuple[str, ...]] = {
    "evaluate": ("jinja2", "markupsafe", "orjson", "tqdm", "yaml"),
    "load": ("av", "cv2", "tqdm", "yaml"),
    "review": ("anyio", "av", "cv2", "jinja2", "markupsafe", "starlette", "tqdm", "uvicorn", "yaml"),
    "curate": (
        *("av", "cv2", "dvc", "fastapi", "ffmpeg", "gibberish", "glin_profanity", "great_expectations", "highspy", "imageio_ffmpeg"),
        *("jinja2", "krippendorff", "markupsafe", "matplotlib", "onnxruntime", "pingouin", "prefect", "pydicom", "scipy", "sklearn"),
        *("starlette", "tqdm", "yaml"),
    ),
    "cluster": ("distributed",),
}
"""By extra, what it brings that we import, under the names of imports; the smallest extra first."""
EXTRA_OF = {module: extra for extra, modules in reversed(EXTRAS.items()) for module in modules}
"""By package, the smallest extra that brings it."""


class MissingPackageError(ModuleNotFoundError):
    """A package of an extra is needed and not installed; the text says what for, and what to do."""


def missing(module: str, what: str) -> MissingPackageError:
    """Return the error for something that cannot be had without a package, such as "--html".

    >>> raise missing(module="jinja2", what="--html")
    Traceback (most recent call last):
    scrubin.core.extras.MissingPackageError: --html needs jinja2, which is not installed: pip install 'scrubin[evaluate]'
    """
    return MissingPackageError(f"{what} needs {module}, which is not installed: {install(EXTRA_OF[module])}", name=module)


def require(module: str, what: str) -> None:
    """Say before any work that a package is needed and not installed.

    Raises
    ------
    MissingPackageError
        When it is not.
    """
    if not installed(module):
        raise missing(module, what)


def installed(module: str) -> bool:
    """Return whether a package can be imported, without importing it."""
    return importlib.util.find_spec(module) is not None


def install(*extras: str) -> str:
    """Return the command that installs extras.

    >>> install("load", "review")
    "pip install 'scrubin[load,review]'"
    """
    return f"pip install 'scrubin[{','.join(extras)}]'"


def sentence(command: str, needs: Sequence[str], error: ModuleNotFoundError) -> str | None:
    """Return one line about a package that a command did not find; None when no extra brings it: that is a fault of ours.

    Parameters
    ----------
    command
        Its words.
    needs
        Extras without which it does nothing.
    """
    if error.name not in EXTRA_OF:
        return None
    known = any(error.name in EXTRAS[extra] for extra in needs)
    if isinstance(error, MissingPackageError) and not known:
        return f"scrubin {command}: {error}"
    extras = needs if known else (EXTRA_OF[error.name],)
    return f"scrubin {command} needs packages that are not installed ({error.name}): {install(*extras)}"
