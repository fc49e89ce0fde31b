// @ts-check
/** A chart as a list: what each box says, and where its arrows lead, for whoever does not look at the drawing. */

import { element } from "../parts/elements.js";

/**
 * @param {any} chart
 * @param {(id: string) => void} show
 * @param {(choice: any) => void} select
 */
export function asList(chart, show, select) {
  const titles = new Map(chart.boxes.map((/** @type {any} */ box) => [box.id, box.title]));
  return element("ol", {}, ...chart.boxes.map((/** @type {any} */ box) => {
    const arrows = chart.arrows.filter((/** @type {any} */ arrow) => arrow.from === box.id && arrow.kind !== "order");
    return element("li", {},
      element("b", { text: box.title }), box.says ? `: ${box.says}` : "", ...box.notes.map((/** @type {any} */ note) => `; ${note.text}`),
      arrows.length ? element("ul", {}, ...arrows.map((/** @type {any} */ arrow) => element("li", {},
        `${arrow.label}${arrow.count === null ? "" : `, ${arrow.count} times`}: `,
        element("button", { type: "button", class: "link", text: titles.get(arrow.to), on: { click: () => { show(arrow.to); const box = chart.boxes.find((/** @type {any} */ one) => one.id === arrow.to); if (box.select) select(box.select); } } })))) : null);
  }));
}
