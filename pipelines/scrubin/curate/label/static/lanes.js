// The labels by time: one lane per layer, the whole recording or a part of it; a click goes there, an edge can be drawn.

import { element, fill, onDrag } from "./elements.js";
import { clock } from "./player.js";

const HUES = 12;
const EDGE_PX = 6;

/** A colour that belongs to a name's place in its list; what it says is also written. */
export const hueOf = (place) => `hsl(${(place * 360) / HUES + (place >= HUES ? 15 : 0)} 55% 45%)`;

export class Lanes extends EventTarget {
  constructor(section, player) {
    super();
    this.section = section;
    this.player = player;
    this.lanes = new Map();
    this.cursor = element("div", { id: "cursor", "aria-hidden": "true" });
    onDrag(section, (event) => this.press(event));
    player.addEventListener("frame", () => this.point());
  }

  /** Show layers: {name, names, spans: [{key, first, end, label}], selected, opened}; hidden: where the whole picture is black. */
  show(layers, active, hidden = []) {
    const { count } = this.player;
    this.layers = layers;
    fill(
      this.section,
      ...layers.map((layer) => {
        const lane = element("div", { class: layer.name === active ? "lane active" : "lane", "data-layer": layer.name });
        lane.append(element("span", { class: "lane-name" }, layer.name));
        const track = element("div", { class: "track" });
        for (const span of layer.spans) {
          const place = Math.max(0, layer.names.indexOf(span.label));
          const mark = element("button", {
            type: "button",
            tabindex: "-1",
            class: `span${span.key === layer.selected ? " selected" : ""}${span.open ? " open" : ""}${span.isEmpty ? " empty" : ""}`,
            "data-key": span.key,
            "aria-label": `${textOf(span)}, ${clock(this.player.times[span.first])} to ${clock(this.player.times[span.end])}`,
            title: textOf(span),
          });
          mark.style.left = `${(100 * span.first) / count}%`;
          mark.style.width = `${(100 * (span.end - span.first)) / count}%`;
          if (!span.isEmpty) mark.style.background = hueOf(place);
          mark.append(element("span", {}, textOf(span)));
          track.append(mark);
        }
        for (const ghost of layer.ghosts) {
          const mark = element("span", { class: "ghost", title: `proposed: ${textOf(ghost)}` });
          mark.style.left = `${(100 * ghost.first) / count}%`;
          mark.style.width = `${(100 * (ghost.end - ghost.first)) / count}%`;
          if (ghost.label) mark.style.background = hueOf(Math.max(0, layer.names.indexOf(ghost.label)));
          track.append(mark);
        }
        for (const { first, end } of hidden) {
          const mark = element("span", { class: "black", title: "hidden in the release" });
          mark.style.left = `${(100 * first) / count}%`;
          mark.style.width = `${(100 * (end - first)) / count}%`;
          track.append(mark);
        }
        lane.append(track);
        return lane;
      }),
      this.cursor,
    );
    this.point();
  }

  point() {
    const track = this.section.querySelector(".track");
    if (!track) return;
    const left = track.offsetLeft + (track.clientWidth * (this.player.frame + 0.5)) / this.player.count;
    this.cursor.style.left = `${left}px`;
  }

  frameAt(event, track) {
    const box = track.getBoundingClientRect();
    return Math.max(0, Math.min(this.player.count - 1, Math.floor(((event.clientX - box.left) / box.width) * this.player.count)));
  }

  press(event) {
    const lane = event.target.closest(".lane");
    if (!lane) return null;
    const track = lane.querySelector(".track");
    const layer = lane.dataset.layer;
    const mark = event.target.closest(".span");
    const frame = this.frameAt(event, track);
    // Before the choice is shown: then the lanes are drawn anew, and this mark is nowhere.
    const box = mark?.getBoundingClientRect();
    this.dispatchEvent(new CustomEvent("choose", { detail: { layer, key: mark?.dataset.key ?? null, frame } }));
    if (!mark) return null;
    const side = event.clientX - box.left < EDGE_PX ? "first" : box.right - event.clientX < EDGE_PX ? "end" : null;
    if (!side) return null;
    event.preventDefault();
    const { key } = mark.dataset;
    const now = () => this.section.querySelector(`[data-layer="${layer}"] .track`);
    const move = (next) => this.player.seek(this.frameAt(next, now()));
    const end = (up) => {
      const isDrawn = Math.abs(up.clientX - event.clientX) > 2;
      if (isDrawn) this.dispatchEvent(new CustomEvent("edge", { detail: { layer, key, side, frame: this.frameAt(up, now()) } }));
    };
    return { move, end, drop: () => {} };
  }
}

/** What a span says. */
export const textOf = (span) => span.text ?? [span.label, span.verb, span.target].filter(Boolean).join(", ");
