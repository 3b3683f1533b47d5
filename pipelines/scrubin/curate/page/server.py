"""The server of the review: one socket on this machine, who may talk to it, no log.

The guard stands around the whole application: what it refuses never reaches a route, and no answer,
an error's neither, leaves without its headers.
"""

from __future__ import annotations

import contextlib
import errno
import json
import logging
import os
import re
import secrets
import socket
import ssl
import sys
import webbrowser
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from pathlib import Path

import uvicorn
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from scrubin.base.errors import ReviewError
from scrubin.base.machine import LOOPBACK

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), clipboard-read=()",
}
# What anybody may fetch: the page that takes the token, and its script and style. None of it is about the study.
OPEN_PATHS = re.compile(r"/enter|/static/[a-z_]+\.(js|css|svg)")
# Our own paths need no escapes; whatever has one ("..", "%2e", "%2f", a backslash) is nobody's path.
PLAIN_PATH = re.compile(rb"/|(?:/[A-Za-z0-9_-]+)*/[A-Za-z0-9_-]+(?:\.[a-z]+)?")
PATH_CHARACTERS = 200
QUERY_CHARACTERS = 20_000
BODY_BYTES = 1 << 21


@dataclass(frozen=True)
class Session:
    """One run of the server: its token, and the hosts under which it answers.

    Parameters
    ----------
    port
        The port it listens on; it is part of every host and names the cookie.
    host
        An address other than this machine's own, when it was wanted; None: only this machine.
    command
        What serves it, for messages.
    is_encrypted
        Whether it is reached by TLS.
    """

    port: int
    host: str | None = None
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    command: str = "scrubin review"
    is_encrypted: bool = False

    @property
    def scheme(self) -> str:
        """How browsers reach it."""
        return "https" if self.is_encrypted else "http"

    @property
    def cookie(self) -> str:
        """Name of the cookie: cookies are shared by all ports of a host."""
        return f"scrubin-{self.port}"

    @property
    def hosts(self) -> frozenset[str]:
        """What the header Host may say."""
        return frozenset(f"{host}:{self.port}" for host in (*LOOPBACK, *((self.host,) if self.host else ())))

    @property
    def address(self) -> str:
        """Where the page is entered. The token stands behind the ``#``: browsers send that part to nobody."""
        return f"{self.scheme}://{self.host or LOOPBACK[0]}:{self.port}/enter#{self.token}"

    def stranger(self, token: str) -> str:
        """Say what somebody with another token, or with none, is to do."""
        return f"open the address that '{self.command}' printed; each start of the server has its own"

    def knows(self, token: str) -> bool:
        """Whether a token is this session's, in a time that says nothing about it."""
        return secrets.compare_digest(token.encode("utf-8", "replace"), self.token.encode())


