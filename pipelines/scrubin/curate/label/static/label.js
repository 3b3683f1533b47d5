// The page: what each key and button does, and how it keeps up with other pages of the same person.

import { Adjudicating } from "./adjudicating.js";
import { get, post, watchTrouble } from "./api.js";
import { begun } from "./begun.js";
import { changeAt, merge, moveEdge, split } from "./editing.js";
import { byId, counted, element, endDrag, fill } from "./elements.js";
import { showHidden } from "./hiding.js";
import { saysSet } from "./instants.js";
import { listen } from "./keys.js";
import { Lanes, textOf } from "./lanes.js";
import { isSeen } from "./meant.js";
import { Overlay } from "./overlay.js";
import { showActions, showDisputes, showFindings, showList, showNames, showSheet, showTabs, showTracks } from "./panel.js";
import { Player, SPEEDS, clock } from "./player.js";
import { isMeant, whenReleased } from "./press.js";
import { Proposing } from "./proposing.js";
import { Sampling } from "./sampling.js";
import { spanOf, store } from "./store.js";
import { Tracking } from "./tracking.js";
import { movedEnd } from "./tracks.js";

const POLL_MS = 3000;
const WORK_MS = 30000;
const IDLE_MS = 60000;
const MOST_RECENT = 10;
const NOT_HERE = "That cannot be done at this frame.";

const player = new Player(byId("picture"));
const lanes = new Lanes(byId("lanes"), player);
const page = {
  tried: null, layer: null, recent: [], finding: -1, warned: new Set(), acted: Date.now(), worked: Date.now(), again: {},
  /** What is chosen, and the label of a new one that is begun instead: who chooses another, or none, means that. */
  chosen: { key: null, next: null },
  get selected() {
    return this.chosen.key;
  },
  set selected(key) {
    this.chosen = { key, next: null };
  },
};

let openings = 0;
let hasFailed = false;

const overlay = new Overlay(byId("picture"), byId("overlay"), player);

const say = (text, problem = false) => {
  byId("status").textContent = text;
  byId("status").className = problem ? "problem" : "";
};
const frame = () => player.target ?? player.frame;
const layer = () => store.layer(page.layer);
const isTracks = () => Boolean(layer()?.tracks);
const isInstants = () => Boolean(layer()?.instants);
const isSpans = () => page.layer !== "ratings" && !isTracks() && !isInstants();
const hasSpans = (name) => !store.layer(name).tracks && !store.layer(name).instants;
const seen = () => isSeen(page, player, say);
const findings = () => [...begun.findings, ...store.view.findings];
const selected = () => store.spans(page.layer).find((one) => one.key === page.selected);

const tracking = new Tracking(page, player, say, () => show());
const instants = new Sampling(page, player, say, () => show());
const adjudicating = new Adjudicating(player, say, (dispute) => goTo(dispute));
const settles = () => store.work.role === "adjudicator";
const hiddenHere = () => store.view?.hidden[player.camera] ?? [];
const proposing = new Proposing(page, player, say, () => show());

watchTrouble((sentence) => {
  byId("banner").hidden = sentence === null;
  if (sentence !== null) byId("banner").textContent = sentence;
});

/** While something opens, what is on the screen is of what was open before, and nothing is labelled. Resolves to whether it is open now. */
async function opening(run) {
  const number = (openings += 1);
  store.isOpening = true;
  hasFailed = false;
  try {
    await run();
    if (number === openings) {
      store.isOpening = false;
      document.body.classList.remove("empty");
    }
  } catch (error) {
    if (number !== openings) return false;
    say(error.message, true);
    // What was open before stays so, if it is whole.
    store.isOpening = !store.id || store.id !== player.id || player.frame < 0;
    if (store.isOpening) clear();
    // Also a field in which something was written meanwhile, as an input method may.
    store.shown = null;
    show();
    hasFailed = true;
    return false;
  } finally {
    endDrag();
    if (number === openings) byId("camera").disabled = false;
  }
  return number === openings;
}

/** Nothing of a recording stays on the screen. */
function clear() {
  endDrag();
  player.clear();
  document.body.classList.add("empty");
}

