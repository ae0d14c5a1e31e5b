#include "picture/html_page.hpp"

namespace dunlin::picture {

const std::string_view page_style = R"css(
html, body { margin: 0; height: 100%; overflow: hidden; background: #fff; color: #222;
  font: 14px/1.4 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
canvas { position: absolute; inset: 0; width: 100%; height: 100%; cursor: grab; touch-action: none; }
canvas.moving { cursor: grabbing; }
header { position: absolute; left: 24px; top: 18px; max-width: calc(100% - 320px); pointer-events: none; }
h1 { margin: 0; font-size: 20px; font-weight: 500; letter-spacing: -0.01em; text-shadow: 0 0 6px #fff, 0 0 6px #fff; }
#help { position: absolute; left: 24px; bottom: 14px; color: #999; font-size: 12px; pointer-events: none; }
#legend { position: absolute; right: 16px; top: 16px; max-width: 260px; max-height: calc(100% - 48px); overflow: auto;
  padding: 8px; border-radius: 12px; background: rgba(255, 255, 255, 0.86); box-shadow: 0 1px 10px rgba(0, 0, 0, 0.08);
  scrollbar-width: thin; }
#legend:empty { display: none; }
#legend button { display: flex; align-items: center; gap: 9px; width: 100%; padding: 3px 8px; border: 0; border-radius: 7px;
  background: none; font: inherit; color: inherit; text-align: left; cursor: pointer; }
#legend button:hover, #legend button:focus-visible { background: #f0f2f4; outline: none; }
#legend i, #tip i { flex: none; width: 11px; height: 11px; border-radius: 50%; }
#legend span { flex: 1; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
#legend em { flex: none; font-style: normal; font-size: 12px; color: #8a8a8a; font-variant-numeric: tabular-nums; }
#legend button[aria-pressed="false"] { opacity: 0.35; }
#ring { position: absolute; border: 2px solid #222; border-radius: 50%; box-sizing: border-box; pointer-events: none;
  transform: translate(-50%, -50%); display: none; }
#tip { position: absolute; max-width: 320px; padding: 7px 11px; border-radius: 9px; background: rgba(28, 30, 34, 0.93);
  color: #fff; font-size: 13px; pointer-events: none; display: none; overflow-wrap: anywhere; }
#tip b { font-weight: 600; }
#tip small { display: block; color: #b8bcc2; font-variant-numeric: tabular-nums; }
#tip div { display: flex; align-items: center; gap: 7px; }
)css";

const std::string_view page_body = R"html(
<canvas id="map" aria-label="map of the points"></canvas>
<header><h1 id="title"></h1></header>
<div id="legend" role="group" aria-label="labels"></div>
<div id="help"></div>
<div id="ring"></div>
<div id="tip" role="status"></div>
)html";

const std::string_view page_script = R"js('use strict';
const element = id => document.getElementById(id);
const facts = JSON.parse(element('facts').textContent);

function bytes(id) {
  const text = element(id).textContent;
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const raw = atob(text), out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; ++i) out[i] = raw.charCodeAt(i);
  return out;
}

// The data: n positions of 2 or 3 floats, a label per point, a colour per group of labels
const width = facts.width, n = facts.points;
const positions = new Float32Array(bytes('positions').buffer);
const labels = facts.names.length ? new Uint32Array(bytes('labels').buffer) : null;
const groups = facts.groups.map(g => ({...g, shown: true}));
const groupOf = new Uint8Array(n);
if (labels) for (let i = 0; i < n; ++i) groupOf[i] = facts.groupOfLabel[labels[i]];
else if (groups.length > 1) groupOf.set(bytes('labels'));
// Pairs of points that an edge joins
const ends = facts.lines ? new Uint32Array(bytes('edges').buffer) : new Uint32Array(0);
const named = groups.length > 1 || labels !== null;

// The view. x' = turn (x - centre) for a map in 3 dimensions; then a scale in pixels per unit and the middle of the page
const canvas = element('map'), solid = width === 3;
const centre = facts.centre;
const view = {turn: facts.turn, x: 0, y: 0, scale: 1};
let size = {w: 1, h: 1}, fitted = 1, density = 0, crossing = 0, reach = 1, moved = false;

