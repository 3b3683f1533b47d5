"""Every sentence that a release, its certificate, the report and a run say of themselves has a check that fails when it is untrue.

A new sentence in one of the templates is not in the table, and fails here, until its check stands beside it.
"""

# ruff: noqa: E501 - a sentence stays whole, so that it can be searched
from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from scrubin.curate.project import closing
from scrubin.stages.release import gates
from scrubin.stages.release.certificate import attention, issue, public_form, rules
from scrubin.stages.release.metadata import readme, sentences
from scrubin.stages.report import privacy

TESTS = Path(__file__).parents[1]
REPORT = Path(privacy.__file__).with_name("templates")
EXPLAINS = ""
"""Instead of a check: the sentence explains a number or says what is not known, and claims nothing of this release."""
CHECKS: dict[str, tuple[str, ...]] = {
    "test_a_subset_that_has_nobody_stands_at_the_top_of_the_page": ("no recording is in them",),
    "test_a_release_with_a_planted_pixel_and_a_planted_point_is_refused": (
        "no mask and no point in the tables shows what is inside the black rectangles of its frame, one pixel of each edge left out, or is of a black frame; boxes are not checked",
    ),
    "test_an_audio_track_is_found": ("no sound, subtitles or other streams: pictures only",),
    "test_an_sei_message_is_found_in_every_packet_that_has_one": (
        "no tags, chapters, attachments, thumbnails, timecodes, or messages in the video stream (SEI)",
        "`videos/‹task›/‹camera›/‹id›.mkv` | videos: pictures only, without sound, tags or chapters | …| `tables/*.parquet` | all tables; every "
        "column is explained in [data_dictionary.md](data_dictionary.md)",
        "Videos hold pictures only: no sound, no tags, no messages.",
    ),
    "test_every_member_of_every_archive_has_a_fixed_time_and_so_has_every_file": (
        "every member of an archive has a fixed time; so has every file when it is released, and a later copy has its own",
    ),
    "test_a_private_column_is_found_in_any_table": (
        "no table has a column about participant, site, date, trial or source file",
        "No table names a person, a site or a day, and the order of rows says nothing.",
    ),
    "test_an_id_never_changes_when_recordings_are_added": (
        "each recording has an invented id, drawn with a key that is not in the release; it is the same in all files",
        "A recording has one id in all tables, tasks and cameras.",
        "Each recording has an invented id, drawn with a key that is not released.",
        "ids are drawn by a secret key over the curator's own names of recordings; the key is not released",
        "key and linkage stay private",
    ),
    "test_rows_in_the_order_of_recordings_are_found": (
        "rows, names and members are in the order of ids, never in that of the recordings",
        "Ids are made-up words: neither they nor the order of rows tell who was recorded, where or when.",
    ),
    "test_what_became_of_the_proposals_is_what_the_ledger_says": (
        "programs search for scenes outside the body, faces, text, black and frozen pictures; what they propose is hidden until people reject it",
        "what is proposed is hidden until rejected; what people looked at before the release is stated",
        "Programs searched for scenes outside the body, faces, text, black and frozen pictures; what they proposed is black unless people "
        "decided otherwise.",
        "it shows | proposed | hidden | undecided, so hidden | shown by a decision | drawn by people | kept",
        "What was proposed is black in the rendered videos unless a person rejected it.",
    ),
    "test_what_stands_in_a_room_begins_before_it_and_ends_after_it_and_is_not_asked_but_hidden": (
        "Rectangles of which nobody was asked, as they lie in pictures that are hidden as a whole, are not counted.",
    ),
    "test_each_proposal_is_counted_once": (
        "A proposal of which a part is hidden and a part shown counts as both.",
        "A proposal counts once; what people drew, and what they accepted that nobody proposes any more, stands under curator.",
        "Proposed: by programs, by a list that was handed in, or because the other camera hides it.",
        "Nothing was proposed or drawn.",
        "Nothing was found or decided.",
    ),
    "test_what_people_accepted_and_nobody_proposes_any_more_is_kept_and_not_drawn": (
        "Kept: people accepted it, and no program proposes it any more.",
    ),
    "test_seen_seconds_are_those_of_the_ledger": (
        "who looked at the recordings before the release is stated below",
        "Looked at: … of … seconds of video, and both ends of … of … proposals.…",
        "Seen by … or more: … of … seconds of video, and both ends of … of … proposals.… Undecided, so hidden: …; disputed, so hidden: ….",
        "Before this release stills of every second of each of the … recordings were shown to …, and frame by frame both ends of everything "
        "that they were asked to hide.",
        "Who looked at the recordings before the release is stated in the certificate.",
        "What nobody, or too few people, have seen of … ; before that, nothing is released",
        "recordings seen, at least in part",
    ),
    "test_what_was_folded_is_said_and_never_counted_as_seen": (
        "Before this release stills of each of the … recordings were shown to …: one of every second, or one for some seconds whose pictures are "
        "all like it, and frame by frame both ends of everything that they were asked to hide.",
        "Of these, seconds whose pictures are all like one that was shown were folded: nobody had to look at them.",
        "… further seconds were folded: fewer people looked at them than must, because a still that is like all their pictures stood for them "
        "(review.folds …).",
    ),
    "test_seconds_that_were_folded_are_counted_apart_from_those_that_were_seen": (
        "… of … s and the ends of … of …, in … ; … s were folded: looked at by too few",
    ),
    "test_what_was_folded_is_said_at_the_end": (
        "folded: … s that fewer people looked at than must, because a still like them stood for them (review.folds)",
    ),
    "test_a_sample_asks_for_so_many_and_no_review_for_none_and_both_are_said_in_the_release": (
        "Nobody was required to look at the recordings before this release.",
        "Only a sample of … of the … recordings had to be seen by … before this release.",
    ),
    "test_nobody_is_said_to_have_looked_when_a_program_did_or_when_nobody_did": (
        "No person is in this synthetic study: a program stands in for those who look at every recording before a release.",
    ),
    "test_the_certificate_says_how_people_looked_and_how_many_planted_checks_they_noticed": (
        "Stills that must be looked at in full size: … of … were.",
        "What counts as looked at took people … in all, on … sheets of stills",
        "; the median sheet was looked at for … s, and the smallest still of a sheet that counted was … px high",
        "A still counts only when it is large enough on a page that is in front, stays there long enough, and somebody goes on from it by a "
        "key or the pointer.",
        "A still of the sheet must be … px high and have … s of attention, at least.",
        "Of … stills with planted … … were noticed: … %, with 95 % confidence between … and … % of such stills.",
        "No still with planted … was shown: how many of them people would miss is not known.",
    ),
    "test_the_public_form_is_under_the_checksums_and_the_audit_and_any_name_in_it_is_noticed": (
        "what can be read in any file, also inside archives, is searched again for the private strings of the study, and every byte for those "
        "that are too long to be there by chance",
        "The audit searches this file as every other one.",
        "The release was searched for the names, sites and days that the study knows; that nobody can be recognised is not proven.",
        "the audit of every release; a sample, where one was drawn",
        "Every table was held to its rules, and the finished release was audited file by file.",
        "The short form without names is CERTIFICATE.md in the release.",
    ),
    "test_a_refused_release_is_taken_apart": (
        "If it finds anything, this file is removed again: where it is, and `SHA256SUMS` names it, the audit has passed.",
    ),
    "test_the_audit_shares_no_code_with_how_the_files_were_made_but_the_networks_that_the_page_names": (
        "every file is parsed to its end, and text is searched behind each picture; videos and frames by code that had no part in "
        "writing them",
    ),
    "test_a_frame_that_is_not_black_is_found_with_its_number": (
        "every frame of every video is decoded: what is hidden is black, and extracted frames are those of their video",
    ),
    "test_a_name_that_stands_for_a_second_is_read": (
        "pictures of all scenes of the released videos are searched again, by programs: for faces by networks of their own, too; for text "
        "with private strings by the networks that proposed",
    ),
    "test_the_release_that_is_made_again_carries_the_sample_of_the_same_videos": (
        "who looked at random clips of the finished release is stated below",
        "Samples of earlier videos: …, clips in which something was noticed: ….",
        "The videos have changed since.",
        "They count no longer, because the videos changed.",
        "… Drawn by …, … (line … of the ledger).",
        "…, …: … of … clips looked at, … with a finding (line … of the ledger)",
        "a sample, where one was drawn; the lengths, and what is not proven",
        "No sample was drawn: nobody has measured what is left.",
        "No sample of these videos was drawn, so nobody has measured how much is left.",
    ),
    "test_black_frames_are_counted_as_they_are_decoded": (
        "Of … frames in … videos of … recordings, … are black, and … others have black rectangles.",
        "Of … frames … are black, and … others have black rectangles.",
        "Hidden frames are black.",
    ),
    "test_the_closing_lines_count_what_lies_there": ("hidden: … % of the frames as a whole; something in … of …",),
    "test_a_refused_release_says_how_to_go_on": (
        "released: nothing yet; ready: …",
        "next: put right what stopped the release, then …",
    ),
    "test_a_stage_that_failed_earlier_counts_nothing": ("next: put that right, then …",),
    "test_what_stopped_a_run_is_one_block_with_every_reason": ("not run, because they need that: …",),
    "test_a_finished_run_says_what_came_of_it_and_what_is_next": (
        "… that cannot be used",
        "… that no row names",
        "next: look at …, then: make release VERSION=...",
    ),
    "test_what_people_saw_since_the_stage_ran_is_no_longer_to_be_looked_at": (
        "… of … that too few people saw",
        "… that nobody decided, so hidden",
        "… of the ledger from an earlier edition, no longer counted as seen",
        "to be looked at: …",
        "since this run began, people looked or decided: …, so that release and report follow",
    ),
    "test_what_stays_behind_is_counted_by_group": (
        "… videos were DICOM: all … elements of their headers were removed, … of them private ones.",
        "… videos come from DICOM objects.",
        "Nothing of their headers is in the release, not even of private groups; here is how much there was.",
    ),
    "test_videos_recordings_and_frames_are_those_that_lie_there": (
        "The videos have the SHA-256 ….",
        "The videos have the SHA-256 …, which is that of their lines in SHA256SUMS.",
        "grep ' videos/' SHA256SUMS | sha256sum",
    ),
    "test_the_summary_counts_what_lies_there": (
        "…, version …: … videos of … recordings, … frames; … files, … bytes.",
        "… files were set aside, … recordings left out in the review : … (…: …)… .",
    ),
    "test_evidence_is_the_hash_of_the_files_that_lie_there": (
        "What was hidden and decided is in files that are private.",
        "Ledger: … lines, the hash of the last one is ….",
    ),
    "test_every_line_holds_the_hash_of_the_line_before": ("scrubin review --verify proves its chain.",),
    "test_videos_in_which_somebody_saw_something_are_not_released_again_until_they_are_others": (
        "A finding is hidden by a decision in the raw review.",
        "Before that, these videos are not released again.",
    ),
    "test_after_a_sample_the_private_form_is_renewed_and_says_that_the_public_one_follows": (
        "The public form in the release does not yet say all of this: run make repro, and it will.",
    ),
    "test_the_private_form_names_who_said_what_and_every_file_that_shows_it": (
        "Private: it names who reviewed and which recordings.",
        "It says which rules were applied, which clause each serves, and what shows it.",
    ),
    "test_the_report_says_what_is_ready_and_never_that_it_was_released": (
        "It is written before the release: the end of the run says whether there is one.",
        "Counted from the … that the ledger had when this page was written.",
        "Whatever people saw and decided since comes with the next make repro.",
        "of … in the study",
        "of all these videos",
        "… of them hidden , … dropped",
        "What became of the raw study on its way to the release, and what a person should look at.",
        "The same numbers are in report.json.",
    ),
    "test_every_recording_has_one_fate": ("neither to be released nor set aside",),
    "test_disputed_proposals_and_replaced_files_are_named": (
        "Files that were replaced, with what was decided or seen of the earlier ones",
        "…, …: … of the ledger count no longer",
    ),
    "test_agreement_is_the_share_of_the_spans_that_both_decided": ("Two people agree on … of … that both decided (…).",),
    "test_agreement_is_undefined_when_nobody_shares_a_span": (
        "No two people decided about the same proposal, so how far they agree is undefined.",
    ),
    "test_overlapping_spans_count_once": (
        "Seconds are summed over video files (both cameras of a stereo pair); overlapping spans of one kind count once.",
    ),
    "test_a_rejected_span_is_pictured_as_the_release_shows_it": (
        "Shown, because a person rejected it",
        "The pictures are as the rendered videos show them; a rejected rectangle is outlined.",
    ),
    "test_every_span_has_its_first_middle_and_last_source_frame": (
        "As it was before it was hidden: first, middle and last frame of each span; where only a rectangle is hidden, it is outlined.",
        "Source frames and times.",
    ),
    "test_readme_and_facts_count_what_lies_there": (
        "Frames that are too poor to be used (… of them) have no file; they keep their number and their row, with the reason in `dropped_why`.",
    ),
    "test_archives_are_as_lasana_names_them": (
        "`archives/*.zip` | the videos once more, one zip per task and camera, and the annotations",
    ),
    "test_the_readme_states_the_frame_contract_and_how_to_verify": (
        "Frame k of a recording is the first decoded frame of the released video whose presentation time is at or after ….",
        "In this folder, with GNU coreutils (on macOS `shasum -a 256 -c SHA256SUMS`):",
    ),
    "test_sha256sum_agrees": (
        "sha256sum --check --quiet SHA256SUMS",
        "No output means that every file is complete and unchanged.",
    ),
    "test_the_documents_say_how_the_frames_lie_there_and_how_many_were_dropped": (
        "`frames/‹task›/‹camera›/‹id›/‹number›.…` | extracted frames, numbered from 000000",
        "`frames/‹task›/‹camera›/‹id›.tar` | extracted frames, one tar per video as webdataset reads it: `‹number›.…` from 000000, and beside it `‹number›.json` with its time; the column `path` of `frames` names tar and member",
    ),
    "test_when_there_are_too_many_spans_what_is_shown_keeps_its_pictures_and_the_page_says_how_many_have_none": (
        "… without pictures, so that this page still opens: what is shown comes first, then what is undecided.",
        "All are in the table below, and … shows every frame.",
        "…, even less unlike, without a picture here; they are in report.json.",
    ),
    EXPLAINS: (
        "What was done so that nobody is recognised",
        "`certificate.json` says the same for programs.",
        "Letters are those of … (HIPAA), numbers those of the GDPR.",
        "rule | action | what was done | serves",
        "What was looked at",
        "A random sample of this release",
        "With GNU coreutils, in this folder:",
        "What this does not prove",
        "This is no opinion of an expert and no advice on the law.",
        "What stood in DICOM headers",
        "What people looked at",
        "Residual risk: random samples",
        "Who said what about which clip",
        "scrubin review --sample 60 draws one: without a finding it proves, with 95 % confidence, that whoever looks would notice something in at most 5 of 100 clips; 300 clips prove 1 of 100.",
        "Samples of earlier videos",
        "HIPAA, …: identifiers of the person and of relatives, employers and household members.",
        "… not fully seen … who looked",
        "by the curator, a reviewer or a limit",
        "cannot be used as they are",
        "classes that training lacks",
        "The study has no recordings.",
        "… The command … opens the page where people look and decide.",
        "When the release has passed its audit, its certificate says which rule serves which clause, and what random samples of the released videos prove.",
        "Who looked and decided",
        "… of work in all, without pauses.",
        "Spans and rectangles that could identify a person.",
        "Can anybody be recognised?",
        "Every span, in source time: copy a row's recording, camera, kind, times and rectangle into redactions.csv to accept or reject it, and import it",
        "Proposed with the lowest scores",
        "What the detectors were least sure about: the lowest score of each recording and detector.",
        "Shown, and least like the rest",
        "What no detector proposed: of each recording the frame that looks least like its others, as the rendered video shows it, the most unlike recording first.",
        "The distance is that of its colours, brightness and texture from the usual picture of the recording, 0 to 1.",
        "for people to say: not proven here",
        "that nobody can be recognised: whoever knows an operation can know its video, and what is unusual stays unusual",
        "that people and programs notice everything: they looked at single pictures, and something can escape them",
        "that any single clip is clean: a sample tells about the share of clips, as judged by those who looked",
        "that it has nothing which the study does not know of: the audit searches the private strings of the study",
        "that nothing stands behind the compressed data of a picture: text is searched there, and other bytes can look like these data",
        "that tables, scores and labels single out nobody, or that the length of a recording is in no other log",
        "that whoever has the key, the raw recordings or the decisions cannot name everybody: these must stay private",
        "that regulations are satisfied: consent, purpose and the opinion of an expert are not in this file",
        "A clip is 5 s of a recording in all its cameras, or what is left at its end; what is black is no clip.",
        "Clips are drawn in the order of the SHA-256 of `seed:videos:id:start`, where `videos` is the SHA-256 below and `start` is in seconds: whoever has the release can draw them again.",
        "They are looked at in single pictures, one or more in every 0.2 s.",
        "That whoever was shown them noticed everything in them is not proven.",
        "This does not prove that people noticed what was not planted.",
        "Pictures of operations and exercises remain.",
        "Files were probed; what cannot be used, what the curator excludes and what is too long was left out.",
        "Subsets hold whole people and are balanced by search; how far they miss is measured.",
        "Version …, licence […](https://spdx.org/licenses/….html).",
        "path | what it is",
        "`Annotation/*.csv` | skill, errors, raw scores and split per task in the layout of LASANA; `;` between columns",
        "`splits/*.csv` | which recording belongs to which subset",
        "`groundtruth/` | what each metric takes; `groundtruth/splits/‹scheme›/‹fold›/‹subset›` for one subset alone | ……| `croissant.json` | the same description for machines (MLCommons Croissant 1.1 with RAI 1.0)",
        "`metadata/datasheet.md` | why and how the data set was made, in the words of those who made it, beside what is measured",
        "`metadata/facts.json` | the measured facts: who rated, agreement, what is hidden, balance, what was left out",
        "`metadata/dataset_card.md`, `metadata/datacite.json`, `metadata/citation.bib` | for Hugging Face, for archives, for papers",
        "`CERTIFICATE.md`, `certificate.json` | what was done so that nobody is recognised, and what this does not prove",
        "`SHA256SUMS`, `metadata/files.csv` | checksums of all files; sizes and checksums as a table",
        "`left` and `right` are the two views of a stereo endoscope, cut at the same instants; `mono` is a single view.",
        "Its true time and its number in the video stand in the table `frames`; nothing drifts where the frame rate varies.",
        "Labels belong to (id, frame).",
        "Not every frame was labelled.",
        "The table `labelled` names those that were: one without a row in `triplets` shows no instrument; a frame that is not in `labelled` is unknown, and no negative example.",
        "Masks, key points and tracks of instances stand in `masks`, `points` and `tracks`, and what each annotator judged in `marks`: tables without rows where nobody did so.",
        "They keep their place, so that times and numbers hold; `frames` marks them as `redacted`.",
        "…Missing values are undefined.",
        "They are not zero.",
        "`scrubin verify FOLDER` says more: which file was cut off, exchanged, renamed or is of another version, and what is not there by intention.",
        "It needs no network and no video tools.",
        "`calibration/rig_‹n›.yaml` | calibrations of stereo rigs for the videos as they lie here, each with the ids of its recordings; OpenCV's YAML, explained in [data_dictionary.md](data_dictionary.md)",
        "The ground truth leaves them out.",
        "; why, and the mend: …",
    ),
}


