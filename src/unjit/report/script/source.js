// @ts-check
/** The user's files: lines that can be chosen, folded lines that can be opened, colours. */

import { element } from "./dom.js";
import { highlighted } from "./highlight.js";
import { listen, select } from "./selection.js";

/** @typedef {import("./links.js").Links} Links */

export class Source {
  /**
   * @param {Links} links
   * @param {Record<string, string>} texts whole files, by their labels
   */
  constructor(links, texts) {
    this.links = links;
    this.texts = texts;
    this.files = /** @type {HTMLDetailsElement[]} */ ([...document.querySelectorAll("details.file")]);
    for (const file of this.files) {
      file.addEventListener("click", (event) => this.clicked(file, event));
      file.addEventListener("toggle", (event) => this.opened(file, event), true);
      if (file.open) this.colour(file);
    }
    listen((choice) => this.heard(choice));
  }

  /**
   * @param {HTMLDetailsElement} file
   * @param {Event} event
   */
  opened(file, event) {
    const target = event.target;
    if (target === file && file.open) this.colour(file);
    if (target instanceof HTMLDetailsElement && target.classList.contains("gap") && target.open) this.unfold(file, target);
  }

  /** @param {HTMLDetailsElement} file */
  colour(file) {
    const text = this.texts[label(file)];
    if (text === undefined || file.dataset.coloured) return;
    file.dataset.coloured = "yes";
    const html = highlighted(text, ".py");
    if (!html) return;
    for (const row of file.querySelectorAll(".row")) {
      const [code, line] = [row.querySelector(".text"), html[Number(row.getAttribute("data-line")) - 1]];
      if (code && line !== undefined && (code.textContent ?? "").length < 2000) code.innerHTML = line;
    }
  }

  /**
   * @param {HTMLDetailsElement} file
   * @param {HTMLDetailsElement} gap
   */
  unfold(file, gap) {
    const text = this.texts[label(file)];
    if (text === undefined) return;
    const lines = text.split(/\r?\n/);
    const rows = [];
    for (let at = Number(gap.dataset.first); at <= Number(gap.dataset.last); at += 1) {
      rows.push(element("div", { class: "row", "data-line": String(at) },
        element("span", { class: "number" }, String(at)), element("code", { class: "text" }, lines[at - 1] ?? "")));
    }
    gap.replaceWith(...rows);
    delete file.dataset.coloured;
    this.colour(file);
  }

  /**
   * @param {HTMLDetailsElement} file
   * @param {MouseEvent} event
   */
  clicked(file, event) {
    const target = event.target instanceof Element ? event.target : null;
    const row = target?.closest(".row.noted");
    const link = target?.closest("a");
    if (!row || String(getSelection())) return;
    if (!link) select({ kind: "line", id: `${label(file)}:${row.getAttribute("data-line")}` });
  }

  /**
   * Light up the lines of a choice, and show the first; but nobody is taken away from what they chose elsewhere,
   * unless it was a line.
   * @param {import("./selection.js").Choice|null} choice
   */
  heard(choice) {
    for (const row of document.querySelectorAll(".file .row.chosen")) row.classList.remove("chosen");
    if (!choice) return;
    const target = this.links.target(choice);
    const lines = choice.kind === "line" ? [choice.id, ...this.links.way(choice.id)] : target ? this.links.lines(target) : [];
    if (choice.kind === "line") this.uncover(choice.id);
    const rows = lines.map((line) => this.row(line)).filter((row) => row !== null);
    for (const row of rows) row.classList.add("chosen");
    const first = rows[0];
    if (!first) return;
    const file = first.closest("details");
    if (file) file.open = true;
    const at = first.getBoundingClientRect();
    const made = first.closest(".linked")?.querySelector(".made")?.getBoundingClientRect();
    const end = made && made.left < at.right ? made.top : innerHeight; // where it stands below, it covers lines
    if (choice.kind !== "line" && !isInSight(first.closest("section"))) return;
    if (at.top < 80 || at.bottom > end - 40) first.scrollIntoView({ block: "center" });
  }

  /**
   * @param {string} line file:line
   * @returns {HTMLElement|null} its row; null where the line is folded, or not known
   */
  row(line) {
    const [file, number] = this.at(line);
    return file?.querySelector(`.row[data-line="${number}"]`) ?? null;
  }

  /**
   * Unfold the lines among which this one is.
   * @param {string} line file:line
   */
  uncover(line) {
    const [file, number] = this.at(line);
    const gaps = /** @type {HTMLDetailsElement[]} */ ([...(file?.querySelectorAll("details.gap") ?? [])]);
    const gap = gaps.find((one) => Number(one.dataset.first) <= number && number <= Number(one.dataset.last));
    if (file && gap) this.unfold(file, gap);
  }

  /**
   * @param {string} line file:line
   * @returns {[file: HTMLDetailsElement|undefined, number: number]}
   */
  at(line) {
    const colon = line.lastIndexOf(":");
    return [this.files.find((one) => label(one) === line.slice(0, colon)), Number(line.slice(colon + 1))];
  }
}

/** @param {Element|null} section */
function isInSight(section) {
  const at = section?.getBoundingClientRect();
  return at !== undefined && at.top < innerHeight && at.bottom > 0;
}

/** @param {HTMLElement} file */
function label(file) {
  return file.dataset.file ?? "";
}
