// What is drawn anew between the press of a mouse and its release gets no click: until then the page waits with drawing.

let isPressed = false;
let waiting = null;

/** Draw now, or as soon as the mouse is let go and what it did is done. */
export function whenReleased(draw) {
  if (isPressed) waiting = draw;
  else draw();
}

function release() {
  isPressed = false;
  if (waiting) setTimeout(waiting);
  waiting = null;
}

// Only the first button clicks.
document.addEventListener("pointerdown", ({ button }) => (isPressed = button === 0), { capture: true });
// Where a menu opens no release comes; a key means what is seen.
for (const end of ["pointerup", "pointercancel", "contextmenu", "keydown"]) document.addEventListener(end, release, { capture: true });
