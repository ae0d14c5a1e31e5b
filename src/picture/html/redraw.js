const across = x => (x - view.x) * view.scale + size.w / 2, down = y => size.h / 2 - (y - view.y) * view.scale;
const renderer = webgl() || canvas2d();

let redrawScheduled = false;
function redraw() {
  if (redrawScheduled) return;
  redrawScheduled = true;
  requestAnimationFrame(() => {
    redrawScheduled = false;
    renderer.draw(style(), canvas.width / size.w);
  });
}

function resize() {
  size = {w: Math.max(innerWidth, 1), h: Math.max(innerHeight, 1)};
  const pixels = window.devicePixelRatio || 1;
  canvas.width = Math.round(size.w * pixels);
  canvas.height = Math.round(size.h * pixels);
  renderer.resize();
}

