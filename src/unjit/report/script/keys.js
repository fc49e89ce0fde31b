// @ts-check
/** Keys of the whole page; those of a part are in its own script. */

import { byId } from "./dom.js";
import { select } from "./selection.js";

/** Listen to the keys that the help lists. */
export function listenToKeys() {
  const dialog = byId("keys", HTMLDialogElement);
  /** @type {Record<string, () => void>} */
  const keys = {
    "/": () => byId("query", HTMLInputElement).focus(),
    "?": () => dialog.showModal(),
    t: () => byId("theme", HTMLButtonElement).click(),
    n: () => step(1),
    p: () => step(-1),
    Escape: () => select(null),
  };
  byId("help", HTMLButtonElement).addEventListener("click", () => dialog.showModal());
  document.addEventListener("keydown", (event) => {
    const writes = event.target instanceof HTMLElement && event.target.matches("input, select, textarea, [contenteditable]");
    if (writes || dialog.open || event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
    event.preventDefault();
    keys[event.key]();
  });
}

/** @param {number} by how many noted lines to go on */
function step(by) {
  const lines = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("details.file[open] button.number")]);
  const at = lines.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  const next = lines[at < 0 ? (by > 0 ? 0 : lines.length - 1) : (at + by + lines.length) % lines.length];
  next?.focus();
  next?.click();
}