/** What is open is shown no longer. */
function close(why) {
  clear();
  openings += 1;
  store.isOpening = true;
  hasFailed = true;
  say(why, true);
}

async function open(id, at = 0) {
  page.tried = id;
  // What is typed is of what is open now.
  if (byId("panel").contains(document.activeElement)) document.activeElement.blur();
  say("Opening …");
  byId("camera").disabled = true;
  let gone = [];
  const isOpen = await opening(async () => {
    if (!(await store.choose(id))) return;
    Object.assign(page, { selected: null, proposal: null, finding: -1 });
    gone = begun.forgetOtherCuts();
    // Each has its key again.
    for (const one of begun.here) if (one.layer === "actions") remember(one);
    const { cameras } = store.view;
    fill(byId("camera"), ...cameras.map((name) => element("option", { value: name }, name)));
    byId("camera-label").hidden = cameras.length < 2;
    await player.open(id, cameras[0], at);
  });
  if (!isOpen) return;
  show();
  const cut = gone.length ? ` Its film is cut otherwise than before: ${gone.map(textOf).join("; ")} is no longer begun.` : "";
  const unseen = player.frame < 0 && player.trouble ? ` Its picture cannot be shown: ${player.trouble}.` : "";
  say(`${id} is open.${unseen}${cut}${begun.text}`, Boolean(cut || unseen));
}

/** Open what stands behind the # of the address: a recording by its released id, and a frame. */
async function openAddressed() {
  const [, id, at] = /^#([\w-]+)(?:\/(\d{1,9}))?$/.exec(location.hash) ?? [];
  if (!id) return false;
  const isMine = store.work.recordings.some((one) => one.id === id);
  if (isMine) await open(id, Number(at ?? 0));
  // What is opened says its own sentence: only after it is this one read.
  else if (!store.id && store.work.recordings.length) await open(firstOf(store.work).id);
  if (!isMine) say(`${id} is no recording of yours.`, true);
  return true;
}

/** Of one that is closed an adjudicator can do nothing; to others it is told only when they open it. */
const isLeft = (one) => !one.done && !one.closed;

/** The first recording in which something is left. */
const firstOf = ({ recordings }) => recordings.find(isLeft) ?? recordings[0];

const show = () => whenReleased(draw);

function draw() {
  const { view, work } = store;
  if (!work) return;
  showList(work, store.id, open);
  // While one opens, the player still has the one before.
  if (!view || !player.times || store.isOpening) return;
  const { recording } = view;
  byId("name").textContent = recording.id;
  const isOther = store.shown !== recording.id;
  store.shown = recording.id;
  const done = work.recordings.filter((one) => one.done).length;
  const apart = view.apart ? " Labels of another file of this recording are kept apart." : "";
  byId("about").textContent = `${done} of ${counted(work.recordings.length, "recording")} ${settles() ? "settled" : "done"}. You are number ${work.you}.${apart}`;
  byId("done").hidden = settles();
  byId("done").setAttribute("aria-pressed", String(recording.done));
  byId("done").querySelector("span").textContent = recording.done ? "Done; go on" : "I am done";
  byId("undo").disabled = !view.undo && !begun.here.length;
  showTabs(work.layers, page.layer, choose);
  const shown = work.layers.filter((one) => one.name !== "ratings");
  lanes.show(
    shown.map((one) => ({
      name: one.name,
      names: one.names,
      spans: [...store.spans(one.name), ...begunSpans(one.name)],
      ghosts: proposing.ghosts(one.name),
      selected: page.selected,
    })),
    page.layer,
    hiddenHere().filter((one) => one.is_whole),
  );
  showPanel(isOther);
  proposing.showHere();
  showFindings(findings(), player.times, goTo);
  showDisputes(view, player.times, mine, goTo, (dispute, spans) => adjudicating.settle(view, dispute, hasSpans(dispute.layer) ? spans.map(spanOf) : spans));
  showSelected();
  showTracked();
  showHidden(hiddenHere(), player);
}

