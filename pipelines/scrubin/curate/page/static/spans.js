// What lies over a frame: proposals and drawn spans, what was decided about them, and what the release will hide.

import { isUndecided, state } from "./state.js";
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

/** What covers a time, for screen readers. */
export function says(camera, fromS, toS) {
  return over(camera, fromS, toS)
    .map(({ span, decision }) => `${spanName(span)}, ${decisionName(decision)}`)
    .join("; ");
}

/** What comes of a span as things stand: what of it is shown, what stays hidden, and why. */
export function comesTo(span) {
  if (isAsked(span)) return ofAsked(span);
  const hidden = hiddenTimes(span);
  const isWhole = lasting(hidden) > span.end_s - span.start_s - SAME_S;
  if (!hidden.length) return "shown";
  return isWhole ? whyAllHidden(span) : `shown but for ${named(hidden)}: ${whyHidden(span)}`;
}

/** The same with the own answer, while others may still answer otherwise. */
export function standsAs(span) {
  const [own, { reviewers }] = [state.ownAnswer(span), state.study];
  if (own && reviewers > 1 && (span.disputed || span.decision === "unreviewed")) {
    return `${isAsked(span) && own === "rejected" ? "you say that it may be seen" : OWN[own]}; ${comesTo(span)}`;
  }
  if (own || span.disputed || span.parts.some((part) => part[2] !== "unreviewed")) return comesTo(span);
  return isAsked(span) ? "not answered: nothing is released before somebody answers" : notDecided();
}

const notDecided = () => `not decided: hidden unless ${state.study.reviewers === 1 ? "you show it" : `${state.study.reviewers} people show it`}`;
const waitsForOthers = () => (state.study.reviewers === 2 ? "hidden until a second person shows it too" : `hidden until ${state.study.reviewers} people show it`);

function ofAsked(span) {
  if (span.disputed) return "people disagree: hidden";
  if (span.decision !== "unreviewed") return decisionName(span.decision);
  return `nothing is released before ${state.study.reviewers === 2 ? "a second person says" : `${state.study.reviewers} people say`} so, too`;
}

/** Why nothing of a span is shown, though somebody decided about it. */
function whyAllHidden(span) {
  if (span.disputed || !isOpen(span)) return span.decision === "rejected" ? "shown, but another span hides all of it" : whyHidden(span);
  const inner = openInside(span);
  if (!inner.length) return whyHidden(span);
  const begins = state.study.reviewers === 1 ? "hidden" : waitsForOthers();
  return `${begins}; ${inner.length === 1 ? "another span" : "other spans"} in it, ${named(inner.map((one) => [one.start_s, one.end_s]))}, must be decided as well`;
}

/** Why a part of a span stays hidden. */
function whyHidden(span) {
  if (span.disputed) return "people disagree: hidden";
  if (isOpen(span)) {
    if (openInside(span).length) return "another span there is not decided, and hides it";
    return state.ownAnswer(span) && state.study.reviewers > 1 ? waitsForOthers() : notDecided();
  }
  return span.parts.some((part) => part[2] === "accepted") ? "hidden" : "another span hides it";
}

const isOpen = (span) => span.parts.some((part) => part[2] === "unreviewed");

/** Spans inside one about which this person did not decide: who shows the larger one says nothing of them. */
const openInside = (span) => state.spans.filter((one) => one.camera === span.camera && span.inside?.includes(one.key) && isUndecided(one));

/** When something hides the place of a span, by itself or by another one over it: a list of [start, end] inside the span, in order. */
function hiddenTimes(span) {
  const isOver = (one) => one.camera === span.camera && !isAsked(one) && (!one.box_xywh || String(one.box_xywh) === String(span.box_xywh));
  const times = state.spans
    .filter(isOver)
    .flatMap((one) => one.parts)
    .filter(([start, end, decision]) => decision !== "rejected" && start < span.end_s - SAME_S && span.start_s < end - SAME_S)
    .map(([start, end]) => [Math.max(start, span.start_s), Math.min(end, span.end_s)])
    .sort((a, b) => a[0] - b[0]);
  const merged = [];
  for (const [start, end] of times) {
    if (merged.length && start <= merged.at(-1)[1] + SAME_S) merged.at(-1)[1] = Math.max(end, merged.at(-1)[1]);
    else merged.push([start, end]);
  }
  return merged;
}

const lasting = (times) => times.reduce((total, [start, end]) => total + end - start, 0);

const named = (times) =>
  times.length > NAMED
    ? `${lasting(times).toFixed(1)} s in ${times.length} places`
    : times.map(([start, end]) => `${clock(start, 2)} to ${clock(end, 2)}`).join(" and ");
