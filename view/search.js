// Search by id, row number and label
import {goTo} from './camera.js';
import {button, element, make, swatch} from './dom.js';
import {colorFor} from './look.js';

/** @typedef {import('./scene.js').Scene} Scene */
/** @typedef {{text: string, place: number, label: number}} Hit a point, or a label with its first point */

const mostHits = 8;

/**
 * The first hits: those whose whole text is wanted come before others.
 * @param {Hit[]} hits @param {string} wanted
 */
const best = (hits, wanted) =>
  hits.sort((a, b) => Number(b.text.toLowerCase() === wanted) - Number(a.text.toLowerCase() === wanted))
    .slice(0, mostHits);

/**
 * Hits: labels whose name contains the text, then ids, or the number of a row where there are none.
 * @param {Scene} scene
 * @param {string} text
 * @returns {Hit[]}
 */
export function search(scene, text) {
  const {facts, cloud} = scene, wanted = text.trim().toLowerCase(), /** @type {Hit[]} */ hits = [];
  if (!wanted) return hits;
  const room = {whole: mostHits, part: mostHits};
  const add = (/** @type {string} */ name, /** @type {number} */ place, /** @type {number} */ label) => {
    const low = name.toLowerCase(), kind = low === wanted ? 'whole' : 'part';
    if (room[kind] > 0 && low.includes(wanted)) { --room[kind]; hits.push({text: name, place, label}); }
  };
  facts.names.forEach((name, label) => add(name, -1, label));
  room.whole = room.part = mostHits;
  if (cloud.ids) cloud.ids.forEach((id, place) => add(id, place, -1));
  else if (cloud.rows && /^\d+$/.test(wanted)) {
    const place = cloud.rows.indexOf(Number(wanted));
    if (place >= 0) hits.push({text: 'point ' + wanted, place, label: -1});
  }
  return best(hits, wanted);
}

/**
 * Selects a label's points, or marks a point.
 * @param {Scene} scene
 * @param {Hit} hit
 * @param {(place: number) => void} markPoint
 */
export function follow(scene, hit, markPoint) {
  if (hit.label >= 0) {
    const {labels} = scene.cloud, chosen = Uint8Array.from(labels, label => label === hit.label ? 1 : 0);
    scene.select(chosen);
    // A few points would not be seen among many
    scene.hits = [];
    if (scene.selected > 0 && scene.selected <= 100) chosen.forEach((v, place) => { if (v) scene.hits.push(place); });
    return;
  }
  scene.groups[scene.cloud.groupOf[hit.place]].shown = true;
  scene.hits = [hit.place];
  goTo(scene, hit.place, 4);
  markPoint(hit.place);
}

/**
 * @param {Scene} scene @param {(place: number) => void} markPoint
 * @param {((text: string) => Promise<Hit[]>)} [ask] searches on the server
 */
export function connectSearch(scene, markPoint, ask) {
  const input = /** @type {HTMLInputElement} */ (element('search')), list = element('found');
  let /** @type {Hit[]} */ hits = [], at = 0;
  const close = () => { list.hidden = true; };
  const take = (/** @type {Hit} */ hit) => { close(); follow(scene, hit, markPoint); };
  const show = () => {
    list.hidden = !input.value.trim() || document.activeElement !== input;
    list.replaceChildren(...hits.map((hit, i) => {
      const group = hit.label >= 0 ? scene.facts.groupOfLabel[hit.label] : scene.cloud.groupOf[hit.place];
      const option = button('', '', () => take(hit));
      option.append(swatch(colorFor(scene.groups[group].color, scene.dark)), hit.text,
                    make('span', {className: 'small', textContent: hit.label >= 0 ? 'label' : ''}));
      option.tabIndex = -1;
      option.setAttribute('role', 'option');
      option.setAttribute('aria-selected', String(i === at));
      return option;
    }));
    if (!hits.length)
      list.append(make('p', {textContent: scene.facts.of ? 'not among the points so far' : 'nothing found'}));
  };
  input.addEventListener('input', async () => {
    const text = input.value;
    at = 0;
    hits = search(scene, text);
    if (ask && text.trim()) {
      const more = await ask(text);
      if (input.value !== text) return;
      const others = more.filter(hit => !hits.some(other => other.place === hit.place && other.label === hit.label));
      hits = best([...hits, ...others], text.trim().toLowerCase());
    }
    show();
  });
  input.addEventListener('keydown', e => {
    e.stopPropagation();
    if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
      at = (at + (e.key === 'ArrowDown' ? 1 : hits.length - 1)) % Math.max(hits.length, 1);
      show();
      e.preventDefault();
    }
    if (e.key === 'Enter' && hits[at]) take(hits[at]);
    if (e.key === 'Escape') {
      input.value = '';
      scene.hits = [];
      close();
      scene.changed();
      element('map').focus();
    }
  });
  input.addEventListener('blur', () => setTimeout(close, 200));
}
