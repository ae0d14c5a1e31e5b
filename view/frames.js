// Frames: a header of 64 bytes and a payload, little-endian (src/picture/frames.hpp writes them)

/**
 * @typedef {object} Frame
 * @property {number} kind
 * @property {boolean} last of its kind
 * @property {boolean} space positions have three dimensions
 * @property {boolean} deflated
 * @property {number} width positions: low bits; labels and rows: bytes of an item
 * @property {number} map
 * @property {number} iteration
 * @property {number} first index of the first item
 * @property {number} count number of items
 * @property {number} seconds
 * @property {number[]} origin
 * @property {number} step
 * @property {Uint8Array} payload
 */

export const kinds = {positions: 1, labels: 2, edges: 3, rows: 4, ids: 5, moved: 6, relief: 7, vertices: 8,
                      triangles: 9, colors: 10};
export const headerSize = 64, maxPayload = 4 << 20, maxItems = 262144;

/** @param {string} text @returns {never} */
export function refuse(text) { throw new Error('data of the map: ' + text); }

/** @param {Uint8Array} bytes @returns {Frame} */
export function parseFrame(bytes) {
  if (bytes.length < headerSize) refuse(`a frame of ${bytes.length} bytes is shorter than its header`);
  if (bytes.length > headerSize + maxPayload) refuse(`a frame of ${bytes.length} bytes is too long`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(0, true) !== 0x4c4e5544) refuse('a frame does not begin with DUNL');
  if (view.getUint8(4) !== 1) refuse(`frames of version ${view.getUint8(4)} are unknown; this page reads version 1`);
  const kind = view.getUint8(5), flags = view.getUint8(6);
  if (kind < 1 || kind > 10) refuse(`frames of kind ${kind} are unknown`);
  if (flags > 7) refuse(`a frame has unknown flags ${flags}`);
  const first = view.getUint32(16, true), count = view.getUint32(20, true);
  if (kind !== kinds.ids && count > maxItems) refuse(`a frame has ${count} items; at most ${maxItems} are allowed`);
  const origin = [32, 40, 48].map(at => view.getFloat64(at, true)), step = view.getFloat64(56, true);
  if (!origin.every(Number.isFinite) || !(step > 0 && step < Infinity)) refuse('a frame has no valid box');
  return {kind, last: (flags & 1) > 0, space: (flags & 2) > 0, deflated: (flags & 4) > 0, width: view.getUint8(7),
          map: view.getUint32(8, true), iteration: view.getUint32(12, true), first, count,
          seconds: view.getFloat64(24, true), origin, step, payload: bytes.subarray(headerSize)};
}

/**
 * The payload, inflated if need be; never more than maxPayload bytes.
 * @param {Frame} frame
 * @returns {Promise<Uint8Array>}
 */
export async function payloadOf(frame) {
  if (!frame.deflated) return frame.payload;
  const stream = new Blob([frame.payload]).stream().pipeThrough(
    new /** @type {any} */ (globalThis).DecompressionStream('deflate')).getReader();
  const out = new Uint8Array(maxPayload);
  let length = 0;
  for (;;) {
    const part = await stream.read().catch(() => refuse('a frame cannot be inflated'));
    if (part.done) return out.slice(0, length);
    if (length + part.value.length > maxPayload) refuse('a frame is too long when inflated');
    out.set(part.value, length);
    length += part.value.length;
  }
}

/**
 * Bytes of base64.
 * @param {string} text
 * @returns {Uint8Array}
 */
export function bytesOfBase64(text) {
  const most = Math.ceil((maxPayload + headerSize) * 4 / 3) + 4;
  if (text.length > most) refuse('a frame is too long');
  const from = /** @type {any} */ (Uint8Array).fromBase64;
  if (from) return from.call(Uint8Array, text);
  const raw = atob(text), out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; ++i) out[i] = raw.charCodeAt(i);
  return out;
}
