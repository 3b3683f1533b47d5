// What lies over a frame: proposals and drawn spans, what was decided about them, and what the release will hide.

import { state } from "./state.js";
import { decisionName, isAsked, spanName } from "./kinds.js";

const SAME_S = 1e-6;

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
