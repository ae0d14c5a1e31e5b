// A map that moves: new places of the points as they come, and a new content when the map rests
import {refuse} from '../frames.js';
import {statusText} from './link.js';
import {element} from '../dom.js';
import {Film} from './film.js';

/** Milliseconds until names move again; most labels that move. */
const namesEvery = 500, mostLabels = 1000;

/**
 * Points that stand for their labels: of large ones every second, third, ...
 * @param {ArrayLike<number>} labels @param {number} of number of labels; a point of a larger one has none
 */
export function followed(labels, of, most = 262144) {
  const counts = new Uint32Array(of), seen = new Uint32Array(of), places = [];
  for (let i = 0; i < labels.length; ++i) ++counts[labels[i]];
  const every = counts.map(count => 1 + count * of / most);
  for (let i = 0; i < labels.length; ++i) if (seen[labels[i]]++ % every[labels[i]] === 0) places.push(i);
  return {labels, every, places};
}

/** @param {number} n @param {number} dim */
const noPlaces = (n, dim) => ({
  places: new Uint16Array(n * dim), low: Array(dim).fill(Infinity), high: Array(dim).fill(-Infinity),
  gaps: false, origin: [0], step: 1,
});

/**
 * The box with the points of another frame.
 * @param {import('../scene.js').Places} map @param {number} dim
 * @param {Uint16Array} box low, then high on every axis, then whether a point has no place
 */
function extend(map, dim, box) {
  const {low, high} = map;
  for (let axis = 0; axis < dim; ++axis) {
    low[axis] = Math.min(low[axis], box[axis]);
    high[axis] = Math.max(high[axis], box[dim + axis]);
  }
  map.gaps ||= box[2 * dim] > 0;
}

export class Live {
  /**
   * @param {import('../scene.js').Scene} scene @param {import('./link.js').Link} link
   * @param {import('./steer.js').Steer} steer
   * @param {{
   *   painter: {stage: (places: Uint16Array, begin: number, end: number) => void}, moved: () => Promise<void>,
   *   replaced: () => void, note: () => void, paint: (copy: HTMLCanvasElement, line: string) => void
   * }} page what takes places, what follows a map, whose promise ends when it is drawn, a content, and the end of the
   *   server
   */
  constructor(scene, link, steer, page) {
    this.scene = scene;
    this.link = link;
    this.page = page;
    this.steer = steer;
    this.incoming = noPlaces(0, 0);
    this.received = 0;
    this.maps = 0;
    this.contents = 0;
    /** @type {number[]} iterations of the maps so far */
    this.iterations = [];
    this.namedAt = -Infinity;
    this.followed = followed([], 0);
    this.film = new Film(scene, page);
    this.film.follow = () => this.placeNames();
  }

  /**
   * @param {{status: any, steering?: import('./steer.js').RunState}} message how far the run is, and what can be done
   *   to it (in a notebook: nothing)
   */
  tell({status, steering}) {
    const paused = steering?.paused && steering.open;
    this.say(steering?.resting && !paused ? 'at rest; drag a point to go on'
             : [...(status ? [statusText(status)] : []), ...(paused ? ['paused'] : [])].join(', '));
    if (steering) this.steer.update(steering);
  }

  /** @param {string} text */
  say(text) { element('run').textContent = text; }

  /** @param {import('../frames.js').Frame} frame */
  take(frame) {
    const {cloud, space} = this.scene, {n, dim} = cloud, {first, count, payload} = frame;
    if (frame.kind !== 6 || frame.space !== space || frame.deflated) refuse('places of the points were expected');
    if (first === 0) {
      this.incoming = noPlaces(n, dim);
      this.received = 0;
    }
    if (first !== this.received || first + count > n || payload.length !== 2 * (count * dim + 2 * dim + 1) ||
        frame.last !== (first + count === n))
      refuse('places of the points are incomplete');
    const numbers = new Uint16Array(payload.buffer, payload.byteOffset, payload.length / 2);
    const box = numbers.subarray(count * dim);
    this.incoming.places.set(numbers.subarray(0, count * dim), first * dim);
    this.received += count;
    extend(this.incoming, dim, box);
    this.page.painter.stage(this.incoming.places, first & ~15, first + count);
    if (frame.last) this.show(frame);
  }

  /** @param {import('../frames.js').Frame} frame the last one of a map */
  show(frame) {
    const {scene, film} = this, {origin, step, iteration} = frame;
    const map = {...this.incoming, origin, step, iteration, rows: scene.cloud.rows};
    film.keep(map);
    ++this.maps;
    this.iterations.push(iteration);
    if (this.iterations.length > 1000) this.iterations.shift();
    if (scene.past) {  // it is shown when the film is left
      film.present = () => { scene.place(map); this.placeNames(); };
      return this.link.send({drawn: frame.map});
    }
    scene.place(map);
    if (performance.now() > this.namedAt + namesEvery) this.placeNames();
    this.page.moved().then(() => this.link.send({drawn: frame.map}));
  }

  /** Names of labels are in the middle of their points. */
  placeNames() {
    const {scene: {facts: {names}, cloud: {at, labels, dim}}} = this;
    this.namedAt = performance.now();
    if (names.length === 0 || names.length > mostLabels) return;
    if (this.followed.labels !== labels) this.followed = followed(labels, names.length);
    const {every, places} = this.followed, sums = new Float64Array(names.length * 3);
    const counts = new Float64Array(names.length);
    for (const i of places) {
      if (at[dim * i] > 65535) continue;
      ++counts[labels[i]];
      for (let axis = 0; axis < dim; ++axis) sums[3 * labels[i] + axis] += at[dim * i + axis];
    }
    const peaks = names.map((_, label) =>
      ({label, place: [0, 1, 2].map(axis => sums[3 * label + axis] / counts[label]),
        prominence: counts[label] * every[label]}));
    this.scene.peaks = peaks.filter(peak => peak.prominence > 0).sort((a, b) => b.prominence - a.prominence);
  }

  /** @param {import('../blocks.js').Facts} facts @param {import('../blocks.js').Cloud} cloud */
  replace(facts, cloud) {
    ++this.contents;
    this.scene.replace(facts, cloud);
    this.say('');
    this.steer.close();
    this.steer.mark();
    this.film.renew();
    this.page.replaced();
  }

  /** The server has ended. */
  ended() {
    this.link.drop('the server has ended');
    this.say('');
    this.steer.close();
    this.page.note();
  }
}
