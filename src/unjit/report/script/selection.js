// @ts-check
/** What is chosen on the page: one thing at a time, told to every part, and kept in the address. */

/** @typedef {"function"|"compile"|"entry"|"guard"|"text"|"node"|"buffer"|"kernel"|"line"} Kind */
/** @typedef {{kind: Kind, id: string}} Choice ids are those of unjit.report.ids */

const KINDS = ["function", "compile", "entry", "guard", "text", "node", "buffer", "kernel", "line"];

/** @type {((choice: Choice|null) => void)[]} */
const listeners = [];
/** @type {Choice|null} */
let chosen = null;

/**
 * Choose something, or nothing; every listener is told, also who chose it.
 * @param {Choice|null} choice
 */
export function select(choice) {
  chosen = choice;
  keepInAddress(choice);
  for (const heard of listeners) heard(choice);
}

/**
 * Where nothing is chosen any more the address names nothing; one that names a section of the page stays.
 * @param {Choice|null} choice
 */
function keepInAddress(choice) {
  if (!choice && !fromHash(location.hash)) return;
  try {
    history.replaceState(null, "", choice ? `#${asHash(choice)}` : location.href.split("#", 1)[0]);
  } catch {
    // a page inside another page may not change its address
  }
}

/**
 * Be told of each choice; null when nothing is chosen any more.
 * @param {(choice: Choice|null) => void} heard
 */
export function listen(heard) {
  listeners.push(heard);
}

/** @returns {Choice|null} what is chosen now */
export function current() {
  return chosen;
}

/**
 * @param {Choice} choice
 * @returns {string} how a link names it
 */
export function asHash(choice) {
  return `${choice.kind}=${encodeURIComponent(choice.id).replaceAll("%2F", "/").replaceAll("%3A", ":")}`;
}

/**
 * @param {string} hash of a link, with or without #
 * @returns {Choice|null} what it names; null for a section of the page
 */
export function fromHash(hash) {
  const match = /^#?(\w+)=(.+)$/.exec(hash);
  if (!match || !KINDS.includes(match[1])) return null;
  try {
    return { kind: /** @type {Kind} */ (match[1]), id: decodeURIComponent(match[2]) };
  } catch {
    return null;
  }
}