/** Boxes or points over the picture; to an adjudicator also what others say of frames in dispute, and what stands elsewhere. */
function showTracked() {
  if (!isTracks()) return overlay.show(null);
  const others = adjudicating.others(page.layer);
  return overlay.show({ layer: page.layer, names: layer().names, tracks: tracking.tracks, selected: page.selected, beginsNew: page.chosen.next !== null, others, proposed: proposing.placed });
}

function showPanel(isOther = false) {
  // Whoever types is not interrupted.
  if (!isOther && byId("panel").contains(document.activeElement) && document.activeElement.matches("input[type=text]")) return;
  if (page.layer === "ratings") {
    showSheet(layer(), store.view);
  } else if (page.layer === "actions") showActions(layer(), page.recent, sayAction, (action) => whenNamed(action, sayAction));
  else if (isInstants()) {
    const inView = (instants.here?.triplets ?? []).map((one) => saysSet([one]));
    const toggle = (action) => instants.toggle(action);
    showActions(layer(), instants.recent, toggle, (action) => whenNamed(action, toggle), inView);
  } else if (isTracks()) {
    const goToTrack = (track) => {
      page.selected = track.name;
      player.seek(track.keys[0].frame).then(() => (say(tracking.text), show()));
    };
    showTracks(layer(), tracking.tracks, { selected: tracking.selected, label: tracking.label, times: player.times }, (name) => tracking.name(name), goToTrack);
  } else showNames(layer(), sayName);
}

function showSelected() {
  const span = isSpans() ? selected() : null;
  byId("selected").classList.toggle("nothing", !span);
  for (const button of byId("selected-buttons").children) button.disabled = !span;
  byId("selected-buttons").hidden = isTracks() || isInstants();
  byId("instant-buttons").hidden = !isInstants();
  byId("track-buttons").hidden = !isTracks();
  if (isTracks()) {
    byId("selected").classList.toggle("nothing", !tracking.selected);
    byId("selected-text").textContent = tracking.text;
    for (const button of byId("track-buttons").children) button.disabled = !tracking.selected && button.dataset.do !== "begin";
    byId("track-buttons").querySelector('[data-do="hide"]').hidden = page.layer !== "points";
    return;
  }
  if (isInstants()) {
    byId("selected").classList.toggle("nothing", !instants.here);
    byId("selected-text").textContent = instants.text;
    return;
  }
  byId("selected-text").textContent = span
    ? `${textOf(span)}: ${clock(player.times[span.first])} to ${clock(player.times[span.end])}, frames ${span.first} to ${span.end - 1}`
    : "No label is selected: click one, or go on to a change.";
}

/** What this person labelled in frames of a dispute, cut to them. */
function mine({ layer: name, first, end }) {
  if (store.layer(name).tracks) return tracking.within(name, first, end);
  if (store.layer(name).instants) return instants.within(name, first, end);
  const meeting = store.spans(name).filter((one) => one.first < end && first < one.end);
  return meeting.map((one) => ({ ...one, first: Math.max(one.first, first), end: Math.min(one.end, end) }));
}

function begunSpans(name) {
  return begun.here.filter((one) => one.layer === name).map((one) => ({ ...one, end: Math.max(one.first + 1, frame() + 1), open: true }));
}

function choose(name) {
  Object.assign(page, { layer: name, selected: null });
  show();
}

/** A name of the layer, at the present frame. */
async function sayName(name) {
  if (!(await seen())) return undefined;
  const { exclusive } = layer();
  if (!exclusive) return sayAction({ label: name, verb: "", target: "" });
  page.acted = Date.now();
  const changes = changeAt(page.layer, store.spans(page.layer), player.frame, player.count, name);
  page.selected = changes.findLast((one) => one.value)?.key ?? page.selected;
  say(changes.length ? `From ${clock(player.times[player.frame])} on: ${name}.` : `It is ${name} here already.`);
  page.again[page.layer] = () => sayName(name);
  return store.change(changes);
}

