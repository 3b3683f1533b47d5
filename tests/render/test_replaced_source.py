from __future__ import annotations

from pathlib import Path

import pytest

import clips
from scrubin.base.errors import StageError
from scrubin.base.store import store
from scrubin.media.raw_file import stored_sha256
from scrubin.media.source import Source
from scrubin.stages.render import RenderParams, rendering
from scrubin.stages.render.rendering import FileToRender

PARAMS = RenderParams(mode="reencode", crf=30, preset="ultrafast", duration_jitter_s=0.0)


def test_pictures_of_a_file_that_was_replaced_after_it_was_planned_are_never_kept(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = clips.clip(tmp_path / "a.mkv", seconds=1)
    first = path.read_bytes()
    file = FileToRender("Rec", "mono", Source.of_file("a.mkv", stored_sha256(path, "a.mkv")), "Task", "id", 0.0, 0.8, "25", False, ())
    planned = rendering.execute

    def replaced_meanwhile(*args, **options):
        done = planned(*args, **options)
        clips.clip(path, seconds=1, source="smptebars")
        return done

    monkeypatch.setattr(rendering, "execute", replaced_meanwhile)
    with pytest.raises(StageError, match=r"a\.mkv is another file than the one that was ingested"):
        rendering.render(tmp_path, file, PARAMS)
    assert not list(Path(store.STORE_PATH).rglob(rendering.FILE_NAME))
    path.write_bytes(first)
    monkeypatch.setattr(rendering, "execute", planned)
    assert rendering.render(tmp_path, file, PARAMS).plan.frame_count == 20
