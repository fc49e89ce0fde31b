// @ts-check
/** What was made of the program: one text of one compile at a time, with what belongs to the choice lit up. */

import { unpack } from "./blocks.js";
import { announce, byId, element } from "./dom.js";
import { Links } from "./links.js";
import { Pane } from "./pane.js";
import { listen, select } from "./selection.js";
import { count } from "./words.js";

/** @typedef {import("./links.js").Compile} Compile */
/** @typedef {import("./links.js").Target} Target */
/** @typedef {import("./links.js").Text} Text */
/** @typedef {import("./selection.js").Choice} Choice */

const FIRST = "captured"; // the text that is shown where nothing else was asked for

/**
 * @param {string} stage
 * @returns {string} what its button says; without gradients there is one half, which need not be told
 */
function label(stage) {
  return stage.replace(/^inference_/, "").replaceAll("_", " ");
}

export class Made {
  /** @param {Links} links */
  constructor(links) {
    this.links = links;
    this.compiles = byId("compile", HTMLSelectElement);
    this.texts = byId("text", HTMLSelectElement);
    this.stages = byId("stages", HTMLElement);
    this.pieces = byId("piece", HTMLSelectElement);
    this.pane = new Pane(byId("pane", HTMLElement), (row) => this.chose(row));
    /** @type {Target|null} */
    this.target = null;
    /** @type {Map<string, Record<string, string>>} */
    this.loaded = new Map();
    this.compiles.addEventListener("change", () => this.show(this.compile(), FIRST));
    this.texts.addEventListener("change", () => this.show(this.compile(), this.texts.value));
    this.pieces.addEventListener("change", () => this.show(this.compile(), this.pieces.value));
    this.listCompiles();
    listen((choice) => this.heard(choice));
  }

  /** @returns {Compile} the one that is shown */
  compile() {
    return this.links.compiles[Math.max(0, this.compiles.selectedIndex)];
  }

  /** Begin with the first compile that made a graph. */
  async begin() {
    const compiles = this.links.compiles;
    const first = compiles.find((one) => one.texts.some((text) => text.name === FIRST)) ?? compiles[0];
    if (first && !this.shown) await this.show(first, FIRST);
  }

  /**
   * The texts of a compile, by name.
   * @param {Compile} compile
   * @returns {Promise<Record<string, string>>}
   */
  async load(compile) {
    const known = this.loaded.get(compile.id);
    if (known) return known;
    const block = [...document.querySelectorAll("[data-texts]")].find((one) => one.getAttribute("data-texts") === compile.id);
    const texts = block?.firstElementChild ? await unpack(block.firstElementChild) : {};
    this.loaded.set(compile.id, texts);
    return texts;
  }

  /**
   * @param {Compile} compile
   * @param {string} name of a text; another is shown if the compile has none of this name
   * @param {boolean} [scroll] to what is lit up
   */
  async show(compile, name, scroll = true) {
    const text = compile.texts.find((one) => one.name === name) ?? compile.texts[0];
    const key = `${compile.id}/${text?.name ?? ""}`;
    const isNew = this.shown !== key;
    this.shown = key;
    const texts = await this.load(compile);
    if (this.shown !== key) return; // another was asked for meanwhile
    this.compiles.selectedIndex = this.links.compiles.indexOf(compile);
    if (isNew) this.pane.show(text ? texts[text.name] : "This compile made no text.", text?.suffix ?? ".txt", text?.rows ?? []);
    this.listTexts(compile, text?.name ?? "");
    this.pane.root.dataset.shown = key;
    this.pane.mark(text && this.target ? this.links.rows(text, this.target) : [], scroll);
  }

  listCompiles() {
    for (const compile of this.links.compiles) {
      const said = compile.outcome === "compiled" ? "" : ` (${compile.outcome})`;
      this.compiles.append(element("option", { value: compile.id }, `${compile.id}${said}`));
    }
  }

  /**
   * @param {Compile} compile
   * @param {string} shown
   */
  listTexts(compile, shown) {
    this.texts.replaceChildren(...compile.texts.map((text) => {
      const option = element("option", { value: text.name }, [`${text.name}${text.says || text.part ? ":" : ""}`, text.says, text.part && `of ${text.part}`].filter(Boolean).join(" "));
      option.toggleAttribute("selected", text.name === shown);
      return option;
    }));
    const here = compile.texts.find((text) => text.name === shown);
    this.listStages(compile, here);
    this.listPieces(compile.texts.filter((text) => text.stage && text.stage === here?.stage), shown);
  }

  /** @param {Text} text @returns {number} how many of its rows belong to what is chosen */
  hits(text) {
    return this.target ? this.links.rows(text, this.target).length : 0;
  }

