// @ts-check
/** A graph on a canvas: what is in sight and large enough to be seen, and no more. */

import { groupId } from "./hierarchy.js";
import { HEAD, MARGIN, label } from "./placing.js";

/** @typedef {import("./placing.js").Placing} Placing */
/** @typedef {import("./placing.js").Box} Box */
/** @typedef {{x: number, y: number, k: number}} View */
/** @typedef {{selected: number | null, found: Set<number>, lit: Set<number>}} Marks ids of nodes */

export const COLOURS = ["draw-ground", "draw-ink", "draw-quiet", "draw-line", "draw-node", "draw-input", "draw-output", "draw-group", "draw-inside", "draw-chosen", "draw-found", "draw-lit"];
const LEGIBLE = 0.42; // below this scale letters are only dots
const FONT = "12px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace";
const SMALL = "10.5px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace";

export class Painter {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {Placing} placing
   * @param {Marks} marks
   * @param {Record<string, string>} colours
   */
  constructor(canvas, placing, marks, colours) {
    this.canvas = canvas;
    this.placing = placing;
    this.marks = marks;
    this.colours = colours;
    this.pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    /** @type {Map<number, number>} how much of what is found lies in each folded group */
    this.hidden = new Map();
  }

  /** @param {View} view */
  paint(view) {
    const { canvas, pen } = this;
    const ratio = devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
    if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.fillStyle = this.colours["draw-ground"];
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.setTransform(ratio * view.k, 0, 0, ratio * view.k, ratio * view.x, ratio * view.y);
    this.scale = view.k;
    this.sight = { x: -view.x / view.k, y: -view.y / view.k, width: width / view.k, height: height / view.k };
    this.#countHidden();
    this.#level(-1, 0, 0);
    this.#edgesOfSelected();
  }

  #countHidden() {
    this.hidden.clear();
    const { hierarchy } = this.placing;
    for (const node of [...this.marks.found, ...this.marks.lit]) {
      const id = hierarchy.visible(node);
      if (id < 0) this.hidden.set(id, (this.hidden.get(id) ?? 0) + 1);
    }
  }

  /** @param {number} group @param {number} x @param {number} y where the level begins */
  #level(group, x, y) {
    const { hierarchy } = this.placing;
    const level = this.placing.level(group);
    for (const item of hierarchy.items(group)) {
      const own = /** @type {Box} */ (level.boxes.get(item.id));
      const box = { x: own.x + x, y: own.y + y, width: own.width, height: own.height };
      if (!this.#isInSight(box)) continue;
      if (!item.group) this.#node(item.number, box);
      else if (hierarchy.open.has(item.number)) this.#unfolded(item.number, box);
      else this.#folded(item.number, box);
    }
    this.#lines(level, x, y);
  }

  /** @param {Box} box */
  #isInSight(box) {
    const sight = /** @type {Box} */ (this.sight);
    return box.x < sight.x + sight.width && box.x + box.width > sight.x && box.y < sight.y + sight.height && box.y + box.height > sight.y;
  }

  /** @param {import("./placing.js").Level} level @param {number} x @param {number} y */
  #lines(level, x, y) {
    const { pen, colours } = this;
    pen.strokeStyle = pen.fillStyle = colours["draw-line"];
    for (const line of level.lines) {
      const points = line.points.map((point) => ({ x: point.x + x, y: point.y + y }));
      if (!this.#isInSight(around(points))) continue;
      pen.lineWidth = 1 + Math.min(3, Math.log2(line.count));
      curve(pen, points);
      if (/** @type {number} */ (this.scale) > 0.25) head(pen, points);
    }
  }

  /** @param {number} number @param {Box} box */
  #node(number, box) {
    const { pen, colours, marks } = this;
    const node = this.placing.hierarchy.nodes[number];
    const input = node.kind === "placeholder" || node.kind === "get_attr";
    pen.fillStyle = colours[input ? "draw-input" : node.kind === "output" ? "draw-output" : "draw-node"];
    rounded(pen, box, input ? box.height / 2 : 6);
    pen.fill();
    this.#border(box, number, input ? box.height / 2 : 6);
    if (/** @type {number} */ (this.scale) < LEGIBLE) return;
    this.#text(node.name, box.x + box.width / 2, box.y + 15, box.width - 12, FONT, colours["draw-ink"]);
    this.#text(label(node), box.x + box.width / 2, box.y + 30, box.width - 12, SMALL, colours["draw-quiet"]);
    if (marks.selected === number) this.#ring(box);
  }

  /** @param {number} number @param {Box} box */
  #folded(number, box) {
    const { pen, colours } = this;
    const group = this.placing.hierarchy.groups[number];
    pen.fillStyle = colours["draw-group"];
    rounded(pen, box, 8);
    pen.fill();
    this.#border(box, groupId(number), 8);
    if (/** @type {number} */ (this.scale) < LEGIBLE * 0.7) return;
    this.#text(`+ ${group.label}`, box.x + box.width / 2, box.y + 18, box.width - 14, `bold ${FONT}`, colours["draw-ink"]);
    this.#text(`${group.detail}  ${group.nodes}`, box.x + box.width / 2, box.y + 34, box.width - 14, SMALL, colours["draw-quiet"]);
  }

  /** @param {number} number @param {Box} box */
  #unfolded(number, box) {
    const { pen, colours } = this;
    const group = this.placing.hierarchy.groups[number];
    pen.fillStyle = colours["draw-inside"];
    rounded(pen, box, 8);
    pen.fill();
    this.#border(box, groupId(number), 8);
    if (/** @type {number} */ (this.scale) >= LEGIBLE * 0.7) {
      pen.textAlign = "left";
      this.#text(`− ${group.label}  ${group.detail}`, box.x + 10, box.y + 17, box.width - 20, `bold ${FONT}`, colours["draw-quiet"], "left");
    }
    this.#level(number, box.x + MARGIN, box.y + HEAD + MARGIN);
  }

  /** @param {Box} box @param {number} id @param {number} radius */
  #border(box, id, radius) {
    const { pen, colours, marks } = this;
    const lit = id >= 0 ? marks.lit.has(id) : false;
    const found = id >= 0 ? marks.found.has(id) : this.hidden.has(id);
    pen.strokeStyle = colours[lit ? "draw-lit" : found ? "draw-found" : "draw-line"];
    pen.lineWidth = lit || found ? Math.max(3, 2 / /** @type {number} */ (this.scale)) : 1;
    rounded(pen, box, radius);
    pen.stroke();
  }

  /** @param {Box} box */
  #ring(box) {
    const { pen, colours } = this;
    pen.strokeStyle = colours["draw-chosen"];
    pen.lineWidth = 3;
    rounded(pen, { x: box.x - 3, y: box.y - 3, width: box.width + 6, height: box.height + 6 }, 9);
    pen.stroke();
  }

  /** What goes into the selected node and comes out of it, over all folds. */
  #edgesOfSelected() {
    const { pen, colours, marks, placing } = this;
    if (marks.selected === null) return;
    const { hierarchy } = placing;
    const own = placing.box(hierarchy.visible(marks.selected));
    if (/** @type {number} */ (this.scale) < LEGIBLE || hierarchy.visible(marks.selected) < 0) this.#ring(own);
    const node = hierarchy.nodes[marks.selected];
    pen.strokeStyle = pen.fillStyle = colours["draw-chosen"];
    pen.lineWidth = Math.max(2, 1.5 / /** @type {number} */ (this.scale));
    for (const input of node.inputs) this.#straight(placing.box(hierarchy.visible(input)), own);
    for (const user of node.users) this.#straight(own, placing.box(hierarchy.visible(user)));
  }

  /** @param {Box} from @param {Box} to */
  #straight(from, to) {
    if (from.x === to.x && from.y === to.y) return;
    const [start, end] = [{ x: from.x + from.width / 2, y: from.y + from.height }, { x: to.x + to.width / 2, y: to.y }];
    const bend = Math.max(20, Math.abs(end.y - start.y) / 3);
    const { pen } = this;
    pen.beginPath();
    pen.moveTo(start.x, start.y);
    pen.bezierCurveTo(start.x, start.y + bend, end.x, end.y - bend, end.x, end.y);
    pen.stroke();
    head(pen, [{ x: end.x, y: end.y - bend }, end]);
  }

  /** @param {string} text @param {number} x @param {number} y @param {number} width @param {string} font @param {string} colour @param {CanvasTextAlign} [align] */
  #text(text, x, y, width, font, colour, align = "center") {
    const { pen } = this;
    pen.font = font;
    pen.fillStyle = colour;
    pen.textAlign = align;
    pen.fillText(shortened(pen, text, width), x, y);
  }
}

