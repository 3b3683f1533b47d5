// What is open, where the cursor is, and what is selected. Everybody who shows it listens; everybody who changes it says so here.

import { Times } from "./times.js";
import { get, getBytes, useEdition } from "./api.js";
import { endDrag } from "./elements.js";

/** Stills per second of the sheet; the last one is every frame. */
export const STEPS_S = [1, 0.5, 0.2, 0.1, 0];

const DRAWN = { drawn: true, source: "drawn", score: null, faces: null, decision: "accepted", hidden: true, lens_seen: true, disputed: false };

const NONE = Object.freeze([]);

class State extends EventTarget {
  study = null;
  view = null;
  mine = { unseen: {}, folded: {}, stops: {}, seen: [], decided: [] };
  prepared = {};
  /** Camera and frame of the checks of which something has come, whichever page was told. */
  settled = [];
  checks = [];
  /** The answer that was about another recording last. */
  elsewhere = null;
  times = {};
  camera = null;
  frame = 0;
  selected = null;
  inFrame = null;
  outFrame = null;
  density = 0;
  size = 0;
  pane = "sheet";
  preview = false;
  /** Seconds in the order in which the sheet may show them, the unusual ones first; null where that is not known. */
  order = null;
  isUnusualFirst = false;
  /** Changes when other cells follow each other on the sheet. */
  arrangement = 0;
  head = null;
  #folds = new Map();
  #unfolded = new Set();
  #unseen = new Set();
  #unseenOf = null;
  #looksOf = null;
  #spans = NONE;
  #spansOf = null;
  #opening = null;
  /** While a recording opens, the pictures are still of the one before. */
  isOpening = false;
  /** How often an answer was taken: what was asked before that is older. */
  #taken = 0;

  /** Tell everybody that something is new: study, recording, marks, cursor, selection or layout. */
  tell(what) {
    this.dispatchEvent(new Event(what));
  }

  on(names, listener) {
    for (const name of names.split(" ")) this.addEventListener(name, listener);
  }

  async loadStudy() {
    this.study = await get("/api/study");
    if (this.head === null) useEdition(this.study.edition);
    this.head ??= this.study.head;
    this.tell("study");
  }

