// A block of stills: one canvas that holds their pictures, and over it one button per cell.
// The sheet is many such blocks, the lens one or two.

import { Refused, getPicture } from "./api.js";
import { element } from "./elements.js";

/**
 * @typedef {{stills: ({camera: string, frame: number}|null)[], label: string}} Cell
 */
export class Block {
  /**
   * @param {{number: number, cells: Cell[], columns: number, width: number, height: number, view: string,
   *          onpick: (cell: Cell, event: Event) => void, hides: (camera: string, frame: number) => (number[]|null)[]}} options
   *   width and height of a cell in CSS pixels; the stills of a cell stand side by side.
   */
  constructor(options) {
    Object.assign(this, options);
    this.loaded = false;
    this.aborter = new AbortController();
    this.rows = Math.ceil(this.cells.length / this.columns);
    this.canvas = element("canvas", { "aria-hidden": "true" });
    const scale = Math.min(window.devicePixelRatio || 1, 2);
    this.canvas.width = Math.round(this.columns * this.width * scale);
    this.canvas.height = Math.round(this.rows * this.height * scale);
    this.scale = scale;
    this.buttons = this.cells.map((cell, place) => this.#button(cell, place));
    this.element = element("div", { class: "block" }, this.canvas, ...this.buttons);
    this.element.style.width = `${this.columns * this.width}px`;
    this.element.style.height = `${this.rows * this.height}px`;
  }

  #button(cell, place) {
    const button = element("button", { type: "button", class: "cell", tabindex: "-1", "aria-label": cell.label });
    button.style.left = `${(place % this.columns) * this.width}px`;
    button.style.top = `${Math.floor(place / this.columns) * this.height}px`;
    button.style.width = `${this.width}px`;
    button.style.height = `${this.height}px`;
    button.cell = cell;
    button.view = this.view;
    button.number = this.number;
    button.loaded = false;
    return button;
  }

  /** Fetch them anew if they show a frame. */
  refresh(camera, frame) {
    if (!this.cells.some((cell) => cell.stills.some((still) => still?.camera === camera && still.frame === frame))) return;
    for (const button of this.buttons) {
      Object.assign(button, { loaded: false, failure: "", title: "" });
      button.classList.remove("failed");
      button.setAttribute("aria-label", button.cell.label);
    }
    // What was asked before may show what is no longer to be seen.
    this.aborter.abort();
    this.aborter = new AbortController();
    this.load();
  }

  /** Fetch the pictures and draw them. */
  async load() {
    const byCamera = new Map();
    this.cells.forEach((cell, place) =>
      cell.stills.forEach((still, side) => {
        if (!still) return;
        if (!byCamera.has(still.camera)) byCamera.set(still.camera, []);
        byCamera.get(still.camera).push({ ...still, place, side });
      }),
    );
    try {
      await Promise.all([...byCamera].map(([camera, stills]) => this.#draw(camera, stills)));
    } catch (error) {
      if (error.name !== "AbortError") throw error;
      return;
    }
    this.loaded = true;
    this.element.classList.add("loaded");
    for (const button of this.buttons) button.loaded = !button.classList.contains("failed");
  }

  async #draw(camera, stills) {
    const height = Math.max(16, Math.min(360, Math.round(this.height * this.scale)));
    const columns = Math.min(this.columns, stills.length);
    const frames = stills.map((still) => still.frame).join(",");
    let picture;
    try {
      picture = await getPicture(`/stills/${this.number}/${camera}?frames=${frames}&height=${height}&columns=${columns}`, this.aborter.signal);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return this.#isolate(camera, stills, error);
    }
    const width = picture.width / columns;
    const tall = picture.height / Math.ceil(stills.length / columns);
    const context = this.canvas.getContext("2d");
    stills.forEach((still, index) => {
      const to = this.#place(still);
      context.drawImage(picture, (index % columns) * width, Math.floor(index / columns) * tall, width, tall, to.x, to.y, to.width, to.height);
      for (const box of this.hides(camera, still.frame)) this.#blacken(context, to, box);
    });
    picture.close();
  }

  /** One frame that cannot be decoded must not take the others with it. */
  async #isolate(camera, stills, error) {
    if (stills.length > 1) {
      const half = stills.length >> 1;
      await this.#draw(camera, stills.slice(0, half));
      await this.#draw(camera, stills.slice(half));
      return;
    }
    const button = this.buttons[stills[0].place];
    button.classList.add("failed");
    button.title = error.message;
    button.failure = error.message;
    button.setAttribute("aria-label", button.getAttribute("aria-label") + said(button));
  }

  #place(still) {
    const cell = this.cells[still.place];
    const side = this.width / cell.stills.length;
    const gap = 1;
    return {
      x: Math.round(((still.place % this.columns) * this.width + still.side * side) * this.scale),
      y: Math.round(Math.floor(still.place / this.columns) * this.height * this.scale),
      width: Math.round((side - (still.side === cell.stills.length - 1 ? gap : 0)) * this.scale),
      height: Math.round((this.height - gap) * this.scale),
    };
  }

  /** `box` holds shares of the picture: x, y, width, height; null is all of it. */
  #blacken(context, to, box) {
    const [x, y, width, height] = box ?? [0, 0, 1, 1];
    context.fillStyle = "#000";
    context.fillRect(to.x + x * to.width, to.y + y * to.height, width * to.width, height * to.height);
  }

  /** Stop what is still loading. */
  close() {
    this.aborter.abort();
    this.element.remove();
  }
}

/** What the name of a cell says of its failure; "" where it is shown. */
export const said = ({ failure }) => (failure ? `: cannot be shown: ${failure}` : "");
