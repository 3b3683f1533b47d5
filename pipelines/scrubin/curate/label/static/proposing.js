// What keys, buttons and the mouse do with what a program proposes: take it or not, one, all of its track, or all of the frame.

import { place } from "./editing.js";
import { byId, counted, element, fill } from "./elements.js";
import { isSeen } from "./meant.js";
import { beginsAt, decisionsOf, ghostsOf, partsAt, undecided } from "./proposed.js";
import { store } from "./store.js";

const ONE = "one";
const ALL = "all";
const HERE = "here";
const idOf = ({ proposal, part }) => `${proposal}/${part ?? ""}`;

export class Proposing {
  /** page: {layer, selected, proposal}; say: a sentence; show: draw anew. */
  constructor(page, player, say, show) {
    Object.assign(this, { page, player, say, show });
    for (const button of byId("proposal-buttons").children) {
      button.onclick = () => this[button.dataset.do](button.dataset.of);
    }
  }

  get decisions() {
    if (this.known !== store.view?.decided) [this.known, this.decided] = [store.view?.decided, decisionsOf(store.view?.decided ?? { taken: [], refused: [] })];
    return this.decided;
  }

  itemsOf(layer) {
    return store.view?.items[layer] ?? {};
  }

  open(layer) {
    return undecided(store.proposals, layer, this.decisions);
  }

  /** Of a proposal of a layer, the first frame that is open. */
  begins(layer, one) {
    return beginsAt(one, this.itemsOf(layer), this.decisions.refused);
  }

  /** What is proposed in a frame of the present layer. */
  at(frame) {
    const { layer } = this.page;
    return this.open(layer).flatMap((one) => partsAt(one, frame, this.itemsOf(layer), this.decisions.refused));
  }

  get here() {
    return this.at(this.player.frame);
  }

  /** The one that is meant: the chosen one, else the first of this frame. */
  get chosen() {
    const { here } = this;
    return here.find((one) => idOf(one) === this.page.proposal) ?? here[0];
  }

  ghosts(layer) {
    return ghostsOf(this.open(layer), this.itemsOf(layer), this.decisions.refused, store.sampled, this.player.count);
  }

  /** Of this frame, for the picture: a place each, and whether it is the chosen one. */
  get placed() {
    return (frame) => {
      const { chosen } = this;
      return this.at(frame)
        .filter((one) => one.place)
        .map((one) => ({ ...one, id: idOf(one), isChosen: idOf(one) === (chosen && idOf(chosen)) }));
    };
  }

  choose(id) {
    this.page.proposal = id;
    const { chosen } = this;
    if (chosen) this.say(`Proposed: ${chosen.text}.`);
    return this.show();
  }

  /** Choose the next one that is proposed in this frame. */
  async next() {
    if (!(await isSeen(this.page, this.player, this.say))) return undefined;
    const { here, chosen } = this;
    if (!here.length) return this.say("Nothing is proposed in this frame.");
    return this.choose(idOf(here[(here.findIndex((one) => idOf(one) === idOf(chosen)) + 1) % here.length]));
  }

  /** To where the next one begins. */
  go() {
    const { layer } = this.page;
    const begins = this.open(layer)
      .map((one) => this.begins(layer, one))
      .filter((at) => at !== undefined)
      .sort((one, other) => one - other);
    const to = begins.find((at) => at > this.player.frame) ?? begins[0];
    if (to === undefined) return this.say(`Nothing more is proposed for ${layer}.`);
    return this.player.seek(to).then(this.show);
  }

  /** What is meant: one, all of its track or set, or all of this frame. What comes later is gone to, so that it is seen before it is decided. */
  async meant(of) {
    if (!this.here.length) {
      await this.go();
      const [next] = this.here;
      if (next) this.say(`Proposed: ${next.text}. Nothing is decided about it yet.`);
      return [];
    }
    const { here, chosen } = this;
    if (of === HERE) return here;
    if (!chosen) return [];
    const isWhole = of === ALL && chosen.place;
    return of === ALL && chosen.triplet ? here.filter((one) => one.proposal === chosen.proposal) : [isWhole ? { ...chosen, part: null } : chosen];
  }

