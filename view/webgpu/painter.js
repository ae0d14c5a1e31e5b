// Drawing with WebGPU, where the browser has it: many points or edges. Whole pictures take a small part of the time
// that WebGL takes for blending. The other painter stays for landscapes and hulls
import {colorFor, paperOf, rgbOf, weightOf} from '../look.js';
import {inLayers, layers, layerStarts, rangeInLayer} from '../order.js';
import {WebGlPainter} from '../paint/webgl.js';
import {addText, edgeText, shadeText, smoothText} from './shaders.js';

/** @typedef {import('../scene.js').Scene} Scene */
/** @typedef {import('../look.js').Look} Look */

// TypeScript 4.8 does not know WebGPU
const {GPUBufferUsage: usage} = /** @type {any} */ (globalThis);

export class WebGpuPainter {
  /** @param {HTMLCanvasElement} canvas @param {Scene} scene @param {any} device */
  constructor(canvas, scene, device) {
    this.canvas = canvas;
    this.scene = scene;
    this.device = device;
    this.exact = true;
    this.drawn = 0;  // layers in the sums
    this.vertices = 0;  // drawn by the last advance
    this.pixels = 1;
    this.splat = false;
    /**
     * Places in the order of layers; buffers: for the next, and the last
     * @type {{of: Uint16Array | null, items: Uint16Array, buffers: any[]}}
     */
    this.staged = {of: null, items: new Uint16Array(0), buffers: []};
    /** @type {Uint8Array | null} what the buffer of selected points holds */
    this.uploaded = null;
    this.block = 0;
    this.edgeCount = 0;
    this.edgeStarts = layerStarts(0);
    const format = /** @type {any} */ (navigator).gpu.getPreferredCanvasFormat();
    const [adding, joining, smoothing, shading] = [addText, edgeText, smoothText, shadeText].map(code =>
      device.createShaderModule({code}));
    const computing = (/** @type {any} */ module, /** @type {string} */ entryPoint) =>
      device.createComputePipeline({layout: 'auto', compute: {module, entryPoint}});
    this.adding = computing(adding, 'addPoints');
    this.joining = computing(joining, 'addEdges');
    this.blurring = ['means', 'across', 'along'].map(name => computing(smoothing, name));
    this.shading = device.createRenderPipeline({layout: 'auto', vertex: {module: shading, entryPoint: 'corner'},
                                                fragment: {module: shading, entryPoint: 'shade', targets: [{format}]}});
    this.context = /** @type {any} */ (canvas.getContext('webgpu'));
    this.context.configure({device, format, alphaMode: 'opaque'});
    this.described = new ArrayBuffer(304);
    this.uniforms = this.newBuffer(new Uint8Array(this.described), usage.UNIFORM);
    this.chosen = this.newBuffer(new Uint8Array(4));
  }

  /** The graphics card, as far as the browser tells. */
  get card() {
    const {vendor = '', architecture = ''} = this.device.adapterInfo || {};
    return [vendor, architecture].filter(Boolean).join(' ');
  }

  // By look and pixels alone
  kernel = WebGlPainter.prototype.kernel;
  smoothing = WebGlPainter.prototype.smoothing;

  /** @param {ArrayBufferView} values @param {number} kind */
  newBuffer(values, kind = usage.STORAGE) {
    const made = this.device.createBuffer({size: Math.max(values.byteLength + 3 & ~3, 16),
                                           usage: kind | usage.COPY_DST});
    this.device.queue.writeBuffer(made, 0, values.buffer, values.byteOffset, values.byteLength & ~3);
    return made;
  }

  /**
   * Whether buffers of this size are allowed, and sums of so many points or edges on one pixel have few enough bits.
   * @param {number} points @param {number} edges @param {number} pixels
   */
  holds(points, edges, pixels) {
    const {maxStorageBufferBindingSize, maxBufferSize} = this.device.limits;
    const most = Math.max(12 * points, 8 * edges, (edges ? 24 : 20) * pixels);
    return Math.max(points, edges) < 2 ** 24 && most <= Math.min(maxStorageBufferBindingSize, maxBufferSize);
  }

  replace() {
    const {ends} = this.scene.cloud, E = ends.length / 2;
    this.edgeCount = E;
    this.edgeStarts = layerStarts(E);
    this.ends?.destroy();
    this.ends = this.newBuffer(inLayers(ends, 2, new Uint32Array(2 * E), E));
    this.recolor();
    this.move();
  }

