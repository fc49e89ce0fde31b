// @ts-check
/** Colours for code, by highlight.js, one string of HTML for each line. */

import hljs from "../vendored/highlight/core.js";
import cpp from "../vendored/highlight/cpp.js";
import python from "../vendored/highlight/python.js";

hljs.registerLanguage("python", python);
hljs.registerLanguage("cpp", cpp);

const MOST = 600_000; // characters; longer texts stay plain
const TOO_LONG = 20_000; // of one line

/**
 * The lines of a text in colour; null where it stays plain.
 * @param {string} text
 * @param {string} suffix of its file
 * @returns {string[]|null} HTML in which all of the text is escaped
 */
export function highlighted(text, suffix) {
  if (suffix !== ".py" || text.length > MOST || text.split("\n").some((line) => line.length > TOO_LONG)) return null;
  return parts(text).flatMap(([language, part]) => lines(hljs.highlight(part, { language, ignoreIllegals: true }).value));
}

/**
 * A program whose kernels are strings: each is in the language of its own.
 * @param {string} text
 * @returns {[language: string, part: string][]} whole lines each
 */
function parts(text) {
  /** @type {[string, string[]][]} */
  const found = [["python", []]];
  let inside = false;
  for (const line of text.split("\n")) {
    if (inside && line.startsWith("'''")) {
      inside = false;
      found.push(["python", []]);
    }
    found[found.length - 1][1].push(line);
    const begins = inside ? null : /async_compile\.(\w+)\(.*'''$/.exec(line);
    if (begins) {
      inside = true;
      found.push([begins[1].startsWith("cpp") ? "cpp" : "python", []]);
    }
  }
  return found.filter(([, rows]) => rows.length > 0).map(([language, rows]) => [language, rows.join("\n")]);
}

/**
 * HTML cut into lines: a span that goes over the end of one is closed there and opened again.
 * @param {string} html
 * @returns {string[]}
 */
function lines(html) {
  /** @type {string[]} */
  let open = [];
  return html.split("\n").map((line) => {
    const before = open.join("");
    for (const tag of line.match(/<span[^>]*>|<\/span>/g) ?? []) {
      if (tag === "</span>") open = open.slice(0, -1);
      else open = [...open, tag];
    }
    return before + line + "</span>".repeat(open.length);
  });
}
