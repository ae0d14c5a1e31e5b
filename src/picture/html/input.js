// One pointer moves a 2-D map and rotates a 3-D map (with Shift it moves it); two pointers zoom
const pointers = new Map();
function zoom(factor, x, y) {
  const to = Math.min(Math.max(view.scale * factor, fittedScale / 5), fittedScale * 1e5), share = 1 / view.scale - 1 / to;
  view.x += (x - size.w / 2) * share;
  view.y += (size.h / 2 - y) * share;
  view.scale = to;
  moved = true;
  hideTip();
  redraw();
}
function rotate(dx, dy) {
  const r = view.rotation, a = dx * 0.008, b = dy * 0.008;
  const y = [Math.cos(a), 0, Math.sin(a), 0, 1, 0, -Math.sin(a), 0, Math.cos(a)];
  const x = [1, 0, 0, 0, Math.cos(b), -Math.sin(b), 0, Math.sin(b), Math.cos(b)];
  const times = (m, k) => m.map((_, i) => {
    const row = 3 * Math.floor(i / 3), column = i % 3;
    return m[row] * k[column] + m[row + 1] * k[column + 3] + m[row + 2] * k[column + 6];
  });
  view.rotation = times(x, times(y, r));
}
canvas.addEventListener('wheel', e => {
  e.preventDefault();
  zoom(Math.exp(-e.deltaY * (e.deltaMode ? 0.05 : 0.0016)), e.clientX, e.clientY);
}, {passive: false});
canvas.addEventListener('pointerdown', e => {
  canvas.setPointerCapture(e.pointerId);
  pointers.set(e.pointerId, {x: e.clientX, y: e.clientY});
  canvas.classList.add('moving');
  hideTip();
});
canvas.addEventListener('pointermove', e => {
  const last = pointers.get(e.pointerId);
  if (!last) return hover(e.clientX, e.clientY);
  const dx = e.clientX - last.x, dy = e.clientY - last.y;
  if (pointers.size === 2) {
    const [, other] = [...pointers].find(([id]) => id !== e.pointerId);
    const before = Math.hypot(last.x - other.x, last.y - other.y);
    const after = Math.hypot(e.clientX - other.x, e.clientY - other.y);
    if (before > 0) zoom(after / before, (e.clientX + other.x) / 2, (e.clientY + other.y) / 2);
  } else if (is3d && !e.shiftKey) {
    rotate(dx, dy);
  } else {
    view.x -= dx / view.scale;
    view.y += dy / view.scale;
  }
  moved = true;
  last.x = e.clientX;
  last.y = e.clientY;
  redraw();
});
for (const name of ['pointerup', 'pointercancel']) {
  canvas.addEventListener(name, e => {
    pointers.delete(e.pointerId);
    if (pointers.size === 0) canvas.classList.remove('moving');
  });
}
canvas.addEventListener('pointerleave', hideTip);
canvas.addEventListener('dblclick', fit);
addEventListener('keydown', e => {
  if (e.key === '0' || e.key === 'Escape') fit();
  if (e.key === '+' || e.key === '=') zoom(1.4, size.w / 2, size.h / 2);
  if (e.key === '-') zoom(1 / 1.4, size.w / 2, size.h / 2);
});

