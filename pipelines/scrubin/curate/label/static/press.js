// What is drawn anew between the press of a mouse and its release gets no click: until then the page waits with drawing.
// What is pressed, typed or entered is of the recording that was drawn then; where it is no longer the one, nothing is done and the page says so.

import { store } from "./store.js";

// Where a click or a text says something of the recording; all else goes somewhere.
const SAYS = "#panel, #proposals, #disputes, #selected, #done, #undo";

let isPressed = false;
let waiting = null;
/** In which opening the last press was, if what was open was drawn. */
let pressed = null;

/** Draw now, or as soon as the mouse is let go and what it did is done. */
export function whenReleased(draw) {
  if (isPressed) waiting = draw;
  else draw();
}

/** Whether what is said now, by a press of the mouse or not, is of the recording that is open; who means another one is told. */
export const isMeant = (isByPress = true) => (store.isShown && (!isByPress || pressed === store.chosen)) || store.refuse();

function release() {
  isPressed = false;
  if (waiting) setTimeout(waiting);
  waiting = null;
}

function press({ button }) {
  // Only the first button clicks.
  isPressed = button === 0;
  pressed = store.isShown ? store.chosen : null;
}

function swallow(event) {
  const isOnlyFocus = event.type === "click" && event.target.matches("input[type=text]");
  // Keys click without a press.
  if (isOnlyFocus || !event.target.closest(SAYS) || isMeant(event.detail > 0)) return;
  event.preventDefault();
  event.stopPropagation();
}

document.addEventListener("pointerdown", press, { capture: true });
// Where a menu opens no release comes; a key means what is seen.
for (const end of ["pointerup", "pointercancel", "contextmenu", "keydown"]) document.addEventListener(end, release, { capture: true });
for (const said of ["click", "beforeinput", "submit"]) document.addEventListener(said, swallow, { capture: true });
