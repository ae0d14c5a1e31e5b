// The legend: a click toggles a label, a double click, or one with Shift, shows it alone, or all labels again
import {element, grouped, make, swatch} from './dom.js';
import {colorFor, colorsOf} from './look.js';

/** @param {import('./scene.js').Scene} scene */
export function fillLegend(scene) {
  const legend = element('legend');
  legend.replaceChildren();
  if (scene.scale) legend.append(...scaleOf(scene.scale, scene.dark));
  else if (scene.named) legend.append(...buttonsOf(scene));
  if (scene.raised && scene.relief) legend.append(...scene.relief.legend(scene.dark));
}

/** @param {import('./scene.js').Scene} scene */
function buttonsOf(scene) {
  const {groups} = scene;
  const buttons = groups.map((group, i) => {
    const button = make('button', {type: 'button'}, swatch(colorFor(group.color, scene.dark)),
                        make('span', {textContent: group.name, title: group.name}),
                        make('em', {textContent: grouped(group.count)}));
    const only = () => {
      const alone = groups.every((other, j) => other.shown === (i === j));
      groups.forEach((other, j) => { other.shown = alone || i === j; });
      update();
    };
    button.addEventListener('click', e => {
      if (e.shiftKey) return only();
      group.shown = !group.shown;
      update();
    });
    button.addEventListener('dblclick', only);
    button.addEventListener('pointerenter', () => { scene.highlighted = group.shown ? i : -1; scene.changed(); });
    button.addEventListener('pointerleave', () => { scene.highlighted = -1; scene.changed(); });
    return button;
  });
  const mark = () => buttons.forEach((button, i) => button.setAttribute('aria-pressed', String(groups[i].shown)));
  const update = () => {
    mark();
    scene.highlighted = -1;
    scene.changed();
  };
  mark();
  return buttons;
}

/**
 * A bar of colors with round values beside it.
 * @param {NonNullable<import('./blocks.js').Facts['scale']>} scale
 * @param {boolean} dark
 */
function scaleOf(scale, dark) {
  const box = make('div', {className: 'scale'}), bar = make('i');
  bar.style.background = `linear-gradient(to top, ${colorsOf(scale).join(', ')})`;
  box.append(bar);
  for (const tick of scale.ticks) {
    const text = make('span', {textContent: tick.text});
    text.style.bottom = 100 * tick.place + '%';
    box.append(text);
  }
  const none = scale.none ? [make('div', {className: 'row'}, swatch(colorFor(scale.none, dark)), 'none')] : [];
  return [make('div', {textContent: scale.name}), box, ...none];
}
