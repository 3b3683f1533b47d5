"""`scrubin score METRIC --ground-truth PATH --predictions PATH [--out FILE] [--html FILE] [--json]`."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrubin.base import files, machine, strangers
from scrubin.base.errors import ArgumentsError, MetricsError
from scrubin.base.faults import count_text, error
from scrubin.base.vocabulary import vocabulary
from scrubin.cli.arguments import add_image_size, add_instant, asked, rate_or_none, size_or_none, written
from scrubin.cli.evaluate.submission import chosen_videos, refuse_unknown
from scrubin.evaluate.metrics.variants import LEVEL, METRICS, ONE_VIDEO, Choice

if TYPE_CHECKING:
    from scrubin.evaluate.computation import Computed
    from scrubin.evaluate.metrics.bootstrap import Interval
    from scrubin.evaluate.score_document import ScoredResult
    from scrubin.evaluate.score_numbers import Said
    from scrubin.evaluate.tasks.scoring import Order


COMPARE = "compare"
DIFFERENCES = "differences"
ENSEMBLES = ("mean", "weighted", "soft-vote")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what is scored against what, and how."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.usage = f"scrubin score {{{','.join(METRICS)}}} --ground-truth PATH --predictions PATH [option ...]"
    parser.add_argument(
        "metric",
        nargs="?",
        action=_Chosen,
        choices=[*METRICS, COMPARE, DIFFERENCES],
        metavar="METRIC",
        help=f"what to compute, see below; {COMPARE}: two files of scores; {DIFFERENCES}: where published programs and papers differ",
    )
    parser.add_argument(
        "files",
        nargs="*",
        metavar="SCORES",
        help=f"for {COMPARE}: two files that --out wrote as JSON; for {DIFFERENCES}: of which metrics (default: all)",
    )
    parser.add_argument(
        "--metric", action=_Chosen, dest="named", choices=list(METRICS), metavar="METRIC", help="the same as the first word"
    )
    _add_sides(parser)
    _add_answers(parser)
    parser.epilog = _every_metric()


def _add_sides(parser: argparse.ArgumentParser) -> None:
    """Declare what is read."""
    parser.add_argument(
        "--ground-truth", metavar="PATH", help="file or folder of labels in any format, or of our ground truth, or a release of ours"
    )
    parser.add_argument(
        "--predictions",
        nargs="+",
        action="extend",
        metavar="PATH",
        help="file or folder: labels in any format, CholecTriplet2022 submissions, matrices (npz, npy, CSV, parquet: frames by classes), "
        "lists of ivtmetrics, COCO results, tables of phases or criteria, sheets; several are repeated runs (mean and SD) or an ensemble",
    )
    parser.add_argument(
        "--videos",
        metavar="FILE",
        help="only these videos: a name per line, or a split with the columns id and subset; or names, as NAME,NAME (default: all)",
    )
    parser.add_argument("--subset", metavar="NAME", help="subset of that split, such as test, or 0/test where it has folds")
    parser.add_argument("--from", dest="truth_format", metavar="FORMAT", help="format of the ground truth (default: by what it looks like)")
    parser.add_argument("--predictions-from", metavar="FORMAT", help="format of the predictions (default: by what they look like)")
    parser.add_argument(
        "--vocabulary", metavar="NAME", help="names and ids of classes (default: those of the format, the files or the folder)"
    )
    parser.add_argument("--fps", metavar="N", help="frames per second by which the ground truth counts, where no file says it")
    parser.add_argument("--predictions-fps", metavar="N", help="the same of the predictions (default: they count as the ground truth)")
    add_image_size(parser, "where boxes of a file are in px and no file says it (default for predictions: that of the ground truth)")
    add_instant(parser, "either side")


def _add_answers(parser: argparse.ArgumentParser) -> None:
    """Declare what is computed, and how it is shown."""
    parser.add_argument(
        "--semantics", choices=["paper", "compat"], default="paper", help="definition, or published program (default: paper)"
    )
    parser.add_argument("--variant", nargs="+", action="extend", default=[], metavar="NAME=VALUE", help="which variant, see below")
    parser.add_argument(
        "--bootstrap", type=int, default=0, metavar="N", help=f"{100 * LEVEL:g}%% intervals from N draws of videos (default: none)"
    )
    parser.add_argument("--ensemble", choices=ENSEMBLES, help="combine the predictions of several models (recognition)")
    parser.add_argument("--weights", nargs="+", type=float, default=[], metavar="W", help="of the models, for --ensemble weighted")
    parser.add_argument("--out", type=written, metavar="FILE", help="write all numbers, per class and video, as JSON or (FILE.csv) CSV")
    parser.add_argument(
        "--html", type=written, metavar="FILE", help="write one page with curves, confusions, the worst videos and frames; needs jinja2"
    )
    parser.add_argument("--json", action="store_true", help="print what --out writes as JSON, instead of the table")


class _Chosen(argparse.Action):
    """The metric; a help text that is asked for behind it is of this metric only."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None) -> None:
        """Take the name."""
        setattr(namespace, self.dest, values)
        if values not in METRICS:
            return
        parser.usage = f"scrubin score {values} --ground-truth PATH --predictions PATH [option ...]"
        parser.description = f"{values.capitalize()}: {METRICS[values].does}."
        parser.epilog = _choices(values)


