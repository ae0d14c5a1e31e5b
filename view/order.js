// Levels of detail: the points in 16 layers, each a fair sample. Of every 16 successive points in Morton order, which
// are near each other, a layer has one, by a pseudorandom choice; hence any number of layers looks like all of them.
export const layers = 16;

/**
 * Multiplier and offset of the permutation of a block, packed.
 * @param {number} block
 */
function keyOf(block) {
  let h = Math.imul(block ^ block >>> 16, 0x7feb352d);
  h = Math.imul(h ^ h >>> 15, 0x846ca68b);
  return h >>> 16;
}

/** @param {number} key of a block @param {number} layer */
const placeFor = (key, layer) => layer * (key | 1) + (key >>> 8) & layers - 1;

/**
 * The place in its block that a layer takes.
 * @param {number} block
 * @param {number} layer
 */
export const placeInBlock = (block, layer) => placeFor(keyOf(block), layer);

/**
 * First item of every layer, and after the last one.
 * @param {number} n
 */
export function layerStarts(n) {
  const starts = new Uint32Array(layers + 1), whole = n >>> 4, rest = n & layers - 1;
  for (let layer = 0; layer < layers; ++layer)
    starts[layer + 1] = starts[layer] + whole + (placeInBlock(whole, layer) < rest ? 1 : 0);
  return starts;
}

/**
 * Copies items from Morton order to the order of layers; `begin` is the first of a block.
 * @template {Uint8Array | Uint16Array | Uint32Array | Float32Array} T
 * @param {T} source @param {number} stride of the source
 * @param {T} target @param {number} n @param {number} [to] stride of the target
 * @param {number} [begin] @param {number} [end]
 * @returns {T}
 */
export function inLayers(source, stride, target, n, to = stride, begin = 0, end = n) {
  const bytes = stride * source.BYTES_PER_ELEMENT;
  // Few kinds of arrays keep the loop fast
  if (stride === to && bytes % 4 === 0 && (source.BYTES_PER_ELEMENT < 4 || source instanceof Float32Array)) {
    const [from, words] = [source, target].map(a => new Uint32Array(a.buffer, a.byteOffset, n * bytes / 4));
    inLayers(from, bytes / 4, words, n, bytes / 4, begin, end);
    return target;
  }
  const starts = layerStarts(n);
  for (let block = begin >>> 4, first = begin; first < end; ++block, first += layers) {
    const key = keyOf(block);
    if (stride === 1 && first + layers <= end) {  // most blocks
      for (let layer = 0; layer < layers; ++layer) target[starts[layer] + block] = source[first + placeFor(key, layer)];
      continue;
    }
    for (let layer = 0; layer < layers; ++layer) {
      const place = first + placeFor(key, layer), item = starts[layer] + block;
      if (place < end) for (let c = 0; c < stride; ++c) target[item * to + c] = source[place * stride + c];
    }
  }
  return target;
}

/**
 * Items of a layer that hold the places [begin, end), with those of the blocks at the ends.
 * @param {Uint32Array} starts @param {number} layer @param {number} begin @param {number} end
 */
export function rangeInLayer(starts, layer, begin, end) {
  const from = starts[layer] + (begin >>> 4);
  const to = Math.min(starts[layer] + (end + layers - 1 >>> 4), starts[layer + 1]);
  return [from, Math.max(to - from, 0)];
}