  recolor() {
    const {groupOf, n} = this.scene.cloud, padded = new Uint8Array(n + 3 & ~3);
    this.groupOf?.destroy();
    this.groupOf = this.newBuffer(inLayers(groupOf, 1, padded, n));
    this.uploaded = null;
    this.groupOfEnds?.destroy();
    if (this.edgeCount > 0) padded.set(groupOf);
    this.groupOfEnds = this.newBuffer(padded.subarray(0, this.edgeCount > 0 ? padded.length : 0));
  }

  /**
   * Orders and uploads places of points that move, as they come.
   * @param {Uint16Array} places @param {number} begin @param {number} end
   */
  stage(places, begin, end) {
    const {staged, scene: {cloud: {n, dim}, starts}} = this, wide = dim === 3 ? 4 : dim;
    if (staged.items.length !== n * wide) {
      staged.items = new Uint16Array(n * wide);
      staged.buffers.forEach(buffer => buffer.destroy());
      staged.buffers = [0, 1].map(() => this.newBuffer(staged.items));
    }
    staged.of = places;
    inLayers(places, dim, staged.items, n, wide, begin, end);
    for (let layer = 0; layer < layers; ++layer) {
      const [first, count] = rangeInLayer(starts, layer, begin, end);
      if (count > 0)
        this.device.queue.writeBuffer(staged.buffers[0], 2 * wide * first, staged.items, wide * first, wide * count);
    }
  }

  move() {
    const {staged} = this, {n, dim, at} = this.scene.cloud, whole = at instanceof Uint16Array;
    const wide = whole && dim === 3 ? 4 : dim;
    this.ownPlaces?.destroy();
    this.ownPlaces = staged.of === at ? null
      : this.newBuffer(inLayers(at, dim, whole ? new Uint16Array(n * wide) : new Float32Array(n * wide), n, wide));
    this.places = this.ownPlaces || staged.buffers.reverse()[1];
    staged.of = null;
    this.drawn = 0;
    // Ends of edges are numbers of points in their own order
    this.placesOfEnds?.destroy();
    let own = this.edgeCount > 0 ? at : new Uint16Array(0);
    if (this.edgeCount > 0 && wide > dim) {
      own = new Uint16Array(n * wide);
      for (let i = 0; i < n; ++i) for (let axis = 0; axis < dim; ++axis) own[wide * i + axis] = at[dim * i + axis];
    }
    this.placesOfEnds = this.newBuffer(own);
  }

  resize() {
    const {canvas: {width, height}} = this;
    this.sums?.destroy();
    this.sums = this.device.createBuffer({size: Math.max(20 * width * height, 16),
                                          usage: usage.STORAGE | usage.COPY_DST | usage.COPY_SRC});
    this.lines?.destroy();
    this.lines = this.device.createBuffer({size: Math.max(this.edgeCount > 0 ? 24 * width * height : 0, 32),
                                           usage: usage.STORAGE | usage.COPY_DST});
    this.block = 0;  // whose size the blocks have
    this.drawn = 0;
  }

  /** @param {Look} look @param {number} pixels of the canvas per CSS pixel */
  start(look, pixels) {
    const {scene} = this, {cloud: {n}, chosen, groups, dark} = scene;
    this.look = look;
    this.pixels = pixels;
    this.drawn = 0;
    this.splat = n > WebGlPainter.few && look.diameter * pixels <= 2;
    this.groups?.destroy();
    this.groups = this.newBuffer(new Float32Array(groups.flatMap((g, i) =>
      [...rgbOf(colorFor(g.color, dark)), weightOf(scene, i)])));
    if (chosen === this.uploaded) return;
    this.chosen.destroy();
    this.chosen = this.newBuffer(chosen ? inLayers(chosen, 1, new Uint8Array(n + 3 & ~3), n) : new Uint8Array(4));
    this.uploaded = chosen;
  }

