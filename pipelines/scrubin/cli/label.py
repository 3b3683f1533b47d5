"""`scrubin label`: annotators label and rate in the browser, an adjudicator settles where they differ."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from scrubin.base.errors import ArgumentsError, ReviewError
from scrubin.base.machine import LOOPBACK
from scrubin.cli.answers import print_lines


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare where the page is served, or what is done instead."""
    parser.description = (
        "Open a page on which people label the de-identified videos: phases, steps, actions, quality, ratings, as the section `label` of "
        "params.yaml says. Everybody comes in with their own token, sees released ids and nobody else's labels; where they differ, an "
        "adjudicator settles it. Every label is written at once; Ctrl-C ends the server."
    )
    parser.add_argument("--port", type=int, default=0, help="port to listen on (default: any that is free)")
    parser.add_argument("--host", default=LOOPBACK[0], help="address to listen on (default: %(default)s, this machine only)")
    parser.add_argument("--certificate", type=Path, metavar="PEM", help="TLS certificate; needed with a --host that others can reach")
    parser.add_argument("--key", type=Path, metavar="PEM", help="the key of the certificate")
    instead = parser.add_mutually_exclusive_group()
    instead.add_argument("--add", metavar="NAME", help="open no page: let somebody come in, or give them a new token")
    instead.add_argument("--shut-out", metavar="NAME", help="open no page: take somebody's token; their labels stay")
    instead.add_argument("--assign", action="store_true", help="open no page: say who labels the recordings that nobody labels yet")
    instead.add_argument("--progress", action="store_true", help="open no page: tell who did how much, what is open, how far people agree")
    instead.add_argument("--export", action="store_true", help="open no page: write what is complete into the raw study, for the next run")
    instead.add_argument("--verify", action="store_true", help="open no page: prove the chain of the labels")
    parser.add_argument("--adjudicator", action="store_true", help="with --add: somebody who settles where others differ")
    parser.add_argument("--json", action="store_true", help="with --progress: as JSON")


def run(args: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C, or do what is wanted instead."""
    if args.add is not None or args.shut_out is not None:
        return _people(args)
    if args.verify:
        return _verify()
    if args.assign:
        return _assign()
    return _summary(args) if args.progress or args.export else _serve(args)


def _people(args: argparse.Namespace) -> int:
    from scrubin.curate.label import params, people

    if args.shut_out is not None:
        person = people.shut_out(args.shut_out)
        print_lines([f"number {person.number} cannot come in any more; what they labelled stays"])
        return 0
    params.load()  # a token with which nobody could come in is not printed
    person, token = people.add(args.add, "adjudicator" if args.adjudicator else "annotator")
    print_lines([f"{person.role} {person.number}; their token, which is shown only now:", f"  {token}"])
    return 0


def _assign() -> int:
    from scrubin.curate.label.workbench import Workbench

    drawn = Workbench.open().assign()
    several = sum(len(one) > 1 for one in drawn.values())
    print_lines([f"{len(drawn)} recordings assigned, {several} of them to several people"])
    return 0


def _summary(args: argparse.Namespace) -> int:
    """Tell how far the study is, or write what is finished."""
    # Statistics are slow to import, and the page needs none of them.
    from scrubin.curate.label import progress
    from scrubin.curate.label.workbench import Workbench

    bench = Workbench.open()
    if args.progress:
        document = progress.document(bench)
        print_lines([json.dumps(document, indent=1)] if args.json else progress.lines(document))
        return 0
    written, waiting = progress.export(bench)
    gone = f", {len(written.removed)} removed" if written.removed else ""
    print_lines([f"{len(written.changed)} files written, {written.same} the same as before{gone}; {len(waiting)} recordings wait"])
    print_lines(f"{id_}: {why}" for id_, why in waiting.items())
    return 0


def _verify() -> int:
    from scrubin.curate.label import events, rewriting
    from scrubin.curate.label.standing import Standing

    ledger = rewriting.ledger_of()
    every = ledger.lines()
    Standing().apply(every)
    torn = f", {ledger.torn_bytes} bytes of an unfinished line, which was confirmed to nobody" if ledger.torn_bytes else ""
    print_lines([f"{events.LEDGER_PATH}: {len(every)} lines, the chain is whole{torn}"])
    return 0


def _serve(args: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C.

    Raises
    ------
    ReviewError
        When there is nothing to label, nobody to label it, the port is taken, others could listen on the way, or the certificate is unfit.
    """
    from scrubin.curate.label.app import LabelApp, LabelSession
    from scrubin.curate.label.workbench import Workbench
    from scrubin.curate.page import server

    if (args.certificate is None) != (args.key is None):
        raise ArgumentsError("--certificate and --key belong together: name both files")
    if args.host not in LOOPBACK and args.certificate is None:
        msg = f"--host {args.host}: others could read tokens and videos on the way; give a TLS certificate by --certificate and --key"
        raise ArgumentsError(msg)
    certificate = None if args.certificate is None else server.Certificate(args.certificate, args.key)
    if certificate is not None:
        certificate.refuse_unfit()
    bench = Workbench.open()
    if not any(one in bench.standing().assigned for one in (of.name for of in bench.recordings.values())):
        raise ReviewError("nobody labels yet; add people by --add NAME, then say who labels what by --assign")
    with server.listening(args.host, args.port) as opened:
        host = None if args.host in LOOPBACK else args.host
        session = LabelSession(opened.getsockname()[1], host, is_encrypted=certificate is not None)
        app = LabelApp(bench, session)

        def ready() -> None:
            sys.stdout.write(f"The label page is open at\n  {session.address}\nCtrl-C ends it; what was labelled is kept.\n")
            sys.stdout.flush()

        try:
            server.serve(app.asgi(), opened, ready, certificate)
        finally:
            app.stills.close()
    return 0
