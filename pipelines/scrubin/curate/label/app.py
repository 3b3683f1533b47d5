"""The answers of the label page: what the browser asks, who asks it, which call of the workbench answers.

Whoever comes in has a personal token; it says who they are in every request, so that nobody can label under another number.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import anyio.to_thread
import numpy as np
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from scrubin.base.layout import RELEASE
from scrubin.curate.label import events, people
from scrubin.curate.label.events import Change
from scrubin.curate.label.params import TRACKS, TRIPLETS
from scrubin.curate.label.people import Person
from scrubin.curate.label.proposed.taking import Pick
from scrubin.curate.label.workbench import Workbench
from scrubin.curate.page import requests
from scrubin.curate.page.answers import Handler, doorway, guarded, json_of, templates
from scrubin.curate.page.requests import BadRequestError, Fields
from scrubin.curate.page.server import Guard, Session, token_of
from scrubin.curate.page.stills import Stills
from scrubin.media.source import Source
from scrubin.stages.review import Line

HERE = Path(__file__).parent
SHARED = HERE.parent / "page" / "static"
SHARED_FILES = ("api.js", "colours.css", "elements.js", "icon.svg", "keys.js")
DECODING_THREADS = 3
# Several people play at once, each a film of their own.
READERS = 6
RELEASED_ANEW = "it was released anew since this page was started", "whoever started 'scrubin label' ends it and starts it again"
LONGEST_WORK_S = 600
MOST_PICKS = 500
CHANGE_KEYS = {"layer", "key", "value", "before", "proposal"}
T = TypeVar("T")


@dataclass(frozen=True)
class LabelSession(Session):
    """A run of the server into which everybody comes with their own token."""

    people: Path = people.PATH
    command: str = "scrubin label"

    def who(self, token: str) -> Person | None:
        """Return whose token it is; the list is read anew, so that somebody who is shut out is out at once."""
        return people.of_token(people.load(self.people), token) if token else None

    def stranger(self, token: str) -> str:
        """Say what somebody is to do whose token counts no longer, or who brings none."""
        if token:
            mend = "ask whoever leads the study for a new one, and come in with it at /enter"
            return f"your token counts no longer; what you labelled is kept; {mend}"
        return "come in with your token first, at /enter; whoever leads the study gives it to you"

    def knows(self, token: str) -> bool:
        """Whether somebody has this token."""
        return self.who(token) is not None

    @property
    def address(self) -> str:
        """Where the page is entered; the token of each person is their own."""
        return super().address.partition("#")[0]


@dataclass
class LabelApp:
    """The answers of one run of the server.

    Parameters
    ----------
    bench
        The study.
    """

    bench: Workbench
    session: LabelSession
    numbers: Mapping[str, int] = field(init=False)
    stills: Stills = field(init=False)

    def __post_init__(self) -> None:
        self.numbers = {id_: number for number, id_ in enumerate(self.bench.recordings)}
        files = {
            (self.numbers[one.id], camera): Source.of_file(video.path, video.sha256)
            for one in self.bench.recordings.values()
            for camera, video in one.videos.items()
        }
        self.stills = Stills(self.bench.folder / RELEASE, files, READERS, RELEASED_ANEW)
        self._decoding = anyio.CapacityLimiter(DECODING_THREADS)

    def asgi(self) -> Guard:
        """Return the application, guarded."""
        gets: dict[str, Handler] = {
            "/": self.page,
            **doorway(HERE, *(SHARED / name for name in SHARED_FILES)),
            "/api/work": self.work,
            "/api/changes": self.changes,
            "/api/recordings/{id}": self.recording,
            "/api/recordings/{id}/{camera}/times": self.times,
            "/api/recordings/{id}/sampled": self.sampled,
            "/api/recordings/{id}/proposals": self.proposals,
            "/pictures/{id}/{camera}": self.pictures,
        }
        posts: dict[str, Handler] = {
            "/enter": self.admit,
            "/api/named": self.named,
            "/api/label": self.label,
            "/api/undo": self.undo,
            "/api/take": self.take,
            "/api/refuse": self.refuse,
            "/api/done": self.done,
            "/api/worked": self.worked,
            "/api/settle": self.settle,
        }
        return guarded(gets, posts, self.session)

    # Pages

    async def page(self, request: Request) -> Response:
        """Return the page itself; it holds nothing of the study."""
        return HTMLResponse(templates(HERE).get_template("label.html.j2").render())

    async def admit(self, request: Request) -> Response:
        """Take a token and put it into a cookie that no script can read."""
        body = await _fields(request, ("token",))
        token = body.text("token")
        if not self.session.knows(token):
            raise BadRequestError("nobody has this token; ask whoever leads the study for yours", 403)
        response = JSONResponse({})
        options: dict[str, Any] = {"httponly": True, "samesite": "strict", "path": "/", "secure": self.session.is_encrypted}
        response.set_cookie(self.session.cookie, token, **options)
        return response

    # What there is to label

    async def work(self, request: Request) -> Response:
        """Return what this person labels, and how far they are."""
        return await self._at_bench(request, self.bench.work)

    async def changes(self, request: Request) -> Response:
        """Return whether there are other lines than at ``head``, whoever wrote them, and whether ``id`` may no longer be shown."""
        seen, id_ = (request.query_params.get(name, "") for name in ("head", "id"))

        def answer(person: Person) -> dict[str, Any]:
            head = self.bench.head
            gone = bool(id_) and not self.bench.shows(person, id_)
            return {"head": head, "changed": head != seen, "gone": gone, "waits": gone and self.bench.waits(person, id_)}

        return await self._at_bench(request, answer)

    async def recording(self, request: Request) -> Response:
        """Return a recording with what this person said of it."""
        return await self._at_bench(request, lambda person: self.bench.view(person, request.path_params["id"]))

    async def sampled(self, request: Request) -> Response:
        """Return which frames of a recording are labelled one by one."""
        return await self._at_bench(request, lambda person: {"frames": self.bench.sampled(person, request.path_params["id"])})

    async def proposals(self, request: Request) -> Response:
        """Return what a program proposes for a recording."""
        return await self._at_bench(request, lambda person: {"proposals": self.bench.proposals(person, request.path_params["id"])})

    async def times(self, request: Request) -> Response:
        """Return the time of every released frame and the end of the last, as little-endian float64 seconds."""

        def answer(person: Person) -> Response:
            one = self.bench.recording(person, request.path_params["id"])
            times_s = self.bench.times_s(one, _camera(request, one.videos))
            return Response(np.ascontiguousarray(times_s, dtype="<f8").tobytes(), media_type="application/octet-stream")

        person = self._person(request)
        return await self._thread(lambda: answer(person))

    async def pictures(self, request: Request) -> Response:
        """Return several frames in one JPEG, in rows, each decoded as the frame of its number."""
        person = self._person(request)

        def known() -> tuple[tuple[int, str], int]:
            one = self.bench.recording(person, request.path_params["id"])
            return (self.numbers[one.id], _camera(request, one.videos)), one.pictures.end - one.pictures.first

        file, frame_count = await self._thread(known)
        wanted = requests.sprite(request.query_params, frame_count)
        async with self._decoding:
            if await request.is_disconnected():
                raise BadRequestError("nobody waits for this picture", 408)
            data = await self._thread(lambda: self.stills.played(file, wanted.frames, wanted.height, wanted.columns))
        return Response(data, media_type="image/jpeg")

    # What a person says

    async def named(self, request: Request) -> Response:
        """Return what somebody typed of an action with its names as they are spelt; nothing is written."""
        body = await _fields(request, ("layer", "label", "verb", "target"))
        layer = body.choice("layer", [name for name in self.bench.p.layers if name in ("actions", TRIPLETS)])
        label, verb, target = (body.text(name) for name in ("label", "verb", "target"))
        return await self._at_bench(request, lambda person: self.bench.named(layer, label, verb, target))

    async def label(self, request: Request) -> Response:
        """Write changes, all of them or none."""
        body = await _fields(request, ("id", "film", "changes", "nonce"))
        (changes, before), nonce = _changes(body.any("changes"), self.bench.p.layers), body.nonce()
        return await self._written(request, body, lambda person, id_: self.bench.label(person, id_, changes, nonce, before))

    async def undo(self, request: Request) -> Response:
        """Take back this person's last change to a recording."""
        body = await _fields(request, ("id", "last", "nonce"))
        last, nonce = body.number("last"), body.nonce()
        return await self._written(request, body, lambda person, id_: self.bench.undo(person, id_, nonce, last), is_undo=True)

    async def take(self, request: Request) -> Response:
        """Make labels of what is proposed, or of parts of it, all at once."""
        body = await _fields(request, ("id", "film", "picks", "nonce"))
        picks, nonce = _picks(body.any("picks")), body.nonce()
        return await self._written(request, body, lambda person, id_: self.bench.take(person, id_, picks, nonce))

    async def refuse(self, request: Request) -> Response:
        """Note that this person does not take what is proposed, or parts of it; or takes that back."""
        body = await _fields(request, ("id", "film", "picks", "refused", "nonce"))
        picks, refused, nonce = _picks(body.any("picks")), body.any("refused") is True, body.nonce()
        return await self._written(request, body, lambda person, id_: self.bench.refuse(person, id_, picks, nonce, refused=refused))

    async def done(self, request: Request) -> Response:
        """Note that this person has finished a recording, or goes on with it."""
        body = await _fields(request, ("id", "film", "done", "nonce"))
        done, nonce = body.any("done") is True, body.nonce()
        return await self._written(request, body, lambda person, id_: self.bench.say_done(person, id_, nonce, done=done))

    async def worked(self, request: Request) -> Response:
        """Note how long this person worked."""
        body = await _fields(request, ("id", "seconds", "nonce"))
        seconds, nonce, id_ = body.number("seconds", LONGEST_WORK_S), body.nonce(), body.text("id")
        person = self._person(request)
        await self._thread(lambda: self.bench.worked(person, id_, seconds, nonce))
        return json_of({})

    async def settle(self, request: Request) -> Response:
        """Write what an adjudicator says of frames in dispute."""
        body = await _fields(request, ("id", "film", "layer", "first", "end", "spans", "seen", "nonce"))
        layer, frames, nonce = body.choice("layer", self.bench.p.layers), (body.number("first"), body.number("end")), body.nonce()
        stated = body.any("spans")
        if not isinstance(stated, list) or len(stated) > events.MOST_CHANGES:
            raise BadRequestError("'spans' must be a list")
        answer = [_answer(layer, one) for one in stated]
        seen = body.text("seen")
        return await self._written(request, body, lambda person, id_: self.bench.settle(person, id_, layer, frames, answer, nonce, seen))

    # Parts

    def _person(self, request: Request) -> Person:
        person = self.session.who(token_of(request.headers, self.session))
        if person is None:
            raise BadRequestError("your token is no longer valid; ask whoever leads the study", 403)
        return person

    async def _at_bench(self, request: Request, call: Callable[[Person], dict[str, Any]]) -> Response:
        person = self._person(request)
        return json_of(await self._thread(lambda: call(person)))

    async def _written(
        self, request: Request, body: Fields, call: Callable[[Person, str], Line | None], *, is_undo: bool = False
    ) -> Response:
        """Write a line, then return how the recording stands, and of an undo whether there was one; what was answered is on the disk."""
        person, id_ = self._person(request), body.text("id")
        film = body.text("film") if body.has("film") else None

        def write() -> dict[str, Any]:
            if film is not None:
                self.bench.refuse_other_film(person, id_, film)
            line = call(person, id_)
            return self.bench.view(person, id_) | ({"taken_back": line is not None} if is_undo else {})

        return json_of(await self._thread(write))

    async def _thread(self, call: Callable[[], T]) -> T:
        return await anyio.to_thread.run_sync(call)


