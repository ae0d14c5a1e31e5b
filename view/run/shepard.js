// The Shepard diagram of a served map: distances of pairs in the map over those in the data. Its cells can be brushed,
// which selects the points of their pairs
import {button, element, grouped, make} from '../dom.js';

/**
 * @typedef {{
 *   pairs: number, of: number, columns: number, most: number[], slope: number, cells: number[], error?: string
 * }} Diagram
 */

const margin = {left: 44, bottom: 20, top: 8, right: 8};

/**
 * Round values from 0 to `most`, about four.
 * @param {number} most
 */
function ticks(most) {
  const unit = 10 ** Math.floor(Math.log10(most / 4));
  const step = unit * ([1, 2, 5, 10].find(by => most / (by * unit) <= 5) || 10);
  return most > 0 ? Array.from({length: Math.floor(most / step) + 1}, (_, i) => +(i * step).toPrecision(6)) : [0];
}

export class ShepardPanel {
  /**
   * @param {import('../scene.js').Scene} scene @param {import('./link.js').Link} link
   * @param {(place: number) => void} go marks a point
   */
  constructor(scene, link, go) {
    this.scene = scene;
    this.link = link;
    this.go = go;
    /** @type {Diagram | null} */
    this.diagram = null;
    /** @type {number[] | null} first column and row, last column and row, both counted from the lower left */
    this.brush = null;
    this.asked = 0;  // counts questions: a late answer to an older one is dropped
    this.button = make('button', {id: 'shepard', title: 'distances: Shepard diagram (G)', hidden: true});
    this.button.innerHTML = '<svg viewBox="0 0 20 20">' +
      '<path d="M3 3v14h14M6 14l.01 0M8 11l.01 0M10 12l.01 0M11 8l.01 0M13 9l.01 0M15 5l.01 0"/></svg>';
    this.canvas = /** @type {HTMLCanvasElement} */ (make('canvas', {tabIndex: 0}));
    this.canvas.setAttribute('role', 'application');
    this.canvas.setAttribute('aria-label',
                             'Shepard diagram; arrow keys move the brush, with Shift they change its size');
    this.said = make('p', {className: 'small'});
    this.said.setAttribute('role', 'status');
    this.often = make('div');
    const close = button('×', 'close (G)', () => this.open(false));
    close.className = 'close';
    const axes = make('div', {className: 'small'}, 'distance in the map (up) over that in the data (right)');
    this.panel = make('div', {id: 'diagram', hidden: true}, close, axes, this.canvas, make('div', {},
      button('too far apart',
             'the hundredth of the pairs that are farthest apart in the map for their distance in the data',
             () => this.choose({worst: 'apart'})),
      button('too close',
             'the hundredth of the pairs that are closest together in the map for their distance in the data',
             () => this.choose({worst: 'together'}))), this.said, this.often);
    this.panel.setAttribute('role', 'region');
    this.panel.setAttribute('aria-label', 'Shepard diagram');
    element('foot').prepend(this.panel);
    element('picture').before(this.button);
    this.button.setAttribute('aria-label', this.button.title);
    this.button.addEventListener('click', () => this.open(this.panel.hidden === true));
    addEventListener('keydown', e => {
      if (e.key.toLowerCase() === 'g' &&
          !(e.ctrlKey || e.metaKey || e.altKey || e.target instanceof HTMLInputElement || this.button.hidden))
        this.button.click();
    });
    addEventListener('resize', () => this.draw());
    // Dark or light
    new MutationObserver(() => this.draw())
      .observe(document.documentElement, {attributes: true, attributeFilter: ['class']});
    this.connect();
    this.renew();
  }

  /** Another content of the map. */
  renew() {
    this.diagram = null;
    this.brush = null;
    this.button.hidden = !this.link.hello.shepard;
    if (!this.panel.hidden) this.open(!this.button.hidden);
  }

  /** @param {boolean} on */
  async open(on) {
    this.panel.hidden = !on;
    this.button.setAttribute('aria-pressed', String(on));
    this.scene.pairs = [];
    if (!on) return this.scene.changed();
    this.said.textContent = 'measuring distances';
    this.often.replaceChildren();
    if (!this.diagram) {
      const answer = /** @type {Diagram} */ (await this.link.ask({ask: 'shepard'}));
      if (answer.error) return void (this.said.textContent = answer.error);
      this.diagram = answer;
    }
    const {pairs, of} = this.diagram;
    this.said.textContent = pairs ? `${grouped(pairs)} pairs of ${grouped(of)} points; drag over the badly placed ones`
      : 'there are no pairs';
    this.draw();
  }

  /** The part of the canvas with cells: left, top, width, height. */
  get area() {
    const {clientWidth: w, clientHeight: h} = this.canvas;
    return [margin.left, margin.top, Math.max(w - margin.left - margin.right, 1),
            Math.max(h - margin.top - margin.bottom, 1)];
  }