/** Do what a typed action says, with its names as they are spelt: a name that nobody knows is refused before anything begins. */
function whenNamed(action, run) {
  const { names, triplets } = layer();
  if ([...names, ...triplets.map((parts) => parts.join(", "))].includes(textOf(action))) return run(action);
  return store.during(async () => {
    const meant = [store.id, page.layer, frame()];
    try {
      const named = await post("/api/named", { layer: page.layer, ...action });
      if ([store.id, page.layer, frame()].every((one, place) => one === meant[place])) return await run(named);
      say("You went on before the names were looked up, so nothing was labelled.", true);
    } catch (error) {
      say(error.message, true);
    }
    return undefined;
  });
}

/** Open a span of an action here, or end the open one of the same action. */
async function sayAction(action) {
  if (!(await seen())) return undefined;
  page.acted = Date.now();
  const opened = begun.of(page.layer, action);
  if (page.layer === "actions") remember(action);
  page.again[page.layer] = () => sayAction(action);
  if (!opened) {
    begun.begin(page.layer, action, player.frame);
    say(`${textOf(action)} begins at ${clock(player.times[player.frame])}; the same key ends it.`);
    show();
    return undefined;
  }
  begun.end(opened);
  const [first, last] = [Math.min(opened.first, player.frame), Math.max(opened.first, player.frame)];
  page.selected = opened.key;
  say(`${textOf(action)}: ${clock(player.times[first])} to ${clock(player.times[last + 1])}.`);
  if (await store.change([{ layer: page.layer, key: opened.key, value: spanOf({ ...action, first, end: last + 1 }) }])) return true;
  if (page.selected === opened.key) page.selected = null;
  begun.goesOn(opened);
  show();
  return false;
}

/** An action has a key among those of late. */
function remember({ label, verb, target }) {
  const action = { label, verb, target };
  page.recent = [action, ...page.recent.filter((one) => textOf(one) !== textOf(action))].slice(0, MOST_RECENT).sort((one, other) => textOf(one).localeCompare(textOf(other)));
}

function byKey(place) {
  if (page.layer === "ratings") return undefined;
  if (isTracks()) return layer().names[place] && whenSeen(() => tracking.name(layer().names[place]));
  if (isInstants()) return instants.recent[place] && instants.toggle(instants.recent[place]);
  if (page.layer === "actions") return page.recent[place] && sayAction(page.recent[place]);
  const name = layer().names[place];
  return name && sayName(name);
}

async function edit(what) {
  if (!(await seen())) return undefined;
  if (isTracks()) return what === "remove" ? tracking.remove(false) : say("A track has key frames: K sets one here, O ends it.", true);
  if (isInstants()) return what === "remove" ? instants.clear() : say("A sampled frame has no edges: say of each what is in view.", true);
  const span = isSpans() ? selected() : null;
  if (!span) return say("No label is selected.", true);
  page.acted = Date.now();
  const [spans, name, at] = [store.spans(page.layer), page.layer, player.frame];
  if (what === "start" || what === "end") return setEdge(name, span, what === "end" ? "end" : "first", at);
  const changes = {
    split: () => split(name, span, at),
    merge: () => merge(name, spans, span),
    remove: () => [{ layer: name, key: span.key, value: null }],
  }[what]();
  if (!changes.length) return say(NOT_HERE, true);
  if (what === "remove") page.selected = null;
  return store.change(changes);
}

/** A span of a layer starts at a frame, or ends with it. */
function setEdge(name, span, side, at) {
  const changes = moveEdge(name, store.spans(name), span, side, at, store.layer(name).exclusive ?? false);
  if (!changes.length) return say(NOT_HERE, true);
  say(`${textOf(span)} ${side === "end" ? "ends with" : "starts at"} frame ${at}, ${clock(player.times[at])}.`);
  return store.change(changes);
}

function goTo({ layer: name, first, end }) {
  if (store.layer(name)) page.layer = name;
  const span = page.layer === "ratings" ? null : store.spans(page.layer).find((one) => one.first < end && first < one.end);
  page.selected = span?.key ?? null;
  return player.seek(Math.max(0, first)).then(show);
}

