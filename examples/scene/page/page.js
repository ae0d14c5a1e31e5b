// Draws the scene: a shadow map once; then for each frame what lies below the water (refraction), the mirrored scene
// (reflection), the scene, the water that combines them, and the smoke.
const bytes = Uint8Array.from(atob(block), c => c.charCodeAt(0)).buffer;
const array = (Type, [at, count]) => new Type(bytes, at, count);
const [sun, middle, foot, size, ground, textures, layers, views, shapes, steps, paths] = scene;
const canvas = document.querySelector("canvas");
const gl = canvas.getContext("webgl2", {alpha: false, antialias: true, powerPreference: "high-performance"});
const NEAR = 0.15, FAR = 3000, FOCUS = 1.55, PLACE = 7;  // numbers of a place: position, scale, yaw, pitch, beat

// Vectors, and matrices column by column
const minus = (a, b) => a.map((x, i) => x - b[i]), dot = (a, b) => a.reduce((s, x, i) => s + x * b[i], 0);
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const times = (s, a) => a.map(x => s * x), unit = a => times(1 / Math.hypot(...a), a);
const mix = (a, b, share) => a.map((x, i) => x * (1 - share) + b[i] * share);
const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
const columns = (x, y, z, w) => new Float32Array([0, 1, 2, 3].flatMap(c => [x[c], y[c], z[c], w[c]]));
const row = (v, eye, s) => [...times(s, v), -s * dot(v, eye)];
const axes = ({yaw, pitch}) => {
  const ahead = [Math.cos(yaw) * Math.cos(pitch), Math.sin(yaw) * Math.cos(pitch), Math.sin(pitch)];
  const right = unit(cross(ahead, [0, 0, 1]));
  return {ahead, right, up: cross(right, ahead)};
};
const matrix = (eye, {ahead, right, up}, aspect) => {
  const depth = row(ahead, eye, (FAR + NEAR) / (FAR - NEAR));
  depth[3] -= 2 * FAR * NEAR / (FAR - NEAR);
  return columns(row(right, eye, FOCUS / aspect), row(up, eye, FOCUS), depth, row(ahead, eye, 1));
};
const sunRight = unit(cross([0, 0, 1], sun));
const sunView = columns(row(sunRight, middle, 1 / 215), row(cross(sun, sunRight), middle, 1 / 215),
                        row(sun, middle, -1 / 400), [0, 0, 0, 1]);

// Programs, with the values that stay
const program = (vertex, fragment) => {
  const p = gl.createProgram(), places = {}, place = name => places[name] ??= gl.getUniformLocation(p, name);
  for (const [kind, id] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const s = gl.createShader(kind);
    const texts = ["uniforms.glsl", "model.glsl", "light.glsl", id].map(i => document.getElementById(i).textContent);
    gl.shaderSource(s, ["#version 300 es", ...texts].join("\n"));
    gl.compileShader(s);
    if (!gl.getShaderParameter(s, gl.COMPILE_STATUS)) throw Error(id + ": " + gl.getShaderInfoLog(s));
    gl.attachShader(p, s);
  }
  gl.linkProgram(p);
  if (!gl.getProgramParameter(p, gl.LINK_STATUS)) throw Error(gl.getProgramInfoLog(p));
  gl.useProgram(p);
  const set = (name, kind, ...values) => gl["uniform" + kind](place(name), ...values);
  ["patterns", "shadow", "refraction", "reflection", "depth"].forEach((name, i) => set(name, "1i", i));
  for (const [k, name] of ["dark", "light", "band"].entries())
    layers.forEach((layer, i) => set(`layers[${i}].${name}`, "3fv", layer[k]));
  set("sunView", "Matrix4fv", false, sunView);
  set("sun", "3fv", sun);
  set("foot", "1f", foot);
  return {p, set};
};
const programs = {
  model: program("model.vert", "model.frag"), depth: program("model.vert", "depth.frag"),
  water: program("water.vert", "water.frag"), sky: program("sky.vert", "sky.frag"),
};

