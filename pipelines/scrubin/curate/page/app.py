"""The pages of the review with their answers: what the browser asks, which call of the desk or the stills answers it.

Everything that decodes or reads tables runs in threads, so that the page stays responsive.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import anyio.to_thread
import numpy as np
import numpy.typing as npt
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from scrubin.base.errors import ReviewError
from scrubin.curate.page import requests
from scrubin.curate.page.answers import Handler, ReloadError, doorway, guarded, json_of, templates
from scrubin.curate.page.open_study import OpenStudy, StudyNow
from scrubin.curate.page.planted import Plant
from scrubin.curate.page.released_study import SampledStudy
from scrubin.curate.page.requests import CAMERAS, BadRequestError, Place
from scrubin.curate.page.server import Guard, Session
from scrubin.curate.page.stills import Drawing, FileKey
from scrubin.stages.review import Line, attention
from scrubin.stages.review.attention import Look
from scrubin.stages.review.desk import WHATS, WITHDREW
from scrubin.stages.review.events import ADD, CLEAN, FINDING, KINDS, SUBJECTS, Box
from scrubin.stages.review.views import WITHDRAWN

HERE = Path(__file__).parent
# Decoding keeps a processor busy; more threads than these would only slow the picture that is waited for.
DECODING_THREADS = 3
DESK_THREADS = 4
MOST_TOLD = 10_000
EDITION_HEADER = "X-Scrubin-Study"
T = TypeVar("T")


class ReviewApp:
    """The answers of one session.

    Parameters
    ----------
    study
        Opens the study as its tables are now.
    session
        Token and port.
    released
        Whether the pictures are those of the released files.
    sampled
        Whether they are those of clips that were drawn at random, and each gets an outcome.
    place
        Where the page opens; None: at the first recording that is not done.
    entered
        Called when a browser has come in with the token.
    """

    def __init__(
        self,
        study: StudyNow,
        session: Session,
        *,
        released: bool = False,
        sampled: bool = False,
        place: Place | None = None,
        entered: Callable[[], None] = lambda: None,
    ) -> None:
        self._study_now = study
        self.session = session
        self.released, self.sampled = released or sampled, sampled
        self.place = place
        self._entered = entered
        self._desk_lock = threading.Lock()
        # What was answered, by the address and the nonce of the request: also where the study was opened anew since.
        self._told: dict[tuple[str, str], dict[str, Any]] = {}
        self._decoding = anyio.CapacityLimiter(DECODING_THREADS)
        self._reading = anyio.CapacityLimiter(DESK_THREADS)

    def asgi(self) -> Guard:
        """Return the application, guarded."""
        gets: dict[str, Handler] = {
            "/": self.page,
            **doorway(HERE),
            "/api/study": self.study,
            "/api/changes": self.changes,
            "/api/recordings/{number:int}": self.recording,
            "/api/recordings/{number:int}/looks": self.looks,
            "/api/files/{number:int}/{camera}/times": self.times,
            "/stills/{number:int}/{camera}": self.sprite,
            "/still/{number:int}/{camera}/{frame:int}": self.still,
            "/check/{number:int}/{camera}/{frame:int}": self.settled_check,
        }
        posts: dict[str, Handler] = {"/enter": self.admit, "/api/seen": self.seen}
        # Decisions are about the source: the released files can only be looked at.
        decisions: dict[str, Handler] = {
            "/api/decide": self.decide,
            "/api/mark": self.mark,
            "/api/undo": self.undo,
            "/api/exclude": self.exclude,
            "/api/include": self.include,
            "/api/acknowledge": self.acknowledge,
        }
        posts |= {} if self.released else decisions
        posts |= {"/api/check": self.check} if self.sampled else {}
        return guarded(gets, posts, self.session)

    # Pages

    async def page(self, request: Request) -> Response:
        """Return the page itself; it holds nothing of the study."""
        rules = {"needed_s": attention.NEEDED_S, "least_px": attention.LEAST_HEIGHT_PX, "idle_s": attention.IDLE_S}
        values = {"kinds": KINDS, "released": self.released, "sampled": self.sampled, "look_s": attention.LOOK_S}
        return HTMLResponse(templates(HERE).get_template("page.html.j2").render(attention=json.dumps(rules), **values))

    async def admit(self, request: Request) -> Response:
        """Take the token and put it into a cookie that no script can read."""
        body = await requests.fields(request, ("token",))
        if not self.session.knows(body.text("token")):
            raise BadRequestError("this address belongs to another start of 'scrubin review'; open the one it printed last", 403)
        response = JSONResponse({})
        self._entered()
        response.set_cookie(self.session.cookie, self.session.token, httponly=True, samesite="strict", path="/")
        return response

    # What there is to review

    async def study(self, request: Request) -> Response:
        """Return all recordings, how far the review is, and what can be acknowledged."""

        def answer(study: OpenStudy) -> dict[str, Any]:
            return {
                "edition": study.edition,
                "head": study.head,
                "by": study.desk.by,
                "reviewers": study.desk.reviewed.reviewers,
                "released": self.released,
                "place": self.place,
                "recordings": study.recordings(),
                "progress": study.progress(),
                "quarantined": study.desk.quarantined(),
                "warnings": study.desk.warnings(),
                "near_duplicates": study.desk.near_duplicates(),
            }

        return json_of(await self._at_desk(answer))

    async def changes(self, request: Request) -> Response:
        """Return whether there are other lines or other tables than at ``head``, whoever wrote them."""
        seen = request.query_params.get("head", "")
        head = await self._at_desk(lambda study: study.head)
        return json_of({"head": head, "changed": head != seen})

    async def recording(self, request: Request) -> Response:
        """Return one recording: its files, what is proposed and decided, and what is missing."""
        number = request.path_params["number"]
        return json_of(await self._at_desk(lambda study: _recording(study, number), request))

    async def looks(self, request: Request) -> Response:
        """Return which seconds fold under which still, and all seconds, the unusual ones first; null where that is not known."""
        number = request.path_params["number"]

        def answer(study: OpenStudy) -> dict[str, Any]:
            try:
                looks = study.looks(number)
            except ReviewError as error:
                raise BadRequestError(str(error), 404) from error
            return {"folds": [(one.first, one.last, one.shown) for one in looks.folds], "order": looks.order}

        return json_of(await self._at_desk(answer, request))

    async def times(self, request: Request) -> Response:
        """Return the presentation time of every frame and the end of the last, as little-endian float64 seconds."""
        _, times_s = await self._file(request)
        return Response(np.ascontiguousarray(times_s, dtype="<f8").tobytes(), media_type="application/octet-stream")

    # Pictures

    async def sprite(self, request: Request) -> Response:
        """Return several stills in one JPEG, in rows."""
        file = _named_file(request)
        study, times_s = await self._file(request)
        wanted = requests.sprite(request.query_params, len(times_s) - 1)
        planted = study.plants.shown(file, wanted.frames)
        drawn = _drawing(study, planted)
        data = await self._decoded(request, lambda: study.stills.sprite(file, wanted.frames, wanted.height, wanted.columns, drawn))
        study.served.sprite(file, [frame for frame in wanted.frames if frame not in planted], wanted.height)
        return Response(data, media_type="image/jpeg")

    async def still(self, request: Request) -> Response:
        """Return one frame as large as it is; with ``preview=1`` black where the release will be."""
        file, frame = _named_file(request), request.path_params["frame"]
        study, times_s = await self._file(request)
        if frame >= len(times_s) - 1:
            raise BadRequestError(requests.no_frame(frame, len(times_s) - 1), 404)
        boxes: list[Box | None] = []
        if request.query_params.get("preview", "0") == "1":
            boxes = await self._at_desk(lambda now: now.hidden(file, times_s[frame]), request)
        planted = study.plants.shown(file, [frame], full=True)
        data = await self._decoded(request, lambda: study.stills.full(file, frame, boxes, _drawing(study, planted)))
        if not boxes and not planted:
            study.served.full(file, frame)
        return Response(data, media_type="image/jpeg")

    async def settled_check(self, request: Request) -> Response:
        """Return a check of which something has come, as it was shown."""
        file, frame = _named_file(request), request.path_params["frame"]
        study, _ = await self._file(request)
        plant = study.plants.done(file, frame)
        if plant is None:
            raise HTTPException(404)
        data = await self._decoded(request, lambda: study.stills.full(file, frame, (), _drawing(study, {frame: plant})))
        return Response(data, media_type="image/jpeg")

    # What a person says

    async def seen(self, request: Request) -> Response:
        """Note stills that somebody looked at: they were sent in this size, and the time has passed that they need."""
        body = await requests.fields(request, ("number", "view", "stills", "folding", "looked_s", "inputs", "height_px", "nonce"))
        number, view, nonce = body.number("number"), body.choice("view", requests.VIEWS), body.nonce()
        look = Look(body.seconds("looked_s"), body.number("inputs"), body.number("height_px"), sheet=view == "sheet")

        def write(study: OpenStudy) -> Line | None:
            stills = {
                camera: body.frames_of("stills", camera, len(study.times_s((number, camera))) - 1) for camera in body.cameras("stills")
            }
            standing = body.cameras("folding") if body.any("folding") else []
            folding = {camera: body.frames_of("folding", camera, len(study.times_s((number, camera))) - 1) for camera in standing}
            return study.looked(number, view, stills, look, nonce, folding)

        return await self._written(request, number, nonce, write)

    async def decide(self, request: Request) -> Response:
        """Accept, reject, change or add a span or a rectangle."""
        names = ("number", "camera", "what", "kind", "first", "last", "to_first", "to_last", "box_xywh", "proposal", "why", "nonce")
        body = await requests.fields(request, names)
        number = body.number("number")
        what = number, body.choice("camera", CAMERAS), body.choice("what", WHATS), body.choice("kind", KINDS)
        frames = body.number("first"), body.number("last")
        options: dict[str, Any] = {
            "box_xywh": body.box("box_xywh"),
            "proposal_key": body.proposal("proposal"),
            "why": body.text("why"),
            "nonce": body.nonce(),
            "to_first": body.number_or_none("to_first"),
            "to_last": body.number_or_none("to_last"),
        }

        def write(study: OpenStudy) -> Line:
            def hide() -> Line:
                return study.desk.decide(*what, *frames, **options)

            return study.draw(number, what[1], *frames, options["box_xywh"], body.nonce(), hide) if what[2] == ADD else hide()

        return await self._written(request, number, body.nonce(), write)

    async def mark(self, request: Request) -> Response:
        """Note that a person says that something is in a still: a check, or else it is theirs to hide."""
        body = await requests.fields(request, ("number", "camera", "frame", "nonce"))
        number, still, nonce = body.number("number"), (body.choice("camera", CAMERAS), body.number("frame")), body.nonce()
        return await self._written(request, number, nonce, lambda study: study.marked(number, *still, nonce))

    async def undo(self, request: Request) -> Response:
        """Undo what this person did last in the recording that is open."""
        body = await requests.fields(request, ("number", "nonce"))
        number, nonce = body.number("number"), body.nonce()
        return await self._written(request, number, nonce, lambda study: study.desk.undo(number, nonce=nonce))

    async def exclude(self, request: Request) -> Response:
        """Keep a recording out of the release."""
        body = await requests.fields(request, ("number", "why", "nonce"))
        number, why, nonce = body.number("number"), body.text("why"), body.nonce()
        return await self._written(request, number, nonce, lambda study: study.desk.exclude(number, why, nonce))

    async def include(self, request: Request) -> Response:
        """Take an exclusion back."""
        body = await requests.fields(request, ("number", "nonce"))
        number, nonce = body.number("number"), body.nonce()
        return await self._written(request, number, nonce, lambda study: study.desk.include(number, nonce))

    async def acknowledge(self, request: Request) -> Response:
        """Note that somebody knows of a quarantine, a warning or a near-duplicate."""
        body = await requests.fields(request, ("number", "subject", "key", "why", "until", "nonce"))
        says = body.choice("subject", SUBJECTS), body.text("key"), body.text("why"), body.day_or_none("until"), body.nonce()
        return await self._written(request, body.number("number"), body.nonce(), lambda study: study.desk.acknowledge(*says))

    async def check(self, request: Request) -> Response:
        """Note what a person says about a clip of the sample."""
        body = await requests.fields(request, ("number", "outcome", "why", "nonce"))
        number, says = body.number("number"), (body.choice("outcome", (CLEAN, FINDING)), body.text("why"), body.nonce())

        def write(study: OpenStudy) -> Line:
            if not isinstance(study, SampledStudy):
                raise HTTPException(404)
            return study.judge(number, *says)

        return await self._written(request, number, body.nonce(), write)

    # Threads

    async def _written(self, request: Request, number: int, nonce: str, call: Callable[[OpenStudy], Line | None]) -> Response:
        """Write a line, then return how the recording stands; what was answered is on the disk.

        A page that asks again because it had no answer is told the same: nothing is written twice, and what came of checks is not lost.
        """
        asked = request.url.path, nonce

        def write(study: OpenStudy) -> dict[str, Any]:
            told = self._told.get(asked)
            if told is None:
                line = call(study)
                written = None if line is None else {"number": line.number, "event": line.event}
                told = self._told[asked] = {"line": written, "checks": study.plants.news(number)}
                if len(self._told) > MOST_TOLD:
                    self._told.pop(next(iter(self._told)))
            return {**told, **_recording(study, number)}

        return json_of(await self._at_desk(write, request))

    async def _file(self, request: Request) -> tuple[OpenStudy, npt.NDArray[np.float64]]:
        """Return the study, and the times of the file that the path names."""
        file = _named_file(request)

        def known(study: OpenStudy) -> tuple[OpenStudy, npt.NDArray[np.float64]]:
            try:
                times_s = study.times_s(file)
                study.choose_plants(file)
                return study, times_s
            except ReviewError as error:
                is_withdrawn = any((one.number, one.status) == (file[0], WITHDRAWN) for one in study.recordings())
                raise BadRequestError(*((WITHDREW, 410) if is_withdrawn else (str(error), 404))) from error

        return await self._at_desk(known, request)

    async def _at_desk(self, call: Callable[[OpenStudy], T], request: Request | None = None) -> T:
        """Call with the study, in a thread; one call at a time, because the desk is not for several."""

        def locked() -> T:
            with self._desk_lock:
                study = self._study_now.get()
                if request is not None:
                    _refuse_other_edition(request, study.edition)
                return call(study)

        return await anyio.to_thread.run_sync(locked, limiter=self._reading)

    async def _decoded(self, request: Request, call: Callable[[], bytes]) -> bytes:
        async with self._decoding:
            if await request.is_disconnected():
                # Whoever jumps through a recording no longer waits for what it passed.
                raise BadRequestError("nobody waits for this picture", 408)
            return await anyio.to_thread.run_sync(call)


def _drawing(study: OpenStudy, planted: Mapping[int, Plant]) -> Drawing:
    """Return what draws the checks into pictures; all pictures take the same time."""
    return lambda frame, picture: study.plants.drawn(planted[frame], picture) if frame in planted else study.plants.nothing_drawn(picture)


def _recording(study: OpenStudy, number: int) -> dict[str, Any]:
    try:
        view = study.recording(number)
    except ReviewError as error:
        raise BadRequestError(str(error), 404) from error
    prepared = {file.camera: study.stills.prepared((number, file.camera)) for file in view.files}
    settled = study.plants.settled(number)
    return {"head": study.head, "recording": view, "mine": study.mine(number), "prepared": prepared, "settled": settled}


def _refuse_other_edition(request: Request, edition: str) -> None:
    """Refuse numbers of before the study changed: they may mean other files now."""
    shown = request.headers.get(EDITION_HEADER)
    if shown is None and request.method == "GET":
        return
    if shown != edition:
        raise ReloadError


def _named_file(request: Request) -> FileKey:
    camera = request.path_params["camera"]
    if camera not in CAMERAS:
        raise HTTPException(404)
    return request.path_params["number"], camera
