// What keys, buttons and the mouse do with sampled frames: each has a set of triplets, which may be empty, or is not labelled yet.

import { counted } from "./elements.js";
import { actionOf, saysSet } from "./instants.js";
import { textOf } from "./lanes.js";
import { isSeen } from "./meant.js";
import { store } from "./store.js";

const MOST_RECENT = 10;
const partsOf = ({ label, verb = "", target = "" }) => [label, verb, target];
const sameAs = (one) => (other) => one.join() === other.join();

export class Sampling {
  /** page: {layer, recent}; say: a sentence; show: draw anew. */
  constructor(page, player, say, show) {
    Object.assign(this, { page, player, say, show });
  }

  get items() {
    return store.view?.items[this.page.layer] ?? {};
  }

  /** The frame to which the player goes, or which it shows. */
  get frame() {
    return this.player.target ?? this.player.frame;
  }

  get here() {
    return this.items[this.player.frame];
  }

  get before() {
    const to = store.sampled.findLast((at) => at < this.player.frame);
    return to === undefined ? undefined : this.items[to];
  }

  /** Triplets with a key, each of which it keeps; at first those that are labelled. */
  get recent() {
    const { page } = this;
    const labelled = () => [...new Map(Object.values(this.items).flatMap(({ triplets }) => triplets.map((one) => [one.join(), one]))).values()];
    if (!page.recent.length) this.remember(labelled().slice(0, MOST_RECENT).map(actionOf));
    return page.recent;
  }

  /** A new one takes the next key; where all are taken, that of the last. */
  remember(actions) {
    const { page } = this;
    const fresh = actions.filter((one) => !page.recent.some((other) => textOf(other) === textOf(one)));
    page.recent = [...page.recent.slice(0, MOST_RECENT - fresh.length), ...fresh];
  }

  /** To the sampled frame before or after. */
  go(by, wanted = () => true) {
    const frames = store.sampled;
    const to = by > 0 ? frames.find((at) => at > this.frame && wanted(at)) : frames.findLast((at) => at < this.frame && wanted(at));
    if (to === undefined) return this.say(by > 0 ? "There is no further such frame." : "There is no such frame before.");
    return this.player.seek(to);
  }

  /** To one that nobody labelled yet. */
  goOn(by) {
    return this.go(by, (at) => !this.items[at]);
  }

  /** Whether the frame that is meant is seen and sampled; a picture that comes late is waited for. */
  async isReady() {
    const { player } = this;
    if (player.playing) player.pause();
    if (!(await isSeen(this.page, player, this.say))) return false;
    if (store.sampled.includes(player.frame)) return true;
    return this.say("This frame is not a sampled one: go on with the arrow keys.", true);
  }

  async put(triplets, says) {
    const { page, player } = this;
    page.acted = Date.now();
    const value = triplets && { frame: player.frame, triplets: triplets.toSorted((one, other) => (one.join() < other.join() ? -1 : 1)) };
    this.say(says);
    await store.change([{ layer: page.layer, key: String(player.frame), value }]);
  }

  /** A triplet is here; or no longer, where it was. */
  async toggle(action) {
    if (!(await this.isReady())) return undefined;
    const parts = partsOf(action);
    const now = this.here?.triplets ?? [];
    const isOff = now.some(sameAs(parts));
    this.remember([action]);
    const next = isOff ? now.filter((one) => !sameAs(parts)(one)) : [...now, parts];
    // Who takes the last one off has not said that nothing is there.
    if (!next.length) return this.put(null, "This frame is not labelled any more; N says that nothing is in view.");
    return this.put(next, `${textOf(action)} ${isOff ? "is no longer here" : "is here"}.`);
  }

  /** The set of the sampled frame before, here. */
  async repeat() {
    if (!(await this.isReady())) return undefined;
    const { before } = this;
    if (!before) return this.say("The sampled frame before is not labelled.", true);
    return this.put(before.triplets, `As before: ${saysSet(before.triplets)}.`);
  }

  async nothing() {
    if (!(await this.isReady())) return undefined;
    return this.put([], "Nothing is in view here.");
  }

  async clear() {
    if (!(await this.isReady())) return undefined;
    if (!this.here) return this.say("This frame is not labelled.", true);
    return this.put(null, "This frame is not labelled any more.");
  }

  /** What is said of the frame that is seen. */
  get text() {
    const left = store.sampled.filter((at) => !this.items[at]).length;
    const rest = left ? `${counted(left, "sampled frame")} not labelled` : "all sampled frames are labelled";
    if (!store.sampled.includes(this.player.frame)) return `Between two sampled frames; ${rest}`;
    return `${this.here ? saysSet(this.here.triplets) : "Not labelled yet"}; ${rest}`;
  }

  /** What this person labelled in frames of a dispute. */
  within(layer, first, end) {
    return Object.values(store.view.items[layer] ?? {}).filter((one) => first <= one.frame && one.frame < end);
  }
}