/** To the next or previous change of the layer. */
function toChange(by) {
  if (isTracks()) return tracking.go(by);
  if (isInstants()) return instants.goOn(by);
  const edges = [...new Set(store.spans(page.layer).flatMap((one) => [one.first, one.end]))].filter((at) => at < player.count).sort((a, b) => a - b);
  const to = by > 0 ? edges.find((at) => at > frame()) : edges.findLast((at) => at < frame());
  if (to === undefined) return say("There is no further change.");
  page.selected = store.spans(page.layer).find((one) => one.first === to)?.key ?? page.selected;
  return player.seek(to).then(show);
}

function nextFinding() {
  const all = findings();
  if (!all.length) return say("Nothing looks wrong.");
  page.finding = (page.finding + 1) % all.length;
  say(all[page.finding].says);
  return goTo(all[page.finding]);
}

function faster(by) {
  const at = Math.max(0, Math.min(SPEEDS.length - 1, SPEEDS.indexOf(player.speed) + by));
  player.speed = SPEEDS[at];
  byId("speed").value = String(player.speed);
  say(`Speed ${player.speed}.`);
}

function nextLayer() {
  const names = store.work.layers.map((one) => one.name);
  choose(names[(names.indexOf(page.layer) + 1) % names.length]);
}

function nextRecording() {
  const all = store.work.recordings;
  // Also one that could not be opened is behind.
  const at = all.findIndex((one) => one.id === page.tried);
  const next = [...all.slice(at + 1), ...all.slice(0, Math.max(at, 0))].find(isLeft) ?? all[(at + 1) % all.length];
  if (next) open(next.id);
  else say("There is nothing for you to do.");
}

/** An arrow with Ctrl moves or stretches what is chosen, else it steps. */
function arrow(event, x, y) {
  if (event.ctrlKey) return isTracks() ? whenSeen(() => tracking.nudge(x, y, event.shiftKey)) : undefined;
  if (!x) return undefined;
  return event.shiftKey ? player.jump(x) : step(x);
}

/** A frame back or on; of triplets a sampled one. */
const step = (by) => (isInstants() ? instants.go(by) : player.step(by));

/** What is begun is let go first: the server has nothing of it. */
async function undo() {
  const last = begun.here.at(-1);
  if (last && !store.waiting && !store.isOpening) {
    begun.end(last);
    say(`${textOf(last)}, begun at ${clock(player.times[last.first])}, is let go; nothing that is kept was taken back.`);
    show();
    return;
  }
  const answer = await store.undo();
  if (!answer) return;
  if (settles()) {
    say(`${answer.taken_back ? "Your last label is taken back; what you settled stands" : "There is no label to take back"}: take another answer to change one.`);
    return;
  }
  const done = answer.recording.done ? " You are still done with this recording; D takes that back." : "";
  say(`${answer.taken_back ? "The last change is taken back." : "There is nothing to take back."}${done}`);
}

const whenSeen = async (run) => ((await seen()) ? run() : undefined);
const tracksOnly = (run) => () => (isTracks() ? whenSeen(run) : say("That is of boxes and points.", true));
const again = () => (isInstants() ? instants.repeat() : page.again[page.layer]?.());

/** Done, or not any more; what is begun, and ratings that are missing, are said first, each once, and then it is done all the same. */
async function done() {
  if (settles() || store.isOpening) return;
  const { recording } = store.view;
  const inTheWay = recording.done ? [] : findings().filter((one) => one.rule === "begun" || (one.layer === "ratings" && one.rule === "missing"));
  const unsaid = inTheWay.find((one) => !page.warned.has(warningOf(one)));
  if (unsaid) {
    page.warned.add(warningOf(unsaid));
    const isBegun = unsaid.rule === "begun";
    const how = isBegun ? "Its key ends it at the frame that you see, U lets it go" : "Rate it here";
    say(`Not done yet: ${unsaid.says}. ${how}; D again says that you are done all the same.`, true);
    if (isBegun) choose(unsaid.layer);
    else goTo(unsaid);
    return;
  }
  page.warned.clear();
  const isTaken = await store.sayDone(!recording.done);
  show();
  if (!isTaken) return;
  const left = findings().length;
  if (!store.view.recording.done) say("You go on with this recording.");
  else say(left ? `You are done with it; ${counted(left, "thing")} still ${left === 1 ? "looks" : "look"} wrong, N shows ${left === 1 ? "it" : "them"}.` : "You are done with it.");
}

