// Puts frames together: positions, labels, edges, row numbers and ids of the points, in Morton order
import {checkFilm} from './film/colors.js';
import {kinds, payloadOf, refuse} from './frames.js';
import {cellOf, readCodes, readVarint, varint} from './morton.js';
import {checkRelief} from './relief/relief.js';

/**
 * What the page shows, as the program wrote it (src/picture/page_content.cpp).
 * @typedef {object} Facts
 * @property {string} title
 * @property {boolean} [dark] always on dark paper
 * @property {number} points
 * @property {number} [of] these are a random sample of so many
 * @property {number} dim
 * @property {number} lowBits
 * @property {string[]} names of the labels
 * @property {number[]} groupOfLabel after those of the names that of points without a label, if there are some
 * @property {{name: string, count: number, color: string}[]} groups
 * @property {string[]} ramp
 * @property {number} lines
 * @property {number} drawnLines
 * @property {string} gray
 * @property {{name: string, colors: string[], ticks: {text: string, place: number}[], none?: string} | null} scale
 * @property {number[]} center
 * @property {number[]} turn
 * @property {number[]} bounds of the flat map: left, bottom, right, top
 * @property {{dense: number, around: number, middle: number, edges: number}} density
 *   typical densities (src/picture/cell_density.hpp)
 * @property {{pointSize: number, alpha: number, edgeWidth: number, edgeAlpha: number}} style
 * @property {{label: number, place: number[], prominence: number, span?: number}[]} peaks
 *   span: of a label that is named once so much is large enough
 * @property {{column: string, shown: boolean, byDegree: boolean, first: number[]}} [items]
 *   what names of points are, whether they are shown at first, and the points that are named first
 * @property {import('./relief/relief.js').Landscape | null} [landscape]
 * @property {{captions: string[], scale: Facts['scale'], names: string[]} | null} [film]
 *   frames of colors; names: of the groups in them
 * @property {{
 *   name: string, label: number, color: string, opacity: number, vertices: number, triangles: number
 * }[] | null} [hulls]
 */

/**
 * @typedef {object} Cloud
 * @property {number} n
 * @property {number} dim
 * @property {number} codeBits
 * @property {number} lowBits
 * @property {Uint32Array} codes ascending
 * @property {Uint16Array | Float32Array} at lattice coordinates, `dim` per point
 * @property {Uint32Array | Uint16Array | Uint8Array} labels
 * @property {boolean} labeled
 * @property {Uint8Array} groupOf
 * @property {Uint32Array} ends places of the ends of the edges, in pairs
 * @property {Uint32Array | null} rows number of every point in the map
 * @property {string[] | null} ids
 * @property {number[]} origin
 * @property {number} step
 * @property {Uint8Array} colors groups of the points in each frame of the film
 * @property {import('./relief/relief.js').Grid} relief
 * @property {{vertices: Uint16Array, triangles: Uint32Array, origin: number[], step: number}} mesh
 *   six numbers per vertex: place, (normal + 1) / 2
 */

export const whole = (/** @type {any} */ v, /** @type {number} */ most) => Number.isInteger(v) && v >= 0 && v <= most;

/** @param {any} facts @returns {Facts} */
export function checkedFacts(facts) {
  if (!facts || !whole(facts.of ?? 1, 2 ** 31) || !whole(facts.points, facts.of ?? 2 ** 31))
    refuse('it does not say how many points there are');
  if (facts.dim !== 2 && facts.dim !== 3) refuse(`${facts.dim} dimensions are unknown`);
  if (!whole(facts.lowBits, 14) || !whole(facts.drawnLines, 2 ** 31)) refuse('bits or edges are out of range');
  if (!Array.isArray(facts.groups) || facts.groups.length < 1 || facts.groups.length > 256) refuse('it has no groups');
  if (!facts.groupOfLabel?.every((/** @type {any} */ g) => whole(g, facts.groups.length - 1)))
    refuse('a label has no group');
  if (facts.landscape || facts.hulls) checkRelief(facts);
  if (facts.film) checkFilm(facts);
  return facts;
}

