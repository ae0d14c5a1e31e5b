// States of a line or a grid: a picture of one of them
import {inkOf, rgbOf} from '../look.js';

/**
 * What the page shows, as the program wrote it (src/picture/grid_film.cpp). Of a line, y is what the captions are.
 * @typedef {{name: string, begin: number, end: number, ticks: {text: string, place: number}[]}} Axis
 * @typedef {NonNullable<import('../blocks.js').Facts['scale']> & {low: number, high: number}} Scale
 * @typedef {{
 *   title: string, rows: number, columns: number, captions: string[], x: Axis, y: Axis, steps: number, scale: Scale,
 *   last: Scale | null, dark?: boolean
 * }} PlotFacts
 * @typedef {{x: number, y: number, w: number, h: number}} Box
 */

/**
 * A color for every step, the last one for none.
 * @param {Scale} scale @param {number} steps
 */
function colorsOfSteps(scale, steps) {
  const ramp = scale.colors.map(rgbOf), colors = [];
  for (let s = 0; s < steps; ++s) {
    const at = s / (steps - 1) * (ramp.length - 1), k = Math.min(Math.floor(at), ramp.length - 2);
    colors.push(ramp[k].map((v, i) => Math.round(255 * (v + (ramp[k + 1][i] - v) * (at - k)))));
  }
  return [...colors, rgbOf(scale.none || '#999999').map(v => Math.round(255 * v))];
}

export class GridPicture {
  /**
   * @param {PlotFacts} facts
   * @param {Uint8Array} values a step per node and frame, then those of what is shown at the end
   */
  constructor(facts, values) {
    this.facts = facts;
    this.values = values;
    this.n = facts.rows * facts.columns;
    this.isLine = facts.rows === 1;
    this.colors = colorsOfSteps(facts.scale, facts.steps);
    this.lastColors = facts.last && colorsOfSteps(facts.last, facts.steps);
    /** @type {{curve: Box | null, image: Box}} */
    this.boxes = {curve: null, image: {x: 0, y: 0, w: 1, h: 1}};
  }

  /**
   * The middle of a step, null for none.
   * @param {number} step @param {Scale} scale
   */
  valueOf(step, {low, high}) {
    return step === this.facts.steps ? null : low + (step + 0.5) / this.facts.steps * (high - low);
  }

  /** @param {number} w @param {number} h pixels of the page */
  place(w, h) {
    const left = 76, top = 84, right = w > 640 ? 150 : 20, bottom = 118;
    const room = {x: left, y: top, w: Math.max(w - left - right, 20), h: Math.max(h - top - bottom, 40)};
    if (this.isLine) {
      const high = Math.round(0.42 * room.h);
      this.boxes = {curve: {...room, h: high}, image: {...room, y: top + high + 20, h: room.h - high - 20}};
      return;
    }
    const {rows, columns} = this.facts, side = Math.min(room.w / columns, room.h / rows);
    this.boxes = {
      curve: null,
      image: {...room, w: Math.max(Math.round(columns * side), 1), h: Math.max(Math.round(rows * side), 1)},
    };
  }

  /**
   * Draws frame `shown` (the number of frames: what is shown at the end) for a page of w x h pixels.
   * @param {CanvasRenderingContext2D} context @param {number} w @param {number} h
   * @param {number} pixels of the canvas per pixel @param {number} shown @param {boolean} dark
   */
  draw(context, w, h, pixels, shown, dark) {
    this.place(w, h);
    const {facts, n} = this, {curve, image} = this.boxes;
    const isEnd = shown === facts.captions.length, first = shown * n, colors = isEnd && this.lastColors || this.colors;
    if (curve) this.paint(context, image, pixels, facts.captions.length, facts.columns, 0, colors);
    else this.paint(context, image, pixels, facts.rows, facts.columns, first, colors);
    context.setTransform(pixels, 0, 0, pixels, 0, 0);
    context.font = '12px system-ui, sans-serif';
    context.lineWidth = 1;
    this.axes(context, image, dark, curve ? this.rowTicks() : facts.y.ticks, facts.y.name);
    if (!curve) return;
    this.line(context, curve, first, dark);
    const y = image.y + (shown + 0.5) / facts.captions.length * image.h;
    context.fillStyle = '#e8433f';
    context.fillRect(image.x - 6, y - 1, image.w + 12, 2);
  }

  /** Captions of about five frames down the space-time picture. */
  rowTicks() {
    const {captions} = this.facts, count = Math.min(5, captions.length), ticks = [];
    for (let k = 0; k < count; ++k) {
      const row = count > 1 ? Math.round(k * (captions.length - 1) / (count - 1)) : 0;
      ticks.push({text: captions[row], place: (row + 0.5) / captions.length});
    }
    return ticks;
  }