const warningOf = (finding) => `${store.id} ${finding.first}: ${finding.says}`;

/** The chosen track has left the picture from here on; an end that it had before moves here. */
function outside() {
  const track = tracking.selected;
  const moved = track && movedEnd(page.layer, track, player.frame);
  if (!moved) return tracking.outside();
  page.acted = Date.now();
  say(`${track.label}: its end is moved from frame ${moved.from} to frame ${player.frame}; until then it stays where it was last.`);
  return store.change(moved.changes);
}

const digits = [..."1234567890"];

const bindings = [
  { keys: ["d"], shown: ["D"], does: "to the next place that is to be settled; with Shift to the one before", group: "To be settled", role: "adjudicator", run: (event) => adjudicating.go(event.shiftKey ? -1 : 1) },
  { keys: [], shown: ["Tab"], does: "to the next answer", group: "To be settled", role: "adjudicator" },
  { keys: [], shown: ["Enter"], does: "take this answer", group: "To be settled", role: "adjudicator" },
  { keys: [" "], shown: ["Space"], does: "play, or stop", group: "Player", run: () => player.toggle() },
  { keys: ["ArrowLeft"], shown: ["←"], does: "a frame back, of triplets a sampled one; with Shift a second", group: "Player", run: (event) => arrow(event, -1, 0) },
  { keys: ["ArrowRight"], shown: ["→"], does: "a frame on, of triplets a sampled one; with Shift a second", group: "Player", run: (event) => arrow(event, 1, 0) },
  { keys: ["ArrowUp"], shown: ["Ctrl", "arrows"], does: "move what is chosen; with Shift stretch it", group: "Boxes and points", run: (event) => arrow(event, 0, -1) },
  { keys: ["ArrowDown"], shown: [], does: "", group: "Boxes and points", run: (event) => arrow(event, 0, 1) },
  { keys: ["j"], shown: ["J"], does: "ten seconds back", group: "Player", run: () => player.jump(-10) },
  { keys: ["k"], shown: ["K"], does: "ten seconds on; of a track a key frame here", group: "Player", run: () => (isTracks() ? whenSeen(() => tracking.key()) : player.jump(10)) },
  { keys: ["Home"], shown: ["Home"], does: "to the beginning", group: "Player", run: () => player.seek(0) },
  { keys: ["End"], shown: ["End"], does: "to the end", group: "Player", run: () => player.seek(player.count - 1) },
  { keys: ["+", "="], shown: ["+"], does: "faster", group: "Player", run: () => faster(1) },
  { keys: ["-"], shown: ["-"], does: "slower", group: "Player", run: () => faster(-1) },
  { keys: ["PageUp"], shown: ["PageUp"], does: "to the change before", group: "Player", run: () => toChange(-1) },
  { keys: ["PageDown"], shown: ["PageDown"], does: "to the next change; of triplets, to the next not labelled", group: "Player", run: () => toChange(1) },
  ...digits.map((digit, place) => ({ keys: [digit], shown: ["1", "…", "0"], does: place ? "" : "the label of this number, here", group: "Labels", run: () => byKey(place) })),
  { keys: ["r"], shown: ["R"], does: "the last label again, here; of triplets, as before", group: "Labels", run: again },
  { keys: ["a"], shown: ["A"], does: "another action, by typing", group: "Labels", run: () => byId("action")?.focus() },
  { keys: ["["], shown: ["["], does: "the selected label starts here", group: "Labels", run: () => edit("start") },
  { keys: ["]"], shown: ["]"], does: "the selected label ends with this frame", group: "Labels", run: () => edit("end") },
  { keys: ["s"], shown: ["S"], does: "split the selected label here", group: "Labels", run: () => edit("split") },
  { keys: ["m"], shown: ["M"], does: "merge the selected label with the next", group: "Labels", run: () => edit("merge") },
  { keys: ["Delete", "Backspace"], shown: ["Del"], does: "remove the selected label", group: "Labels", run: (event) => (isTracks() ? whenSeen(() => tracking.remove(event.shiftKey)) : edit("remove")) },
  { keys: ["b"], shown: ["B"], does: "a new one in the middle; or draw it by mouse", group: "Boxes and points", run: tracksOnly(() => tracking.begin()) },
  { keys: ["c"], shown: ["C"], does: "the chosen one has the label chosen last", group: "Boxes and points", run: tracksOnly(() => tracking.rename()) },
  { keys: ["t"], shown: ["T"], does: "choose the next one of this frame", group: "Boxes and points", run: tracksOnly(() => tracking.next()) },
  { keys: ["h"], shown: ["H"], does: "the point is hidden here, or seen", group: "Boxes and points", run: tracksOnly(() => tracking.hide()) },
  { keys: ["Escape"], shown: ["Esc"], does: "choose none, so that the next one is new", group: "Boxes and points", run: () => (Object.assign(page, { selected: null }), show()) },
  ...proposing.keys,
  { keys: ["u"], shown: ["U"], does: "undo, as often as you like", group: "Labels", run: () => undo() },
  { keys: ["l"], shown: ["L"], does: "the next layer", group: "Page", run: nextLayer },
  { keys: ["n"], shown: ["N"], does: "to the next that looks wrong; of triplets, nothing is in view", group: "Page", run: (event) => (isInstants() && !event.shiftKey ? instants.nothing() : nextFinding()) },
  { keys: [], shown: ["Shift", "N"], does: "of triplets, to the next that looks wrong", group: "Page", run: nextFinding },
  { keys: ["d"], shown: ["D"], does: "I am done with this recording, or go on", group: "Page", role: "annotator", run: done },
  { keys: ["o"], shown: ["O"], does: "open the next recording; of a track, outside from here on", group: "Page", run: () => (isTracks() ? whenSeen(outside) : nextRecording()) },
  { keys: ["?"], shown: ["?"], does: "this help", group: "Page", run: () => byId("help-dialog").showModal() },
];

