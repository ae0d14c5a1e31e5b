// Names of labels at their density peaks. A name that would touch a more prominent one is left out until the zoom is
// large enough: each has one scale from which on it is shown (Been, Daiches and Yap 2006), so none flickers
/**
 * @typedef {{text: string, x: number, y: number, wide: number, high: number, label: number, from: number}} PlacedName
 *   from: the least scale
 */

/**
 * Raises the scale from which on each name is shown; names come in falling prominence. x, y in lattice units, wide and
 * high in pixels. Two names touch at scales below min(wide / |dx|, high / |dy|).
 * @param {PlacedName[]} names
 */
export function setScales(names) {
  names.forEach((name, i) => {
    for (let j = 0; j < i; ++j) {
      const other = names[j];
      const apart = Math.min((name.wide + other.wide) / 2 / Math.abs(name.x - other.x),
                             (name.high + other.high) / 2 / Math.abs(name.y - other.y));
      if (apart > other.from) name.from = Math.max(name.from, apart);
    }
  });
}

/**
 * Names that do not touch, by rank, in pixels: of maps that rotate, and at the borders.
 * @param {{x: number, y: number, wide: number, high: number}[]} names
 * @returns {number[]}
 */
export function apart(names) {
  /** @type {number[]} */
  const kept = [];
  names.forEach((name, i) => {
    const touches = kept.some(j => Math.abs(names[j].x - name.x) < (names[j].wide + name.wide) / 2 &&
                                   Math.abs(names[j].y - name.y) < (names[j].high + name.high) / 2);
    if (!touches) kept.push(i);
  });
  return kept;
}
