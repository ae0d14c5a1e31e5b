// Names of points: where there is room, the first of each part of the window. None covers another one or a disc
import {lookOf} from './look.js';

/**
 * @typedef {{place: number, text: string, dx: number, dy: number, wide: number}} ItemName
 *   its middle is so far from the point, in pixels
 */
/** @typedef {{left: number, top: number, right: number, bottom: number}} Box */

const inBlock = 256;       // points in sequence, which lie together
const mostSeen = 300000;   // points that are looked at; of more in the window, every second, third ..
const fewSeen = 1000;      // points in a window that has names of groups
const mostItems = 300, longestItem = 40, itemCell = 4, itemPart = {wide: 48, high: 28};

export class ItemNames {
  /** @param {import('./scene.js').Scene} scene */
  constructor(scene) {
    this.scene = scene;
    this.cloud = scene.cloud;
    /** @type {ItemName[]} */
    this.names = [];
    /** @type {Float32Array | null} left, bottom, right, top of the blocks */
    this.boxes = null;
    /** @type {ArrayLike<number> | null} the places that they are of */
    this.of = null;
    /** @type {Uint32Array | null} edges of each point */
    this.degrees = null;
    /** @type {Map<number, number> | null} below 0: of points that are named first */
    this.ranks = null;
  }

  /** Whether the points have names, here or at the server, and lie in a plane. */
  get possible() {
    const {cloud, ask, space, raised} = this.scene;
    return (cloud.ids !== null || ask !== null) && !space && !raised;
  }

  /** Another content has its points in another order. */
  follow() {
    if (this.cloud === this.scene.cloud) return;
    Object.assign(this, {cloud: this.scene.cloud, names: [], boxes: null, degrees: null, ranks: null});
  }

  /** Boxes of blocks of points. */
  measure() {
    const {at, n, ends} = this.scene.cloud;
    if (this.of === at && this.boxes) return this.boxes;
    const boxes = new Float32Array(4 * Math.ceil(n / inBlock));
    for (let b = 0; 4 * b < boxes.length; ++b) {
      let left = Infinity, bottom = Infinity, right = -Infinity, top = -Infinity;
      for (let i = b * inBlock; i < Math.min((b + 1) * inBlock, n); ++i) {
        const x = at[2 * i], y = at[2 * i + 1];
        if (x < left) left = x;
        if (x > right) right = x;
        if (y < bottom) bottom = y;
        if (y > top) top = y;
      }
      boxes.set([left, bottom, right, top], 4 * b);
    }
    this.of = at;
    if (ends.length && !this.degrees) {
      this.degrees = new Uint32Array(n);
      for (const end of ends) ++this.degrees[end];
    }
    return this.boxes = boxes;
  }

  /**
   * Points whose discs are in the window, or a share of them.
   * @param {number} radius
   * @returns {number[]}
   */
  inWindow(radius) {
    const {scene} = this, {cloud, view, size} = scene, boxes = this.measure(), {at, n} = cloud;
    const x = (size.w / 2 + radius) / view.scale, y = (size.h / 2 + radius) / view.scale;
    const left = view.x - x, right = view.x + x, bottom = view.y - y, top = view.y + y;
    const blocks = [];
    for (let b = 0; 4 * b < boxes.length; ++b)
      if (boxes[4 * b] <= right && boxes[4 * b + 2] >= left && boxes[4 * b + 1] <= top && boxes[4 * b + 3] >= bottom)
        blocks.push(b);
    const stride = Math.ceil(blocks.length * inBlock / mostSeen), /** @type {number[]} */ found = [];
    const take = (/** @type {number} */ i) => {
      const px = at[2 * i], py = at[2 * i + 1];
      if (px >= left && px <= right && py >= bottom && py <= top && scene.shown(i)) found.push(i);
    };
    for (const b of blocks) for (let i = b * inBlock; i < Math.min((b + 1) * inBlock, n); i += stride) take(i);
    if (stride > 1) scene.facts.items?.first.forEach(take);
    return found;
  }

