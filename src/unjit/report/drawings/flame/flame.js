// @ts-check
/** The flame chart: a bar for each phase, below the one that it is part of. Zoom by wheel, drag and click; keys walk it. */

import layout from "../../vendored/layout/layout.js";
import { element, shape } from "../parts/elements.js";
import { Clock, duration } from "./clock.js";

/** @typedef {{name: string, start: number, length: number, own: number, depth: number, compile: number, row: number, from: number, to: number}} Span */
const ROW = 21;
const AXIS = 24;
const LANE = 20; // the line with the thread's name
const THINNEST = 0.4; // pixels
const TONES = 8;

export class Flame {
  /** @param {any} data as time.py gives it @param {(span: Span | null) => void} told */
  constructor(data, told) {
    this.data = data;
    this.told = told;
    /** @type {Span[]} */
    this.spans = [];
    /** @type {{thread: string, y: number}[]} */
    this.lanes = [];
    this.height = AXIS;
    for (const lane of data.lanes) this.#lane(lane);
    this.clock = new Clock(this.spans.filter((span) => span.depth === 0).map((span) => [span.start, span.start + span.length]));
    for (const span of this.spans) [span.from, span.to] = [this.clock.where(span.start), this.clock.where(span.start + span.length)];
    this.view = { from: 0, to: this.clock.length };
    /** @type {Span | null} */
    this.chosen = null;
    this.words = "";
    this.svg = shape("svg", { class: "flame", height: this.height, tabindex: "0", role: "group", "aria-label": "Phases of compiles over time. Arrow keys walk from phase to phase, Enter zooms to one, Escape shows all. The table by phase has the sums." });
    this.zoom = layout.zoom().filter((/** @type {any} */ event) => !event.button).on("zoom", (/** @type {any} */ event) => this.#zoomed(event.transform));
    layout.select(this.svg).call(this.zoom).on("dblclick.zoom", null);
    this.svg.addEventListener("click", (/** @type {MouseEvent} */ event) => this.#clicked(event));
    this.svg.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.#pressed(event));
    new ResizeObserver(() => this.#sized()).observe(this.svg);
  }

  /** @param {any} lane */
  #lane(lane) {
    const y = this.height + (this.data.lanes.length > 1 ? LANE : 0);
    this.lanes.push({ thread: lane.thread, y });
    let deepest = 0;
    for (const [phase, start, length, own, depth, compile] of lane.spans) {
      deepest = Math.max(deepest, depth);
      this.spans.push({ name: this.data.phases[phase].name, start, length, own, depth, compile, row: y + depth * ROW, from: 0, to: 0 });
    }
    this.height = y + (deepest + 1) * ROW + 8;
  }

  #sized() {
    const width = this.svg.clientWidth;
    if (!width) return;
    this.width = width;
    this.zoom.scaleExtent([1, 20000]).extent([[0, 0], [width, this.height]]).translateExtent([[0, 0], [width, this.height]]);
    this.#draw();
  }

  /** @param {{x: number, k: number}} transform */
  #zoomed({ x, k }) {
    if (!this.width) return;
    const whole = this.clock.length;
    const from = (-x / k / this.width) * whole;
    this.view = { from, to: from + whole / k };
    this.#draw();
  }

