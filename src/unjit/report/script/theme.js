// @ts-check
/** Light, dark, or as the system has it; kept where the browser lets a page keep something. */

import { byId } from "./dom.js";

/** @typedef {"system"|"light"|"dark"} Theme */

/** @type {Record<Theme, Theme>} */
const NEXT = { system: "light", light: "dark", dark: "system" };

/** The button that goes round, and what was chosen before. */
export function rememberTheme() {
  const button = byId("theme", HTMLButtonElement);
  set(read());
  button.addEventListener("click", () => set(NEXT[read()]));

  /** @param {Theme} theme */
  function set(theme) {
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.textContent = `Theme: ${theme}`;
    try {
      localStorage.setItem("unjit-theme", theme);
    } catch {
      // a page inside another page has nothing to keep it in
    }
  }
}

/** @returns {Theme} */
function read() {
  const shown = document.documentElement.dataset.theme;
  if (shown === "light" || shown === "dark") return shown;
  if (document.documentElement.dataset.known) return "system";
  document.documentElement.dataset.known = "yes";
  try {
    const kept = localStorage.getItem("unjit-theme");
    return kept === "light" || kept === "dark" ? kept : "system";
  } catch {
    return "system";
  }
}
