// @ts-check
/** Where the page begins. `modules` is the bundle's table of what each module exports. */

import { unpack } from "./blocks.js";
import { drawInSight } from "./drawings.js";
import { openGuards } from "./guards.js";
import { listenToKeys } from "./keys.js";
import { Links } from "./links.js";
import { Made } from "./made.js";
import { Search } from "./search.js";
import { fromHash, select } from "./selection.js";
import { Source } from "./source.js";
import { rememberTheme } from "./theme.js";

/** @param {string} name of a block of data */
async function data(name) {
  const block = document.querySelector(`[${name}]`)?.firstElementChild;
  return block ? unpack(block) : null;
}

const IN_TEXTS = ["compile", "text", "node", "buffer", "kernel"]; // kinds of choices that are shown beside the source

/**
 * Follow the address: a choice, or a section, which the browser finds by itself.
 * @returns {Element|null} where it leads, but for what its own part of the page finds
 */
function follow() {
  const choice = fromHash(location.hash);
  if (!choice) return document.querySelector(":target");
  select(choice);
  const texts = IN_TEXTS.includes(choice.kind) ? document.querySelector("#source .made") : null;
  texts?.scrollIntoView({ block: "nearest" });
  return texts;
}

/** Where an address leads moves while the page scrolls there, as sections on the way are drawn: go there once more. */
function keepFollowing() {
  /** @type {Element|null} */
  let aim = follow();
  addEventListener("hashchange", () => { aim = follow(); });
  for (const own of ["wheel", "touchmove", "keydown", "pointerdown"]) addEventListener(own, () => { aim = null; }, { passive: true });
  addEventListener("scrollend", () => {
    aim?.scrollIntoView({ behavior: "instant", block: aim.matches(".made") ? "nearest" : "start" });
    aim = null;
  });
}

/** Mark in the contents which section is read. */
function markSection() {
  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      const link = document.querySelector(`nav a[href="#${entry.target.id}"]`);
      if (entry.isIntersecting) link?.setAttribute("aria-current", "true");
      else link?.removeAttribute("aria-current");
    }
  }, { rootMargin: "-45% 0px -45% 0px" });
  for (const section of document.querySelectorAll("main > section")) observer.observe(section);
}

async function begin() {
  rememberTheme();
  listenToKeys();
  openGuards();
  markSection();
  const links = new Links(await data("data-links") ?? { tags: [], compiles: [] });
  const sources = await data("data-sources") ?? {};
  const made = document.getElementById("source") ? new Made(links) : null; // a page of ranks alone has no texts
  new Source(links, sources);
  new Search(made, sources);
  /** @type {Record<string, any>} */
  const draws = {};
  // @ts-ignore (the bundle declares it)
  for (const [path, exported] of Object.entries(modules)) {
    const found = /^drawings\/(\w+)\.js$/.exec(path);
    if (found) draws[found[1]] = exported.draw;
  }
  drawInSight(draws);
  keepFollowing();
  await made?.begin();
  document.documentElement.dataset.ready = "yes";
}

begin();