// Geometry
const buffer = (kind, values) => {
  const b = gl.createBuffer();
  gl.bindBuffer(kind, b);
  gl.bufferData(kind, values, gl.STATIC_DRAW);
  return b;
};
const attribute = (at, width, type, stride, offset, step = 0) => {
  gl.enableVertexAttribArray(at);
  gl.vertexAttribPointer(at, width, type, type !== gl.FLOAT, stride, offset);
  gl.vertexAttribDivisor(at, step);
};
const load = ([casts, parts, vertices, triangles, reach, at]) => {
  const vao = gl.createVertexArray();
  gl.bindVertexArray(vao);
  buffer(gl.ELEMENT_ARRAY_BUFFER, array(Uint32Array, triangles));
  buffer(gl.ARRAY_BUFFER, array(Int16Array, vertices));
  attribute(0, 4, gl.SHORT, 16, 0);
  attribute(1, 4, gl.SHORT, 16, 8);
  const places = array(Float32Array, at), copies = buffer(gl.ARRAY_BUFFER, places);
  attribute(2, 4, gl.FLOAT, 4 * PLACE, 0, 1);
  attribute(3, 3, gl.FLOAT, 4 * PLACE, 16, 1);
  const colors = parts.flatMap(([color, kind]) => [...color, kind]);
  return {vao, count: triangles[1], casts, colors, reach, places, copies};
};
const models = shapes.map(load), smoke = steps.map(load);
const heights = array(Float32Array, ground), side = Math.sqrt(heights.length);
const heightAt = (...at) => {  // of the ground or the water
  const [u, v] = at.map(c => clamp(c / size, 0, 0.9999) * (side - 1)), [i, j] = [u, v].map(Math.floor);
  const two = a => heights.subarray((i + a) * side + j, (i + a) * side + j + 2);
  const [low, high] = mix(two(0), two(1), u - i);
  return Math.max(low + (high - low) * (v - j), 0);
};

// Textures and targets, each on a unit of its own
const texture = (unit, kind, settings) => {
  const t = gl.createTexture();
  gl.activeTexture(gl.TEXTURE0 + unit);
  gl.bindTexture(kind, t);
  for (const [name, value] of Object.entries(settings)) gl.texParameteri(kind, gl["TEXTURE_" + name], value);
  return t;
};
const target = (size, ...textures) => {
  const frame = gl.createFramebuffer();
  gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
  for (const [unit, attachment, format, filter, more] of textures) {
    const clamped = {MIN_FILTER: filter, MAG_FILTER: filter, WRAP_S: gl.CLAMP_TO_EDGE, WRAP_T: gl.CLAMP_TO_EDGE};
    const t = texture(unit, gl.TEXTURE_2D, {...clamped, ...more});
    gl.texStorage2D(gl.TEXTURE_2D, 1, format, ...size);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, attachment, gl.TEXTURE_2D, t, 0);
  }
  return {frame, size};
};
const color = unit => [unit, gl.COLOR_ATTACHMENT0, gl.RGBA8, gl.LINEAR];
const depth = (unit, filter, more) => [unit, gl.DEPTH_ATTACHMENT, gl.DEPTH_COMPONENT24, filter, more];
const shadows = target([4096, 4096], depth(1, gl.LINEAR, {COMPARE_MODE: gl.COMPARE_REF_TO_TEXTURE}));
const refraction = target([1024, 576], color(2), depth(4, gl.NEAREST));
const reflection = target([1024, 576], color(3), depth(5, gl.NEAREST));
texture(0, gl.TEXTURE_2D_ARRAY, {MIN_FILTER: gl.LINEAR_MIPMAP_LINEAR});
gl.texImage3D(gl.TEXTURE_2D_ARRAY, 0, gl.R8, 256, 256, textures[1] / 65536, 0, gl.RED, gl.UNSIGNED_BYTE,
              array(Uint8Array, textures));
gl.generateMipmap(gl.TEXTURE_2D_ARRAY);

// Passes
const start = (name, {view, eye, ...numbers}) => {
  const {p, set} = programs[name];
  gl.useProgram(p);
  set("view", "Matrix4fv", false, view);
  set("eye", "3fv", eye);
  for (const [key, value] of Object.entries(numbers)) set(key, "1f", value);
  return set;
};
const draw = (set, {vao, count, reach, colors, places}) => {
  set("reach", "1f", reach);
  set("parts", "4fv", colors);
  gl.bindVertexArray(vao);
  gl.drawElementsInstanced(gl.TRIANGLES, count, gl.UNSIGNED_INT, 0, places.length / PLACE);
};
const begin = ({frame, size}) => {
  gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
  gl.viewport(0, 0, ...size);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
};
const drawSolid = (pass, {ahead, right, up}, aspect) => {
  const set = start("model", pass);
  for (const model of models) if (model.casts || !pass.clip) draw(set, model);
  const sky = start("sky", pass), rays = {ahead, right: times(aspect / FOCUS, right), up: times(1 / FOCUS, up)};
  for (const [name, v] of Object.entries(rays)) sky(name, "3fv", [v[0], v[1], pass.mirror * v[2]]);
  gl.drawArrays(gl.TRIANGLES, 0, 3);
};
const drawSmoke = pass => {  // the nearest surface only; between two steps it rises
  const at = pass.time * 9, frame = smoke[Math.floor(at) % smoke.length];
  gl.bindBuffer(gl.ARRAY_BUFFER, frame.copies);
  gl.bufferSubData(gl.ARRAY_BUFFER, 8, new Float32Array([0.2 * (at % 1)]));
  gl.colorMask(false, false, false, false);
  draw(start("depth", pass), frame);
  gl.colorMask(true, true, true, true);
  draw(start("model", pass), frame);
};

