// The page: who shows what, what each key does, and how it keeps up with other pages and with the pipeline.

import { get, leaving, watchTrouble } from "./api.js";
import { Checks } from "./checks.js";
import { Decisions } from "./decisions.js";
import { askTime, show } from "./dialogs.js";
import { byId, counted, isAsking } from "./elements.js";
import { Full } from "./full.js";
import { Heading, TOO_SMALL, more, say, warn } from "./heading.js";
import { listen } from "./keys.js";
import { isAsked } from "./kinds.js";
import { Lens } from "./lens.js";
import { overview } from "./overview.js";
import { Recordings } from "./recordings.js";
import { Sample } from "./sample.js";
import { Watch } from "./seen.js";
import { Sheet } from "./sheet.js";
import { STEPS_S, isLeft, spanId, state } from "./state.js";
import { Timeline } from "./timeline.js";
import { parsedTime } from "./times.js";

const POLL_MS = 2000;
const STUDY_MS = 700;
const SIZES = 6;

const isReleased = document.body.dataset.released === "yes";
const isSampled = document.body.dataset.sampled === "yes";
// So close together that a person who walks through the picture is on a still.
const SAMPLED_DENSITY = STEPS_S.indexOf(0.2);
const watch = new Watch();
const sheet = new Sheet(watch);
const lens = new Lens(watch);
const decisions = new Decisions(watch, lens, say);
const full = new Full(watch, decisions, say);
const checks = new Checks({ watch, say, draw: () => (full.box ? full.keepBox() : decisions.draw()), again: [sheet, lens, full] });
new Timeline(sheet);
new Recordings((number) => open(number));
const sample = new Sample(watch, say, () => turn(1, true));
new Heading({ watch, unseen, next: () => step(1), nextRecording: () => turn(1, true), isReleased, isSampled });

watchTrouble(warn);
// What a person said just before the page was left, read before the address is written anew.
const { lost } = history.state ?? {};
window.addEventListener("beforeunload", (event) => {
  const isPending = decisions.remember() || [...document.querySelectorAll("dialog[open] input[name=why]")].some(({ value }) => value);
  if (isPending && !leaving.isOwn) event.preventDefault();
});

let openings = 0;

async function open(number, timeS = null) {
  watch.pass();
  openings += 1;
  const opening = openings;
  say("Opening …");
  state.isOpening = true;
  await watch.send();
  if (opening !== openings) return;
  try {
    await state.open(number, timeS);
  } catch (error) {
    if (error.name !== "AbortError") say(error.message, false, true);
    return;
  }
  const { summary } = state.view;
  // Nothing of the one before stays on the screen.
  if (!state.camera && full.isOpen) full.toggle();
  say(summary.status === "kept" ? `${summary.name} is open.` : `${summary.name} is not released: ${summary.reason || summary.status}.`);
}

/** Open the next recording with something left, or its neighbour in the list; after the last one the overview. */
function turn(by, leftOnly) {
  const all = state.study.recordings;
  const at = all.findIndex((one) => one.number === state.number);
  const rest = by > 0 ? [...all.slice(at + 1), ...(leftOnly ? all.slice(0, Math.max(at, 0)) : [])] : all.slice(0, at).reverse();
  const to = leftOnly ? rest.find((one) => !one.done) : rest[0];
  if (to) open(to.number);
  else overview(open);
}

/** Select the next or previous span. */
function step(by) {
  const { spans, span } = state;
  if (!spans.length) {
    say("Nothing is proposed in this recording.");
    return;
  }
  const at = span ? spans.findIndex((one) => spanId(one) === spanId(span)) : by > 0 ? -1 : 0;
  const left = spans.filter(isLeft).length;
  let to = (at + by + spans.length) % spans.length;
  // Forwards to what is to be decided, as long as there is any: whoever decides and goes on must come to an end.
  while (by > 0 && left && !isLeft(spans[to])) to = (to + 1) % spans.length;
  watch.pass();
  watch.turnTo("lens");
  state.pane = "sheet";
  state.select(spans[to]);
  byId("lens").scrollIntoView({ block: "nearest" });
  say(`Span ${to + 1} of ${spans.length}, ${left} left.`);
}

