// What stands above and below the pictures: name, what is left in this recording, progress, and the selected span in words.

import { byId, counted, element, fill, key } from "./elements.js";
import { isAsked, spanName } from "./kinds.js";
import { standsAs } from "./spans.js";
import { STEPS_S, isLeft, isUndecided, state } from "./state.js";
import { clock, lasting } from "./times.js";

export class Heading {
  constructor({ watch, unseen, next, nextRecording, isReleased, isSampled }) {
    Object.assign(this, { watch, unseen, next, nextRecording, isReleased, isSampled });
    state.on("study", () => this.#progress());
    state.on("recording marks study", () => this.#recording());
    state.on("recording marks selection cursor", () => this.#span());
    state.on("recording cursor layout", () => this.#view());
    state.on("attention", () => this.#attention());
  }

  #progress() {
    const { done, left } = state.study.progress;
    byId("bar").max = Math.max(done + left, 1);
    byId("bar").value = done;
    const rest = left ? restOf(state.study.progress) : "";
    byId("pace").textContent = `${done} of ${done + left} done${rest ? ` · ${rest} left` : ""}`;
  }

  #recording() {
    if (!state.view) return;
    const { summary } = state.view;
    byId("name").textContent = summary.name;
    byId("name").title = summary.name;
    const cameras = summary.cameras.length > 1 ? ` · ${summary.cameras.join(" and ")}` : "";
    const shares = Object.values(state.prepared).filter((share) => share < 1);
    const preparing = shares.length ? ` · preparing pictures, ${Math.round(Math.min(...shares) * 100)} %` : "";
    byId("about").textContent = `${summary.task} · ${clock(summary.duration_s, 0)}${cameras}${preparing}`;
    fill(byId("todo"), ...this.#todo(summary));
  }

  #todo(summary) {
    if (summary.status !== "kept") {
      return [element("li", { class: "said" }, `${summary.status}: ${summary.reason || "not released"}`)];
    }
    const seconds = (runs) => runs.reduce((total, [, first, last]) => total + last - first + 1, 0);
    const [unseen, folded] = [seconds(state.gaps), seconds(state.folded)];
    const spans = state.spans.filter(isLeft);
    const undecided = spans.filter(isUndecided).length;
    const close = spans.length - undecided;
    const lost = state.files.reduce((total, file) => total + file.lost, 0);
    const item = (isDone, name, text, does) =>
      element("li", { class: isDone ? "done" : "left" }, element("button", { type: "button", "data-key": name, onclick: does }, key(name), ` ${isDone ? "✓ " : ""}${text}`));
    const stops = state.stops.length;
    const toSee = unseen ? `${unseen} s not seen` : stops ? `${counted(stops, "still")} at full size` : folded ? "nothing left to see" : "all seen";
    const items = [item(!unseen && !stops, "Space", toSee, this.unseen)];
    if (!this.isReleased) {
      const left = [undecided ? `${undecided} to decide` : "", close ? `${close} to look at closely` : ""].filter(Boolean).join(", ");
      items.push(item(!spans.length, "J", left || (state.spans.length ? "all decided" : "nothing proposed"), this.next));
    }
    if (this.isSampled) items.push(element("li", { class: "said" }, state.mine.judged?.outcome ?? "clean (Y) or a finding (X)?"));
    items.push(item(false, "N", this.isSampled ? "next clip" : "next recording", this.nextRecording));
    const unlooked = state.files.reduce((total, file) => total + file.unlooked, 0);
    if (unlooked && unseen) items.unshift(element("li", { class: "said", title: UNLOOKED }, `${counted(unlooked, "entry", "entries")} of an earlier edition ${unlooked === 1 ? "counts" : "count"} no longer as seen`));
    if (folded) items.splice(1, 0, element("li", { class: "said", title: FOLDED }, `${folded} s folded, not looked at`));
    if (lost) items.unshift(element("li", { class: "said" }, `the file changed: ${counted(lost, "earlier entry counts", "earlier entries count")} no longer`));
    if (this.isSampled ? state.mine.judged : !unseen && !stops && !spans.length) {
      items.at(-1).className = "ready";
      if (state.waits && !this.isSampled) items.unshift(element("li", { class: "said" }, "another person must review this as well"));
    }
    return items;
  }

  #span() {
    const { span, inFrame, outFrame } = state;
    const isMarked = inFrame !== null || outFrame !== null;
    for (const id of ["accept", "reject"]) if (byId(id)) byId(id).hidden = !span || isMarked;
    if (byId("change")) byId("change").hidden = !(span && isMarked);
    if (byId("draw")) byId("draw").hidden = !isMarked;
    if (byId("reject")) fill(byId("reject"), key("R"), span?.drawn ? " Take it away" : span && isAsked(span) ? " It may be seen" : " Show it");
    byId("span-text").textContent = isMarked ? this.#marked() : span ? this.#about(span) : this.#hint();
  }

  #marked() {
    const times = state.times[state.camera];
    const [a, b] = [state.inFrame ?? state.outFrame, state.outFrame ?? state.inFrame];
    const rest = state.span ? "E keeps them for the selected span, D hides a new one" : "D hides this";
    return `In ${clock(times.start(a), 2)}, out ${clock(times.end(b), 2)} (frames ${a} to ${b}). ${rest}, Esc forgets it.`;
  }

  #about(span) {
    const parts = [
      spanName(span)[0].toUpperCase() + spanName(span).slice(1),
      isAsked(span) && span.text ? `read as “${span.text}”` : "",
      state.files.length > 1 ? span.camera : "",
      `${clock(span.start_s, 2)} to ${clock(span.end_s, 2)}`,
      span.box_xywh ? `a rectangle of ${span.box_xywh[2]} × ${span.box_xywh[3]} pixels` : "",
      span.drawn ? `drawn by ${span.by}${span.why ? `: ${span.why}` : ""}` : isAsked(span) ? "" : (BECAUSE[span.source] ?? `detector ${span.source}`),
      span.score === null ? "" : `score ${span.score.toFixed(2)}`,
      span.faces && !isAsked(span) ? counted(span.faces, "face") : "",
    ];
    return `${parts.filter(Boolean).join(" · ")} — ${standsAs(span)}`;
  }

