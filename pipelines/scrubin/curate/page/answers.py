"""How a page's server answers: JSON, and a sentence for whatever can go wrong."""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import jinja2
import numpy as np
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from scrubin.base import pages
from scrubin.base.errors import ReviewError, ScrubinError, StageError, VideoError
from scrubin.curate.page.open_study import RewrittenError
from scrubin.curate.page.requests import BadRequestError
from scrubin.curate.page.server import Guard, Session, TooLargeError, report

MEDIA_TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}
Handler = Callable[[Request], Awaitable[Response]]


class ReloadError(Exception):
    """The page shows an edition of the study that is no longer there."""


def answered(handler: Handler) -> Handler:
    """Turn what can go wrong into a sentence that the page shows."""

    async def answer(request: Request) -> Response:
        try:
            return await handler(request)
        except BadRequestError as error:
            return JSONResponse({"error": error.sentence}, error.status)
        except ReviewError as error:
            return JSONResponse({"error": str(error)}, 409)
        except (VideoError, StageError) as error:
            return JSONResponse({"error": str(error)}, 410)
        except RewrittenError as error:
            return JSONResponse({"error": str(error), "again": True}, 503)
        except ReloadError:
            return JSONResponse({"error": "the files of the study changed; the page starts anew", "reload": True}, 409)
        except ScrubinError as error:
            return JSONResponse({"error": str(error)}, 409)
        except TooLargeError:
            return JSONResponse({"error": "the request is too large"}, 413)
        except HTTPException:
            raise
        except Exception as error:
            report(error)
            return JSONResponse({"error": "the server failed here; its terminal says where"}, 500)

    return answer


@functools.cache
def templates(folder: Path) -> jinja2.Environment:
    """Return the templates of the page in a folder."""
    return pages.environment(folder / "templates")


@functools.cache
def doorway(folder: Path, *more: Path) -> Mapping[str, Handler]:
    """Return by path who gives the page that takes the token out of the address, and the scripts and styles.

    Parameters
    ----------
    folder
        Of the page; what is not in its ``static`` cannot be asked for.
    more
        Files of another page that this one has as well.
    """
    own = [path for path in sorted((folder / "static").iterdir()) if path.suffix in MEDIA_TYPES]
    static = {path.name: path.read_bytes() for path in (*more, *own)}

    async def enter(request: Request) -> Response:
        return HTMLResponse(templates(folder).get_template("enter.html.j2").render())

    async def file(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in static:
            raise HTTPException(404)
        return Response(static[name], media_type=MEDIA_TYPES[Path(name).suffix])

    return {"/enter": enter, "/static/{name}": file}


def guarded(gets: Mapping[str, Handler], posts: Mapping[str, Handler], session: Session) -> Guard:
    """Return the application that answers these paths, guarded."""
    routes = [Route(path, answered(handler), methods=["GET"]) for path, handler in gets.items()]
    routes += [Route(path, answered(handler), methods=["POST"]) for path, handler in posts.items()]
    return Guard(Starlette(routes=routes, exception_handlers={HTTPException: no_such_page}), session)


async def no_such_page(request: Request, error: Exception) -> Response:
    """Return the answer where there is no such page."""
    return JSONResponse({"error": "there is no such page"}, error.status_code if isinstance(error, HTTPException) else 404)


def json_of(values: Mapping[str, Any]) -> Response:
    """Return values as JSON, those of dataclasses and numpy as well."""
    text = json.dumps(values, default=_plain, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Response(text, media_type="application/json")


def _plain(value: object) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"no JSON for {type(value).__name__}")