/** Go on to what is not seen: seconds on the sheet, then stills at full size; what is on screen counts if it was looked at. */
async function unseen() {
  if (!full.isOpen) watch.turnTo("sheet");
  await watch.loaded();
  watch.pass();
  await watch.send();
  const left = watch.left();
  if (left.open) return say(more(left));
  const gaps = state.gaps.map(([file, first, last]) => [Math.max(first, file.interval_s[0]), last + 1]);
  if (gaps.length) return goOn(gaps, left);
  const [stop] = state.stops;
  if (stop) {
    state.move(stop.frame, stop.camera);
    full.open();
    return say(`${counted(state.stops.length, "still")} to be looked at by itself, at full size; Space goes on.`);
  }
  if (full.isOpen) full.toggle();
  if (isSampled) sample.next();
  else decisions.next();
  return undefined;
}

function goOn(gaps, left) {
  if (full.isOpen) full.toggle();
  gaps.sort((a, b) => a[0] - b[0]);
  // A still that cannot be shown must not hold up the rest.
  const [byTime] = gaps.find(([start]) => !watch.cannotShow(start)) ?? gaps[0];
  const to = state.isArranged ? (sheet.firstOf(gaps) ?? byTime) : byTime;
  state.set({ pane: "sheet" });
  sheet.showFrom(to);
  say(left.small ? TOO_SMALL : "Look through these stills; Space goes on.");
}

function arrow(dx, dy) {
  return (event) => {
    if (full.isOpen && full.arrow(dx, dy, { sizes: event.shiftKey, fine: event.ctrlKey })) return;
    if (!state.camera) return;
    if (state.pane === "sheet") sheet.step(dx + dy * sheet.columns);
    else if (dx) state.move(state.frame + dx);
    else if (state.pane === "lens") state.move(state.frame + dy * 11);
    else state.goTo(state.timeS + dy);
  };
}

/** Go on from what is on the screen: what was looked at is seen, the rest is not. */
function passing(run) {
  watch.pass();
  const left = watch.left("sheet");
  run();
  if (left.open) say(`${more(left)} They do not count yet.`);
}

const screen = (by) => passing(() => sheet.turn(by));

function denser(by) {
  const density = Math.max(0, Math.min(STEPS_S.length - 1, state.density + by));
  state.set({ density });
}

function larger(by) {
  state.set({ size: Math.max(-SIZES, Math.min(SIZES, state.size + by)) });
}

function unfold(event) {
  if (state.density) return say("Nothing is folded here: only a sheet of one still a second folds.");
  watch.pass();
  const says = state.unfold(Math.floor(state.timeS + 1e-6), event.shiftKey);
  return say(says === "unfolded" ? "Unfolded: every second has its own still here, and each can be looked at." : says ? "Folded again." : "No other stills are folded under this one.");
}

function arrange() {
  if (state.density) return say("More stills than one a second stay in order of time.");
  if (!state.order) return say("How unusual these stills are is not stored: run 'dvc repro screen', then open this page again.");
  watch.pass();
  state.arrange(!state.isUnusualFirst);
  sheet.end(false);
  return say(state.isArranged ? "The unusual stills come first; T puts them in order of time again." : "In order of time.");
}

async function goTo() {
  if (!state.camera) return;
  const times = state.times[state.camera];
  const frame = await askTime((text) => {
    const number = /^#\s*(\d+)$/.exec(text.trim());
    if (number) return Number(number[1]) < times.count ? Number(number[1]) : null;
    const seconds = parsedTime(text);
    return seconds <= times.boundaries[times.count] ? times.at(seconds) : null;
  });
  if (frame !== null) state.move(frame);
}

function escape() {
  if (full.isOpen) full.leave();
  else if (state.inFrame !== null || state.outFrame !== null) state.unmark();
  else if (state.pane === "lens") pane("sheet");
  else state.select(null);
}

function pane(name) {
  state.set({ pane: name });
  state.tell("cursor");
}

function something() {
  const here = { camera: state.camera, frame: state.frame, firstFrame: state.frame, lastFrame: state.frame };
  return checks.mark(full.isOpen || state.pane === "lens" ? here : sheet.marked);
}

function otherCamera() {
  const others = state.files.filter((file) => file.camera !== state.camera);
  if (!others.length) return say("This recording has one camera.");
  const { camera } = others[0];
  return state.move(state.times[camera].at(state.timeS), camera);
}

