// @ts-check
/** The same graph as a tree that the keyboard walks and a screen reader reads. */

import { count } from "../../script/words.js";
import { element } from "../parts/elements.js";
import { label } from "./placing.js";

/** @typedef {import("./hierarchy.js").Hierarchy} Hierarchy */
/** @typedef {import("./hierarchy.js").Item} Item */

export class Outline {
  /**
   * @param {Hierarchy} hierarchy
   * @param {{choose: (node: number) => void, toggle: (group: number, id: number) => void}} told
   */
  constructor(hierarchy, told) {
    this.hierarchy = hierarchy;
    this.told = told;
    /** @type {number | null} the item that the keyboard is at */
    this.current = null;
    this.tree = element("ul", { class: "graph-outline", role: "tree", "aria-label": "The nodes of the graph, by module" });
    this.tree.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.#pressed(event));
    this.tree.addEventListener("click", (/** @type {MouseEvent} */ event) => this.#clicked(event));
  }

  /** What is unfolded now. @param {number | null} selected a node */
  draw(selected) {
    const within = this.tree.contains(document.activeElement);
    this.tree.replaceChildren(...this.#rows(-1, 1, selected));
    const first = this.#row(this.current) ?? this.tree.querySelector("[data-id]");
    if (!first) return;
    first.tabIndex = 0;
    if (within) first.focus();
  }

  /** Bring a node's row into sight. @param {number} node */
  show(node) {
    const row = this.#row(node);
    if (!row) return;
    this.current = node;
    const [own, list] = [row.getBoundingClientRect(), this.tree.getBoundingClientRect()];
    this.tree.scrollTop += own.top - list.top - list.height / 3;
  }

  /** @param {number | null} id @returns {HTMLElement | null} */
  #row(id) {
    return id === null ? null : this.tree.querySelector(`[data-id="${id}"]`);
  }

  /** @param {number} group @param {number} level @param {number | null} selected @returns {HTMLElement[]} */
  #rows(group, level, selected) {
    return this.hierarchy.items(group).flatMap((item) => {
      const row = this.#made(item, level, selected);
      return item.group && this.hierarchy.open.has(item.number) ? [row, ...this.#rows(item.number, level + 1, selected)] : [row];
    });
  }

  /** @param {Item} item @param {number} level @param {number | null} selected */
  #made(item, level, selected) {
    const [name, says] = this.#words(item);
    const row = element("li", {
      role: "treeitem", "data-id": item.id, "aria-level": level, tabindex: "-1",
      "aria-expanded": item.group ? String(this.hierarchy.open.has(item.number)) : null,
      "aria-selected": item.group ? null : String(item.number === selected),
    }, element("b", { text: name }), " ", element("span", { text: says }));
    row.style.paddingInlineStart = `${level * 0.9}rem`;
    return row;
  }

  /** @param {Item} item */
  #words(item) {
    if (!item.group) {
      const node = this.hierarchy.nodes[item.number];
      return [node.name, label(node)];
    }
    const group = this.hierarchy.groups[item.number];
    return [group.label, `${group.detail}, ${count(group.nodes, "node")}`];
  }

  /** @param {MouseEvent} event */
  #clicked(event) {
    const row = /** @type {HTMLElement} */ (event.target).closest("[data-id]");
    if (row) this.#act(Number(row.getAttribute("data-id")));
  }

  /** @param {number} id */
  #act(id) {
    this.current = id;
    if (id >= 0) this.told.choose(id);
    else this.told.toggle(-2 - id, id);
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    const row = /** @type {HTMLElement} */ (event.target);
    const id = Number(row.getAttribute("data-id"));
    const open = id < 0 && this.hierarchy.open.has(-2 - id);
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowDown: () => this.#go(row.nextElementSibling), ArrowUp: () => this.#go(row.previousElementSibling),
      Home: () => this.#go(this.tree.firstElementChild), End: () => this.#go(this.tree.lastElementChild),
      ArrowRight: () => (id < 0 && !open ? this.#act(id) : this.#go(row.nextElementSibling)),
      ArrowLeft: () => (open ? this.#act(id) : this.#go(this.#above(row))),
      Enter: () => this.#act(id), " ": () => this.#act(id),
    };
    if (!(event.key in keys)) return;
    event.preventDefault();
    keys[event.key]();
  }

  /** The row of the group that a row lies in. @param {Element} row */
  #above(row) {
    const level = Number(row.getAttribute("aria-level"));
    let above = row.previousElementSibling;
    while (above && Number(above.getAttribute("aria-level")) >= level) above = above.previousElementSibling;
    return above;
  }

  /** @param {Element | null} row */
  #go(row) {
    if (!(row instanceof HTMLElement)) return;
    for (const other of this.tree.querySelectorAll('[tabindex="0"]')) other.tabIndex = -1;
    this.current = Number(row.getAttribute("data-id"));
    row.tabIndex = 0;
    row.focus();
  }
}
