// @ts-check
/** What is chosen on the page: one thing at a time, told to every part. */

/** @typedef {"function"|"compile"|"entry"|"guard"|"text"|"node"|"buffer"|"kernel"|"line"} Kind */
/** @typedef {{kind: Kind, id: string}} Choice ids are those of unjit.report.ids */

/** @type {((choice: Choice) => void)[]} */
const listeners = [];

/**
 * Choose something; every listener is told, also who chose it.
 * @param {Choice} choice
 */
export function select(choice) {
  for (const heard of listeners) heard(choice);
}

/**
 * Be told of each choice.
 * @param {(choice: Choice) => void} heard
 */
export function listen(heard) {
  listeners.push(heard);
}
