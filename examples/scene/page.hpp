// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <string>
#include <string_view>

#include "build.hpp"

/// One page with the mesh and its WebGL 2 program. Water has three passes: refraction (what lies below it), reflection
/// (the scene mirrored, without what lies below), and their combination by clip coordinates.
namespace scene {

inline std::string base64(std::string_view bytes) {
    constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t three = 0;
        for (std::size_t k = 0; k < 3; ++k)
            three = three << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
        for (std::size_t k = 0; k < 4; ++k) text += i + k > bytes.size() ? '=' : digits[three >> (18 - 6 * k) & 63];
    }
    return text;
}

template <class T>
std::string base64(const std::vector<T>& values) {
    return base64({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
}

constexpr std::string_view page_begin = R"(<!doctype html><meta charset="utf-8"><title>A scene by Dunlin</title>
<style>html,body{margin:0;height:100%;background:#b9d3e8}canvas{width:100%;height:100%;display:block}</style><canvas></canvas>
<script>
"use strict";
const scene = )";

constexpr std::string_view page_end = R"(;
const bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer;
const canvas = document.querySelector("canvas"), gl = canvas.getContext("webgl2", {antialias: true, preserveDrawingBuffer: true});
const program = (vertex, fragment) => {
  const p = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const s = gl.createShader(kind);
    gl.shaderSource(s, "#version 300 es\nprecision highp float;\n" + text);
    gl.compileShader(s);
    if (!gl.getShaderParameter(s, gl.COMPILE_STATUS)) throw Error(gl.getShaderInfoLog(s));
    gl.attachShader(p, s);
  }
  gl.bindAttribLocation(p, 0, "position");
  gl.bindAttribLocation(p, 1, "normal");
  gl.linkProgram(p);
  return p;
};
// clip: +1 draws what lies above the water, -1 below, 0 all; mirror: -1 mirrors at the water
const solid = program(`in vec3 position; in vec3 normal; uniform mat4 view; uniform float mirror; out vec3 n; out vec3 at;
void main() { at = position; n = normal; gl_Position = view * vec4(position.xy, mirror * position.z, 1.0); }`,
`in vec3 n; in vec3 at; uniform vec4 color; uniform float clip; uniform vec3 eye; out vec4 result;
void main() {
  if (clip * at.z < -0.002 * abs(clip)) discard;
  vec3 m = normalize(n), sun = normalize(vec3(0.4, -0.5, 0.8));
  float light = 0.38 + 0.62 * abs(dot(m, sun)) * step(-0.2, dot(m, sun) + 0.25);
  float fog = 1.0 - exp(-0.22 * pow(distance(at, eye), 2.0));
  result = vec4(mix(color.rgb * light, vec3(0.73, 0.83, 0.91), fog), color.a);
}`);
const water = program(`in vec3 position; in vec3 normal; uniform mat4 view; uniform float time; out vec4 clipped; out vec3 at;
void main() {
  at = position + normal * 0.002 * sin(40.0 * position.x + 30.0 * position.y + 2.0 * time);
  clipped = view * vec4(at, 1.0); gl_Position = clipped;
}`,
`in vec4 clipped; in vec3 at; uniform sampler2D refraction, reflection, depth; uniform float time; uniform vec3 eye; out vec4 result;
float eyeDepth(float d) { return 0.02 * 10.0 / (10.0 - d * 9.98); }
void main() {
  vec2 where = clipped.xy / clipped.w * 0.5 + 0.5;
  vec2 ripple = vec2(sin(170.0 * at.x + 60.0 * at.y + 2.1 * time) + sin(97.0 * at.x - 140.0 * at.y + 1.7 * time),
                     sin(150.0 * at.y - 80.0 * at.x - 1.9 * time) + sin(120.0 * at.y + 110.0 * at.x + 2.3 * time));
  float thickness = eyeDepth(texture(depth, where).r) - eyeDepth(gl_FragCoord.z);
  float shore = clamp(thickness * 30.0, 0.0, 1.0);
  vec3 below = texture(refraction, where + 0.004 * ripple * shore).rgb;
  vec3 mirrored = texture(reflection, vec2(where.x, where.y) + 0.008 * ripple).rgb;
  vec3 toEye = normalize(eye - at), m = normalize(vec3(0.03 * ripple, 1.0));
  float fresnel = 0.02 + 0.98 * pow(1.0 - max(dot(toEye, m), 0.0), 5.0);
  vec3 deep = mix(below, vec3(0.05, 0.22, 0.3), 1.0 - exp(-9.0 * max(thickness, 0.0)));
  float glint = pow(max(dot(reflect(-normalize(vec3(0.4, -0.5, 0.8)), m), toEye), 0.0), 90.0);
  result = vec4(mix(deep, mirrored, fresnel) + 0.5 * glint, max(shore, 0.05));
}`);
const positions = new Float32Array(bytes(scene.positions)), normals = new Float32Array(bytes(scene.normals));
gl.bindVertexArray(gl.createVertexArray());
[positions, normals].forEach((values, i) => {
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
  gl.enableVertexAttribArray(i);
  gl.vertexAttribPointer(i, 3, gl.FLOAT, false, 0, 0);
});
gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint32Array(bytes(scene.triangles)), gl.STATIC_DRAW);
let target = null, turn = 0.9, height = 0.48;
const target_of = (width, high) => {
  const make = () => {
    const texture = (inner, format, type) => {
      const t = gl.createTexture();
      gl.bindTexture(gl.TEXTURE_2D, t);
      gl.texImage2D(gl.TEXTURE_2D, 0, inner, width, high, 0, format, type, null);
      for (const [name, value] of [[gl.TEXTURE_MIN_FILTER, gl.NEAREST], [gl.TEXTURE_MAG_FILTER, gl.NEAREST],
                                   [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE]])
        gl.texParameteri(gl.TEXTURE_2D, name, value);
      return t;
    };
    const color = texture(gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE), depth = texture(gl.DEPTH_COMPONENT24, gl.DEPTH_COMPONENT, gl.UNSIGNED_INT);
    const frame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, color, 0);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, depth, 0);
    return {color, depth, frame};
  };
  return {width, high, refraction: make(), reflection: make()};
};
const minus = (a, b) => a.map((x, i) => x - b[i]), dot = (a, b) => a.reduce((s, x, i) => s + x * b[i], 0);
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = a => a.map(x => x / Math.hypot(...a));
const view_of = (eye, aspect) => {
  const back = unit(minus(eye, [0.5, 0.5, 0.05])), right = unit(cross([0, 0, 1], back)), up = cross(back, right);
  const near = 0.02, far = 10, f = 1.7;
  const row = (v, s) => [s * v[0], s * v[1], s * v[2], -s * dot(v, eye)];
  const x = row(right, f / aspect), y = row(up, f), z = row(back, 1), w = z.map(c => -c);
  const d = z.map(c => c * (far + near) / (near - far));
  d[3] += 2 * far * near / (near - far);
  return new Float32Array([0, 1, 2, 3].flatMap(c => [x[c], y[c], d[c], w[c]]));
};
const draw = (time) => {
  const width = canvas.clientWidth, high = canvas.clientHeight;
  if (!target || target.width !== width || target.high !== high) {
    canvas.width = width; canvas.height = high;
    target = target_of(width, high);
  }
  const eye = [0.5 + 1.05 * Math.cos(turn), 0.5 + 1.05 * Math.sin(turn), height], view = view_of(eye, width / high);
  const pass = (frame, clip, mirror, kinds) => {
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    gl.viewport(0, 0, width, high);
    if (kinds !== "smoke") { gl.clearColor(0.73, 0.83, 0.91, 1); gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT); }
    gl.useProgram(solid);
    gl.uniformMatrix4fv(gl.getUniformLocation(solid, "view"), false, view);
    gl.uniform1f(gl.getUniformLocation(solid, "clip"), clip);
    gl.uniform1f(gl.getUniformLocation(solid, "mirror"), mirror);
    gl.uniform3fv(gl.getUniformLocation(solid, "eye"), eye);
    for (const part of scene.parts) {
      if (part.name === "water" || (part.name === "smoke") !== (kinds === "smoke")) continue;
      gl.uniform4fv(gl.getUniformLocation(solid, "color"), part.color.map(c => c / 255));
      gl.drawElements(gl.TRIANGLES, 3 * part.triangles, gl.UNSIGNED_INT, 12 * part.first);
    }
  };
  gl.enable(gl.DEPTH_TEST);
  gl.disable(gl.BLEND);
  pass(target.refraction.frame, -1, 1, "solid");
  pass(target.reflection.frame, 1, -1, "solid");
  pass(null, 0, 1, "solid");
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  gl.useProgram(water);
  [["refraction", target.refraction.color], ["reflection", target.reflection.color], ["depth", target.refraction.depth]]
    .forEach(([name, texture], i) => {
      gl.activeTexture(gl.TEXTURE0 + i);
      gl.bindTexture(gl.TEXTURE_2D, texture);
      gl.uniform1i(gl.getUniformLocation(water, name), i);
    });
  gl.uniformMatrix4fv(gl.getUniformLocation(water, "view"), false, view);
  gl.uniform1f(gl.getUniformLocation(water, "time"), time);
  gl.uniform3fv(gl.getUniformLocation(water, "eye"), eye);
  const plane = scene.parts.find(part => part.name === "water");
  gl.drawElements(gl.TRIANGLES, 3 * plane.triangles, gl.UNSIGNED_INT, 12 * plane.first);
  pass(null, 0, 1, "smoke");
  const error = gl.getError();
  document.title = error ? "WebGL error " + error : "drawn";
};
canvas.onpointermove = e => {
  if (!e.buttons) return;
  turn -= e.movementX / 200;
  height = Math.min(1.6, Math.max(0.12, height + e.movementY / 300));
};
const loop = now => { draw(now / 1000); requestAnimationFrame(loop); };
requestAnimationFrame(loop);
</script>
)";

inline std::string page_of(const Mesh& mesh) {
    std::string parts;
    Offset first = 0;
    for (const dunlin::MeshPart& part : mesh.parts) {
        parts += parts.empty() ? "" : ",";
        parts += "{\"name\":\"" + part.name + "\",\"color\":[";
        for (std::size_t c = 0; c < 4; ++c) parts += (c > 0 ? "," : "") + std::to_string(part.color[c]);
        parts += "],\"first\":" + std::to_string(first) + ",\"triangles\":" + std::to_string(part.triangles) + "}";
        first += part.triangles;
    }
    return std::string(page_begin) + "{\"parts\":[" + parts + "],\"positions\":\"" + base64(mesh.positions) +
           "\",\"normals\":\"" + base64(mesh.normals) + "\",\"triangles\":\"" + base64(mesh.triangles) + "\"}" +
           std::string(page_end);
}

}  // namespace scene
