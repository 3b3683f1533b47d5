"""The documents: every command and every Python block works, everything that there is stands in them, and links lead somewhere."""

from __future__ import annotations

import dataclasses
import re
import shutil
import subprocess
import sys
import tomllib
import typing
from collections.abc import Iterator
from pathlib import Path

import pictures
import pytest
import reference
import yaml
from reference import api, commands, formats, parameters

import doc_blocks
import made_once
import small_study
from scrubin.base.tables.private import PRIVATE_TABLES
from scrubin.base.tables.public import public_tables
from scrubin.curate.preflight import preflight
from scrubin.evaluate.metrics.phases import PhaseVideo
from scrubin.evaluate.metrics.variants import METRICS
from scrubin.labels.registry import WRITERS, readable
from scrubin.stages.release.metadata import curator_words
from scrubin.stages.validate.registry import RULES

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.glob("*.md"))]
BY_PAGE = {page.stem: list(doc_blocks.blocks(page)) for page in PAGES}
EVERY = [block for of_page in BY_PAGE.values() for block in of_page]
README_LINES = 120
LINK = re.compile(r"\]\(([^)\s]+)\)")
SOURCE = re.compile(r"`((?:\w+/)+\w+\.(?:py|json|csv))`")
PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)]+)\)")
MOST_BYTES, MOST_BYTES_IN_ALL = 300_000, 1_000_000
LABEL = re.compile(r"^\(([^)]+)\)=$", re.MULTILINE)
HEADING = re.compile(r"^#{1,4} (.+)$", re.MULTILINE)


