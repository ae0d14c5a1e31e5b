// Pointer, touch and keyboard. One pointer moves a 2-D map and rotates a 3-D map (with Shift it moves it); two zoom
import {panBy, rotateBy, zoomAt} from './camera.js';
import {pointsWithin} from './lasso.js';
import {hideTip, pointAt, showTip} from './points.js';

/**
 * @param {HTMLCanvasElement} canvas @param {import('./scene.js').Scene} scene
 * @param {{moved: () => void, changed: () => void, fit: () => void, mark: (place: number) => void, selected: (corners: number[][]) => void, lasso: (on?: boolean) => boolean, cross: (at: {x: number, y: number} | null) => void, steer: import('./run/steer.js').Steer | null}} acts
 */
export function connectHands(canvas, scene, acts) {
  /** @type {Map<number, {x: number, y: number}>} */
  const pointers = new Map();
  const middle = () => ({x: scene.size.w / 2, y: scene.size.h / 2});
  let travelled = 0, wheelEnd = 0, lassoing = false, pointed = false;
  /** @type {{x: number, y: number} | null} where keys point; null: in the middle */
  let cross = null;
  const hideCross = () => acts.cross(cross = null);
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
  // With a lasso, or while points are dragged, arrows move the cross, else the map below it
  const pointing = () => acts.lasso() || acts.steer?.drags === true;
  /** After L, M or their buttons: the cross is in the middle, or hidden; a point that keys hold is let go. */
  const follow = () => {
    if (pointed !== pointing()) acts.cross(cross = (pointed = !pointed) ? middle() : null);
    if (pointers.size === 0 && (acts.lasso() || !acts.steer?.drags)) acts.steer?.release();
  };
  /** Enter: sets a corner, or ends the lasso at the last one; takes or lets go a point; or marks one. */
  const press = () => {
    const at = cross || middle(), {x, y} = at, {steer} = acts, last = scene.lasso[scene.lasso.length - 1];
    canvas.focus();  // which a held point does not outlive
    if (acts.lasso()) {
      if (last && last[0] === x && last[1] === y) endLasso(true);
      else scene.lasso.push([x, y]);
    } else if (steer?.grabbed) {
      steer.release();
    } else if (!steer?.grab(x, y, false)) {
      acts.mark(pointAt(scene, x, y, Math.min(scene.size.w, scene.size.h) / 3));
    }
    follow();
    if (pointed) acts.cross(cross = at);
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
    hideCross();
    acts.steer?.release();
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
  canvas.addEventListener('blur', () => {
    hideCross();
    if (pointers.size === 0) acts.steer?.release();
  });
  addEventListener('resize', hideCross);
  // Also before anything has the focus
  addEventListener('keydown', e => {
    const {w, h} = scene.size, by = 40;
    if (e.key === 'Escape' && pointers.size === 0) {
      acts.steer?.release(false);
      endLasso(false);
    }
    follow();
    if (e.ctrlKey || e.metaKey || e.altKey || e.target instanceof HTMLInputElement) return;
    if (e.key === 'v' || e.key === 'V') acts.selected([[0, 0], [w, 0], [w, h], [0, h]]);
    if (e.target !== canvas && e.target !== document.body) return;
    const arrows = /** @type {Record<string, number[]>} */ ({ArrowLeft: [by, 0], ArrowRight: [-by, 0], ArrowUp: [0, by], ArrowDown: [0, -by]})[e.key];
    if (arrows) {
      const [x, y] = arrows, step = e.shiftKey ? 1 / by : 0.25;
      e.preventDefault();
      if (pointing()) {
        const from = cross || middle();
        cross = {x: Math.min(Math.max(from.x - x * step, 0), w), y: Math.min(Math.max(from.y - y * step, 0), h)};
        canvas.focus();
        if (acts.steer?.grabbed) acts.steer.pull(cross.x, cross.y);
        return acts.cross(cross);
      }
      if (scene.space && !e.shiftKey) rotateBy(scene, x / 2, y / 2);
      else panBy(scene, x, y);
      acts.cross(middle());
      return moved();
    }
    if (e.key === 'Enter' && !e.repeat && !lassoing) press();
  });
}

/**
 * Selects what a polygon of pixels has.
 * @param {import('./scene.js').Scene} scene
 * @param {number[][]} corners
 */
export const selectWithin = (scene, corners) => scene.select(pointsWithin(scene, corners));
