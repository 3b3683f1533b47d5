// Questions to the person. Each resolves with what was answered, or null when it was closed.

import { byId, element, fill } from "./elements.js";
import { nameOf } from "./keys.js";
import { kindName } from "./kinds.js";

for (const label of document.querySelectorAll("[data-kind]")) label.textContent = kindName(label.dataset.kind);
for (const button of document.querySelectorAll("[data-close]")) button.addEventListener("click", () => button.closest("dialog").close());

function ask(dialog, read) {
  return new Promise((resolve) => {
    const form = dialog.querySelector("form");
    let answer = null;
    form.onsubmit = (event) => {
      event.preventDefault();
      answer = read(new FormData(form));
      if (answer === undefined) return;
      dialog.close();
      // Not when the event comes that it is closed: a key may come before that.
      resolve(answer);
    };
    // It may be open again, with the next question.
    dialog.onclose = () => dialog.open || resolve(answer ?? null);
    dialog.showModal();
  });
}

/** Which kind, and for a rectangle when: {kind, when, why}. */
export function askKind({ box, fromTo, marked }) {
  const dialog = byId("kind-dialog");
  const form = dialog.querySelector("form");
  form.reset();
  byId("kind-about").textContent = box ? `A rectangle of ${box[2]} × ${box[3]} pixels at ${box[0]}, ${box[1]}.` : fromTo;
  byId("kind-when").hidden = !box;
  byId("kind-span").textContent = `from ${fromTo}`;
  form.elements.kind.value = box ? "text" : "out_of_body";
  if (marked) form.elements.when.value = "span";
  form.onkeydown = (event) => {
    if (event.target.type === "text") return;
    const kinds = [...form.elements.kind];
    const name = nameOf(event);
    const chosen = kinds[Number(name) - 1];
    if (chosen) chosen.checked = true;
    else if (box && name === "w") form.elements.when.value = "whole";
    else if (box && name === "s") form.elements.when.value = "span";
    else if (name === "Enter" && event.target.type === "radio") form.requestSubmit();
    else return;
    event.preventDefault();
  };
  const answer = ask(dialog, (data) => Object.fromEntries(data));
  form.querySelector("input:checked").focus();
  return answer;
}

/** Why, and where several things can be meant, about which: {why, item, until}. */
export function askReason({ title, about, does, items = null, chosen = 0 }) {
  const dialog = byId("reason-dialog");
  const form = dialog.querySelector("form");
  form.reset();
  byId("reason-title").textContent = title;
  byId("reason-about").textContent = about;
  byId("reason-do").textContent = does;
  byId("reason-which").hidden = byId("reason-until").hidden = !items;
  // The ledger has days of UTC.
  form.elements.until.min = new Date().toISOString().slice(0, 10);
  fill(form.elements.which, ...(items ?? []).map((item, place) => element("option", { value: String(place), selected: place === chosen }, item.text)));
  const answer = ask(dialog, (data) => ({ why: data.get("why").trim(), item: Number(data.get("which")), until: data.get("until") }));
  form.elements.why.focus();
  return answer;
}

/** A text that `parse` understands; what it does not understand is asked again. */
export function askTime(parse) {
  const dialog = byId("time-dialog");
  const form = dialog.querySelector("form");
  form.reset();
  const input = form.elements.time;
  input.oninput = () => input.setCustomValidity("");
  return ask(dialog, () => {
    const value = parse(input.value);
    if (value !== null) return value;
    input.setCustomValidity("A time such as 12.5, 3:20 or 1:02:03, or a frame such as #300, inside the recording.");
    input.reportValidity();
    return undefined;
  });
}

/** Open a page of the page, such as the help. */
export function show(id) {
  byId(id).showModal();
}
