"""The pictures of the documents: taken in a browser of the synthetic study, after ``make repro``.

    .venv/bin/python docs/pictures.py [NAME ...]

Beside them lies ``pictures.json``: for each picture its own hash and the hash of what it shows, so that a test finds one
that is older than its page. Only the drawn study is photographed; of any other the program takes no picture.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import html
import io
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).resolve().parents[1]
NOTED = ROOT / "docs/_static/pictures.json"
STUDY = "data/demo"
LIBRARY = "pipelines/scrubin"
COLOURS = 256
"""A picture of a page needs no more, and has a third of the bytes."""
PATIENCE_MS = 60_000
NAMED_FRAMES = 25
"""So many frames after its beginning the proposal of the name is there to be read."""
SETTLED_MS = 1500


@dataclass(frozen=True)
class Picture:
    """A picture.

    Parameters
    ----------
    path
        Where it lies in the checkout.
    shows
        The files and folders whose content it shows, beside the study and this program.
    take
        Takes it.
    """

    path: str
    shows: tuple[str, ...]
    take: Callable[[Browser], bytes]


def hash_of(picture: Picture) -> str:
    """Return the hash of what a picture shows: its page, the study, and how it is taken.

    Raises
    ------
    FileNotFoundError
        When there is nothing where it says that its page is.
    """
    digest = hashlib.sha256(Path(__file__).read_bytes() + study_hash().encode())
    for name in picture.shows:
        place = ROOT / name
        files = sorted(path for path in place.rglob("*") if path.suffix not in (".py", ".pyc")) if place.is_dir() else [place]
        for file in files:
            if not file.is_dir():
                digest.update(f"\0{file.relative_to(ROOT).as_posix()}\0".encode() + file.read_bytes())
    return digest.hexdigest()


def study_hash() -> str:
    """Return the hash of the synthetic study, as DVC has noted it."""
    stages = yaml.safe_load((ROOT / "dvc.lock").read_text(encoding="utf-8"))["stages"]
    return next(one["md5"] for one in stages["demo"]["outs"] if one["path"] == STUDY)


def noted() -> Mapping[str, Mapping[str, str]]:
    """Return for each picture what was noted when it was taken."""
    return json.loads(NOTED.read_text(encoding="utf-8")) if NOTED.is_file() else {}


def sha256(content: bytes) -> str:
    """Return the hash of a picture."""
    return hashlib.sha256(content).hexdigest()


def _params() -> dict[str, Any]:
    return yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))


def _png(content: bytes) -> bytes:
    """Return a screenshot with few colours, which takes less room."""
    from PIL import Image

    out = io.BytesIO()
    few = Image.open(io.BytesIO(content)).convert("RGB").quantize(COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    few.save(out, "PNG", optimize=True)
    return out.getvalue()


def _opened(browser: Browser, address: str, width: int, height: int, scale: float = 1) -> Page:
    page = browser.new_context(viewport={"width": width, "height": height}, device_scale_factor=scale).new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(address)
    return page


@contextmanager
def _review(browser: Browser, name: str) -> Iterator[Page]:
    """Open the page of the review at a recording on which nobody has decided yet."""
    import review_server

    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        params = _params()
        params["review"]["checks"] = 0  # what is planted to see whether people look would stand in the picture, by chance
        (folder / "params.yaml").write_text(yaml.safe_dump(params), encoding="utf-8")
        for part in (STUDY, "data/interim"):
            shutil.copytree(ROOT / part, folder / part)
        (folder / "data/private").mkdir(mode=0o700)
        with review_server.running(folder, "--by", "ann") as server:
            page = _opened(browser, server.address, 1440, 810, 0.7)
            page.locator("#list button", has_text=name).click()
            page.locator("#name", has_text=name).wait_for()
            page.locator("#sheet .block.loaded").first.wait_for()
            page.keyboard.press("j")
            page.locator("#lens .block.loaded").first.wait_for()
            yield page


def _with(source: str) -> str:
    """Return the recording of one camera whose first proposal is of this detector, not at the beginning, and as sure as can be."""
    import pandas as pd

    proposals = pd.read_parquet(ROOT / "data/interim/proposals.parquet")
    first = proposals.query("camera == 'mono'").sort_values(["recording", "first_frame"]).drop_duplicates("recording")
    fitting = first[(first["source"] == source) & (first["first_frame"] > 0)]
    return fitting.sort_values(["faces", "score", "recording"], ascending=[False, False, True])["recording"].iloc[0]


def _sheet(browser: Browser) -> bytes:
    with _review(browser, _with("scene")) as page:
        _settled(page)
        return page.screenshot()


def _lens(browser: Browser) -> bytes:
    with _review(browser, _with("scene")) as page:
        _settled(page)
        return page.locator("#lens").screenshot()


def _rectangle(browser: Browser) -> bytes:
    with _review(browser, _with("text")) as page:
        page.keyboard.press("f")
        page.wait_for_function("() => document.getElementById('full-canvas').dataset.frame")
        for _ in range(NAMED_FRAMES):
            page.keyboard.press("ArrowRight")
        page.wait_for_timeout(SETTLED_MS)
        page.keyboard.press("b")
        # From the middle of the picture to the name.
        for key in ("Shift+ArrowUp", "Shift+ArrowUp", *["Shift+ArrowRight"] * 3, *["ArrowDown"] * 12, *["ArrowRight"] * 5):
            page.keyboard.press(key)
        page.wait_for_timeout(SETTLED_MS)
        return page.screenshot()


LABEL = {
    **{"layers": ["phases", "actions", "quality", "ratings"], "vocabulary": "cholect50", "tasks": ["Cholecystectomy"], "annotators": "1"},
    **{"overlap": 0.0, "order": "listed", "seed": 0, "settle": "third", "edge_s": 1.0, "score_points": 1.0, "shortest_s": 1.0},
    **{"quality": ["smoke", "blurred"], "anchors": {}, "proposals": None},
}


def _label(browser: Browser) -> bytes:
    """Label some phases and an action of a procedure, as an annotator would."""
    import label_server
    from scrubin.curate.label import people
    from scrubin.curate.label.workbench import Workbench

    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "params.yaml").write_text(yaml.safe_dump({**_params(), "label": LABEL}), encoding="utf-8")
        for part in (STUDY, "data/interim", "data/tables", "data/release/videos"):
            shutil.copytree(ROOT / part, folder / part)
        _, token = people.add("ann", "annotator", folder / people.PATH)
        Workbench.open(folder).assign()
        with label_server.running(folder) as address:
            page = _opened(browser, address, 1280, 720, 0.75)
            page.fill("#token", token)
            page.keyboard.press("Enter")
            page.locator("#where", has_text="frame 0").wait_for()
            for at, key in enumerate(("1", "2", "3", "4"), start=1):
                page.keyboard.press(key)
                page.locator(f".lane:first-child .span:nth-child({at})").wait_for()
                page.keyboard.press("k")
                page.wait_for_timeout(SETTLED_MS)
            for key in ("l", "a"):
                page.keyboard.press(key)
            page.keyboard.type("hook, dissect, gallbladder")
            for key in ("Enter", *["Shift+ArrowRight"] * 4):
                page.keyboard.press(key)
            page.wait_for_timeout(SETTLED_MS)
            for key in ("1", "l", "l", "l", "PageUp", *["Shift+ArrowRight"] * 3):
                page.keyboard.press(key)
                page.wait_for_timeout(SETTLED_MS // 3)
            page.wait_for_timeout(SETTLED_MS)
            return page.screenshot()


def _settled(page: Page) -> None:
    """Wait until all stills are there."""
    page.wait_for_function(
        "() => !document.querySelector('.block:not(.loaded)') && !document.body.innerText.includes('preparing pictures')"
    )
    page.wait_for_timeout(SETTLED_MS)


def _report(browser: Browser) -> bytes:
    """Take the beginning of the report, as far as its first table."""
    page = _opened(browser, (ROOT / "reports/index.html").as_uri(), 1280, 900, 0.75)
    end = page.evaluate("() => Math.ceil(document.getElementById('overview').getBoundingClientRect().bottom) + 20")
    return page.screenshot(full_page=True, clip={"x": 0, "y": 0, "width": 1280, "height": end})


def _score(browser: Browser) -> bytes:
    """Train the models of the example, score their phases, and take where they are wrong."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        _run(ROOT / "examples/train.py", ROOT / "data/release", folder)
        truth, found = ROOT / "data/release", folder / "model/phases"
        _run("-m", "scrubin", "score", "phases", "--ground-truth", truth, "--predictions", found, "--html", folder / "score.html")
        page = _opened(browser, (folder / "score.html").as_uri(), 1100, 900, 0.8)
        return page.locator("#ribbons").screenshot()


