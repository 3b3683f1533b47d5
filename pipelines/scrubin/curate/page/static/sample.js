// What a person says about a clip that was drawn at random: clean, or a finding. Saying it again replaces what was said before.

import { nonce, post, untaken } from "./api.js";
import { askReason } from "./dialogs.js";
import { state } from "./state.js";

export class Sample {
  constructor(watch, say, nextClip) {
    Object.assign(this, { watch, say, nextClip, busy: false });
  }

  /** Nothing in the clip could identify anybody. */
  clean() {
    return this.#send("clean", "", () => {
      this.say("Clean.");
      this.nextClip();
    });
  }

  /** Something in the clip could: what? */
  async finding() {
    const { number } = state;
    const answer = await askReason({ title: "A finding", about: "What could identify somebody, and where in the picture?", does: "Note it" });
    if (!answer) return undefined;
    const about = "Noted. It is hidden by a decision in the raw review; before that, nothing is released again:";
    return this.#send("finding", answer.why, () => this.say(`${about} ${state.mine.raw}`, true), number);
  }

  /** Say what comes when the clip was seen. */
  next() {
    const { judged } = state.mine;
    if (judged) this.say(`You said: ${judged.outcome}. N opens the next clip.`);
    else this.say("All stills were seen. Y: clean. X: something is in it.", true);
  }

  /** The next clip may be open before what was seen of this one is written, or while somebody says what they saw. */
  async #send(outcome, why, after, number = state.number) {
    if (this.busy) return this.say("What you said before is not written yet: this was not taken. Say it again.", false, true);
    this.busy = true;
    try {
      this.watch.pass();
      await this.watch.send();
      state.take(await post("/api/check", { number, outcome, why, nonce: nonce() }));
      await state.loadStudy();
      state.tell("written");
      if (state.number === number) after();
    } catch (error) {
      this.say(untaken(outcome, error), false, true);
    } finally {
      this.busy = false;
    }
    return undefined;
  }
}
