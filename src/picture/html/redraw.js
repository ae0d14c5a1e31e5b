const across = x => (x - view.x) * view.scale + size.w / 2, down = y => size.h / 2 - (y - view.y) * view.scale;
const painter = webgl() || plain2d();

let waiting = false;
function redraw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    painter.draw(style(), canvas.width / size.w);
  });
}

function resize() {
  size = {w: Math.max(innerWidth, 1), h: Math.max(innerHeight, 1)};
  const pixels = window.devicePixelRatio || 1;
  canvas.width = Math.round(size.w * pixels);
  canvas.height = Math.round(size.h * pixels);
  painter.resize();
}

