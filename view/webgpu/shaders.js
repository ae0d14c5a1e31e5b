// Points and edges are added up per pixel in whole numbers: sums do not depend on the order, and have no limit that a
// map reaches
/**
 * Weights are counted in 256ths, colors in 255ths. Five numbers a pixel: red, green, blue, weight, and how often each
 * of these went beyond 32 bits, 8 bits for each.
 */
const pageText = `
struct Page {
  turn: mat3x3<f32>, center: vec3<f32>, reach: f32, middle: vec2<f32>, scale: vec2<f32>,
  diameter: f32, others: f32, alpha: f32, power: f32, most: f32, spread: f32, gain: f32, away: f32,
  kernel: vec3<f32>, blockGain: f32, paper: vec3<f32>, plain: u32, ink: vec3<f32>, splat: u32, ramp: mat3x3<f32>,
  wide: u32, high: u32, first: u32, last: u32, across: u32, words: u32, whole: u32, chosen: u32,
  block: i32, blocksWide: i32, blocksHigh: i32, edged: u32,
  gray: vec3<f32>, stroke: f32, lineAlpha: f32, linePower: f32, lineGain: f32,
  firstEdge: u32, lastEdge: u32, acrossEdges: u32,
}
@group(0) @binding(0) var<uniform> page: Page;
`;

const itemText = pageText + `
@group(0) @binding(1) var<storage, read> places: array<u32>;
@group(0) @binding(2) var<storage, read> groupOf: array<u32>;
@group(0) @binding(4) var<storage, read> groups: array<vec4<f32>>;
fn group(i: u32) -> u32 { return (groupOf[i / 4u] >> (8u * (i % 4u))) & 255u; }
// Where point i is after the rotation
fn turned(i: u32) -> vec3<f32> {
  let word = page.words * i;
  var at = vec3<f32>(0.0);
  if (page.whole == 1u) {
    at = vec3<f32>(f32(places[word] & 65535u), f32(places[word] >> 16u), 0.0);
    if (page.reach > 0.0) { at.z = f32(places[word + 1u] & 65535u); }
  } else {
    at = vec3<f32>(bitcast<f32>(places[word]), bitcast<f32>(places[word + 1u]), 0.0);
    if (page.reach > 0.0) { at.z = bitcast<f32>(places[word + 2u]); }
  }
  // Whole steps of the lattice are subtracted first: they are exact in floats
  return page.turn * (at - page.center);
}
fn fromMiddle(p: vec3<f32>) -> vec2<f32> { return (p.xy - page.middle) * page.scale; }
fn onCanvas(p: vec3<f32>) -> vec2<f32> { return fromMiddle(p) + 0.5 * vec2<f32>(f32(page.wide), f32(page.high)); }
`;

