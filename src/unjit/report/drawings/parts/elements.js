// @ts-check
/** Elements of the page, made of plain text alone: nothing here reads markup. */

/**
 * An element. `class`, `text`, `on` (listeners by event) and `data` are what they say, all else are attributes.
 * @param {string} tag
 * @param {Record<string, any>} [properties]
 * @param {...(Node|string|null|undefined)} children
 * @returns {any}
 */
export function element(tag, properties = {}, ...children) {
  return filled(document.createElement(tag), properties, children);
}

/**
 * The same for a drawing's shapes.
 * @param {string} tag
 * @param {Record<string, any>} [properties]
 * @param {...(Node|string|null|undefined)} children
 * @returns {any}
 */
export function shape(tag, properties = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), properties, children);
}

/**
 * @param {Element} made
 * @param {Record<string, any>} properties
 * @param {(Node|string|null|undefined)[]} children
 */
function filled(made, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "text") made.textContent = value;
    else if (name === "on") for (const [event, heard] of Object.entries(value)) made.addEventListener(event, heard);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.filter((child) => child !== null && child !== undefined).map((child) => /** @type {any} */ (child)));
  return made;
}

/**
 * A button of a tool bar.
 * @param {string} text
 * @param {string} title what it does
 * @param {() => void} pressed
 */
export function button(text, title, pressed) {
  return element("button", { type: "button", class: "tool", title, text, on: { click: pressed } });
}

/**
 * The colours of a drawing as they are now, for a canvas, which knows no style sheets.
 * @param {Element} within an element that has the style
 * @param {string[]} names of custom properties
 * @returns {Record<string, string>}
 */
export function coloursOf(within, names) {
  const probe = element("span", { hidden: true });
  within.append(probe);
  /** @type {Record<string, string>} */
  const found = {};
  for (const name of names) {
    probe.style.color = `var(--${name})`;
    found[name] = getComputedStyle(probe).color;
  }
  probe.remove();
  return found;
}

/**
 * Be told when light turns dark, or dark light, by the system or by the page.
 * @param {() => void} changed
 */
export function onColours(changed) {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
  new MutationObserver(changed).observe(document.documentElement, { attributes: true });
}
