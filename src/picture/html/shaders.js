const pointVertexShader = `#version 300 es
layout(location = 0) in vec3 at;
layout(location = 1) in uint group;
uniform mat3 turn;
uniform vec3 center;
uniform vec2 middle, scale;
uniform float diameter, reach;
uniform sampler2D groups;
flat out vec4 tint;
void main() {
  vec3 p = turn * (at - center);
  vec4 g = texelFetch(groups, ivec2(int(group), 0), 0);
  float near = reach > 0.0 ? clamp(0.5 + 0.5 * p.z / reach, 0.0, 1.0) : 1.0;
  tint = vec4(mix(vec3(1.0), g.rgb, 0.5 + 0.5 * near), g.a * (0.5 + 0.5 * near));
  gl_Position = g.a > 0.0 ? vec4((p.xy - middle) * scale, 0.0, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
  gl_PointSize = diameter + 1.5;
}`;
// Additive blending of the discs, independent of their order
const discShader = `#version 300 es
precision highp float;
flat in vec4 tint;
uniform float diameter;
out vec4 sum;
void main() {
  float away = length(gl_PointCoord - 0.5) * (diameter + 1.5);
  sum = vec4(tint.rgb, 1.0) * tint.a * clamp(0.5 * diameter + 0.5 - away, 0.0, 1.0);
}`;
// An edge is a strip of two triangles along its line, slightly wider than the stroke
const edgeVertexShader = `#version 300 es
layout(location = 0) in vec3 from;
layout(location = 1) in vec3 to;
layout(location = 2) in uvec2 group;
uniform mat3 turn;
uniform vec3 center, gray;
uniform vec2 middle, scale, half_page;
uniform float stroke, reach;
uniform bool named;
uniform sampler2D groups;
flat out vec4 tint;
out float away;
void main() {
  vec3 a = turn * (from - center), b = turn * (to - center);
  vec2 p = (a.xy - middle) * scale * half_page, q = (b.xy - middle) * scale * half_page, along = q - p;
  float side = (gl_VertexID % 2 == 0 ? -1.0 : 1.0) * (0.5 * stroke + 0.75);
  vec2 across = length(along) > 0.0 ? vec2(-along.y, along.x) / length(along) : vec2(0.0);
  vec4 g = texelFetch(groups, ivec2(int(group.x), 0), 0), h = texelFetch(groups, ivec2(int(group.y), 0), 0);
  float shown = min(g.a, h.a), near = reach > 0.0 ? clamp(0.5 + 0.25 * (a.z + b.z) / reach, 0.0, 1.0) : 1.0;
  vec3 color = named && group.x == group.y ? mix(g.rgb, gray, 0.25) : gray;
  away = side;
  tint = vec4(mix(vec3(1.0), color, 0.5 + 0.5 * near), shown * (0.5 + 0.5 * near));
  gl_Position = shown > 0.0 ? vec4(((gl_VertexID < 2 ? p : q) + across * side) / half_page, 0.0, 1.0)
                            : vec4(2.0, 2.0, 2.0, 1.0);
}`;
const edgeShader = `#version 300 es
precision highp float;
flat in vec4 tint;
in float away;
uniform float stroke;
out vec4 sum;
void main() {
  sum = vec4(tint.rgb, 1.0) * tint.a * clamp(0.5 * stroke + 0.5 - abs(away), 0.0, min(stroke, 1.0));
}`;
const pageVertexShader = `#version 300 es
void main() { gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0); }`;
const pageShader = `#version 300 es
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

