// Boxes and points over the picture: those of this frame, drawn, moved and stretched by mouse; what nobody said is dashed.

import { onDrag } from "./elements.js";
import { hueOf } from "./lanes.js";
import { inside, movable, nearest, placeAt } from "./tracks.js";

const SVG = "http://www.w3.org/2000/svg";
const SMALLEST = 0.005;
const CORNERS = ["nw", "ne", "sw", "se"];

const svg = (tag, attributes = {}, ...children) => {
  const created = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, value);
  created.append(...children);
  return created;
};

export class Overlay extends EventTarget {
  constructor(canvas, root, player) {
    super();
    Object.assign(this, { canvas, root, player, shown: null });
    onDrag(root, (event) => this.press(event));
    root.addEventListener("focusin", (event) => {
      if (this.isGivingBack) return;
      const proposal = event.target.closest("[data-proposal]");
      if (proposal && !proposal.classList.contains("chosen")) this.dispatchEvent(new CustomEvent("propose", { detail: proposal.dataset.proposal }));
      const name = event.target.closest("[data-track]")?.dataset.track;
      if (name && name !== this.shown?.selected) this.dispatchEvent(new CustomEvent("choose", { detail: name }));
    });
    player.addEventListener("frame", () => this.draw());
    new ResizeObserver(() => this.draw()).observe(canvas);
  }

  /** Show tracks of a layer: {layer, names, tracks, selected, others: [{letter, track}], proposed: what a program proposes in a frame}; null: of none. */
  show(shown) {
    this.shown = shown;
    this.root.classList.toggle("off", !shown);
    this.draw();
  }

  get isPoints() {
    return this.shown.layer === "points";
  }

  draw() {
    const { width, height } = this.canvas;
    this.root.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.root.setAttribute("preserveAspectRatio", "xMidYMid meet");
    if (!this.shown) return this.root.replaceChildren();
    const { track: focused, proposal } = document.activeElement?.closest?.("[data-track], [data-proposal]")?.dataset ?? {};
    const scale = Math.min(this.canvas.clientWidth / width, this.canvas.clientHeight / height) || 1;
    const marks = this.shown.tracks.map((track) => this.mark(track, scale)).filter(Boolean);
    const others = this.shown.others.map(({ letter, track }) => this.other(letter, track, scale)).filter(Boolean);
    const proposed = this.shown.proposed(this.player.frame).map((one) => this.proposal(one, scale));
    this.root.replaceChildren(...others, ...proposed, ...marks);
    // Who had the focus has it again, and chooses nothing by that.
    this.isGivingBack = true;
    if (focused) this.root.querySelector(`[data-track="${focused}"]`)?.focus();
    if (proposal) this.root.querySelector(`[data-proposal="${proposal}"]`)?.focus();
    this.isGivingBack = false;
    return undefined;
  }

  mark(track, scale) {
    const { frame } = this.player;
    const isSelected = track.name === this.shown.selected;
    const drawn = isSelected ? this.draft : null;
    const here = drawn ? { place: drawn, said: true, state: "seen" } : placeAt(track, frame);
    // Where a chosen track is not, its last place is offered: moved, it is a key frame.
    const last = !here && isSelected ? nearest(track, frame) : null;
    if (!here && !last) return null;
    const how = last ? "not in this frame" : here.said ? "key frame" : "interpolated";
    const hidden = here?.state === "hidden" ? ", hidden" : "";
    const kind = `mark${isSelected ? " selected" : ""}${last ? " last" : here.said ? "" : " interpolated"}${hidden ? " unseen" : ""}`;
    const group = svg("g", {
      class: kind,
      role: "button",
      tabindex: "0",
      "data-track": track.name,
      "aria-pressed": String(isSelected),
      "aria-label": `${track.label}, ${how}${hidden}`,
    });
    group.append(...this.shape(here?.place ?? last.place, track.label, scale, isSelected && !last ? how : ""));
    group.style.setProperty("--hue", hueOf(Math.max(0, this.shown.names.indexOf(track.label))));
    if (isSelected && !this.isPoints && !last) group.append(...this.handles(here.place, scale));
    return group;
  }

  /** What somebody else said, of frames in dispute. */
  other(letter, track, scale) {
    const here = placeAt(track, this.player.frame);
    if (!here) return null;
    const group = svg("g", { class: "mark other", role: "img", "aria-label": `${letter}: ${track.keys[0].label}` });
    group.append(...this.shape(here.place, `${letter}: ${track.keys[0].label}`, scale, ""));
    return group;
  }

