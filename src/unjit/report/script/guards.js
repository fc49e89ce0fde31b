// @ts-check
/** The guards of an entry as a tree that folds, made when it is opened. */

import { unpack } from "./blocks.js";
import { element } from "./dom.js";
import { asHash, listen } from "./selection.js";
import { count } from "./words.js";

/** @typedef {{number: number, kind: string, topic: string, condition: string, line: string|null, check: string|null, note: string|null, at: number|null}} Guard */
/** @typedef {{line: string|null, says: string, within: number|null}} Line */
/** @typedef {{source: string|null, took: number|null, failures: number|null, guards: Guard[], children: Node[]}} Node */

/** @typedef {{id: string, lines: Line[]}} Shown the entry whose guards these are, and the lines of the calls that led to them */

const FOLD = 12; // children that are shown without being asked for

/** Make each entry's tree when it is opened, or when a link leads to it. */
export function openGuards() {
  const entries = /** @type {HTMLDetailsElement[]} */ ([...document.querySelectorAll("details.guarded")]);
  for (const entry of entries) entry.addEventListener("toggle", () => entry.open && fill(entry));
  listen(async (choice) => {
    if (choice?.kind !== "entry" && choice?.kind !== "guard") return;
    const id = choice.kind === "entry" ? choice.id : choice.id.slice(0, choice.id.lastIndexOf("/"));
    const entry = entries.find((one) => one.dataset.entry === id);
    if (!entry) return;
    entry.open = true;
    await fill(entry);
    show(entry, choice.kind === "guard" ? choice.id : null);
  });
}

/** @param {HTMLDetailsElement} entry */
async function fill(entry) {
  const [tree, block] = [entry.querySelector(".tree"), entry.querySelector("script")];
  if (!tree || !block || tree.hasChildNodes()) return;
  tree.append(element("p", { class: "dim" }, "…"));
  const data = await unpack(block);
  const shown = { id: entry.dataset.entry ?? "", lines: data.lines };
  const after = data.epilogue.length > 0 ? [element("p", { class: "label" }, "Checked after these"), list(data.epilogue, shown)] : [];
  tree.replaceChildren(list(data.tree.guards, shown), ...data.tree.children.map((/** @type {Node} */ child) => node(child, shown, 0)), ...after);
}

/**
 * @param {HTMLDetailsElement} entry
 * @param {string|null} guard
 */
function show(entry, guard) {
  for (const row of document.querySelectorAll(".chosen-row")) row.classList.remove("chosen-row");
  const row = guard ? [...entry.querySelectorAll("[data-guard]")].find((one) => one.getAttribute("data-guard") === guard) : null;
  for (let up = row?.parentElement; up && up !== entry; up = up.parentElement) if (up instanceof HTMLDetailsElement) up.open = true;
  row?.classList.add("chosen-row");
  (row ?? entry).scrollIntoView({ block: row ? "center" : "start" });
}

/**
 * A value with the conditions on it and, below, the values reached through it.
 * @param {Node} found
 * @param {Shown} entry
 * @param {number} depth
 * @returns {HTMLElement}
 */
function node(found, entry, depth) {
  const said = found.failures ? [" ", element("span", { class: "chip failures" }, `said no ${found.failures} ×`)] : [];
  const cost = found.took === null ? [] : [" ", element("span", { class: "chip" }, `${found.took} µs`)];
  const summary = element("summary", {}, element("code", {}, found.source ?? "(unknown)"), " ",
    element("span", { class: "dim" }, count(size(found), "guard")), ...cost, ...said);
  const made = element("details", {}, summary, list(found.guards, entry), ...found.children.map((child) => node(child, entry, depth + 1)));
  made.toggleAttribute("open", Boolean(found.failures) || (depth < 2 && size(found) <= FOLD));
  return made;
}

/** @param {Node} found @returns {number} of guards on it and below it */
function size(found) {
  return found.guards.length + found.children.reduce((sum, child) => sum + size(child), 0);
}

/**
 * @param {Guard[]} guards
 * @param {Shown} entry
 */
function list(guards, entry) {
  return element("ul", {}, ...guards.map((guard) => {
    const cause = guard.line ? [" ", place(guard.line, guard.line)] : [];
    const note = guard.note ? [" ", element("span", { class: "dim" }, guard.note)] : [];
    return element("li", { "data-guard": `${entry.id}/${guard.number}`, title: guard.check ?? "" }, element("code", {}, guard.condition), " ",
      element("span", { class: "dim" }, guard.kind.toLowerCase().replaceAll("_", " ")), ...cause, ...note, ...calls(guard.at, entry.lines));
  }));
}

/**
 * The calls that led to a guard, outermost first, where there is more than the one line.
 * @param {number|null} at
 * @param {Line[]} lines
 */
function calls(at, lines) {
  const found = [];
  for (let one = at; one !== null; one = lines[one].within) found.unshift(lines[one]);
  if (found.length < 2) return [];
  return [" ", element("details", { class: "calls" }, element("summary", { class: "dim" }, `${found.length} calls`),
    element("ol", {}, ...found.map((one) => element("li", {}, one.line ? place(one.line, one.says) : one.says))))];
}

/** @param {string} line @param {string} says */
function place(line, says) {
  return element("a", { class: "place", href: `#${asHash({ kind: "line", id: line })}` }, says);
}
