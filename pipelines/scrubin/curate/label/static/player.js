// Shows frames by number: each picture is fetched as the frame that it is, so what is seen is what is labelled, whatever the rate of the film.

import { getBytes, getPicture } from "./api.js";

export const SPEEDS = [0.25, 0.5, 1, 1.5, 2, 4, 8];
const AT_ONCE = 12;
const COLUMNS = 4;
const AHEAD_S = 4;
const MOST_KEPT = 600;
// Faster than the screen can show, frames are passed over: each that is shown is still the one of its number.
const MOST_PER_S = 30;
const HEIGHTS_PX = [240, 360, 480, 720];

export class Player extends EventTarget {
  constructor(canvas) {
    super();
    this.canvas = canvas;
    this.frame = 0;
    this.speed = 1;
    this.playing = false;
    this.waits = 0;
    this.shownCount = 0;
    /** Why the pictures that were asked last cannot be shown. */
    this.trouble = null;
    this.pictures = new Map();
    this.wanted = new Map();
    this.abort = new AbortController();
  }

  /** Open a video of a recording at a frame. */
  async open(id, camera, frame = 0) {
    this.pause();
    this.abort.abort();
    this.abort = new AbortController();
    this.pictures.clear();
    this.wanted.clear();
    [this.id, this.camera] = [id, camera];
    // What is on the screen is none of its frames, until one is shown.
    this.frame = -1;
    const { signal } = this.abort;
    const bytes = await getBytes(`/api/recordings/${id}/${camera}/times`, signal);
    this.times = new Float64Array(bytes);
    this.count = this.times.length - 1;
    await this.seek(Math.min(frame, this.count - 1));
    if (this.frame < 0 && !signal.aborted) this.blank();
  }

  /** Show nothing, and keep no picture. */
  clear() {
    this.pause();
    this.abort.abort();
    for (const picture of this.pictures.values()) picture.close();
    this.pictures.clear();
    this.wanted.clear();
    this.frame = -1;
    this.blank();
  }

  /** What is on the screen is of no film that is open. */
  blank() {
    // A canvas that is given a width is empty.
    this.canvas.width = 1;
    this.canvas.setAttribute("aria-label", "Frame");
  }

  get duration() {
    return this.times[this.count];
  }

  get height() {
    const room = this.canvas.parentElement.clientHeight * devicePixelRatio;
    return HEIGHTS_PX.find((height) => height >= room) ?? HEIGHTS_PX.at(-1);
  }

