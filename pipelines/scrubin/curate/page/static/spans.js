// What lies over a frame: proposals and drawn spans, what was decided about them, and what the release will hide.

import { isUndecided, spanId, state } from "./state.js";
import { decisionName, isAsked, spanName } from "./kinds.js";
import { clock } from "./times.js";

const SAME_S = 1e-6;
/** So many stretches are named by their times. */
const NAMED = 3;
const OWN = { accepted: "you hide it", rejected: "you show it", mixed: "you hide a part of it" };

/** The decisions about a time: a list of {span, decision}, decision of the part that holds the time. */
export function over(camera, fromS, toS) {
  const covering = [];
  for (const span of state.spans) {
    if (span.camera !== camera) continue;
    // What the audit asked is hidden by the span that was drawn for an answer.
    if (isAsked(span) && span.decision === "accepted") continue;
    for (const [start, end, decision] of span.parts) {
      if (start < toS - SAME_S && fromS < end - SAME_S) covering.push({ span, decision });
    }
  }
  return covering;
}

/** One state for a mark: undecided beats hidden beats shown; "" when there is nothing. */
export function mark(camera, fromS, toS) {
  const covering = over(camera, fromS, toS);
  const has = (decision) => covering.some((one) => one.decision === decision);
  if (has("unreviewed")) return "undecided";
  // A rectangle may last for the whole recording: its mark is small, so that spans stand out.
  if (has("accepted")) return covering.some((one) => one.decision === "accepted" && !one.span.box_xywh) ? "hidden" : "hidden-part";
  return has("rejected") ? "shown" : "";
}

/** What the release hides of a frame, as shares of the picture; null is the whole frame. */
export function hides(camera, frame) {
  if (!state.preview) return [];
  const time = state.times[camera].start(frame);
  const [width, height] = state.file(camera).size_px;
  return over(camera, time, time + 2 * SAME_S + 1e-9)
    .filter((one) => one.decision !== "rejected" && !isAsked(one.span))
    .map(({ span }) => span.box_xywh && [span.box_xywh[0] / width, span.box_xywh[1] / height, span.box_xywh[2] / width, span.box_xywh[3] / height]);
}

/** What the preview shows as things stand, by a name; "" without one. What was fetched under another name is of before a decision. */
export function asReleased() {
  return state.preview ? JSON.stringify(state.spans.map(({ camera, key, decision, parts, box_xywh }) => [camera, key, decision, parts, box_xywh])) : "";
}

/** What covers a time, for screen readers. */
export function says(camera, fromS, toS) {
  return over(camera, fromS, toS)
    .map(({ span, decision }) => `${spanName(span)}, ${decisionName(decision)}`)
    .join("; ");
}

/** What comes of a span as things stand: what of it is shown, what stays hidden, and why. */
export function comesTo(span) {
  if (isAsked(span)) return ofAsked(span);
  const { hidden, partly } = hiddenTimes(span);
  if (lasting(hidden) > span.end_s - span.start_s - SAME_S) return whyAllHidden(span, hidden);
  const but = [reasons(whyHidden(span, hidden)), partly.length ? `a part of the picture at ${named(partly)}: another span hides it` : ""];
  return ["shown", but.filter(Boolean).join("; ")].filter(Boolean).join(" but for ");
}

/** The same with the own answer, while others may still answer otherwise. */
export function standsAs(span) {
  const [own, { reviewers }] = [state.ownAnswer(span), state.study];
  if (own && reviewers > 1 && (span.disputed || span.decision === "unreviewed")) {
    return `${isAsked(span) && own === "rejected" ? "you say that it may be seen" : OWN[own]}; ${comesTo(span)}`;
  }
  if (own || span.disputed || span.parts.some((part) => part[2] !== "unreviewed")) return comesTo(span);
  return isAsked(span) ? notAnswered(span) : notDecided();
}