  draw() {
    const {canvas, diagram, brush} = this, context = canvas.getContext('2d'), pixels = devicePixelRatio || 1;
    if (this.panel.hidden || !context || !diagram) return;
    canvas.width = Math.round(canvas.clientWidth * pixels);
    canvas.height = Math.round(canvas.clientHeight * pixels);
    context.setTransform(pixels, 0, 0, pixels, 0, 0);
    const {columns, cells, most} = diagram, [left, top, wide, high] = this.area, style = getComputedStyle(canvas);
    const color = (/** @type {string} */ name) => style.getPropertyValue(name);
    const highest = Math.log1p(Math.max(...cells));
    context.fillStyle = color('--ink');
    cells.forEach((count, cell) => {
      if (!count) return;
      const column = cell % columns, row = Math.floor(cell / columns);
      context.globalAlpha = 0.12 + 0.88 * Math.log1p(count) / highest;
      const x = Math.round(left + wide * column / columns), y = Math.round(top + high * (1 - (row + 1) / columns));
      context.fillRect(x, y, Math.round(left + wide * (column + 1) / columns) - x,
                       Math.round(top + high * (1 - row / columns)) - y);
    });
    context.globalAlpha = 1;
    context.strokeStyle = color('--line');
    context.strokeRect(left, top, wide, high);
    context.fillStyle = color('--faint');
    context.font = '12px system-ui, sans-serif';
    context.textBaseline = 'top';
    for (const value of ticks(most[0])) {
      const x = left + wide * value / (most[0] || 1);
      context.fillRect(x, top + high, 1, 4);
      context.textAlign = x > left + wide - 20 ? 'right' : 'center';
      context.fillText(String(value), x, top + high + 6);
    }
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    for (const value of ticks(most[1])) {
      const y = top + high * (1 - value / (most[1] || 1));
      context.fillRect(left - 4, y, 4, 1);
      context.fillText(String(value), left - 6, Math.max(y, top + 6));
    }
    const end = Math.min(1, most[1] / (diagram.slope * most[0]) || 0);  // where the line leaves the diagram
    context.strokeStyle = color('--accent');
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(left, top + high);
    context.lineTo(left + wide * end, top + high * (1 - end * diagram.slope * most[0] / (most[1] || 1)));
    context.stroke();
    if (!brush) return;
    const [x, y, toX, toY] = brush;
    context.strokeStyle = color('--accent');
    context.lineWidth = 2;
    context.fillStyle = context.strokeStyle;
    const box = /** @type {[number, number, number, number]} */ (
      [left + wide * x / columns, top + high * (1 - (toY + 1) / columns),
       wide * (toX - x + 1) / columns, high * (toY - y + 1) / columns]);
    context.strokeRect(...box);
    context.globalAlpha = 0.15;
    context.fillRect(...box);
  }

  /** Pointer and keys of the brush. */
  connect() {
    const {canvas} = this, most = () => (this.diagram?.columns || 1) - 1;
    const within = (/** @type {number} */ v) => Math.min(Math.max(v, 0), most());
    /** @type {number[] | null} */
    let corner = null;
    const cellAt = (/** @type {PointerEvent} */ e) => {
      const box = canvas.getBoundingClientRect(), [left, top, wide, high] = this.area, n = most() + 1;
      return [within(Math.floor((e.clientX - box.left - left) / wide * n)),
              within(Math.floor((1 - (e.clientY - box.top - top) / high) * n))];
    };
    const spread = (/** @type {number[]} */ a, /** @type {number[]} */ b) => {
      this.brush = [Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[0], b[0]), Math.max(a[1], b[1])];
      this.draw();
    };
    canvas.addEventListener('pointerdown', e => {
      if (!this.diagram) return;
      canvas.setPointerCapture(e.pointerId);
      corner = cellAt(e);
      spread(corner, corner);
    });
    canvas.addEventListener('pointermove', e => { if (corner) spread(corner, cellAt(e)); });
    canvas.addEventListener('pointercancel', () => { corner = null; });
    canvas.addEventListener('pointerup', () => {
      if (corner && this.brush) this.choose({cells: this.brush});
      corner = null;
    });
    canvas.addEventListener('keydown', e => {
      const by = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]}[e.key];
      if (!by || !this.diagram) return;
      e.preventDefault();
      const n = most() + 1, [x, y, toX, toY] = this.brush || [0, n - n / 4, n / 4 - 1, n - 1];
      const step = (/** @type {number} */ low, /** @type {number} */ high, /** @type {number} */ move) =>
        e.shiftKey ? [low, Math.max(within(high + move), low)]
        : low + move < 0 || high + move >= n ? [low, high] : [low + move, high + move];
      const [a, b] = this.brush ? step(x, toX, by[0]) : [x, toX], [c, d] = this.brush ? step(y, toY, by[1]) : [y, toY];
      spread([a, c], [b, d]);
      this.choose({cells: /** @type {number[]} */ (this.brush)});
    });
  }

  /**
   * Selects the points of pairs.
   * @param {{cells: number[]} | {worst: string}} which
   */
  async choose(which) {
    const {scene, often} = this, serial = ++this.asked;
    if (!('cells' in which)) this.brush = null;
    this.draw();
    const answer = await this.link.ask({ask: 'shepard', ...which});
    if (serial !== this.asked || this.panel.hidden) return;
    if (answer.error) return void (this.said.textContent = answer.error);
    const chosen = new Uint8Array(scene.cloud.n);
    for (const place of answer.places) chosen[place] = 1;
    scene.select(chosen);
    scene.pairs = answer.lines;
    scene.changed();
    this.said.textContent = `${grouped(answer.pairs)} pairs` +
      (answer.lines.length < 2 * answer.pairs ? `, of which ${answer.lines.length / 2} are drawn` : '') +
      (answer.often.length ? '; most of them have' : '');
    often.replaceChildren(...answer.often.flatMap((/** @type {{place: number, name: string, pairs: number}} */ one) => {
      return [button(one.name, `${one.pairs} of the pairs`, () => this.go(one.place)), ' '];
    }));
  }
}
