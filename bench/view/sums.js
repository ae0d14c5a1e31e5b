// SPDX-License-Identifier: Apache-2.0
// The picture of a flat map by WebGPU, for bench/viewer_gpu.py; pages have no such painter. Points are added up per pixel by
// atomic additions of whole numbers: counts, and red, green and blue of 8 bits. Hence the sums are those of any order, and
// are compared with sums in script, number by number. The shades follow by the law of the page (view/paint/shaders.js,
// splats), and are compared with the same law in double precision.
(() => {
  const addText = `
struct Page { wide: u32, high: u32, points: u32, across: u32 }
@group(0) @binding(0) var<uniform> page: Page;
@group(0) @binding(1) var<storage, read> places: array<u32>;   // two numbers of 16 bits
@group(0) @binding(2) var<storage, read> pixels: array<u32>;   // column | row << 16 of every number; 65535: outside
@group(0) @binding(3) var<storage, read> groups: array<u32>;   // four of 8 bits
@group(0) @binding(4) var<storage, read> colors: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read_write> sums: array<atomic<u32>>;
@compute @workgroup_size(256) fn add(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.x + id.y * page.across;
  if (i >= page.points) { return; }
  let place = places[i];
  let column = pixels[place & 65535u] & 65535u;
  let row = pixels[place >> 16u] >> 16u;
  if (column == 65535u || row == 65535u) { return; }
  let color = colors[(groups[i >> 2u] >> (8u * (i & 3u))) & 255u];
  let at = 4u * (column + page.wide * row);
  atomicAdd(&sums[at], color.x);
  atomicAdd(&sums[at + 1u], color.y);
  atomicAdd(&sums[at + 2u], color.z);
  atomicAdd(&sums[at + 3u], 1u);
}`;
  const shadeText = `
struct Look {
  wide: i32, high: i32, block: i32, blocksWide: i32, blocksHigh: i32, plain: i32, reach: f32, gain: f32,
  alpha: f32, power: f32, most: f32, spread: f32, kernel: vec4<f32>, paper: vec4<f32>, ink: vec4<f32>, ramp: array<vec4<f32>, 3>,
}
@group(0) @binding(0) var<uniform> look: Look;
@group(0) @binding(1) var<storage, read> sums: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> blocks: array<f32>;   // two: counts, and counts blurred along x
@group(0) @binding(3) var<storage, read_write> picture: array<u32>;
@compute @workgroup_size(64) fn means(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = i32(id.x);
  if (i >= look.blocksWide * look.blocksHigh) { return; }
  let first = vec2<i32>(i % look.blocksWide, i / look.blocksWide) * look.block;
  let last = vec2<i32>(look.wide, look.high) - 1;
  var count = 0u;
  for (var y = 0; y < look.block; y++) {
    for (var x = 0; x < look.block; x++) {
      let there = min(first + vec2<i32>(x, y), last);
      count += sums[there.x + look.wide * there.y].w;
    }
  }
  blocks[i] = min(f32(count) * look.gain / f32(look.block * look.block), 60000.0);
}
fn blurred(i: i32, along: vec2<i32>, offset: i32) -> f32 {
  let here = vec2<i32>(i % look.blocksWide, i / look.blocksWide);
  let most = i32(ceil(look.reach));
  var sum = 0.0;
  var weights = 0.0;
  for (var k = -most; k <= most; k++) {
    let weight = max(1.0 - abs(f32(k)) / look.reach, 0.0);
    let there = here + k * along;
    weights += weight;
    if (all(there >= vec2<i32>(0)) && there.x < look.blocksWide && there.y < look.blocksHigh) {
      sum += weight * blocks[offset + there.x + look.blocksWide * there.y];
    }
  }
  return sum / weights;
}
@compute @workgroup_size(64) fn blurAcross(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = i32(id.x);
  let n = look.blocksWide * look.blocksHigh;
  if (i < n) { blocks[n + i] = blurred(i, vec2<i32>(1, 0), 0); }
}
@compute @workgroup_size(64) fn blurAlong(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = i32(id.x);
  let n = look.blocksWide * look.blocksHigh;
  if (i < n) { blocks[i] = blurred(i, vec2<i32>(0, 1), n); }
}
fn sumAt(x: i32, y: i32) -> vec4<f32> {
  if (x < 0 || y < 0 || x >= look.wide || y >= look.high) { return vec4<f32>(0.0); }
  let s = sums[x + look.wide * y];
  return vec4<f32>(vec3<f32>(s.xyz) / 255.0, f32(s.w));
}
fn near(x: i32, y: i32) -> f32 {
  let at = vec2<f32>((f32(x) + 0.5) / f32(look.wide) * f32(look.blocksWide), (f32(y) + 0.5) / f32(look.high) * f32(look.blocksHigh)) - 0.5;
  let low = floor(at);
  let part = at - low;
  let last = vec2<i32>(look.blocksWide, look.blocksHigh) - 1;
  let a = clamp(vec2<i32>(low), vec2<i32>(0), last);
  let b = clamp(vec2<i32>(low) + 1, vec2<i32>(0), last);
  let below = mix(blocks[a.x + look.blocksWide * a.y], blocks[b.x + look.blocksWide * a.y], part.x);
  return mix(below, mix(blocks[a.x + look.blocksWide * b.y], blocks[b.x + look.blocksWide * b.y], part.x), part.y);
}
@compute @workgroup_size(16, 16) fn shade(@builtin(global_invocation_id) id: vec3<u32>) {
  let x = i32(id.x);
  let y = i32(id.y);
  if (x >= look.wide || y >= look.high) { return; }
  let k = look.kernel;
  let s = sumAt(x, y) * k.x + (sumAt(x + 1, y) + sumAt(x - 1, y) + sumAt(x, y + 1) + sumAt(x, y - 1)) * k.y +
          (sumAt(x + 1, y + 1) + sumAt(x - 1, y + 1) + sumAt(x + 1, y - 1) + sumAt(x - 1, y - 1)) * k.z;
  var opacity = s.w * look.alpha;
  if (s.w > 1.0) { opacity = 1.0 - pow(1.0 - look.alpha, pow(s.w, look.power)); }
  let dense = min(log(1.0 + 4.0 * near(x, y)) / log(1.0 + 4.0 * look.most), 1.0);
  let place = 1.0 + 2.0 * look.spread * (dense - 0.5);
  var c = mix(s.rgb / max(s.w, 1e-6), look.ink.rgb, 0.2 * look.spread * dense * dense);
  if (look.plain == 1) { c = mix(mix(look.ramp[0].rgb, look.ramp[1].rgb, min(place, 1.0)), look.ramp[2].rgb, max(place - 1.0, 0.0)); }
  picture[x + look.wide * y] = pack4x8unorm(vec4<f32>(mix(look.paper.rgb, c, opacity), 1.0));
}`;

  /** What the picture is made from: pixels of the numbers of the lattice, colors, and the look of the page. */
  function inputs() {
    const {scene, painter} = dunlin, {cloud, view, groups, dark} = scene, {n, lowBits} = cloud;
    if (cloud.dim !== 2) throw new Error('the map is not flat');
    const wide = painter.canvas.width, high = painter.canvas.height, look = lookOf(scene), scale = view.scale * wide / scene.size.w, unit = 2 ** lowBits;
    const pixels = new Uint32Array(65536);
    for (let cell = 0; cell < 65536; ++cell) {
      const at = cell * unit + (unit - 1) / 2, column = Math.floor((at - view.x) * scale + wide / 2), row = Math.floor((at - view.y) * scale + high / 2);
      pixels[cell] = (column >= 0 && column < wide ? column : 65535) + (row >= 0 && row < high ? row : 65535) * 65536;
    }
    // In the order of layers, which is that of the page's buffers
    const at = inLayers(cloud.at, 2, new cloud.at.constructor(2 * n), n), places = new Uint32Array(n);
    for (let i = 0; i < n; ++i) places[i] = Math.floor(at[2 * i] / unit) + Math.floor(at[2 * i + 1] / unit) * 65536;
    const groupOf = inLayers(cloud.groupOf, 1, new Uint8Array(n + 3 & ~3), n), colors = Uint32Array.from(groups.flatMap(g => [...rgbOf(colorFor(g.color, dark)).map(v => Math.round(255 * v)), 0]));
    const kernel = [0, 1, Math.SQRT2].map(away => Math.min(Math.max(0.5 * look.diameter * painter.pixels + 0.5 - away, 0), 1)), reach = 2 * (2 + Math.floor(2 * look.diameter)) + 1;
    const block = Math.min(Math.max(Math.round(reach * painter.pixels / 5), 1), 16);
    return {n, wide, high, pixels, places, groupOf, colors, look, kernel, block, blocksWide: Math.ceil(wide / block), blocksHigh: Math.ceil(high / block),
            reach: Math.max(reach * painter.pixels / block, 1), gain: kernel[0] + 4 * kernel[1] + 4 * kernel[2], plain: scene.named ? 0 : 1,
            paper: rgbOf(paperOf(dark)), ink: dark ? [1, 1, 1] : [0, 0, 0], ramp: (dark ? ['#2f5f8f', '#6aa5d8', '#d8ecff'] : scene.facts.ramp).map(rgbOf)};
  }

  /** The sums in script. */
  function sumsOf({n, wide, high, pixels, places, groupOf, colors}) {
    const sums = new Uint32Array(4 * wide * high);
    for (let i = 0; i < n; ++i) {
      const column = pixels[places[i] & 65535] & 65535, row = pixels[places[i] >>> 16] >>> 16;
      if (column === 65535 || row === 65535) continue;
      const at = 4 * (column + wide * row), color = 4 * groupOf[i];
      for (let c = 0; c < 3; ++c) sums[at + c] += colors[color + c];
      ++sums[at + 3];
    }
    return sums;
  }

  /** The picture of sums in double precision, as numbers from 0 to 255 that are not rounded. */
  function pictureOfSums(sums, of) {
    const {wide, high, block, blocksWide, blocksHigh, reach, gain, kernel, look, plain, paper, ink, ramp} = of, mix = (a, b, t) => a * (1 - t) + b * t;
    let blocks = new Float64Array(blocksWide * blocksHigh);
    for (let by = 0; by < blocksHigh; ++by) for (let bx = 0; bx < blocksWide; ++bx) {
      let count = 0;
      for (let y = 0; y < block; ++y) for (let x = 0; x < block; ++x) count += sums[4 * (Math.min(bx * block + x, wide - 1) + wide * Math.min(by * block + y, high - 1)) + 3];
      blocks[bx + blocksWide * by] = Math.min(count * gain / block ** 2, 60000);
    }
    for (const [dx, dy] of [[1, 0], [0, 1]]) {
      const from = blocks, most = Math.ceil(reach);
      blocks = from.map((_, i) => {
        let sum = 0, weights = 0;
        for (let k = -most; k <= most; ++k) {
          const weight = Math.max(1 - Math.abs(k) / reach, 0), x = i % blocksWide + k * dx, y = Math.floor(i / blocksWide) + k * dy;
          weights += weight;
          if (x >= 0 && y >= 0 && x < blocksWide && y < blocksHigh) sum += weight * from[x + blocksWide * y];
        }
        return sum / weights;
      });
    }
    const picture = new Float64Array(3 * wide * high), s = [0, 0, 0, 0];
    for (let y = 0; y < high; ++y) for (let x = 0; x < wide; ++x) {
      s.fill(0);
      for (let dy = -1; dy <= 1; ++dy) for (let dx = -1; dx <= 1; ++dx) {
        if (x + dx < 0 || y + dy < 0 || x + dx >= wide || y + dy >= high) continue;
        for (let c = 0; c < 4; ++c) s[c] += kernel[Math.abs(dx) + Math.abs(dy)] * sums[4 * (x + dx + wide * (y + dy)) + c];
      }
      const u = (x + 0.5) / wide * blocksWide - 0.5, v = (y + 0.5) / high * blocksHigh - 0.5, i = Math.floor(u), j = Math.floor(v);
      const at = (a, b) => blocks[Math.min(Math.max(a, 0), blocksWide - 1) + blocksWide * Math.min(Math.max(b, 0), blocksHigh - 1)];
      const near = mix(mix(at(i, j), at(i + 1, j), u - i), mix(at(i, j + 1), at(i + 1, j + 1), u - i), v - j);
      const opacity = s[3] <= 1 ? s[3] * look.alpha : 1 - (1 - look.alpha) ** (s[3] ** look.power);
      const dense = Math.min(Math.log(1 + 4 * near) / Math.log(1 + 4 * look.most), 1), place = 1 + 2 * look.spread * (dense - 0.5);
      for (let c = 0; c < 3; ++c) {
        const color = plain ? mix(mix(ramp[0][c], ramp[1][c], Math.min(place, 1)), ramp[2][c], Math.max(place - 1, 0)) : mix(s[c] / 255 / Math.max(s[3], 1e-6), ink[c], 0.2 * look.spread * dense ** 2);
        picture[3 * (x + wide * y) + c] = 255 * mix(paper[c], color, opacity);
      }
    }
    return picture;
  }

  /** Pixels of the page's own picture, the lowest row first. */
  function pixelsOfPage() {
    const {painter, scene} = dunlin, {gl, canvas} = painter, bytes = new Uint8Array(4 * canvas.width * canvas.height);
    painter.start(lookOf(scene), canvas.width / scene.size.w);
    painter.advance(layers);
    gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
    return bytes;
  }

  const median = list => list.slice().sort((a, b) => a - b)[list.length >> 1];

  /** Draws, compares and measures; frames: so many are submitted at once. */
  window.gpuSums = async frames => {
    const adapter = await navigator.gpu?.requestAdapter({powerPreference: 'high-performance'});
    if (!adapter) throw new Error('this browser has no WebGPU adapter');
    const device = await adapter.requestDevice(), of = inputs(), {n, wide, high, look} = of, problems = [];
    device.onuncapturederror = ({error}) => problems.push(error.message);
    const buffer = (usage, data) => {
      const made = device.createBuffer({size: Math.max(data.byteLength, 16), usage: usage | GPUBufferUsage.COPY_DST});
      device.queue.writeBuffer(made, 0, data);
      return made;
    };
    const empty = size => device.createBuffer({size, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST});
    const across = 256 * Math.min(Math.ceil(n / 256), 32768), {STORAGE, UNIFORM} = GPUBufferUsage;
    const sums = empty(16 * wide * high), picture = empty(4 * wide * high), blocks = empty(8 * of.blocksWide * of.blocksHigh);
    const lookData = new ArrayBuffer(144), whole = new Int32Array(lookData), real = new Float32Array(lookData);
    whole.set([wide, high, of.block, of.blocksWide, of.blocksHigh, of.plain]);
    real.set([of.reach, of.gain, look.alpha, look.power, look.most, look.spread], 6);
    [of.kernel, of.paper, of.ink, ...of.ramp].forEach((three, i) => real.set(three, 12 + 4 * i));
    const pipeline = (code, entryPoint, layout) => device.createComputePipeline({layout, compute: {module: device.createShaderModule({code}), entryPoint}});
    const adding = pipeline(addText, 'add', 'auto');
    const bound = (layout, ...list) => device.createBindGroup({layout, entries: list.map((one, binding) => ({binding, resource: {buffer: one}}))});
    const addGroup = bound(adding.getBindGroupLayout(0), buffer(UNIFORM, Uint32Array.of(wide, high, n, across)), buffer(STORAGE, of.places), buffer(STORAGE, of.pixels),
                           buffer(STORAGE, of.groupOf), buffer(STORAGE, of.colors), sums);
    const shadeLayout = device.createBindGroupLayout({entries: ['uniform', 'read-only-storage', 'storage', 'storage'].map((type, binding) => ({binding, visibility: GPUShaderStage.COMPUTE, buffer: {type}}))});
    const shading = ['means', 'blurAcross', 'blurAlong', 'shade'].map(name => pipeline(shadeText, name, device.createPipelineLayout({bindGroupLayouts: [shadeLayout]})));
    const shadeGroup = bound(shadeLayout, buffer(UNIFORM, lookData), sums, blocks, picture), blockGroups = Math.ceil(of.blocksWide * of.blocksHigh / 64);
    const frame = () => {
      const encoder = device.createCommandEncoder();
      encoder.clearBuffer(sums);
      const pass = encoder.beginComputePass();
      pass.setPipeline(adding);
      pass.setBindGroup(0, addGroup);
      pass.dispatchWorkgroups(across / 256, Math.ceil(n / across));
      pass.setBindGroup(0, shadeGroup);
      shading.forEach((step, i) => {
        pass.setPipeline(step);
        if (i < 3) pass.dispatchWorkgroups(blockGroups);
        else pass.dispatchWorkgroups(Math.ceil(wide / 16), Math.ceil(high / 16));
      });
      pass.end();
      device.queue.submit([encoder.finish()]);
    };
    const timed = async count => {
      const start = performance.now();
      for (let i = 0; i < count; ++i) frame();
      await device.queue.onSubmittedWorkDone();
      return performance.now() - start;
    };
    await timed(2);
    // What the browser takes to answer is in both: the difference is the card's time of the other frames
    const few = [], many = [];
    for (let i = 0; i < 5; ++i) {
      few.push(await timed(1));
      many.push(await timed(1 + frames));
    }
    const read = async (from, size) => {
      const to = device.createBuffer({size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST}), encoder = device.createCommandEncoder();
      encoder.copyBufferToBuffer(from, 0, to, 0, size);
      device.queue.submit([encoder.finish()]);
      await to.mapAsync(GPUMapMode.READ);
      return to.getMappedRange().slice(0);
    };
    const got = new Uint32Array(await read(sums, 16 * wide * high)), shades = new Uint8Array(await read(picture, 4 * wide * high));
    if (problems.length) throw new Error(problems[0]);
    const wanted = sumsOf(of), exact = pictureOfSums(wanted, of), own = pixelsOfPage();
    let different = 0, counted = 0, most = 0, farthest = 0, like = 0;
    for (let i = 0; i < wanted.length; ++i) different += wanted[i] === got[i] ? 0 : 1;
    for (let i = 3; i < wanted.length; i += 4) {
      counted += wanted[i];
      most = Math.max(most, wanted[i]);
    }
    for (let i = 0; i < wide * high; ++i) {
      let away = 0;
      for (let c = 0; c < 3; ++c) {
        farthest = Math.max(farthest, Math.abs(shades[4 * i + c] - exact[3 * i + c]));
        away = Math.max(away, Math.abs(shades[4 * i + c] - own[4 * i + c]));
      }
      like += away <= 1 ? 1 : 0;
    }
    const {vendor, architecture, description} = adapter.info;
    return {adapter: [vendor, architecture, description].filter(text => text).join(' '), points: n, numbers: wanted.length, different, counted, most, farthest, like: like / wide / high,
            splat: dunlin.painter.splat, frame: (median(many) - median(few)) / frames, alone: median(few)};
  };
})();