/** How many have answered, and not what: whoever is asked second is to look for themselves. */
function notAnswered({ answers }) {
  const { reviewers } = state.study;
  if (!answers) return "not answered: nothing is released before somebody answers";
  return `not answered by you: ${answers} of ${reviewers} people answered, and nothing is released before ${reviewers === 2 ? "both" : `all ${reviewers}`} have`;
}

const notDecided = () => `not decided: hidden unless ${state.study.reviewers === 1 ? "you show it" : `${state.study.reviewers} people show it`}`;
const waitsForOthers = () => (state.study.reviewers === 2 ? "hidden until a second person shows it too" : `hidden until ${state.study.reviewers} people show it`);

function ofAsked(span) {
  if (span.disputed) return "people disagree: hidden";
  if (span.decision !== "unreviewed") return decisionName(span.decision);
  return `nothing is released before ${state.study.reviewers === 2 ? "a second person says" : `${state.study.reviewers} people say`} so, too`;
}

/** Why nothing of a span is shown, though somebody decided about it. */
function whyAllHidden(span, hidden) {
  if (span.decision === "rejected") return "shown, but another span hides all of it";
  const inner = openInside(span);
  if (inner.length && span.parts.every((part) => part[2] === "unreviewed")) {
    const begins = state.study.reviewers === 1 ? "hidden" : waitsForOthers();
    return `${begins}; ${inner.length === 1 ? "another span" : "other spans"} in it, ${named(inner.map((one) => [one.start_s, one.end_s]))}, must be decided as well`;
  }
  const whys = whyHidden(span, hidden);
  return whys.length === 1 ? whys[0][1] : reasons(whys);
}

const reasons = (whys) => whys.map(([times, why]) => `${named(times)}: ${why}`).join("; ");

/** Why times of a span stay hidden: a list of [times, reason] in order, each true of all of its times. */
function whyHidden(span, hidden) {
  const of = (decision) => common(hidden, merged(span.parts.filter((part) => part[2] === decision)));
  const open = of("unreviewed");
  const inner = merged(openInside(span).map(framesOf));
  const whys = [
    [of("accepted"), span.disputed ? disagreement(span) : "hidden"],
    [common(open, inner), "another span there is not decided, and hides it"],
    [common(open, between(inner)), state.ownAnswer(span) && state.study.reviewers > 1 ? waitsForOthers() : notDecided()],
    [of("rejected"), "another span hides it"],
  ];
  return whys.filter(([times]) => times.length).sort(([a], [b]) => a[0][0] - b[0][0]);
}

/** Who disagrees hides; parts about which people agree to hide it are parts of their own. */
const disagreement = (span) => (span.parts.filter((part) => part[2] === "accepted").length === 1 ? "people disagree: hidden" : "people disagree about a part of it: hidden");

/** Spans inside one about which this person did not decide: who shows the larger one says nothing of them. */
const openInside = (span) =>
  (span.inside ?? [])
    .map((key) => lookup().byId.get(spanId({ camera: span.camera, key })))
    .filter((one) => one && isUndecided(one))
    .sort((a, b) => a.start_s - b.start_s);

/** A span with all of its frames: what is decided is decided about whole frames. */
function framesOf({ camera, first, last, start_s, end_s }) {
  const times = state.times[camera];
  return times ? [Math.min(start_s, times.start(first)), Math.max(end_s, times.end(last))] : [start_s, end_s];
}

/** When the place of a span is hidden as a whole, by itself or by another one over it, and when only a part of it: lists of [start, end] inside the span, in order. */
function hiddenTimes(span) {
  const place = corners(span);
  const meeting = lookup().hidden.get(span.camera)?.meeting(span.start_s, span.end_s) ?? [];
  const during = (is) => common([[span.start_s, span.end_s]], merged(meeting.filter((one) => is(one.place, place)).map((one) => one.time)));
  const hidden = during(holds);
  return { hidden, partly: common(during(meets), between(hidden)) };
}