function place(i, out) {
  const at = width * i, t = view.turn;
  const x = positions[at] - centre[0], y = positions[at + 1] - centre[1], z = solid ? positions[at + 2] - centre[2] : 0;
  out[0] = t[0] * x + t[1] * y + t[2] * z;
  out[1] = t[3] * x + t[4] * y + t[5] * z;
  return out;
}

function fit() {
  let left = Infinity, right = -Infinity, bottom = Infinity, top = -Infinity, far = 0;
  const p = [0, 0];
  for (let i = 0; i < n; ++i) {
    place(i, p);
    left = Math.min(left, p[0]); right = Math.max(right, p[0]);
    bottom = Math.min(bottom, p[1]); top = Math.max(top, p[1]);
    if (solid) far = Math.max(far, Math.hypot(positions[3 * i] - centre[0], positions[3 * i + 1] - centre[1],
                                              positions[3 * i + 2] - centre[2]));
  }
  const legend = named && size.w > 700 ? element('legend').offsetWidth + 24 : 0;
  const wide = Math.max(size.w - 60 - legend, 40), high = Math.max(size.h - 110, 40);
  const across = right - left, along = top - bottom;
  fitted = across > 0 || along > 0 ? Math.min(wide / across, high / along) : 1;
  if (solid && far > 0) fitted = Math.min(fitted, Math.min(wide, high) / (1.6 * far));
  reach = far || 1;
  moved = false;
  view.scale = fitted;
  view.x = (left + right) / 2 + legend / 2 / fitted;
  view.y = (bottom + top) / 2 + 10 / fitted;
  density = dense(left, bottom, Math.max(across, along));
  crossing = dense(left, bottom, Math.max(across, along), true);
  redraw();
}

// Points per square unit, or the length of edges there, that 98 of 100 places of the map stay below
function dense(left, bottom, side, edges = false) {
  const cells = 160, counts = new Float64Array(cells * cells), p = [0, 0], q = [0, 0];
  if (!(side > 0)) return 0;
  const put = (x, y, count) => {
    const cx = Math.min(cells - 1, Math.floor((x - left) / side * cells));
    const cy = Math.min(cells - 1, Math.floor((y - bottom) / side * cells));
    counts[cy * cells + cx] += count;
  };
  if (!edges) for (let i = 0; i < n; ++i) put(...place(i, p), 1);
  for (let e = 0; edges && e < ends.length; e += 2) {
    place(ends[e], p);
    place(ends[e + 1], q);
    const length = Math.hypot(q[0] - p[0], q[1] - p[1]), steps = Math.min(16, Math.ceil(length / side * cells)) || 1;
    for (let s = 0.5; s < steps; ++s) {
      put(p[0] + (q[0] - p[0]) * s / steps, p[1] + (q[1] - p[1]) * s / steps, length / steps);
    }
  }
  const used = counts.filter(c => c > 0).sort();
  return used.length ? used[Math.floor(0.98 * (used.length - 1))] / (side / cells) ** 2 : 0;
}

