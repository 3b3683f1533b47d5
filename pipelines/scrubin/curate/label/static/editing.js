// What keys and buttons make of the spans of a layer: pure functions from what stands to changes.

import { newKey, spanOf } from "./store.js";

/** From a frame on, until the next change, it is this label. */
export function changeAt(layer, spans, frame, count, label) {
  const here = spans.find((one) => one.first <= frame && frame < one.end);
  if (here?.label === label) return [];
  const next = spans.find((one) => one.first > frame);
  const before = spans.find((one) => one.end === frame);
  const end = here ? here.end : (next?.first ?? count);
  const changes = [];
  if (here) {
    const value = here.first < frame ? spanOf({ ...here, end: frame }) : null;
    changes.push({ layer, key: here.key, value });
  }
  // What begins where its own label ends, or ends where it begins, is one span.
  const after = next && next.first === end && next.label === label ? next : null;
  if (after) changes.push({ layer, key: after.key, value: null });
  const last = after ? after.end : end;
  if (before && before.label === label && (!here || here.first === frame)) {
    changes.push({ layer, key: before.key, value: spanOf({ ...before, end: last }) });
  } else {
    changes.push({ layer, key: newKey(), value: spanOf({ first: frame, end: last, label }) });
  }
  return changes;
}

/** Move an edge of a span to a frame; a neighbour of a layer with one label at a time gives way. */
export function moveEdge(layer, spans, span, side, frame, exclusive) {
  const moved = { ...span, [side]: side === "end" ? frame + 1 : frame };
  if (moved.end <= moved.first) return [];
  const changes = [{ layer, key: span.key, value: spanOf(moved) }];
  if (!exclusive) return changes;
  const touching = (one) => (side === "end" ? one.first === span.end : one.end === span.first);
  for (const one of spans) {
    if (one.key === span.key) continue;
    const isShifted = touching(one);
    if (!isShifted && !(one.first < moved.end && moved.first < one.end)) continue;
    const cut = side === "end" ? { ...one, first: moved.end } : { ...one, end: moved.first };
    changes.push({ layer, key: one.key, value: cut.end > cut.first ? spanOf(cut) : null });
  }
  return changes;
}

/** Two spans of one, the second from a frame on. */
export function split(layer, span, frame) {
  if (frame <= span.first || frame >= span.end) return [];
  return [
    { layer, key: span.key, value: spanOf({ ...span, end: frame }) },
    { layer, key: newKey(), value: spanOf({ ...span, first: frame }) },
  ];
}

/** A span and the next one as one, with the label of the first. */
export function merge(layer, spans, span) {
  const next = spans.find((one) => one.key !== span.key && one.first >= span.end);
  if (!next) return [];
  return [
    { layer, key: next.key, value: null },
    { layer, key: span.key, value: spanOf({ ...span, end: next.end }) },
  ];
}

/** A span as a label of its own; in a layer with one label at a time all others give way. */
export function place(layer, spans, span, exclusive, proposal = "") {
  const changes = [{ layer, key: newKey(), value: spanOf(span), proposal }];
  for (const one of exclusive ? spans : []) {
    if (one.first >= span.end || one.end <= span.first) continue;
    const [before, after] = [{ ...one, end: span.first }, { ...one, first: span.end }];
    const keeps = before.end > before.first;
    changes.push({ layer, key: one.key, value: keeps ? spanOf(before) : after.end > after.first ? spanOf(after) : null });
    if (keeps && after.end > after.first) changes.push({ layer, key: newKey(), value: spanOf(after) });
  }
  return changes;
}
