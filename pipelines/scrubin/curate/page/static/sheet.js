// The contact sheet: the whole kept recording, one cell a second at first. Only blocks near the view are on the page.

import { Block, said } from "./cells.js";
import { byId, element, onDrag } from "./elements.js";
import { asReleased, hides, mark, says } from "./spans.js";
import { STEPS_S, state } from "./state.js";
import { clock } from "./times.js";

const GUTTER_PX = 48;
const CELLS_OF_A_BLOCK = 60;
// Three minutes fit the screen, unless that would make stills too small to count as looked at.
const CELLS_OF_A_SCREEN = 180;
const HEIGHTS_PX = [96, 170];
const SCALE = 1.25;
const AHEAD_MS = 250;
// A hand trembles: so little is a click, also on the edge of two stills.
const TREMBLE_PX = 6;

export class Sheet {
  constructor(watch) {
    this.scroller = byId("sheet-scroll");
    this.root = byId("sheet-cells");
    this.watch = watch;
    this.blocks = new Map();
    this.layout = null;
    this.scroller.addEventListener("scroll", () => requestAnimationFrame(() => this.#show()));
    this.#drag();
    new ResizeObserver(() => this.build()).observe(this.scroller);
    state.on("recording", () => this.build(true));
    state.on("layout", () => this.build());
    state.on("marks selection", () => this.#marks());
    state.on("marks", () => state.preview && this.build());
    state.on("cursor", () => this.#cursor());
  }

  /** Lay the cells out anew, and keep the cursor in view. */
  build(fromTop = false) {
    const layout = this.#layout();
    const name = JSON.stringify([state.number, asReleased(), layout]);
    if (name === this.name && !fromTop) {
      this.#show();
      return;
    }
    this.name = name;
    for (const place of [...this.blocks.keys()]) this.#drop(place);
    this.layout = layout;
    this.root.style.height = `${this.layout ? this.layout.rows * this.layout.height : 0}px`;
    if (!this.layout) return;
    if (fromTop) this.scroller.scrollTop = 0;
    this.#show();
    this.#cursor();
  }

  #layout() {
    const files = state.files;
    const room = { width: this.scroller.clientWidth - GUTTER_PX - 4, height: this.scroller.clientHeight };
    if (!files.length || room.width < 50 || room.height < 20) return null;
    const stepS = STEPS_S[state.density];
    const start = Math.min(...files.map((file) => file.interval_s[0]));
    const end = Math.max(...files.map((file) => file.interval_s[1]));
    const first = stepS ? Math.floor(start / stepS + 1e-9) : state.times[state.camera].from(start);
    const last = stepS ? Math.ceil(end / stepS - 1e-9) - 1 : state.times[state.camera].from(end) - 1;
    this.#arrange(stepS, first, last);
    const count = this.numbers?.length ?? Math.max(1, last - first + 1);
    const aspect = files.reduce((total, file) => total + file.size_px[0] / file.size_px[1], 0);
    let [lowest, height] = HEIGHTS_PX;
    const fits = (tall) => {
      const columns = Math.max(1, Math.floor(room.width / (tall * aspect)));
      return Math.ceil(Math.min(count, CELLS_OF_A_SCREEN) / columns) * tall <= room.height;
    };
    while (height > lowest && !fits(height)) height -= 1;
    // A still that is taller than its room is never on the screen as a whole.
    height = Math.max(20, Math.min(360, room.width / aspect, room.height, height * SCALE ** state.size));
    const columns = Math.max(1, Math.floor(room.width / (height * aspect)));
    const width = Math.floor(height * aspect);
    const rowsOfBlock = Math.max(1, Math.floor(CELLS_OF_A_BLOCK / columns));
    return { stepS, start, end, first, count, columns, width, height: Math.floor(height), rows: Math.ceil(count / columns), rowsOfBlock, arrangement: state.arrangement };
  }

  /** Which seconds have a cell, in the order of the sheet; null when it shows all of them by time. */
  #arrange(stepS, first, last) {
    this.numbers = null;
    if (stepS !== 1 || !(state.hasFolds || state.isArranged)) return;
    const seconds = Array.from({ length: last - first + 1 }, (_, place) => first + place).filter((second) => (state.foldOf(second)?.[2] ?? second) === second);
    if (state.isArranged) {
      const rank = new Map(state.order.map((second, place) => [second, place]));
      seconds.sort((a, b) => (rank.get(a) ?? Infinity) - (rank.get(b) ?? Infinity) || a - b);
    }
    this.numbers = seconds;
    this.places = new Map(seconds.map((second, place) => [second, place]));
  }

  /** The cell at a place: its time and one still of each camera. */
  cell(place) {
    const { stepS, first } = this.layout;
    const number = this.numbers?.[place] ?? first + place;
    const fold = this.numbers ? state.foldOf(number) : null;
    const stills = [];
    let fromS;
    let toS;
    if (stepS) {
      [fromS, toS] = [number * stepS, (number + 1) * stepS];
      for (const file of state.files) stills.push(this.#stillOf(file, fromS, toS));
    } else {
      const times = state.times[state.camera];
      [fromS, toS] = [times.start(number), times.end(number)];
      for (const file of state.files) {
        const frame = file.camera === state.camera ? number : state.times[file.camera].at(fromS);
        stills.push({ camera: file.camera, frame });
      }
    }
    // A still that stands for others is marked, and hidden, with all of them.
    if (fold) [fromS, toS] = [fold[0], fold[1] + 1];
    const several = state.files.length > 1;
    const said = state.files.map((file) => [file.camera, says(file.camera, fromS, toS)]).filter(([, text]) => text);
    const about = said.map(([camera, text]) => (several ? `${camera}: ${text}` : text)).join("; ");
    const stands = fold ? `, one still for ${toS - fromS} seconds` : "";
    return { place, stills, fold, fromS, toS, label: `${clock(fromS)}${stands}${about ? `, ${about}` : ""}` };
  }

  // The first frame that appears in the cell and is kept, so that every second shows something of its own.
  #stillOf(file, fromS, toS) {
    const times = state.times[file.camera];
    const [start, end] = file.interval_s;
    if (toS <= start || fromS >= Math.min(end, times.boundaries[times.count])) return null;
    // The last still is the very last frame: what was filmed on the way out is short.
    const closing = times.from(Math.min(end, times.boundaries[times.count])) - 1;
    if (closing >= 0 && times.start(closing) >= fromS - 1e-6 && toS >= end - 1e-6) return { camera: file.camera, frame: closing };
    const frame = times.from(Math.max(fromS, start));
    if (frame < times.count && times.start(frame) < Math.min(toS, end) - 1e-6) return { camera: file.camera, frame };
    return { camera: file.camera, frame: times.at(Math.max(fromS, start)) };
  }

  /** The place of the cell that shows the cursor. */
  placeOf(camera, frame) {
    return this.#placeAt(state.times[camera].start(frame));
  }

  /** The place of the cell that a time belongs to. */
  #placeAt(timeS) {
    const { stepS, first, count } = this.layout;
    const number = stepS ? Math.floor(timeS / stepS + 1e-6) : state.times[state.camera].at(timeS);
    if (this.numbers) return this.places.get(state.foldOf(number)?.[2] ?? number) ?? 0;
    return Math.max(0, Math.min(count - 1, number - first));
  }

  #show() {
    if (!this.layout) return;
    const { rows, rowsOfBlock, height } = this.layout;
    const top = this.scroller.scrollTop;
    const tall = rowsOfBlock * height;
    const blocks = Math.ceil(rows / rowsOfBlock);
    const near = this.scroller.clientHeight / 2;
    const from = Math.max(0, Math.floor((top - near) / tall));
    const to = Math.min(blocks - 1, Math.floor((top + this.scroller.clientHeight + near) / tall));
    for (const place of [...this.blocks.keys()]) if (place < from || place > to) this.#drop(place, true);
    const missing = [];
    for (let place = from; place <= to; place += 1) if (!this.blocks.has(place)) missing.push(place);
    // What is on screen comes before what may be scrolled to.
    const away = (place) => Math.max(0, top - (place + 1) * tall + 1, place * tall - top - this.scroller.clientHeight + 1);
    missing.sort((a, b) => away(a) - away(b) || a - b);
    for (const place of missing) this.#add(place, away(place) > 0);
    this.shown = { from: Math.floor(top / height), to: Math.floor((top + this.scroller.clientHeight - 1) / height) };
    state.tell("scroll");
  }