// How large and how dark a point is: as in the PNG, and a little larger as one looks closer
function style() {
  const side = Math.min(size.w, size.h), zoom = Math.max(view.scale / fitted, 0.2);
  const natural = facts.lines ? Math.min(Math.max(0.26 * side / Math.sqrt(n), 0.0006 * side), 0.01 * side)
                              : Math.min(Math.max(0.04 * side * n ** -0.25, 1.4), 0.014 * side);
  const diameter = Math.min(natural * zoom ** 0.45, Math.max(14, natural));
  const alpha = Math.min(Math.max(1.25 - 0.14 * Math.log10(Math.max(n / zoom ** 2, 1)), 0.4), 0.9);
  const most = Math.max(1, density / view.scale ** 2 * Math.PI / 4 * diameter ** 2);
  return {diameter, alpha, most, power: power(alpha, most), ...lineStyle(side, zoom)};
}
// Opacities multiply where few lie at a pixel; where many do, a power keeps the shades of dense places apart
function power(alpha, most) {
  const wanted = Math.log(0.03) / Math.log(1 - alpha);
  return most > 1 ? Math.min(Math.max(Math.log(wanted) / Math.log(most), 0.1), 1) : 1;
}
function lineStyle(side, zoom) {
  const magnitude = Math.log10(Math.max(facts.lines / zoom ** 2, 1));
  const lineWidth = Math.min(Math.max(2 - 0.3 * magnitude, 0.5), 1.4) * Math.max(side / 1140, 0.7);
  const lineAlpha = Math.min(Math.max(1.1 - 0.15 * magnitude, 0.15), 0.8);
  return {lineWidth, lineAlpha, linePower: power(lineAlpha, crossing / view.scale * lineWidth)};
}

const vertex = `#version 300 es
layout(location = 0) in vec3 at;
layout(location = 1) in uint group;
uniform mat3 turn;
uniform vec3 centre;
uniform vec2 middle, scale;
uniform float diameter, reach;
uniform sampler2D groups;
flat out vec4 tint;
void main() {
  vec3 p = turn * (at - centre);
  vec4 g = texelFetch(groups, ivec2(int(group), 0), 0);
  float near = reach > 0.0 ? clamp(0.5 + 0.5 * p.z / reach, 0.0, 1.0) : 1.0;
  tint = vec4(mix(vec3(1.0), g.rgb, 0.5 + 0.5 * near), g.a * (0.5 + 0.5 * near));
  gl_Position = g.a > 0.0 ? vec4((p.xy - middle) * scale, 0.0, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
  gl_PointSize = diameter + 1.5;
}`;
// Sums over the discs at a pixel: no order of drawing matters
const disc = `#version 300 es
precision highp float;
flat in vec4 tint;
uniform float diameter;
out vec4 sum;
void main() {
  float away = length(gl_PointCoord - 0.5) * (diameter + 1.5);
  sum = vec4(tint.rgb, 1.0) * tint.a * clamp(0.5 * diameter + 0.5 - away, 0.0, 1.0);
}`;
// An edge is a strip of two triangles along its line, a little wider than its stroke
const strip = `#version 300 es
layout(location = 0) in vec3 from;
layout(location = 1) in vec3 to;
layout(location = 2) in uvec2 group;
uniform mat3 turn;
uniform vec3 centre, grey;
uniform vec2 middle, scale, half_page;
uniform float stroke, reach;
uniform bool named;
uniform sampler2D groups;
flat out vec4 tint;
out float away;
void main() {
  vec3 a = turn * (from - centre), b = turn * (to - centre);
  vec2 p = (a.xy - middle) * scale * half_page, q = (b.xy - middle) * scale * half_page, along = q - p;
  float side = (gl_VertexID % 2 == 0 ? -1.0 : 1.0) * (0.5 * stroke + 0.75);
  vec2 across = length(along) > 0.0 ? vec2(-along.y, along.x) / length(along) : vec2(0.0);
  vec4 g = texelFetch(groups, ivec2(int(group.x), 0), 0), h = texelFetch(groups, ivec2(int(group.y), 0), 0);
  float shown = min(g.a, h.a), near = reach > 0.0 ? clamp(0.5 + 0.25 * (a.z + b.z) / reach, 0.0, 1.0) : 1.0;
  vec3 color = named && group.x == group.y ? mix(g.rgb, grey, 0.25) : grey;
  away = side;
  tint = vec4(mix(vec3(1.0), color, 0.5 + 0.5 * near), shown * (0.5 + 0.5 * near));
  gl_Position = shown > 0.0 ? vec4(((gl_VertexID < 2 ? p : q) + across * side) / half_page, 0.0, 1.0)
                            : vec4(2.0, 2.0, 2.0, 1.0);
}`;
const ink = `#version 300 es
precision highp float;
flat in vec4 tint;
in float away;
uniform float stroke;
out vec4 sum;
void main() {
  sum = vec4(tint.rgb, 1.0) * tint.a * clamp(0.5 * stroke + 0.5 - abs(away), 0.0, min(stroke, 1.0));
}`;
const cover = `#version 300 es
void main() { gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0); }`;
const shade = `#version 300 es
precision highp float;
uniform sampler2D sums, lines;
uniform float alpha, power, most, lineAlpha, linePower;
uniform bool plain;
uniform vec3 ramp[3];
out vec4 color;
float opaque(float count, float one, float bend) {
  return count <= 1.0 ? count * one : 1.0 - pow(1.0 - one, pow(count, bend));
}
void main() {
  vec4 s = texelFetch(sums, ivec2(gl_FragCoord.xy), 0), l = texelFetch(lines, ivec2(gl_FragCoord.xy), 0);
  vec3 under = mix(vec3(1.0), l.rgb / max(l.a, 1e-6), opaque(l.a, lineAlpha, linePower));
  float opacity = opaque(s.a, alpha, power);
  float around = textureLod(sums, gl_FragCoord.xy / vec2(textureSize(sums, 0)), 3.0).a;
  float dense = min(log(1.0 + 4.0 * around) / log(1.0 + 4.0 * most), 1.0), spread = clamp(log2(most) / 3.0, 0.0, 1.0);
  float at = 1.0 + 2.0 * spread * (dense - 0.5);
  vec3 c = plain ? mix(mix(ramp[0], ramp[1], min(at, 1.0)), ramp[2], max(at - 1.0, 0.0))
                 : s.rgb / max(s.a, 1e-6) * (1.0 - 0.2 * spread * dense * dense);
  color = vec4(mix(under, c, opacity), 1.0);
}`;