def run(args: argparse.Namespace) -> int:
    """Read, join, compute, write and print; nothing is written when anything is wrong."""
    from scrubin.evaluate import score_document
    from scrubin.evaluate.released_truth import line_of
    from scrubin.evaluate.tasks.scoring import scoring
    from scrubin.labels.formats.ground_truth import inside_release

    name = args.metric or args.named
    if name == COMPARE:
        return _compare(args.files, as_json=args.json)
    if name == DIFFERENCES:
        return _differences(args.files, as_json=args.json)
    order = _order(name, args)
    out, page = _outputs(args)
    if page is not None:
        machine.require_package("jinja2", "--html")
    paths = [source.path for source in order.predictions]
    of_order = scoring(name, order)
    refuse_unknown(args, {video for one in of_order.parts for video in one.names})
    if args.bootstrap and any(len(one.names) == 1 for one in of_order.parts):
        of_order = replace(of_order, notes=[*of_order.notes, ONE_VIDEO])
    of_release = [] if of_order.release is None else [f"ground truth: {line_of(of_order.release.as_json())}"]
    for note in (*of_order.read, *of_release, *score_document.notes_of(of_order)):
        sys.stderr.write(f"scrubin score: {note}\n")
    parts = [(one, list(_scored(one, args.bootstrap))) for one in of_order.parts]
    scored = [result for _, results in parts for result in results]
    document: dict[str, Any] = {}
    if args.out or args.html or args.json:
        document = score_document.document(name, inside_release(order.truth.path), paths, of_order, scored)
    if out is not None:
        _write(out, score_document.sheet(scored, of_order.release) if out.suffix.lower() == ".csv" else score_document.text_of(document))
    aids = list(score_document.reading_aids(one.result for one in scored))
    if page is not None:
        _write_page(page, document, parts, _said(name, order, of_order.read, aids))
    for sentence in aids:
        sys.stderr.write(f"scrubin score: {sentence}\n")
    if args.json:
        sys.stdout.write(score_document.text_of(document))
        return 0
    # The file first: whoever reads the lines may stop after the first ones.
    for line in (*score_document.table(scored), *score_document.best_classes(scored)):
        sys.stdout.write(f"{line}\n")
    return 0


