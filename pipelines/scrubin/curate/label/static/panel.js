// What can be said of the present layer: names with their keys, actions by search, or the sheet of ratings; and what looks wrong.

import { byId, counted, element, fill, key } from "./elements.js";
import { saysSet } from "./instants.js";
import { hueOf, textOf } from "./lanes.js";
import { clock } from "./player.js";
import { store } from "./store.js";

const KEYS = "1234567890";

/** The tabs of the layers. */
export function showTabs(layers, active, choose) {
  fill(
    byId("layers"),
    ...layers.map((layer) =>
      element(
        "button",
        { type: "button", role: "tab", "aria-selected": String(layer.name === active), "data-key": layer.name, onclick: () => choose(layer.name) },
        layer.name,
      ),
    ),
  );
}

/** The names of a layer, each with its key. */
export function showNames(layer, say) {
  const names = layer.names.map((name, place) => {
    const shown = element("span", { class: "swatch" });
    shown.style.background = hueOf(place);
    const button = element("button", { type: "button", class: "label-name", "data-key": name, onclick: () => say(name) }, shown, name);
    if (place < KEYS.length) button.prepend(key(KEYS[place]));
    return element("li", {}, button);
  });
  fill(byId("panel"), element("ol", { class: "names" }, ...names));
}

/** Tracks: the label that the next press writes; and all of them, each with its key frames. */
export function showTracks(layer, tracks, { selected, label, times }, say, go) {
  const names = layer.names.map((name, place) => {
    const shown = element("span", { class: "swatch" });
    shown.style.background = hueOf(place);
    const isNow = name === label;
    const button = element("button", { type: "button", class: "label-name", "aria-pressed": String(isNow), "data-key": name, onclick: () => say(name) }, shown, name);
    if (place < KEYS.length) button.prepend(key(KEYS[place]));
    return element("li", {}, button);
  });
  const list = tracks
    .toSorted((one, other) => one.keys[0].frame - other.keys[0].frame)
    .map((track) => {
      const shown = element("span", { class: "swatch" });
      shown.style.background = hueOf(Math.max(0, layer.names.indexOf(track.label)));
      const [from, to] = [track.keys[0].frame, track.keys.at(-1).frame].map((frame) => clock(times[frame]));
      const says = `${track.label}, ${from} to ${to}, ${counted(track.keys.length, "key frame")}`;
      const isNow = track.name === selected?.name;
      return element("li", {}, element("button", { type: "button", class: "label-name", "aria-pressed": String(isNow), "data-key": track.name, onclick: () => go(track) }, shown, says));
    });
  fill(
    byId("panel"),
    element("ol", { class: "names" }, ...names),
    element("h2", {}, list.length ? counted(list.length, "track") : "no track yet: draw one in the picture"),
    element("ol", { class: "names", "aria-label": "Tracks" }, ...list),
  );
}

/** Actions: the last ones with keys, all others by typing; of triplets those in view are pressed. */
export function showActions(layer, recent, say, typed, inView) {
  const list = element("datalist", { id: "triplets" }, ...layer.triplets.map((parts) => element("option", { value: parts.join(", ") })));
  const input = element("input", { id: "action", "data-key": "action", type: "text", list: "triplets", autocomplete: "off", "aria-label": "Action: instrument, verb, target" });
  const form = element("form", {}, element("label", { for: "action" }, key("A"), " instrument, verb, target"), input, list);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const [label, verb = "", target = ""] = input.value.split(",").map((part) => part.trim());
    input.value = "";
    input.blur();
    if (label) typed({ label, verb, target });
  });
  const buttons = recent.map((action, place) => {
    const button = element("button", { type: "button", class: "label-name", "data-key": textOf(action), onclick: () => say(action) }, textOf(action));
    if (inView) button.setAttribute("aria-pressed", String(inView.includes(textOf(action))));
    if (place < KEYS.length) button.prepend(key(KEYS[place]));
    return element("li", {}, button);
  });
  fill(byId("panel"), form, element("ol", { class: "names" }, ...buttons));
}

/** The sheet of ratings, kept with every answer, by a change of what stands then, which may be more than is shown. */
export function showSheet(layer, view) {
  const now = store.sheet;
  const put = (change) => store.rate(change);
  const { id } = view.recording;
  const aspects = layer.aspects.map((aspect) => {
    const points = layer.points.map((point) => {
      const anchor = layer.anchors[aspect]?.[String(point)] ?? "";
      const input = element("input", { type: "radio", name: aspect, value: point, "data-key": `${aspect} ${point}`, checked: now.scores[aspect] === point, disabled: now.failed });
      input.addEventListener("change", () => put(({ scores }) => ({ scores: { ...scores, [aspect]: point } })));
      return element("label", { title: anchor }, input, ` ${point}`, anchor ? element("small", {}, ` ${anchor}`) : null);
    });
    return element("fieldset", {}, element("legend", {}, aspect.replaceAll("_", " ")), ...points);
  });
  const box = (text, checked, change) => {
    const input = element("input", { type: "checkbox", "data-key": text, checked });
    input.addEventListener("change", () => change(input.checked));
    return element("label", { class: "line" }, input, ` ${text}`);
  };
  const marks = view.errors.map((error) =>
    box(error.replaceAll("_", " "), now.errors[error] === true, (on) => put((before) => ({ errors: { ...before.errors, [error]: on } }))),
  );
  const typed = store.typed.get(id)?.text ?? now.remark;
  const remark = element("input", { type: "text", "data-key": "remark", maxlength: 500, value: typed, "aria-label": "Remark, which stays private" });
  remark.addEventListener("input", () => store.type(remark.value));
  remark.addEventListener("blur", () => store.keep(id));
  // Before the focus is on its way: where it goes is drawn anew.
  remark.addEventListener("keydown", (event) => event.key === "Tab" && store.keep(id));
  const form = element(
    "form",
    { class: "sheet" },
    box("failed: no scores", now.failed, (on) => put(({ scores }) => ({ failed: on, scores: on ? {} : scores }))),
    ...aspects,
    marks.length ? element("fieldset", {}, element("legend", {}, "errors that occurred"), ...marks) : null,
    element("label", { class: "line" }, "Remark ", remark),
    typed !== now.remark && now.remark ? element("p", {}, `kept is: ${now.remark}`) : null,
  );
  // Each answer is kept by itself: Enter leaves no page.
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    store.keep(id);
  });
  fill(byId("panel"), form);
}

