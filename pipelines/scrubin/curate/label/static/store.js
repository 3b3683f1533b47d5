// What this person has to label and has labelled: changes go to the server at once, and what it answers is what stands.

import { get, nonce, post } from "./api.js";
import { spansOfInstants } from "./instants.js";
import { spanOfTrack, tracksOf } from "./tracks.js";

export const store = new (class extends EventTarget {
  work = null;
  view = null;
  last = {};
  sampled = [];
  proposals = [];

  async open() {
    this.work = await get("/api/work");
    this.dispatchEvent(new Event("work"));
  }

  async choose(id) {
    const isNew = this.id !== id;
    const needed = isNew && this.work.layers.some((one) => one.instants);
    const { frames } = needed ? await get(`/api/recordings/${id}/sampled`) : { frames: null };
    const { proposals } = isNew ? await get(`/api/recordings/${id}/proposals`) : this;
    const view = await get(`/api/recordings/${id}`);
    if (frames) this.sampled = frames;
    this.proposals = proposals;
    this.take(view);
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

  /** Say several changes at once: {layer, key, value}; all of them are kept, or none. */
  async change(changes) {
    if (!changes.length) return;
    // What is seen follows at once; the answer replaces it.
    for (const { layer, key, value } of changes) {
      const items = (this.view.items[layer] ??= {});
      if (value === null) delete items[key];
      else items[key] = value;
    }
    this.dispatchEvent(new Event("view"));
    await this.say("/api/label", { id: this.id, changes: changes.map((one) => ({ proposal: "", ...one })) });
  }

  /** Take or refuse proposals, or parts of them, all at once. */
  decide(path, picks, more = {}) {
    return this.say(path, { id: this.id, picks: picks.map(({ proposal, part }) => ({ proposal, part })), ...more });
  }

  undo() {
    return this.say("/api/undo", { id: this.id });
  }

  async sayDone(done) {
    await this.say("/api/done", { id: this.id, done });
    await this.open();
  }

  async settle(dispute, spans) {
    const { layer, first, end } = dispute;
    await this.say("/api/settle", { id: this.id, layer, first, end, spans });
    await this.open();
  }

  worked(seconds) {
    if (this.id) post("/api/worked", { id: this.id, seconds, nonce: nonce() }, { keepalive: true }).catch(() => {});
  }

  /** Resolves to whether it was taken. */
  async say(path, body) {
    const { id } = this;
    this.queue = (this.queue ?? Promise.resolve()).then(async () => {
      try {
        const answer = await post(path, { ...body, nonce: nonce() });
        if (this.id === id) this.take(answer);
        return true;
      } catch (error) {
        // What was refused is not kept: what stands is shown again.
        if (this.id === id) await this.choose(id);
        this.dispatchEvent(new CustomEvent("refused", { detail: error.message }));
        return false;
      }
    });
    return this.queue;
  }

  take(view) {
    this.view = view;
    const summary = this.work.recordings.find((one) => one.id === view.recording.id);
    Object.assign(summary ?? {}, view.recording);
    this.dispatchEvent(new Event("view"));
  }
})();

/** A name for a new label. */
export const newKey = () => nonce().slice(0, 12);

/** A span as it is sent. */
export const spanOf = ({ first, end, label, verb = "", target = "" }) => ({ first, end, label, verb, target });
