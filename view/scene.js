// What is shown: points, groups, view, selection. Coordinates are those of the lattice; `view` maps them to the screen
import {largestCells} from './morton.js';
import {layerStarts} from './order.js';
import {Relief} from './relief/relief.js';

/** @typedef {{name: string, count: number, color: string, shown: boolean}} Group */
/** @typedef {(x: number, y: number, z: number, out: number[]) => void} Projection */
/**
 * @typedef {{
 *   places: Uint16Array, low: number[], high: number[], gaps: boolean, origin: number[], step: number
 * }} Places gaps: some have none
 */

/** @type {Projection} */
export const flat = (x, y, _z, out) => { out[0] = x; out[1] = y; };

/** Largest number of a coordinate of points that move; larger ones have no place yet. */
const lastNumber = 65534;
/** Names that are asked for at a time, and that are kept. */
const mostAsked = 1000, mostTold = 100000;

export class Scene {
  /** @param {import('./blocks.js').Facts} facts @param {import('./blocks.js').Cloud} cloud */
  constructor(facts, cloud) {
    this.facts = facts;
    this.cloud = cloud;
    this.space = cloud.dim === 3;
    this.starts = layerStarts(cloud.n);
    this.largest = this.space ? null : largestCells(cloud);
    /** @type {Group[]} */
    this.groups = facts.groups.map(g => ({...g, shown: true}));
    this.scale = facts.scale;  // legend of the colors
    this.named = this.groups.length > 1 || facts.names.length > 0;
    this.highlighted = -1;  // group under the pointer in the legend; the others are faint
    this.dark = false;
    this.size = {w: 1, h: 1};
    const inLattice = (/** @type {number} */ v, /** @type {number} */ axis) => (v - cloud.origin[axis]) / cloud.step;
    /** @type {number[]} */
    this.center = this.space ? facts.center.map(inLattice) : [0, 0, 0];
    this.bounds = this.space ? facts.bounds.map(v => v / cloud.step) : facts.bounds.map((v, i) => inLattice(v, i % 2));
    /** @type {import('./blocks.js').Facts['peaks']} */
    this.peaks = facts.peaks.map(peak =>
      ({...peak, place: peak.place.map(inLattice), span: peak.span && peak.span / cloud.step}));
    this.view = {turn: [...facts.turn], x: 0, y: 0, scale: 1};
    this.fitted = 1;  // scale at which all is seen
    this.moved = false;
    this.reach = this.space ? this.radius() : 0;
    this.relief = facts.landscape ? new Relief(facts.landscape, cloud.relief, cloud.origin, cloud.step) : null;
    this.raised = false;  // landscape or hulls are shown
    /** @type {Uint8Array | null} 1: selected */
    this.chosen = null;
    this.selected = 0;
    this.past = false;  // an earlier map of a run is shown
    /** @type {number[]} ends of pairs that a line joins, two of each */
    this.pairs = [];
    this.marked = -1;  // point whose details are shown
    /** @type {number[]} points that are pinned */
    this.pinned = [];
    /** @type {number[]} points that a search found */
    this.hits = [];
    /** @type {Map<number, string>} names that a server told, of a page that does not hold them */
    this.told = new Map();
    /** @type {number[][]} corners of the lasso, in pixels */
    this.lasso = [];
    /** @type {number[]} vertices that an edge joins to the marked one */
    this.adjacent = [];
    /** @type {number[]} map neighbors, and data neighbors, of the marked point */
    this.neighbors = [];
    this.dataNeighbors = [];
    /** @type {(() => void)[]} */
    this.listeners = [];
    /**
     * Names from a server that knows some which the page lacks
     * @type {((places: number[]) => Promise<string[] | undefined>) | null}
     */
    this.ask = null;
  }

  /**
   * The view on another lattice: what is seen stays in place.
   * @param {{origin: number[], step: number}} to
   */
  changeLattice({origin, step}) {
    const {cloud, view, space} = this, ratio = cloud.step / step;
    const shift = (/** @type {number} */ axis) => space ? 0 : (cloud.origin[axis] - origin[axis]) / step;
    view.x = view.x * ratio + shift(0);
    view.y = view.y * ratio + shift(1);
    view.scale /= ratio;
    this.fitted /= ratio;
  }

  /**
   * The points have moved. Their order is no longer that of a tree: it is one leaf.
   * @param {Places} map
   */
  place({places, low, high, gaps, origin, step}) {
    const {cloud, facts} = this, at = gaps ? new Float32Array(places) : places;
    // Points without a place are far away
    for (let i = 0; gaps && i < at.length; ++i) if (at[i] > lastNumber) at[i] = 1e7;
    const area = () =>
      Math.max((this.bounds[2] - this.bounds[0]) * (this.bounds[3] - this.bounds[1]), 1) * cloud.step ** 2;
    const before = area();
    this.changeLattice({origin, step});
    Object.assign(cloud, {at, origin, step, codeBits: 0, lowBits: 16});
    this.largest = null;
    if (low[0] > high[0]) [low, high] = [[0, 0, 0], [lastNumber, lastNumber, lastNumber]];
    this.bounds = [low[0], low[1], high[0], high[1]];
    if (this.space) {
      this.center = low.map((v, axis) => (v + high[axis]) / 2);
      this.reach = Math.hypot(...low.map((v, axis) => high[axis] - v)) / 2 || 1;
      this.bounds = [-1, -1, 1, 1].map(v => 0.6 * v * this.reach);
    }
    // Densities of a map of this shape and another size
    const shrunk = before / area(), {density} = facts;
    facts.density = {dense: density.dense * shrunk, around: density.around * shrunk, middle: density.middle * shrunk,
                     edges: density.edges * Math.sqrt(shrunk)};
  }

