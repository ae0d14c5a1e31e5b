// Draws the scene: a shadow map once; then for each frame what lies below the water (refraction), the mirrored scene
// (reflection), the scene, the water that combines them, and the smoke.
const bytes = Uint8Array.from(atob(block), c => c.charCodeAt(0)).buffer;
const array = (Type, [at, count], width = 1) => new Type(bytes, at, count * width);
const canvas = document.querySelector("canvas");
const gl = canvas.getContext("webgl2", {alpha: false, antialias: true, powerPreference: "high-performance"});
const NEAR = 0.15, FAR = 3000, FOCUS = 1.55, PLACE = 7;  // numbers of a place: position, scale, yaw, pitch, beat

// Vectors, and matrices column by column
const minus = (a, b) => a.map((x, i) => x - b[i]), dot = (a, b) => a.reduce((s, x, i) => s + x * b[i], 0);
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const times = (s, a) => a.map(x => s * x), unit = a => times(1 / Math.hypot(...a), a);
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
const sunView = (() => {
  const center = [225, 215, 20], right = unit(cross([0, 0, 1], scene.sun)), up = cross(scene.sun, right);
  return columns(row(right, center, 1 / 215), row(up, center, 1 / 215), row(scene.sun, center, -1 / 400), [0, 0, 0, 1]);
})();

// Programs, with the values that stay
const text = id => document.getElementById(id).textContent;
const program = (vertex, fragment, define = "") => {
  const p = gl.createProgram(), places = {}, place = name => places[name] ??= gl.getUniformLocation(p, name);
  for (const [kind, id] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const s = gl.createShader(kind);
    gl.shaderSource(s, "#version 300 es\n" + define + text("sky.glsl") + text(id));
    gl.compileShader(s);
    if (!gl.getShaderParameter(s, gl.COMPILE_STATUS)) throw Error(id + ": " + gl.getShaderInfoLog(s));
    gl.attachShader(p, s);
  }
  gl.linkProgram(p);
  if (!gl.getProgramParameter(p, gl.LINK_STATUS)) throw Error(gl.getProgramInfoLog(p));
  gl.useProgram(p);
  const set = (name, kind, ...values) => gl["uniform" + kind](place(name), ...values);
  ["patterns", "shadow", "refraction", "reflection", "depth"].forEach((name, i) => set(name, "1i", i));
  ["dark", "light", "band"].forEach((name, i) => set(name, "3fv", scene.layers.flatMap(layer => layer[i])));
  set("sunView", "Matrix4fv", false, sunView);
  set("sun", "3fv", scene.sun);
  set("range", "2f", NEAR, FAR);
  set("rising", "2f", scene.foot, 12.5);
  return {p, set};
};
const CLIPPED = "#define CLIPPED\n", THIN = "#define THIN\n", programs = {
  thin: program("model.vert", "model.frag", THIN), thinClipped: program("model.vert", "model.frag", THIN + CLIPPED),
  solid: program("model.vert", "model.frag"), solidClipped: program("model.vert", "model.frag", CLIPPED),
  ground: program("model.vert", "terrain.frag"), groundClipped: program("model.vert", "terrain.frag", CLIPPED),
  smoke: program("model.vert", "smoke.frag"), depth: program("model.vert", "depth.frag"),
  water: program("water.vert", "water.frag"), sky: program("sky.vert", "sky.frag"),
};

