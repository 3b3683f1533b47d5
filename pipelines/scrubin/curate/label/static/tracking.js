// What keys, buttons and the mouse do with tracks: key frames, the end of a track, labels, from one key frame to the next.

import { counted } from "./elements.js";
import { newKey, store } from "./store.js";
import { cut, dropKey, dropTrack, inside, nearest, placeAt, putKey, relabel } from "./tracks.js";

const NEW_BOX = [0.4, 0.4, 0.2, 0.2];
const NEW_POINT = [0.5, 0.5];
const STEP = 0.005;

export class Tracking {
  /** page: {layer, selected, trackLabel}; say: a sentence; show: draw anew. */
  constructor(page, player, say, show) {
    Object.assign(this, { page, player, say, show });
  }

  get tracks() {
    return store.tracks(this.page.layer);
  }

  get selected() {
    return this.tracks.find((one) => one.name === this.page.selected);
  }

  get label() {
    return this.page.trackLabel ?? store.layer(this.page.layer).names[0];
  }

  /** A key frame here, of the track or a new one. */
  place(name, place, state = "seen") {
    const { page, player } = this;
    const own = name ?? (page.layer === "points" && page.selected) ?? null;
    const track = own && this.tracks.find((one) => one.name === own);
    page.selected = track ? track.name : newKey();
    page.acted = Date.now();
    this.say(`${track?.label ?? this.label}: key frame at frame ${player.frame}.`);
    return store.change(putKey(page.layer, page.selected, track?.label ?? this.label, player.frame, inside(place), state));
  }

  /** The chosen track has a key frame where it is here, or was last. */
  key() {
    const track = this.selected;
    if (!track) return this.say("No track is chosen: draw one, or click one.", true);
    const here = placeAt(track, this.player.frame) ?? nearest(track, this.player.frame);
    return this.place(track.name, here.place, here.state);
  }

  /** A new one in the middle, for those who use no mouse. */
  begin() {
    this.page.selected = null;
    return this.place(null, this.page.layer === "points" ? NEW_POINT : NEW_BOX);
  }

  outside() {
    const track = this.selected;
    if (!track) return this.say("No track is chosen.", true);
    const { frame } = this.player;
    if (track.keys[0].frame >= frame) return this.say("The track begins here or later; remove its key frame instead.", true);
    this.say(`${track.label}: outside of the picture from frame ${frame} on.`);
    return store.change(putKey(this.page.layer, track.name, track.label, frame, [], "outside"));
  }

  hide() {
    const track = this.selected;
    const here = track && placeAt(track, this.player.frame);
    if (!here || this.page.layer !== "points") return this.say("No point is chosen here.", true);
    const state = here.state === "hidden" ? "seen" : "hidden";
    return this.place(track.name, here.place, state).then(() => this.say(`${track.label}: ${state}.`));
  }

  remove(whole) {
    const track = this.selected;
    if (!track) return this.say("No track is chosen.", true);
    const { frame } = this.player;
    const isLast = track.keys.length === 1 || (track.keys[0].frame === frame && track.keys.slice(1).every((one) => one.state === "outside"));
    if (!whole && !track.keys.some((one) => one.frame === frame)) return this.say("There is no key frame here; Shift and Del remove the whole track.", true);
    if (whole || isLast) this.page.selected = null;
    return store.change(whole || isLast ? dropTrack(this.page.layer, track) : dropKey(this.page.layer, track.name, frame));
  }

  /** The label of the chosen track, else of the next new one. */
  name(label) {
    this.page.trackLabel = label;
    const track = this.selected;
    this.say(track ? `The track is ${label}.` : `The next one is ${label}.`);
    if (track && track.label !== label) return store.change(relabel(this.page.layer, track, label));
    return this.show();
  }

  /** Move or stretch what is chosen by a step of the picture. */
  nudge(x, y, stretch) {
    const track = this.selected;
    if (!track) return this.say("No track is chosen.", true);
    const { place, state = "seen" } = placeAt(track, this.player.frame) ?? nearest(track, this.player.frame);
    const by = stretch && place.length > 2 ? [0, 0, x * STEP, y * STEP] : [x * STEP, y * STEP, 0, 0];
    const moved = place.map((side, at) => side + by[at]);
    if (place.length > 2) [moved[2], moved[3]] = [Math.max(STEP, moved[2]), Math.max(STEP, moved[3])];
    return this.place(track.name, moved, state);
  }

  /** To the key frame before or after, of the chosen track, else of any. */
  go(by) {
    const keys = (this.selected ? [this.selected] : this.tracks).flatMap((one) => one.keys.map((key) => key.frame)).sort((a, b) => a - b);
    const frame = this.player.target ?? this.player.frame;
    const to = by > 0 ? keys.find((at) => at > frame) : keys.findLast((at) => at < frame);
    if (to === undefined) return this.say("There is no further key frame.");
    return this.player.seek(to).then(this.show);
  }

  /** Choose the next track of this frame. */
  next() {
    const here = this.tracks.filter((one) => placeAt(one, this.player.frame));
    if (!here.length) return this.say("No track is in this frame.");
    this.page.selected = here[(here.findIndex((one) => one.name === this.page.selected) + 1) % here.length].name;
    this.say(this.text);
    return this.show();
  }

  /** What is said of the chosen track. */
  get text() {
    const track = this.selected;
    if (!track) return "No track is chosen: draw one, or click one.";
    const here = placeAt(track, this.player.frame);
    const how = !here ? "not in this frame" : here.said ? "key frame here" : "interpolated here, nobody said it";
    return `${track.label}: ${how}${here?.state === "hidden" ? ", hidden" : ""}; ${counted(track.keys.length, "key frame")}`;
  }

  /** What this person labelled in frames of a dispute. */
  within(layer, first, end) {
    return store
      .tracks(layer)
      .map((one) => cut(one, first, end))
      .filter(Boolean);
  }
}