function program(gl, vertexText, fragmentText) {
  const made = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertexText], [gl.FRAGMENT_SHADER, fragmentText]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made) || 'shaders');
  const uniforms = {};
  for (let i = 0; i < gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS); ++i) {
    const name = gl.getActiveUniform(made, i).name.replace('[0]', '');
    uniforms[name] = gl.getUniformLocation(made, name);
  }
  return {made, uniforms};
}

const rgb = g => [1, 3, 5].map(at => parseInt(g.color.slice(at, at + 2), 16) / 255);
let lit = -1;  // the group under the pointer in the legend: the others are faint
const weight = (g, i) => !g.shown ? 0 : lit < 0 || lit === i ? 1 : 0.08;

function webgl() {
  const gl = canvas.getContext('webgl2', {antialias: false, alpha: false});
  if (!gl || !gl.getExtension('EXT_color_buffer_float')) return null;
  const points = program(gl, vertex, disc), strokes = program(gl, strip, ink), page = program(gl, cover, shade);
  const array = gl.createVertexArray(), edges = gl.createVertexArray(), empty = gl.createVertexArray();
  gl.bindVertexArray(array);
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ARRAY_BUFFER, positions, gl.STATIC_DRAW);
  gl.enableVertexAttribArray(0);
  gl.vertexAttribPointer(0, width, gl.FLOAT, false, 0, 0);
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ARRAY_BUFFER, groupOf, gl.STATIC_DRAW);
  gl.enableVertexAttribArray(1);
  gl.vertexAttribIPointer(1, 1, gl.UNSIGNED_BYTE, 0, 0);
  gl.bindVertexArray(edges);
  for (const end of [0, 1]) {
    const at = new Float32Array(ends.length / 2 * width);
    for (let e = end, to = 0; e < ends.length; e += 2) {
      for (let c = 0; c < width; ++c) at[to++] = positions[width * ends[e] + c];
    }
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, at, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(end);
    gl.vertexAttribPointer(end, width, gl.FLOAT, false, 0, 0);
    gl.vertexAttribDivisor(end, 1);
  }
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ARRAY_BUFFER, Uint8Array.from(ends, end => groupOf[end]), gl.STATIC_DRAW);
  gl.enableVertexAttribArray(2);
  gl.vertexAttribIPointer(2, 2, gl.UNSIGNED_BYTE, 0, 0);
  gl.vertexAttribDivisor(2, 1);
  const texture = filter => {
    const made = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, made);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, filter);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    return made;
  };
  const colors = texture(gl.NEAREST), sums = texture(gl.LINEAR_MIPMAP_NEAREST), frame = gl.createFramebuffer();
  const lines = texture(gl.NEAREST), under = gl.createFramebuffer();
  gl.blendFunc(gl.ONE, gl.ONE);

  function resize() {
    for (const [target, buffer] of [[sums, frame], [lines, under]]) {
      gl.bindTexture(gl.TEXTURE_2D, target);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA16F, canvas.width, canvas.height, 0, gl.RGBA, gl.HALF_FLOAT, null);
      gl.bindFramebuffer(gl.FRAMEBUFFER, buffer);
      gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, target, 0);
    }
  }
  function begin(buffer, {made, uniforms}) {
    gl.bindFramebuffer(gl.FRAMEBUFFER, buffer);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.enable(gl.BLEND);
    gl.useProgram(made);
    gl.uniformMatrix3fv(uniforms.turn, true, view.turn);
    gl.uniform3fv(uniforms.centre, centre);
    gl.uniform2f(uniforms.middle, view.x, view.y);
    gl.uniform2f(uniforms.scale, 2 * view.scale / size.w, 2 * view.scale / size.h);
    gl.uniform1f(uniforms.reach, solid ? reach : 0);
    return uniforms;
  }
  function draw(look, pixels) {
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.bindTexture(gl.TEXTURE_2D, colors);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, groups.length, 1, 0, gl.RGBA, gl.FLOAT,
                  new Float32Array(groups.flatMap((g, i) => [...rgb(g), weight(g, i)])));
    const l = begin(under, strokes);
    gl.uniform2f(l.half_page, canvas.width / 2, canvas.height / 2);
    gl.uniform1f(l.stroke, look.lineWidth * pixels);
    gl.uniform1i(l.named, named ? 1 : 0);
    gl.uniform3fv(l.grey, rgb({color: facts.grey}));
    gl.bindVertexArray(edges);
    if (ends.length) gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, ends.length / 2);

    const u = begin(frame, points);
    gl.uniform1f(u.diameter, look.diameter * pixels);
    gl.bindVertexArray(array);
    gl.drawArrays(gl.POINTS, 0, n);

    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.disable(gl.BLEND);
    gl.useProgram(page.made);
    const v = page.uniforms;
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, lines);
    gl.uniform1i(v.lines, 1);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, sums);
    gl.generateMipmap(gl.TEXTURE_2D);  // the coarse levels say how dense the surroundings are
    gl.uniform1f(v.lineAlpha, look.lineAlpha);
    gl.uniform1f(v.linePower, look.linePower);
    gl.uniform1f(v.alpha, look.alpha);
    gl.uniform1f(v.power, look.power);
    gl.uniform1f(v.most, look.most);
    gl.uniform1i(v.plain, named ? 0 : 1);
    gl.uniform3fv(v.ramp, facts.ramp.flatMap(color => rgb({color})));
    gl.bindVertexArray(empty);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }
  return {resize, draw};
}