  /** What a program proposes here, which is no label before somebody takes it. */
  proposal({ id, label, place, state, isChosen }, scale) {
    const hidden = state === "hidden" ? ", hidden" : "";
    const group = svg("g", {
      class: `mark proposal${isChosen ? " chosen" : ""}`,
      role: "button",
      tabindex: "0",
      "data-proposal": id,
      "aria-pressed": String(isChosen),
      "aria-label": `${label}, proposed${hidden}`,
    });
    group.append(...this.shape(place, label, scale, "proposed"));
    group.style.setProperty("--hue", hueOf(Math.max(0, this.shown.names.indexOf(label))));
    return group;
  }

  shape(place, label, scale, how) {
    const { width, height } = this.canvas;
    const [x, y, w = 0, h = 0] = [place[0] * width, place[1] * height, (place[2] ?? 0) * width, (place[3] ?? 0) * height];
    const size = 12 / scale;
    const text = svg("text", { x: x + (this.isPoints ? size : 0), y: Math.max(size, y - 4 / scale), "font-size": size });
    text.append(how ? `${label}, ${how}` : label);
    if (!this.isPoints) return [svg("rect", { x, y, width: w, height: h }), text];
    const arm = 7 / scale;
    return [svg("circle", { cx: x, cy: y, r: arm }), svg("path", { d: `M${x - arm} ${y}h${2 * arm}M${x} ${y - arm}v${2 * arm}` }), text];
  }

  handles([x, y, w, h], scale) {
    const { width, height } = this.canvas;
    return CORNERS.map((corner) =>
      svg("circle", {
        class: "handle",
        "data-corner": corner,
        cx: (x + (corner[1] === "e" ? w : 0)) * width,
        cy: (y + (corner[0] === "s" ? h : 0)) * height,
        r: 5 / scale,
      }),
    );
  }

  /** Where a pointer is, in shares of the picture. */
  at(event) {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.root.getScreenCTM().inverse());
    return [x / this.canvas.width, y / this.canvas.height].map((share) => Math.max(0, Math.min(1, share)));
  }

  press(event) {
    if (!this.shown) return null;
    event.preventDefault();
    this.player.pause();
    const name = event.target.closest("[data-track]")?.dataset.track;
    const corner = event.target.dataset.corner ?? null;
    const start = this.at(event);
    // Only the chosen one is moved: over others a new box is drawn as anywhere, and a click chooses them.
    const isOwn = name === this.shown.selected && !this.shown.beginsNew;
    const proposal = event.target.closest("[data-proposal]")?.dataset.proposal;
    const track = isOwn && this.shown.tracks.find((one) => one.name === name);
    const from = track && movable(track, this.player.frame).place;
    const isDrawn = (up) => Math.hypot(up.clientX - event.clientX, up.clientY - event.clientY) > 2;
    const placed = (next) => this.dragged(from, corner, start, this.at(next));
    const move = (next) => {
      if (!from) return this.isPoints ? undefined : this.drawNew(placed(next));
      this.draft = placed(next);
      return this.draw();
    };
    const drop = () => {
      this.draft = null;
      return this.draw();
    };
    const end = (up) => {
      this.draft = null;
      if (isDrawn(up) && (from || !this.isPoints)) return this.end(from ? name : null, placed(up));
      if (proposal && !(this.isPoints && this.shown.beginsNew)) return this.dispatchEvent(new CustomEvent("propose", { detail: proposal }));
      if (this.isPoints && (!name || this.shown.beginsNew)) return this.end(null, start);
      if (!isOwn) this.dispatchEvent(new CustomEvent("choose", { detail: name ?? null }));
      return this.draw();
    };
    return { move, end, drop };
  }

  dragged(from, corner, start, now) {
    const [dx, dy] = [now[0] - start[0], now[1] - start[1]];
    if (from && !corner) return inside(from.map((side, at) => side + [dx, dy, 0, 0][at]));
    if (!from) return boxOf(start, now);
    const [x, y, w, h] = from;
    const fixed = [corner[1] === "e" ? x : x + w, corner[0] === "s" ? y : y + h];
    return boxOf(fixed, now);
  }

  drawNew(place) {
    this.draw();
    const { width, height } = this.canvas;
    const [x, y, w, h] = place;
    const group = svg("g", { class: "mark selected" });
    group.append(svg("rect", { x: x * width, y: y * height, width: w * width, height: h * height }));
    this.root.append(group);
  }

  end(name, place) {
    if (place.length === 4 && (place[2] < SMALLEST || place[3] < SMALLEST)) return this.draw();
    this.dispatchEvent(new CustomEvent("place", { detail: { name, place } }));
    return undefined;
  }
}

const boxOf = (one, other) => [
  Math.min(one[0], other[0]),
  Math.min(one[1], other[1]),
  Math.abs(one[0] - other[0]),
  Math.abs(one[1] - other[1]),
];