export const addText = itemText + `
@group(0) @binding(3) var<storage, read> chosen: array<u32>;
@group(0) @binding(5) var<storage, read_write> sums: array<atomic<u32>>;
fn put(pixel: u32, channel: u32, value: u32) {
  if (atomicAdd(&sums[5u * pixel + channel], value) > 0xffffffffu - value) {
    atomicAdd(&sums[5u * pixel + 4u], 1u << (8u * channel));
  }
}
fn add(x: f32, y: f32, color: vec3<u32>, weight: f32) {
  let w = u32(round(256.0 * weight));
  if (w == 0u || x < 0.0 || y < 0.0 || x >= f32(page.wide) || y >= f32(page.high)) { return; }
  let pixel = u32(x) + page.wide * u32(y);
  for (var c = 0u; c < 3u; c++) { put(pixel, c, color[c] * w); }
  put(pixel, 3u, w);
}
// Share of a pixel that a half-plane with the disc's edge covers
fn cover(offset: vec2<f32>) -> f32 {
  let far = length(offset);
  let inside = 0.5 * page.diameter - far;
  let normal = select(vec2<f32>(1.0, 0.0), abs(offset) / far, far > 0.0);
  let a = max(normal.x, normal.y);
  let b = min(normal.x, normal.y);
  let corner = 0.5 * (a + b) - abs(inside);
  let cut = corner * max(corner, 0.0) / (2.0 * a * max(b, 1e-4));
  return clamp(select(select(cut, 1.0 - cut, inside > 0.0), 0.5 + inside / a, abs(inside) <= 0.5 * (a - b)), 0.0, 1.0);
}
@compute @workgroup_size(256) fn addPoints(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = page.first + id.x + page.across * id.y;
  if (i >= page.last) { return; }
  let own = groups[group(i)];
  if (own.a == 0.0) { return; }
  let p = turned(i);
  let near = select(1.0, clamp(0.5 + 0.5 * p.z / page.reach, 0.0, 1.0), page.reach > 0.0);
  var weight = own.a * (0.5 + 0.5 * near);
  if (page.chosen == 1u && ((chosen[i / 4u] >> (8u * (i % 4u))) & 255u) == 0u) { weight *= page.others; }
  let color = vec3<u32>(round(255.0 * mix(page.paper, own.rgb, 0.5 + 0.5 * near)));
  if (page.splat == 1u) {
    // In whole numbers: a card may round a product and a sum at once, which moves points to other pixels
    let steps = vec2<i32>(floor(4096.0 * clamp(fromMiddle(p), vec2<f32>(-5e5), vec2<f32>(5e5))));
    let pixel = vec2<f32>((steps + 2048 * vec2<i32>(i32(page.wide), i32(page.high))) >> vec2<u32>(12u));
    add(pixel.x, pixel.y, color, weight);
    return;
  }
  let at = onCanvas(p);
  let x = at.x;
  let y = at.y;
  let wide = 0.5 * page.diameter + 0.75;
  if (x < -wide || y < -wide || x > f32(page.wide) + wide || y > f32(page.high) + wide) { return; }
  for (var v = floor(y - wide); v <= y + wide; v += 1.0) {
    for (var u = floor(x - wide); u <= x + wide; u += 1.0) {
      add(u, v, color, weight * cover(vec2<f32>(u + 0.5 - x, v + 0.5 - y)));
    }
  }
}`;

// Six numbers a pixel: red, green, blue and weight of colored edges, the weight of gray ones, most of all, and how
// often each of the first four went beyond 32 bits
export const edgeText = itemText + `
@group(0) @binding(7) var<storage, read> ends: array<vec2<u32>>;
@group(0) @binding(8) var<storage, read_write> lines: array<atomic<u32>>;
fn put(at: u32, channel: u32, value: u32) {
  if (atomicAdd(&lines[at + channel], value) > 0xffffffffu - value) {
    atomicAdd(&lines[at + 5u], 1u << (8u * channel));
  }
}
@compute @workgroup_size(64) fn addEdges(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = page.firstEdge + id.x + page.acrossEdges * id.y;
  if (i >= page.lastEdge) { return; }
  let first = group(ends[i].x);
  let second = group(ends[i].y);
  let shown = min(groups[first].a, groups[second].a);
  if (shown == 0.0) { return; }
  let a = turned(ends[i].x);
  let b = turned(ends[i].y);
  let near = select(1.0, clamp(0.5 + 0.25 * (a.z + b.z) / page.reach, 0.0, 1.0), page.reach > 0.0);
  let weight = 256.0 * shown * (0.5 + 0.5 * near);
  let own = page.plain == 0u && first == second;
  let color = vec3<u32>(round(255.0 * mix(page.paper,
    select(page.gray, mix(groups[first].rgb, page.gray, 0.25), own), 0.5 + 0.5 * near)));
  let p = onCanvas(a);
  let q = onCanvas(b);
  let far = distance(p, q);
  if (far == 0.0) { return; }
  let along = (q - p) / far;
  let wide = 0.5 * page.stroke + 0.5;
  // Pixels are measured from a place of the line near the canvas: a distant end has no digits for them
  let skipped = clamp(dot(0.5 * vec2<f32>(f32(page.wide), f32(page.high)) - p, along), 0.0, far);
  let base = p + skipped * along;
  // Columns of a flat line, rows of a steep one, each with the pixels that the stroke touches there
  let steep = abs(along.y) > abs(along.x);
  let major = select(vec2<f32>(p.x, q.x), vec2<f32>(p.y, q.y), steep);
  let slope = select(along.y / along.x, along.x / along.y, steep);
  let slant = wide * select(abs(along.y), abs(along.x), steep);
  let most = f32(select(page.wide, page.high, steep)) - 1.0;
  let last = min(floor(max(major.x, major.y) + slant), most);
  for (var m = max(floor(min(major.x, major.y) - slant), 0.0); m <= last; m += 1.0) {
    let middle = select(base.y, base.x, steep) + (m + 0.5 - select(base.x, base.y, steep)) * slope;
    let reach = wide / select(abs(along.x), abs(along.y), steep);
    for (var k = floor(middle - reach); k <= middle + reach; k += 1.0) {
      let at = select(vec2<f32>(m, k), vec2<f32>(k, m), steep);
      let offset = at + 0.5 - base;
      let t = skipped + dot(offset, along);
      let cover = clamp(wide - abs(dot(offset, vec2<f32>(-along.y, along.x))), 0.0, min(page.stroke, 1.0));
      let w = u32(round(weight * cover));
      if (w == 0u || t < 0.0 || t >= far || at.x < 0.0 || at.y < 0.0 ||
          at.x >= f32(page.wide) || at.y >= f32(page.high)) { continue; }
      let pixel = 6u * (u32(at.x) + page.wide * u32(at.y));
      if (own || page.reach > 0.0) {
        for (var c = 0u; c < 3u; c++) { put(pixel, c, color[c] * w); }
        put(pixel, 3u, w);
      } else {
        atomicAdd(&lines[pixel + 4u], w);
      }
    }
  }
}`;

