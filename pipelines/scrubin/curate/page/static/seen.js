// What a person looks at: how long, how large, and whether they are there at all. The server refuses what cannot be.
//
// Attention is time in which the page is visible and focused, no question lies above it, no preview blackens it, and the
// person has touched a key or the pointer a moment ago. It is shared among the new stills that are on the screen. A still
// that has had its share counts when the person goes on from it, by a key or by scrolling, and never by being opened.

import { Refused, nonce, post } from "./api.js";
import { spanId, state } from "./state.js";

const TICK_MS = 50;
// A machine that slept did not look.
const [MOST_TICK_MS, SLEPT_MS] = [1000, 2500];
const SEND_MS = 2000;
const LOAD_MS = 3000;
const RECENT_MS = 3000;
const ROUNDING_PX = 1;
export const { needed_s: NEEDED_S, least_px: LEAST_PX, idle_s: IDLE_S } = JSON.parse(document.body.dataset.attention);
// Shares of time are fractions that a float misses by a little. No more: the server adds up what all stills got.
const SAME_S = 1e-6;
const isReleased = document.body.dataset.released === "yes";

export class Watch {
  constructor() {
    Object.assign(this, { visible: new Set(), stills: new Map(), passed: new Set(), reported: new Set(), open: new Set(), large: null, largeS: null, largeFailure: "" });
    Object.assign(this, { focus: "sheet", acts: 0, touched: -Infinity, last: performance.now(), sending: Promise.resolve() });
    this.observer = new IntersectionObserver((entries) => this.#intersected(entries), { threshold: [0, 0.5, 0.9, 0.95, 0.98, 0.99, 0.995, 1] });
    for (const name of ["keydown", "pointerdown", "wheel", "pointermove"]) document.addEventListener(name, (event) => this.#touched(event), { capture: true, passive: true });
    state.on("selection", () => this.#selected());
    state.on("recording looks", () => this.#forgetFolds());
    setInterval(() => this.#tick(), TICK_MS);
    setInterval(() => this.send(), SEND_MS);
    // The page may be gone before an answer comes.
    window.addEventListener("pagehide", () => this.send({ keepalive: true }));
    document.addEventListener("visibilitychange", () => document.hidden && this.send({ keepalive: true }));
  }

  observe(button) {
    this.observer.observe(button);
  }

  /** No longer look at a still; `isPassed` when the person scrolled on from it. */
  unobserve(button, isPassed = false) {
    this.observer.unobserve(button);
    if (this.visible.delete(button) && isPassed) this.#left(button);
  }

  /** The person looks at the sheet, or at the lens, from now on. */
  turnTo(view) {
    this.focus = view;
  }

  /** One frame fills the screen; null when none does any more, or where it cannot be shown: why. */
  show(still, failure = "") {
    Object.assign(this, { large: still, largeFailure: failure });
    this.#lookAnew();
  }

  /** `largeS` is for how long the selected span and the frame that fills the screen were looked at together, in seconds; null while it loads. */
  #lookAnew() {
    Object.assign(this, { largeS: this.large ? 0 : null, largeBefore: null });
  }

  /** The person goes on: what had its share of attention is seen. */
  pass() {
    for (const still of this.stills.values()) if (isLookedAt(still)) this.passed.add(still);
  }

  /** What is on the screen and still needs attention: how many stills, for how long, of which total; `small` ones do not count. */
  left(view = this.#view()) {
    const every = view ? this.#needed(view) : [];
    const open = every.filter((still) => still.height >= LEAST_PX[view]);
    const seconds = open.reduce((total, still) => total + Math.max(0, NEEDED_S[view] - still.spent), 0);
    return { total: open.length * (NEEDED_S[view] ?? 0), open: open.filter((still) => !isLookedAt(still)).length, seconds, small: every.length - open.length };
  }

  /** Whether a frame had its share of attention in a view since the page was opened. */
  has(camera, view, frame) {
    const name = `${state.number}/${view}/${camera}/${frame}`;
    return this.reported.has(name) || (this.stills.has(name) && isLookedAt(this.stills.get(name)));
  }

  /** What was looked at was not the true still. */
  forget(camera, frame, number = state.number) {
    for (const view of Object.keys(NEEDED_S)) {
      const name = nameOf({ number, view, camera, frame });
      for (const known of [this.reported, this.stills]) {
        for (const one of [...known.keys()]) if (one === name || one.startsWith(`${name}/fold`)) known.delete(one);
      }
    }
    // Nor what is not sent yet.
    for (const still of this.passed) if (still.number === number && still.camera === camera && still.frame === frame) this.passed.delete(still);
  }

  /** Stills that stood for others in a fold that is no more: the server would refuse all that is sent with them. */
  #forgetFolds() {
    const isOld = (still) => still.fold && still.number === state.number && !state.hasFold(still.fold);
    for (const still of this.passed) if (isOld(still)) this.passed.delete(still);
    for (const still of [...this.stills.values()]) if (isOld(still)) this.stills.delete(still.name);
  }

  /** Resolves when what is on screen is loaded or cannot be, or after a while. */
  async loaded() {
    const until = performance.now() + LOAD_MS;
    while (this.#isLoading("sheet") && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }

  /** Whether the still of a second is on screen and cannot be shown. */
  cannotShow(second) {
    return [...this.visible].some((button) => button.classList.contains("failed") && button.cell.fromS <= second && second < button.cell.toS);
  }

  #intersected(entries) {
    for (const { target, intersectionRect, boundingClientRect } of entries) {
      // All of it: what stands at its edge, such as a name that was burned in, is part of what must be seen.
      const isWhole = ["height", "width"].every((side) => intersectionRect[side] >= boundingClientRect[side] - ROUNDING_PX);
      if (isWhole) this.visible.add(target);
      else if (this.visible.delete(target)) this.#left(target);
    }
  }

  /** A still went out of view: seen, if a person scrolled it away and had looked at it. */
  #left(button) {
    if (performance.now() - this.touched > RECENT_MS) return;
    for (const one of button.cell.stills) {
      const still = one && this.stills.get(nameOf({ number: button.number, view: button.view, fold: button.cell.fold, ...one }));
      if (still && isLookedAt(still)) this.passed.add(still);
    }
  }

  #touched(event) {
    if (!event.isTrusted) return;
    this.touched = performance.now();
    if (event.type !== "pointermove") this.acts += 1;
    if (event.type === "wheel" && event.target.closest?.("#sheet")) this.turnTo("sheet");
  }

  #selected() {
    if (state.selected === this.selected) return;
    this.selected = state.selected;
    this.#lookAnew();
    if (this.selected !== null) this.turnTo("lens");
  }

  /** What the person can look at: a dialog hides all but the full size. */
  #view() {
    const dialog = document.querySelector("dialog[open]");
    if (dialog) return dialog.id === "full" && !document.querySelector("dialog[open]:not(#full)") ? "full" : null;
    if (state.preview) return null;
    return this.focus === "lens" && this.#needed("lens").some((still) => !isLookedAt(still)) ? "lens" : "sheet";
  }

