// What keys, buttons and the mouse do with tracks: key frames, the end of a track, labels, from one key frame to the next.

import { counted } from "./elements.js";
import { newKey, store } from "./store.js";
import { cut, dropKey, dropTrack, inside, movable, placeAt, putKey, relabel } from "./tracks.js";

const NEW_BOX = [0.4, 0.4, 0.2, 0.2];
const NEW_POINT = [0.5, 0.5];
const STEP = 0.005;

export class Tracking {
  /** page: {layer, selected, trackLabel, chosen}; say: a sentence; show: draw anew. */
  constructor(page, player, say, show) {
    Object.assign(this, { page, player, say, show });
  }

  get tracks() {
    return store.tracks(this.page.layer);
  }

  get selected() {
    return this.tracks.find((one) => one.name === this.page.selected);
  }

  get isSaidHere() {
    return Boolean(this.selected?.keys.some((one) => one.frame === this.player.frame && one.place.length));
  }

  /** What the next press writes, as the panel shows it. */
  get label() {
    return this.page.chosen.next ?? this.selected?.label ?? this.lastLabel;
  }

  get lastLabel() {
    return this.page.trackLabel ?? store.layer(this.page.layer).names[0];
  }

  /** A key frame here, of the named track, else of the chosen one; of a new one where a label was just chosen, or a box is drawn beside its own. Hidden stays hidden. */
  place(name, place, said = null) {
    const { page, player } = this;
    const chosen = page.chosen.next || (page.layer === "boxes" && this.isSaidHere) ? null : this.selected;
    const track = name ? this.tracks.find((one) => one.name === name) : chosen;
    if (name && !track) return this.say("What you moved is gone meanwhile: nothing was labelled.", true);
    const label = track?.label ?? this.label;
    const state = said ?? (track && movable(track, player.frame).state) ?? "seen";
    page.selected = track ? track.name : newKey();
    page.acted = Date.now();
    this.say(`${label}: ${said ?? `key frame at frame ${player.frame}${state === "hidden" ? ", hidden" : ""}`}.`);
    return store.change(putKey(page.layer, page.selected, label, player.frame, inside(place), state));
  }

  /** The chosen track has a key frame where it is here, or was last. */
  key() {
    const track = this.selected;
    if (!track) return this.say("No track is chosen: draw one, or click one.", true);
    return this.place(track.name, movable(track, this.player.frame).place);
  }

  /** A new one in the middle, for those who use no mouse. */
  begin() {
    this.page.chosen.next = this.label;
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
    return this.place(track.name, here.place, here.state === "hidden" ? "seen" : "hidden");
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

  /** The label of the next new track: what is drawn from here on is a new one. */
  name(label) {
    this.page.trackLabel = this.page.chosen.next = label;
    this.say(`The next one is ${label}: draw it.${this.selected ? ` C says that the chosen one, ${this.selected.label}, is ${label}.` : ""}`);
    return this.show();
  }

  /** The chosen track has the label that was chosen last. */
  rename() {
    const { selected: track, lastLabel: label } = this;
    if (!track) return this.say("No track is chosen.", true);
    this.page.chosen.next = null;
    this.say(`The track is ${label}.`);
    return track.label === label ? this.show() : store.change(relabel(this.page.layer, track, label));
  }

  /** Move or stretch what is chosen by a step of the picture. */
  nudge(x, y, stretch) {
    const track = this.selected;
    if (!track) return this.say("No track is chosen.", true);
    const { place } = movable(track, this.player.frame);
    const by = stretch && place.length > 2 ? [0, 0, x * STEP, y * STEP] : [x * STEP, y * STEP, 0, 0];
    const moved = place.map((side, at) => side + by[at]);
    if (place.length > 2) [moved[2], moved[3]] = [Math.max(STEP, moved[2]), Math.max(STEP, moved[3])];
    return this.place(track.name, moved);
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
