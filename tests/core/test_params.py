from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import pytest

from each import each
from scrubin.base import params
from scrubin.base.errors import ParamsError


@dataclass(frozen=True)
class Inner:
    limit_s: float | None = params.ranged(low=0)
    mode: str = params.ranged(choices=("exclude", "truncate"))


@dataclass(frozen=True)
class Section:
    tasks: dict[str, Inner]
    every: Fraction = params.ranged(low=0)
    count: int = params.ranged(low=1, high=5)
    names: tuple[str, ...] = params.ranged(choices=("left", "right"))
    strict: bool = params.ranged()


GOOD = "raw: data/raw\nframes: {tasks: {A: {limit_s: null, mode: exclude}}, every: '30000/1001', count: 2, names: [left], strict: true}\n"


def load(tmp_path: Path, text: str) -> Section:
    path = tmp_path / "params.yaml"
    path.write_text(text)
    return params.load("frames", Section, path)


def test_a_section_becomes_a_frozen_dataclass_with_exact_fractions(tmp_path):
    section = load(tmp_path, GOOD)
    assert section.every == Fraction(30000, 1001)
    assert section.tasks == {"A": Inner(None, "exclude")}
    assert section.names == ("left",)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("count: 2", "cuont: 2", r"'frames.cuont' is not a parameter; did you mean 'count'\?"),
        ("count: 2", "count: two", r"'frames.count' must be a whole number, but is 'two'"),
        ("count: 2", "count: true", r"'frames.count' must be a whole number, but is True"),
        ("count: 2", "count: 6", r"'frames.count' must lie in \[1, 5\], but is 6"),
        ("count: 2", "count: 2, count2: 1", r"'frames.count2' is not a parameter; did you mean 'count'\?"),
        (", count: 2", "", r"'frames.count' is missing"),
        ("every: '30000/1001'", "every: 29.97", r"'frames.every' must be a whole number or a fraction in quotes"),
        ("mode: exclude", "mode: exclud", r"'frames.tasks.A.mode' must be one of exclude, truncate, .* did you mean 'exclude'\?"),
        ("limit_s: null", "limit_s: -1", r"'frames.tasks.A.limit_s' must lie in \[0, inf\], but is -1"),
        ("limit_s: null", "limit_s: .nan", r"'frames.tasks.A.limit_s' must lie in"),
        ("names: [left]", "names: [left, up]", r"'frames.names\[1\]' must be one of left, right"),
        ("names: [left]", "names: left", r"'frames.names' must be a list"),
        ("frames:", "frmaes:", r"'frmaes' is not a parameter; did you mean 'frames'\?"),
        ("raw: data/raw", "rwa: data/raw", r"'rwa' is not a parameter; did you mean 'raw'\?"),
        ("strict: true", "strict: 1", r"'frames.strict' must be true or false"),
    ],
)
def test_a_wrong_parameter_is_named_in_full_with_the_near_miss(tmp_path, old, new, message):
    with pytest.raises(ParamsError, match=message):
        load(tmp_path, GOOD.replace(old, new))


def test_everything_that_is_wrong_is_said_at_once_also_inside_lists_and_mappings(tmp_path):
    tasks = "{A: {limit_s: -1, mode: exclud}, B: {limit_s: x, mode: exclude}}"
    text = GOOD.replace("{A: {limit_s: null, mode: exclude}}", tasks).replace("[left]", "[up, left, down]")
    with pytest.raises(ParamsError) as refused:
        load(tmp_path, text)
    said = "\n".join(fault.what for fault in refused.value.faults)
    for name in ("tasks.A.limit_s", "tasks.A.mode", "tasks.B.limit_s", "names[0]", "names[2]"):
        assert f"'frames.{name}'" in said
    assert len(refused.value.faults) == 5


def test_text_that_is_no_yaml_is_an_error_of_its_own(tmp_path):
    with pytest.raises(ParamsError, match="cannot be read as YAML"):
        load(tmp_path, "raw: [")


def test_a_merge_conflict_that_git_left_is_called_that(tmp_path):
    with pytest.raises(
        ParamsError, match="git left a merge conflict at line 2; keep one side of each, and take out the lines of <, = and >"
    ):
        load(tmp_path, "raw: data/raw\n<<<<<<< HEAD\nframes: {}\n=======\nscreen: {}\n>>>>>>> theirs\n")


