// @ts-check
/** Where everything stands: each level is laid out by itself, when it comes into sight, and again when its parts change. */

import layout from "../../vendored/layout/layout.js";
import { groupId } from "./hierarchy.js";

/** @typedef {import("./hierarchy.js").Hierarchy} Hierarchy */
/** @typedef {{x: number, y: number, width: number, height: number}} Box the corner at the top left, and the size */
/** @typedef {{boxes: Map<number, Box>, lines: {from: number, to: number, count: number, points: {x: number, y: number}[]}[],
 *   width: number, height: number, sizes: string}} Level boxes by items' ids, within the level */

export const NODE_HEIGHT = 38;
export const HEAD = 26; // the line at the top of a group that is unfolded
export const MARGIN = 12; // around what is in it
const [LETTER, SMALL_LETTER] = [7.25, 6.4]; // the widths of a letter of a name, and of what stands below it
const SMALL = 30; // a level with more items is laid out the quick way
const SWEEPS = 8;
const [NARROWEST, WIDEST] = [90, 260];

export class Placing {
  /** @param {Hierarchy} hierarchy */
  constructor(hierarchy) {
    this.hierarchy = hierarchy;
    /** @type {Map<number, Level>} */
    this.levels = new Map();
  }

  /** A level with all that is unfolded in it. @param {number} group -1 for the whole @returns {Level} */
  level(group) {
    const { hierarchy } = this;
    const sizes = hierarchy.items(group).map((item) => ({ id: item.id, ...this.#size(item) }));
    const key = sizes.map((one) => `${one.width}x${one.height}`).join();
    const known = this.levels.get(group);
    if (known?.sizes === key) return known;
    const made = laidOut(sizes, hierarchy.edges.get(group) ?? [], key);
    this.levels.set(group, made);
    return made;
  }

  /** Where an item in sight is, in the whole. @param {number} id @returns {Box} */
  box(id) {
    const { hierarchy } = this;
    let level = id >= 0 ? hierarchy.nodes[id].group : hierarchy.groups[-2 - id].parent;
    const box = { .../** @type {Box} */ (this.level(level).boxes.get(id)) };
    while (level >= 0) {
      const parent = hierarchy.groups[level].parent;
      const around = /** @type {Box} */ (this.level(parent).boxes.get(groupId(level)));
      box.x += around.x + MARGIN;
      box.y += around.y + HEAD + MARGIN;
      level = parent;
    }
    return box;
  }

  /** @param {import("./hierarchy.js").Item} item */
  #size(item) {
    const { hierarchy } = this;
    if (!item.group) {
      const node = hierarchy.nodes[item.number];
      return { width: widthOf(node.name, label(node)), height: NODE_HEIGHT };
    }
    const group = hierarchy.groups[item.number];
    if (!hierarchy.open.has(item.number)) return { width: widthOf(group.label, group.detail) + 30, height: NODE_HEIGHT + 6 };
    const inside = this.level(item.number);
    const width = Math.max(inside.width + 2 * MARGIN, widthOf(`${group.label} ${group.detail}`, "") + 40);
    return { width, height: inside.height + HEAD + 2 * MARGIN };
  }
}

/** What a node shows below its name. @param {import("./hierarchy.js").Node} node */
export function label(node) {
  return node.kind === "placeholder" || node.kind === "get_attr" ? node.value || "input" : `${node.target}  ${node.value}`.trim();
}

/** @param {string} one @param {string} other */
function widthOf(one, other) {
  const wanted = Math.max(one.length * LETTER, other.length * SMALL_LETTER) + 22;
  return Math.round(Math.min(WIDEST, Math.max(NARROWEST, wanted)));
}

/**
 * @param {{id: number, width: number, height: number}[]} sizes
 * @param {import("./hierarchy.js").Edge[]} edges
 * @param {string} key
 * @returns {Level}
 */
function laidOut(sizes, edges, key) {
  const graph = new layout.graphlib.Graph();
  graph.setGraph({ nodesep: 18, ranksep: 30, edgesep: 8, ranker: sizes.length > SMALL ? "longest-path" : "network-simplex" });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id, width, height } of sizes) graph.setNode(String(id), { width, height });
  for (const edge of edges) graph.setEdge(String(edge.from), String(edge.to), { count: edge.count });
  layout.layout(graph, sizes.length > SMALL ? { customOrder: inOrder } : {});
  const boxes = new Map(sizes.map(({ id, width, height }) => {
    const { x, y } = graph.node(String(id));
    return [id, { x: x - width / 2, y: y - height / 2, width, height }];
  }));
  const lines = edges.map((edge) => ({ ...edge, points: graph.edge(String(edge.from), String(edge.to)).points }));
  const { width = 0, height = 0 } = graph.graph();
  return { boxes, lines, width: Math.max(width, 0) || 0, height: Math.max(height, 0) || 0, sizes: key };
}

/**
 * The order of the items within each layer, by the mean place of their neighbours in the layer before and, on the way
 * back, in the layer after (Sugiyama's barycentre method): quicker than what dagre does, with some more crossings.
 * @param {any} graph dagre's own, in which each node has a rank
 */
function inOrder(graph) {
  /** @type {any[][]} */
  const layers = [];
  for (const id of graph.nodes()) {
    const node = graph.node(id);
    (layers[node.rank] ??= []).push({ node, above: graph.predecessors(id), below: graph.successors(id), at: 0 });
  }
  const full = layers.filter(Boolean);
  const place = (/** @type {any[]} */ layer) => layer.forEach((one, at) => (one.node.order = at));
  full.forEach(place);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const down = sweep % 2 === 0;
    for (const layer of down ? full : [...full].reverse()) {
      for (const one of layer) one.at = mean((down ? one.above : one.below).map((/** @type {string} */ id) => graph.node(id).order), one.node.order);
      layer.sort((one, other) => one.at - other.at);
      place(layer);
    }
  }
}

/** @param {number[]} values @param {number} otherwise */
function mean(values, otherwise) {
  return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : otherwise;
}