// Where there is no WebGL: the same points, one over the other
function plain2d() {
  const context = canvas.getContext('2d'), p = [0, 0];
  function draw(look, pixels) {
    context.setTransform(pixels, 0, 0, pixels, 0, 0);
    context.fillStyle = '#fff';
    context.fillRect(0, 0, size.w, size.h);
    context.lineWidth = look.lineWidth;
    context.strokeStyle = facts.grey;
    context.globalAlpha = look.lineAlpha;
    for (let e = 0; e < ends.length; e += 2) {
      if (!groups[groupOf[ends[e]]].shown || !groups[groupOf[ends[e + 1]]].shown) continue;
      context.beginPath();
      context.moveTo(across(place(ends[e], p)[0]), down(p[1]));
      context.lineTo(across(place(ends[e + 1], p)[0]), down(p[1]));
      context.stroke();
    }
    const d = look.diameter;
    for (let i = 0; i < n; ++i) {
      const g = groups[groupOf[i]], w = weight(g, groupOf[i]);
      if (w === 0) continue;
      place(i, p);
      context.globalAlpha = look.alpha * w;
      context.fillStyle = g.color;
      context.fillRect(across(p[0]) - d / 2, down(p[1]) - d / 2, d, d);
    }
  }
  return {resize() {}, draw};
}

