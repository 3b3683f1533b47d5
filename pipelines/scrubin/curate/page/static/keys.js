// Every key and what it does: one table for the keyboard and for the help.

import { byId, element, fill, isAsking, key } from "./elements.js";

// Held down, these go on step by step; any other key does once what it says, however long it is held.
const STEPS = new Set(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "PageUp", "PageDown"]);

/**
 * @param {{keys: string[], shown: string[], does: string, group: string, run: (event: KeyboardEvent) => unknown}[]} bindings
 */
export function listen(bindings) {
  const byKey = new Map(bindings.flatMap((binding) => binding.keys.map((name) => [name, binding])));
  // Also on a button, and in a question that the key itself has opened.
  document.addEventListener("keydown", (event) => event.repeat && event.key === "Enter" && !event.target.closest("textarea") && swallow(event), { capture: true });
  document.addEventListener("keydown", (event) => {
    if (isAsking() || event.target.closest("input, select, textarea")) return;
    // AltGr is Ctrl and Alt on some keyboards, and brackets need it there.
    const isCommand = (event.ctrlKey || event.altKey || event.metaKey) && !event.getModifierState("AltGraph");
    const isArrow = event.key.startsWith("Arrow");
    if (isCommand && !(isArrow && event.ctrlKey)) return;
    // A button other than a still does what it says.
    const onButton = event.target.closest("button:not(.cell)") && (event.key === "Enter" || event.key === " ");
    const binding = byKey.get(event.key.length === 1 ? event.key.toLowerCase() : event.key);
    if (!binding || onButton) return;
    event.preventDefault();
    if (!event.repeat || STEPS.has(event.key)) binding.run(event);
  });
  fillHelp(bindings);
}

function swallow(event) {
  event.preventDefault();
  event.stopPropagation();
}

function fillHelp(bindings) {
  const groups = [...new Set(bindings.map((binding) => binding.group))];
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
