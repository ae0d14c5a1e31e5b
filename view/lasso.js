// Points within a polygon
import {childrenOf, rootOf, visibleRanges} from './morton.js';

/** Few points are tested one by one. */
const fewPoints = 64;

/**
 * @param {import('./scene.js').Scene} scene @param {number[][]} pixels corners of the polygon
 * @returns {Uint8Array} 1 for every shown point within
 */
export function pointsWithin(scene, pixels) {
  const {cloud, view, size, groups} = scene, chosen = new Uint8Array(cloud.n);
  const corners = pixels.map(([x, y]) =>
    [(x - size.w / 2) / view.scale + view.x, (size.h / 2 - y) / view.scale + view.y]);
  const edges = Float64Array.from(corners.flatMap((corner, i) => [...corner, ...corners[(i || corners.length) - 1]]));
  (scene.space || cloud.codeBits === 0 ? byRows : byCells)(scene, edges, chosen);
  const shown = groups.map(group => Number(group.shown));
  if (shown.includes(0)) for (let i = 0; i < cloud.n; ++i) chosen[i] &= shown[cloud.groupOf[i]];
  return chosen;
}

/**
 * Even-odd rule: whether an odd number of edges (ax, ay, bx, by) is to the right of a point.
 * @param {Float64Array} edges @param {number} x @param {number} y
 */
function isOdd(edges, x, y) {
  let odd = false;
  for (let e = 0; e < edges.length; e += 4) {
    const ay = edges[e + 1], by = edges[e + 3];
    if (ay > y !== by > y && x < (edges[e + 2] - edges[e]) * (y - ay) / (by - ay) + edges[e]) odd = !odd;
  }
  return odd;
}

/**
 * Edges that can be to the right of a point of a box; those that are to the right of all change `odd`. If none meets
 * it, a box is inside or outside.
 * @param {Float64Array} edges @param {boolean} odd
 * @param {number} left @param {number} low @param {number} right @param {number} high
 */
function boxWithin(edges, odd, left, low, right, high) {
  const wide = (right - left) / 2, tall = (high - low) / 2, mx = left + wide, my = low + tall;
  const kept = new Float64Array(edges.length);
  let length = 0, met = false;
  for (let e = 0; e < edges.length; e += 4) {
    const ax = edges[e], ay = edges[e + 1], bx = edges[e + 2], by = edges[e + 3], dx = bx - ax, dy = by - ay;
    if (Math.max(ay, by) < low || Math.min(ay, by) > high || Math.max(ax, bx) < left) continue;
    const meets = Math.min(ax, bx) <= right && Math.abs(dx * (my - ay) - dy * (mx - ax)) <= tall * Math.abs(dx) +
      wide * Math.abs(dy);
    if (!meets && Math.min(ay, by) < low && Math.max(ay, by) > high) {
      if (mx < dx * (my - ay) / dy + ax) odd = !odd;
      continue;
    }
    met ||= meets;
    for (let k = 0; k < 4; ++k) kept[length++] = edges[e + k];
  }
  edges = kept.subarray(0, length);
  return {edges, odd, met, inside: !met && isOdd(edges, mx, my) !== odd};
}

/**
 * Points in the order of a tree.
 * @param {import('./scene.js').Scene} scene @param {Float64Array} all edges @param {Uint8Array} chosen
 */
function byCells({cloud}, all, chosen) {
  const {at, codeBits} = cloud;
  /** @param {import('./morton.js').TreeNode} node @param {Float64Array} edges @param {boolean} odd */
  const visit = (node, edges, odd) => {
    // Rounding moves an edge by less than the margin, a step
    const {begin, end, side, corner: [x, y]} = node, box = boxWithin(edges, odd, x - 1, y - 1, x + side, y + side);
    if (box.inside) chosen.fill(1, begin, end);
    if (!box.met) return;
    if (end - begin > fewPoints && node.level < codeBits)
      for (const child of childrenOf(cloud, node)) visit(child, box.edges, box.odd);
    else for (let i = begin; i < end; ++i) if (isOdd(box.edges, at[2 * i], at[2 * i + 1]) !== box.odd) chosen[i] = 1;
  };
  visit(rootOf(cloud), all, false);
}

/**
 * Projected points, and those in another order: each is tested with edges at its height.
 * @param {import('./scene.js').Scene} scene @param {Float64Array} edges @param {Uint8Array} chosen
 */
function byRows(scene, edges, chosen) {
  const {cloud, project, space} = scene, {at, dim} = cloud, p = [0, 0], rows = 256;
  const [xs, ys] = [0, 1].map(axis => edges.filter((_, i) => i % 4 === axis)), left = Math.min(...xs);
  const low = Math.min(...ys), right = Math.max(...xs), top = Math.max(...ys);
  const high = (top - low) / rows || 1, wide = right - left + 1;
  const edgesOf = Array.from({length: rows}, (_, row) =>
    boxWithin(edges, false, left - wide, low + (row - 0.01) * high, right + wide, low + (row + 1.01) * high).edges);
  for (const [begin, end] of visibleRanges(cloud, project, [left, low - scene.rise, right, top])) {
    for (let i = begin; i < end; ++i) {
      let x = at[dim * i], y = at[dim * i + 1];
      if (space) {
        project(x, y, scene.z(i), p);
        [x, y] = p;
      }
      if (x >= left && x <= right && y >= low && y <= top &&
          isOdd(edgesOf[Math.min(Math.floor((y - low) / high), rows - 1)], x, y))
        chosen[i] = 1;
    }
  }
}
