// The adjudicator's view: from one place that is to be settled to the next by a key, and what stands over the picture.

import { byId, counted } from "./elements.js";
import { store } from "./store.js";

export class Adjudicating {
  /** say: a sentence; goTo: a dispute, resolves when it is shown. */
  constructor(player, say, goTo) {
    Object.assign(this, { player, say, goTo });
  }

  get disputes() {
    return store.view?.disputes ?? [];
  }

  /** To a place that is still open, in order of time, round and round; its first answer has the focus, so that Enter takes it, and no other key. */
  async go(by) {
    const open = this.disputes.filter((one) => one.open);
    if (!open.length) return this.say(store.view.differ.length ? "Only the ratings differ: give a sheet of your own." : "All is settled.");
    const at = open.findIndex((one) => isSame(one, this.chosen));
    const next = open[at < 0 ? this.nearest(open, by) : (at + by + open.length) % open.length];
    this.chosen = next;
    // Enter before the place is there takes no answer of the one before.
    document.activeElement?.blur();
    await this.goTo(next);
    if (!isSame(next, this.chosen)) return undefined;
    this.focus(next);
    return this.say(`To settle, ${open.indexOf(next) + 1} of ${open.length}: ${next.layer}. Tab goes from answer to answer, Enter takes one, Space plays.`);
  }

  nearest(open, by) {
    const { frame } = this.player;
    const at = by > 0 ? open.findIndex((one) => one.end > frame) : open.findLastIndex((one) => one.first < frame);
    return at < 0 ? (by > 0 ? 0 : open.length - 1) : at;
  }

  focus(dispute) {
    const at = this.disputes.findIndex((one) => isSame(one, dispute));
    const item = byId("disputes").querySelectorAll(".dispute")[at];
    item?.querySelector(".answers button")?.focus();
    item?.scrollIntoView({ block: "nearest" });
  }

  /** What was said of a layer of tracks in frames that are open, and what stands in all others. */
  others(layer) {
    const open = this.disputes.filter((one) => one.layer === layer && one.open);
    const said = open.flatMap((one) => Object.entries(one.said).flatMap(([letter, tracks]) => tracks.map((track) => ({ letter, track }))));
    return [...said, ...(store.view.agreed?.[layer] ?? []).map((track) => ({ letter: "stands", track }))];
  }

  /** Settle a place, and say what is left. */
  async settle(view, dispute, answer) {
    this.chosen = dispute;
    if (!(await store.settle(view, dispute, answer))) return;
    const left = this.disputes.filter((one) => one.open).length;
    const isSettled = this.disputes.some((one) => isSame(one, dispute) && !one.open);
    if (isSettled) this.say(left ? `Settled; ${counted(left, "place")} left, D goes to the next.` : "Settled; that was the last one.");
  }
}

const isSame = (one, other) => other && one.layer === other.layer && one.first === other.first && one.end === other.end;
