// @ts-check
/** The boxes of a chart as elements. */

import { highlighted } from "../../script/highlight.js";
import { element } from "../parts/elements.js";

/** @typedef {{id: string, kind: string, title: string, says: string, lines: any[], notes: any[], select: any}} Box */
/** @type {Record<string, number>} */
const MANY = { guards: 6, code: 12, graph: 10, yours: 14, resume: 10 }; // more lines than this are folded

export class Boxes {
  /**
   * @param {Box[]} boxes
   * @param {(choice: any) => void} select
   * @param {{changed: () => void, near: (id: string | null) => void}} told
   */
  constructor(boxes, select, told) {
    this.select = select;
    this.told = told;
    this.data = boxes;
    /** @type {Map<string, HTMLElement>} */
    this.elements = new Map(boxes.map((box) => [box.id, this.#made(box)]));
  }

  /** Mark what leads to a choice. @param {string} kind @param {string} id @returns {HTMLElement[]} */
  chosen(kind, id) {
    return this.data.flatMap((box) => {
      const found = /** @type {HTMLElement} */ (this.elements.get(box.id));
      const leads = box.select?.kind === kind && box.select.id === id;
      found.classList.toggle("chosen", leads);
      return leads ? [found] : [];
    });
  }

  /** @param {Box} box */
  #made(box) {
    const title = element("h3", {}, box.select ? this.#leading(box.title, box.select) : box.title);
    const head = element("header", {}, title, box.says ? element("p", { text: box.says }) : null);
    const made = element("article", { class: `flow-box of-${box.kind}`, tabindex: "-1", "aria-label": `${box.title}. ${box.says}` }, head, ...this.#lines(box), ...this.#notes(box));
    for (const [event, id] of /** @type {[string, string | null][]} */ ([["pointerenter", box.id], ["pointerleave", null], ["focusin", box.id], ["focusout", null]])) {
      made.addEventListener(event, () => this.told.near(id));
    }
    return made;
  }

  /** @param {Box} box */
  #lines(box) {
    if (!box.lines.length) return [];
    const colours = box.kind === "guards" ? null : highlighted(box.lines.map((line) => line.text).join("\n"), ".py");
    colours?.forEach((html, at) => (box.lines[at].html = html));
    const many = MANY[box.kind] ?? 10;
    const short = box.lines.length > many + 2;
    const shown = short ? box.lines.slice(0, many) : box.lines;
    const code = element("div", { class: "flow-lines" }, ...shown.map((line) => this.#line(line)));
    if (!short) return [code];
    const more = element("button", { type: "button", class: "link flow-more", "aria-expanded": "false", text: `all ${box.lines.length} lines` });
    more.addEventListener("click", () => {
      const open = more.getAttribute("aria-expanded") === "false";
      more.setAttribute("aria-expanded", String(open));
      more.textContent = open ? "fewer lines" : `all ${box.lines.length} lines`;
      code.replaceChildren(...(open ? box.lines : shown).map((line) => this.#line(line)));
      this.told.changed();
    });
    return [code, more];
  }

  /** @param {any} line */
  #line(line) {
    const number = line.number === null ? null : element("span", { class: "flow-number", text: line.number });
    const words = element("code", {}, line.html === undefined ? line.text : null);
    if (line.html !== undefined) words.innerHTML = line.html; // by highlight.js, which escapes
    if (!line.select) return element("div", { class: "flow-line" }, number, words);
    const title = line.mark === "differs" ? "Other entries of this function do not have this condition" : null;
    return element("button", { type: "button", class: `flow-line ${line.mark ?? ""}`, title, on: { click: () => this.select(line.select) } }, number, words);
  }

  /** @param {Box} box */
  #notes(box) {
    return box.notes.map((note) => element("p", { class: "flow-note" }, note.select ? this.#leading(note.text, note.select) : note.text));
  }

  /** @param {string} text @param {any} choice */
  #leading(text, choice) {
    return element("button", { type: "button", class: "link", text, on: { click: () => this.select(choice) } });
  }
}
