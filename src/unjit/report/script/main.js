// @ts-check
/** Where the page begins. `modules` is the bundle's table of what each module exports. */

import { drawInSight } from "./drawings.js";

/** @type {Record<string, any>} */
const draws = {};
// @ts-ignore (the bundle declares it)
for (const [path, exported] of Object.entries(modules)) {
  const found = /^drawings\/(\w+)\.js$/.exec(path);
  if (found) draws[found[1]] = exported.draw;
}
drawInSight(draws);
