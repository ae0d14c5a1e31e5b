// SPDX-License-Identifier: Apache-2.0
// The page of a peer in bench/viewer_gpu.py: the same points, canvas and size of points as Dunlin's, colors by blob. Frames are
// asked for by the bench, one after another, and end when a pixel was read back
const parameters = new URLSearchParams(location.search), side = Number(parameters.get('side')), waiting = [], contexts = [];
const browserFrame = window.requestAnimationFrame.bind(window), now = () => performance.now(), started = now();
window.requestAnimationFrame = callback => waiting.push(callback);
const pump = () => waiting.splice(0).forEach(callback => callback(now()));
let runs = true;
const keepRunning = () => { if (runs) pump(), browserFrame(keepRunning); };
browserFrame(keepRunning);
const contextOf = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function(kind, ...more) {
  const context = contextOf.call(this, kind, ...more);
  if (context && kind.startsWith('webgl') && !contexts.includes(context)) contexts.push(context);
  return context;
};
// Draw calls of all contexts, and the most points of one
let draws = 0, most = 0;
for (const {prototype} of [WebGLRenderingContext, WebGL2RenderingContext]) {
  for (const [name, countOf] of Object.entries({drawArrays: a => a[2], drawElements: a => a[1], drawArraysInstanced: a => a[3], drawElementsInstanced: a => a[4]})) {
    const draw = prototype[name];
    if (draw) prototype[name] = function(...a) { ++draws; most = Math.max(most, countOf(a)); return draw.apply(this, a); };
  }
}
const drained = () => contexts.forEach(gl => gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4)));
const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));
const hue = i => [0, 8, 4].map(k => { const a = (k + i * 12 / 40) % 12; return Math.round(255 * (0.5 - 0.45 * Math.max(-1, Math.min(a - 3, 9 - a, 1)))); });

async function data() {
  const [places, labels] = await Promise.all(['places', 'labels'].map(async name => (await fetch('/' + name)).arrayBuffer()));
  const xy = new Float32Array(places), of = new Uint8Array(labels), box = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < xy.length; i += 2) {
    box[0] = Math.min(box[0], xy[i]), box[1] = Math.min(box[1], xy[i + 1]), box[2] = Math.max(box[2], xy[i]), box[3] = Math.max(box[3], xy[i + 1]);
  }
  return {n: xy.length / 2, xy, of, box};
}

const makers = {
  async deck({n, xy, of, box}, size) {
    const root = document.body.appendChild(document.createElement('div'));
    root.style.cssText = `position:absolute;width:${side}px;height:${side}px`;
    const middle = [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2], zoom = Math.log2(0.95 * side / Math.max(box[2] - box[0], box[3] - box[1]));
    const deck = createDeck({container: root, jsonInput: {
      views: [{'@@type': 'OrthographicView', id: 'view', controller: true}], initialViewState: {target: [...middle, 0], zoom},
      layers: [{'@@type': 'ScatterplotLayer', id: 'one', data: [{at: [0, 0]}], getPosition: '@@=at'}]}});
    for (let turns = 0; !deck.props.layers?.length || !contexts.length; ++turns) {
      if (turns > 500) throw new Error('deck.gl did not start');
      await sleep(20);
    }
    const Scatter = deck.props.layers[0].constructor, colors = new Uint8Array(4 * n);
    for (let i = 0; i < n; ++i) { const c = hue(of[i]); for (let k = 0; k < 3; ++k) colors[4 * i + k] = c[k]; colors[4 * i + 3] = 128; }
    const layer = new Scatter({id: 'points', data: {length: n, attributes: {getPosition: {value: xy, size: 2}, getFillColor: {value: colors, size: 4}}},
                               radiusUnits: 'pixels', getRadius: size / 2, pickable: true, stroked: false});
    deck.setProps({layers: [layer]});
    const units = 2 ** -zoom;
    return {
      shift: (x, y) => deck.setProps({viewState: {target: [middle[0] + x * units, middle[1] + y * units, 0], zoom}}),
      hover: (x, y) => deck.pickObject({x, y, radius: 10})};
  },
  async regl({n, xy, of, box}, size) {
    const {createScatterplot} = await import('/peer/bundle.js'), canvas = document.body.appendChild(document.createElement('canvas'));
    canvas.style.cssText = `position:absolute;width:${side}px;height:${side}px`;
    const plot = createScatterplot({canvas, width: side, height: side, pointSize: size, opacity: 0.5, colorBy: 'valueA',
                                    pointColor: Array.from({length: 40}, (_, i) => '#' + hue(i).map(v => v.toString(16).padStart(2, '0')).join(''))});
    const x = new Float32Array(n), y = new Float32Array(n), z = new Float32Array(n), half = Math.max(box[2] - box[0], box[3] - box[1]) / 1.9;
    for (let i = 0; i < n; ++i) x[i] = (xy[2 * i] - (box[0] + box[2]) / 2) / half, y[i] = (xy[2 * i + 1] - (box[1] + box[3]) / 2) / half, z[i] = of[i];
    await plot.draw({x, y, z}, {zDataType: 'category'});
    const move = (type, x, y) => (type === 'mousemove' ? window : canvas).dispatchEvent(new MouseEvent(type, {clientX: x, clientY: y, bubbles: true}));
    move('mouseenter', side / 2, side / 2);
    return {shift: (x, y) => plot.set({cameraTarget: [2 * x / side, 2 * y / side]}), hover: (x, y) => move('mousemove', x, y)};
  },
};

window.measure = async seconds => {
  // This script is the first of the page: that of deck.gl may not be there yet
  if (document.readyState !== 'complete') await new Promise(resolve => addEventListener('load', resolve));
  const points = await data(), loaded = now(), made = await makers[parameters.get('peer')](points, Number(parameters.get('size')));
  while (most < points.n) await sleep(1);
  drained();
  const ready = now() - loaded, times = [], hovers = [], end = now() + 1000 * seconds;
  runs = false;
  await sleep(100);
  most = 0;
  for (let angle = 0; times.length < 5 || now() < end && times.length < 200;) {
    made.shift(3 * Math.cos(angle += 0.05), 3 * Math.sin(angle));
    await sleep(0);  // events that the peer posts to itself
    const start = now();
    pump();
    drained();
    times.push(now() - start);
  }
  if (most < points.n) throw new Error('the frames were empty');
  for (let i = 0; i < 5; ++i) {
    const start = now();
    made.hover(side * (0.25 + 0.08 * i), side * (0.33 + 0.06 * i));
    drained();
    hovers.push(now() - start);
  }
  const median = list => list.slice().sort((a, b) => a - b)[list.length >> 1];
  return {points: points.n, started, ready, frame: median(times), frames: times.length, hover: median(hovers)};
};
