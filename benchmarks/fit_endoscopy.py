"""Fits the network that tells endoscopy from anything else, and writes it with whole numbers as `endoscopy.onnx`.

From the repository root, in an environment that also holds `torch` (2.13 was used) and `onnx`:

    python benchmarks/fit_endoscopy.py PICTURES OUT.onnx --epochs 45
    python benchmarks/fit_endoscopy.py PICTURES OUT.onnx --epochs 25 --hold-back 3
    python benchmarks/fit_endoscopy.py PICTURES OUT.onnx --epochs 45 --free-only

PICTURES holds a folder for each source, `inside/SOURCE/*.png` and `outside/SOURCE/*.png`. The
sources are named in `pipelines/scrubin/media/networks/endoscopy.json`; pictures whose brightest point is
below 40, and 21 of a view through a trocar or of nothing but blur, were left out. `--hold-back`
leaves the sources of one fold out, `--free-only` those whose stated licence does not allow every
use; how many pictures of what was left out are judged wrongly is printed: none of a source that is
reported was fitted on.

What a picture may look like is varied, so that neither the border of an endoscope's picture nor a
colour alone decides: cut, turned, tinted, lit warmly, hazed, blurred, seen through a round
opening, with a panel or a menu, whatever it shows.
"""

from __future__ import annotations

import argparse
import json
from importlib import resources
from pathlib import Path

import cv2
import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

HEIGHT, WIDTH = 48, 64
KEPT_PX = (128, 96)
CHANNELS = (16, 24, 32, 48)
LEVELS = 256
EXACT = 2**24 - 2**12
UNIT = 16
BATCH, STEPS = 64, 100
FREE_LICENCES = frozenset({"Apache-2.0", "MIT", "BSD", "BSD-3-Clause", "BSL-1.0", "CC BY 4.0"})
"""Those as `endoscopy.json` states them that allow every use; what says more than this, such as another one for the data, does not."""


class Net(nn.Module):
    """Seven convolutions of 3 x 3, each followed by a cut at 0 and 1, the mean, and one sum."""

    def __init__(self) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        width = 3
        for place, channels in enumerate(CHANNELS):
            for stride in (2,) if place == 0 else (2, 1):
                layers += [nn.Conv2d(width, channels, 3, stride, 1, bias=False), nn.BatchNorm2d(channels), nn.Hardtanh(0, 1)]
                width = channels
        self.body = nn.Sequential(*layers)
        self.head = nn.Linear(width, 1)

    def forward(self, planes: torch.Tensor) -> torch.Tensor:
        """Return the log odds of "outside", shape (n,), for planes of shape (n, 3, 48, 64), 0 to 1."""
        return self.head(self.body(planes).mean((2, 3)))[:, 0]