const sumText = `
@group(0) @binding(5) var<storage, read> sums: array<u32>;
fn sumAt(x: i32, y: i32) -> vec4<f32> {
  if (x < 0 || y < 0 || x >= i32(page.wide) || y >= i32(page.high)) { return vec4<f32>(0.0); }
  let at = 5u * (u32(x) + page.wide * u32(y));
  let beyond = sums[at + 4u];
  var sum: vec4<f32>;
  for (var c = 0u; c < 4u; c++) { sum[c] = f32(sums[at + c]) + 4294967296.0 * f32((beyond >> (8u * c)) & 255u); }
  return sum / vec4<f32>(65280.0, 65280.0, 65280.0, 256.0);
}`;

// Local density: mean counts of square blocks of pixels, then a tent filter along each axis. Two arrays, one after the
// other
export const smoothText = pageText + sumText + `
@group(0) @binding(6) var<storage, read_write> blocks: array<f32>;
// Blocks in rows of so many as a dimension of a dispatch allows
fn block(id: vec3<u32>) -> i32 { return i32(id.x + 2097152u * id.y); }
@compute @workgroup_size(64) fn means(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = block(id);
  if (i >= page.blocksWide * page.blocksHigh) { return; }
  let first = vec2<i32>(i % page.blocksWide, i / page.blocksWide) * page.block;
  var count = 0.0;
  for (var y = 0; y < page.block; y++) {
    for (var x = 0; x < page.block; x++) {
      let there = min(first + vec2<i32>(x, y), vec2<i32>(i32(page.wide), i32(page.high)) - 1);
      count += sumAt(there.x, there.y).a;
    }
  }
  blocks[i] = min(count * page.blockGain / f32(page.block * page.block), 60000.0);
}
fn tent(i: i32, along: vec2<i32>, offset: i32) -> f32 {
  let most = i32(ceil(page.away));
  var sum = 0.0;
  var weights = 0.0;
  for (var k = -most; k <= most; k++) {
    let weight = max(1.0 - abs(f32(k)) / page.away, 0.0);
    let there = vec2<i32>(i % page.blocksWide, i / page.blocksWide) + k * along;
    weights += weight;
    if (all(there >= vec2<i32>(0)) && there.x < page.blocksWide && there.y < page.blocksHigh) {
      sum += weight * blocks[offset + there.x + page.blocksWide * there.y];
    }
  }
  return sum / weights;
}
@compute @workgroup_size(64) fn across(@builtin(global_invocation_id) id: vec3<u32>) {
  let n = page.blocksWide * page.blocksHigh;
  let i = block(id);
  if (i < n) { blocks[n + i] = tent(i, vec2<i32>(1, 0), 0); }
}
@compute @workgroup_size(64) fn along(@builtin(global_invocation_id) id: vec3<u32>) {
  let n = page.blocksWide * page.blocksHigh;
  let i = block(id);
  if (i < n) { blocks[i] = tent(i, vec2<i32>(0, 1), n); }
}`;

