// Morton order (src/math/morton.hpp): points sorted by interleaved bits are the leaves of a quadtree or octree, whose
// nodes are ranges of them
import {refuse} from './frames.js';

/**
 * Every second bit of a code of 32 bits.
 * @param {number} v
 */
export function everySecondBit(v) {
  v &= 0x55555555;
  v = (v | v >>> 1) & 0x33333333;
  v = (v | v >>> 2) & 0x0f0f0f0f;
  v = (v | v >>> 4) & 0x00ff00ff;
  return (v | v >>> 8) & 0x0000ffff;
}

/**
 * Every third bit of a code of 30 bits.
 * @param {number} v
 */
export function everyThirdBit(v) {
  v &= 0x09249249;
  v = (v | v >>> 2) & 0x030c30c3;
  v = (v | v >>> 4) & 0x0300f00f;
  v = (v | v >>> 8) & 0x030000ff;
  return (v | v >>> 16) & 0x000003ff;
}

/** @param {number} code @param {number} dim @param {number} axis */
export const cellOf = (code, dim, axis) => dim === 2 ? everySecondBit(code >>> axis) : everyThirdBit(code >>> axis);

/**
 * First place in [begin, end) whose code is at least `code`.
 * @param {Uint32Array} codes
 * @param {number} begin
 * @param {number} end
 * @param {number} code
 */
export function lowerBound(codes, begin, end, code) {
  while (begin < end) {
    const middle = (begin + end) >>> 1;
    if (codes[middle] < code) begin = middle + 1;
    else end = middle;
  }
  return begin;
}

/**
 * A node: places [begin, end), the smallest code and the corner of its cell, its side in lattice units.
 * @typedef {{level: number, begin: number, end: number, code: number, corner: number[], side: number}} TreeNode
 */

/**
 * The points as a tree.
 * @typedef {object} Tree
 * @property {number} dim
 * @property {number} codeBits
 * @property {number} lowBits
 * @property {Uint32Array} codes
 */

/** @param {Tree} tree @returns {TreeNode} */
export const rootOf = tree => ({level: 0, begin: 0, end: tree.codes.length, code: 0, corner: [0, 0, 0],
                                side: 2 ** (tree.codeBits + tree.lowBits)});

/**
 * The occupied children.
 * @param {Tree} tree
 * @param {TreeNode} node
 * @returns {TreeNode[]}
 */
export function childrenOf(tree, node) {
  const {dim, codes} = tree, children = [], span = 2 ** (dim * (tree.codeBits - node.level - 1)), side = node.side / 2;
  let begin = node.begin;
  for (let child = 0; child < 1 << dim && begin < node.end; ++child) {
    const code = node.code + child * span;
    const end = child + 1 < 1 << dim ? lowerBound(codes, begin, node.end, code + span) : node.end;
    if (end > begin) {
      const corner = node.corner.map((c, axis) => c + (child >> axis & 1) * side);
      children.push({level: node.level + 1, begin, end, code, corner, side});
    }
    begin = end;
  }
  return children;
}

/**
 * Largest number of points in a cell of each level of the tree: an upper bound of what falls on one pixel.
 * @param {Tree} tree
 */
export function largestCells(tree) {
  const {codes, dim, codeBits} = tree, n = codes.length;
  const most = new Float64Array(codeBits + 1), start = new Float64Array(codeBits + 1), unused = 32 - dim * codeBits;
  for (let p = 1; p <= n; ++p) {
    // Number of levels on which the point shares its cell with the one before
    const shared = p === n ? -1 : Math.min(codeBits, Math.floor((Math.clz32(codes[p] ^ codes[p - 1]) - unused) / dim));
    for (let level = codeBits; level > shared; --level) {
      if (p - start[level] > most[level]) most[level] = p - start[level];
      start[level] = p;
    }
  }
  return most;
}

/**
 * The point nearest to a position on the screen plane, by descent with pruning. `project(x, y, z, out)` gives the
 * plane's coordinates of a lattice point; a projection never enlarges distances.
 * @param {Tree & {at: ArrayLike<number>}} tree
 * @param {(x: number, y: number, z: number, out: number[]) => void} project
 * @param {number} x @param {number} y @param {number} reach
 * @param {(place: number) => boolean} shown
 * @returns {number} its place; of equally near ones the first; -1: none within reach
 */
