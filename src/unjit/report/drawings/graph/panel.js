// @ts-check
/** One graph with all that shows it: canvas, outline, facts and code, which always agree on what is chosen. */

import { element } from "../parts/elements.js";
import { Code, details } from "./details.js";
import { Hierarchy } from "./hierarchy.js";
import { Outline } from "./outline.js";
import { View } from "./view.js";

export class Panel {
  /** @param {any} graph as graphs.py gives it @param {(choice: {kind: string, id: string}) => void} select */
  constructor(graph, select) {
    this.graph = graph;
    this.select = select;
    this.hierarchy = new Hierarchy(graph);
    this.view = new View(this.hierarchy, { choose: (node) => this.chosen(node), folded: () => this.#folded() });
    this.outline = new Outline(this.hierarchy, {
      choose: (node) => this.chosen(node, true), toggle: (group, id) => this.view.toggle(group, id),
    });
    this.facts = element("div", { class: "graph-facts", "aria-live": "polite" });
    this.stage = element("div", { class: "graph-stage" }, this.view.canvas);
    this.element = element("div", { class: "graph-panel" }, this.stage, element("div", { class: "graph-side" }, this.facts, this.outline.tree));
    /** @type {Code | null} */
    this.code = null;
    this.texts = this.hierarchy.nodes.map((node) => [node.name, node.target, node.operation, node.value, ...(node.place ?? []),
      ...[...this.hierarchy.above(node.group)].map((group) => `${this.hierarchy.groups[group].label} ${this.hierarchy.groups[group].detail}`),
    ].join(" ").toLowerCase());
    this.#facts();
    this.outline.draw(null);
  }

  /** A node was chosen here. @param {number | null} node @param {boolean} [show] whether the view moves to it */
  chosen(node, show = false) {
    this.#choose(node, show);
    if (node !== null) this.select({ kind: "node", id: `${this.graph.id}/${this.hierarchy.nodes[node].name}` });
  }

  /** A node was chosen elsewhere. @param {string} name @returns {boolean} whether it is here */
  choose(name) {
    const node = this.hierarchy.nodes.findIndex((one) => one.name === name);
    if (node >= 0 && node !== this.view.marks.selected) this.#choose(node, true);
    return node >= 0;
  }

  /** A line of the user's was chosen. @param {string} id */
  light(id) {
    const { marks } = this.view;
    marks.lit.clear();
    this.hierarchy.nodes.forEach((node, at) => node.place?.[0] === id && marks.lit.add(at));
    this.view.repaint();
    this.code?.mark(marks);
  }

  /** @param {string} words @returns {number[]} the nodes that have all of these words */
  find(words) {
    const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
    const found = parts.length ? this.texts.flatMap((text, at) => (parts.every((part) => text.includes(part)) ? [at] : [])) : [];
    this.view.marks.found.clear();
    for (const node of found) this.view.marks.found.add(node);
    this.view.repaint();
    this.code?.mark(this.view.marks);
    return found;
  }

  /** Show the graph, or its code. @param {boolean} asCode */
  show(asCode) {
    if (asCode) {
      this.code ??= new Code(this.graph.text, this.hierarchy, (node) => this.chosen(node, true));
      this.code.mark(this.view.marks);
    }
    this.stage.replaceChildren(asCode && this.code ? this.code.pre : this.view.canvas);
    this.view.repaint();
    if (this.view.marks.selected !== null) this.code?.show(this.view.marks.selected);
  }

  /** Fold everything, or unfold one level more. @param {boolean} open */
  fold(open) {
    if (open) this.hierarchy.openOneLevel();
    else this.hierarchy.open.clear();
    this.#folded();
    this.view.fit();
  }

  /** @param {number | null} node @param {boolean} show */
  #choose(node, show) {
    this.view.marks.selected = node;
    this.view.marks.lit.clear();
    if (node !== null && show) this.view.show(node);
    this.#folded();
    this.#facts();
    this.code?.mark(this.view.marks);
    if (node === null) return;
    this.outline.show(node);
    if (show) this.code?.show(node);
  }

  #folded() {
    this.outline.draw(this.view.marks.selected);
    this.view.repaint();
  }

  #facts() {
    const { selected } = this.view.marks;
    this.facts.replaceChildren(selected === null
      ? element("p", { class: "quiet", text: "Click a node for what is known about it, a module to unfold it." })
      : details(this.hierarchy, selected, (node) => this.chosen(node, true), this.select));
  }
}
