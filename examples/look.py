"""Load a release, look at it, count.

python examples/look.py [RELEASE]
"""

import sys
from collections import Counter

import numpy as np

from scrubin.load import Release

release = Release(sys.argv[1] if len(sys.argv) > 1 else "data/release")
print(release.citation)
print(f"subsets: {', '.join(release.splits)}")

# Any release will do: of its subsets the first for training, of its tasks the first.
split = next((name for name in release.splits if name.endswith("/train")), None)
task = min(release.recordings["task"])

# Pictures and labels of the frames of one subset. Hidden frames are left out, and counted.
train = release.frames(split=split, labels=["instruments", "phases"], task=task)
print(train)
if not len(train):
    sys.exit(f"no frame of {task} can be shown here; name another subset or task in this program")
item = train[0]
print({name: getattr(value, "shape", value) for name, value in item.items()})

# What is not labelled is masked; it is never 0.
names = train.classes["phases"]
phases = Counter(names[item["phases"]] if item["phases_mask"] else "not labelled" for item in train)
for name, count in phases.most_common():
    print(f"{count:5d} frames: {name}")
brightness = np.mean([item["image"].mean() for item in train])
print(f"mean brightness of the pictures: {brightness:.1f} of 255")

# Short films of the first task that was rated, for skill: eight pictures, two a second; of stereo recordings one camera.
rated = release.skill(split).dropna(subset="GRS")
if rated.empty:
    sys.exit("no recording of this subset was rated: there is no skill to look at")
clips = release.clips(length_s=4, stride_s=60, fps=2, split=split, labels=["skill"], task=min(rated["task"]))
print(clips)
for clip in clips[:1]:
    print(f"a clip of {clip['id']}: {clip['images'].shape}, {clips.classes['skill'][0]} {clip['skill'][0]:.2f}")
