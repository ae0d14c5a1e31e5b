// Pointer, touch and keyboard. One pointer moves a 2-D map and rotates a 3-D map (with Shift it moves it); two zoom
import {panBy, rotateBy, zoomAt} from './camera.js';
import {pointsWithin} from './lasso.js';
import {hideTip, pointAt, showTip} from './points.js';

/**
 * @param {HTMLCanvasElement} canvas @param {import('./scene.js').Scene} scene
 * @param {{moved: () => void, changed: () => void, fit: () => void, mark: (place: number) => void, selected: (corners: number[][]) => void, lasso: (on?: boolean) => boolean, cross: (on: boolean) => void, steer: import('./run/steer.js').Steer | null}} acts
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
    acts.cross(false);
    if (pointers.size === 1 && !acts.lasso() && acts.steer?.grab(e.clientX, e.clientY, e.ctrlKey || e.metaKey)) return hideTip();
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
      const before = Math.hypot(last.x - other.x, last.y - other.y), after = Math.hypot(e.clientX - other.x, e.clientY - other.y);
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
    if (single && travelled < 6) acts.mark(pointAt(scene, e.clientX, e.clientY, e.pointerType === 'touch' ? 22 : undefined));
  });
  canvas.addEventListener('pointercancel', e => {
    pointers.delete(e.pointerId);
    canvas.classList.remove('moving');
    acts.steer?.release();
    if (lassoing) endLasso(false);
  });
  canvas.addEventListener('pointerleave', hideTip);
  canvas.addEventListener('dblclick', acts.fit);
  canvas.addEventListener('blur', () => acts.cross(false));
  // Also before anything has the focus
  addEventListener('keydown', e => {
    const {w, h} = scene.size, by = 40;
    if (e.ctrlKey || e.metaKey || e.altKey || e.target instanceof HTMLInputElement) return;
    if (e.key === 'v' || e.key === 'V') acts.selected([[0, 0], [w, 0], [w, h], [0, h]]);
    if (e.target !== canvas && e.target !== document.body) return;
    const arrows = /** @type {Record<string, number[]>} */ ({ArrowLeft: [by, 0], ArrowRight: [-by, 0], ArrowUp: [0, by], ArrowDown: [0, -by]})[e.key];
    if (arrows) {
      if (scene.space && !e.shiftKey) rotateBy(scene, arrows[0] / 2, arrows[1] / 2);
      else panBy(scene, arrows[0], arrows[1]);
      acts.cross(true);
      e.preventDefault();
      return moved();
    }
    if (e.key === 'Enter') acts.mark(pointAt(scene, w / 2, h / 2, Math.min(w, h) / 3));
  });
}

/**
 * Selects what a polygon of pixels has.
 * @param {import('./scene.js').Scene} scene
 * @param {number[][]} corners
 */
export const selectWithin = (scene, corners) => scene.select(pointsWithin(scene, corners));