@pytest.fixture(scope="session")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small study in a checkout, as its curator has it after everything ran."""
    return small_study.finished(tmp_path_factory)


@pytest.fixture
def reader(study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[doc_blocks.Reader]:
    """Somebody who reads a page, with a copy of the study."""
    project = tmp_path / "project"
    made_once.copy(study, project)
    monkeypatch.chdir(project)
    return doc_blocks.Reader(project)


@pytest.mark.slow
@pytest.mark.parametrize("page", [name for name, of_page in BY_PAGE.items() if any(block.is_run for block in of_page)])
def test_every_block_of_a_page_does_what_the_page_says(page, reader):
    if page == "large":
        small_study.record(reader.project)  # it looks at what DVC has
    for block in BY_PAGE[page]:
        if block.is_run or block.is_written:
            reader.do(block)


def test_every_block_says_what_it_is_and_most_are_run():
    known = {*doc_blocks.RUN, *doc_blocks.SHOWN, "yaml"}
    strange = [block.place for block in EVERY if block.language not in known and not block.is_written]
    assert not strange, f"say what these blocks are, as one of {sorted(known)}: {strange}"
    commands_and_code = [block for block in EVERY if block.language in doc_blocks.RUN and not block.is_written]
    run = [block for block in commands_and_code if block.mark != "not run"]
    assert len(run) >= 3 * (len(commands_and_code) - len(run)), f"{len(run)} of {len(commands_and_code)} blocks are run"


@pytest.mark.parametrize("block", [one for one in EVERY if one.language == "yaml" and not one.is_written], ids=lambda one: one.place)
def test_every_block_of_parameters_can_stand_in_params_yaml(block, tmp_path):
    shipped = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    path = tmp_path / "params.yaml"
    path.write_text(yaml.safe_dump(_merged(shipped, yaml.safe_load(block.text))), encoding="utf-8")
    preflight.check_all(path)


def test_the_datasheet_that_a_page_shows_answers_questions_that_there_are(tmp_path):
    (block,) = [block for block in EVERY if block.mark == "file" and block.reason.endswith("datasheet.yaml")]
    path = tmp_path / "datasheet.yaml"
    path.write_text(block.text, encoding="utf-8")
    assert curator_words.load_words(path).answers


def test_every_command_stands_on_a_page_that_somebody_wrote():
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    missing = [name for name, _ in commands.parsers() if not re.search(rf"scrubin {name}\b", text)]
    assert not missing


@pytest.mark.slow
def test_every_format_metric_parameter_table_and_rule_stands_in_the_documents():
    book = "\n".join(reference.filled(page.read_text(encoding="utf-8")) for page in PAGES)
    names = {*readable(), *WRITERS, *METRICS, *RULES, *public_tables(()), *(table.name for table in PRIVATE_TABLES)}
    names |= {key for metric in METRICS.values() for choices in metric.choices.values() for key in choices}
    names |= {entry.name for section in preflight.DECLARED for entry in parameters.entries(section)}
    names |= {one.name for section in preflight.DECLARED.values() for one in _fields(section)}
    missing = sorted(name for name in names if name not in book)
    assert not missing
    assert {place[1] for page in PAGES for place in reference.PLACE.finditer(page.read_text(encoding="utf-8"))} == set(reference.PARTS)
    assert formats.names()


@pytest.mark.slow
def test_every_link_leads_somewhere():
    filled = {page: reference.filled(page.read_text(encoding="utf-8")) for page in PAGES}
    labels = {label for text in filled.values() for label in LABEL.findall(text)} | _library()
    broken = []
    for page, text in filled.items():
        for link in LINK.findall(re.sub(r"```.*?```", "", text, flags=re.DOTALL)):
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            if "://" in link or (not path and anchor in labels):
                continue
            headings = {_slug(heading) for heading in HEADING.findall(filled.get(target, ""))}
            if not target.exists() or (anchor and anchor not in headings | labels):
                broken.append(f"{page.name}: {link}")
    assert not broken


def test_a_source_file_that_a_page_about_the_code_names_is_there():
    written = {block.reason for block in EVERY if block.mark == "file"}
    places = [ROOT, ROOT / "pipelines", ROOT / "pipelines/scrubin"]
    of_the_house = [page for page in PAGES if page.stem in ("CONTRIBUTING", "adding", "architecture")]
    named = {(page.name, name) for page in of_the_house for name in SOURCE.findall(page.read_text(encoding="utf-8"))}
    missing = [one for one in sorted(named) if one[1] not in written and not any((place / one[1]).exists() for place in places)]
    assert not missing


def test_files_that_pages_let_one_write_pass_make_check(tmp_path):
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for block in EVERY:
        if block.mark == "file" and block.reason.startswith(("pipelines/", "tests/")):
            (tmp_path / block.reason).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / block.reason).write_text(block.text, encoding="utf-8")
    for command in (("check",), ("format", "--check")):
        done = subprocess.run([sys.executable, "-m", "ruff", *command, "."], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert not done.returncode, done.stdout


def test_the_readme_is_read_in_five_minutes():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= README_LINES


@pytest.mark.cases(3)
@pytest.mark.parametrize("name", pictures.PICTURES)
def test_a_picture_is_not_older_than_what_it_shows(name):
    picture, noted = pictures.PICTURES[name], pictures.noted()[name]
    assert noted["sha256"] == pictures.sha256((ROOT / picture.path).read_bytes()), f"{picture.path} was not made by docs/pictures.py"
    assert noted["shows"] == pictures.hash_of(picture), f"what it shows has changed: make repro, then python docs/pictures.py {name}"


def test_every_picture_of_a_page_is_made_by_the_program_is_small_and_has_words_for_those_who_do_not_see_it():
    shown = [(page, *found) for page in PAGES for found in PICTURE.findall(page.read_text(encoding="utf-8"))]
    assert {(page.parent / path).resolve() for page, _, path in shown} == {ROOT / one.path for one in pictures.PICTURES.values()}
    assert all(len(words.split()) >= 6 for _, words, _ in shown)
    sizes = [(ROOT / one.path).stat().st_size for one in pictures.PICTURES.values()]
    assert max(sizes) < MOST_BYTES
    assert sum(sizes) < MOST_BYTES_IN_ALL


def test_nothing_on_a_page_is_loaded_from_elsewhere():
    for path in (*DOCS.glob("_static/*.css"), *DOCS.glob("_templates/*")):
        assert "http" not in path.read_text(encoding="utf-8")
    for page in PAGES:
        assert not re.findall(r"!\[[^\]]*\]\(https?:|<(?:img|script|link|iframe)\b", page.read_text(encoding="utf-8"))


def test_a_commit_is_checked_as_make_check_does():
    recipe = re.search(r"^check:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert recipe is not None
    wanted = [line.strip().removeprefix("@.venv/bin/").removesuffix(" .") for line in recipe[1].splitlines()]
    (own,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"]
    assert own["repo"] == "local"
    # With tools of pre-commit's own, but for types, which need all that the library imports.
    entries = [hook["entry"].removesuffix(" --force-exclude").removeprefix("env PYTHONPATH=pipelines ") for hook in own["hooks"]]
    types = re.fullmatch(r"sh -c 'if \[ -x .venv/bin/mypy \]; then .venv/bin/(.+); else echo .+; fi'", entries[2])
    assert types is not None
    assert [*entries[:2], types[1], *entries[3:]] == wanted


def test_the_version_is_the_same_everywhere():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["version"] == version
    headings = re.findall(r"^## (\S+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert next(one for one in headings if one != "Unreleased") == version


def _merged(shipped: dict, changes: dict) -> dict:
    sections = {key for key, value in changes.items() if isinstance(value, dict) and isinstance(shipped.get(key), dict)}
    return {**shipped, **{key: _merged(shipped[key], value) if key in sections else value for key, value in changes.items()}}


def _fields(section: typing.Any) -> Iterator[dataclasses.Field]:
    for one in (section, *parameters.forms(section)):
        yield from dataclasses.fields(one)


def _library() -> set[str]:
    return {name for package, modules in reference.api.packages() for name in (package, *modules)}


def _slug(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_what_numpy_takes_for_an_array_stands_in_a_signature_by_its_name():
    inspect = pytest.importorskip("sphinx.util.inspect", reason="what builds the documents is not installed")
    written = inspect.stringify_signature(inspect.signature(PhaseVideo), unqualified_typehints=True)
    expected = "(name: str, annotation: ArrayLike, predictions: ArrayLike, numbers: ArrayLike | None = None) -> None"
    assert api.shortened(written) == expected != written


def test_an_example_after_a_section_is_no_entry_of_it():
    lines = ["Return one.", "", "Returns", "-------", "int", "    A number.", "", ">>> 1 + 1", "2", "", ">>> 3", "3"]
    assert api.headed(lines) == [*lines[:7], "Examples", "--------", *lines[7:]]
    assert api.headed(["Return one.", "", ">>> 1", "1"]) == ["Return one.", "", ">>> 1", "1"]


def test_a_page_of_the_library_that_stays_as_it_is_is_not_written_again(tmp_path, monkeypatch):
    monkeypatch.setattr(reference.api, "packages", lambda: iter([("scrubin.evaluate.metrics", ["scrubin.evaluate.metrics.skill"])]))
    (tmp_path / "gone.md").write_text("")
    reference.write_api(tmp_path)
    (page,) = tmp_path.iterdir()
    before = page.stat().st_mtime_ns
    reference.write_api(tmp_path)
    assert page.stat().st_mtime_ns == before
    page.write_text("another")
    reference.write_api(tmp_path)
    assert page.read_text().startswith("# scrubin.evaluate.metrics")


QUICK = """
from reference.many_names import Navigation, QuickDomain