class Guard:
    """Refuses what is not the page's own request, and puts the headers on every answer."""

    def __init__(self, app: ASGIApp, session: Session) -> None:
        self.app = app
        self.session = session

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = False

        async def send_with_headers(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        try:
            refused = refusal(scope, self.session)
            await (refused or self.app)(scope, _limited(receive), send_with_headers)
        except Exception as error:
            report(error)
            if not started:
                await _refuse(500, "the server failed here; its terminal says where")(scope, receive, send_with_headers)


def refusal(scope: Scope, session: Session) -> Response | None:
    """Return the answer to a request that is refused, or None."""
    headers = Headers(scope=scope)
    hosts = headers.getlist("host")
    if len(hosts) != 1 or hosts[0].lower() not in session.hosts:
        return _refuse(421, "this server answers only under the address that it printed")
    if scope["method"] not in ("GET", "HEAD", "POST"):
        return _refuse(405, "this server knows only GET and POST")
    if not _is_plain(scope):
        return _refuse(404, "there is no such page")
    if not _is_own_origin(scope, headers, f"{session.scheme}://{hosts[0].lower()}"):
        return _refuse(403, "another page sent this request")
    if not (OPEN_PATHS.fullmatch(scope["path"]) or session.knows(token := token_of(headers, session))):
        return _refuse(403, session.stranger(token))
    return None


def _is_plain(scope: Scope) -> bool:
    raw: bytes = scope.get("raw_path") or scope["path"].encode()
    return len(raw) <= PATH_CHARACTERS and PLAIN_PATH.fullmatch(raw) is not None and len(scope["query_string"]) <= QUERY_CHARACTERS


def _is_own_origin(scope: Scope, headers: Headers, own: str) -> bool:
    """Whether the page itself asks: what changes something must prove it, what reads must not be somebody else's."""
    origins = [origin.lower() for origin in headers.getlist("origin")]
    if scope["method"] == "POST":
        # A form or a plain fetch of another page can send none of these without asking this server first.
        json = headers.get("content-type", "").split(";")[0].strip().lower() == "application/json"
        return origins == [own] and headers.get("x-scrubin") == "1" and json
    # The page is entered from a file or another program: that alone may come from elsewhere.
    elsewhere = headers.get("sec-fetch-site", "none") not in ("same-origin", "none")
    return origins in ([], [own]) and not (elsewhere and scope["path"] != "/enter")


def token_of(headers: Headers, session: Session) -> str:
    """Return the token that a request carries; "" for none."""
    cookies: SimpleCookie = SimpleCookie()
    try:
        cookies.load(headers.get("cookie", ""))
    except CookieError:
        return ""
    return cookies[session.cookie].value if session.cookie in cookies else ""


def _refuse(status: int, sentence: str) -> Response:
    return JSONResponse({"error": sentence}, status)


class TooLargeError(Exception):
    """More was sent than any request of the page has; the rest is not read."""


def _limited(receive: Receive) -> Receive:
    received = 0

    async def receive_some() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > BODY_BYTES:
            raise TooLargeError
        return message

    return receive_some


def report(error: Exception) -> None:
    """Say on the terminal where the server failed, but not with which message: it may name a recording."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f"{Path(trace.tb_frame.f_code.co_filename).name}, line {trace.tb_lineno}" if trace else "somewhere"
    sys.stderr.write(f"scrubin: {type(error).__name__} at {place}\n")


ANY_ADDRESS = ("0.0.0.0", "::", "[::]", "*", "")
GRACE_S = 2


@contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """Listen on an address of this machine; port 0 is any that is free.

    Raises
    ------
    ReviewError
        When the port is taken or the address is not this machine's.
    """
    if host in ANY_ADDRESS:
        raise ReviewError(f"--host {host or chr(39) * 2}: name the one address that the browser will be sent to, such as 192.168.1.20")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sets TCP_NODELAY only on a socket that says it speaks TCP; every answer would wait 40 ms otherwise.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as opened:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            opened.bind((host.strip("[]"), port))
            opened.listen()
        except (OSError, OverflowError) as error:
            raise ReviewError(_why_not(host, port, error)) from error
        yield opened


def _why_not(host: str, port: int, error: OSError | OverflowError) -> str:
    code = error.errno if isinstance(error, OSError) else None
    if code == errno.EADDRINUSE:
        return f"port {port} is taken, perhaps by another 'scrubin review'; close it, or leave --port out for any free port"
    if code in (errno.EACCES, errno.EPERM):
        return f"port {port} may not be opened by you; leave --port out, or name one above 1023"
    if isinstance(error, OverflowError):
        return f"--port {port}: a port is a number from 0 to 65535"
    return f"--host {host}: this machine cannot listen there ({error.strerror or error})"


def session_of(opened: socket.socket, host: str) -> Session:
    """Return the session of a listening socket, with a new token."""
    return Session(opened.getsockname()[1], None if host in LOOPBACK else host)


@dataclass(frozen=True)
class Certificate:
    """Files of a TLS certificate, and of its key."""

    chain: Path
    key: Path

    def refuse_unfit(self) -> None:
        """Refuse what no page can be served with; a key that a passphrase protects is asked for when the page opens.

        Raises
        ------
        ReviewError
            Names the file, and what to name instead.
        """
        _refuse_other_file(self.chain, CERTIFICATE, "name the PEM file of the certificate by --certificate")
        _refuse_other_file(self.key, KEY, "name the PEM file of the certificate's key by --key")
        with contextlib.suppress(_ProtectedError):
            try:
                ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(self.chain, self.key, _ask_nobody)
            except ssl.SSLError as error:
                if error.reason == "KEY_VALUES_MISMATCH":
                    why = f"{self.key} is not its key; name the key with which this certificate was made by --key"
                else:
                    why = f"it cannot be used with the key {self.key} ({error.reason or error}); make both anew, or name others"
                raise ReviewError(f"{self.chain}: {why}") from error


CERTIFICATE, KEY = b"CERTIFICATE-----", b"PRIVATE KEY-----"
"""How the first line of each in a PEM file ends."""


class _ProtectedError(Exception):
    """A passphrase protects the key."""


def _ask_nobody() -> str:
    raise _ProtectedError


def _refuse_other_file(path: Path, mark: bytes, mend: str) -> None:
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise ReviewError(f"{path}: there is no such file; {mend}") from error
    except OSError as error:
        raise ReviewError(f"{path}: it cannot be read ({error.strerror}); correct its permissions, or {mend}") from error
    if mark not in data:
        what = "certificate" if mark == CERTIFICATE else "private key"
        raise ReviewError(f"{path}: it holds no {what} in PEM; {mend}")


def serve(app: ASGIApp, opened: socket.socket, ready: Callable[[], None], certificate: Certificate | None = None) -> None:
    """Answer until Ctrl-C; ``ready`` is called when the first request can be answered."""
    # Its log would name addresses, and a failure's message what it failed on.
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "uvicorn.asgi"):
        logging.getLogger(name).disabled = True
    config = uvicorn.Config(
        app,
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=GRACE_S,
        ssl_certfile=None if certificate is None else certificate.chain,
        ssl_keyfile=None if certificate is None else certificate.key,
    )
    server = _Server(config, ready)
    with contextlib.suppress(KeyboardInterrupt):
        server.run(sockets=[opened])


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()


class Doorway:
    """A private file that leads a browser to the page.

    A browser that is started with an address shows it to everybody on the machine in the list of
    processes; started with a file that only its owner can read, it shows no token.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def open(self, address: str) -> bool:
        """Open the address in the person's browser; False when there is none."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.close()
        handle = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(
                f'<!doctype html><meta charset="utf-8"><title>Review</title><script>location.replace({json.dumps(address)})</script>\n'
            )
        return webbrowser.open(self.path.absolute().as_uri())

    def close(self) -> None:
        """Remove the file."""
        self.path.unlink(missing_ok=True)