  /**
   * Writes what all shaders read.
   * @param {number} from @param {number} to layers
   */
  describe(from, to) {
    const {scene: {starts}, edgeStarts, edgeCount} = this;
    const [first, last, firstEdge, lastEdge] = [starts[from], starts[to], edgeStarts[from], edgeStarts[to]];
    const {scene, pixels, splat, canvas: {width, height}} = this, look = /** @type {Look} */ (this.look);
    const {view, space, center, dark, cloud: {n, dim, at}} = scene, {turn} = view;
    const whole = space ? [0, 0] : [Math.round(view.x), Math.round(view.y)];
    const kernel = this.kernel(), [block, reach] = this.smoothing();
    const gain = n / Math.max(last, 1), scale = view.scale * pixels, packed = at instanceof Uint16Array;
    const flat = [1, 0, 0, 0, 1, 0, 0, 0, 1], r = space ? turn : flat;
    const real = new Float32Array(this.described), number = new Uint32Array(this.described);
    // Columns of matrices, and vectors of three, take four numbers
    real.set([r[0], r[3], r[6], 0, r[1], r[4], r[7], 0, r[2], r[5], r[8], 0,
              center[0] + whole[0], center[1] + whole[1], center[2], space ? scene.reach : 0,
              view.x - whole[0], view.y - whole[1], scale, -scale, look.diameter * pixels, scene.chosen ? 0.08 : 1,
              look.alpha, look.power, look.most, look.spread, gain, reach,
              ...kernel, splat ? gain * (kernel[0] + 4 * kernel[1] + 4 * kernel[2]) : gain, ...rgbOf(paperOf(dark)), 0,
              ...(dark ? [1, 1, 1] : [0, 0, 0]), 0,
              ...(dark ? ['#2f5f8f', '#6aa5d8', '#d8ecff'] : scene.facts.ramp).flatMap(color => [...rgbOf(color), 0])]);
    const blocks = [Math.ceil(width / block), Math.ceil(height / block)];
    const across = 256 * Math.min(Math.ceil((last - first) / 256), 32768);
    const acrossEdges = 64 * Math.min(Math.ceil((lastEdge - firstEdge) / 64), 32768);
    real.set([...rgbOf(scene.facts.gray), look.lineWidth * pixels, look.lineAlpha, look.linePower,
              edgeCount / Math.max(lastEdge, 1)], 64);
    number.set([firstEdge, lastEdge, acrossEdges], 71);
    number[35] = scene.named ? 0 : 1;
    number[39] = splat ? 1 : 0;
    number.set([width, height, first, last, across, packed ? dim === 3 ? 2 : 1 : dim, packed ? 1 : 0,
                scene.chosen ? 1 : 0, block, ...blocks, edgeCount > 0 ? 1 : 0], 52);
    this.device.queue.writeBuffer(this.uniforms, 0, this.described);
    if (this.block !== block) {
      this.blocks?.destroy();
      this.blocks = this.device.createBuffer({size: Math.max(8 * blocks[0] * blocks[1], 16), usage: usage.STORAGE});
      this.block = block;
    }
    return {points: last - first, across, edges: lastEdge - firstEdge, acrossEdges, blocks: blocks[0] * blocks[1]};
  }

  /**
   * Adds the next layers to the sums and shows them.
   * @param {number} count
   */
  advance(count) {
    const {device} = this, from = this.drawn, to = Math.min(layers, from + count);
    const {points, across, edges, acrossEdges, blocks} = this.describe(from, to);
    const encoder = device.createCommandEncoder();
    const bound = (/** @type {any} */ pipeline, /** @type {[number, any][]} */ buffers) =>
      device.createBindGroup({layout: pipeline.getBindGroupLayout(0),
                              entries: buffers.map(([binding, buffer]) => ({binding, resource: {buffer}}))});
    const all = [this.uniforms, this.places, this.groupOf, this.chosen, this.groups, this.sums, this.blocks, this.ends,
                 this.lines];
    const pick = (/** @type {number[]} */ ...which) => which.map(i => /** @type {[number, any]} */ ([i, all[i]]));
    if (from === 0) {
      encoder.clearBuffer(this.sums);
      encoder.clearBuffer(this.lines);
    }
    const pass = encoder.beginComputePass();
    const run = (/** @type {any} */ pipeline, /** @type {[number, any][]} */ buffers,
                 /** @type {number[]} */ ...groups) => {
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, bound(pipeline, buffers));
      pass.dispatchWorkgroups(...groups);
    };
    if (edges > 0)
      run(this.joining, [[1, this.placesOfEnds], [2, this.groupOfEnds], ...pick(0, 4, 7, 8)], acrossEdges / 64,
          Math.ceil(edges / acrossEdges));
    if (points > 0) run(this.adding, pick(0, 1, 2, 3, 4, 5), across / 256, Math.ceil(points / across));
    this.blurring.forEach((pipeline, i) =>
      run(pipeline, i === 0 ? pick(0, 5, 6) : pick(0, 6), Math.min(Math.ceil(blocks / 64), 32768),
          Math.ceil(blocks / 64 / 32768)));
    pass.end();
    const shown = encoder.beginRenderPass({
      colorAttachments: [{view: this.context.getCurrentTexture().createView(), loadOp: 'clear', storeOp: 'store'}],
    });
    shown.setPipeline(this.shading);
    shown.setBindGroup(0, bound(this.shading, pick(0, 5, 6, 8)));
    shown.draw(3);
    shown.end();
    device.queue.submit([encoder.finish()]);
    this.drawn = to;
    this.vertices = points + 2 * edges;
  }

  fence() {
    const fence = {done: false};
    this.device.queue.onSubmittedWorkDone().then(() => { fence.done = true; }, () => { fence.done = true; });
    return fence;
  }
  /** @param {{done: boolean}} fence */
  isDone(fence) { return fence.done; }
}