// Butterflies along their paths
const flights = paths.map(([kind, path]) => ({path: array(Float32Array, path), model: models.at(kind - 3)}));
const fly = time => flights.forEach(({path, model}, i) => {
  const place = flights.slice(0, i).filter(f => f.model === model).length;  // which of its copies
  const point = t => [0, 1, 2].map(a => path[3 * (Math.floor(t) % (path.length / 3)) + a]);
  const at = 10 * time, mean = t => mix(point(t), point(t + 1), t % 1);
  const here = mean(at), ahead = minus(mean(at + 3), here), beat = Math.sin(9 * time + 2.4 * i);
  const yaw = Math.atan2(-ahead[0], ahead[1]), pitch = 0.6 * Math.atan2(ahead[2], Math.hypot(ahead[0], ahead[1]));
  const turned = [here[0], here[1], here[2] + 0.06 * beat, 0.14, yaw, pitch, 0.35 + 0.85 * beat];
  gl.bindBuffer(gl.ARRAY_BUFFER, model.copies);
  gl.bufferSubData(gl.ARRAY_BUFFER, 4 * PLACE * place, new Float32Array(turned));
});
// Camera
const camera = {eye: [0, 0, 0], yaw: 0, pitch: 0}, held = new Set();
const jump = ([, eye, target]) => {
  const d = unit(minus(target, eye));
  Object.assign(camera, {eye: [...eye], yaw: Math.atan2(d[1], d[0]), pitch: Math.asin(d[2])});
};
const walk = seconds => {
  const is = (...keys) => keys.some(key => held.has(key)) ? 1 : 0, step = 7 * seconds * (held.has("shift") ? 4 : 1);
  const ahead = step * (is("w", "arrowup") - is("s", "arrowdown")), right = step * (is("d") - is("a"));
  const {eye, yaw} = camera;
  const move = [ahead * Math.cos(yaw) + right * Math.sin(yaw), ahead * Math.sin(yaw) - right * Math.cos(yaw)];
  const [x, y] = move.map((c, a) => clamp(eye[a] + c, -100, size + 100)), low = heightAt(x, y);
  camera.yaw += 1.4 * seconds * (is("arrowleft") - is("arrowright"));
  camera.eye = [x, y, Math.max(eye[2] + low - heightAt(eye[0], eye[1]) + step * (is("e") - is("q")), low + 0.6)];
};
onkeydown = e => {
  held.add(e.key.toLowerCase());
  if (views[e.key - 1]) jump(views[e.key - 1]);
  if (e.key === "h") document.querySelector("p").hidden ^= 1;
};
onkeyup = e => held.delete(e.key.toLowerCase());
onblur = () => held.clear();
canvas.onpointerdown = e => canvas.setPointerCapture(e.pointerId);
canvas.onpointermove = e => {
  if (!e.buttons) return;
  camera.yaw += e.movementX / 300;
  camera.pitch = clamp(camera.pitch + e.movementY / 300, -1.5, 1.5);
};

const drawFrame = time => {
  const whole = [canvas.clientWidth, canvas.clientHeight].map(c => Math.round(c * Math.min(devicePixelRatio, 1.5)));
  if (canvas.width !== whole[0] || canvas.height !== whole[1]) [canvas.width, canvas.height] = whole;
  const {eye} = camera, aspect = canvas.width / canvas.height, view = axes(camera);
  fly(time);
  const pass = {view: matrix(eye, view, aspect), eye, time, mirror: 1, clip: 0};
  const mirrored = {...pass, mirror: -1, clip: 1};
  begin(refraction);
  draw(start("model", {...pass, clip: -1}), models[0]);
  begin(reflection);
  drawSolid(mirrored, view, aspect);
  drawSmoke(mirrored);
  begin({frame: null, size: whole});
  drawSolid(pass, view, aspect);
  start("water", pass);
  gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 514, 160);  // rings of 256 squares
  drawSmoke(pass);
};
for (const state of [gl.DEPTH_TEST, gl.BLEND]) gl.enable(state);
gl.depthFunc(gl.LEQUAL);
gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
begin(shadows);
const cast = start("depth", {view: sunView, eye: [0, 0, 0], time: 0, mirror: 1});
for (const model of models) if (model.casts) draw(cast, model);
jump(views.find(([name]) => name === location.hash.slice(1)) ?? views[0]);
let before = 0;
const loop = now => {
  walk(Math.min(0.1, (now - before) / 1000));
  before = now;
  drawFrame(now / 1000);
  document.title = gl.getError() ? "WebGL error" : "A scene by Dunlin";
  requestAnimationFrame(loop);
};
requestAnimationFrame(loop);
