// What this person has to label and has labelled: changes go to the server at once, and what it answers is what stands.

import { get, nonce, post } from "./api.js";
import { spansOfInstants } from "./instants.js";
import { spanOfTrack, tracksOf } from "./tracks.js";

const SHEET = "sheet";

export const store = new (class extends EventTarget {
  work = null;
  view = null;
  last = {};
  sampled = [];
  proposals = [];
  /** While a recording opens, the picture is still of the one before. */
  isOpening = false;
  /** Of which recording what is drawn is. */
  shown = null;
  /** The film was released with another cut since the page was opened: the page opens anew. */
  isOld = false;
  /** How often a recording was chosen, and the server answered: what was asked before that is older. */
  chosen = 0;
  answered = 0;
  /** What is sent and not answered: {id, changes}; of what has no changes only the answer tells what stands. */
  sent = [];
  queue = Promise.resolve();
  /** How many keys wait for the picture that they mean. */
  waiting = 0;
  #held = 0;
  /** Remarks that are typed and not kept, by recording: {text, isSent}. */
  typed = new Map();

  async open() {
    this.work = await get("/api/work");
    this.dispatchEvent(new Event("work"));
  }

  /** Take a recording; resolves to whether it is still the one that is wanted. */
  async choose(id) {
    const chosen = (this.chosen += 1);
    await this.queue;
    const isNew = this.id !== id;
    const needed = isNew && this.work.layers.some((one) => one.instants);
    const { frames } = needed ? await get(`/api/recordings/${id}/sampled`) : { frames: null };
    const { proposals } = isNew ? await get(`/api/recordings/${id}/proposals`) : this;
    const view = await get(`/api/recordings/${id}`);
    if (chosen !== this.chosen) return false;
    if (frames) this.sampled = frames;
    this.proposals = proposals;
    this.take(view);
    return true;
  }

  /** Take what stands of the recording that is open, unless another is chosen or something was answered meanwhile, which is newer. */
  async refresh() {
    const { id, chosen, answered } = this;
    const view = await get(`/api/recordings/${id}`);
    if (id === this.id && chosen === this.chosen && answered === this.answered) this.take(view);
  }

  /** Do what ends with something to send: until then not all is kept. */
  async during(work) {
    this.#hold(1);
    try {
      return await work();
    } finally {
      this.#hold(-1);
    }
  }

  /** Whether all that was said, and typed as a remark, is answered by the server. */
  get isKept() {
    return !this.#held && !this.sent.length && !this.work?.recordings.some(({ id }) => this.typed.has(id));
  }

  #hold(by) {
    this.#held += by;
    this.dispatchEvent(new Event("kept"));
  }

  /** Whether something is sent of which only the answer tells what stands then, as an undo. */
  get isUnsure() {
    return this.sent.some(({ changes }) => !changes.length);
  }

  /** Whether what is drawn is of the recording that is open: only then can something be said by it. */
  get isShown() {
    return !this.isOpening && this.shown === this.id;
  }

  get id() {
    return this.view?.recording.id;
  }

  layer(name) {
    return this.work.layers.find((one) => one.name === name);
  }

  /** Tracks of a layer. */
  tracks(layer) {
    return tracksOf(this.view?.items[layer]);
  }

  /** Spans of a layer with their keys, in order of time; of tracks, from the first to the last key frame. */
  spans(layer) {
    if (this.layer(layer)?.tracks) return this.tracks(layer).map(spanOfTrack).sort((one, other) => one.first - other.first || one.end - other.end);
    if (this.layer(layer)?.instants) return spansOfInstants(this.view?.items[layer], this.sampled, this.view?.frames);
    const items = Object.entries(this.view?.items[layer] ?? {});
    return items.map(([key, span]) => ({ key, ...span })).sort((one, other) => one.first - other.first || one.end - other.end);
  }

  /** Say several changes at once: {layer, key, value}; all of them are kept, or none. Resolves to whether they were. */
  async change(changes) {
    return !changes.length || this.say("/api/label", this.resting(this.view, changes));
  }

  /** Changes of a recording as they are sent: with what each of them rests on, which another page may have changed. */
  resting({ recording, film, items }, changes) {
    return { id: recording.id, film, changes: changes.map((one) => ({ proposal: "", before: items[one.layer]?.[one.key] ?? null, ...one })) };
  }

  /** The rating that stands. */
  get sheet() {
    return this.view.items.ratings?.[SHEET] ?? { scores: {}, failed: false, errors: {}, remark: "" };
  }

  /** Change fields of the rating that stands. */
  async rate(changed) {
    return this.isShown ? this.#amend(changed) : this.refuse();
  }

  /** After an undo only its answer tells what stands: then it is said when its turn comes. While another recording opens it is of the one before. */
  #amend(changed) {
    const body = () => this.resting(this.view, [{ layer: "ratings", key: SHEET, value: { ...this.sheet, ...changed(this.sheet) } }]);
    return this.say("/api/label", this.isUnsure ? { id: this.id, later: body } : body(), true);
  }

  /** A remark is typed: until it is kept it stays in its field. */
  type(text) {
    if (this.isShown) this.typed.set(this.id, { text, isSent: false });
    this.#hold(0);
  }

  /** Keep the remark that was typed in the field of a recording, if that is still the one; what is refused is typed as before. */
  async keep(id) {
    const typed = this.typed.get(id);
    if (id !== this.id || !typed || typed.isSent) return;
    typed.isSent = true;
    const isSame = !this.sent.length && this.sheet.remark === typed.text;
    typed.isSent = isSame || Boolean(await this.#amend(() => ({ remark: typed.text })));
    if (typed.isSent && this.typed.get(id) === typed) this.typed.delete(id);
    this.#hold(0);
  }

  /** Take or refuse proposals, or parts of them, all at once. */
  decide(path, picks, more = {}) {
    return this.say(path, { id: this.id, film: this.view.film, picks: picks.map(({ proposal, part }) => ({ proposal, part })), ...more });
  }

  /**
   * Take back what was said last and seen here; the answer says whether there was something. While a key waits for its picture, that is not sent yet, and another
   * would be taken back. What is on its way is what is meant: where that is refused, nothing is taken back.
   */
  undo() {
    if (this.waiting) return Promise.resolve(this.refuse("What you said before waits for its picture: nothing was taken back."));
    const { id } = this;
    const isLast = !this.sent.length;
    return this.say("/api/undo", { id, later: (before) => (isLast || before) && { id, last: this.view.undo } });
  }

  async sayDone(done) {
    const isTaken = await this.say("/api/done", { id: this.id, film: this.view.film, done });
    await this.open();
    return isTaken;
  }

  async settle({ recording, film }, { layer, first, end, seen }, spans) {
    const isTaken = await this.say("/api/settle", { id: recording.id, film, layer, first, end, spans, seen });
    await this.open();
    return isTaken;
  }

  worked(seconds) {
    if (this.id) post("/api/worked", { id: this.id, seconds, nonce: nonce() }, { keepalive: true }).catch(() => {});
  }

  /** Say why something was not taken. */
  refuse(why = this.isOpening ? "The recording is still opening: nothing was labelled." : "Another recording has opened since you pressed: nothing was labelled.") {
    this.dispatchEvent(new CustomEvent("refused", { detail: why }));
    return false;
  }

  /** Resolves to what the server answers, or to false where it was not taken. */
  say(path, body, isOfItsOwn = false) {
    const { id } = body;
    if (this.isOld) return Promise.resolve(false);
    if (!this.isShown && !isOfItsOwn) return Promise.resolve(this.refuse());
    const sent = { id, changes: body.changes ?? [] };
    this.sent.push(sent);
    this.dispatchEvent(new Event("kept"));
    // What is seen follows at once; the answer replaces it.
    if (sent.changes.length) this.take(this.view);
    this.queue = this.queue.then((before) => this.send(path, body, sent, before));
    return this.queue;
  }

  /** `before` is what became of what was sent before this; `later` makes of it what is sent, or nothing. */
  async send(path, { later, ...body }, sent, before) {
    const answered = () => {
      this.answered += 1;
      sent.changes = [];
    };
    try {
      const wish = later ? later(before) : body;
      const answer = wish && (await post(path, { ...wish, nonce: nonce() }));
      answered();
      if (answer && this.id === sent.id) this.take(answer);
      return answer;
    } catch (error) {
      answered();
      // What was refused is not kept: what stands is shown again.
      if (this.id === sent.id) await this.refresh().catch(() => {});
      this.refuse(this.id === sent.id ? error.message : `${sent.id}: ${error.message}`);
      return false;
    } finally {
      this.sent = this.sent.filter((one) => one !== sent);
      this.dispatchEvent(new Event("kept"));
    }
  }

  /** Show what stands, and over it what was said since and is on its way: else the next key would be answered by what stood before. */
  take(view) {
    // Released with another cut meanwhile: what is on this page, and what its frame numbers mean, is of the film before.
    if (this.id === view.recording.id && this.view.film !== view.film) {
      // Until the page has gone, nothing is said with frame numbers of the film before.
      this.isOld = true;
      history.replaceState(null, "", `#${this.id}`);
      location.reload();
      return;
    }
    this.view = view;
    const ours = this.sent.filter(({ id }) => id === this.id);
    for (const { layer, key, value } of ours.flatMap(({ changes }) => changes)) {
      const items = (view.items[layer] ??= {});
      if (value === null) delete items[key];
      else items[key] = value;
    }
    const summary = this.work.recordings.find((one) => one.id === view.recording.id);
    Object.assign(summary ?? {}, view.recording);
    this.dispatchEvent(new Event("view"));
  }
})();

/** A name for a new label. */
export const newKey = () => nonce().slice(0, 12);

/** A span as it is sent. */
export const spanOf = ({ first, end, label, verb = "", target = "" }) => ({ first, end, label, verb, target });
