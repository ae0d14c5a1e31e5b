// The film of a run: its maps are kept, can be looked at again, and saved as a video
import {Player} from '../film/player.js';

/** Bytes of places that are kept. With more, every second goes, later on every second is kept. */
const mostBytes = 128e6;

/**
 * @typedef {import('../scene.js').Places & {iteration: number, rows: Uint32Array | null}} KeptMap
 *   places in the order of these rows
 */

export class Film extends Player {
  /**
   * @param {import('../scene.js').Scene} scene
   * @param {{moved: () => Promise<void>, paint: (copy: HTMLCanvasElement, line: string) => void}} page
   */
  constructor(scene, page) {
    super(scene, page.paint, {of: 'run', item: 'map', present: 'now'});
    this.page = page;
    /** @type {KeptMap[]} */
    this.maps = [];
    this.every = 1;
    this.seen = 0;
    /** @type {(() => void) | null} shows the present map again */
    this.present = null;
    /** @type {{from: Uint32Array, to: Uint32Array, order: Uint32Array} | null} */
    this.orders = null;
    /** @type {() => void} */
    this.follow = () => {};
  }

  get length() { return this.maps.length; }
  /** @param {number} i */
  caption(i) { return `iteration ${this.maps[i].iteration}`; }

  /** @param {KeptMap} map */
  keep(map) {
    const most = Math.floor(mostBytes / Math.max(map.places.byteLength, 1));
    if (most < 2) return;  // no film: two maps would take more than all may
    if (this.seen++ % this.every === 0) this.maps.push(map);
    if (this.maps.length > most) {
      this.maps = this.maps.filter((_, i) => i % 2 === 0);
      this.every *= 2;
      if (this.shown >= 0) this.shown >>= 1;
    }
    this.update();
  }

  /** Another content: it is the present one. Maps whose order is not known are of no use. */
  renew() {
    if (!this.scene.cloud.rows) this.maps = [];
    this.playing = false;
    this.present = null;
    this.shown = -1;
    this.scene.past = false;
    this.update();
  }

  /**
   * Places in the present order of the points.
   * @param {KeptMap} map
   */
  inOrder({places, rows}) {
    const now = this.scene.cloud.rows, {dim, n} = this.scene.cloud;
    if (!rows || !now || rows === now) return places;
    if (this.orders?.from !== rows || this.orders.to !== now) {
      const placeOf = new Uint32Array(n);
      rows.forEach((row, place) => { placeOf[row] = place; });
      this.orders = {from: rows, to: now, order: now.map(row => placeOf[row])};
    }
    const {order} = this.orders, ordered = new Uint16Array(places.length);
    for (let i = 0; i < n; ++i)
      for (let axis = 0; axis < dim; ++axis) ordered[dim * i + axis] = places[dim * order[i] + axis];
    return ordered;
  }

  /**
   * Shows a map of the film; the one after the last is the present one.
   * @param {number} i
   */
  async show(i) {
    const {scene, maps} = this;
    if (i >= maps.length) return this.end();
    if (!this.present && this.shown < 0) this.present = kept(scene);
    this.shown = i;
    scene.past = true;
    scene.place({...maps[i], places: this.inOrder(maps[i])});
    this.update();
    this.follow();
    await this.page.moved();
  }

  /** Back to the present map. */
  async end() {
    const {present} = this;
    this.present = null;
    this.shown = -1;
    this.scene.past = false;
    if (present) present();
    this.update();
    await this.page.moved();
  }
}

/**
 * What brings the present map back.
 * @param {import('../scene.js').Scene} scene
 */
function kept(scene) {
  const {cloud, facts} = scene, {at, origin, step, codeBits, lowBits} = cloud;
  const {largest, bounds, center, reach, peaks} = scene, {density} = facts;
  return () => {
    scene.changeLattice({origin, step});
    Object.assign(cloud, {at, origin, step, codeBits, lowBits});
    Object.assign(scene, {largest, bounds, center, reach, peaks});
    facts.density = density;
  };
}
