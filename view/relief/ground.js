// What is below the points: a landscape in three passes, or translucent hulls. A landscape's water is drawn from what
// lies below it (refraction), and from the land mirrored at it (reflection). Pages without either do not have this file
import {colorFor, rgbOf, weightOf} from '../look.js';
import {programOf} from '../paint/program.js';
import {fieldText} from '../paint/shaders.js';
import {groundFor} from './relief.js';

const viewText = `#version 300 es
precision highp float;
uniform mat3 turn;
uniform vec3 center;
uniform vec2 middle, scale;
`;
// A mesh of squares; side: 1 land, -1 the ground below water
const landVertexShader = `
uniform int cells;
uniform bool mirrored;
out vec2 node;
void main() {
  int cell = gl_VertexID / 6, corner = gl_VertexID % 6;
  node = vec2(cell % cells + (50 >> corner & 1), cell / cells + (44 >> corner & 1)) / float(cells) *
    vec2(textureSize(relief, 0) - 1);
  float e = fieldAt(node).x;
  vec3 p = turn * (vec3(field.xy + node * field.z, (mirrored ? 2.0 * water - e : e) * field.w) - center);
  gl_Position = vec4((p.xy - middle) * scale, -p.z * deep, 1.0);
}`;
const landShader = `
uniform sampler2D bands;
uniform float side;
uniform vec3 coast;
uniform bool contours;
in vec2 node;
out vec4 sum;
void main() {
  vec2 f = fieldAt(node);
  float wide = max(fwidth(f.x), 1e-6);
  if (side * (f.x - water) < -3.0 * wide * step(side, 0.0)) discard;
  vec3 c = texelFetch(bands, ivec2(0), 0).rgb;
  for (int i = 1; i < textureSize(bands, 0).x; ++i) {
    vec4 band = texelFetch(bands, ivec2(i, 0), 0);
    float away = (f.x - band.a) / wide;
    c = mix(c, band.rgb, clamp(away + 0.5, 0.0, 1.0));
    if (contours) c = band.a == water ? mix(c, coast, clamp(1.3 - abs(away), 0.0, 1.0))
      : mix(c, 0.65 * band.rgb, clamp(0.9 - abs(away), 0.0, 1.0));
  }
  sum = 16.0 * vec4(mix(c, vec3(f.y > 0.0 ? 0.0 : 1.0), abs(f.y) / 127.5), 1.0);
}`;
const waterVertexShader = `
out vec2 node;
void main() {
  node = (vec2(gl_VertexID & 1, gl_VertexID >> 1) * 17.0 - 8.0) * vec2(textureSize(relief, 0));
  vec3 p = turn * (vec3(field.xy + node * field.z, water * field.w) - center);
  gl_Position = vec4((p.xy - middle) * scale, -p.z * deep, 1.0);
}`;
const waterShader = `
uniform sampler2D bands, below, mirror, depths;
uniform vec3 paper;
uniform float time;
in vec2 node;
out vec4 sum;
void main() {
  float e = fieldAt(node).x;
  if (e > water + fwidth(e)) discard;
  vec2 at = node / float(textureSize(relief, 0).x) * 100.0;
  vec2 ripple = turn[2].y * vec2(sin(2.3 * at.x + 0.8 * at.y + 2.1 * time) + sin(1.3 * at.x - 1.9 * at.y + 1.7 * time),
                                 sin(2.0 * at.y - 1.1 * at.x - 1.9 * time) + sin(1.6 * at.y + 1.5 * at.x + 2.3 * time));
  ivec2 last = textureSize(below, 0) - 1, here = ivec2(gl_FragCoord.xy);
  float full = water * field.w * deep;
  float thick = min((texelFetch(depths, here, 0).r - gl_FragCoord.z) * 2.0 / max(full, 1e-9), 9.0);
  float shore = clamp(thick * 4.0, 0.0, 1.0);
  vec4 b = texelFetch(below, clamp(here + ivec2(2.0 * ripple * shore), ivec2(0), last), 0);
  vec4 m = texelFetch(mirror, clamp(here + ivec2(3.0 * ripple), ivec2(0), last), 0);
  vec3 ocean = texelFetch(bands, ivec2(0), 0).rgb, bed = b.a > 0.0 ? b.rgb / b.a : ocean;
  vec3 normal = turn * normalize(vec3(0.04 * ripple, 1.0)), sun = turn * vec3(-0.5, 0.5, 0.70711);
  float fresnel = 0.02 + 0.98 * pow(1.0 - max(normal.z, 0.0), 5.0);
  float glint = pow(max(reflect(-sun, normal).z, 0.0), 90.0);
  vec3 c = mix(mix(bed, ocean, 0.5 - 0.5 * exp(-2.0 * thick)), m.a > 0.0 ? m.rgb / m.a : paper, fresnel) + 0.4 * glint;
  sum = 16.0 * vec4(mix(bed, c, max(shore, 0.05)), 1.0);
}`;
const hullVertexShader = `
layout(location = 0) in vec3 at;
layout(location = 1) in vec3 normal;
uniform vec4 box;
uniform float reach;
out float facing, near;
void main() {
  vec3 p = turn * (box.xyz + at * box.w - center);
  facing = abs((turn * (2.0 * normal - 1.0)).z);
  near = 0.5 + 0.5 * clamp(0.5 + 0.5 * p.z / reach, 0.0, 1.0);
  gl_Position = vec4((p.xy - middle) * scale, 0.0, 1.0);
}`;
// Sums, independent of the order. Rims are denser, as of glass
const hullShader = `
uniform vec4 tint;
in float facing, near;
out vec4 sum;
void main() { sum = vec4(tint.rgb, 1.0) * tint.a * near * mix(1.0, 0.3, min(facing, 1.0)); }`;

