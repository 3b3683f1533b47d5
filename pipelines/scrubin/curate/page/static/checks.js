// Checks: some stills show a person or a name that is not in the recording. What came of one is said at once; its true still follows.

import { getPicture, nonce, post } from "./api.js";
import { byId } from "./elements.js";
import { state } from "./state.js";
import { clock } from "./times.js";

const MOST_NAMED = 3;

const whereOf = ({ camera, frame }) => clock(state.times[camera].start(frame));
const whatOf = (kind) => (kind === "person" ? "a person" : "a name");

/** What was noticed and is not in the recording, as a sentence; "" for none. */
export function noticed(checks) {
  const all = checks.filter(({ outcome }) => outcome === "noticed").map((check) => `${whatOf(check.kind)} at ${whereOf(check)}`);
  if (!all.length) return "";
  const [some, others] = [all.slice(0, MOST_NAMED), all.length - MOST_NAMED];
  const text = others > 0 ? `${some.join(", ")} and ${others} more` : [some.slice(0, -1).join(", "), some.at(-1)].filter(Boolean).join(" and ");
  const rest = all.length === 1 ? "is not in the recording; its true still follows." : "are not in the recording; their true stills follow.";
  return `${text[0].toUpperCase()}${text.slice(1)} ${rest}`;
}

export class Checks {
  /** `again` are those who show stills, and show them anew. */
  constructor({ watch, say, draw, again }) {
    Object.assign(this, { watch, say, draw, renewed: new Set() });
    // What opens is fetched after it was settled.
    state.on("recording", () => this.#renew([]));
    state.on("marks", () => this.#renew(again));
    state.on("checks", () => this.#told());
    state.on("elsewhere", () => this.#toldElsewhere());
  }

  /** Something is in the still of the cursor: a check, or else it is to be hidden. */
  async mark({ camera, frame, firstFrame, lastFrame }) {
    const { number } = state;
    let answer = null;
    try {
      answer = await post("/api/mark", { number, camera, frame, nonce: nonce() });
    } catch (error) {
      return this.say(error.message, false, true);
    }
    state.take(answer);
    if (answer.line) return undefined;
    if (state.number !== number || state.camera !== camera) {
      return this.say("Nothing is hidden of the still that you marked: go back to it and press S again.", false, true);
    }
    Object.assign(state, { inFrame: firstFrame, outFrame: lastFrame });
    state.tell("selection");
    return this.draw();
  }

  /** Whatever was looked at of a check was not its true still, also where another page was told. */
  #renew(again) {
    for (const [camera, frame] of state.settled) {
      const name = `${state.number}/${camera}/${frame}`;
      if (this.renewed.has(name)) continue;
      this.renewed.add(name);
      this.watch.forget(camera, frame);
      for (const one of again) one.refresh(camera, frame);
    }
  }

  #told() {
    const told = state.checks;
    state.checks = [];
    for (const { camera, frame, kind, outcome } of told) {
      if (outcome === "missed") this.#missed(camera, frame, `At ${whereOf({ camera, frame })} a check showed ${whatOf(kind)}, and you went on. It is not in the recording. Its true still follows: look at it.`);
    }
    const sentence = noticed(told);
    if (sentence) this.say(`That was a check: noticed. ${sentence}`, true);
  }

  /** What came of checks in a recording that is not open any more: its pictures are fetched anew when it is. */
  #toldElsewhere() {
    const { checks, recording } = state.elsewhere;
    const { name, number } = recording.summary;
    for (const { camera, frame } of checks) this.watch.forget(camera, frame, number);
    const missed = checks.filter(({ outcome }) => outcome === "missed").length;
    if (missed) this.say(`In ${name} ${missed === 1 ? "a check showed what is not in the recording" : `${missed} checks showed what is not in the recording`}, and you went on. The true ${missed === 1 ? "still is" : "stills are"} to be looked at when it is open again.`, false, true);
  }

  async #missed(camera, frame, text) {
    const { number } = state;
    this.say(text, false, true);
    try {
      const picture = await getPicture(`/check/${number}/${camera}/${frame}`);
      if (state.number === number) show(picture, text);
      picture.close();
    } catch (error) {
      this.say(`${text} What was shown cannot be shown again: ${error.message}`, false, true);
    }
  }
}

function show(picture, text) {
  byId("check-text").textContent = text;
  const canvas = byId("check-canvas");
  Object.assign(canvas, { width: picture.width, height: picture.height });
  canvas.getContext("2d").drawImage(picture, 0, 0);
  if (!byId("check-dialog").open) byId("check-dialog").showModal();
}
