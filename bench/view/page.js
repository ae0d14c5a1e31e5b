// SPDX-License-Identifier: Apache-2.0
// What bench/viewer_gpu.py runs in a page of Dunlin; `seen` collects times in milliseconds since the page was asked for
(() => {
  const seen = /** @type {any} */ (window).seen = {maps: [], shown: [], pulls: [], latencies: []};
  const now = () => performance.now(), sleep = ms => new Promise(resolve => setTimeout(resolve, ms));
  const share = (list, part) => list.slice().sort((a, b) => a - b)[Math.min(Math.floor(part * list.length), list.length - 1)] ?? NaN;
  const median = list => share(list, 0.5);
  let page;
  Object.defineProperty(window, 'dunlin', {configurable: true, get: () => page, set(value) {
    page = value;
    seen.ready = now();
    const {pace, live} = page, wait = pace.wait.bind(pace), complete = () => { seen.complete = now(); };
    seen.points = page.scene.cloud.n;
    pace.wait = (...call) => {
      wait(...call);
      if (!pace.fence) seen.first ??= now();
    };
    if (page.scene.facts.of) {  // a sample, which all points replace
      const {replaced} = live.page;
      live.page.replaced = () => { replaced(); pace.whole().then(complete); };
    } else {
      pace.whole().then(complete);
    }
    if (live) follow(live);
  }});

  /** Times of the maps of a run, and of the hand: from a move of the pointer to the picture that has the point there. */
  function follow(live) {
    const {steer} = page, show = live.show.bind(live), moved = live.page.moved, pull = steer.pull.bind(steer);
    live.show = frame => {
      const start = now();
      show(frame);
      seen.maps.push(start);
      seen.script = (seen.script || []).concat(now() - start).slice(-200);
    };
    live.page.moved = () => moved().then(() => {
      const at = now(), {grabbed} = steer;
      seen.shown.push(at);
      if (!grabbed) return;
      const place = steer.placeOf(grabbed.row), {at: places, dim, origin, step} = page.scene.cloud;
      const near = seen.pulls.findLastIndex(({to}) => to.every((v, axis) => Math.abs(v - origin[axis] - places[dim * place + axis] * step) <= 1.01 * step));
      if (near < 0) return;
      seen.latencies.push(at - seen.pulls[near].time);
      seen.pulls.splice(0, near + 1);
    });
    steer.pull = (x, y) => {
      pull(x, y);
      const {grabbed} = steer;
      if (grabbed && !grabbed.all) seen.pulls.push({time: now(), to: grabbed.by.map((v, axis) => grabbed.from[axis] + v)});
    };
  }

  /** @param {() => boolean} condition */
  const until = async (condition, seconds) => {
    const end = now() + 1000 * seconds, wait = document.getElementById('wait');
    while (!condition()) {
      if (wait?.className === 'failed') throw new Error(wait.textContent);
      if (now() > end) throw new Error(`not within ${seconds} s: ${condition}`);
      await sleep(5);
    }
  };

  /** Ends when the graphics card has drawn. */
  const drained = async () => {
    const {gl} = page.painter.current ?? page.painter;
    if (gl) gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    else await page.painter.second.device.queue.onSubmittedWorkDone();
  };
  const timed = (count, act) => median(Array.from({length: count}, () => { const start = now(); act(); return now() - start; }));

  Object.assign(window, {bench: {
    until, sleep,
    async opened(seconds) {
      await until(() => page && 'complete' in seen, seconds);
      return {points: page.scene.cloud.n, edges: page.scene.cloud.ends.length / 2, ready: seen.ready, first: seen.first, firstPoints: seen.points, complete: seen.complete};
    },
    /** Waits for the painter that is to draw; its name. */
    async painter() {
      if (WEBGPU && SOFTWARE) await useWebGpu(page, true);
      if (WEBGPU) await until(() => page.painter.name === 'WebGPU', 30);
      await page.pace.whole();
      return page.painter.name;
    },
    /** Frames at the page's own pace while the map is shifted, the time until all is drawn again, and a complete frame. */
    async frames(seconds) {
      const {scene, pace} = page;
      await pace.whole();
      pace.times.length = 0;
      const start = now(), before = pace.frames;
      for (let angle = 0; now() < start + 1000 * (pace.times.length < 3 ? 60 : seconds);) {
        panBy(scene, 3 * Math.cos(angle += 0.05), 3 * Math.sin(angle));
        pace.request(true);
        await new Promise(requestAnimationFrame);
      }
      const moving = pace.times.slice(), moved = now(), rate = (pace.frames - before) / (moved - start) * 1000, layersDrawn = page.painter.drawn;
      await pace.whole();
      const rest = now() - moved;
      const {painter} = page, complete = [];
      for (let i = 0; i < 5; ++i) {
        const begin = now();
        painter.start(page.lookOf(scene), 1);
        painter.advance(16);
        await drained();
        complete.push(now() - begin);
      }
      return {moving: median(moving), slowest: share(moving, 0.95), rate, rest, complete: median(complete), layersDrawn, perChunk: painter.perChunk, vertices: painter.vertices};
    },
    /** Hands: milliseconds of a hover, of a change of the size before the new frame, of a lasso. */
    async hands() {
      let seed = 1;
      const {w, h} = page.scene.size;
      const random = n => Math.floor((seed = Math.imul(seed, 1664525) + 1013904223 >>> 0) / 2 ** 32 * n);
      const start = now(), moves = 1000;
      for (let i = 0; i < moves; ++i) page.pointAt(page.scene, random(w), random(h));
      const hover = (now() - start) / moves;
      const resize = timed(5, () => page.resize());
      const lasso = timed(3, () => pointsWithin(page.scene, [[0.17, 0.17], [0.83, 0.21], [0.75, 0.75], [0.5, 0.42], [0.21, 0.83]].map(([x, y]) => [x * w, y * h])));
      return {hover, resize, lasso};
    },
    /** Where a point near the middle is. */
    handle() {
      const {scene} = page, {cloud} = scene;
      let best = 0, least = Infinity;
      for (let i = 0; i < cloud.n; i += 97) {
        const [x, y] = scene.pixel(i), away = Math.hypot(x - scene.size.w / 2, y - scene.size.h / 2);
        if (away < least) [best, least] = [i, away];
      }
      return scene.pixel(best);
    },
    live() {
      const {maps, shown, script, latencies} = seen, span = shown.length > 1 ? (shown.at(-1) - shown[0]) / 1000 : NaN;
      return {maps: shown.length, rate: (shown.length - 1) / span, script: script ? median(script) : NaN, drawing: median(shown.map((at, i) => at - maps[i])),
              acts: latencies.length, latency: median(latencies), slowest: share(latencies, 0.95), contents: page.live.contents};
    },
    forget() { for (const list of [seen.maps, seen.shown, seen.pulls, seen.latencies]) list.length = 0; seen.script = []; },
  }});
})();