/** Say what does not work, but where it is said already, with what was not taken for it. */
function complain(sentence) {
  if (!byId("status").textContent.endsWith(sentence)) say(sentence, false, true);
}

function mark(which, name) {
  if (!state.camera) return;
  state.mark(which);
  say(`${name} at frame ${state.frame}.`);
}

const whenKept = (run) => (event) => (state.camera ? run(event) : say("This recording has no pictures to review."));
// What a key decides is about the recording that is seen: none while the next one opens.
const whenOpen = (run) => (event) => (state.isOpening ? say("The recording is still opening.") : run(event));
const key = (keys, shown, group, does, run) => ({ keys, shown, group, does, run: group === "Decide" || group === "Say" ? whenOpen(run) : run });
const looking = [
  key([" "], ["Space"], "Look", "go on to what you have not seen, at last to stills at full size", whenKept(unseen)),
  key(["n"], ["N"], "Look", "next recording with something left; with Shift the next of the list", (event) => turn(1, !event.shiftKey)),
  key(["p"], ["P"], "Look", "previous recording of the list", () => turn(-1, false)),
  key(["ArrowLeft"], ["←", "→"], "Look", "one still, in the lens and at full size one frame", arrow(-1, 0)),
  key(["ArrowRight"], [], "Look", "", arrow(1, 0)),
  key(["ArrowUp"], ["↑", "↓"], "Look", "one row, at full size one second", arrow(0, -1)),
  key(["ArrowDown"], [], "Look", "", arrow(0, 1)),
  key(["PageDown"], ["Page up", "Page down"], "Look", "one screen", whenKept(() => screen(1))),
  key(["PageUp"], [], "Look", "", whenKept(() => screen(-1))),
  key(["Home"], ["Home", "End"], "Look", "first and last still", whenKept(() => passing(() => sheet.end(false)))),
  key(["End"], [], "Look", "", whenKept(() => passing(() => sheet.end(true)))),
  key(["+", "="], ["+", "−"], "Look", "denser, down to every frame, and back", () => denser(1)),
  key(["-"], [], "Look", "", () => denser(-1)),
  key(["]", "."], ["[", "]"], "Look", "smaller and larger stills (or , and .)", () => larger(1)),
  key(["[", ","], [], "Look", "", () => larger(-1)),
  ...(isReleased
    ? []
    : [
        key(["t"], ["T"], "Look", "stills that differ most from the recording's usual picture first, and back", whenKept(arrange)),
        key(["z"], ["Z"], "Look", "unfold the stills for which this one stands, and back; with Shift all", whenKept(unfold)),
      ]),
  key(["l"], ["L"], "Look", "into the lens and back", whenKept(() => pane(state.pane === "lens" ? "sheet" : "lens"))),
  key(["f", "Enter"], ["F", "Enter"], "Look", "full size and back; Enter keeps a rectangle", whenKept((event) => (full.box ? event.key === "Enter" && full.keepBox() : full.toggle()))),
  key(["c"], ["C"], "Look", "the other camera of a pair", whenKept(otherCamera)),
  key(["g"], ["G"], "Look", "go to a time or a frame", whenKept(goTo)),
  key(["Escape"], ["Esc"], "Look", "forget in and out, leave the lens, select nothing", escape),
];
const deciding = [
  key(["j"], ["J", "K"], "Decide", "next and previous span", whenKept(() => step(1))),
  key(["k"], [], "Decide", "", whenKept(() => step(-1))),
  key(["a"], ["A"], "Decide", "accept: hide the selected span", whenKept(() => decisions.judge("accept"))),
  key(["r"], ["R"], "Decide", "reject: show it; take away what you drew", whenKept(() => decisions.judge("reject"))),
  key(["i"], ["I", "O"], "Decide", "in and out at the frame of the cursor", () => mark("inFrame", "In")),
  key(["o"], [], "Decide", "", () => mark("outFrame", "Out")),
  key(["e"], ["E"], "Decide", "keep in and out as the new ends of the selected span", whenKept(() => decisions.change())),
  key(["d"], ["D"], "Decide", "hide from in to out (or drag over the sheet)", whenKept(() => decisions.draw())),
  key(["s"], ["S"], "Decide", "something is in the still of the cursor: a check, or else you say what is to be hidden", whenKept(something)),
  key(["b"], ["B"], "Decide", "a rectangle at full size: arrows move, Shift and arrows size, Enter keeps", whenKept(() => full.startBox())),
  key(["v"], ["V"], "Decide", "as the release will show it, and back", () => state.set({ preview: !state.preview })),
  key(["u"], ["U"], "Decide", "undo what you decided last in this recording", () => decisions.undo()),
  key(["x"], ["X"], "Decide", "exclude the recording, or take that back", () => decisions.exclude()),
  key(["q"], ["Q"], "Decide", "acknowledge a quarantine, a warning or a near-duplicate", () => decisions.acknowledge()),
];
const judging = [
  key(["y"], ["Y"], "Say", "clean: nothing in this clip could identify anybody", whenKept(() => sample.clean())),
  key(["x"], ["X"], "Say", "a finding: something in this clip could", whenKept(() => sample.finding())),
];
const others = [
  key(["m"], ["M"], "Page", "overview: what is left", () => overview(open)),
  key(["h"], ["H"], "Page", "fold the list of recordings", () => byId("fold").click()),
  key(["?"], ["?"], "Page", "this help", () => show("help-dialog")),
];
const clicks = {
  "overview-button": () => overview(open),
  "help-button": () => show("help-dialog"),
  "full-button": () => full.open(),
  accept: whenOpen(() => decisions.judge("accept")),
  reject: whenOpen(() => decisions.judge("reject")),
  change: whenOpen(() => decisions.change()),
  draw: whenOpen(() => decisions.draw()),
  clean: whenOpen(whenKept(() => sample.clean())),
  finding: whenOpen(whenKept(() => sample.finding())),
};
state.on("drawn", whenOpen(() => decisions.draw()));
state.on("full", () => full.open());
for (const [id, lost] of [["full-picture", "No rectangle was drawn"], ["sheet-cells", "Nothing was marked"]]) {
  byId(id).addEventListener("dropped", () => say(`${lost}: something else came between the press and the release.`, false, true));
}
state.on("problem", () => complain(state.problem));
state.on("busy", () => document.body.classList.toggle("busy", decisions.busy));
state.on("cursor", () => state.camera && history.replaceState(null, "", `#${state.number}/${state.timeS.toFixed(3)}`));

