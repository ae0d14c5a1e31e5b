/**
 * A landscape: elevation and shade between nodes; the distance of nodes and the height of the highest peak are the last
 * two of `field`.
 */
export const fieldText = `
uniform sampler2D relief;
uniform vec4 field;
uniform float water, deep;
vec2 nodeAt(ivec2 i) {
  vec4 t = texelFetch(relief, i, 0);
  return vec2(dot(t.rg, vec2(255.0, 65280.0)) / 65535.0, t.b * 255.0 - 128.0);
}
vec2 fieldAt(vec2 p) {
  ivec2 last = textureSize(relief, 0) - 1;
  p = clamp(p, vec2(0.0), vec2(last));
  ivec2 i = ivec2(p), j = min(i + 1, last);
  vec2 w = p - vec2(i);
  return mix(mix(nodeAt(i), nodeAt(ivec2(j.x, i.y)), w.x), mix(nodeAt(ivec2(i.x, j.y)), nodeAt(j), w.x), w.y);
}
`;
export const pointVertexShader = `#version 300 es
precision highp float;
layout(location = 0) in vec3 at;
layout(location = 1) in uint group;
layout(location = 2) in uint chosen;
uniform mat3 turn;
uniform vec3 center, paper;
uniform vec2 middle, scale;
uniform float diameter, reach, others;
uniform bool splat;
uniform sampler2D groups, depths;
uniform float hide;
${fieldText}
flat out vec4 tint;
void main() {
  vec3 p = turn * (vec3(at.xy, field.w > 0.0
    ? field.w * max(fieldAt((at.xy - field.xy) / field.z).x, water) : at.z) - center);
  vec4 g = texelFetch(groups, ivec2(int(group), 0), 0);
  float near = reach > 0.0 ? clamp(0.5 + 0.5 * p.z / reach, 0.0, 1.0) : 1.0;
  float weight = g.a * (0.5 + 0.5 * near) * (chosen > 0u ? 1.0 : others);
  tint = vec4(mix(paper, g.rgb, 0.5 + 0.5 * near), weight);
  bool hidden = false;
  if (hide > 0.0) {
    ivec2 last = textureSize(depths, 0) - 1, here = ivec2((0.5 + 0.5 * (p.xy - middle) * scale) * vec2(last + 1));
    hidden = 0.5 - 0.5 * p.z * deep > texelFetch(depths, clamp(here, ivec2(0), last), 0).r + hide;
  }
  gl_Position = g.a > 0.0 && !hidden ? vec4((p.xy - middle) * scale, 0.0, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
  gl_PointSize = splat ? 1.0 : diameter + 1.5;
}`;
// Additive blending of the discs, independent of their order. The cover of a pixel is that of a half-plane with the
// disc's edge, exactly
export const discShader = `#version 300 es
precision highp float;
flat in vec4 tint;
uniform float diameter;
uniform bool splat;
out vec4 sum;
void main() {
  vec2 from = (gl_PointCoord - 0.5) * (diameter + 1.5);
  float away = length(from), inside = 0.5 * diameter - away;
  vec2 normal = away > 0.0 ? abs(from) / away : vec2(1.0, 0.0);
  float a = max(normal.x, normal.y), b = min(normal.x, normal.y), corner = 0.5 * (a + b) - abs(inside);
  float cover = abs(inside) <= 0.5 * (a - b) ? 0.5 + inside / a
              : inside > 0.0 ? 1.0 - corner * max(corner, 0.0) / (2.0 * a * max(b, 1e-4))
                             : corner * max(corner, 0.0) / (2.0 * a * max(b, 1e-4));
  sum = vec4(tint.rgb, 1.0) * tint.a * (splat ? 1.0 : clamp(cover, 0.0, 1.0));
}`;
// An edge is a strip of two triangles along its line, slightly wider than the stroke; its ends are looked up
export const edgeVertexShader = `#version 300 es
layout(location = 0) in uvec2 ends;
layout(location = 1) in uvec2 group;
uniform highp usampler2D places;
uniform bool whole;
uniform mat3 turn;
uniform vec3 center, gray, paper;
uniform vec2 middle, scale, half_page;
uniform float stroke, reach;
uniform bool named;
uniform sampler2D groups;
flat out vec4 tint;
out float away;
vec3 at(uint end) {
  uvec3 place = texelFetch(places, ivec2(end & 4095u, end >> 12), 0).xyz;
  return turn * ((whole ? vec3(place) : uintBitsToFloat(place)) - center);
}
void main() {
  vec3 a = at(ends.x), b = at(ends.y);
  vec2 p = (a.xy - middle) * scale * half_page, q = (b.xy - middle) * scale * half_page, along = q - p;
  float side = (gl_VertexID % 2 == 0 ? -1.0 : 1.0) * (0.5 * stroke + 0.75);
  vec2 across = length(along) > 0.0 ? vec2(-along.y, along.x) / length(along) : vec2(0.0);
  vec4 g = texelFetch(groups, ivec2(int(group.x), 0), 0), h = texelFetch(groups, ivec2(int(group.y), 0), 0);
  float shown = min(g.a, h.a), near = reach > 0.0 ? clamp(0.5 + 0.25 * (a.z + b.z) / reach, 0.0, 1.0) : 1.0;
  vec3 color = named && group.x == group.y ? mix(g.rgb, gray, 0.25) : gray;
  away = side;
  tint = vec4(mix(paper, color, 0.5 + 0.5 * near), shown * (0.5 + 0.5 * near));
  gl_Position = shown > 0.0 ? vec4(((gl_VertexID < 2 ? p : q) + across * side) / half_page, 0.0, 1.0)
                            : vec4(2.0, 2.0, 2.0, 1.0);
}`;
export const edgeShader = `#version 300 es
precision highp float;
flat in vec4 tint;
in float away;
uniform float stroke;
out vec4 sum;
void main() {
  sum = vec4(tint.rgb, 1.0) * tint.a * clamp(0.5 * stroke + 0.5 - abs(away), 0.0, min(stroke, 1.0));
}`;
export const pageVertexShader = `#version 300 es
void main() { gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0); }`;
export const addShader = `#version 300 es
precision highp float;
uniform sampler2D sums;
out vec4 sum;
void main() { sum = texelFetch(sums, ivec2(gl_FragCoord.xy), 0); }`;
// Mean count of square blocks of pixels
export const blockShader = `#version 300 es
precision highp float;
uniform sampler2D sums;
uniform int block;
uniform float gain;
out vec4 mean;
void main() {
  ivec2 first = ivec2(gl_FragCoord.xy) * block, last = textureSize(sums, 0) - 1;
  float count = 0.0;
  for (int y = 0; y < block; ++y)
    for (int x = 0; x < block; ++x) count += texelFetch(sums, min(first + ivec2(x, y), last), 0).a;
  mean = vec4(min(count * gain / float(block * block), 60000.0), 0.0, 0.0, 1.0);
}`;
// Tent filter along one axis: a box filter twice
export const blurShader = `#version 300 es
precision highp float;
uniform sampler2D counts;
uniform ivec2 along;
uniform float reach;
out vec4 mean;
void main() {
  ivec2 here = ivec2(gl_FragCoord.xy), size = textureSize(counts, 0);
  float sum = 0.0, weights = 0.0;
  int most = int(ceil(reach));
  for (int i = -most; i <= most; ++i) {
    float weight = max(1.0 - abs(float(i)) / reach, 0.0);
    ivec2 there = here + i * along;
    weights += weight;
    if (all(greaterThanEqual(there, ivec2(0))) && all(lessThan(there, size)))
      sum += weight * texelFetch(counts, there, 0).r;
  }
  mean = vec4(sum / weights, 0.0, 0.0, 1.0);
}`;
export const pageShader = `#version 300 es
precision highp float;
uniform sampler2D sums, lines, around, ground;
uniform float alpha, power, most, spread, lineAlpha, linePower, gain, lineGain;
uniform vec2 pageSize;
uniform vec3 paper, ink, kernel;
uniform bool plain, splat, grounded;
uniform vec3 ramp[3];
out vec4 color;
float opaque(float count, float one, float bend) {
  return count <= 1.0 ? count * one : 1.0 - pow(1.0 - one, pow(count, bend));
}
vec4 at(int x, int y) {
  ivec2 there = ivec2(gl_FragCoord.xy) + ivec2(x, y);
  return any(lessThan(there, ivec2(0))) || any(greaterThanEqual(there, ivec2(pageSize))) ? vec4(0.0)
    : texelFetch(sums, there, 0);
}
void main() {
  vec4 s = at(0, 0), l = texelFetch(lines, min(ivec2(gl_FragCoord.xy), textureSize(lines, 0) - 1), 0);
  if (splat) {
    s = s * kernel.x + (at(1, 0) + at(-1, 0) + at(0, 1) + at(0, -1)) * kernel.y +
        (at(1, 1) + at(-1, 1) + at(1, -1) + at(-1, -1)) * kernel.z;
  }
  vec4 g = grounded ? texelFetch(ground, ivec2(gl_FragCoord.xy), 0) : vec4(0.0);
  vec3 under = mix(mix(paper, g.rgb / max(g.a, 1e-6), 1.0 - exp(-g.a)), l.rgb / max(l.a, 1e-6),
                   opaque(l.a * lineGain, lineAlpha, linePower));
  float opacity = opaque(s.a * gain, alpha, power);
  float near = textureLod(around, gl_FragCoord.xy / pageSize, 0.0).r;
  float dense = min(log(1.0 + 4.0 * near) / log(1.0 + 4.0 * most), 1.0);
  float place = 1.0 + 2.0 * spread * (dense - 0.5);
  vec3 c = plain ? mix(mix(ramp[0], ramp[1], min(place, 1.0)), ramp[2], max(place - 1.0, 0.0))
                 : mix(s.rgb / max(s.a, 1e-6), ink, 0.2 * spread * dense * dense);
  color = vec4(mix(under, c, opacity), 1.0);
}`;