/** Collects frames in their order. */
export class Assembly {
  /** @param {Facts} facts */
  constructor(facts) {
    const n = facts.points, codeBits = facts.dim === 2 ? 16 : 10;
    const names = facts.groupOfLabel.length || facts.groups.length;
    const total = (/** @type {'vertices' | 'triangles'} */ what) =>
      (facts.hulls || []).reduce((sum, part) => sum + part[what], 0);
    this.facts = facts;
    /** @type {Cloud} */
    this.cloud = {
      n, dim: facts.dim, codeBits, lowBits: facts.lowBits, codes: new Uint32Array(n),
      at: codeBits + facts.lowBits > 16 ? new Float32Array(n * facts.dim) : new Uint16Array(n * facts.dim),
      labels: names <= 256 ? new Uint8Array(n) : names <= 65536 ? new Uint16Array(n) : new Uint32Array(n),
      labeled: false, groupOf: new Uint8Array(n), ends: new Uint32Array(2 * facts.drawnLines), rows: null, ids: null,
      origin: [0, 0, 0], step: 1,
      colors: new Uint8Array(facts.film ? n * facts.film.captions.length : 0),
      relief: {values: new Uint32Array(facts.landscape ? facts.landscape.nodes[0] * facts.landscape.nodes[1] : 0),
               origin: [], step: 1},
      mesh: {vertices: new Uint16Array(6 * total('vertices')), triangles: new Uint32Array(3 * total('triangles')),
             origin: [], step: 1},
    };
    /** @type {Record<number, number>} number of items of every kind that were read */
    this.read = {1: 0, 2: 0, 3: 0, 4: 0, 5: 0, 7: 0, 8: 0, 9: 0, 10: 0};
    /** @type {Record<number, number>} of kinds that are not items of points */
    this.wanted = {[kinds.edges]: facts.drawnLines, [kinds.relief]: this.cloud.relief.values.length,
                   [kinds.vertices]: this.cloud.mesh.vertices.length,
                   [kinds.triangles]: this.cloud.mesh.triangles.length,
                   [kinds.colors]: this.cloud.colors.length};
  }

  /** Share of the positions that were read. */
  get progress() { return this.cloud.n ? this.read[kinds.positions] / this.cloud.n : 1; }

  /** @param {import('./frames.js').Frame} frame */
  async add(frame) {
    if (frame.kind === kinds.moved) refuse('places that have moved were not expected');
    const bytes = await payloadOf(frame), items = this.wanted[frame.kind] ?? this.cloud.n;
    if (frame.first !== this.read[frame.kind] || frame.first + frame.count > items)
      refuse(`items ${frame.first} to ${frame.first + frame.count} of ${items} were not expected`);
    if (frame.kind === kinds.positions) this.positions(frame, bytes);
    if (frame.kind === kinds.labels) this.labels(frame, bytes);
    if (frame.kind === kinds.edges) this.edges(frame, bytes);
    if (frame.kind === kinds.rows) this.rows(frame, bytes);
    if (frame.kind === kinds.ids) this.ids(frame, bytes);
    if (frame.kind === kinds.colors) this.planes(frame, bytes, this.cloud.colors, this.facts.groups.length - 1);
    else if (frame.kind >= kinds.relief) this.numbers(frame, bytes);
    this.read[frame.kind] += frame.count;
  }

  /** The points, all read. */
  finished() {
    const {cloud, read} = this;
    const wanted = {...this.wanted, [kinds.positions]: cloud.n, [kinds.labels]: cloud.labeled ? cloud.n : 0};
    for (const [kind, count] of Object.entries(wanted))
      if (read[Number(kind)] !== count) refuse(`only ${read[Number(kind)]} of ${count} items are there`);
    if (cloud.rows && read[kinds.rows] !== cloud.n || cloud.ids && read[kinds.ids] !== cloud.n)
      refuse('names of points are missing');
    return cloud;
  }

