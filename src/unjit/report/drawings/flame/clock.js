// @ts-check
/** A time line without the pauses in which nothing was compiled: they would leave a sliver for all the rest. */

/** @typedef {{start: number, end: number, at: number}} Stretch a time that is shown, and where it begins on the line */

const LONG = 0.05; // a pause longer than this part of the busy time is cut…
const LEFT = 0.015; // …to this part of it

export class Clock {
  /** @param {[number, number][]} busy begin and end of what happened */
  constructor(busy) {
    const merged = together(busy);
    const sum = merged.reduce((total, [start, end]) => total + end - start, 0) || 1;
    const gap = sum * LEFT;
    /** @type {Stretch[]} */
    this.stretches = [];
    this.cuts = [];
    let at = 0;
    for (const [start, end] of merged) {
      const last = this.stretches[this.stretches.length - 1];
      const pause = last ? start - last.end : 0;
      if (last && pause <= sum * LONG) {
        last.end = end;
      } else {
        if (last) {
          at = last.at + last.end - last.start + gap;
          this.cuts.push({ at: at - gap, width: gap, pause });
        }
        this.stretches.push({ start, end, at });
      }
    }
    const last = this.stretches[this.stretches.length - 1];
    this.length = last ? last.at + last.end - last.start : 1;
  }

  /** Where on the line a time is. @param {number} time */
  where(time) {
    const found = this.stretches.findLast((one) => one.start <= time) ?? this.stretches[0];
    return found ? found.at + Math.min(time, found.end) - found.start : 0;
  }

  /** Which time is at a point of the line. @param {number} at */
  time(at) {
    const found = this.stretches.findLast((one) => one.at <= at) ?? this.stretches[0];
    return found ? found.start + at - found.at : at;
  }
}

/** @param {[number, number][]} busy @returns {[number, number][]} without overlaps, in order */
function together(busy) {
  /** @type {[number, number][]} */
  const merged = [];
  for (const [start, end] of [...busy].sort((one, other) => one[0] - other[0])) {
    const last = merged[merged.length - 1];
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}

/** A length of time in words. @param {number} microseconds */
export function duration(microseconds) {
  if (microseconds < 1000) return `${Math.round(microseconds)} µs`;
  if (microseconds < 1e6) return `${three(microseconds / 1000)} ms`;
  return `${three(microseconds / 1e6)} s`;
}

/** @param {number} value with three digits that count */
function three(value) {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