byId("play").onclick = () => player.toggle();
byId("back").onclick = () => step(-1);
byId("forth").onclick = () => step(1);
byId("earlier").onclick = () => toChange(-1);
byId("later").onclick = () => toChange(1);
byId("undo").onclick = undo;
byId("done").onclick = done;
byId("help-button").onclick = () => byId("help-dialog").showModal();
byId("camera").onchange = async () => {
  const at = frame();
  if (await opening(() => player.open(store.id, byId("camera").value, at))) show();
};
fill(byId("speed"), ...SPEEDS.map((speed) => element("option", { value: speed, selected: speed === 1 }, `${speed} ×`)));
byId("speed").onchange = () => (player.speed = Number(byId("speed").value));
for (const button of byId("selected-buttons").children) button.onclick = () => edit(button.dataset.do);
const ofTrack = {
  begin: () => tracking.begin(),
  key: () => tracking.key(),
  outside,
  hide: () => tracking.hide(),
  remove: () => tracking.remove(false),
  all: () => tracking.remove(true),
};
for (const button of byId("instant-buttons").children) button.onclick = () => instants[button.dataset.do]();
for (const button of byId("track-buttons").children) button.onclick = () => whenSeen(ofTrack[button.dataset.do]);

player.addEventListener("frame", () => {
  showHidden(hiddenHere(), player);
  byId("where").textContent = `${clock(player.times[player.frame])} of ${clock(player.duration)}, frame ${player.frame}`;
  page.acted = player.playing ? Date.now() : page.acted;
  if (begun.here.length && !player.playing) show();
  else if (isTracks() || isInstants()) showSelected();
  if (isInstants() && !player.playing) showPanel();
  if (!player.playing) proposing.showHere();
});
player.addEventListener("state", () => {
  byId("play").setAttribute("aria-pressed", String(player.playing));
  byId("play").querySelector("span").textContent = player.playing ? "Stop" : "Play";
});
player.addEventListener("trouble", (event) => say(event.detail, true));
store.addEventListener("view", show);
store.addEventListener("work", show);
// What is begun is kept by this tab alone, and nothing of it is in the ledger.
const isKept = () => store.isKept && !begun.mine.length;
// For whoever asks from outside whether what was said is in the ledger.
const showKept = () => (document.body.dataset.kept = isKept() ? "yes" : "no");
for (const event of ["kept", "work"]) store.addEventListener(event, showKept);
showKept();
// Whoever closes the page loses what is on its way, and what is begun: the browser asks first.
addEventListener("beforeunload", (event) => {
  if (!isKept()) event.preventDefault();
});
store.addEventListener("refused", (event) => say(event.detail, true));
lanes.addEventListener("choose", ({ detail }) => {
  Object.assign(page, { layer: detail.layer, selected: detail.key, acted: Date.now() });
  player.seek(detail.frame);
  show();
});
overlay.addEventListener("choose", ({ detail }) => {
  Object.assign(page, { selected: detail, acted: Date.now() });
  show();
});
for (const id of ["overlay", "lanes"]) byId(id).addEventListener("dropped", () => say("Nothing was drawn: something else came between the press and the release.", true));
overlay.addEventListener("propose", ({ detail }) => proposing.choose(detail));
overlay.addEventListener("place", ({ detail }) => isMeant() && whenSeen(() => tracking.place(detail.name, detail.place)));
lanes.addEventListener("edge", async ({ detail }) => {
  if (!hasSpans(detail.layer) || !isMeant() || !(await seen())) return;
  const span = store.spans(detail.layer).find((one) => one.key === detail.key);
  if (span) setEdge(detail.layer, span, detail.side, detail.frame);
});
addEventListener("pointerdown", () => (page.acted = Date.now()));
addEventListener("keydown", () => (page.acted = Date.now()));