/** @param {CanvasRenderingContext2D} pen @param {string} text @param {number} width */
function shortened(pen, text, width) {
  const letters = Math.floor(width / (pen.measureText("m").width || 1));
  return text.length <= letters ? text : `${text.slice(0, Math.max(1, letters - 1))}…`;
}

/** @param {{x: number, y: number}[]} points @returns {Box} */
function around(points) {
  const [xs, ys] = [points.map((point) => point.x), points.map((point) => point.y)];
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x + 1, height: Math.max(...ys) - y + 1 };
}

/** @param {CanvasRenderingContext2D} pen @param {{x: number, y: number}[]} points */
function curve(pen, points) {
  pen.beginPath();
  pen.moveTo(points[0].x, points[0].y);
  for (let at = 1; at < points.length - 1; at += 1) {
    const [one, next] = [points[at], points[at + 1]];
    const last = at === points.length - 2;
    pen.quadraticCurveTo(one.x, one.y, last ? next.x : (one.x + next.x) / 2, last ? next.y : (one.y + next.y) / 2);
  }
  if (points.length === 2) pen.lineTo(points[1].x, points[1].y);
  pen.stroke();
}

/** The point of an arrow. @param {CanvasRenderingContext2D} pen @param {{x: number, y: number}[]} points */
function head(pen, points) {
  const [before, end] = [points[points.length - 2], points[points.length - 1]];
  const angle = Math.atan2(end.y - before.y, end.x - before.x);
  pen.beginPath();
  pen.moveTo(end.x, end.y);
  for (const side of [-0.4, 0.4]) pen.lineTo(end.x - 8 * Math.cos(angle + side), end.y - 8 * Math.sin(angle + side));
  pen.fill();
}

/** @param {CanvasRenderingContext2D} pen @param {Box} box @param {number} radius */
function rounded(pen, box, radius) {
  pen.beginPath();
  pen.roundRect(box.x, box.y, box.width, box.height, radius);
}
