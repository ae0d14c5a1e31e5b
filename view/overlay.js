// What is above the points: names of labels and points, the marked point, hits of a search, the lasso
import {ItemNames} from './items.js';
import {inkOf, lookOf, paperOf} from './look.js';
import {apart, setScales} from './names.js';

const font = '-apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
const mostNames = 400;
const leastSpan = 24;  // pixels of the points of a small group, or of one without a color of its own, that is named
const untilRest = 150;  // milliseconds without a change of the view, after which names of points are found anew
/** Most edges of the marked vertex that are drawn above the others. */
export const mostEdges = 1000;

export class Overlay {
  /** @param {HTMLCanvasElement} canvas @param {import('./scene.js').Scene} scene */
  constructor(canvas, scene) {
    this.canvas = canvas;
    this.scene = scene;
    this.context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    this.showNames = true;
    this.showItems = scene.facts.items?.shown ?? true;
    this.items = new ItemNames(scene);
    this.seen = '';
    this.waiting = 0;
    /** @type {{x: number, y: number} | null} where Enter will mark, take, or set a corner */
    this.cross = null;
    this.measured = '';
    /** @type {import('./names.js').PlacedName[]} */
    this.names = [];
  }

  fontSize() { return Math.min(Math.max(Math.min(this.scene.size.w, this.scene.size.h) / 50, 12), 18); }

  measure() {
    const {context, scene} = this, size = this.fontSize(), key = String(size);
    if (this.measured === key) return;
    this.measured = key;
    context.font = `600 ${size}px ${font}`;
    this.names = scene.peaks.slice(0, mostNames).map(({label, place, span}) => {
      const name = scene.facts.names[label], text = name.length > 28 ? name.slice(0, 27) + '…' : name;
      return {text, x: place[0], y: place[1], wide: context.measureText(text).width + 10, high: 1.3 * size, label,
              from: span ? leastSpan / span : 0};
    });
    if (!scene.space) setScales(this.names);
  }

  /** Names to be shown, with their middles in pixels. */
  visibleNames() {
    const {scene} = this, p = [0, 0];
    this.measure();
    const here = this.names.map((name, i) => {
      scene.project(name.x, name.y,
                    scene.cloud.dim === 3 ? scene.peaks[i].place[2] : scene.heightAt(name.x, name.y), p);
      return {name, x: scene.across(p[0]), y: scene.down(p[1]), wide: name.wide, high: name.high};
    }).filter(({name, x, y}) => scene.groups[scene.facts.groupOfLabel[name.label]].shown &&
                                name.from <= scene.view.scale &&
                                x >= 0 && y >= 0 && x <= scene.size.w && y <= scene.size.h);
    // Whole, also at the borders
    const inside = (/** @type {number} */ v, /** @type {number} */ half, /** @type {number} */ most) =>
      Math.min(Math.max(v, half), Math.max(most - half, half));
    for (const one of here) {
      one.x = inside(one.x, one.wide / 2, scene.size.w);
      one.y = inside(one.y, one.high / 2, scene.size.h);
    }
    return apart(here).map(i => here[i]);
  }

  /**
   * The label whose name is at a place in pixels; -1: none is.
   * @param {number} x @param {number} y
   */
  labelAt(x, y) {
    const at = this.showNames ? this.visibleNames().find(one => Math.abs(one.x - x) < one.wide / 2 &&
                                                                Math.abs(one.y - y) < one.high / 2) : undefined;
    return at ? at.name.label : -1;
  }

  /**
   * Boxes of the title, the legend and the tools.
   * @returns {import('./items.js').Box[]}
   */
  panels() {
    return [...document.querySelectorAll('header > *, #legend, #foot > *')].map(panel => panel.getBoundingClientRect());
  }

  itemFont() { return `${Math.round(0.8 * this.fontSize())}px ${font}`; }

  /** Finds the names of points that have room in this view. */
  findItems() {
    const {context, scene} = this, size = 0.8 * this.fontSize();
    const taken = this.showNames ? this.visibleNames().map(({x, y, wide, high}) =>
      ({left: x - wide / 2, right: x + wide / 2, top: y - high / 2, bottom: y + high / 2})) : [];
    context.font = this.itemFont();
    if (this.showItems) this.items.find(context, size, taken, this.panels(), () => { this.findItems(); this.draw(); });
    else this.items.names = [];
  }

