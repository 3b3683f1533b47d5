"""The server of the review: one socket on this machine, no log, the address of the page."""

from __future__ import annotations

import contextlib
import errno
import json
import logging
import os
import socket
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp

from scrubin.base.errors import ReviewError
from scrubin.base.machine import LOOPBACK
from scrubin.curate.page.security import Session

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
        msg = f"--host {host or chr(39) * 2}: name the one address that the browser will be sent to, such as 192.168.1.20"
        raise ReviewError(msg)
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


def serve(app: ASGIApp, opened: socket.socket, ready: Callable[[], None]) -> None:
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
