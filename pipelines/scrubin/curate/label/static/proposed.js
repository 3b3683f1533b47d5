// What a program proposes and nobody has decided: pure functions. A pick is a proposal, or a part of it: of a track a frame, of a set a triplet.

import { actionOf, saysSet } from "./instants.js";
import { textOf } from "./lanes.js";
import { placeAt } from "./tracks.js";

const keyOf = ({ proposal, part }) => (part === null ? proposal : `${proposal}:${part}`);
const isIn = (triplets, one) => triplets.some((other) => other.join() === one.join());

/** What was decided, as sets of keys. */
export const decisionsOf = ({ taken, refused }) => ({ taken: new Set(taken), refused: new Set(refused) });

/** Of all proposals of a layer those that are not decided as a whole. */
export const undecided = (proposals, layer, { taken, refused }) =>
  proposals.filter((one) => one.layer === layer && !refused.has(one.key) && (one.triplets || !taken.has(one.key)));

/** What of a proposal can be taken or refused in a frame: [{proposal, part, text, label, place?, state?, name?}]. */
export function partsAt(one, frame, items, refused) {
  if (one.keys) {
    const here = placeAt(one, frame);
    if (!here || items[`${one.name}:${frame}`]) return [];
    const part = { proposal: one.key, part: frame, text: one.label, label: one.label, name: one.name, ...here };
    return refused.has(keyOf(part)) ? [] : [part];
  }
  if (one.triplets) return one.frame === frame ? partsOfSet(one, items, refused) : [];
  return one.first <= frame && frame < one.end ? [{ proposal: one.key, part: null, text: textOf(one), label: one.label, span: one }] : [];
}

function partsOfSet(one, items, refused) {
  const said = items[one.frame]?.triplets;
  // That nothing is in view has no parts; where something is said, it says nothing more.
  if (!one.triplets.length) return said ? [] : [{ proposal: one.key, part: null, text: saysSet([]), label: "" }];
  const parts = one.triplets.map((triplet, part) => ({ proposal: one.key, part, text: textOf(actionOf(triplet)), label: triplet[0], triplet }));
  return parts.filter((part) => !refused.has(keyOf(part)) && !isIn(said ?? [], part.triplet));
}

/** The first frame of a proposal that is open; undefined for none. */
export function beginsAt(one, items, refused) {
  if (!one.keys) {
    const frame = one.triplets ? one.frame : one.first;
    return partsAt(one, frame, items, refused).length ? frame : undefined;
  }
  for (let frame = one.keys[0].frame; frame <= one.keys.at(-1).frame; frame += 1) {
    if (partsAt(one, frame, items, refused).length) return frame;
  }
  return undefined;
}

/** What is open as the lanes show it: spans as they are, of tracks and sets where any is proposed, each frame once. */
export function ghostsOf(open, items, refused, sampled, count) {
  const nextOf = new Map(sampled.map((at, place) => [at, sampled[place + 1] ?? count]));
  const spans = open.flatMap((one) => {
    if (one.keys) return [{ first: one.keys[0].frame, end: one.keys.at(-1).frame + 1, label: "", text: one.layer }];
    if (!one.triplets) return [one];
    const set = { first: one.frame, end: nextOf.get(one.frame) ?? count, label: one.triplets[0]?.[0] ?? "", text: saysSet(one.triplets) };
    return partsAt(one, one.frame, items, refused).length ? [set] : [];
  });
  if (!open[0]?.keys && !open[0]?.triplets) return spans;
  const joined = [];
  for (const span of spans.sort((one, other) => one.first - other.first)) {
    const last = joined.at(-1);
    if (last && span.first <= last.end && span.text === last.text) last.end = Math.max(last.end, span.end);
    else joined.push({ ...span });
  }
  return joined;
}