  /** @param {number} at on the line */
  #x(at) {
    return ((at - this.view.from) / (this.view.to - this.view.from)) * (this.width ?? 0);
  }

  #draw() {
    const width = this.width ?? 0;
    const bars = this.spans.flatMap((span) => {
      const [left, right] = [Math.max(-2, this.#x(span.from)), Math.min(width + 2, this.#x(span.to))];
      return right < 0 || left > width || right - left < THINNEST ? [] : [this.#bar(span, left, right - left)];
    });
    const names = this.lanes.length > 1 ? this.lanes.map(({ thread, y }) => shape("text", { class: "flame-thread", x: 6, y: y - 6, text: thread })) : [];
    const cuts = this.clock.cuts.map((cut) => shape("rect", { class: "flame-cut", x: this.#x(cut.at), y: AXIS, width: Math.max(1, this.#x(cut.at + cut.width) - this.#x(cut.at)), height: this.height - AXIS },
      shape("title", { text: `nothing was compiled for ${duration(cut.pause)}` })));
    this.svg.replaceChildren(...cuts, ...this.#ticks(), ...bars, ...names);
  }

  /** @param {Span} span @param {number} x @param {number} width */
  #bar(span, x, width) {
    const found = this.words !== "" && span.name.toLowerCase().includes(this.words);
    const bar = shape("g", { class: `flame-bar tone${tone(span.name)}${span === this.chosen ? " chosen" : ""}${found ? " found" : ""}`, "data-span": this.spans.indexOf(span) },
      shape("rect", { x, y: span.row, width: Math.max(width - 1, 0.5), height: ROW - 2, rx: width > 6 ? 3 : 0 }));
    if (width < 400) bar.append(shape("title", { text: `${span.name}, ${duration(span.length)}` }));
    const letters = Math.floor((width - 10) / 6.6);
    if (letters >= 3) {
      const text = `${span.name}  ${duration(span.length)}`;
      bar.append(shape("text", { x: x + 5, y: span.row + 14, text: text.length <= letters ? text : `${span.name.slice(0, letters - 1)}…`.slice(0, letters) }));
    }
    return bar;
  }

  #ticks() {
    const { from, to } = this.view;
    const count = Math.max(2, Math.floor((this.width ?? 0) / 110));
    return layout.ticks(from, to, count).flatMap((/** @type {number} */ at) => {
      const x = this.#x(at);
      return [
        shape("line", { class: "flame-tick", x1: x, x2: x, y1: AXIS - 6, y2: this.height }),
        shape("text", { class: "flame-time", x: x + 3, y: 14, text: duration(this.clock.time(at)) }),
      ];
    });
  }

  /** @param {string} words what is to be marked */
  find(words) {
    this.words = words.trim().toLowerCase();
    this.#draw();
    return this.words === "" ? 0 : this.spans.filter((span) => span.name.toLowerCase().includes(this.words)).length;
  }

  /** Show a stretch of the line. @param {number} from @param {number} to */
  look(from, to) {
    const width = this.width ?? 1;
    const whole = this.clock.length;
    const k = Math.min(20000, whole / Math.max(to - from, 1));
    layout.select(this.svg).call(this.zoom.transform, layout.zoomIdentity.translate(-(from / whole) * width * k, 0).scale(k));
  }

  /** All of it. */
  fit() {
    this.look(0, this.clock.length);
  }

  /** Show the compile with this number. @param {number} compile */
  compile(compile) {
    const found = this.spans.filter((span) => span.compile === compile);
    if (found.length) this.look(Math.min(...found.map((span) => span.from)), Math.max(...found.map((span) => span.to)));
  }

  /** @param {Span | null} span @param {boolean} [near] whether to zoom to it */
  choose(span, near = false) {
    this.chosen = span;
    if (span && near) this.look(span.from - (span.to - span.from) * 0.02, span.to + (span.to - span.from) * 0.02);
    else this.#draw();
    this.told(span);
  }

  /** @param {MouseEvent} event */
  #clicked(event) {
    const bar = /** @type {Element} */ (event.target).closest("[data-span]");
    if (bar) this.choose(this.spans[Number(bar.getAttribute("data-span"))], true);
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    const { chosen, spans } = this;
    const at = chosen ? spans.indexOf(chosen) : -1;
    const beside = (/** @type {number} */ step) => {
      for (let next = at + step; next >= 0 && next < spans.length; next += step) {
        if (!chosen || spans[next].depth === chosen.depth) return spans[next];
      }
      return chosen;
    };
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowRight: () => this.choose(beside(1)), ArrowLeft: () => this.choose(at < 0 ? spans[0] : beside(-1)),
      ArrowDown: () => this.choose(chosen && spans[at + 1]?.depth > chosen.depth ? spans[at + 1] : chosen ?? spans[0]),
      ArrowUp: () => this.choose(chosen ? spans.slice(0, at).findLast((span) => span.depth < chosen.depth) ?? chosen : spans[0]),
      Enter: () => this.choose(chosen, true), Escape: () => { this.choose(null); this.fit(); },
    };
    if (!(event.key in keys) || !spans.length) return;
    event.preventDefault();
    keys[event.key]();
  }
}

/** A phase has the same tone wherever it is. @param {string} name */
function tone(name) {
  let sum = 0;
  for (const letter of name) sum = (sum * 31 + letter.charCodeAt(0)) % 9973;
  return sum % TONES;
}

/** What is said of a span. @param {Span} span @param {any} data @param {(choice: any) => void} select */
export function says(span, data, select) {
  const compile = data.compiles[span.compile];
  return [
    element("b", { text: span.name }), ` ${duration(span.length)}, of which ${duration(span.own)} in no phase within it; in the compile of `,
    compile.id ? element("button", { type: "button", class: "link", text: compile.title, on: { click: () => select({ kind: "compile", id: compile.id }) } }) : compile.title,
  ];
}
