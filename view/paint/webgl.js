// Drawing with WebGL 2. Discs and edges are added up per pixel and shaded in a last pass. Half floats stop
// counting at 2,048: where more may fall on a pixel, points are added in chunks that are summed in full floats
import {colorFor, paperOf, rgbOf, weightOf} from '../look.js';
import {visibleRanges} from '../morton.js';
import {inLayers, layers, layerStarts, rangeInLayer} from '../order.js';
import {Ground} from '../relief/ground.js';
import {programOf} from './program.js';
import {addShader, blockShader, blurShader, discShader, edgeShader, pageShader} from './shaders.js';
import {edgeVertexShader, pageVertexShader, pointVertexShader} from './shaders.js';

/** @typedef {import('../scene.js').Scene} Scene */
/** @typedef {import('../look.js').Look} Look */
/**
 * @typedef {{
 *   texture: WebGLTexture, frame: WebGLFramebuffer, wide: number, high: number, depths?: WebGLTexture
 * }} Target
 */

/** Most discs of half floats on one pixel: the c-th is rounded by at most c / 2048 of its color. */
const halfLimit = 192;

export class WebGlPainter {
  /** So many points are added in full floats at once: passes over the page would take longer. */
  static few = 300000;

  /** @param {HTMLCanvasElement} canvas @param {Scene} scene @param {WebGL2RenderingContext} gl */
  constructor(canvas, scene, gl) {
    this.canvas = canvas;
    this.scene = scene;
    this.gl = gl;
    this.exact = gl.getExtension('EXT_float_blend') !== null;
    this.points = programOf(gl, pointVertexShader, discShader);
    this.strokes = programOf(gl, edgeVertexShader, edgeShader);
    this.adding = programOf(gl, pageVertexShader, addShader);
    this.blocks = programOf(gl, pageVertexShader, blockShader);
    this.blur = programOf(gl, pageVertexShader, blurShader);
    this.page = programOf(gl, pageVertexShader, pageShader);
    this.pointArray = gl.createVertexArray();
    this.edgeArray = gl.createVertexArray();
    this.empty = gl.createVertexArray();
    this.edgeCount = 0;
    this.edgeStarts = layerStarts(0);
    /**
     * Places in the order of layers; buffers: for the next, and the last
     * @type {{of: Uint16Array | null, items: Uint16Array, buffers: WebGLBuffer[]}}
     */
    this.staged = {of: null, items: new Uint16Array(0), buffers: []};
    /** @type {WebGLBuffer[]} of the groups */
    this.groupBuffers = [];
    /** @type {WebGLTexture | null} */
    this.places = null;
    this.placesKind = '';
    this.edgeOrder = new Uint32Array(0);
    /** @type {Uint8Array | null} what the buffer of selected points holds */
    this.uploaded = null;
    /** @type {number} block size of the textures of local density */
    this.blurred = 0;
    /** @type {Ground | null} made when it is first shown */
    this.ground = null;
    this.pixels = 1;
    this.splat = false;
    this.perChunk = 0;
    /** @type {number[][]} */
    this.ranges = [];
    this.drawn = 0;  // layers in the sums
    this.vertices = 0;  // drawn by the last advance
    this.replace();
    this.colors = this.newTexture(gl.NEAREST);
    /** @type {Target[]} */
    this.targets = [];
    this.name = 'WebGL 2';
  }

  /** The graphics card, or what draws in its place. */
  get card() {
    const {gl} = this, info = gl.getExtension('WEBGL_debug_renderer_info');
    return String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  }

