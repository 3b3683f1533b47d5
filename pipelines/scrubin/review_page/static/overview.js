// The overview of the study, and its end page: what is left, what is quarantined, and what to do next.

import { byId, counted, element, fill } from "./elements.js";
import { state } from "./state.js";
import { lasting } from "./times.js";

const SHOWN = 200;

/** Fill and open the overview. */
export function overview(open) {
  const dialog = byId("overview-dialog");
  const { recordings, progress, quarantined, released, by } = state.study;
  const left = recordings.filter((one) => !one.done);
  byId("overview-title").textContent = left.length ? "Overview" : "Everything is reviewed";
  const excluded = recordings.filter((one) => one.status === "excluded").length;
  const pace = progress.seconds_left;
  const parts = [
    element(
      "ul",
      { class: "figures" },
      figure(progress.done, "done"),
      figure(progress.left, "left"),
      figure(pace === null || !left.length ? "–" : lasting(pace), "left by the pace so far"),
      figure(excluded, "excluded"),
      figure(quarantined.length, "quarantined files"),
    ),
    left.length ? null : next(released),
    left.length ? table(left.slice(0, SHOWN), open, dialog) : null,
    left.length > SHOWN ? element("p", {}, `and ${left.length - SHOWN} more`) : null,
    quarantined.length ? quarantine(quarantined) : null,
    element("p", { class: "soft" }, `You review as ${by}. Every decision is written to data/private/decisions.jsonl at once.`),
  ];
  fill(byId("overview"), ...parts);
  dialog.showModal();
}

const figure = (count, name) => element("li", {}, element("strong", {}, String(count)), ` ${name}`);

function next(released) {
  if (released) return element("p", {}, "You have seen all released files.");
  return element(
    "div",
    { class: "ready" },
    element("p", {}, "Every second was seen and every span is decided. Now let the pipeline hide what you decided, and look at the result:"),
    element("ol", {}, element("li", {}, element("code", {}, "make repro")), element("li", {}, element("code", {}, ".venv/bin/scrubin review --released"))),
    element("p", {}, "You may close this page; Ctrl-C in the terminal ends the server."),
  );
}

function table(rows, open, dialog) {
  const says = (one) =>
    [
      one.undecided ? `${one.undecided} to decide` : "",
      one.disputed ? `${one.disputed} disputed` : "",
      one.lenses_missing ? counted(one.lenses_missing, "lens", "lenses") : "",
      one.unseen_s ? `${one.unseen_s} s to see` : "",
    ]
      .filter(Boolean)
      .join(", ");
  const go = (one) => () => {
    dialog.close();
    open(one.number);
  };
  return element(
    "table",
    {},
    element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "Recording"), element("th", { scope: "col" }, "Left"))),
    element(
      "tbody",
      {},
      ...rows.map((one) =>
        element("tr", {}, element("td", {}, element("button", { type: "button", class: "link", onclick: go(one) }, one.name)), element("td", {}, says(one))),
      ),
    ),
  );
}

function quarantine(rows) {
  return element(
    "details",
    {},
    element("summary", {}, `${counted(rows.length, "quarantined file")}: not released (Q acknowledges)`),
    element(
      "ul",
      {},
      ...rows.map((row) => element("li", {}, `${row.recording}${row.camera ? `, ${row.camera}` : ""}: ${row.reason}${row.acknowledged ? ` — acknowledged by ${row.acknowledged.by}: ${row.acknowledged.why}` : ""}`)),
    ),
  );
}
