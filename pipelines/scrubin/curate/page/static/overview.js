// The overview of the study, and its end page: what is left, what is quarantined, and what to do next.

import { byId, counted, element, fill } from "./elements.js";
import { state } from "./state.js";
import { restOf } from "./heading.js";

const SHOWN = 200;
const SHORT = 8;
const isSampled = document.body.dataset.sampled === "yes";

/** Fill and open the overview. */
export function overview(open) {
  const dialog = byId("overview-dialog");
  const { recordings, progress, released, by } = state.study;
  const known = released ? [] : acknowledgeable(state.study);
  const left = recordings.filter((one) => !one.done);
  byId("overview-title").textContent = left.length ? "Overview" : isSampled ? "Every clip was looked at" : "Everything is reviewed";
  const excluded = recordings.filter((one) => one.status === "excluded").length;
  const rest = left.length ? restOf(progress) : "";
  const parts = [
    element(
      "ul",
      { class: "figures" },
      figure(progress.done, "done"),
      figure(progress.left, "left"),
      figure(rest || "–", progress.seconds_left === null ? "left: you have no pace yet" : "left by your pace so far"),
      isSampled ? null : figure(excluded, "excluded"),
      isSampled ? null : figure(known.filter((one) => !one.acknowledged).length, "to acknowledge"),
    ),
    left.length ? null : next(released),
    left.length ? table(left.slice(0, SHOWN), open, dialog) : null,
    left.length > SHOWN ? element("p", {}, `and ${left.length - SHOWN} more`) : null,
    known.length ? acknowledgements(known) : null,
    element("p", { class: "soft" }, `You review as ${by}. Every decision is written to data/private/decisions.jsonl at once.`),
  ];
  fill(byId("overview"), ...parts);
  dialog.showModal();
}

const figure = (count, name) => element("li", {}, element("strong", {}, String(count)), ` ${name}`);

function next(released) {
  if (isSampled) return sampled(state.study.recordings);
  if (released) return element("p", {}, "You have seen all released files.");
  return element(
    "div",
    { class: "ready" },
    element("p", {}, "Nothing is left to see, and every span is decided. Now let the pipeline hide what you decided, and look at the result:"),
    element("ol", {}, element("li", {}, element("code", {}, "make repro")), element("li", {}, element("code", {}, ".venv/bin/scrubin review --released"))),
    element("p", {}, "You may close this page; Ctrl-C in the terminal ends the server."),
  );
}

function sampled(clips) {
  const looked = clips.filter((one) => one.status === "kept").length;
  const gone = clips.length - looked;
  const findings = clips.filter((one) => one.reason === "finding").length;
  if (gone && !findings)
    return element(
      "p",
      {},
      `You looked at ${counted(looked, "clip")}: 0 findings. Somebody withdrew of whom ${counted(gone, "clip was", "clips were")} drawn: press Ctrl-C in the terminal and run the same command again. It draws of the others, and what you said stands.`,
    );
  const then = findings
    ? "Hide what you saw: run scrubin review, decide, and make repro. The new videos need a new sample. Before that, nothing is released again."
    : "Ctrl-C in the terminal ends the server and says what this proves; make repro puts it into the certificate of the release.";
  return element("p", {}, `You looked at all ${looked} clips: ${counted(findings, "finding")}. ${then}`);
}

function table(rows, open, dialog) {
  const says = (one) =>
    [
      one.asked ? `the audit asks about ${one.asked}` : "",
      one.undecided > one.asked ? `${one.undecided - one.asked} to decide` : "",
      one.disputed ? `${one.disputed} disputed` : "",
      one.lenses_missing ? counted(one.lenses_missing, "lens", "lenses") : "",
      one.unseen_s ? `${one.unseen_s} s to see` : "",
      one.stops_missing ? `${one.stops_missing} at full size` : "",
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

/** What can be acknowledged, in one form: quarantined files, warnings of the validation, near-duplicates. */
export function acknowledgeable(study) {
  const about = (subject, key, text, { acknowledged: by }) => ({
    subject,
    key,
    text: by?.ended ? `${text} (what ${by.by} acknowledged ended on ${by.until})` : text,
    acknowledged: by?.ended ? null : by,
  });
  return [
    ...study.quarantined.map((row) => about("quarantine", row.recording, `quarantined: ${row.recording}${row.camera ? `, ${row.camera}` : ""}: ${row.reason}`, row)),
    ...study.warnings.map((row) => about("warning", row.key, `warning: ${row.says} (${row.key}, ${counted(row.count, "row")})`, row)),
    ...study.near_duplicates.map((row) => about("near-duplicate", row.key, `the same, almost: ${row.recordings.join(" and ")}`, row)),
  ].map((item) => ({ ...item, text: `${item.acknowledged ? "✓ " : ""}${item.text}` }));
}

function acknowledgements(items) {
  const open = items.filter((item) => !item.acknowledged).length;
  return element(
    "details",
    { open: open > 0 && items.length < SHORT },
    element("summary", {}, `${counted(items.length, "quarantined file, warning or near-duplicate", "quarantined files, warnings and near-duplicates")}, ${open} to acknowledge (Q)`),
    element(
      "ul",
      {},
      ...items.map(({ text, acknowledged: by }) => element("li", {}, by ? `${text} — ${by.by}: ${by.why}${by.until ? `, until ${by.until}` : ""}` : text)),
    ),
  );
}