  /** Names of points go with them while the view moves; once it rests, others may have room. */
  followView() {
    const {view, size, groups, cloud, raised} = this.scene;
    const seen = [view.x, view.y, view.scale, size.w, size.h, this.showNames, this.showItems, raised,
                  groups.map(g => Number(g.shown)).join('')].join();
    if (!this.items.possible || seen === this.seen && cloud.at === this.items.of) return;
    this.seen = seen;
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => { this.findItems(); this.draw(); }, untilRest);
  }

  /** @param {CanvasRenderingContext2D} [context] another canvas, for a picture */
  draw(context = this.context) {
    this.items.follow();
    const {scene, canvas} = this, {size, dark} = scene, pixels = canvas.width / size.w;
    const ink = inkOf(dark), paper = paperOf(dark);
    context.setTransform(pixels, 0, 0, pixels, 0, 0);
    if (context === this.context) context.clearRect(0, 0, size.w, size.h);
    context.lineJoin = 'round';
    const diameter = lookOf(scene).diameter;
    this.marks(context, diameter, ink, paper);
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    if (context === this.context) this.followView();
    context.font = this.itemFont();
    context.fillStyle = ink;
    context.strokeStyle = paper;
    context.lineWidth = 3;
    for (const {place, text, dx, dy} of this.showItems && this.items.possible ? this.items.names : []) {
      const [x, y] = scene.pixel(place);
      context.strokeText(text, x + dx, y + dy);
      context.fillText(text, x + dx, y + dy);
    }
    if (this.showNames) {
      context.font = `600 ${this.fontSize()}px ${font}`;
      context.strokeStyle = paper;
      context.lineWidth = 4;
      context.fillStyle = ink;
      for (const {name, x, y} of this.visibleNames()) {
        context.globalAlpha = 0.85;
        context.strokeText(name.text, x, y);
        context.globalAlpha = 1;
        context.fillText(name.text, x, y);
      }
    }
    const {cross} = this, corners = cross && scene.lasso.length ? [...scene.lasso, [cross.x, cross.y]] : scene.lasso;
    if (corners.length > 1) {
      context.beginPath();
      corners.forEach(([x, y], i) => i ? context.lineTo(x, y) : context.moveTo(x, y));
      context.closePath();
      context.fillStyle = dark ? 'rgba(120, 170, 255, 0.16)' : 'rgba(30, 100, 220, 0.12)';
      context.fill();
      context.strokeStyle = dark ? '#8ab4ff' : '#1a66d6';
      context.lineWidth = 1.5;
      context.stroke();
    }
    if (cross) {
      context.strokeStyle = ink;
      context.lineWidth = 1;
      context.beginPath();
      for (const [x, y] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
        context.moveTo(cross.x + 5 * x, cross.y + 5 * y);
        context.lineTo(cross.x + 13 * x, cross.y + 13 * y);
      }
      context.stroke();
    }
  }

  /** @param {CanvasRenderingContext2D} context @param {number} diameter @param {string} ink @param {string} paper */
  marks(context, diameter, ink, paper) {
    const {scene} = this;
    const ring = (/** @type {number} */ place, /** @type {string} */ color, /** @type {number} */ width,
                  /** @type {number} */ more) => {
      const [x, y] = scene.pixel(place);
      for (const [style, wide] of /** @type {[string, number][]} */ ([[paper, width + 2], [color, width]])) {
        context.beginPath();
        context.arc(x, y, Math.max(diameter / 2 + more, 5), 0, 2 * Math.PI);
        context.strokeStyle = style;
        context.lineWidth = wide;
        context.stroke();
      }
    };
    context.strokeStyle = scene.dark ? '#8ab4ff' : '#1a66d6';
    context.lineWidth = 1;
    context.globalAlpha = 0.6;
    for (let end = 0; end < scene.pairs.length; end += 2) {
      context.beginPath();
      const [x, y] = scene.pixel(scene.pairs[end]), [toX, toY] = scene.pixel(scene.pairs[end + 1]);
      context.moveTo(x, y);
      context.lineTo(toX, toY);
      context.stroke();
    }
    context.globalAlpha = 1;
    if (scene.marked >= 0) {
      const [x, y] = scene.pixel(scene.marked);
      const lines = (/** @type {number[]} */ places, /** @type {string} */ color, /** @type {number[]} */ dash) => {
        context.setLineDash(dash);
        context.strokeStyle = color;
        context.lineWidth = 1.5;
        for (const place of places) {
          const [a, b] = scene.pixel(place);
          context.beginPath();
          context.moveTo(x, y);
          context.lineTo(a, b);
          context.stroke();
        }
        context.setLineDash([]);
      };
      const on = scene.adjacent.slice(0, mostEdges);
      lines(on, ink, []);
      for (const place of on) ring(place, ink, 1.5, 1);
      lines(scene.dataNeighbors, '#d9480f', []);
      lines(scene.neighbors, scene.dark ? '#8ab4ff' : '#1a66d6', [4, 3]);
      for (const place of scene.dataNeighbors) ring(place, '#d9480f', 1.5, 2);
    }
    for (const place of scene.pinned.slice(0, 1000)) ring(place, scene.dark ? '#ff9c8f' : '#c0392b', 2, 3);
    for (const place of scene.hits) ring(place, scene.dark ? '#ffd166' : '#b35c00', 2, 3);
    if (scene.marked >= 0) ring(scene.marked, ink, 2, 4);
  }
}
