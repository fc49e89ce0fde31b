// @ts-check
/** The flow of each function as a chart of boxes and arrows, and the same as a list. */

import { Chart } from "./chart/chart.js";
import { asList } from "./chart/list.js";
import { button, element } from "./parts/elements.js";

/**
 * @param {Element} place
 * @param {any} data as flow.py gives it
 * @param {{select: (choice: any) => void, listen: (heard: (choice: any) => void) => void}} page
 */
export function draw(place, data, { select, listen }) {
  if (!data.charts.length) {
    place.append(element("p", { class: "quiet", text: "Dynamo saw no function." }));
    return;
  }
  const shown = new Flow(place, data.charts, select);
  listen((choice) => shown.heard(choice));
}

class Flow {
  /** @param {Element} place @param {any[]} charts @param {(choice: any) => void} select */
  constructor(place, charts, select) {
    this.charts = charts;
    this.select = select;
    this.picker = element("select", { "aria-label": "Which function", on: { change: () => this.#open(charts[this.picker.selectedIndex]) } });
    for (const chart of charts) this.picker.append(element("option", { text: `${chart.name} (${chart.place}): ${chart.says}` }));
    this.stage = element("div", { class: "flow-stage", tabindex: "0", role: "region", "aria-label": "The chart; it scrolls" });
    this.list = element("details", { class: "flow-list" });
    this.stage.addEventListener("wheel", (/** @type {WheelEvent} */ event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      this.chart?.magnify(event.deltaY < 0 ? 1.1 : 1 / 1.1);
    }, { passive: false });
    place.append(
      element("div", { class: "drawing-tools" }, this.picker, button("−", "Smaller", () => this.chart?.magnify(1 / 1.2)),
        button("+", "Larger", () => this.chart?.magnify(1.2)), button("Fit", "As wide as the page", () => this.chart?.fit())),
      this.stage, this.list);
    this.#open(charts.reduce((best, chart) => (chart.boxes.length > best.boxes.length ? chart : best)));
    new ResizeObserver(() => this.chart?.resized()).observe(this.stage);
  }

  /** @param {any} chart */
  #open(chart) {
    this.data = chart;
    this.picker.selectedIndex = this.charts.indexOf(chart);
    this.chart = new Chart(this.stage, chart, this.select);
    this.list.replaceChildren(element("summary", { text: "The same as a list" }), asList(chart, (id) => this.chart?.show(id), this.select));
  }

  /** @param {{kind: string, id: string}} choice */
  heard({ kind, id }) {
    const leads = (/** @type {any} */ chart) => chart.boxes.some((/** @type {any} */ box) => box.select?.kind === kind && box.select.id === id);
    if (!["function", "entry", "text"].includes(kind)) return;
    const found = leads(this.data) ? this.data : this.charts.find(leads);
    if (!found) return;
    if (found !== this.data) this.#open(found);
    this.chart?.chosen(kind, id);
  }
}
