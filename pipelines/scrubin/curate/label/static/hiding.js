// Where the released picture is black on purpose: said at the place, in words, on the picture and for whoever does not see it.

import { byId } from "./elements.js";

const WHOLE = "hidden in the release";
const PART = "a part of the picture is hidden in the release";

/** What is said of a frame; "" where nothing is hidden. */
export function saysHidden(hidden, frame) {
  const here = hidden.find((one) => one.first <= frame && frame < one.end);
  return here ? (here.is_whole ? WHOLE : PART) : "";
}

/** Say it over the picture and in its name; a screen reader hears it once, where it begins. */
export function showHidden(hidden, player) {
  const says = saysHidden(hidden, player.frame);
  const note = byId("hidden-note");
  if (note.textContent !== says) note.textContent = says;
  note.className = says === WHOLE ? "whole" : "";
  if (says) byId("picture").setAttribute("aria-label", `${byId("picture").getAttribute("aria-label").split("; ")[0]}; ${says}`);
}
