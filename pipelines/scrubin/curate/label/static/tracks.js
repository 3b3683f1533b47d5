// Tracks at key frames: pure functions from what stands to what is where, and to changes. What lies between key frames nobody said.

const MILLION = 1e6;

/** A place as it is sent: shares of the picture, to a millionth. */
export const rounded = (place) => place.map((side) => Math.round(side * MILLION) / MILLION);

/** The tracks of a layer's items: {name, label, keys}, keys in order of time. */
export function tracksOf(items) {
  const byName = new Map();
  for (const [key, value] of Object.entries(items ?? {})) {
    const name = key.slice(0, key.lastIndexOf(":"));
    byName.set(name, [...(byName.get(name) ?? []), value]);
  }
  return [...byName].map(([name, keys]) => ({ name, label: keys[0].label, keys: keys.sort((one, other) => one.frame - other.frame) }));
}

/** What a track is in a frame: {place, said, state}; null where it is not. */
export function placeAt({ keys }, frame) {
  const before = keys.findLast((one) => one.frame <= frame);
  const after = keys.find((one) => one.frame > frame);
  if (!before || before.state === "outside" || (!after && before.frame !== frame)) return null;
  const said = before.frame === frame && !before.computed;
  if (before.frame === frame || after.state === "outside") return { place: before.place, said, state: before.state };
  const share = (frame - before.frame) / (after.frame - before.frame);
  return { place: before.place.map((side, at) => side + share * (after.place[at] - side)), said, state: before.state };
}

/** The last place that was said before a frame, else the next one: where a key frame begins. */
export function nearest({ keys }, frame) {
  const placed = keys.filter((one) => one.place.length);
  return placed.findLast((one) => one.frame <= frame) ?? placed[0];
}

/** Where a track is in a frame, or was last, and whether it is hidden: what moves. */
export const movable = (track, frame) => placeAt(track, frame) ?? nearest(track, frame);

/** A track as a span for the lanes: from its first key frame to its last. */
export const spanOfTrack = ({ name, label, keys }) => ({ key: name, first: keys[0].frame, end: keys.at(-1).frame + 1, label });

/** Say what a track is in a frame. */
export const putKey = (layer, name, label, frame, place, state = "seen") => [
  { layer, key: `${name}:${frame}`, value: { frame, label, place: rounded(place), state, computed: false } },
];

/** A track has nothing to say of a frame any more. */
export const dropKey = (layer, name, frame) => [{ layer, key: `${name}:${frame}`, value: null }];

export const dropTrack = (layer, { name, keys }) => keys.flatMap((one) => dropKey(layer, name, one.frame));

export const relabel = (layer, { name, keys }, label) => keys.map((one) => ({ layer, key: `${name}:${one.frame}`, value: { ...one, label } }));

/** A track in frames alone, as an answer is sent; null where it has none there. */
export function cut(track, first, end) {
  const { name, label, keys } = track;
  const cutAt = (frame) => {
    const here = placeAt(track, frame);
    return here && { frame, label, place: rounded(here.place), state: here.state, computed: !here.said };
  };
  const inside = keys.filter((one) => first <= one.frame && one.frame < end);
  const edges = [first, end - 1].filter((frame) => !inside.some((one) => one.frame === frame)).map(cutAt);
  const ordered = [...inside, ...edges.filter(Boolean)].sort((one, other) => one.frame - other.frame);
  const begins = ordered.findIndex((one) => one.place.length);
  return begins < 0 ? null : { name, keys: ordered.slice(begins) };
}

/** Where a track has left the picture already before a frame, and does not come back: its end moves there. Null where there is no such end. */
export function movedEnd(layer, track, frame) {
  const last = track.keys.at(-1);
  const to = last.state === "outside" && last.frame < frame ? putKey(layer, track.name, track.label, frame, [], "outside") : null;
  return to && { from: last.frame, changes: [...dropKey(layer, track.name, last.frame), ...to] };
}

/** A box inside the picture, as large as it is if it can be; a point in it. */
export function inside(place) {
  const [x, y, w = 0, h = 0] = place;
  const [width, height] = [Math.min(w, 1), Math.min(h, 1)];
  const corner = [Math.max(0, Math.min(x, 1 - width)), Math.max(0, Math.min(y, 1 - height))];
  return place.length > 2 ? [...corner, width, height] : corner;
}