  /** Open a recording, at a time if one is wanted. */
  async open(number, timeS = null) {
    this.#opening?.abort();
    const opening = (this.#opening = new AbortController());
    this.isOpening = true;
    try {
      await this.#take(number, timeS, opening);
    } finally {
      if (opening === this.#opening) this.isOpening = false;
    }
  }

  async #take(number, timeS, opening) {
    const answer = await get(`/api/recordings/${number}`, opening.signal);
    const times = {};
    for (const file of answer.recording.files) {
      times[file.camera] = new Times(await getBytes(`/api/files/${number}/${file.camera}/times`, opening.signal));
    }
    const looks = await get(`/api/recordings/${number}/looks`, opening.signal);
    opening.signal.throwIfAborted();
    this.#unfolded.clear();
    this.#takeLooks(looks, answer.head);
    Object.assign(this, { times, selected: null, inFrame: null, outFrame: null, pane: "sheet", preview: false });
    this.take(answer, false);
    this.camera = this.files[0]?.camera ?? null;
    this.frame = 0;
    this.tell("recording");
    const first = this.files[0]?.interval_s[0] ?? 0;
    if (this.camera) this.goTo(timeS ?? first);
  }

  /** Take what the server says about the recording that is open. */
  take(answer, tell = true) {
    // Of another recording: what else its head stands for was not taken either.
    if (tell && answer.recording.summary.number !== this.number) {
      this.elsewhere = answer;
      if (answer.checks?.length) this.tell("elsewhere");
      return;
    }
    this.#taken += 1;
    this.head = answer.head;
    this.view = answer.recording;
    this.mine = answer.mine;
    this.prepared = answer.prepared;
    this.settled = answer.settled;
    if (tell) this.tell("marks");
    this.checks = answer.checks ?? [];
    if (this.checks.length) this.tell("checks");
  }

  async reload() {
    if (!this.view) return;
    const { number } = this;
    const taken = this.#taken;
    const answer = await get(`/api/recordings/${number}`);
    if (this.number !== number) return;
    // What was answered meanwhile is newer; the next poll sees whether it is all.
    if (taken === this.#taken) this.take(answer);
    if (!this.areLooksOld) return;
    const looks = await get(`/api/recordings/${number}/looks`);
    if (this.number !== number) return;
    this.#takeLooks(looks, answer.head);
    this.tell("looks");
    this.tell("layout");
  }

  /** Whether the folds and the order are of tables that the pipeline has renewed since; any answer of the server may tell. */
  get areLooksOld() {
    return this.view !== null && generationOf(this.head) !== this.#looksOf;
  }

  /** `head` is of an answer before the looks, so that they are never older than it says. */
  #takeLooks({ folds, order }, head) {
    endDrag();
    this.#looksOf = generationOf(head);
    this.#folds.clear();
    for (const fold of folds) for (let second = fold[0]; second <= fold[1]; second += 1) this.#folds.set(second, fold);
    this.order = order;
    this.arrangement += 1;
  }

  /** Whether the sheet shows the unusual seconds first: one still a second, and an order that is stored. */
  get isArranged() {
    return this.density === 0 && this.isUnusualFirst && Boolean(this.order);
  }

  get hasFolds() {
    return this.#folds.size > 0;
  }

  /** The fold that hides or shows a second, as [first, last, shown]; null where each second stands for itself. */
  foldOf(second) {
    const fold = this.density === 0 ? this.#folds.get(second) : undefined;
    if (!fold || this.#unfolded.has(fold[0])) return null;
    // What is proposed later, as in the other camera, is to be seen by itself, although the still that stood for it was.
    return this.#isUnseen(second) && !this.#isUnseen(fold[2]) ? null : fold;
  }

  #isUnseen(second) {
    if (this.#unseenOf !== this.mine) {
      const runs = Object.values(this.mine?.unseen ?? {}).flat();
      this.#unseen = new Set(runs.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, place) => first + place)));
      this.#unseenOf = this.mine;
    }
    return this.#unseen.has(second);
  }

  /** Whether a fold is one of those that are known now, unfolded or not. */
  hasFold([first, last, shown]) {
    const fold = this.#folds.get(first);
    return fold !== undefined && fold[0] === first && fold[1] === last && fold[2] === shown;
  }

  /** Show every still of the run that a second is in, or fold it again; `all` for every run. */
  unfold(second, all = false) {
    const runs = all ? [...new Set([...this.#folds.values()].map((fold) => fold[0]))] : [this.#folds.get(second)?.[0]].filter((first) => first !== undefined);
    const isOpen = runs.every((first) => this.#unfolded.has(first));
    for (const first of runs) this.#unfolded[isOpen ? "delete" : "add"](first);
    this.arrangement += 1;
    this.tell("layout");
    return runs.length ? (isOpen ? "folded" : "unfolded") : "";
  }

  /** The order of the sheet: by time, or the unusual first. */
  arrange(isUnusualFirst) {
    this.isUnusualFirst = isUnusualFirst;
    this.arrangement += 1;
    this.tell("layout");
  }

  /** Seconds that this person has not seen and that are to be seen, as [camera's file, first, last]. */
  get gaps() {
    return this.files.flatMap((file) => (this.mine.unseen[file.camera] ?? []).map(([first, last]) => [file, first, last]));
  }

  /** Seconds that this person did not see because a still stood for them, as [camera's file, first, last]. */
  get folded() {
    return this.files.flatMap((file) => (this.mine.folded?.[file.camera] ?? []).map(([first, last]) => [file, first, last]));
  }

  /** Stills that this person is still to look at by themselves, in order of time. */
  get stops() {
    const all = this.files.flatMap(({ camera }) => (this.mine.stops[camera] ?? []).map(([frame, kind]) => ({ camera, frame, kind })));
    return all.sort((a, b) => this.times[a.camera].start(a.frame) - this.times[b.camera].start(b.frame));
  }

  /** Whether what is left of the recording is left to another person. */
  get waits() {
    return this.files.some((file) => file.unseen.length || file.unseen_stops.length) || this.spans.some((span) => !span.lens_seen || span.parts.some((part) => part[2] === "unreviewed"));
  }

  get number() {
    return this.view?.summary.number ?? null;
  }

  get files() {
    return this.view?.files ?? [];
  }

  file(camera = this.camera) {
    return this.files.find((file) => file.camera === camera);
  }

  get timeS() {
    return this.camera ? this.times[this.camera].start(this.frame) : 0;
  }

  /** Whether the recording is released as things stand: what is excluded or quarantined needs no look. */
  get isKept() {
    return this.view?.summary.status === "kept";
  }

  /** All spans of the recording in order of time: proposals, and what people drew. They are the same list until the server says something new. */
  get spans() {
    if (this.#spansOf !== this.view) {
      this.#spans = this.view ? Object.freeze(inOrder(this.view)) : NONE;
      this.#spansOf = this.view;
    }
    return this.#spans;
  }

  get span() {
    return this.selected === null ? null : (this.spans.find((one) => spanId(one) === this.selected) ?? null);
  }

  /** How this person decided about a proposal: accepted, rejected or mixed. */
  ownAnswer(span) {
    return this.mine.decided[spanId(span)];
  }

  select(span) {
    endDrag();
    this.selected = span ? spanId(span) : null;
    this.inFrame = this.outFrame = null;
    if (span) {
      this.camera = span.camera;
      this.frame = Math.min(span.first, this.times[span.camera].count - 1);
    }
    this.tell("selection");
    this.tell("cursor");
  }

  goTo(timeS) {
    this.move(this.times[this.camera].at(timeS));
  }

  move(frame, camera = this.camera) {
    endDrag();
    this.camera = camera;
    this.frame = Math.max(0, Math.min(frame, this.times[camera].count - 1));
    this.tell("cursor");
  }

  mark(which) {
    this[which] = this.frame;
    this.tell("selection");
  }

  unmark() {
    this.inFrame = this.outFrame = null;
    this.tell("selection");
  }

  set(values) {
    Object.assign(this, values);
    this.tell("layout");
  }
}

/** All spans of a recording in order of time. */
function inOrder({ proposals, drawn }) {
  const all = [
    ...proposals.map((one) => ({ ...one, drawn: false })),
    ...drawn.map((one) => ({ ...one, ...DRAWN, parts: [[one.start_s, one.end_s, "accepted"]] })),
  ];
  return all.sort((a, b) => a.start_s - b.start_s || a.camera.localeCompare(b.camera) || a.last - b.last);
}

/** Which opening of the tables a head of the server is of. */
const generationOf = (head) => head.split("-")[0];

/** What names a span on this page. */
export const spanId = (span) => `${span.camera}:${span.key}`;

/** Whether somebody has still to decide about a part of a span. */
export const isUndecided = (span) => span.parts.some((part) => part[2] === "unreviewed") && !state.ownAnswer(span);

/** Whether something about a span is still to be done by this person. */
export const isLeft = (span) => isUndecided(span) || (!span.drawn && !span.lens_seen && !state.mine.seen.includes(spanId(span)));

export const state = new State();
