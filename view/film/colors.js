// The film of a coloring: other values of the points, a frame after another
import {refuse} from '../frames.js';
import {Player} from './player.js';

/** @typedef {import('../blocks.js').Facts['scale']} Scale */

/** @param {any} facts of a page with a film */
export function checkFilm({film, points, groups}) {
  if (!(Array.isArray(film.captions) && film.captions.length * points <= 2 ** 30 &&
        film.names?.length === groups.length && film.scale))
    refuse('its film is damaged');
}

export class ColorFilm extends Player {
  /**
   * @param {import('../scene.js').Scene} scene
   * @param {{paint: (copy: HTMLCanvasElement, line: string) => void, recolored: () => Promise<void>}} page
   */
  constructor(scene, page) {
    super(scene, page.paint, {of: 'colors', item: 'frame', present: scene.scale?.name || 'the last'});
    this.page = page;
    this.film = /** @type {NonNullable<import('../blocks.js').Facts['film']>} */ (scene.facts.film);
    const {groupOf} = scene.cloud, {scale} = scene, names = scene.groups.map(group => group.name);
    this.color = async (colors = groupOf, legend = scale, named = names) => {
      scene.cloud.groupOf = colors;
      scene.scale = legend;
      scene.groups.forEach((group, i) => { group.name = named[i]; });
      this.update();
      await page.recolored();
    };
    this.update();
  }

  get length() { return this.film.captions.length; }
  /** @param {number} i */
  caption(i) { return this.film.captions[i]; }

  /** @param {number} i */
  async show(i) {
    if (i >= this.length) return this.end();
    const {n, colors} = this.scene.cloud;
    this.shown = i;
    await this.color(colors.subarray(i * n, (i + 1) * n), this.film.scale, this.film.names);
  }

  async end() {
    this.shown = -1;
    await this.color();
  }
}