  #isLoading(view) {
    if (view === "full") return this.large === null;
    return [...this.visible].some((button) => button.view === view && !button.loaded && !button.classList.contains("failed"));
  }

  /** The stills on the screen that this person has not seen, as they were looked at until now. */
  #needed(view) {
    if (view === "full") return this.large && isNeeded("full", this.large, this.reported) ? [this.#still(this.large)] : [];
    const done = [];
    for (const button of this.visible) {
      if (button.view !== view || !button.loaded) continue;
      for (const one of button.cell.stills) {
        if (!one) continue;
        const still = { number: button.number, view, fold: button.cell.fold, ...one, height: button.offsetHeight };
        if (isNeeded(view, still, this.reported)) done.push(this.#still(still));
      }
    }
    return done;
  }

  #still({ number, view, camera, frame, height, fold }) {
    const name = nameOf({ number, view, camera, frame, fold });
    if (!this.stills.has(name)) this.stills.set(name, { name, number, view, camera, frame, fold, spent: 0, height });
    const still = this.stills.get(name);
    // Small stills tell nothing; what they were looked at for does not count once they are large.
    if (height !== still.height && still.height < LEAST_PX[view]) still.spent = 0;
    still.height = height;
    return still;
  }

  #tick() {
    const now = performance.now();
    const passed = now - this.last;
    const passedS = passed > SLEPT_MS ? 0 : Math.min(passed, MOST_TICK_MS) / 1000;
    this.last = now;
    const view = this.#view();
    this.isThere = !document.hidden && document.hasFocus() && now - this.touched < IDLE_S * 1000;
    const isShown = view && this.isThere && !this.#isLoading(view);
    const open = isShown ? this.#needed(view).filter((still) => still.height >= LEAST_PX[view] && !isLookedAt(still)) : [];
    // Of the time since the last look at the page, a still that was not there then may have had any part.
    for (const still of open) if (this.open.has(still.name)) still.spent += passedS / open.length;
    this.open = new Set(open.map((still) => still.name));
    const large = isShown && view === "full" ? this.large : null;
    if (large && large === this.largeBefore) this.largeS += passedS;
    this.largeBefore = large;
    state.tell("attention");
  }

  /** Send what was passed; resolves when the server has written it. */
  send({ keepalive = false } = {}) {
    const batches = this.#batches();
    // A page that is only hidden comes back, and needs the answer. Nobody waits for it: where the machine sleeps meanwhile, none comes.
    if (keepalive) for (const batch of batches) this.#say(batch, keepalive);
    else {
      this.sending = this.sending.then(async () => {
        for (const batch of batches) await this.#say(batch);
      });
    }
    return this.sending;
  }

  async #say({ stills, acts }, keepalive = false) {
    const name = nonce();
    // What was forgotten since was not the true still: no try tells it.
    const meant = () => stills.filter((still) => this.reported.has(still.name));
    const says = { toJSON: () => ({ ...bodyOf(meant(), acts), nonce: name }) };
    try {
      const answer = await post("/api/seen", says, { keepalive }).catch((error) => {
        if (!keepalive || (error instanceof Refused && !error.again)) throw error;
        // It may have been written: said again under the same name, it is answered as it was.
        return post("/api/seen", says);
      });
      state.take(answer);
      state.tell("written");
    } catch (error) {
      const asked = meant();
      if (!asked.length) return;
      // They are asked for once more, and keep what they were looked at for while their recording is open.
      for (const still of asked) {
        this.reported.delete(still.name);
        if (still.number === state.number && !this.stills.has(still.name)) this.stills.set(still.name, still);
      }
      this.#forgetFolds();
      state.problem = error.message;
      state.tell("problem");
    }
  }

  /** What was passed, one request for each recording and view. */
  #batches() {
    const batches = new Map();
    for (const still of this.passed) {
      const name = `${still.number}/${still.view}`;
      if (!batches.has(name)) batches.set(name, { stills: [], acts: Math.max(1, this.acts) });
      batches.get(name).stills.push(still);
      this.stills.delete(still.name);
      this.reported.add(still.name);
    }
    if (this.passed.size) this.acts = 0;
    this.passed.clear();
    return [...batches.values()];
  }
}

