// @ts-check
/** Search over everything: functions, breaks, recompiles, source, texts, guards. */

import { unpack } from "./blocks.js";
import { announce, byId, element } from "./dom.js";
import { asHash, select } from "./selection.js";

/** @typedef {import("./links.js").Compile} Compile */
/** @typedef {import("./made.js").Made} Made */
/** @typedef {{label: string, text: string, lower: string, link: (line: number) => string, open?: (line: number) => void}} Document */

const MOST = 60; // results that are listed
const MOST_OF_ONE = 8; // of one document, so that none hides the others
const AROUND = 18; // characters shown before the match, which is to be in sight

export class Search {
  /**
   * @param {Made|null} made null where there are no texts
   * @param {Record<string, string>} sources
   */
  constructor(made, sources) {
    this.made = made;
    this.sources = sources;
    this.input = byId("query", HTMLInputElement);
    this.list = byId("results", HTMLElement);
    /** @type {Promise<Document[]>|null} */
    this.documents = null;
    this.at = -1;
    this.input.addEventListener("focus", () => { this.documents ??= this.gather(); });
    this.input.addEventListener("input", () => this.find());
    this.input.addEventListener("keydown", (event) => this.pressed(event));
    document.addEventListener("click", (event) => {
      if (!(event.target instanceof Element && event.target.closest(".search"))) this.close();
    });
  }

  /** @returns {Promise<Document[]>} everything that can be found, those that answer most first */
  async gather() {
    /** @type {Document[]} */
    const found = [...document.querySelectorAll("[data-search]")].map((one) => {
      const text = (one.textContent ?? "").replace(/\s+/g, " ").trim();
      const link = one.id || one.querySelector("a")?.hash.slice(1) || one.closest("section")?.id || "overview";
      return { label: one.getAttribute("data-search") ?? "", text, lower: text.toLowerCase(), link: () => link };
    });
    for (const [label, text] of Object.entries(this.sources)) {
      found.push({ label, text, lower: text.toLowerCase(), link: (line) => asHash({ kind: "line", id: `${label}:${line + 1}` }) });
    }
    for (const entry of document.querySelectorAll("[data-entry]")) found.push(...await guards(entry));
    for (const compile of this.made?.links.compiles ?? []) found.push(...await texts(/** @type {Made} */ (this.made), compile));
    return found;
  }

  /** Answer what is asked now. */
  async find() {
    const asked = this.input.value.trim().toLowerCase();
    const documents = await (this.documents ??= this.gather());
    if (this.input.value.trim().toLowerCase() !== asked) return;
    const hits = asked.length < 2 ? [] : documents.flatMap((one) => matches(one, asked)).slice(0, MOST);
    this.list.replaceChildren(...hits.map((hit, at) => this.option(hit, asked, at)));
    if (asked.length >= 2 && hits.length === 0) this.list.append(element("li", { role: "option", "aria-disabled": "true" }, "Nothing was found."));
    this.list.hidden = asked.length < 2;
    this.input.setAttribute("aria-expanded", String(!this.list.hidden));
    this.move(hits.length > 0 ? 0 : -1);
    announce(hits.length === MOST ? `the first ${MOST} that were found` : `${hits.length} found`);
  }

  /**
   * @param {{from: Document, at: number, line: number}} hit
   * @param {string} asked
   * @param {number} number
   */
  option(hit, asked, number) {
    const line = hit.from.text.lastIndexOf("\n", hit.at) + 1;
    const start = Math.max(line, hit.at - AROUND);
    const end = hit.from.text.indexOf("\n", hit.at);
    const cut = hit.from.text.slice(line, start).trim() ? "…" : "";
    const before = cut + hit.from.text.slice(start, hit.at).trimStart();
    const after = hit.from.text.slice(hit.at + asked.length, Math.min(end < 0 ? Infinity : end, hit.at + 160));
    const where = hit.from.text.includes("\n") ? `${hit.from.label}:${hit.line + 1}` : hit.from.label;
    const made = element("li", { role: "option", id: `result-${number}`, "aria-selected": "false" },
      element("span", { class: "at" }, where),
      element("code", {}, before, element("mark", {}, hit.from.text.slice(hit.at, hit.at + asked.length)), after));
    made.addEventListener("click", () => this.open(hit));
    made.addEventListener("pointermove", () => this.move(number));
    Object.assign(made, { open: () => this.open(hit) });
    return made;
  }

