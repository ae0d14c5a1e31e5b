// Keyboard: arrows move or rotate the map below a cross in the middle; with a lasso, or while points are dragged, the
// cross
import {panBy, rotateBy} from './camera.js';
import {hideTip, pointAt} from './points.js';

/** Pixels of an arrow: of the map, of the cross, and of the cross with Shift. */
const ofMap = 40, ofCross = 10, fine = 1;
/** @type {Record<string, number[]>} */
const arrows = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};

/**
 * @param {HTMLCanvasElement} canvas @param {import('./scene.js').Scene} scene @param {import('./hands.js').Acts} acts
 * @param {{endLasso: (keep: boolean) => void, readonly pressed: boolean}} hands
 */
export function connectKeys(canvas, scene, acts, hands) {
  const {steer} = acts;
  /** @type {{x: number, y: number} | null} null: in the middle */
  let cross = null, pointed = false;
  const point = (/** @type {{x: number, y: number} | null} */ at) => acts.cross(cross = at);
  const middle = () => ({x: scene.size.w / 2, y: scene.size.h / 2});
  const pointing = () => acts.lasso() || steer?.drags === true;

  /** After L, M or their buttons: the cross is in the middle, or hidden; a point that keys hold is let go. */
  const follow = () => {
    if (pointed !== pointing()) point((pointed = !pointed) ? middle() : null);
    if (!hands.pressed && (acts.lasso() || !steer?.drags)) steer?.release();
  };
  /** Sets a corner, or ends the lasso at the last one; takes or lets go a point; or marks one. */
  const enter = () => {
    const at = cross || middle(), {x, y} = at, last = scene.lasso[scene.lasso.length - 1];
    canvas.focus();  // which a held point does not outlive
    if (acts.lasso()) {
      if (last && last[0] === x && last[1] === y) hands.endLasso(true);
      else scene.lasso.push([x, y]);
    } else if (steer?.grabbed) {
      steer.release();
    } else if (!steer?.grab(x, y, false)) {
      acts.mark(pointAt(scene, x, y, Math.min(scene.size.w, scene.size.h) / 3));
    }
    follow();
    if (pointed) point(at);
  };
  const move = (/** @type {number[]} */ [dx, dy], /** @type {boolean} */ shift) => {
    if (pointing()) {
      const {x, y} = cross || middle(), {w, h} = scene.size, by = shift ? fine : ofCross;
      point({x: Math.min(Math.max(x + dx * by, 0), w), y: Math.min(Math.max(y + dy * by, 0), h)});
      canvas.focus();
      if (steer?.grabbed && cross) steer.pull(cross.x, cross.y);
      return;
    }
    if (scene.space && !shift) rotateBy(scene, -dx * ofMap / 2, -dy * ofMap / 2);
    else panBy(scene, -dx * ofMap, -dy * ofMap);
    acts.cross(middle());
    hideTip();
    acts.moved();
  };

  canvas.addEventListener('pointerdown', () => point(null));
  canvas.addEventListener('blur', () => {
    point(null);
    if (!hands.pressed) steer?.release();
  });
  addEventListener('resize', () => point(null));
  // Also before anything has the focus
  addEventListener('keydown', e => {
    if (e.key === 'Escape' && !hands.pressed) {
      steer?.release(false);
      hands.endLasso(false);
    }
    follow();
    if (e.ctrlKey || e.metaKey || e.altKey || e.target instanceof HTMLInputElement) return;
    const {w, h} = scene.size;
    if (e.key === 'v' || e.key === 'V') acts.selected([[0, 0], [w, 0], [w, h], [0, h]]);
    if (e.target !== canvas && e.target !== document.body) return;
    if (arrows[e.key]) {
      e.preventDefault();
      move(arrows[e.key], e.shiftKey);
    }
    if (e.key === 'Enter' && !e.repeat && !hands.pressed) enter();
  });
}
