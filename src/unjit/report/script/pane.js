// @ts-check
/** One text in rows, of which only those near the visible part exist: texts have up to tens of thousands. */

import { element } from "./dom.js";
import { highlighted } from "./highlight.js";

/** @typedef {import("./links.js").Row} Row */

const CHUNK = 200; // rows
const LONGEST = 3000; // characters of a row that are shown

export class Pane {
  /**
   * @param {HTMLElement} root scrolls
   * @param {(row: Row) => void} choose is told of rows that the reader chooses
   */
  constructor(root, choose) {
    this.root = root;
    this.choose = choose;
    /** @type {string[]} */
    this.lines = [];
    /** @type {string[]|null} */
    this.html = null;
    /** @type {Row[]} */
    this.rows = [];
    /** @type {Set<number>} */
    this.marked = new Set();
    this.here = -1;
    this.observer = new IntersectionObserver((entries) => {
      for (const entry of entries) if (entry.isIntersecting) this.fill(/** @type {HTMLElement} */ (entry.target));
    }, { root, rootMargin: "800px" });
    root.addEventListener("click", (event) => this.clicked(event));
    root.addEventListener("keydown", (event) => this.pressed(event));
  }

  /**
   * Show another text.
   * @param {string} text
   * @param {string} suffix of its file
   * @param {Row[]} rows that can be chosen
   */
  show(text, suffix, rows) {
    this.observer.disconnect();
    this.lines = text.split("\n");
    this.html = highlighted(text, suffix);
    this.rows = rows;
    this.marked = new Set();
    this.here = -1;
    this.root.replaceChildren();
    for (let start = 0; start < this.lines.length; start += CHUNK) {
      const chunk = element("div", { class: "chunk", "data-start": String(start) });
      chunk.style.height = `calc(var(--row) * ${Math.min(CHUNK, this.lines.length - start)})`;
      this.root.append(chunk);
      this.observer.observe(chunk);
    }
    this.root.scrollTop = 0;
  }

  /** @param {HTMLElement} chunk that has no rows yet */
  fill(chunk) {
    this.observer.unobserve(chunk);
    if (chunk.hasChildNodes()) return;
    const start = Number(chunk.dataset.start);
    const known = new Set(this.rows.flatMap((row) => range(row[0], row[1])));
    for (const at of range(start, Math.min(start + CHUNK, this.lines.length))) chunk.append(this.row(at, known.has(at)));
  }

  /**
   * @param {number} at
   * @param {boolean} linked whether it can be chosen
   */
  row(at, linked) {
    const made = element("span", { class: "row", "data-n": String(at + 1) });
    const line = this.lines[at];
    if (this.html && line.length <= LONGEST) made.innerHTML = this.html[at];
    else made.textContent = line.length <= LONGEST ? line : `${line.slice(0, LONGEST)}… ${line.length - LONGEST} more`;
    made.classList.toggle("linked-row", linked);
    made.classList.toggle("chosen", this.marked.has(at));
    made.classList.toggle("here", this.here === at);
    return made;
  }

  /**
   * Light up rows, and show the first of them.
   * @param {Row[]} rows
   * @param {boolean} scroll
   */
  mark(rows, scroll) {
    this.marked = new Set(rows.flatMap((row) => range(row[0], row[1])));
    for (const row of this.root.querySelectorAll(".row")) row.classList.toggle("chosen", this.marked.has(number(row)));
    if (scroll && rows.length > 0) this.reveal(Math.min(...rows.map((row) => row[0])));
  }

  /** @param {number} at a row to bring into sight */
  reveal(at) {
    const height = this.root.scrollHeight / Math.max(this.lines.length, 1);
    const top = at * height;
    if (top < this.root.scrollTop || top > this.root.scrollTop + this.root.clientHeight - 3 * height) {
      this.root.scrollTop = Math.max(0, top - this.root.clientHeight / 4);
    }
  }

  /** @param {number} at the row that keys move */
  goTo(at) {
    this.here = Math.max(0, Math.min(at, this.lines.length - 1));
    for (const row of this.root.querySelectorAll(".row")) row.classList.toggle("here", number(row) === this.here);
    this.reveal(this.here);
  }

  /** @param {number} at */
  chooseAt(at) {
    const found = this.rows.filter((row) => row[0] <= at && at < row[1]);
    if (found.length > 0) this.choose(found[found.length - 1]);
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    const row = event.target instanceof Element ? event.target.closest(".row") : null;
    if (!row || String(getSelection())) return; // who selects text does not choose
    this.goTo(number(row));
    this.chooseAt(this.here);
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    if (event.key === "ArrowDown") this.goTo(this.here + 1);
    else if (event.key === "ArrowUp") this.goTo(this.here - 1);
    else if (event.key === "Enter" && this.here >= 0) this.chooseAt(this.here);
    else return;
    event.preventDefault();
  }
}

/** @param {Element} row */
function number(row) {
  return Number(row.getAttribute("data-n")) - 1;
}

/**
 * @param {number} start
 * @param {number} end
 */
function range(start, end) {
  return Array.from({ length: Math.max(0, end - start) }, (_, at) => start + at);
}