def _run(*arguments: object) -> None:
    subprocess.run([sys.executable, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


CODE = """\
from scrubin.load import Release

release = Release("data/release")
frames = release.frames("balanced/train", ["phases", "instruments"], task="Cholecystectomy")"""
SHOWN = 6
SHEET = """<!DOCTYPE html><meta charset="utf-8"><style>
body { margin: 0; padding: 20px 24px; width: 952px; background: #fff; color: #1d2733; font: 15px/1.4 system-ui, sans-serif; }
pre { margin: 0 0 16px; padding: 12px 16px; background: #eef2f5; border-radius: 6px; font: 13.5px/1.5 monospace; }
main { display: grid; grid-template-columns: repeat(3, 1fr); gap: 16px; }
figure { margin: 0; } img { display: block; width: 100%; border-radius: 4px; }
b { display: block; } span { color: #556270; }
</style>"""


def _loaded(browser: Browser) -> bytes:
    """Run the lines that the picture shows, and take frames of several phases with their labels."""
    names: dict[str, Any] = {}
    exec(CODE.replace("data/release", str(ROOT / "data/release")), names)
    frames = names["frames"]
    labelled = [item for item in frames if item["phases_mask"] and item["instruments_mask"] and item["instruments"].any()]
    page = browser.new_context(viewport={"width": 1000, "height": 700}, device_scale_factor=0.9).new_page()
    chosen = [labelled[len(labelled) * (2 * place + 1) // (2 * SHOWN)] for place in range(SHOWN)]
    page.set_content(f"{SHEET}<pre>{html.escape(CODE)}</pre><main>{''.join(_figure(item, frames.classes) for item in chosen)}</main>")
    return page.locator("body").screenshot()


def _figure(item: Mapping[str, Any], classes: Mapping[str, Any]) -> str:
    import cv2

    picture = base64.b64encode(cv2.imencode(".png", item["image"][:, :, ::-1])[1].tobytes()).decode()
    instruments = ", ".join(name for name, value in zip(classes["instruments"], item["instruments"], strict=True) if value)
    return (
        f'<figure><img src="data:image/png;base64,{picture}"><b>{classes["phases"][item["phases"]]}</b>'
        f"<span>{instruments} · {item['id']}, frame {item['frame']}</span></figure>"
    )


REVIEW_PAGE = (f"{LIBRARY}/curate/page/static", f"{LIBRARY}/curate/page/templates")
LABEL_PAGE = (f"{LIBRARY}/curate/label/static", f"{LIBRARY}/curate/label/templates")
STYLE = f"{LIBRARY}/base/pages/page.css"
PICTURES = {
    "review_sheet": Picture("docs/_static/review_sheet.png", REVIEW_PAGE, _sheet),
    "review_lens": Picture("docs/_static/review_lens.png", REVIEW_PAGE, _lens),
    "review_rectangle": Picture("docs/_static/review_rectangle.png", REVIEW_PAGE, _rectangle),
    "label": Picture("docs/_static/label.png", LABEL_PAGE, _label),
    "load": Picture("docs/_static/load.png", (), _loaded),
    "score": Picture("docs/_static/score.png", (f"{LIBRARY}/evaluate/templates", STYLE, "examples/train.py"), _score),
    "report": Picture("reports/README.png", (f"{LIBRARY}/stages/report/templates", STYLE), _report),
}


def main() -> None:
    """Take all pictures, or those that are named."""
    sys.path[:0] = [str(ROOT / "tests/helpers")]
    import browser

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(PICTURES)} (default: all)")
    names = parser.parse_args().names or list(PICTURES)
    if _params()["raw"] != STUDY:
        sys.exit(f"params.yaml names another study than {STUDY}: pictures of the documents show only the synthetic one")
    notes = dict(noted())
    with browser.chromium() as chromium:
        for name in names:
            picture = PICTURES[name]
            content = _png(picture.take(chromium))
            (ROOT / picture.path).write_bytes(content)
            notes[name] = {"sha256": sha256(content), "shows": hash_of(picture)}
            sys.stdout.write(f"{picture.path}: {len(content) / 1000:.0f} kB\n")
    NOTED.write_text(json.dumps(notes, indent=2, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