export function nearestPoint(tree, project, x, y, reach, shown) {
  const {dim, at} = tree, p = [0, 0], diagonal = Math.sqrt(dim) / 2;
  let best = reach, found = -1;
  /** @param {TreeNode} node */
  const distance = node => {
    const half = (node.side - 1) / 2;
    project(node.corner[0] + half, node.corner[1] + half, dim === 3 ? node.corner[2] + half : 0, p);
    if (dim === 3) return Math.hypot(p[0] - x, p[1] - y) - diagonal * node.side;
    return Math.hypot(Math.max(Math.abs(p[0] - x) - half, 0), Math.max(Math.abs(p[1] - y) - half, 0));
  };
  /** @param {TreeNode} node */
  const visit = node => {
    if (node.end - node.begin <= 32 || node.level === tree.codeBits) {
      for (let i = node.begin; i < node.end; ++i) {
        project(at[dim * i], at[dim * i + 1], dim === 3 ? at[dim * i + 2] : 0, p);
        const d = Math.hypot(p[0] - x, p[1] - y);
        if ((d < best || d === best && (found < 0 || i < found)) && shown(i)) { best = d; found = i; }
      }
      return;
    }
    const children = childrenOf(tree, node).map(child => ({child, d: distance(child)}));
    children.sort((a, b) => a.d - b.d);
    for (const {child, d} of children) if (d <= best) visit(child);
  };
  if (tree.codes.length > 0) visit(rootOf(tree));
  return found;
}

/**
 * Ranges of places whose cells can meet a rectangle of the screen plane, ascending and apart.
 * @param {Tree} tree
 * @param {(x: number, y: number, z: number, out: number[]) => void} project
 * @param {number[]} box left, bottom, right, top
 * @returns {number[][]}
 */
export function visibleRanges(tree, project, box) {
  const {dim} = tree, p = [0, 0], /** @type {number[][]} */ ranges = [];
  const finest = Math.max(box[2] - box[0], box[3] - box[1]) / 16, radius = Math.sqrt(dim) / 2;
  /** @param {TreeNode} node */
  const visit = node => {
    const half = node.side / 2, away = radius * node.side;
    project(node.corner[0] + half, node.corner[1] + half, dim === 3 ? node.corner[2] + half : 0, p);
    if (p[0] + away < box[0] || p[0] - away > box[2] || p[1] + away < box[1] || p[1] - away > box[3]) return;
    const inside = p[0] - away >= box[0] && p[0] + away <= box[2] && p[1] - away >= box[1] && p[1] + away <= box[3];
    if (inside || node.side <= finest || node.end - node.begin < 256 || node.level === tree.codeBits) {
      const last = ranges[ranges.length - 1];
      if (last && last[1] === node.begin) last[1] = node.end;
      else ranges.push([node.begin, node.end]);
    } else {
      childrenOf(tree, node).forEach(visit);
    }
  };
  if (tree.codes.length > 0) visit(rootOf(tree));
  return ranges;
}

/**
 * Reads ascending codes from varints of their differences; returns the number of bytes read.
 * @param {Uint8Array} bytes
 * @param {Uint32Array} codes
 * @param {number} first
 * @param {number} count
 * @param {number} largest
 */
export function readCodes(bytes, codes, first, count, largest) {
  let from = 0, code = 0;
  for (let i = first; i < first + count; ++i) {
    const end = readVarint(bytes, from);
    code += varint;
    if (code > largest || i > 0 && code < codes[i - 1]) refuse(`point ${i} is out of order`);
    codes[i] = code;
    from = end;
  }
  return from;
}

/** The number that readVarint read. */
export let varint = 0;

/**
 * Reads a number of up to 32 bits into `varint`; returns the place after it.
 * @param {Uint8Array} bytes
 * @param {number} from
 */
export function readVarint(bytes, from) {
  let value = 0, scale = 1;
  for (let i = 0; i < 5; ++i) {
    if (from >= bytes.length) refuse('a frame ends within a number');
    const byte = bytes[from++];
    value += (byte & 127) * scale;
    if (byte < 128) {
      if (value > 0xffffffff) break;
      varint = value;
      return from;
    }
    scale *= 128;
  }
  refuse('a number has more than 32 bits');
}