def _camera(request: Request, videos: Mapping[str, Any]) -> str:
    camera = str(request.path_params["camera"])
    if camera not in videos:
        raise HTTPException(404)
    return camera


async def _fields(request: Request, names: Sequence[str]) -> Fields:
    """Return the fields of a body, whose texts can be written and answered."""
    body = await requests.fields(request, names)
    try:
        json.dumps([body.any(name) for name in names], ensure_ascii=False).encode()
    except (UnicodeEncodeError, RecursionError) as error:
        raise BadRequestError("the body has half a character (a lone surrogate), or is too deep") from error
    return body


def _changes(stated: Any, layers: Sequence[str]) -> tuple[list[Change], dict[tuple[str, str], Any]]:
    """Return changes, and by layer and key on what each of them rests, where the page says it."""
    if not isinstance(stated, list) or not all(isinstance(one, dict) and set(one) <= CHANGE_KEYS for one in stated):
        raise BadRequestError("'changes' must be a list of layer, key and value")
    changes: list[Change] = []
    before: dict[tuple[str, str], Any] = {}
    for one in stated:
        layer, key, proposal = one.get("layer"), one.get("key"), one.get("proposal", "")
        if layer not in layers or not isinstance(key, str) or not isinstance(proposal, str) or len(proposal) > requests.TEXT_CHARACTERS:
            raise BadRequestError(f"'layer' must be one of {', '.join(layers)}, 'key' a text")
        changes.append(Change(layer, key, _value(layer, one.get("value")), proposal))
        if "before" in one:
            before[layer, key] = _value(layer, one["before"]) if layer in ("ratings", TRIPLETS) else one["before"]
    return changes, before


