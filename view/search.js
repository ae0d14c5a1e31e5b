// Search by id, row number and label
import {goTo} from './camera.js';
import {button, element, make, swatch} from './dom.js';
import {colorFor} from './look.js';

/** @typedef {import('./scene.js').Scene} Scene */
/** @typedef {{text: string, place: number, label: number}} Hit a point, or a label with its first point */

const mostHits = 8;

/**
 * Hits: labels whose name contains the text, then ids.
 * @param {Scene} scene
 * @param {string} text
 * @returns {Hit[]}
 */
export function search(scene, text) {
  const {facts, cloud} = scene, wanted = text.trim().toLowerCase(), /** @type {Hit[]} */ hits = [];
  if (!wanted) return hits;
  facts.names.forEach((name, label) => {
    if (hits.length < mostHits && name.toLowerCase().includes(wanted)) hits.push({text: name, place: -1, label});
  });
  if (cloud.ids) {
    /** @type {Hit[]} */
    const others = [];
    for (let i = 0; i < cloud.n && hits.length < mostHits; ++i) {
      const id = cloud.ids[i].toLowerCase();
      if (id === wanted) hits.push({text: cloud.ids[i], place: i, label: -1});
      else if (others.length < mostHits && id.includes(wanted)) others.push({text: cloud.ids[i], place: i, label: -1});
    }
    hits.push(...others.slice(0, mostHits - hits.length));
  } else if (cloud.rows && /^\d+$/.test(wanted)) {
    const place = cloud.rows.indexOf(Number(wanted));
    if (place >= 0) hits.push({text: 'point ' + wanted, place, label: -1});
  }
  return hits;
}

/**
 * Selects a label's points, or marks a point.
 * @param {Scene} scene
 * @param {Hit} hit
 * @param {(place: number) => void} markPoint
 */
export function follow(scene, hit, markPoint) {
  if (hit.label >= 0) {
    const {labels} = scene.cloud;
    scene.select(Uint8Array.from(labels, label => label === hit.label ? 1 : 0));
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
      option.append(swatch(colorFor(scene.groups[group].color, scene.dark)), hit.text, make('span', {className: 'small', textContent: hit.label >= 0 ? 'label' : ''}));
      option.tabIndex = -1;
      option.setAttribute('role', 'option');
      option.setAttribute('aria-selected', String(i === at));
      return option;
    }));
    if (!hits.length) list.append(make('p', {textContent: scene.facts.of ? 'not among the points so far' : 'nothing found'}));
  };
  input.addEventListener('input', async () => {
    const text = input.value;
    at = 0;
    hits = search(scene, text);
    if (ask && text.trim()) {
      const more = await ask(text);
      if (input.value !== text) return;
      hits = [...hits, ...more.filter(hit => !hits.some(other => other.place === hit.place && other.label === hit.label))].slice(0, mostHits);
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
