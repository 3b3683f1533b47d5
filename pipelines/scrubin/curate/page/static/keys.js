// What listens to keys: which key does what is said by each page (app.js of the review), once for the keyboard and for the help.

import { byId, element, fill, isAsking, key } from "./elements.js";

// Held down, these go on step by step; any other key does once what it says, however long it is held.
const STEPS = new Set(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "PageUp", "PageDown"]);
// The page itself puts the focus on these: Space, by which one looks, must decide nothing there.
const LOOKS_BY_SPACE = ".cell, .answers button";
const BUTTONS = { " ": `button:not(${LOOKS_BY_SPACE})`, Enter: "button:not(.cell)" };
// Where letters are not Latin, what lies on the Latin keyboard at their places.
const OTHER_SCRIPT = /^(?![\p{Script=Latin}\p{Script=Common}])[\p{L}\p{M}]$/u;
const DIGIT = /^\p{Nd}$/u;
const SIGNS = { BracketLeft: "[", BracketRight: "]", Comma: ",", Period: ".", Minus: "-", Equal: "=" };
// A cookie, as each start of a server has a port of its own, and all other places of a browser are of one port.
const NO_LETTERS = "letters=off";
const YEAR_S = 31_536_000;

/**
 * @param {{keys: string[], shown: string[], does: string, group: string, run: (event: KeyboardEvent) => unknown}[]} bindings
 */
export function listen(bindings) {
  const byKey = new Map(bindings.flatMap((binding) => binding.keys.map((name) => [name, binding])));
  // Also on a button, and in a question that the key itself has opened.
  document.addEventListener("keydown", (event) => event.repeat && event.key === "Enter" && !event.target.closest("textarea") && swallow(event), { capture: true });
  document.addEventListener("keydown", (event) => {
    if (isAsking() || event.target.closest("input, select, textarea")) return;
    // A button that somebody went to does what it says.
    const onButton = BUTTONS[event.key] && event.target.closest(BUTTONS[event.key]);
    const binding = byKey.get(nameOf(event));
    if (!binding || onButton) return;
    event.preventDefault();
    if (!event.repeat || STEPS.has(event.key)) binding.run(event);
  });
  // Some browsers click when Space is let go, whatever became of it when it was pressed.
  document.addEventListener("keyup", (event) => event.key === " " && event.target.closest(LOOKS_BY_SPACE) && event.preventDefault());
  giveBackKeys();
  fillHelp(bindings);
}

/** The name that the table has for a key; none where it is not the page's: of the browser, of a word that is still written, or a letter while these are off. */
export function nameOf(event) {
  // AltGr is Ctrl and Alt on some keyboards, and brackets need it there.
  const isCommand = (event.ctrlKey || event.altKey || event.metaKey) && !event.getModifierState("AltGraph");
  const isArrow = event.key.startsWith("Arrow");
  if (event.isComposing || (isCommand && !(isArrow && event.ctrlKey))) return "";
  const name = latin(event);
  return isLetter(name) && areLettersOff() ? "" : name;
}

function latin({ key: name, code }) {
  if ([...name].length > 1) return name;
  if (DIGIT.test(name)) return String(digit(name));
  return OTHER_SCRIPT.test(name) ? (SIGNS[code] ?? code.replace(/^(Key|Digit)/, "").toLowerCase()) : name.toLowerCase();
}

/** A digit is the number that it says, wherever it lies: those of a script stand one after the other, from zero, and may follow others. */
function digit(name) {
  let value = 0;
  while (DIGIT.test(String.fromCodePoint(name.codePointAt(0) - value - 1))) value += 1;
  return value % 10;
}

/** Letters, digits and signs: what somebody who dictates to the machine says by mistake. */
const isLetter = (name) => name.length === 1 && name !== " ";

const areLettersOff = () => document.cookie.split("; ").includes(NO_LETTERS);

/** After a click, and after a choice by it, the keys are the page's again; who came to a button or a list by keys stays there. */
function giveBackKeys() {
  let isByKeys = false;
  document.addEventListener("keydown", () => (isByKeys = true), { capture: true });
  document.addEventListener("pointerdown", () => (isByKeys = false), { capture: true });
  const leave = () => !isAsking() && document.activeElement?.matches("button:not(.cell), input[type=radio], input[type=checkbox]") && document.activeElement.blur();
  document.addEventListener(
    "click",
    (event) => {
      if (!event.detail || isAsking()) return;
      // A label hands its click on, and the focus with it; a key may come before the time to wait is over.
      leave();
      setTimeout(leave);
    },
    { capture: true },
  );
  document.addEventListener("change", ({ target }) => target.matches("select") && !isByKeys && !isAsking() && target.blur());
}

function swallow(event) {
  event.preventDefault();
  event.stopPropagation();
}

function fillHelp(bindings) {
  const groups = [...new Set(bindings.map((binding) => binding.group))];
  byId("help-keys").before(lettersSwitch());
  fill(
    byId("help-keys"),
    ...groups.map((group) =>
      element(
        "section",
        {},
        element("h3", {}, group),
        element(
          "dl",
          {},
          ...bindings
            .filter((binding) => binding.group === group && binding.does)
            .map((binding) => element("div", {}, element("dt", {}, ...binding.shown.map(key)), element("dd", {}, binding.does))),
        ),
      ),
    ),
  );
}

/** For those who speak to their machine, or hit keys by mistake. */
function lettersSwitch() {
  const input = element("input", { type: "checkbox", id: "letters", checked: !areLettersOff() });
  input.addEventListener("change", () => {
    document.cookie = input.checked ? "letters=; path=/; max-age=0; samesite=strict" : `${NO_LETTERS}; path=/; max-age=${YEAR_S}; samesite=strict`;
  });
  return element("p", {}, element("label", {}, input, " Letters, digits and signs are keys. Without the tick they do nothing; buttons, Space, Enter and the arrows go on working. This browser keeps it."));
}