  #add(at, isAhead) {
    const { columns, rowsOfBlock, width, height, count } = this.layout;
    const first = at * rowsOfBlock * columns;
    const cells = [];
    for (let place = first; place < Math.min(first + rowsOfBlock * columns, count); place += 1) cells.push(this.cell(place));
    const block = new Block({ number: state.number, cells, columns, width, height, view: "sheet", hides });
    const labels = element("div", { class: "gutter", "aria-hidden": "true" });
    for (let row = 0; row < block.rows; row += 1) {
      const label = element("span", {}, clock(cells[row * columns].fromS, this.layout.stepS === 1 ? 0 : 1));
      label.style.top = `${row * height}px`;
      labels.append(label);
    }
    const wrapper = element("div", { class: "chunk" }, labels, block.element);
    wrapper.style.top = `${at * rowsOfBlock * height}px`;
    this.root.append(wrapper);
    this.blocks.set(at, { block, wrapper });
    this.#markBlock(block);
    this.#cursorIn(block);
    setTimeout(() => this.blocks.get(at)?.block === block && block.load(), isAhead ? AHEAD_MS : 0);
    for (const button of block.buttons) this.watch.observe(button);
  }

  #drop(at, isPassed = false) {
    const { block, wrapper } = this.blocks.get(at);
    for (const button of block.buttons) this.watch.unobserve(button, isPassed);
    block.close();
    wrapper.remove();
    this.blocks.delete(at);
  }

  /** Fetch the still of a frame anew. */
  refresh(camera, frame) {
    for (const { block } of this.blocks.values()) block.refresh(camera, frame);
  }

  /** The still of the cursor, and the frames of the second that it stands for. */
  get marked() {
    const cell = this.cell(this.placeOf(state.camera, state.frame));
    const times = state.times[state.camera];
    const still = cell.stills.find((one) => one?.camera === state.camera);
    const firstFrame = Math.min(times.from(cell.fromS), times.count - 1);
    return { camera: state.camera, frame: still?.frame ?? state.frame, firstFrame, lastFrame: Math.max(firstFrame, times.from(cell.toS) - 1) };
  }

  #marks() {
    for (const { block } of this.blocks.values()) this.#markBlock(block);
  }

  #markBlock(block) {
    const [from, to] = state.camera ? this.#marked() : [1, 0];
    for (const button of block.buttons) {
      const { cell } = button;
      const marks = state.files.map((file) => mark(file.camera, cell.fromS, cell.toS));
      const count = cell.fold ? [element("span", { class: "count", "aria-hidden": "true" }, `×${cell.toS - cell.fromS}`)] : [];
      button.replaceChildren(...count, ...(marks.some(Boolean) ? marks.map((name) => element("span", { class: `mark ${name}` })) : []));
      button.classList.toggle("marked", cell.fromS < to && from < cell.toS);
      button.setAttribute("aria-label", this.cell(cell.place).label + said(button));
    }
  }

  /** Seconds of what is selected, or marked by I and O. */
  #marked() {
    const times = state.times[state.camera];
    if (state.inFrame !== null || state.outFrame !== null) {
      const [a, b] = [state.inFrame ?? state.outFrame, state.outFrame ?? state.inFrame].sort((x, y) => x - y);
      return [times.start(a), times.end(b)];
    }
    return state.span ? [state.span.start_s, state.span.end_s] : [1, 0];
  }

  #cursor() {
    if (!this.layout || !state.camera) return;
    const place = this.placeOf(state.camera, state.frame);
    const { columns, height } = this.layout;
    const top = Math.floor(place / columns) * height;
    const view = this.scroller;
    if (top < view.scrollTop) view.scrollTop = top;
    else if (top + height > view.scrollTop + view.clientHeight) view.scrollTop = top + height - view.clientHeight;
    this.#show();
    for (const { block } of this.blocks.values()) this.#cursorIn(block);
    if (state.pane === "sheet") this.root.querySelector(".cell.cursor")?.focus({ preventScroll: true });
  }

  #cursorIn(block) {
    const place = this.placeOf(state.camera, state.frame);
    for (const button of block.buttons) {
      const here = button.cell.place === place;
      button.classList.toggle("cursor", here);
      button.tabIndex = here ? 0 : -1;
      if (here) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
  }

  /** Move the cursor by cells; rows and screens are many cells. */
  step(cells) {
    this.watch.turnTo("sheet");
    const { count, columns, rows } = this.layout;
    const from = this.placeOf(state.camera, state.frame);
    let to = from + cells;
    if (Math.abs(cells) > 1 && (to < 0 || to >= count)) to = cells < 0 ? from % columns : Math.min(count - 1, (rows - 1) * columns + (from % columns));
    this.pick(this.cell(Math.max(0, Math.min(count - 1, to))));
  }

  get columns() {
    return this.layout?.columns ?? 1;
  }

  /** Go on or back by a screen, so that no row comes twice. */
  turn(by) {
    this.watch.turnTo("sheet");
    const { count, columns, height, rows } = this.layout;
    const shown = Math.max(1, Math.floor(this.scroller.clientHeight / height));
    const row = Math.max(0, Math.min(rows - 1, Math.round(this.scroller.scrollTop / height) + by * shown));
    this.pick(this.cell(Math.min(count - 1, row * columns)));
    this.scroller.scrollTop = row * height;
  }

  end(last) {
    this.pick(this.cell(last ? this.layout.count - 1 : 0));
  }

  /** Put the cursor onto a cell; a click on the right picture of a pair chooses its camera. */
  pick(cell, event = null) {
    let still = cell.stills.find((one) => one?.camera === state.camera) ?? cell.stills.find(Boolean);
    if (event && cell.stills.length > 1) {
      const box = event.target.closest(".cell").getBoundingClientRect();
      still = cell.stills[Math.floor(((event.clientX - box.left) / box.width) * cell.stills.length)] ?? still;
    }
    if (still) state.move(still.frame, still.camera);
    // In a low window, or at 400 %, the sheet may have been scrolled away.
    if (!event) this.scroller.parentElement.scrollIntoView({ block: "nearest" });
  }

  /** The first time, in the order of the sheet, of which something is unseen: gaps are [from, to) in seconds. */
  firstOf(gaps) {
    const isOpen = (second) => {
      const [first, last] = state.foldOf(second) ?? [second, second];
      return gaps.some(([start, end]) => start < last + 1 && first < end) && !this.watch.cannotShow(first);
    };
    return this.numbers?.find(isOpen) ?? null;
  }

  /** Scroll so that the cell of a time stands at the top, and put the cursor onto its still: the frame at that time may be of the second before. */
  showFrom(timeS) {
    const place = this.#placeAt(timeS);
    this.pick(this.cell(place));
    this.scroller.scrollTop = Math.floor(place / this.columns) * this.layout.height;
  }

  #drag() {
    onDrag(this.root, (event) => {
      const from = event.target.closest(".cell")?.cell;
      if (!from) return null;
      event.preventDefault();
      const before = [state.inFrame, state.outFrame];
      let isDrawn = false;
      this.watch.turnTo("sheet");
      state.set({ pane: "sheet" });
      this.pick(from, event);
      const drop = () => {
        if (!isDrawn) return false;
        isDrawn = false;
        [state.inFrame, state.outFrame] = before;
        return state.tell("selection");
      };
      const move = (next) => {
        const to = document.elementFromPoint(next.clientX, next.clientY)?.closest("#sheet-cells .cell")?.cell;
        // Side by side may be far apart in time.
        if (!to || state.isArranged) return;
        if (to.place === from.place || Math.hypot(next.clientX - event.clientX, next.clientY - event.clientY) < TREMBLE_PX) return drop();
        isDrawn = true;
        const [a, b] = from.place <= to.place ? [from, to] : [to, from];
        const times = state.times[state.camera];
        state.inFrame = Math.min(times.from(a.fromS), times.count - 1);
        state.outFrame = Math.max(state.inFrame, times.from(b.toS) - 1);
        state.tell("selection");
      };
      const end = () => isDrawn && !document.body.dataset.released.startsWith("y") && state.tell("drawn");
      return { move, end, drop };
    });
    this.root.addEventListener("dblclick", () => state.tell("full"));
  }
}