  /** @param {{from: Document, line: number}} hit */
  open(hit) {
    this.close();
    if (hit.from.open) hit.from.open(hit.line);
    else location.hash = hit.from.link(hit.line);
  }

  /** @param {number} at the result that Enter opens */
  move(at) {
    this.at = at;
    for (const [number, option] of [...this.list.children].entries()) option.setAttribute("aria-selected", String(number === at));
    const option = this.list.children[at];
    if (option) this.input.setAttribute("aria-activedescendant", option.id);
    else this.input.removeAttribute("aria-activedescendant");
    option?.scrollIntoView({ block: "nearest" });
  }

  close() {
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    const number = this.list.children.length;
    if (event.key === "ArrowDown") this.move(Math.min(this.at + 1, number - 1));
    else if (event.key === "ArrowUp") this.move(Math.max(this.at - 1, 0));
    else if (event.key === "Enter") /** @type {any} */ (this.list.children[this.at])?.open?.();
    else if (event.key === "Escape") this.input.blur(), this.close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

/**
 * @param {Document} from
 * @param {string} asked
 * @returns {{from: Document, at: number, line: number}[]}
 */
function matches(from, asked) {
  const found = [];
  let line = 0;
  let counted = 0;
  for (let at = from.lower.indexOf(asked); at >= 0 && found.length < MOST_OF_ONE; at = from.lower.indexOf(asked, at)) {
    for (let end = from.lower.indexOf("\n", counted); end >= 0 && end < at; end = from.lower.indexOf("\n", counted)) {
      line += 1;
      counted = end + 1;
    }
    found.push({ from, at, line });
    const end = from.lower.indexOf("\n", at);
    if (end < 0) break;
    at = end;
  }
  return found;
}

/**
 * @param {Made} made
 * @param {Compile} compile
 * @returns {Promise<Document[]>} its texts, those first that follow from each other
 */
async function texts(made, compile) {
  const found = await made.load(compile);
  return compile.texts.map((text) => {
    const id = `${compile.id}/${text.name}`;
    const body = found[text.name] ?? "";
    return {
      label: id, text: body, lower: body.toLowerCase(), link: () => asHash({ kind: "text", id }),
      open: (line) => openRow(made, compile, text.name, line),
    };
  });
}

/**
 * @param {Made} made
 * @param {Compile} compile
 * @param {string} name of a text
 * @param {number} line
 */
async function openRow(made, compile, name, line) {
  select({ kind: "text", id: `${compile.id}/${name}` });
  await made.show(compile, name, false);
  made.pane.goTo(line);
  byId("source", HTMLElement).querySelector(".made")?.scrollIntoView({ block: "nearest" });
  made.pane.root.focus({ preventScroll: true });
}

/**
 * @param {Element} entry
 * @returns {Promise<Document[]>} a line for each guard
 */
async function guards(entry) {
  const block = entry.querySelector("script");
  if (!block) return [];
  const data = await unpack(block);
  /** @type {import("./guards.js").Guard[]} */
  const all = [...data.epilogue];
  /** @param {import("./guards.js").Node} node */
  const walk = (node) => { all.push(...node.guards); node.children.forEach(walk); };
  walk(data.tree);
  const id = entry.getAttribute("data-entry") ?? "";
  const label = `${entry.getAttribute("data-name") ?? id} guard`;
  const text = all.map((guard) => guard.condition.replaceAll("\n", " ")).join("\n");
  return [{ label, text, lower: text.toLowerCase(), link: (line) => asHash({ kind: "guard", id: `${id}/${all[line].number}` }) }];
}
