// The list of recordings: which are done, and what is left in the others.

import { byId, element, fill } from "./elements.js";
import { state } from "./state.js";

const FOLD_BELOW_PX = 1100;

export class Recordings {
  constructor(open) {
    this.open = open;
    this.items = new Map();
    byId("filter").addEventListener("change", () => this.build());
    byId("fold").addEventListener("click", () => this.fold());
    byId("list").addEventListener("keydown", (event) => this.#arrows(event));
    // Also when somebody zooms in, and back.
    const narrow = matchMedia(`(width < ${FOLD_BELOW_PX}px)`);
    narrow.addEventListener("change", () => this.fold(narrow.matches));
    this.fold(narrow.matches);
    state.on("study", () => this.build());
    state.on("recording", () => this.#current());
  }

  fold(folded = !document.body.classList.contains("folded")) {
    document.body.classList.toggle("folded", folded);
    byId("fold").setAttribute("aria-expanded", String(!folded));
  }

  build() {
    const leftOnly = byId("filter").value === "left";
    const shown = state.study.recordings.filter((one) => !leftOnly || !one.done || one.number === state.number);
    const drawn = JSON.stringify(shown);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    this.items.clear();
    fill(byId("list"), ...shown.map((one) => this.#item(one)));
    this.#current();
  }

  #item(one) {
    const [symbol, says] = one.status !== "kept" ? ["–", `${one.status}: ${one.reason}`] : one.done ? [one.reason === "finding" ? "✗" : "✓", one.reason || "done"] : ["", this.#left(one)];
    const button = element(
      "button",
      { type: "button", title: one.name, "data-key": one.number, onclick: () => this.open(one.number) },
      element("span", { class: "name" }, one.name),
      element("span", { class: "to-do" }, `${symbol} ${says}`.trim()),
    );
    const item = element("li", { class: one.status !== "kept" ? "not-kept" : one.done ? "done" : "left" }, button);
    this.items.set(one.number, button);
    return item;
  }

  #left(one) {
    const parts = [];
    if (one.asked) parts.push(`the audit asks about ${one.asked}`);
    if (one.undecided > one.asked) parts.push(`${one.undecided - one.asked} to decide`);
    if (one.disputed) parts.push(`${one.disputed} disputed`);
    if (one.lenses_missing > one.undecided) parts.push(`${one.lenses_missing} to look at closely`);
    if (one.unseen_s) parts.push(`${one.unseen_s} s to see`);
    if (one.stops_missing) parts.push(`${one.stops_missing} at full size`);
    if (one.lost) parts.push("file changed");
    return parts.join(", ");
  }

  #current() {
    for (const [number, button] of this.items) {
      const here = number === state.number;
      if (here) {
        button.setAttribute("aria-current", "true");
        button.scrollIntoView({ block: "nearest" });
      } else button.removeAttribute("aria-current");
    }
  }

  #arrows(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    const buttons = [...this.items.values()];
    buttons[buttons.indexOf(document.activeElement) + step]?.focus();
  }
}
