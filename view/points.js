// What is said about points: the tip under the pointer, the card of the marked point, the selection
import {button, counted, element, grouped, make, swatch} from './dom.js';
import {lookOf, colorFor} from './look.js';
import {nearestPoint} from './morton.js';
import {mostEdges} from './overlay.js';
import {flat} from './scene.js';
import {download, fileName, selectionAsCsv} from './save.js';

/** @typedef {import('./scene.js').Scene} Scene */

const mostNamed = 20;  // neighbors on a card

/**
 * The point within reach of a pixel, or -1.
 * @param {Scene} scene
 * @param {number} px
 * @param {number} py
 * @param {number} [reach] pixels
 */
export function pointAt(scene, px, py, reach = Math.max(10, lookOf(scene).diameter)) {
  const {view, size, cloud} = scene;
  let x = (px - size.w / 2) / view.scale + view.x, y = (size.h / 2 - py) / view.scale + view.y;
  if (scene.raised && scene.relief) [x, y] = scene.relief.seenAt(scene, x, y);
  return nearestPoint(cloud, cloud.dim === 2 ? flat : scene.project, x, y, reach / view.scale,
                      place => scene.shown(place));
}

/** @param {Scene} scene @param {number} place @returns {HTMLElement[]} */
function description(scene, place) {
  const name = scene.nameOf(place), label = scene.labelOf(place);
  const color = scene.groups[scene.cloud.groupOf[place]].color;
  const lines = name ? [make('b', {textContent: name})] : [];
  if (label && scene.named) lines.push(make('div', {className: 'row'}, swatch(colorFor(color, scene.dark)), label));
  const coordinates = scene.coordinates(place).map(v => +v.toPrecision(6)).join(', ');
  lines.push(make('div', {className: 'small', textContent: coordinates}));
  return lines;
}

/** @param {Scene} scene @param {number} place */
export function showTip(scene, place) {
  const tip = element('tip');
  if (place < 0) return hideTip();
  tip.replaceChildren(...description(scene, place));
  tip.style.display = 'block';
  const [x, y] = scene.pixel(place);
  const left = x + 16 + tip.offsetWidth < scene.size.w ? x + 16 : x - 16 - tip.offsetWidth;
  tip.style.left = Math.max(left, 4) + 'px';
  tip.style.top = Math.max(Math.min(y + 14, scene.size.h - tip.offsetHeight - 6), 4) + 'px';
}

export function hideTip() { element('tip').style.display = 'none'; }

/**
 * Finds the edges of a vertex, which are drawn above the others, and says how many they are.
 * @param {Scene} scene @param {number} place
 */
function edgesOf(scene, place) {
  const {cloud: {ends}, facts} = scene, found = scene.adjacent;
  if (!ends.length) return [];
  for (let end = 0; end < ends.length; ++end) if (ends[end] === place) found.push(ends[end ^ 1]);
  const names = found.slice(0, mostNamed).map(other => scene.nameOf(other)).filter(Boolean).join(', ');
  const edges = counted(found.length, 'edge') + (facts.drawnLines < facts.lines ? ' of those drawn' : '') +
    (found.length > mostEdges ? `; ${grouped(mostEdges)} on top` : '');
  return [make('div', {className: 'small', textContent: (names && names + (found.length > mostNamed ? ' …' : ''))}),
          make('div', {className: 'small', textContent: edges})];
}

/**
 * Marks a point and opens its card; `ask` of a served page adds neighbors and errors.
 * @param {Scene} scene @param {number} place -1: none
 * @param {(place: number) => Promise<HTMLElement[]>} [ask]
 */
export async function mark(scene, place, ask) {
  const card = element('card');
  scene.marked = place;
  scene.neighbors = [];
  scene.dataNeighbors = [];
  scene.adjacent = [];
  card.hidden = place < 0;
  hideTip();
  scene.changed();
  if (place < 0) return;
  const close = button('×', 'close (Escape)', () => mark(scene, -1, ask));
  close.className = 'close';
  const describe = () => {
    scene.adjacent = [];
    card.replaceChildren(close, ...description(scene, place), ...edgesOf(scene, place));
  };
  describe();
  if (await scene.learn([place, ...scene.adjacent.slice(0, mostNamed)]) && scene.marked === place) describe();
  if (!ask) return;
  const more = await ask(place);
  if (scene.marked === place) card.append(...more);
  scene.changed();
}

/**
 * The line about the selection.
 * @param {Scene} scene
 * @param {() => HTMLElement[]} [more] buttons of a served page
 */
export function showSelection(scene, more = () => []) {
  const line = element('picked');
  line.hidden = scene.selected === 0;
  if (line.hidden) return;
  const save = button('save as CSV', '', () =>
    download(new Blob([selectionAsCsv(scene)], {type: 'text/csv'}), fileName(scene.facts.title, '-selection.csv')));
  line.replaceChildren(`${grouped(scene.selected)} selected`, save, ...more(),
                       button('clear', '', () => scene.select(null)));
}