def test_a_folder_without_parameters_says_where_they_are(tmp_path):
    with pytest.raises(ParamsError, match=r"params.yaml: there is no such file here; .* scrubin new-study"):
        params.read(tmp_path / "params.yaml")


def test_a_missing_section_is_named(tmp_path):
    with pytest.raises(ParamsError, match="section 'frames' is missing"):
        load(tmp_path, "raw: data/raw\n")


@pytest.mark.parametrize("raw", ["", "raw: 3\n", "raw: ' '\n"])
def test_the_raw_folder_must_be_named(tmp_path, raw):
    path = tmp_path / "params.yaml"
    path.write_text(raw + "frames: {}\n")
    with pytest.raises(ParamsError, match="'raw' must name the folder"):
        params.raw_folder(path)


INTO_OURS = ("{0}/data/release", "data/raw/../private/x", "../{1}/data/interim", "{0}", "..", "/", "link", "data/gone", "data/tables/other")


@each("raw", INTO_OURS)
def test_the_raw_folder_is_apart_from_what_is_written_however_it_is_named(tmp_path, raw):
    project = project_with_links(tmp_path)
    (project / "params.yaml").write_text(f"raw: {raw.format(project, project.name)}\n")
    with pytest.raises(ParamsError, match=r"is not apart from (data/|reports)"):
        params.raw_folder(project / "params.yaml")


@each("raw", ["data/raw", "{0}/data/raw", "../{1}/data/demo", "../elsewhere", "data/private2", "data/../raw"])
def test_the_raw_folder_may_lie_on_another_disk_or_be_a_link_to_it(tmp_path, raw):
    project = project_with_links(tmp_path)
    named = raw.format(project, project.name)
    (project / "params.yaml").write_text(f"raw: {named}\n")
    assert params.raw_folder(project / "params.yaml") == Path(named)


def project_with_links(folder: Path) -> Path:
    """Make a project whose raw study is a link to another disk, beside links to what the pipeline writes."""
    project = folder / "study"
    for name in ("study/data/release", "study/data/tables", "disk/raw"):
        (folder / name).mkdir(parents=True)
    (project / "data/raw").symlink_to(folder / "disk/raw")
    (project / "data/tables/other").symlink_to(folder / "disk/raw")
    (project / "data/gone").symlink_to("unreleased/1.0.0")  # nothing lies there yet
    (project / "link").symlink_to(project / "data/release")
    return project


@dataclass(frozen=True)
class Either:
    accept: str | Inner = params.ranged(choices=("all", "none"))
    model: Inner | None = params.ranged()


def either(tmp_path: Path, accept: str, model: str = "null") -> Either:
    path = tmp_path / "params.yaml"
    path.write_text(f"raw: data/raw\nscreen: {{accept: {accept}, model: {model}}}\n")
    return params.load("screen", Either, path)


def test_a_parameter_may_be_a_word_or_a_section(tmp_path):
    assert either(tmp_path, "all").accept == "all"
    assert either(tmp_path, "{limit_s: 0.5, mode: truncate}").accept == Inner(0.5, "truncate")
    assert either(tmp_path, "all", "{limit_s: null, mode: exclude}").model == Inner(None, "exclude")


@pytest.mark.parametrize(
    ("accept", "model", "message"),
    [
        ("al", "null", r"'screen.accept' must be one of all, none, but is 'al'; did you mean 'all'\?"),
        ("null", "null", r"'screen.accept' must be text, but is None"),
        ("{limit: 1, mode: exclude}", "null", r"'screen.accept.limit' is not a parameter; did you mean 'limit_s'\?"),
        ("{limit_s: -1, mode: exclude}", "null", r"'screen.accept.limit_s' must lie in"),
        ("all", "x.onnx", r"'screen.model' must be a section with keys, but is 'x.onnx'"),
    ],
)
def test_neither_the_word_nor_the_section_is_named(tmp_path, accept, model, message):
    with pytest.raises(ParamsError, match=message):
        either(tmp_path, accept, model)
