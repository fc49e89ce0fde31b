// @ts-check
/** A graph as a tree of levels: what lies in what, what is unfolded, and which edges each level has. */

/** @typedef {{name: string, kind: string, target: string, value: string, inputs: number[], users: number[], first: number,
 *   last: number, place: string[] | null, group: number, operation: string}} Node */
/** @typedef {{label: string, detail: string, parent: number, nodes: number}} Group */
/** @typedef {{id: number, group: boolean, number: number}} Item nodes have ids from 0, groups from -2 down */
/** @typedef {{from: number, to: number, count: number}} Edge between items of one level */

const FIRST_LOOK = 60; // what may be unfolded at first, in items

const AT_ONCE = 400; // what may be unfolded by one click, in items

export class Hierarchy {
  /** @param {any} data a graph as graphs.py gives it */
  constructor(data) {
    /** @type {Node[]} */
    this.nodes = data.nodes.map((/** @type {any[]} */ row) => ({
      name: row[0], kind: row[1], target: row[2], value: row[3], inputs: row[4], users: [], first: row[5], last: row[6],
      place: row[7] < 0 ? null : data.places[row[7]], group: row[8], operation: row[9] < 0 ? "" : data.operations[row[9]],
    }));
    this.nodes.forEach((node, at) => node.inputs.forEach((input) => this.nodes[input].users.push(at)));
    /** @type {Group[]} */
    this.groups = data.groups.map((/** @type {any[]} */ row) => ({ label: row[0], detail: row[1], parent: row[2], nodes: 0 }));
    for (const node of this.nodes) for (const group of this.above(node.group)) this.groups[group].nodes += 1;
    /** @type {Map<number, Item[]>} */
    this.levels = this.#levels();
    /** @type {Map<number, Edge[]>} */
    this.edges = this.#edges();
    /** @type {Set<number>} */
    this.open = new Set();
    this.openForFirstLook();
  }

  /** The groups around a group, itself first. @param {number} group */
  *above(group) {
    for (; group >= 0; group = this.groups[group].parent) yield group;
  }

  /** The items of a level, in the order of the program. @param {number} group -1 for the whole */
  items(group) {
    return this.levels.get(group) ?? [];
  }

  /** The item that stands for a node while it is folded away, or the node itself. @param {number} node */
  visible(node) {
    let found = node;
    for (const group of this.above(this.nodes[node].group)) if (!this.open.has(group)) found = groupId(group);
    return found;
  }

  /** Unfold or fold a group. @param {number} group */
  toggle(group) {
    if (!this.open.delete(group)) this.open.add(group);
  }

  /** Unfold what a node lies in. @param {number} node */
  reveal(node) {
    for (const group of this.above(this.nodes[node].group)) this.open.add(group);
  }

  /** Unfold from the top as long as there is little to see. */
  openForFirstLook() {
    let shown = this.items(-1).length;
    const pending = this.items(-1).filter((item) => item.group);
    for (const item of pending) {
      const inside = this.items(item.number);
      if (shown + inside.length > FIRST_LOOK) continue;
      shown += inside.length;
      this.open.add(item.number);
      pending.push(...inside.filter((inner) => inner.group));
    }
  }

  /** Unfold one level more of what is in sight, from the top, as much as can be laid out at once. */
  openOneLevel() {
    let added = 0;
    for (const group of this.groups.map((_, at) => at).filter((at) => !this.open.has(at) && this.#isInSight(at))) {
      added += this.items(group).length;
      if (added > AT_ONCE && added > this.items(group).length) return;
      this.open.add(group);
    }
  }

  /** @param {number} group */
  #isInSight(group) {
    return [...this.above(this.groups[group].parent)].every((above) => this.open.has(above));
  }

  #levels() {
    /** @type {Map<number, Item[]>} */
    const levels = new Map();
    const placed = new Set();
    /** @param {number} level @param {Item} item */
    const place = (level, item) => {
      if (placed.has(item.id)) return;
      placed.add(item.id);
      const items = levels.get(level);
      if (items) items.push(item);
      else levels.set(level, [item]);
    };
    this.nodes.forEach((node, at) => {
      for (const group of this.above(node.group)) place(this.groups[group].parent, { id: groupId(group), group: true, number: group });
      place(node.group, { id: at, group: false, number: at });
    });
    return levels;
  }

  /** Each edge of the graph belongs to the innermost level that holds both of its ends. */
  #edges() {
    /** @type {Map<number, Map<string, Edge>>} */
    const levels = new Map();
    this.nodes.forEach((node, to) => {
      for (const from of node.inputs) {
        const [level, start, end] = this.#meeting(from, to);
        if (start === end) continue;
        const edges = levels.get(level) ?? new Map();
        levels.set(level, edges);
        const key = `${start} ${end}`;
        const edge = edges.get(key);
        if (edge) edge.count += 1;
        else edges.set(key, { from: start, to: end, count: 1 });
      }
    });
    return new Map([...levels].map(([level, edges]) => [level, [...edges.values()]]));
  }

  /** @param {number} one @param {number} other @returns {[number, number, number]} the level, and the two items in it */
  #meeting(one, other) {
    const above = [...this.above(this.nodes[one].group), -1];
    const beside = [...this.above(this.nodes[other].group), -1];
    while (above.length > 1 && beside.length > 1 && above.at(-2) === beside.at(-2)) {
      above.pop();
      beside.pop();
    }
    const start = above.length > 1 ? groupId(/** @type {number} */ (above.at(-2))) : one;
    const end = beside.length > 1 ? groupId(/** @type {number} */ (beside.at(-2))) : other;
    return [/** @type {number} */ (above.at(-1)), start, end];
  }
}

/** The id of a group among items. @param {number} group */
export function groupId(group) {
  return -2 - group;
}
