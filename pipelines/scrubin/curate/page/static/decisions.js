// What a person decides: sent one after the other, confirmed only when the server has written it, then on to what is next.

import { leaving, nonce, post, untaken } from "./api.js";
import { noticed } from "./checks.js";
import { askKind, askReason } from "./dialogs.js";
import { byId } from "./elements.js";
import { acknowledgeable } from "./overview.js";
import { isAsked, kindName, spanName } from "./kinds.js";
import { comesTo } from "./spans.js";
import { NEEDED_S } from "./seen.js";
import { isLeft, spanId, state } from "./state.js";
import { clock } from "./times.js";

const LENS_WAIT_MS = 6000;
const LENS_LOAD_MS = 60_000;
const LENS_TICK_MS = 30;
/** A key so soon after a span came by itself was meant for the one before: nobody has looked and pressed it meanwhile. */
const CAME_S = 0.3;

export class Decisions {
  constructor(watch, lens, say) {
    Object.assign(this, { watch, lens, say, busy: false, wish: null, decides: null, current: null, came: null });
    // What somebody chose themselves is what they mean, also when it is what had come.
    state.on("selection", () => (this.came = null));
  }

  /** Accept or reject the selected span. */
  async judge(what) {
    const { span, number } = state;
    if (!span) return this.say("Select a span first: J for the next one.");
    if (span.drawn && what === "accept") return this.say("You drew this span: it is hidden. R takes it away.");
    const reason = this.#whyNot(span);
    if (reason) return this.say(`Not taken: ${reason}`, false, true);
    const done = what === "accept" ? "hidden" : span.drawn ? "taken away" : isAsked(span) ? "it may be seen" : "shown";
    const wish = { name: name(span), isTakenBack: false };
    const isShown = this.#isShown(span);
    return this.#work(async () => {
      // Who decides faster than the pictures come has not seen them.
      if (!isShown) await this.#shown(number, span, wish);
      this.watch.pass();
      await this.watch.send();
      if (wish.isTakenBack) return;
      this.wish = null;
      await this.#decide(number, span, { what });
      const isAnswer = isAsked(span) && state.study.reviewers === 1;
      const now = state.number === number && !span.drawn && !isAnswer && what === "reject" ? state.spans.find((one) => spanId(one) === spanId(span)) : null;
      const said = `${name(span)}: ${now && !(isAsked(now) && now.decision === "rejected") ? comesTo(now) : done}. U undoes.`;
      this.say(said);
      this.#goOn(number, span, said);
    }, { name: wish.name, wish });
  }

  /** Why a key is not about a span, as a sentence; "" when it is. */
  #whyNot(span) {
    if (this.busy) return "";
    if (this.came?.id === spanId(span) && performance.now() - this.came.at < CAME_S * 1000) return "this span came only now. Look at it, then say it again.";
    return isElsewhere(span) ? "the picture on the screen is none of the selected span. J and K go to a span." : "";
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
      const said = `${spanName(span)}: hidden with its new ends. U undoes.`;
      this.say(said);
      this.#unmark(inFrame, outFrame);
      this.#goOn(number, span, said);
    }, { name: name(span) });
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
      const { line, checks } = await this.#decide(number, span, { what: "add", why: answer.why });
      const check = state.number === number ? noticed(checks) : "";
      const isHidden = line.event !== "planted";
      const hidden = `${kindName(answer.kind)}: ${box ? "the rectangle" : fromTo} is hidden${box && answer.when === "whole" ? " during the whole recording" : ""}.`;
      if (!check) this.say(isHidden ? `${hidden} U undoes.` : "That was a check: noticed. Nothing is hidden.");
      // What is hidden of the true pictures stays so, unless they say so: that comes first.
      else if (isHidden) this.say(`A check was in it: noticed. U, if that was all you meant. ${hidden} ${check}`, true);
      else this.say(`That was a check: noticed. ${check} You marked nothing but its frame, so nothing is hidden.`, true);
      this.#unmark(inFrame, outFrame);
    }, { name: kindName(answer.kind) });
  }

  async undo() {
    const { number } = state;
    if (this.wish) {
      const { wish } = this;
      this.#takeBack(wish);
      return this.say(`${wish.name}: taken back before it was written. Nothing was decided.`);
    }
    if (this.decides) {
      // It is on its way: what is undone is this, once it is written, and nothing that was decided before it.
      const first = this.decides;
      this.decides = null;
      if (!(await first)) return undefined;
    }
    return this.#work(async () => {
      const known = acknowledgeable(state.study).filter((item) => item.acknowledged);
      const answer = await post("/api/undo", { number, nonce: nonce() });
      state.take(answer);
      if (known.length) await state.loadStudy();
      const open = acknowledgeable(state.study).filter((item) => !item.acknowledged);
      const forgotten = open.find((item) => known.some((one) => one.subject === item.subject && one.key === item.key));
      if (forgotten) this.say(`Undone: no longer acknowledged: ${forgotten.text}`);
      else this.say(answer.line ? "Undone." : "Nothing of yours is left to undo.");
    }, { isUndo: true });
  }

  /** What waited is no longer wanted: nothing is to be confirmed, and the next key does not find it in its way. */
  #takeBack(wish) {
    wish.isTakenBack = true;
    if (this.wish === wish) Object.assign(this, { busy: false, wish: null, decides: null, pending: "" });
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
  #goOn(number, span, said) {
    if (state.number !== number || state.selected !== spanId(span)) return;
    this.next(span, said);
    if (state.selected !== spanId(span)) this.came = { id: state.selected, at: performance.now() };
  }

  /** Forget the marks that were kept; those that were set since stay. */
  #unmark(inFrame, outFrame) {
    if (state.inFrame === inFrame && state.outFrame === outFrame) state.unmark();
  }

  /** Select what is left after a span, or else say what is left to see, after what was said before. */
  next(after = null, said = "") {
    const { spans } = state;
    const from = after ? spans.findIndex((one) => spanId(one) === spanId(after)) : -1;
    const left = [...spans.slice(from + 1), ...spans.slice(0, from + 1)].filter(isLeft);
    const unseen = state.gaps.length || state.stops.length;
    if (left.length) state.select(left[0]);
    else {
      const left = unseen
        ? "Every span is decided. Space goes on to what you have not seen."
        : state.waits
          ? "You have done your part; another person must review this recording as well. N opens the next one."
          : "This recording is done. N opens the next one.";
      this.say(said ? `${said} ${left}` : left, true);
    }
  }

  /** Wait until a span was on the screen for long enough. Where it was not, the wish is taken back: nothing is decided unseen. */
  async #shown(number, span, wish) {
    const isShown = () => state.number === number && this.#isShown(span);
    let [patience, loading] = [LENS_WAIT_MS, LENS_LOAD_MS];
    let lost = "";
    if (!byId("full").open) this.watch.turnTo("lens");
    this.say(byId("full").open ? "Look at it: a moment more. U takes it back." : "Look at both ends of it in the lens: a moment more. U takes it back.");
    let before = performance.now();
    while (!wish.isTakenBack && !isShown() && !(lost = whyLost(number, span) || this.#whyNever(span) || (patience <= 0 || loading <= 0 ? whyLate() : ""))) {
      if (!byId("full").open) this.lens.bring((frame) => isOfLens(span, frame) && !this.#saw(span.camera, frame));
      await new Promise((resolve) => setTimeout(resolve, LENS_TICK_MS));
      const now = performance.now();
      // Nobody looks at pictures that are still on their way.
      if (this.#isLoaded) patience -= now - before;
      else loading -= now - before;
      before = now;
    }
    if (wish.isTakenBack || !lost) return;
    this.#takeBack(wish);
    this.say(`${wish.name}: not taken, for ${lost}. Nothing was decided.`, false, true);
  }

  /** At full size the lens cannot be seen: what fills the screen is the look, if it is of the span. */
  #isShown(span) {
    if (span.drawn) return true;
    if (byId("full").open && !isElsewhere(span)) return this.watch.largeS >= NEEDED_S.full;
    return span.lens_seen || state.mine.seen.includes(spanId(span)) || span.lens.every(([a, b]) => this.#sawAll(span.camera, a, b));
  }

  /** Why waiting does not help, as part of a sentence: a frame that is to be looked at cannot be shown; "" where all can. */
  #whyNever(span) {
    if (byId("full").open) {
      return this.watch.largeFailure && `frame ${state.frame} cannot be shown: ${this.watch.largeFailure}; ← and → go to the frames beside it`;
    }
    const failure = this.lens.failure(span.camera, (frame) => isOfLens(span, frame) && !this.#saw(span.camera, frame));
    if (!failure) return "";
    const mend = failure.isOfAll ? "nor can those beside it; when that is mended, reload the page" : "F shows the frames beside it at full size; decide there";
    return `frame ${failure.frame} cannot be shown: ${failure.reason}; ${mend}`;
  }

  get #isLoaded() {
    return byId("full").open ? this.watch.large !== null || this.watch.largeFailure !== "" : this.lens.isLoaded;
  }

  #sawAll(camera, first, last) {
    for (let frame = first; frame <= last; frame += 1) {
      if (!this.#saw(camera, frame)) return false;
    }
    return true;
  }

  #saw(camera, frame) {
    return this.watch.has(camera, "lens", frame) || this.watch.has(camera, "full", frame);
  }

  /** Send a decision, and return the answer. */
  async #decide(number, span, says) {
    const body = { number, camera: span.camera, kind: span.kind, first: span.first, last: span.last, box_xywh: span.box_xywh };
    const answer = await post("/api/decide", { ...body, proposal: span.key, to_first: null, to_last: null, why: "", nonce: nonce(), ...says });
    state.take(answer);
    return answer;
  }

  /** Keep what is not confirmed for the page that comes after this one; whether there is anything. */
  remember() {
    if (!this.pending) return false;
    const lost = `The page was left before this was confirmed: ${this.pending}. See whether it stands, and say it again if it does not.`;
    history.replaceState({ lost }, "");
    return true;
  }

  /** One decision at a time; what was seen until now is written before it. It may wait as a wish that can be taken back. */
  #work(work, { name: pending = "", wish = null, isUndo = false } = {}) {
    if (this.busy) {
      this.say("What you decided before is not written yet: this was not taken. Say it again.", false, true);
      return false;
    }
    Object.assign(this, { busy: true, current: work, wish, pending: isUndo ? "what you undid" : pending || "what you said last" });
    const done = this.#written(work);
    this.decides = isUndo ? null : done;
    return done;
  }

  async #written(work) {
    state.tell("busy");
    try {
      await this.watch.send();
      await work();
      state.tell("written");
      return true;
    } catch (error) {
      // What was taken back is nothing that anybody waits for.
      this.say(this.pending && this.current === work ? untaken(this.pending, error) : error.message, false, true);
      if (leaving.isOwn) this.remember();
      await state.reload().catch(() => {});
      return false;
    } finally {
      // What was taken back ends here as well, and something else may be at work by then.
      if (this.current === work) Object.assign(this, { busy: false, current: null, wish: null, decides: null, pending: "" });
      // Whoever was asked whether to leave, and stayed, has lost nothing.
      if (history.state?.lost && !leaving.isOwn) history.replaceState(null, "");
      state.tell("busy");
    }
  }
}

/** Why a span was not looked at and will not be, as part of a sentence; "" while it may be. */
function whyLost(number, span) {
  if (state.number !== number || state.selected !== spanId(span)) return "you went on before you had looked at it";
  if (isElsewhere(span)) return "another picture came on the screen before you had looked at it";
  return state.preview ? "V hides it: press V again, then look at it" : "";
}

/** Why a span whose pictures are there was not looked at in time, as part of a sentence. */
function whyLate() {
  return byId("full").open ? "its picture was not on the screen for long enough" : "its ends were not in the lens for long enough: K and J bring them there";
}

/** Whether a picture that is none of a span fills the screen. */
function isElsewhere(span) {
  const isOf = span.camera === state.camera && [[span.first, span.last], ...(span.lens ?? [])].some(([first, last]) => first <= state.frame && state.frame <= last);
  return byId("full").open && !isOf;
}

const isOfLens = (span, frame) => span.lens.some(([first, last]) => first <= frame && frame <= last);
const name = (span) => `${spanName(span)} at ${clock(span.start_s)}`;
