"""Label files: which there are, whose they are, and what is wrong in them, by the readers of the stage annotations."""

from __future__ import annotations

from collections import defaultdict

from scrubin.annotations import sources
from scrubin.annotations.params import AnnotationsParams
from scrubin.annotations.sources import Batch
from scrubin.core.errors import AnnotationError
from scrubin.core.faults import Fault, Faults
from scrubin.labels.policy import stopping
from scrubin.preflight.findings import Findings, names
from scrubin.preflight.listed_study import ListedStudy
from scrubin.preflight.sound_labels import SoundLabels


def look(study: ListedStudy, p: AnnotationsParams, noted: Findings) -> None:
    """Note every file that fits nowhere, names an unknown recording or cannot be read, and who of a labelled task has no labels."""
    faults, sound = Faults(), SoundLabels()
    with noted.noting():
        batches = sources.find(study.raw, p.sources, {*study.recordings, *study.set_aside}, faults, study.withdrawn)
        noted.counts["label file"] = sum(len(batch.files) for batch in batches)
        kept = set(study.kept)
        for batch in batches:
            if batch.recording in kept:
                faults.extend(_faults(study, p.box_tolerance, batch, sound))
        sound.write()
        _unlabelled(study, {batch.recording for batch in batches}, noted)
    noted.errors += stopping("annotations", faults.all())


def _faults(study: ListedStudy, box_tolerance: float, batch: Batch, sound: SoundLabels) -> tuple[Fault, ...]:
    """Return why the labels of one recording cannot be used."""
    source = batch.source
    maps = [source.label_map] if source.label_map and (study.raw / source.label_map).is_file() else []
    how = (source.format, source.vocabulary, source.label_map, box_tolerance)
    key = sound.key(study.raw, [*batch.files, *maps], how)
    if sound.knows(key):
        return ()
    read = sources.read(study.raw, box_tolerance, batch)
    wrong = read.faults if isinstance(read, AnnotationError) else stopping("annotations", read.faults)
    if not wrong:
        sound.add(key)
    return wrong


def _unlabelled(study: ListedStudy, labelled: set[str], noted: Findings) -> None:
    by_task: dict[str, set[str]] = defaultdict(set)
    for name in study.kept:
        by_task[study.recordings[name][0].task].add(name)
    for task, members in sorted(by_task.items()):
        if members & labelled and members - labelled:
            noted.remark(f"no label file of {task} is about {names(members - labelled)}", "add it, if somebody labelled them", sources.ROOT)
