// The page of a map, from its facts and points
import {fit, zoomAt} from './camera.js';
import {element, grouped, make} from './dom.js';
import {ColorFilm} from './film/colors.js';
import {connectHands, selectWithin} from './hands.js';
import {connectKeys} from './keys.js';
import {fillLegend} from './legend.js';
import {serverOf} from './run/link.js';
import {lookOf} from './look.js';
import {layers} from './order.js';
import {Overlay} from './overlay.js';
import {Pace} from './pace.js';
import {PlainPainter} from './paint/plain.js';
import {webGlPainter} from './paint/webgl.js';
import {hideTip, mark, pointAt, showSelection} from './points.js';
import {download, fileName, paintPicture, pictureOf} from './save.js';
import {reliefHelp} from './relief/relief.js';
import {Scene} from './scene.js';
import {connectSearch, follow} from './search.js';
import {ShepardPanel} from './run/shepard.js';
import {Steer} from './run/steer.js';

/**
 * What a server answers; null in a file.
 * @typedef {object} Server
 * @property {(place: number) => Promise<HTMLElement[]>} describe
 * @property {(text: string) => Promise<import('./search.js').Hit[]>} search
 * @property {() => HTMLElement[]} selection buttons about the selection
 */

/**
 * @param {import('./blocks.js').Facts} facts @param {import('./blocks.js').Cloud} cloud
 * @param {import('./run/link.js').Link | null} link
 */
