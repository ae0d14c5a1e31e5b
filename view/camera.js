// Pan, zoom, rotate, fit
/** @typedef {import('./scene.js').Scene} Scene */

/**
 * Shows all points, left of the legend.
 * @param {Scene} scene
 * @param {number} legend its width in pixels
 */
export function fit(scene, legend) {
  const {view, size, space} = scene, [left, bottom, right, top] = scene.bounds;
  const wide = Math.max(size.w - 60 - legend, 40), high = Math.max(size.h - (size.w > 500 ? 130 : 190), 40);
  const across = right - left, along = top - bottom;
  let scale = across > 0 || along > 0 ? Math.min(wide / across, high / along) : 1;
  if (space) scale = Math.min(scale, Math.min(wide, high) / (1.6 * scene.reach));
  scene.fitted = view.scale = scale;
  if (space) view.turn = [...scene.facts.turn];
  view.x = (left + right) / 2 + legend / 2 / scale;
  view.y = (bottom + top) / 2 - (size.w > 500 ? 0 : 10) / scale;
  scene.moved = false;
}

/** A step of the lattice is at most this many pixels. */
const coarsest = 4;

/** @param {Scene} scene @param {number} factor @param {number} x @param {number} y the pixel that stays in place */
export function zoomAt(scene, factor, x, y) {
  const {view, size, fitted} = scene;
  const to = Math.min(Math.max(view.scale * factor, fitted / 5), Math.max(coarsest, 2 * fitted));
  const share = 1 / view.scale - 1 / to;
  view.x += (x - size.w / 2) * share;
  view.y += (size.h / 2 - y) * share;
  view.scale = to;
  scene.moved = true;
}

/** @param {Scene} scene @param {number} dx @param {number} dy pixels */
export function panBy(scene, dx, dy) {
  scene.view.x -= dx / scene.view.scale;
  scene.view.y += dy / scene.view.scale;
  scene.moved = true;
}

/**
 * Rotates freely, but a landscape.
 * @param {Scene} scene @param {number} dx @param {number} dy pixels
 */
export function rotateBy(scene, dx, dy) {
  const a = dx * 0.008, b = dy * 0.008, {turn} = scene.view;
  scene.moved = true;
  if (scene.relief) return scene.relief.rotate(scene.view, a, b);
  const y = [Math.cos(a), 0, Math.sin(a), 0, 1, 0, -Math.sin(a), 0, Math.cos(a)];
  const x = [1, 0, 0, 0, Math.cos(b), -Math.sin(b), 0, Math.sin(b), Math.cos(b)];
  const times = (/** @type {number[]} */ m, /** @type {number[]} */ k) => m.map((_, i) => {
    const row = 3 * Math.floor(i / 3), column = i % 3;
    return m[row] * k[column] + m[row + 1] * k[column + 3] + m[row + 2] * k[column + 6];
  });
  scene.view.turn = times(x, times(y, turn));
}

/**
 * Centers a point, at least `zoom` times as large as when all is seen.
 * @param {Scene} scene
 * @param {number} place
 * @param {number} zoom
 */
export function goTo(scene, place, zoom) {
  const {at, dim} = scene.cloud, p = [0, 0];
  scene.project(at[dim * place], at[dim * place + 1], scene.z(place), p);
  scene.view.x = p[0];
  scene.view.y = p[1];
  scene.view.scale = Math.min(Math.max(scene.view.scale, zoom * scene.fitted), Math.max(coarsest, 2 * scene.fitted));
  scene.moved = true;
}
