// @ts-check
/** Sections that are drawn: each when it comes into sight, or before the page is printed. */

import { unpack } from "./blocks.js";
import { current, listen, select } from "./selection.js";

/** @typedef {import("./selection.js").Choice} Choice */
/** @typedef {{select: (choice: Choice) => void, listen: (heard: (choice: Choice) => void) => void}} Page */
/** @typedef {(element: Element, data: any, page: Page) => void} Draw */

/** @type {Page} */
const page = {
  select,
  listen: (heard) => {
    listen((choice) => choice && heard(choice));
    const chosen = current(); // before it was drawn
    if (chosen) heard(chosen);
  },
};

/**
 * Draw what is in sight, and the rest when it comes to be.
 * @param {Record<string, Draw>} draws by the names of their sections
 */
export function drawInSight(draws) {
  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) draw(entry.target);
  }, { rootMargin: "400px" });
  /** @param {Element} section */
  async function draw(section) {
    observer.unobserve(section);
    const name = section.getAttribute("data-drawing") ?? "";
    const [place, block] = [section.querySelector(".drawing"), section.querySelector("script")];
    if (place && block && !place.hasChildNodes()) draws[name](place, await unpack(block), page);
  }
  const sections = [...document.querySelectorAll("[data-drawing]")];
  for (const section of sections) observer.observe(section);
  addEventListener("beforeprint", () => sections.forEach(draw));
}
