// Spans that were begun by their key and are not ended: the server has none of them, so this page keeps them until they are ended or let go.

import { textOf } from "./lanes.js";
import { newKey, store } from "./store.js";

const PLACE = "begun";

/** Of this tab, also after a reload; a browser that keeps nothing has them until then. */
function kept() {
  try {
    return JSON.parse(sessionStorage.getItem(PLACE)) ?? [];
  } catch {
    return [];
  }
}

const isEnded = ({ id, layer, key }) => id === store.id && Boolean(store.view.items[layer]?.[key]);

export const begun = new (class {
  /** {you, id, film, layer, key, first, label, verb, target}: whose, of which recording, and which film it was. */
  #spans = kept();

  /** Those of this person that can still be ended, in the order in which they were begun. */
  get mine() {
    const { work } = store;
    return this.#spans.filter(({ you, id, layer }) => you === work?.you && store.layer(layer) && work.recordings.some((one) => one.id === id));
  }

  /** Those of the recording that is open. */
  get here() {
    return this.mine.filter(({ id }) => id === store.id);
  }

  /** The one of this recording that ends by the same key. */
  of(layer, action) {
    return this.here.find((one) => one.layer === layer && textOf(one) === textOf(action));
  }

  begin(layer, action, first) {
    this.#keep([...this.#spans, { ...action, you: store.work.you, id: store.id, film: store.view.film, layer, key: newKey(), first }]);
  }

  /** It is ended, or let go. */
  end(span) {
    this.#keep(this.#spans.filter((one) => one !== span));
  }

  /** Its end was refused: it is begun as before. */
  goesOn(span) {
    this.#keep([...this.#spans, span]);
  }

  /** Let go what was begun in the recording that is open when its film was cut otherwise: its frames are others now. */
  forgetOtherCuts() {
    const gone = this.here.filter(({ film }) => film !== store.view.film);
    if (gone.length) this.#keep(this.#spans.filter((one) => !gone.includes(one)));
    return gone;
  }

  /** What looks wrong of it. */
  get findings() {
    return this.here.map((one) => ({ layer: one.layer, rule: PLACE, first: one.first, end: one.first + 1, says: `${textOf(one)} is begun and not ended` }));
  }

  /** Where something is begun and not ended: a sentence for each recording. */
  get text() {
    const ids = [...new Set(this.mine.map(({ id }) => id))];
    return ids.map((id) => ` Begun and not ended ${id === store.id ? "here" : `in ${id}`}: ${this.mine.filter((one) => one.id === id).map(textOf).join("; ")}.`).join("");
  }

  /** Let go what is ended already: another tab of the browser began with what this one had. */
  forgetEnded() {
    if (this.#spans.some(isEnded)) this.#keep(this.#spans);
  }

  #keep(spans) {
    this.#spans = spans.filter((one) => !isEnded(one));
    try {
      sessionStorage.setItem(PLACE, JSON.stringify(spans));
    } catch {
      // The browser keeps nothing: it asks before the page is left.
    }
    store.dispatchEvent(new Event("kept"));
  }
})();

store.addEventListener("view", () => begun.forgetEnded());