  /**
   * The point that goes first in each part of the window: one that has its name already, that is wanted, of more
   * edges, or of a smaller row.
   * @param {number[]} points
   */
  candidates(points) {
    const {scene} = this, {items} = scene.facts, {rows} = scene.cloud;
    const degrees = items?.byDegree === false ? null : this.degrees;
    const shown = new Set(this.names.map(name => name.place));
    const rank = this.ranks ??= new Map(items?.first.map((place, i) => [place, i - items.first.length]));
    const {w, h} = scene.size, columns = Math.ceil(w / itemPart.wide);
    const before = (/** @type {number} */ a, /** @type {number} */ b) => Number(shown.has(b)) - Number(shown.has(a)) ||
      (rank.get(a) ?? 0) - (rank.get(b) ?? 0) || (degrees ? degrees[b] - degrees[a] : 0) ||
        (rows ? rows[a] - rows[b] : a - b);
    /** @type {Map<number, number>} */
    const first = new Map();
    for (const point of points) {
      const [x, y] = scene.pixel(point);
      if (x < 0 || y < 0 || x > w || y > h) continue;
      const key = Math.floor(y / itemPart.high) * columns + Math.floor(x / itemPart.wide), other = first.get(key);
      if (other === undefined || before(point, other) < 0) first.set(key, point);
    }
    return [...first.values()].sort(before);
  }

  /**
   * Finds the names for what is seen now.
   * @param {CanvasRenderingContext2D} context with the font
   * @param {number} size of the font
   * @param {Box[]} taken by other names
   * @param {Box[]} panels that cover the map
   * @param {() => void} again when the server has told names
   */
  find(context, size, taken, panels, again) {
    const {scene} = this, {w, h} = scene.size, radius = lookOf(scene).diameter / 2;
    const points = this.possible ? this.inWindow(radius) : [];
    if (taken.length && points.length > fewSeen) points.length = 0;
    const columns = Math.ceil(w / itemCell) + 1, rows = Math.ceil(h / itemCell) + 1;
    const covered = new Uint8Array(columns * rows);
    const cellOf = (/** @type {number} */ v, /** @type {number} */ cells) =>
      Math.min(Math.max(Math.floor(v / itemCell), 0), cells - 1);
    for (const point of points) {
      const [x, y] = scene.pixel(point), last = cellOf(x + radius, columns), lowest = cellOf(y + radius, rows);
      for (let row = cellOf(y - radius, rows); row <= lowest; ++row)
        covered.fill(1, row * columns + cellOf(x - radius, columns), row * columns + last + 1);
    }
    /** @type {Box[]} */
    const boxes = [...taken, ...panels];
    const free = (/** @type {Box} */ box) => {
      if (box.left < 2 || box.top < 2 || box.right > w - 2 || box.bottom > h - 2) return false;
      if (boxes.some(other => other.left < box.right && box.left < other.right &&
                              other.top < box.bottom && box.top < other.bottom)) return false;
      for (let row = cellOf(box.top, rows); row <= cellOf(box.bottom, rows); ++row)
        for (let column = cellOf(box.left, columns); column <= cellOf(box.right, columns); ++column)
          if (covered[row * columns + column]) return false;
      return true;
    };
    const names = [], candidates = this.candidates(points), {ids} = scene.cloud;
    if (!ids) scene.learn(candidates).then(some => { if (some) again(); });
    for (const point of candidates) {
      if (names.length === mostItems) break;
      const id = ids ? ids[point] : scene.told.get(point) ?? '';
      const text = id.length > longestItem ? id.slice(0, longestItem - 1) + '…' : id;
      const wide = context.measureText(text).width;
      const [x, y] = scene.pixel(point), far = radius + itemCell, high = size;
      for (const [dx, dy] of [[far + wide / 2, 0], [-far - wide / 2, 0], [0, -far - high / 2], [0, far + high / 2]]) {
        const box = {left: x + dx - wide / 2, right: x + dx + wide / 2, top: y + dy - high / 2,
                     bottom: y + dy + high / 2};
        if (!text || !free(box)) continue;
        boxes.push(box);
        names.push({place: point, text, dx, dy, wide});
        break;
      }
    }
    this.names = names;
  }
}
