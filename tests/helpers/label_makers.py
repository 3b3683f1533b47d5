"""Random files as the data sets describe theirs, made without any writer of ours, and what they must be read as.

``made(rng)`` gives files by name and what to expect: by recording, ``instances`` as sorted rows
(frame, instrument, verb, target, triplet, box) and ``phases`` by frame. Legal oddities are drawn at random.
"""

import json
import random

from scrubin.base.vocabulary import vocabulary

T50 = vocabulary.load("cholect50")
T89 = vocabulary.load("prostatd")
NULL_BOX = [-1.0] * 4


def spelled(rng, document):
    """Return JSON as different programs spell it."""
    text = json.dumps(document, **rng.choice([{}, {"indent": 1}, {"separators": (",", ":")}, {"ensure_ascii": False}]))
    return (rng.choice([b"", b"", b"\xef\xbb\xbf"])) + (text + rng.choice(["", "\n", "\r\n"])).encode()


def lines(rng, rows):
    """Return lines with one kind of line end, and one at the end or none."""
    end = rng.choice(["\n", "\r\n"])
    return (end.join(rows) + rng.choice(["", end])).encode()


def shuffled(rng, mapping):
    keys = list(mapping)
    rng.shuffle(keys)
    return {key: mapping[key] for key in keys}


def box(rng, digits=6):
    x, y = (round(rng.uniform(0, 0.7), digits) for _ in range(2))
    return [x, y, round(rng.uniform(0.01, 1 - x - 0.01), digits), round(rng.uniform(0.01, 1 - y - 0.01), digits)]


def frames(rng, n=40):
    """Return label numbers: contiguous from 0, or sparse."""
    return list(range(rng.randint(1, n))) if rng.random() < 0.5 else sorted(rng.sample(range(3000), rng.randint(1, n)))


def recordings(rng, names):
    return rng.sample(names, rng.randint(1, 5))


def cholect50(rng):
    files, expected = {}, {}
    for name in recordings(rng, [f"VID{i:02d}" for i in range(1, 112)]):
        annotations, instances, phases = {}, [], {}
        for frame in frames(rng):
            phase = rng.choice([-1, *range(7)])
            vectors = []
            for _ in range(rng.choice([0, 1, 1, 2, 3])):
                triplet = rng.randrange(100)
                parts, where = T50.triplets[triplet], box(rng) if rng.random() < 0.8 else None
                target = [1.0, *NULL_BOX]
                vectors.append([triplet, parts[0], 1.0, *(where or NULL_BOX), parts[1], parts[2], *target, phase])
                instances.append((frame, *parts, triplet, where))
            if not vectors and rng.random() < 0.5:
                vectors = [[-1, -1, -1.0, *NULL_BOX, -1, -1, -1.0, *NULL_BOX, phase]]
            annotations[str(frame)] = vectors
            if vectors and phase != -1:
                phases[frame] = phase
        document = {"annotations": annotations, "video": int(name[3:]), "fps": 1, "num_frames": len(annotations)}
        if rng.random() < 0.5:
            typo = ["preparation", "carlot-triangle-dissection", *T50.phases[2:]]
            lists = {"instrument": T50.instruments, "verb": T50.verbs, "target": T50.targets, "phase": typo}
            categories = {kind: {str(i): one for i, one in enumerate(names)} for kind, names in lists.items()}
            document |= {"categories": categories, "info": {"année": 2022}, "licenses": [], "x": None}
        for key in rng.sample(["video", "fps", "num_frames"], rng.randint(0, 3)):
            del document[key]
        files[f"labels/{name}.json"] = spelled(rng, shuffled(rng, document))
        expected[name] = {"instances": sorted(instances, key=str), "frames": sorted(map(int, annotations)), "phases": phases}
    return files, expected


def cholect45(rng):
    files, expected = {}, {}
    for name in recordings(rng, [f"VID{i:02d}" for i in range(1, 80)]):
        rows = {frame: sorted(rng.sample(range(100), rng.choice([0, 0, 1, 2, 3]))) for frame in range(rng.randint(1, 60))}
        kinds = {"triplet": (100, lambda t: t), "instrument": (6, lambda t: T50.triplets[t][0])}
        kinds |= {"verb": (10, lambda t: T50.triplets[t][1]), "target": (15, lambda t: T50.triplets[t][2])}
        for kind, (size, part) in kinds.items():
            cells = [[str(frame), *(str(int(i in map(part, of))) for i in range(size))] for frame, of in rows.items()]
            files[f"T45/{kind}/{name}.txt"] = lines(rng, [rng.choice([",", ", "]).join(row) for row in cells])
        instances = [(frame, *T50.triplets[t], t, None) for frame, of in rows.items() for t in of]
        expected[name] = {"instances": sorted(instances, key=str), "frames": sorted(rows), "phases": {}}
    return files, expected


PHASES80 = ("Preparation", "CalotTriangleDissection", "ClippingCutting", "GallbladderDissection")
PHASES80 += ("GallbladderPackaging", "CleaningCoagulation", "GallbladderRetraction")
TOOLS80 = ("Grasper", "Bipolar", "Hook", "Scissors", "Clipper", "Irrigator", "SpecimenBag")


