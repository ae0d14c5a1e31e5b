// Points within a polygon
import {visibleRanges} from './morton.js';

/**
 * Even-odd rule.
 * @param {number[][]} corners
 * @param {number} x
 * @param {number} y
 */
export function isInside(corners, x, y) {
  let inside = false;
  for (let i = 0, j = corners.length - 1; i < corners.length; j = i++) {
    const [ax, ay] = corners[i], [bx, by] = corners[j];
    if (ay > y !== by > y && x < (bx - ax) * (y - ay) / (by - ay) + ax) inside = !inside;
  }
  return inside;
}

/** @param {import('./scene.js').Scene} scene @param {number[][]} pixels corners of the polygon @returns {Uint8Array} 1 for every shown point within */
export function pointsWithin(scene, pixels) {
  const {cloud, view, size} = scene, chosen = new Uint8Array(cloud.n), p = [0, 0], {at, dim} = cloud;
  const corners = pixels.map(([x, y]) => [(x - size.w / 2) / view.scale + view.x, (size.h / 2 - y) / view.scale + view.y]);
  const xs = corners.map(c => c[0]), ys = corners.map(c => c[1]);
  const box = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)], project = scene.project;
  // A mask of cells that the outline does not meet decides most points by one lookup
  const cells = 256, mask = new Uint8Array(cells * cells), wide = (box[2] - box[0]) / cells || 1, high = (box[3] - box[1]) / cells || 1;
  for (let i = 0, j = corners.length - 1; i < corners.length; j = i++) {
    const [ax, ay] = corners[i], [bx, by] = corners[j];
    const steps = 2 * Math.ceil(Math.max(Math.abs(bx - ax) / wide, Math.abs(by - ay) / high)) + 1;
    for (let s = 0; s <= steps; ++s) {
      const cx = Math.floor((ax + (bx - ax) * s / steps - box[0]) / wide), cy = Math.floor((ay + (by - ay) * s / steps - box[1]) / high);
      for (let y = Math.max(cy - 1, 0); y <= Math.min(cy + 1, cells - 1); ++y)
        for (let x = Math.max(cx - 1, 0); x <= Math.min(cx + 1, cells - 1); ++x) mask[y * cells + x] = 2;
    }
  }
  for (let c = 0; c < cells * cells; ++c)
    if (mask[c] === 0 && isInside(corners, box[0] + (c % cells + 0.5) * wide, box[1] + (Math.floor(c / cells) + 0.5) * high)) mask[c] = 1;
  for (const [begin, end] of visibleRanges(cloud, project, [box[0], box[1] - scene.rise, box[2], box[3]])) {
    for (let i = begin; i < end; ++i) {
      project(at[dim * i], at[dim * i + 1], scene.z(i), p);
      if (!(p[0] >= box[0] && p[0] <= box[2] && p[1] >= box[1] && p[1] <= box[3])) continue;
      const cell = Math.min(Math.floor((p[1] - box[1]) / high), cells - 1) * cells + Math.min(Math.floor((p[0] - box[0]) / wide), cells - 1);
      if ((mask[cell] === 1 || mask[cell] === 2 && isInside(corners, p[0], p[1])) && scene.shown(i)) chosen[i] = 1;
    }
  }
  return chosen;
}