// Only time in which somebody did something, or watched the film, is work.
setInterval(() => {
  const now = Date.now();
  if (now - page.acted < IDLE_MS && !document.hidden) store.worked(Math.round((now - page.worked) / 1000));
  page.worked = now;
}, WORK_MS);

async function keepUp() {
  const { id } = store;
  const { head, changed, gone, waits } = await get(`/api/changes?head=${store.view.head}&id=${id}`);
  if (store.isOpening || id !== store.id) return;
  if (gone) {
    const why = waits ? "is labelled again: it is settled when everybody is done with it, and is not shown until then" : "is no longer yours to label and is not shown any more";
    close(`${id} ${why}. O opens the next one.`);
    await store.open();
  } else if (changed && head !== store.view.head && !player.playing) await store.refresh();
}

// One question at a time: while the server does not answer, they would pile up.
async function poll() {
  for (let told = ""; ; ) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    if (document.hidden || !store.view || store.isOpening) continue;
    try {
      await keepUp();
      told = "";
    } catch (error) {
      // Whoever was shut out sees nothing. Once: it would take the place of what is said meanwhile.
      if (error.status === 403) close(error.message);
      else if (error.message !== told) say(error.message, true);
      told = error.message;
    }
  }
}

await store.open();
// Keys that are pressed while a recording opens would be of the one before, or of none.
const whenOpen = (one) => ({ ...one, run: (event) => (store.isOpening && !one.keys.includes("?") ? whileOpening(one) : one.run(event)) });
// One that cannot be opened must not keep anybody from the next.
function whileOpening(one) {
  if (!hasFailed) say("The recording is still opening.");
  else if (one.keys.includes("o")) nextRecording();
  else say("Nothing is open. O opens the next recording.", true);
}
listen(bindings.filter(({ role }) => !role || role === store.work.role).map(whenOpen));
byId("help-annotator").hidden = settles();
byId("help-adjudicator").hidden = !settles();
page.layer = store.work.layers[0].name;
const first = firstOf(store.work);
if (!first) say("There is nothing for you to do yet.");
else if (!(await openAddressed())) await open(first.id);
addEventListener("hashchange", openAddressed);
poll();