const across = x => (x - view.x) * view.scale + size.w / 2, down = y => size.h / 2 - (y - view.y) * view.scale;
const painter = webgl() || plain2d();

let waiting = false;
function redraw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    painter.draw(style(), canvas.width / size.w);
  });
}

function resize() {
  size = {w: Math.max(innerWidth, 1), h: Math.max(innerHeight, 1)};
  const pixels = window.devicePixelRatio || 1;
  canvas.width = Math.round(size.w * pixels);
  canvas.height = Math.round(size.h * pixels);
  painter.resize();
}

// Pointers: one moves the map (or turns it, if it has a depth; with Shift it moves), two zoom
const fingers = new Map();
function zoom(factor, x, y) {
  const to = Math.min(Math.max(view.scale * factor, fitted / 5), fitted * 1e5), share = 1 / view.scale - 1 / to;
  view.x += (x - size.w / 2) * share;
  view.y += (size.h / 2 - y) * share;
  view.scale = to;
  moved = true;
  hide();
  redraw();
}
function turn(dx, dy) {
  const t = view.turn, a = dx * 0.008, b = dy * 0.008;
  const y = [Math.cos(a), 0, Math.sin(a), 0, 1, 0, -Math.sin(a), 0, Math.cos(a)];
  const x = [1, 0, 0, 0, Math.cos(b), -Math.sin(b), 0, Math.sin(b), Math.cos(b)];
  const times = (m, k) => m.map((_, i) => {
    const row = 3 * Math.floor(i / 3), column = i % 3;
    return m[row] * k[column] + m[row + 1] * k[column + 3] + m[row + 2] * k[column + 6];
  });
  view.turn = times(x, times(y, t));
}
canvas.addEventListener('wheel', e => {
  e.preventDefault();
  zoom(Math.exp(-e.deltaY * (e.deltaMode ? 0.05 : 0.0016)), e.clientX, e.clientY);
}, {passive: false});
canvas.addEventListener('pointerdown', e => {
  canvas.setPointerCapture(e.pointerId);
  fingers.set(e.pointerId, {x: e.clientX, y: e.clientY});
  canvas.classList.add('moving');
  hide();
});
canvas.addEventListener('pointermove', e => {
  const last = fingers.get(e.pointerId);
  if (!last) return look(e.clientX, e.clientY);
  const dx = e.clientX - last.x, dy = e.clientY - last.y;
  if (fingers.size === 2) {
    const [, other] = [...fingers].find(([id]) => id !== e.pointerId);
    const before = Math.hypot(last.x - other.x, last.y - other.y);
    const after = Math.hypot(e.clientX - other.x, e.clientY - other.y);
    if (before > 0) zoom(after / before, (e.clientX + other.x) / 2, (e.clientY + other.y) / 2);
  } else if (solid && !e.shiftKey) {
    turn(dx, dy);
  } else {
    view.x -= dx / view.scale;
    view.y += dy / view.scale;
  }
  moved = true;
  last.x = e.clientX;
  last.y = e.clientY;
  redraw();
});
for (const name of ['pointerup', 'pointercancel']) {
  canvas.addEventListener(name, e => {
    fingers.delete(e.pointerId);
    if (fingers.size === 0) canvas.classList.remove('moving');
  });
}
canvas.addEventListener('pointerleave', hide);
canvas.addEventListener('dblclick', fit);
addEventListener('keydown', e => {
  if (e.key === '0' || e.key === 'Escape') fit();
  if (e.key === '+' || e.key === '=') zoom(1.4, size.w / 2, size.h / 2);
  if (e.key === '-') zoom(1 / 1.4, size.w / 2, size.h / 2);
});

