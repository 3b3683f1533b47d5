"""An object store on this machine: moto's S3 in a process of its own, whose requests are counted, and which fails when it is told to."""

from __future__ import annotations

import argparse
import contextlib
import html
import json
import os
import re
import subprocess
import sys
import threading
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BUCKET = "bucket"
CONTROL = "/-/"
SIGNED = "AWS4-HMAC-SHA256 Credential=testing/20200101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0"
"""moto looks at who asks, not at the signature: without one, it shows nothing that others have put there."""
SECRETS = {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing", "AWS_DEFAULT_REGION": "us-east-1"}


@dataclass(frozen=True)
class Store:
    """A running store.

    Parameters
    ----------
    url
        Where it is asked.
    """

    url: str

    @property
    def options(self) -> dict[str, Any]:
        """What fsspec needs to reach it."""
        return {
            "key": SECRETS["AWS_ACCESS_KEY_ID"],
            "secret": SECRETS["AWS_SECRET_ACCESS_KEY"],
            "client_kwargs": {"endpoint_url": self.url, "region_name": "us-east-1"},
            # The instances of fsspec live as long as their process; two stores must not share one.
            "use_listings_cache": False,
        }

    def put(self, name: str, data: bytes) -> None:
        """Put an object there."""
        self._ask("PUT", f"/{BUCKET}/{name}", data)

    def get(self, name: str) -> bytes:
        """Return an object."""
        return self._ask("GET", f"/{BUCKET}/{name}")

    def names(self, start: str) -> list[str]:
        """Return the names of all objects that begin so, sorted."""
        answer = self._ask("GET", f"/{BUCKET}?list-type=2&prefix={start}").decode()
        assert "<IsTruncated>false" in answer
        return sorted(html.unescape(name) for name in re.findall(r"<Key>(.*?)</Key>", answer))

    def put_folder(self, folder: Path, prefix: str) -> None:
        """Put all files of a folder there."""
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                self.put(f"{prefix}/{path.relative_to(folder).as_posix()}", path.read_bytes())

    def fail(self, *, times: int, how: str = "503", path: str = "", method: str = "GET", after: int = 0) -> None:
        """Let requests fail whose path has these words, by ``503``, ``403`` or a ``cut`` answer; the first ``after`` of them pass."""
        self._ask("POST", f"{CONTROL}fail", json.dumps(locals() | {"self": None}).encode())

    def log(self) -> list[dict[str, Any]]:
        """Return all requests since the last call, with the bytes of their answers."""
        asked: list[dict[str, Any]] = json.loads(self._ask("GET", f"{CONTROL}log"))
        return asked

    def _ask(self, method: str, path: str, data: bytes | None = None) -> bytes:
        headers = {"X-Own": "1", "Content-Type": "application/octet-stream", "Authorization": SIGNED}
        address = self.url + urllib.parse.quote(path, safe="/?=&-")
        with urllib.request.urlopen(urllib.request.Request(address, data, headers, method=method)) as answer:
            return bytes(answer.read())


@contextlib.contextmanager
def running() -> Iterator[Store]:
    """Start a store with an empty bucket."""
    environment = {**os.environ, **SECRETS}
    command = [sys.executable, "-W", "ignore", __file__]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        store = Store(f"http://127.0.0.1:{int(process.stdout.readline())}")
        store._ask("PUT", f"/{BUCKET}")
        yield store
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


class Counted:
    """What stands before the store: it notes what is asked for, and fails when it is told to."""

    def __init__(self, application: Callable[..., Iterable[bytes]]) -> None:
        self._application, self._log, self._guard = application, [], threading.Lock()
        self._failing: dict[str, Any] = {"times": 0}

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        path, method = environ["PATH_INFO"].encode("latin-1").decode(), environ["REQUEST_METHOD"]
        if path.startswith(CONTROL):
            return self._control(path, environ, start)
        if "HTTP_X_OWN" in environ:
            return self._application(environ, start)
        how = self._how(path, method)
        noted = {"method": method, "path": path, "range": environ.get("HTTP_RANGE", ""), "failed": how, "bytes": 0}
        if how in ("503", "403"):
            self._note(noted)
            start({"503": "503 Slow Down", "403": "403 Forbidden"}[how], [("Content-Length", "0")])
            return [b""]
        body = b"".join(self._application(environ, start))
        noted["bytes"] = len(body) if method != "PUT" else int(environ.get("CONTENT_LENGTH") or 0)
        self._note(noted)
        # The header says more than comes: the connection ends in the middle.
        return [body[: len(body) // 2]] if how == "cut" else [body]

    def _how(self, path: str, method: str) -> str:
        with self._guard:
            failing = self._failing
            if not failing["times"] or failing["path"] not in path or method != failing["method"]:
                return ""
            if failing["after"]:
                failing["after"] -= 1
                return ""
            failing["times"] -= 1
            return str(failing["how"])

    def _note(self, noted: dict[str, Any]) -> None:
        with self._guard:
            self._log.append(noted)

    def _control(self, path: str, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        with self._guard:
            if path.endswith("fail"):
                self._failing = json.loads(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])))
                body = b"{}"
            else:
                body, self._log = json.dumps(self._log).encode(), []
        start("200 OK", [("Content-Length", str(len(body)))])
        return [body]


def main() -> None:
    """Serve until killed; the port is the first line."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    from moto.server import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import make_server

    server = make_server("127.0.0.1", 0, Counted(DomainDispatcherApplication(create_backend_app)), threaded=True)
    sys.stdout.write(f"{server.port}\n")
    sys.stdout.flush()
    server.serve_forever()


if __name__ == "__main__":
    main()
