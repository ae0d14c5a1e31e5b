// What a page does to a run: pause, step, options by sliders, points that are dragged, pinned and shifted
import {element, make} from '../dom.js';
import {pointAt} from '../points.js';

/** @typedef {{name: string, help: string, value: number, least?: number, most?: number}} SteerField */
/**
 * @typedef {{
 *   open: boolean, paused: boolean, resting: boolean, iteration: number, dim: number, acts: number,
 *   fields: SteerField[]
 * }} RunState
 */

/** Positions of a slider, from -reach to reach. Without two bounds, a value is multiplied by up to 100. */
const reach = 100;

/** @param {SteerField} field @param {number} base its first value @param {number} at position of the slider */
export function valueAt({least, most}, base, at) {
  if (least !== undefined && most !== undefined)
    return least + (most - least) * (0.001 + 0.998 * (at + reach) / 2 / reach);
  return least === 0 && at === -reach ? 0 : (base || 1) * 10 ** (2 * at / reach);
}

/** @param {SteerField} field @param {number} base @param {number} value */
export function positionOf({least, most}, base, value) {
  const at = least !== undefined && most !== undefined ? (2 * (value - least) / (most - least) - 1) * reach
    : value > 0 ? Math.log10(value / (base || 1)) * reach / 2 : -reach;
  return Math.min(Math.max(Math.round(at), -reach), reach);
}

export class Steer {
  /** @param {import('../scene.js').Scene} scene @param {import('./link.js').Link} link */
  constructor(scene, link) {
    this.scene = scene;
    this.link = link;
    /** @type {RunState} */
    this.state = {open: false, paused: false, resting: false, iteration: 0, dim: 2, acts: 0, fields: []};
    /** @type {{field: SteerField, base: number, slider: HTMLInputElement, text: HTMLElement}[]} */
    this.sliders = [];
    /** @type {Set<number>} rows of the points that this page has pinned */
    this.pinned = new Set();
    /**
     * @type {{
     *   row: number, from: number[], x: number, y: number, by: number[], all: boolean, moved: boolean
     * } | null}
     */
    this.grabbed = null;
    this.dragging = false;  // by a tool, else with Ctrl
    this.busy = false;
    this.sending = 0;  // acts without an answer yet
    /**
     * What is to be sent when the last answer is there; newer ones replace it
     * @type {Record<string, unknown> | null}
     */
    this.next = null;
    const acts = /** @type {[string, string, () => void][]} */ ([
      ['pause', 'pause or go on (P)', () => this.send({act: this.state.paused ? 'resume' : 'pause'})],
      ['step', 'one iteration (.)', () => this.send({act: 'step'})],
      ['drag', 'drag points (M, or with Ctrl); of a selection, all',
       () => { this.dragging = !this.dragging; this.release(); this.show(); }],
      ['pin', 'pin the selection, or the marked point', () => this.points('pin')],
      ['free', 'free the selection, or the marked point', () => this.points('free')],
      ['restart', 'start again from here', () => this.send({act: 'restart'})],
      ['save', 'write the outputs now', () => this.send({act: 'save'})],
      ['finish', 'end here, with scores', () => this.send({act: 'finish'})],
      ['stop', 'end here', () => this.send({act: 'stop'})]]);
    /** @type {Record<string, HTMLElement>} */
    this.buttons = Object.fromEntries(acts.map(([name, title, act]) => {
      const button = make('button', {type: 'button', textContent: name, title});
      button.addEventListener('click', act);
      return [name, button];
    }));
    element('steer').replaceChildren(make('div', {}, ...Object.values(this.buttons)), make('div', {id: 'sliders'}));
    addEventListener('keydown', e => {
      if (e.ctrlKey || e.metaKey || e.altKey || e.target instanceof HTMLInputElement || !this.state.open) return;
      const key = e.key.toLowerCase();
      if (key === 'p') this.buttons.pause.click();
      if (e.key === '.') this.buttons.step.click();
      if (key === 'm') this.buttons.drag.click();
    });
  }

  /** @param {Record<string, unknown>} question */
  async send(question) {
    ++this.sending;
    const answer = await this.link.ask({ask: 'steer', ...question});
    --this.sending;
    if (answer.error) element('note').textContent = answer.error;
    return !answer.error;
  }

  /**
   * The newest of questions that come faster than answers.
   * @param {Record<string, unknown>} question
   */
  async follow(question) {
    this.next = question;
    if (this.busy) return;
    this.busy = true;
    for (; this.next; await this.send(question)) {
      question = this.next;
      this.next = null;
    }
    this.busy = false;
  }

