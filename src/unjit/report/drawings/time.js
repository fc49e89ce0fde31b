// @ts-check
/** Where the time of compiling went: as it happened, by compile and by phase. */

import { duration } from "./flame/clock.js";
import { Flame, says } from "./flame/flame.js";
import { button, element } from "./parts/elements.js";

/**
 * @param {Element} place
 * @param {any} data as time.py gives it
 * @param {{select: (choice: any) => void, listen: (heard: (choice: any) => void) => void}} page
 */
export function draw(place, data, { select, listen }) {
  if (!data.phases.length) {
    place.append(element("p", { class: "quiet", text: "torch told no times." }));
    return;
  }
  const said = element("p", { class: "flame-says quiet", "aria-live": "polite", text: "Click a phase to zoom to it; the wheel zooms, dragging moves." });
  const flame = new Flame(data, (span) => said.replaceChildren(...(span ? says(span, data, select) : ["All phases."])));
  const count = element("output", { class: "quiet" });
  const search = element("input", { type: "search", placeholder: "Search phases", "aria-label": "Search phases" });
  search.addEventListener("input", () => {
    const found = flame.find(search.value);
    count.textContent = search.value.trim() ? `${found} found` : "";
  });
  const views = {
    "As it happened": element("div", {}, flame.svg, said),
    "By compile": byCompile(data, flame, select),
    "By phase": byPhase(data),
  };
  const room = element("div", {});
  const buttons = Object.entries(views).map(([name, view]) => button(name, name, () => open(name, view)));
  /** @param {string} name @param {Node} view */
  const open = (name, view) => {
    room.replaceChildren(view);
    for (const one of buttons) one.setAttribute("aria-pressed", String(one.textContent === name));
  };
  place.append(element("div", { class: "drawing-tools" }, ...buttons, search, count, button("Show all", "The whole time", () => flame.fit())), room);
  open("As it happened", views["As it happened"]);
  listen(({ kind, id }) => {
    const at = kind === "compile" ? data.compiles.findIndex((/** @type {any} */ compile) => compile.id === id) : -1;
    if (at >= 0) flame.compile(at);
  });
}

/** @param {any} data @param {Flame} flame @param {(choice: any) => void} select */
function byCompile(data, flame, select) {
  const lengths = data.compiles.map((/** @type {any} */ _, /** @type {number} */ at) =>
    flame.spans.filter((span) => span.compile === at && span.depth === 0).reduce((sum, span) => sum + span.length, 0));
  const rows = data.compiles.map((/** @type {any} */ compile, /** @type {number} */ at) => ({
    name: compile.title, total: lengths[at], choose: compile.id ? () => select({ kind: "compile", id: compile.id }) : null,
  }));
  return table(["compile", "time"], rows.sort((/** @type {any} */ one, /** @type {any} */ other) => other.total - one.total), (/** @type {any} */ row) => [duration(row.total)]);
}

/** @param {any} data */
function byPhase(data) {
  const rows = [...data.phases].sort((one, other) => other.own - one.own);
  return table(["phase", "in it alone", "in all", "times"], rows, (/** @type {any} */ row) => [duration(row.own), duration(row.total), String(row.count)]);
}

/**
 * A table with a bar for the first number of each row.
 * @param {string[]} heads
 * @param {any[]} rows
 * @param {(row: any) => string[]} cells
 */
function table(heads, rows, cells) {
  const longest = Math.max(1, ...rows.map((row) => row.own ?? row.total));
  return element("div", { class: "time-table" }, element("table", {},
    element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col", text: head })), element("td", {}))),
    element("tbody", {}, ...rows.map((row) => {
      const bar = element("div", { class: "time-bar" });
      bar.style.width = `${(100 * (row.own ?? row.total)) / longest}%`;
      const name = row.choose ? element("button", { type: "button", class: "link", text: row.name, on: { click: row.choose } }) : row.name;
      return element("tr", {}, element("th", { scope: "row" }, name), ...cells(row).map((text) => element("td", { class: "number", text })), element("td", { class: "bar", "aria-hidden": "true" }, bar));
    }))));
}
