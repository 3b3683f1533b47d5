// Sampled frames: what is said of each, and how the lanes show it.

import { textOf } from "./lanes.js";

const NOTHING = "nothing in view";

/** A triplet as it is kept in a set, by its parts. */
export const actionOf = ([label, verb, target]) => ({ label, verb, target });

/** What a set says. */
export const saysSet = (triplets) => triplets.map((one) => textOf(actionOf(one))).join(" + ") || NOTHING;

/** Sampled frames as the lanes show them: neighbours of one set are one mark, which ends where the next frame begins. */
export function spansOfInstants(items, sampled, count) {
  const spans = [];
  sampled.forEach((frame, place) => {
    const item = items?.[frame];
    if (!item) return;
    const [text, end] = [saysSet(item.triplets), sampled[place + 1] ?? count];
    const last = spans.at(-1);
    if (last && last.end === frame && last.text === text) last.end = end;
    else spans.push({ key: String(frame), first: frame, end, label: item.triplets[0]?.[0] ?? "", text, isEmpty: !item.triplets.length });
  });
  return spans;
}
