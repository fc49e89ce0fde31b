// @ts-check
/** Which rows of which texts belong to a choice. The rules are those of links.py. */

/** @typedef {[start: number, end: number, id: number, is: number[], from: number[]]} Row */
/** @typedef {{name: string, suffix: string, says: string, stage: string, piece: string, part: string, rows: Row[]}} Text */
/** @typedef {{id: string, outcome: string, texts: Text[]}} Compile */
/** @typedef {import("./selection.js").Choice} Choice */
/** @typedef {{is: Set<number>, from: Set<number>}} Target */

export class Links {
  /** @param {{tags: string[], compiles: Compile[]}} data */
  constructor(data) {
    this.tags = data.tags;
    this.compiles = data.compiles;
    /** @type {Map<string, number>} */
    this.numbers = new Map(data.tags.map((tag, number) => [tag, number]));
  }

  /**
   * What is looked for when something is chosen; null if it has no rows anywhere.
   * @param {Choice} choice
   * @returns {Target|null}
   */
  target(choice) {
    const number = this.numbers.get(`${choice.kind}=${choice.id}`);
    if (number === undefined) return null;
    if (choice.kind === "line") return { is: new Set([number]), from: new Set() };
    const rows = this.compiles.flatMap((compile) => compile.texts.flatMap((text) => text.rows));
    return this.targetOf(rows.filter((row) => row[2] === number), number);
  }

  /**
   * @param {Row[]} rows that show one thing
   * @param {number} number of its name
   * @returns {Target|null}
   */
  targetOf(rows, number) {
    if (rows.length === 0) return null;
    const is = new Set(rows.flatMap((row) => row[3]));
    is.add(number);
    return { is, from: new Set(rows.flatMap((row) => row[4])) };
  }

  /**
   * The rows of a text that are what was chosen, come from it, or that it comes from.
   * @param {Text} text
   * @param {Target} target
   * @returns {Row[]}
   */
  rows(text, target) {
    return text.rows.filter((row) =>
      target.is.has(row[2]) || row[3].some((tag) => target.is.has(tag) || target.from.has(tag))
      || row[4].some((tag) => target.is.has(tag)));
  }

  /**
   * The lines of the program that belong to a choice.
   * @param {Target} target
   * @returns {string[]} file:line
   */
  lines(target) {
    const numbers = [...target.is, ...target.from];
    return numbers.map((number) => this.tags[number]).filter((tag) => tag.startsWith("line=")).map((tag) => tag.slice(5));
  }

  /**
   * The lines that called a line, and those that it called, on the way to nodes of graphs.
   * @param {string} line file:line
   * @returns {string[]} file:line
   */
  way(line) {
    const number = this.numbers.get(`line=${line}`) ?? -1;
    const nodes = this.compiles.flatMap((compile) => compile.texts.flatMap((text) => text.rows))
      .filter((row) => row[2] >= 0 && row[4].includes(number) && this.tags[row[2]].startsWith("node="));
    return this.lines({ is: new Set(), from: new Set(nodes.flatMap((row) => row[4])) });
  }

  /**
   * What choosing a row chooses: what it shows, or else the line that it came from.
   * @param {Row} row
   * @returns {Choice|null}
   */
  choiceOf(row) {
    const tag = row[2] >= 0 ? this.tags[row[2]] : this.tags[row[4].find((one) => this.tags[one].startsWith("line=")) ?? -1];
    if (!tag) return null;
    const at = tag.indexOf("=");
    return { kind: /** @type {any} */ (tag.slice(0, at)), id: tag.slice(at + 1) };
  }
}
