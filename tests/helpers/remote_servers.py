"""Places that a DVC remote may be: a folder, a web server that keeps what is put there, an SSH server, an object store."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import asyncssh

import object_store

HOST = "127.0.0.1"


@dataclass(frozen=True)
class Place:
    """A remote's address, the settings that DVC needs for it, and how to see everything that lies there."""

    address: str
    settings: dict[str, str]
    objects: Callable[[], list[bytes]]


def files(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()]


@contextlib.contextmanager
def in_folder(place: Path) -> Iterator[Place]:
    yield Place(str(place / "objects"), {}, lambda: files(place / "objects"))


class Shelf(BaseHTTPRequestHandler):
    """Keeps what is put at an address, as an object store does."""

    objects: dict[str, bytes]

    def do_HEAD(self) -> None:
        self._answer(200 if self.path in self.objects else 404, self.objects.get(self.path, b""), with_body=False)

    def do_GET(self) -> None:
        self._answer(200 if self.path in self.objects else 404, self.objects.get(self.path, b""))

    def do_PUT(self) -> None:
        self.objects[self.path] = b"".join(self._received())
        self._answer(200, b"")

    def _received(self) -> Iterator[bytes]:
        if length := self.headers.get("Content-Length"):
            yield self.rfile.read(int(length))
            return
        while size := int(self.rfile.readline(), 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()

    def _answer(self, status: int, body: bytes, *, with_body: bool = True) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if with_body:
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@contextlib.contextmanager
def over_http(_: Path) -> Iterator[Place]:
    shelf = type("OwnShelf", (Shelf,), {"objects": {}})
    server = ThreadingHTTPServer((HOST, 0), shelf)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield Place(f"http://{HOST}:{server.server_port}/objects", {"method": "PUT"}, lambda: list(shelf.objects.values()))
    finally:
        server.shutdown()
        server.server_close()


@contextlib.contextmanager
def over_ssh(place: Path) -> Iterator[Place]:
    """An SSH server that only the key of a person can enter; their home folder knows its key in turn."""
    own, persons = asyncssh.generate_private_key("ssh-ed25519"), asyncssh.generate_private_key("ssh-ed25519")
    keys = place / "home/.ssh"
    keys.mkdir(parents=True)
    persons.write_private_key(str(keys / "id_ed25519"))
    persons.write_public_key(str(keys / "authorized"))
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    guests: list[asyncssh.SSHServerConnection] = []

    class Door(asyncssh.SSHServer):
        def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
            guests.append(conn)

    async def listen() -> asyncssh.SSHAcceptor:
        options = {"server_host_keys": [own], "authorized_client_keys": str(keys / "authorized"), "sftp_factory": asyncssh.SFTPServer}
        return await asyncssh.listen(HOST, 0, server_factory=Door, **options)

    async def close() -> None:
        """Also what clients in this process keep open: else a later test is told of their sockets."""
        server.close()
        await server.wait_closed()
        for guest in guests:
            guest.abort()
            await guest.wait_closed()

    server = asyncio.run_coroutine_threadsafe(listen(), loop).result()
    port = server.get_port()
    (keys / "known_hosts").write_text(f"[{HOST}]:{port} {own.export_public_key().decode()}")
    objects = place / "objects"
    objects.mkdir()
    try:
        yield Place(f"ssh://ann@{HOST}:{port}{objects}", {}, lambda: files(objects))
    finally:
        asyncio.run_coroutine_threadsafe(close(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


@contextlib.contextmanager
def in_s3(_: Path) -> Iterator[Place]:
    with object_store.running() as store:
        settings = {"endpointurl": store.url, "region": "us-east-1", "access_key_id": "testing", "secret_access_key": "testing"}
        yield Place(f"s3://{object_store.BUCKET}/objects", settings, lambda: [store.get(name) for name in store.names("objects/")])


PLACES = {"folder": in_folder, "http": over_http, "s3": in_s3, "ssh": over_ssh}