  get isSpans() {
    return !store.layer(this.page.layer).tracks && !store.layer(this.page.layer).instants;
  }

  take(of) {
    return this.decide(of, (picks) => {
      this.say(`Taken: ${picks.map((one) => one.text).join("; ")}${of === ALL && picks[0].place ? ", all of the track" : ""}.`);
      if (this.isSpans) return this.takeSpans(picks);
      const { name } = picks[0];
      if (name) this.page.selected = name;
      return store.decide("/api/take", picks);
    });
  }

  /** Each is a label of its own, whose edges can be moved as those of any; of a layer with one at a time, others give way. */
  takeSpans(picks) {
    const { layer } = this.page;
    const { exclusive = false } = store.layer(layer);
    const changes = (exclusive ? picks.slice(0, 1) : picks).map(({ span }) => place(layer, store.spans(layer), span, exclusive, span.key));
    this.page.selected = changes[0][0].key;
    return store.change(changes.flat());
  }

  refuse(of) {
    return this.decide(of, (picks) => {
      this.say(`Not taken: ${picks.map((one) => one.text).join("; ")}${of === ALL && picks[0].place ? ", nothing of the track" : ""}.`);
      return store.decide("/api/refuse", picks, { refused: true });
    });
  }

  /** Decide what is meant, one after the other: before the answer is there, a second key would mean the same once more. */
  async decide(of, act) {
    if (this.isDeciding) return this.say("What you decided before is not answered yet: this was not taken.", true);
    this.isDeciding = true;
    return store.during(() => this.act(of, act)).finally(() => (this.isDeciding = false));
  }

  /** Whoever decided stays: what was taken may be moved or added to, and the next key would be of a frame that nobody looked at. */
  async act(of, act) {
    if (!(await isSeen(this.page, this.player, this.say))) return undefined;
    const picks = await this.meant(of);
    if (!picks.length) return undefined;
    const { page } = this;
    page.acted = Date.now();
    const { proposal } = page;
    await act(picks);
    // Who chose meanwhile keeps what they chose.
    if (page.proposal === proposal) page.proposal = null;
    return this.show();
  }

  /** What is proposed here, with buttons for all that keys do. */
  showHere() {
    const section = byId("proposals");
    const { layer } = this.page;
    const open = store.view && layer !== "ratings" ? this.open(layer).filter((one) => this.begins(layer, one) !== undefined) : [];
    section.hidden = !open.length;
    if (!open.length) return;
    const { here, chosen } = this;
    const list = here.map((one) => {
      const isChosen = idOf(one) === idOf(chosen);
      return element("li", {}, element("button", { type: "button", class: "label-name", "aria-pressed": String(isChosen), "data-key": idOf(one), onclick: () => this.choose(idOf(one)) }, one.text));
    });
    byId("proposals-title").textContent = `${here.length ? `${here.length} proposed here` : "nothing proposed here"}; ${counted(open.length, "proposal")} left`;
    fill(byId("proposals-here"), ...list);
    for (const button of byId("proposal-buttons").children) {
      button.disabled = button.dataset.do !== "go" && !here.length;
      if (button.dataset.of === ALL) button.hidden = !store.layer(layer).tracks;
    }
  }

  /** The keys, for the table of all keys. */
  get keys() {
    const of = (event) => (event.shiftKey ? ALL : ONE);
    const group = "Proposals";
    return [
      { keys: ["p"], shown: ["P"], does: "take what is proposed here, or go to the next; with Shift all of its track", group, run: (event) => this.take(of(event)) },
      { keys: ["x"], shown: ["X"], does: "do not take it; with Shift nothing of its track", group, run: (event) => this.refuse(of(event)) },
      { keys: ["f"], shown: ["F"], does: "take all of this frame; with Shift none of it", group, run: (event) => (event.shiftKey ? this.refuse(HERE) : this.take(HERE)) },
      { keys: ["e"], shown: ["E"], does: "choose the next one that is proposed here", group, run: () => this.next() },
      { keys: ["g"], shown: ["G"], does: "to what is proposed next", group, run: () => this.go() },
    ];
  }
}
