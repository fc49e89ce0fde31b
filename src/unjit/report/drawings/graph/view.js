// @ts-check
/** The canvas that shows a graph: zoom and pan by mouse, finger and keys, a click chooses a node or folds a group. */

import layout from "../../vendored/layout/layout.js";
import { coloursOf, element, onColours } from "../parts/elements.js";
import { COLOURS, Painter } from "./painting.js";
import { HEAD, MARGIN, Placing } from "./placing.js";

/** @typedef {import("./hierarchy.js").Hierarchy} Hierarchy */
const STEP = 60; // pixels that an arrow key moves the view
const CLOSE = 1.1; // the scale at which a node is shown that was looked for

export class View {
  /**
   * @param {Hierarchy} hierarchy
   * @param {{choose: (node: number | null) => void, folded: () => void}} told
   */
  constructor(hierarchy, told) {
    this.hierarchy = hierarchy;
    this.placing = new Placing(hierarchy);
    this.told = told;
    /** @type {import("./painting.js").Marks} */
    this.marks = { selected: null, found: new Set(), lit: new Set() };
    this.canvas = element("canvas", {
      class: "graph-canvas", tabindex: "0", role: "img",
      "aria-label": "The graph. Arrow keys move it, plus and minus zoom, 0 shows all; the outline beside it has the same nodes as a tree.",
    });
    this.view = { x: 0, y: 0, k: 1 };
    this.pending = false;
    this.placed = false;
    /** @type {Painter | undefined} */
    this.painter = undefined;
    this.zoom = layout.zoom().scaleExtent([0.02, 4]).on("zoom", (/** @type {any} */ event) => {
      this.view = event.transform;
      this.repaint();
    });
    layout.select(this.canvas).call(this.zoom).on("dblclick.zoom", null);
    this.canvas.addEventListener("click", (/** @type {MouseEvent} */ event) => this.#clicked(event));
    this.canvas.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.#pressed(event));
    new ResizeObserver(() => (this.placed ? this.repaint() : this.fit())).observe(this.canvas);
    onColours(() => this.repaint(true));
  }

  /** Paint before the next frame. @param {boolean} [colours] whether those have changed */
  repaint(colours = false) {
    if (colours) this.painter = undefined;
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => this.#paint());
  }

  #paint() {
    this.pending = false;
    if (!this.canvas.clientWidth) return;
    this.painter ??= new Painter(this.canvas, this.placing, this.marks, coloursOf(this.canvas.parentElement, COLOURS));
    this.painter.paint(this.view);
  }

  /** Show all of it, as large as is sensible; of a long graph, its beginning. */
  fit() {
    const { width, height } = this.placing.level(-1);
    const [wide, high] = [this.canvas.clientWidth, this.canvas.clientHeight];
    if (!wide) return;
    this.placed = true;
    const k = Math.min(1.2, Math.max(Math.min(wide / (width + 40), high / (height + 40)), Math.min(wide / (width + 40), 0.5)));
    const y = height * k < high ? (high - height * k) / 2 : 20;
    this.#move((wide - width * k) / 2, y, k);
  }

  /** Bring a node into the middle, unfolding what it lies in. @param {number} node */
  show(node) {
    this.hierarchy.reveal(node);
    this.told.folded();
    const box = this.placing.box(node);
    const k = Math.max(this.view.k, Math.min(CLOSE, 1));
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    this.placed = true;
    this.#move(this.canvas.clientWidth / 2 - x * k, this.canvas.clientHeight / 2 - y * k, k);
  }

  /** Fold or unfold a group; what was clicked stays under the pointer. @param {number} group @param {number} id of its item */
  toggle(group, id) {
    const before = this.placing.box(id);
    this.hierarchy.toggle(group);
    const after = this.placing.box(id);
    const { x, y, k } = this.view;
    this.#move(x - (after.x + after.width / 2 - before.x - before.width / 2) * k, y - (after.y - before.y) * k, k);
    this.told.folded();
  }

  /** @param {number} by */
  magnify(by) {
    layout.select(this.canvas).call(this.zoom.scaleBy, by);
  }

  /** @param {number} x @param {number} y @param {number} k */
  #move(x, y, k) {
    layout.select(this.canvas).call(this.zoom.transform, layout.zoomIdentity.translate(x, y).scale(k));
  }

  /** @param {MouseEvent} event */
  #clicked(event) {
    const [x, y] = layout.pointer(event, this.canvas);
    const item = this.at((x - this.view.x) / this.view.k, (y - this.view.y) / this.view.k);
    if (item?.group) this.toggle(item.number, item.id);
    else this.told.choose(item ? item.number : null);
  }

  /** The item at a point of the whole, innermost; of a group that is unfolded, its head alone. @param {number} x @param {number} y */
  at(x, y) {
    let level = -1;
    for (;;) {
      const { boxes } = this.placing.level(level);
      const item = this.hierarchy.items(level).find(({ id }) => contains(boxes.get(id), x, y));
      if (!item?.group || !this.hierarchy.open.has(item.number)) return item;
      const box = /** @type {import("./placing.js").Box} */ (boxes.get(item.id));
      if (y < box.y + HEAD) return item;
      [x, y, level] = [x - box.x - MARGIN, y - box.y - HEAD - MARGIN, item.number];
    }
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowLeft: () => this.#pan(STEP, 0), ArrowRight: () => this.#pan(-STEP, 0),
      ArrowUp: () => this.#pan(0, STEP), ArrowDown: () => this.#pan(0, -STEP),
      "+": () => this.magnify(1.3), "=": () => this.magnify(1.3), "-": () => this.magnify(1 / 1.3), 0: () => this.fit(),
    };
    if (!(event.key in keys) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    keys[event.key]();
  }

  /** @param {number} x @param {number} y */
  #pan(x, y) {
    this.#move(this.view.x + x, this.view.y + y, this.view.k);
  }
}

/** @param {import("./placing.js").Box | undefined} box @param {number} x @param {number} y */
function contains(box, x, y) {
  return box !== undefined && x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height;
}
