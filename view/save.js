// Files made by the page: the picture, and the selected points
import {colorFor, colorsOf, inkOf, paperOf} from './look.js';

/** @param {Blob} blob @param {string} name */
export function download(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/**
 * A file name.
 * @param {string} title
 * @param {string} ending
 */
export const fileName = (title, ending) =>
  (title.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '').slice(0, 60) || 'map') + ending;

/**
 * A field of a CSV file.
 * @param {string | number} value
 */
export const csvField = value =>
  /[",\n\r]/.test(String(value)) ? '"' + String(value).replaceAll('"', '""') + '"' : String(value);

/**
 * The selected points as CSV.
 * @param {import('./scene.js').Scene} scene
 */
export function selectionAsCsv(scene) {
  const {cloud, chosen, named, facts} = scene, {n, dim, ids, rows} = cloud;
  const order = Array.from({length: n}, (_, i) => i).filter(i => chosen && chosen[i]);
  if (rows) order.sort((a, b) => rows[a] - rows[b]);
  const header = [...(ids ? [facts.items?.column ?? 'id'] : []), ...(rows ? ['row'] : []),
                  ...(named && cloud.labeled ? [facts.scale ? facts.scale.name : 'label'] : []),
                  ...['x', 'y', 'z'].slice(0, dim)];
  const lines = order.map(i => [...(ids ? [ids[i]] : []), ...(rows ? [rows[i]] : []),
                                ...(named && cloud.labeled ? [scene.labelOf(i)] : []),
                                ...scene.coordinates(i).map(v => v.toPrecision(8))].map(csvField).join(','));
  return header.map(csvField).join(',') + '\n' + lines.map(line => line + '\n').join('');
}

/**
 * Draws the map as it is shown, with title and legend, into another canvas. `paint` draws all points; it and the copy
 * are one task, for afterwards the browser may clear the canvas.
 * @param {import('./scene.js').Scene} scene @param {{canvas: HTMLCanvasElement}} painter
 * @param {() => void} paint @param {import('./overlay.js').Overlay} overlay
 * @param {HTMLCanvasElement} copy @param {string} [line] below the title
 */
export function paintPicture(scene, painter, paint, overlay, copy, line = '') {
  paint();
  const {canvas} = painter, pixels = canvas.width / scene.size.w;
  if (copy.width !== canvas.width) copy.width = canvas.width;
  if (copy.height !== canvas.height) copy.height = canvas.height;
  const context = /** @type {CanvasRenderingContext2D} */ (copy.getContext('2d'));
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.globalAlpha = 1;
  context.drawImage(canvas, 0, 0);
  overlay.draw(context);
  context.setTransform(pixels, 0, 0, pixels, 0, 0);
  context.textAlign = 'left';
  context.textBaseline = 'alphabetic';
  context.fillStyle = inkOf(scene.dark);
  context.font = '500 20px system-ui, sans-serif';
  context.fillText(scene.facts.title, 24, 38);
  context.font = '14px system-ui, sans-serif';
  context.fillText(line, 24, 60);
  if (scene.size.w > 500) paintLegend(context, scene);
}

/** @param {CanvasRenderingContext2D} context @param {import('./scene.js').Scene} scene */
function paintLegend(context, scene) {
  const {scale, dark} = scene, none = scale?.none ? [{name: 'none', color: scale.none}] : [];
  const groups = scale ? none : scene.named ? scene.groups.filter(g => g.shown) : [];
  const bands = scene.raised && scene.relief ? scene.relief.bands(dark) : [];
  const room = Math.floor((scene.size.h - 40) / 24), x = scene.size.w - 190;
  const top = scale ? Math.min(250, scene.size.h - 50) : 30;
  const text = (/** @type {string} */ what, /** @type {number} */ y) => {
    context.fillStyle = inkOf(dark);
    context.font = '14px system-ui, sans-serif';
    context.fillText(what, x + 14, y + 5, 150);
  };
  if (scale) {
    const high = top - 80, bar = context.createLinearGradient(0, 50 + high, 0, 50);
    colorsOf(scale).forEach((color, i, all) => bar.addColorStop(all.length > 1 ? i / (all.length - 1) : 0, color));
    text(scale.name, 30);
    context.fillStyle = bar;
    context.fillRect(x - 8, 50, 14, high);
    for (const tick of scale.ticks) text(tick.text, 50 + high * (1 - tick.place));
  }
  const named = groups.slice(0, Math.max(room - bands.length, 1));
  const rows = [...named.map(({name, color}) => ({name, color: colorFor(color, dark)})), ...bands];
  rows.forEach(({name, color}, i) => {
    const y = top + 24 * i;
    context.fillStyle = paperOf(dark);
    context.globalAlpha = 0.8;
    context.fillRect(x - 14, y - 13, 190, 24);
    context.globalAlpha = 1;
    context.fillStyle = color;
    context.beginPath();
    context.arc(x, y, 6, 0, 2 * Math.PI);
    context.fill();
    text(name, y);
  });
}

/** @param {HTMLCanvasElement} copy @returns {Promise<Blob>} */
export function pictureOf(copy) {
  return new Promise((resolve, reject) =>
    copy.toBlob(blob => blob ? resolve(blob) : reject(new Error('no picture could be made'))));
}
