// @ts-check
/** One function's chart: boxes of the page's own text, laid out in layers, with arrows between them. */

import layout from "../../vendored/layout/layout.js";
import { count } from "../../script/words.js";
import { element, shape } from "../parts/elements.js";
import { Boxes } from "./boxes.js";

/** @typedef {{from: string, to: string, label: string, kind: string, count: number | null}} Arrow */
/** @typedef {{x: number, y: number}} Point */
const [SMALLEST, LARGEST] = [0.2, 1.6];
const MARGIN = 16; // pixels around a chart
const READABLE = 0.75; // the scale below which a chart is rather scrolled than made smaller

export class Chart {
  /** @param {HTMLElement} stage @param {any} data @param {(choice: any) => void} select */
  constructor(stage, data, select) {
    this.stage = stage;
    this.data = data;
    this.scale = 1;
    this.fitted = true;
    this.arrows = shape("svg", { class: "flow-arrows", "aria-hidden": "true" });
    this.labels = element("div", { class: "flow-labels", "aria-hidden": "true" });
    this.sheet = element("div", { class: "flow-sheet" }, this.arrows, this.labels);
    this.room = element("div", { class: "flow-room" }, this.sheet);
    this.boxes = new Boxes(data.boxes, select, { changed: () => this.place(), near: (id) => this.#mark(id) });
    this.sheet.append(...this.boxes.elements.values());
    stage.replaceChildren(this.room);
    this.place();
    this.fit();
    this.#begin();
  }

  /** Begin with the function's own box in sight, in the middle if there is room. */
  #begin() {
    const [first] = this.boxes.elements.values();
    this.stage.scrollTo({ left: (first.offsetLeft + first.offsetWidth / 2) * this.scale - this.stage.clientWidth / 2, top: 0 });
  }

  /** Lay out all boxes, as large as they are now. */
  place() {
    if (!this.stage.clientWidth) return;
    const graph = new layout.graphlib.Graph({ multigraph: true });
    graph.setGraph({ nodesep: 64, ranksep: 34, edgesep: 16, marginx: MARGIN, marginy: MARGIN, rankalign: "top" });
    for (const [id, box] of this.boxes.elements) graph.setNode(id, { width: box.offsetWidth, height: box.offsetHeight });
    /** @type {Map<Arrow, HTMLElement>} */
    const labels = new Map();
    this.labels.replaceChildren();
    for (const arrow of this.data.arrows) {
      const label = this.#label(arrow);
      if (label) labels.set(arrow, label);
      if (arrow.kind === "fails") continue; // beside each other, not below
      graph.setEdge(arrow.from, arrow.to, { width: label?.offsetWidth ?? 0, height: label?.offsetHeight ?? 0, labelpos: "c", weight: arrow.kind === "order" ? 1 : 3 }, arrow.kind);
    }
    layout.layout(graph, { constraints: this.#constraints() });
    this.#draw(graph, labels);
    this.resized();
  }

  /** Entries stand in the order in which they are tried. */
  #constraints() {
    return this.data.arrows.filter((/** @type {Arrow} */ arrow) => arrow.kind === "fails")
      .map((/** @type {Arrow} */ arrow) => ({ left: arrow.from, right: arrow.to }));
  }

  /** @param {Arrow} arrow */
  #label(arrow) {
    if (!arrow.label) return null;
    const calls = arrow.count === null ? "" : ` · ${count(arrow.count, "call")}`;
    const label = element("div", { class: `flow-label ${arrow.kind}`, text: arrow.label + calls });
    this.labels.append(label);
    return label;
  }

  /**
   * The function stands above the entry that is tried first: the layout puts it above the middle one, which in a wide
   * chart is a page away. Nothing else is in its layer.
   * @param {any} graph
   */
  #aboveFirst(graph) {
    const own = this.data.boxes[0].id;
    const [called, ...others] = this.data.arrows.filter((/** @type {Arrow} */ arrow) => arrow.kind === "called" && arrow.from === own);
    if (!called || others.length) return; // in which order entries are tried is not known
    const [box, entry, way] = [graph.node(own), graph.node(called.to), graph.edge(own, called.to, called.kind)];
    box.x = way.x = Math.max(entry.x, box.width / 2 + MARGIN);
    way.points = [];
  }

