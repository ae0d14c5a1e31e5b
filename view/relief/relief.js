// The density of a flat map as elevation (src/picture/page_relief.cpp). Pages without it do not have this file
import {whole} from '../blocks.js';
import {make, swatch} from '../dom.js';
import {refuse} from '../frames.js';
import {rgbOf} from '../look.js';

/**
 * @typedef {object} Landscape
 * @property {number[]} nodes
 * @property {boolean} shown at once
 * @property {number} water elevation of the coast; the highest is 1
 * @property {number[]} levels ascending
 * @property {string[]} colors below the first level, and from each level on
 * @property {string[]} names
 * @property {string} coast
 * @property {boolean} contours
 * @property {string} note
 */
/**
 * @typedef {{values: Uint32Array, origin: number[], step: number}} Grid
 *   a number per node: elevation (16 bits), shade (8 bits)
 */

/**
 * A color of a band: on the dark page half as light.
 * @param {string} color
 * @param {boolean} dark
 */
export const groundFor = (color, dark) =>
  dark ? '#' + rgbOf(color).map(v => Math.round(127 * v).toString(16).padStart(2, '0')).join('') : color;

/** @param {any} facts of a page with a landscape or hulls */
export function checkRelief({dim, landscape: land, hulls, names}) {
  if (land && !(dim === 2 && land.nodes?.length === 2 &&
                land.nodes.every((/** @type {any} */ v) => whole(v, 8192) && v > 1) &&
                land.levels?.every(Number.isFinite) && land.colors?.length === land.levels.length + 1))
    refuse('its landscape is damaged');
  if (hulls && !(dim === 3 && hulls.every((/** @type {any} */ part) =>
    whole(part.vertices, 2 ** 28) && whole(part.triangles, 2 ** 28) && whole(part.label + 1, names.length))))
    refuse('its hulls are damaged');
}

/** @param {boolean} space hulls, not a landscape */
export const reliefHelp = space =>
  space ? 'hulls of labels' : 'landscape of the density: drag turns and tilts it, with Shift moves it';

export class Relief {
  /**
   * @param {Landscape} facts @param {Grid} grid
   * @param {number[]} origin @param {number} step of the points' lattice
   */
  constructor(facts, grid, origin, step) {
    this.facts = facts;
    this.values = grid.values;
    // All in units of the lattice
    this.origin = [0, 1].map(axis => (grid.origin[axis] - origin[axis]) / step);
    this.step = grid.step / step;
    this.sides = facts.nodes.map(count => (count - 1) * this.step);
    this.lift = 0.15 * Math.max(...this.sides);  // height of the highest peak
  }

  /**
   * Height of the ground, or of the water above it.
   * @param {number} x
   * @param {number} y
   */
  heightAt(x, y) {
    const {values, origin, step} = this, [nx, ny] = this.facts.nodes;
    const u = Math.min(Math.max((x - origin[0]) / step, 0), nx - 1);
    const v = Math.min(Math.max((y - origin[1]) / step, 0), ny - 1);
    const i = Math.min(Math.floor(u), nx - 2), j = Math.min(Math.floor(v), ny - 2), at = i + nx * j;
    const [a, b, c, d] = [at, at + 1, at + nx, at + nx + 1].map(node => values[node] & 65535);
    const low = a + (b - a) * (u - i), high = c + (d - c) * (u - i);
    return this.lift * Math.max((low + (high - low) * (v - j)) / 65535, this.facts.water);
  }

  /**
   * The bands from the peaks down.
   * @param {boolean} dark
   */
  bands(dark) {
    const {colors, names} = this.facts;
    return names.map((name, i) => ({name, color: groundFor(colors[i], dark)})).reverse();
  }

  /** @param {boolean} dark */
  legend(dark) {
    return [...this.bands(dark).map(({name, color}) => make('div', {className: 'row band'}, swatch(color), name)),
            make('div', {className: 'small', textContent: this.facts.note})];
  }

  /**
   * Turns about the vertical, and tilts.
   * @param {{turn: number[]}} view @param {number} a @param {number} b angles
   */
  rotate(view, a, b) {
    const {turn} = view, around = Math.atan2(turn[1], turn[0]) - a;
    const tilt = Math.min(Math.max(Math.atan2(turn[5], turn[8]) - b, 0), 1.3);
    const [c, s, k, m] = [Math.cos(around), Math.sin(around), Math.cos(tilt), Math.sin(tilt)];
    view.turn = [c, s, 0, -s * k, c * k, m, s * m, -c * m, k];
  }

  /**
   * Shows or hides the landscape: a map in space, which turns about its middle.
   * @param {import('../scene.js').Scene} scene
   * @param {boolean} on
   */
  raise(scene, on) {
    const {view, bounds, facts, cloud} = scene;
    if (view.turn[0] < 1 || scene.rise) scene.moved = false;
    const middle = on ? [0, 1].map(axis => Math.round((bounds[axis] + bounds[axis + 2]) / 2))
      : scene.center.map(v => -v);
    const edges = [...this.origin, ...this.origin.map((v, axis) => v + this.sides[axis])];
    scene.space = on;
    scene.center = on ? [...middle, 0] : [0, 0, 0];
    // Half of the way from the points to the border of the grid: three bandwidths
    scene.bounds = facts.bounds.map((v, i) => (v - cloud.origin[i % 2]) / cloud.step)
      .map((v, i) => on ? (v + edges[i]) / 2 - middle[i % 2] : v);
    view.turn = [...facts.turn];
    view.x -= middle[0];
    view.y -= middle[1];
  }

  /**
   * The place of the map that is seen at a place of the screen plane: where a ray meets the landscape.
   * @param {import('../scene.js').Scene} scene
   * @param {number} u
   * @param {number} v
   */
  seenAt(scene, u, v) {
    const r = scene.view.turn, low = r[2] * u + r[5] * v, steps = 256;
    for (let step = 0;; ++step) {
      const height = this.lift * (1 - step / steps), t = (height - low) / r[8];
      const x = scene.center[0] + r[0] * u + r[3] * v + r[6] * t, y = scene.center[1] + r[1] * u + r[4] * v + r[7] * t;
      if (step === steps || height <= this.heightAt(x, y)) return [x, y];
    }
  }
}