// The list and the progress follow what was written, here or elsewhere, at their leisure.
let studyTimer = null;
let wasDone = null;
state.on("written", () => {
  studyTimer ??= setTimeout(async () => {
    studyTimer = null;
    await state.loadStudy().then(finish, (error) => complain(error.message));
  }, STUDY_MS);
});

function finish() {
  const isDone = state.study.recordings.every((one) => one.done);
  if (isDone && wasDone === false && !isAsking() && !full.isOpen) overview(open);
  wasDone = isDone;
}

async function keepUp() {
  const isPreparing = Object.values(state.prepared).some((share) => share < 1);
  const { changed } = await get(`/api/changes?head=${encodeURIComponent(state.head ?? "")}`);
  if (!changed && !isPreparing && !state.areLooksOld) return;
  await state.reload();
  if (changed) state.tell("written");
}

async function poll() {
  for (let told = ""; ; ) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    try {
      await keepUp();
      told = "";
    } catch (error) {
      // Once: it would take the place of what is said meanwhile.
      if (error.message !== told) complain(error.message);
      told = error.message;
    }
  }
}

await state.loadStudy();
finish();
if (isSampled) state.set({ density: SAMPLED_DENSITY });
listen([...looking, ...(isReleased ? [] : deciding), ...(isSampled ? judging : []), ...others]);
for (const [id, does] of Object.entries(clicks)) byId(id)?.addEventListener("click", does);
const place = /^#(\d+)\/([\d.]+)$/.exec(location.hash);
const wanted = place ? { recording: Number(place[1]), time_s: Number(place[2]) } : state.study.place;
const first = state.study.recordings.find((one) => !one.done) ?? state.study.recordings[0];
if (wanted) {
  await open(wanted.recording, wanted.time_s);
  // A command of the audit opens its question.
  const asked = state.spans.find((span) => isAsked(span) && isLeft(span) && span.camera === state.camera && span.first <= state.frame && state.frame <= span.last);
  if (asked) state.select(asked);
}
else if (first) await open(first.number);
else say("There are no recordings.");
if (lost) say(lost, false, true);
poll();