/** Both painters: that of WebGPU draws what it can. Only the one that draws has the present points. */
export class TwoPainters {
  /** @param {WebGlPainter} first @param {WebGpuPainter} second @param {Scene} scene */
  constructor(first, second, scene) {
    this.scene = scene;
    this.first = first;
    this.second = second;
    /** @type {WebGlPainter | WebGpuPainter} */
    this.current = first;
    this.lost = false;  // the device of WebGPU
    /** @type {WebGlPainter | WebGpuPainter | null} who takes the places that come, from the first of a map on */
    this.staging = first;
  }

  /** Which one draws the scene. */
  get wanted() {
    const {scene: {cloud: {n, ends}, raised}, second, first: {canvas: {width, height}}} = this;
    const fits = !this.lost && !raised && n + ends.length > WebGlPainter.few &&
      second.holds(n, ends.length / 2, width * height) &&
      Math.max(width, height) <= second.device.limits.maxTextureDimension2D;
    return fits ? second : this.first;
  }

  get canvas() { return this.current.canvas; }
  get drawn() { return this.current.drawn; }
  get vertices() { return this.current.vertices; }
  get exact() { return this.wanted.exact; }
  get name() { return this.current === this.second ? 'WebGPU' : this.first.name; }
  get card() { return this.current.card; }

  /** Takes the painter that draws the scene; whether it is another one, which then has all of it. */
  choose() {
    const {wanted, second} = this;
    if (wanted === this.current) return false;
    this.current.staged.of = null;
    this.staging = null;
    this.current = wanted;
    wanted.replace();
    this.resize();
    second.canvas.hidden = wanted !== second;
    return true;
  }

  move() { if (!this.choose()) this.current.move(); }
  recolor() { this.current.recolor(); }
  replace() { if (!this.choose()) this.current.replace(); }
  resize() {
    if (this.choose()) return;
    const {first: {canvas: {width, height}}, second: {canvas}} = this;
    if (this.current === this.second) [canvas.width, canvas.height] = [width, height];
    this.current.resize();
  }
  /** @param {Uint16Array} places @param {number} begin @param {number} end */
  stage(places, begin, end) {
    if (begin === 0) this.staging = this.current;
    if (this.staging === this.current) this.current.stage(places, begin, end);
  }

  /** @param {Look} look @param {number} pixels */
  start(look, pixels) {
    this.choose();
    this.current.start(look, pixels);
  }
  /** @param {number} count */
  advance(count) { this.current.advance(count); }
  fence() { return {of: this.current, sync: this.current.fence()}; }
  /** @param {{of: any, sync: any}} fence */
  isDone({of, sync}) { return of.isDone(sync); }
}

/**
 * Lets WebGPU draw the page, if the browser has a graphics card for it.
 * @param {any} page @param {boolean} [software] also without a graphics card
 */
export async function useWebGpu(page, software = false) {
  const {scene, painter: first} = page, {n, ends} = scene.cloud;
  if (n + ends.length <= WebGlPainter.few && !scene.facts.of) return null;  // a sample is replaced by all points
  const adapter = await /** @type {any} */ (navigator).gpu?.requestAdapter({powerPreference: 'high-performance'});
  if (!adapter || !(first instanceof WebGlPainter) ||
      !software && (adapter.info?.isFallbackAdapter ?? adapter.isFallbackAdapter))
    return null;
  const {maxStorageBufferBindingSize, maxBufferSize, maxTextureDimension2D} = adapter.limits;
  const requiredLimits = {maxStorageBufferBindingSize, maxBufferSize, maxTextureDimension2D};
  const device = await adapter.requestDevice({requiredLimits}), canvas = document.createElement('canvas');
  canvas.id = 'fast';
  canvas.hidden = true;
  canvas.ariaHidden = 'true';
  canvas.style.pointerEvents = 'none';
  first.canvas.after(canvas);
  const both = new TwoPainters(first, new WebGpuPainter(canvas, scene, device), scene);
  const leave = (/** @type {{message: string}} */ {message}) => {
    if (both.lost) return;
    console.info(message);
    both.lost = true;
    device.destroy();
    page.pace.request();
  };
  device.lost.then(leave);
  device.onuncapturederror = (/** @type {{error: Error}} */ {error}) => leave(error);
  page.painter = both;
  return both;
}
