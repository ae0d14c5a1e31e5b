// The film of a run: its maps are kept, can be looked at again, and saved as a video
import {button, element, make} from '../dom.js';
import {download, fileName} from '../save.js';

/** Bytes of places that are kept. When there are more, every second map goes, and later on every second is kept. */
const mostBytes = 128e6;
/** A film has so many maps a second, and takes so many seconds, or less. */
const mostRate = 25, longest = 12;
const videoTypes = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm'];

/** @typedef {{places: Uint16Array, origin: number[], step: number, iteration: number, rows: Uint32Array | null}} KeptMap places in the order of these rows */

export class Film {
  /**
   * @param {import('../scene.js').Scene} scene
   * @param {{moved: () => Promise<void>, paint: (copy: HTMLCanvasElement, line: string) => void}} page
   */
  constructor(scene, page) {
    this.scene = scene;
    this.page = page;
    /** @type {KeptMap[]} */
    this.maps = [];
    this.every = 1;
    this.seen = 0;
    this.shown = -1;  // map of the film that is on the page; -1: the present one
    this.playing = false;
    this.recording = false;
    /** @type {(() => void) | null} shows the present map again */
    this.present = null;
    /** @type {{from: Uint32Array, to: Uint32Array, order: Uint32Array} | null} */
    this.orders = null;
    /** @type {() => void} */
    this.follow = () => {};
    /** @type {Blob | null} the last one that was saved */
    this.video = null;
    this.types = typeof MediaRecorder === 'undefined' || !HTMLCanvasElement.prototype.captureStream ? [] : videoTypes.filter(type => MediaRecorder.isTypeSupported(type));
    this.play = button('play', 'show the maps of the run one after another (F)', () => { if (this.playing) this.playing = false; else this.run(); });
    this.slider = /** @type {HTMLInputElement} */ (make('input', {type: 'range', min: '0', step: '1', title: 'maps of the run; the last one is the present'}));
    this.slider.setAttribute('aria-label', 'map of the run');
    this.slider.addEventListener('input', () => { this.playing = false; this.show(Number(this.slider.value)); });
    this.text = make('output', {className: 'small'});
    this.save = button('save film', 'save the maps of the run as a video (webm)', () => { if (this.recording) this.playing = false; else this.record(); });
    this.bar = make('div', {id: 'film', hidden: true}, this.play, this.slider, this.text, this.save);
    this.bar.setAttribute('role', 'toolbar');
    this.bar.setAttribute('aria-label', 'film of the run');
    this.save.hidden = this.types.length === 0;
    element('steer').before(this.bar);
    addEventListener('keydown', e => {
      if (e.key.toLowerCase() === 'f' && !this.bar.hidden && !(e.ctrlKey || e.metaKey || e.altKey || e.target instanceof HTMLInputElement)) this.play.click();
    });
  }

  /** @param {Uint16Array} places @param {number[]} origin @param {number} step @param {number} iteration */
  keep(places, origin, step, iteration) {
    const most = Math.floor(mostBytes / Math.max(places.byteLength, 1));
    if (most < 2) return;  // no film: two maps would take more than all may
    if (this.seen++ % this.every === 0) this.maps.push({places, origin, step, iteration, rows: this.scene.cloud.rows});
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

  update() {
    const {maps, shown, slider} = this;
    this.bar.hidden = maps.length < 2;
    slider.max = String(maps.length);
    slider.value = String(shown < 0 ? maps.length : shown);
    this.text.textContent = shown < 0 ? 'now' : `iteration ${maps[shown].iteration}`;
    this.play.textContent = this.playing && !this.recording ? 'pause' : 'play';
    this.save.textContent = this.recording ? 'cancel' : 'save film';
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
    for (let i = 0; i < n; ++i) for (let axis = 0; axis < dim; ++axis) ordered[dim * i + axis] = places[dim * order[i] + axis];
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
    scene.place(this.inOrder(maps[i]), maps[i].origin, maps[i].step);
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

  /**
   * Shows the maps from the one on the page, or from the first, at the rate of the film.
   * @param {() => void} [each] after every map
   */
  async run(each = () => {}) {
    const pause = 1000 * Math.max(1 / mostRate, Math.min(longest / Math.max(this.maps.length, 1), 0.2));
    const stride = Math.max(this.maps.length / mostRate / longest, 1);
    this.playing = true;
    for (let at = Math.max(this.shown, 0); this.playing; at += stride) {
      const next = performance.now() + pause;
      await this.show(Math.floor(at));
      each();
      await new Promise(resolve => setTimeout(resolve, Math.max(next - performance.now(), 0)));
      if (this.shown < 0) this.playing = false;
    }
    this.update();
  }

  /** Plays the film from its beginning, and saves what is seen. */
  async record() {
    const {page, types} = this, copy = /** @type {HTMLCanvasElement} */ (make('canvas'));
    copy.getContext('2d', {alpha: false});
    this.recording = true;
    await this.show(0);
    page.paint(copy, this.text.textContent || '');
    const stream = copy.captureStream(0), recorder = new MediaRecorder(stream, {mimeType: types[0], videoBitsPerSecond: 8e6}), /** @type {Blob[]} */ parts = [];
    const track = /** @type {CanvasCaptureMediaStreamTrack} */ (stream.getVideoTracks()[0]);
    recorder.ondataavailable = ({data}) => { parts.push(data); };
    recorder.start();
    const add = () => {
      page.paint(copy, this.shown < 0 ? '' : this.text.textContent || '');
      track.requestFrame();
    };
    await this.run(add);
    const whole = this.shown < 0;
    // The last map stays for a second
    for (let k = 0; whole && k < 5; ++k) {
      add();
      await new Promise(resolve => setTimeout(resolve, 200));
    }
    const stopped = new Promise(resolve => { recorder.onstop = resolve; });
    recorder.stop();
    await stopped;
    this.video = whole ? new Blob(parts, {type: 'video/webm'}) : null;
    if (this.video) download(this.video, fileName(this.scene.facts.title, '.webm'));
    await this.end();
    this.recording = false;
    this.update();
  }
}

/**
 * What brings the present map back.
 * @param {import('../scene.js').Scene} scene
 */
function kept(scene) {
  const {cloud, facts} = scene, {at, origin, step, codeBits, lowBits} = cloud, {largest, bounds, center, reach, peaks} = scene, {density} = facts;
  return () => {
    scene.changeLattice({origin, step});
    Object.assign(cloud, {at, origin, step, codeBits, lowBits});
    Object.assign(scene, {largest, bounds, center, reach, peaks});
    facts.density = density;
  };
}
