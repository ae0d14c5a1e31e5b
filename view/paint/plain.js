// Without WebGL 2: points and edges are drawn in order as squares and lines
import {colorFor, paperOf, weightOf} from '../look.js';
import {layers, placeInBlock} from '../order.js';

export class PlainPainter {
  /** @param {HTMLCanvasElement} canvas @param {import('../scene.js').Scene} scene */
  constructor(canvas, scene) {
    this.canvas = canvas;
    this.scene = scene;
    this.context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    this.name = 'canvas, without WebGL 2';
    this.card = '';
    this.drawn = 0;
    this.vertices = 0;
    this.exact = true;
  }

  resize() { this.drawn = 0; }
  /** Nothing is stored of the points. */
  move() {}
  stage() {}
  recolor() {}
  replace() {}

  /** @param {import('../look.js').Look} look @param {number} pixels */
  start(look, pixels) {
    const {context, scene} = this, {ends} = scene.cloud;
    this.look = look;
    this.drawn = 0;
    context.setTransform(pixels, 0, 0, pixels, 0, 0);
    context.globalAlpha = 1;
    context.fillStyle = paperOf(scene.dark);
    context.fillRect(0, 0, scene.size.w, scene.size.h);
    context.lineWidth = look.lineWidth;
    context.strokeStyle = scene.facts.gray;
    context.globalAlpha = look.lineAlpha;
    for (let e = 0; e < ends.length; e += 2) {
      if (!scene.shown(ends[e]) || !scene.shown(ends[e + 1])) continue;
      const [ax, ay] = scene.pixel(ends[e]), [bx, by] = scene.pixel(ends[e + 1]);
      context.beginPath();
      context.moveTo(ax, ay);
      context.lineTo(bx, by);
      context.stroke();
    }
  }

  /** @param {number} count */
  advance(count) {
    const {context, scene} = this, {n, groupOf} = scene.cloud;
    const look = /** @type {import('../look.js').Look} */ (this.look), d = look.diameter;
    const to = Math.min(layers, this.drawn + count), colors = scene.groups.map(g => colorFor(g.color, scene.dark));
    this.vertices = 0;
    for (; this.drawn < to; ++this.drawn) {
      for (let block = 0; block << 4 < n; ++block) {
        const i = (block << 4) + placeInBlock(block, this.drawn);
        if (i >= n) continue;
        const weight = weightOf(scene, groupOf[i]) * (scene.chosen && !scene.chosen[i] ? 0.08 : 1);
        if (weight === 0) continue;
        const [x, y] = scene.pixel(i);
        context.globalAlpha = look.alpha * weight;
        context.fillStyle = colors[groupOf[i]];
        context.fillRect(x - d / 2, y - d / 2, d, d);
        ++this.vertices;
      }
    }
  }

  /** @returns {WebGLSync} */
  fence() { return {}; }
  isDone() { return true; }
}
