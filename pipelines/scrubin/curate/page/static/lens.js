// The lens: every frame. Of the selected span both ends, five frames to either side; else the frames around the cursor.

import { Block } from "./cells.js";
import { byId, element, fill } from "./elements.js";
import { isAsked } from "./kinds.js";
import { asReleased, hides, mark } from "./spans.js";
import { state } from "./state.js";
import { clock } from "./times.js";

const ACROSS = 11;
const AROUND_FRAMES = 5;
const HEIGHTS_PX = [64, 170];
const SETTLE_MS = 60;

export class Lens {
  constructor(watch) {
    this.root = byId("lens");
    this.watch = watch;
    this.blocks = [];
    this.timer = null;
    this.shows = null;
    state.on("cursor selection recording layout", () => this.#soon());
    state.on("marks selection", () => this.#marks());
    state.on("marks", () => state.preview && this.#soon());
    new ResizeObserver(() => this.#soon(true)).observe(this.root);
  }

  #soon(anew = false) {
    if (anew) this.shows = null;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.build(), SETTLE_MS);
  }

  /** The rows that it shows: a title, and frames from first to last. */
  rows() {
    const last = state.times[state.camera].count - 1;
    const cut = (a, b) => ({ first: Math.max(0, a), last: Math.min(last, b) });
    const { span } = state;
    const reach = AROUND_FRAMES + 6;
    if (span && span.camera === state.camera && state.frame >= span.first - reach && state.frame <= span.last + reach && state.pane !== "lens") {
      if (span.last - span.first + 1 + 2 * AROUND_FRAMES <= 2 * ACROSS) {
        const middle = span.first - AROUND_FRAMES + ACROSS;
        return [
          { title: "span", ...cut(span.first - AROUND_FRAMES, middle - 1) },
          { title: "", ...cut(middle, span.last + AROUND_FRAMES) },
        ].filter((row) => row.first <= row.last);
      }
      return [
        { title: "begins", ...cut(span.first - AROUND_FRAMES, span.first + AROUND_FRAMES) },
        { title: "ends", ...cut(span.last - AROUND_FRAMES, span.last + AROUND_FRAMES) },
      ];
    }
    // Two rows that stay while the cursor moves inside them.
    const start = Math.max(0, Math.min(this.#anchor(), last - 2 * ACROSS + 1));
    return [
      { title: "frames", ...cut(start, start + ACROSS - 1) },
      { title: "", ...cut(start + ACROSS, start + 2 * ACROSS - 1) },
    ].filter((row) => row.first <= row.last);
  }

  #anchor() {
    const held = this.shows?.around;
    if (held !== undefined && this.shows.camera === state.camera && state.frame >= held && state.frame < held + 2 * ACROSS) return held;
    return state.frame - AROUND_FRAMES;
  }

  build() {
    if (!state.camera || !state.times[state.camera]) {
      this.#clear();
      return;
    }
    const rows = this.rows();
    const name = JSON.stringify([state.number, state.camera, rows, asReleased()]);
    if (this.shows?.name !== name) {
      this.#clear();
      this.shows = { name, camera: state.camera, around: rows[0].title === "frames" ? rows[0].first : undefined };
      this.#draw(rows);
    }
    this.#marks();
  }

  /** Fetch the still of a frame anew. */
  refresh(camera, frame) {
    for (const block of this.blocks) block.refresh(camera, frame);
  }

  /** Scroll to the first frame that is left to see: a low window has no room for all rows. */
  bring(isLeft) {
    const buttons = this.blocks.flatMap((block) => block.buttons);
    buttons.find((button) => isLeft(button.cell.frame))?.scrollIntoView({ block: "nearest" });
  }

  /** The first wanted frame of a camera that cannot be shown, why, and whether no frame of the lens can; null where there is none, or while they load. */
  failure(camera, isWanted) {
    const buttons = this.isLoaded ? this.blocks.flatMap((block) => block.buttons) : [];
    const failed = buttons.find((button) => button.failure && button.cell.stills[0].camera === camera && isWanted(button.cell.frame));
    return failed ? { frame: failed.cell.frame, reason: failed.failure, isOfAll: buttons.every((button) => button.failure) } : null;
  }

  #clear() {
    for (const block of this.blocks) {
      for (const button of block.buttons) this.watch.unobserve(button);
      block.close();
    }
    this.blocks = [];
    this.shows = null;
    fill(this.root);
  }

  #draw(rows) {
    const [wide, tall] = state.file().size_px;
    const height = Math.max(...[HEIGHTS_PX[0], Math.min(HEIGHTS_PX[1], Math.floor(((this.root.clientWidth - 60) / ACROSS) * (tall / wide)))]);
    const width = Math.min(Math.floor((height * wide) / tall), Math.floor((this.root.clientWidth - 60) / ACROSS));
    for (const row of rows) {
      const cells = [];
      for (let frame = row.first; frame <= row.last; frame += 1) cells.push(this.#cell(frame));
      const block = new Block({ number: state.number, cells, columns: cells.length, width, height, view: "lens", hides });
      const title = element("p", { class: "row-title" }, row.title, element("br"), clock(state.times[state.camera].start(row.first)));
      const label = row.title === "" ? "more frames" : row.title;
      this.root.append(element("div", { class: "lens-row", role: "group", "aria-label": `Lens, ${label}` }, title, block.element));
      this.blocks.push(block);
      block.load();
      for (const button of block.buttons) {
        this.watch.observe(button);
        button.addEventListener("click", () => {
          state.set({ pane: "lens" });
          state.move(button.cell.frame);
        });
        button.addEventListener("dblclick", () => state.tell("full"));
      }
    }
  }

  #cell(frame) {
    const times = state.times[state.camera];
    return { frame, stills: [{ camera: state.camera, frame }], label: `frame ${frame}, ${clock(times.start(frame), 3)}` };
  }

  #marks() {
    const times = state.times[state.camera];
    if (!times) return;
    for (const block of this.blocks) {
      for (const button of block.buttons) {
        const { frame } = button.cell;
        const name = mark(state.camera, times.start(frame), times.end(frame));
        button.replaceChildren(...(name ? [element("span", { class: `mark ${name}` })] : []), ...this.#asked(frame));
        const here = frame === state.frame;
        button.classList.toggle("cursor", here);
        button.classList.toggle("marked", this.#isMarked(frame));
        button.tabIndex = here && state.pane === "lens" ? 0 : -1;
        if (here && state.pane === "lens") {
          button.focus({ preventScroll: true });
          button.scrollIntoView({ block: "nearest" });
        }
      }
    }
  }

  /** The outline of what the audit asks, when that is selected and seen in this frame. */
  #asked(frame) {
    const { span } = state;
    if (!span || !isAsked(span) || span.camera !== state.camera || frame < span.first || frame > span.last) return [];
    const [wide, tall] = state.file().size_px;
    const [x, y, width, height] = span.box_xywh;
    const outline = element("span", { class: "outline" });
    Object.assign(outline.style, { left: `${(x / wide) * 100}%`, top: `${(y / tall) * 100}%`, width: `${(width / wide) * 100}%`, height: `${(height / tall) * 100}%` });
    return [outline];
  }

  #isMarked(frame) {
    if (state.inFrame !== null || state.outFrame !== null) {
      const [a, b] = [state.inFrame ?? state.outFrame, state.outFrame ?? state.inFrame];
      return Math.min(a, b) <= frame && frame <= Math.max(a, b);
    }
    const { span } = state;
    return span !== null && span.camera === state.camera && span.first <= frame && frame <= span.last;
  }

  /** Whether the frames that it shows are loaded, or cannot be. */
  get isLoaded() {
    return this.blocks.length > 0 && this.blocks.every((block) => block.loaded);
  }
}