/** A rectangle as left, top, right and bottom; the whole picture is one, too. */
function corners({ camera, box_xywh }) {
  const [x, y, width, height] = box_xywh ?? [0, 0, ...(state.file(camera)?.size_px ?? [Infinity, Infinity])];
  return [x, y, x + width, y + height];
}

const holds = (a, b) => a[0] <= b[0] && a[1] <= b[1] && a[2] >= b[2] && a[3] >= b[3];
const meets = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];

let looked = { spans: null };

/** What is looked up of all spans, made once for each state of them: a time line asks it for every span. */
function lookup() {
  const { spans } = state;
  if (looked.spans !== spans) looked = { spans, byId: new Map(spans.map((span) => [spanId(span), span])), hidden: hiddenByCamera(spans) };
  return looked;
}

function hiddenByCamera(spans) {
  const places = new Map();
  for (const span of spans) {
    const parts = isAsked(span) ? [] : span.parts.filter((part) => part[2] !== "rejected");
    if (!parts.length) continue;
    const place = corners(span);
    const name = `${span.camera}:${place}`;
    if (!places.has(name)) places.set(name, { camera: span.camera, place, parts: [] });
    places.get(name).parts.push(...parts);
  }
  const cameras = new Map();
  for (const { camera, place, parts } of places.values()) {
    if (!cameras.has(camera)) cameras.set(camera, []);
    cameras.get(camera).push(...merged(parts).map((time) => ({ time, place })));
  }
  return new Map([...cameras].map(([camera, stretches]) => [camera, new Stretches(stretches)]));
}

/** Stretches in order of their beginnings; the latest end of each half, and of its halves, says which need no look. */
class Stretches {
  constructor(all) {
    this.all = all.sort((a, b) => a.time[0] - b.time[0]);
    this.latest = [];
    this.#note(0, all.length);
  }

  #note(from, to) {
    if (from >= to) return -Infinity;
    const middle = (from + to) >> 1;
    this.latest[middle] = Math.max(this.all[middle].time[1], this.#note(from, middle), this.#note(middle + 1, to));
    return this.latest[middle];
  }

  /** Those that share time with one, in order. */
  meeting(start, end, from = 0, to = this.all.length, found = []) {
    const middle = (from + to) >> 1;
    if (from >= to || this.latest[middle] <= start + SAME_S) return found;
    this.meeting(start, end, from, middle, found);
    const one = this.all[middle];
    if (one.time[0] >= end - SAME_S) return found;
    if (one.time[1] > start + SAME_S) found.push(one);
    return this.meeting(start, end, middle + 1, to, found);
  }
}

/** Times as a list of [start, end] that do not meet, in order. */
function merged(times) {
  const done = [];
  for (const [start, end] of times.toSorted((a, b) => a[0] - b[0])) {
    if (done.length && start <= done.at(-1)[1] + SAME_S) done.at(-1)[1] = Math.max(end, done.at(-1)[1]);
    else done.push([start, end]);
  }
  return done;
}

/** What two lists of times share; both are merged. */
function common(one, other) {
  const both = [];
  for (let i = 0, j = 0; i < one.length && j < other.length; ) {
    const [start, end] = [Math.max(one[i][0], other[j][0]), Math.min(one[i][1], other[j][1])];
    if (start < end - SAME_S) both.push([start, end]);
    if (one[i][1] < other[j][1]) i += 1;
    else j += 1;
  }
  return both;
}

/** All time that merged times leave over. */
const between = (times) => [-Infinity, ...times.flat(), Infinity].flatMap((at, place, all) => (place % 2 ? [] : [[at, all[place + 1]]]));

const lasting = (times) => times.reduce((total, [start, end]) => total + end - start, 0);

const named = (times) =>
  times.length > NAMED
    ? `${lasting(times).toFixed(1)} s in ${times.length} places`
    : times.map(([start, end]) => `${clock(start, 2)} to ${clock(end, 2)}`).join(" and ");