  /** The frame that is on the screen at a time. */
  at(timeS) {
    let [low, high] = [0, this.count - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= timeS + 1e-9) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Show a frame; resolves when its picture is there. */
  async seek(frame) {
    this.pause();
    const to = Math.max(0, Math.min(frame, this.count - 1));
    this.target = to;
    if (!this.pictures.has(to) && !this.wanted.has(to)) this.fetch([to]);
    await this.wanted.get(to);
    if (this.target === to && this.pictures.has(to)) this.show(to);
  }

  step(frames) {
    return this.seek((this.target ?? this.frame) + frames);
  }

  jump(seconds) {
    // Keys that come faster than pictures add up.
    return this.seek(this.at(Math.max(0, this.times[this.target ?? this.frame] + seconds)));
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  pause() {
    this.playing = false;
    this.target = undefined;
    this.dispatchEvent(new Event("state"));
  }

  play() {
    if (this.frame < 0 || this.frame >= this.count - 1) return;
    this.playing = true;
    // Where somebody went before is not where they are.
    this.target = undefined;
    this.clockS = this.times[this.frame];
    this.before = null;
    this.dispatchEvent(new Event("state"));
    requestAnimationFrame((now) => this.tick(now));
  }

  tick(now) {
    if (!this.playing) return;
    const passedS = this.before === null ? 0 : (Math.min(now - this.before, 250) / 1000) * this.speed;
    this.before = now;
    const list = this.upcoming();
    const due = list.filter((frame) => this.times[frame] <= this.clockS + passedS);
    // One picture at a time, and the clock waits for it, also where the machine is late: nothing is shown under another's number, nothing left out.
    if (!due.length) {
      this.clockS += passedS;
    } else if (this.pictures.has(due[0])) {
      this.clockS = due.length > 1 ? this.times[due[1]] : this.clockS + passedS;
      this.show(due[0]);
    } else {
      this.waits += 1;
    }
    this.ahead(list);
    if (this.frame >= this.count - 1) this.pause();
    else requestAnimationFrame((then) => this.tick(then));
  }

  /** The frames that will be shown from here on, for some seconds. */
  upcoming() {
    const perSecond = this.count / this.duration;
    const step = Math.max(1, Math.ceil((perSecond * this.speed) / MOST_PER_S));
    const until = this.times[this.frame] + AHEAD_S * Math.max(1, this.speed);
    const list = [];
    for (let frame = this.frame + step; frame < this.count && this.times[frame] <= until; frame += step) list.push(frame);
    if (!list.length && this.frame < this.count - 1) list.push(this.count - 1);
    return list;
  }

  ahead(list) {
    const missing = list.filter((frame) => !this.pictures.has(frame) && !this.wanted.has(frame));
    const inFlight = new Set(this.wanted.values()).size;
    if (inFlight < 2 && missing.length) this.fetch(missing.slice(0, AT_ONCE));
  }

  fetch(frames) {
    const { height } = this;
    const query = new URLSearchParams({ frames: frames.join(","), height, columns: Math.min(COLUMNS, frames.length) });
    const { signal } = this.abort;
    this.trouble = null;
    const done = getPicture(`/pictures/${this.id}/${this.camera}?${query}`, signal)
      .then((sheet) => this.cut(sheet, frames, height, signal))
      .catch((error) => {
        if (error.name === "AbortError") return;
        this.trouble = error.message;
        this.dispatchEvent(new CustomEvent("trouble", { detail: error.message }));
      })
      .finally(() => frames.filter((frame) => this.wanted.get(frame) === done).forEach((frame) => this.wanted.delete(frame)));
    for (const frame of frames) this.wanted.set(frame, done);
  }

  /** Keep each picture of a sheet, if the video that it is of is still open. */
  async cut(sheet, frames, height, signal) {
    const columns = Math.min(COLUMNS, frames.length);
    const width = sheet.width / columns;
    await Promise.all(
      frames.map(async (frame, place) => {
        const [x, y] = [(place % columns) * width, Math.floor(place / columns) * height];
        const picture = await createImageBitmap(sheet, x, y, width, height);
        if (signal.aborted) picture.close();
        else this.pictures.set(frame, picture);
      }),
    );
    sheet.close();
    while (this.pictures.size > MOST_KEPT) {
      const [oldest] = this.pictures.keys();
      this.pictures.get(oldest).close();
      this.pictures.delete(oldest);
    }
  }

  show(frame) {
    const picture = this.pictures.get(frame);
    if (this.canvas.width !== picture.width || this.canvas.height !== picture.height) {
      this.canvas.width = picture.width;
      this.canvas.height = picture.height;
    }
    this.canvas.getContext("2d").drawImage(picture, 0, 0);
    this.frame = frame;
    this.shownCount += 1;
    this.canvas.setAttribute("aria-label", `Frame ${frame} of ${this.count}, ${clock(this.times[frame])}`);
    this.dispatchEvent(new Event("frame"));
  }
}

/** Seconds as minutes, seconds and hundredths. */
export function clock(seconds) {
  const whole = Math.floor(seconds * 100 + 1e-6);
  const [minutes, rest] = [Math.floor(whole / 6000), whole % 6000];
  return `${minutes}:${String(Math.floor(rest / 100)).padStart(2, "0")}.${String(rest % 100).padStart(2, "0")}`;
}