export const shadeText = pageText + sumText + `
@group(0) @binding(6) var<storage, read> blocks: array<f32>;
@group(0) @binding(8) var<storage, read> lines: array<u32>;
fn opaque(count: f32, one: f32, bend: f32) -> f32 {
  return select(1.0 - pow(1.0 - one, pow(count, bend)), count * one, count <= 1.0);
}
// Paper and the edges on it
fn under(x: i32, y: i32) -> vec3<f32> {
  if (page.edged == 0u) { return page.paper; }
  let at = 6u * (u32(x) + page.wide * u32(y));
  let beyond = lines[at + 5u];
  var sum: vec4<f32>;
  for (var c = 0u; c < 4u; c++) { sum[c] = f32(lines[at + c]) + 4294967296.0 * f32((beyond >> (8u * c)) & 255u); }
  let gray = f32(lines[at + 4u]) / 256.0;
  let all = sum / vec4<f32>(65280.0, 65280.0, 65280.0, 256.0) + gray * vec4<f32>(page.gray, 1.0);
  return mix(page.paper, all.rgb / max(all.a, 1e-6), opaque(all.a * page.lineGain, page.lineAlpha, page.linePower));
}
fn near(at: vec2<f32>) -> f32 {
  let here = at / vec2<f32>(f32(page.wide), f32(page.high)) *
    vec2<f32>(f32(page.blocksWide), f32(page.blocksHigh)) - 0.5;
  let low = floor(here);
  let part = here - low;
  let last = vec2<i32>(page.blocksWide, page.blocksHigh) - 1;
  let a = clamp(vec2<i32>(low), vec2<i32>(0), last);
  let b = clamp(vec2<i32>(low) + 1, vec2<i32>(0), last);
  return mix(mix(blocks[a.x + page.blocksWide * a.y], blocks[b.x + page.blocksWide * a.y], part.x),
             mix(blocks[a.x + page.blocksWide * b.y], blocks[b.x + page.blocksWide * b.y], part.x), part.y);
}
@vertex fn corner(@builtin(vertex_index) i: u32) -> @builtin(position) vec4<f32> {
  return vec4<f32>(select(-1.0, 3.0, i == 1u), select(-1.0, 3.0, i == 2u), 0.0, 1.0);
}
@fragment fn shade(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
  let x = i32(at.x);
  let y = i32(at.y);
  var s = sumAt(x, y);
  if (page.splat == 1u) {
    s = s * page.kernel.x + (sumAt(x + 1, y) + sumAt(x - 1, y) + sumAt(x, y + 1) + sumAt(x, y - 1)) * page.kernel.y +
        (sumAt(x + 1, y + 1) + sumAt(x - 1, y + 1) + sumAt(x + 1, y - 1) + sumAt(x - 1, y - 1)) * page.kernel.z;
  }
  let opacity = opaque(s.a * page.gain, page.alpha, page.power);
  let dense = min(log(1.0 + 4.0 * near(at.xy)) / log(1.0 + 4.0 * page.most), 1.0);
  let place = 1.0 + 2.0 * page.spread * (dense - 0.5);
  var c = mix(s.rgb / max(s.a, 1e-6), page.ink, 0.2 * page.spread * dense * dense);
  if (page.plain == 1u) {
    c = mix(mix(page.ramp[0], page.ramp[1], min(place, 1.0)), page.ramp[2], max(place - 1.0, 0.0));
  }
  return vec4<f32>(mix(under(x, y), c, opacity), 1.0);
}`;