  /** @param {any} graph @param {Map<Arrow, HTMLElement>} labels */
  #draw(graph, labels) {
    this.#aboveFirst(graph);
    for (const [id, box] of this.boxes.elements) {
      const { x, y, width, height } = graph.node(id);
      moved(box, x - width / 2, y - height / 2);
    }
    const floors = floorsOf(graph);
    const lines = this.data.arrows.filter((/** @type {Arrow} */ arrow) => arrow.kind !== "order").map((/** @type {Arrow} */ arrow) => {
      const points = arrow.kind === "fails" ? beside(graph.node(arrow.from), graph.node(arrow.to)) : below(graph.node(arrow.from), graph.node(arrow.to), graph.edge(arrow.from, arrow.to, arrow.kind), floors);
      const label = labels.get(arrow);
      if (label) this.#placeLabel(label, arrow, points, graph);
      return shape("path", { class: `flow-arrow ${arrow.kind}`, d: path(points), "marker-end": "url(#flow-head)", "data-from": arrow.from, "data-to": arrow.to });
    });
    const { width, height } = graph.graph();
    this.size = { width, height };
    this.arrows.setAttribute("width", width);
    this.arrows.setAttribute("height", height);
    const head = shape("marker", { id: "flow-head", viewBox: "0 0 10 10", refX: "9", refY: "5", markerWidth: "8", markerHeight: "8", orient: "auto-start-reverse" },
      shape("path", { class: "flow-head", d: "M0 1 10 5 0 9z" }));
    this.arrows.replaceChildren(shape("defs", {}, head), ...lines);
  }

  /** @param {HTMLElement} label @param {Arrow} arrow @param {Point[]} points @param {any} graph */
  #placeLabel(label, arrow, points, graph) {
    const known = arrow.kind === "fails" ? null : graph.edge(arrow.from, arrow.to, arrow.kind);
    const middle = known?.x === undefined ? { x: (points[0].x + points[points.length - 1].x) / 2, y: points[0].y - label.offsetHeight - 2 } : known;
    moved(label, middle.x - label.offsetWidth / 2, known ? middle.y - label.offsetHeight / 2 : middle.y);
  }

  /** As wide as the page, if that can still be read. */
  fit() {
    this.fitted = true;
    this.resized();
  }

  /** @param {number} by */
  magnify(by) {
    this.fitted = false;
    this.scale = Math.min(LARGEST, Math.max(SMALLEST, this.scale * by));
    this.#scaled();
  }

  /** The room for the chart has changed, or the chart has. */
  resized() {
    if (!this.size) {
      if (this.stage.clientWidth) this.place();
      return;
    }
    if (this.fitted) this.scale = Math.min(1, Math.max(READABLE, (this.stage.clientWidth - 2) / this.size.width));
    this.#scaled();
  }

  #scaled() {
    const { width, height } = /** @type {{width: number, height: number}} */ (this.size);
    this.sheet.style.transform = `scale(${this.scale})`;
    this.sheet.style.width = `${width}px`;
    this.sheet.style.height = `${height}px`;
    this.room.style.width = `${width * this.scale}px`;
    this.room.style.height = `${height * this.scale}px`;
  }

  /** Bring a box into sight. @param {string} id */
  show(id) {
    const box = this.boxes.elements.get(id);
    box?.scrollIntoView({ block: "center", inline: "center" });
    box?.focus({ preventScroll: true });
  }

  /** Something was chosen: mark its boxes. @param {string} kind @param {string} id */
  chosen(kind, id) {
    const [first] = this.boxes.chosen(kind, id);
    if (!first || first.contains(document.activeElement)) return;
    const { scale } = this;
    this.stage.scrollTo({ left: first.offsetLeft * scale - 40, top: first.offsetTop * scale - 40 });
  }

  /** Mark the arrows of the box that the pointer or the keyboard is at. @param {string | null} id */
  #mark(id) {
    for (const line of this.arrows.querySelectorAll(".flow-arrow")) {
      line.classList.toggle("near", id !== null && (line.getAttribute("data-from") === id || line.getAttribute("data-to") === id));
    }
  }
}

/** @param {HTMLElement} box @param {number} x @param {number} y */
function moved(box, x, y) {
  box.style.left = `${x}px`;
  box.style.top = `${y}px`;
}

/** From the right side of one box to the left side of another. @param {any} one @param {any} other @returns {Point[]} */
function beside(one, other) {
  const y = Math.max(one.y - one.height / 2, other.y - other.height / 2) + 30;
  return [{ x: one.x + one.width / 2, y }, { x: other.x - other.width / 2, y }];
}

/**
 * From the lower side of a box to the upper side of another, by the way that the layout keeps free.
 * @param {any} one
 * @param {any} other
 * @param {any} edge
 * @param {Map<number, number>} floors
 * @returns {Point[]}
 */
function below(one, other, edge, floors) {
  const inner = edge.points.slice(1, -1).filter((/** @type {Point} */ point) => point.y > one.y + one.height / 2 && point.y < other.y - other.height / 2);
  const start = { x: towards(one, inner[0] ?? other), y: one.y + one.height / 2 };
  const end = { x: towards(other, inner[inner.length - 1] ?? one), y: other.y - other.height / 2 };
  if (end.y < start.y) return edge.points; // back to what stands above
  const floor = floors.get(Math.round(one.y - one.height / 2)) ?? start.y;
  return [start, { x: start.x, y: Math.max(start.y, floor - 4) }, { x: start.x, y: floor + 10 }, ...inner, { x: end.x, y: end.y - 14 }, end];
}

/** Where the highest box of each layer ends, by where the layer begins. @param {any} graph */
function floorsOf(graph) {
  /** @type {Map<number, number>} */
  const floors = new Map();
  for (const id of graph.nodes()) {
    const { y, height } = graph.node(id);
    const top = Math.round(y - height / 2);
    floors.set(top, Math.max(floors.get(top) ?? 0, y + height / 2));
  }
  return floors;
}

/** Where at a box a line begins that goes to this point. @param {any} box @param {Point} point */
function towards(box, point) {
  const room = box.width * 0.3;
  return box.x + Math.max(-room, Math.min(room, (point.x - box.x) * 0.4));
}

/** A line that is round at its bends. @param {Point[]} points */
function path(points) {
  const [first, ...rest] = points;
  let found = `M${first.x} ${first.y}`;
  rest.forEach((point, at) => {
    const next = rest[at + 1];
    if (!next) found += `L${point.x} ${point.y}`;
    else found += `Q${point.x} ${point.y} ${(point.x + next.x) / 2} ${(point.y + next.y) / 2}`;
  });
  return found;
}