  /**
   * A button for each stage, however many pieces the graph is in: a backend may make dozens.
   * @param {Compile} compile
   * @param {Text} [shown]
   */
  listStages(compile, shown) {
    const stages = new Set(compile.texts.map((text) => text.stage).filter(Boolean));
    this.stages.replaceChildren(...[...stages].map((stage) => {
      const texts = compile.texts.filter((text) => text.stage === stage);
      const button = element("button", { type: "button", "aria-pressed": String(stage === shown?.stage), title: texts[0].says }, label(stage));
      const found = texts.reduce((sum, text) => sum + this.hits(text), 0);
      if (found) button.append(" ", element("span", { class: "hits", title: `${count(found, "row")} of what is chosen` }, String(found)));
      button.addEventListener("click", () => this.show(compile, this.pieceOf(texts, shown).name));
      return button;
    }));
    const pressed = /** @type {HTMLElement|null} */ (this.stages.querySelector("[aria-pressed=true]"));
    if (pressed) this.stages.scrollLeft = pressed.offsetLeft - this.stages.clientWidth / 3; // where they stand in one row
  }

  /**
   * Which of a stage's texts is shown, where each piece of the graph has one.
   * @param {Text[]} texts
   * @param {string} shown
   */
  listPieces(texts, shown) {
    this.pieces.replaceChildren(...texts.map((text) => {
      const found = this.hits(text);
      const name = text.part ? `${text.name}: ${text.part}` : text.name;
      const option = element("option", { value: text.name }, found ? `${name} (${found} chosen)` : name);
      option.toggleAttribute("selected", text.name === shown);
      return option;
    }));
    this.pieces.parentElement?.toggleAttribute("hidden", texts.length < 2);
  }

  /**
   * The text of a stage to begin with: of the piece that is shown, unless only others have what is chosen.
   * @param {Text[]} texts
   * @param {Text} [shown]
   */
  pieceOf(texts, shown) {
    const lit = texts.filter((text) => this.hits(text) > 0);
    const among = lit.length > 0 ? lit : texts;
    return among.find((text) => text.piece === shown?.piece) ?? among[0];
  }

  /** @param {import("./links.js").Row} row */
  chose(row) {
    const choice = this.links.choiceOf(row);
    if (choice) select(choice);
  }

  /** @param {Choice|null} choice */
  async heard(choice) {
    this.target = choice ? this.links.target(choice) : null;
    byId("chosen", HTMLElement).textContent = choice ? this.says(choice) : "";
    const named = choice && this.named(choice);
    const compile = named?.compile ?? this.best();
    if (compile) await this.show(compile, named?.text ?? this.current(compile), true);
  }

  /**
   * The compile, and perhaps the text, that an id begins with.
   * @param {Choice} choice
   */
  named(choice) {
    const compile = this.links.compiles.find((one) => choice.id === one.id || choice.id.startsWith(`${one.id}/`))
      ?? (choice.kind === "function" ? this.links.compiles.find((one) => one.id.startsWith(`${choice.id}/`)) : undefined);
    if (!compile || choice.kind === "entry" || choice.kind === "guard") return null;
    const part = choice.id.slice(compile.id.length + 1).split("/")[0];
    const half = choice.kind === "kernel" ? `${part}_output_code` : choice.kind === "buffer" ? `${part}_ir_after_fusion` : part;
    const current = compile.texts.find((text) => text.name === this.current(compile));
    const fits = current && compile === this.compile() && this.hits(current) > 0;
    const wanted = compile.texts.some((text) => text.name === half) ? half : undefined;
    return { compile, text: fits && choice.kind !== "text" ? current.name : wanted };
  }

  /** @returns {Compile|undefined} the compile that is shown, or another if only that has what is chosen */
  best() {
    const has = (/** @type {Compile} */ compile) => compile.texts.some((text) => text.stage && this.hits(text) > 0);
    return !this.target || has(this.compile()) ? this.compile() : this.links.compiles.find(has) ?? this.compile();
  }

  /**
   * The text to show of a compile: the one that is shown, if it has what is chosen.
   * @param {Compile} compile
   */
  current(compile) {
    const stages = compile.texts.filter((text) => this.hits(text) > 0);
    const shown = compile === this.compile() ? this.texts.value || FIRST : FIRST;
    return stages.length === 0 || stages.some((text) => text.name === shown) ? shown
      : (stages.find((text) => text.name === FIRST) ?? stages[0]).name;
  }

  /** @param {Choice} choice */
  says(choice) {
    const hits = this.links.compiles.flatMap((compile) => compile.texts.map((text) => this.hits(text))).filter(Boolean);
    const total = hits.reduce((sum, number) => sum + number, 0);
    const found = total === 0 ? "no row of a text belongs to it" : `${count(total, "row")} in ${count(hits.length, "text")}`;
    const said = `${choice.kind} ${choice.id}: ${found}`;
    announce(said);
    return said;
  }
}