def load(folder: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return pictures of shape (n, 96, 128, 3), whether each is outside, and its source."""
    pictures, outside, sources = [], [], []
    for side in ("inside", "outside"):
        for source in sorted((folder / side).iterdir()):
            for path in sorted(source.iterdir()):
                picture = cv2.imread(str(path))
                if picture is not None and picture.max() >= 40:
                    pictures.append(cv2.resize(picture, KEPT_PX, interpolation=cv2.INTER_AREA))
                    outside.append(side == "outside")
                    sources.append(source.name)
    return np.stack(pictures), np.array(outside), np.array(sources)


def planes_of(bgr: np.ndarray) -> np.ndarray:
    """Return luma, blue and red difference (ITU-R BT.601, full range), 0 to 1, of a picture 0 to 1."""
    blue, green, red = bgr[..., 0], bgr[..., 1], bgr[..., 2]
    luma = 0.299 * red + 0.587 * green + 0.114 * blue
    return np.stack([luma, np.clip((blue - luma) * 0.564 + 0.5, 0, 1), np.clip((red - luma) * 0.713 + 0.5, 0, 1)]).astype(np.float32)


def small(picture: np.ndarray) -> np.ndarray:
    """Return a picture in the size that the network sees, 0 to 1."""
    return cv2.resize(np.ascontiguousarray(picture), (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA).astype(np.float32) / 255


def varied(picture: np.ndarray, outside: bool, rng: np.random.Generator) -> np.ndarray:
    """Return a picture as it might also have looked."""
    view = colours(small(turned(picture, rng)), outside, rng)
    if rng.random() < 0.2:
        view = cv2.GaussianBlur(view, (0, 0), rng.uniform(0.4, 2.0))
    view = view + rng.normal(0, rng.uniform(0, 0.035), view.shape)
    return np.clip(covered(view, rng), 0, 1)


def turned(picture: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return a part of a picture, mirrored or turned."""
    height, width = picture.shape[:2]
    if rng.random() < 0.8:
        share = rng.uniform(0.55, 1.0)
        high, wide = int(height * share), int(width * min(1, share * rng.uniform(0.85, 1.18)))
        top, left = rng.integers(0, height - high + 1), rng.integers(0, width - wide + 1)
        picture = picture[top : top + high, left : left + wide]
    picture = picture[:, ::-1] if rng.random() < 0.5 else picture
    picture = picture[::-1] if rng.random() < 0.25 else picture
    return np.rot90(picture) if rng.random() < 0.15 else picture


def colours(view: np.ndarray, outside: bool, rng: np.random.Generator) -> np.ndarray:
    """Return a view in another light; what is outside also in a warm one, what is inside also in blood."""
    view = view * np.exp(rng.normal(0, 0.12, 3))
    if outside and rng.random() < 0.3:
        view = view * np.array([rng.uniform(0.35, 0.9), rng.uniform(0.45, 0.9), rng.uniform(0.9, 1.4)])
    if rng.random() < 0.5:
        grey = view.mean(2, keepdims=True)
        view = grey + (view - grey) * rng.uniform(0.4 if outside else 0.6, 1.5)
    if outside and rng.random() < 0.15:
        view = view[:, :, rng.permutation(3)]
    view = np.clip(view, 0, 1) ** rng.uniform(0.6, 1.7) * rng.uniform(0.5, 1.25)
    if rng.random() < 0.12:
        haze = rng.uniform(0.1, 0.6)
        view = view * (1 - haze) + haze * rng.uniform(0.5, 0.95)
    if not outside and rng.random() < 0.06:
        view = view * np.array([rng.uniform(0.2, 0.6), rng.uniform(0.2, 0.6), 1])
    return view.astype(np.float32)


def covered(view: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return a view through a round or square opening, beside a panel, or under a menu."""
    if rng.random() < 0.35:
        rows, columns = np.mgrid[0:HEIGHT, 0:WIDTH]
        across, down = columns - 32 - rng.normal(0, 3), rows - 24 - rng.normal(0, 2)
        radius, shape = rng.uniform(20, 36), rng.uniform(0.9, 1.35)
        seen = (across / shape) ** 2 + down**2 < radius**2
        if rng.random() < 0.2:
            seen = (abs(across) < radius * shape * 0.9) & (abs(down) < radius * 0.9)
        view = view * seen[..., None] + ~seen[..., None] * rng.uniform(0, 0.05)
    if rng.random() < 0.15:
        wide = rng.integers(4, 16)
        view[:, slice(None, wide) if rng.random() < 0.5 else slice(-wide, None)] = rng.uniform(0, 0.15)
    if rng.random() < 0.08:
        high, wide = rng.integers(3, 12), rng.integers(6, 24)
        top, left = rng.integers(0, HEIGHT - high), rng.integers(0, WIDTH - wide)
        view[top : top + high, left : left + wide] = rng.uniform(0, 1, 3)
    return view


def fit(pictures: np.ndarray, outside: np.ndarray, sources: np.ndarray, epochs: int) -> Net:
    """Return the fitted network; both sides count alike, and a source by the power of 0.4 of its pictures."""
    rng = np.random.default_rng(7)
    torch.manual_seed(0)
    torch.set_num_threads(1)
    weight = np.array([np.count_nonzero(sources == source) ** -0.6 for source in sources])
    # The only pictures of what an endoscope sees outside the body in real operations.
    weight *= np.where(outside & (sources == "youtube"), 3, 1)
    for side in (False, True):
        weight[outside == side] *= 0.5 / weight[outside == side].sum()
    net = Net()
    optimizer = torch.optim.AdamW(net.parameters(), 3e-3, weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 6e-3, total_steps=epochs * STEPS)
    for _ in range(epochs * STEPS):
        batch = rng.choice(len(outside), BATCH, p=weight)
        planes = np.stack([planes_of(varied(pictures[one], bool(outside[one]), rng)) for one in batch]).astype(np.float32)
        target = torch.tensor(outside[batch], dtype=torch.float32) * 0.98 + 0.01
        loss = nn.functional.binary_cross_entropy_with_logits(net(torch.tensor(planes)), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return net.eval()


def whole(weights: np.ndarray, biases: np.ndarray, highest: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return weights and biases as whole numbers, and the power of two that each channel was multiplied by.

    As large as they may be while no sum of products can reach 2 to the power of 24.
    """
    flat = np.abs(weights).reshape(len(weights), -1).sum(1) * highest + np.abs(biases)
    powers = np.minimum(np.floor(np.log2(EXACT / flat)), 12)
    scale = 2.0**powers
    shape = (-1, *[1] * (weights.ndim - 1))
    return np.rint(weights * scale.reshape(shape)), np.rint(biases * scale), 1 / scale


def export(net: Net, path: Path) -> None:
    """Write the network; normalisation is folded into the weights, activations are 0 to 256."""
    nodes, tensors = [], [numpy_helper.from_array(np.float32(0), "low"), numpy_helper.from_array(np.float32(LEVELS), "high")]
    before, highest = "planes", 255.0
    layers = list(net.body)
    for place in range(0, len(layers), 3):
        conv, norm = layers[place], layers[place + 1]
        gain = (norm.weight / torch.sqrt(norm.running_var + norm.eps)).detach().numpy().astype(np.float64)
        weights = conv.weight.detach().numpy().astype(np.float64) * gain[:, None, None, None] * LEVELS / highest
        biases = (norm.bias.detach().numpy() - norm.running_mean.numpy() * gain) * LEVELS + 0.5
        w, b, s = whole(weights, biases, max(highest, LEVELS))
        for name, values in (("w", w), ("b", b), ("s", s.reshape(1, -1, 1, 1))):
            tensors.append(numpy_helper.from_array(values.astype(np.float32), f"{name}{place}"))
        shape = {"kernel_shape": [3, 3], "strides": list(conv.stride), "pads": [1, 1, 1, 1]}
        nodes += [
            helper.make_node("Conv", [before, f"w{place}", f"b{place}"], [f"c{place}"], **shape),
            helper.make_node("Mul", [f"c{place}", f"s{place}"], [f"m{place}"]),
            helper.make_node("Floor", [f"m{place}"], [f"f{place}"]),
            helper.make_node("Clip", [f"f{place}", "low", "high"], [f"a{place}"]),
        ]
        before, highest = f"a{place}", float(LEVELS)
    places = HEIGHT * WIDTH // 4**4
    weights = net.head.weight.detach().numpy().astype(np.float64) * UNIT / (places * LEVELS)
    biases = net.head.bias.detach().numpy().astype(np.float64) * UNIT + 0.5
    head = dict(zip(("w", "b", "s"), whole(weights, biases, places * LEVELS), strict=True))
    tensors += [
        numpy_helper.from_array(head[name].reshape(shape).astype(np.float32), name) for name, shape in (("w", (-1, 1)), ("b", 1), ("s", 1))
    ]
    tensors.append(numpy_helper.from_array(np.array([2, 3], np.int64), "axes"))
    nodes += [
        helper.make_node("ReduceSum", [before, "axes"], ["sums"], keepdims=0),
        helper.make_node("MatMul", ["sums", "w"], ["products"]),
        helper.make_node("Add", ["products", "b"], ["odds"]),
        helper.make_node("Mul", ["odds", "s"], ["scaled"]),
        helper.make_node("Floor", ["scaled"], ["sixteenths"]),
    ]
    ends = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
        for name, shape in (("planes", ["n", 3, HEIGHT, WIDTH]), ("sixteenths", ["n", 1]))
    ]
    graph = helper.make_graph(nodes, "endoscopy", ends[:1], ends[1:], tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], producer_name="scrubin", ir_version=9)
    onnx.checker.check_model(model)
    onnx.save(model, str(path))


