// What a person has had before their eyes: stills that are loaded and at least half visible for 200 ms, in a tab that is visible.

import { nonce, post } from "./api.js";
import { state } from "./state.js";

const TICK_MS = 50;
const LONG_ENOUGH_MS = 200;
const SEND_MS = 2000;
const SETTLE_MS = 3000;

export class Watch {
  constructor() {
    this.visible = new Map();
    this.waiting = new Map();
    this.reported = new Set();
    this.sending = Promise.resolve();
    this.observer = new IntersectionObserver((entries) => this.#intersected(entries), { threshold: 0.5 });
    setInterval(() => this.#tick(), TICK_MS);
    setInterval(() => this.send(), SEND_MS);
    // The page may be gone before an answer comes.
    window.addEventListener("pagehide", () => this.send({ keepalive: true }));
    document.addEventListener("visibilitychange", () => document.hidden && this.send({ keepalive: true }));
  }

  observe(button) {
    this.observer.observe(button);
  }

  unobserve(button) {
    this.observer.unobserve(button);
    this.visible.delete(button);
  }

  #intersected(entries) {
    for (const { target, isIntersecting, intersectionRatio } of entries) {
      if (isIntersecting && intersectionRatio >= 0.5) {
        if (!this.visible.has(target)) this.visible.set(target, 0);
      } else this.visible.delete(target);
    }
  }

  #tick() {
    // What lies behind a dialog is not looked at; what a preview blackens is not seen.
    if (document.hidden || state.preview || document.querySelector("dialog[open]")) return;
    for (const [button, ms] of this.visible) {
      if (!button.loaded) continue;
      if (ms + TICK_MS < LONG_ENOUGH_MS) this.visible.set(button, ms + TICK_MS);
      else {
        this.visible.delete(button);
        this.observer.unobserve(button);
        for (const still of button.cell.stills) if (still) this.note(button.number, still.camera, button.view, still.frame);
      }
    }
  }

  /** Resolves when what is on screen is loaded and was seen, or after a while. */
  async settled() {
    const until = performance.now() + SETTLE_MS;
    const isOpen = () => [...this.visible.keys()].some((button) => !button.classList.contains("failed"));
    while (isOpen() && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }

  /** Whether the still of a second is on screen and cannot be shown. */
  cannotShow(second) {
    return [...this.visible.keys()].some((button) => button.classList.contains("failed") && button.cell.fromS <= second && second < button.cell.toS);
  }

  /** Note that a frame was seen; what is still on screen may belong to the recording before. */
  note(number, camera, view, frame) {
    const name = `${number}/${camera}/${view}`;
    if (this.reported.has(`${name}/${frame}`)) return;
    this.reported.add(`${name}/${frame}`);
    if (!this.waiting.has(name)) this.waiting.set(name, { number, camera, view, frames: [] });
    this.waiting.get(name).frames.push(frame);
  }

  /** Whether somebody has seen a frame in a view since the page was opened. */
  has(camera, view, frame) {
    return this.reported.has(`${state.number}/${camera}/${view}/${frame}`);
  }

  /** Send what was seen; resolves when the server has written it. */
  send({ keepalive = false } = {}) {
    const batches = [...this.waiting.values()];
    this.waiting.clear();
    if (keepalive) {
      for (const batch of batches) post("/api/seen", { ...batch, nonce: nonce() }, { keepalive }).catch(() => {});
      return this.sending;
    }
    this.sending = this.sending.then(async () => {
      for (const batch of batches) {
        try {
          state.take(await post("/api/seen", { ...batch, nonce: nonce() }));
          state.tell("written");
        } catch (error) {
          // It can be looked at once more.
          for (const frame of batch.frames) this.reported.delete(`${batch.number}/${batch.camera}/${batch.view}/${frame}`);
          state.problem = error.message;
          state.tell("problem");
        }
      }
    });
    return this.sending;
  }
}
