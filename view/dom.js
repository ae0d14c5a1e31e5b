// Elements

/** @param {string} id @returns {HTMLElement} */
export const element = id => /** @type {HTMLElement} */ (document.getElementById(id));

/**
 * @param {string} kind @param {Record<string, any>} [properties] @param {(Node | string)[]} children
 * @returns {HTMLElement}
 */
export function make(kind, properties = {}, ...children) {
  const made = Object.assign(document.createElement(kind), properties);
  made.append(...children);
  return made;
}

/** @param {string} textContent @param {string} title @param {() => void} act what a click does */
export function button(textContent, title, act) {
  const made = make('button', {type: 'button', textContent, title});
  made.addEventListener('click', act);
  return made;
}

/** @param {string} color */
export function swatch(color) {
  const made = make('i', {className: 'swatch'});
  made.style.background = color;
  return made;
}

export const grouped = (/** @type {number} */ count) => count.toLocaleString('en');
/** @param {number} count @param {string} what in the singular */
export const counted = (count, what) => `${grouped(count)} ${what}${count === 1 ? '' : 's'}`;