def main() -> None:
    """Fit, report on what was held back, and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pictures", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--epochs", type=int, default=45)
    parser.add_argument("--hold-back", type=int, help="number of a fold, 0 to 4")
    parser.add_argument("--free-only", action="store_true", help="fit on sources of free licences alone")
    args = parser.parse_args()
    document = json.loads(resources.files("scrubin.media.networks").joinpath("endoscopy.json").read_text(encoding="utf-8"))
    fold = {source["source"]: source["fold"] for source in document["sources"]}
    pictures, outside, sources = load(args.pictures)
    held = np.array([fold.get(source) == args.hold_back for source in sources]) & (args.hold_back is not None)
    if args.free_only:
        free = {source["source"] for source in document["sources"] if source["licence_as_stated"] in FREE_LICENCES}
        held |= ~np.isin(sources, sorted(free))
    net = fit(pictures[~held], outside[~held], sources[~held], args.epochs)
    export(net, args.out)
    for source in sorted(set(sources[held])):
        for side in (False, True):
            mine = held & (sources == source) & (outside == side)
            if mine.any():
                with torch.no_grad():
                    odds = net(torch.tensor(np.stack([planes_of(small(picture)) for picture in pictures[mine]]))).numpy()
                wrong = np.count_nonzero((odds > 0) != side)
                print(
                    f"{source:24s} {'outside' if side else 'inside':8s} {np.count_nonzero(mine):5d} pictures, {wrong:4d} wrong", flush=True
                )


if __name__ == "__main__":
    main()
