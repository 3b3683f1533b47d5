// One frame at full size, and the rectangle that is drawn on it.

import { Refused, getPicture } from "./api.js";
import { byId, element, endDrag, fill, onDrag } from "./elements.js";
import { isAsked, spanName } from "./kinds.js";
import { asReleased, over } from "./spans.js";
import { state } from "./state.js";
import { clock } from "./times.js";

const LEAST_PX = 4;
const STEPS_OF_WIDTH = 40;
// Share of the picture's width and height that a corner shows, and of the window's width for all of them.
const CORNER = [0.25, 0.16];
const CORNERS_SHARE = 0.36;

export class Full {
  constructor(watch, decisions, say) {
    Object.assign(this, { watch, decisions, say, aborter: null, box: null, shown: false });
    this.dialog = byId("full");
    this.canvas = byId("full-canvas");
    this.boxes = byId("full-boxes");
    this.rectangle = byId("rectangle");
    this.text = byId("full-text");
    this.said = [byId("full-banner"), byId("full-status")];
    this.dialog.addEventListener("close", () => this.#closed());
    // Ctrl+Esc and a gesture of a phone close it without a key of ours.
    this.dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      this.leave();
    });
    state.on("recording", () => state.camera && this.#setBox(null));
    state.on("cursor layout marks", () => this.dialog.open && this.show());
    window.addEventListener("resize", () => this.isOpen && this.#fit());
    const lines = new ResizeObserver(() => this.isOpen && this.#fit());
    for (const line of [...this.said, this.text, this.dialog.querySelector(".looking")]) lines.observe(line);
    this.#drag();
  }

  get isOpen() {
    return this.dialog.open;
  }

  /** Fetch the picture anew if it is of a frame. */
  refresh(camera, frame) {
    if (!this.isOpen || state.camera !== camera || state.frame !== frame) return;
    this.name = null;
    this.show();
  }

  toggle() {
    if (this.isOpen) this.dialog.close();
    else this.open();
  }

  /** Forget the rectangle, or else close. */
  leave() {
    if (this.box) this.#setBox(null);
    else this.dialog.close();
  }

  open() {
    if (!state.camera) return;
    if (!this.isOpen) {
      // The event that it was closed may still be on its way.
      this.#closed();
      this.shown = true;
      this.pane = state.pane;
      state.pane = "full";
      this.dialog.showModal();
    }
    this.show();
  }

  #closed() {
    if (!this.shown || this.isOpen) return;
    this.shown = false;
    endDrag();
    this.#setBox(null);
    // Opened again it is looked at anew, and may be another picture.
    this.name = null;
    this.aborter?.abort();
    this.#leave();
    state.set({ pane: this.pane ?? "sheet" });
    state.tell("cursor");
  }

  async show() {
    const { number, camera, frame, preview } = state;
    const name = `${number}/${camera}/${frame}/${asReleased()}`;
    if (this.box && this.boxOf !== camera) {
      // What is on its way is told by its answer.
      if (!this.decisions.busy) this.say(`The rectangle was of the camera ${this.boxOf}, so it is forgotten: draw one here.`);
      this.#setBox(null);
    }
    this.#outline();
    this.#describe();
    this.#fit();
    if (name === this.name && this.isDrawn) return;
    this.name = name;
    // Until the next one comes, the picture before is none of this frame.
    delete this.canvas.dataset.frame;
    byId("full-corners").hidden = !this.isStop;
    this.aborter?.abort();
    this.#leave();
    this.aborter = new AbortController();
    try {
      const picture = await getPicture(`/still/${number}/${camera}/${frame}?preview=${preview ? 1 : 0}`, this.aborter.signal);
      // Another one is wanted, and may be drawn already.
      if (name !== this.name) return picture.close();
      this.canvas.width = picture.width;
      this.canvas.height = picture.height;
      this.canvas.getContext("2d").drawImage(picture, 0, 0);
      picture.close();
    } catch (error) {
      if (error instanceof Refused) {
        this.canvas.getContext("2d").clearRect(0, 0, this.canvas.width, this.canvas.height);
        this.text.textContent = error.message;
        this.watch.show(null, error.message);
      } else if (error.name !== "AbortError") throw error;
      return;
    }
    this.canvas.dataset.frame = String(frame);
    this.#enlarge();
    if (!preview && this.isOpen) this.watch.show({ number, view: "full", camera, frame, height: this.canvas.offsetHeight });
  }

  /** Whoever goes on from a frame has looked at it, if it was for long enough. */
  #leave() {
    this.watch.pass();
    this.watch.show(null);
  }

  /** Whether the frame is one to be looked at by itself. */
  get isStop() {
    return this.isOpen && state.stops.some((stop) => stop.camera === state.camera && stop.frame === state.frame);
  }

