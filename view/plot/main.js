// Starts the page that plays states of a line or a grid
import {counted, element, make} from '../dom.js';
import {Player} from '../film/player.js';
import {bytesOfBase64, kinds, parseFrame, payloadOf, refuse} from '../frames.js';
import {fillLegend} from '../legend.js';
import {paperOf} from '../look.js';
import {GridPicture} from './grid.js';

/** @typedef {import('./grid.js').PlotFacts} PlotFacts */

/** @param {any} facts @returns {PlotFacts} */
function checkedPlot(facts) {
  const whole = (/** @type {any} */ v) => Number.isInteger(v) && v >= 1 && v <= 2 ** 31;
  const scales = [facts?.scale, ...(facts?.last ? [facts.last] : [])];
  if (!whole(facts?.rows) || !whole(facts.columns) || !Array.isArray(facts.captions) || facts.captions.length < 1)
    refuse('it does not say how many values there are');
  if (facts.rows * facts.columns * (facts.captions.length + scales.length - 1) > 2 ** 30)
    refuse('it has too many values');
  if (!(facts.steps > 1 && facts.steps < 256) ||
      !scales.every(scale => Array.isArray(scale?.colors) && scale.colors.length > 1 && Array.isArray(scale.ticks)))
    refuse('its colors are damaged');
  if (![facts.x, facts.y].every(axis => Array.isArray(axis?.ticks))) refuse('its axes are damaged');
  return facts;
}

/**
 * Steps of all values, from the elements of the page.
 * @param {PlotFacts} facts
 */
async function readValues(facts) {
  const values = new Uint8Array(facts.rows * facts.columns * (facts.captions.length + (facts.last ? 1 : 0)));
  let read = 0;
  for (const script of document.querySelectorAll('script[type="text/x-frame"]')) {
    const frame = parseFrame(bytesOfBase64(script.textContent || '')), bytes = await payloadOf(frame);
    if (frame.kind !== kinds.colors || frame.first !== read || bytes.length !== frame.count ||
        read + frame.count > values.length)
      refuse('values are not in their order');
    if (bytes.some(step => step > facts.steps)) refuse('a value is out of range');
    values.set(bytes, read);
    read += frame.count;
    script.remove();
  }
  if (read !== values.length) refuse(`only ${read} of ${values.length} values are there`);
  return values;
}

class GridFilm extends Player {
  /** @param {GridPicture} picture @param {() => void} redraw */
  constructor(picture, redraw) {
    const {facts} = picture;
    super(/** @type {any} */ ({facts}), copy => {
      const {width, height} = /** @type {HTMLCanvasElement} */ (element('map'));
      if (copy.width !== width) copy.width = width;
      if (copy.height !== height) copy.height = height;
      const context = /** @type {CanvasRenderingContext2D} */ (copy.getContext('2d'));
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.drawImage(/** @type {HTMLCanvasElement} */ (element('map')), 0, 0);
    }, {of: 'run', item: 'state', present: facts.last ? facts.last.name : facts.captions[facts.captions.length - 1]});
    this.facts = facts;
    this.redraw = redraw;
    this.update();
  }

  /** The last state is the present one, if nothing else is shown at the end. */
  get length() { return this.facts.captions.length - (this.facts.last ? 0 : 1); }
  /** Number of the picture on the page. */
  get frame() { return this.shown < 0 ? this.length : this.shown; }
  /** @param {number} i */
  caption(i) { return this.facts.captions[i]; }

  update() {
    super.update();
    if (this.facts) this.bar.hidden = this.length < 1;
  }

  /** @param {number} i */
  async show(i) {
    this.shown = i >= this.length ? -1 : Math.max(i, 0);
    this.update();
    this.redraw();
  }
  async end() { await this.show(this.length); }
}

async function startPlot() {
  const wait = element('wait');
  try {
    const facts = checkedPlot(JSON.parse(element('facts').textContent || ''));
    const picture = new GridPicture(facts, await readValues(facts));
    const canvas = /** @type {HTMLCanvasElement} */ (element('map'));
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d', {alpha: false}));
    let dark = false;
    const paint = () => {
      const pixels = window.devicePixelRatio || 1, [w, h] = [Math.max(innerWidth, 1), Math.max(innerHeight, 1)];
      [canvas.width, canvas.height] = [w, h].map(v => Math.round(v * pixels));
      context.fillStyle = paperOf(dark);
      context.fillRect(0, 0, canvas.width, canvas.height);
      picture.draw(context, w, h, pixels, film.frame, dark);
      fillLegend(/** @type {any} */ ({scale: film.shown < 0 && facts.last || facts.scale, dark}));
    };
    const film = new GridFilm(picture, paint), tip = element('tip');
    const setDark = (/** @type {boolean} */ on) => {
      dark = on;
      document.documentElement.classList.toggle('dark', on);
      paint();
    };
    element('title').textContent = facts.title;
    element('title').hidden = !facts.title;
    element('note').textContent =
      `${counted(facts.captions.length, 'state')} of ${counted(picture.n, 'node')}; ` +
      `values in ${facts.steps} steps from ${facts.scale.low.toPrecision(4)} to ${facts.scale.high.toPrecision(4)}`;
    canvas.addEventListener('pointermove', e => {
      const node = picture.at(e.clientX, e.clientY, film.frame);
      const [value, place] = node ? picture.describe(node) : ['', ''];
      tip.style.display = node ? 'block' : 'none';
      tip.replaceChildren(make('b', {textContent: value}), make('small', {textContent: place}));
      tip.style.left = Math.max(Math.min(e.clientX + 14, innerWidth - tip.offsetWidth - 8), 0) + 'px';
      tip.style.top = Math.max(Math.min(e.clientY + 14, innerHeight - tip.offsetHeight - 8), 0) + 'px';
    });
    canvas.addEventListener('pointerleave', () => { tip.style.display = 'none'; });
    addEventListener('keydown', e => {
      const by = ({ArrowLeft: -1, ArrowRight: 1})[e.key];
      if (!by || e.ctrlKey || e.metaKey || e.altKey || e.target instanceof HTMLInputElement) return;
      film.playing = false;
      film.show(Math.min(Math.max(film.frame + by, 0), film.length));
    });
    addEventListener('resize', paint);
    const system = matchMedia('(prefers-color-scheme: dark)'), always = facts.dark === true;
    system.addEventListener('change', e => setDark(always || e.matches));
    wait.hidden = true;
    setDark(always || system.matches);
    const pace = {complete: true, whole: async () => {}};
    Object.assign(window, {dunlin: {facts, picture, film, paint, pace}});
  } catch (error) {
    wait.classList.add('failed');
    wait.hidden = false;
    wait.textContent = 'This film cannot be shown. ' + (error instanceof Error ? error.message : error);
    throw error;
  }
}
startPlot();