// Hover: shows the nearest point within reach of the pointer
let pendingHover = null;
function hover(x, y) {
  if (!pendingHover) requestAnimationFrame(() => {
    const at = pendingHover;
    pendingHover = null;
    showTip(nearest(at.x, at.y));
  });
  pendingHover = {x, y};
}
function nearest(px, py) {
  const x = (px - size.w / 2) / view.scale + view.x, y = (size.h / 2 - py) / view.scale + view.y, p = [0, 0];
  let best = (Math.max(10, style().diameter) / view.scale) ** 2, found = -1;
  for (let i = 0; i < n; ++i) {
    project(i, p);
    const d = (p[0] - x) ** 2 + (p[1] - y) ** 2;
    if (d <= best && groups[groupOf[i]].shown) { best = d; found = i; }
  }
  return found;
}
const swatch = color => Object.assign(document.createElement('i'), {style: `background:${color}`});
function showTip(i) {
  const tip = element('tip'), ring = element('ring');
  if (i < 0) return hideTip();
  const p = project(i, [0, 0]), x = across(p[0]), y = down(p[1]), ringed = Math.max(style().diameter + 6, 10);
  const name = Object.assign(document.createElement('b'), {textContent: facts.ids.length ? facts.ids[i] : 'point ' + i});
  tip.replaceChildren(name);
  if (named) {
    const line = document.createElement('div');
    line.append(swatch(groups[groupOf[i]].color), labels ? facts.names[labels[i]] : groups[groupOf[i]].name);
    tip.append(line);
  }
  const coordinates = [...positions.subarray(width * i, width * i + width)].map(v => v.toPrecision(5)).join(', ');
  tip.append(Object.assign(document.createElement('small'), {textContent: coordinates}));
  tip.style.display = ring.style.display = 'block';
  Object.assign(ring.style, {left: x + 'px', top: y + 'px', width: ringed + 'px', height: ringed + 'px'});
  const left = x + 16 + tip.offsetWidth < size.w ? x + 16 : x - 16 - tip.offsetWidth;
  tip.style.left = Math.max(left, 4) + 'px';
  tip.style.top = Math.max(Math.min(y + 14, size.h - tip.offsetHeight - 6), 4) + 'px';
}
function hideTip() { element('tip').style.display = element('ring').style.display = 'none'; }

// A continuous legend: a bar of colors with round values beside it
function scale(facts) {
  const make = (kind, style, text = '') => Object.assign(document.createElement(kind), {textContent: text, style});
  const box = make('div', 'padding:2px 6px'), bar = make('div', 'position:relative;height:200px;margin:10px 0 8px');
  bar.append(make('div', `position:absolute;left:0;width:18px;height:100%;background:linear-gradient(to top,${facts.colors})`));
  for (const t of facts.ticks)
    bar.append(make('div', `position:absolute;left:24px;bottom:${100 * t.place}%;transform:translateY(50%)`, t.text));
  bar.append(make('div', 'visibility:hidden;padding-left:24px', facts.ticks.map(t => t.text).sort((a, b) => b.length - a.length)[0]));
  box.append(make('div', '', facts.name), bar);
  if (facts.none) {
    const none = make('div', 'display:flex;align-items:center;gap:9px');
    none.append(swatch(facts.none), 'none');
    box.append(none);
  }
  element('legend').append(box);
}

// Legend: a click toggles a label, a double click shows it alone, or all labels again
function legend() {
  const buttons = groups.map((g, i) => {
    const button = document.createElement('button');
    button.append(swatch(g.color), Object.assign(document.createElement('span'), {textContent: g.name, title: g.name}),
                  Object.assign(document.createElement('em'), {textContent: g.count.toLocaleString('en')}));
    button.addEventListener('click', () => { g.shown = !g.shown; update(); });
    button.addEventListener('dblclick', () => {
      const alone = groups.every((other, j) => other.shown === (i === j));
      groups.forEach((other, j) => { other.shown = alone || i === j; });
      update();
    });
    button.addEventListener('pointerenter', () => { highlighted = g.shown ? i : -1; redraw(); });
    button.addEventListener('pointerleave', () => { highlighted = -1; redraw(); });
    return button;
  });
  function update() {
    buttons.forEach((button, i) => button.setAttribute('aria-pressed', groups[i].shown));
    highlighted = -1;
    hideTip();
    redraw();
  }
  element('legend').append(...buttons);
  update();
}

element('title').textContent = facts.title;
element('help').textContent = (is3d ? 'drag to rotate, Shift and drag to move' : 'drag to move') +
  ', scroll to zoom, double-click to see all' + (named && !facts.scale ? '; click a label to hide it, double-click to see it alone' : '') +
  (2 * facts.lines > ends.length ? `; ${(ends.length / 2).toLocaleString('en')} of ${facts.lines.toLocaleString('en')} edges are drawn` : '');
if (facts.scale) scale(facts.scale);
else if (named) legend();
resize();
fit();
addEventListener('resize', () => { resize(); if (moved) redraw(); else fit(); });