def units(text: str) -> Iterator[str]:
    """Yield the sentences of a template, its code replaced by an ellipsis; headings of up to four words say nothing."""
    text = re.sub(r"<style>.*?</style>|\{%.*?%\}|\{#.*?#\}", " ", text, flags=re.DOTALL)
    text = re.sub(r"\{\{.*?\}\}|\{\w+\}", "…", text, flags=re.DOTALL)
    text = re.sub(r"</?(?:code|strong|i|b|a)\b[^>]*>", "", text)
    for paragraph in re.split(r"\n\s*\n|\n(?=[|#-])|</?[a-z]\w*(?: [^>]*)?>(?=\s|\S)|\n(?= {4})", text):
        for sentence in re.split(r"(?<=[.!?])\s+(?=\S)", " ".join(paragraph.split())):
            said = sentence.strip("|-# ")
            if len(re.findall(r"[A-Za-z]{2,}", said)) >= 4:
                yield said


def said() -> dict[str, str]:
    """Return every text whose sentences must be known, by where it stands."""
    forms = Path(issue.__file__).with_name("templates")
    templates = [forms / "certificate.md.j2", forms / "certificate.html.j2", REPORT / "overview.html.j2", REPORT / "privacy.html.j2"]
    ruled = [*(rule.says for rule in rules.RULES), *(clause.here for clause in rules.ARTICLES), *rules.NOT_PROVEN, rules.AUDITED]
    looked = [gates.NOBODY, gates.SAMPLE, gates.FOLDED_SAMPLE, gates.SYNTHETIC, gates.EVERYTHING, gates.FOLDED, *attention.FIXED]
    facts = [
        sentences.HIDING,
        sentences.PSEUDONYMS,
        sentences.PICTURES_REMAIN,
        *(says for name, says in sentences.STEPS if name != "Scoring"),
    ]
    files = [readme.README_TEXT, readme.ARCHIVES, readme.README_CALIBRATION, readme.LOOSE, readme.SHARDS, readme.DROPPED]
    return {path.name: path.read_text(encoding="utf-8") for path in templates} | {
        "rules": "\n\n".join(ruled),
        "kinds": f"{public_form.KINDS_SAY}\n\n{public_form.SAMPLE_RULE}",
        "review": "\n\n".join(looked),
        "facts": "\n\n".join(facts),
        "README.md": "\n\n".join(files).replace("<", "‹").replace(">", "›"),
        "closing": "\n\n".join(of_code(Path(closing.__file__))),
    }


def of_code(path: Path) -> Iterator[str]:
    """Yield the texts with values in them that a module makes."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)


def test_every_sentence_has_its_check_and_every_check_its_sentence():
    there = {sentence for text in said().values() for sentence in units(text)}
    known = [sentence for checked in CHECKS.values() for sentence in checked]
    assert sorted(there - set(known)) == []
    assert sorted(set(known) - there) == []
    assert len(known) == len(set(known))


def test_every_check_is_a_test():
    tests = {
        node.name
        for path in TESTS.rglob("test_*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef)
    }
    assert sorted(set(CHECKS) - tests - {EXPLAINS}) == []
