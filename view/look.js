// Sizes, opacities and colors: those of the PNG (src/picture/scene.cpp, shade.cpp), larger with increasing zoom
/** @typedef {import('./scene.js').Scene} Scene */
/**
 * @typedef {{
 *   diameter: number, alpha: number, most: number, spread: number, power: number,
 *   lineWidth: number, lineAlpha: number, linePower: number
 * }} Look
 */

const clamp = (/** @type {number} */ v, /** @type {number} */ low, /** @type {number} */ high) =>
  Math.min(Math.max(v, low), high);

/**
 * Exponent of the number of discs at a pixel (class Opacity in src/picture/shade.hpp).
 * @param {number} alpha
 * @param {number} most
 */
export function powerOf(alpha, most) {
  if (most <= 1 || alpha >= 1) return 1;
  return clamp(Math.log(Math.log(0.03) / Math.log(1 - alpha)) / Math.log(most), 0.1, 1);
}

/** @param {Scene} scene @returns {Look} */
export function lookOf(scene) {
  const {facts, view, size, fitted, cloud} = scene, n = Math.max(cloud.n, 1), given = facts.style;
  const side = Math.min(size.w, size.h), zoom = Math.max(view.scale / fitted, 0.2);
  const units = (cloud.step / view.scale) ** 2;
  const natural = given.pointSize > 0 ? given.pointSize
    : facts.lines ? clamp(0.26 * side / Math.sqrt(n), 0.0006 * side, 0.01 * side)
      : Math.max(Math.min(0.04 * side * n ** -0.25, 0.014 * side), 1.4);
  const diameter = Math.min(natural * zoom ** 0.45, Math.max(14, natural));
  const alpha = given.alpha > 0 ? given.alpha : clamp(1.25 - 0.14 * Math.log10(Math.max(n / zoom ** 2, 1)), 0.4, 0.9);
  const disc = Math.PI / 4 * diameter ** 2;
  const most = Math.max(1, facts.density.dense * units * disc), around = facts.density.around * units * disc;
  const spread = facts.density.middle > 0 ? clamp(Math.log2(facts.density.around / facts.density.middle) / 3, 0, 1) : 0;
  const magnitude = Math.log10(Math.max(facts.lines / zoom ** 2, 1));
  const lineWidth = given.edgeWidth > 0 ? given.edgeWidth
    : clamp(2 - 0.3 * magnitude, 0.5, 1.4) * Math.max(side / 1140, 0.7);
  const lineAlpha = given.edgeAlpha > 0 ? given.edgeAlpha : clamp(1.1 - 0.15 * magnitude, 0.15, 0.8);
  const crossing = facts.density.edges * cloud.step / view.scale * lineWidth;
  return {diameter, alpha, most: Math.max(around, 1e-3), spread, power: given.alpha > 0 ? 1 : powerOf(alpha, most),
          lineWidth, lineAlpha, linePower: given.edgeAlpha > 0 ? 1 : powerOf(lineAlpha, crossing)};
}

/**
 * Colors of a scale, the lowest first.
 * @param {{colors: string[]}} scale
 */
export const colorsOf = scale => scale.colors.filter(c => /^#[0-9a-f]{6}$/.test(c));

/**
 * Red, green and blue from 0 to 1.
 * @param {string} color
 */
export const rgbOf = color => [1, 3, 5].map(at => parseInt(color.slice(at, at + 2), 16) / 255);

/**
 * A color of the light page for the dark one (class Look in src/colors/look.hpp): lighter, by less the lighter it is,
 * so that scales keep their order; the gray of points below others is darker.
 * @param {string} color
 * @param {boolean} dark
 */
export function colorFor(color, dark) {
  if (!dark) return color;
  if (color === '#d9dde2') return '#363c45';
  const [r, g, b] = rgbOf(color), share = 0.4 * (1 - 0.2126 * r - 0.7152 * g - 0.0722 * b);
  return '#' + [r, g, b].map(v => Math.round(255 * (v + (1 - v) * share)).toString(16).padStart(2, '0')).join('');
}

export const paperOf = (/** @type {boolean} */ dark) => dark ? '#14171c' : '#ffffff';
export const inkOf = (/** @type {boolean} */ dark) => dark ? '#e8eaed' : '#222222';

/**
 * Weight of a group's points.
 * @param {Scene} scene
 * @param {number} i
 */
export const weightOf = (scene, i) =>
  !scene.groups[i].shown ? 0 : scene.highlighted < 0 || scene.highlighted === i ? 1 : 0.08;