def cholec80(rng):
    files, expected = {}, {}
    for name in recordings(rng, [f"video{i:02d}" for i in range(1, 81)]):
        n = rng.randint(1, 300)
        phases = {frame: min(6, 7 * frame // n) for frame in range(n)}
        files[f"phase_annotations/{name}-phase.txt"] = lines(rng, ["Frame\tPhase", *(f"{i}\t{PHASES80[p]}" for i, p in phases.items())])
        present = {frame: [int(rng.random() < 0.3) for _ in TOOLS80] for frame in range(0, n, 25)}
        rows = ["\t".join(map(str, (frame, *of))) for frame, of in present.items()]
        files[f"tool_annotations/{name}-tool.txt"] = lines(rng, ["\t".join(("Frame", *TOOLS80)), *rows])
        instances = [(frame, i, None, None, None, None) for frame, of in present.items() for i, one in enumerate(of) if one]
        expected[name] = {"instances": sorted(instances, key=str), "frames": sorted(present), "phases": phases}
    return files, expected


def labelme(rng):
    files, expected = {}, {}
    short = {"seminal vesicle": "vesicle", "fascias": "fascia"}
    for name in recordings(rng, [f"PWH_v{i}" for i in range(9)]):
        width, height = rng.choice([(1280, 720), (854, 480), (1, 1)])
        instances, numbered = [], frames(rng, 12)
        slash = rng.choice("/_")
        for frame in numbered:
            shapes = []
            for _ in range(rng.choice([0, 1, 2])):
                triplet = rng.randrange(89)
                i, v, t = T89.triplets[triplet]
                x, y, w, h = box(rng)
                corners = [[x * width, y * height], [(x + w) * width, (y + h) * height]]
                if rng.random() < 0.3:
                    corners = [[corners[1][0], corners[0][1]], [corners[0][0], corners[1][1]]]
                label = rng.choice([str.upper, str.title, str])(T89.instruments[i])
                target = T89.targets[t]
                attributes = {"Action": T89.verbs[v], "Target": short.get(target, target) if rng.random() < 0.3 else target}
                shape = {
                    "label": label,
                    "points": corners,
                    "shape_type": "rectangle",
                    "attributes": attributes,
                    "group_id": None,
                    "flags": {},
                }
                if rng.random() < 0.3:
                    del shape["shape_type"]
                shapes.append(shuffled(rng, shape))
                instances.append((frame, i, v, t, triplet, [x, y, w, h]))
            document = {"version": "5.4.1", "flags": {}, "shapes": shapes, "imagePath": f"{frame}.jpg", "imageData": None}
            files[f"ann/{name}{slash}{frame:06d}.json"] = spelled(rng, {**document, "imageWidth": width, "imageHeight": height})
        expected[name] = {"instances": sorted(instances, key=str), "frames": numbered, "phases": {}}
    return files, expected


def yolo(rng, four=False):
    files, expected = {}, {}
    for name in recordings(rng, [f"pwhv{i}" for i in range(9)]):
        instances, numbered = [], frames(rng, 12)
        for frame in numbered:
            rows = []
            for _ in range(rng.choice([0, 1, 2])):
                triplet = rng.randrange(89)
                x, y, w, h = box(rng, 4)
                ids = [triplet, *T89.triplets[triplet]] if four else [triplet]
                rows.append(rng.choice([" ", "  ", "\t"]).join([*map(str, ids), *(f"{v:.6f}" for v in (x + w / 2, y + h / 2, w, h))]))
                instances.append((frame, *T89.triplets[triplet], triplet, [x, y, w, h]))
            files[f"labels/train/{name}_{frame:06d}.txt"] = lines(rng, rows)
        expected[name] = {"instances": sorted(instances, key=str), "frames": numbered, "phases": {}}
    if rng.random() < 0.5:
        names = [T89.triplet_name(i) for i in range(89)]
        how = rng.choice(["list", "ids", "classes"])
        text = "names:\n" + "".join(f"  {i}: '{one}'\n" if how == "ids" else f"- {one}\n" for i, one in enumerate(names))
        files |= {"labels/classes.txt": "\n".join(names).encode()} if how == "classes" else {"data.yaml": f"nc: 89\n{text}".encode()}
    return files, expected


def coco(rng):
    images, annotations, expected = [], [], {}
    for name in recordings(rng, [f"pwhv{i}" for i in range(9)]):
        width, height, instances, numbered = 1280, 720, [], frames(rng, 12)
        for frame in numbered:
            images.append(
                {"id": len(images) * 3 + 7, "file_name": f"{name}_{frame:06d}.jpg", "width": width, "height": height, "license": 0}
            )
            for _ in range(rng.choice([0, 1, 2])):
                triplet = rng.randrange(89)
                x, y, w, h = box(rng)
                bbox = [x * width, y * height, w * width, h * height]
                one = {"id": len(annotations) + 1, "image_id": images[-1]["id"], "category_id": triplet + 1, "bbox": bbox, "iscrowd": 0}
                annotations.append(shuffled(rng, {**one, "area": bbox[2] * bbox[3], "segmentation": []}))
                instances.append((frame, *T89.triplets[triplet], triplet, [x, y, w, h]))
        expected[name] = {"instances": sorted(instances, key=str), "frames": numbered, "phases": {}}
    categories = [{"id": i + 1, "name": T89.triplet_name(i).replace(" ", rng.choice([" ", "_"]))} for i in range(89)]
    for part in (images, annotations, categories):
        rng.shuffle(part)
    document = {"info": {}, "licenses": [], "images": images, "annotations": annotations, "categories": categories}
    return {"instances_train.json": spelled(rng, shuffled(rng, document))}, expected


def multibypasst40(rng):
    files, expected = {}, {}
    sizes = {"phase": 12, "instrument": 12, "verb": 13, "target": 15}
    names = {kind: [f"{kind} {i}" for i in range(n)] for kind, n in sizes.items()}
    every = [(i, v, t) for i in range(12) for v in range(13) for t in range(15)]
    for name in recordings(rng, [f"C{i}V{j}" for i in (1, 2) for j in range(1, 9)]):
        triplets = random.Random(0).sample(every, 85)
        named = [",".join(names[kind][one] for kind, one in zip(("instrument", "verb", "target"), of, strict=True)) for of in triplets]
        images, annotations, instances, phases = [], [], [], {}
        numbered = frames(rng, 20)
        for frame in numbered:
            phase = rng.choice([None, *range(12)])
            image = {"id": frame, "raw_id": 100 + 25 * frame, "file_name": f"{frame:06d}.jpg", "width": 854, "height": 480, "fps": 25}
            images.append({**image, "phase_label": phase, "phase_label_name": None if phase is None else names["phase"][phase]})
            if phase is not None:
                phases[frame] = phase
            for _ in range(rng.choice([0, 1, 2])):
                k = rng.randrange(85)
                i, v, t = triplets[k]
                classes = {
                    "triplet": named[k],
                    "instrument": names["instrument"][i],
                    "verb": names["verb"][v],
                    "target": names["target"][t],
                }
                ids = {"image_id": frame, "raw_id": image["raw_id"], "category_id": k, "instrument_id": i, "verb_id": v, "target_id": t}
                annotations.append({**ids, "classnames": classes, "iscrowd": 0})
                instances.append((frame, i, v, t, k, None))
        rng.shuffle(images)
        rng.shuffle(annotations)
        categories = {kind: [{"id": i, "name": one} for i, one in enumerate(of)] for kind, of in {**names, "triplet": named}.items()}
        document = {"images": images, "annotations": annotations, "categories": categories, "metadata": {"version": "1"}}
        files[f"labels/{name}.json"] = spelled(rng, shuffled(rng, document))
        expected[name] = {"instances": sorted(instances, key=str), "frames": numbered, "phases": phases}
    return files, expected


def cholectrack20(rng):
    files, expected = {}, {}
    for name in recordings(rng, [f"VID{i:02d}" for i in range(1, 112)]):
        annotations, instances, phases = {}, [], {}
        for frame in (25 * one for one in frames(rng, 20)):
            phase = rng.choice([-1, *range(7)])
            tools = []
            for k in range(rng.choice([0, 1, 2])):
                triplet, where = rng.choice([-1, rng.randrange(94)]), box(rng) if rng.random() < 0.8 else None
                parts = T50.triplets[triplet] if triplet != -1 else (rng.randrange(7), -1, -1)
                ids = {"instrument": parts[0], "verb": parts[1], "target": parts[2], "triplet": triplet, "phase": phase}
                if triplet == -1:
                    ids["target"] = rng.choice([-1, -2])
                more = {"operator": rng.randrange(4), "visibility_track": k, "intracorporeal_track": k, "intraoperative_track": k}
                flags = {flag: rng.choice([0, 1]) for flag in ("visibility", "crowded", "occluded", "bleeding", "smoke")}
                tools.append(shuffled(rng, {**ids, "tool_bbox": where or NULL_BOX, **more, **flags}))
                undefined = (parts[0], None, None, None)
                instances.append((frame, *(undefined if triplet == -1 else (*parts, triplet)), where))
            annotations[str(frame)] = tools
            if tools and phase != -1:
                phases[frame] = phase
        files[f"CholecTrack20/{name}.json"] = spelled(
            rng, {"video": {"name": name, "width": 854, "height": 480}, "annotations": annotations}
        )
        expected[name] = {"instances": sorted(instances, key=str), "frames": sorted(map(int, annotations)), "phases": phases}
    return files, expected


MAKERS = {
    "cholect50": cholect50,
    "cholect45": cholect45,
    "cholec80": cholec80,
    "labelme": labelme,
    "yolo": yolo,
    "yolo4": lambda rng: yolo(rng, four=True),
    "coco": coco,
    "multibypasst40": multibypasst40,
    "cholectrack20": cholectrack20,
}
