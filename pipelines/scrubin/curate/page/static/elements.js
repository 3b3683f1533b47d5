// Elements of the page, and what is drawn from one to the next. Whatever comes from the study is put there as text, never as HTML.

/** The element with an id. */
export const byId = (id) => document.getElementById(id);

/** A new element with attributes and children; a child that is a string stays text. */
export function element(tag, attributes = {}, ...children) {
  const created = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "class") created.className = value;
    else if (name === "onclick") created.addEventListener("click", value);
    else if (value === true) created.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) created.setAttribute(name, value);
  }
  created.append(...children.filter((child) => child !== null && child !== undefined));
  return created;
}

/** Replace what is in an element; what has the focus there keeps it where it is drawn again, under the same `data-key`. */
export function fill(parent, ...children) {
  const focused = parent.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  parent.replaceChildren(...children.filter((child) => child !== null && child !== undefined));
  if (focused === undefined) return;
  const again = [...parent.querySelectorAll("[data-key]")].find((one) => one.dataset.key === focused);
  again?.focus({ preventScroll: true });
}

/** Drop what is being drawn, if anything is: it was of a picture, a recording or a layer that goes. */
export const endDrag = () => running?.();
let running = null;

/**
 * Let the first button, a pen or one finger draw. `begin` is told of a press and returns what follows it, or null: `move` and `end` by the same pointer,
 * or `drop` where something else comes between: another press or finger, a key, a button that is clicked without a press, a menu, a finger that scrolls,
 * a release that nobody saw, another picture. Then `root` tells of it by "dropped", unless `drop` is false: nothing was drawn. A key does nothing else then.
 */
export function onDrag(root, begin) {
  root.addEventListener("pointerdown", (event) => {
    const { move, end, drop } = (event.button === 0 && event.isPrimary && begin(event)) || {};
    if (!move) return;
    const listening = new AbortController();
    const { signal } = listening;
    const leave = (how) => (last) => {
      running = null;
      listening.abort();
      how(last);
    };
    running = leave(() => drop() === false || root.dispatchEvent(new Event("dropped")));
    const other = (next) => {
      if (next.type === "keydown") (next.preventDefault(), next.stopPropagation());
      endDrag();
    };
    const ifOwn = (run) => (next) => next.pointerId === event.pointerId && run(next);
    addEventListener("pointermove", ifOwn((next) => (next.buttons & 1 ? move(next) : endDrag())), { signal });
    addEventListener("pointerup", ifOwn(leave(end)), { signal });
    for (const kind of ["pointerdown", "pointercancel", "contextmenu", "keydown", "click"]) addEventListener(kind, other, { signal, capture: true });
  });
}

/** Whether a question is open; the full size is none. */
export const isAsking = () => document.querySelector("dialog[open]:not(#full)") !== null;

/** A key as it is printed on the keyboard. */
export const key = (name) => element("kbd", {}, name);

/** A count with its noun: 1 span, 2 spans. */
export const counted = (count, noun, nouns = `${noun}s`) => `${count} ${count === 1 ? noun : nouns}`;