def setup(app):
    app.add_domain(QuickDomain, override=True)
    app.connect("html-page-context", Navigation().shorten, priority=100)
"""
CONF = """
import sys
sys.path[:0] = {folders!r}
project, extensions, html_theme = "names", ["myst_parser", "sphinx.ext.autodoc"], "furo"
html_copy_source = False
"""
A_BOOK = {
    "index": "# All\n\n```{toctree}\n:maxdepth: 2\nlibrary\nwords\n```\n",
    "library": "# Library\n\n## Parts\n\n```{toctree}\nspans\nfaults\n```\n",
    "words": "# Words\n\n## One\n\n### Deeper\n\n{py:func}`near` and {py:class}`Fault` and {py:obj}`nobody.knows`\n",
    "spans": "# Spans\n\n```{eval-rst}\n.. automodule:: scrubin.base.text.csv_text\n   :members:\n```\n",
    "faults": "# Faults\n\n## Of rows\n\n```{eval-rst}\n.. automodule:: scrubin.base.faults\n   :members:\n```\n",
}


@pytest.mark.slow
def test_pages_of_many_names_are_those_that_sphinx_makes_without_our_help(tmp_path):
    pytest.importorskip("furo", reason="what builds the documents is not installed")
    built, folders = [], [str(DOCS), str(ROOT / "pipelines"), str(ROOT / "tests/helpers")]
    for name, help_of_ours in (("slow", ""), ("quick", QUICK)):
        source, out = tmp_path / name, tmp_path / f"{name}.html"
        source.mkdir()
        (source / "conf.py").write_text(CONF.format(folders=folders) + help_of_ours)
        for page, text in A_BOOK.items():
            (source / f"{page}.md").write_text(text)
        subprocess.run([sys.executable, "-m", "sphinx", "--quiet", source, out], check=True)
        built.append({path.relative_to(out).as_posix(): path.read_text() for path in sorted(out.rglob("*.html"))})
    assert len(built[0]) > len(A_BOOK)
    assert "csv_text" in built[0]["spans.html"]
    assert built[0] == built[1]
