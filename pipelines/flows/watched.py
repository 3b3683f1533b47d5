"""What somebody's own Prefect server shows of a stage: its recordings by name, how far it is, where its page lies.

A server of this machine gets what the terminal gets. One elsewhere may be read by others: it gets numbers and released ids
instead of names, and of a fault only that there is one. Without a server of one's own nothing here asks anything of anybody,
and that of the run hears of a fault only that there is one, too: its notes stay in ``.cache/prefect`` when somebody withdraws.
"""

from __future__ import annotations

import contextlib
import ipaddress
import os
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

from prefect import Flow
from prefect.artifacts import create_link_artifact, create_progress_artifact, update_progress_artifact
from prefect.states import Completed

from scrubin.base.errors import StageError
from scrubin.base.layout import REPORTS

PAGE = "index.html"
PAGES = {"validate": REPORTS / "validation" / PAGE, "report": REPORTS / PAGE, "release": REPORTS / "certificate" / PAGE}
"""Which stage writes which page."""
EVERY_S = 2.0
SET_ASIDE = "SetAside"
"""Name of the state of a recording that is set aside."""
HIDDEN = "the run says why"
"""What a server elsewhere, and that of the run, hears of a fault."""


def given() -> str:
    """Return the address of somebody's own server; empty when none is given, and a run then has one that nobody looks at."""
    return os.environ.get("PREFECT_API_URL", "")


def is_here(address: str) -> bool:
    """Whether a server is one of this machine.

    >>> is_here("http://127.0.0.1:4200/api"), is_here("http://localhost:4200/api"), is_here("https://prefect.example.org/api")
    (True, True, False)
    """
    host = urlsplit(address).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def may_hear(address: str) -> bool:
    """Whether a server hears why something failed: somebody's own, of this machine."""
    return bool(address) and is_here(address)


def labels(items: Sequence[Any], name: str, address: str) -> list[str]:
    """Return what each item is called on a server: recording and camera, or its released id, or its number."""
    if not address:
        return [""] * len(items)
    return [label(item, tells_names=is_here(address)) or f"{name} {i + 1} of {len(items)}" for i, item in enumerate(items)]


def label(item: Any, *, tells_names: bool) -> str:
    """Return what people call an item; "" when it says nothing of itself."""
    one = next(iter(getattr(item, "rows", ())), item)
    what = getattr(one, "recording", None) if tells_names else None
    what = what or getattr(one, "id", None)
    return " ".join(str(part) for part in (what, getattr(one, "camera", None)) if part) if what else ""


def set_aside(error: Exception, address: str) -> Any:
    """Return the state of a recording that is set aside: nothing failed, and yet somebody should look."""
    return Completed(name=SET_ASIDE, message=str(error) if is_here(address) else HIDDEN, data=error)


@contextlib.contextmanager
def steps(name: str, total: int, address: str) -> Iterator[Callable[[], object]]:
    """Yield what is to be called whenever one more is done: a bar on the server follows, a step every two seconds."""
    if not address:
        yield lambda: None
        return
    done, said = 0, time.monotonic()
    bar = create_progress_artifact(progress=0.0, key=f"progress-{name}", description=f"{name}: 0 of {total}")

    def say() -> None:
        update_progress_artifact(bar, progress=100.0 * done / max(total, 1), description=f"{name}: {done} of {total}")  # type: ignore[arg-type]

    def one_more() -> None:
        nonlocal done, said
        done += 1
        if time.monotonic() - said >= EVERY_S:
            said = time.monotonic()
            say()

    try:
        yield one_more
    finally:
        say()


def run(flow: Flow[[], None], address: str) -> None:
    """Run a stage; on somebody's own server under its name, with a link to the page that it wrote."""
    work, page, raised = flow.fn, PAGES.get(flow.name) if address else None, list[Exception]()

    def main() -> None:
        try:
            work()
        except Exception as error:
            raised.append(error)
            if may_hear(address):
                raise
            raise StageError(HIDDEN) from None
        finally:
            if page is not None and page.is_file():
                # A browser opens no file from a server's page: the address is there to be copied.
                link = page.resolve().as_uri() if is_here(address) else page.as_posix()
                create_link_artifact(link, page.as_posix(), key=f"page-{flow.name}", description=f"On the machine of the run: {link}")

    named = flow.with_options(flow_run_name=flow.name if address else None)
    named.fn = main
    try:
        named()
    except Exception:
        # What happened, not what the server was told.
        if raised:
            raise raised[0] from None
        raise