// Geometry
const buffer = (kind, values, use = gl.STATIC_DRAW) => {
  const b = gl.createBuffer();
  gl.bindBuffer(kind, b);
  gl.bufferData(kind, values, use);
  return b;
};
const attribute = (at, width, type, stride, offset, step = 0) => {
  gl.enableVertexAttribArray(at);
  gl.vertexAttribPointer(at, width, type, type !== gl.FLOAT, stride, offset);
  gl.vertexAttribDivisor(at, step);
};
const newArray = corners => {
  const vao = gl.createVertexArray();
  gl.bindVertexArray(vao);
  buffer(gl.ELEMENT_ARRAY_BUFFER, corners);
  return vao;
};
const load = ([vertices, triangles, low, high, solid], places, parts) => {
  const vao = newArray(array(Uint32Array, triangles));
  buffer(gl.ARRAY_BUFFER, array(Uint8Array, vertices, 12));
  attribute(0, 4, gl.UNSIGNED_SHORT, 12, 0);
  attribute(1, 4, gl.BYTE, 12, 8);
  const copies = buffer(gl.ARRAY_BUFFER, places, gl.DYNAMIC_DRAW), size = minus(high, low);
  const ranges = {solid: [0, solid], thin: [solid, triangles[1] - solid]};  // corners
  attribute(2, 4, gl.FLOAT, 4 * PLACE, 0, 1);
  attribute(3, 3, gl.FLOAT, 4 * PLACE, 16, 1);
  return {vao, copies, low, size, parts, ranges, seen: places.slice(), drawn: places.length / PLACE};
};
const models = scene.models.map(m => {
  const places = array(Float32Array, m.places), parts = m.parts.flatMap(([color, kind]) => [...color, kind]);
  return {...m, places, levels: m.levels.map(level => load(level, places, parts))};
});
const smoke = scene.smoke.map(m => load(m, new Float32Array([0, 0, 0, 1, 0, 0, 0]), [1, 1, 1, 0]));
const water = (() => {
  const RINGS = 160, SPOKES = 256, ring = [], corners = [];
  for (let r = 0; r <= RINGS; ++r) for (let s = 0; s <= SPOKES; ++s) {
    ring.push(2 * Math.PI * s / SPOKES, 0.3 * (Math.pow(9000, r / RINGS) - 1));
    const a = r * (SPOKES + 1) + s, b = a + SPOKES + 1;
    if (r < RINGS && s < SPOKES) corners.push(a, b, b + 1, a, b + 1, a + 1);
  }
  const vao = newArray(new Uint32Array(corners));
  buffer(gl.ARRAY_BUFFER, new Float32Array(ring));
  attribute(0, 2, gl.FLOAT, 8, 0);
  return {vao, count: corners.length};
})();
const {side, size} = scene, [vertices, , low, high] = scene.models[0].levels[0], heights = new Float32Array(side ** 2);
array(Uint16Array, vertices, 6).forEach((c, i, all) => {
  const node = a => Math.round((low[a] + (high[a] - low[a]) * all[i - 2 + a] / 65535) / size * (side - 1));
  if (i % 6 === 2) heights[node(0) * side + node(1)] = low[2] + (high[2] - low[2]) * c / 65535;
});
const heightAt = (...at) => {  // of the ground or the water
  const [u, v] = at.map(c => Math.min(Math.max(c / size, 0), 0.9999) * (side - 1)), [i, j] = [u, v].map(Math.floor);
  const along = a => (1 - v + j) * heights[(i + a) * side + j] + (v - j) * heights[(i + a) * side + j + 1];
  return Math.max((1 - u + i) * along(0) + (u - i) * along(1), 0);
};

// Textures and targets, each on a unit of its own
const texture = (unit, kind, settings) => {
  const t = gl.createTexture();
  gl.activeTexture(gl.TEXTURE0 + unit);
  gl.bindTexture(kind, t);
  for (const [name, value] of Object.entries(settings)) gl.texParameteri(kind, gl["TEXTURE_" + name], value);
  return t;
};
const flat = (unit, size, filter, [inner, format, type], more = {}) => {
  const clamped = {MIN_FILTER: filter, MAG_FILTER: filter, WRAP_S: gl.CLAMP_TO_EDGE, WRAP_T: gl.CLAMP_TO_EDGE};
  const t = texture(unit, gl.TEXTURE_2D, {...clamped, ...more});
  gl.texImage2D(gl.TEXTURE_2D, 0, inner, ...size, 0, format, type, null);
  return t;
};
const COLOR = [gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE];
const DEPTH = [gl.DEPTH_COMPONENT24, gl.DEPTH_COMPONENT, gl.UNSIGNED_INT];
const targetOf = (size, color, depth) => {
  const frame = gl.createFramebuffer();
  gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, color, 0);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, depth, 0);
  return {size, color, depth, frame};
};
texture(0, gl.TEXTURE_2D_ARRAY, {MIN_FILTER: gl.LINEAR_MIPMAP_LINEAR});
gl.texImage3D(gl.TEXTURE_2D_ARRAY, 0, gl.R8, 256, 256, scene.textures[1] / 65536, 0, gl.RED, gl.UNSIGNED_BYTE,
              array(Uint8Array, scene.textures));
