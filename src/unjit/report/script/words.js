// @ts-check
/** Numbers in words. */

/**
 * @param {number} number
 * @param {string} one
 * @returns {string} `1 row`, `2,000 rows`
 */
export function count(number, one) {
  return `${number.toLocaleString("en")} ${one}${number === 1 ? "" : "s"}`;
}