/** What is said of stills of one recording and view. */
function bodyOf(all, inputs) {
  if (!all.length) throw new Refused(0, "none of these stills is meant any more", false);
  const [{ number, view }] = all;
  const body = { number, view, stills: {}, folding: {}, looked_s: 0, inputs, height_px: Infinity };
  for (const { camera, frame, fold, spent, height } of all) {
    (body.stills[camera] ??= []).push(frame);
    if (fold) (body.folding[camera] ??= []).push(frame);
    body.looked_s += spent;
    body.height_px = Math.min(body.height_px, Math.floor(height));
  }
  body.looked_s = Math.round(body.looked_s * 1000) / 1000;
  return body;
}

// A still that stood for others was looked at for them as well: unfolded, or in another fold, it is another one.
const nameOf = ({ number, view, camera, frame, fold = null }) => `${number}/${view}/${camera}/${frame}${fold ? `/fold ${fold[0]}-${fold[1]}` : ""}`;
const isLookedAt = (still) => still.spent >= NEEDED_S[still.view] - SAME_S && still.height >= LEAST_PX[still.view];

/** Whether this person has still to look at a still. */
function isNeeded(view, { number, camera, frame, fold = null }, reported) {
  if (number !== state.number || !state.isKept || reported.has(nameOf({ number, view, camera, frame, fold }))) return false;
  if (view === "lens") return !isReleased && isOfLens(state.span, camera, frame);
  if (isReleased) return true;
  if (isUnseen(camera, frame, fold)) return true;
  // What was folded, and is not any more, can be looked at after all.
  if (view === "sheet" && !fold && isOn(state.mine.folded, camera, frame)) return true;
  if (view !== "full") return false;
  return state.stops.some((stop) => stop.camera === camera && stop.frame === frame) || state.spans.some((span) => isOfLens(span, camera, frame));
}

function isOfLens(span, camera, frame) {
  if (!span || span.drawn || span.camera !== camera || state.mine.seen.includes(spanId(span))) return false;
  return span.lens.some(([first, last]) => first <= frame && frame <= last);
}

/** Whether a frame is on the screen, or stands for others, during a second of which this person has seen nothing. */
const isUnseen = (camera, frame, fold) => isOn(state.mine.unseen, camera, frame, fold);

function isOn(seconds, camera, frame, fold = null) {
  const times = state.times[camera];
  const [from, to] = fold ?? [Math.floor(times.start(frame)), Math.max(Math.ceil(times.end(frame)), Math.floor(times.start(frame)) + 1) - 1];
  return (seconds?.[camera] ?? []).some(([first, last]) => first <= to && from <= last);
}
