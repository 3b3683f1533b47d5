"""The audit proves nothing if it trusts the code that made the files."""

from __future__ import annotations

import ast
import re
import tempfile
from pathlib import Path

import numpy as np
import pytest

import clips
import scrubin
from scrubin.audit.pictures import eyes
from scrubin.base.errors import StageError
from scrubin.base.store import store
from scrubin.base.store.code_of import closure
from scrubin.media.networks import faces

LIBRARY = Path(scrubin.__file__).parent
AUDIT = ("scrubin.audit.run", "scrubin.audit.pictures.stored")
PROJECT = ("scrubin.stages.release.audited_project", "scrubin.stages.release.audit_questions")
"""What says to the audit what a study's release must be, and asks people about what it saw."""
OWN = ("scrubin.audit.", "scrubin.base.", "scrubin.media.networks.")
"""Neither a stage nor what reads videos for them."""
SHARED = {"faces", "reading"}
"""The networks of `screen` that the audit looks with as well, see `scrubin.audit.pictures.eyes` and docs/architecture.md."""
RULES = {"misreadings", "weights"}
"""Code of the folder `networks` that sees no picture: what a name may be misread as, and how any network is loaded."""


def imported(path: Path) -> set[str]:
    """The modules of our own that a file imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return {name for name in names if name.startswith("scrubin.")}


@pytest.mark.slow
def test_the_audit_shares_no_code_with_how_the_files_were_made_but_the_networks_that_the_page_names():
    modules = frozenset().union(*(closure(name) for name in (*AUDIT, *PROJECT)))
    places = [name.split(".")[1:] for name in modules]
    rooms = {tuple(place[:2]) for place in places if len(place) > 1}
    assert {"audit", "base", "stages"} <= {wing for wing, _ in rooms}
    # Of the stages neither ingest, screen, render nor frames; of media neither a decoder nor what finds the frames of a file.
    assert {room for wing, room in rooms if wing == "stages"} == {"recordings_list", "release", "review", "withdrawals"}
    assert {room for wing, room in rooms if wing == "media"} == {"networks"}
    assert {place[2] for place in places if place[:2] == ["media", "networks"] and place[2:]} == SHARED | RULES


@pytest.mark.slow
def test_the_audit_itself_imports_no_stage():
    modules = frozenset().union(*(closure(name) for name in AUDIT))
    assert len(modules) > 30
    assert {name for name in modules if not f"{name}.".startswith(OWN)} <= {"scrubin", "scrubin.media"}


def test_one_file_of_the_audit_looks_with_networks_of_screen():
    importing = {
        path.relative_to(LIBRARY).as_posix()
        for folder in ("audit", "stages/release")
        for path in (LIBRARY / folder).rglob("*.py")
        if {f"scrubin.media.networks.{name}" for name in SHARED | {"endoscopy"}} & imported(path)
    }
    assert importing == {"audit/pictures/eyes.py"}


@pytest.mark.slow
def test_a_face_that_the_network_of_screen_does_not_see_is_seen_by_the_audits_own(monkeypatch):
    man = np.ascontiguousarray(clips.pictures(clips.REAL["carphone_pristine"], (320, 180))[0][:, :, ::-1])
    with_both = eyes.faces(man)
    monkeypatch.setattr(faces, "faces", lambda _: [])
    (face,) = with_both
    assert eyes.faces(man) == [face]
    assert face.confidence >= 0.7
    x, y, w, h = face.box_xywh
    assert 50 <= x < x + w <= 240
    assert 20 <= y < y + h <= 160


def test_a_face_that_the_audits_own_networks_do_not_see_is_added(monkeypatch):
    man = np.ascontiguousarray(clips.pictures(clips.REAL["carphone_pristine"], (320, 180))[0][:, :, ::-1])
    monkeypatch.setattr(eyes, "own_faces", lambda _: [])
    assert len(eyes.faces(man)) == 1


@pytest.mark.slow
def test_the_audits_own_networks_take_a_cartoon_rabbit_for_no_face_and_find_two_men_in_a_wide_picture():
    rabbit = clips.pictures(clips.REAL["bigbuckbunny"], (320, 180))
    for picture in rabbit[::24]:
        assert eyes.own_faces(np.ascontiguousarray(picture[:, :, ::-1])) == []
    man = clips.pictures(clips.REAL["carphone_pristine"], (176, 144))[0][:, :, ::-1]
    assert len(eyes.own_faces(np.ascontiguousarray(np.concatenate([man, man], axis=1)))) == 2


def test_a_full_disk_of_scratch_files_is_named_and_not_that_of_the_store(tmp_path, small_disk):
    says = r": cannot be written \(File too large\); make room on its disk, or name a folder on another one as TMPDIR, then run again"
    with small_disk(20_000), pytest.raises(StageError, match=f"^{re.escape(tempfile.gettempdir())}{says}"):
        store.make("0" * 64, lambda _: str(eyes._loaded(eyes.FAR)), tmp_path)
