// @ts-check
/** What is known of the node that is chosen, and the graph as code. */

import { element } from "../parts/elements.js";

/** @typedef {import("./hierarchy.js").Hierarchy} Hierarchy */
/** @typedef {(choice: {kind: string, id: string}) => void} Select */

/**
 * The facts about a node, with what it reads and what reads it.
 * @param {Hierarchy} hierarchy
 * @param {number} at
 * @param {(node: number) => void} choose
 * @param {Select} select
 */
export function details(hierarchy, at, choose, select) {
  const node = hierarchy.nodes[at];
  const modules = [...hierarchy.above(node.group)].reverse().map((group) => hierarchy.groups[group].label);
  const links = (/** @type {number[]} */ nodes) => nodes.map((other) =>
    element("button", { type: "button", class: "link", text: hierarchy.nodes[other].name, on: { click: () => choose(other) } }));
  return element("div", { class: "graph-details" },
    element("h3", { text: node.name }),
    element("dl", {},
      ...fact("is", node.kind === "placeholder" ? "an input" : node.kind === "get_attr" ? "a constant" : node.kind === "output" ? "the output" : node.target),
      ...fact("stands for", node.operation && `${node.operation}, which AOTAutograd took apart`),
      ...fact("gives", node.value),
      ...fact("in", modules.join(" › ")),
      ...fact("from", node.place && line(node.place, select)),
      ...fact("reads", links(node.inputs)),
      ...fact("read by", links(node.users))));
}

/** @param {string} name @param {any} value */
function fact(name, value) {
  if (!value || value.length === 0) return [];
  return [element("dt", { text: name }), element("dd", {}, ...(Array.isArray(value) ? value : [value]))];
}

/** @param {string[]} place its id, the function, and the text of the line @param {Select} select */
function line(place, select) {
  const [id, within, text] = place;
  const lead = element("button", { type: "button", class: "link", text: `${id} in ${within}`, on: { click: () => select({ kind: "line", id }) } });
  return [lead, element("code", { text })];
}

/** The graph as code; a click on a node's line chooses the node. */
export class Code {
  /** @param {string} text @param {Hierarchy} hierarchy @param {(node: number) => void} choose */
  constructor(text, hierarchy, choose) {
    /** @type {Map<number, number>} */
    const nodes = new Map();
    hierarchy.nodes.forEach((node, at) => {
      for (let number = node.first; number <= node.last; number += 1) if (!nodes.has(number)) nodes.set(number, at);
    });
    this.hierarchy = hierarchy;
    /** @type {HTMLElement[]} */
    this.lines = text.replace(/\n$/, "").split("\n").map((content, at) => element("span", {
      class: /^\s*#/.test(content) ? "line c" : nodes.has(at + 1) ? "line of-node" : "line",
      "data-node": nodes.get(at + 1), text: `${content}\n`,
    }));
    this.pre = element("pre", { class: "graph-code", tabindex: "0", "aria-label": "The graph as code" }, ...this.lines);
    this.pre.addEventListener("click", (/** @type {MouseEvent} */ event) => {
      const row = /** @type {HTMLElement} */ (event.target).closest("[data-node]");
      if (row) choose(Number(row.getAttribute("data-node")));
    });
  }

  /** @param {import("./painting.js").Marks} marks */
  mark(marks) {
    for (const row of this.pre.querySelectorAll(".chosen, .lit, .found")) row.classList.remove("chosen", "lit", "found");
    for (const [name, nodes] of /** @type {[string, Iterable<number>][]} */ ([["found", marks.found], ["lit", marks.lit], ["chosen", marks.selected === null ? [] : [marks.selected]]])) {
      for (const node of nodes) this.lines[this.hierarchy.nodes[node].first - 1]?.classList.add(name);
    }
  }

  /** @param {number} node */
  show(node) {
    const row = this.lines[this.hierarchy.nodes[node].first - 1];
    if (row && this.pre.clientHeight) this.pre.scrollTop = row.offsetTop - this.pre.offsetTop - this.pre.clientHeight / 3;
  }
}
