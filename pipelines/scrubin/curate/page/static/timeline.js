// The time line: a lane per camera and detector with its proposals, what people drew, and what nobody has seen yet.

import { byId, element, fill } from "./elements.js";
import { decisionName, isAsked, spanName } from "./kinds.js";
import { standsAs } from "./spans.js";
import { spanId, state } from "./state.js";
import { clock } from "./times.js";

const TICKS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600];
const MOST_TICKS = 12;
const SCORE_PX = 40;

/** Whether the reader chose a few colours for everything. */
const isForced = () => matchMedia("(forced-colors: active)").matches;

export class Timeline {
  constructor(sheet) {
    this.root = byId("timeline");
    this.sheet = sheet;
    state.on("recording marks", () => this.build());
    state.on("selection", () => this.#selection());
    state.on("cursor scroll", () => this.#cursor());
  }

  build() {
    if (!state.camera) {
      fill(this.root);
      return;
    }
    this.duration = Math.max(...state.files.map((file) => file.duration_s));
    const lanes = this.#lanes();
    this.cursor = element("div", { class: "cursor-line" });
    this.window = element("div", { class: "window" });
    this.marked = element("div", { class: "marked-span", hidden: true });
    const tracks = element("div", { class: "tracks" }, ...this.#cut(), this.window, this.marked, ...lanes.map((lane) => lane.track), this.#axis(), this.cursor);
    tracks.addEventListener("click", (event) => {
      if (event.target.closest("button")) return;
      const box = tracks.getBoundingClientRect();
      state.goTo(((event.clientX - box.left) / box.width) * this.duration);
    });
    fill(this.root, element("div", { class: "lane-names", "aria-hidden": "true" }, ...lanes.map((lane) => element("span", { title: lane.about ?? lane.name }, lane.name))), tracks);
    this.#selection();
    this.#cursor();
  }

  #lanes() {
    const several = state.files.length > 1;
    const byLane = new Map();
    for (const span of state.spans) {
      const name = `${isAsked(span) ? "the audit asks" : span.source}${several ? ` · ${span.camera}` : ""}`;
      if (!byLane.has(name)) byLane.set(name, []);
      byLane.get(name).push(span);
    }
    const lanes = [...byLane].sort(([a], [b]) => a.localeCompare(b)).map(([name, spans]) => this.#lane(name, spans));
    return [...lanes, this.#coverage()];
  }

  #lane(name, spans) {
    const track = element("div", { class: "track" });
    for (const span of spans) {
      const score = span.score === null ? "" : span.score.toFixed(2);
      const about = `${spanName(span)}, ${clock(span.start_s)} to ${clock(span.end_s)}, ${span.camera}${score ? `, score ${score}` : ""}, ${stands(span)}`;
      const button = element("button", { type: "button", class: `proposal kind-${span.kind}`, tabindex: "-1", "aria-label": about, title: about }, this.#isWide(span) && score ? element("span", { class: "score" }, score) : "");
      this.#place(button, span.start_s, span.end_s);
      for (const [start, end, decision] of span.parts) {
        const part = element("span", { class: `part ${decision}` });
        part.style.left = `${((start - span.start_s) / (span.end_s - span.start_s)) * 100}%`;
        part.style.width = `${((end - start) / (span.end_s - span.start_s)) * 100}%`;
        button.prepend(part);
      }
      button.dataset.span = spanId(span);
      button.addEventListener("click", () => state.select(span));
      track.append(button);
    }
    return { name, track };
  }

  #isWide(span) {
    return ((span.end_s - span.start_s) / this.duration) * this.root.clientWidth > SCORE_PX;
  }

  #coverage() {
    const track = element("div", { class: "track coverage" });
    for (const file of state.files) {
      for (const [first, last] of file.unseen) {
        const gap = element("span", { class: "unseen" });
        this.#place(gap, first, Math.min(last + 1, this.duration));
        track.append(gap);
      }
    }
    // What a still stood for was not looked at.
    for (const [, first, last] of state.folded) {
      const part = element("span", { class: "folded", title: `${clock(first, 0)} to ${clock(last + 1, 0)}: folded, not looked at` });
      this.#place(part, first, Math.min(last + 1, this.duration));
      track.append(part);
    }
    const [isSeen, isNot] = isForced() ? ["filled", "empty"] : ["green", "grey"];
    if (!state.folded.length) return { name: `seen (${isNot}: not yet)`, track };
    return { name: "seen (striped: folded)", about: `${isSeen}: seen; ${isNot}: not yet; striped: folded, not looked at`, track };
  }

  /** What ingest cuts off is not released. */
  #cut() {
    const start = Math.min(...state.files.map((file) => file.interval_s[0]));
    const end = Math.max(...state.files.map((file) => file.interval_s[1]));
    return [
      [0, start],
      [end, this.duration],
    ]
      .filter(([a, b]) => b - a > 0.01)
      .map(([a, b]) => {
        const off = element("span", { class: "cut-off", title: "cut off: not released" });
        this.#place(off, a, b);
        return off;
      });
  }

  #axis() {
    const axis = element("div", { class: "axis", "aria-hidden": "true" });
    const every = TICKS.find((tick) => this.duration / tick <= MOST_TICKS) ?? 7200;
    for (let at = 0; at < this.duration - every / 4; at += every) {
      const tick = element("span", {}, clock(at, 0));
      tick.style.left = `${(at / this.duration) * 100}%`;
      axis.append(tick);
    }
    return axis;
  }

  #place(part, start, end) {
    part.style.left = `${(start / this.duration) * 100}%`;
    part.style.width = `${(Math.max(end - start, 0) / this.duration) * 100}%`;
  }

  #selection() {
    for (const button of this.root.querySelectorAll(".proposal")) {
      const here = button.dataset.span === state.selected;
      button.classList.toggle("selected", here);
      button.setAttribute("aria-pressed", String(here));
    }
    const { inFrame, outFrame } = state;
    if (!this.marked) return;
    this.marked.hidden = inFrame === null && outFrame === null;
    if (this.marked.hidden) return;
    const times = state.times[state.camera];
    const [a, b] = [inFrame ?? outFrame, outFrame ?? inFrame].sort((x, y) => x - y);
    this.#place(this.marked, times.start(a), times.end(b));
  }

  #cursor() {
    if (!this.cursor || !state.camera) return;
    this.cursor.style.left = `${(state.timeS / this.duration) * 100}%`;
    const { layout, shown, columns } = this.sheet;
    if (!layout || !shown) return;
    // The unusual ones lie anywhere.
    this.window.hidden = state.isArranged;
    const from = this.sheet.cell(Math.min(shown.from * columns, layout.count - 1)).fromS;
    const to = this.sheet.cell(Math.min((shown.to + 1) * columns, layout.count) - 1).toS;
    this.#place(this.window, from, Math.min(to, this.duration));
  }
}

/** What was decided, with the own answer, and of parts that stand differently. */
const stands = (span) => (state.ownAnswer(span) || span.parts.length > 1 ? standsAs(span) : decisionName(span.decision));
