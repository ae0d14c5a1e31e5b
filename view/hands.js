// Pointer and touch. One pointer moves a 2-D map and rotates a 3-D map (with Shift it moves it); two zoom
import {panBy, rotateBy, zoomAt} from './camera.js';
import {pointsWithin} from './lasso.js';
import {hideTip, pointAt, showTip} from './points.js';

/**
 * @typedef {object} Acts what hands and keys do
 * @property {() => void} moved the view is another one
 * @property {() => void} changed what is above the points is
 * @property {() => void} fit
 * @property {(place: number) => void} mark
 * @property {(x: number, y: number) => boolean} choose selects the label whose name is there; false: there is none
 * @property {(corners: number[][]) => void} selected
 * @property {(on?: boolean) => boolean} lasso the tool: sets it, tells it
 * @property {(at: {x: number, y: number} | null) => void} cross shows where keys point
 * @property {import('./run/steer.js').Steer | null} steer
 */

/**
 * @param {HTMLCanvasElement} canvas @param {import('./scene.js').Scene} scene @param {Acts} acts
 */
export function connectHands(canvas, scene, acts) {
  /** @type {Map<number, {x: number, y: number}>} */
  const pointers = new Map();
  let travelled = 0, wheelEnd = 0, lassoing = false;
  /** @type {{x: number, y: number} | null} */
  let pendingHover = null;
  const moved = () => { hideTip(); acts.moved(); };
  const hover = (/** @type {number} */ x, /** @type {number} */ y) => {
    if (!pendingHover) requestAnimationFrame(() => {
      const at = pendingHover;
      pendingHover = null;
      if (at) showTip(scene, pointAt(scene, at.x, at.y));
    });
    pendingHover = {x, y};
  };
  const endLasso = (/** @type {boolean} */ keep) => {
    const corners = scene.lasso;
    lassoing = false;
    scene.lasso = [];
    if (keep && corners.length > 2) acts.selected(corners);
    acts.lasso(false);
    acts.changed();
  };

  canvas.addEventListener('wheel', e => {
    e.preventDefault();
    zoomAt(scene, Math.exp(-e.deltaY * (e.deltaMode ? 0.05 : 0.0016)), e.clientX, e.clientY);
    clearTimeout(wheelEnd);
    moved();
  }, {passive: false});
  canvas.addEventListener('pointerdown', e => {
    canvas.setPointerCapture(e.pointerId);
    pointers.set(e.pointerId, {x: e.clientX, y: e.clientY});
    travelled = 0;
    acts.steer?.release();
    if (pointers.size === 1 && !acts.lasso() && acts.steer?.grab(e.clientX, e.clientY, e.ctrlKey || e.metaKey))
      return hideTip();
    lassoing = pointers.size === 1 && (acts.lasso() || e.shiftKey && !scene.space);
    scene.lasso = lassoing ? [[e.clientX, e.clientY]] : [];
    canvas.classList.toggle('moving', !lassoing);
    hideTip();
  });
  canvas.addEventListener('pointermove', e => {
    const last = pointers.get(e.pointerId);
    if (!last) return e.pointerType === 'touch' ? undefined : hover(e.clientX, e.clientY);
    const dx = e.clientX - last.x, dy = e.clientY - last.y;
    travelled += Math.abs(dx) + Math.abs(dy);
    if (acts.steer?.grabbed) return acts.steer.pull(e.clientX, e.clientY);
    if (lassoing) {
      scene.lasso.push([e.clientX, e.clientY]);
      last.x = e.clientX;
      last.y = e.clientY;
      return acts.changed();
    }
    if (pointers.size === 2) {
      const other = [...pointers].find(([id]) => id !== e.pointerId)?.[1] || last;
      const before = Math.hypot(last.x - other.x, last.y - other.y);
      const after = Math.hypot(e.clientX - other.x, e.clientY - other.y);
      panBy(scene, dx / 2, dy / 2);
      if (before > 0 && after > 0) zoomAt(scene, after / before, (e.clientX + other.x) / 2, (e.clientY + other.y) / 2);
    } else if (scene.space && !e.shiftKey) {
      rotateBy(scene, dx, dy);
    } else {
      panBy(scene, dx, dy);
    }
    last.x = e.clientX;
    last.y = e.clientY;
    moved();
  });
  canvas.addEventListener('pointerup', e => {
    const single = pointers.size === 1;
    pointers.delete(e.pointerId);
    if (pointers.size === 0) canvas.classList.remove('moving');
    if (acts.steer?.grabbed) acts.steer.release();
    if (lassoing) return endLasso(true);
    if (single && travelled < 6 && !acts.choose(e.clientX, e.clientY))
      acts.mark(pointAt(scene, e.clientX, e.clientY, e.pointerType === 'touch' ? 22 : undefined));
  });
  canvas.addEventListener('pointercancel', e => {
    pointers.delete(e.pointerId);
    canvas.classList.remove('moving');
    acts.steer?.release();
    if (lassoing) endLasso(false);
  });
  canvas.addEventListener('pointerleave', hideTip);
  canvas.addEventListener('dblclick', acts.fit);
  return {endLasso, get pressed() { return pointers.size > 0; }};
}

/**
 * Selects what a polygon of pixels has.
 * @param {import('./scene.js').Scene} scene
 * @param {number[][]} corners
 */
export const selectWithin = (scene, corners) => scene.select(pointsWithin(scene, corners));