export function openPage(facts, cloud, link) {
  const canvas = /** @type {HTMLCanvasElement} */ (element('map')), scene = new Scene(facts, cloud);
  /** @type {import('./pace.js').Painter} */
  let painter = webGlPainter(canvas, scene) || new PlainPainter(canvas, scene);
  const overlay = new Overlay(/** @type {HTMLCanvasElement} */ (element('over')), scene);
  const pace = new Pace(scene, painter, () => overlay.draw());
  const markPoint = (/** @type {number} */ place) => { mark(scene, place, server?.describe); };
  const steer = link && new Steer(scene, link);
  const server = link && serverOf(link, scene, markPoint);
  const shepard = link && new ShepardPanel(scene, link, markPoint);
  const part = () => scene.facts.of ? `a random ${grouped(scene.cloud.n)} of ${grouped(scene.facts.of)} points` : '';
  const paint = (/** @type {HTMLCanvasElement} */ copy, line = part()) => paintPicture(scene, painter, () => {
    painter.start(lookOf(scene), canvas.width / scene.size.w);
    painter.advance(layers);
  }, overlay, copy, line);
  const colors = facts.film && new ColorFilm(scene, {paint, recolored: () => {
    painter.recolor();
    fillLegend(scene);
    pace.request();
    return pace.whole();
  }});
  const savePicture = async () => {
    const copy = document.createElement('canvas');
    await pace.whole();
    paint(copy);
    download(await pictureOf(copy), fileName(scene.facts.title, '.png'));
  };

  const legendWidth = () =>
    scene.size.w > 640 && !element('legend').hidden && scene.named ? element('legend').offsetWidth + 24 : 0;
  const fitAll = () => { fit(scene, legendWidth()); pace.request(); };
  const resize = () => {
    const pixels = window.devicePixelRatio || 1;
    scene.size = {w: Math.max(innerWidth, 1), h: Math.max(innerHeight, 1)};
    for (const one of [canvas, overlay.canvas])
      [one.width, one.height] = [scene.size.w, scene.size.h].map(v => Math.round(v * pixels));
    painter.resize();
    again();
  };
  const again = () => {
    overlay.measured = '';
    if (scene.moved || steer?.grabbed) pace.request();
    else fitAll();
  };
  const note = () => {
    const {facts} = scene, ended = link?.open === false, sample = part();
    element('note').textContent = [sample && sample + (ended ? '' : '; they can be selected when all are here'),
      facts.drawnLines < facts.lines ? `${grouped(facts.drawnLines)} of ${grouped(facts.lines)} edges are drawn` : '',
      painter.exact ? '' : 'this graphics card counts up to 2,048 points on a pixel',
      painter instanceof PlainPainter ? painter.name : '',
      ended ? 'the server has ended; what is here stays' : ''].filter(Boolean).join('; ');
  };
  const shown = () => {
    scene.ask = link?.hello.names ? async places => (await link.ask({ask: 'names', places})).names : null;
    element('title').textContent = scene.facts.title;
    element('names').hidden = scene.peaks.length === 0 && !overlay.items.possible;
    note();
    resize();
  };
  let selection = scene.chosen;
  scene.listeners.push(() => {
    if (selection !== scene.chosen) showSelection(scene, server?.selection);
    selection = scene.chosen;
    pace.request();
  });
  connectSearch(scene, markPoint, server?.search);
  const tools = connectTools(scene, overlay, fitAll, savePicture, () => pace.request(), () => painter,
                             link?.hello.moves === true, link !== null);
  /** @type {import('./hands.js').Acts} */
  const acts = {
    moved: () => pace.request(true), changed: () => overlay.draw(), fit: fitAll, mark: markPoint,
    selected: corners => selectWithin(scene, corners), lasso: tools.lasso,
    choose: (x, y) => {
      const label = overlay.labelAt(x, y);
      if (label >= 0) follow(scene, {text: '', place: -1, label}, markPoint);
      return label >= 0;
    },
    steer, cross: at => { if (overlay.cross || at) { overlay.cross = at; overlay.draw(); } },
  };
  connectKeys(canvas, scene, acts, connectHands(canvas, scene, acts));
  addEventListener('keydown', e => {
    if (e.key === 'Escape') {
      scene.hits = [];
      markPoint(-1);
      scene.select(null);
      tools.lasso(false);
      element('keys').hidden = true;
    }
  });

  element('wait').hidden = true;
  shown();
  addEventListener('resize', resize);
  return {scene, get painter() { return painter; }, overlay, pace, steer, shepard, colors, paint, pointAt, lookOf,
          fit: fitAll, resize, server, note,
    set painter(next) {
      painter = pace.painter = next;
      note();
      pace.request();
    },
    /** The points have moved; ends when they are drawn. */
    moved() {
      painter.move();
      again();
      return pace.whole();
    },
    /** The content is another one. */
    replaced() {
      painter.replace();
      if (scene.relief) tools.raise(scene.raised);
      fillLegend(scene);
      shepard?.renew();
      if (scene.marked >= 0) markPoint(scene.marked);
      element('search').dispatchEvent(new Event('input'));
      shown();
    }};
}

/**
 * Buttons and their keys.
 * @param {Scene} scene
 * @param {Overlay} overlay
 * @param {() => void} fitAll
 * @param {() => void} save
 * @param {() => void} redraw
 * @param {() => import('./pace.js').Painter} painter the present one
 * @param {boolean} steered the page shows a run
 * @param {boolean} served it has a server
 */
