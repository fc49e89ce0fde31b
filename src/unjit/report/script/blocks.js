// @ts-check
/** Data blocks of the page, as blocks.py writes them. */

/**
 * @param {Element} script a block of data
 * @returns {Promise<any>} its value
 */
export async function unpack(script) {
  const text = script.textContent ?? "";
  if (script.getAttribute("type") === "application/json") return JSON.parse(text);
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}