gl.generateMipmap(gl.TEXTURE_2D_ARRAY);
const fine = gl.getExtension("EXT_texture_filter_anisotropic"), driver = gl.getExtension("WEBGL_debug_renderer_info");
const isSlow = !driver || /llvmpipe|swift/i.test(gl.getParameter(driver.UNMASKED_RENDERER_WEBGL));
if (fine && !isSlow) gl.texParameteri(gl.TEXTURE_2D_ARRAY, fine.TEXTURE_MAX_ANISOTROPY_EXT, 8);
const square = Array(2).fill(Math.min(4096, gl.getParameter(gl.MAX_TEXTURE_SIZE)));
const shadows = targetOf(square, null, flat(1, square, gl.LINEAR, DEPTH, {COMPARE_MODE: gl.COMPARE_REF_TO_TEXTURE}));
let refraction = null, reflection = null;  // of half the size
const resize = () => {
  const {clientWidth, clientHeight} = canvas, ratio = Math.min(devicePixelRatio, 1.5);
  const whole = [clientWidth, clientHeight].map(c => Math.round(c * ratio));
  if (refraction && whole.every((c, i) => c === refraction.size[i])) return;
  for (const target of [refraction, reflection]) if (target) {
    gl.deleteFramebuffer(target.frame);
    [target.color, target.depth].forEach(t => gl.deleteTexture(t));
  }
  [canvas.width, canvas.height] = whole;
  const half = whole.map(c => Math.ceil(c / 2));
  refraction = targetOf(whole, flat(2, whole, gl.LINEAR, COLOR), flat(4, whole, gl.NEAREST, DEPTH));
  reflection = targetOf(half, flat(3, half, gl.LINEAR, COLOR), flat(5, half, gl.NEAREST, DEPTH));
};

// Passes
const start = (name, {view, eye, time, mirror, clip}) => {
  const {p, set} = programs[name];
  gl.useProgram(p);
  set("view", "Matrix4fv", false, view);
  set("eye", "3fv", eye);
  for (const [key, value] of Object.entries({time, mirror, clip})) set(key, "1f", value);
  return set;
};
const draw = (set, {vao, low, size, parts, ranges, drawn}, [from, count] = ranges.solid) => {
  if (!drawn || !count) return;
  for (const [name, value] of Object.entries({low, size})) set(name, "3fv", value);
  set("parts", "4fv", parts);
  gl.bindVertexArray(vao);
  gl.drawElementsInstanced(gl.TRIANGLES, count, gl.UNSIGNED_INT, 4 * from, drawn);
};
const begin = ({frame, size}) => {
  gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
  gl.viewport(0, 0, ...size);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
};
const drawSolid = (pass, {ahead, right, up}, aspect) => {
  const clipped = pass.clip ? "Clipped" : "", wanted = models.slice(1).filter(m => m.casts || !pass.clip);
  for (const kind of ["solid", "thin"]) {
    const set = start(kind + clipped, pass);
    for (const {levels} of wanted) for (const level of levels) draw(set, level, level.ranges[kind]);
  }
  draw(start("ground" + clipped, pass), models[0].levels[0]);
  const sky = start("sky", pass), rays = {ahead, right: times(aspect / FOCUS, right), up: times(1 / FOCUS, up)};
  for (const [name, v] of Object.entries(rays)) sky(name, "3fv", [v[0], v[1], pass.mirror * v[2]]);
  gl.bindVertexArray(water.vao);
  gl.drawArrays(gl.TRIANGLES, 0, 3);
};
const blended = work => {
  gl.enable(gl.BLEND);
  work();
  gl.disable(gl.BLEND);
};
const drawSmoke = pass => {  // the nearest surface only; between two steps it rises
  const at = pass.time * 9, level = smoke[Math.floor(at) % smoke.length];
  gl.bindBuffer(gl.ARRAY_BUFFER, level.copies);
  gl.bufferSubData(gl.ARRAY_BUFFER, 8, new Float32Array([0.2 * (at % 1)]));
  gl.colorMask(false, false, false, false);
  draw(start("depth", pass), level);
  gl.colorMask(true, true, true, true);
  blended(() => draw(start("smoke", pass), level));
};
const drawWater = pass => blended(() => {
  start("water", pass);
  gl.bindVertexArray(water.vao);
  gl.drawElements(gl.TRIANGLES, water.count, gl.UNSIGNED_INT, 0);
});