function connectTools(scene, overlay, fitAll, save, redraw, painter, steered, served) {
  const canvas = element('map');
  const pressed = (/** @type {string} */ id, /** @type {boolean} */ on) =>
    element(id).setAttribute('aria-pressed', String(on));
  let lassoOn = false;
  const lasso = (on = lassoOn) => {
    lassoOn = on;
    pressed('lasso', on);
    canvas.classList.toggle('lasso', on);
    return on;
  };
  const zoom = (/** @type {number} */ factor) => {
    zoomAt(scene, factor, scene.size.w / 2, scene.size.h / 2);
    hideTip();
    redraw();
  };
  const setDark = (/** @type {boolean} */ on) => {
    scene.dark = on;
    document.documentElement.classList.toggle('dark', on);
    pressed('dark', on);
    fillLegend(scene);
    redraw();
  };
  const raise = (/** @type {boolean} */ on) => {
    scene.raise(on);
    pressed('relief', on);
    fillLegend(scene);
    if (scene.moved) redraw();
    else fitAll();
  };
  const showLegend = (/** @type {boolean} */ on) => {
    element('legend').hidden = !on;
    pressed('list', on);
    if (!scene.moved) fitAll();
  };
  const keys = element('keys'), drawn = make('div', {className: 'small'});
  const solid = !(painter() instanceof PlainPainter) && (scene.relief || scene.facts.hulls);
  keys.append(make('table', {}, ...[
    ['drag', scene.space ? 'rotate; with Shift move' : 'move; with Shift select with a lasso'],
    ['scroll, two fingers', 'zoom'], ['click', 'describe a point'],
    ['arrows, + and -', scene.space ? 'rotate (with Shift move), zoom' : 'move, zoom'],
    ['Enter', 'describe the point in the middle'], ['V', 'select what is in view'], ['/', 'find'],
    ['L, N, D, S, 0', 'lasso, names, dark, save the picture, show all'],
    ['L, arrows, Enter', 'corners of a lasso (Shift: by a pixel); Enter again ends it'],
    ...(steered ? [['P, . (full stop)', 'pause or go on, one iteration'], ['Ctrl and drag', 'drag a point'],
                   ['M, arrows, Enter', 'take a point, move it, let it go'], ['F', 'film of the run']]
      : scene.facts.film ? [['F', 'film of the colors']] : []),
    ...(served ? [['G', 'distances: Shepard diagram, where they are known']] : []),
    ...(solid ? [['H', reliefHelp(scene.space)]] : []), ['Escape', 'close, clear the selection'],
    ['a label of the legend', 'click: hide or show; double click, or Shift and Enter: show it alone'],
  ].map(row => make('tr', {}, ...row.map(textContent => make('td', {textContent}))))), drawn);
  /** @type {Record<string, () => void>} */
  const tools = {
    all: fitAll, closer: () => zoom(1.5), farther: () => zoom(1 / 1.5),
    lasso: () => { scene.lasso = []; lasso(!lassoOn); overlay.draw(); },
    names: () => {  // of labels and points, of labels, none
      const both = overlay.showNames && overlay.showItems;
      overlay.showItems = !both && !overlay.showNames;
      overlay.showNames = both || !overlay.showNames;
      pressed('names', overlay.showNames);
      overlay.draw();
    },
    list: () => showLegend(element('legend').hidden), relief: () => raise(!scene.raised),
    dark: () => setDark(!scene.dark), picture: save,
    help: () => {
      keys.hidden = !keys.hidden;
      drawn.textContent = ['drawn by ' + painter().name, painter().card].filter(Boolean).join(', ');
    },
  };
  for (const [id, act] of Object.entries(tools)) {
    element(id).addEventListener('click', act);
    element(id).setAttribute('aria-label', element(id).title);
  }
  element('relief').hidden = !solid;
  if (scene.space) element('relief').title = 'hulls (H)';
  /** @type {Record<string, string>} */
  const byKey = {0: 'all', '+': 'closer', '=': 'closer', '-': 'farther', l: 'lasso', n: 'names',
                 ...(solid ? {h: 'relief'} : {}), d: 'dark', s: 'picture', '?': 'help'};
  addEventListener('keydown', e => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target instanceof HTMLInputElement) return;
    const id = byKey[e.key.toLowerCase()];
    if (id) tools[id]();
    if (e.key === '/') { element('search').focus(); e.preventDefault(); }
  });
  element('list').hidden = !scene.named && !scene.relief;
  fillLegend(scene);
  showLegend(scene.named && innerWidth > 640);
  const system = matchMedia('(prefers-color-scheme: dark)'), always = scene.facts.dark === true;
  system.addEventListener('change', e => setDark(always || e.matches));
  setDark(always || system.matches);
  if (solid && (scene.facts.hulls || scene.relief?.facts.shown)) raise(true);
  return {lasso, raise};
}