  /** @param {BufferSource} values */
  newBuffer(values) {
    const buffer = /** @type {WebGLBuffer} */ (this.gl.createBuffer());
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, buffer);
    this.gl.bufferData(this.gl.ARRAY_BUFFER, values, this.gl.STATIC_DRAW);
    return buffer;
  }

  /** Uploads all points and edges. */
  replace() {
    const {ends} = this.scene.cloud, E = ends.length / 2;
    this.ground = null;
    this.edgeCount = E;
    this.edgeStarts = layerStarts(E);
    this.edgeOrder = inLayers(ends, 2, new Uint32Array(2 * E), E);
    this.gl.deleteBuffer(this.endBuffer || null);
    this.endBuffer = this.newBuffer(this.edgeOrder);
    this.recolor();
    this.move();
  }

  recolor() {
    const {gl} = this, {groupOf, n} = this.scene.cloud;
    this.groupBuffers.splice(0).forEach(buffer => gl.deleteBuffer(buffer));
    this.uploaded = null;
    gl.bindVertexArray(this.pointArray);
    gl.disableVertexAttribArray(2);
    this.groupBuffers.push(this.newBuffer(inLayers(groupOf, 1, new Uint8Array(n), n)));
    gl.enableVertexAttribArray(1);
    gl.vertexAttribIPointer(1, 1, gl.UNSIGNED_BYTE, 0, 0);
    if (this.edgeCount > 0) {
      gl.bindVertexArray(this.edgeArray);
      this.edgeGroups = this.newBuffer(Uint8Array.from(this.edgeOrder, end => groupOf[end]));
      this.groupBuffers.push(this.edgeGroups);
      for (const attribute of [0, 1]) {
        gl.enableVertexAttribArray(attribute);
        gl.vertexAttribDivisor(attribute, 1);
      }
    }
    gl.bindVertexArray(null);
  }

  /**
   * Orders and uploads places of points that move, as they come.
   * @param {Uint16Array} places @param {number} begin @param {number} end
   */
  stage(places, begin, end) {
    const {gl, staged, scene: {cloud: {n, dim}, starts}} = this, wide = dim === 3 ? 4 : dim;  // aligned to 4 bytes
    if (staged.items.length !== n * wide) {
      staged.items = new Uint16Array(n * wide);
      staged.buffers.forEach(buffer => gl.deleteBuffer(buffer));
      staged.buffers = [0, 1].map(() => this.newBuffer(staged.items));
    }
    staged.of = places;
    inLayers(places, dim, staged.items, n, wide, begin, end);
    gl.bindBuffer(gl.ARRAY_BUFFER, staged.buffers[0]);
    for (let layer = 0; layer < layers; ++layer) {
      const [first, count] = rangeInLayer(starts, layer, begin, end);
      if (count > 0) gl.bufferSubData(gl.ARRAY_BUFFER, 2 * wide * first, staged.items, wide * first, wide * count);
    }
  }

  /** Uploads where the points are. */
  move() {
    const {gl, staged} = this, {n, dim, at} = this.scene.cloud, half = at instanceof Uint16Array;
    const wide = half && dim === 3 ? 4 : dim;
    gl.bindVertexArray(this.pointArray);
    gl.deleteBuffer(this.placeBuffer || null);
    this.placeBuffer = staged.of === at ? null
      : this.newBuffer(inLayers(at, dim, half ? new Uint16Array(n * wide) : new Float32Array(n * wide), n, wide));
    if (!this.placeBuffer) gl.bindBuffer(gl.ARRAY_BUFFER, staged.buffers.reverse()[1]);
    staged.of = null;
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, dim, half ? gl.UNSIGNED_SHORT : gl.FLOAT, false, wide * (half ? 2 : 4), 0);
    gl.bindVertexArray(null);
    if (this.edgeCount > 0) this.setPlaces();
    this.drawn = 0;
  }

  setPlaces() {
    const {gl} = this, {n, dim, at} = this.scene.cloud, half = at instanceof Uint16Array, rows = n >>> 12;
    const rest = n & 4095;
    const [form, ...sizes] = dim === 2 ? [gl.RG_INTEGER, gl.RG32UI, gl.RG16UI]
      : [gl.RGB_INTEGER, gl.RGB32UI, gl.RGB16UI];
    const numbers = half ? at : new Uint32Array(at.buffer), type = half ? gl.UNSIGNED_SHORT : gl.UNSIGNED_INT;
    const kind = `${type} ${rows}`;
    if (this.places && this.placesKind === kind) this.bind(0, this.places);
    else {
      gl.deleteTexture(this.places);
      this.places = this.newTexture(gl.NEAREST);
      this.placesKind = kind;
      gl.texStorage2D(gl.TEXTURE_2D, 1, sizes[Number(half)], 4096, rows + 1);
    }
    if (rows > 0) gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 4096, rows, form, type, numbers, 0);
    if (rest > 0) gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, rows, rest, 1, form, type, numbers, dim * (n - rest));
  }

  /** @param {number} filter */
  newTexture(filter) {
    const {gl} = this, made = /** @type {WebGLTexture} */ (gl.createTexture());
    gl.bindTexture(gl.TEXTURE_2D, made);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, filter);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, filter);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    return made;
  }

  /** @param {number} format @param {number} wide @param {number} high @param {number} filter @returns {Target} */
  newTarget(format, wide, high, filter = this.gl.NEAREST) {
    const {gl} = this, texture = this.newTexture(filter);
    const frame = /** @type {WebGLFramebuffer} */ (gl.createFramebuffer());
    gl.texStorage2D(gl.TEXTURE_2D, 1, format, Math.max(wide, 1), Math.max(high, 1));
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
    this.targets.push({texture, frame, wide, high});
    return this.targets[this.targets.length - 1];
  }

  resize() {
    const {gl, canvas, scene} = this, w = canvas.width, h = canvas.height, full = this.exact ? gl.RGBA32F : gl.RGBA16F;
    for (const target of this.targets) {
      gl.deleteTexture(target.texture);
      gl.deleteFramebuffer(target.frame);
    }
    this.targets = [];
    this.sums = this.newTarget(full, w, h);
    this.chunk = this.exact && scene.cloud.n > WebGlPainter.few ? this.newTarget(gl.RGBA16F, w, h) : null;
    this.lines = this.edgeCount > 0 ? this.newTarget(full, w, h) : this.newTarget(gl.RGBA16F, 1, 1);
    if (this.ground) this.ground.under = null;
    this.around = null;
    this.blurred = 0;
    this.drawn = 0;
  }

  /** @param {Target | null} target @param {boolean} clear */
  into(target, clear) {
    const {gl} = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, target ? target.frame : null);
    gl.viewport(0, 0, target ? target.wide : this.canvas.width, target ? target.high : this.canvas.height);
    if (clear) {
      gl.clearColor(0, 0, 0, 0);
      gl.clear(gl.COLOR_BUFFER_BIT);
    }
  }

  /** @param {number} unit @param {WebGLTexture} texture */
  bind(unit, texture) {
    this.gl.activeTexture(this.gl.TEXTURE0 + unit);
    this.gl.bindTexture(this.gl.TEXTURE_2D, texture);
  }

  /**
   * Begins a picture.
   * @param {Look} look
   * @param {number} pixels of the canvas per CSS pixel
   */
  start(look, pixels) {
    const {gl, scene} = this, {groups, dark} = scene;
    this.look = look;
    this.pixels = pixels;
    this.drawn = 0;
    this.splat = scene.cloud.n > WebGlPainter.few && look.diameter * pixels <= 2;
    const rows = groups.flatMap((g, i) => [...rgbOf(colorFor(g.color, dark)), weightOf(scene, i)]);
    this.bind(0, this.colors);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, groups.length, 1, 0, gl.RGBA, gl.FLOAT, new Float32Array(rows));
    this.ranges = visibleRanges(scene.cloud, scene.project, scene.window(look.diameter + 2));
    this.perChunk = this.layersPerChunk();
    if (scene.chosen !== this.uploaded) this.setChosen();
    this.into(/** @type {Target} */ (this.sums), true);
    this.into(/** @type {Target} */ (this.lines), true);
    if (scene.raised) (this.ground ??= new Ground(this)).draw();
  }

  setChosen() {
    const {gl, scene} = this, n = scene.cloud.n;
    gl.bindVertexArray(this.pointArray);
    if (scene.chosen) {
      if (this.chosenBuffer) gl.deleteBuffer(this.chosenBuffer);
      this.chosenBuffer = this.newBuffer(inLayers(scene.chosen, 1, new Uint8Array(n), n));
      gl.enableVertexAttribArray(2);
      gl.vertexAttribIPointer(2, 1, gl.UNSIGNED_BYTE, 0, 0);
    } else {
      gl.disableVertexAttribArray(2);
    }
    this.uploaded = scene.chosen;
  }

  /** Layers whose sums fit into half floats at the present scale; 0: add in full floats at once. */
  layersPerChunk() {
    const {scene} = this, {cloud, largest, view} = scene;
    if (!this.chunk || !largest || scene.rise) return 0;
    // All discs that touch a pixel are in a square, which meets `side` x `side` cells of a level
    const square = (this.splat ? 1 / this.pixels : /** @type {Look} */ (this.look).diameter + 2) / view.scale;
    let most = cloud.n;
    for (let level = 0; level <= cloud.codeBits; ++level) {
      const side = Math.ceil(square / 2 ** (cloud.codeBits + cloud.lowBits - level)) + 1;
      most = Math.min(most, side * side * largest[level]);
    }
    return Math.min(Math.floor(halfLimit / (most / layers + 4)), layers);
  }

  /**
   * Uniforms of a program that draws points or edges.
   * @param {{made: WebGLProgram, uniforms: Record<string, WebGLUniformLocation | null>}} program
   */
  use({made, uniforms}) {
    const {gl, scene} = this, {view, size, space, center} = scene;
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE);
    gl.useProgram(made);
    this.bind(0, this.colors);
    // Whole steps of the lattice are subtracted first: they are exact in floats
    const whole = space ? [0, 0] : [Math.round(view.x), Math.round(view.y)];
    gl.uniformMatrix3fv(uniforms.turn, true, view.turn);
    gl.uniform3f(uniforms.center, center[0] + whole[0], center[1] + whole[1], center[2]);
    gl.uniform2f(uniforms.middle, view.x - whole[0], view.y - whole[1]);
    gl.uniform2f(uniforms.scale, 2 * view.scale / size.w, 2 * view.scale / size.h);
    gl.uniform1f(uniforms.reach, space ? scene.reach : 0);
    gl.uniform3fv(uniforms.paper, rgbOf(paperOf(scene.dark)));
    return uniforms;
  }

  /**
   * Adds the next layers to the sums and shows them.
   * @param {number} count
   */
  advance(count) {
    const {gl} = this, from = this.drawn, to = Math.min(layers, from + count);
    this.vertices = 0;
    this.addEdges(from, to);
    const step = this.perChunk || to - from;
    for (let first = from; first < to; first += step) {
      const last = Math.min(first + step, to);
      this.into(/** @type {Target} */ (this.perChunk ? this.chunk : this.sums), this.perChunk > 0);
      this.addPoints(first, last);
      if (!this.perChunk) continue;
      this.into(/** @type {Target} */ (this.sums), false);
      gl.useProgram(this.adding.made);
      this.bind(0, /** @type {Target} */ (this.chunk).texture);
      gl.bindVertexArray(this.empty);
      gl.drawArrays(gl.TRIANGLES, 0, 3);
    }
    this.drawn = to;
    this.show();
  }

  /** @param {number} from @param {number} to layers */
  addPoints(from, to) {
    const {gl, scene} = this, look = /** @type {Look} */ (this.look), uniforms = this.use(this.points);
    gl.uniform1f(uniforms.diameter, look.diameter * this.pixels);
    gl.uniform1f(uniforms.others, scene.chosen ? 0.08 : 1);
    gl.uniform1i(uniforms.splat, this.splat ? 1 : 0);
    gl.uniform1i(uniforms.relief, 0);
    gl.uniform1i(uniforms.depths, 0);
    gl.uniform1f(uniforms.hide, 0);
    gl.uniform4f(uniforms.field, 0, 0, 1, 0);
    if (scene.raised) this.ground?.hold(uniforms);
    gl.bindVertexArray(this.pointArray);
    if (!scene.chosen) gl.vertexAttribI4ui(2, 0, 0, 0, 0);
    const {starts, cloud} = scene, ranges = this.ranges;
    if (ranges.length === 1 && ranges[0][0] === 0 && ranges[0][1] === cloud.n) {
      gl.drawArrays(gl.POINTS, starts[from], starts[to] - starts[from]);
      this.vertices += starts[to] - starts[from];
      return;
    }
    for (let layer = from; layer < to; ++layer) {
      let end = 0;  // blocks at the ends of two ranges are drawn once
      for (const [begin, last] of ranges) {
        let [first, count] = rangeInLayer(starts, layer, begin, last);
        const skipped = Math.max(end - first, 0);
        first += skipped;
        count -= skipped;
        if (count <= 0) continue;
        gl.drawArrays(gl.POINTS, first, count);
        this.vertices += count;
        end = first + count;
      }
    }
  }

  /** @param {number} from @param {number} to layers */
  addEdges(from, to) {
    const {gl, scene, edgeStarts} = this, count = edgeStarts[to] - edgeStarts[from], first = edgeStarts[from];
    if (count === 0) return;
    this.into(/** @type {Target} */ (this.lines), false);
    const uniforms = this.use(this.strokes);
    gl.uniform2f(uniforms.half_page, this.canvas.width / 2, this.canvas.height / 2);
    gl.uniform1f(uniforms.stroke, /** @type {Look} */ (this.look).lineWidth * this.pixels);
    gl.uniform1i(uniforms.named, scene.named ? 1 : 0);
    gl.uniform3fv(uniforms.gray, rgbOf(scene.facts.gray));
    gl.uniform1i(uniforms.whole, scene.cloud.at instanceof Uint16Array ? 1 : 0);
    gl.uniform1i(uniforms.places, 1);
    this.bind(1, /** @type {WebGLTexture} */ (this.places));
    gl.bindVertexArray(this.edgeArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, /** @type {WebGLBuffer} */ (this.endBuffer));
    gl.vertexAttribIPointer(0, 2, gl.UNSIGNED_INT, 0, 8 * first);
    gl.bindBuffer(gl.ARRAY_BUFFER, /** @type {WebGLBuffer} */ (this.edgeGroups));
    gl.vertexAttribIPointer(1, 2, gl.UNSIGNED_BYTE, 0, 2 * first);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, count);
    this.vertices += 4 * count;
  }

  /**
   * Weights of a disc's cover at its pixel, beside it and diagonally: close to the mean over the places within the
   * pixel.
   */
  kernel() {
    const diameter = /** @type {Look} */ (this.look).diameter * this.pixels;
    return [0, 1, Math.SQRT2].map(away => Math.min(Math.max(0.5 * diameter + 0.5 - away, 0), 1));
  }

  /** Side of a block of local density, and blocks of the filter. */
  smoothing() {
    const reach = (5 + 2 * Math.floor(2 * /** @type {Look} */ (this.look).diameter)) * this.pixels;
    const block = Math.min(Math.max(Math.round(reach / 5), 1), 16);
    return [block, Math.max(reach / block, 1)];
  }

  /**
   * Local density, as src/picture/shade.cpp has it.
   * @param {number} gain
   */
  smooth(gain) {
    const {gl} = this, [block, reach] = this.smoothing();
    if (this.blurred !== block) {
      for (const target of this.around || []) {
        gl.deleteTexture(target.texture);
        gl.deleteFramebuffer(target.frame);
        this.targets.splice(this.targets.indexOf(target), 1);
      }
      const wide = Math.ceil(this.canvas.width / block), high = Math.ceil(this.canvas.height / block);
      this.around = [0, 1].map(() => this.newTarget(gl.RGBA16F, wide, high, gl.LINEAR));
      this.blurred = block;
    }
    const [a, b] = /** @type {Target[]} */ (this.around);
    gl.disable(gl.BLEND);
    gl.bindVertexArray(this.empty);
    this.into(a, false);
    gl.useProgram(this.blocks.made);
    this.bind(0, /** @type {Target} */ (this.sums).texture);
    gl.uniform1i(this.blocks.uniforms.block, block);
    gl.uniform1f(this.blocks.uniforms.gain, gain);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.useProgram(this.blur.made);
    gl.uniform1f(this.blur.uniforms.reach, reach);
    for (const [from, to, x, y] of /** @type {[Target, Target, number, number][]} */ ([[a, b, 1, 0], [b, a, 0, 1]])) {
      this.into(to, false);
      this.bind(0, from.texture);
      gl.uniform2i(this.blur.uniforms.along, x, y);
      gl.drawArrays(gl.TRIANGLES, 0, 3);
    }
    return {texture: a.texture, wide: a.wide * block, high: a.high * block};
  }

  show() {
    const {gl, scene, page} = this, v = page.uniforms, look = /** @type {Look} */ (this.look);
    const {starts, cloud, dark} = scene;
    const gain = this.drawn ? cloud.n / Math.max(starts[this.drawn], 1) : 1, kernel = this.kernel();
    const lineGain = this.drawn ? this.edgeCount / Math.max(this.edgeStarts[this.drawn], 1) : 1;
    const around = this.smooth(this.splat ? gain * (kernel[0] + 4 * kernel[1] + 4 * kernel[2]) : gain);
    this.into(null, false);
    gl.disable(gl.BLEND);
    gl.useProgram(page.made);
    this.bind(3, (scene.raised && this.ground?.under || around).texture);
    gl.uniform1i(v.ground, 3);
    gl.uniform1i(v.grounded, scene.raised ? 1 : 0);
    this.bind(2, around.texture);
    this.bind(1, /** @type {Target} */ (this.lines).texture);
    this.bind(0, /** @type {Target} */ (this.sums).texture);
    gl.uniform1i(v.sums, 0);
    gl.uniform1i(v.lines, 1);
    gl.uniform1i(v.around, 2);
    gl.uniform2f(v.pageSize, this.canvas.width, this.canvas.height);
    gl.uniform1f(v.gain, gain);
    gl.uniform1f(v.lineGain, lineGain);
    gl.uniform1i(v.splat, this.splat ? 1 : 0);
    gl.uniform3fv(v.kernel, kernel);
    gl.uniform1f(v.lineAlpha, look.lineAlpha);
    gl.uniform1f(v.linePower, look.linePower);
    gl.uniform1f(v.alpha, look.alpha);
    gl.uniform1f(v.power, look.power);
    gl.uniform1f(v.most, look.most);
    gl.uniform1f(v.spread, look.spread);
    gl.uniform1i(v.plain, scene.named ? 0 : 1);
    gl.uniform3fv(v.paper, rgbOf(paperOf(dark)));
    gl.uniform3fv(v.ink, dark ? [1, 1, 1] : [0, 0, 0]);
    const {ramp} = scene.facts;
    gl.uniform3fv(v.ramp, (dark ? ['#2f5f8f', '#6aa5d8', '#d8ecff'] : ramp).flatMap(rgbOf));
    gl.bindVertexArray(this.empty);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }

  fence() { return this.gl.fenceSync(this.gl.SYNC_GPU_COMMANDS_COMPLETE, 0); }
  /** @param {WebGLSync} sync */
  isDone(sync) {
    const status = this.gl.clientWaitSync(sync, this.gl.SYNC_FLUSH_COMMANDS_BIT, 0);
    if (status === this.gl.TIMEOUT_EXPIRED) return false;
    this.gl.deleteSync(sync);
    return true;
  }
}

/**
 * @param {HTMLCanvasElement} canvas @param {Scene} scene
 * @returns {WebGlPainter | null} null: this browser has no WebGL 2 with float textures
 */
export function webGlPainter(canvas, scene) {
  const gl = canvas.getContext('webgl2', {antialias: false, alpha: false});
  if (!gl || !gl.getExtension('EXT_color_buffer_float')) return null;
  return new WebGlPainter(canvas, scene, gl);
}
