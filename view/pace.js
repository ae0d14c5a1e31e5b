// When to draw, and how much: while the view moves, as many layers as fit into a frame; at rest the others are added
// until all are in the picture. Times are the card's: a fence tells when a frame is done
import {lookOf} from './look.js';
import {layers} from './order.js';

/** Milliseconds for a frame while moving, and at rest. */
const budgets = {moving: 12, rest: 30};
/** The view is at rest after so many milliseconds without a change. */
const restAfter = 120;
/** So many points and ends of edges are in any frame: they take little time. */
const leastPoints = 20000;

/** @typedef {import('./paint/webgl.js').WebGlPainter | import('./paint/plain.js').PlainPainter} FirstPainter */
/** @typedef {FirstPainter | import('./webgpu/painter.js').TwoPainters} Painter */

export class Pace {
  /**
   * @param {import('./scene.js').Scene} scene @param {Painter} painter
   * @param {() => void} overlay draws what is above the points
   */
  constructor(scene, painter, overlay) {
    this.scene = scene;
    this.painter = painter;
    this.overlay = overlay;
    this.perLayer = Math.max(scene.cloud.n * 1e-5 / layers, 0.05);  // milliseconds, a guess at first
    this.wanted = false;
    this.scheduled = false;
    this.movedAt = -Infinity;
    /** @type {any} */
    this.fence = null;
    this.frames = 0;
    this.complete = false;
    /** @type {number[]} milliseconds of the last frames while moving */
    this.times = [];
    /** @type {((value: void) => void)[]} */
    this.waiting = [];
  }

  /**
   * A picture of the changed scene.
   * @param {boolean} [moving]
   */
  request(moving = false) {
    if (moving) this.movedAt = performance.now();
    this.wanted = true;
    this.complete = false;
    this.schedule();
  }

  get moving() { return performance.now() - this.movedAt < restAfter; }

  schedule() {
    if (this.scheduled || this.fence) return;
    this.scheduled = true;
    requestAnimationFrame(() => { this.scheduled = false; this.draw(); });
  }

  draw() {
    const {painter, moving, scene: {cloud}} = this, budget = moving ? budgets.moving : budgets.rest;
    const start = performance.now();
    if (this.wanted) {
      painter.start(lookOf(this.scene), painter.canvas.width / this.scene.size.w);
      this.overlay();
      this.wanted = false;
    }
    const before = painter.drawn;
    painter.advance(Math.max(Math.floor(budget / this.perLayer),
                             Math.ceil(layers * leastPoints / Math.max(cloud.n + cloud.ends.length, 1)), 1));
    ++this.frames;
    this.fence = painter.fence();
    this.wait(start, painter.drawn - before, moving, painter);
  }

  /** @param {number} start @param {number} drawn layers @param {boolean} moving @param {Painter} painter */
  wait(start, drawn, moving, painter) {
    if (!painter.isDone(this.fence)) {
      setTimeout(() => this.wait(start, drawn, moving, painter), 1);
      return;
    }
    const time = performance.now() - start;
    if (moving && this.times.push(time) > 256) this.times.shift();
    if (drawn > 0) this.perLayer += 0.3 * (Math.max(time - 1, 0.05) / drawn - this.perLayer);
    this.fence = null;
    if (this.wanted) this.schedule();
    else if (this.painter.drawn >= layers) this.finish();
    else if (this.moving) setTimeout(() => this.schedule(), restAfter);
    else this.schedule();
  }

  finish() {
    this.complete = true;
    this.waiting.splice(0).forEach(resolve => resolve());
  }

  /**
   * Resolves when all points are in the picture.
   * @returns {Promise<void>}
   */
  whole() { return this.complete ? Promise.resolve() : new Promise(resolve => this.waiting.push(resolve)); }
}