  /** @param {import('./frames.js').Frame} frame @param {Uint8Array} bytes */
  positions(frame, bytes) {
    const {cloud} = this, {dim, lowBits, codes, at} = cloud, {first, count} = frame, low = 2 ** lowBits;
    if (frame.width !== lowBits || frame.space !== (dim === 3)) refuse('positions of another kind were expected');
    let from = readCodes(bytes, codes, first, count, 2 ** (dim * cloud.codeBits) - 1);
    for (let axis = 0; axis < dim; ++axis) {
      for (let i = first; i < first + count; ++i) at[dim * i + axis] = cellOf(codes[i], dim, axis) * low;
      for (let shift = 0; shift < lowBits; shift += 8, from += count) {
        if (from + count > bytes.length) refuse('positions are incomplete');
        const scale = 2 ** shift;
        for (let i = 0; i < count; ++i) at[dim * (first + i) + axis] += bytes[from + i] * scale;
      }
    }
    if (from !== bytes.length) refuse('a frame has bytes after its positions');
    if (low > 1 && lowBits % 8)
      for (let i = dim * first; i < dim * (first + count); ++i)
        if (at[i] >= 2 ** (cloud.codeBits + lowBits)) refuse('a position is outside of the box');
    cloud.origin = frame.origin;
    cloud.step = frame.step;
  }

  /**
   * Numbers of `width` bytes, in planes.
   * @param {import('./frames.js').Frame} frame
   * @param {Uint8Array} bytes
   * @param {Uint8Array | Uint16Array | Uint32Array} out
   * @param {number} most
   */
  planes(frame, bytes, out, most) {
    const {first, count, width} = frame;
    if (width < 1 || width > 4 || bytes.length !== count * width) refuse('numbers are incomplete');
    for (let i = 0; i < count; ++i) {
      let value = 0;
      for (let plane = width - 1; plane >= 0; --plane) value = value * 256 + bytes[plane * count + i];
      if (value > most) refuse(`a number is ${value}; at most ${most} is allowed`);
      out[first + i] = value;
    }
  }

  /** @param {import('./frames.js').Frame} frame @param {Uint8Array} bytes */
  labels(frame, bytes) {
    const {cloud, facts} = this, named = facts.groupOfLabel.length > 0;
    this.planes(frame, bytes, cloud.labels, (named ? facts.groupOfLabel.length : facts.groups.length) - 1);
    for (let i = frame.first; i < frame.first + frame.count; ++i)
      cloud.groupOf[i] = named ? facts.groupOfLabel[cloud.labels[i]] : cloud.labels[i];
    cloud.labeled = true;
  }

  /** @param {import('./frames.js').Frame} frame @param {Uint8Array} bytes */
  rows(frame, bytes) {
    this.cloud.rows ??= new Uint32Array(this.cloud.n);
    this.planes(frame, bytes, this.cloud.rows, (this.facts.of ?? this.cloud.n) - 1);
  }

  /** @param {import('./frames.js').Frame} frame @param {Uint8Array} bytes */
  numbers(frame, bytes) {
    const {relief, mesh} = this.cloud, of = frame.kind === kinds.relief ? relief : mesh;
    Object.assign(of, {origin: frame.origin, step: frame.step});
    if (of === relief) this.planes(frame, bytes, relief.values, 2 ** 24 - 1);
    else if (frame.kind === kinds.vertices) this.planes(frame, bytes, mesh.vertices, 65535);
    else this.planes(frame, bytes, mesh.triangles, mesh.vertices.length / 6 - 1);
  }

  /** @param {import('./frames.js').Frame} frame @param {Uint8Array} bytes */
  edges(frame, bytes) {
    const {ends, n} = this.cloud;
    let from = 0, low = 0;
    for (let e = frame.first; e < frame.first + frame.count; ++e) {
      from = readVarint(bytes, from);
      low += varint;
      ends[2 * e] = low;
      from = readVarint(bytes, from);
      const high = low + varint;
      if (high >= n) refuse(`edge ${e} leads to point ${high} of ${n}`);
      ends[2 * e + 1] = high;
    }
    if (from !== bytes.length) refuse('a frame has bytes after its edges');
  }

  /** @param {import('./frames.js').Frame} frame @param {Uint8Array} bytes */
  ids(frame, bytes) {
    const lines = new TextDecoder().decode(bytes).split('\n');
    if (lines.pop() !== '' || lines.length !== frame.count) refuse(`${frame.count} ids were expected`);
    const ids = this.cloud.ids ??= [];
    for (const line of lines) ids.push(line);
  }
}