  /**
   * One pixel of the canvas has the color of its nearest cell.
   * @param {CanvasRenderingContext2D} context @param {Box} box @param {number} pixels
   * @param {number} rows @param {number} columns @param {number} first @param {number[][]} colors
   */
  paint(context, box, pixels, rows, columns, first, colors) {
    const [x0, y0, w, h] = [box.x, box.y, box.w, box.h].map(v => Math.max(Math.round(v * pixels), 1));
    const made = context.createImageData(w, h), out = new Uint32Array(made.data.buffer), {values} = this;
    const codes = Uint32Array.from(colors, ([r, g, b]) => (255 << 24 | b << 16 | g << 8 | r) >>> 0);
    const cells = Array.from({length: w}, (_, x) => Math.min(Math.floor((2 * x + 1) * columns / (2 * w)), columns - 1));
    for (let y = 0; y < h; ++y) {
      const from = first + Math.min(Math.floor((2 * y + 1) * rows / (2 * h)), rows - 1) * columns;
      for (let x = 0; x < w; ++x) out[y * w + x] = codes[values[from + cells[x]]];
    }
    context.putImageData(made, x0, y0);
  }

  /**
   * The curve of a line; of more nodes than pixels, the range in each.
   * @param {CanvasRenderingContext2D} context @param {Box} box @param {number} first @param {boolean} dark
   */
  line(context, box, first, dark) {
    const {facts, values, n} = this, ticks = facts.scale.ticks.map(tick => ({...tick, place: 1 - tick.place}));
    this.axes(context, box, dark, ticks, facts.scale.name, false);
    const up = (/** @type {number} */ step) => box.y + box.h * (1 - (step + 0.5) / facts.steps);
    const across = (/** @type {number} */ i) => box.x + box.w * (n > 1 ? (i + 0.5) / n : 0.5);
    context.strokeStyle = context.fillStyle = dark ? '#8ab4ff' : '#1a66d6';
    context.lineWidth = 1.8;
    context.beginPath();
    let isOn = false;
    const each = Math.max(Math.floor(n / (2 * box.w)), 1);
    for (let i = 0; i < n; i += each) {
      let low = facts.steps, high = -1;
      for (let k = i; k < Math.min(i + each, n); ++k) {
        const step = values[first + k];
        if (step < facts.steps) [low, high] = [Math.min(low, step), Math.max(high, step)];
      }
      if (high < 0) { isOn = false; continue; }
      if (isOn) context.lineTo(across(i), up(low));
      else context.moveTo(across(i), up(low));
      if (high > low) context.lineTo(across(i), up(high));
      isOn = true;
    }
    context.stroke();
    if (n === 1 && values[first] < facts.steps) context.fillRect(across(0) - 4, up(values[first]) - 4, 8, 8);
  }

  /**
   * Frame, ticks and names.
   * @param {CanvasRenderingContext2D} context @param {Box} box @param {boolean} dark
   * @param {{text: string, place: number}[]} ticks down the left side
   * @param {string} name of them @param {boolean} [below] ticks of x
   */
  axes(context, box, dark, ticks, name, below = true) {
    const {x} = this.facts;
    context.strokeStyle = context.fillStyle = inkOf(dark);
    context.strokeRect(box.x - 0.5, box.y - 0.5, box.w + 1, box.h + 1);
    context.textBaseline = 'middle';
    context.textAlign = 'right';
    for (const {text, place} of ticks) context.fillText(text, box.x - 8, box.y + place * box.h, box.x - 12);
    context.textAlign = 'left';
    context.fillText(name, 4, box.y - 12);
    if (!below) return;
    context.textAlign = 'center';
    context.textBaseline = 'top';
    for (const {text, place} of x.ticks) context.fillText(text, box.x + place * box.w, box.y + box.h + 5);
    context.fillText(x.name, box.x + box.w / 2, box.y + box.h + 22);
  }

  /**
   * Node and frame at a pixel of the page, null outside.
   * @param {number} px @param {number} py @param {number} shown
   */
  at(px, py, shown) {
    const {facts} = this, {curve, image} = this.boxes;
    const within = (/** @type {Box} */ b) => px >= b.x && py >= b.y && px < b.x + b.w && py < b.y + b.h;
    const cell = (/** @type {number} */ share, /** @type {number} */ cells) =>
      Math.min(Math.floor(share * cells), cells - 1);
    const column = cell((px - image.x) / image.w, facts.columns), row = (py - image.y) / image.h;
    if (curve && within(curve)) return {column, row: 0, frame: shown};
    if (!within(image)) return null;
    return curve ? {column, row: 0, frame: cell(row, facts.captions.length)}
      : {column, row: cell(row, facts.rows), frame: shown};
  }

  /**
   * What a tip says.
   * @param {{column: number, row: number, frame: number}} node
   */
  describe({column, row, frame}) {
    const {facts, values, n} = this, isEnd = frame === facts.captions.length;
    const scale = isEnd && facts.last || facts.scale;
    const along = (/** @type {Axis} */ axis, /** @type {number} */ i, /** @type {number} */ cells) =>
      `${axis.name} = ` +
      Number((axis.begin + (cells > 1 ? i / (cells - 1) : 0) * (axis.end - axis.begin)).toPrecision(6));
    const value = this.valueOf(values[frame * n + row * facts.columns + column], scale);
    const places = [along(facts.x, column, facts.columns), ...(this.isLine ? [] : [along(facts.y, row, facts.rows)])];
    return [`${scale.name} ${value === null ? 'none' : '≈ ' + Number(value.toPrecision(3))}`,
            [...places, ...(isEnd ? [] : [facts.captions[frame]])].join(', ')];
  }
}