  /** @param {'pin' | 'free'} act */
  async points(act) {
    const {scene} = this, {chosen, marked, cloud} = scene;
    const places = chosen ? [...chosen.keys()].filter(place => chosen[place]) : marked >= 0 ? [marked] : [];
    if (!places.length) return void (element('note').textContent = 'select points first, or click one');
    if (chosen) this.link.sendSelection(chosen);
    if (!await this.send(chosen ? {act, selected: true} : {act, places})) return;
    for (const place of places) this.pinned[act === 'pin' ? 'add' : 'delete'](cloud.rows ? cloud.rows[place] : place);
    this.mark();
  }

  get takes() { return this.state.open && !this.scene.past; }
  get drags() { return this.takes && this.dragging; }

  /** Shows which points are pinned. */
  mark() {
    const {rows, n} = this.scene.cloud;
    this.scene.pinned = [];
    for (let place = 0; this.pinned.size && place < n; ++place)
      if (this.pinned.has(rows ? rows[place] : place)) this.scene.pinned.push(place);
    this.scene.changed();
  }

  /**
   * Begins to drag the point at a pixel, if this page drags.
   * @param {number} x @param {number} y @param {boolean} withKey
   */
  grab(x, y, withKey) {
    const {scene} = this, {cloud} = scene;
    const place = this.takes && (this.dragging || withKey) ? pointAt(scene, x, y, 16) : -1;
    if (place < 0) return false;
    this.grabbed = {row: cloud.rows ? cloud.rows[place] : place, from: scene.coordinates(place), x, y,
                    by: Array(this.state.dim).fill(0), all: scene.chosen?.[place] === 1, moved: false};
    return true;
  }

  /** @param {number} x @param {number} y */
  pull(x, y) {
    const grabbed = this.grabbed, {view, cloud} = this.scene, unit = cloud.step / view.scale, r = view.turn;
    if (!grabbed) return;
    const across = (x - grabbed.x) * unit, along = (grabbed.y - y) * unit;
    grabbed.by = grabbed.by.map((v, c) => v + across * r[c] + along * r[3 + c]);
    Object.assign(grabbed, {x, y, moved: true});
    if (!grabbed.all) this.follow(this.dragged(grabbed));
  }

  /** @param {{row: number, from: number[], by: number[]}} grabbed */
  dragged({row, from, by}) {
    return {act: 'pin', places: [this.placeOf(row)], at: by.map((v, axis) => from[axis] + v)};
  }

  /** @param {number} row */
  placeOf(row) { return this.scene.cloud.rows ? this.scene.cloud.rows.indexOf(row) : row; }

  /** @param {boolean} keep else the point goes back */
  async release(keep = true) {
    const grabbed = this.grabbed;
    this.grabbed = null;
    if (!grabbed?.moved || grabbed.all && !keep) return;
    if (!keep) grabbed.by.fill(0);
    if (grabbed.all && this.scene.chosen) {
      this.link.sendSelection(this.scene.chosen);
      return void await this.send({act: 'nudge', selected: true, by: grabbed.by});
    }
    this.next = null;
    await this.send(this.dragged(grabbed));
    if (!this.pinned.has(grabbed.row)) await this.send({act: 'free', places: [this.placeOf(grabbed.row)]});
  }

  /** Nothing can be done until a state comes. */
  close() {
    this.grabbed = this.next = null;
    this.update({...this.state, open: false, paused: false, resting: false});
  }

  /** @param {RunState} state */
  update(state) {
    const same = state.fields.map(field => field.name).join() === this.sliders.map(({field}) => field.name).join();
    this.state = state;
    if (!same) this.makeSliders();
    state.fields.forEach((field, i) => {
      const {slider, text, base} = this.sliders[i];
      if (document.activeElement === slider && this.busy) return;
      slider.value = String(positionOf(field, base, field.value));
      text.textContent = String(Number(field.value.toPrecision(3)));
    });
    this.show();
  }

  show() {
    const {state, buttons} = this;
    element('steer').hidden = !state.open;
    buttons.pause.textContent = state.paused ? 'go on' : 'pause';
    buttons.pause.setAttribute('aria-pressed', String(state.paused));
    buttons.drag.setAttribute('aria-pressed', String(this.dragging));
    buttons.save.hidden = !state.resting;
    element('map').classList.toggle('drag', state.open && this.dragging);
  }

  makeSliders() {
    this.sliders = this.state.fields.map(field => {
      const slider = /** @type {HTMLInputElement} */ (
        make('input', {type: 'range', min: String(-reach), max: String(reach), title: field.help}));
      const text = make('output', {}), base = field.value;
      const set = () => {
        const value = valueAt(field, base, Number(slider.value));
        text.textContent = String(Number(value.toPrecision(3)));
        this.follow({act: 'set', option: field.name, value});
      };
      slider.addEventListener('input', set);
      slider.setAttribute('aria-label', field.name);
      return {field, base, slider, text};
    });
    element('sliders').replaceChildren(...this.sliders.map(({field, slider, text}) =>
      make('label', {title: field.help}, field.name, slider, text)));
  }
}