def _order(name: str | None, args: argparse.Namespace) -> Order:
    from scrubin.evaluate.computation import chosen
    from scrubin.evaluate.side import Source
    from scrubin.evaluate.tasks.scoring import Order
    from scrubin.labels.registry import format_of

    if name is None or (args.named and args.metric and args.named != args.metric) or args.files:
        fault = f"'{' '.join(args.files)}' is too much" if args.files else "one metric is needed"
        raise ArgumentsError(f"{fault}: scrubin score {'|'.join(METRICS)} --ground-truth PATH --predictions PATH")
    if not args.ground_truth or not args.predictions:
        raise ArgumentsError(f"score {name} needs --ground-truth PATH and --predictions PATH")
    if args.subset and not args.videos:
        raise ArgumentsError(f"--subset {args.subset}: of which split? name its file by --videos")
    if args.weights and args.ensemble != "weighted":
        raise ArgumentsError("--weights belong to --ensemble weighted")
    if args.ensemble == "weighted" and len(args.weights) != len(args.predictions):
        models = count_text(len(args.predictions), "model")
        given = count_text(len(args.weights), "weight")
        msg = f"--ensemble weighted has {models} and {given}: give one per model by --weights, such as the mAP of each"
        raise ArgumentsError(msg)
    if args.bootstrap < 0:
        raise ArgumentsError(f"--bootstrap {args.bootstrap}: give the number of draws, such as 1000")
    with asked():
        classes = vocabulary.load(args.vocabulary) if args.vocabulary else None
        form, of_truth = (None if one is None else format_of(one) for one in (args.predictions_from, args.truth_format))
        chosen(METRICS[name].choices[args.semantics], args.variant, f"{name}, {args.semantics}")
    size = size_or_none(args.image_size)
    truth = Source(Path(args.ground_truth), of_truth, classes, rate_or_none("--fps", args.fps), args.instant, size)
    fps = rate_or_none("--predictions-fps", args.predictions_fps)
    # A film of 29.97 frames per second has none at most whole seconds, at which spans are taken else.
    of_spans = [None if rate is None or rate.denominator == 1 else rate for rate in (fps, truth.fps)]
    truth = replace(truth, spans_fps=of_spans[0])
    predictions = [Source(Path(path), form, classes, fps, args.instant, size, spans_fps=of_spans[1]) for path in args.predictions]
    for source in (truth, *predictions):
        if not source.path.exists():
            raise MetricsError([error(str(source.path), "file-missing", "there is no such file or folder", "name the files of both sides")])
    videos = chosen_videos(args)
    return Order(truth, predictions, args.semantics, args.variant, videos, args.ensemble, args.weights)


def _write_page(path: Path, document: dict[str, Any], parts: Sequence[tuple[Computed, Sequence[ScoredResult]]], said: Said) -> None:
    # The page needs a template engine, which scoring does not.
    from scrubin.evaluate.score_page import page

    _write(path, page(document, parts, said))


def _write(path: Path, text: str) -> None:
    try:
        files.write_text(path, text)
    except OSError as error:
        raise MetricsError(f"{path}: cannot be written: {error.strerror}; correct that or name another file") from error


def _said(name: str, order: Order, read: Sequence[str], aids: Sequence[str]) -> Said:
    """Return what the page says of the order; files are named without their folders."""
    from scrubin.evaluate.computation import chosen
    from scrubin.evaluate.score_numbers import Said

    choice = chosen(METRICS[name].choices[order.semantics], order.variant, name)
    lines = list(read)
    for path in sorted((source.path for source in (order.truth, *order.predictions)), key=lambda path: -len(str(path))):
        lines = [line.replace(f"{path}:", f"{strangers.real(path).name}:", 1) for line in lines]
    return Said(order.semantics, choice, lines, 1 if order.ensemble else len(order.predictions), aids)


def _outputs(args: argparse.Namespace) -> tuple[Path | None, Path | None]:
    """Return the file of numbers and that of the page; None where none is wanted."""
    read = [Path(args.ground_truth), *map(Path, args.predictions), *([Path(args.videos)] if args.videos else [])]
    return _output("--out", args.out, (".json", ".csv"), read), _output("--html", args.html, (".html", ".htm"), read)


def _output(option: str, name: str | None, suffixes: Sequence[str], read: Sequence[Path]) -> Path | None:
    if not name:
        return None
    out = Path(name)
    if out.suffix.lower() not in suffixes or out.is_dir():
        raise ArgumentsError(f"{option} {out}: name a file that ends in {' or '.join(suffixes)}")
    if any(strangers.real(out) == strangers.real(path) or strangers.real(path) in strangers.real(out).parents for path in read):
        raise MetricsError(f"{option} {out}: this is where input is read from; write elsewhere")
    return out