// Butterflies along their paths
const modelOf = kind => models.find(m => m.name === kind);
const flights = scene.flights.map(([kind, path]) => ({path: array(Float32Array, path), model: modelOf(kind)}));
const fly = time => flights.forEach(({path, model}, i) => {
  const place = flights.slice(0, i).filter(f => f.model === model).length;
  const point = t => [0, 1, 2].map(a => path[3 * (Math.floor(t) % (path.length / 3)) + a]);
  const at = 10 * time, mean = t => point(t).map((c, a) => c * (1 - t % 1) + point(t + 1)[a] * (t % 1));
  const here = mean(at), ahead = minus(mean(at + 3), here), beat = Math.sin(9 * time + 2.4 * i);
  const yaw = Math.atan2(-ahead[0], ahead[1]), pitch = 0.6 * Math.atan2(ahead[2], Math.hypot(ahead[0], ahead[1]));
  model.places.set([here[0], here[1], here[2] + 0.06 * beat, 0.14, yaw, pitch, 0.35 + 0.85 * beat], PLACE * place);
});
// Keeps the copies that may be seen: before the eye, small ones near it, far ones with fewer leaves
const select = ({eye, yaw, pitch}, aspect) => {
  const c = Math.cos(yaw), s = Math.sin(yaw), wide = Math.abs(pitch) > 0.9 ? 99 : 1.15 * aspect / FOCUS;
  for (const {places, levels, casts} of models.slice(1)) {
    for (const level of levels) level.drawn = 0;
    for (let i = 0; i < places.length; i += PLACE) {
      const x = places[i] - eye[0], y = places[i + 1] - eye[1], far = x * c + y * s;
      if (far < -12 || Math.abs(x * s - y * c) > 12 + wide * (far + 12) || (far > 55 && !casts)) continue;
      const level = levels[far > 40 ? levels.length - 1 : 0];
      level.seen.set(places.subarray(i, i + PLACE), PLACE * level.drawn++);
    }
    for (const {copies, seen, drawn} of levels) {
      gl.bindBuffer(gl.ARRAY_BUFFER, copies);
      gl.bufferSubData(gl.ARRAY_BUFFER, 0, seen, 0, PLACE * drawn);
    }
  }
};

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
  const [x, y] = move.map((c, a) => Math.min(Math.max(eye[a] + c, -100), size + 100)), ground = heightAt(x, y);
  camera.yaw += 1.4 * seconds * (is("arrowleft") - is("arrowright"));
  camera.eye = [x, y, Math.max(eye[2] + ground - heightAt(eye[0], eye[1]) + step * (is("e") - is("q")), ground + 0.6)];
};
onkeydown = e => {
  held.add(e.key.toLowerCase());
  if (scene.views[e.key - 1]) jump(scene.views[e.key - 1]);
  if (e.key === "h") document.querySelector("p").hidden ^= 1;
};
onkeyup = e => held.delete(e.key.toLowerCase());
onblur = () => held.clear();
canvas.onpointerdown = e => canvas.setPointerCapture(e.pointerId);
canvas.onpointermove = e => {
  if (!e.buttons) return;
  camera.yaw += e.movementX / 300;
  camera.pitch = Math.min(1.5, Math.max(-1.5, camera.pitch + e.movementY / 300));
};

const drawFrame = time => {
  resize();
  const {eye} = camera, aspect = canvas.width / canvas.height, view = axes(camera);
  fly(time);
  select(camera, aspect);
  const pass = {view: matrix(eye, view, aspect), eye, time, mirror: 1, clip: 0};
  const mirrored = {...pass, mirror: -1, clip: 1};
  begin(refraction);
  draw(start("groundClipped", {...pass, clip: -1}), models[0].levels[0]);
  begin(reflection);
  drawSolid(mirrored, view, aspect);
  drawSmoke(mirrored);
  begin({...refraction, frame: null});
  drawSolid(pass, view, aspect);
  drawWater(pass);
  drawSmoke(pass);
};
gl.enable(gl.DEPTH_TEST);
gl.depthFunc(gl.LEQUAL);
gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
begin(shadows);
const cast = start("depth", {view: sunView, eye: [0, 0, 0], time: 0, mirror: 1, clip: 0});
for (const {casts, levels: [all]} of models) if (casts) Object.values(all.ranges).forEach(r => draw(cast, all, r));
jump(scene.views.find(([name]) => name === location.hash.slice(1)) ?? scene.views[0]);
let before = 0;
const loop = now => {
  walk(Math.min(0.1, (now - before) / 1000));
  before = now;
  drawFrame(now / 1000);
  document.title = gl.getError() ? "WebGL error" : "A scene by Dunlin";
  requestAnimationFrame(loop);
};
requestAnimationFrame(loop);