/** What looks wrong; each opens at its frame. */
export function showFindings(findings, times, go) {
  const items = findings.map((one) =>
    element(
      "li",
      {},
      element("button", { type: "button", class: "finding", "data-key": `${one.layer} ${one.rule} ${one.first}`, onclick: () => go(one) }, `${clock(times[Math.max(0, Math.min(one.first, times.length - 1))])} ${one.says}`),
    ),
  );
  const title = findings.length ? `${findings.length} to look at` : "nothing looks wrong";
  fill(byId("findings"), element("h2", {}, title), element("ol", {}, ...items));
}

/** What people say differently: each answer under its letter; taking one settles it, or what the adjudicator labelled there. */
export function showDisputes(view, times, mine, go, settle) {
  const section = byId("disputes");
  section.hidden = view.disputes === undefined;
  if (section.hidden) return;
  const items = view.disputes.map((one) => {
    const own = mine(one);
    const place = `${one.layer} ${one.first} ${one.end}`;
    const none = one.layer === "triplets" ? "not labelled" : "nothing";
    const says = (answer) => (answer.length ? saysAnswer(answer, times) : none);
    const every = [...Object.entries(one.said), ...(own.length ? [["mine", own]] : []), [none, []]];
    // What stands may be said by several, or by nobody of them.
    const stands = one.open ? null : says(one.taken.stands);
    const isTaken = (letter, answer) => !one.open && (one.taken.by.includes(letter) || (!one.taken.by.length && says(answer) === stands));
    const answers = every.map(([letter, spans]) => {
      const text = letter === says(spans) ? letter : `${letter}: ${says(spans)}`;
      const taken = isTaken(letter, spans);
      return element("button", { type: "button", "data-key": `${place} ${letter}`, "aria-pressed": one.open ? null : String(taken), onclick: () => settle(one, spans) }, `${taken ? "✓ " : ""}${text}`);
    });
    const by = one.open ? "" : one.taken.by.length ? ` as ${one.taken.by.join(" and ")}` : "";
    const head = element(
      "button",
      { type: "button", class: one.open ? "finding" : "finding settled", "data-key": place, onclick: () => go(one) },
      `${one.layer} ${clock(times[one.first])} to ${clock(times[one.end])}${one.open ? "" : `, settled${by}`}`,
    );
    const taken = stands === null ? null : element("p", { class: "taken" }, `taken: ${stands}`);
    return element("li", { class: "dispute" }, head, taken, element("div", { class: "answers" }, ...answers));
  });
  const sheets = Object.entries(view.sheets).map(([letter, sheet]) => {
    const scores = Object.entries(sheet.scores).map(([aspect, score]) => `${aspect.replaceAll("_", " ")} ${score}`);
    const marks = Object.entries(sheet.errors).filter(([, on]) => on).map(([name]) => name.replaceAll("_", " "));
    return element("li", {}, `${letter}: ${sheet.failed ? "failed" : scores.join(", ")}${marks.length ? `; ${marks.join(", ")}` : ""}`);
  });
  const open = view.disputes.filter((one) => one.open).length;
  fill(
    section,
    element("h2", {}, open ? `${open} to settle` : "all is settled"),
    element("p", {}, "D goes to the next. Take an answer; or label these frames yourself, and take mine."),
    element("ol", {}, ...items),
    sheets.length ? element("h2", {}, view.differ.length ? `ratings differ in ${view.differ.map((name) => name.replaceAll("_", " ")).join(", ")}` : "ratings") : null,
    element("ol", {}, ...sheets),
  );
}

/** What somebody says; of sampled frames the set, which is the same in all frames of an answer that is offered. */
function saysAnswer(spans, times) {
  if (spans[0].triplets) return [...new Set(spans.map((one) => saysSet(one.triplets)))].join("; ");
  return spans.map((span) => (span.keys ? saysTrack(span, times) : `${textOf(span)} ${clock(times[span.first])} to ${clock(times[span.end])}`)).join("; ");
}

const saysTrack = ({ keys }, times) => `${keys[0].label} ${clock(times[keys[0].frame])} to ${clock(times[keys.at(-1).frame + 1])}`;

/** The recordings of this person. */
export function showList(work, id, open) {
  fill(
    byId("list"),
    ...work.recordings.map((one) => {
      const minutes = `${clock(one.duration_s)}`;
      const state = one.closed ? "cannot be opened" : one.open ? `${one.open} to settle` : one.done ? "done" : one.labels ? `${one.labels} labels` : "not begun";
      const button = element(
        "button",
        { type: "button", "aria-current": one.id === id ? "true" : null, "data-key": one.id, onclick: () => open(one.id) },
        element("span", { class: "name" }, one.id),
        element("span", { class: "to-do" }, `${minutes}, ${state}`),
      );
      return element("li", { class: one.done ? "done" : "left" }, button);
    }),
  );
}