def _scored(one: Computed, resamples: int) -> Iterator[ScoredResult]:
    from scrubin.evaluate.score_document import ScoredResult

    results = one.results(None)
    bounds: Sequence[Interval | None] = _intervals(one, resamples) if resamples else [None] * len(results)
    names = one.class_names
    for result, interval in zip(results, bounds, strict=True):
        yield ScoredResult(result, interval, names.get(result.variant.options.get("component", ""), {}))


def _intervals(one: Computed, resamples: int) -> list[Interval]:
    from scrubin.evaluate.computation import intervals

    try:
        from tqdm import tqdm
    except ModuleNotFoundError:  # the base install shows no bar
        return intervals(one, resamples, lambda: None)
    # The whole set is computed before the draws.
    with tqdm(total=resamples + 1, desc="draws", file=sys.stderr, disable=not sys.stderr.isatty()) as progress:
        return intervals(one, resamples, progress.update)


def _compare(paths: Sequence[str], *, as_json: bool) -> int:
    from scrubin.evaluate import score_document

    if len(paths) != 2:
        raise ArgumentsError("give two files of scores: scrubin score compare ONE.json OTHER.json")
    one, other = Path(paths[0]), Path(paths[1])
    rows, apart = score_document.compared(one, other)
    for note in apart:
        sys.stderr.write(f"scrubin score: {note}\n")
    if as_json:
        keys = ("variant", "one", "other", "difference")
        compared = [dict(zip(keys, (name, *map(score_document.json_number, of)), strict=True)) for name, *of in rows]
        sys.stdout.write(score_document.text_of({"one": one.name, "other": other.name, "results": compared, "apart": apart}))
        return 0
    for name, left, right, change in rows:
        shown = ["undefined" if math.isnan(value) else f"{value:.4f}" for value in (left, right)]
        sys.stdout.write(f"{shown[0]:>10} {shown[1]:>10} {'' if math.isnan(change) else f'{change:+.4f}':>9}  {name}\n")
    return 0


def _differences(metrics: Sequence[str], *, as_json: bool) -> int:
    """Print every known difference between a published program and the definition of its metric, of all metrics or those that are named."""
    from scrubin.evaluate import score_document
    from scrubin.evaluate.tasks.scoring import QUIRKS

    unknown = [name for name in metrics if name not in QUIRKS]
    if unknown:
        raise ArgumentsError(f"score {DIFFERENCES}: '{unknown[0]}' is no metric; known are {', '.join(QUIRKS)}")
    of = {metric: known for metric, known in QUIRKS.items() if metric in metrics or not metrics}
    if as_json:
        every = [{"metric": metric, **asdict(one)} for metric, known in of.items() for one in known]
        sys.stdout.write(score_document.text_of({"differences": every}))
        return 0
    for metric, known in of.items():
        if not known:
            sys.stdout.write(f"{metric}: no difference is known\n")
        for one in known:
            by_side = {"published": one.published, "paper": one.paper, "compat": one.compat}
            lines = [f"{metric}: {one.name} ({one.origin})", *(f"  {source + ':':<10} {what}" for source, what in by_side.items())]
            sys.stdout.write("\n".join(lines) + "\n")
    return 0


def _every_metric() -> str:
    width = max(map(len, METRICS))
    lines = [f"  {name:<{width}}  {metric.does}" for name, metric in METRICS.items()]
    return "metrics:\n" + "\n".join(lines) + "\n\nthe variants of one, for --variant: scrubin score METRIC --help"


def _choices(name: str) -> str:
    lines = ["variants, the default marked by *:"]
    for semantics, choices in METRICS[name].choices.items():
        lines += [f"  {semantics:<6} {key}={_values(choice)}  {choice.meaning}" for key, choice in choices.items()]
    return "\n".join(lines) if len(lines) > 1 else "it has no variants"


def _values(choice: Choice) -> str:
    return "|".join(f"{value}*" if value == choice.default else value for value in choice.values) or f"{choice.default}*"
