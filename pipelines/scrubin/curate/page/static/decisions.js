// What a person decides: sent one after the other, confirmed only when the server has written it, then on to what is next.

import { nonce, post } from "./api.js";
import { askKind, askReason } from "./dialogs.js";
import { acknowledgeable } from "./overview.js";
import { isAsked, kindName, spanName } from "./kinds.js";
import { comesTo } from "./spans.js";
import { isLeft, spanId, state } from "./state.js";
import { clock } from "./times.js";

const LENS_WAIT_MS = 6000;
const LENS_LOAD_MS = 60_000;
const LENS_TICK_MS = 30;

export class Decisions {
  constructor(watch, lens, say) {
    Object.assign(this, { watch, lens, say, busy: false });
  }

  /** Accept or reject the selected span. */
  async judge(what) {
    const { span, number } = state;
    if (!span) return this.say("Select a span first: J for the next one.");
    if (span.drawn && what === "accept") return this.say("You drew this span: it is hidden. R takes it away.");
    const done = what === "accept" ? "hidden" : span.drawn ? "taken away" : isAsked(span) ? "it may be seen" : "shown";
    return this.#work(async () => {
      // Who decides faster than the pictures come has not seen them.
      await this.#lensShown(number, span);
      this.watch.pass();
      await this.watch.send();
      await this.#decide(number, span, { what });
      const isAnswer = isAsked(span) && state.study.reviewers === 1;
      const now = state.number === number && !span.drawn && !isAnswer && what === "reject" ? state.spans.find((one) => spanId(one) === spanId(span)) : null;
      this.say(`${name(span)}: ${now && !(isAsked(now) && now.decision === "rejected") ? comesTo(now) : done}. U undoes.`);
      this.#goOn(number, span);
    });
  }

  /** Keep the new ends of the selected span. */
  change() {
    const { span, number, inFrame, outFrame } = state;
    if (!span || (inFrame === null && outFrame === null)) return this.say("Select a span with J, then set new ends with I and O.");
    const toFirst = inFrame ?? span.first;
    const toLast = outFrame ?? span.last;
    if (toFirst > toLast) return this.say("The new end lies before the new beginning.");
    return this.#work(async () => {
      await this.#decide(number, span, { what: "change", to_first: toFirst, to_last: toLast });
      this.say(`${spanName(span)}: hidden with its new ends. U undoes.`);
      this.#unmark(inFrame, outFrame);
      this.#goOn(number, span);
    });
  }

  /** Hide what lies between I and O, or a rectangle of it. */
  async draw(box = null) {
    const { camera, number, inFrame, outFrame } = state;
    const last = state.times[camera].count - 1;
    const [a, b] = [state.inFrame ?? state.outFrame ?? state.frame, state.outFrame ?? state.inFrame ?? state.frame].sort((x, y) => x - y);
    const times = state.times[camera];
    const fromTo = `${clock(times.start(a), 2)} to ${clock(times.end(b), 2)}, frames ${a} to ${b}`;
    const answer = await askKind({ box, fromTo, marked: state.inFrame !== null || state.outFrame !== null });
    if (!answer) return false;
    const [first, until] = box && answer.when === "whole" ? [0, last] : [a, b];
    return this.#work(async () => {
      const span = { camera, kind: answer.kind, first, last: until, box_xywh: box, key: "" };
      const check = await this.#decide(number, span, { what: "add", why: answer.why });
      if (!check) this.say(`${kindName(answer.kind)}: ${box ? "the rectangle" : fromTo} is hidden. U undoes.`);
      this.#unmark(inFrame, outFrame);
    });
  }

  undo() {
    const { number } = state;
    return this.#work(async () => {
      const known = acknowledgeable(state.study).filter((item) => item.acknowledged);
      const answer = await post("/api/undo", { number, nonce: nonce() });
      state.take(answer);
      if (known.length) await state.loadStudy();
      const open = acknowledgeable(state.study).filter((item) => !item.acknowledged);
      const forgotten = open.find((item) => known.some((one) => one.subject === item.subject && one.key === item.key));
      if (forgotten) this.say(`Undone: no longer acknowledged: ${forgotten.text}`);
      else this.say(answer.line ? "Undone." : "Nothing of yours is left to undo.");
    });
  }

  async exclude() {
    const { summary, log } = state.view;
    const { number } = state;
    const mine = log?.find((line) => line.event === "excluded" && line.stands);
    if (summary.status === "excluded" && mine) {
      return this.#work(async () => {
        state.take(await post("/api/include", { number, nonce: nonce() }));
        this.say("The recording is no longer excluded.");
      });
    }
    if (summary.status !== "kept") return this.say(`This recording is not released: ${summary.reason || summary.status}.`);
    const answer = await askReason({ title: "Exclude this recording", about: "Nothing of it is released.", does: "Exclude" });
    if (!answer) return undefined;
    return this.#work(async () => {
      state.take(await post("/api/exclude", { number, why: answer.why, nonce: nonce() }));
      this.say("The recording is excluded. X takes it back.");
    });
  }

  async acknowledge() {
    const items = acknowledgeable(state.study);
    if (!items.length) return this.say("There is nothing to acknowledge.");
    const own = items.findIndex((item) => item.key === state.view?.summary.name && !item.acknowledged);
    const open = items.findIndex((item) => !item.acknowledged);
    const answer = await askReason({ title: "Acknowledge", about: "You know of it, and the release may go on without it.", does: "Acknowledge", items, chosen: own >= 0 ? own : Math.max(open, 0) });
    if (!answer) return undefined;
    const { subject, key } = items[answer.item];
    return this.#work(async () => {
      state.take(await post("/api/acknowledge", { number: state.number, subject, key, why: answer.why, until: answer.until || null, nonce: nonce() }));
      await state.loadStudy();
      this.say("Acknowledged.");
    });
  }

  /** On from a span that was decided, if nobody went on or chose another one before the answer came. */
  #goOn(number, span) {
    if (state.number === number && state.selected === spanId(span)) this.next(span);
  }

  /** Forget the marks that were kept; those that were set since stay. */
  #unmark(inFrame, outFrame) {
    if (state.inFrame === inFrame && state.outFrame === outFrame) state.unmark();
  }

  /** Select what is left after a span, or else say what is left to see. */
  next(after = null) {
    const { spans } = state;
    const from = after ? spans.findIndex((one) => spanId(one) === spanId(after)) : -1;
    const left = [...spans.slice(from + 1), ...spans.slice(0, from + 1)].filter(isLeft);
    const unseen = state.gaps.length || state.stops.length;
    if (left.length) state.select(left[0]);
    else if (unseen) this.say("Every span is decided. Space goes on to what you have not seen.", true);
    else if (state.waits) this.say("You have done your part; another person must review this recording as well. N opens the next one.", true);
    else this.say("This recording is done. N opens the next one.", true);
  }

  async #lensShown(number, span) {
    let [patience, loading] = [LENS_WAIT_MS, LENS_LOAD_MS];
    const shown = () => state.number !== number || spanId(state.span ?? span) !== spanId(span) || span.drawn || span.lens.every(([a, b]) => this.#sawAll(span.camera, a, b));
    if (!span.lens_seen && !shown()) this.say("Look at both ends of it in the lens: a moment more.");
    let before = performance.now();
    while (!span.lens_seen && !shown() && patience > 0 && loading > 0) {
      await new Promise((resolve) => setTimeout(resolve, LENS_TICK_MS));
      const now = performance.now();
      // Nobody looks at pictures that are still on their way.
      if (this.lens.isLoaded) patience -= now - before;
      else loading -= now - before;
      before = now;
    }
  }

  #sawAll(camera, first, last) {
    for (let frame = first; frame <= last; frame += 1) {
      if (!this.watch.has(camera, "lens", frame) && !this.watch.has(camera, "full", frame)) return false;
    }
    return true;
  }

  /** Send a decision; whether it was about a check. */
  async #decide(number, span, says) {
    const body = { number, camera: span.camera, kind: span.kind, first: span.first, last: span.last, box_xywh: span.box_xywh };
    const answer = await post("/api/decide", { ...body, proposal: span.key, to_first: null, to_last: null, why: "", nonce: nonce(), ...says });
    state.take(answer);
    return answer.line?.event === "planted";
  }

  /** One decision at a time; what was seen until now is written before it. */
  async #work(work) {
    if (this.busy) {
      this.say("What you decided before is not written yet: this was not taken. Say it again.", false, true);
      return false;
    }
    this.busy = true;
    state.tell("busy");
    try {
      await this.watch.send();
      await work();
      state.tell("written");
      return true;
    } catch (error) {
      this.say(error.message, false, true);
      await state.reload().catch(() => {});
      return false;
    } finally {
      this.busy = false;
      state.tell("busy");
    }
  }
}

const name = (span) => `${spanName(span)} at ${clock(span.start_s)}`;
