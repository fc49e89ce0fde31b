// @ts-check
/** The graphs of all compiles and stages, one at a time. */

import { count } from "../script/words.js";
import { Panel } from "./graph/panel.js";
import { button, element } from "./parts/elements.js";

/**
 * @param {Element} place
 * @param {any} data as graphs.py gives it
 * @param {{select: (choice: any) => void, listen: (heard: (choice: any) => void) => void}} page
 */
export function draw(place, data, { select, listen }) {
  if (!data.graphs.length) {
    place.append(element("p", { class: "quiet", text: "No graph was captured." }));
    return;
  }
  const shown = new Graphs(place, data.graphs, select);
  listen((choice) => shown.heard(choice));
}

class Graphs {
  /** @param {Element} place @param {any[]} graphs @param {(choice: any) => void} select */
  constructor(place, graphs, select) {
    this.graphs = graphs;
    this.select = select;
    /** @type {Map<string, Panel>} */
    this.panels = new Map();
    this.asCode = false;
    this.compiles = element("select", { "aria-label": "Which compile", on: { change: () => this.#open(this.#firstOf(this.compiles.value)) } });
    for (const compile of new Set(graphs.map((graph) => graph.compile))) {
      this.compiles.append(element("option", { value: compile, text: this.#firstOf(compile).title }));
    }
    this.stages = element("div", { class: "graph-stages", role: "group", "aria-label": "Which stage" });
    this.pieces = element("select", { "aria-label": "Which piece of the graph", on: { change: () => this.#open(this.#named(this.pieces.value)) } });
    this.search = element("input", { type: "search", placeholder: "Search nodes", "aria-label": "Search nodes: name, operation, shape, module, line" });
    this.search.addEventListener("input", () => this.#find());
    this.search.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => event.key === "Enter" && this.#next(event.shiftKey ? -1 : 1));
    this.count = element("output", { class: "quiet" });
    this.codeButton = button("Code", "Show the graph as code", () => this.#showCode(!this.asCode));
    this.codeButton.setAttribute("aria-pressed", "false");
    this.says = element("p", { class: "graph-says quiet" });
    this.room = element("div", {});
    place.append(
      element("div", { class: "drawing-tools" }, this.compiles, this.stages, this.pieces, this.search, this.count,
        button("−", "Zoom out", () => this.panel?.view.magnify(1 / 1.4)), button("+", "Zoom in", () => this.panel?.view.magnify(1.4)),
        button("Fit", "Show all", () => this.panel?.view.fit()), button("Fold", "Fold every module", () => this.panel?.fold(false)),
        button("Unfold", "Unfold one level more", () => this.panel?.fold(true)), this.codeButton),
      this.says, this.room);
    this.#open(graphs[0]);
  }

  /** @param {string} compile */
  #firstOf(compile) {
    return this.graphs.find((graph) => graph.compile === compile);
  }

  /** @param {any} graph */
  #open(graph) {
    this.graph = graph;
    this.compiles.value = graph.compile;
    this.#list(graph);
    if (graph.unknown === undefined && !this.panels.has(graph.id)) this.panels.set(graph.id, new Panel(graph, this.select));
    this.panel = this.panels.get(graph.id);
    this.says.textContent = `${graph.says}${this.panel ? `, ${count(graph.nodes.length, "node")}` : ""}`;
    this.room.replaceChildren(this.panel ? this.panel.element : element("p", { text: `unknown: ${graph.unknown}` }));
    this.panel?.show(this.asCode);
    this.#find();
  }

  /**
   * The stages of a compile, and the pieces that the graph of the stage is in, if it is in several.
   * @param {any} graph that is shown
   */
  #list(graph) {
    const others = this.graphs.filter((other) => other.compile === graph.compile);
    this.stages.replaceChildren(...[...new Set(others.map((other) => other.stage))].map((stage) => {
      const pieces = others.filter((other) => other.stage === stage);
      const same = pieces.find((other) => other.piece === graph.piece) ?? pieces[0];
      const made = button(stage.replaceAll("_", " "), same.says, () => this.#open(same));
      made.setAttribute("aria-pressed", String(stage === graph.stage));
      return made;
    }));
    const pieces = others.filter((other) => other.stage === graph.stage);
    this.pieces.replaceChildren(...pieces.map((other) => element("option", { value: other.id, text: other.name })));
    this.pieces.value = graph.id;
    this.pieces.toggleAttribute("hidden", pieces.length < 2);
  }

  /** @param {string} id */
  #named(id) {
    return this.graphs.find((graph) => graph.id === id);
  }

  /** @param {boolean} asCode */
  #showCode(asCode) {
    this.asCode = asCode;
    this.codeButton.setAttribute("aria-pressed", String(asCode));
    this.panel?.show(asCode);
  }

  #find() {
    this.found = this.panel?.find(this.search.value) ?? [];
    this.at = -1;
    this.count.textContent = this.search.value.trim() ? `${this.found.length} found` : "";
  }

  /** @param {number} step */
  #next(step) {
    if (!this.found?.length) return;
    this.at = ((this.at ?? -1) + step + this.found.length) % this.found.length;
    this.panel?.chosen(this.found[this.at], true);
    this.count.textContent = `${this.at + 1} of ${this.found.length}`;
  }

  /** @param {{kind: string, id: string}} choice */
  heard({ kind, id }) {
    if (kind === "line") this.panel?.light(id);
    if (kind === "compile") this.#openIf(this.#firstOf(id));
    if (kind === "text") this.#openIf(this.#named(id));
    if (kind === "node") {
      const cut = id.lastIndexOf("/");
      this.#openIf(this.#named(id.slice(0, cut)));
      this.panel?.choose(id.slice(cut + 1));
    }
  }

  /** @param {any} graph */
  #openIf(graph) {
    if (graph && graph !== this.graph) this.#open(graph);
  }
}