  #hint() {
    if (!state.camera) return "";
    if (this.isSampled) return "A clip that was drawn at random: could anything in it identify somebody? Y: no. X: yes.";
    if (this.isReleased) return "Released files: look through them with Space.";
    return state.spans.length ? "J selects the next span. Drag over the sheet to hide what nobody proposed." : "Nothing is proposed here. Drag over the sheet to hide something.";
  }

  /** A steady bar and a sentence: how much attention the stills on the screen still need. */
  #attention() {
    const { total, open, seconds, small } = this.watch.left();
    const says = small ? TOO_SMALL : !total ? "" : !open ? "looked at: Space goes on" : this.watch.isThere ? more({ open, seconds }) : "paused: touch a key or the pointer";
    byId("attention").style.width = `${total ? Math.round((1 - seconds / total) * 1000) / 10 : 0}%`;
    for (const place of document.querySelectorAll(".looking")) if (place.textContent !== says) place.textContent = says;
  }

  #view() {
    const step = STEPS_S[state.density];
    const density = step === 0 ? "every frame" : step === 1 ? "1 still a second" : `${Math.round(1 / step)} stills a second`;
    const where = state.camera ? `${state.files.length > 1 ? `${state.camera} · ` : ""}${clock(state.timeS, 2)} · frame ${state.frame} · ` : "";
    byId("view-state").textContent = `${state.preview ? "AS RELEASED · " : ""}${where}${density}`;
    document.body.classList.toggle("preview", state.preview);
    document.body.dataset.pane = state.pane;
  }
}

const BECAUSE = { pair: "because the other camera hides it", gap: "because it lies between two hidden spans" };
export const TOO_SMALL = "These stills are too small to count: ] makes them larger.";
const FOLDED = "A still that is like all their pictures stood for them. Z unfolds.";
const UNLOOKED = "They say that stills were on a screen for a moment, not that anybody looked at them.";

/** How much attention is missing, as a sentence. */
export const more = ({ open, seconds }) => `${seconds.toFixed(1)} s more for ${open === 1 ? "this still" : `these ${open} stills`}.`;

/** How long what is left takes: by the own pace, or before there is one what its stills need; "" where nobody reckons it. */
export const restOf = ({ seconds_left: byPace, attention_s: attention }) =>
  byPace !== null ? `about ${lasting(byPace)}` : attention === null ? "" : `≥ ${lasting(attention)}`;

/** Say something to the person, also to one who listens; `isNews` lets it stand out. The full size lies over all else, and has its own line. */
export function say(text, isNews = false, isProblem = false) {
  for (const status of [byId("status"), byId("full-status")]) {
    status.textContent = text;
    status.className = `says ${isProblem ? "problem" : isNews ? "news" : ""}`;
  }
}

/** Say what holds until it is over, such as a server that does not answer; null when it is over. */
export function warn(sentence) {
  for (const banner of [byId("banner"), byId("full-banner")]) {
    banner.hidden = sentence === null;
    if (sentence !== null && banner.textContent !== sentence) banner.textContent = sentence;
  }
}