  /** The corners, where recorders write names, so large that small letters can be read. */
  #enlarge() {
    byId("full-corners").hidden = !this.isStop;
    if (!this.isStop) return;
    [...byId("full-corners").children].forEach((corner, place) => {
      const [wide, tall] = [Math.round(this.canvas.width * CORNER[0]), Math.round(this.canvas.height * CORNER[1])];
      const x = place % 2 ? this.canvas.width - wide : 0;
      const y = place > 1 ? this.canvas.height - tall : 0;
      corner.width = wide;
      corner.height = tall;
      corner.getContext("2d").drawImage(this.canvas, x, y, wide, tall, 0, 0, wide, tall);
    });
  }

  /** As large as the window allows, without what stands around it: small pictures are enlarged. */
  #fit() {
    const [wide, tall] = state.file().size_px;
    const room = window.innerWidth * (this.isStop ? 1 - CORNERS_SHARE : 1);
    const [above, below] = this.said;
    const scale = Math.min(room / wide, (below.getBoundingClientRect().top - above.offsetHeight) / tall);
    this.canvas.style.width = `${Math.floor(wide * scale)}px`;
    this.canvas.style.height = `${Math.floor(tall * scale)}px`;
    if (this.watch.large) this.watch.large.height = this.canvas.offsetHeight;
  }

  #describe() {
    const times = state.times[state.camera];
    const spans = over(state.camera, state.timeS, times.end(state.frame)).map(({ span, decision }) => `${spanName(span)}: ${decision === "rejected" ? "shown" : isAsked(span) ? "not answered" : "hidden"}`);
    const where = `${state.files.length > 1 ? `${state.camera}, ` : ""}frame ${state.frame} of ${times.count}, ${clock(state.timeS, 3)}`;
    const looking = this.isStop ? "A still to be looked at by itself: is there a name, a date, a number, a face? Space goes on. " : "";
    const drawing = this.box
      ? "Rectangle: arrows move it, Shift and arrows size it, Ctrl by one pixel. Enter keeps it, Esc forgets it."
      : "← → frame · ↑ ↓ second · B or drag: a rectangle to hide · V as released · I O in and out · Esc closes";
    const about = `${where}${spans.length ? ` · ${spans.join(", ")}` : ""}${state.preview ? " · as released" : ""}`;
    this.canvas.setAttribute("aria-label", about);
    fill(this.text, looking ? `${about} — ${looking}` : about, element("span", { class: "keys" }, `${looking ? "" : " — "}${drawing}`));
  }

  /** Outlines of what is hidden in part of the picture. */
  #outline() {
    const [wide, tall] = state.file().size_px;
    const covering = state.preview ? [] : over(state.camera, state.timeS, state.timeS + 1e-5);
    fill(
      this.boxes,
      ...covering
        .filter(({ span }) => span.box_xywh)
        .map(({ span, decision }) => {
          const outline = element("div", { class: `outline ${decision}`, title: spanName(span) });
          this.#place(outline, span.box_xywh, wide, tall);
          return outline;
        }),
    );
  }

  #place(part, [x, y, width, height], wide, tall) {
    part.style.left = `${(x / wide) * 100}%`;
    part.style.top = `${(y / tall) * 100}%`;
    part.style.width = `${(width / wide) * 100}%`;
    part.style.height = `${(height / tall) * 100}%`;
  }

  /** Start a rectangle in the middle of the picture. */
  startBox() {
    if (!this.isOpen) this.open();
    const [wide, tall] = state.file().size_px;
    this.#setBox(this.box ?? [Math.round(wide * 0.3), Math.round(tall * 0.4), Math.round(wide * 0.4), Math.round(tall * 0.2)]);
  }

  #setBox(box) {
    Object.assign(this, { box, boxOf: state.camera });
    this.rectangle.hidden = !box;
    if (box) this.#place(this.rectangle, box, ...state.file().size_px);
    if (this.isOpen) this.#describe();
  }

  /** Move or size the rectangle by a key; false when there is none. */
  arrow(dx, dy, { sizes, fine }) {
    if (!this.box) return false;
    const [wide, tall] = state.file().size_px;
    const step = fine ? 1 : Math.max(1, Math.round(wide / STEPS_OF_WIDTH));
    let [x, y, width, height] = this.box;
    if (sizes) {
      width = Math.max(LEAST_PX, Math.min(wide - x, width + dx * step));
      height = Math.max(LEAST_PX, Math.min(tall - y, height + dy * step));
    } else {
      x = Math.max(0, Math.min(wide - width, x + dx * step));
      y = Math.max(0, Math.min(tall - height, y + dy * step));
    }
    this.#setBox([x, y, width, height]);
    return true;
  }

  /** Whether the canvas shows what was asked for last. */
  get isDrawn() {
    return "frame" in this.canvas.dataset;
  }

  /** Whether the canvas shows the frame that is open; a rectangle is of what is seen: else none is drawn or kept, and the page says so. */
  #isSeen() {
    const isSeen = this.isDrawn && !state.isOpening;
    if (!isSeen) this.say("The picture of this frame is not on the screen: no rectangle is drawn or kept.", false, true);
    return isSeen;
  }

  /** Ask what the rectangle hides, and keep it. */
  async keepBox() {
    const { box } = this;
    if (!box || !this.#isSeen()) return;
    // Another one may be drawn by then.
    if ((await this.decisions.draw(box)) && this.box === box) this.#setBox(null);
    this.show();
  }

  #drag() {
    const at = (event) => {
      const area = this.canvas.getBoundingClientRect();
      const [wide, tall] = state.file().size_px;
      const x = Math.max(0, Math.min(wide, Math.round(((event.clientX - area.left) / area.width) * wide)));
      const y = Math.max(0, Math.min(tall, Math.round(((event.clientY - area.top) / area.height) * tall)));
      return [x, y];
    };
    onDrag(byId("full-picture"), (event) => {
      if (document.body.dataset.released === "yes" || !this.#isSeen()) return null;
      event.preventDefault();
      const [from, before] = [at(event), this.box];
      const move = (next) => {
        const to = at(next);
        const box = [0, 1].map((side) => Math.min(from[side], to[side]));
        const size = [0, 1].map((side) => Math.abs(from[side] - to[side]));
        if (Math.min(...size) >= LEAST_PX) this.#setBox([...box, ...size]);
      };
      return { move, end: () => this.keepBox(), drop: () => this.#setBox(before) };
    });
  }
}