  /**
   * Another content of the same map: its points are in another order.
   * @param {import('./blocks.js').Facts} facts @param {import('./blocks.js').Cloud} cloud
   */
  replace(facts, cloud) {
    const {chosen, marked, view, moved, dark, size, listeners, groups, raised} = this, rows = this.cloud.rows;
    this.changeLattice(cloud);
    const fresh = new Scene(facts, cloud), {fitted} = this;
    Object.assign(this, fresh,
                  {view, moved: moved && !(raised && fresh.relief), dark, size, listeners, fitted, raised});
    this.groups.forEach((group, i) => { group.shown = groups[i]?.shown ?? true; });
    if (!rows || !cloud.rows || marked < 0 && !chosen) return;
    const placeOf = new Uint32Array(cloud.n);
    cloud.rows.forEach((row, place) => { placeOf[row] = place; });
    if (marked >= 0) this.marked = placeOf[rows[marked]];
    if (!chosen) return;
    const now = new Uint8Array(cloud.n);
    chosen.forEach((v, place) => { now[placeOf[rows[place]]] = v; });
    this.select(now);
  }

  changed() { this.listeners.forEach(listener => listener()); }

  /** Largest distance from the center. */
  radius() {
    const {at, n} = this.cloud, [a, b, c] = this.center;
    let most = 0;
    for (let i = 0; i < n; ++i) {
      const x = at[3 * i] - a, y = at[3 * i + 1] - b, z = at[3 * i + 2] - c;
      most = Math.max(most, x * x + y * y + z * z);
    }
    return Math.sqrt(most) || 1;
  }

  /**
   * Shows or hides the landscape, or the hulls.
   * @param {boolean} on
   */
  raise(on) {
    this.relief?.raise(this, on);
    this.raised = on;
  }

  /** How far the highest peak is moved up in the screen plane by the tilt. */
  get rise() { return this.relief && this.raised ? this.relief.lift * this.view.turn[5] : 0; }

  /**
   * Third coordinate of a point.
   * @param {number} place
   */
  z(place) {
    const {at, dim} = this.cloud;
    return dim === 3 ? at[3 * place + 2] : this.heightAt(at[2 * place], at[2 * place + 1]);
  }

  /** @param {number} x @param {number} y */
  heightAt(x, y) { return this.relief && this.raised ? this.relief.heightAt(x, y) : 0; }

  /** @param {number} place */
  shown(place) { return this.groups[this.cloud.groupOf[place]].shown; }

  /**
   * Coordinates of a point in the units of the map.
   * @param {number} place
   */
  coordinates(place) {
    const {at, dim, origin, step} = this.cloud;
    return Array.from({length: dim}, (_, axis) => origin[axis] + at[dim * place + axis] * step);
  }

  /** @param {number} place */
  nameOf(place) {
    const {ids, rows} = this.cloud;
    return ids ? ids[place] : this.told.get(place) ?? (rows ? 'point ' + rows[place] : '');
  }

  /**
   * Asks the server for names that the page lacks; whether it has told some.
   * @param {number[]} places
   */
  async learn(places) {
    const {ask, told} = this;
    const unknown = ask && !this.cloud.ids ? places.filter(place => !told.has(place)).slice(0, mostAsked) : [];
    if (!ask || !unknown.length) return false;
    const names = await ask(unknown);
    if (told !== this.told || !names) return false;
    if (told.size > mostTold) told.clear();
    names.forEach((name, i) => told.set(unknown[i], name));
    return true;
  }

  /** @param {number} place */
  labelOf(place) {
    const {labels, labeled, groupOf} = this.cloud;
    if (!labeled) return '';
    return this.facts.groupOfLabel.length ? this.facts.names[labels[place]] ?? '' : this.groups[groupOf[place]].name;
  }

  /**
   * The screen plane: coordinates of a point after rotation.
   * @returns {Projection}
   */
  get project() {
    const r = this.view.turn, [a, b, c] = this.center;
    if (!this.space) return flat;
    return (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ z, /** @type {number[]} */ out) => {
      x -= a; y -= b; z -= c;
      out[0] = r[0] * x + r[1] * y + r[2] * z;
      out[1] = r[3] * x + r[4] * y + r[5] * z;
    };
  }

  /**
   * Pixels of a point of the plane.
   * @param {number} x
   */
  across(x) { return (x - this.view.x) * this.view.scale + this.size.w / 2; }
  /** @param {number} y */
  down(y) { return this.size.h / 2 - (y - this.view.y) * this.view.scale; }

  /**
   * Pixels of a point.
   * @param {number} place
   */
  pixel(place) {
    const {at, dim} = this.cloud, p = [0, 0];
    this.project(at[dim * place], at[dim * place + 1], this.z(place), p);
    return [this.across(p[0]), this.down(p[1])];
  }

  /**
   * The visible part of the plane with a margin in pixels: left, bottom, right, top.
   * @param {number} margin
   */
  window(margin) {
    const {x, y, scale} = this.view, w = (this.size.w / 2 + margin) / scale, h = (this.size.h / 2 + margin) / scale;
    return [x - w, y - h - this.rise, x + w, y + h];
  }

  /** @param {Uint8Array | null} chosen ignored while only a sample is here, which lacks most of the points */
  select(chosen) {
    this.chosen = this.facts.of ? null : chosen;
    this.pairs = [];
    this.selected = this.chosen ? this.chosen.reduce((sum, v) => sum + v, 0) : 0;
    if (this.selected === 0) this.chosen = null;
    this.changed();
  }
}
