// Where points that move are
import {lastNumber} from '../scene.js';

/** @typedef {{low: number[], high: number[], gaps: boolean}} Extent of places; gaps: some points have none */

/** @param {number} dim @returns {Extent} */
export const noExtent = dim => ({low: Array(dim).fill(Infinity), high: Array(dim).fill(-Infinity), gaps: false});

/**
 * The extent with the points of [begin, end).
 * @param {Extent} extent @param {Uint16Array} places @param {number} dim @param {number} begin @param {number} end
 */
export function extend(extent, places, dim, begin, end) {
  for (let axis = 0; axis < dim; ++axis) {
    let least = extent.low[axis], most = extent.high[axis], gaps = false;
    for (let i = begin * dim + axis; i < end * dim; i += dim) {
      const v = places[i];
      if (v > lastNumber) { gaps = true; continue; }
      if (v < least) least = v;
      if (v > most) most = v;
    }
    extent.low[axis] = least;
    extent.high[axis] = most;
    extent.gaps ||= gaps;
  }
  return extent;
}