// Hover: the nearest point within reach of the pointer
let asked = null;
function look(x, y) {
  if (!asked) requestAnimationFrame(() => { const at = asked; asked = null; tell(nearest(at.x, at.y)); });
  asked = {x, y};
}
function nearest(px, py) {
  const x = (px - size.w / 2) / view.scale + view.x, y = (size.h / 2 - py) / view.scale + view.y, p = [0, 0];
  let best = (Math.max(10, style().diameter) / view.scale) ** 2, found = -1;
  for (let i = 0; i < n; ++i) {
    place(i, p);
    const d = (p[0] - x) ** 2 + (p[1] - y) ** 2;
    if (d <= best && groups[groupOf[i]].shown) { best = d; found = i; }
  }
  return found;
}
const swatch = color => Object.assign(document.createElement('i'), {style: `background:${color}`});
function tell(i) {
  const tip = element('tip'), ring = element('ring');
  if (i < 0) return hide();
  const p = place(i, [0, 0]), x = across(p[0]), y = down(p[1]), ringed = Math.max(style().diameter + 6, 10);
  const name = Object.assign(document.createElement('b'), {textContent: facts.ids.length ? facts.ids[i] : 'point ' + i});
  tip.replaceChildren(name);
  if (named) {
    const line = document.createElement('div');
    line.append(swatch(groups[groupOf[i]].color), labels ? facts.names[labels[i]] : groups[groupOf[i]].name);
    tip.append(line);
  }
  const coordinates = [...positions.subarray(width * i, width * i + width)].map(v => v.toPrecision(5)).join(', ');
  tip.append(Object.assign(document.createElement('small'), {textContent: coordinates}));
  tip.style.display = ring.style.display = 'block';
  Object.assign(ring.style, {left: x + 'px', top: y + 'px', width: ringed + 'px', height: ringed + 'px'});
  const left = x + 16 + tip.offsetWidth < size.w ? x + 16 : x - 16 - tip.offsetWidth;
  tip.style.left = Math.max(left, 4) + 'px';
  tip.style.top = Math.max(Math.min(y + 14, size.h - tip.offsetHeight - 6), 4) + 'px';
}
function hide() { element('tip').style.display = element('ring').style.display = 'none'; }

// Legend: a click hides or shows a label, a double click shows it alone, or all again
function legend() {
  const buttons = groups.map((g, i) => {
    const button = document.createElement('button');
    button.append(swatch(g.color), Object.assign(document.createElement('span'), {textContent: g.name, title: g.name}),
                  Object.assign(document.createElement('em'), {textContent: g.count.toLocaleString('en')}));
    button.addEventListener('click', () => { g.shown = !g.shown; update(); });
    button.addEventListener('dblclick', () => {
      const alone = groups.every((other, j) => other.shown === (i === j));
      groups.forEach((other, j) => { other.shown = alone || i === j; });
      update();
    });
    button.addEventListener('pointerenter', () => { lit = g.shown ? i : -1; redraw(); });
    button.addEventListener('pointerleave', () => { lit = -1; redraw(); });
    return button;
  });
  function update() {
    buttons.forEach((button, i) => button.setAttribute('aria-pressed', groups[i].shown));
    lit = -1;
    hide();
    redraw();
  }
  element('legend').append(...buttons);
  update();
}

element('title').textContent = facts.title;
element('help').textContent = (solid ? 'drag to turn, Shift and drag to move' : 'drag to move') +
  ', scroll to zoom, double-click to see all' + (named ? '; click a label to hide it, double-click to see it alone' : '') +
  (2 * facts.lines > ends.length ? `; ${(ends.length / 2).toLocaleString('en')} of ${facts.lines.toLocaleString('en')} edges are drawn` : '');
if (named) legend();
resize();
fit();
addEventListener('resize', () => { resize(); if (moved) redraw(); else fit(); });
)js";

}  // namespace dunlin::picture