export class Ground {
  /** @param {import('../paint/webgl.js').WebGlPainter} painter */
  constructor(painter) {
    const {gl, scene} = painter, {relief} = scene, {vertices, triangles} = scene.cloud.mesh;
    this.painter = painter;
    this.timer = 0;
    /** @type {import('../paint/webgl.js').Target | null} */
    this.under = null;
    const made = (/** @type {string} */ vertex, /** @type {string} */ fragment) =>
      programOf(gl, viewText + fieldText + vertex, viewText + fieldText + fragment);
    this.land = relief && made(landVertexShader, landShader);
    this.sea = relief && made(waterVertexShader, waterShader);
    this.hull = made(hullVertexShader, hullShader);
    this.bands = painter.newTexture(gl.NEAREST);
    this.heights = painter.newTexture(gl.NEAREST);
    if (relief)
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, relief.facts.nodes[0], relief.facts.nodes[1], 0, gl.RGBA,
                    gl.UNSIGNED_BYTE, new Uint8Array(relief.values.buffer));
    this.hullArray = gl.createVertexArray();
    gl.bindVertexArray(this.hullArray);
    painter.newBuffer(vertices);
    for (const place of [0, 1]) {
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, 3, gl.UNSIGNED_SHORT, place === 1, 12, 6 * place);
    }
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, triangles, gl.STATIC_DRAW);
    gl.bindVertexArray(null);
  }

  /** A target with a texture of depths. */
  solid() {
    const {painter, painter: {gl, canvas: {width, height}}} = this;
    const target = painter.newTarget(gl.RGBA16F, width, height), texture = painter.newTexture(gl.NEAREST);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, width, height);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, texture, 0);
    painter.targets.push({...target, texture});
    return {...target, depths: texture};
  }

  draw() {
    const {painter} = this, {scene} = painter;
    if (!this.under) {
      this.under = this.land ? this.solid()
        : painter.newTarget(painter.gl.RGBA16F, painter.canvas.width, painter.canvas.height);
      this.parts = this.land ? [this.solid(), this.solid()] : [];
    }
    if (scene.relief) this.landscape(scene.relief);
    else this.hulls();
  }

  /**
   * Uniforms of the height field.
   * @param {Record<string, WebGLUniformLocation | null>} uniforms
   */
  place(uniforms) {
    const {painter, painter: {gl, scene: {relief}}} = this;
    if (!relief) return;
    painter.bind(4, this.heights);
    gl.uniform1i(uniforms.relief, 4);
    gl.uniform4f(uniforms.field, relief.origin[0], relief.origin[1], relief.step, relief.lift);
    gl.uniform1f(uniforms.water, relief.facts.water);
    // A sea eight times as wide has depths in -1 .. 1
    gl.uniform1f(uniforms.deep, 1 / (20 * Math.max(...relief.sides)));
  }

  /**
   * Points stand on a landscape, which hides some.
   * @param {Record<string, WebGLUniformLocation | null>} uniforms
   */
  hold(uniforms) {
    const {painter, painter: {gl, scene}, under} = this;
    this.place(uniforms);
    if (!scene.rise || !under?.depths) return;
    painter.bind(8, under.depths);
    gl.uniform1i(uniforms.depths, 8);
    gl.uniform1f(uniforms.hide, 1e-4);
  }

  /** @param {import('./relief.js').Relief} relief */
  landscape({facts}) {
    const {painter, painter: {gl, scene}} = this;
    const [below, mirror] = /** @type {ReturnType<Ground['solid']>[]} */ (this.parts);
    const tone = (/** @type {string} */ color) => rgbOf(groundFor(color, scene.dark)), cells = 256;
    painter.bind(3, this.bands);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, facts.colors.length, 1, 0, gl.RGBA, gl.FLOAT,
                  new Float32Array(facts.colors.flatMap((color, i) => [...tone(color), i ? facts.levels[i - 1] : 0])));
    gl.bindVertexArray(painter.empty);
    const use = (/** @type {ReturnType<typeof programOf>} */ program) => {
      const uniforms = painter.use(program);
      gl.disable(gl.BLEND);
      gl.enable(gl.DEPTH_TEST);
      painter.bind(3, this.bands);
      gl.uniform1i(uniforms.bands, 3);
      this.place(uniforms);
      return uniforms;
    };
    for (const [target, side, mirrored] of /** @type {[import('../paint/webgl.js').Target, number, number][]} */ (
      [[below, -1, 0], [mirror, 1, 1], [this.under, 1, 0]])) {
      painter.into(target, true);
      gl.clear(gl.DEPTH_BUFFER_BIT);
      const uniforms = use(/** @type {ReturnType<typeof programOf>} */ (this.land));
      gl.uniform1f(uniforms.side, side);
      gl.uniform1i(uniforms.mirrored, mirrored);
      gl.uniform1i(uniforms.cells, cells);
      gl.uniform1i(uniforms.contours, facts.contours ? 1 : 0);
      gl.uniform3fv(uniforms.coast, tone(facts.coast));
      gl.drawArrays(gl.TRIANGLES, 0, 6 * cells * cells);
    }
    const uniforms = use(/** @type {ReturnType<typeof programOf>} */ (this.sea));
    [below.texture, mirror.texture, below.depths].forEach((texture, i) => {
      painter.bind(5 + i, texture);
      gl.uniform1i(uniforms[['below', 'mirror', 'depths'][i]], 5 + i);
    });
    gl.uniform1f(uniforms.time, scene.rise ? performance.now() / 1000 : 0);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    gl.disable(gl.DEPTH_TEST);
    this.stir();
  }

  /** Water moves when a picture is done, unless the reader wants stillness. */
  stir() {
    clearTimeout(this.timer);
    const {painter, painter: {scene}} = this, fence = painter.fence();
    const step = () => {
      if (!scene.rise || !this.under) return;
      if (painter.isDone(/** @type {WebGLSync} */ (fence))) {
        this.draw();
        painter.show();
      } else {
        this.timer = setTimeout(step, 20);
      }
    };
    if (scene.rise && !matchMedia('(prefers-reduced-motion: reduce)').matches) this.timer = setTimeout(step, 80);
  }

  hulls() {
    const {painter, painter: {gl, scene}} = this, {cloud: {mesh, origin, step}, facts} = scene;
    painter.into(this.under, true);
    const uniforms = painter.use(this.hull);
    gl.uniform4fv(uniforms.box, [...mesh.origin.map((v, axis) => (v - origin[axis]) / step), mesh.step / step]);
    gl.bindVertexArray(this.hullArray);
    let first = 0;
    for (const {label, color, opacity, triangles} of facts.hulls || []) {
      const weight = label < 0 ? 1 : weightOf(scene, facts.groupOfLabel[label]);
      gl.uniform4fv(uniforms.tint, [...rgbOf(colorFor(color, scene.dark)), opacity * weight]);
      if (weight) gl.drawElements(gl.TRIANGLES, 3 * triangles, gl.UNSIGNED_INT, 12 * first);
      first += triangles;
    }
  }
}
