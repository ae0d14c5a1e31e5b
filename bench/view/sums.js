// SPDX-License-Identifier: Apache-2.0
// The picture of a flat map by the page's painter of WebGPU, for bench/viewer_gpu.py: its sums are whole numbers, and are
// compared with sums in script, number by number; its shades are compared with the law of the page (view/webgpu/shaders.js)
// in double precision. Frames are timed.
(() => {
  /** What the picture is made from. */
  function inputs(second) {
    const {scene} = dunlin, {view, groups, dark} = scene, {canvas: {width: wide, height: high}, pixels} = second, look = lookOf(scene);
    const kernel = second.splat ? [0, 1, Math.SQRT2].map(away => Math.min(Math.max(0.5 * look.diameter * pixels + 0.5 - away, 0), 1)) : [1, 0, 0];
    const reach = 2 * (2 + Math.floor(2 * look.diameter)) + 1, block = Math.min(Math.max(Math.round(reach * pixels / 5), 1), 16);
    return {wide, high, look, kernel, scale: view.scale * pixels, block, blocksWide: Math.ceil(wide / block), blocksHigh: Math.ceil(high / block), reach: Math.max(reach * pixels / block, 1),
            gain: kernel[0] + 4 * kernel[1] + 4 * kernel[2], colors: groups.map(g => rgbOf(colorFor(g.color, dark)).map(v => Math.round(255 * v))), plain: scene.named ? 0 : 1,
            paper: rgbOf(paperOf(dark)), ink: dark ? [1, 1, 1] : [0, 0, 0], ramp: (dark ? ['#2f5f8f', '#6aa5d8', '#d8ecff'] : scene.facts.ramp).map(rgbOf)};
  }

  /** The sums in script, of splats of full weight, with the floats of the shader. */
  function sumsOf({wide, high, scale, colors}) {
    const {view, cloud: {at, n, groupOf}} = dunlin.scene, f = Math.fround, step = f(scale), [x, y] = [Math.round(view.x), Math.round(view.y)], [dx, dy] = [f(view.x - x), f(view.y - y)];
    const sums = new Float64Array(4 * wide * high);
    for (let i = 0; i < n; ++i) {
      const [column, row] = [[x, dx, step, wide], [y, dy, -step, high]].map(([whole, part, by, side], axis) => Math.floor((Math.floor(4096 * f(f(f(at[2 * i + axis] - whole) - part) * by)) + 2048 * side) / 4096));
      if (column < 0 || row < 0 || column >= wide || row >= high) continue;
      const place = 4 * (column + wide * row), color = colors[groupOf[i]];
      for (let c = 0; c < 3; ++c) sums[place + c] += color[c];
      ++sums[place + 3];
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

  const median = list => list.slice().sort((a, b) => a - b)[list.length >> 1];

  /** The four sums of all pixels, in units of a point of full weight. */
  async function sumsOfPainter({device, sums, canvas: {width, height}}) {
    const to = device.createBuffer({size: sums.size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST}), encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(sums, 0, to, 0, sums.size);
    device.queue.submit([encoder.finish()]);
    await to.mapAsync(GPUMapMode.READ);
    const numbers = new Uint32Array(to.getMappedRange()), all = new Float64Array(4 * width * height);
    for (let i = 0; i < width * height; ++i) for (let c = 0; c < 4; ++c) all[4 * i + c] = (numbers[5 * i + c] + 2 ** 32 * (numbers[5 * i + 4] >>> 8 * c & 255)) / 256;
    to.destroy();
    return all;
  }

  /** Bytes of the picture that a canvas shows after `paint`. */
  function pixelsOf(painter) {
    const {width, height} = painter.canvas, copy = new OffscreenCanvas(width, height).getContext('2d');
    painter.start(lookOf(dunlin.scene), width / dunlin.scene.size.w);
    painter.advance(layers);
    copy.drawImage(painter.canvas, 0, 0);
    return copy.getImageData(0, 0, width, height).data;
  }

  /** Draws, compares and measures; frames: so many are submitted at once. */
  window.gpuSums = async (frames, software) => {
    if (dunlin.painter.name !== 'WebGPU') {
      WebGlPainter.few = 0;
      await useWebGpu(dunlin, software);
    }
    await dunlin.pace.whole();
    const {painter, scene} = dunlin, {second, first} = painter, adapter = await navigator.gpu.requestAdapter({powerPreference: 'high-performance'});
    if (painter.name !== 'WebGPU') throw new Error('WebGPU does not draw the page');
    const draw = () => {
      second.start(lookOf(scene), second.canvas.width / scene.size.w);
      second.advance(layers);
    };
    const timed = async count => {
      const start = performance.now();
      for (let i = 0; i < count; ++i) draw();
      await second.device.queue.onSubmittedWorkDone();
      return performance.now() - start;
    };
    await timed(2);
    // What the browser takes to answer is in both: the difference is the card's time of the other frames
    const few = [], many = [];
    for (let i = 0; i < 5; ++i) {
      few.push(await timed(1));
      many.push(await timed(1 + frames));
    }
    if (painter.lost) throw new Error('the device of WebGPU was lost');
    const shades = pixelsOf(second), got = await sumsOfPainter(second), of = inputs(second), wanted = sumsOf(of), exact = pictureOfSums(got, of);
    first.replace();
    first.resize();
    const own = pixelsOf(first);
    let different = 0, counted = 0, most = 0, farthest = 0, like = 0;
    for (let i = 0; i < wanted.length; ++i) different += wanted[i] === got[i] ? 0 : 1;
    for (let i = 3; i < wanted.length; i += 4) {
      counted += got[i];
      most = Math.max(most, got[i]);
    }
    for (let i = 0; i < of.wide * of.high; ++i) {
      let away = 0;
      for (let c = 0; c < 3; ++c) {
        farthest = Math.max(farthest, Math.abs(shades[4 * i + c] - exact[3 * i + c]));
        away = Math.max(away, Math.abs(shades[4 * i + c] - own[4 * i + c]));
      }
      like += away <= 1 ? 1 : 0;
    }
    const {vendor, architecture, description} = adapter.info;
    return {adapter: [vendor, architecture, description].filter(text => text).join(' '), points: scene.cloud.n, numbers: wanted.length, different, counted, most, farthest, like: like / of.wide / of.high,
            splat: second.splat, frame: (median(many) - median(few)) / frames, alone: median(few)};
  };
})();