def _picks(stated: Any) -> list[Pick]:
    if not isinstance(stated, list) or not 0 < len(stated) <= MOST_PICKS:
        raise BadRequestError(f"'picks' must be 1 to {MOST_PICKS} proposals")
    picks = []
    for one in stated:
        key, part = (one.get(name) for name in ("proposal", "part")) if isinstance(one, dict) else (None, None)
        if not isinstance(key, str) or len(key) > events.LONGEST_KEY or not (part is None or (type(part) is int and part >= 0)):
            raise BadRequestError("a pick names a proposal by its key, and a part of it by a number from 0")
        picks.append(Pick(key, part))
    return picks


def _value(layer: str, stated: Any) -> events.Value:
    if stated is None:
        return None
    with _as_sent(layer):
        return events.value_of(layer, stated)


def _answer(layer: str, stated: Any) -> events.Answer:
    with _as_sent(layer):
        if layer == TRIPLETS:
            return events.instant_of(stated)
        return events.track_of(layer, stated) if layer in TRACKS else events.span_of(stated)


@contextmanager
def _as_sent(layer: str) -> Iterator[None]:
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        more = "; a box needs an area, and a part of it in the picture" if layer == "boxes" else ""
        raise BadRequestError(f"a value of {layer} is not as the page sends it{more}") from error
