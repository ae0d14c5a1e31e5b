const element = id => document.getElementById(id);
const facts = JSON.parse(element('facts').textContent);

function bytes(id) {
  const text = element(id).textContent;
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const raw = atob(text), out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; ++i) out[i] = raw.charCodeAt(i);
  return out;
}

// Data: n positions of 2 or 3 floats, a label per point, a color per group of labels
const width = facts.width, n = facts.points;
const positions = new Float32Array(bytes('positions').buffer);
const labels = facts.names.length ? new Uint32Array(bytes('labels').buffer) : null;
const groups = facts.groups.map(g => ({...g, shown: true}));
const groupOf = new Uint8Array(n);
if (labels) for (let i = 0; i < n; ++i) groupOf[i] = facts.groupOfLabel[labels[i]];
else if (groups.length > 1) groupOf.set(bytes('labels'));
// Ends of the edges, as pairs of point indices
const ends = facts.lines ? new Uint32Array(bytes('edges').buffer) : new Uint32Array(0);
const named = groups.length > 1 || labels !== null;

// View: x' = rotation (x - center) for a 3-D map; then the scale in pixels per unit and the center of the page
const canvas = element('map'), is3d = width === 3;
const center = facts.center;
const view = {rotation: facts.turn, x: 0, y: 0, scale: 1};
let size = {w: 1, h: 1}, fittedScale = 1, density = 0, crossing = 0, reach = 1, moved = false;

function project(i, out) {
  const at = width * i, r = view.rotation;
  const x = positions[at] - center[0], y = positions[at + 1] - center[1], z = is3d ? positions[at + 2] - center[2] : 0;
  out[0] = r[0] * x + r[1] * y + r[2] * z;
  out[1] = r[3] * x + r[4] * y + r[5] * z;
  return out;
}

function fit() {
  let left = Infinity, right = -Infinity, bottom = Infinity, top = -Infinity, far = 0;
  const p = [0, 0];
  for (let i = 0; i < n; ++i) {
    project(i, p);
    left = Math.min(left, p[0]); right = Math.max(right, p[0]);
    bottom = Math.min(bottom, p[1]); top = Math.max(top, p[1]);
    if (is3d) far = Math.max(far, Math.hypot(positions[3 * i] - center[0], positions[3 * i + 1] - center[1],
                                              positions[3 * i + 2] - center[2]));
  }
  const legend = named && size.w > 700 ? element('legend').offsetWidth + 24 : 0;
  const wide = Math.max(size.w - 60 - legend, 40), high = Math.max(size.h - 110, 40);
  const across = right - left, along = top - bottom;
  fittedScale = across > 0 || along > 0 ? Math.min(wide / across, high / along) : 1;
  if (is3d && far > 0) fittedScale = Math.min(fittedScale, Math.min(wide, high) / (1.6 * far));
  reach = far || 1;
  moved = false;
  view.scale = fittedScale;
  view.x = (left + right) / 2 + legend / 2 / fittedScale;
  view.y = (bottom + top) / 2 + 10 / fittedScale;
  density = dense(left, bottom, Math.max(across, along));
  crossing = dense(left, bottom, Math.max(across, along), true);
  redraw();
}

// 98% quantile over the occupied cells of the map: points per square unit, or length of edges per square unit
function dense(left, bottom, side, edges = false) {
  const cells = 160, counts = new Float64Array(cells * cells), p = [0, 0], q = [0, 0];
  if (!(side > 0)) return 0;
  const put = (x, y, count) => {
    const cx = Math.min(cells - 1, Math.floor((x - left) / side * cells));
    const cy = Math.min(cells - 1, Math.floor((y - bottom) / side * cells));
    counts[cy * cells + cx] += count;
  };
  if (!edges) for (let i = 0; i < n; ++i) put(...project(i, p), 1);
  for (let e = 0; edges && e < ends.length; e += 2) {
    project(ends[e], p);
    project(ends[e + 1], q);
    const length = Math.hypot(q[0] - p[0], q[1] - p[1]), steps = Math.min(16, Math.ceil(length / side * cells)) || 1;
    for (let s = 0.5; s < steps; ++s) {
      put(p[0] + (q[0] - p[0]) * s / steps, p[1] + (q[1] - p[1]) * s / steps, length / steps);
    }
  }
  const used = counts.filter(c => c > 0).sort();
  return used.length ? used[Math.floor(0.98 * (used.length - 1))] / (side / cells) ** 2 : 0;
}

// Diameter and opacity of points and edges: as in the PNG, and larger with increasing zoom
function style() {
  const side = Math.min(size.w, size.h), zoom = Math.max(view.scale / fittedScale, 0.2);
  const natural = facts.lines ? Math.min(Math.max(0.26 * side / Math.sqrt(n), 0.0006 * side), 0.01 * side)
                              : Math.min(Math.max(0.04 * side * n ** -0.25, 1.4), 0.014 * side);
  const diameter = Math.min(natural * zoom ** 0.45, Math.max(14, natural));
  const alpha = Math.min(Math.max(1.25 - 0.14 * Math.log10(Math.max(n / zoom ** 2, 1)), 0.4), 0.9);
  const most = Math.max(1, density / view.scale ** 2 * Math.PI / 4 * diameter ** 2);
  return {diameter, alpha, most, power: power(alpha, most), ...lineStyle(side, zoom)};
}
// Exponent of the number of discs at a pixel (class Opacity in shade.hpp)
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

