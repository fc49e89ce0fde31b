// What of the libraries is used: the bundle has this and no more.
export { graphlib, layout } from "@dagrejs/dagre";
export { ticks } from "d3-array";
export { pointer, select } from "d3-selection";
export { zoom, zoomIdentity } from "d3-zoom";
